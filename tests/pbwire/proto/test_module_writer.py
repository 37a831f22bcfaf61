"""Table modules: they declare what the classes at run time are, read well, and cannot run code."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pbwire
from pbwire import proto
from pbwire.commands import main
from pbwire.proto import descriptor_messages as d
from pbwire.proto.loader import load_descriptor_set, load_files
from pbwire.proto.module_writer import modules
from tests.pbwire.proto.files import FILES, FOLDER, shop

ROOT = Path(pbwire.__file__).resolve().parents[1]

ORDER = '''\
# ruff: noqa: N801
"""shop/order.proto: package shop."""

from __future__ import annotations

from pbwire import services
from pbwire import table as pb
from pbwire.wellknown import Any

from .money import Money

__all__ = ["Order", "Orders", "State"]


@pb.enum("shop.State", names={"None_": "None"})
class State(pb.Enum):
    UNKNOWN = 0
    SENT = 1  # on its way
    SHIPPED = 1
    None_ = -1


@pb.message("shop.Order", reserved=["old"])
class Order(pb.Message):
    """An order of a customer.

    It is "open" until it has a state.
    """

    @pb.message("shop.Order.class")
    class class_(pb.Message):
        """A class of customers."""

        from_: int = pb.int32(1, name="from")

    id: str = pb.string(1)  # Unique in the shop.
    items: dict[str, int] = pb.map(pb.string, pb.int32, 2)  # numbers of pieces, by name
    prices: dict[int, Money] = pb.map(pb.int64, Money, 8)
    state: State = pb.field(State, 3)
    paid: int | None = pb.int64(4, optional=True)
    extra: Any | None = pb.field(Any, 5)
    history: list[State] = pb.repeated(State, 9, packed=False)
    in_: class_ | None = pb.field(class_, 6, oneof="where", name="in")
    to_bytes_: str | None = pb.string(7, oneof="where", name="to_bytes")


Orders = services.Service(
    "shop.Orders",
    services.Method("Watch", Order, Order, client_streaming=True, server_streaming=True),
)
'''


def written(source: str) -> str:
    """Return the module of a file."""
    from pbwire.proto.loader import Loader

    loader = Loader([])
    loader.load_text(source, "a.proto")
    return modules(loader.pool, ["a.proto"])["a.py"]


EXTENSIONS = '''\
"""a.proto: package p."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["Base", "Scope", "Set", "pb_", "speeds"]


@pb.message("p.Scope", syntax="proto2")
class Scope(pb.Message):
    n: int | None = pb.int32(1)
    own = pb.Extension["Scope | None"]("p.Scope.own", "Base", pb.field("Scope", 100))  # inside of its type
    from_ = pb.Extension[int | None]("p.Scope.from", "Base", pb.sint32(101, default=-3))


@pb.message("p.Base", syntax="proto2", extensions=[range(100, 200), range(1000, 536870912)], reserved=["a", "b"])
class Base(pb.ExtendableMessage):
    extensions_: int | None = pb.int32(1, name="extensions")


@pb.message("p.Set", syntax="proto2", extensions=[range(4, 2147483647)], message_set=True)
class Set(pb.ExtendableMessage):
    pass


speeds = pb.Extension[list[int]]("p.speeds", Base, pb.repeated(pb.int32, 102, packed=True))
pb_ = pb.Extension[Scope | None]("p.pb", Set, pb.field(Scope, 2000000000))
'''

EXTENSIONS_SOURCE = """
syntax = "proto2";
package p;
message Scope {
  optional int32 n = 1;
  extend Base {
    optional Scope own = 100;  // inside of its type
    optional sint32 from = 101 [default = -3];
  }
}
message Base { optional int32 extensions = 1; extensions 100 to 199, 1000 to max; reserved 2 to 9; reserved "a", "b"; }
message Set { option message_set_wire_format = true; extensions 4 to max; }
extend Base { repeated int32 speeds = 102 [packed = true]; }
extend Set { optional Scope pb = 2000000000; }
"""


def test_a_module_declares_extensions():
    assert written(EXTENSIONS_SOURCE) == EXTENSIONS


def test_a_message_set_without_numbers_for_extensions_is_an_ordinary_message():
    module = written('syntax = "proto2"; message Set { option message_set_wire_format = true; }')
    assert '@pb.message("Set", syntax="proto2")\nclass Set(pb.Message):' in module


SERVICES = '''\
# ruff: noqa: N801, N816
"""a.proto: package p."""

