"""Weights that are stored as codes of few bits, with the range of the numbers that the codes stand for.

    codes = Const[dtype=quint8]     low, high = Const[dtype=float]     w = Dequantize(codes, low, high)

These are one weight, called w: that is what `quantize_weights` makes of a constant w. An op on codes takes them and
their range as they are, and no node has the name of the weight any more; then it is that of the codes without
"_quantized_const", which `quantize_weights` puts behind it:

    QuantizedMatMul(a, w_quantized_const, a_min, a_max, w_quantized_min, w_quantized_max)

What numbers codes stand for is told by the mode of Dequantize. Ops on codes have none: they read unsigned codes as
MIN_FIRST does, signed ones as SCALED does. There may be nodes in between that change nothing. A constant that serves as
an end of such ranges and as nothing else is part of the weights.

Codes are left as they are, with the reason, where their range is not constant, is none, or where several nodes read
them differently.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..dtypes import dtype_name, dtype_of
from ..errors import GraphError, TensorError
from ..graph import attr, describe
from ..messages import DataType, NodeDef, TensorProto
from ..names import TensorName
from ..ops.ports import input_types
from ..tensor_header import Head, floats_of, head_of
from .uses import Body

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..messages import OpDef

__all__ = ["CODES", "Found", "Quantized", "find_quantized"]

CODES = frozenset({DataType.DT_QINT8, DataType.DT_QUINT8, DataType.DT_QINT16, DataType.DT_QUINT16, DataType.DT_QINT32})
"""The types of codes."""

MIN_COMBINED, MIN_FIRST, SCALED = "MIN_COMBINED", "MIN_FIRST", "SCALED"

_ON_CODES = "Quantized"  # how the names of ops on codes begin
_SAME = frozenset({"Identity", "Enter", "StopGradient", "PreventGradient", "Snapshot", "GuaranteeConst", "EnsureShape"})
_SUFFIXES = ("_quantized_const", "_quint8_const")  # the second is what TensorFlow's first quantizer in Python wrote
_MOST_BACK = 64  # nodes that change nothing, one behind the other
_MOST_READERS = 1000
_MOST_FILLED = 1 << 10  # ranges that are not written out


@dataclass(frozen=True, slots=True)
class Quantized:
    """What the codes of a weight stand for.

    name        of the weight
    codes       the constant that holds them, and `dtype` its type
    mode        "MIN_FIRST", "MIN_COMBINED" or "SCALED", as those of Dequantize
    axis        where there is a range for each slice along an axis, which one that is
    narrow      whether the lowest code is not used; that matters to SCALED
    low, high   the ends of each range; of one range, if there is no axis
    """

    name: str
    codes: str
    dtype: DataType
    mode: str
    axis: int | None
    narrow: bool
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def steps(self) -> tuple[float, ...]:
        """The distance between the numbers that two neighbouring codes stand for, of each range."""
        lowest, highest = _limits(self.dtype)
        ends = zip(self.low, self.high, strict=True)
        if self.mode != SCALED:
            return tuple((high - low) / (highest - lowest) for low, high in ends)
        if not lowest:
            return tuple(abs(high) / highest for _, high in ends)
        return tuple(abs(max(low / (lowest + self.narrow), high / highest)) for low, high in ends)

    def facts(self) -> dict[str, Any]:
        """What JSON says of it."""
        facts: dict[str, Any] = {"codes": self.codes, "mode": self.mode}
        if self.axis is None:
            return facts | {"min": self.low[0], "max": self.high[0], "step": self.steps[0]}
        return facts | {"axis": self.axis, "min": self.low, "max": self.high, "step": self.steps}

    def floats(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The numbers that codes stand for, as float32: exactly those that Dequantize gives.

        TensorFlow takes a step of less than 1e-38 for zero, and it is none here. Of codes that are a view of fewer, the
        numbers are that too.
        """
        import numpy as np

        from ..ops.kernels.quantizing import dequantize

        stored = [step != 0 or axis == self.axis for axis, step in enumerate(codes.strides)]
        one_each = codes[tuple(slice(None) if each else slice(1) for each in stored)]
        low, high = np.array(self.low, np.float32), np.array(self.high, np.float32)
        axis = -1 if self.axis is None else self.axis
        with np.errstate(over="ignore", invalid="ignore"):  # of a range that is wider than numbers are
            found = dequantize(one_each, low, high, mode=self.mode.encode(), narrow_range=self.narrow, axis=axis)
        return np.broadcast_to(found, codes.shape)


class Found(NamedTuple):
    """The quantized weights of a body, by their constants of codes; why others are none; and what only says ranges."""

    weights: Mapping[str, Quantized] = {}
    problems: Mapping[str, str] = {}
    ranges: Collection[str] = ()


