"""`Weight`: a constant, a variable, or a tensor of a checkpoint, with its type, uses and values; layouts of filters.

Frameworks store the axes of convolution filters in different orders. TensorFlow stores a filter as

    HWIO   for a convolution: height, width, input channels (of a group, if there are groups), output channels
    HWOI   for a transposed convolution: output channels come first
    HWIM   for a depthwise convolution: M output channels for each of I input channels

A layout is a permutation of one of these words. A letter has the same meaning for every kind of filter:

    OIHW   gives [O,I,H,W] for convolutions and transposed convolutions. A depthwise filter becomes the filter of the
           equivalent grouped convolution: I groups with one input and M output channels, [I*M,1,H,W], where output
           channel m of input channel i is number i*M + m
    MIHW   gives [M,I,H,W] for depthwise filters, without joining axes. A word with M does not change other filters

The matrix of a layer, as Dense has it, is IO: its rows belong to inputs, its columns to outputs. OI is its transpose.

Commas separate layouts, as in "OIHW,transposed=IOHW". A word after "KIND=" is for filters of that kind only. If several
words are for one kind, the last one counts. The names of frameworks stand for their layouts:

    torch         OIHW,transposed=IOHW,matrix=OI    [O,I,H,W]  transposed [I,O,H,W]  depthwise [I*M,1,H,W]  [O,I]
    onnx          OIHW,transposed=IOHW              the same, and matrices as they are
    tflite        OHWI,depthwise=IHWO,matrix=OI     [O,H,W,I]  transposed [O,H,W,I]  depthwise [1,H,W,I*M]  [O,I]

"pytorch" is the same as "torch". A weight whose place in a layer is not known, such as a matrix that is reshaped first,
stays as it is in TensorFlow, and so do kernels of recurrent layers with gates, whose order and biases differ: PyTorch
has the gates i, f, g, o in an LSTM, as Keras has; TensorFlow 1 has i, g, f, o, and adds the forget bias later. PyTorch
has r, z, n in a GRU, Keras z, r, n. `Weight.axes` is then "as in TensorFlow". The rows of a matrix behind a flattened
picture keep their order, H, W, C.

Three-dimensional filters have their depth, D, before H; one-dimensional filters have W and no H.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ..analysis.uses import Relevance, Use
from ..errors import TensorError, with_name
from ..messages import DataType
from ..values.dtypes import Dtype, dtype_named, dtype_of
from ..values.tensor_header import Shape
from ..values.terminal import escape, quote
from .quantized import Quantized

if TYPE_CHECKING:
    import numpy.typing as npt

    from .statistics import DistinctValues, Statistics

_KINDS_BY_ROLE = {
    "filter": "convolution",
    "depthwise filter": "depthwise",
    "transposed filter": "transposed",
    "matrix": "matrix",
    "recurrent kernel": "matrix",
    "recurrent bias": "matrix",
}
AS_STORED = "as in TensorFlow"
_CHANNELS = {"convolution": "IO", "transposed": "OI", "depthwise": "IM"}
_MATRIX = "matrix"
FRAMEWORK_LAYOUTS = {
    "torch": "OIHW,transposed=IOHW,matrix=OI",
    "pytorch": "OIHW,transposed=IOHW,matrix=OI",
    "onnx": "OIHW,transposed=IOHW",
    "tflite": "OHWI,depthwise=IHWO,matrix=OI",
}
_JOINS = {"ConcatV2", "Concat"}
_SPLITS = {"Split", "SplitV"}


class Transposition(NamedTuple):
    """The transposition of one filter.

    axes     the letters of the axes of the result
    joined   the shape before the transposition, after axes were joined if the layout needs that
    order    the new order of the axes of `joined`
    """

    axes: str
    joined: Shape
    order: tuple[int, ...]

    @property
    def shape(self) -> Shape:
        """The shape of the result."""
        return tuple(self.joined[axis] for axis in self.order)

    def apply(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the transposed filter, a view where possible."""
        return array.reshape(self.joined).transpose(self.order)


