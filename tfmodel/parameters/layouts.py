"""Axis orders of convolution filters, which differ between frameworks.

TensorFlow stores a filter as

    HWIO   for a convolution: height, width, input channels (of a group, if there are groups), output channels
    HWOI   for a transposed convolution: output channels come first
    HWIM   for a depthwise convolution: M output channels for each of I input channels

A layout is a permutation of one of these words. A letter has the same meaning for every kind of filter:

    OIHW   gives [O,I,H,W] for convolutions and transposed convolutions. A depthwise filter becomes the filter of the
           equivalent grouped convolution: I groups with one input and M output channels, [I*M,1,H,W], where output
           channel m of input channel i is number i*M + m
    MIHW   a word with M is for depthwise filters, whose axes are not joined: [M,I,H,W]. Other filters do not change

Commas separate layouts, as in "OIHW,transposed=IOHW": a word after "KIND=" is for filters of that kind, and the last
word for a kind counts. The names of frameworks stand for their layouts:

    torch, onnx   OIHW,transposed=IOHW              [O,I,H,W]  transposed [I,O,H,W]  depthwise [I*M,1,H,W]
    tflite        OHWI,depthwise=IHWO               [O,H,W,I]  transposed [O,H,W,I]  depthwise [1,H,W,I*M]

Three-dimensional filters have their depth, D, before H; one-dimensional filters have W and no H.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..io.terminal import printable
from ..tensor_header import Shape
from .roles import Relevance
from .uses import Use

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Transposition", "find_transposition", "parse_layout"]

_KINDS_BY_ROLE = {"filter": "convolution", "depthwise filter": "depthwise", "transposed filter": "transposed"}
_CHANNELS = {"convolution": "IO", "transposed": "OI", "depthwise": "IM"}
_NAMED = {
    "torch": "OIHW,transposed=IOHW",
    "onnx": "OIHW,transposed=IOHW",
    "tflite": "OHWI,depthwise=IHWO",
}
_JOINS = {"ConcatV2", "Concat"}
_PARTS = {"Split", "SplitV"}


class Transposition(NamedTuple):
    """The transposition of one filter.

    axes     the letters of the axes of the result
    joined   the shape before the transposition, with axes joined if necessary
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
    for part in _NAMED.get(layout.strip().lower(), layout).split(","):
        kind, equals, word = part.strip().rpartition("=")
        kind, letters = kind.strip().lower(), word.strip().upper()
        if equals and kind not in _CHANNELS:
            raise ValueError(f"{printable(kind)!r} is not a kind of filter: known kinds are {', '.join(_CHANNELS)}")
        if sorted(letters) == sorted("HWIM"):
            kinds = [kind or "depthwise"]
        elif sorted(letters) == sorted("HWIO"):
            kinds = [kind] if kind else list(_CHANNELS)
        else:
            known = f"an order of H, W, I and O (or M, for depthwise filters), such as OIHW, or {', '.join(_NAMED)}"
            raise ValueError(f"{printable(part.strip())!r} is not a layout: give {known}")
        if "M" in letters and kinds != ["depthwise"]:
            raise ValueError(f"{printable(part.strip())!r}: only depthwise filters have an axis M")
        words.update(dict.fromkeys(kinds, letters))
    return words


def find_transposition(use: Use | None, shape: Shape | None, layout: Mapping[str, str]) -> Transposition | None:
    """Return the transposition of a weight with this use; None if it is not a filter of a kind that `layout` has.

    A filter that is reshaped before it is used is not transposed, since the meaning of its axes is unknown.
    """
    if use is None or use.relevance is not Relevance.WEIGHT or "Conv" not in use.op:
        return None
    kind = _KINDS_BY_ROLE.get(use.role, "")
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
            return None  # a part of a filter, whose channels may be any of the whole
        joined, channels = (*sizes, 1, first * second), "IO"
    stored_axes = "DHW"[-spatial:] + channels
    axes = "".join(_spatial_letters(letter, spatial) for letter in letters)
    return Transposition(axes, joined, tuple(stored_axes.index(letter) for letter in axes))


def _spatial_letters(letter: str, spatial: int) -> str:
    """Return the letters that replace a letter for `spatial` dimensions: "H" becomes "", "H" or "DH"."""
    if letter != "H":
        return letter
    return {1: "", 2: "H", 3: "DH"}[spatial]
