"""Detect weights that are stored in fewer bits: quantized ones, and those in half precision.

A quantized weight is a constant of small integers, with the range of the numbers that they represent:

    values = Const[dtype=quint8]     low, high = Const[dtype=float]     w = Dequantize(values, low, high)

These four nodes are one weight, named w: `quantize_weights` writes them in place of a constant w. A quantized op takes
the quantized values and their range directly. Then no node has the name of the weight, so its name is that of the
constant without the suffix "_quantized_const", which `quantize_weights` appends:

    QuantizedMatMul(a, w_quantized_const, a_min, a_max, w_quantized_min, w_quantized_max)

The mode of Dequantize determines which numbers quantized values represent. Quantized ops have no mode: they read
unsigned values as MIN_FIRST, and signed values as SCALED. Nodes that do not change values, such as Identity, may be in
between. A constant that is used only as an end of such ranges is not a weight itself.

Quantized values are listed as stored, with the reason, if their range is not constant or is invalid, or if several
nodes read them differently.

A weight in half precision is a constant that is only read by a Cast to float32. These two nodes are one weight, named
w: `convert_float16` and `convert_bfloat16` write them in place of a constant w.

    w_float16 = Const[dtype=half]     w = Cast(w_float16)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..analysis.data_flow import Body
from ..errors import GraphError, TensorError
from ..graph import attr, describe
from ..messages import DataType, NodeDef, TensorProto
from ..ops.ports import input_types
from ..ops.traits import UNCHANGED
from ..values.dtypes import dtype_name, dtype_of
from ..values.names import TensorName, data_inputs, node_name
from ..values.tensor_header import TensorHeader, read_floats, read_header

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..messages import OpDef

QUANTIZED_DTYPES = frozenset(
    {DataType.DT_QINT8, DataType.DT_QUINT8, DataType.DT_QINT16, DataType.DT_QUINT16, DataType.DT_QINT32}
)
"""The dtypes of quantized values."""

MIN_COMBINED, MIN_FIRST, SCALED = "MIN_COMBINED", "MIN_FIRST", "SCALED"

_QUANTIZED_OP = "Quantized"  # prefix of the names of quantized ops
_SUFFIXES = ("_quantized_const", "_quint8_const")  # the second is of TensorFlow's first quantizer in Python
_MAX_UNCHANGED = 64  # nodes in a row that change nothing
_MAX_READERS = 1000
_MAX_RANGES = 1 << 10  # ranges of a constant that stores fewer values than elements


@dataclass(frozen=True, slots=True)
class Quantized:
    """The encoding of a quantized weight.

    name        the name of the weight
    constant    the name of the constant that holds the quantized values
    dtype       the dtype of this constant
    mode        "MIN_FIRST", "MIN_COMBINED" or "SCALED", as in Dequantize
    axis        the axis along which every slice has its own range; None for one range
    narrow      whether the lowest quantized value is unused, which matters for SCALED
    low, high   the ends of the ranges; they have one element if `axis` is None
    """

    name: str
    constant: str
    dtype: DataType
    mode: str
    axis: int | None
    narrow: bool
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def steps(self) -> tuple[float, ...]:
        """The distance between the numbers that two consecutive quantized values represent, for each range."""
        lowest, highest = _limits(self.dtype)
        ends = zip(self.low, self.high, strict=True)
        if self.mode != SCALED:
            return tuple((high - low) / (highest - lowest) for low, high in ends)
        if not lowest:
            return tuple(abs(high) / highest for _, high in ends)
        return tuple(abs(max(low / (lowest + self.narrow), high / highest)) for low, high in ends)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        facts: dict[str, Any] = {"codes": self.constant, "mode": self.mode}
        if self.axis is None:
            return facts | {"min": self.low[0], "max": self.high[0], "step": self.steps[0]}
        return facts | {"axis": self.axis, "min": self.low, "max": self.high, "step": self.steps}

    def dequantize(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the float32 numbers that quantized values represent, exactly as Dequantize computes them.

        There is one exception: TensorFlow treats a step below 1e-38 as zero. If `values` is a view that repeats
        elements, so is the result.
        """
        from ..values.quantization import dequantize_view  # imports numpy

        mode = self.mode.encode()
        return dequantize_view(values, self.low, self.high, mode=mode, narrow_range=self.narrow, axis=self.axis)


