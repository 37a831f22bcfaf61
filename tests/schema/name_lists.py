"""Write the lists of names in tfmodel/messages.py: imports for type checkers, `__all__`, and `_NAMES`."""

from __future__ import annotations

import ast
import re
import textwrap

from pbwire.proto.layout import import_lines
from pbwire.proto.module_writer import import_order, name_order

__all__ = ["with_names"]


def with_names(source: str, tables: dict[str, str]) -> str:
    """Return the source with the public names of the table modules, whose texts `tables` has by module."""
    names = {module: sorted(_public_names(text), key=import_order) for module, text in sorted(tables.items())}
    modules = {name: module for module, public in names.items() for name in public}
    imports: list[str] = []
    for module, public in names.items():
        lines = import_lines(f"._schema.{module}", public)
        imports += [f"    {line}" for line in lines] if len(lines[0]) <= 116 else _long_import(module, public)
    source = _replaced(
        source, r"(?:    from \._schema\.\w+ import (?:\((?:\n        .*)*\n    \)|.*)\n)+", "\n".join(imports)
    )
    public_names = "\n".join(f'    "{name}",' for name in sorted([*_others(source, modules), *modules], key=name_order))
    source = _replaced(source, r"__all__ = \[\n(?:    .*\n)*\]\n", f"__all__ = [\n{public_names}\n]")
    table = "\n".join(_names_line(module, sorted(public)) for module, public in names.items())
    return _replaced(source, r"_NAMES = \{\n(?:    .*\n)*\}\n", f"_NAMES = {{\n{table}\n}}")


def _names_line(module: str, names: list[str]) -> str:
    line = f'    "{module}": "{" ".join(names)}",'
    if len(line) <= 120:
        return line
    first = f'    "{module}": """'
    lines = textwrap.wrap(" ".join(names), 116, initial_indent=first, subsequent_indent=" " * 8)
    return "\n".join(lines) + '""",'


def _public_names(text: str) -> list[str]:
    for node in ast.parse(text).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                names: list[str] = ast.literal_eval(value)
                return names
    raise ValueError("a table module has no __all__")


def _others(source: str, modules: dict[str, str]) -> list[str]:
    """Return the names of `__all__` that `messages.py` defines itself."""
    defined = {
        name.id
        for node in ast.parse(source).body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    }
    return [name for name in _public_names(source) if name not in modules and name in defined]


def _long_import(module: str, names: list[str]) -> list[str]:
    return [f"    from ._schema.{module} import (", *(f"        {name}," for name in names), "    )"]


def _replaced(source: str, pattern: str, text: str) -> str:
    replaced, count = re.subn(pattern, lambda match: text + "\n", source)
    if count != 1:
        raise ValueError(f"messages.py has {count} places like {pattern}")
    return replaced
