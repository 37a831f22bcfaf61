"""The order of the axes of convolution filters, which every framework has its own of.

TensorFlow keeps a filter as

    HWIO   of a convolution: height, width, channels in (of a group, if there are groups), channels out
    HWOI   of a transposed convolution: channels out come first
    HWIM   of a depthwise convolution: for each of I channels in, M channels out

A layout is one of these words of letters, in another order. A letter means the same for every filter, so that

    OIHW   makes [O,I,H,W] of the filters of convolutions and of transposed convolutions. A depthwise filter becomes
           that of the grouped convolution which it is: I groups with one channel in and M out, [I*M,1,H,W], where the
           channel out m of channel in i is number i*M + m
    MIHW   a word with an M is for depthwise filters, of which no axes are joined: [M,I,H,W]. Others stay as they are

Several layouts are several words with commas, "OIHW,transposed=IOHW": a word with a kind before it is for filters of
that kind, and the last word for a kind counts. Names of frameworks stand for the layouts that these use:

    torch, onnx   OIHW,transposed=IOHW              [O,I,H,W]  transposed [I,O,H,W]  depthwise [I*M,1,H,W]
    tflite        OHWI,depthwise=IHWO               [O,H,W,I]  transposed [O,H,W,I]  depthwise [1,H,W,I*M]

Filters of three dimensions have their depth, D, before H; those of one dimension have W and no H.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..printable import printable
from ..tensor_header import Shape
from .roles import Standing
from .uses import Use

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Arrangement", "arrangement_of", "parse_layout"]

_KINDS = {"filter": "convolution", "depthwise filter": "depthwise", "transposed filter": "transposed"}
_CHANNELS = {"convolution": "IO", "transposed": "OI", "depthwise": "IM"}
_NAMED = {
    "torch": "OIHW,transposed=IOHW",
    "onnx": "OIHW,transposed=IOHW",
    "tflite": "OHWI,depthwise=IHWO",
}
_JOINS = {"ConcatV2", "Concat"}
_PARTS = {"Split", "SplitV"}


class Arrangement(NamedTuple):
    """How one filter is turned: its shape before that, with axes put together if need be, and the new order of axes,
    which `letters` names."""

    letters: str
    joined: Shape
    order: tuple[int, ...]

    @property
    def shape(self) -> Shape:
        return tuple(self.joined[axis] for axis in self.order)

    def apply(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.reshape(self.joined).transpose(self.order)


def parse_layout(layout: str) -> Mapping[str, str]:
    """The word for each kind of filter that a layout is about. Raises ValueError if it is none."""
    words: dict[str, str] = {}
    for part in _NAMED.get(layout.strip().lower(), layout).split(","):
        kind, equals, word = part.strip().rpartition("=")
        kind, letters = kind.strip().lower(), word.strip().upper()
        if equals and kind not in _CHANNELS:
            raise ValueError(f"{printable(kind)!r} is no kind of filter: there are {', '.join(_CHANNELS)}")
        if sorted(letters) == sorted("HWIM"):
            kinds = [kind or "depthwise"]
        elif sorted(letters) == sorted("HWIO"):
            kinds = [kind] if kind else list(_CHANNELS)
        else:
            known = f"an order of H, W, I and O (or M, for depthwise filters), such as OIHW, or {', '.join(_NAMED)}"
            raise ValueError(f"{printable(part.strip())!r} is no layout: give {known}")
        if "M" in letters and kinds != ["depthwise"]:
            raise ValueError(f"{printable(part.strip())!r}: only depthwise filters have an axis M")
        words.update(dict.fromkeys(kinds, letters))
    return words


def arrangement_of(use: Use | None, shape: Shape | None, layout: Mapping[str, str]) -> Arrangement | None:
    """How to turn a weight that is used like that; None if it is no filter, or the layout does not say.

    A filter that is given another shape before it is used stays as it is: which of its axes is which is not known.
    """
    if use is None or use.standing is not Standing.WEIGHT or "Conv" not in use.op:
        return None
    kind = _KINDS.get(use.role, "")
    if kind not in layout or shape is None or any(size < 0 for size in shape):
        return None
    through = set(use.through) - _JOINS - _PARTS
    spatial = (3 if "3D" in use.op else 2) - ("ExpandDims" in through)
    if through - {"ExpandDims"} or len(shape) != spatial + 2:
        return None
    letters, channels = layout[kind], _CHANNELS[kind]
    *sizes, first, second = shape
    joined = shape
    if kind == "depthwise" and "M" not in letters:
        if use.through and through != {"ExpandDims"}:
            return None  # a part of one: its channels may be any of the whole
        joined, channels = (*sizes, 1, first * second), "IO"
    axes = "DHW"[-spatial:] + channels
    spelled = "".join(_spelled(letter, spatial) for letter in letters)
    return Arrangement(spelled, joined, tuple(axes.index(letter) for letter in spelled))


def _spelled(letter: str, spatial: int) -> str:
    if letter != "H":
        return letter
    return {1: "", 2: "H", 3: "DH"}[spatial]
