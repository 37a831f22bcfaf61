"""Write tfmodel, or a part of it with commands, to one file that Python can run: `python tfmodel.pyz dump model.pb`.

The file is a zip archive, compressed. Beside each module is its bytecode for the Python that writes the archive, so
that a command starts about as fast as an installed one; another Python ignores it and compiles the source. Python does
not compare the two: to change a module, write the archive anew. Equal sources give equal bytes with the same Python:
names are sorted, and dates are fixed.
"""

from __future__ import annotations

import io
import marshal
import os
import stat
import sys
import zipfile
from importlib.util import MAGIC_NUMBER, source_hash
from types import CodeType
from typing import Any

from pbwire.atomic import replacing

from .manifest import VendorError
from .own_files import files_of, license_text
from .parts import ALL, PARTS

_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip file
_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16
_LEVEL = 9

_SHEBANG = b"#!/usr/bin/env python3\n"

# Copied to the root of the archive. Python runs it there outside any package, so its relative import is made absolute.
_MAIN = "tfmodel/__main__.py"

_UNCHECKED = (1).to_bytes(4, "little")  # Python trusts the bytecode: it need not decompress the source


def zipapp(path: str, parts: tuple[str, ...] = (ALL,)) -> int:
    """Write parts of the running tfmodel to one runnable file, and return its size in bytes.

    Raises VendorError if its sources or license are missing, or if the parts have no commands, and OSError.
    """
    data = zipapp_bytes(parts)
    with replacing(path) as file:
        file.write(data)
        if os.path.isfile(file.name):  # not a device
            os.chmod(file.name, _executable(os.stat(file.name).st_mode))
    return len(data)


def _executable(mode: int) -> int:
    """Return permissions that allow execution to everyone who can read the file."""
    return stat.S_IMODE(mode) | (mode & 0o444) >> 2


def zipapp_bytes(parts: tuple[str, ...] = (ALL,)) -> bytes:
    """Return the bytes of the runnable file."""
    files = files_of(parts)
    if _MAIN not in files:
        able = ", ".join(name for name, part in PARTS.items() if part.commands or name == ALL)
        raise VendorError(f"{', '.join(parts)}: this has no commands to run; parts that have some are {able}")
    main = files[_MAIN].replace(b"from .cli", b"from tfmodel.cli")
    files = {**files, "LICENSE": license_text(), "__main__.py": main}
    files |= {f"{path}c": _bytecode(path, data) for path, data in files.items() if path.endswith(".py")}
    archive = io.BytesIO()
    archive.write(_SHEBANG)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as target:
        for path, data in sorted(files.items()):
            info = zipfile.ZipInfo(path, _DATE)
            info.create_system, info.external_attr = _UNIX, _MODE
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, data, compresslevel=_LEVEL)
    return archive.getvalue()


def _bytecode(path: str, source: bytes) -> bytes:
    """Return the content of the .pyc file of a module: the same for the same source, whatever else the process runs."""
    held: list[object] = []
    code = _settled(compile(source, path, "exec", dont_inherit=True, optimize=0), held)
    return MAGIC_NUMBER + _UNCHECKED + source_hash(source) + marshal.dumps(code)


def _settled(value: Any, held: list[object]) -> Any:
    """Return a constant or code object in which all text is interned, and hold all that is in it.

    marshal writes text, and what is used once, in other forms if other modules of the process have it too.
    """
    if isinstance(value, str):
        value = sys.intern(value)
    elif isinstance(value, tuple):
        value = tuple(_settled(each, held) for each in value)
    elif isinstance(value, frozenset):
        value = frozenset(_settled(each, held) for each in value)
    elif isinstance(value, slice):
        value = slice(*(_settled(each, held) for each in (value.start, value.stop, value.step)))
    elif isinstance(value, CodeType):
        texts = {name: _settled(getattr(value, name), held) for name in ("co_name", "co_qualname", "co_filename")}
        held.append(value)
        value = value.replace(co_consts=_settled(value.co_consts, held), **texts)
    held.append(value)
    return value
