"""From a table to functions: each class gets a decoder, an encoder and a printer of its own, compiled on first use.

Code that is written for one message beats a loop over its table by a good deal, since every decision that the table
settles is made once. It costs about a millisecond a class, so nothing is compiled before it is called: a generated
function that needs another one finds a stub under its name, which compiles the other one and takes its own place.

What is generated is meant to be read: `pbwire.explain(NodeDef)` prints it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from textwrap import dedent, indent
from typing import Any

from .fields import Table

__all__ = ["Source", "code", "function", "written"]

# What can be compiled, and the module whose `write(source, table, what)` writes it.
_WRITERS = {
    "decode": ".decoding",
    "decode_lazily": ".decoding",
    "decode_maps": ".decoding",
    "read_entries": ".decoding",
    "encode": ".encoding",
    "copy": ".copying",
    "share": ".copying",
    "print": ".text.printing",
    "print_json": ".json.printing",
    "read_json": ".json.parsing",
}


class Source:
    """The text of a function, and the objects that its text names."""

    def __init__(self) -> None:
        self.text = ""
        self.names: dict[str, Any] = {}

    def bind(self, name: str, value: Any) -> str:
        """Let the text call an object by that name."""
        self.names[name] = value
        return name

    def call(self, what: str, table: Table, hint: str) -> str:
        """A name under which the text can call that function of another class (or of its own)."""
        name = f"{what.replace(':', '_')}_{hint}"
        return self.bind(name, table.functions.get(what) or _stub(self.names, name, table, what))


def code(template: str, **parts: str) -> str:
    """A template without the margin that it has in our source, `$name` replaced by that part.

    A part that stands alone on its line may be of many lines, and is indented as far as its name is; without a line
    it takes its line with it.
    """

    def place(match: re.Match[str]) -> str:
        margin, alone, name = match.groups()
        return parts[name] if name else indent(code(parts[alone]), margin)

    text = dedent(template).strip("\n")
    return re.sub(r"^( *)\$(\w+)\n|\$(\w+)", place, text + "\n", flags=re.MULTILINE) if text else ""


def function(table: Table, what: str) -> Callable[..., Any]:
    """That function of a class, compiled now if it is not yet. `what` may name a field too: "read_entries:attr"."""
    found = table.functions.get(what)
    if found is None:
        source = written(table, what)
        code = compile(source.text, f"<pbwire {what} {table.full_name}>", "exec")
        exec(code, source.names)
        found = table.functions[what] = source.names[what.partition(":")[0]]
    return found


def written(table: Table, what: str) -> Source:
    """The source of that function."""
    source = Source()
    import_module(_WRITERS[what.partition(":")[0]], __package__).write(source, table, what)
    return source


def _stub(names: dict[str, Any], name: str, table: Table, what: str) -> Callable[..., Any]:
    def compile_and_call(*arguments: Any) -> Any:
        names[name] = function(table, what)
        return names[name](*arguments)

    return compile_and_call
