"""Code generation: each message class gets its own functions, which are compiled from its table on first use.

Code for one class is much faster than a loop over its table, since every decision that the table determines is made
only once. Compiling takes about a millisecond per class and is done at the first call. A generated function calls the
functions of other classes through stubs. A stub compiles its function, and replaces itself by this function.

The modules in `WRITERS` write the source. They hold the constant parts as templates with names in capitals, such as
`DECODER`, and insert the parameters with `code`. `pbwire.explain(NodeDef)` shows all generated functions of a class.
Tracebacks and debuggers show the lines of these functions: their globals have a loader, which writes the source again.

Generated decoders and JSON readers collect the values of a message in local variables, one for each slot
(`local_name`), and store them at the end. They compare numbers to find the field of a tag or a name (`branches`).

Parameters that occur in several templates:

    $slot, $case_slot   attribute that holds a field's value, and the number of the set member of its oneof
    $target             local variable, or attribute, that gets the decoded value
    $value, $key        code that reads, writes or prints a value, or a map's key
    $read, $put         code that reads or writes a whole field: the value with its tag, name or separators
    $is_set             condition under which a singular field is written
    $tag, $heads        a field's tag, as a number or as bytes; the tag followed by each one-byte length or number
    $size               code that reads a length into `n`
    $next               code that leaves a loop unless another element of the field follows
    $name, $field       a field's name in the output; the name of its descriptor in the code
    $cls, $table        names of a message class and its table in the code
    $head, $line        text in front of a value; newline and indentation of a message
    $opening, $closing  brackets around a message
    $fields, $members   code for all fields of a message, for all members of a oneof
    $defaults, $present code that sets the local variables to the values of absent fields, or of a message to merge into
    $stores             code that stores the local variables in the message
    $watch, $watches    the `Watch` for hash flooding of a map; code that calls it
    $spans, $pending    byte ranges of a map that is left undecoded; code that stores them
"""

from __future__ import annotations

import sys
from _weakref import ref  # importing weakref takes longer
from collections.abc import Callable
from importlib import import_module
from types import NoneType

from ..descriptor import KINDS, Table, table_of
from ..states import PENDING, UNDECODED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WRITERS = {
    "decode": ".decoder",
    "merge": ".decoder",
    "decode_lazily": ".decoder",
    "decode_maps": ".decoder",
    "read_entries": ".decoder",
    "encode": ".encoder",
    "encode_bytes": ".bytes_encoder",
    "copy": ".copy",
    "share": ".copy",
    "lacks_required": ".required",
    "create": "..compat.classes.codegen",
    "wrap": "..compat.classes.codegen",
    "unwrap": "..compat.classes.codegen",
    "print": "..text.printer",
    "print_json": "..json.printer",
    "read_json": "..json.parser",
}
"""Functions that can be generated, and the module whose `write(source, table, what)` writes their source.

Modules are given by name and imported on first use: they import the base class of messages, which imports this module.
"""


ZERO: float = KINDS["double"].zero


class Source:
    """The text of a function, and the objects that the text refers to by name.

    UNDECODED and PENDING are states. ZERO is the float of absent fields, always the same object: code that finds it
    need not ask for the sign of a zero.
    """

    def __init__(self) -> None:
        self.text = ""
        self.names: dict[str, Any] = {"UNDECODED": UNDECODED, "PENDING": PENDING, "ZERO": ZERO}

    def bind(self, name: str, value: Any) -> str:
        """Make an object available to the text under a name, and return the name."""
        self.names[name] = value
        return name

    def call(self, what: str, table: Table, hint: str) -> str:
        """Return the name by which the text can call the function `what` of the class of `table`.

        `hint` makes the name unique in the text.
        """
        name = f"{what.replace(':', '_')}_{hint}"
        return self.bind(name, table.functions.get(what) or stub(self.names, name, table, what))


def code(template: str, **parts: str) -> str:
    """Return a template without its common indentation, with each `$name` replaced by the part of that name.

    If `$name` is alone on a line, its part may have several lines, which are indented like `$name`. If the part is
    empty, the line is removed.
    """
    pieces = _PIECES.get(template)
    if pieces is None:
        pieces = _split(_without_margin(template))
        if template[:1] == "\n":  # a constant of a module; other templates may be code that is already complete
            _PIECES[template] = pieces
    text = ""
    for before, name, margin in pieces:
        text += before
        if name:
            text += parts[name] if margin is None else _indented(_complete(parts[name]), margin)
    return text


_PIECES: dict[str, list[tuple[str, str, str | None]]] = {}


def _split(text: str) -> list[tuple[str, str, str | None]]:
    """Split a template at its names: the text before each, the name, and its margin if it is alone on a line.

    The text after the last name is a piece without a name. This is done without `re`, which takes long to import.
    """
    first, *others = (text + "\n" if text else "").split("$")
    pieces: list[tuple[str, str, str | None]] = []
    before = first
    for other in others:
        end = next(index for index, character in enumerate(other) if not (character.isalnum() or character == "_"))
        line_start = before.rfind("\n") + 1
        margin = before[line_start:]
        begins_line = line_start or not pieces or pieces[-1][2] is not None
        is_alone = bool(begins_line and other[end] == "\n" and not margin.strip(" "))
        pieces.append((before[:line_start] if is_alone else before, other[:end], margin if is_alone else None))
        before = other[end + is_alone :]
    return [*pieces, (before, "", None)]


def _complete(part: str) -> str:
    """Return a part as whole lines."""
    part = _without_margin(part)
    return f"{part}\n" if part else ""


