"""Copies of tfmodel for other people's trees, and one file that has everything.

    from tfmodel.vendoring import chosen, vendor

    vendor("app/_vendor", chosen("pbwire,schema"))      # from app._vendor.tfmodel import messages

A copy is a folder with `pbwire` and `tfmodel` in it as they are imported, the tables being `tfmodel._schema`; LICENSE;
and MANIFEST.json. It works under the name of any package, wherever it is moved and beside any other version, because
all its imports are relative: nothing of it is ever a top-level module. Plugins belong to one copy: the group of their
entry points is called like its package, "app._vendor.tfmodel.transforms".

Its modules:

    parts.py       what can be copied on its own
    own_files.py   the files of the running tfmodel, from a checkout, a wheel, a copy or a .pyz; a copy in memory
    imports.py     the rewriting of imports, and the name under which a folder is imported
    writing.py     a copy to a folder
    manifest.py    MANIFEST.json, which is untrusted input
    comparison.py  a folder compared with its manifest and with the running tfmodel
    archive.py     the .pyz
"""

from __future__ import annotations

from .archive import zipapp
from .comparison import Verdict, check
from .imports import import_line, is_package_name, package_of
from .manifest import VendorError
from .parts import PARTS, chosen
from .writing import Outcome, vendor

__all__ = [
    "PARTS",
    "Outcome",
    "VendorError",
    "Verdict",
    "check",
    "chosen",
    "import_line",
    "is_package_name",
    "package_of",
    "vendor",
    "zipapp",
]
