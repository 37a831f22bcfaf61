"""Reading graph models of TensorFlow.js."""

from __future__ import annotations

import copy
import gzip
import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.tfjs_models import DATA, SIGNATURE, TOPOLOGY, WEIGHTS, const, floats, write_model
from tfmodel.errors import FileFormatError, ModelError
from tfmodel.messages import DataType, GraphDef, MetaGraphDef, SavedModel

X = np.array([[1, 1], [2, -1]], "f4")
Y = np.maximum(X @ np.array([[1, 2, 3], [4, 5, 6]], "f4") + np.array([0.5, -100, 0], "f4"), 0)


def graph_of(*nodes: Any, **fields: Any) -> dict[str, Any]:
    return {"node": list(nodes), **fields}


def value(path: Path, name: str = "c") -> np.ndarray[Any, Any]:
    return tfmodel.to_ndarray(tfmodel.Model(path).node(name).attr["value"].tensor)


def single(folder: Path, node: dict[str, Any], weight: dict[str, Any], data: bytes) -> np.ndarray[Any, Any]:
    """The value of a model's only constant."""
    return value(write_model(folder, graph_of(node), [{"name": "c", **weight}], data, signature=None))


class TestModel:
    def test_it_is_a_meta_graph_with_the_values_of_its_constants(self, tmp_path):
        meta = tfmodel.load(write_model(tmp_path, generatedBy="2.12.0"))
        assert isinstance(meta, MetaGraphDef)
        assert (meta.meta_info_def.tags, meta.meta_info_def.tensorflow_version) == (["serve"], "2.12.0")
        assert list(meta.signature_def) == ["serving_default"]
        assert [node.name for node in meta.graph_def.node] == ["x", "w", "b", "xw", "sum", "y"]
        assert tfmodel.to_ndarray(meta.graph_def.node[1].attr["value"].tensor).tolist() == [[1, 2, 3], [4, 5, 6]]

    def test_it_runs(self, tmp_path):
        model = tfmodel.Model(write_model(tmp_path))
        assert [(each.tensor, each.shape) for each in model.inputs + model.outputs] == [
            ("x:0", (None, 2)),
            ("y:0", (None, 3)),
        ]
        assert np.array_equal(model.run({"x": X})["scores"], Y)

    def test_its_folder_stands_for_it(self, tmp_path):
        write_model(tmp_path)
        assert tfmodel.load(tmp_path, GraphDef) == tfmodel.load(tmp_path / "model.json").graph_def

    @pytest.mark.parametrize("shards", [2, 3, 5])
    def test_weights_cross_the_ends_of_files(self, tmp_path, shards):
        path = write_model(tmp_path, shards=shards)
        assert np.array_equal(tfmodel.Model(path).run({"x": X})["scores"], Y)

    def test_files_may_be_in_a_folder_beside_it(self, tmp_path):
        path = write_model(tmp_path, paths=["weights/all.bin"])
        (tmp_path / "weights").mkdir()
        (tmp_path / "weights" / "all.bin").write_bytes(DATA)
        assert np.array_equal(tfmodel.Model(path).run({"x": X})["scores"], Y)

    def test_several_groups(self, tmp_path):
        groups = [{"paths": [f"{n}.bin"], "weights": [weight]} for n, weight in enumerate(WEIGHTS)]
        path = write_model(tmp_path, weightsManifest=groups)
        (tmp_path / "0.bin").write_bytes(DATA[:24])
        (tmp_path / "1.bin").write_bytes(DATA[24:])
        assert np.array_equal(tfmodel.Model(path).run({"x": X})["scores"], Y)

    def test_it_may_be_compressed(self, tmp_path):
        path = write_model(tmp_path)
        (tmp_path / "model.json.gz").write_bytes(gzip.compress(path.read_bytes()))
        assert np.array_equal(tfmodel.Model(tmp_path / "model.json.gz").run({"x": X})["scores"], Y)

    def test_values_in_the_graph_need_no_file(self, tmp_path):
        topology = copy.deepcopy(TOPOLOGY)
        for node, values in zip(topology["node"][1:3], (DATA[:24], DATA[24:]), strict=True):
            numbers = list(struct.unpack(f"<{len(values) // 4}f", values))
            node["attr"]["value"]["tensor"]["floatVal"] = numbers
        path = write_model(tmp_path, topology, weightsManifest=[])
        assert np.array_equal(tfmodel.Model(path.read_bytes()).run({"x": X})["scores"], Y)

    def test_other_messages_are_not_in_it(self, tmp_path):
        with pytest.raises(FileFormatError, match=r"this is a TensorFlow.js model, not a SavedModel"):
            tfmodel.load(write_model(tmp_path), SavedModel)

    def test_tags_are_refused(self, tmp_path):
        with pytest.raises(FileFormatError, match="tags choose a MetaGraph of a SavedModel"):
            _ = tfmodel.Model(write_model(tmp_path), tags="serve").graph

    def test_metadata_survives(self, tmp_path):
        path = write_model(tmp_path / "a", userDefinedMetadata={"labels": ["cat", "dog"], "signature": SIGNATURE})
        tfmodel.save_tfjs(path, tmp_path / "b")
        assert json.loads((tmp_path / "b" / "model.json").read_text())["userDefinedMetadata"] == {
            "labels": ["cat", "dog"]
        }


