"""`tfmodel.source.metagraph` against tests/golden/metagraph/answers.jsonl.gz: MetaGraphs that TensorFlow made."""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from pathlib import Path

import pytest

from tests.support.corpus import corpus, needs_corpus
from tfmodel import load
from tfmodel.graph import replace_node, with_nodes
from tfmodel.messages import MetaGraphDef, TensorInfo
from tfmodel.source.metagraph import COLLECTIONS, decode_collections, make_meta_graph, make_signature, stripped_op_list

GOLDEN = Path(__file__).parents[3] / "golden" / "metagraph" / "answers.jsonl.gz"
REGISTERED, *CASES = map(json.loads, gzip.decompress(GOLDEN.read_bytes()).splitlines())
BY_NAME = {case["name"]: case for case in CASES}

every_meta_graph = pytest.mark.parametrize("name", BY_NAME)


@cache
def meta_graph(name):
    return MetaGraphDef.from_bytes(base64.b64decode(BY_NAME[name]["meta_graph"]))


def op_names(ops):
    return [op.name for op in ops.op]


def test_the_registered_collections():
    assert REGISTERED["registered"] == {name: cls.__table__.full_name for name, cls in COLLECTIONS.items()}


@every_meta_graph
def test_it_is_made_as_tensorflow_makes_it(name):
    meta = meta_graph(name)
    result = make_meta_graph(
        meta.graph_def,
        signatures=meta.signature_def,
        collections=decode_collections(meta, strict=True),
        tags=meta.meta_info_def.tags,
    )
    assert result.meta_info_def.stripped_op_list.op == meta.meta_info_def.stripped_op_list.op
    assert result.collection_def == meta.collection_def
    assert result.signature_def == meta.signature_def
    assert result.meta_info_def.tags == meta.meta_info_def.tags
    assert result.graph_def is meta.graph_def


@every_meta_graph
def test_collections_become_messages(name):
    meta = meta_graph(name)
    for key, values in decode_collections(meta, strict=True).items():
        if meta.collection_def[key].bytes_list is not None and key in COLLECTIONS:
            assert {type(value) for value in values} == {COLLECTIONS[key]}


@every_meta_graph
def test_tensors_are_described_as_by_tensorflow(name):
    graph = meta_graph(name).graph_def
    tensors = BY_NAME[name]["tensors"]
    described = make_signature(graph, {tensor: tensor for tensor in tensors}, {}).inputs
    assert described == {tensor: TensorInfo.from_bytes(base64.b64decode(data)) for tensor, data in tensors.items()}


@every_meta_graph
def test_without_the_shapes_that_export_adds_less_is_known_and_nothing_else(name):
    graph = meta_graph(name).graph_def
    nodes = [
        replace_node(node, attr={key: node.attr[key] for key in node.attr if key != "_output_shapes"})
        for node in graph.node
    ]
    tensors = BY_NAME[name]["tensors"]
    described = make_signature(with_nodes(graph, nodes), {tensor: tensor for tensor in tensors}, {}).inputs
    for tensor, data in tensors.items():
        expected = TensorInfo.from_bytes(base64.b64decode(data))
        assert described[tensor].dtype == expected.dtype
        assert described[tensor].tensor_shape == expected.tensor_shape or described[tensor].tensor_shape.unknown_rank
    if name == "shapes":
        assert not described["matrix:0"].tensor_shape.unknown_rank
        assert not described["numbers:0"].tensor_shape.unknown_rank


def test_the_cases_cover_the_hard_features():
    keys = {key for name in BY_NAME for key in meta_graph(name).collection_def}
    assert {"cond_context", "while_context", "queue_runners", "savers", "saved_model_assets"} <= keys
    functions = op_names(meta_graph("functions").meta_info_def.stripped_op_list)
    assert {"Sinh", "Atan", "Tanh", "Cosh", "If"} <= {*functions}  # of functions that are followed
    assert not {"Asin", "Acos", "Invert"} & {*functions}  # and of others


# The number of ops that TensorFlow 2.12 declares differently from the version that wrote the file: it allows more
# types, adds attributes, and marks some ops as stateful.
CHANGED = {
    "generated/conv_train.meta": 0,
    "serving/session_bundle/half_plus_two/00000123/export.meta": 5,  # 0.12
    "serving/saved_model_half_plus_three/00000123/saved_model.pb": 6,  # 1.0
    "serving/saved_model_counter/00000123/saved_model.pb": 2,  # 1.5
    "tf2onnx/regression/checkpoint/model.meta": 12,  # 1.11
    "serving/saved_model_half_plus_two_mkl/00000123/saved_model.pb": 8,  # 1.12
    "serving/saved_model_half_plus_two_cpu/00000123/saved_model.pb": 2,  # 1.14
    "serving/saved_model_half_plus_two_tf2_cpu/00000123/saved_model.pb": 1,  # 2.14
}


@needs_corpus
@pytest.mark.parametrize(("file", "changes"), CHANGED.items())
def test_the_corpus(file, changes):
    meta = load(corpus / file, MetaGraphDef, lazy=True)
    theirs, ours = meta.meta_info_def.stripped_op_list, stripped_op_list(meta.graph_def)
    assert op_names(theirs) == op_names(ours)
    assert sum(a != b for a, b in zip(theirs.op, ours.op, strict=True)) == changes
    again = make_meta_graph(meta.graph_def, collections=decode_collections(meta))
    assert again.collection_def == meta.collection_def
