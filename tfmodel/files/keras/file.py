"""`KerasFile`: a Keras model file, with its architecture, versions and weights.

    file = KerasFile("model.keras", "model.keras")
    file.model, file.versions
    file.weights["conv/kernel"]                # a Mapping of arrays, read on demand

The architecture of a .keras archive is read without h5py; everything else needs it.
"""

from __future__ import annotations

import io
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, BinaryIO

from ...errors import FileFormatError, with_name
from ...messages import DataType
from ...values.names import TakenNames
from ..access.open_files import OpenFile
from .archive import CONFIG, METADATA, WEIGHTS, KerasArchive
from .config import Layer, parse_json, parse_layers
from .hdf5 import Dataset, Hdf5File, naming, open_hdf5
from .naming import Groups, Namer, Origin

if TYPE_CHECKING:
    import numpy.typing as npt

HDF5, ARCHIVE = "HDF5", "archive"


@dataclass(frozen=True, slots=True)
class Stored:
    """The type, shape and bytes of a weight, as entries of checkpoints have them."""

    dtype: DataType
    shape: tuple[int, ...]
    size: int


class KerasWeights(Mapping[str, "npt.NDArray[Any]"]):
    """The arrays of numbers in a Keras file by name, read on demand; read-only. Raises FileFormatError when used.

    prefix    the name of the file
    """

    def __init__(self, file: KerasFile) -> None:
        self.prefix = file.name
        self._file = file

    @property
    def _rows(self) -> dict[str, tuple[Dataset, Origin]]:
        return self._file.weight_rows

    @cached_property
    def entries(self) -> dict[str, Stored]:
        """The type and shape of each weight, without reading it."""
        return {name: Stored(row.dtype.number, row.shape, row.size) for name, (row, _) in self._rows.items()}

    def origin(self, name: str) -> Origin:
        """Return the layer of a weight, with its class, and the role of the weight there."""
        return self._rows[name][1]

    def path(self, name: str) -> str:
        """Return the place of a weight in the HDF5 file."""
        return self._rows[name][0].path

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        dataset = self._rows[name][0]
        with naming(self.prefix):
            return dataset.read()

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def _groups(hdf5: Hdf5File) -> Groups:
    names: dict[str, set[str]] = {}
    labels = {}
    for path in hdf5.groups:
        parent, _, name = path.rpartition("/")
        names.setdefault(parent, set()).add(name)
        if name == "vars" and isinstance(label := hdf5.attribute(path, "name"), str):
            labels[parent] = label
    counts = Counter(path.rpartition("/")[0] for path in hdf5.datasets)
    return Groups({path: frozenset(group) for path, group in names.items()}, labels, counts)


def _in_order(hdf5: Hdf5File) -> list[str]:
    """Return the paths of datasets in the order of the layers and their variables, as far as attributes have it.

    HDF5 sorts names; numbers are sorted as numbers.
    """
    positions: dict[str, int] = {}
    for root in ("model_weights", ""):
        for layer in hdf5.texts(root, "layer_names"):
            group = f"{root}/{layer}" if root else layer
            for name in hdf5.texts(group, "weight_names"):
                positions.setdefault(f"{group}/{name}", len(positions))
    for name in hdf5.texts("optimizer_weights", "weight_names"):
        positions.setdefault(f"optimizer_weights/{name}", len(positions))

    def key(path: str) -> tuple[int, list[tuple[int, str]]]:
        parts = [(int(part), "") if part.isdecimal() and len(part) < 10 else (-1, part) for part in path.split("/")]
        return positions.get(path, len(positions)), parts

    return sorted(hdf5.datasets, key=key)


