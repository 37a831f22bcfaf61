"""Writing graph models of TensorFlow.js."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.tfjs_models import DATA, TOPOLOGY, WEIGHTS, write_model
from tfmodel.errors import GraphError, ModelError
from tfmodel.export.tfjs.supported_ops import SUPPORTED_OPS
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    SignatureDef,
    TensorInfo,
    TensorProto,
)
from tfmodel.values.names import TensorName

FLOAT = AttrValue(type=DataType.DT_FLOAT)
DATA_FOLDER = Path(__file__).resolve().parents[3] / "data"
CONVNET = DATA_FOLDER / "convnet.pb"
TRAINED = DATA_FOLDER / "trained" / "model"


def constant(name: str, array: Any, dtype: DataType | None = None) -> NodeDef:
    tensor = tfmodel.from_ndarray(array, dtype)
    return NodeDef(
        name=name, op="Const", attr={"dtype": AttrValue(type=tensor.dtype), "value": AttrValue(tensor=tensor)}
    )


def identity(name: str, tensor: str, dtype: int = DataType.DT_FLOAT) -> NodeDef:
    return NodeDef(name=name, op="Identity", input=[tensor], attr={"T": AttrValue(type=DataType(dtype))})


def placeholder(*sizes: int) -> NodeDef:
    return NodeDef(name="x", op="Placeholder", attr={"dtype": FLOAT, "shape": AttrValue(shape=models.shape(*sizes))})


def document(folder: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((folder / "model.json").read_text())
    return parsed


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for group in document(folder)["weightsManifest"] for entry in group["weights"]}


def write_constant(folder: Path, array: Any, dtype: DataType | None = None, **options: Any) -> tfmodel.SavedTfjs:
    node = constant("c", array, dtype)
    graph = GraphDef(node=[node, identity("y", "c", node.attr["dtype"].type or 0)])
    return tfmodel.save_tfjs(graph, folder, outputs="y", **options)


def read_constant(folder: Path) -> np.ndarray[Any, Any]:
    return tfmodel.to_ndarray(tfmodel.Model(folder).node("c").attr["value"].tensor)


class TestModel:
    def test_the_files(self, tmp_path):
        saved = tfmodel.save_tfjs(CONVNET, tmp_path / "web", shard_size=20_000)
        assert saved.files == ["model.json", *(f"group1-shard{n}of3.bin" for n in (1, 2, 3))]
        sizes = [os.path.getsize(tmp_path / "web" / name) for name in saved.files[1:]]
        assert sizes == [20_000, 20_000, 12_480]
        assert (saved.size, saved.weights) == (sum(sizes), 24)
        assert sorted(os.listdir(tmp_path / "web")) == sorted(saved.files)
        parsed = document(tmp_path / "web")
        assert (parsed["format"], list(parsed["signature"]["inputs"])) == ("graph-model", ["image"])
        assert all(
            node["attr"]["value"]["tensor"].keys() <= {"dtype", "tensorShape"}
            for node in parsed["modelTopology"]["node"]
            if node["op"] == "Const"
        )

    def test_it_is_read_back_as_it_was(self, tmp_path):
        tfmodel.save_tfjs(CONVNET, tmp_path / "web")
        report = tfmodel.diff(CONVNET, tmp_path / "web")
        assert report.graph.same

    def test_variables_are_frozen(self, tmp_path):
        saved = tfmodel.save_tfjs(TRAINED, tmp_path / "web", outputs="y")
        assert (saved.inputs, saved.outputs, saved.unsupported_ops) == ({"x": "x"}, {"y": "y"}, [])
        feed = {"x": np.array([[1, 2, 3, 4]], "f4")}
        expected = tfmodel.Model(TRAINED).run(feed, "y")["y"]
        assert np.array_equal(tfmodel.Model(tmp_path / "web").run(feed)["y"], expected)

    def test_the_signature_is_kept(self, tmp_path):
        write_model(tmp_path / "a")
        saved = tfmodel.Model(tmp_path / "a").save_tfjs(tmp_path / "b")
        assert (saved.inputs, saved.outputs) == ({"features": "x"}, {"scores": "y"})
        assert document(tmp_path / "b")["signature"]["outputs"]["scores"]["dtype"] == "DT_FLOAT"

    def test_only_what_the_outputs_need_is_kept(self, tmp_path):
        write_model(tmp_path / "a")
        tfmodel.save_tfjs(tmp_path / "a", tmp_path / "b", outputs="xw")
        assert [node["name"] for node in document(tmp_path / "b")["modelTopology"]["node"]] == ["x", "w", "xw"]
        assert list(entries(tmp_path / "b")) == ["w"]

    def test_attributes_with_defaults_are_written(self, tmp_path):
        """TensorFlow.js does not know that dilations are 1."""
        filter = constant("w", np.ones((1, 1, 1, 1), "f4"))
        attributes = {"T": FLOAT, "padding": AttrValue(s=b"VALID"), "strides": AttrValue(list=ONES)}
        conv = NodeDef(name="y", op="Conv2D", input=["x", "w"], attr=attributes)
        graph = GraphDef(node=[placeholder(1, 2, 2, 1), filter, conv])
        tfmodel.save_tfjs(graph, tmp_path / "web", outputs="y")
        written = document(tmp_path / "web")["modelTopology"]["node"][2]["attr"]
        assert written["dilations"] == {"list": {"i": ["1", "1", "1", "1"]}}
        assert written["data_format"] == {"s": "TkhXQw=="}

    def test_metadata(self, tmp_path):
        write_model(tmp_path / "a")
        tfmodel.save_tfjs(tmp_path / "a", tmp_path / "b", metadata={"labels": ["cat"]})
        assert document(tmp_path / "b")["userDefinedMetadata"] == {"labels": ["cat"]}

    def test_the_graph_that_is_given_does_not_change(self, tmp_path):
        graph = tfmodel.load(CONVNET, GraphDef)
        before = graph.to_bytes()
        tfmodel.save_tfjs(graph, tmp_path / "web", quantize="uint8")
        assert graph.to_bytes() == before


ONES = AttrValue.ListValue(i=[1, 1, 1, 1])


class TestOutputs:
    """TensorFlow.js reads the first output of a node, and one entry of the signature for each node."""

    def graph(self) -> GraphDef:
        axis = constant("axis", np.int32(1))
        split = NodeDef(name="split", op="Split", input=["axis", "x"], attr={"T": FLOAT, "num_split": AttrValue(i=2)})
        return GraphDef(node=[placeholder(-1, 2), axis, split])

    def test_other_outputs_get_an_identity(self, tmp_path):
        saved = tfmodel.save_tfjs(self.graph(), tmp_path / "web", "x", "split:0,split:1")
        assert list(saved.outputs.values()) == ["split", "split/output_1"]
        model = tfmodel.Model(tmp_path / "web")
        results = model.run({"x": np.array([[1, 2]], "f4")})
        assert [result.tolist() for result in results.values()] == [[[1]], [[2]]]

    def test_a_tensor_with_two_names(self, tmp_path):
        names = {"a": TensorInfo(name="y:0"), "b": TensorInfo(name="y:0"), "c": TensorInfo(name="x:0")}
        signature = SignatureDef(inputs={"x": TensorInfo(name="x:0", dtype=DataType.DT_FLOAT)}, outputs=names)
        graph = GraphDef(node=[placeholder(-1, 2), identity("y", "x")])
        meta = tfmodel.make_meta_graph(graph, signatures={"serving_default": signature}, tags="serve")
        saved = tfmodel.save_tfjs(meta, tmp_path / "web")
        assert len({TensorName.parse(name).node for name in saved.outputs.values()}) == 3
        assert list(saved.outputs) == ["a", "b", "c"]


class TestValues:
    @pytest.mark.parametrize(
        ("array", "dtype", "stored"),
        [
            (np.array([[0.1, -2]], "f4"), None, "float32"),
            (np.float32(3), None, "float32"),
            (np.zeros((0, 2), "f4"), None, "float32"),
            (np.array([2**31 - 1, -(2**31)], "i4"), None, "int32"),
            (np.array([True, False]), None, "bool"),
            (np.array([1 + 2j], "c8"), None, "complex64"),
            (np.array([b"a\0\xff", b""], object), None, "string"),
            (np.array([1, -5], "i8"), None, "int32"),
            (np.array([200, 0], "u1"), None, "int32"),
            (np.array([0.5, 3], "f2"), None, "float32"),
            (np.array([0.5, 3], "f4"), DataType.DT_BFLOAT16, "float32"),
            (np.array([0.5, -3], "f8"), None, "float32"),
            (np.array([7, 255]), DataType.DT_QUINT8, "int32"),
        ],
    )
    def test_they_are_read_back_exactly(self, tmp_path, array, dtype, stored):
        saved = write_constant(tmp_path / "web", array, dtype)
        assert entries(tmp_path / "web")["c"] == {"name": "c", "shape": list(array.shape), "dtype": stored}
        assert not any("weights that" in note for note in saved.notes)
        read = read_constant(tmp_path / "web")
        assert (read.dtype, read.shape) == (tfmodel.to_ndarray(tfmodel.from_ndarray(array, dtype)).dtype, array.shape)
        assert np.array_equal(read, array)

    @pytest.mark.parametrize(
        ("array", "expected", "note"),
        [
            (np.array([2**40, -(2**63), 5]), [2**31 - 1, -(2**31), 5], 'became the nearest numbers of int32: "c"'),
            (np.array([2**32 - 1], "u4"), [2**31 - 1], 'became the nearest numbers of int32: "c"'),
            (np.array([0.1]), [float(np.float32(0.1))], 'were rounded to single precision: "c"'),
            (np.array([1e300]), [np.inf], 'were rounded to single precision: "c"'),
        ],
    )
    def test_those_that_change_are_named(self, tmp_path, array, expected, note):
        saved = write_constant(tmp_path / "web", array)
        assert f"weights that {note}" in saved.notes
        assert read_constant(tmp_path / "web").tolist() == expected

    def test_one_element_for_a_large_shape(self, tmp_path):
        tensor = tfmodel.from_ndarray(np.broadcast_to(np.float32(2), (3_000_000,)))
        node = NodeDef(name="c", op="Const", attr={"dtype": FLOAT, "value": AttrValue(tensor=tensor)})
        saved = tfmodel.save_tfjs(GraphDef(node=[node, identity("y", "c")]), tmp_path / "web", outputs="y")
        assert saved.files[1:] == ["group1-shard1of3.bin", "group1-shard2of3.bin", "group1-shard3of3.bin"]
        assert np.array_equal(read_constant(tmp_path / "web"), np.full(3_000_000, 2, "f4"))

    def test_a_model_without_weights(self, tmp_path):
        tfmodel.save_tfjs(GraphDef(node=[placeholder(-1, 2), identity("y", "x")]), tmp_path / "web", outputs="y")
        assert os.listdir(tmp_path / "web") == ["model.json"]
        assert document(tmp_path / "web")["weightsManifest"] == [{"paths": [], "weights": []}]
        assert tfmodel.Model(tmp_path / "web").run({"x": np.ones((1, 2))})["y"].tolist() == [[1, 1]]


class TestQuantization:
    def test_eight_bits(self, tmp_path):
        array = np.array([-0.1, 0, 0.25, 1.2], "f4")
        write_constant(tmp_path / "web", array, quantize="uint8")
        entry = entries(tmp_path / "web")["c"]
        scale = (float(np.float32(1.2)) - float(np.float32(-0.1))) / 255
        assert entry["dtype"] == "float32"
        assert entry["quantization"] == {"dtype": "uint8", "min": -20 * scale, "scale": scale}
        read = read_constant(tmp_path / "web")
        assert read[1] == 0  # exactly, as padding needs it
        assert np.abs(read - array).max() <= scale
        assert os.path.getsize(tmp_path / "web" / "group1-shard1of1.bin") == 4

    @pytest.mark.parametrize("dtype", ["uint8", "uint16"])
    @pytest.mark.parametrize("values", [[3, 5, 7], [-7, -3], [0, 0], [4, 4, 4], [-1e30, 1e30], [1e-45, 0]])
    def test_values_are_at_most_half_a_step_away(self, tmp_path, dtype, values):
        array = np.array(values, "f4")
        write_constant(tmp_path / "web", array, quantize=dtype)
        step = entries(tmp_path / "web")["c"]["quantization"]["scale"]
        error = np.abs(read_constant(tmp_path / "web").astype("f8") - array).max()
        assert error <= max(step * 1.001, np.spacing(np.abs(array).max()))

    def test_half_precision(self, tmp_path):
        write_constant(tmp_path / "web", np.array([0.1, 65504], "f4"), quantize="float16")
        assert entries(tmp_path / "web")["c"]["quantization"] == {"dtype": "float16"}
        assert read_constant(tmp_path / "web").tolist() == [float(np.float16(0.1)), 65504]

    @pytest.mark.parametrize(
        ("values", "dtype"),
        [([65520], "float16"), ([np.inf, 1], "uint8"), ([np.nan], "uint16"), ([3.4e38, -3.4e38], "")],
    )
    def test_numbers_that_do_not_fit_are_kept(self, tmp_path, values, dtype):
        array = np.array(values, "f4")
        saved = write_constant(tmp_path / "web", array, quantize=dtype or {"uint8": "c"})
        if dtype:
            problem = "are not quantized: they have numbers that are too large, infinite or NaN"
            assert f'weights that {problem}: "c"' in saved.notes
            assert "quantization" not in entries(tmp_path / "web")["c"]
            assert np.array_equal(read_constant(tmp_path / "web"), array, equal_nan=True)

    def test_only_float32_is_quantized(self, tmp_path):
        for number, array in enumerate((np.array([1, 300]), np.array([0.5]), np.array([True]))):
            write_constant(tmp_path / str(number), array, quantize="uint8")
            assert "quantization" not in entries(tmp_path / str(number))["c"]

    def test_patterns_choose_weights(self, tmp_path):
        quantize = {"uint8": "model/conv2d/*", "uint16": ["*conv2d_1*", "*conv2d_2*"], "float16": True}
        tfmodel.save_tfjs(CONVNET, tmp_path / "web", quantize=quantize)
        dtypes = {name: entry.get("quantization", {}).get("dtype") for name, entry in entries(tmp_path / "web").items()}
        assert dtypes["model/conv2d/Conv2D/ReadVariableOp/resource"] == "uint8"
        assert dtypes["model/conv2d_1/Conv2D/ReadVariableOp/resource"] == "uint16"
        assert dtypes["model/dense/MatMul/ReadVariableOp/resource"] == "float16"

    @pytest.mark.parametrize(
        ("quantize", "words"),
        [
            ("int8", 'quantize takes float16, uint8, uint16, not "int8"'),
            ({"uint8": True, "uint16": True}, "only one type can be for all weights"),
            ({"uint8": "c*", "uint16": "*c"}, 'the weight "c" would be quantized to uint16 and to uint8'),
        ],
    )
    def test_wrong_choices(self, tmp_path, quantize, words):
        with pytest.raises(ValueError, match=words.replace("*", r"\*")):
            write_constant(tmp_path / "web", np.array([1, 2], "f4"), quantize=quantize)
        assert os.listdir(tmp_path) == []


def conditional() -> GraphDef:
    """y = x + c if x > c else x * c, in functions whose constants are both called c."""

    def branch(name: str, op: str, value: float) -> FunctionDef:
        argument, result = (
            OpDef.ArgDef(name="a", type=DataType.DT_FLOAT),
            OpDef.ArgDef(name="r", type=DataType.DT_FLOAT),
        )
        combined = NodeDef(name="x", op=op, input=["a", "c:output:0"], attr={"T": FLOAT})
        return FunctionDef(
            signature=OpDef(name=name, input_arg=[argument], output_arg=[result]),
            node_def=[constant("c", np.float32(value)), combined, identity("last", "x:z:0")],
            ret={"r": "last:output:0"},
        )

    attributes = {
        "Tcond": AttrValue(type=DataType.DT_BOOL),
        "Tin": AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT])),
        "Tout": AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT])),
        "then_branch": AttrValue(func=NameAttrList(name="then")),
        "else_branch": AttrValue(func=NameAttrList(name="else")),
    }
    condition = NodeDef(name="condition", op="Greater", input=["x", "c"], attr={"T": FLOAT})
    nodes = [placeholder(), constant("c", np.float32(0)), condition]
    nodes += [NodeDef(name="choice", op="StatelessIf", input=["condition", "x"], attr=attributes)]
    functions = [branch("then", "AddV2", 10), branch("else", "Mul", 100)]
    unused = FunctionDef(signature=OpDef(name="unused"), node_def=[constant("c", np.float32(5))])
    library = FunctionDefLibrary(function=[*functions, unused])
    return GraphDef(node=[*nodes, identity("y", "choice")], library=library)


class TestFunctions:
    """TensorFlow.js looks all constants up by one name in the whole model."""

    def test_constants_get_names_of_their_own(self, tmp_path):
        tfmodel.save_tfjs(conditional(), tmp_path / "web", outputs="y")
        assert list(entries(tmp_path / "web")) == ["c", "else/c", "then/c"]
        model = tfmodel.Model(tmp_path / "web")
        assert [float(model.run({"x": np.float32(x)})["y"]) for x in (1, -1)] == [11, -100]

    def test_functions_that_no_node_calls_are_left_out(self, tmp_path):
        tfmodel.save_tfjs(conditional(), tmp_path / "web", outputs="y")
        functions = document(tmp_path / "web")["modelTopology"]["library"]["function"]
        assert [function["signature"]["name"] for function in functions] == ["else", "then"]

    def test_a_second_time_names_stay(self, tmp_path):
        tfmodel.save_tfjs(conditional(), tmp_path / "a", outputs="y")
        tfmodel.save_tfjs(tmp_path / "a", tmp_path / "b")
        assert document(tmp_path / "a")["modelTopology"] == document(tmp_path / "b")["modelTopology"]

    def test_results_are_returned_without_an_identity(self, tmp_path):
        """TensorFlow.js frees the memory of a loop's tensors too early if a function returns an Identity of them."""
        tfmodel.save_tfjs(conditional(), tmp_path / "web", outputs="y")
        then = document(tmp_path / "web")["modelTopology"]["library"]["function"][1]
        assert then["ret"] == {"r": "x:z:0"}
        assert [node["op"] for node in then["nodeDef"]] == ["Const", "AddV2"]

    def test_lists_may_be_empty_but_not_missing(self, tmp_path):
        graph = conditional()
        for function in graph.library.function:
            function.signature.input_arg = []
            function.node_def = [constant("c", np.float32(1))]
            function.ret = {"r": "c:output:0"}
        graph.node[3].input = ["condition"]
        graph.node[3].attr["Tin"] = AttrValue(list=AttrValue.ListValue())
        tfmodel.save_tfjs(graph, tmp_path / "web", outputs="y")
        function = document(tmp_path / "web")["modelTopology"]["library"]["function"][0]
        assert function["signature"]["inputArg"] == []


