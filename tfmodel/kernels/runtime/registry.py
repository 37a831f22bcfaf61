"""The table of kernels, from op to function, and the interface between a run and kernels of ops with state."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy.typing as npt

from ...errors import Hint, RunError
from ...messages import NameAttrList
from ...values.terminal import escape
from .. import import_kernels

Tensor: TypeAlias = npt.NDArray[Any]

F = TypeVar("F", bound=Callable[..., Any])

T = TypeVar("T")

NODE, OWN, RUNTIME = "node", "own", "runtime"
"""Names of parameters of kernels that are not attributes."""


# --- the table -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kernel:
    """The kernel of one op and the arguments that it takes besides tensors.

    attributes   the attributes that the function needs, with the defaults of its parameters
    references   whether the function gets variables of TensorFlow 1 as `Reference`, not their values
    takes_own    whether the function can change its first input in place
    fresh        whether the first output never shares memory with an input, other than one taken as `own`
    """

    op: str
    function: Callable[..., Any]
    attributes: Mapping[str, Any]
    takes_node: bool
    takes_runtime: bool
    references: bool
    takes_own: bool = False
    fresh: bool = False


_REGISTERED: dict[str, Kernel] = {}


def kernel(*ops: str, references: bool = False, fresh: bool = False) -> Callable[[F], F]:
    """Register the decorated function as the kernel of some ops. Raises ValueError if one has a kernel already.

    See `Kernel` for `references` and `fresh`; functions with a parameter `own` are always fresh.
    """

    def register(function: F) -> F:
        parameters = inspect.signature(function).parameters
        keywords = {
            name: parameter.default
            for name, parameter in parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
        takes_runtime, takes_own = RUNTIME in keywords, OWN in keywords
        keywords = {name: default for name, default in keywords.items() if name not in (OWN, RUNTIME)}
        takes_node = next(iter(parameters), "") == NODE
        for op in ops:
            registered = _REGISTERED.get(op)
            if registered is not None and registered.function.__module__ != function.__module__:
                raise ValueError(f"{op} has a kernel already, in {registered.function.__module__}")
            _REGISTERED[op] = Kernel(
                op, function, keywords, takes_node, takes_runtime, references, takes_own, fresh or takes_own
            )
        return function

    return register


class _Kernels(Mapping[str, Kernel]):
    """The kernels by op. All modules of kernels are imported when the first kernel is looked up."""

    _complete = False

    def _all(self) -> dict[str, Kernel]:
        if not self._complete:
            import_kernels()
            self._complete = True
        return _REGISTERED

    def __getitem__(self, op: str) -> Kernel:
        return self._all()[op]

    def __contains__(self, op: object) -> bool:
        return op in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._all()))

    def __len__(self) -> int:
        return len(self._all())


KERNELS = _Kernels()
"""The kernels by op."""


# --- state -----------------------------------------------------------------------------------------------------------


def no_value(name: str) -> RunError:
    """Return the error for a variable without a value in a run without a checkpoint."""
    return RunError(f'the variable "{escape(name)}" has no value: ', Hint.GIVE_CHECKPOINT)


@dataclass(eq=False, slots=True)
class Variable:
    """A variable, which is its own handle, the output of VarHandleOp. `content` is None before initialization.

    `no_value` makes the error if it is read before, of its name.
    """

    name: str
    content: Any = None
    no_value: Callable[[str], RunError] = no_value

    @property
    def value(self) -> Any:
        """The value of the variable. Raises RunError before initialization."""
        if self.content is None:
            raise self.no_value(self.name)
        return self.content


@dataclass(frozen=True, slots=True)
class Reference:
    """The output of Variable and VariableV2 of TensorFlow 1.

    Kernels get the current value of the variable; those registered with `references=True` get the Reference.
    """

    variable: Variable

    @property
    def value(self) -> Any:
        return self.variable.value


class Runtime(Protocol):
    """The services of a run for kernels. An interpreter implements it; most kernels do not need it."""

    random: Any
    """A numpy.random.Generator."""

    def resource(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the variable or table of a key, kept from run to run. `make` creates it the first time."""

    def call(self, function: NameAttrList, inputs: Sequence[Any]) -> list[Any]:
        """Return the results of a function of the library for these inputs."""

    def initial_value(self, name: str) -> Any:
        """Return the value of a variable in the checkpoint, by the name of its node; None if it has no value there."""

    def no_value(self, name: str) -> RunError:
        """Return the error for a variable without a value, which says what the checkpoint lacks if there is one."""

    def saved_tensor(self, key: str) -> Any:
        """Return the tensor of the checkpoint with this key; None if it does not exist."""

    def read_file(self, path: bytes) -> bytes:
        """Return the contents of a file of the model. Raises RunError for any other file."""

    def log(self, text: str) -> None:
        """Print a line for the user."""