def parse_layout(layout: str) -> Mapping[str, str]:
    """Return the order of axes for each kind of filter that a layout names. Raises ValueError for an invalid layout."""
    words: dict[str, str] = {}
    for part in FRAMEWORK_LAYOUTS.get(layout.strip().lower(), layout).split(","):
        kind, equals, word = part.strip().rpartition("=")
        kind, letters = kind.strip().lower(), word.strip().upper()
        if equals and kind not in (*_CHANNELS, _MATRIX):
            kinds_known = ", ".join((*_CHANNELS, _MATRIX))
            raise ValueError(f"{quote(kind)} is not a kind of weight: known kinds are {kinds_known}")
        if sorted(letters) == ["I", "O"] and kind in ("", _MATRIX):
            kinds = [_MATRIX]
        elif kind == _MATRIX:
            raise ValueError(f"{quote(part.strip())}: matrices are OI or IO")
        elif sorted(letters) == sorted("HWIM"):
            kinds = [kind or "depthwise"]
        elif sorted(letters) == sorted("HWIO"):
            kinds = [kind] if kind else list(_CHANNELS)
        else:
            frameworks = ", ".join(FRAMEWORK_LAYOUTS)
            known = f"an order of H, W, I and O (or M, for depthwise filters), such as OIHW, OI, or {frameworks}"
            raise ValueError(f"{quote(part.strip())} is not a layout: give {known}")
        if "M" in letters and kinds != ["depthwise"]:
            raise ValueError(f"{quote(part.strip())}: only depthwise filters have an axis M")
        words.update(dict.fromkeys(kinds, letters))
    return words


def find_transposition(use: Use | None, shape: Shape | None, layout: Mapping[str, str]) -> Transposition | None:
    """Return the transposition of a weight with this use; None if it is not a filter of a kind that `layout` has.

    A filter that is reshaped or transposed before it is used is not transposed, since the meaning of its axes is
    unknown. Joins, splits and ExpandDims do not matter, unless the layout joins the channels of a depthwise filter.
    """
    if use is None or (kind := _kind_of(use)) not in layout or shape is None or any(size < 0 for size in shape):
        return None
    if kind == _MATRIX:
        order = tuple(use.axes.index(letter) for letter in layout[kind]) if use.axes else ()
        return Transposition(layout[kind], shape, order) if order else None
    through = set(use.through) - _JOINS - _SPLITS
    spatial = (3 if "3D" in use.op else 2) - ("ExpandDims" in through)
    if through - {"ExpandDims"} or len(shape) != spatial + 2:
        return None
    letters, channels = layout[kind], _CHANNELS[kind]
    *sizes, first, second = shape
    joined = shape
    if kind == "depthwise" and "M" not in letters:
        if set(use.through) - {"ExpandDims"}:
            return None  # for a part of a filter, the numbers of its channels in the whole filter are unknown
        joined, channels = (*sizes, 1, first * second), "IO"
    stored_axes = "DHW"[-spatial:] + channels
    axes = "".join(_spatial_letters(letter, spatial) for letter in letters)
    return Transposition(axes, joined, tuple(stored_axes.index(letter) for letter in axes))


def axes_in_layout(use: Use | None, transposition: Transposition | None, layout: Mapping[str, str]) -> str:
    """Return the axes of a weight in a layout, for `Weight.axes`; "" for a weight that no layout changes."""
    if transposition is not None:
        return transposition.axes
    return AS_STORED if use is not None and _kind_of(use) in layout else ""


def _kind_of(use: Use) -> str:
    """Return the kind of weight for a layout; "" for other weights."""
    kind = _KINDS_BY_ROLE.get(use.role, "") if use.relevance is Relevance.WEIGHT else ""
    return kind if kind == _MATRIX or "Conv" in use.op else ""


def _spatial_letters(letter: str, spatial: int) -> str:
    """Return the letters that replace a letter for `spatial` dimensions: "H" becomes "", "H" or "DH"."""
    if letter != "H":
        return letter
    return {1: "", 2: "H", 3: "DH"}[spatial]


Kind: TypeAlias = Literal["constant", "variable", "tensor"]

Purpose: TypeAlias = Literal["", "slot", "moving average", "state", "constant", "unused"]
"""The purpose of a constant, variable or tensor that is not a learned weight of the outputs; "" for a learned weight.

    slot             the state of an optimizer for one variable, such as its momentum
    moving average   the moving average of a variable, if the outputs do not use it
    state            counters, settings of an optimizer, metrics, strings and other values that are not learned
    constant         a constant that is not a weight, such as an axis or a shape
    unused           a weight that the outputs do not need
"""

NO_CHECKPOINT = "there is no checkpoint"

_UNICODE = " ▁▂▃▄▅▆▇█"
_ASCII = " .:-=+*#@"


