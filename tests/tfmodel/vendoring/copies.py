"""Small copies to write, with made-up files."""

from __future__ import annotations

from pathlib import Path

from tfmodel.vendoring.comparison import list_files
from tfmodel.vendoring.own_files import Copy

__all__ = ["NEW", "OLD", "everything", "small"]


def small(files: dict[str, str], version: str = "1.0", parts: tuple[str, ...] = ("pbwire",)) -> Copy:
    """A copy of these files and a license."""
    return Copy(version, parts, {path: text.encode() for path, text in sorted({"LICENSE": "free", **files}.items())})


OLD = small({"pbwire/gone.py": "gone", "pbwire/same.py": "same", "pbwire/text/gone.py": "", "pbwire/wire.py": "old"})
NEW = small({"pbwire/added.py": "added", "pbwire/same.py": "same", "pbwire/wire.py": "new"}, "2.0")


def everything(folder: Path) -> dict[str, str]:
    """Return the contents of the files of a folder, by path."""
    return {path: (folder / path).read_text() for path in list_files(str(folder))}
