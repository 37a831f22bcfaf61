"""Compare the nodes of two graphs or functions: new, removed, changed, renamed and moved nodes.

A renamed node is a new one with the same op, inputs and attributes as a removed one. Nodes of the old graph are visited
in execution order, with the new names of their inputs, so that a renamed chain or scope is detected from its start on.
A new node whose name has the same last part is preferred; if no name has it, there must be exactly one candidate.
Graphs have many equal constants, such as 0 and 1: nodes without inputs count as renamed only if there are as many equal
new ones as old ones. The result is a guess: the report shows it, but the nodes still count as removed and added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from ...errors import GraphError
from ...graph import GraphIndex
from ...graph.error_text import quote
from ...messages import GraphDef
from ...values.formatting import attr_text
from ...values.names import TensorName, is_control_input, node_name, with_node_name
from .report import BodyReport, Change, NodeReport, Rules, compare_entries, compare_texts, same_bytes
from .values import compare_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...messages import AttrValue, FunctionDef, NodeDef


def compare_bodies(
    before: GraphDef | FunctionDef, after: GraphDef | FunctionDef, rules: Rules, defaults: Defaults, name: str = ""
) -> BodyReport:
    """Compare the nodes of two graphs, or of the functions named `name`.

    Nodes are matched by name, and nodes of the same name in order.
    """
    if same_bytes(before, after):
        count = len(before.node if isinstance(before, GraphDef) else before.node_def)
        return BodyReport(name, count, count)
    index, other = GraphIndex(before), GraphIndex(after)
    nodes, others = _nodes_by_name(index.nodes), _nodes_by_name(other.nodes)
    removed = [node for key, node in nodes.items() if key not in others]
    added = [node for key, node in others.items() if key not in nodes]
    names = _guess_renames(index, removed, added, rules) if removed and added else {}
    changed = []
    for key, node in nodes.items():
        if key in others and (changes := compare_nodes(node, others[key], rules, defaults)):
            changed.append(NodeReport(node.name, others[key].op, changes, _follows_renames(changes, names)))
    order = _order_difference(list(nodes), list(others)) if rules.order else ""
    return BodyReport(name, len(nodes), len(others), tuple(removed), tuple(added), tuple(changed), names, order)


def _nodes_by_name(nodes: list[NodeDef]) -> dict[tuple[str, int], NodeDef]:
    """Return the nodes by name and number among the nodes of that name."""
    result: dict[tuple[str, int], NodeDef] = {}
    seen: dict[str, int] = {}
    for node in nodes:
        name = node.name
        number = seen[name] = seen.get(name, -1) + 1
        result[name, number] = node
    return result


def _guess_renames(index: GraphIndex, removed: list[NodeDef], added: list[NodeDef], rules: Rules) -> dict[str, str]:
    removed_ids = {id(node) for node in removed}
    in_order = [index.nodes[position] for position in index.forward_order if id(index.nodes[position]) in removed_ids]
    return find_renames(in_order, added, rules)


def _follows_renames(changes: tuple[Change, ...], names: Mapping[str, str]) -> bool:
    """Return whether a node changed only because producers of its inputs seem to be renamed."""
    if not names:
        return False
    old_controls, new_controls = set(), set()
    for change in changes:
        before = None if change.before is None else renamed_input(change.before, names)
        if change.what == "control input":
            old_controls.add(before)
            new_controls.add(change.after)
        elif not change.what.startswith("input ") or before != change.after:
            return False
    return old_controls - {None} == new_controls - {None}


def _order_difference(before: list[tuple[str, int]], after: list[tuple[str, int]]) -> str:
    """Describe the first difference in the order of common nodes; empty if the order is the same."""
    common = set(before) & set(after)
    pairs = zip((key for key in before if key in common), (key for key in after if key in common), strict=True)
    for (name, _), (other, _) in pairs:
        if name != other:
            return f"{quote(other)} is now in the place of {quote(name)}"
    return ""


Defaults = Callable[[str], "Mapping[str, AttrValue]"]
"""A function from an op to its default attributes."""

_MAX_INPUTS = 6  # that a summary of many inputs shows


def compare_nodes(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> tuple[Change, ...]:
    """Return the differences of two nodes. Attributes are decoded only if the encodings differ."""
    return () if same_bytes(before, after) else tuple(differences(before, after, rules, defaults))


def differences(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> Iterator[Change]:
    """Yield the differences of two nodes whose encodings differ."""
    yield from compare_texts("op", before.op, after.op)
    yield from compare_texts("device", before.device, after.device)
    if before.input != after.input:
        yield from _compare_inputs(before.input, after.input)
    yield from _compare_attributes(before, after, rules, defaults)
    if rules.internal:
        for field in ("experimental_type", "experimental_debug_info"):
            if getattr(before, field) != getattr(after, field):
                yield Change(field, "", "", "it differs")


# --- inputs ----------------------------------------------------------------------------------------------------------


def canonical_input(text: str) -> str:
    """Return the canonical form of an input: `n` for `n:0`. An invalid input does not change."""
    try:
        return str(TensorName.parse(text))
    except GraphError:
        return text


def split_inputs(inputs: list[str]) -> tuple[list[str], list[str]]:
    """Return the data inputs of a node, and its control inputs, sorted and unique."""
    names = [canonical_input(text) for text in inputs]
    controls = sorted({name for name in names if is_control_input(name)})
    return [name for name in names if not is_control_input(name)], controls


def _compare_inputs(before: list[str], after: list[str]) -> Iterator[Change]:
    (tensors, controls), (others, other_controls) = split_inputs(before), split_inputs(after)
    if len(tensors) != len(others):
        first = next((index for index, (a, b) in enumerate(zip(tensors, others, strict=False)) if a != b), None)
        note = ""
        if first is not None and max(len(tensors), len(others)) > _MAX_INPUTS:
            note = f"the first that differs is input {first:,}, {tensors[first]} -> {others[first]}"
        yield Change("inputs", _list_names(tensors), _list_names(others), note)
    else:
        for input_index, (one, other) in enumerate(zip(tensors, others, strict=True)):
            if one != other:
                yield Change(f"input {input_index}", one, other)
    own_controls, others_controls = set(controls), set(other_controls)
    for name in controls:
        if name not in others_controls:
            yield Change("control input", name, None)
    for name in other_controls:
        if name not in own_controls:
            yield Change("control input", None, name)


def _list_names(names: list[str]) -> str:
    text = ", ".join(names[:_MAX_INPUTS])
    return (f"{text}, ... {len(names):,} inputs" if len(names) > _MAX_INPUTS else text) or "none"


# --- attributes ------------------------------------------------------------------------------------------------------


def _compare_attributes(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> Iterator[Change]:
    one, other = dict(before.attr), dict(after.attr)
    if not rules.internal:
        one, other = ({name: attr[name] for name in attr if name[:1] != "_"} for attr in (one, other))
    if not rules.defaults and one.keys() != other.keys():
        declared = defaults(before.op)
        for name in one.keys() ^ other.keys():
            if name in declared:
                one.setdefault(name, declared[name])
                other.setdefault(name, declared[name])
    yield from compare_entries("attr", one, other, lambda what, a, b: compare_values(what, a, b, rules), attr_text)


_Key: TypeAlias = tuple[object, ...]
_KEY_LENGTH = 5  # the length of a key without the last part of the name


def find_renames(removed: Iterable[NodeDef], added: Iterable[NodeDef], rules: Rules) -> dict[str, str]:
    """Return the new names of those `removed` nodes that seem to be among the `added` nodes, by old name.

    `removed` must be in execution order.
    """
    removed, added = list(removed), list(added)
    outlines = {_outline(node) for node in removed} & {_outline(node) for node in added}
    removed = [node for node in removed if _outline(node) in outlines]
    source_keys = {node.name: _key(node, {}, rules) for node in removed if not node.input}
    key_counts = Counter(key for node in removed if not node.input for key in _keys(node, source_keys[node.name]))
    names_by_key: dict[_Key, list[str]] = {}
    for node in added:
        if _outline(node) in outlines:
            for key in _keys(node, _key(node, {}, rules)):
                names_by_key.setdefault(key, []).append(node.name)
    candidates = {key: iter(names) for key, names in names_by_key.items()}
    result: dict[str, str] = {}
    used_names: set[str] = set()
    for node in removed:
        for key in _keys(node, source_keys.get(node.name) or _key(node, result, rules)):
            names = names_by_key.get(key, [])
            if len(key) > _KEY_LENGTH:
                is_match = bool(node.input) or len(names) == key_counts[key]
            else:
                is_match = len(names) == 1 and key_counts[key] <= 1
            if is_match:
                name = next((name for name in candidates.get(key, ()) if name not in used_names), None)
                if name is not None:
                    result[node.name] = name
                    used_names.add(name)
                    break
    return result


def _keys(node: NodeDef, key: _Key) -> tuple[_Key, _Key]:
    """Return the keys of a node: with the last part of its name, and without."""
    return (*key, node.name.rpartition("/")[2]), key


def renamed_input(text: str, names: Mapping[str, str]) -> str:
    """Return an input in canonical form with the new name of its node."""
    name = node_name(text)
    return with_node_name(text, names.get(name, name))


def _outline(node: NodeDef) -> _Key:
    """Return properties that are cheap to compare and exclude most nodes."""
    return node.op, node.device, len(node.input)


def _key(node: NodeDef, names: Mapping[str, str], rules: Rules) -> _Key:
    """Return a key that is equal for nodes that differ only in their names, or in attributes that `rules` ignore.

    `names` has the new names of renamed inputs. The key has a hash of the encoded attributes.
    """
    tensors, controls = split_inputs(node.input)
    inputs = [renamed_input(text, names) for text in tensors]
    new_controls = sorted(renamed_input(text, names) for text in controls)
    digest = blake2b()
    for name in sorted(node.attr):
        if rules.internal or not name.startswith("_"):
            digest.update(f"{len(name)} {name}".encode(errors="surrogatepass"))
            for buffer in node.attr[name].to_buffers():
                digest.update(buffer)
    return node.op, node.device, tuple(inputs), tuple(new_controls), digest.digest()
