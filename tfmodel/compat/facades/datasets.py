"""Read TFRecord files in a loop: `tf.data.TFRecordDataset`, and the methods of datasets that call no function.

    for record in tf.data.TFRecordDataset("a.tfrecord").take(5):
        example = tf.train.Example.FromString(record.numpy())

Methods that trace a function or make batches, such as `map` and `batch`, need TensorFlow's runtime.
"""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..refusals import MissingName
from . import errors, gfile, records
from .eager import Tensor, integer, string
from .text import as_bytes, as_str

__all__ = [
    "Dataset",
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "Options",
    "RecordWriter",
    "TFRecordDataset",
    "VarLenFeature",
]

_AUTOTUNE = -1
_STRING, _INTEGER = (f"TensorSpec(shape=(), dtype=tf.{name}, name=None)" for name in ("string", "int64"))
Element = Any  # a Tensor, or a tuple of them


class Options:
    """Options of a dataset. Nothing depends on them."""

    def __init__(self, **options: Any) -> None:
        vars(self).update(options)


class Dataset:
    """A sequence of strings, or of pairs of a number and a string. It can be iterated over again and again."""

    def __init__(self, elements: Callable[[], Iterator[Element]], name: str, spec: str = _STRING) -> None:
        self._elements = elements
        self._name = name
        self._spec = spec

    def __iter__(self) -> Iterator[Element]:
        return self._elements()

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        raise TypeError("The dataset length is unknown.")

    def __repr__(self) -> str:
        return f"<{self._name} element_spec={self._spec}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise MissingName(f"tensorflow.data.Dataset.{name}")

    def _derived(self, elements: Callable[[], Iterator[Element]], name: str) -> Dataset:
        return Dataset(elements, name, self._spec)

    def as_numpy_iterator(self) -> Iterator[Any]:
        """Return an iterator over the elements as bytes, or as pairs of a number and bytes."""
        return map(_as_numpy, self)

    def take(self, count: Any, name: Any = None) -> Dataset:
        """Return the first elements, or all if `count` is negative."""
        end = _end(count)
        return self._derived(lambda: itertools.islice(iter(self), end), "_TakeDataset")

    def skip(self, count: Any, name: Any = None) -> Dataset:
        """Return the elements after the first ones, or none if `count` is negative."""
        start = _end(count)
        return self._derived(
            lambda: iter(()) if start is None else itertools.islice(iter(self), start, None), "_SkipDataset"
        )

    def shard(self, num_shards: Any, index: Any, name: Any = None) -> Dataset:
        """Return each `num_shards`th element, from `index` on. Raises InvalidArgumentError."""
        step, start = operator.index(num_shards), operator.index(index)
        if step < 1:
            raise _invalid(f"Number of shards must be greater than zero (currently num_shards = {step}).")
        if not 0 <= start < step:
            raise _invalid(f"Index must be between 0 and {step - 1} (currently index = {start}).")
        return self._derived(lambda: itertools.islice(iter(self), start, None, step), "_ShardDataset")

    def repeat(self, count: Any = None, name: Any = None) -> Dataset:
        """Return the elements `count` times; without end for None or -1."""
        end = _end(-1 if count is None else count)
        return self._derived(lambda: _repeated(self, end), "_RepeatDataset")

    def concatenate(self, dataset: Dataset, name: Any = None) -> Dataset:
        """Return the elements of this dataset and of another one. Raises TypeError if they differ in kind."""
        if self._spec != dataset._spec:
            raise TypeError(f"Incompatible dataset elements:\n  {self._spec} vs.   {dataset._spec}")
        return self._derived(lambda: itertools.chain(self, dataset), "_ConcatenateDataset")

    def enumerate(self, start: Any = 0, name: Any = None) -> Dataset:
        """Return pairs of a number and an element."""
        first = operator.index(start)
        return Dataset(
            lambda: ((integer(number), element) for number, element in enumerate(self, first)),
            "_ZipDataset",
            f"({_INTEGER}, {self._spec})",
        )

    def prefetch(self, buffer_size: Any, name: Any = None) -> Dataset:
        """Return the same elements."""
        return self._derived(lambda: iter(self), "_PrefetchDataset")

    def cache(self, filename: Any = "", name: Any = None) -> Dataset:
        """Return the same elements, which are read again."""
        return self._derived(lambda: iter(self), "CacheDataset")

    def with_options(self, options: Any, name: Any = None) -> Dataset:
        """Return the same elements."""
        return self._derived(lambda: iter(self), "_OptionsDataset")

    @staticmethod
    def list_files(file_pattern: Any, shuffle: Any = None, seed: Any = None, name: Any = None) -> Dataset:
        """Return the paths that match one of the patterns, sorted, which is one of the orders of a shuffled dataset.

        Raises InvalidArgumentError if there are none.
        """
        patterns = _strings(file_pattern)
        if not gfile.Glob(patterns):
            raise _invalid(f"No files matched pattern: {', '.join(patterns)}")
        kind = "_TensorSliceDataset" if shuffle is False else "_ShuffleDataset"
        return Dataset(lambda: (string(as_bytes(path)) for path in sorted(gfile.Glob(patterns))), kind)