def find_quantized(body: Body, ops: Mapping[str, OpDef]) -> Found:
    """What the constants of a body are that hold codes. `ops` declare the ops that read them.

    Where no op reads codes, the attributes of no node are touched. Raises GraphError for an input that is no reference.
    """
    if not any(node.op == "Dequantize" or node.op.startswith(_ON_CODES) for node in body.nodes.values()):
        return Found()
    search = _Search(body, ops)
    for node in body.nodes.values():
        if node.op == "Const" and "dtype" in node.attr and node.attr["dtype"].type in CODES:
            search.look_at(node)
    ranges = set(filter(search.says_ranges_only, search.ends))
    return Found(search.weights, search.problems, ranges.difference(text.partition(":")[0] for text in body.returns))


_Ends: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]


class _How(NamedTuple):
    """How codes are read: as in `Quantized`."""

    mode: str
    axis: int | None = None
    narrow: bool = False


class _Reader(NamedTuple):
    """A node that reads codes: where it has their range from, and as which of its inputs, not counting controls."""

    node: NodeDef
    low: str
    high: str
    how: _How
    places: tuple[int, int] = (1, 2)

    @property
    def tells(self) -> bool:
        """Whether the node itself says how it reads them."""
        return self.node.op == "Dequantize"


@dataclass(slots=True)
class _Search:
    """`ends` are constants that are ends of ranges, `taken` the inputs that have them as that.

    `ranges` are those that were read, by the names of the constants of both ends.
    """

    body: Body
    ops: Mapping[str, OpDef]
    weights: dict[str, Quantized] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    ranges: dict[tuple[str, str], _Ends] = field(default_factory=dict)
    ends: dict[str, None] = field(default_factory=dict)
    taken: set[tuple[str, int]] = field(default_factory=set)

    def look_at(self, node: NodeDef) -> None:
        try:
            head = head_of(attr(node, "value", TensorProto))
            readers = list(self._readers(node, head))
            if readers and head.dtype in CODES:
                self._weigh(node, head, readers)
        except (GraphError, TensorError) as error:
            self.problems[node.name] = str(error)

    def says_ranges_only(self, name: str) -> bool:
        """Whether no node has a constant as anything else than an end of a range."""
        stack = [name]
        while stack:
            for user in self.body.users(stack.pop()):
                if (user.node.name, user.at) not in self.taken:
                    return False
                if user.node.op in _SAME:
                    stack.append(user.node.name)
        return True

    # --- who reads codes ---------------------------------------------------------------------------------------------

    def _readers(self, codes: NodeDef, head: Head) -> Iterator[_Reader]:
        """The nodes that read them as numbers. Raises GraphError for one that cannot."""
        names = [codes.name]
        for name in names:  # which grows meanwhile
            for user in self.body.users(name, 0)[:_MOST_READERS]:
                node, at = user
                if node.op in _SAME and at == 0 and len(names) < _MOST_READERS:
                    names.append(node.name)
                elif node.op == "Dequantize" and at == 0:
                    yield _dequantizing(node, head)
                elif node.op.startswith(_ON_CODES) and (reader := self._on_codes(node, at, head)) is not None:
                    yield reader

    def _on_codes(self, node: NodeDef, at: int, head: Head) -> _Reader | None:
        """An op on codes, if it has a range for its input number `at`."""
        declared = self.ops.get(node.op)
        if declared is None:
            return None
        try:
            ports = input_types(node, declared)
            name, _ = ports.place(at)
        except GraphError:  # a node that does not fit its op is no matter here
            return None
        named = ports.ranges
        found = [named[each] for each in (f"min_{name}", f"{name}_min", f"max_{name}", f"{name}_max") if each in named]
        if len(found) != 2 or any(len(each) != 1 for each in found):
            return None
        low, high = (each[0] for each in found)
        data = _data(node)
        if len(data) != len(ports):
            raise GraphError(f"{describe(node)} has {len(data):,} inputs, not {len(ports):,}")
        mode = SCALED if _limits(head.dtype)[0] else MIN_FIRST
        axis = len(head.shape) - 1 if node.op.endswith("PerChannel") and head.shape else None
        return _Reader(node, data[low], data[high], _How(mode, axis), (low, high))

    # --- what they read ----------------------------------------------------------------------------------------------

    def _weigh(self, codes: NodeDef, head: Head, readers: list[_Reader]) -> None:
        """Note what codes are. Raises GraphError and TensorError if they are no weight."""
        first = next((reader for reader in readers if reader.tells), readers[0])
        ends = self._range(first)
        for reader in readers:
            how = first.how if first.tells and not reader.tells else reader.how
            other = self._range(reader)
            if how != first.how or (other is not ends and other != ends):
                raise GraphError(f"{describe(first.node)} and {describe(reader.node)} read it differently")
        axis = first.how.axis
        count = 1 if axis is None else head.shape[axis]
        if len(ends[0]) != count or len(ends[1]) != count:
            problem = f"{len(ends[0]):,} minimums and {len(ends[1]):,} maximums for {count:,} slices"
            raise GraphError(f"{describe(first.node)} has {problem}")
        for reader in readers:
            for text, place in zip((reader.low, reader.high), reader.places, strict=True):
                self._take(reader.node, place, text)
        name = first.node.name if first.tells else self._without_suffix(codes.name)
        self.weights[codes.name] = Quantized(name, codes.name, DataType(head.dtype), *first.how, *ends)

    def _range(self, reader: _Reader) -> _Ends:
        """The ends of the range that a node has, or of several. Raises GraphError and TensorError."""
        low, high = (self._constant(reader, text) for text in (reader.low, reader.high))
        ends = self.ranges.get((low.name, high.name))
        if ends is None:
            ends = _values(low), _values(high)
            for at, (least, most) in enumerate(zip(*ends, strict=False)):
                if not (math.isfinite(least) and math.isfinite(most) and least <= most):
                    which = f"range {at} of" if len(ends[0]) > 1 else "the range of"
                    raise GraphError(f"{which} {describe(reader.node)} is {least:g} to {most:g}")
            self.ranges[low.name, high.name] = ends
        return ends

    def _constant(self, reader: _Reader, text: str) -> NodeDef:
        *_, node = self._back(text)
        if node is None or node.op != "Const":
            raise GraphError(f"the range of {describe(reader.node)} is not constant")
        return node

    def _back(self, text: str) -> Iterator[NodeDef | None]:
        """The nodes that a value came through, up to the one that it comes from; None if there is no such."""
        for _ in range(_MOST_BACK):
            source = TensorName.parse(text)
            node = self.body.nodes.get(source.node) if source.port == 0 else None
            yield node
            if node is None or node.op not in _SAME or not _data(node):
                return
            text = node.input[0]

    def _take(self, node: NodeDef, place: int, text: str) -> None:
        """Note the inputs through which an end of a range comes to a node."""
        self.taken.add((node.name, place))
        *passing, end = (source for source in self._back(text) if source is not None)
        self.taken.update((each.name, 0) for each in passing)
        self.ends[end.name] = None

    def _without_suffix(self, name: str) -> str:
        for suffix in _SUFFIXES:
            short = name.removesuffix(suffix)
            if short and short != name and short not in self.body.nodes:
                return short
        return name