class KerasFile:
    """A Keras file: an HDF5 file of a model or of weights, or a .keras archive. Raises FileFormatError.

    It stays open until the object is deleted, or until Python ends: the HDF5 library crashes if it has to close a file
    in an archive, which it reads through Python, after Python has ended.
    """

    def __init__(self, name: str, source: str | bytes | OpenFile) -> None:
        self.name = name
        self._source = source
        self._archive: KerasArchive | None = None
        self._opened = ExitStack()
        weakref.finalize(self, self._opened.close)
        file = self._open()
        self._opened.callback(file.close)
        if file.read(2) == b"PK":
            self._archive = KerasArchive(file, name)  # reads members of it later
            self._opened.callback(self._archive.close)
        else:
            file.close()

    def _open(self) -> BinaryIO:
        if isinstance(self._source, OpenFile):
            return self._source.take()
        return io.BytesIO(self._source) if isinstance(self._source, bytes) else open(self._source, "rb")

    @property
    def kind(self) -> str:
        """ "archive" for a .keras file, "HDF5" for others."""
        return ARCHIVE if self._archive is not None else HDF5

    @cached_property
    def hdf5(self) -> Hdf5File:
        """The HDF5 file, or that in the archive. Needs h5py."""
        hdf5 = self._open_hdf5()
        self._opened.callback(hdf5.close)  # before the archive that it reads is closed
        return hdf5

    def _open_hdf5(self) -> Hdf5File:
        if self._archive is None:
            source = self._source.path if isinstance(self._source, OpenFile) else self._source
            return open_hdf5(io.BytesIO(source) if isinstance(source, bytes) else source, self.name)
        if WEIGHTS not in self._archive and "model.weights.json" in self._archive:
            raise FileFormatError(with_name(self.name, "its weights are in several files, which is not supported"))
        return open_hdf5(self._archive.section(WEIGHTS), self.name, what="the weights of this archive are an HDF5 file")

    @cached_property
    def config(self) -> Any:
        """The architecture as a JSON document; None for a file of weights, and if it is damaged."""
        if self._archive is not None:
            return parse_json(self._archive.text(CONFIG))
        return self._document("model_config")

    def texts(self) -> Iterator[tuple[str, Any]]:
        """Yield the JSON documents from which Keras makes objects, with their names; they should be of type str."""
        if self._archive is not None:
            yield CONFIG, self._archive.text(CONFIG)
            return
        for name in ("model_config", "training_config"):
            with naming(self.name):
                text = self.hdf5.attribute("", name)
            if text is not None:
                yield name, text

    @property
    def members(self) -> list[str]:
        """The names of the members of a .keras archive; none for an .h5 file."""
        return self._archive.members if self._archive is not None else []

    def elsewhere(self) -> list[str]:
        """Return the paths of weights that are in other files; none if h5py is missing, or there are no weights."""
        if find_spec("h5py") is None or (self._archive is not None and WEIGHTS not in self._archive):
            return []
        return self.hdf5.elsewhere

    def _document(self, attribute: str) -> Any:
        with naming(self.name):
            text = self.hdf5.attribute("", attribute)
        return parse_json(text) if isinstance(text, str) else None

    @cached_property
    def model(self) -> Layer | None:
        """The architecture; None for a file of weights alone."""
        return parse_layers(self.config)

    @cached_property
    def training(self) -> Any:
        """The configuration of the training, as a JSON document; None without it."""
        if self._archive is not None:
            return self.config.get("compile_config") if isinstance(self.config, dict) else None
        return self._document("training_config")

    @cached_property
    def versions(self) -> dict[str, str]:
        """Facts about the writer that the file has: keras_version, backend, date_saved."""
        if self._archive is not None:
            document = parse_json(self._archive.text(METADATA)) if METADATA in self._archive else {}
            items = document.items() if isinstance(document, dict) else ()
            return {key: value for key, value in items if isinstance(value, str)}
        with naming(self.name):
            facts = {
                key: self.hdf5.attribute("", key) or self.hdf5.attribute("model_weights", key)
                for key in ("keras_version", "backend")
            }
        return {key: value for key, value in facts.items() if isinstance(value, str)}

    @property
    def weights(self) -> KerasWeights:
        """The weights by name. Needs h5py when it is used."""
        return KerasWeights(self)

    @cached_property
    def weight_rows(self) -> dict[str, tuple[Dataset, Origin]]:
        """The dataset, and the place in the architecture, of each weight by name. Needs h5py."""
        with naming(self.name):
            hdf5, taken = self.hdf5, TakenNames()
            namer = Namer(self.model, _groups(hdf5))
            rows = {}
            for path in _in_order(hdf5):
                dataset = hdf5.datasets[path]
                name, origin = namer.name(path, scalar=not dataset.shape)
                rows[taken.fresh(name)] = dataset, origin
            return rows
