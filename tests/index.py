"""Write the files that repeat what other code says: indexes of names for start-up, and .pyi files for type checkers.

    python -m tests.index            rewrite the files that are not current
    python -m tests.index --check    only name them; exit status 1 if there are any

    tfmodel/__init__.pyi                    the public names, from `_NAMES` in __init__.py
    tfmodel/message_index.py                the table module of each message, from the classes in schema/
    tfmodel/message_types.pyi               the messages, from the same classes
    tfmodel/ops/kernel_index.py             the ops with a kernel, from the decorators @kernel
    tfmodel/transforms/framework/transform_index.py
                                            the transforms in modules of another name, from the decorators
    tfmodel/compat/**/*.pyi                 the modules of protobuf and TensorFlow: see `tests.stubs`

All of them begin with `MARK`. No other file of the packages is a .pyi file, or has a name that ends with _index.py.
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

import tfmodel
from pbwire.proto.module_writer import import_order
from tests.stubs import MARK, stubs
from tfmodel import messages
from tfmodel.kernels.runtime import KERNELS
from tfmodel.transforms.framework import registry

__all__ = ["MARK", "ROOT", "generated_files", "main", "present_files", "tables_of"]

ROOT = Path(tfmodel.__file__).resolve().parents[1]
_WIDTH = 120


def generated_files() -> dict[str, str]:
    """Return the content of all generated files by their paths below `ROOT`."""
    found = pkgutil.iter_modules(messages._schema.__path__)
    tables = {module.name: _table_names(module.name) for module in found if not module.ispkg}  # not those of ONNX
    return {
        "tfmodel/__init__.pyi": _public_names(),
        "tfmodel/message_index.py": _message_index(tables),
        "tfmodel/message_types.pyi": _message_types(tables),
        "tfmodel/ops/kernel_index.py": _kernel_index(KERNELS),
        "tfmodel/transforms/framework/transform_index.py": _transform_index(),
        **{f"tfmodel/compat/{path}": text for path, text in stubs().items()},
    }


def present_files() -> dict[str, Path]:
    """Return the files of the packages that have the name of a generated file, by their paths below `ROOT`."""
    found = (
        path
        for package in ("pbwire", "schema", "tfmodel")
        for pattern in ("*.pyi", "*_index.py")
        for path in (ROOT / package).rglob(pattern)
    )
    return {path.relative_to(ROOT).as_posix(): path for path in found if "_schema" not in path.parts}


def tables_of(module: ModuleType) -> list[str]:
    """Return the names of the messages and enums that a table module defines, sorted."""
    own = (value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__)
    return sorted(value.__name__ for value in own if isinstance(value, enum.EnumType) or hasattr(value, "__table__"))


def _table_names(module: str) -> list[str]:
    return tables_of(importlib.import_module(f"{messages._schema.__name__}.{module}"))


def _public_names() -> str:
    lines = [f"from . import {name} as {name}\n" for name in tfmodel._SUBMODULES]
    for module, names in tfmodel._NAMES.items():
        lines += [f"from .{module} import {name} as {name}\n" for name in names.split()]
    listed = "".join(f"    {name!r},\n".replace("'", '"') for name in tfmodel.__all__)
    return f"{MARK}\n{''.join(lines)}\n__all__ = [\n{listed}]\n\n__version__: str\nPUBLIC_MODULES: dict[str, str]\n"


def _message_index(tables: Mapping[str, list[str]]) -> str:
    rows = "".join(_words(f'    "{module}": ', names, " " * 8) + ",\n" for module, names in sorted(tables.items()))
    return f'''\
{MARK}"""The table module of each message and enum, for imports on first use: `messages` uses it."""

from __future__ import annotations

_NAMES = {{
{rows}}}
MODULES = {{name: module for module, names in _NAMES.items() for name in names.split()}}
'''


def _message_types(tables: Mapping[str, list[str]]) -> str:
    lines = [
        _import(module, name) for module, names in sorted(tables.items()) for name in sorted(names, key=import_order)
    ]
    return (
        f"{MARK}# The messages, for type checkers. There is no such module: `messages` imports them on first use.\n\n"
        + ("".join(lines))
    )


def _import(module: str, name: str) -> str:
    line = f"from ._schema.{module} import {name} as {name}\n"
    return line if len(line) <= _WIDTH + 1 else f"from ._schema.{module} import (\n    {name} as {name},\n)\n"


def _kernel_index(ops: Iterable[str]) -> str:
    return f'''\
{MARK}"""The ops that have a kernel, so that reports know them without importing all kernels and NumPy."""

from __future__ import annotations

{_words("_NAMES = ", sorted(ops), " " * 4)}
KERNEL_OPS = frozenset(_NAMES.split())
'''


def _transform_index() -> str:
    transforms = (registry.find(name) for name in registry.names())
    modules = {one.name: one.function.__module__.rpartition(".")[2] for one in transforms if one.is_builtin}
    rows = "".join(f'    "{name}": "{module}",\n' for name, module in sorted(modules.items()) if name != module)
    return f'''\
{MARK}"""The module of each transform whose module has another name, so that not all are imported to find it."""

from __future__ import annotations

MODULES = {{
{rows}}}
'''


def _words(start: str, words: list[str], indent: str) -> str:
    """Return `start` with a string of words behind it, over several lines if one is too short."""
    line = f'{start}"{" ".join(words)}"'
    if len(line) < _WIDTH:
        return line
    lines = textwrap.wrap(
        " ".join(words), _WIDTH - 4, initial_indent=f'{start}"""', subsequent_indent=indent, break_on_hyphens=False
    )
    return "\n".join(lines) + '"""'


def main(arguments: list[str]) -> int:
    """Rewrite the files, or name those that are not current."""
    files, present = generated_files(), present_files()
    changed = sorted(path for path, text in files.items() if path not in present or present[path].read_text() != text)
    gone = sorted(present.keys() - files.keys())
    print(*changed, *(f"{path} (gone)" for path in gone), sep="\n")
    if "--check" in arguments:
        return 1 if changed or gone else 0
    for path in changed:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path], encoding="utf-8")
    for path in gone:
        present[path].unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
