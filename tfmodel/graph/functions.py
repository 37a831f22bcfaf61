"""The function library of a graph: functions by name, their calls, and the attributes that a call passes.

    functions = Functions(graph.library)
    functions["f"]                       # GraphError with a suggestion if it does not exist
    functions.called_by(node)            # the functions that a node names
    functions.reachable(graph.node)      # all functions that the nodes need

    instantiate(functions["f"], {"T": AttrValue(type=DataType.DT_FLOAT)})      # with T=float in place of T=$T

A placeholder stands for a whole attribute of a node, or for an attribute of a function that the node's attribute names:
`then_branch=g[T=$T]`. Functions may be nested to any depth, also in lists. Substitution does what TensorFlow's
`SubstitutePlaceholders` does when it instantiates a function (tensorflow/core/framework/attr_value_util.cc).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from pbwire.errors import suggestion

from ..errors import GraphError
from ..messages import AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, OpDef
from ..ops.traits import traits
from ..values.names import TakenNames, check_name
from ..values.terminal import escape
from .attributes import attr, read_functions
from .edit import replace_node, with_nodes
from .error_text import describe, quote

_CALLERS = """
    BatchFunction Case ChooseFastestBranchDataset DataServiceDatasetV3 DataServiceDatasetV4
    ExperimentalGroupByReducerDataset ExperimentalGroupByWindowDataset ExperimentalMapAndBatchDataset
    ExperimentalMapDataset ExperimentalParallelInterleaveDataset ExperimentalScanDataset
    ExperimentalTakeWhileDataset FilterDataset FlatMapDataset For GeneratorDataset GroupByReducerDataset
    GroupByWindowDataset If InterleaveDataset LegacyParallelInterleaveDatasetV2 LoadDataset MapAndBatchDataset
    MapDataset MapDefun OneShotIterator ParallelFilterDataset ParallelInterleaveDataset ParallelInterleaveDatasetV2
    ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4 ParallelMapDataset ParallelMapDatasetV2 PartitionedCall
    ReduceDataset RemoteCall RpcServerRegister SaveDataset SaveDatasetV2 ScanDataset SnapshotDatasetV2
    StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile TPUCompile TPUPartitionedCall TakeWhileDataset
    While XlaHostCompute XlaIf XlaLaunch XlaReduce XlaReduceWindow XlaScatter XlaSelectAndScatter XlaVariadicReduce
    XlaVariadicReduceV2 XlaVariadicSort XlaWhile _If _TPUReplicate _While _XlaCompile
