"""`tfmodel.reports.collections`: collections as text, as tables and as JSON."""

from __future__ import annotations

import json
import textwrap

import pytest
from hypothesis import given, settings

from pbwire import text
from pbwire.wellknown import Any
from tests.support.effort import scaled
from tests.support.strategies import messages
from tests.tfmodel import models
from tfmodel.messages import (
    AssetFileDef,
    CollectionDef,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SavedModel,
    SaverDef,
    SaveSliceInfoDef,
    VariableDef,
)
from tfmodel.reports.collections import collection_lines, collection_tables, collections_json
from tfmodel.source.metagraph import encode_collection

W = VariableDef(variable_name="w:0", initializer_name="w/Assign", trainable=True)
PART = VariableDef(variable_name="p:0", save_slice_info_def=SaveSliceInfoDef(full_name="p", full_shape=[4, 2]))
STRANGE = Any(type_url="x.com/acme.Thing\x1b", value=b"\x00\x01")
DAMAGED = Any(type_url="type.googleapis.com/tensorflow.GraphDef", value=b"\x0a")


def of(**values):
    """Return a MetaGraphDef with collections of these values."""
    return MetaGraphDef(collection_def={name: encode_collection(name, value) for name, value in values.items()})


def page(lines):
    return "\n".join(lines)


def shown(expected):
    return textwrap.dedent(expected).strip("\n")


class TestText:
    def test_messages_names_numbers_and_strings(self):
        meta = of(variables=[W, PART], train_op=["Adam"], steps=[1, -2], rates=[0.5], words=["grüße".encode()])
        assert page(collection_lines(meta)) == shown(r"""
            # rates: 1 number
            0.5

            # steps: 2 numbers
            1
            -2

            # train_op: 1 name
            Adam

            # variables: 2 VariableDefs
            VariableDef {
              variable_name: "w:0"
              initializer_name: "w/Assign"
              trainable: true
            }
            VariableDef {
              variable_name: "p:0"
              save_slice_info_def {
                full_name: "p"
                full_shape: 4
                full_shape: 2
              }
            }

            # words: 1 string
            gr\303\274\303\237e
        """)

    def test_damaged_values_have_a_comment(self):
        meta = of(a=[STRANGE, DAMAGED, AssetFileDef(filename="f")], variables=[W, b"\n\x05ab\x1b"])
        assert page(collection_lines(meta)) == shown(r"""
            # a: 3 messages
            # of an unknown type, "x.com/acme.Thing\x1b"
            Any {
              type_url: "x.com/acme.Thing\033"
              value: "\000\001"
            }
            # not a GraphDef: truncated inside a number at byte 1: node[0]
            Any {
              type_url: "type.googleapis.com/tensorflow.GraphDef"
              value: "\n"
            }
            AssetFileDef {
              filename: "f"
            }

            # variables: 2 VariableDefs
            VariableDef {
              variable_name: "w:0"
              initializer_name: "w/Assign"
              trainable: true
            }
            # not a VariableDef: truncated at byte 2: variable_name needs 5 bytes, 3 are left
            \n\005ab\033
        """)

    def test_no_collections(self):
        assert page(collection_lines(MetaGraphDef())) == "# no collections"
        empty = {"a": CollectionDef(), "b": CollectionDef(any_list=CollectionDef.AnyList())}
        assert page(collection_lines(MetaGraphDef(collection_def=empty))) == "# a: empty\n\n# b: empty"

    def test_every_metagraph_of_a_saved_model(self):
        first = of(train_op=["Adam"])
        first.meta_info_def = MetaGraphDef.MetaInfoDef(tags=["train", "\x1b"])
        model = SavedModel(meta_graphs=[first, MetaGraphDef()])
        assert page(collection_lines(model)) == shown(r"""
            # MetaGraph 0, tags: train, \x1b

            # train_op: 1 name
            Adam

            # MetaGraph 1, without tags: no collections
        """)

    def test_messages_without_collections(self):
        for view in (collection_lines, collection_tables, collections_json):
            assert view(GraphDef()) is None

    def test_messages_are_text_format_that_can_be_read_again(self):
        model = models.graph(weights=100)
        head, title, *lines, end = collection_lines(of(a=[model]), longest=10, limit=3)
        assert (head, title, end) == ("# a: 1 message", "GraphDef {", "}")
        assert len(text.loads("\n".join(lines), GraphDef).node) == len(model.node)


class TestTables:
    def test_a_column_for_each_field_that_is_used(self):
        assert page(collection_tables(of(variables=[W, PART], train_op=["Adam"]))) == shown("""
            # train_op: 1 name
              Adam

            # variables: 2 VariableDefs
              variable_name  initializer_name  save_slice_info_def                                           trainable
              w:0            w/Assign                                                                        true
              p:0                              save_slice_info_def { full_name: "p" full_shape: 4 full_shap...
        """)

    def test_messages_of_several_classes_and_other_values(self):
        meta = of(a=[AssetFileDef(filename="f"), SaverDef(max_to_keep=3), STRANGE, SaverDef()], variables=[b"\xff"])
        assert page(collection_tables(meta)) == shown(r"""
            # a: 4 messages
              AssetFileDef
                filename
                f
              SaverDef
                max_to_keep
                3
              Any of 2 bytes  # of an unknown type, "x.com/acme.Thing\x1b"
              SaverDef
                (empty)

            # variables: 1 VariableDef
              \377  # not a VariableDef: truncated inside a tag at byte 0
        """)

    def test_full_cuts_nothing(self):
        graph = GraphDef(node=[NodeDef(name="n" * 90, input=["i" * 90] * 30)] * 30)
        meta = of(graphs=[graph], names=[str(number) for number in range(30)])
        cut, full = page(collection_tables(meta)), page(collection_tables(meta, full=True))
        assert len(cut) < 300
        assert full.count("i" * 90) == 900
        assert full.endswith("\n  29")


class TestJson:
    def test_elements_as_in_protobufs_json(self):
        meta = of(variables=[W], train_op=["Adam"], steps=[1], words=[b"\xff"], assets=[AssetFileDef(filename="f")])
        assert json.loads(page(collections_json(meta))) == {
            "tags": [],
            "collections": {
                "assets": [{"@type": "type.googleapis.com/tensorflow.AssetFileDef", "filename": "f"}],
                "steps": ["1"],
                "train_op": ["Adam"],
                "variables": [{"variableName": "w:0", "initializerName": "w/Assign", "trainable": True}],
                "words": ["/w=="],
            },
        }

    def test_damaged_values_are_base64(self):
        document = json.loads(page(collections_json(of(a=[STRANGE, DAMAGED], variables=[b"\xff"]))))
        assert document["collections"] == {
            "a": [{"@type": STRANGE.type_url, "value": "AAE="}, {"@type": DAMAGED.type_url, "value": "Cg=="}],
            "variables": ["/w=="],
        }

    def test_a_saved_model(self):
        model = SavedModel(meta_graphs=[MetaGraphDef(meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]))])
        assert json.loads(page(collections_json(model))) == {"metaGraphs": [{"tags": ["serve"], "collections": {}}]}


@settings(max_examples=scaled(60))
@given(messages(CollectionDef))
@pytest.mark.parametrize("name", ["variables", "\x1b]mine"])
def test_any_collection_can_be_shown(name, collection):
    meta = MetaGraphDef(collection_def={name: collection})
    views = collection_lines(meta, longest=20, limit=3), collection_tables(meta), collection_tables(meta, full=True)
    assert all(line.isprintable() for lines in views for line in lines)
    assert json.loads(page(collections_json(meta)))
