"""The nodes of two graphs, or of two bodies of a function, side by side: which are new, gone, changed, moved.

Two nodes of one name: what differs of their op, device, inputs and attributes.

Which new node is an old one under another name: one that has the same op, inputs and attributes.

Nodes of the old graph are looked at in the order of execution, and their inputs by the names that they have now, so a
chain or a whole scope that was renamed is found from its start on. Of several, those are taken whose names end with the
same part, else there has to be one only. Constants of 0 and 1 are everywhere, so of constants that are alike there have
to be as many as there were. It is a guess:
nothing else depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from ...errors import GraphError
from ...graph import GraphIndex
from ...graph.error_text import quoted
from ...messages import GraphDef
from ...names import TensorName, is_control_input, node_name, with_node_name
from ..formatting import attr_text
from .changes import Change, Rules, changed_entries, changed_words, same_bytes
from .report import BodyReport, NodeReport
from .values import compare_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...messages import AttrValue, FunctionDef, NodeDef
    from .changes import Change, Rules

__all__ = [
    "Defaults",
    "canonical",
    "changes_of",
    "compare_bodies",
    "compare_nodes",
    "renamed_input",
    "renames",
    "split_inputs",
]


def compare_bodies(
    before: GraphDef | FunctionDef, after: GraphDef | FunctionDef, rules: Rules, defaults: Defaults, name: str = ""
) -> BodyReport:
    """What changed in the nodes of a graph, or of the function called `name`.

    Nodes belong together that have the same name; of several of one name the first with the first, and so on.
    """
    if same_bytes(before, after):
        count = len(before.node if isinstance(before, GraphDef) else before.node_def)
        return BodyReport(name, count, count)
    index, other = GraphIndex(before), GraphIndex(after)
    nodes, others = _named(index.nodes), _named(other.nodes)
    removed = [node for key, node in nodes.items() if key not in others]
    added = [node for key, node in others.items() if key not in nodes]
    names = _renames(index, removed, added, rules) if removed and added else {}
    changed = []
    for key, node in nodes.items():
        if key in others and (changes := compare_nodes(node, others[key], rules, defaults)):
            changed.append(NodeReport(node.name, others[key].op, changes, _follows(changes, names)))
    order = _order(list(nodes), list(others)) if rules.order else ""
    return BodyReport(name, len(nodes), len(others), tuple(removed), tuple(added), tuple(changed), names, order)


def _named(nodes: list[NodeDef]) -> dict[tuple[str, int], NodeDef]:
    """Nodes by their names, and how many of that name came before."""
    found: dict[tuple[str, int], NodeDef] = {}
    seen: dict[str, int] = {}
    for node in nodes:
        name = node.name
        number = seen[name] = seen.get(name, -1) + 1
        found[name, number] = node
    return found


def _renames(index: GraphIndex, removed: list[NodeDef], added: list[NodeDef], rules: Rules) -> dict[str, str]:
    gone = {id(node) for node in removed}
    in_order = [index.nodes[position] for position in index.forward_order if id(index.nodes[position]) in gone]
    return renames(in_order, added, rules)


def _follows(changes: tuple[Change, ...], names: Mapping[str, str]) -> bool:
    """Whether a node changed only because nodes that it takes its inputs from seem to be renamed."""
    if not names:
        return False
    waits, new_waits = set(), set()
    for change in changes:
        before = None if change.before is None else renamed_input(change.before, names)
        if change.what == "control input":
            waits.add(before)
            new_waits.add(change.after)
        elif not change.what.startswith("input ") or before != change.after:
            return False
    return waits - {None} == new_waits - {None}


def _order(before: list[tuple[str, int]], after: list[tuple[str, int]]) -> str:
    """Where the order of the nodes that both have differs first; empty if it does not."""
    common = set(before) & set(after)
    pairs = zip((key for key in before if key in common), (key for key in after if key in common), strict=True)
    for (name, _), (other, _) in pairs:
        if name != other:
            return f"where {quoted(name)} stood is now {quoted(other)}"
    return ""


Defaults = Callable[[str], "Mapping[str, AttrValue]"]
"""Gives the attributes that an op has where a node does not say, with their values."""

_MOST_INPUTS = 6


def compare_nodes(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> tuple[Change, ...]:
    """All that differs between two nodes. Attributes are only read if something may."""
    return () if same_bytes(before, after) else tuple(changes_of(before, after, rules, defaults))


def changes_of(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> Iterator[Change]:
    """The same for nodes that are not written the same."""
    yield from changed_words("op", before.op, after.op)
    yield from changed_words("device", before.device, after.device)
    if before.input != after.input:
        yield from _inputs(before.input, after.input)
    yield from _attributes(before, after, rules, defaults)
    if rules.internal:
        for field in ("experimental_type", "experimental_debug_info"):
            if getattr(before, field) != getattr(after, field):
                yield Change(field, "", "", "it differs")


# --- inputs ----------------------------------------------------------------------------------------------------------


def canonical(text: str) -> str:
    """One spelling for all of a reference: `n` for `n:0`. What is no reference stays as it is."""
    try:
        return str(TensorName.parse(text))
    except GraphError:
        return text


def split_inputs(inputs: list[str]) -> tuple[list[str], list[str]]:
    """The tensors that a node takes, and the nodes that it waits for: these sorted, and each once."""
    names = [canonical(text) for text in inputs]
    controls = sorted({name for name in names if is_control_input(name)})
    return [name for name in names if not is_control_input(name)], controls


def _inputs(before: list[str], after: list[str]) -> Iterator[Change]:
    (tensors, controls), (others, other_controls) = split_inputs(before), split_inputs(after)
    if len(tensors) != len(others):
        first = next((at for at, (a, b) in enumerate(zip(tensors, others, strict=False)) if a != b), None)
        note = ""
        if first is not None and max(len(tensors), len(others)) > _MOST_INPUTS:
            note = f"the first that differs is input {first:,}, {tensors[first]} -> {others[first]}"
        yield Change("inputs", _listed(tensors), _listed(others), note)
    else:
        for place, (one, other) in enumerate(zip(tensors, others, strict=True)):
            if one != other:
                yield Change(f"input {place}", one, other)
    there, here = set(controls), set(other_controls)
    for name in controls:
        if name not in here:
            yield Change("control input", name, None)
    for name in other_controls:
        if name not in there:
            yield Change("control input", None, name)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_INPUTS])
    return (f"{shown}, ... {len(names):,} inputs" if len(names) > _MOST_INPUTS else shown) or "none"


# --- attributes ------------------------------------------------------------------------------------------------------


def _attributes(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> Iterator[Change]:
    one, other = dict(before.attr), dict(after.attr)
    if not rules.internal:
        one, other = ({name: attr[name] for name in attr if name[:1] != "_"} for attr in (one, other))
    if not rules.defaults and one.keys() != other.keys():
        declared = defaults(before.op)
        for name in one.keys() ^ other.keys():
            if name in declared:
                one.setdefault(name, declared[name])
                other.setdefault(name, declared[name])
    yield from changed_entries("attr", one, other, lambda what, a, b: compare_values(what, a, b, rules), attr_text)


_Key: TypeAlias = tuple[object, ...]
_KEY = 5  # parts of one without a name


def renames(removed: Iterable[NodeDef], added: Iterable[NodeDef], rules: Rules) -> dict[str, str]:
    """The new name of nodes that were `removed`, which come in the order of execution, and are among those `added`."""
    removed, added = list(removed), list(added)
    outlines = {_outline(node) for node in removed} & {_outline(node) for node in added}
    removed = [node for node in removed if _outline(node) in outlines]
    sources = {node.name: _key(node, {}, rules) for node in removed if not node.input}
    times = Counter(key for node in removed if not node.input for key in _keys(node, sources[node.name]))
    places: dict[_Key, list[str]] = {}
    for node in added:
        if _outline(node) in outlines:
            for key in _keys(node, _key(node, {}, rules)):
                places.setdefault(key, []).append(node.name)
    next_of = {key: iter(names) for key, names in places.items()}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for node in removed:
        for key in _keys(node, sources.get(node.name) or _key(node, found, rules)):
            names = places.get(key, [])
            if len(key) > _KEY:
                enough = bool(node.input) or len(names) == times[key]
            else:
                enough = len(names) == 1 and times[key] <= 1
            if enough:
                name = next((name for name in next_of.get(key, ()) if name not in taken), None)
                if name is not None:
                    found[node.name] = name
                    taken.add(name)
                    break
    return found


def _keys(node: NodeDef, key: _Key) -> tuple[_Key, _Key]:
    """What a node may be found by: with the last part of its name, and without."""
    return (*key, node.name.rpartition("/")[2]), key


def renamed_input(text: str, names: Mapping[str, str]) -> str:
    """A reference, spelled canonically, by the name that its node has now."""
    name = node_name(text)
    return with_node_name(text, names.get(name, name))


def _outline(node: NodeDef) -> _Key:
    """What is cheap to compare, and rules most nodes out."""
    return node.op, node.device, len(node.input)


def _key(node: NodeDef, names: Mapping[str, str], rules: Rules) -> _Key:
    """Equal for nodes that are the same but for their names. Large attributes are hashed as they are written."""
    tensors, controls = split_inputs(node.input)
    inputs = [renamed_input(text, names) for text in tensors]
    waits = sorted(renamed_input(text, names) for text in controls)
    digest = blake2b()
    for name in sorted(node.attr):
        if rules.internal or not name.startswith("_"):
            digest.update(f"{len(name)} {name}".encode(errors="surrogatepass"))
            for buffer in node.attr[name].to_buffers():
                digest.update(buffer)
    return node.op, node.device, tuple(inputs), tuple(waits), digest.digest()
