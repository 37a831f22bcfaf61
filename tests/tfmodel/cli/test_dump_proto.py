"""dump --proto: messages that a .proto file declares, by themselves and inside Any."""

from __future__ import annotations

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


def test_an_any_of_the_file_is_expanded(tmp_path, capsys):
    content = shop()["shop.Order"](id="a").to_bytes()
    anys = CollectionDef.AnyList(value=[Any("type.googleapis.com/shop.Order", content)])
    meta = MetaGraphDef(collection_def={"c": CollectionDef(any_list=anys)})
    path = tmp_path / "model.meta"
    path.write_bytes(meta.to_bytes())
    for form in ("text", "json"):
        assert main(["dump", str(path), *PROTO, "--type", "MetaGraphDef", "--format", form]) == 0
        out = capsys.readouterr().out
        assert "type.googleapis.com/shop.Order" in out
        assert ('id: "a"' if form == "text" else '"id": "a"') in out


def test_a_wrong_proto_file_is_an_error_with_its_place(order, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.proto").write_text('syntax = "proto3";\nmessage M { X x = 1; }\n')
    assert main(["dump", order, "--proto", "a.proto", "--type", "M"]) == 1
    assert 'a.proto:2:13: "X" is not defined' in capsys.readouterr().err


def test_include_folders_need_proto(order, capsys):
    assert main(["dump", order, "-I", "."]) == 2
    assert "add --proto" in capsys.readouterr().err
