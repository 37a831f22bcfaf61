"""One runnable file that has everything: `python tfmodel.pyz dump model.pb`.

It is a zip file, which Python runs. Equal sources give equal bytes: names are sorted, dates fixed, and nothing is
compressed by a library that may do it otherwise tomorrow.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile

from ..io.atomic import replacing
from .own_files import license_text, own_files

__all__ = ["zipapp", "zipped"]

_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can have
_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16

_SHEBANG = b"#!/usr/bin/env python3\n"

_MAIN = "tfmodel/__main__.py"  # as what is run it is no part of a package, so its import is absolute


def zipapp(path: str) -> int:
    """Write the running tfmodel to one file that can be run, and return its size in bytes.

    Raises VendorError where its sources or license are missing, and OSError.
    """
    data = zipped()
    with replacing(path) as file:
        file.write(data)
        if os.path.isfile(file.name):  # no device
            os.chmod(file.name, _executable(os.stat(file.name).st_mode))
    return len(data)


def _executable(mode: int) -> int:
    """The permissions of a file that may also be run by whoever may read it."""
    return stat.S_IMODE(mode) | (mode & 0o444) >> 2


def zipped() -> bytes:
    """The bytes of that file."""
    files = own_files()
    main = files[_MAIN].replace(b"from .cli", b"from tfmodel.cli")
    files = {**files, "LICENSE": license_text(), "__main__.py": main}
    archive = io.BytesIO()
    archive.write(_SHEBANG)
    with zipfile.ZipFile(archive, "w") as target:
        for path, data in sorted(files.items()):
            info = zipfile.ZipInfo(path, _DATE)
            info.create_system, info.external_attr = _UNIX, _MODE
            target.writestr(info, data)
    return archive.getvalue()
