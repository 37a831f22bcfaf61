"""The inputs and outputs of a node, port by port.

Ports are counted from 0: the inputs "a" and "b:1" of a node are output 0 of a and output 1 of b. An op declares
arguments. An argument is one port, or a list of ports whose length an attribute of the node sets:

    Unique       x: T                        ->  y: T, idx: out_idx        two ports
    Split        split_dim: int32, value: T  ->  output: num_split * T     as many ports as the number num_split
    IdentityN    input: T                    ->  output: T                 as many ports as the list T has types

    ports = output_types(node, op)
    ports[2]                   # the type of output 2; None if its attribute is missing
    ports.ranges["output"]     # the ports of an argument: range(0, 3)
    ports.port("output", 2)    # the port of n:output:2 in the body of a function: 2
    ports.locate(2)            # and back: ("output", 2)

An attribute that a node leaves out has its default. An attribute of the wrong kind and an unknown or impossible number
of ports raise GraphError. The number may be up to 2**31 - 1, as in TensorFlow: a list of all ports may be much larger
than the file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast, overload

from ..errors import GraphError
from ..messages import AttrValue, DataType
from ..values.names import TensorName, data_inputs
from ..values.terminal import escape

if TYPE_CHECKING:
    from ..messages import NodeDef, OpDef

V = TypeVar("V")

_MAX_PORTS = 2**31 - 1
REFERENCE_OFFSET = 100
"""DT_FLOAT_REF is DT_FLOAT + 100."""


class _Argument(NamedTuple):
    """A declared input or output of an op: one port, or a list of ports."""

    name: str
    types: Sequence[DataType | None]
    """The type of each port, or one type for all ports."""

    def type(self, index: int) -> DataType | None:
        return self.types[index if len(self.types) > 1 else 0]


class Ports(Sequence["DataType | None"]):
    """The types of a node's inputs or outputs, port by port."""

    __slots__ = ("_arguments", "_ends", "_node")

    def __init__(self, node: NodeDef, arguments: list[_Argument], ends: list[int]) -> None:
        self._node = node
        self._arguments = arguments
        self._ends = ends

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, port: int) -> DataType | None: ...

    @overload
    def __getitem__(self, port: slice) -> list[DataType | None]: ...

    def __getitem__(self, port: int | slice) -> DataType | list[DataType | None] | None:
        if isinstance(port, slice):
            return [self[number] for number in range(*port.indices(len(self)))]
        argument, index = self._find(range(len(self))[port])
        return argument.type(index)

    def __iter__(self) -> Iterator[DataType | None]:
        start = 0
        for argument, end in zip(self._arguments, self._ends, strict=True):
            yield from repeat(argument.types[0], end - start) if len(argument.types) == 1 else argument.types
            start = end

    def __repr__(self) -> str:
        return f"<Ports {self.ranges}>"

    @property
    def ranges(self) -> dict[str, range]:
        """Return the range of ports of each argument, by name."""
        starts = [0, *self._ends]
        return {
            argument.name: range(start, end)
            for argument, start, end in zip(self._arguments, starts, self._ends, strict=False)
        }

    def port(self, name: str, index: int = 0) -> int:
        """Return the port at `index` of an argument. Raises GraphError if it does not exist."""
        ports = self.ranges.get(name)
        if ports is None:
            raise _error(self._node, f'has no "{escape(name)}"')
        if not 0 <= index < len(ports):
            raise _error(self._node, f'has {len(ports):,} of "{escape(name)}"; number {index} does not exist')
        return ports[index]

    def locate(self, port: int) -> tuple[str, int]:
        """Return the argument of a port, and its index there. Raises GraphError if it does not exist."""
        if not 0 <= port < len(self):
            raise _error(self._node, f"has {len(self):,} ports; port {port} does not exist")
        argument, index = self._find(port)
        return argument.name, index

    def _find(self, port: int) -> tuple[_Argument, int]:
        number = bisect_right(self._ends, port)
        return self._arguments[number], port - (self._ends[number - 1] if number else 0)


