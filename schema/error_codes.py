"""xla/tsl/protobuf/error_codes.proto: the kinds of error with which an operation ends."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["Code"]


@pb.enum("tensorflow.error.Code")
class Code(pb.Enum):
    """The status codes of TensorFlow, the same as gRPC's. TF's exception classes are named after them."""

    OK = 0
    CANCELLED = 1  # usually by the caller
    UNKNOWN = 2  # of another system, or without details
    INVALID_ARGUMENT = 3  # invalid whatever the state of the system
    DEADLINE_EXCEEDED = 4  # timed out; the operation may still have succeeded
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    UNAUTHENTICATED = 16  # the caller is not identified
    RESOURCE_EXHAUSTED = 8  # out of memory, for instance
    FAILED_PRECONDITION = 9  # the system is in the wrong state, such as a variable without a value
    ABORTED = 10  # stopped by a conflict with another operation; start over
    OUT_OF_RANGE = 11  # past the end, for instance of a dataset
    UNIMPLEMENTED = 12
    INTERNAL = 13  # a bug
    UNAVAILABLE = 14  # try again later
    DATA_LOSS = 15
    # makes C++ authors write a default case
    DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_ = 20