class QuantizedConstants(NamedTuple):
    """The constants of a graph or function that belong to quantized weights.

    weights    the quantized weights, by the names of their constants
    problems   the reasons why other constants of quantized values are not weights, by name
    ranges     the names of constants that are only used as ends of ranges
    """

    weights: Mapping[str, Quantized] = {}
    problems: Mapping[str, str] = {}
    ranges: Collection[str] = ()


def find_quantized_weights(body: Body, ops: Mapping[str, OpDef]) -> QuantizedConstants:
    """Find the quantized weights of a graph or function. `ops` are the declarations of the ops that read them.

    If no op reads quantized values, no attributes are decoded. Raises GraphError for an invalid input name.
    """
    if not any(node.op == "Dequantize" or node.op.startswith(_QUANTIZED_OP) for node in body.nodes.values()):
        return QuantizedConstants()
    search = _Search(body, ops)
    for node in body.nodes.values():
        if node.op == "Const" and "dtype" in node.attr and node.attr["dtype"].type in QUANTIZED_DTYPES:
            search.examine(node)
    ranges = set(filter(search.is_range_only, search.ends))
    return QuantizedConstants(
        search.weights, search.problems, ranges.difference(node_name(text) for text in body.returns)
    )


def find_half_weights(nodes: Iterable[NodeDef]) -> dict[str, str]:
    """Return the names of the weights in half precision of a graph or function, by the names of their constants."""
    all_nodes = list(nodes)
    casts = {
        node_name(inputs[0]): node.name
        for node in all_nodes
        if node.op == "Cast" and len(inputs := data_inputs(node)) == 1 and _widens(node)
    }
    if not casts:
        return {}
    readers = Counter(node_name(text) for node in all_nodes for text in data_inputs(node))
    constants = {node.name for node in all_nodes if node.op == "Const"}
    return {name: cast for name, cast in casts.items() if name in constants and readers[name] == 1}


_HALVES = frozenset({DataType.DT_HALF, DataType.DT_BFLOAT16})


def _widens(node: NodeDef) -> bool:
    source, target = node.attr.get("SrcT"), node.attr.get("DstT")
    return source is not None and source.type in _HALVES and target is not None and target.type == DataType.DT_FLOAT


_Ends: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]


class _Encoding(NamedTuple):
    """The interpretation of quantized values by a reader: see `Quantized`."""

    mode: str
    axis: int | None = None
    narrow: bool = False


class _Reader(NamedTuple):
    """A node that reads quantized values.

    low, high   the inputs that have the ends of the range
    indices     the indices of these two inputs among the data inputs
    """

    node: NodeDef
    low: str
    high: str
    encoding: _Encoding
    indices: tuple[int, int] = (1, 2)

    @property
    def states_encoding(self) -> bool:
        """Whether the node itself states the encoding."""
        return self.node.op == "Dequantize"


