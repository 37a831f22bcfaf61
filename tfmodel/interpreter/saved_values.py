"""The values of variables that a session reads from the checkpoint of its model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ..analysis.variables.checkpoint_keys import hints_of
from ..analysis.variables.variable_values import Values
from ..errors import CheckpointError, FreezeError, GraphError, RunError, with_name
from ..graph.function_body import FunctionBodies
from ..graph.view import GraphView
from ..messages import NodeDef, OpDef
from ..source.model_source import ModelSource
from ..values.terminal import escape


class SavedValues:
    """The checkpoint of a model, which is opened when the first value is read."""

    def __init__(self, source: ModelSource, ops: Mapping[str, OpDef]) -> None:
        self._source = source
        self._ops = ops
        self.exist = source.given_checkpoint is not None or bool(source.prefix)

    def value(self, variable: NodeDef) -> Any:
        """Return the value of a variable; None if there is none.

        Raises RunError if the checkpoint cannot be read, or if the value has another type or shape than the variable.
        """
        try:
            return self._values.array(variable) if self._values is not None else None
        except (FreezeError, GraphError, CheckpointError) as error:
            raise RunError(str(error)) from error

    def tensor(self, key: str) -> Any:
        """Return the tensor under a key; None if there is none."""
        return self._values.tensor(key) if self._values is not None else None

    def describe_missing(self, variables: Sequence[NodeDef]) -> str:
        """Return the error of a run that reads the first variable: those without a value; "" without a checkpoint."""
        if not self.exist or self._values is None:
            return ""
        return self._values.describe_missing(self._values.without_value(variables) or [variables[0]], "freeze ")

    @cached_property
    def _values(self) -> Values | None:
        checkpoint = self._open()
        if checkpoint is None:
            return None
        graph = self._source.graph
        hints = hints_of(self._source.meta, GraphView(graph), FunctionBodies(graph.library, self._ops))
        return Values(checkpoint, hints, share=True, name=getattr(checkpoint, "prefix", "the checkpoint"))

    def _open(self) -> Mapping[str, Any] | None:
        try:
            return self._source.checkpoint
        except FileNotFoundError as error:
            name = escape(os.fsdecode(error.filename))
            raise RunError(with_name(name, "there is no such checkpoint")) from error
        except OSError as error:
            name = escape(os.fsdecode(error.filename or self._source.prefix))
            raise RunError(with_name(name, f"{error.strerror or error}")) from error
        except CheckpointError as error:
            raise RunError(str(error)) from error
