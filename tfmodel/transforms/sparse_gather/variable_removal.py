"""Remove a table of weights with the nodes that read, assign, restore and save it.

w -> w/read            are removed
w/Assign(w, value)     is removed, and `value` too if nothing else uses it
init(^w/Assign)        loses the control input, and is removed if that was its last one
save/SaveV2(..., w)    saves the other variables
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ...errors import GraphError, TensorError
from ...graph import GraphIndex, attr, const_tensor, replace_node
from ...graph.edit import TakenNames
from ...graph.error_text import describe
from ...messages import AttrValue, DataType, NodeDef
from ...names import TensorName, data_inputs, is_control_input
from ...ops.traits import SAVES
from ..framework.node_edits import const_node

__all__ = ["drop_references", "find_removable", "remove_unused"]

FOLLOWING = frozenset({"Assign", "Equal", "HistogramSummary", "Mean", "Reshape", "ScalarSummary"})
"""Ops that are removed with a variable: they initialize it, restore it, and report on it."""

SAVE, RESTORE = "SaveV2", "RestoreV2"
SAVE_TENSORS = SAVES[SAVE]


def find_removable(
    index: GraphIndex, start: Iterable[int], heads: Collection[int], declared: Collection[str]
) -> set[int] | str:
    """Return the nodes to remove with those at `start`, which the nodes at `heads` no longer need; or why they must
    stay.
    """
    removed = set(start)
    queue = [*removed]
    for position in queue:
        node = index.nodes[position]
        if node.name in declared:
            return f"{describe(node)} is declared as an input or output"
        for target in index.targets[position]:
            user = index.nodes[target]
            if target in removed or target in heads:
                continue
            if _waits_only(user, node.name):
                continue
            if user.op == SAVE:
                if problem := _save_problem(index, target, position, declared):
                    return problem
                continue
            if user.op not in FOLLOWING:
                return f"{describe(user)} uses {describe(node)} too"
            removed.add(target)
            queue.append(target)
    return removed


def _waits_only(user: NodeDef, name: str) -> bool:
    return all(is_control_input(text) or TensorName.parse(text).node != name for text in user.input)


def _save_problem(index: GraphIndex, save: int, tensor: int, declared: Collection[str]) -> str:
    sources = index.sources[save]
    if index.nodes[save].name in declared:
        return f"{describe(index.nodes[save])}, which saves it, is declared as an input or output"
    if tensor in sources[:SAVE_TENSORS]:
        return f"{describe(index.nodes[save])} takes its names or slices from it"
    try:
        _saved_tensors(index, save)
    except (GraphError, TensorError) as error:
        return str(error)
    return ""


def _saved_tensors(index: GraphIndex, save: int) -> tuple[list[bytes], list[bytes], list[DataType]]:
    """Return names, slices and types of the saved tensors. Raises GraphError if their numbers differ."""
    from ...tensors import to_ndarray

    node, sources = index.nodes[save], index.sources[save]
    types = attr(node, "dtypes", list[DataType])
    count = len(data_inputs(node)) - SAVE_TENSORS
    lists: list[list[bytes]] = []
    for source in sources[1:SAVE_TENSORS]:
        if source < 0 or index.nodes[source].op != "Const":
            raise GraphError(f"{describe(node)}: its names and slices are not constants")
        strings = to_ndarray(const_tensor(index.nodes[source]))
        if strings.size == count:
            lists.append(strings.ravel().tolist())
    if len(lists) != 2 or len(types) != count:
        raise GraphError(f"{describe(node)}: the numbers of its names, slices, types and tensors differ")
    return lists[0], lists[1], types


def drop_references(
    index: GraphIndex, removed: set[int], declared: Collection[str], taken: TakenNames
) -> dict[int, list[NodeDef]]:
    """Return the nodes that replace nodes with references to removed ones, by position.

    A node that has nothing left to save or to control is removed too, and added to `removed`.
    """
    changes: dict[int, list[NodeDef]] = {}
    queue = sorted({target for position in removed for target in index.targets[position]} - removed)
    for position in queue:
        node, sources = index.nodes[position], index.sources[position]
        kept = [place for place, source in enumerate(sources) if source not in removed]
        if len(kept) == len(sources):
            continue
        saves_less = node.op == SAVE and any(place >= SAVE_TENSORS for place in {*range(len(sources))}.difference(kept))
        if saves_less:
            new = _save_without(index, position, kept, taken)
        else:
            new = [replace_node(node, input=[node.input[place] for place in kept])]
        if node.name not in declared and (not new or (node.op == "NoOp" and not kept)):
            removed.add(position)
            queue += [target for target in index.targets[position] if target not in removed]
        else:
            changes[position] = new or [node]
    return {position: new for position, new in changes.items() if position not in removed}


def _save_without(index: GraphIndex, position: int, kept: list[int], taken: TakenNames) -> list[NodeDef]:
    """Return the SaveV2 of the other tensors, after new constants with their names and slices; [] if there are none."""
    node = index.nodes[position]
    saved = [place for place in kept if place >= SAVE_TENSORS and not is_control_input(node.input[place])]
    if not saved:
        return []
    names, slices, types = _saved_tensors(index, position)
    constants = []
    for place, values in enumerate((names, slices), 1):
        name = taken.fresh(index.nodes[index.sources[position][place]].name)
        values = [values[place - SAVE_TENSORS] for place in saved]
        constants.append(const_node(name, values, DataType.DT_STRING))
    inputs = [
        node.input[0],
        *(constant.name for constant in constants),
        *(node.input[place] for place in kept[SAVE_TENSORS:]),
    ]
    listed = AttrValue.ListValue(type=[types[place - SAVE_TENSORS] for place in saved])
    return [*constants, replace_node(node, input=inputs, attr={**node.attr, "dtypes": AttrValue(list=listed)})]


def remove_unused(nodes: Sequence[NodeDef], suspects: Iterable[str], declared: Collection[str]) -> list[NodeDef]:
    """Return the nodes without unused `suspects`, and without nodes that become unused in turn."""
    by_name = {node.name: node for node in nodes}
    uses = Counter(TensorName.parse(text).node for node in nodes for text in node.input)
    unused: set[str] = set()
    queue = [*suspects]
    while queue:
        name = queue.pop()
        node = by_name.get(name)
        if node is None or uses[name] or name in unused or name in declared or node.op == RESTORE:
            continue
        unused.add(name)
        for text in node.input:
            source = TensorName.parse(text).node
            uses[source] -= 1
            queue.append(source)
    return [node for node in nodes if node.name not in unused]
