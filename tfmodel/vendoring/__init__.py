"""Copies of tfmodel for other people's trees, and one file that has everything.

    from tfmodel.vendoring import chosen, vendor

    vendor("app/_vendor", chosen("pbwire,schema"))      # from app._vendor.tfmodel import messages

A copy is a folder with `pbwire` and `tfmodel` in it as they are imported, the tables being `tfmodel._schema`; LICENSE;
and MANIFEST.json. It works under the name of any package, wherever it is moved and beside any other version, because
all its imports are relative: nothing of it is ever a top-level module. Plugins belong to one copy: the group of their
entry points is called like its package, "app._vendor.tfmodel.transforms".

Its modules:

    parts.py       what can be copied on its own
    sources.py     our own files, from a checkout, a wheel, a copy or a .pyz
    imports.py     the rewriting of imports
    making.py      a copy in memory
    manifest.py    MANIFEST.json, of which nobody knows who wrote it
    folders.py     what is in a folder
    checking.py    how that compares to its manifest and to the tfmodel that runs
    writing.py     a copy to a folder
    naming.py      what that is called when it is imported
    zipping.py     the .pyz
"""

from __future__ import annotations

from .checking import Verdict, check
from .manifest import VendorError
from .naming import import_line, is_package_name, package_of
from .parts import PARTS, chosen
from .writing import Outcome, vendor
from .zipping import zipapp

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
