"""`ChangedSession`: run a changed graph with the variables and assets of the model that was changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import RunError
from ...graph.error_text import quote
from ...interpreter.session import Session, ignore_log
from ...messages import GraphDef
from ...values.names import TensorName


class UnknownValueError(RunError):
    """A graph was not run, because it is not known which value a variable has."""


class ChangedSession(Session):
    """A session of a graph that is the result of changes to the model of another session, `origin`.

    Variables have the values that they have in `origin` before it is run: the nodes that tell where these are in the
    checkpoint may be gone from the graph. `renames` maps tensors of `origin` to their names in the graph. A variable
    is that of `origin` from which it was renamed, or else that of the same name, if types and shapes are the same.

    unknown   the problems of variables that were read and are not variables of `origin`
    """

    def __init__(
        self, graph: GraphDef, origin: Session, renames: Mapping[TensorName, TensorName] | None, *, seed: int
    ) -> None:
        self.unknown: list[str] = []
        self._origin = origin
        self._new_names = {old.node: new.node for old, new in (renames or {}).items()}
        self._old_names = {new: old for old, new in self._new_names.items()}
        super().__init__(origin.source.after_step(graph), seed=seed, log=ignore_log)

    def asset_paths(self) -> dict[str, str]:
        """Return the paths of asset files by the names of their nodes."""
        return {self._new_names.get(name, name): path for name, path in self._origin.asset_paths().items()}

    def initial_value(self, name: str) -> Any:
        """Return the value of a variable; None if no checkpoint has it. Raises RunError as that of `Session` does."""
        old_name = self._old_name(name)
        return self._origin.initial_value(old_name) if old_name is not None else None

    def no_value(self, name: str) -> RunError:
        """Return the error for a variable without a value, by its name in `origin`."""
        old_name = self._old_name(name)
        if old_name is not None:
            return self._origin.no_value(old_name)
        problem = f"the model has no variable {quote(name)} of this type and shape, so its value is not known"
        self.unknown.append(problem)
        return RunError(problem)

    def saved_tensor(self, key: str) -> Any:
        """Return the tensor under a key of the checkpoint; None if no checkpoint has it."""
        return self._origin.saved_tensor(key)

    def _old_name(self, name: str) -> str | None:
        """Return the name of a variable in `origin`; None if it is not one of its variables."""
        node = self.variable(name)
        if node is None:
            return name  # in a function, whose nodes keep their names
        old = self._origin.variable(self._old_names.get(name, name))
        if old is None or (name not in self._old_names and old.name in self._new_names):
            return None
        is_same = all(node.attr.get(key) == old.attr.get(key) for key in ("dtype", "shape"))
        return old.name if is_same else None