class TestValues:
    @pytest.mark.parametrize(
        ("dtype", "weight", "data", "expected"),
        [
            ("DT_FLOAT", {"dtype": "float32", "shape": []}, floats(0.5), np.float32(0.5)),
            ("DT_FLOAT", {"dtype": "float32", "shape": [0, 3]}, b"", np.zeros((0, 3), "f4")),
            ("DT_INT32", {"dtype": "int32", "shape": [1]}, b"\xff\xff\xff\xff", np.array([-1], "i4")),
            ("DT_BOOL", {"dtype": "bool", "shape": [3]}, b"\0\1\2", np.array([False, True, True])),
            ("DT_COMPLEX64", {"dtype": "complex64", "shape": [1]}, floats(1, -2), np.array([1 - 2j], "c8")),
            ("DT_STRING", {"dtype": "string", "shape": [2]}, b"\3\0\0\0a\0b\0\0\0\0", np.array([b"a\0b", b""], object)),
            ("DT_UINT8", {"dtype": "uint8", "shape": [2]}, b"\1\xff", np.array([1, 255], "u1")),
            # stored as JavaScript can hold it, in another type than that of the node
            ("DT_INT64", {"dtype": "int32", "shape": [2]}, b"\1\0\0\0\xfe\xff\xff\xff", np.array([1, -2])),
            ("DT_DOUBLE", {"dtype": "float32", "shape": [1]}, floats(0.1), np.array([np.float32(0.1)], "f8")),
            ("DT_HALF", {"dtype": "float32", "shape": [2]}, floats(0.5, 3), np.array([0.5, 3], "f2")),
            ("DT_UINT8", {"dtype": "int32", "shape": [1]}, b"\xc8\0\0\0", np.array([200], "u1")),
        ],
        ids=lambda case: case if isinstance(case, str) else "",
    )
    def test_each_type(self, tmp_path, dtype, weight, data, expected):
        array = single(tmp_path, const("c", dtype), weight, data)
        assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
        assert np.array_equal(array, expected)

    @pytest.mark.parametrize(
        ("dtype", "quantization", "data", "expected"),
        [
            ("float32", {"dtype": "uint8", "min": -1.0, "scale": 0.5}, b"\0\1\xff", [-1, -0.5, 126.5]),
            ("float32", {"dtype": "uint16", "min": 0.1, "scale": 1e-3}, b"\0\0\1\0\xff\xff", [0.1, 0.101, 65.635]),
            ("float32", {"dtype": "float16"}, np.array([0.5, -2, 65504], "<f2").tobytes(), [0.5, -2, 65504]),
            ("int32", {"dtype": "uint8", "min": 0, "scale": 0.5}, b"\1\2\5", [1, 1, 3]),  # JavaScript rounds up
        ],
    )
    def test_quantized_weights(self, tmp_path, dtype, quantization, data, expected):
        node = const("c", {"float32": "DT_FLOAT", "int32": "DT_INT32"}[dtype])
        array = single(tmp_path, node, {"dtype": dtype, "shape": [3], "quantization": quantization}, data)
        assert array.dtype == dtype
        assert np.array_equal(array, np.array(expected, dtype))

    def test_a_quantized_weight_has_the_bits_of_double_precision(self, tmp_path):
        minimum, scale = -0.31857913732528687, 0.0026952
        quantization = {"dtype": "uint8", "min": minimum, "scale": scale}
        weight = {"dtype": "float32", "shape": [256], "quantization": quantization}
        array = single(tmp_path, const("c"), weight, bytes(range(256)))
        assert array.tolist() == [float(np.float32(q * scale + minimum)) for q in range(256)]

    @pytest.mark.parametrize(
        ("node_type", "weight"),
        [
            ("DT_INT64", {"dtype": "int32"}),
            ("DT_FLOAT", {"dtype": "float32", "quantization": {"dtype": "uint8", "min": 0.0, "scale": 2.0}}),
            ("DT_FLOAT", {"dtype": "float32"}),
        ],
    )
    def test_constants_of_one_name_share_a_tensor(self, tmp_path, node_type, weight):
        """Each of many functions may have a constant of a weight, which is converted once for each type."""
        size = 1 if "quantization" in weight else 4
        functions = [
            {"signature": {"name": f"f{number}"}, "nodeDef": [const("w", node_type), const("v", "DT_DOUBLE")]}
            for number in range(300)
        ]
        weights = [{"name": name, "shape": [10_000], **weight} for name in ("w", "v")]
        graph = graph_of(library={"function": functions})
        path = write_model(tmp_path, graph, weights, bytes(2 * size * 10_000), signature=None)
        tracemalloc.start()
        try:
            library = tfmodel.Model(path).graph.library
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        nodes = [function.node_def[0] for function in library.function]
        assert len({id(node.attr["value"].tensor) for node in nodes}) == 1
        assert tfmodel.to_ndarray(nodes[-1].attr["value"].tensor).shape == (10_000,)
        assert peak < 8_000_000

    def test_constants_in_functions(self, tmp_path):
        function = {
            "signature": {
                "name": "f",
                "inputArg": [{"name": "a", "type": "DT_FLOAT"}],
                "outputArg": [{"name": "r", "type": "DT_FLOAT"}],
            },
            "nodeDef": [
                const("f/one"),
                {"name": "s", "op": "AddV2", "input": ["a", "f/one:output:0"], "attr": {"T": {"type": "DT_FLOAT"}}},
            ],
            "ret": {"r": "s:z:0"},
        }
        call = {
            "name": "y",
            "op": "PartitionedCall",
            "input": ["x"],
            "attr": {
                "f": {"func": {"name": "f"}},
                "Tin": {"list": {"type": ["DT_FLOAT"]}},
                "Tout": {"list": {"type": ["DT_FLOAT"]}},
            },
        }
        topology = graph_of(TOPOLOGY["node"][0], call, library={"function": [function]})
        path = write_model(tmp_path, topology, [{"name": "f/one", "shape": [], "dtype": "float32"}], floats(10))
        assert tfmodel.Model(path).run({"x": X})["scores"].tolist() == (X + 10).tolist()