"""

CALLERS = frozenset(_CALLERS.split())
"""The ops of TensorFlow 2.12 with attributes that name functions of the library."""

MAX_GROWTH = 250
"""The maximum number of nodes that inlining may create, for each node of the graph."""

MIN_NODE_LIMIT = 20_000
"""The number of nodes that inlining may create even from a very small graph."""

CHARACTERS_PER_NODE = 64
"""The maximum number of characters in new names, for each node that inlining may create."""

MAX_CALL_DEPTH = 64
"""The maximum depth of nested calls that are followed; real models nest at most ten calls."""


# --- the library -----------------------------------------------------------------------------------------------------


class FunctionCall(NamedTuple):
    """The functions that get the inputs of a node.

    attrs    the attributes that name the functions, such as "f" or "branches"; empty if the op is the name of a
             function
    names    the names of the functions
    first    the input of the node that is their first argument
    """

    attrs: tuple[str, ...]
    names: tuple[str, ...]
    first: int


class Functions(Mapping[str, FunctionDef]):
    """The functions of a library by name, but for those without. If several functions have one name, the last counts.

    gradients    the name of the function that computes the gradient, by the name of the function that has a gradient
    """

    def __init__(self, library: FunctionDefLibrary | None) -> None:
        self._library = library
        functions = library.function if library is not None else ()
        self._functions = {name: function for function in functions if (name := function_name(function))}
        self._has_unnamed = not all(map(function_name, functions))
        self._taken: TakenNames | None = None
        self.gradients: dict[str, str] = {
            gradient.function_name: gradient.gradient_func for gradient in (library.gradient if library else ())
        }

    def __getitem__(self, name: str) -> FunctionDef:
        """Return a function. Raises GraphError, with a suggestion, for an unknown name; `get` returns None instead."""
        function = self._functions.get(check_name(name))
        if function is None:
            raise GraphError(f"there is no function {quote(name)}{escape(suggestion(name, self._functions))}")
        return function

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def get(self, name: str, default: FunctionDef | None = None) -> FunctionDef | None:  # type: ignore[override]  # a Mapping's has more overloads
        return self._functions.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    @property
    def node_count(self) -> int:
        """The number of nodes in all functions."""
        return sum(len(function.node_def) for function in self._functions.values())

    def add(self, function: FunctionDef) -> None:
        """Add a function. The message that the library was made of does not change."""
        name = function_name(function)
        self._functions[name] = function
        if self._taken is not None:
            self._taken.add(name)

    def reserve_name(self, name: str) -> str:
        """Reserve a name for a new function and return it: `name`, or name_1, name_2, ... if it is taken."""
        if self._taken is None:
            self._taken = TakenNames(self._functions)
        return self._taken.fresh(name)

    # --- calls -------------------------------------------------------------------------------------------------------

    def call(self, node: NodeDef) -> FunctionCall | None:
        """Return the functions that get the inputs of a node, or None if it calls no function. They need not exist.

        Raises GraphError if an attribute that should name a function is missing or of another kind.
        """
        calls = traits(node.op).calls
        if calls is not None:
            names = calls.attributes
            if calls.lists:
                functions = [function for name in names for function in attr(node, name, list[NameAttrList])]
            else:
                functions = [attr(node, name, NameAttrList) for name in names]
            return FunctionCall(names, tuple(function.name for function in functions), calls.first_argument)
        return FunctionCall((), (node.op,), 0) if node.op in self._functions else None

    def called_by(self, node: NodeDef) -> list[str]:
        """Return the names of the functions that a node names: by its op, or by attributes if its op is in CALLERS.

        They need not exist.
        """
        called = [node.op] if node.op in self._functions else []
        return called + (named_functions(node.attr.values()) if node.op in CALLERS else [])

    def reachable(self, nodes: Iterable[NodeDef]) -> set[str]:
        """Return the names of the functions that nodes need, directly or not, and of the functions for their gradients.

        A function that any attribute of a node names counts as needed, even if the op is not known to call functions.
        So all attributes are read.

        Raises GraphError if a node calls a function that has no name.
        """
        needed: set[str] = set()
        nodes = list(nodes)
        if self._has_unnamed and (call := next(filter(calls_without_name, nodes), None)) is not None:
            raise GraphError(f"{describe(call)} calls a function that has no name")
        queue = self.named_by(nodes)
        while queue:
            name = queue.pop()
            if name in self._functions and name not in needed:
                needed.add(name)
                queue.extend(self.named_by(self._functions[name].node_def))
                if name in self.gradients:
                    queue.append(self.gradients[name])
        return needed

    def named_by(self, nodes: Iterable[NodeDef]) -> list[str]:
        """Return the functions that nodes name: by their ops, by any attribute, or by the type of their gradient.

        All ops are included, also those that are not functions, and functions need not exist.
        """
        names = []
        for node in nodes:
            names.append(node.op)
            names.extend(named_functions(node.attr.values()))
            gradient = node.attr.get("_gradient_op_type")
            if gradient is not None and gradient.s is not None:
                names.append(self._registered_gradients.get(gradient.s, ""))
        return names

    @cached_property
    def _registered_gradients(self) -> dict[bytes, str]:
        """Return the functions that compute custom gradients, by the value of "_gradient_op_type" in nodes."""
        rows = self._library.registered_gradients if self._library is not None else ()
        return {row.registered_op_type.encode(): row.gradient_func for row in rows}


def function_name(function: FunctionDef) -> str:
    """Return the name of a function; "" if it has none."""
    return function.signature.name if function.signature is not None else ""


def calls_without_name(node: NodeDef) -> bool:
    """Return whether a node calls a function by the name "", as TensorFlow calls one that has no name."""
    calls = traits(node.op).calls
    values = [node.attr[name] for name in calls.attributes if name in node.attr] if calls is not None else []
    return any(not function.name for function in read_functions(values))


def with_function_names(graph: GraphDef) -> GraphDef:
    """Return a graph whose functions all have names, in calls too; a graph of which this is true already as it is.

    TensorFlow takes a function without a name, and calls it by the name "".
    """
    library = graph.library
    if library is None or all(map(function_name, library.function)):
        return graph
    named = GraphDef.from_bytes(graph.to_bytes())
    assert named.library is not None
    name = TakenNames(map(function_name, library.function)).fresh("function_without_a_name")
    for function in named.library.function:
        if not function_name(function):
            function.signature = function.signature or OpDef()
            function.signature.name = name
    for node in [*named.node, *(node for function in named.library.function for node in function.node_def)]:
        queue = read_functions(node.attr.values())
        for call in queue:  # the loop appends to it
            call.name = call.name or name
            queue += read_functions(call.attr.values())
    return named


def repeated_argument(function: FunctionDef) -> str | None:
    """Return the first name that two arguments of a function have, which TensorFlow refuses; None if all differ."""
    names: set[str] = set()
    for argument in function.signature.input_arg if function.signature is not None else ():
        if argument.name in names:
            return argument.name
        names.add(argument.name)
    return None


def named_functions(values: Iterable[AttrValue]) -> list[str]:
    """Return the names of the functions that attributes name, directly or in the attributes of such functions."""
    queue = read_functions(values)
    for function in queue:  # the loop appends to it
        queue += read_functions(function.attr.values())
    return [function.name for function in queue if function.name]


def enter_function(callers: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Return `callers`, the functions that are being followed, with `name` at the end.

    Raises GraphError if the function `name` calls itself, or if calls are nested more than MAX_CALL_DEPTH deep.
    """
    if name in callers:
        raise GraphError(f"function {quote(name)} calls itself")
    if len(callers) >= MAX_CALL_DEPTH:
        raise GraphError(
            f"function {quote(name)} is called by more than {MAX_CALL_DEPTH} functions, nested in each other"
        )
    return (*callers, name)


