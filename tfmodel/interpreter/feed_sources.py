"""Feeds whose values depend on the fed tensor: expressions, pictures and sound files.

    Expression.parse("random(1, 224, 224, 3)")     # an array of the tensor's type
    MediaFile("cat.jpg")                           # pixels in the tensor's shape and type, or the bytes of the file

A session resolves them when it runs. Expressions are parsed, never evaluated by Python.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..errors import FeedError, FileFormatError, RunError, with_name
from ..files.access.special_files import open_regular
from ..files.access.stand_ins import refuse_stand_in
from ..graph.error_text import quote
from ..kernels.image.decoding import convert_channels, decode_bmp, png_pixels
from ..kernels.image.pillow import MODES, check_size, is_installed, opened, pixels
from ..kernels.image.resizing import resize_bilinear
from ..kernels.runtime.memory_limit import limit_memory
from ..messages import DataType
from ..values.dtypes import DTYPES, Dtype
from ..values.names import TensorName
from ..values.terminal import escape, shorten
from .feeds import generator, random_array


class Target(NamedTuple):
    """The fed tensor: its name as a feed, type and shape (None if unknown), and the run's memory limit, or None.

    `tensor` is the tensor itself, "x:0" for a feed named "x" or by a key of the signature.
    """

    name: str
    dtype: Dtype | None
    shape: Sequence[int | None] | None
    max_bytes: int | None
    tensor: TensorName | str


class FeedSource:
    """A feed that becomes an array once the fed tensor is known."""

    is_random = False

    def resolve(self, target: Target, log: Callable[[str], None]) -> Any:
        """Return the value of the feed. Raises FeedError if it does not fit, RunError above the memory limit."""
        raise NotImplementedError


def random_names(feeds: Mapping[str, Any]) -> list[str]:
    """Return the names of the feeds that are random numbers."""
    return [name for name, value in feeds.items() if isinstance(value, FeedSource) and value.is_random]


# --- expressions -----------------------------------------------------------------------------------------------------

FUNCTIONS = {
    "arange": "arange(6) (the numbers from 0 to 5)",
    "ones": "ones(1,4)",
    "random": "random(1,224,224,3)",
    "zeros": "zeros(2,3)",
}
"""The functions of expressions, with an example of each."""

_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(.*\)\s*", re.DOTALL)
_MAX_TEXT = 1000
_MAX_DIMENSIONS = 32  # the limit of NumPy 1
_ITEM_BYTES = 8  # of a number before it is converted to the tensor's type


@dataclass
class Expression(FeedSource):
    """A call of one of FUNCTIONS with integers: sizes, or start, end and step.

    `seed` is the seed of `random`, which makes the numbers that `random_feeds` makes for the tensor.
    """

    function: str
    arguments: tuple[int, ...]
    seed: int | None = None

    @property
    def is_random(self) -> bool:  # type: ignore[override]  # read-only
        return self.function == "random"

    @classmethod
    def parse(cls, text: str, seed: int | None = None) -> Expression | None:
        """Return the expression in a text; None if it is not a call. Raises ValueError for an invalid call."""
        match = _CALL.fullmatch(text)
        if match is None:
            return None
        name = match[1]
        known = f"the functions are {', '.join(FUNCTIONS.values())}"
        if name not in FUNCTIONS:
            raise ValueError(f'there is no function "{escape(shorten(name, 100))}"; {known}')
        if len(text) > _MAX_TEXT:
            raise ValueError(f'"{escape(shorten(text, 100))}" is longer than {_MAX_TEXT:,} characters')
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python warns of odd literals
                call = ast.parse(text.strip(), mode="eval").body
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
                raise ValueError("it is not one call")
            arguments: list[ast.expr] = call.args
            if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple | ast.List):
                arguments = arguments[0].elts
            sizes = tuple(map(_read_integer, arguments))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f'"{escape(shorten(text, 100))}" is not a call with integers; {known}') from None
        if name == "arange":
            if not 1 <= len(sizes) <= 3 or sizes[2:] == (0,):
                raise ValueError("arange takes (end), (start, end) or (start, end, step), with a step that is not 0")
        elif any(size < 0 for size in sizes) or len(sizes) > _MAX_DIMENSIONS:
            raise ValueError(f"{name} takes up to {_MAX_DIMENSIONS} sizes, each >= 0")
        return cls(name, sizes, seed)

    def resolve(self, target: Target, log: Callable[[str], None]) -> Any:
        what = f"{self.function}({','.join(map(str, self.arguments))})"
        if target.dtype is not None and target.dtype.is_object:
            raise FeedError(
                f"the feed {quote(target.name)} takes {target.dtype.name}s, and {what} is an array of numbers"
            )
        count = len(range(*self.arguments)) if self.function == "arange" else prod(self.arguments)
        if target.max_bytes is not None and _ITEM_BYTES * count > target.max_bytes:
            raise RunError(f"{what} has too many elements for {target.max_bytes:,} bytes")
        try:
            return self._array(target.dtype, generator(self.seed, target.tensor))
        except (MemoryError, ValueError, OverflowError) as error:
            raise FeedError(f"{what} is too large: {error}") from error

    def _array(self, dtype: Dtype | None, rng: np.random.Generator) -> Any:
        if self.function == "random":
            return random_array(dtype or DTYPES[DataType.DT_FLOAT], self.arguments, rng)
        if self.function == "arange":
            numbers = np.arange(*self.arguments)  # the session checks and converts integers, as those of the caller
            return numbers if dtype is None or dtype.numpy.kind != "f" else numbers.astype(dtype.numpy)
        return np.full(self.arguments, self.function == "ones", np.float32 if dtype is None else dtype.numpy)


def _read_integer(node: ast.expr) -> int:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    if not isinstance(node, ast.Constant) or type(node.value) is not int or node.value >= 1 << 63:
        raise ValueError("not an integer")
    return sign * node.value


# --- pictures --------------------------------------------------------------------------------------------------------

_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")
_SOUND = ".wav"
_MAX_FILE = 1 << 28
_MAX_PIXELS = 1 << 26
_MAX_BYTES = 1 << 31
"""The memory limit for decoding, if the run has none."""


def is_media_file(file: str) -> bool:
    """Return whether a file name has the ending of a picture or of a .wav file."""
    return file.lower().endswith((*_ENDINGS, _SOUND))


@dataclass
class MediaFile(FeedSource):
    """A picture or sound file. Tensors of strings are fed with its bytes, others with the pixels of a picture."""

    file: str
    report: Callable[[str], None] | None = None
    """A function that is called with a description of the feed; default: the log of the session."""
    _resolved: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def resolve(self, target: Target, log: Callable[[str], None]) -> Any:
        key = target.name, target.dtype, None if target.shape is None else tuple(target.shape)
        if key not in self._resolved:
            self._resolved[key], text = self._read(target)
            (self.report or log)(f"{quote(target.name)}: fed {text}")
        return self._resolved[key]

    def _read(self, target: Target) -> tuple[Any, str]:
        """Return the array, and a description of it for the log."""
        name = escape(self.file)
        data = self._data()
        shape = target.shape
        if target.dtype is not None and target.dtype.is_object:
            value = np.empty((1,) * len(shape or ()), object)
            value[...] = data
            return value, f"the {len(data):,} bytes of {name}, not decoded"
        if self.file.lower().endswith(_SOUND):
            takes = "only a tensor of strings takes, such as the input of DecodeWav"
            raise FeedError(f"{name} is a sound file, which {takes}; {quote(target.name)} is a tensor of numbers")
        if target.dtype is not None and target.dtype.numpy.kind not in "fiu":
            raise self._misfit(target, f"the type is {target.dtype.name}")
        if not shape:  # in TensorFlow 1, a Placeholder of unknown shape has the shape []
            shape = (None, None, None, None)
        if len(shape) not in (3, 4) or (len(shape) == 4 and shape[0] not in (None, 1)):
            raise self._misfit(target, f"the shape is [{_shape_text(shape)}]")
        height, width, channels = shape[-3:]
        if channels not in (None, *MODES):
            raise self._misfit(target, f"the shape is [{_shape_text(shape)}]")
        max_bytes = _MAX_BYTES if target.max_bytes is None else target.max_bytes
        try:
            with limit_memory(max_bytes):
                pixels = self._decode(data, channels or 3)
                size = height or pixels.shape[0], width or pixels.shape[1]
                text = f"{name}, {pixels.shape[1]} x {pixels.shape[0]} pixels"
                if size != pixels.shape[:2]:
                    text += f", resized to {size[1]} x {size[0]} (bilinear)"
                    pixels = _resize(pixels, size, target.dtype)
        except RunError as error:
            raise FeedError(with_name(name, error)) from error
        array = pixels[np.newaxis] if len(shape) == 4 else pixels
        dtype: np.dtype[Any] = target.dtype.numpy if target.dtype is not None else np.dtype(np.float32)
        if dtype.kind in "iu" and np.iinfo(dtype).max < 255:
            raise self._misfit(target, f"{dtype} does not hold the numbers from 0 to 255")
        return array.astype(dtype), f"{text}, as {dtype}[{_shape_text(array.shape)}] with values from 0 to 255"

    def _data(self) -> bytes:
        name = escape(self.file)
        try:
            with open_regular(self.file) as file:
                data = file.read(_MAX_FILE + 1)
            refuse_stand_in(self.file, data, len(data))
        except FileFormatError as error:
            raise FeedError(str(error)) from error
        except OSError as error:
            raise FeedError(with_name(name, f"{error.strerror}")) from error
        if len(data) > _MAX_FILE:
            raise FeedError(with_name(name, f"the file is larger than {_MAX_FILE:,} bytes"))
        return data

    def _misfit(self, target: Target, problem: str) -> FeedError:
        fits = "a picture is fed to [1,height,width,channels] or [height,width,channels], of 1, 3 or 4 channels"
        return FeedError(f"{escape(self.file)} does not fit {quote(target.name)}: {problem}; {fits}, or to strings")

    def _decode(self, data: bytes, channels: int) -> Any:
        """Return the pixels, uint8 [height, width, channels]."""
        contents = np.array(data, object)
        is_png, is_bmp = data.startswith(b"\x89PNG"), data.startswith(b"BM")
        if is_png and len(data) > 24:
            width, height = (int.from_bytes(data[start : start + 4], "big") for start in (16, 20))
            check_size(width, height, _MAX_PIXELS)
        if is_png and (data[24:25] == b"\x10" or not is_installed()):  # Pillow clips 16-bit values at 255
            return png_pixels(data, channels, DataType.DT_UINT8)
        if is_bmp and not is_installed():
            return convert_channels(decode_bmp(contents, channels=0), channels, 255)
        with opened(data, _MAX_PIXELS) as image:
            return pixels(image, channels)


def _resize(pixels: Any, size: tuple[int, int], dtype: Dtype | None) -> Any:
    new_size = np.array(size, np.int32)
    resized = resize_bilinear(pixels[np.newaxis], new_size, align_corners=False, half_pixel_centers=True)[0]
    is_float = dtype is None or dtype.numpy.kind == "f"
    return resized if is_float else np.rint(resized).astype(np.uint8)


def _shape_text(shape: Sequence[int | None]) -> str:
    return ",".join("?" if size is None else str(size) for size in shape)