class TestOldConverters:
    def test_bytes_are_lists_and_enums_are_numbers(self, tmp_path):
        topology = copy.deepcopy(TOPOLOGY)
        empty = {"floatVal": [], "intVal": [], "stringVal": [], "boolVal": []}
        for node in topology["node"]:
            for attribute in node["attr"].values():
                if attribute.get("type") == "DT_FLOAT":
                    attribute["type"] = 1
                if "tensor" in attribute:
                    attribute["tensor"] |= {"dtype": 1, **empty}
        topology["node"][4]["attr"]["data_format"]["s"] = list(b"NHWC")
        topology["node"][4]["attr"]["names"] = {"list": {"s": [list(b"a"), []], "i": [], "type": []}}
        model = tfmodel.Model(write_model(tmp_path, topology, signature=None, format=None))
        assert model.node("sum").attr["data_format"].s == b"NHWC"
        assert model.node("sum").attr["names"].list.s == [b"a", b""]
        assert model.node("x").attr["dtype"].type is DataType.DT_FLOAT
        assert np.array_equal(model.run({"x": X}, "y")["y"], Y)

    @pytest.mark.parametrize("versions", [{"producer": "1.14", "minConsumer": "1.14"}, None, {"badConsumers": []}, "1"])
    def test_versions_can_be_anything(self, tmp_path, versions):
        path = write_model(tmp_path, TOPOLOGY | {"versions": versions})
        assert np.array_equal(tfmodel.Model(path).run({"x": X})["scores"], Y)