BINS = 24
"""The number of intervals of a histogram."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """A histogram: the counts of numbers in equal intervals between the smallest and the largest finite number."""

    low: float
    high: float
    counts: tuple[int, ...]

    def bar(self, *, ascii: bool = False) -> str:
        """Return one character per interval: the higher the block, the more numbers; a blank for zero."""
        levels = _ASCII if ascii else _UNICODE
        highest = max(self.counts, default=0) or 1
        steps = len(levels) - 1
        return "".join(levels[-(-count * steps // highest)] for count in self.counts)


@dataclass(frozen=True, slots=True)
class Weight:
    """A constant, a variable, or (kind "tensor") a tensor of a checkpoint that belongs to no known variable.

    name          the name of its node, after "FUNCTION/" for a node of a function; or its name in the checkpoint
    dtype         the stored type, as TensorFlow's Python spells it, such as "quint8" for quantized values
    shape         the shape in the requested layout; None if it is unknown, -1 for an unknown dimension
    bytes         the stored bytes; None if unknown
    uses          the nodes that have it as an input, with its role there, the most relevant first
    key           the key of its value in the checkpoint; None for a constant, or without a value there
    axes          the letters of the axes of a filter or matrix that was transposed to another layout, or "as in
                  TensorFlow" if it was not, because its place in the layer is not known
    missing       the reason for missing values; empty if there are values
    quantized     the encoding of quantized values, which `array` and `statistics` decode; None for other values
    problem       the reason why quantized values that a node reads cannot be dequantized; empty if they can
    purpose       "" for a learned weight that the outputs of the model use; otherwise see `Purpose`
    slots         the number of its optimizer slots and moving averages, by kind, such as {"Adam slot": 2}
    distinct      the number of distinct values, if these were counted and are few
    reader        reads the values in TensorFlow's layout; None if they are missing. `read` is for callers
    """

    name: str
    kind: Kind
    dtype: str
    shape: Shape | None
    bytes: int | None
    uses: Sequence[Use] = ()
    function: str = ""
    key: str | None = None
    axes: str = ""
    missing: str = ""
    quantized: Quantized | None = None
    problem: str = ""
    purpose: Purpose = ""
    slots: Mapping[str, int] = field(default_factory=dict)
    distinct: DistinctValues | None = None
    statistics: Statistics | None = None
    distribution: Distribution | None = None
    order: int = 0
    transposition: Transposition | None = field(default=None, repr=False, compare=False)
    reader: Callable[[], npt.NDArray[Any]] | None = field(default=None, repr=False, compare=False)

    @property
    def op(self) -> str:
        """The op of the most relevant use; empty if it is unused."""
        return self.uses[0].op if self.uses else ""

    @property
    def role(self) -> str:
        """The role in the most relevant use, such as "filter", "bias", "axis"; empty if unknown."""
        return self.uses[0].role if self.uses else ""

    @property
    def stored_dtype(self) -> Dtype:
        """The dtype of the stored elements. Raises TensorError for an unknown dtype."""
        row = dtype_named(self.dtype)
        if row is None:
            raise TensorError(with_name(self.name, f"there is no element type {self.dtype}"))
        return row

    @property
    def value_dtype(self) -> Dtype:
        """The dtype of `array`: float32 for quantized values, otherwise the stored dtype."""
        return self.stored_dtype if self.quantized is None else dtype_of(DataType.DT_FLOAT)

    @property
    def value_size(self) -> int | None:
        """The bytes of `array`; None if unknown."""
        if self.quantized is None or self.elements is None:
            return self.bytes
        return self.elements * self.value_dtype.itemsize

    @property
    def packed_size(self) -> int | None:
        """The minimum number of bytes in an archive, if its distinct values are known to be few."""
        if self.distinct is None or self.elements is None:
            return None
        return self.distinct.packed_size(self.elements, self.stored_dtype.itemsize)

    @property
    def elements(self) -> int | None:
        """The number of elements; None if the shape is not fully known."""
        if self.shape is None or any(size < 0 for size in self.shape):
            return None
        return prod(self.shape)

    @property
    def is_parameter(self) -> bool:
        """Whether its elements are probably trained parameters.

        The elements of a constant are parameters if it is used as a weight, or otherwise learned. Those of a variable
        are parameters if they are floats (or quantized) that are used in computations or trained, and do not belong to
        an optimizer. Those of a tensor of a checkpoint alone are parameters if they are floats that do not belong to a
        TF2 optimizer.
        """
        relevance = self.uses[0].relevance if self.uses else None
        if self.kind == "constant":
            is_learned = relevance is Relevance.OTHER and not self.purpose and self.holds_weights()
            return relevance is Relevance.WEIGHT or is_learned
        if self.kind == "variable" and relevance in (None, Relevance.SLOT, Relevance.MAINTENANCE):
            return False
        if self.key is not None and "/.OPTIMIZER_SLOT/" in self.key:
            return False
        return self.stored_dtype.given[1] in "fc" or self.stored_dtype.name.startswith("q")

    def is_learned_constant(self, *, is_frozen: bool, was_variable: bool) -> bool:
        """Return whether a constant is probably a learned weight.

        A constant is a learned weight if its elements can be learned (see `holds_weights`), and if it is used as a
        weight, if freezing made it of a variable (`was_variable`), or if it is an array with which a graph without
        variables (`is_frozen`) computes. Quantized values that a node reads as numbers are learned weights too.
        """
        relevance = self.uses[0].relevance if self.uses else Relevance.OTHER
        if self.quantized is not None or self.problem:
            return True
        if relevance not in (Relevance.WEIGHT, Relevance.OTHER) or self.role == "default" or self.elements == 0:
            return False
        if relevance is Relevance.OTHER and not (was_variable or (is_frozen and self.shape != ())):
            return False
        return self.holds_weights(is_weight=relevance is Relevance.WEIGHT)

    def holds_weights(self, *, is_weight: bool = False) -> bool:
        """Return whether its elements can be learned: floats, or an array of one-byte integers, like quantized values.

        Larger integers can be learned only if a node uses them as a weight (`is_weight`), and not as a table or
        embedding.
        """
        dtype = self.stored_dtype
        if dtype.given[1] in "fc" or dtype.name.startswith("q"):
            return True
        if dtype.given[1] not in "iu" or self.shape == ():
            return False
        return dtype.itemsize == 1 or (is_weight and self.role not in ("table", "embedding"))

    def read(self) -> npt.NDArray[Any]:
        """Return the values in the requested layout, of the shape `shape`; quantized values are dequantized.

        Raises TensorError and CheckpointError, also if the values are missing.
        """
        if self.reader is None:
            raise TensorError(f"{escape(self.name)} has no value: {self.missing}")
        array = self.reader()
        return array if self.transposition is None else self.transposition.apply(array)

    def array(self) -> npt.NDArray[Any]:
        """Return the same as `read`."""
        return self.read()

    def as_dict(self, total: int) -> dict[str, Any]:
        """Return the data for JSON. `total` is the size of all weights."""
        facts: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "op": self.op or None,
            "role": self.role or None,
            "dtype": self.dtype,
            "shape": None if self.shape is None else [None if size < 0 else size for size in self.shape],
            "bytes": self.bytes,
            "share": None if self.bytes is None else _share(self.bytes, total),
            "is_parameter": self.is_parameter,
        }
        optional: dict[str, Any] = {
            "purpose": self.purpose,
            "slots": dict(self.slots),
            "function": self.function,
            "key": self.key,
            "axes": self.axes,
            "missing": self.missing,
            "problem": self.problem,
        }
        facts |= {name: value for name, value in optional.items() if value}
        if self.quantized is not None:
            facts["quantized"] = {**self.quantized.as_dict(), "bytes_as_float32": self.value_size}
        if self.distinct is not None:
            facts["values"] = {
                "count": self.distinct.values,
                "bits": round(self.distinct.bits, 4),
                "packed_bytes": self.packed_size,
            }
        facts["uses"] = [_use_as_dict(use) for use in self.uses]
        if self.statistics is not None:
            names = ("min", "max", "mean", "std", "zeros", "nan", "inf")
            facts["statistics"] = {name: getattr(self.statistics, name) for name in names}
        if self.distribution is not None:
            facts["histogram"] = {
                "from": self.distribution.low,
                "to": self.distribution.high,
                "counts": list(self.distribution.counts),
            }
        return facts


def _use_as_dict(use: Use) -> dict[str, Any]:
    facts: dict[str, Any] = {"node": use.node, "op": use.op, "role": use.role or None}
    if use.function:
        facts["function"] = use.function
    if use.in_loop:
        facts["in_loop"] = True
    if use.through:
        facts["through"] = list(use.through)
    return facts


def _share(size: int, total: int) -> float:
    return round(size / total, 6) if total else 0.0
