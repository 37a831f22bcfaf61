"""Remove the branches of TensorFlow 1 conditionals that never run, given the output that each Switch always takes.

    s = Switch(x, pred)                                  a = Relu(x)
    a = Relu(s)                                  ->      y = Neg(a)
    b = Tanh(s:1)
    m = Merge(a, b)
    y = Neg(m)              where pred is false

As in TensorFlow's executor, a node is dead if one of its inputs is: the output of a Switch that is not taken, or an
output or the control output of a dead node. A Merge is dead if all its tensors are. Dead nodes are removed. Consumers
of a removed Switch take its data input. Consumers of a Merge take its only input that is not dead. They also get the
control inputs of the Switch or Merge. A control input from a Switch, or from an Identity of one, is removed if it would
only order a node after a constant; conditionals use such control inputs to keep nodes within a branch.

A Switch stays if its removal would lose a declared tensor, leave a loop without a next iteration, or leave a Merge with
several of its inputs, but not all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from ..messages import AttrValue, DataType, NodeDef, TensorProto, TensorShapeProto
from ..ops.traits import CONSTS, MERGE, NEXT_ITERATION
from ..values.names import CONTROL, TensorName, control_input, is_control_input, node_name
from .edit import Passed, inputs_past, replace_node
from .index import GraphIndex

_IDENTITIES = frozenset({"Identity", "RefIdentity"})
_VALUE_INDEX = 1  # the output of a Merge with the position of the input that arrived


def remove_dead_branches(
    index: GraphIndex,
    taken: Mapping[int, int],
    declared: Collection[TensorName],
    refuse: Callable[[str, str], None],
) -> list[NodeDef]:
    """Return the nodes without dead branches. `taken` has the output that each Switch takes, by position.

    `declared` are tensors and nodes that must stay. `refuse` is called with the name of each Switch that stays, and the
    reason.
    """
    branches = _Branches(index, taken, declared)
    problems = dict(branches.problems())
    for position, reason in problems.items():
        refuse(index.nodes[position].name, reason)
    if problems:
        remaining = {position: port for position, port in taken.items() if position not in problems}
        branches = _Branches(index, remaining, declared)
    return branches.remaining_nodes() if branches.taken else list(index.nodes)


class _Branches:
    """The dead nodes, and the tensors that replace outputs of Switch and Merge nodes."""

    def __init__(self, index: GraphIndex, taken: Mapping[int, int], declared: Collection[TensorName]) -> None:
        self.index = index
        self.taken = taken
        self._declared: dict[int, set[int]] = {}
        for tensor in declared:
            if tensor.node in index:
                self._declared.setdefault(index.position(tensor.node), set()).add(tensor.port)
        self._dead = bytearray(len(index))
        for position in index.forward_order:
            self._dead[position] = self._is_dead(position)

    # --- dead nodes --------------------------------------------------------------------------------------------------

    def _all_references(self, position: int) -> Iterator[tuple[str, int]]:
        """Yield the inputs of a node with the positions of their nodes."""
        return zip(self.index.nodes[position].input, self.index.sources[position], strict=True)

    def _references(self, position: int) -> Iterator[tuple[str, int]]:
        """Yield the inputs of a node with the positions of their nodes, without arguments and missing nodes."""
        return ((text, source) for text, source in self._all_references(position) if source >= 0)

    def _is_dead_reference(self, text: str, source: int) -> bool:
        if self._dead[source]:
            return True
        return source in self.taken and not is_control_input(text) and _port(text) != self.taken[source]

    def _is_dead(self, position: int) -> bool:
        node = self.index.nodes[position]
        if node.op == "ControlTrigger":
            return False
        if node.op not in MERGE:
            return any(self._is_dead_reference(text, source) for text, source in self._references(position))
        controls = (self._dead[source] for text, source in self._references(position) if is_control_input(text))
        forward = [
            self._is_dead_reference(text, source)
            for text, source in self._references(position)
            if not is_control_input(text) and self.index.nodes[source].op not in NEXT_ITERATION
        ]
        return any(controls) or (bool(forward) and all(forward))

    def _merge_inputs(self, position: int) -> list[bool]:
        """Return whether each tensor that a Merge takes is dead."""
        return [
            source >= 0 and self._is_dead_reference(text, source)
            for text, source in self._all_references(position)
            if not is_control_input(text)
        ]

    def _has_dead_input(self, position: int) -> bool:
        """Return whether a node is a Merge that runs and has a dead input: its other input replaces it."""
        return self.index.nodes[position].op in MERGE and not self._dead[position] and any(self._merge_inputs(position))

    # --- branches that have to stay ----------------------------------------------------------------------------------

    def problems(self) -> Iterator[tuple[int, str]]:
        """Yield the positions of Switch nodes that have to stay, with the reasons."""
        for position, ports in self._declared.items():
            if position in self.taken:
                yield position, "its output is declared"
            if self._dead[position]:
                yield from self._causes([position], "a declared tensor is in the branch that is not taken")
            elif _VALUE_INDEX in ports and self._has_dead_input(position):
                yield from self._causes(self.index.sources[position], "a declared tensor tells which branch is taken")
        for position, op in self.index.control_flow.items():
            if op not in MERGE or self._dead[position]:
                continue
            dead = self._merge_inputs(position)
            if not any(dead):
                continue
            sources = [source for _, source in self._references(position)]
            if any(self.index.nodes[source].op in NEXT_ITERATION for source in sources):
                yield from self._causes(sources, "a loop would have no next iteration")
            elif dead.count(False) > 1:
                yield from self._causes(sources, "a Merge would have several inputs left")

    def _causes(self, positions: Iterable[int], reason: str) -> Iterator[tuple[int, str]]:
        """Yield the Switch nodes because of which the nodes at `positions`, or their inputs, are dead.

        Each comes with `reason`.
        """
        queue = list(positions)
        seen = set(queue)
        while queue:
            position = queue.pop()
            if position < 0:
                continue
            if position in self.taken:
                yield position, reason
            if self._dead[position] or position in self.taken:
                for text, source in self._references(position):
                    if source not in seen and (source in self.taken or self._is_dead_reference(text, source)):
                        seen.add(source)
                        queue.append(source)

    # --- the result --------------------------------------------------------------------------------------------------

    def remaining_nodes(self) -> list[NodeDef]:
        """Return the nodes that are not dead. All their inputs come from nodes that remain."""
        index = self.index
        self._names = index.taken_names()
        self._tensors: dict[tuple[int, int], str] = {}
        self._controls: dict[int, list[str]] = {}
        self._pivots: set[int] = set()
        added: list[NodeDef] = []
        for position in index.forward_order:
            if not self._dead[position]:
                added += self._replace_outputs(position)
        nodes = []
        for position, node in enumerate(index.nodes):
            if position in self._controls and position not in self._declared:
                continue
            if not self._dead[position]:
                nodes.append(self._rewired(position, node))
        return [*nodes, *added]

    def _replace_outputs(self, position: int) -> Iterator[NodeDef]:
        """Record the tensors that replace the outputs of a Switch or Merge.

        Yield a constant for a used `value_index`.
        """
        node = self.index.nodes[position]
        if position in self.taken:
            self._pass_on(position, place=0, port=self.taken[position])
        elif self._has_dead_input(position):
            place = self._merge_inputs(position).index(False)
            tensor = self._pass_on(position, place, port=0)
            if any(_port(text) == _VALUE_INDEX for text in self._texts_of_users(position)):
                name = self._names.fresh(f"{node.name}/value_index")
                self._tensors[position, _VALUE_INDEX] = name
                yield _index_constant(name, place, control_input(node_name(tensor)))
        if self._is_pivot(position):
            self._pivots.add(position)

    def _pass_on(self, position: int, place: int, port: int) -> str:
        """Let tensor input number `place` of a node replace its output number `port`; return the tensor."""
        references = [pair for pair in self._all_references(position) if not is_control_input(pair[0])]
        self._tensors[position, port] = tensor = self._replacement(*references[place])
        self._controls[position] = [*filter(is_control_input, self._new_inputs(position))]
        return tensor

    def _texts_of_users(self, position: int) -> Iterator[str]:
        for user in self.index.targets[position]:
            if not self._dead[user]:
                yield from (text for text, source in self._references(user) if source == position)

    def _is_pivot(self, position: int) -> bool:
        """Return whether a node only passes on a constant that enters a removed Switch."""
        sources = self.index.sources[position]
        if self.index.node_frames[position] is not None:
            return False
        if position in self.taken:
            return not self._controls[position] and all(map(self._is_constant, sources))
        return self.index.nodes[position].op in _IDENTITIES and len(sources) == 1 and sources[0] in self._pivots

    def _is_constant(self, position: int) -> bool:
        while position >= 0 and self.index.nodes[position].op in _IDENTITIES:
            sources = self.index.sources[position]
            if len(sources) != 1:
                return False
            position = sources[0]
        return position >= 0 and self.index.nodes[position].op in CONSTS and not self.index.nodes[position].input

    def _replacement(self, text: str, source: int) -> str:
        """Return the reference that replaces `text`, a reference to a tensor of the node at `source`."""
        return self._tensors.get((source, _port(text)), text) if source in self._controls else text

    def _new_inputs(self, position: int) -> list[str]:
        """Return the new inputs of a node, without those from dead nodes and those that wait for pivots."""
        sources = dict(self._all_references(position))

        def remains(text: str, source: int) -> bool:  # only a Merge or a ControlTrigger that runs has a dead input
            is_dead = source >= 0 and self._dead[source]
            return not is_dead and not (is_control_input(text) and source in self._pivots)

        def passed(text: str) -> Passed | None:
            source = sources[text]
            if source not in self._controls:
                return None
            is_control = is_control_input(text)
            tensor = self._tensors[source, self.taken.get(source, 0)] if is_control else self._replacement(text, source)
            return Passed(tensor, self._controls[source])

        return inputs_past((text for text, source in self._all_references(position) if remains(text, source)), passed)

    def _rewired(self, position: int, node: NodeDef) -> NodeDef:
        if position in self._controls:  # a declared Merge
            inputs = [self._tensors[position, 0], *self._controls[position]]
            return replace_node(node, op="Identity", input=inputs, attr=_attr_of_identity(node), experimental_type=None)
        inputs = self._new_inputs(position)
        return node if inputs == node.input else replace_node(node, input=inputs)


def _port(text: str) -> int:
    return CONTROL if is_control_input(text) else TensorName.parse(text).port


def _attr_of_identity(merge: NodeDef) -> dict[str, AttrValue]:
    return {name: value for name, value in merge.attr.items() if name == "T" or name.startswith("_")}


def _index_constant(name: str, place: int, control: str) -> NodeDef:
    value = TensorProto(dtype=DataType.DT_INT32, tensor_shape=TensorShapeProto(), int_val=[place])
    attributes = {"dtype": AttrValue(type=DataType.DT_INT32), "value": AttrValue(tensor=value)}
    return NodeDef(name=name, op="Const", input=[control], attr=attributes)