class TestSignature:
    def inputs_and_outputs(self, path: Path) -> list[tuple[str, str]]:
        signature = tfmodel.load(path).signature_def.get("serving_default")
        sides = (signature.inputs, signature.outputs) if signature else ()
        return [(key, info.name) for side in sides for key, info in side.items()]

    def test_it_may_be_in_the_metadata(self, tmp_path):
        path = write_model(tmp_path, signature=None, userDefinedMetadata={"signature": SIGNATURE})
        assert self.inputs_and_outputs(path) == [("features", "x:0"), ("scores", "y:0")]

    def test_without_one_the_likely_inputs_and_outputs_are_taken(self, tmp_path):
        model = tfmodel.Model(write_model(tmp_path, signature=None))
        assert [each.tensor for each in model.inputs + model.outputs] == ["x:0", "y:0"]

    def test_nodes_that_are_gone_and_short_names(self, tmp_path):
        signature = {"inputs": {"a": {"name": "x"}, "b": {"name": "gone:0"}}, "outputs": {"y": {"name": "y"}}}
        path = write_model(tmp_path, signature=signature)
        assert self.inputs_and_outputs(path) == [("a", "x:0"), ("y", "y:0")]

    def test_the_keys_of_a_structure_belong_to_the_numbers_of_identities(self, tmp_path):
        nodes = [{"name": name, "op": "Identity", "input": ["x"]} for name in ("Identity", "Identity_1", "Identity_2")]
        outputs = {f"{name}:0": {"name": f"{name}:0"} for name in ("Identity_2", "Identity", "Identity_1")}
        path = write_model(
            tmp_path,
            graph_of(TOPOLOGY["node"][0], *nodes),
            [],
            b"",
            signature={"outputs": outputs},
            userDefinedMetadata={"structuredOutputKeys": ["a", "b", "c"]},
        )
        assert self.inputs_and_outputs(path) == [("a", "Identity:0"), ("b", "Identity_1:0"), ("c", "Identity_2:0")]


