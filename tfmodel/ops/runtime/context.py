"""What kernels can ask for besides tensors."""

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
    """What a variable holds: None before it is initialised. It is its own handle, which VarHandleOp gives."""

    name: str
    content: Any = None

    @property
    def value(self) -> Any:
        """Raises RunError if there is none."""
        if self.content is None:
            raise RunError(f'the variable "{printable(self.name)}" has no value: {GIVE_CHECKPOINT}')
        return self.content


@dataclass(frozen=True, slots=True)
class Reference:
    """What Variable and VariableV2 of TensorFlow 1 give: who takes it as a tensor gets what the variable holds then.

    A kernel that is registered with `references=True` gets it as it is.
    """

    variable: Variable

    @property
    def value(self) -> Any:
        return self.variable.value


class Runtime(Protocol):
    """What a run offers to kernels. Whoever runs a graph makes one; kernels that need none can do without."""

    random: Any
    """A numpy.random.Generator."""

    def resource(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under a key from one run to the next: a variable, a table. Made by `make` the first time."""

    def call(self, function: NameAttrList, inputs: Sequence[Any]) -> list[Any]:
        """The results of a function of the library for these inputs."""

    def initial_value(self, name: str) -> Any:
        """What a checkpoint holds for the variable of a node; None if there is nothing."""

    def saved_tensor(self, key: str) -> Any:
        """What a checkpoint holds under a key; None if there is nothing."""

    def read_file(self, path: bytes) -> bytes:
        """A file that belongs to the model. Raises RunError for any other."""

    def log(self, text: str) -> None:
        """Print a line for people, as Print does."""
