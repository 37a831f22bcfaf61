"""Loops and conditionals of TensorFlow 1, which are made of nodes with special ops.

A loop runs in a frame of its own. Tensors come in through Enter and leave through Exit; inside, all inputs of a node
are of the same frame:

    Enter -> Merge -> Switch -> Exit
               ^        |
    NextIteration <- body

A conditional sends each tensor that it needs through a Switch, which passes it to one of two branches; a Merge passes
on the result of the branch that ran:

    Switch:0 -> one branch   -> Merge
    Switch:1 -> the other    ->

A node without inputs is outside of all loops and branches, so even constants inside have a control input.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import GraphError
from ..ops.traits import ENTER, EXIT, LOOP_COND, MERGE, NEXT_ITERATION, SWITCH
from ..values.names import TensorName, is_control_input
from .attributes import attr

if TYPE_CHECKING:
    from ..messages import NodeDef
    from .index import GraphIndex

CONTROL_FLOW = ENTER | EXIT | NEXT_ITERATION | MERGE | SWITCH | LOOP_COND

_IDENTITY = frozenset({"Identity", "RefIdentity"}) | ENTER
_CONTROL_TRIGGER = frozenset({"ControlTrigger"})  # runs after its control inputs, whether these ran or were skipped
_SWITCH_OUTPUTS = {"output_false": 0, "output_true": 1}


# --- loops -----------------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Frame:
    """The frame of a loop: its name, the frame around it (None for an outermost loop), and the nodes that run in it.

    Its Enter and Exit nodes are among them, nodes of inner loops are not.
    """

    name: str
    parent: Frame | None = field(repr=False)
    nodes: list[NodeDef] = field(default_factory=list, repr=False)

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the frames from the outermost one to this one."""
        names = [self.name]
        frame = self.parent
        while frame is not None:
            names.append(frame.name)
            frame = frame.parent
        return tuple(reversed(names))

    def of(self, ops: Iterable[str]) -> list[NodeDef]:
        """Return the nodes of the frame whose op is in `ops`: `frame.of(EXIT)`."""
        return [node for node in self.nodes if node.op in ops]


def frame_name(enter: NodeDef) -> str:
    """Return the name of the frame that an Enter leads into; "" if it has none, or an attribute of another kind."""
    try:
        return attr(enter, "frame_name", bytes, b"").decode(errors="backslashreplace")
    except GraphError:
        return ""


def frame_of_outputs(frame: Frame | None, op: str) -> Frame | None:
    """Return the frame of the outputs of a node: for an Exit, the frame around the one that it runs in."""
    return frame.parent if frame is not None and op in EXIT else frame


def frames_of(index: GraphIndex) -> list[Frame | None]:
    """Return the frame that each node runs in, by position.

    If inputs come from different frames, which is a fault, the first input decides.
    """
    frames: list[Frame | None] = [None] * len(index)
    kinds = index.control_flow
    if not any(op in ENTER for op in kinds.values()):
        return frames
    frames_by_name: dict[tuple[Frame | None, str], Frame] = {}
    seen = bytearray(len(index))
    for position in index.forward_order:
        source = next((source for source in index.sources[position] if source >= 0 and seen[source]), None)
        frame = None if source is None else frame_of_outputs(frames[source], kinds.get(source, ""))
        if kinds.get(position) in ENTER:
            name = frame_name(index.nodes[position])
            frame = frames_by_name.get((frame, name)) or frames_by_name.setdefault((frame, name), Frame(name, frame))
        frames[position] = frame
        seen[position] = True
    for node, frame in zip(index.nodes, frames, strict=True):
        if frame is not None:
            frame.nodes.append(node)
    return frames


