"""`tfmodel.source.collections`: decoding and encoding of collections."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire.wellknown import Any
from tests.support.effort import scaled
from tests.support.strategies import messages
from tests.tfmodel import models
from tfmodel import GraphError
from tfmodel.messages import (
    AssetFileDef,
    CollectionDef,
    GraphDef,
    MetaGraphDef,
    QueueRunnerDef,
    SaverDef,
    SummaryMetadata,
    VariableDef,
    WhileContextDef,
)
from tfmodel.source.metagraph import COLLECTIONS, decode_collections, encode_collection, register_collection

W = VariableDef(variable_name="w:0", trainable=True)
ASSET = AssetFileDef(filename="words.txt")


def of(**collections):
    """A MetaGraphDef with these collections."""
    return MetaGraphDef(collection_def=collections)


def listed(*data):
    return CollectionDef(bytes_list=CollectionDef.BytesList(value=[*data]))


def anys(*packed):
    return CollectionDef(any_list=CollectionDef.AnyList(value=[*packed]))


class TestDecoding:
    @pytest.mark.parametrize(
        ("name", "collection", "values"),
        [
            ("variables", listed(W.to_bytes()), [W]),
            ("savers", listed(SaverDef(max_to_keep=3).to_bytes()), [SaverDef(max_to_keep=3)]),
            ("while_context", listed(b""), [WhileContextDef()]),
            ("mine", listed(W.to_bytes(), b"\xff"), [W.to_bytes(), b"\xff"]),
            ("train_op", CollectionDef(node_list=CollectionDef.NodeList(value=["Adam"])), ["Adam"]),
            ("variables", CollectionDef(node_list=CollectionDef.NodeList(value=["w:0"])), ["w:0"]),
            ("steps", CollectionDef(int64_list=CollectionDef.Int64List(value=[1, -2])), [1, -2]),
            ("rates", CollectionDef(float_list=CollectionDef.FloatList(value=[0.5])), [0.5]),
            ("saved_model_assets", anys(models.packed(ASSET)), [ASSET]),
            ("empty", listed(), []),
            ("nothing", CollectionDef(), []),
        ],
    )
    def test_collections_become_values(self, name, collection, values):
        assert decode_collections(of(**{name: collection}), strict=True) == {name: values}

    def test_names_are_sorted(self):
        assert list(decode_collections(of(b=listed(), a=listed(), c=listed()))) == ["a", "b", "c"]

    def test_lazily_read(self):
        data = of(variables=listed(W.to_bytes()), mine=listed(b"x")).to_bytes()
        assert decode_collections(MetaGraphDef.from_bytes(data, lazy=True)) == {"mine": [b"x"], "variables": [W]}

    @pytest.mark.parametrize(
        ("name", "collection", "value", "problem"),
        [
            ("variables", listed(b"\xff\0"), b"\xff\0", "not a VariableDef: "),
            ("queue_runners", listed(b"\n\x05ab"), b"\n\x05ab", "not a QueueRunnerDef: truncated at byte "),
            (
                "a",
                anys(Any(type_url="x.com/acme.Thing", value=b"1")),
                Any(type_url="x.com/acme.Thing", value=b"1"),
                'of an unknown type, "x.com/acme.Thing"',
            ),
            (
                "a",
                anys(Any(type_url="tensorflow.GraphDef")),
                Any(type_url="tensorflow.GraphDef"),
                "of an unknown type, ",
            ),
            (
                "a",
                anys(Any(type_url="/tensorflow.GraphDef", value=b"\n")),
                Any(type_url="/tensorflow.GraphDef", value=b"\n"),
                "not a GraphDef: truncated",
            ),
            ("a", anys(Any(type_url="/\x1b")), Any(type_url="/\x1b"), r'of an unknown type, "/\x1b"'),
        ],
    )
    def test_undecodable_values_stay_as_they_are(self, name, collection, value, problem):
        problems = []
        assert decode_collections(of(**{name: collection}), problems=problems) == {name: [value]}
        assert len(problems) == 1
        assert problems[0].startswith(f'the collection "{name}", element 0: {problem}')
        with pytest.raises(GraphError) as raised:
            decode_collections(of(**{name: collection}), strict=True)
        assert str(raised.value) == problems[0]

    def test_more_types_of_an_any(self):
        packed = Any(type_url="acme.org/acme.Thing", value=ASSET.to_bytes())
        assert decode_collections(of(a=anys(packed)), types={"acme.Thing": AssetFileDef}) == {"a": [ASSET]}

    @settings(max_examples=scaled(100))
    @given(messages(CollectionDef), st.sampled_from([*COLLECTIONS, "mine"]))
    def test_anything_can_be_decoded(self, collection, name):
        kind = collection.which_oneof("kind")
        decoded = decode_collections(of(**{name: collection}))[name]
        assert len(decoded) == (len(getattr(collection, kind).value) if kind else 0)


class TestEncoding:
    @pytest.mark.parametrize(
        ("name", "values", "collection"),
        [
            ("variables", [W], listed(W.to_bytes())),
            ("variables", [W, b"\xff"], listed(W.to_bytes(), b"\xff")),
            ("mine", [b"a", bytearray(b"b")], listed(b"a", b"b")),
            ("saved_model_assets", [ASSET], anys(models.packed(ASSET))),
            ("mine", [Any(type_url="a/b"), ASSET], anys(Any(type_url="a/b"), models.packed(ASSET))),
            ("train_op", ["Adam"], CollectionDef(node_list=CollectionDef.NodeList(value=["Adam"]))),
            ("steps", [1, True], CollectionDef(int64_list=CollectionDef.Int64List(value=[1, 1]))),
            ("rates", [0.5], CollectionDef(float_list=CollectionDef.FloatList(value=[0.5]))),
            ("empty", [], CollectionDef()),
        ],
    )
    def test_values_by_their_type(self, name, values, collection):
        assert encode_collection(name, iter(values)) == collection

    @pytest.mark.parametrize(
        ("name", "values", "problem"),
        [
            ("mine", ["a", 1], "cannot hold both names and ints"),
            ("mine", [1, 0.5], "cannot hold both ints and floats"),
            ("mine", [None], "cannot hold a NoneType"),
            ("variables", [SaverDef()], "holds VariableDefs, not SaverDef"),
            ("train_op", "Adam", "is a list of values, not one str"),
        ],
    )
    def test_values_that_a_collection_cannot_hold_are_refused(self, name, values, problem):
        with pytest.raises(TypeError, match=problem):
            encode_collection(name, values)

    @settings(max_examples=scaled(100))
    @given(st.data(), st.sampled_from([*COLLECTIONS]))
    def test_messages_come_back(self, data, name):
        values = data.draw(st.lists(messages(COLLECTIONS[name]), min_size=1, max_size=3))
        decoded = decode_collections(of(**{name: encode_collection(name, values)}), strict=True)[name]
        assert [value.to_bytes() for value in decoded] == [value.to_bytes() for value in values]


class TestRegistering:
    @pytest.fixture(autouse=True)
    def registered(self, monkeypatch):
        monkeypatch.setattr("tfmodel.source.collections.COLLECTIONS", {"variables": VariableDef})

    def test_a_collection_of_ones_own(self):
        meta = of(metadata=listed(SummaryMetadata(display_name="x").to_bytes()))
        register_collection("metadata", SummaryMetadata)
        assert decode_collections(meta) == {"metadata": [SummaryMetadata(display_name="x")]}

    def test_once_more_is_harmless(self):
        register_collection("variables", VariableDef)

    def test_something_else_is_refused(self):
        with pytest.raises(ValueError, match='the collection "variables" is already registered for VariableDef'):
            register_collection("variables", QueueRunnerDef)

    def test_only_message_classes_can_be_registered(self):
        with pytest.raises(TypeError, match="a class such as VariableDef"):
            register_collection("a", GraphDef())