class TestFusedOps:
    """Ops that only TensorFlow.js has become ops that TensorFlow has."""

    def run(self, folder: Path, *nodes: dict[str, Any], **weights: Any) -> Any:
        arrays = {name: np.asarray(array, "f4") for name, array in weights.items()}
        path = write_model(
            folder,
            graph_of(
                {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}},
                *(const(name, shape=array.shape) for name, array in arrays.items()),
                *nodes,
            ),
            [{"name": name, "shape": list(array.shape), "dtype": "float32"} for name, array in arrays.items()],
            b"".join(array.tobytes() for array in arrays.values()),
            signature=None,
        )
        return tfmodel.Model(path)

    def fused(self, op: str, steps: list[bytes], *inputs: str, **attributes: Any) -> dict[str, Any]:
        form = {"T": {"type": "DT_FLOAT"}, "num_args": {"i": str(len(inputs) - 2)}, **attributes}
        form["fused_ops"] = {"list": {"s": [list(step) for step in steps]}}
        return {"name": "y", "op": op, "input": list(inputs), "attr": form}

    def test_prelu(self, tmp_path):
        model = self.run(tmp_path, {"name": "y", "op": "Prelu", "input": ["x", "alpha"]}, alpha=[0.5, -1])
        assert model.run({"x": np.array([[2, -2], [-3, 4]], "f4")}, "y")["y"].tolist() == [[2, 2], [-1.5, 4]]
        assert {node.op for node in model.graph.node} == {"Placeholder", "Const", "Neg", "Relu", "Mul", "AddV2"}

    @pytest.mark.parametrize("step", [b"Relu", b"Relu6", b"Elu", b"Sigmoid", b"Tanh", b"LeakyRelu"])
    def test_matmul_with_bias_and_activation(self, tmp_path, step):
        w, b = np.array([[1, -2]], "f4"), np.array([3, 1], "f4")
        alpha = {"leakyrelu_alpha": {"f": 0.25}}
        x = np.array([[-4], [5]], "f4")
        linear = x @ w + b
        expected = {
            b"Relu": np.maximum(linear, 0),
            b"Relu6": np.clip(linear, 0, 6),
            b"Elu": np.where(linear < 0, np.expm1(np.minimum(linear, 0)), linear),
            b"Sigmoid": 1 / (1 + np.exp(-linear)),
            b"Tanh": np.tanh(linear),
            b"LeakyRelu": np.where(linear < 0, linear * 0.25, linear),
        }[step]
        model = self.run(tmp_path, self.fused("_FusedMatMul", [b"BiasAdd", step], "x", "w", "b", **alpha), w=w, b=b)
        assert np.allclose(model.run({"x": x}, "y")["y"], expected, rtol=1e-6)
        assert [node.op for node in model.graph.node][3:] == ["MatMul", "BiasAdd", step.decode()]

    @pytest.mark.parametrize(
        ("op", "steps", "ops"),
        [
            ("_FusedConv2D", [b"BiasAdd"], ["Conv2D", "BiasAdd"]),
            ("FusedDepthwiseConv2dNative", [b"BiasAdd", b"Relu6"], ["DepthwiseConv2dNative", "BiasAdd", "Relu6"]),
            ("FusedDepthwiseConv2dNative", [b"NoOp", b"Relu"], ["DepthwiseConv2dNative", "Relu"]),
        ],
    )
    def test_convolutions(self, tmp_path, op, steps, ops):
        geometry = {
            "strides": {"list": {"i": ["1", "1", "1", "1"]}},
            "dilations": {"list": {"i": ["1", "1", "1", "1"]}},
            "padding": {"s": "VkFMSUQ="},
            "data_format": {"s": "TkhXQw=="},
            "epsilon": {"f": 0},
        }
        arguments = ["b"] if b"BiasAdd" in steps else []
        node = self.fused(op, steps, "x", "w", *arguments, **geometry)
        model = self.run(tmp_path, node, w=np.full((1, 1, 1, 1), 2), b=[-1])
        assert [node.op for node in model.graph.node][3:] == ops
        assert not {"fused_ops", "num_args", "epsilon"} & model.node("y").attr.keys()
        expected = [[[[3.0 if arguments else 4.0]]]]
        assert model.run({"x": np.full((1, 1, 1, 1), 2, "f4")}, "y")["y"].tolist() == expected

    def test_a_bias_that_is_computed_is_added(self, tmp_path):
        """The converter makes a BiasAdd of any addition; TensorFlow refuses a bias that is not a vector."""
        square = {"name": "square", "op": "Mul", "input": ["x", "x"], "attr": {"T": {"type": "DT_FLOAT"}}}
        model = self.run(tmp_path, square, self.fused("_FusedMatMul", [b"BiasAdd"], "x", "w", "square"), w=np.eye(2))
        assert model.node("y").op == "AddV2"
        assert model.run({"x": np.array([[1, 2], [3, 4]], "f4")}, "y")["y"].tolist() == [[2, 6], [12, 20]]

    def test_unknown_steps_stay(self, tmp_path):
        model = self.run(tmp_path, self.fused("_FusedConv2D", [b"FusedBatchNorm"], "x", "w", "a", "b"), w=1, a=1, b=1)
        assert model.node("y").op == "_FusedConv2D"

    def test_control_inputs_and_names(self, tmp_path):
        taken = {"name": "y/Relu", "op": "NoOp"}
        model = self.run(tmp_path, taken, {"name": "y", "op": "Prelu", "input": ["x", "a", "^y/Relu"]}, a=0.5)
        assert model.node("y/Relu_1").input == ["x", "^y/Relu"]
        assert not tfmodel.check(model).findings


TABLE = {"key_dtype": {"type": "DT_STRING"}, "value_dtype": {"type": "DT_INT64"}, "shared_name": {"s": "dA=="}}
TYPES = {"Tin": {"type": "DT_STRING"}, "Tout": {"type": "DT_INT64"}}
INITIALIZER = [
    {"name": "table", "op": "HashTableV2", "attr": TABLE},
    const("keys", "DT_STRING", (2,)),
    const("values", "DT_INT64", (2,)),
    {"name": "fill", "op": "LookupTableImportV2", "input": ["table", "keys", "values"], "attr": TYPES},
]
TABLE_WEIGHTS = [
    {"name": "keys", "shape": [2], "dtype": "string"},
    {"name": "values", "shape": [2], "dtype": "int32"},
    {"name": "default", "shape": [], "dtype": "int32"},
]
TABLE_DATA = b"\1\0\0\0a\1\0\0\0b" + struct.pack("<3i", 7, 8, -1)
WORDS = {"name": "words", "op": "Placeholder", "attr": {"dtype": {"type": "DT_STRING"}}}