def output_types(node: NodeDef, op: OpDef) -> Ports:
    """Return the outputs of a node. Reference outputs (TF1 variables) have reference types. Raises GraphError."""
    return _ports(node, op, op.output_arg)


def input_types(node: NodeDef, op: OpDef) -> Ports:
    """Return the data inputs that a node of this op must have. Raises GraphError.

    The type is a reference type where the op needs a reference (to a TF1 variable, to assign to it); elsewhere a
    reference is accepted as well.
    """
    return _ports(node, op, op.input_arg)


def has_its_inputs(node: NodeDef, op: OpDef | None) -> bool:
    """Return whether a node has as many data inputs as its op takes; True for an op that is not declared."""
    try:
        return op is None or len(data_inputs(node)) == len(input_types(node, op))
    except GraphError:
        return False


class PortTypes:
    """The types of the inputs and outputs of many nodes: computed once for nodes of one op with equal attributes.

    `declared` returns the declaration of an op, None for an unknown op; it must return the same one each time.
    """

    def __init__(self, declared: Callable[[str], OpDef | None]) -> None:
        self._declared = declared
        self._inputs: dict[str, _Side | None] = {}
        self._outputs: dict[str, _Side | None] = {}

    def of_inputs(self, node: NodeDef) -> Sequence[DataType | None] | None:
        """Return the types of `input_types`; None if the op is unknown. Raises GraphError."""
        if node.op not in self._inputs:
            op = self._declared(node.op)
            self._inputs[node.op] = None if op is None else _Side(op, op.input_arg)
        side = self._inputs[node.op]
        return None if side is None else side.types(node)

    def of_outputs(self, node: NodeDef) -> Sequence[DataType | None] | None:
        """Return the types of `output_types`; None if the op is unknown. Raises GraphError."""
        if node.op not in self._outputs:
            op = self._declared(node.op)
            self._outputs[node.op] = None if op is None else _Side(op, op.output_arg)
        side = self._outputs[node.op]
        return None if side is None else side.types(node)


class _Side:
    """The inputs or the outputs of an op: their types by the values of the attributes on which they depend."""

    def __init__(self, op: OpDef, arguments: list[OpDef.ArgDef]) -> None:
        self._op = op
        self._arguments = arguments
        self._attributes = _attributes(arguments)
        self._types: dict[Hashable, Sequence[DataType | None]] = {}

    def types(self, node: NodeDef) -> Sequence[DataType | None]:
        key = []
        for name, kind in self._attributes:
            value = _attr(node, self._op, name, kind)
            key.append(_list_key(value) if kind == "list" else value)
        types = self._types.get(tuple(key))
        if types is None:
            ports = _ports(node, self._op, self._arguments)
            types = self._types[tuple(key)] = ports if len(ports) > _MAX_LISTED else tuple(ports)
        return types


_MAX_LISTED = 64


def _list_key(value: AttrValue.ListValue | None) -> Hashable:
    if value is None:
        return None
    return tuple(value.type) or bool(value.ListFields())  # a list without types may be a faulty one


def _attributes(arguments: Iterable[OpDef.ArgDef]) -> list[tuple[str, str]]:
    """Return the names and kinds of the attributes on which the types of arguments depend."""
    attributes: dict[tuple[str, str], None] = {}
    for argument in arguments:
        attributes[argument.number_attr, "i"] = attributes[argument.type_attr, "type"] = None
        attributes[argument.type_list_attr, "list"] = None
    return [(name, kind) for name, kind in attributes if name]


def output_names(op: OpDef) -> list[str]:
    """Return the names of the outputs of an op. Each may be a list of ports in a node: see `Ports.ranges`."""
    return [argument.name for argument in op.output_arg]


def graph_name(name: TensorName, ports: Ports) -> TensorName:
    """Convert a reference in a function body, `n:out:1`, to one in a graph, `n:1`. `ports` are the outputs of n."""
    return TensorName(name.node, ports.port(name.output, name.port)) if name.output else name


