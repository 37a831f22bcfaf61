"""The files that a running model may read: those in its folder, and those that the user allows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import FileFormatError, RunError, with_name
from ..files.access.special_files import open_regular
from ..files.access.stand_ins import refuse_stand_in
from ..source.model_source import ModelSource
from ..values.terminal import escape


class ReadableFiles:
    """The files of a model, and `allowed`, a list of folders and files."""

    def __init__(self, source: ModelSource, allowed: Sequence[str | os.PathLike[str]]) -> None:
        places = [os.path.realpath(path) for path in allowed]
        if source.folder:
            places.append(os.path.realpath(source.folder))
        if source.file is not None and source.file.path:
            places.append(os.path.dirname(os.path.realpath(source.file.path)))
        self._places = places

    def read(self, path: bytes) -> bytes:
        """Return the contents of a file. Raises RunError if it may not or cannot be read."""
        real = os.path.realpath(os.fsdecode(path))
        if not any(Path(real).is_relative_to(place) for place in self._places):
            raise RunError(f"{escape(real)} is not in the folder of the model, and is not read; allow its folder")
        try:
            with open_regular(real) as file:
                data = file.read()
            refuse_stand_in(real, data)
            return data
        except FileFormatError as error:
            raise RunError(str(error)) from error
        except OSError as error:
            raise RunError(with_name(escape(real), error.strerror or "")) from error
