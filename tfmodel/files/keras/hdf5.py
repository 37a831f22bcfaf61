"""Read HDF5 files with h5py, an optional dependency.

    with naming("model.h5"):
        file = open_hdf5("model.h5", "model.h5")
        file.datasets["dense/kernel:0"].shape
        file.attribute("", "model_config")

An HDF5 file can refer to other files, in links and as the storage of datasets, and can run plugins as filters: such
links are not followed, and such datasets are refused. Soft links are not followed either. A group that can be reached
in several ways is visited once, so cycles end. A dataset is not read if it is much larger than what is stored of it.
Names and sizes are read without the elements.

h5py is a library in C: a file that was made to attack it may crash the process. Any exception of h5py becomes a
FileFormatError.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from ...errors import Error, FileFormatError, with_name
from ...values.dtypes import Dtype, natural_dtype
from ...values.terminal import escape, shorten

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MISSING = "reading it needs h5py: pip install h5py"

MAX_OBJECTS = 1 << 20
"""The maximum number of groups and datasets."""

MAX_DEPTH = 100
"""The maximum depth of groups; models nest a dozen."""

MAX_ATTRIBUTE_BYTES = 64 << 20
MIN_LIMIT = 64 << 20
MAX_RATIO = 100
"""A dataset may have MIN_LIMIT bytes, or MAX_RATIO bytes for each that is stored."""

_FILTERS = frozenset({1, 2, 3, 4, 5, 6, 32000})
"""The filters that are part of HDF5 and h5py: deflate, shuffle, checksums, szip, nbit, scale-offset, LZF."""

_SHOWN = 100  # characters of a name in an error


@dataclass(frozen=True, slots=True)
class Dataset:
    """An array of numbers in the file. `read` returns the elements; it raises FileFormatError."""

    path: str
    dtype: Dtype
    shape: tuple[int, ...]
    read: Callable[[], npt.NDArray[Any]]

    @property
    def size(self) -> int:
        """The bytes of all elements."""
        return prod(self.shape) * self.dtype.itemsize


class Hdf5File:
    """The groups and datasets of an open file.

    `close` must be called before Python ends if the file is a Python object.

    datasets   the arrays of numbers by their paths, in the order of the file's groups
    others     the number of datasets that are not arrays of numbers, and of links that were not followed
    elsewhere  the paths of objects that are, or have their elements, in other files
    """

    def __init__(self, file: Any, h5py: Any) -> None:
        self._file = file
        self._h5py = h5py
        self.datasets: dict[str, Dataset] = {}
        self.others = 0
        self.elsewhere: list[str] = []
        self.groups: dict[str, Any] = {"": file}
        self._walk()

    def close(self) -> None:
        """Close the file. Its datasets cannot be read any more."""
        self._file.close()

    def _walk(self) -> None:
        """Visit all groups, each once. Raises FileFormatError for too many objects."""
        h5py = self._h5py
        seen = {h5py.h5o.get_info(self._file.id).addr}
        queue = [("", self._file)]
        for path, group in queue:  # the loop appends to it
            if path.count("/") >= MAX_DEPTH:
                raise FileFormatError(f"its groups are nested more than {MAX_DEPTH} deep")
            for name in group:
                if len(seen) + self.others > MAX_OBJECTS:
                    raise FileFormatError(f"it has more than {MAX_OBJECTS:,} groups and datasets")
                place = f"{path}/{name}" if path else name
                link = group.get(name, getlink=True)
                if not isinstance(link, h5py.HardLink):
                    self.others += 1
                    if isinstance(link, h5py.ExternalLink):
                        self.elsewhere.append(place)
                    continue
                item = group[name]
                address = h5py.h5o.get_info(item.id).addr
                if address in seen:
                    self.others += 1
                    continue
                seen.add(address)
                if isinstance(item, h5py.Dataset) and (item.external or item.is_virtual):
                    self.elsewhere.append(place)
                if isinstance(item, h5py.Group):
                    self.groups[place] = item
                    queue.append((place, item))
                elif isinstance(item, h5py.Dataset) and (row := _row_of(item.dtype)) is not None:
                    self.datasets[place] = Dataset(place, row, tuple(item.shape or ()), _reader(place, item))
                else:
                    self.others += 1

    def attribute(self, path: str, name: str) -> Any:
        """Return an attribute of a group: a str, a list of str, or another value; None if it does not exist.

        Raises FileFormatError for an attribute that is too large.
        """
        group = self.groups.get(path)
        if group is None or name not in group.attrs:
            return None
        handle = group.attrs.get_id(name)
        if prod(handle.shape or ()) * max(handle.dtype.itemsize, 1) > MAX_ATTRIBUTE_BYTES:
            raise FileFormatError(f"the attribute {_quote(name)} is larger than {MAX_ATTRIBUTE_BYTES:,} bytes")
        return _plain(group.attrs[name])

    def texts(self, path: str, name: str) -> list[str]:
        """Return an attribute that is a list of strings. Keras splits a long list into parts: name0, name1, ..."""
        whole = self.attribute(path, name)
        if isinstance(whole, list):
            return [text for text in whole if isinstance(text, str)]
        texts: list[str] = []
        number = 0
        while isinstance(part := self.attribute(path, f"{name}{number}"), list):
            texts += [text for text in part if isinstance(text, str)]
            number += 1
        return texts


_WHAT = "this is an HDF5 file, as Keras writes them"


def open_hdf5(source: Any, name: str, *, what: str = _WHAT) -> Hdf5File:
    """Open an HDF5 file: a path, or a binary file object. `name` and `what` are for errors. Raises FileFormatError."""
    try:
        import h5py  # type: ignore[import-not-found,import-untyped,unused-ignore]  # an optional dependency
    except ImportError:
        raise FileFormatError(with_name(name, f"{what}: {MISSING}")) from None
    with naming(name):
        file = h5py.File(source, "r")
        try:
            return Hdf5File(file, h5py)
        except BaseException:
            file.close()
            raise


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Turn every exception in the block into a FileFormatError that begins with the name of the file."""
    try:
        yield
    except FileFormatError as error:
        if error.subject == name:
            raise  # not from itself: the chain of causes would have no end
        raise FileFormatError(with_name(name, error)) from error
    except Error:
        raise
    except Exception as error:  # h5py raises many types of exceptions for damaged files
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, (io.UnsupportedOperation)):
            raise
        problem = escape(shorten(" ".join(str(error).split()), 200)) or type(error).__name__
        raise FileFormatError(with_name(name, f"damaged HDF5 file: {problem}")) from error