@dataclass(slots=True)
class _Search:
    """A search for quantized weights.

    weights, problems   the results: see `QuantizedConstants`
    ranges              the ranges that were read, by the names of the constants of both ends
    ends                the constants that are ends of ranges
    range_inputs        the inputs, by node and index, that have an end of a range
    """

    body: Body
    ops: Mapping[str, OpDef]
    weights: dict[str, Quantized] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    ranges: dict[tuple[str, str], _Ends] = field(default_factory=dict)
    ends: dict[str, None] = field(default_factory=dict)
    range_inputs: set[tuple[str, int]] = field(default_factory=set)

    def examine(self, node: NodeDef) -> None:
        """Record a constant of quantized values as a weight, or record the reason why it is not one."""
        try:
            head = read_header(attr(node, "value", TensorProto))
            readers = list(self._readers(node, head))
            if readers and head.dtype in QUANTIZED_DTYPES:
                self._record(node, head, readers)
        except (GraphError, TensorError) as error:
            self.problems[node.name] = str(error)

    def is_range_only(self, name: str) -> bool:
        """Return whether a constant is used only as an end of ranges."""
        stack = [name]
        while stack:
            for user in self.body.users(stack.pop()):
                if (user.node.name, user.input_index) not in self.range_inputs:
                    return False
                if user.node.op in UNCHANGED:
                    stack.append(user.node.name)
        return True

    # --- readers -----------------------------------------------------------------------------------------------------

    def _readers(self, constant: NodeDef, head: TensorHeader) -> Iterator[_Reader]:
        """Yield the nodes that read quantized values as numbers. Raises GraphError for a node that cannot read them."""
        names = [constant.name]
        for name in names:  # grows in the loop
            for user in self.body.users(name, 0)[:_MAX_READERS]:
                node, input_index = user
                if node.op in UNCHANGED and input_index == 0 and len(names) < _MAX_READERS:
                    names.append(node.name)
                elif node.op == "Dequantize" and input_index == 0:
                    yield _dequantize_reader(node, head)
                elif (
                    node.op.startswith(_QUANTIZED_OP)
                    and (reader := self._quantized_op(node, input_index, head)) is not None
                ):
                    yield reader

    def _quantized_op(self, node: NodeDef, input_index: int, head: TensorHeader) -> _Reader | None:
        """Return a quantized op as a reader, if it has a range for its input number `input_index`."""
        declared = self.ops.get(node.op)
        if declared is None:
            return None
        try:
            ports = input_types(node, declared)
            name, _ = ports.locate(input_index)
        except GraphError:  # a node that contradicts its op is reported elsewhere
            return None
        ranges = ports.ranges
        names = (f"min_{name}", f"{name}_min", f"max_{name}", f"{name}_max")
        ends = [ranges[end] for end in names if end in ranges]
        if len(ends) != 2 or any(len(indices) != 1 for indices in ends):
            return None
        low, high = (indices[0] for indices in ends)
        data = data_inputs(node)
        if len(data) != len(ports):
            raise GraphError(f"{describe(node)} has {len(data):,} inputs, not {len(ports):,}")
        mode = SCALED if _limits(head.dtype)[0] else MIN_FIRST
        axis = len(head.shape) - 1 if node.op.endswith("PerChannel") and head.shape else None
        return _Reader(node, data[low], data[high], _Encoding(mode, axis), (low, high))

    # --- ranges ------------------------------------------------------------------------------------------------------

    def _record(self, constant: NodeDef, head: TensorHeader, readers: list[_Reader]) -> None:
        """Record a quantized weight. Raises GraphError or TensorError if the constant is not a quantized weight."""
        first = next((reader for reader in readers if reader.states_encoding), readers[0])
        ends = self._range(first)
        for reader in readers:
            encoding = first.encoding if first.states_encoding and not reader.states_encoding else reader.encoding
            other = self._range(reader)
            if encoding != first.encoding or (other is not ends and other != ends):
                raise GraphError(f"{describe(first.node)} and {describe(reader.node)} read it differently")
        axis = first.encoding.axis
        count = 1 if axis is None else head.shape[axis]
        if len(ends[0]) != count or len(ends[1]) != count:
            problem = f"{len(ends[0]):,} minimums and {len(ends[1]):,} maximums for {count:,} slices"
            raise GraphError(f"{describe(first.node)} has {problem}")
        for reader in readers:
            for text, input_index in zip((reader.low, reader.high), reader.indices, strict=True):
                self._record_range_input(reader.node, input_index, text)
        name = first.node.name if first.states_encoding else self._without_suffix(constant.name)
        dtype = DataType(head.dtype)
        self.weights[constant.name] = Quantized(name, constant.name, dtype, *first.encoding, *ends)

    def _range(self, reader: _Reader) -> _Ends:
        """Return the ends of the ranges that a node reads. Raises GraphError and TensorError."""
        low, high = (self._constant(reader, text) for text in (reader.low, reader.high))
        ends = self.ranges.get((low.name, high.name))
        if ends is None:
            ends = _values(low), _values(high)
            for index, (lowest, highest) in enumerate(zip(*ends, strict=False)):
                if not (math.isfinite(lowest) and math.isfinite(highest) and lowest <= highest):
                    which = f"range {index} of" if len(ends[0]) > 1 else "the range of"
                    raise GraphError(f"{which} {describe(reader.node)} is {lowest:g} to {highest:g}")
            self.ranges[low.name, high.name] = ends
        return ends

    def _constant(self, reader: _Reader, text: str) -> NodeDef:
        *_, node = self._trace_back(text)
        if node is None or node.op != "Const":
            raise GraphError(f"the range of {describe(reader.node)} is not constant")
        return node

    def _trace_back(self, text: str) -> Iterator[NodeDef | None]:
        """Yield the producer of an input, then that of its input, and so on while nodes do not change the value.

        The last one is None if the node does not exist, or if the value is not its first output.
        """
        for _ in range(_MAX_UNCHANGED):
            source = TensorName.parse(text)
            node = self.body.nodes.get(source.node) if source.port == 0 else None
            yield node
            if node is None or node.op not in UNCHANGED or not data_inputs(node):
                return
            text = node.input[0]

    def _record_range_input(self, node: NodeDef, input_index: int, text: str) -> None:
        """Record the inputs through which the end of a range reaches a node, and its constant."""
        self.range_inputs.add((node.name, input_index))
        *unchanged, end = (source for source in self._trace_back(text) if source is not None)
        self.range_inputs.update((source.name, 0) for source in unchanged)
        self.ends[end.name] = None

    def _without_suffix(self, name: str) -> str:
        for suffix in _SUFFIXES:
            short = name.removesuffix(suffix)
            if short and short != name and short not in self.body.nodes:
                return short
        return name


