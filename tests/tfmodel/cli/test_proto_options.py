"""--proto of dump and convert: messages that a .proto file declares, by themselves and inside Any."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbwire.wellknown import Any
from tests.golden.proto.protoc import FOLDER
from tests.pbwire.proto.files import shop
from tfmodel.cli import main
from tfmodel.messages import CollectionDef, MetaGraphDef

PROTO = ["--proto", str(FOLDER / "shop/order.proto"), "-I", str(FOLDER)]


@pytest.fixture
def order(tmp_path):
    path = tmp_path / "order.bin"
    path.write_bytes(shop()["shop.Order"](id="a", items={"x": 3}).to_bytes())
    return str(path)


def test_a_message_of_the_file_is_printed(order, capsys):
    assert main(["dump", order, *PROTO, "--type", "shop.Order"]) == 0
    assert capsys.readouterr().out == 'id: "a"\nitems {\n  key: "x"\n  value: 3\n}\n'


def test_a_message_of_the_file_becomes_json(order, capsys):
    assert main(["dump", order, *PROTO, "--type", "shop.Order", "--format", "json"]) == 0
    assert '"id": "a"' in capsys.readouterr().out


@pytest.fixture
def meta(tmp_path):
    """A MetaGraph with a collection of messages that tfmodel does not know."""
    content = shop()["shop.Order"](id="a").to_bytes()
    anys = CollectionDef.AnyList(value=[Any("type.googleapis.com/shop.Order", content)])
    path = tmp_path / "model.meta"
    path.write_bytes(MetaGraphDef(collection_def={"c": CollectionDef(any_list=anys)}).to_bytes())
    return str(path)


TEXT = "[type.googleapis.com/shop.Order] {"
JSON = '"@type": "type.googleapis.com/shop.Order"'
VIEWS = [
    ("--format text", TEXT, 'id: "a"'),
    ("--format json", JSON, '"id": "a"'),
    ("--field collection_def[*].any_list", TEXT, 'id: "a"'),
    ("--field collection_def[*].any_list --format json", JSON, '"id": "a"'),
    ("--field collection_def[*].any_list.value[0] --format json", JSON, '"id": "a"'),
    ("--field collection_def[*].any_list.value --format json", JSON, '"id": "a"'),
    ("--collections", "Order {", '  id: "a"'),
    ("--collections --format json", JSON, '"id": "a"'),
    ("--collections --format tree", "Order", "id"),
]


@pytest.mark.parametrize(("options", "head", "field"), VIEWS)
def test_an_any_of_the_file_is_expanded(options, head, field, meta, capsys):
    assert main(["dump", meta, *PROTO, "--type", "MetaGraphDef", *options.split()]) == 0
    out = capsys.readouterr().out
    assert head in out
    assert field in out


@pytest.mark.parametrize("suffix", ["pbtxt", "json"])
def test_an_any_of_the_file_is_converted_and_back(suffix, meta, tmp_path):
    other, back = str(tmp_path / f"other.{suffix}"), str(tmp_path / "back.meta")
    assert main(["convert", meta, other, *PROTO]) == 0
    assert main(["convert", other, back, *PROTO]) == 0
    assert Path(back).read_bytes() == Path(meta).read_bytes()


@pytest.mark.parametrize("command", ["dump {} --format json", "convert {} out.json"])
def test_without_the_file_the_error_names_the_option(command, meta, capsys):
    assert main([word.format(meta) for word in command.split()]) == 2
    assert "shop.Order, which cannot be printed without its class: name the .proto file" in capsys.readouterr().err


def test_binary_needs_no_declaration(meta, tmp_path, capsys):
    assert main(["convert", meta, str(tmp_path / "copy.meta"), *PROTO]) == 2
    assert "both files are binary: leave it out" in capsys.readouterr().err


def test_a_message_of_the_file_is_converted(order, tmp_path):
    other, back = str(tmp_path / "order.json"), str(tmp_path / "back.pb")
    assert main(["convert", order, other, *PROTO, "--type", "shop.Order"]) == 0
    assert main(["convert", other, back, *PROTO, "--type", "shop.Order"]) == 0
    assert Path(back).read_bytes() == Path(order).read_bytes()


def test_a_wrong_proto_file_is_an_error_with_its_place(order, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.proto").write_text('syntax = "proto3";\nmessage M { X x = 1; }\n')
    assert main(["dump", order, "--proto", "a.proto", "--type", "M"]) == 2
    assert 'a.proto:2:13: "X" is not defined' in capsys.readouterr().err


def test_include_folders_need_proto(order, capsys):
    assert main(["dump", order, "-I", "."]) == 2
    assert "add --proto" in capsys.readouterr().err