def _without_margin(template: str) -> str:
    """Return a template without its common indentation, and without empty lines around it."""
    if template[:1] not in {"\n", " "}:  # code that is already complete, or a short template
        return template.strip("\n")
    lines = template.split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" ")), default=0)
    return "\n".join([line[margin:] for line in lines]).strip("\n")


def _indented(text: str, margin: str) -> str:
    """Return complete lines with a margin before each that is not empty."""
    if not text or not margin:
        return text
    text = margin + text[:-1].replace("\n", "\n" + margin) + "\n"
    return text.replace(f"\n{margin}\n", "\n\n") if f"\n{margin}\n" in text else text


def function(table: Table, what: str) -> Callable[..., Any]:
    """Return a generated function of a class. It is compiled on the first call.

    `what` is a key of `WRITERS`. A field or options may follow after a colon: "decode", "read_entries:attr",
    "print:pointy".
    """
    if what not in table.functions:
        source = generate_source(table, what)
        file_name = _register_source(source, table, what)
        code = compile(source.text, file_name, "exec")
        exec(code, source.names)
        table.functions[what] = source.names[what.partition(":")[0]]
    compiled: Callable[..., Any] = table.functions[what]
    return compiled


def _register_source(source: Source, table: Table, what: str) -> str:
    """Return the file name of a generated function, and give its globals a loader, under which `linecache` finds it.

    Classes may have equal names: a dataclass and its protobuf-style class, or classes of .proto files that are loaded
    twice. Their functions have numbers. `linecache`, which takes long to import, learns of the function here only if
    the process has it; otherwise a traceback tells it.
    """
    name = file_name = f"{table.cls.__module__}.{table.cls.__qualname__} {what} (generated)"
    number = 1
    while file_name in _LOADERS:
        number += 1
        file_name = f"{name} {number}"

    def forget(_: Any) -> None:
        del _LOADERS[file_name]
        if "linecache" in sys.modules:
            sys.modules["linecache"].cache.pop(file_name, None)

    loader = _LOADERS[file_name] = _SourceLoader(table, what, forget)
    source.names |= {"__name__": file_name, "__loader__": loader}
    if "linecache" in sys.modules:
        sys.modules["linecache"].lazycache(file_name, source.names)
    return file_name


_LOADERS: dict[str, _SourceLoader] = {}
"""By file name. They are kept here because a weak reference calls nothing if it is freed together with the class."""


class _SourceLoader:
    """Returns the text of a generated function to `linecache` when a traceback or a debugger shows it.

    It does not keep a class that nothing else uses, and calls `forget` when the class is gone.
    """

    def __init__(self, table: Table, what: str, forget: Callable[[Any], object]) -> None:
        self.cls = ref(table.cls, forget)
        self.what = what

    def get_source(self, name: str) -> str:
        cls = self.cls()
        return "" if cls is None else generate_source(cls.__table__, self.what).text


def generate_source(table: Table, what: str) -> Source:
    """Return the source of a generated function."""
    source = Source()
    import_module(WRITERS[what.partition(":")[0]], __package__).write(source, table, what)
    return source


def stub(names: dict[str, Any], name: str, table: Table, what: str) -> Callable[..., Any]:
    """Return a function that compiles a generated function on the first call, and stores it in `names`."""

    def compile_and_call(*arguments: Any) -> Any:
        names[name] = function(table, what)
        return names[name](*arguments)

    return compile_and_call


MAX_COMPARISONS = 6  # numbers that are compared one after another; a longer list is first split in halves


def local_name(slot: str) -> str:
    """Return the name of the local variable for a slot's value. The prefix makes it differ from all other names."""
    return f"f_{slot}"


def default_assignments(source: Source, slots: dict[str, Any], variable: Callable[[str], str] | None = None) -> str:
    """Return code that sets the variable of each slot, a local one by default, to the value of an absent field.

    `slots` maps slots to these values. Equal values share one assignment.
    """
    variable = variable or local_name
    names_by_value: dict[str, list[str]] = {}
    for slot, empty in slots.items():
        literal = empty.__class__ in (bool, int, float, str, bytes, NoneType)
        value = "ZERO" if empty is ZERO else repr(empty) if literal else source.bind(f"zero_{slot}", empty)
        names_by_value.setdefault(value, []).append(variable(slot))
    return "".join(" = ".join([*names, value]) + "\n" for value, names in names_by_value.items())


def branches(name: str, cases: list[tuple[int, str]]) -> str:
    """Return code that compares the variable `name` with the number of each case, and runs the body of that case.

    `cases` are pairs of number and body, sorted by number.
    """
    if len(cases) > MAX_COMPARISONS:
        middle = len(cases) // 2
        return code(
            "if $name < $number:\n    $low\nelse:\n    $high",
            name=name,
            number=str(cases[middle][0]),
            low=branches(name, cases[:middle]),
            high=branches(name, cases[middle:]),
        )
    return "el".join(
        code("if $name == $number:\n    $body", name=name, number=str(number), body=body) for number, body in cases
    )


def explain(cls: type) -> str:
    """Return the source of all functions that are generated for a message class, each after a comment with its name.

    For printers, this is the source for the default options, and for all options that this process has used so far.
    Raises TypeError if `cls` is not a message class.
    """
    table = table_of(cls)
    others = ["decode_maps", "read_entries"]
    if table.is_plain:
        others += ["create", "wrap", "unwrap"]  # of protobuf-style classes
    if not table.has_required_fields:
        others.append("lacks_required")
    names = [name for name in WRITERS if name not in others]
    if table.maps:
        names += ["decode_maps", *(f"read_entries:{field.name}" for field in table.maps)]
    names += [name for name in table.functions if name not in names]
    return "\n\n".join(f"# {name}\n{generate_source(table, name).text}" for name in names)