class TestTables:
    def test_they_are_filled_by_an_initializer(self, tmp_path):
        types = {"Tin": AttrValue(type=DataType.DT_STRING), "Tout": AttrValue(type=DataType.DT_INT64)}
        of_table = {"key_dtype": types["Tin"], "value_dtype": types["Tout"]}
        words = NodeDef(name="words", op="Placeholder", attr={"dtype": types["Tin"]})
        find = NodeDef(name="ids", op="LookupTableFindV2", input=["table", "words", "default"], attr=types)
        fill = NodeDef(name="fill", op="LookupTableImportV2", input=["table", "keys", "values"], attr=types)
        graph = GraphDef(
            node=[
                words,
                NodeDef(name="table", op="HashTableV2", attr=of_table),
                constant("keys", np.array([b"a", b"b"], object)),
                constant("values", np.array([7, 8])),
                fill,
                constant("default", np.array(-1)),
                find,
            ]
        )
        meta = tfmodel.make_meta_graph(
            graph,
            signatures={"serving_default": {"inputs": {"words": "words"}, "outputs": {"ids": "ids"}}},
            collections={"table_initializer": ["fill"]},
        )
        tfmodel.save_tfjs(meta, tmp_path / "web")
        parsed = document(tmp_path / "web")
        names = [node["name"] for node in parsed["modelTopology"]["node"]]
        assert names == ["words", "table", "default", "ids"]
        assert [node["name"] for node in parsed["modelInitializer"]["node"]] == ["table", "keys", "values", "fill"]
        model = tfmodel.Model(tmp_path / "web")
        assert model.run({"words": np.array([b"b", b"c"], object)})["ids"].tolist() == [8, -1]


