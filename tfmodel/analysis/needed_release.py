"""Find the first release of TensorFlow that can import a graph, from its ops, their attributes and its version.

A release refuses a node whose op, or one of whose attributes, it does not have. The types that an op allows are not
looked at, nor ops that no release has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..messages import AttrValue, GraphDef, NodeDef
from ..ops import OPS, defaults
from ..ops.releases import FIRST, is_before, latest, newer_attributes_of, release_of, release_of_consumer


@dataclass(frozen=True, slots=True)
class NeededRelease:
    """The first release that can import a graph, and what needs it: ops, and attributes as "op.attribute"."""

    release: str = FIRST
    because: Sequence[str] = ()


def needed_release(graph: GraphDef, *, strips_defaults: bool = False) -> NeededRelease:
    """Return the first release of TensorFlow that can import a graph.

    With `strips_defaults`, attributes with their default value are left out, as when TensorFlow imports a MetaGraph:
    it removes those that it does not know.
    """
    found: dict[str, dict[str, None]] = {}
    for node in nodes_of(graph):
        if (release := release_of(node.op)) not in ("", FIRST):
            found.setdefault(release, {})[node.op] = None
        for name, release in newer_attributes(node, FIRST):
            if not (strips_defaults and has_default(node, name)):
                found.setdefault(release, {})[f"{node.op}.{name}"] = None
    consumer = graph.versions.min_consumer if graph.versions is not None else 0
    if (release := release_of_consumer(consumer)) not in ("", FIRST):
        found.setdefault(release, {})["versions.min_consumer"] = None
    release = latest([*found])
    return NeededRelease(release, [*found.get(release, ())])


def nodes_of(graph: GraphDef) -> Iterator[NodeDef]:
    """Yield the nodes of a graph and of its functions."""
    yield from graph.node
    for function in graph.library.function if graph.library is not None else ():
        yield from function.node_def


def newer_attributes(node: NodeDef, release: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a node that are newer than a release and than the node's op, with their releases."""
    if newer := newer_attributes_of(node.op):
        for name in node.attr:
            if name in newer and is_before(release, newer[name]):
                yield name, newer[name]


def has_default(node: NodeDef, name: str) -> bool:
    """Return whether an attribute has the default value of its op."""
    default = _defaults(node.op).get(name)
    return default is not None and node.attr[name] == default


def _defaults(op: str) -> Mapping[str, AttrValue]:
    return defaults(OPS[op]) if op in OPS else {}