def growth_problem(count: int, nodes: int, characters: int) -> str:
    """Return an error if inlining the calls in `count` nodes makes too many nodes or too long names; else "".

    `nodes` and `characters` are the numbers of nodes and of characters in new names so far. The limits stop small files
    that have huge results: functions that call each other twice, thirty levels deep, make a billion nodes; functions
    that are nested ten thousand deep make names with ten thousand parts. Real models grow twentyfold.
    """
    max_nodes = max(MIN_NODE_LIMIT, MAX_GROWTH * count)
    if nodes > max_nodes:
        return f"inlining the functions would make more than {max_nodes:,} nodes of {count:,}"
    if characters > CHARACTERS_PER_NODE * max_nodes:
        return f"inlining the functions would make names of more than {CHARACTERS_PER_NODE * max_nodes:,} characters"
    return ""


# --- instantiation ---------------------------------------------------------------------------------------------------


def instantiate(function: FunctionDef, attrs: Mapping[str, AttrValue], *, partly: bool = False) -> FunctionDef:
    """Return the function as one call runs it: with values in place of the placeholders in its nodes.

    `attrs` are the attributes that the call passes; the function has defaults for others. Nodes without placeholders
    are shared with `function`. Raises GraphError for a placeholder without a value; with `partly`, such a placeholder
    stays instead.
    """
    values = call_attributes(function, attrs)
    nodes = [
        replace_node(node, attr=substitute(node.attr, values, partly=partly))
        if has_placeholders(node.attr.values())
        else node
        for node in function.node_def
    ]
    return with_nodes(function, nodes)


def call_attributes(function: FunctionDef, attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """Return the values of a function's attributes in a call that passes `attrs`.

    Others have the function's defaults.
    """
    declared = function.signature.attr if function.signature is not None else []
    defaults = {row.name: row.default_value for row in declared if row.default_value is not None}
    return defaults | dict(attrs.items())


def has_placeholders(values: Iterable[AttrValue]) -> bool:
    """Return whether a value is a placeholder, or names a function that has a placeholder among its attributes."""
    queue = list(values)
    for value in queue:  # the loop appends to it
        if value.placeholder is not None:
            return True
        for function in _functions(value):
            queue.extend(function.attr.values())
    return False


def substitute(
    attributes: Mapping[str, AttrValue], values: Mapping[str, AttrValue], *, partly: bool = False
) -> dict[str, AttrValue]:
    """Return attributes with values in place of placeholders.

    Attributes without placeholders are shared. Raises GraphError for a placeholder without a value; with `partly`, such
    a placeholder stays instead.
    """
    return {name: _substitute(value, values, partly) for name, value in attributes.items()}


def _substitute(value: AttrValue, values: Mapping[str, AttrValue], partly: bool) -> AttrValue:
    if value.placeholder is not None:
        if value.placeholder not in values and not partly:
            raise GraphError(f"the call does not say what the attribute {quote(value.placeholder)} of its function is")
        return values.get(value.placeholder, value)
    if not has_placeholders([value]):
        return value
    functions = [
        NameAttrList(name=function.name, attr=substitute(function.attr, values, partly=partly))
        for function in _functions(value)
    ]
    return (
        AttrValue(func=functions[0]) if value.func is not None else AttrValue(list=AttrValue.ListValue(func=functions))
    )


def _functions(value: AttrValue) -> Sequence[NameAttrList]:
    """Return the functions that an attribute names."""
    function = value.func
    if function is not None:
        return (function,)
    elements = value.list
    return () if elements is None else elements.func
