"""Copies of tfmodel inside other projects, and one runnable file with all of tfmodel.

    from tfmodel.vendoring import parse_parts, vendor

    vendor("app/_vendor", parse_parts("pbwire,schema"))      # from app._vendor.tfmodel import messages

A copy is a folder with the packages `pbwire` and `tfmodel` (TensorFlow's messages are `tfmodel._schema`), LICENSE and
MANIFEST.json. It works under any package name, can be moved, and coexists with other versions, because all its imports
are relative and none of its modules is top-level. Plugins belong to one copy: the group of their entry points is named
after its package, "app._vendor.tfmodel.transforms".

The package imports `pbwire.atomic`, `values`, `errors` and `messages`; `tfmodel vendor` calls it.

Its modules:

    parts.py       the parts that can be copied separately
    closure.py     the files of a part, found from imports
    manifest.py    MANIFEST.json, which is untrusted input
    own_files.py   read the files of the running tfmodel, from a checkout, a wheel, a copy or a .pyz; rewrite imports
    comparison.py  compare a folder with its manifest and with the running tfmodel
    writing.py     write a copy to a folder
    archive.py     write the .pyz
    listing.py     the table of the parts
"""

from __future__ import annotations

from .archive import zipapp
from .comparison import Verdict, check
from .listing import PartsReport, list_parts
from .manifest import VendorError
from .own_files import import_line, is_package_name, package_of
from .parts import ALL, PARTS, parse_parts
from .writing import Outcome, vendor

__all__ = [
    "ALL",
    "PARTS",
    "Outcome",
    "PartsReport",
    "VendorError",
    "Verdict",
    "check",
    "import_line",
    "is_package_name",
    "list_parts",
    "package_of",
    "parse_parts",
    "vendor",
    "zipapp",
]
