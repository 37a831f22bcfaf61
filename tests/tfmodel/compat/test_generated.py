"""Code that protoc generated runs: its messages are made from the descriptors in it, and from those of the tables."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tfmodel.compat
from pbwire import proto
from pbwire.compat import compat_class
from pbwire.compat.descriptors.file_protos import file_proto
from pbwire.compat.pools import DescriptorPool
from pbwire.proto.parser import parse
from tests.support import samples
from tfmodel.compat import proto_modules
from tfmodel.compat.google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tfmodel.compat.tensorboard.compat.proto import summary_pb2
from tfmodel.compat.tensorflow.core.framework import graph_pb2

SHAPES = "tensorflow/core/framework/tensor_shape.proto"
GENERATED = Path(__file__).parents[2] / "golden" / "compat" / "generated"
USE = """
import json, pickle, sys
import order_pb2 as pb
from tensorflow.core.framework import tensor_shape_pb2

order = pb.Order(number=7, state=pb.Order.SHIPPED, lines=[dict(article="pen", sizes=[-1, 2])], cash=True)
order.gifts["a"].currency = pb.EURO
order.placed.FromJsonString("2024-05-31T00:00:00Z")
order.box.dim.add(size=3)
line = order.lines.add(price=1.5)
print(json.dumps({
    "bytes": order.SerializeToString(deterministic=True).hex(),
    "same": [
        pb.Order.FromString(order.SerializeToString()) == order,
        pickle.loads(pickle.dumps(order)) == order,
        isinstance(order.box, tensor_shape_pb2.TensorShapeProto),
        type(line) is pb.Order.Line,
        pb.Order.Line.__module__ == "order_pb2",
    ],
    "names": [pb.Currency.Name(1), pb.Order.State.Value("SHIPPED"), order.WhichOneof("payment")],
    "descriptors": [
        pb.DESCRIPTOR.name, pb.DESCRIPTOR.package, pb._ORDER.full_name, pb._ORDER_LINE.containing_type.name,
        pb._ORDER.fields_by_name["placed"].message_type.full_name, pb._ORDER_GIFTSENTRY.GetOptions().map_entry,
        [file.name for file in pb.DESCRIPTOR.dependencies], sorted(pb.DESCRIPTOR.services_by_name),
        [oneof.name for oneof in pb._ORDER.oneofs], [field.name for field in pb._ORDER.oneofs[0].fields],
    ],
}))
"""


@pytest.mark.parametrize("name", ["3_14", "3_19", "30_2"])
def test_code_of_three_generations_of_protoc_runs_in_a_script(tmp_path, name):
    shutil.copy(GENERATED / f"order_{name}.txt", tmp_path / "order_pb2.py")
    (tmp_path / "script.py").write_text(USE)
    command = [sys.executable, "-m", "tfmodel.compat", "--override", str(tmp_path / "script.py")]
    root = str(Path(tfmodel.compat.__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": root}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stderr == ""
    result = json.loads(done.stdout)
    types = proto.load_set(set_of_order())
    expected = types["shop.v1.Order"]
    line = expected.Line
    order = expected(number=7, state=2, lines=[line(article="pen", sizes=[-1, 2]), line(price=1.5)], cash=True)
    order.gifts["a"] = line(currency=1)
    order.placed = types["google.protobuf.Timestamp"](seconds=1717113600)
    shape = types["tensorflow.TensorShapeProto"]
    order.box = shape(dim=[shape.Dim(size=3)])
    assert result["bytes"] == order.to_bytes(deterministic=True).hex()
    assert all(result["same"]), result["same"]
    assert result["names"] == ["EURO", 2, "cash"]
    assert result["descriptors"] == [
        "order.proto",
        "shop.v1",
        "shop.v1.Order",
        "Order",
        "google.protobuf.Timestamp",
        True,
        ["google/protobuf/timestamp.proto", "tensorflow/core/framework/tensor_shape.proto"],
        ["Orders"],
        ["payment", "_note"],
        ["card", "cash"],
    ]


def set_of_order() -> proto.FileDescriptorSet:
    """Return the descriptors of order.proto and of its imports, which tables have."""
    assert proto_modules.table_sources
    pool = DescriptorPool()
    imports = [pool.FindFileByName(name).proto for name in ("google/protobuf/timestamp.proto", SHAPES)]
    own = (GENERATED / "order.proto").read_text()
    parsed = parse(own, "order.proto").descriptor
    return proto.FileDescriptorSet(file=[*imports, parsed])


def test_the_default_pool_knows_the_messages_of_the_tables():
    pool = descriptor_pool.Default()
    assert pool.FindMessageTypeByName("tensorflow.GraphDef")._concrete_class is graph_pb2.GraphDef
    assert pool.FindFieldByName("tensorflow.GraphDef.node").number == 1
    assert pool.FindEnumTypeByName("tensorflow.DataType").values_by_name["DT_FLOAT"].number == 1
    assert pool.FindFileContainingSymbol("tensorflow.NodeDef").name == "tensorflow/core/framework/node_def.proto"


def test_files_of_a_copied_package_refer_to_the_copies():
    file = descriptor_pb2.FileDescriptorProto(name="tensorboard/plugins/x.proto", package="tensorboard.x")
    file.syntax, file.dependency[:] = "proto3", ["tensorboard/compat/proto/summary.proto"]
    field = file.message_type.add(name="X").field.add(name="data", number=1, label=1, type=11)
    field.type_name = ".tensorboard.SummaryMetadata"
    added = DescriptorPool().AddSerializedFile(file.SerializeToString())
    message = message_factory.GetMessageClass(added.message_types_by_name["X"])()
    message.data.display_name = "name"
    assert type(message.data) is summary_pb2.SummaryMetadata
    assert message.SerializeToString() == b"\n\x06\x12\x04name"


@pytest.mark.parametrize("path", sorted(proto_modules.FILES))
def test_the_descriptor_of_a_table_makes_the_same_messages(path):
    """Classes that are made from the descriptor of a table have the fields of the table."""
    file = DescriptorPool().FindFileByName(f"{path}.proto")
    again = proto.load_set(proto.FileDescriptorSet(file=[*imports_of(file), file.proto]))
    for message in file.message_types_by_name.values():
        check_same(message, again[message.full_name])


def imports_of(file):
    found = {}
    for imported in file.dependencies:
        found |= {one.name: one for one in imports_of(imported)} | {imported.name: imported.proto}
    return list(found.values())


def check_same(message, cls):
    table = message._table
    rows = [
        [
            (row.number, row.text_name, row.kind, row.label, row.packed, row.oneof, row.presence, row.default)
            for row in one.fields
        ]
        for one in (table, cls.__table__)
    ]
    assert rows[0] == rows[1]
    for inner in message.nested_types:
        if not inner.is_map_entry:
            check_same(inner, getattr(cls, inner.name))


def test_a_table_of_any_syntax_has_a_descriptor():
    tables = sys.modules[samples.Proto2.__module__]
    assert [message.name for message in file_proto(tables).message_type]


@pytest.mark.parametrize(
    ("proto_file", "problem"),
    [
        ({"name": "a.proto", "dependency": ["missing.proto"]}, "Depends on file 'missing.proto'"),
        ({"name": "a.proto", "message_type": [{"name": "9"}]}, "Couldn't build proto file"),
        ({"name": "a.proto", "syntax": "proto9"}, "proto9"),
    ],
)
def test_a_file_that_is_not_valid_is_a_type_error(proto_file, problem):
    with pytest.raises(TypeError, match=problem):
        descriptor_pool.DescriptorPool().Add(descriptor_pb2.FileDescriptorProto(**proto_file))


def test_bytes_that_are_not_a_file_are_a_type_error():
    with pytest.raises(TypeError, match="Couldn't parse file content"):
        descriptor_pool.DescriptorPool().AddSerializedFile(b"\xff")


def test_a_file_can_be_added_again_but_not_changed():
    pool = descriptor_pool.DescriptorPool()
    file = descriptor_pb2.FileDescriptorProto(name="a.proto")
    assert pool.Add(file) is pool.Add(file)
    file.package = "other"
    with pytest.raises(TypeError, match="duplicate file name"):
        pool.Add(file)


def other_versions(name: str) -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="tensorflow/core/framework/versions.proto", package="tensorflow")
    file.message_type.add(name="VersionDef").field.add(name=name, number=1, label=1, type=5)
    return file


def test_a_file_that_is_added_replaces_that_of_the_tables():
    """Generated code of another version of TensorFlow has its own messages."""
    message = DescriptorPool().Add(other_versions("newer")).message_types_by_name["VersionDef"]
    assert [field.name for field in message.fields] == ["newer"]


def test_a_file_of_the_tables_that_is_loaded_is_kept_unless_it_lacks_something():
    pool = DescriptorPool()
    loaded = pool.FindFileByName("tensorflow/core/framework/versions.proto")
    assert pool.Add(other_versions("producer")) is loaded
    with pytest.raises(TypeError, match=r"duplicate file name .* lacks VersionDef\.newer"):
        pool.Add(other_versions("newer"))


@pytest.mark.parametrize("kind", ["MessageType", "EnumType", "Field", "Oneof", "Service", "Method", "Extension"])
def test_names_that_a_pool_does_not_have_are_a_key_error(kind):
    with pytest.raises(KeyError, match="Couldn't find"):
        getattr(descriptor_pool.Default(), f"Find{kind}ByName")("no.such.Name")


MOVED = [
    ("tensorflow/core/protobuf/error_codes.proto", "xla/tsl/protobuf/error_codes.proto"),
    ("tsl/protobuf/histogram.proto", "xla/tsl/protobuf/histogram.proto"),
]


@pytest.mark.parametrize(("moved", "now"), MOVED)
def test_a_file_that_moved_is_there_under_both_names(moved, now):
    pool = DescriptorPool()
    assert [file.name for file in pool.FindFileByName(moved).public_dependencies] == [now]
    assert pool.FindFileByName(now).name == now


def test_copies_of_messages_are_in_files_of_their_own():
    file = summary_pb2.DESCRIPTOR
    assert file.name == "tensorboard/compat/proto/summary.proto"
    assert file.message_types_by_name["Summary"]._concrete_class is summary_pb2.Summary
    assert summary_pb2.Summary.Value.DESCRIPTOR.file is file


def test_the_name_of_a_message_is_not_that_of_a_file():
    with pytest.raises(KeyError, match="Couldn't find file"):
        DescriptorPool().FindFileByName("tensorflow.GraphDef")


def test_a_table_that_no_pool_knows_names_other_packages_as_they_are(tmp_path, monkeypatch):
    head = "from pbwire import table as pb\n"
    (tmp_path / "money_table.py").write_text(
        f'"""money.proto: money."""\n{head}'
        '@pb.message("money.Amount")\nclass Amount(pb.Message):\n    cents: int = pb.int64(1)\n'
    )
    (tmp_path / "shop_table.py").write_text(
        f'"""shop.proto: the shop."""\n{head}from money_table import Amount\n'
        '@pb.message("shop.Order")\nclass Order(pb.Message):\n    price: "Amount" = pb.field(Amount, 1)\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    order = compat_class(importlib.import_module("shop_table").Order)
    file = order.DESCRIPTOR.file
    assert (file.name, file.package) == ("shop.proto", "shop")
    assert file.message_types_by_name["Order"] is order.DESCRIPTOR
    assert (file.proto.message_type[0].field[0].type_name, file.proto.dependency) == (".money.Amount", ["money.proto"])
