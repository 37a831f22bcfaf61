"""Compare two models: their nodes, their functions, and what is around the graphs of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...files import naming_damage
from ...source import Given, ModelSource, Tags, source_pair
from .changes import Change, Rules
from .functions import compare_libraries
from .matching import compare_bodies
from .report import DiffReport
from .surroundings import compare_meta_graphs, compare_versions

if TYPE_CHECKING:
    from ...messages import AttrValue

__all__ = ["diff"]

_HOLD_VALUES = frozenset({"Variable", "VariableV2", "VarHandleOp"})


def diff(
    a: Given,
    b: Given,
    *,
    tags: Tags = None,
    internal: bool = False,
    order: bool = False,
    versions: bool = False,
    defaults: bool = True,
    atol: float = 0.0,
    rtol: float = 0.0,
) -> DiffReport:
    """What changed from model `a` to model `b`, each a GraphDef, MetaGraphDef or SavedModel, what `load` takes, or a
    Model.

    `tags` choose the MetaGraph where there is more than one; "serve" goes without saying. What counts as a change: see
    `Rules`; without `defaults`, an attribute that is missing is the same as one with the value that the op declares.
    Values of variables are in checkpoints and are not compared.

    Raises FileFormatError if one is no model or is damaged, ModelError if it has no graph, OSError.
    """
    if not (0 <= atol < math.inf and 0 <= rtol < math.inf):
        raise ValueError(f"tolerances are finite and not negative, not atol={atol!r}, rtol={rtol!r}")
    rules = Rules(internal, order, versions, defaults, atol, rtol)
    one, other = source_pair(a, b, tags=tags)
    with naming_damage(one.file, other.file):
        return _compared(one, other, rules)


def _compared(one: ModelSource, other: ModelSource, rules: Rules) -> DiffReport:
    names = one.name or "<a>", other.name or "<b>"
    defaults = _Defaults()
    around: list[Change] = []
    notes = []
    if one.meta is not None and other.meta is not None:
        around += compare_meta_graphs(one.meta, other.meta)
    elif one.meta is not None or other.meta is not None:
        name = names[0 if other.meta is None else 1]
        notes.append(f"what is around the graph, such as signatures, is in {name} only and was not compared")
    versions = list(compare_versions(one.graph, other.graph))
    if rules.versions:
        around += versions
    graph = compare_bodies(one.graph, other.graph, rules, defaults)
    if any(node.op in _HOLD_VALUES for node in one.graph.node):
        notes.append("values of variables were not compared")
    return DiffReport(
        before=names[0],
        after=names[1],
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
