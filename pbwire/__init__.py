"""A protobuf runtime in plain Python: messages are dataclasses whose class bodies declare the fields.

    pbwire.table        declares messages
    pbwire.text         prints and parses text format
    pbwire.json         prints and parses JSON
    pbwire.raw          lists the fields in encoded data without a message class
    pbwire.wellknown    has Google's own message types

The package needs no registry and no generated files: it compiles functions on first use, and imports nothing before it
is used. It imports only the standard library, and nothing of tfmodel.

Every Python, even 2.7, must be able to compile this file, so that an old version can report which version is needed.
"""

import sys

if sys.version_info < (3, 11):
    _needed = "pbwire needs Python 3.11 or newer, and this is %d.%d" % sys.version_info[:2]
    # Under `python -m`, exit with a one-line message; a program that imports the package gets an ImportError.
    # sys.argv[0] is "-m" ("-c" in Python 2.7) while `python -m` looks for the module.
    _is_run_as_module = "runpy" in sys.modules and sys.argv[:1] in (["-m"], ["-c"])
    raise SystemExit(_needed) if _is_run_as_module else ImportError(_needed)

from .errors import DecodeError, EncodeError, Error, JsonError, TextFormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import json, raw, table, text, wellknown  # noqa: F401  attributes: see __getattr__
    from .codec.codegen import explain
    from .message import Message, get
    from .table import Enum, table_of

__all__ = [
    "DecodeError",
    "EncodeError",
    "Enum",
    "Error",
    "JsonError",
    "Message",
    "TextFormatError",
    "explain",
    "get",
    "table_of",
]

_MODULES = {
    "Enum": ".table",
    "Message": ".message",
    "explain": ".codec.codegen",
    "get": ".message",
    "table_of": ".table",
}

if not TYPE_CHECKING:

    def __getattr__(name):
        from importlib import import_module

        if name in _MODULES:
            value = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
            return value
        if name in ("json", "raw", "table", "text", "wellknown"):
            return import_module("." + name, __name__)
        raise AttributeError("module %r has no attribute %r" % (__name__, name))

    def __dir__():
        return sorted(__all__)