class TFRecordDataset(Dataset):
    """The records of TFRecord files, one file after the other, or one record of each of `num_parallel_reads` in turn.

    `filenames` is a path, several paths, a tensor or a dataset of paths. An iteration raises NotFoundError for a
    missing file, and DataLossError for a damaged one.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: Any = None,
    ) -> None:
        paths = filenames if isinstance(filenames, Dataset) else _strings(filenames)
        if isinstance(filenames, Dataset) and filenames._spec != _STRING:
            raise TypeError("The `filenames` argument must contain `tf.string` elements. Got a dataset of pairs.")
        compression = as_str(
            compression_type.numpy() if isinstance(compression_type, Tensor) else compression_type or ""
        )
        count = 1 if num_parallel_reads in (None, _AUTOTUNE) else operator.index(num_parallel_reads)
        if count < 1:
            raise _invalid("`cycle_length` must be > 0")

        def readers() -> Iterator[Iterator[bytes]]:
            for path in paths:
                text = as_str(path.numpy()) if isinstance(path, Tensor) else path
                yield records.read(text, compression if compression in ("GZIP", "ZLIB") else "")

        super().__init__(lambda: map(string, _in_turn(readers(), count)), "TFRecordDatasetV2")


class RecordWriter:
    """`tf.data.experimental.TFRecordWriter`: writes a dataset to a TFRecord file."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = filename
        self._compression_type = compression_type

    def write(self, dataset: Any) -> None:
        """Write all elements. Raises TypeError if they are not strings."""
        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        if dataset._spec != _STRING:
            raise TypeError(f"Invalid `dataset`. Expected a dataset of strings, got {dataset!r}.")
        with records.TFRecordWriter(self._filename, self._compression_type) as writer:
            for element in dataset.as_numpy_iterator():
                writer.write(element)


class FixedLenFeature(NamedTuple):
    """How a feature with a fixed number of values is parsed."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """How a feature with rows of a fixed number of values is parsed."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """How a feature with any number of values is parsed."""

    dtype: Any


def _as_numpy(element: Element) -> Any:
    return tuple(map(_as_numpy, element)) if isinstance(element, tuple) else element.numpy()


def _end(count: Any) -> int | None:
    """Return a number of elements; None for all of them. Raises TypeError if it is not an integer."""
    number = operator.index(count)
    return None if number < 0 else number


def _repeated(dataset: Dataset, count: int | None) -> Iterator[Element]:
    for _ in itertools.count() if count is None else range(count):
        is_empty = True
        for element in dataset:
            is_empty = False
            yield element
        if is_empty:
            return


def _in_turn(readers: Iterator[Iterator[bytes]], count: int) -> Iterator[bytes]:
    """Yield a record of each of `count` readers in turn. A reader at its end is replaced, and its turn is over."""
    current: list[Iterator[bytes] | None] = list(itertools.islice(readers, count))
    while current:
        for index, reader in enumerate(current):
            record = next(reader, None) if reader is not None else None
            if record is not None:
                yield record
            else:
                current[index] = next(readers, None)
        current = [reader for reader in current if reader is not None]


def _strings(paths: Any) -> list[str]:
    """Return paths as a list. Raises ValueError or TypeError for other values."""
    if isinstance(paths, Tensor):
        paths = paths.numpy()
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [as_str(os.fspath(paths))]
    if isinstance(paths, np.ndarray):
        paths = paths.ravel().tolist()
    if isinstance(paths, (list, tuple)):
        return [path for one in paths for path in _strings(one)]
    if isinstance(paths, (bool, int, float, complex, np.generic)):
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got {paths!r}.")
    raise ValueError(f"Attempt to convert a value ({paths!r}) with an unsupported type ({type(paths)}) to a Tensor.")


def _invalid(problem: str) -> Exception:
    error: Exception = errors.InvalidArgumentError(None, None, problem)  # type: ignore[attr-defined]  # made by a loop
    return error