def body_name(name: TensorName, ports: Ports) -> TensorName:
    """Convert a reference in a graph, `n:1`, to one in a function body, `n:out:1`. `ports` are the outputs of n."""
    if name.is_control or name.output:
        return name
    output, index = ports.locate(name.port)
    return TensorName(name.node, index, output)


# --- from attributes -------------------------------------------------------------------------------------------------


def _ports(node: NodeDef, op: OpDef, arguments: Iterable[OpDef.ArgDef]) -> Ports:
    port_arguments, ends, end = [], [], 0
    for argument in arguments:
        count = 1
        types: list[DataType | None] | list[DataType]
        if argument.number_attr:
            number: int | None = _attr(node, op, argument.number_attr, "i")
            count = _require_value(node, argument.number_attr, number)
            types = [_type(node, op, argument)]
        elif argument.type_list_attr and not argument.type_attr:
            types = _read_types(node, argument.type_list_attr, _attr(node, op, argument.type_list_attr, "list"))
            count = len(types)
        else:
            types = [_type(node, op, argument)]
        end += count
        if count < 0 or end > _MAX_PORTS:
            raise _error(node, f'cannot have {count:,} of "{escape(argument.name)}"')
        port_arguments.append(_Argument(argument.name, [*map(_to_reference, types)] if argument.is_ref else types))
        ends.append(end)
    return Ports(node, port_arguments, ends)


def _read_types(node: NodeDef, name: str, value: AttrValue.ListValue | None) -> list[DataType]:
    items = _require_value(node, name, value)
    if not items.type and items.ListFields():
        raise _error(node, f'has an attribute "{escape(name)}" that is not a list of types')
    return items.type


def _type(node: NodeDef, op: OpDef, argument: OpDef.ArgDef) -> DataType | None:
    if not argument.type_attr:
        return argument.type or None
    dtype: DataType | None = _attr(node, op, argument.type_attr, "type")
    return dtype


def _to_reference(dtype: DataType | None) -> DataType | None:
    if dtype is None or dtype > REFERENCE_OFFSET:
        return dtype
    return _data_type(dtype + REFERENCE_OFFSET)


def value_type(dtype: DataType) -> DataType:
    """Return the type of the value that a reference of type `dtype` refers to; other types are returned unchanged."""
    return _data_type(dtype - REFERENCE_OFFSET) if dtype > REFERENCE_OFFSET else dtype


def _data_type(number: int) -> DataType:
    try:
        return DataType(number)
    except ValueError:
        return cast(DataType, number)  # enums are open


def _attr(node: NodeDef, op: OpDef, name: str, kind: str) -> Any:
    """Return an attribute or its default; None if both are missing, or if a call of the function sets it."""
    value = node.attr.get(name)
    if value is None:
        value = _default(op, name)
        if value is None:
            return None
    content = getattr(value, kind)
    if content is not None:
        return content
    case = value.which_oneof("value")
    if case == "placeholder":
        return None
    if case is None:  # TensorFlow takes the default, or an empty list
        default = _default(op, name)
        if default is not None or kind == "list":
            return getattr(default, kind) if default is not None else AttrValue.ListValue()
    raise _error(node, f'has an attribute "{escape(name)}" that holds {_KINDS[case]}, not {_KINDS[kind]}')


_KINDS = {
    "b": "a bool",
    "f": "a float",
    "func": "a function",
    "i": "a number",
    "list": "a list",
    "s": "a string",
    "shape": "a shape",
    "tensor": "a tensor",
    "type": "a type",
    None: "nothing",
}
"""The members of AttrValue in words."""


def _default(op: OpDef, name: str) -> AttrValue | None:
    return next((attr.default_value for attr in op.attr if attr.name == name), None)


def _require_value(node: NodeDef, name: str, value: V | None) -> V:
    if value is None:
        raise _error(node, f'has an unknown number of ports: its attribute "{escape(name)}" has no value')
    return value


def _error(node: NodeDef, problem: str) -> GraphError:
    return GraphError(f'{escape(node.op)} "{escape(node.name)}" {problem}')
