"""`make_meta_graph` and `make_signature`; comparisons with TensorFlow are in test_golden.py."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.support.effort import scaled
from tests.support.strategies_graphs import graphs
from tests.tfmodel import models
from tfmodel import GraphError
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    OpList,
    SaverDef,
    SignatureDef,
    TensorInfo,
    TensorShapeProto,
    VariableDef,
    VersionDef,
)
from tfmodel.source.metagraph import PREDICT, decode_collections, make_meta_graph, make_signature, stripped_op_list

UNKNOWN = TensorShapeProto(unknown_rank=True)


def test_the_shape_of_an_old_variable_is_unknown_if_it_is_empty():
    """TensorFlow's shape function reads the attribute of the op Variable so; a VariableV2 is a scalar."""
    attr = {"dtype": AttrValue(type=DataType.DT_FLOAT), "shape": AttrValue(shape=TensorShapeProto())}
    graph = GraphDef(node=[NodeDef(name=op, op=op, attr=attr) for op in ("Variable", "VariableV2")])
    signature = make_signature(graph, {}, {"old": "Variable", "new": "VariableV2"})
    assert (signature.outputs["old"].tensor_shape, signature.outputs["new"].tensor_shape) == (
        UNKNOWN,
        TensorShapeProto(),
    )


class TestMetaGraph:
    def test_a_bare_graph(self):
        graph = models.graph()
        meta_graph = make_meta_graph(graph)
        assert meta_graph.graph_def is graph
        info = MetaGraphDef.MetaInfoDef(stripped_op_list=stripped_op_list(graph))
        assert meta_graph == MetaGraphDef(meta_info_def=info, graph_def=graph)

    @pytest.mark.parametrize(
        ("tags", "expected"),
        [
            ("serve", ["serve"]),
            ("serve,gpu", ["serve", "gpu"]),
            (("serve", "gpu"), ["serve", "gpu"]),
            ("", []),
            ((), []),
        ],
    )
    def test_tags(self, tags, expected):
        assert make_meta_graph(models.graph(), tags=tags).meta_info_def.tags == expected

    def test_the_saver_and_the_version_are_kept(self):
        saver = SaverDef(restore_op_name="save/restore_all")
        meta_graph = make_meta_graph(GraphDef(), saver_def=saver, tensorflow_version="1.15.0")
        assert meta_graph.saver_def is saver
        assert meta_graph.meta_info_def.tensorflow_version == "1.15.0"

    def test_signatures(self):
        own = SignatureDef(method_name="mine")
        form = {"inputs": {"image": "x"}, "outputs": {"scores": "y:0"}}
        meta_graph = make_meta_graph(models.graph(), signatures={"own": own, "serving_default": form})
        assert meta_graph.signature_def["own"] is own
        assert meta_graph.signature_def["serving_default"] == SignatureDef(
            inputs={"image": TensorInfo(name="x:0", dtype=DataType.DT_FLOAT, tensor_shape=models.shape(-1, 4))},
            outputs={"scores": TensorInfo(name="y:0", dtype=DataType.DT_FLOAT, tensor_shape=UNKNOWN)},
            method_name=PREDICT,
        )

    def test_collections_come_back(self):
        variable = VariableDef(variable_name="w:0")
        collections = {"train_op": ["y"], "losses": ["y:0"], "steps": [3], "variables": [variable]}
        meta_graph = make_meta_graph(models.graph(), collections=collections | {"empty": []})
        assert decode_collections(MetaGraphDef.from_bytes(meta_graph.to_bytes()), strict=True) == collections

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ({"collections": {"train_op": ["z"]}}, 'the collection "train_op": there is no node "z"'),
            ({"collections": {"losses": ["layer/MatMull:0"]}}, '; did you mean "layer/MatMul"?'),
            (
                {"collections": {"a": ["b:c:d:e"]}},
                'the collection "a": "b:c:d:e" is not a reference to a node or a tensor',
            ),
            ({"signatures": {"s": {"inputs": {}, "outputs": {"k": "z"}}}}, 'the signature "s": there is no node "z"'),
            (
                {"signatures": {"s": {"inputs": {}, "outputs": {"k": "y:1"}}}},
                'Relu "y" has no output 1: it has 1 output',
            ),
            ({"signatures": {"s": {"inputs": {}, "outputs": {"k": "^y"}}}}, '"^y" is not a tensor of a graph'),
            (
                {"signatures": {"\x1b": {"inputs": {}, "outputs": {"k": ""}}}},
                r'the signature "\x1b": "" is not a reference',
            ),
        ],
    )
    def test_names_that_are_not_in_the_graph_are_errors(self, arguments, problem):
        with pytest.raises(GraphError) as raised:
            make_meta_graph(models.graph(), **arguments)
        assert problem in str(raised.value)

    @pytest.mark.parametrize("form", [None, {}, {"inputs": {}}, {"inputs": {}, "outputs": {}, "method": "x"}])
    def test_other_types_of_signature_are_refused(self, form):
        with pytest.raises(TypeError, match="a signature is a SignatureDef or"):
            make_meta_graph(models.graph(), signatures={"s": form})

    def test_of_a_lazy_graph_no_attribute_is_read(self):
        data = models.graph().to_bytes()
        damaged = data.replace(b"transpose_a", b"transpose\xff\xff")  # not UTF-8
        meta_graph = make_meta_graph(GraphDef.from_bytes(damaged, lazy=True), collections={"train_op": ["y"]})
        assert damaged in meta_graph.to_bytes()

    @settings(max_examples=scaled(30))
    @given(graphs())
    def test_every_tensor_of_a_graph_can_be_in_a_signature(self, graph):
        tensors = {node.name: node.name for node in graph.node if node.op != "NoOp"}
        meta_graph = make_meta_graph(graph, signatures={"s": {"inputs": {}, "outputs": tensors}})
        assert all(info.dtype for info in meta_graph.signature_def["s"].outputs.values())


