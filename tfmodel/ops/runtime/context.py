"""The interface between a run and the kernels of ops with state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ...errors import RunError
from ...graph.error_text import GIVE_CHECKPOINT
from ...io.terminal import printable
from ...messages import NameAttrList

__all__ = ["Reference", "Runtime", "Variable"]

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Variable:
    """A variable, which is its own handle, the output of VarHandleOp. `content` is None before initialization."""

    name: str
    content: Any = None

    @property
    def value(self) -> Any:
        """The value of the variable. Raises RunError before initialization."""
        if self.content is None:
            raise RunError(f'the variable "{printable(self.name)}" has no value: {GIVE_CHECKPOINT}')
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
        """Return the value of a variable in the checkpoint, by the name of its node; None if there is none."""

    def saved_tensor(self, key: str) -> Any:
        """Return the tensor of the checkpoint with this key; None if there is none."""

    def read_file(self, path: bytes) -> bytes:
        """Return the contents of a file of the model. Raises RunError for any other file."""

    def log(self, text: str) -> None:
        """Print a line for people."""
