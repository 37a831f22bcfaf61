"""All public functions of tfmodel take protobuf-style messages, and return what they return for dataclasses."""

from __future__ import annotations

import inspect
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import tfmodel
from tfmodel.compat import unwrap, wrap
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpList,
    SavedModel,
    SaverDef,
    SignatureDef,
    TensorShapeProto,
)

X = {"x": np.array([3, 4], np.float32)}


def graph() -> GraphDef:
    """A graph that adds a constant to its input."""
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=2)])
    dtype = AttrValue(type=DataType.DT_FLOAT)
    value = AttrValue(tensor=tfmodel.from_ndarray(np.array([1, 2], np.float32)))
    return GraphDef(
        node=[
            NodeDef(name="x", op="Placeholder", attr={"dtype": dtype, "shape": AttrValue(shape=shape)}),
            NodeDef(name="c", op="Const", attr={"dtype": dtype, "value": value}),
            NodeDef(name="y", op="AddV2", input=["x", "c"], attr={"T": dtype}),
        ]
    )


CALLS = {
    "Model": lambda g: tfmodel.Model(g).run(X)["y"].tolist(),
    "MetaGraphDef": lambda g: tfmodel.Model(_wrapped(MetaGraphDef(graph_def=unwrap(g)), g)).graph,
    "SavedModel": lambda g: (
        tfmodel.Model(_wrapped(SavedModel(meta_graphs=[MetaGraphDef(graph_def=unwrap(g))]), g)).graph
    ),
    "run": lambda g: tfmodel.run(g, X, ["y"])["y"].tolist(),
    "verify": lambda g: tfmodel.verify(g, graph(), X, ["y"]).same,
    "transform": lambda g: tfmodel.transform(g, "x", "y", "rename_op(old_op_name=AddV2, new_op_name=Add)"),
    "TransformGraph": lambda g: tfmodel.TransformGraph(g, ["x"], ["y"], ["strip_unused_nodes"]),
    "op_defs": lambda g: tfmodel.transform(g, "x", "y", "sort_by_execution_order", op_defs=_wrapped(OpList(), g)),
    "optimize": lambda g: tfmodel.optimize(g).graph,
    "summarize": lambda g: tfmodel.summarize(g).to_text(),
    "diff": lambda g: tfmodel.diff(g, graph()).to_text(),
    "weights": lambda g: tfmodel.weights(g).to_text(),
    "check": lambda g: tfmodel.check(g, op_defs=_wrapped(OpList(), g)).to_text(),
    "find": lambda g: tfmodel.find(g, "op=Const").to_text(),
    "make_meta_graph": lambda g: tfmodel.make_meta_graph(
        g,
        signatures={"s": _wrapped(SignatureDef(method_name="m"), g)},
        saver_def=_wrapped(SaverDef(filename_tensor_name="x:0"), g),
        collections={"nodes": [_wrapped(NodeDef(name="n"), g)]},
    ),
    "Session": lambda g: tfmodel.Session(g).run(X, ["y"])["y"].tolist(),
    "GraphEditor": lambda g: tfmodel.GraphEditor(g).graph,
    "append_preprocessing": lambda g: tfmodel.append_preprocessing(g, "x", "divide=2").graph,
    "compare_values": lambda g: tfmodel.compare_values(g, graph()).to_text(),
    "extract": lambda g: tfmodel.extract(g, ["x"], ["y"]).graph,
    "freeze": lambda g: tfmodel.freeze(g),
    "object_tree": lambda g: _refusal(tfmodel.object_tree, g),
    "page": lambda g: tfmodel.page(g, g),
    "reduce": lambda g: tfmodel.reduce(g, lambda model: True).source.graph,
    "save_saved_model": lambda g: _written(tfmodel.save_saved_model, g),
    "save_tfjs": lambda g: _written(tfmodel.save_tfjs, g),
    "save_onnx": lambda g: _written_onnx(g),
    "verify_onnx": lambda g: _compared_with_onnx(g),
    "signatures": lambda g: _refusal(tfmodel.signatures, g),
    "splice": lambda g: tfmodel.splice(g, graph(), {"x": "y"}).graph,
    "to_ndarray": lambda g: tfmodel.to_ndarray(g.node[1].attr["value"].tensor).tolist(),
}


def _refusal(function, *arguments):
    with pytest.raises(tfmodel.Error) as caught:
        function(*arguments)
    return str(caught.value)


def _written(write, model):
    with TemporaryDirectory() as folder:
        write(model, f"{folder}/model")
        return sorted((path.name, path.stat().st_size) for path in Path(f"{folder}/model").iterdir())


def _written_onnx(model):
    with TemporaryDirectory() as folder:
        tfmodel.save_onnx(model, f"{folder}/model.onnx", verify=False)
        return Path(folder, "model.onnx").read_bytes()


def _compared_with_onnx(model):
    """Compare a model with its own file of ONNX; without onnxruntime, the error that says so."""
    with TemporaryDirectory() as folder:
        tfmodel.save_onnx(model, f"{folder}/model.onnx", verify=False)
        try:
            return str(tfmodel.verify_onnx(model, f"{folder}/model.onnx"))
        except tfmodel.ModelError as error:
            return str(error)


def _wrapped(message, like):
    return message if isinstance(like, GraphDef) else wrap(message)


def test_all_functions_that_take_a_model_are_here():
    public = {name: getattr(tfmodel, name) for name in tfmodel.__all__}
    takes_a_model = {
        name
        for name, function in public.items()
        if callable(function)
        and any(str(one.annotation) == "Given" for one in inspect.signature(function).parameters.values())
    }
    assert takes_a_model - set(CALLS) == set()


@pytest.mark.parametrize("name", CALLS)
def test_a_function_gives_the_same_for_both_kinds_of_messages(name):
    expected = CALLS[name](graph())
    assert CALLS[name](wrap(graph())) == expected
    assert not hasattr(getattr(type(expected), "__table__", None), "dataclass")


def test_a_message_is_saved_and_loaded_as_its_own_class(tmp_path):
    path = tmp_path / "graph.pb"
    tfmodel.save(wrap(graph()), path)
    assert path.read_bytes() == graph().to_bytes()
    loaded = tfmodel.load(path, type(wrap(graph())))
    assert loaded == wrap(graph())
    assert tfmodel.load(path) == graph()


def test_functions_do_not_change_the_message():
    message = wrap(graph())
    tfmodel.transform(message, "x", "y", "rename_op(old_op_name=AddV2, new_op_name=Add)")
    assert message == wrap(graph())


def test_a_message_of_another_kind_is_refused_by_name():
    with pytest.raises(TypeError, match="NodeDef"):
        tfmodel.summarize(wrap(NodeDef(name="x")))