def _dequantize_reader(node: NodeDef, head: TensorHeader) -> _Reader:
    """Return a Dequantize node as a reader. Raises GraphError if it does not fit the tensor."""
    data = data_inputs(node)
    if len(data) != 3:
        raise GraphError(f"{describe(node)} has {len(data):,} inputs, not 3")
    input_dtype, output_dtype = attr(node, "T", DataType, head.dtype), attr(node, "dtype", DataType, DataType.DT_FLOAT)
    if input_dtype != head.dtype:
        raise GraphError(f"{describe(node)} reads {dtype_name(input_dtype)}, not {dtype_name(head.dtype)}")
    if output_dtype != DataType.DT_FLOAT:
        raise GraphError(f"{describe(node)} gives {dtype_name(output_dtype)}, not float32")
    mode, axis = attr(node, "mode", str, MIN_COMBINED), attr(node, "axis", int, -1)
    if mode not in (MIN_COMBINED, MIN_FIRST, SCALED):
        raise GraphError(f"{describe(node)} has an unknown mode")
    if axis >= len(head.shape) or (axis >= 0 and mode == MIN_FIRST):
        raise GraphError(f"{describe(node)} cannot have the axis {axis} for {len(head.shape)} dimensions and {mode}")
    narrow = attr(node, "narrow_range", bool, False)
    return _Reader(node, data[1], data[2], _Encoding(mode, axis if axis >= 0 else None, narrow))


def _values(node: NodeDef) -> tuple[float, ...]:
    try:
        return read_floats(attr(node, "value", TensorProto), max_filled=_MAX_RANGES)
    except TensorError as error:
        raise TensorError(f"{describe(node)}: {error}") from error


def _limits(dtype: int) -> tuple[int, int]:
    """Return the lowest and the highest quantized value of a dtype."""
    row = dtype_of(dtype)
    bits = 8 * row.itemsize
    return (0, (1 << bits) - 1) if row.kind == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
