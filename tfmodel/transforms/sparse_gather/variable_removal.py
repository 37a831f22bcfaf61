"""What goes with a table of weights: the nodes that read it, assign it, restore it and save it.

w -> w/read            goes
w/Assign(w, value)     goes, and `value` too if nobody else uses it
init(^w/Assign)        does not wait for it any more, and goes if that was all it was for
save/SaveV2(..., w)    saves the others
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
from ..framework.new_constants import const_node

__all__ = ["cleared", "leaving", "without"]

FOLLOWING = frozenset({"Assign", "Equal", "HistogramSummary", "Mean", "Reshape", "ScalarSummary"})
"""Ops that go with a variable: they initialize it, restore it, and tell how it is."""

SAVE, RESTORE = "SaveV2", "RestoreV2"
SAVE_TENSORS = 3  # the place of the first tensor: before it are the file, names and slices


def leaving(
    index: GraphIndex, start: Iterable[int], heads: Collection[int], declared: Collection[str]
) -> set[int] | str:
    """All nodes that go if those at `start` go and those at `heads` need them no more; or why they cannot go."""
    gone = set(start)
    queue = [*gone]
    for position in queue:
        node = index.nodes[position]
        if node.name in declared:
            return f"{describe(node)} is declared as an input or output"
        for target in index.targets[position]:
            user = index.nodes[target]
            if target in gone or target in heads:
                continue
            if _waits_only(user, node.name):
                continue
            if user.op == SAVE:
                if problem := _save_problem(index, target, position, declared):
                    return problem
                continue
            if user.op not in FOLLOWING:
                return f"{describe(user)} uses {describe(node)} too"
            gone.add(target)
            queue.append(target)
    return gone


def _waits_only(user: NodeDef, name: str) -> bool:
    return all(is_control_input(text) or TensorName.parse(text).node != name for text in user.input)


def _save_problem(index: GraphIndex, save: int, tensor: int, declared: Collection[str]) -> str:
    sources = index.sources[save]
    if index.nodes[save].name in declared:
        return f"{describe(index.nodes[save])}, which saves it, is declared as an input or output"
    if tensor in sources[:SAVE_TENSORS]:
        return f"{describe(index.nodes[save])} is told by it what to save"
    try:
        _saved(index, save)
    except (GraphError, TensorError) as error:
        return str(error)
    return ""


def _saved(index: GraphIndex, save: int) -> tuple[list[bytes], list[bytes], list[DataType]]:
    """Names, slices and types of what is saved. Raises GraphError if they do not fit together."""
    from ...tensors import to_ndarray

    node, sources = index.nodes[save], index.sources[save]
    types = attr(node, "dtypes", list[DataType])
    count = len(data_inputs(node)) - SAVE_TENSORS
    lists: list[list[bytes]] = []
    for source in sources[1:SAVE_TENSORS]:
        if source < 0 or index.nodes[source].op != "Const":
            raise GraphError(f"{describe(node)}: what it saves is no constant")
        strings = to_ndarray(const_tensor(index.nodes[source]))
        if strings.size == count:
            lists.append(strings.ravel().tolist())
    if len(lists) != 2 or len(types) != count:
        raise GraphError(f"{describe(node)}: its names, slices and types are not one for each tensor")
    return lists[0], lists[1], types


def without(
    index: GraphIndex, gone: set[int], declared: Collection[str], taken: TakenNames
) -> dict[int, list[NodeDef]]:
    """By position, what becomes of nodes that refer to some that go: themselves with less, or more nodes.

    One that does nothing any more goes too, and is added to `gone`: it has saved, or waited for, those only.
    """
    changes: dict[int, list[NodeDef]] = {}
    queue = sorted({target for position in gone for target in index.targets[position]} - gone)
    for position in queue:
        node, sources = index.nodes[position], index.sources[position]
        kept = [place for place, source in enumerate(sources) if source not in gone]
        if len(kept) == len(sources):
            continue
        saves_less = node.op == SAVE and any(place >= SAVE_TENSORS for place in {*range(len(sources))}.difference(kept))
        if saves_less:
            new = _save_without(index, position, kept, taken)
        else:
            new = [replace_node(node, input=[node.input[place] for place in kept])]
        if node.name not in declared and (not new or (node.op == "NoOp" and not kept)):
            gone.add(position)
            queue += [target for target in index.targets[position] if target not in gone]
        else:
            changes[position] = new or [node]
    return {position: new for position, new in changes.items() if position not in gone}


def _save_without(index: GraphIndex, position: int, kept: list[int], taken: TakenNames) -> list[NodeDef]:
    """The node that saves the rest, behind constants that name it; nothing if there is no rest."""
    node = index.nodes[position]
    rest = [place for place in kept if place >= SAVE_TENSORS and not is_control_input(node.input[place])]
    if not rest:
        return []
    names, slices, types = _saved(index, position)
    constants = []
    for place, values in enumerate((names, slices), 1):
        name = taken.fresh(index.nodes[index.sources[position][place]].name)
        values = [values[each - SAVE_TENSORS] for each in rest]
        constants.append(const_node(name, values, DataType.DT_STRING))
    inputs = [node.input[0], *(each.name for each in constants), *(node.input[place] for place in kept[SAVE_TENSORS:])]
    listed = AttrValue.ListValue(type=[types[place - SAVE_TENSORS] for place in rest])
    return [*constants, replace_node(node, input=inputs, attr={**node.attr, "dtypes": AttrValue(list=listed)})]


def cleared(nodes: Sequence[NodeDef], suspects: Iterable[str], declared: Collection[str]) -> list[NodeDef]:
    """The nodes without those of the `suspects` that nobody uses, and what is unused without these in turn."""
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