# --- conditionals ----------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Branch:
    """One branch of a conditional, which runs if `pred` is `taken` (0 or 1; for a _SwitchN the number of the output).

    `pred` is the tensor that decides, before it passes through any Identity or Enter. `outer` is the branch of another
    conditional that contains this one. All nodes of a branch have the same Branch object.
    """

    pred: TensorName
    taken: int
    outer: Branch | None = field(repr=False)
    depth: int = field(default=1, repr=False)
    _skip: Branch | None = field(default=None, repr=False)
    """A branch further out, as in a skip list, so that few steps lead to any outer branch."""

    def __post_init__(self) -> None:
        outer = self.outer
        if outer is not None:
            self.depth = outer.depth + 1
            near, far = outer._skip, outer._skip._skip if outer._skip else None
            equally_far = outer.depth - _depth(near) == _depth(near) - _depth(far)
            self._skip = far if equally_far else outer

    def common(self, other: Branch | None) -> Branch | None:
        """Return the innermost branch that contains this one and `other`; it may be one of them.

        None if no branch does.
        """
        one: Branch | None = self
        while one is not other:
            if one is None or other is None:
                return None
            if one.depth < other.depth:
                one, other = other, one
            if one.depth > other.depth:
                one = one._skip if _depth(one._skip) >= other.depth else one.outer
            elif one._skip is not other._skip:
                one, other = one._skip, other._skip
            else:
                one, other = one.outer, other.outer
        return one


def _depth(branch: Branch | None) -> int:
    return branch.depth if branch is not None else 0


def _common(branches: list[Branch | None]) -> Branch | None:
    """Return the innermost branch that contains all of them; None if no branch does."""
    common = branches[0] if branches else None
    for branch in branches[1:]:
        common = common.common(branch) if common is not None else None
    return common


def branches_of(index: GraphIndex) -> list[Branch | None]:
    """Return the branch of a conditional that each node runs in, by position.

    A Merge is in the innermost branch that contains all of its inputs, and so is a ControlTrigger. Any other node is in
    the innermost branch of its inputs; if several are equally deep, in the first of these.
    """
    return _Branches(index).branches if index.control_flow else [None] * len(index)


class _Branches:
    """Walks forward through a graph and follows each tensor's branch."""

    def __init__(self, index: GraphIndex) -> None:
        self.index = index
        self.branches: list[Branch | None] = [None] * len(index)
        self._kinds = index.control_flow
        self._made: dict[tuple[Branch | None, TensorName, int], Branch] = {}
        self._origins: dict[int, TensorName] = {}
        seen = bytearray(len(index))
        for position in index.forward_order:
            node = index.nodes[position]
            pairs = [
                pair for pair in zip(node.input, index.sources[position], strict=True) if pair[1] >= 0 and seen[pair[1]]
            ]
            if node.op in _IDENTITY and pairs:
                self._origins[position] = self._origin(*pairs[0])
            self.branches[position] = self._branch(node, pairs)
            seen[position] = True

    def _branch(self, node: NodeDef, pairs: list[tuple[str, int]]) -> Branch | None:
        tensors = [self._of_tensor(text, source) for text, source in pairs if not is_control_input(text)]
        controls = [self.branches[source] for text, source in pairs if is_control_input(text)]
        if node.op in MERGE:
            tensors = [_common(tensors)]
        if node.op in _CONTROL_TRIGGER:
            controls = [_common(controls)]
        return max((*tensors, *controls), key=_depth, default=None)

    def _of_tensor(self, text: str, source: int) -> Branch | None:
        """Return the branch of the tensor `text` of the node at `source`. An output of a Switch begins a branch."""
        outer = self.branches[source]
        if self._kinds.get(source) not in SWITCH:
            return outer
        inputs, sources = self.index.nodes[source].input, self.index.sources[source]
        if len(inputs) < 2 or self._kinds.get(sources[1]) in LOOP_COND:
            return outer
        reference = TensorName.parse(text)
        branch = _SWITCH_OUTPUTS.get(reference.output, reference.port)
        key = outer, self._origin(inputs[1], sources[1]), branch
        if outer is not None and (outer.pred, outer.taken) == key[1:]:
            return outer
        return self._made.get(key) or self._made.setdefault(key, Branch(key[1], branch, outer))

    def _origin(self, text: str, source: int) -> TensorName:
        """Return the tensor that a reference leads to through any Identity and Enter."""
        if source in self._origins:
            return self._origins[source]
        try:
            return TensorName.parse(text)
        except GraphError:
            return TensorName(text)
