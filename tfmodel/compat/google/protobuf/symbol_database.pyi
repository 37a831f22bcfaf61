"""Written by `python -m tests.stubs`."""

from pbwire.compat.generated import SymbolDatabase as SymbolDatabase, default_symbols as Default