class TestInitializer:
    """The nodes that fill lookup tables."""

    def lookup(self, *nodes: dict[str, Any]) -> dict[str, Any]:
        find = {"op": "LookupTableFindV2", "input": ["table", "words", "default"], "attr": TYPES}
        return graph_of(WORDS, *nodes, const("default", "DT_INT64"), {"name": "ids", **find})

    def ids(self, path: Path) -> list[int]:
        ids: list[int] = tfmodel.Model(path).run({"words": np.array([b"b", b"c"], object)}, "ids")["ids"].tolist()
        return ids

    def test_a_table_of_the_same_name(self, tmp_path):
        path = write_model(
            tmp_path,
            self.lookup(INITIALIZER[0]),
            TABLE_WEIGHTS,
            TABLE_DATA,
            signature=None,
            modelInitializer={"node": INITIALIZER},
        )
        assert self.ids(path) == [8, -1]

    def test_a_placeholder_that_stands_for_the_table(self, tmp_path):
        """Converters from version 4 on connect the two graphs by a number."""
        stand_in = {"name": "table", "op": "Placeholder", "attr": {"dtype": {"type": "DT_RESOURCE"}}}
        end = {"name": "made", "op": "Identity", "input": ["table"], "attr": {"T": {"type": "DT_RESOURCE"}}}
        signature = {
            "inputs": {"table:0": {"name": "table:0", "resourceId": 73}, "words": {"name": "words:0"}},
            "outputs": {"ids": {"name": "ids:0"}},
        }
        path = write_model(
            tmp_path,
            self.lookup(stand_in),
            TABLE_WEIGHTS,
            TABLE_DATA,
            signature=signature,
            modelInitializer={"node": [*INITIALIZER, end]},
            initializerSignature={"outputs": {"made:0": {"name": "made:0", "resourceId": 73}}},
        )
        assert self.ids(path) == [8, -1]
        assert [each.tensor for each in tfmodel.Model(path).inputs] == ["words:0"]

    def test_other_nodes_of_the_same_name_are_renamed(self, tmp_path):
        clash = {"name": "fill", "op": "Identity", "input": ["words"], "attr": {"T": {"type": "DT_STRING"}}}
        path = write_model(
            tmp_path,
            self.lookup(INITIALIZER[0], clash),
            TABLE_WEIGHTS,
            TABLE_DATA,
            signature=None,
            modelInitializer={"node": INITIALIZER},
        )
        assert self.ids(path) == [8, -1]
        assert tfmodel.Model(path).node("fill_1").op == "LookupTableImportV2"


class TestLayersModel:
    """A Keras model in the form of TensorFlow.js has weights, but no graph."""

    @pytest.fixture
    def path(self, tmp_path):
        return write_model(tmp_path, {"class_name": "Sequential", "config": {}}, format="layers-model", signature=None)

    def test_its_weights_are_listed(self, path):
        assert [(weight.name, weight.shape) for weight in tfmodel.weights(path)] == [("w", (2, 3)), ("b", (3,))]
        assert next(iter(tfmodel.weights(path))).read().tolist() == [[1, 2, 3], [4, 5, 6]]

    @pytest.mark.parametrize("use", [tfmodel.load, lambda path: tfmodel.Model(path).graph, tfmodel.summarize])
    def test_everything_else_says_what_it_is(self, path, use):
        problem = "this is a layers model of TensorFlow.js, with the architecture of a Keras model and no graph"
        with pytest.raises(FileFormatError, match=f"model.json: {problem}"):
            use(path)


