"""The exceptions of TensorFlow: `tf.errors.NotFoundError` and the others, one for each code."""

from __future__ import annotations

from typing import Any

__all__ = ["OpError", "error_of", "invalid_argument"]

_CODES = {
    "CANCELLED": (1, "CancelledError"),
    "UNKNOWN": (2, "UnknownError"),
    "INVALID_ARGUMENT": (3, "InvalidArgumentError"),
    "DEADLINE_EXCEEDED": (4, "DeadlineExceededError"),
    "NOT_FOUND": (5, "NotFoundError"),
    "ALREADY_EXISTS": (6, "AlreadyExistsError"),
    "PERMISSION_DENIED": (7, "PermissionDeniedError"),
    "RESOURCE_EXHAUSTED": (8, "ResourceExhaustedError"),
    "FAILED_PRECONDITION": (9, "FailedPreconditionError"),
    "ABORTED": (10, "AbortedError"),
    "OUT_OF_RANGE": (11, "OutOfRangeError"),
    "UNIMPLEMENTED": (12, "UnimplementedError"),
    "INTERNAL": (13, "InternalError"),
    "UNAVAILABLE": (14, "UnavailableError"),
    "DATA_LOSS": (15, "DataLossError"),
    "UNAUTHENTICATED": (16, "UnauthenticatedError"),
}
OK = 0


class OpError(Exception):
    """An error with a code. `node_def` and `op` are always None: there is no runtime."""

    code = 2

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message)
        self.node_def = node_def
        self.op = op
        self.message = message
        if len(args) == 1 and type(self) is OpError:
            self.code = args[0]

    @property
    def error_code(self) -> int:
        return self.code

    def __str__(self) -> str:
        return self.message


for _name, (_code, _class) in _CODES.items():
    globals()[_name] = _code
    globals()[_class] = type(_class, (OpError,), {"code": _code, "__doc__": f"An error with the code {_name}."})
    __all__ += [_name, _class]

_OF_OS: dict[type[OSError], str] = {
    FileNotFoundError: "NotFoundError",
    FileExistsError: "AlreadyExistsError",
    PermissionError: "PermissionDeniedError",
    IsADirectoryError: "FailedPreconditionError",
    NotADirectoryError: "FailedPreconditionError",
}


def invalid_argument(message: str) -> OpError:
    """Return the exception for a wrong argument."""
    made: OpError = globals()["InvalidArgumentError"](None, None, message)
    return made


def error_of(error: OSError) -> OpError:
    """Return the exception that TensorFlow raises for an error of the operating system."""
    name = next((name for kind, name in _OF_OS.items() if isinstance(error, kind)), "UnknownError")
    if isinstance(error, OSError) and error.strerror == "Directory not empty":
        name = "FailedPreconditionError"
    file = error.filename.decode(errors="replace") if isinstance(error.filename, bytes) else error.filename
    made: OpError = globals()[name](None, None, f"{file}; {error.strerror}" if file else str(error))
    return made