from __future__ import annotations

from pbwire import services
from pbwire import table as pb
from pbwire.proto.descriptor_messages import FileDescriptorProto
from pbwire.wellknown import Empty

__all__ = ["Empty_", "Service", "lowerCase", "services_"]


@pb.message("p.Service")
class Service(pb.Message):
    pass


@pb.message("p.services")
class services_(pb.Message):
    @pb.message("p.services.In")
    class In(pb.Message):
        pass

    services: Service | None = pb.field(Service, 1)


# Two ways
# to ask.
lowerCase = services.Service(
    "p.lowerCase",
    services.Method("One", Service, services_.In),  # once
    services.Method("Many", Empty, FileDescriptorProto, client_streaming=True, server_streaming=True),
)


Empty_ = services.Service(
    "p.Empty",
)
'''

SERVICES_SOURCE = """
syntax = "proto3";
package p;
import "google/protobuf/descriptor.proto";
import "google/protobuf/empty.proto";
message Service { }
message services { message In { } Service services = 1; }
// Two ways
// to ask.
service lowerCase {
  rpc One (Service) returns (services.In);  // once
  rpc Many (stream google.protobuf.Empty) returns (stream google.protobuf.FileDescriptorProto) { }
}
service Empty { }
"""


def test_a_module_declares_services():
    assert written(SERVICES_SOURCE) == SERVICES


def test_services_of_a_module_are_those_that_load_has():
    namespace: dict[str, Any] = {"__name__": "a"}
    exec(compile(SERVICES, "a.py", "exec"), namespace)

    def plain(service):
        return service.full_name, [
            (name, one.name, full_name(one.request), full_name(one.response), *one[3:])
            for name, one in service.methods.items()
        ]

    loaded = proto.load_text(SERVICES_SOURCE).services
    assert [plain(namespace["lowerCase"]), plain(namespace["Empty_"])] == [
        plain(loaded["p.lowerCase"]),
        plain(loaded["p.Empty"]),
    ]
    assert loaded["p.lowerCase"].methods["Many"].client_streaming


def test_methods_have_messages_of_other_files(tmp_path, monkeypatch):
    (tmp_path / "one.proto").write_text('syntax = "proto3"; message M { message In { int32 x = 1; } }')
    (tmp_path / "calls.proto").write_text(
        'syntax = "proto3"; import "one.proto"; service S { rpc R (M) returns (M.In); }'
    )
    assert main(["compile", "-I", str(tmp_path), "-o", str(tmp_path / "called"), str(tmp_path / "calls.proto")]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    method = importlib.import_module("called.calls").S.methods["R"]
    assert method.response(x=1).to_bytes() == b"\x08\x01"


def texts() -> dict[str, str]:
    return modules(*load_files([FOLDER / file for file in FILES], [FOLDER]))


def test_a_module_reads_as_people_write_it():
    assert texts()["shop/order.py"] == ORDER


def test_the_same_files_give_the_same_text():
    assert texts() == texts()


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for path, text in (texts() | {"served.py": SERVICES}).items():
        file = folder / "shop_tables" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        for one in (folder / "shop_tables" / "__init__.py", file.parent / "__init__.py"):
            one.touch()
    return folder


def rows(cls):
    def reference(field):
        return None if field is None or field.type is None else full_name(field.type)

    names = ["number", "kind", "label", "packed", "oneof", "optional", "required", "implicit", "default"]
    names += ["text_name", "name", "presence"]
    return [
        [*(getattr(field, name) for name in names), reference(field), reference(field.value)]
        for field in cls.__table__.fields
    ]


def extensions(cls):
    table = cls.__table__
    return [(one.number, one.full_name) for one in table.extensions.values()] if table.is_extendable else None


def full_name(cls):
    return cls.__table__.full_name if hasattr(cls, "__table__") else cls.__full_name__


def test_modules_declare_the_same_classes_as_load(package, monkeypatch):
    monkeypatch.syspath_prepend(str(package))
    found = {}
    for path in texts():
        module = importlib.import_module("shop_tables." + path[:-3].replace("/", "."))
        waiting = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
        while waiting:
            cls = waiting.pop()
            found[full_name(cls)] = cls
            waiting += [value for value in vars(cls).values() if isinstance(value, type) and _is_table(value)]
    expected = {name: cls for name, cls in shop().items() if name.startswith("shop.")}
    assert set(found) == set(expected)
    for name, cls in expected.items():
        if hasattr(cls, "__table__"):
            assert rows(found[name]) == rows(cls)
            assert pbwire.table_of(found[name]).syntax == pbwire.table_of(cls).syntax
            assert extensions(found[name]) == extensions(cls)
        else:
            ours = [(one, int(number)) for one, number in found[name].__members__.items()]
            assert ours == [(one, int(number)) for one, number in cls.__members__.items()]


def test_a_module_beside_a_folder_of_its_name_has_another_name(tmp_path, monkeypatch):
    """Python imports the folder geo/shape, not geo/shape.py."""
    sources = {
        "geo/shape.proto": 'package geo; import "geo/shape/unit.proto"; message Shape { shape.Unit unit = 1; }',
        "geo/shape/unit.proto": "package geo.shape; message Unit { int32 x = 1; }",
        "geo/map.proto": 'package geo; import "geo/shape.proto"; message Map { repeated Shape shapes = 1; }',
    }
    for name, source in sources.items():
        file = tmp_path / "sources" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'syntax = "proto3"; {source}')
    files = [str(tmp_path / "sources" / name) for name in sources]
    assert main(["compile", "-I", str(tmp_path / "sources"), "-o", str(tmp_path / "geo_tables"), *files]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    shape, unit, map_ = (importlib.import_module(f"geo_tables.geo.{name}") for name in ("shape_", "shape.unit", "map"))
    message = map_.Map(shapes=[shape.Shape(unit=unit.Unit(x=1))])
    assert message.to_bytes() == b"\n\x04\n\x02\x08\x01"


def _is_table(value):
    return "__table__" in vars(value) or "__full_name__" in vars(value)


@pytest.mark.slow(reason="runs mypy and ruff")
def test_mypy_and_ruff_accept_modules(package):
    for command in (
        ["mypy", "--strict", "shop_tables"],
        ["ruff", "check", "--isolated", "--line-length=120", "--select=E,F,W,I,N,UP,B,C4,SIM,PIE,RUF", "shop_tables"],
        ["ruff", "format", "--isolated", "--check", "--line-length=120", "shop_tables"],
    ):
        pytest.importorskip(command[0])
        environment = os.environ | {"MYPYPATH": str(ROOT)}
        result = subprocess.run(
            [sys.executable, "-m", *command], cwd=package, capture_output=True, text=True, env=environment
        )
        assert result.returncode == 0, result.stdout + result.stderr


ENUM_FIRST = """syntax = "proto3";
message A { B.Kind kind = 1; B b = 2; }
message B { A.Kind kind = 1; enum Kind { X = 0; } }
message C { A a = 1; }
"""


def test_a_type_that_is_declared_later_is_referred_to_by_name():
    source = ENUM_FIRST.replace("message A {", "message A { enum Kind { Y = 0; }")
    text = written(source)
    assert 'kind: B.Kind = pb.field(pb.EnumName("B.Kind"), 1)' in text
    assert 'b: B | None = pb.field("B", 2)' in text
    assert "kind: A.Kind = pb.field(A.Kind, 1)" in text
    namespace = {"__name__": "later_types"}
    module = sys.modules["later_types"] = type(sys)("later_types")
    try:
        exec(compile(text, "a.py", "exec"), vars(module) | namespace)
    finally:
        del sys.modules["later_types"]


def test_fields_called_as_builtins_do_not_hide_them():
    text = written(
        'syntax = "proto3"; message M { int32 int = 1; int32 b = 2; repeated int32 list = 3; bytes pb = 4; }'
    )
    assert "int: builtins.int = pb.int32(1)" in text
    assert "list: builtins.list[builtins.int] = pb.repeated(pb.int32, 3)" in text
    assert 'pb_: bytes = pb.bytes(4, name="pb")' in text


ALLOWED = (
    ast.Module, ast.Expr, ast.Constant, ast.ImportFrom, ast.Import, ast.alias, ast.Assign, ast.AnnAssign, ast.ClassDef,
    ast.List, ast.Name, ast.Load, ast.Store, ast.Call, ast.Attribute, ast.keyword, ast.BinOp, ast.BitOr, ast.Subscript,
    ast.Tuple, ast.UnaryOp, ast.USub, ast.Dict, ast.Pass,
)  # fmt: skip


def check_is_harmless(text: str) -> None:
    """A module only declares: it imports table modules, and calls `pbwire.table` and `pbwire.services` alone."""
    for node in ast.walk(ast.parse(text)):
        assert isinstance(node, ALLOWED), ast.dump(node)
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func)
            assert function.startswith(("pb.", "services.")) or (function in ("float", "builtins.float")), function


HOSTILE_TEXTS = [
    '"""\nimport os\n"""',
    "'''\nimport os\n'''",
    "\\",
    '"',
    'ends with a quote"',
    "a\rimport os",
    "a\u2028import os",
    "a\x0cimport os",
    "a\x00b",
    '\\"""; import os',
    "{__import__('os')}",
    "# type: ignore",
    '""""""""',
]


@pytest.mark.parametrize("comment", HOSTILE_TEXTS)
def test_a_comment_is_not_run(comment):
    file = d.FileDescriptorProto(name="a.proto", syntax="proto3")
    file.message_type.append(d.DescriptorProto(name="M", field=[int32("x", 1)]))
    file.enum_type.append(d.EnumDescriptorProto(name="E", value=[d.EnumValueDescriptorProto(name="A", number=0)]))
    method = d.MethodDescriptorProto(name="R", input_type=".M", output_type=".M")
    file.service.append(d.ServiceDescriptorProto(name="S", method=[method]))
    locations = [
        d.SourceCodeInfo.Location(path=path, leading_comments=comment)
        for path in ([4, 0], [4, 0, 2, 0], [5, 0], [5, 0, 2, 0], [6, 0], [6, 0, 2, 0])
    ]
    file.source_code_info = d.SourceCodeInfo(location=locations)
    pool = load_descriptor_set(d.FileDescriptorSet(file=[file]))
    check_is_harmless(modules(pool, ["a.proto"])["a.py"])


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_default_is_not_run(text):
    field = d.FieldDescriptorProto(name="x", number=1, label=1, type=9, default_value=text)
    file = d.FileDescriptorProto(name="a.proto", message_type=[d.DescriptorProto(name="M", field=[field])])
    module = modules(load_descriptor_set(d.FileDescriptorSet(file=[file])), ["a.proto"])["a.py"]
    check_is_harmless(module)
    default = next(
        node.value for node in ast.walk(ast.parse(module)) if isinstance(node, ast.keyword) and node.arg == "default"
    )
    assert ast.literal_eval(default) == text


@pytest.mark.parametrize("text", [*HOSTILE_TEXTS, "", "a b", "a.b", "1a", "\u00e4"])
def test_a_name_that_is_not_an_identifier_is_refused(text):
    for file in (
        d.FileDescriptorProto(name="a.proto", syntax="proto3", package=text or "."),
        d.FileDescriptorProto(name="a.proto", syntax="proto3", message_type=[d.DescriptorProto(name=text)]),
        d.FileDescriptorProto(
            name="a.proto", syntax="proto3", message_type=[d.DescriptorProto(name="M", field=[int32(text, 1)])]
        ),
    ):
        if text == "a.b" and file.package:
            continue
        with pytest.raises(proto.ProtoError):
            load_descriptor_set(d.FileDescriptorSet(file=[file]))


def test_a_module_may_be_in_100_folders():
    for depth in (100, 101, 3_000):
        name = f"{'a/' * depth}b.proto"
        pool = load_descriptor_set(d.FileDescriptorSet(file=[d.FileDescriptorProto(name=name)]))
        if depth == 100:
            assert [*modules(pool, [name])] == [f"{'a/' * depth}b.py"]
            continue
        with pytest.raises(proto.ProtoError, match=rf"is in {depth:,} folders, and a module may be in 100$") as caught:
            modules(pool, [name])
        assert len(str(caught.value)) < 500


def int32(name: str, number: int) -> d.FieldDescriptorProto:
    return d.FieldDescriptorProto(name=name, number=number, label=1, type=5)


@pytest.mark.parametrize(
    "name", [*HOSTILE_TEXTS, "../a.proto", "/etc/a.proto", "a/../../b.proto", "class/1.proto", "..."]
)
def test_the_name_of_a_file_is_not_run_and_leads_nowhere(name):
    file = d.FileDescriptorProto(name=name, syntax="proto3", message_type=[d.DescriptorProto(name="M")])
    try:
        found = modules(load_descriptor_set(d.FileDescriptorSet(file=[file])), [name])
    except proto.ProtoError:
        return
    for path, text in found.items():
        check_is_harmless(text)
        assert ".." not in path and not path.startswith("/") and "\\" not in path