class TestRefusals:
    def test_a_folder_that_is_not_empty_stays_as_it_is(self, tmp_path):
        path = write_model(tmp_path)
        before = path.read_bytes()
        with pytest.raises(FileExistsError, match="this folder is there already, and not empty"):
            tfmodel.save_tfjs(CONVNET, tmp_path)
        assert path.read_bytes() == before
        assert len(os.listdir(tmp_path)) == 2

    def test_ops_that_tensorflow_js_does_not_have_are_named(self, tmp_path):
        digamma = NodeDef(name="y", op="Digamma", input=["x"], attr={"T": FLOAT})
        saved = tfmodel.save_tfjs(GraphDef(node=[placeholder(-1, 2), digamma]), tmp_path / "web", outputs="y")
        assert saved.unsupported_ops == ["Digamma"]
        assert "TensorFlow.js does not have these ops: Digamma" in saved.notes

    @pytest.mark.parametrize("shard_size", [0, -1, 1.5, True])
    def test_the_size_of_a_file(self, tmp_path, shard_size):
        with pytest.raises(ValueError, match="shard_size must be at least 1"):
            tfmodel.save_tfjs(CONVNET, tmp_path / "web", shard_size=shard_size)

    def test_metadata_that_is_not_json(self, tmp_path):
        with pytest.raises(ValueError, match="metadata cannot be written as JSON"):
            tfmodel.save_tfjs(CONVNET, tmp_path / "web", metadata={"a": np.zeros(1)})
        assert os.listdir(tmp_path) == []

    def test_a_constant_that_is_not_an_array(self, tmp_path):
        variant = AttrValue(tensor=TensorProto(dtype=DataType.DT_VARIANT, tensor_shape=models.shape()))
        of_variant = AttrValue(type=DataType.DT_VARIANT)
        node = NodeDef(name="c", op="Const", attr={"dtype": of_variant, "value": variant})
        with pytest.raises(GraphError, match=r'the Const "c": it holds a variant, which TensorFlow.js cannot load'):
            tfmodel.save_tfjs(
                GraphDef(node=[node, identity("y", "c", DataType.DT_VARIANT)]), tmp_path / "web", outputs="y"
            )

    def test_a_constant_that_would_be_far_larger_than_the_model(self, tmp_path):
        tensor = tfmodel.from_ndarray(np.broadcast_to(np.float32(2), (2**27,)))
        node = NodeDef(name="c", op="Const", attr={"dtype": FLOAT, "value": AttrValue(tensor=tensor)})
        with pytest.raises(GraphError, match=r'the Const "c" would take 536,870,912 bytes'):
            tfmodel.save_tfjs(GraphDef(node=[node, identity("y", "c")]), tmp_path / "web", outputs="y")
        assert os.listdir(tmp_path) == []

    def test_a_model_without_certain_outputs(self, tmp_path):
        with pytest.raises(ModelError):
            tfmodel.save_tfjs(GraphDef(node=[placeholder(-1, 2)]), tmp_path / "web")


def test_the_list_of_ops() -> None:
    assert {"Conv2D", "StatelessWhile", "Prelu"} <= SUPPORTED_OPS
    assert not SUPPORTED_OPS & {"PartitionedCall", "VarHandleOp", "QuantizedConv2D"}


def test_the_model_that_the_tests_of_the_reader_read_is_written(tmp_path: Path) -> None:
    """The hand-made model of the reader's tests is written again, byte for byte but for the attributes."""
    write_model(tmp_path / "a")
    tfmodel.save_tfjs(tmp_path / "a", tmp_path / "b")
    assert document(tmp_path / "b")["weightsManifest"][0]["weights"] == WEIGHTS
    assert (tmp_path / "b" / "group1-shard1of1.bin").read_bytes() == DATA
    assert document(tmp_path / "b")["modelTopology"]["node"][3]["attr"].items() >= TOPOLOGY["node"][3]["attr"].items()
