"""`tfmodel.files.detection.formats`: binary, text format and JSON."""

from __future__ import annotations

import io

import pytest

from pbwire import JsonError, TextFormatError
from tests.tfmodel import models
from tfmodel.files.access.forms import FORMS, form_of
from tfmodel.files.detection.formats import read, write
from tfmodel.messages import GraphDef, MetaGraphDef


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("graph.pb", "binary"),
        ("model.ckpt-7.meta", "binary"),
        ("folder.pb/graph.pbtxt", "text"),
        ("graph.textproto", "text"),
        ("graph.txtpb", "text"),
        ("graph.PBTXT", "text"),
        ("model.ckpt.json", "json"),
        ("graph", None),
        ("graph.pb.gz", None),
        ("folder.pb/graph", None),
        (".json", None),
        ("-", None),
    ],
)
def test_the_format_of_a_name(path, form):
    assert form_of(path) == form


@pytest.mark.parametrize("form", FORMS)
def test_written_messages_are_read_back(form):
    meta = models.meta_graph("serve")
    meta.collection_def = models.collections()
    file = io.BytesIO()
    write(meta, file, form)
    for lazy in (False, True):
        assert read(file.getvalue(), MetaGraphDef, form, lazy=lazy).to_bytes(True) == meta.to_bytes(True)


@pytest.mark.parametrize("form", ["text", "json"])
def test_long_messages_are_written_in_pieces(form):
    class Pieces(list):
        write = list.append

    pieces = Pieces()
    write(GraphDef(node=models.graph().node * 1000), pieces, form)
    assert len(pieces) > 50
    assert max(map(len, pieces)) < sum(map(len, pieces)) / 20


@pytest.mark.parametrize(
    ("form", "error", "unknown", "also_wrong", "nothing_else"),
    [
        ("text", TextFormatError, b"node {} quanta: 1", b"node {} quanta: 1 node: 3", b"quanta: 1"),
        ("json", JsonError, b'{"node": [{}], "quanta": 1}', b'{"quanta": 1, "node": 3}', b'{"quanta": 1}'),
    ],
)
def test_a_way_to_read_it_is_offered_only_if_it_is_one(form, error, unknown, also_wrong, nothing_else):
    for data, is_offered in ((unknown, True), (also_wrong, False), (nothing_else, False)):
        with pytest.raises(error, match="quanta") as caught:
            read(data, GraphDef, form)
        assert ("allow_unknown_field" in str(caught.value)) is is_offered
    assert read(unknown, GraphDef, form, allow_unknown_field=True) == GraphDef(node=[models.NodeDef()])