def _row_of(dtype: np.dtype[Any]) -> Dtype | None:
    """Return the type of an array of numbers; None for strings, references and structures."""
    return natural_dtype(dtype.newbyteorder("=")) if dtype.kind in "biufc" else None


def _reader(path: str, item: Any) -> Callable[[], npt.NDArray[Any]]:
    def read() -> npt.NDArray[Any]:
        import numpy as np  # names and sizes do not need it

        with naming(_quote(path)):
            _check_storage(item)
            array = np.asarray(item[()])
            array = array.astype(array.dtype.newbyteorder("="), copy=False)
            array.flags.writeable = False
            return array

    return read


def _check_storage(item: Any) -> None:
    """Raise FileFormatError for a dataset that is stored elsewhere, needs a plugin, or is far larger than its file."""
    if item.external or item.is_virtual:
        raise FileFormatError("its elements are in another file, which is not read")
    properties = item.id.get_create_plist()
    filters = [properties.get_filter(number)[0] for number in range(properties.get_nfilters())]
    if not _FILTERS.issuperset(filters):
        raise FileFormatError("it needs a filter that is not part of HDF5")
    size, stored = item.size * item.dtype.itemsize, item.id.get_storage_size()
    if size > MIN_LIMIT and size > MAX_RATIO * stored:
        raise FileFormatError(f"its {size:,} bytes are more than {MAX_RATIO} times the {stored:,} that are stored")


def _plain(value: Any) -> Any:
    """Return the value of an attribute with strings as str."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "tolist"):
        items = value.tolist()
        return [_plain(item) for item in items] if isinstance(items, list) else _plain(items)
    return value


def _quote(text: str) -> str:
    return f'"{escape(shorten(text, _SHOWN))}"'