class TestSignature:
    @pytest.mark.parametrize(
        ("op", "version", "shape"),
        [
            ("Placeholder", 1482, models.shape()),
            ("Placeholder", 22, models.shape()),
            ("Placeholder", 21, UNKNOWN),
            ("PlaceholderV2", 21, models.shape()),
        ],
    )
    def test_old_placeholders_do_not_distinguish_scalars_from_unknown_shapes(self, op, version, shape):
        attr = {"dtype": AttrValue(type=DataType.DT_FLOAT), "shape": AttrValue(shape=TensorShapeProto())}
        graph = GraphDef(node=[NodeDef(name="x", op=op, attr=attr)], versions=VersionDef(producer=version))
        assert make_signature(graph, {"x": "x"}, {}).inputs["x"].tensor_shape == shape

    def test_a_tensor_info_is_taken_as_it_is(self):
        info = TensorInfo(coo_sparse=TensorInfo.CooSparse(values_tensor_name="x:0"))
        assert make_signature(models.graph(), {"x": info}, {}, method_name="m") == SignatureDef(
            inputs={"x": info}, method_name="m"
        )

    def test_an_undeclared_op(self):
        graph = GraphDef(node=[NodeDef(name="n", op="Mine")])
        assert make_signature(graph, {}, {"y": "n:3"}).outputs["y"] == TensorInfo(name="n:3", tensor_shape=UNKNOWN)
        mine = OpDef(name="Mine", output_arg=[OpDef.ArgDef(name="y", type=DataType.DT_HALF)])
        signatures = {"s": {"inputs": {}, "outputs": {"y": "n"}}}
        meta_graph = make_meta_graph(graph, signatures=signatures, op_defs=OpList(op=[mine]))
        assert meta_graph.signature_def["s"].outputs["y"].dtype == DataType.DT_HALF

    def test_attributes_of_the_wrong_kind(self):
        graph = GraphDef(node=[NodeDef(name="x", op="Placeholder", attr={"shape": AttrValue(i=3)})])
        with pytest.raises(GraphError, match='the attribute "shape" of Placeholder "x" is an integer, not a shape'):
            make_signature(graph, {"x": "x"}, {})
