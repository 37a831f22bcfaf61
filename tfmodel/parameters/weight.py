"""One row of what `weights` finds: a constant, a variable, or a tensor of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..dtypes import Dtype, dtype_named, dtype_of
from ..errors import TensorError
from ..messages import DataType
from ..printable import printable
from ..tensor_header import Shape
from .layouts import Arrangement
from .quantized import Quantized
from .roles import Standing
from .uses import Use

if TYPE_CHECKING:
    import numpy.typing as npt

    from .statistics import Distinct, Statistics

__all__ = ["NO_CHECKPOINT", "Distribution", "Weight"]

Kind: TypeAlias = Literal["constant", "variable", "tensor"]

NO_CHECKPOINT = "there is no checkpoint"

_UNICODE = " ▁▂▃▄▅▆▇█"
_ASCII = " .:-=+*#@"


@dataclass(frozen=True, slots=True)
class Distribution:
    """How many numbers lie in each of equal parts of what is between the smallest and the largest finite one."""

    low: float
    high: float
    counts: tuple[int, ...]

    def bar(self, *, ascii: bool = False) -> str:
        """A block for each part, the higher the more numbers there are in it; a blank is none."""
        levels = _ASCII if ascii else _UNICODE
        most = max(self.counts, default=0) or 1
        steps = len(levels) - 1
        return "".join(levels[-(-count * steps // most)] for count in self.counts)


@dataclass(frozen=True, slots=True)
class Weight:
    """A constant, a variable, or (kind "tensor") a tensor of a checkpoint that belongs to no variable that is known.

    name          of its node; after the name of a function and a slash if it is in one; or its name in the checkpoint
    dtype         as TensorFlow's Python spells it: of what is stored, and so "quint8" of codes
    shape         in the layout that was asked for; None if it is not known, -1 for a dimension that is not
    size          the bytes that are stored; None if they are not known
    uses          who has it as an input, and as what, the most telling first
    key           of a variable, the name of its value in the checkpoint
    letters       what the axes are, of a filter that was turned to another layout
    missing       why there are no values; empty if there are
    quantized     what codes stand for: the numbers of `array` and of `statistics`
    problem       why codes stand for nothing, if somebody reads them; empty if they do
    distinct      how many values there are, if they are few and all were looked at
    """

    name: str
    kind: Kind
    dtype: str
    shape: Shape | None
    size: int | None
    uses: Sequence[Use] = ()
    function: str = ""
    key: str | None = None
    letters: str = ""
    missing: str = ""
    quantized: Quantized | None = None
    problem: str = ""
    distinct: Distinct | None = None
    statistics: Statistics | None = None
    distribution: Distribution | None = None
    order: int = 0
    arrangement: Arrangement | None = field(default=None, repr=False, compare=False)
    read: Callable[[], npt.NDArray[Any]] | None = field(default=None, repr=False, compare=False)

    @property
    def op(self) -> str:
        """The op that uses it, in the most telling way; empty if none does."""
        return self.uses[0].op if self.uses else ""

    @property
    def role(self) -> str:
        """As what: "filter", "bias", "axis"; empty if that is not known."""
        return self.uses[0].role if self.uses else ""

    @property
    def element(self) -> Dtype:
        """The row of its element type."""
        row = dtype_named(self.dtype)
        if row is None:
            raise TensorError(f"{self.name}: there is no element type {self.dtype}")
        return row

    @property
    def given(self) -> Dtype:
        """The row of the element type that `array` has: floats, where codes are stored."""
        return self.element if self.quantized is None else dtype_of(DataType.DT_FLOAT)

    @property
    def given_size(self) -> int | None:
        """The bytes of elements of that type; None if they are not known."""
        if self.quantized is None or self.elements is None:
            return self.size
        return self.elements * self.given.itemsize

    @property
    def packed_size(self) -> int | None:
        """How many bytes it takes at least in an archive, if its values are known to be few."""
        if self.distinct is None or self.elements is None:
            return None
        return self.distinct.packed(self.elements, self.element.itemsize)

    @property
    def elements(self) -> int | None:
        if self.shape is None or any(size < 0 for size in self.shape):
            return None
        return prod(self.shape)

    @property
    def is_parameter(self) -> bool:
        """Whether its elements are something that was trained, as far as that can be told.

        Of constants, those that are used as weights; of variables, those of floats that something is computed with or
        that are trained, and that are not an optimizer's; of a checkpoint alone, all floats but a TF2 optimizer's.
        """
        standing = self.uses[0].standing if self.uses else None
        if self.kind == "constant":
            return standing is Standing.WEIGHT
        if self.kind == "variable" and standing in (None, Standing.SLOT, Standing.KEEPING):
            return False
        if self.key is not None and "/.OPTIMIZER_SLOT/" in self.key:
            return False
        return self.element.given[1] in "fc" or self.element.name.startswith("q")

    def array(self) -> npt.NDArray[Any]:
        """The values, in the layout that was asked for: numbers, where codes of them are stored.

        Raises TensorError and CheckpointError, also if there are no values.
        """
        if self.read is None:
            raise TensorError(f"{printable(self.name)} has no value: {self.missing}")
        array = self.read()
        return array if self.arrangement is None else self.arrangement.apply(array)

    def facts(self, total: int) -> dict[str, Any]:
        """What JSON says of it."""
        facts: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "op": self.op or None,
            "role": self.role or None,
            "dtype": self.dtype,
            "shape": None if self.shape is None else [None if size < 0 else size for size in self.shape],
            "bytes": self.size,
            "share": None if self.size is None else _share(self.size, total),
            "parameter": self.is_parameter,
        }
        optional = {
            "function": self.function,
            "key": self.key,
            "axes": self.letters,
            "missing": self.missing,
            "problem": self.problem,
        }
        facts |= {name: value for name, value in optional.items() if value}
        if self.quantized is not None:
            facts["quantized"] = {**self.quantized.facts(), "bytes_as_float32": self.given_size}
        if self.distinct is not None:
            facts["values"] = {
                "count": self.distinct.values,
                "bits": round(self.distinct.bits, 4),
                "packed_bytes": self.packed_size,
            }
        facts["uses"] = [_use_facts(use) for use in self.uses]
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


def _use_facts(use: Use) -> dict[str, Any]:
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
