"""Follow the handles of variables, and references to them, through a graph, and record what nodes do with them.

A resource variable is a handle. Identity, the control flow ops of TensorFlow 1 and functions pass handles on.

A reference variable is a tensor of a type such as DT_FLOAT_REF. Only a few ops take references; all others take values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from ...errors import FreezeError
from ...graph import attr
from ...graph.error_text import quote
from ...graph.function_body import FunctionBodies
from ...graph.functions import enter_function
from ...graph.view import GraphView
from ...messages import DataType, NodeDef
from ...ops.ports import REFERENCE_OFFSET
from ...ops.traits import WHILE_LOOPS
from ...values.names import TensorName


class Source(NamedTuple):
    """A variable, or an argument that is a variable: the type of its value, and whether it is a reference.

    `is_value` marks a tensor that is a value already, in a graph that was frozen before: some nodes still take it as a
    handle or as a reference (see `tfmodel.freezing.repair`), and others as the value that it is.
    """

    dtype: DataType
    is_ref: bool = False
    is_value: bool = False


class Use(NamedTuple):
    """The use of a variable (`source`) by a node: its input number `place` is `tensor`."""

    node: NodeDef
    place: int
    tensor: TensorName
    source: str


class Effects(NamedTuple):
    """The effects of a function on variables: whether it changes or reads them, and which results are variables."""

    mutated: bool
    read: bool
    returned: list[int]


# By the op of an assignment: the op that computes the new value of the variable from the inputs of the assignment.
ASSIGNS = {"Assign": "Identity", "AssignVariableOp": "Identity"}
ARITHMETIC = {"AssignAdd": "Add", "AssignSub": "Sub", "AssignAddVariableOp": "Add", "AssignSubVariableOp": "Sub"}

REF_PASSES = {
    "RefIdentity": "Identity",
    "RefSwitch": "Switch",
    "RefMerge": "Merge",
    "RefEnter": "Enter",
    "RefExit": "Exit",
    "RefNextIteration": "NextIteration",
}

_MUTATORS = re.compile(
    r"(Resource)?(Sparse)?Apply[A-Z]\w*|(Resource)?Scatter(Nd)?(Add|Sub|Mul|Div|Min|Max|Update)"
    r"|(Resource)?(StridedSliceAssign|CountUpTo)|RngSkip|RngReadAndSkip|AssignVariableXlaConcatND"
)
_ONE_OUTPUT = {"Identity", "Enter", "Exit", "NextIteration", "Merge"}
MAX_BRANCHES = 1 << 12
"""The maximum number of outputs of a _SwitchN that are followed."""


class Trace:
    """The paths of variables through a graph or function.

    `sources` are the variables, by the name of the node or argument, or by the tensor ("a:1").

    uses      every input that is a variable
    aliases   the tensors that are a handle of a variable or a reference to it, with its name
    mutators  the nodes that change each variable, in order of discovery
    mixed     variables that share a tensor with others, such as the output of a Merge that chooses between them
    readers   the first node that reads the value of each variable
    carried   uses by loops whose functions both change and read the variable: its value differs between iterations
    """

    def __init__(
        self,
        body: GraphView,
        functions: FunctionBodies,
        sources: Mapping[str, Source],
        callers: tuple[str, ...] = (),
    ) -> None:
        self.body = body
        self.sources = sources
        self.uses: list[Use] = []
        self.aliases: dict[TensorName, str] = {}
        self.mutators: dict[str, list[NodeDef]] = {}
        self.mixed: set[str] = set()
        self.readers: dict[str, NodeDef] = {}
        self.carried: list[Use] = []
        self._functions = functions
        self._callers = callers
        users = body.consumers()
        seen: set[TensorName] = set()
        queue = [(TensorName.parse(name), name) for name in sources]
        while queue:
            tensor, source = queue.pop()
            known = self.aliases.setdefault(tensor, source)
            if known != source:
                self.mixed |= {known, source}
            if tensor in seen:
                continue
            seen.add(tensor)
            for node, index in users.get(tensor, ()):
                use = Use(node, index, tensor, source)
                self.uses.append(use)
                queue += [(TensorName(node.name, port), source) for port in self._follow(use)]

    def takes(self, use: Use) -> Literal["handle", "reference", "value"]:
        """Return how a node takes a variable. A node that takes a value may also take a reference."""
        source = self.sources[use.source]
        if not source.is_value:
            return "reference" if source.is_ref else "handle"
        expected = self._functions.input_type(use.node, use.place)
        if expected is DataType.DT_RESOURCE and source.dtype is not DataType.DT_RESOURCE:
            return "handle"
        return "reference" if expected is not None and expected > REFERENCE_OFFSET else "value"

    def changes(self, use: Use) -> bool:
        """Return whether a node changes the variable that it takes."""
        return is_mutator(use.node, use.place) and self.takes(use) != "value"

    def _follow(self, use: Use) -> Iterable[int]:
        """Record a use, and return the outputs of the node that pass the variable on."""
        node, index = use.node, use.place
        mutates = self.changes(use)
        if mutates:
            self._add_mutator(use)
        if self.takes(use) != "handle":
            return self._follow_reference(use, mutates)
        if mutates:
            return ()
        if node.op in _ONE_OUTPUT:
            return (0,)
        if node.op == "Switch":
            return (0, 1)
        if node.op == "_SwitchN":
            return range(min(attr(node, "num_outs", int, 1), MAX_BRANCHES))
        if node.op == "IdentityN":
            return (index,)
        return self._through_functions(use)

    def _follow_reference(self, use: Use, mutates: bool) -> Iterable[int]:
        if use.node.op == "RefSwitch":
            return (0, 1) if use.place == 0 else ()
        if use.node.op in REF_PASSES or (mutates and use.place == 0):
            return (0,)
        if not mutates:
            self.readers.setdefault(use.source, use.node)
        return ()

    def _through_functions(self, use: Use) -> Iterable[int]:
        call = self._functions.call(use.node)
        if call is None or use.place < call.first:
            self.readers.setdefault(use.source, use.node)
            return ()
        position = use.place - call.first
        variables = {position: self.sources[use.source]}
        effects = [_effects(self._functions, name, variables, self._callers) for name in call.names]
        mutated, read = any(effect.mutated for effect in effects), any(effect.read for effect in effects)
        if mutated:
            self._add_mutator(use)
        if read:
            self.readers.setdefault(use.source, use.node)
        if use.node.op not in WHILE_LOOPS:
            return sorted({port for effect in effects for port in effect.returned})
        if mutated and read:
            self.carried.append(use)
        return (position,)

    def _add_mutator(self, use: Use) -> None:
        nodes = self.mutators.setdefault(use.source, [])
        if all(node is not use.node for node in nodes):
            nodes.append(use.node)


def is_mutator(node: NodeDef, index: int) -> bool:
    """Return whether a node changes the variable that is its input number `index`."""
    if node.op in ASSIGNS or node.op in ARITHMETIC:
        return index == 0
    return _MUTATORS.fullmatch(node.op) is not None


def _effects(
    functions: FunctionBodies, name: str, variables: Mapping[int, Source], callers: tuple[str, ...]
) -> Effects:
    """Return the effects of a function on `variables`, the arguments that are variables, by their positions."""
    inside = enter_function(callers, name)
    key = (name, tuple(sorted(variables.items())))
    effects = functions.analyses.get(key)
    if effects is None:
        function = functions.body(name)
        if variables and max(variables) >= len(function.arguments):
            raise FreezeError(f"function {quote(name)} has only {len(function.arguments)} arguments")
        sources = {function.arguments[position]: source for position, source in variables.items()}
        trace = Trace(GraphView(function), functions, sources, inside)
        returned = [port for port, tensor in enumerate(function.returns) if tensor in trace.aliases]
        effects = functions.analyses[key] = Effects(bool(trace.mutators), bool(trace.readers), returned)
    return effects
