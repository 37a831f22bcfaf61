"""The command that writes the tables from .proto files: what it adds, keeps and reports."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from pbwire.proto import descriptor_messages as d
from pbwire.proto.loader import load_descriptor_set
from tests.schema import regenerate
from tests.schema.merging import Merger

GRAPH = "tensorflow/core/framework/graph.proto"
NODE_DEF = "tensorflow/core/framework/node_def.proto"
TYPE = d.FieldDescriptorProto.Type
OPTIONAL = d.FieldDescriptorProto.Label.LABEL_OPTIONAL


@functools.cache
def tables() -> dict[str, bytes]:
    """The descriptors of the tables as they are, encoded, by module."""
    return {name: file.to_bytes() for name, file in regenerate.current_files().items()}


def current() -> dict[str, Any]:
    return {name: d.FileDescriptorProto.from_bytes(data) for name, data in tables().items()}


def newer(change: Any) -> Any:
    """The descriptors of the tables after a change, as those of another TensorFlow, with the names of .proto files."""
    files = {name: d.FileDescriptorProto.from_bytes(data) for name, data in tables().items()}
    change(files)
    merger = Merger(files, load_descriptor_set(d.FileDescriptorSet()), [])
    return load_descriptor_set(merger.descriptor_set())


def field(name: str, number: int, type_name: str = "") -> Any:
    kind = TYPE.TYPE_MESSAGE if type_name else TYPE.TYPE_INT32
    return d.FieldDescriptorProto(
        name=name, number=number, label=OPTIONAL, type=kind, type_name=type_name or None, json_name=name
    )


def test_without_news_the_tables_stay_as_they_are() -> None:
    files, report = regenerate.texts(None, [])
    assert report == []
    for path, text in files.items():
        assert path.read_text() == text, path


def test_without_news_the_tables_of_onnx_stay_as_they_are() -> None:
    files, report = regenerate.texts(None, [], regenerate.ONNX)
    assert report == []
    assert [path.name for path in files] == ["onnx_ml.py", "onnx_facts.tsv"]
    for path, text in files.items():
        assert path.read_text() == text, path


def test_a_new_field_of_onnx_becomes_a_row_and_a_fact() -> None:
    old = regenerate.current_files(regenerate.ONNX)
    [file] = regenerate.current_files(regenerate.ONNX).values()
    node = next(message for message in file.message_type if message.name == "NodeProto")
    node.field.append(field("priority", 99))
    file.name = "onnx/onnx-ml.proto"
    new = load_descriptor_set(d.FileDescriptorSet(file=[file]))
    written, merger = regenerate.modules(old, new, [], regenerate.ONNX)
    before = (regenerate.ONNX.folder / "onnx_ml.py").read_text().splitlines(keepends=True)
    rows = [line for line in written["onnx_ml"].splitlines(keepends=True) if line not in before]
    assert rows == ["    priority: int | None = pb.int32(99)\n"]
    assert merger.report() == ["added: onnx.NodeProto.priority"]
    facts = regenerate.facts_text(regenerate.ONNX.facts.read_text(), new, merger.names)
    assert "field\t99\tpriority\tint32\t\t\n" in facts


def test_a_new_field_becomes_a_row_and_documentation_stays() -> None:
    def change(files: dict[str, Any]) -> None:
        files["node_def"].message_type[0].field.insert(2, field("priority", 99))

    written, merger = regenerate.modules(current(), newer(change), [])
    before = (regenerate.SCHEMA / "node_def.py").read_text().splitlines(keepends=True)
    position = next(i for i, line in enumerate(before) if line.startswith("    input:"))
    before.insert(position, "    priority: int = pb.int32(99)\n")
    assert written["node_def"] == "".join(before)
    assert merger.report() == ["added: tensorflow.NodeDef.priority"]


def test_a_new_value_becomes_a_member() -> None:
    def change(files: dict[str, Any]) -> None:
        files["types"].enum_type[0].value.append(d.EnumValueDescriptorProto(name="DT_NEW", number=77))

    written, merger = regenerate.modules(current(), newer(change), [])
    assert "    DT_NEW = 77\n" in written["types"]
    assert merger.report() == ["added: tensorflow.DataType.DT_NEW"]


def test_types_that_new_fields_need_are_added_with_their_modules() -> None:
    def change(files: dict[str, Any]) -> None:
        first = d.DescriptorProto(name="First", field=[field("second", 1, ".tensorflow.Second")])
        second = d.DescriptorProto(name="Second", field=[field("node", 1, ".tensorflow.NodeDef")])
        unused = d.DescriptorProto(name="Unused")
        proto3 = {"package": "tensorflow", "syntax": "proto3"}
        files["other"] = d.FileDescriptorProto(name="other.proto", message_type=[first, second, unused], **proto3)
        files["graph"].message_type[0].field.append(field("first", 50, ".tensorflow.First"))

    written, merger = regenerate.modules(current(), newer(change), [])
    assert "from .other import First\n" in written["graph"]
    assert "    first: First | None = pb.field(First, 50)\n" in written["graph"]
    assert written["other"].startswith('"""other.proto: new messages."""\n')
    assert "from .node_def import NodeDef\n" in written["other"]
    assert "class Second(pb.Message):" in written["other"]
    assert merger.report()[-1] == "without a table: tensorflow.Unused"


def test_rows_that_the_files_lack_are_kept_in_their_place_and_reported() -> None:
    def change(files: dict[str, Any]) -> None:
        node = files["node_def"].message_type[0]
        node.field = [one for one in node.field if one.name != "device"]
        attr = files["attr_value"].message_type[0]
        attr.field = [one for one in attr.field if one.name != "placeholder"]

    written, merger = regenerate.modules(current(), newer(change), [])
    for name in ("node_def", "attr_value"):
        assert written[name] == (regenerate.SCHEMA / f"{name}.py").read_text()
    kept = "kept, though the .proto files do not have it: tensorflow."
    assert merger.report() == [f"{kept}AttrValue.placeholder", f"{kept}NodeDef.device"]


def test_facts_of_new_rows_are_written_and_old_ones_stay() -> None:
    def change(files: dict[str, Any]) -> None:
        node = files["node_def"].message_type[0]
        node.field = [*(one for one in node.field if one.name != "device"), field("priority", 99)]

    facts = regenerate.facts_text(regenerate.SCHEMA_FACTS.read_text(), newer(change), {"tensorflow.NodeDef"})
    lines = facts.partition("message\ttensorflow.NodeDef\t")[2].splitlines()
    assert "field\t4\tdevice\tstring\t\t" in lines
    assert "field\t99\tpriority\tint32\t\t" in lines


def test_a_folder_without_tensorflow_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert regenerate.main([str(tmp_path)]) == 1
    assert "there is no tensorflow/core/framework/graph.proto in this folder" in capsys.readouterr().err


def test_a_checkout_has_several_folders_for_imports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "tensorflow/core/framework/summary.proto": 'import "xla/tsl/protobuf/histogram.proto";\n'
        "message Summary { message Value { string tag = 1; HistogramProto histo = 5; } repeated Value value = 1; }",
        "third_party/xla/xla/tsl/protobuf/histogram.proto": "message HistogramProto { double min = 1; double x = 99; }",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'syntax = "proto3";\npackage tensorflow;\n{text}\n')
    assert regenerate.main([str(tmp_path), "--check"]) == 1
    streams = capsys.readouterr()
    assert streams.err == ""
    assert "added: tensorflow.HistogramProto.x\n" in streams.out


def test_a_folder_of_proto_files_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tensorflow/core/framework/versions.proto"
    file.parent.mkdir(parents=True)
    file.write_text(
        'syntax = "proto3"; package tensorflow;\n'
        "message VersionDef {\n"
        "  int32 producer = 1; int32 min_consumer = 2; repeated int32 bad_consumers = 3; int32 x = 9;\n"
        "}\n"
    )
    assert regenerate.main([str(tmp_path), "--check"]) == 1
    out = capsys.readouterr().out
    assert "added: tensorflow.VersionDef.x\n" in out
    assert out.splitlines()[-3:] == [
        "would change: schema/versions.py",
        "would change: tests/data/schema_facts.tsv",
        f"{len(regenerate.module_names()) + 1} files, 2 differ",
    ]
