"""Compare two models: their nodes, their functions, and what is around the graphs of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pbwire.message import Message

from ...detection import called
from ...errors import FileFormatError, GraphError
from ...files import choose_meta_graph, message_of, naming_damage, no_choice, open_model
from ...messages import GraphDef
from .changes import Change, Rules
from .functions import compare_libraries
from .matching import compare_bodies
from .report import DiffReport
from .surroundings import compare_meta_graphs, compare_versions

if TYPE_CHECKING:
    from ...files import ModelFile, Source, Tags
    from ...messages import AttrValue

__all__ = ["diff"]

_HOLD_VALUES = frozenset({"Variable", "VariableV2", "VarHandleOp"})


def diff(
    a: Source | Message,
    b: Source | Message,
    *,
    tags: Tags = None,
    internal: bool = False,
    order: bool = False,
    versions: bool = False,
    defaults: bool = True,
    atol: float = 0.0,
    rtol: float = 0.0,
) -> DiffReport:
    """What changed from model `a` to model `b`, each a GraphDef, MetaGraphDef or SavedModel, or what `load` takes.

    `tags` choose the MetaGraph where there is more than one. What counts as a change: see `Rules`; without `defaults`,
    an attribute that is missing is the same as one with the value that the op declares. Values of variables are in
    checkpoints and are not compared.

    Raises FileFormatError if one is no model or is damaged, GraphError if it is a message without a graph, OSError.
    """
    if not (0 <= atol < math.inf and 0 <= rtol < math.inf):
        raise ValueError(f"tolerances are finite and not negative, not atol={atol!r}, rtol={rtol!r}")
    rules = Rules(internal, order, versions, defaults, atol, rtol)
    one, other = _Model(a, "a", tags), _Model(b, "b", tags)
    if tags is not None and not (one.is_saved_model or other.is_saved_model):
        raise FileFormatError(f"{one.name} and {other.name}: {no_choice()}")
    with naming_damage(one.file, other.file):
        return _compared(one, other, rules)


class _Model:
    """A graph, and the MetaGraph around it if there is one."""

    def __init__(self, source: Source | Message, name: str, tags: Tags) -> None:
        self.file: ModelFile | None = None
        self.name = f"<{name}>"
        message: Any = source
        if not isinstance(source, Message):
            self.file = open_model(source, lazy=True)
            self.name = self.file.name
            message = message_of(self.file, lazy=True)
        self.meta: Any = None
        full_name = message.__table__.full_name
        self.is_saved_model = full_name == "tensorflow.SavedModel"
        if self.is_saved_model:
            self.meta = choose_meta_graph(message.meta_graphs, tags, self.name)
        elif full_name == "tensorflow.MetaGraphDef":
            self.meta = message
        elif not isinstance(message, GraphDef):
            raise GraphError(f"{self.name}: this is {called(type(message))}, which holds no graph")
        self.graph: GraphDef = self.meta.graph_def if self.meta is not None else message
        if self.graph is None:
            raise GraphError(f"{self.name}: its MetaGraphDef has no graph")


def _compared(one: _Model, other: _Model, rules: Rules) -> DiffReport:
    defaults = _Defaults()
    around: list[Change] = []
    notes = []
    if one.meta is not None and other.meta is not None:
        around += compare_meta_graphs(one.meta, other.meta)
    elif one.meta is not None or other.meta is not None:
        name = one.name if other.meta is None else other.name
        notes.append(f"what is around the graph, such as signatures, is in {name} only and was not compared")
    versions = list(compare_versions(one.graph, other.graph))
    if rules.versions:
        around += versions
    graph = compare_bodies(one.graph, other.graph, rules, defaults)
    if any(node.op in _HOLD_VALUES for node in one.graph.node):
        notes.append("values of variables were not compared")
    return DiffReport(
        before=one.name,
        after=other.name,
        graph=graph,
        functions=compare_libraries(one.graph.library, other.graph.library, rules, defaults),
        around=tuple(around),
        uncounted=() if rules.versions else tuple(versions),
        notes=tuple(notes),
    )


class _Defaults:
    """The attributes that ops have where nodes do not say, by the declarations of TensorFlow: read when first asked."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[str, AttrValue]] = {}

    def __call__(self, op: str) -> Mapping[str, AttrValue]:
        if op not in self._known:
            from ...ops import defaults, op_def

            declared = op_def(op)
            self._known[op] = defaults(declared) if declared is not None else {}
        return self._known[op]