def _dequantizing(node: NodeDef, head: Head) -> _Reader:
    """How a Dequantize reads codes of that type and shape."""
    data = _data(node)
    if len(data) != 3:
        raise GraphError(f"{describe(node)} has {len(data):,} inputs, not 3")
    read, given = attr(node, "T", DataType, head.dtype), attr(node, "dtype", DataType, DataType.DT_FLOAT)
    if read != head.dtype:
        raise GraphError(f"{describe(node)} reads {dtype_name(read)}, not {dtype_name(head.dtype)}")
    if given != DataType.DT_FLOAT:
        raise GraphError(f"{describe(node)} gives {dtype_name(given)}, not float32")
    mode, axis = attr(node, "mode", str, MIN_COMBINED), attr(node, "axis", int, -1)
    if mode not in (MIN_COMBINED, MIN_FIRST, SCALED):
        raise GraphError(f"{describe(node)} has no mode that is known")
    if axis >= len(head.shape) or (axis >= 0 and mode == MIN_FIRST):
        raise GraphError(f"{describe(node)} cannot have the axis {axis} for {len(head.shape)} dimensions and {mode}")
    narrow = attr(node, "narrow_range", bool, False)
    return _Reader(node, data[1], data[2], _How(mode, axis if axis >= 0 else None, narrow))


def _values(node: NodeDef) -> tuple[float, ...]:
    try:
        return floats_of(attr(node, "value", TensorProto), most_filled=_MOST_FILLED)
    except TensorError as error:
        raise TensorError(f"{describe(node)}: {error}") from error


def _data(node: NodeDef) -> list[str]:
    return [text for text in node.input if text[:1] != "^"]


def _limits(dtype: int) -> tuple[int, int]:
    """The lowest and the highest code of a type."""
    row = dtype_of(dtype)
    bits = 8 * row.itemsize
    return (0, (1 << bits) - 1) if row.kind == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
