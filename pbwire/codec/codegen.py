"""From a table to functions: each class gets a decoder, an encoder and a printer of its own, compiled on first use.

Code that is written for one message beats a loop over its table by a good deal, since every decision that the table
settles is made once. It costs about a millisecond a class, so nothing is compiled before it is called: a generated
function that needs another one finds a stub under its name, which compiles the other one and takes its own place.

What is generated is meant to be read: `pbwire.explain(NodeDef)` prints it.

What readers that are written for one class have in common: they gather values in locals, and store them at the end.

Each slot has a local of its own, which begins with what the slot holds while its field is absent; which field a value
belongs to is decided by comparing numbers.

The code behind a message class, to be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from textwrap import dedent, indent
from types import NoneType
from typing import Any

from ..descriptor import Table, table_of

__all__ = ["Source", "choice", "code", "defaults", "explain", "function", "local", "written"]


# What can be compiled, and the module whose `write(source, table, what)` writes it.
_WRITERS = {
    "decode": ".decoder",
    "decode_lazily": ".decoder",
    "decode_maps": ".decoder",
    "read_entries": ".decoder",
    "encode": ".encoder",
    "copy": ".copy",
    "share": ".copy",
    "print": "..text.printer",
    "print_json": "..json.printer",
    "read_json": "..json.parser",
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


RUN = 6  # numbers are compared one after another in runs of at most so many; more are halved first


def local(slot: str) -> str:
    """The variable that holds a slot's value to be, apart from all other names of the text."""
    return f"f_{slot}"


def defaults(source: Source, slots: dict[str, Any]) -> str:
    """Every local's value while its field is absent; equal ones are assigned at once."""
    same: dict[str, list[str]] = {}
    for slot, empty in slots.items():
        literal = empty.__class__ in (bool, int, float, str, bytes, NoneType)
        value = repr(empty) if literal else source.bind(f"zero_{slot}", empty)
        same.setdefault(value, []).append(local(slot))
    return "".join(" = ".join([*names, value]) + "\n" for value, names in same.items())


def choice(name: str, cases: list[tuple[int, str]]) -> str:
    """What to do for each value of the variable `name`; `cases` are sorted."""
    if len(cases) > RUN:
        middle = len(cases) // 2
        return code(
            "if $name < $number:\n    $low\nelse:\n    $high",
            name=name,
            number=str(cases[middle][0]),
            low=choice(name, cases[:middle]),
            high=choice(name, cases[middle:]),
        )
    return "el".join(
        code("if $name == $number:\n    $body", name=name, number=str(number), body=body) for number, body in cases
    )


def explain(cls: type) -> str:
    """The source of the functions that are compiled for a message class: decoders, encoder and printer."""
    table = table_of(cls)
    return "\n\n".join(written(table, what).text for what in ("decode", "decode_lazily", "encode", "print"))
