"""Write the .pyi files of `tfmodel.compat`, for type checkers and editors.

    python -m tests.stubs            rewrite the files that are not current
    python -m tests.stubs --check    only name them; exit status 1 if there are any

The modules of .proto files come from the tables, all others from the tree. TensorBoard's and tensorboardX's copies of
messages have no files of their own: their types are unknown (Any).
"""

from __future__ import annotations

import enum
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tfmodel
from pbwire.descriptor import Field, table_of
from pbwire.proto import descriptor_messages
from tfmodel import messages
from tfmodel.compat import proto_modules, protobuf_modules, tree

ROOT = Path(tfmodel.__file__).parent / "compat"
TYPES = "_stub_types"
_HEAD = '"""Written by `python -m tests.stubs`."""\n\n'
_SCALARS = {"string": "_str", "bytes": "_bytes", "bool": "_bool", "float": "_float", "double": "_float"}

_TYPES_STUB = '''\
"""Written by `python -m tests.stubs`. The types of fields, for the other .pyi files; there is no such module."""

from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, str as _str
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from pbwire.compat import Message as _Message
from pbwire.compat.enums import EnumWrapper as _EnumWrapper

__all__ = [
    "_EnumWrapper",
    "_Message",
    "_MessageMap",
    "_RepeatedMessage",
    "_RepeatedScalar",
    "_ScalarMap",
    "_bool",
    "_bytes",
    "_float",
    "_int",
    "_str",
]

_T = TypeVar("_T")
_K = TypeVar("_K")

class _RepeatedScalar(list[_T]):
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

class _RepeatedMessage(list[_T]):
    def add(self, **values: Any) -> _T: ...
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

class _ScalarMap(dict[_K, _T]):
    def MergeFrom(self, other: Mapping[_K, _T]) -> None: ...

class _MessageMap(dict[_K, _T]):
    def get_or_create(self, key: _K) -> _T: ...
    def GetEntryClass(self) -> Any: ...
    def MergeFrom(self, other: Mapping[_K, _T]) -> None: ...
'''


def stubs() -> dict[str, str]:
    """Return the content of all files by their paths below `tfmodel/compat`."""
    files = {f"{TYPES}.pyi": _TYPES_STUB}
    for path, table_module in proto_modules.FILES.items():
        tables = importlib.import_module(f"{messages._schema.__name__}.{table_module}")
        values = {name: getattr(tables, name) for name in tables.__all__}
        public = [
            f"from {_dots(path)}{_module_of(other)} import {name} as {name}\n"
            for other in proto_modules._PUBLIC_IMPORTS.get(table_module, ())
            for name in importlib.import_module(f"{messages._schema.__name__}.{other}").__all__
        ]
        files[f"{path}_pb2.pyi"] = _Stub(path, values).text("".join(public))
    for name, names in protobuf_modules.WELL_KNOWN.items():
        path = f"google/protobuf/{name}"
        values = {public: getattr(protobuf_modules.wellknown, public) for public in names}
        files[f"{path}_pb2.pyi"] = _Stub(path, values).text("")
    values = {public: getattr(descriptor_messages, public) for public in descriptor_messages.__all__}
    files["google/protobuf/descriptor_pb2.pyi"] = _Stub("google/protobuf/descriptor", values).text("")
    for name in protobuf_modules._FILES:  # of no table
        unknown = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"
        files[f"google/protobuf/{name.replace('.', '/')}_pb2.pyi"] = f"{_HEAD}{unknown}"
    for name in sorted(tree.module_names()):
        if not name.endswith("_pb2"):
            files |= _module_stub(name)
    for name, same in tree._SAME.items():
        if name.startswith("tensorflow."):
            dots = "." * (name.count(".") + 2)
            files[f"{name.replace('.', '/')}/__init__.pyi"] = f"{_HEAD}from {dots}{same} import *\n"
    return files


def _module_of(table_module: str) -> str:
    path = next(path for path, module in proto_modules.FILES.items() if module == table_module)
    return f"{path.replace('/', '.')}_pb2"


def _dots(path: str) -> str:
    """Return the dots from the module of a path to `tfmodel.compat`."""
    return "." * (path.count("/") + 1)