class TestErrors:
    def problem(self, path: Any) -> str:
        with pytest.raises(FileFormatError) as caught:
            tfmodel.load(path)
        name = str(path) if isinstance(path, Path) else "<bytes>"
        assert str(caught.value).startswith(name)
        return str(caught.value).removeprefix(f"{name}: ")

    def test_a_file_that_is_missing(self, tmp_path):
        path = write_model(tmp_path, shards=2)
        (tmp_path / "group1-shard2of2.bin").unlink()
        problem = "its weights are in group1-shard2of2.bin, which is missing: put the file beside it"
        assert self.problem(path) == problem

    def test_bytes_have_nothing_beside_them(self, tmp_path):
        problem = 'its weights are in "group1-shard1of1.bin", a file beside it: give its path'
        assert self.problem(write_model(tmp_path).read_bytes()) == problem

    @pytest.mark.parametrize(("data", "has"), [(DATA[:-1], "35"), (DATA + b"\0", "37")])
    def test_files_of_another_size(self, tmp_path, data, has):
        problem = f"group1-shard1of1.bin: {has} bytes, and the weights need 36"
        assert self.problem(write_model(tmp_path, data=data)) == problem

    def test_the_pointer_of_git_lfs_in_place_of_a_file(self, tmp_path):
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 36\n"
        assert self.problem(write_model(tmp_path, data=pointer)).startswith(
            "group1-shard1of1.bin: this is a Git LFS pointer, which stands for the file"
        )

    def test_strings_that_are_cut_off(self, tmp_path):
        topology = graph_of(const("s", "DT_STRING", (2,)))
        path = write_model(tmp_path, topology, [{"name": "s", "shape": [2], "dtype": "string"}], b"\1\0\0\0ab\0\0\0")
        assert self.problem(path) == 'group1-shard1of1.bin: cut off in the weight "s"'

    def test_bytes_behind_the_strings(self, tmp_path):
        topology = graph_of(const("s", "DT_STRING", (1,)))
        path = write_model(tmp_path, topology, [{"name": "s", "shape": [1], "dtype": "string"}], b"\1\0\0\0ab")
        assert self.problem(path) == "group1-shard1of1.bin: 1 bytes more than its weights need"

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"weightsManifest": None}, 'the weightsManifest has no value for the Const "w"'),
            ({"weightsManifest": {}}, "weightsManifest must be a list, not {}"),
            ({"weightsManifest": [1]}, "weightsManifest[0] must be an object, not 1"),
            ({"weightsManifest": [{"weights": []}]}, "weightsManifest[0].paths must be a list, not nothing"),
            ({"weightsManifest": [{"paths": []}]}, "weightsManifest[0].weights must be a list, not nothing"),
            ({"weights": WEIGHTS[:1], "data": DATA[:24]}, 'the weightsManifest has no value for the Const "b"'),
            ({"weights": [*WEIGHTS, WEIGHTS[0]]}, 'weightsManifest[0].weights[2]: there are two weights "w"'),
            ({"weights": [{}]}, "weightsManifest[0].weights[0] has no name"),
            ({"weights": [{"name": "w", "dtype": "int64"}]}, '"w": its dtype must be one of float32, int32, bool, '),
            ({"weights": [{"name": "w", "dtype": "bool", "shape": [-1]}]}, "its shape must be a list of sizes"),
            ({"weights": [{"name": "w", "dtype": "bool", "shape": [True]}]}, "its shape must be a list of sizes"),
            ({"modelTopology": None}, "this is a layers model"),
            ({"modelTopology": {"node": 5}}, "modelTopology.node: expected"),
            ({"modelTopology": {"node": [{"nam": "a"}]}}, 'modelTopology.node[0]: NodeDef has no field "nam"'),
            ({"modelTopology": {"node": [{"attr": {"a": {"s": [256]}}}]}}, 'modelTopology.node[0].attr["a"].s: '),
            ({"signature": {"inputs": 5}}, "signature.inputs: expected"),
        ],
    )
    def test_errors_in_model_json(self, tmp_path, change, words):
        format = None if "modelTopology" in change and change["modelTopology"] is None else "graph-model"
        assert words in self.problem(write_model(tmp_path, **{"format": format, **change}))

    @pytest.mark.parametrize(
        ("quantization", "words"),
        [
            ({"dtype": "uint4"}, "its quantization must have a dtype of uint8, uint16, float16, not"),
            ({"dtype": "uint8", "min": 0}, "its quantization needs a min and a scale, not nothing"),
            ({"dtype": "uint8", "min": 0, "scale": "1"}, "its quantization needs a min and a scale"),
            ({"dtype": "uint8", "min": 10**400, "scale": 1}, "its quantization needs a min and a scale"),
            ([1], "its quantization must be an object, not a list"),
        ],
    )
    def test_quantization(self, tmp_path, quantization, words):
        weight = {"name": "c", "shape": [], "dtype": "float32", "quantization": quantization}
        assert words in self.problem(write_model(tmp_path, graph_of(const("c")), [weight], b"\0"))

    def test_a_type_that_the_node_cannot_have(self, tmp_path):
        weight = {"name": "c", "shape": [1], "dtype": "float32"}
        path = write_model(tmp_path, graph_of(const("c", "DT_INT32")), [weight], floats(0.5))
        assert self.problem(path).startswith('the weight "c" of float32 cannot become int32, its node\'s type')

    def test_a_value_that_the_node_cannot_have(self, tmp_path):
        weight = {"name": "c", "shape": [1], "dtype": "int32"}
        path = write_model(tmp_path, graph_of(const("c", "DT_UINT8")), [weight], b"\0\1\0\0")
        assert self.problem(path).startswith('the weight "c" of int32 cannot become uint8')

    def test_unknown_fields_can_be_left_out(self, tmp_path):
        path = write_model(tmp_path, TOPOLOGY | {"more": 1})
        assert "modelTopology: GraphDef has no field" in self.problem(path)
        assert len(tfmodel.load(path, GraphDef, allow_unknown_field=True).node) == 6

    def test_it_must_be_json(self, tmp_path):
        path = write_model(tmp_path)
        path.write_text(path.read_text()[:-1])
        with pytest.raises(FileFormatError, match=r"model\.json:1:\d+: "):
            tfmodel.load(path)

    def test_a_model_has_no_checkpoint(self, tmp_path):
        with pytest.raises(ModelError, match="the graph has no variables"):
            tfmodel.freeze(write_model(tmp_path), "y", checkpoint={"a": np.zeros(1)})


