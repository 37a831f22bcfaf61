"""The function library of a graph: by name, and who calls what.

Attributes of the nodes in a function, with the values that a call gives: `T=$T` becomes `T=float`.

    substituted(node.attr, {"T": AttrValue(type=DataType.DT_FLOAT)})

A placeholder may stand for a whole attribute, for an attribute of a function that an attribute names, and so on
inwards, in lists of functions too: `then_branch=g[T=$T]`. It is what TensorFlow's `SubstitutePlaceholders` does when it
instantiates a function (tensorflow/core/framework/attr_value_util.cc).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pbwire.guessing import suggestion

from ..errors import GraphError
from ..messages import AttrValue, FunctionDef, FunctionDefLibrary, NameAttrList, NodeDef
from ..printable import printable
from .error_text import quoted

__all__ = [
    "CALLERS",
    "Functions",
    "function_name",
    "given_by_call",
    "growth_problem",
    "is_open",
    "named_in",
    "substituted",
]


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
"""The ops of TensorFlow 2.12 that call functions of the library, which attributes name."""


_GROWTH, _SMALL = 250, 20_000
_PER_NODE = 64  # characters of names that weigh as much as a node


def growth_problem(count: int, nodes: int, characters: int) -> str:
    """Why the calls in `count` nodes are not inlined: too many nodes come of it, or too long names. "" if they can be.

    Functions that call each other twice, thirty levels deep, make a billion nodes of a page of text; functions that are
    nested ten thousand deep make names as long as that. What is written for people grows twentyfold.
    """
    most = max(_SMALL, _GROWTH * count)
    if nodes > most:
        return f"inlining the functions would make more than {most:,} nodes of {count:,}"
    if characters > _PER_NODE * most:
        return f"inlining the functions would make names of more than {_PER_NODE * most:,} characters"
    return ""


class Functions(Mapping[str, FunctionDef]):
    """The functions of a library by name. Of several with one name, the last counts.

    gradients    which function computes the gradient of which
    """

    def __init__(self, library: FunctionDefLibrary | None) -> None:
        self._library = library
        functions = library.function if library is not None else ()
        self._functions = {function_name(function): function for function in functions}
        self.gradients: dict[str, str] = {
            gradient.function_name: gradient.gradient_func for gradient in (library.gradient if library else ())
        }

    def __getitem__(self, name: str) -> FunctionDef:
        """The function of a name. Raises GraphError, with a suggestion, if there is none: `get` gives None."""
        found = self._functions.get(name)
        if found is None:
            raise GraphError(f"there is no function {quoted(name)}{printable(suggestion(name, self._functions))}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def get(self, name: str, default: FunctionDef | None = None) -> FunctionDef | None:  # type: ignore[override]  # a Mapping's has more overloads
        return self._functions.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def called_by(self, node: NodeDef) -> list[str]:
        """The functions that a node calls: by its op, or by the attributes of an op in CALLERS. Not all may exist."""
        called = [node.op] if node.op in self._functions else []
        return called + (named_in(node.attr.values()) if node.op in CALLERS else [])

    def reachable(self, nodes: Iterable[NodeDef]) -> set[str]:
        """The functions that nodes need, directly or not, with the gradients of those.

        Whatever an attribute of any node calls a function is needed, even if the op is not known to call one: this
        reads all attributes.
        """
        registered = self._registered_gradients()
        found: set[str] = set()
        queue = self._needed_by(nodes, registered)
        while queue:
            name = queue.pop()
            if name in self._functions and name not in found:
                found.add(name)
                queue.extend(self._needed_by(self._functions[name].node_def, registered))
                if name in self.gradients:
                    queue.append(self.gradients[name])
        return found

    def _needed_by(self, nodes: Iterable[NodeDef], registered: Mapping[bytes, str]) -> list[str]:
        names = []
        for node in nodes:
            names.append(node.op)
            names.extend(named_in(node.attr.values()))
            gradient = node.attr.get("_gradient_op_type")
            if gradient is not None and gradient.s is not None:
                names.append(registered.get(gradient.s, ""))
        return names

    def _registered_gradients(self) -> dict[bytes, str]:
        """The functions that compute custom gradients, by what nodes call them."""
        rows = self._library.registered_gradients if self._library is not None else ()
        return {row.registered_op_type.encode(): row.gradient_func for row in rows}


def function_name(function: FunctionDef) -> str:
    """The name of a function; "" if it has none."""
    return function.signature.name if function.signature is not None else ""


def named_in(values: Iterable[AttrValue]) -> list[str]:
    """The functions that attributes name, and those that the attributes of these functions name."""
    names = []
    queue = list(values)
    for value in queue:  # which grows meanwhile
        functions = [value.func] if value.func is not None else value.list.func if value.list is not None else []
        for function in functions:
            names.append(function.name)
            queue.extend(function.attr.values())
    return [name for name in names if name]


def is_open(values: Iterable[AttrValue]) -> bool:
    """Whether one of some attributes, or one of a function that they name, is left to the caller."""
    queue = list(values)
    for value in queue:  # which grows meanwhile
        if value.placeholder is not None:
            return True
        for function in _functions(value):
            queue.extend(function.attr.values())
    return False


def substituted(
    attributes: Mapping[str, AttrValue], given: Mapping[str, AttrValue], *, partly: bool = False
) -> dict[str, AttrValue]:
    """The attributes with the values that are given in the places of placeholders.

    Values without placeholders are shared with `attributes`. Raises GraphError for a placeholder for which nothing is
    given; with `partly`, it stays.
    """
    return {name: _value(value, given, partly) for name, value in attributes.items()}


def given_by_call(function: FunctionDef, call: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """What a call says about the attributes of a function: `call` itself, and defaults for what it leaves out."""
    declared = function.signature.attr if function.signature is not None else []
    return {each.name: each.default_value for each in declared if each.default_value is not None} | dict(call.items())


def _value(value: AttrValue, given: Mapping[str, AttrValue], partly: bool) -> AttrValue:
    if value.placeholder is not None:
        if value.placeholder not in given and not partly:
            raise GraphError(f"the call does not say what the attribute {quoted(value.placeholder)} of its function is")
        return given.get(value.placeholder, value)
    if not is_open([value]):
        return value
    filled = [
        NameAttrList(name=function.name, attr=substituted(function.attr, given, partly=partly))
        for function in _functions(value)
    ]
    return AttrValue(func=filled[0]) if value.func is not None else AttrValue(list=AttrValue.ListValue(func=filled))


def _functions(value: AttrValue) -> list[NameAttrList]:
    """The functions that an attribute names."""
    if value.func is not None:
        return [value.func]
    return value.list.func if value.list is not None else []