class _Stub:
    """The file of one .proto file."""

    def __init__(self, path: str, values: dict[str, Any]) -> None:
        self.path = path
        self.values = values
        self.imports: set[str] = set()

    def text(self, public: str) -> str:
        body = "".join(f"\n{self._definition(name, value, '')}" for name, value in self.values.items())
        imports = "".join(
            f"from {_dots(self.path)}{module} import {name} as {alias}\n"
            for module, name, alias in sorted(self.imports)
        )
        head = f"from {_dots(self.path)}{TYPES} import *\nfrom collections.abc import Iterable as _Iterable\n"
        head += (
            "from collections.abc import Mapping as _Mapping\nfrom typing import Any as _Any, ClassVar as _ClassVar\n"
        )
        return f"{_HEAD}{head}{imports}{public}\nDESCRIPTOR: _Any\n{body}"

    def _definition(self, name: str, value: Any, indent: str) -> str:
        if isinstance(value, enum.EnumType):
            kind = "_ClassVar[{}]" if indent else "{}"
            lines = [f"{name}: {kind.format('_EnumWrapper')}"]
            lines += [f"{member}: {kind.format('_int')}" for member in value.__members__]
            return "".join(f"{indent}{line}\n" for line in lines)
        return "".join(f"{indent}{line}\n" for line in self._class(name, value))

    def _class(self, name: str, cls: Any) -> Iterator[str]:
        yield f"class {name}(_Message):"
        yield "    DESCRIPTOR: _ClassVar[_Any]"
        for nested_name, nested in vars(cls).items():
            if isinstance(nested, enum.EnumType) or (isinstance(nested, type) and "__table__" in vars(nested)):
                yield from self._definition(nested_name, nested, "    ").splitlines()
        fields = table_of(cls).fields
        for field in fields:
            yield f"    {field.text_name.upper()}_FIELD_NUMBER: _ClassVar[_int]"
        for field in fields:
            read = self._type(field, cls)
            if field.label == "singular" and not field.is_message:
                yield f"    {field.text_name}: {read}"
            else:
                yield "    @property"
                yield f"    def {field.text_name}(self) -> {read}: ..."
        arguments = "".join(f", {field.text_name}: {self._argument(field, cls)} = ..." for field in fields)
        yield f"    def __init__(self{', *' if arguments else ''}{arguments}) -> None: ..."

    def _type(self, field: Field, cls: Any) -> str:
        if field.label == "map":
            assert field.key is not None and field.value is not None
            kind = "_MessageMap" if field.value.is_message else "_ScalarMap"
            return f"{kind}[{self._element(field.key, cls)}, {self._element(field.value, cls)}]"
        element = self._element(field, cls)
        if field.label == "repeated":
            return f"{'_RepeatedMessage' if field.is_message else '_RepeatedScalar'}[{element}]"
        return element

    def _argument(self, field: Field, cls: Any) -> str:
        if field.label == "map":
            assert field.key is not None and field.value is not None
            value = self._element(field.value, cls)
            value = f"{value} | _Mapping[_str, _Any]" if field.value.is_message else value
            return f"_Mapping[{self._element(field.key, cls)}, {value}] | None"
        element = self._element(field, cls)
        if field.is_message:
            element += " | _Mapping[_str, _Any]"
        elif field.kind == "string":
            element += " | _bytes"
        elif field.kind == "enum":
            element += " | _str"
        return f"_Iterable[{element}] | None" if field.label == "repeated" else f"{element} | None"

    def _element(self, field: Field, cls: Any) -> str:
        if not field.is_message:
            return _SCALARS.get(field.kind, "_int")
        target = field.type
        name = target.__qualname__
        top = name.partition(".")[0]
        if self.values.get(top) is not None and target.__module__ == self.values[top].__module__:
            return name
        alias = f"_{top}_"
        self.imports.add((_home(target), top, alias))
        return f"{alias}{name[len(top) :]}"


def _home(cls: Any) -> str:
    name = cls.__module__.rpartition(".")[2]
    if cls.__module__ == descriptor_messages.__name__:
        return "google.protobuf.descriptor_pb2"
    if cls.__module__ == "pbwire.wellknown":
        file = next(file for file, names in protobuf_modules.WELL_KNOWN.items() if cls.__qualname__ in names)
        return f"google.protobuf.{file}_pb2"
    return _module_of(name)


def _module_stub(name: str) -> dict[str, str]:
    """Return the file of a module that does not belong to a .proto file."""
    path = f"{name.replace('.', '/')}/__init__.pyi"
    dots = "." * (name.count(".") + 2)
    lines = ["from typing import Any\n"]
    if name.startswith("google.protobuf.") and not name.endswith(("internal", "compiler")):
        source, names = protobuf_modules._SOURCES.get(name.removeprefix("google.protobuf."), ("", ""))
        path = f"{name.replace('.', '/')}.pyi"
        if source and "." not in source:
            return {path: f"{_HEAD}{_imports(source, names)}"}
        if name == "google.protobuf.message":
            text = (
                "from pbwire.compat import Message as Message\nfrom pbwire.errors import DecodeError as DecodeError\n"
            )
            text += "from pbwire.errors import EncodeError as EncodeError, Error as Error\n"
            return {path: f"{_HEAD}{text}"}
    if name in tree._MODULES:
        lines.append(f"from {dots}facades.{tree._MODULES[name]} import *\n")
    for public, (source, own) in sorted(tree._lazy_names(name).items()):
        kind, _, place = source.partition(" ")
        if kind == "module":
            target = tree.canonical_name(f"{place}.{own}")
            parent, _, last = target.rpartition(".")
            lines.append(f"from {dots}{parent} import {last} as {public}\n")
        elif kind == "proto":
            lines.append(f"from {dots}{_module_of(place)} import {own} as {public}\n")
        else:
            lines.append(f"from {dots}facades.{kind} import {own} as {public}\n")
    lines.append("\ndef __getattr__(name: str) -> Any: ...\n")
    return {path: f"{_HEAD}{''.join(lines)}"}


def _imports(source: str, names: str) -> str:
    """Return the imports of names of a module of `pbwire.compat`, which are listed as in `protobuf_modules`."""
    if names == "*":
        return f"from pbwire.compat.{source} import *\n"
    pairs = [name.partition("=") for name in names.split()]
    listed = ", ".join(f"{own or name.lstrip('_')} as {name}" for name, _, own in pairs)
    return f"from pbwire.compat.{source} import {listed}\n"


def main(arguments: list[str]) -> int:
    """Rewrite the files, or name those that are not current."""
    files = stubs()
    present = {str(path.relative_to(ROOT)): path for path in ROOT.rglob("*.pyi")}
    changed = [path for path, text in files.items() if path not in present or present[path].read_text() != text]
    gone = sorted(present.keys() - files.keys())
    print(*sorted(changed), *(f"{path} (gone)" for path in gone), sep="\n")
    if "--check" in arguments:
        return 1 if changed or gone else 0
    for path in changed:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path])
    for path in gone:
        present[path].unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
