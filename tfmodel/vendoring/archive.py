"""Write one runnable file with everything: `python tfmodel.pyz dump model.pb`.

It is a zip file, which Python runs. Equal sources give equal bytes: names are sorted, dates are fixed, and nothing is
compressed, since another version of the library could compress differently.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile

from ..io.atomic import replacing
from .own_files import license_text, own_files

__all__ = ["zipapp", "zipapp_bytes"]

_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip file
_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16

_SHEBANG = b"#!/usr/bin/env python3\n"

_MAIN = "tfmodel/__main__.py"  # run as a script, outside any package, so its import is absolute


def zipapp(path: str) -> int:
    """Write the running tfmodel to one runnable file, and return its size in bytes.

    Raises VendorError if its sources or license are missing, and OSError.
    """
    data = zipapp_bytes()
    with replacing(path) as file:
        file.write(data)
        if os.path.isfile(file.name):  # not a device
            os.chmod(file.name, _executable(os.stat(file.name).st_mode))
    return len(data)


def _executable(mode: int) -> int:
    """Return permissions that allow execution to everyone who can read the file."""
    return stat.S_IMODE(mode) | (mode & 0o444) >> 2


def zipapp_bytes() -> bytes:
    """Return the bytes of the runnable file."""
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