class TestPaths:
    """Paths come from the file, which may be hostile: they must not lead out of its folder."""

    @pytest.mark.parametrize(
        "path",
        [
            "../secret.bin",
            "a/../../secret.bin",
            "a\\..\\..\\secret.bin",
            "/etc/passwd",
            "\\\\server\\share",
            "C:secret.bin",
            "c:\\secret.bin",
            "..",
        ],
    )
    def test_those_that_lead_out_are_refused(self, tmp_path, path):
        (tmp_path / "secret.bin").write_bytes(DATA)
        model = write_model(tmp_path / "model", paths=[path])
        with pytest.raises(FileFormatError, match="leads out of the folder of the model, and is not read"):
            tfmodel.load(model)

    @pytest.mark.parametrize("path", ["https://example.com/a.bin", "file:///etc/passwd", "data:text/plain,abc"])
    def test_urls_are_refused(self, tmp_path, path):
        with pytest.raises(FileFormatError, match="is a URL, and nothing is downloaded: put the file beside it"):
            tfmodel.load(write_model(tmp_path, paths=[path]))

    @pytest.mark.parametrize("path", ["", None, 5, "a\0b"])
    def test_those_that_name_no_file(self, tmp_path, path):
        with pytest.raises(FileFormatError, match="is not the name of a file"):
            tfmodel.load(write_model(tmp_path, paths=[path]))

    def test_a_folder_and_a_pipe_are_not_read(self, tmp_path):
        (tmp_path / "sub").mkdir()
        with pytest.raises(FileFormatError, match='"sub", which is not a file but a folder'):
            tfmodel.load(write_model(tmp_path, paths=["sub"]))

    def test_a_file_is_read_once(self, tmp_path):
        """Otherwise a few bytes could stand for any number of them."""
        for paths in (["a.bin", "a.bin"], ["a.bin", "./a.bin"]):
            with pytest.raises(FileFormatError, match=r'paths: ".*a.bin" is listed twice'):
                tfmodel.load(write_model(tmp_path, paths=paths))

    def test_nothing_is_allocated_for_a_declared_size(self, tmp_path):
        weights = [{"name": "w", "shape": [2**40, 2**20], "dtype": "float32"}]
        with pytest.raises(FileFormatError, match=r"36 bytes, and the weights need 4,611,686,018,427,387,904"):
            tfmodel.load(write_model(tmp_path, weights=weights))
