"""`check` finds what makes a model unsound or unsafe, and nothing in models that are neither."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pbwire.message import Message
from tests.tfmodel import models
from tests.tfmodel.models import shape
from tests.tfmodel.reports.check.catalogue import BROKEN, CLEAN, UNSAFE, Row
from tests.tfmodel.transforms.graph_notation import graph, node
from tfmodel import check, save, write_checkpoint
from tfmodel.messages import (
    AssetFileDef,
    AttrValue,
    CollectionDef,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    QueueRunnerDef,
    SavedAsset,
    SavedConcreteFunction,
    SavedConstant,
    SavedFunction,
    SavedModel,
    SavedObject,
    SavedObjectGraph,
    SaverDef,
    SignatureDef,
    TensorInfo,
    TensorProto,
    VariableDef,
)


@pytest.mark.parametrize("row", BROKEN.values(), ids=BROKEN)
def test_a_broken_graph(row: Row) -> None:
    findings = check(row.graph).of("broken")
    assert any(finding.kind == row.kind and row.words in finding.message for finding in findings), findings


@pytest.mark.parametrize("row", UNSAFE.values(), ids=UNSAFE)
def test_an_unsafe_graph_is_not_broken(row: Row) -> None:
    report = check(row.graph)
    assert report.of("broken") == []
    unsafe = report.of("unsafe")
    assert any(finding.kind == row.kind and row.words in finding.message for finding in unsafe), list(report)


@pytest.mark.parametrize("text", CLEAN.values(), ids=CLEAN)
def test_a_sound_and_safe_graph(text: str) -> None:
    report = check(Row("", "", text).graph)
    assert report.is_clean, list(report)


@pytest.mark.parametrize("value", ["1.0", '"words"', "[1, 2]", "float", "(2, 3)", "true"])
def test_an_attribute_that_tensorflow_ignores_is_a_note(value: str) -> None:
    report = check(Row("", "", f"y = Relu(x)[T=float, quant_info={value}]").graph)
    assert [finding.level for finding in report] == ["note"]
    assert 'its attribute "quant_info" is unknown, and TensorFlow 2 ignores it' in report[0].message


@pytest.mark.parametrize(
    ("constants", "messages"),
    [
        ([[], []], ["none of its 2 constants has values"]),
        ([[], [], [7.0]], []),
        ([[]], []),
    ],
)
def test_a_graph_whose_constants_all_lack_values_is_noted(constants: list[list[float]], messages: list[str]) -> None:
    """As in the topology of a TensorFlow.js model. A single constant of zeros is common, and so are scalars."""
    values = [TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=shape(4), float_val=floats) for floats in constants]
    values.append(TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=shape(), float_val=[1.0]))
    dtype = AttrValue(type=DataType.DT_FLOAT)
    nodes = [
        NodeDef(name=f"c{number}", op="Const", attr={"dtype": dtype, "value": AttrValue(tensor=value)})
        for number, value in enumerate(values)
    ]
    report = check(GraphDef(node=nodes))
    assert [finding.message.split(",")[0] for finding in report if finding.kind == "constant"] == messages
    assert report.is_clean


def test_there_are_enough_rows() -> None:
    assert len(BROKEN) + len(UNSAFE) >= 60


def saved(**fields: Any) -> MetaGraphDef:
    """The model of tests/tfmodel/models.py with other fields."""
    meta = models.meta_graph("serve")
    meta.graph_def.node.append(node('p = Const[dtype=string, value=string{"vocabulary"}()]'))
    for name, value in fields.items():
        setattr(meta, name, value)
    return meta


def signature(name: str = "y:0", dtype: DataType = DataType.DT_FLOAT, *sizes: int) -> dict[str, SignatureDef]:
    info = TensorInfo(name=name, dtype=dtype, tensor_shape=models.shape(*sizes) if sizes else None)
    return {"serve": SignatureDef(outputs={"y": info})}


def strings(*values: str) -> CollectionDef:
    return CollectionDef(node_list=CollectionDef.NodeList(value=list(values)))


def messages(*values: Message) -> CollectionDef:
    return CollectionDef(bytes_list=CollectionDef.BytesList(value=[value.to_bytes() for value in values]))


class TestMetaGraphs:
    @pytest.mark.parametrize(
        ("fields", "kind", "words"),
        [
            ({"signature_def": signature("gone:0")}, "signature", 'is "gone:0": there is no node "gone"'),
            ({"signature_def": signature("y:1")}, "signature", 'Relu "y" has no output 1'),
            ({"signature_def": signature("")}, "signature", "names no tensor"),
            ({"saver_def": SaverDef(restore_op_name="gone")}, "saver", 'the restore_op_name of the saver is "gone"'),
            ({"saver_def": SaverDef(save_tensor_name="y:5")}, "saver", "the save_tensor_name"),
            ({"collection_def": {"losses": strings("y:0", "gone:0")}}, "collection", 'the collection "losses" names'),
            ({"collection_def": {"variables": messages(VariableDef(variable_name="gone:0"))}}, "collection", "gone:0"),
            (
                {"collection_def": {"queue_runners": messages(QueueRunnerDef(queue_name="gone"))}},
                "collection",
                'names "gone"',
            ),
            (
                {"asset_file_def": [AssetFileDef(filename="words", tensor_info=TensorInfo(name="gone:0"))]},
                "asset",
                'the asset "words" belongs to a tensor that does not exist',
            ),
            (
                {"object_graph_def": SavedObjectGraph(concrete_functions={"gone": SavedConcreteFunction()})},
                "object",
                'a function "gone", which is not in the library',
            ),
            (
                {"object_graph_def": SavedObjectGraph(nodes=[SavedObject(function=SavedFunction(["gone"]))])},
                "object",
                'object 0 is a function "gone"',
            ),
            (
                {"object_graph_def": SavedObjectGraph(nodes=[SavedObject(constant=SavedConstant("gone"))])},
                "object",
                'is the constant "gone"',
            ),
            (
                {"object_graph_def": SavedObjectGraph(nodes=[SavedObject(asset=SavedAsset(3))])},
                "object",
                "is the asset 3: there are 0 assets",
            ),
        ],
    )
    def test_a_name_of_nothing_is_found(self, fields: dict[str, Any], kind: str, words: str) -> None:
        findings = check(saved(**fields)).of("broken")
        assert [finding.kind for finding in findings] == [kind]
        assert words in findings[0].message

    @pytest.mark.parametrize(
        ("described", "words"),
        [
            (signature("y:0", DataType.DT_INT32), "it is float32, and the signature says int32"),
            (signature("y:0", DataType.DT_FLOAT, 5, 7), "its shape is [?,1], and the signature says [5,7]"),
        ],
    )
    def test_another_description_of_a_tensor_is_a_note(self, described: dict[str, SignatureDef], words: str) -> None:
        report = check(saved(signature_def=described))
        assert report.is_clean
        assert words in report[0].message

    def test_a_model_that_names_existing_files_and_nodes_has_no_findings(self) -> None:
        assert list(check(saved())) == []

    def test_the_signatures_that_run_a_node_are_named(self) -> None:
        meta = saved(signature_def=signature() | {"other": SignatureDef(outputs={"z": TensorInfo(name="z:0")})})
        meta.graph_def.node.extend([node("r = ReadFile(p)"), node("z = Identity(r)[T=string]")])
        (finding,) = check(meta)
        assert (finding.kind, finding.by) == ("read", ('signature "other"',))

    def test_nodes_before_a_fed_tensor_do_not_run(self) -> None:
        serve = SignatureDef(inputs={"r": TensorInfo(name="r:0")}, outputs={"z": TensorInfo(name="z:0")})
        meta = saved(signature_def={"serve": serve})
        meta.graph_def.node.extend([node("r = ReadFile(p)"), node("z = Identity(r)[T=string]")])
        (finding,) = check(meta)
        assert finding.by == ()

    def test_another_implementation_of_a_function_runs_too(self) -> None:
        text = """
            f: (a: float) -> (r: float = n:activations:0)
            f: n = Relu(a)[T=float]
            g: (a: float) -> (r: float = n:output:0)
            g: n = PyFunc(a)[token="0", Tin=[float], Tout=[float]]
            x = Placeholder[dtype=float, shape=()]
            y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@f]
        """
        own = graph(textwrap.dedent(text))
        for function in own.library.function:
            function.attr["api_implements"] = AttrValue(s=b"same")
        (finding,) = check(MetaGraphDef(graph_def=own, signature_def=signature()))
        assert finding.by == ('signature "serve"',)


class TestFiles:
    def folder(self, tmp_path: Path, meta: MetaGraphDef) -> Path:
        save(SavedModel(saved_model_schema_version=1, meta_graphs=[meta]), tmp_path / "saved_model.pb")
        return tmp_path

    def asset(self, filename: str, path: str = "p") -> MetaGraphDef:
        meta = saved(asset_file_def=[AssetFileDef(filename=filename, tensor_info=TensorInfo(name="p:0"))])
        meta.graph_def.node.append(node(f"r = ReadFile({path})"))
        return meta

    def test_reading_an_asset_is_safe(self, tmp_path: Path) -> None:
        (tmp_path / "assets").mkdir()
        (tmp_path / "assets" / "words").write_text("a")
        assert list(check(self.folder(tmp_path, self.asset("words")))) == []

    def test_an_asset_may_be_kept_in_a_variable(self, tmp_path: Path) -> None:
        """TensorFlow 2 feeds the path to a Placeholder, which is assigned while the model is loaded."""
        (tmp_path / "assets").mkdir()
        (tmp_path / "assets" / "words").write_text("a")
        meta = saved(asset_file_def=[AssetFileDef(filename="words", tensor_info=TensorInfo(name="q:0"))])
        lines = """
            q = Placeholder[dtype=string, shape=()]
            v = VarHandleOp[dtype=string, shape=(), shared_name="v"]
            a = AssignVariableOp(v, q)[dtype=string]
            p1 = ReadVariableOp(v, ^a)[dtype=string]
            r = ReadFile(p1)
        """
        meta.graph_def.node.extend(graph(textwrap.dedent(lines)).node)
        report = check(self.folder(tmp_path, meta), checkpoint={"other": np.float32(0)})
        assert report.of("unsafe") == []

    def test_the_constant_of_an_asset_is_read_after_loading(self, tmp_path: Path) -> None:
        """TensorFlow puts the path of the asset in its place only while it loads the model."""
        (tmp_path / "assets").mkdir()
        (tmp_path / "assets" / "words").write_text("a")
        meta = self.asset("words")
        meta.signature_def = {"serve": SignatureDef(outputs={"r": TensorInfo(name="r:0")})}
        (finding,) = check(self.folder(tmp_path, meta))
        assert finding.message == 'ReadFile "r" reads "vocabulary"'

    def test_all_graphs_of_a_saved_model_are_checked(self, tmp_path: Path) -> None:
        unsafe = saved(signature_def={"s": SignatureDef(outputs={"y": TensorInfo(name="r:0")})})
        unsafe.graph_def.node.append(node("r = ReadFile(p)"))
        unsafe.meta_info_def.tags = ["gpu", "train"]
        save(SavedModel(saved_model_schema_version=1, meta_graphs=[saved(), unsafe]), tmp_path / "saved_model.pb")
        (finding,) = check(tmp_path).of("unsafe")
        assert finding.message == 'the MetaGraph with the tags "gpu", "train": ReadFile "r" reads "vocabulary"'

    def test_a_chosen_graph_of_a_saved_model_is_checked_alone(self, tmp_path: Path) -> None:
        (finding,) = check(models.write_saved_model(tmp_path, ("serve",), ("train", "gpu")), tags="serve")
        assert (finding.level, finding.message) == (
            "note",
            'the MetaGraph with the tags "gpu", "train" was not checked',
        )

    def test_an_asset_without_its_file(self, tmp_path: Path) -> None:
        (finding,) = check(self.folder(tmp_path, self.asset("words")))
        assert (finding.level, finding.kind) == ("broken", "asset")

    @pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b"])
    def test_an_asset_in_another_folder(self, tmp_path: Path, name: str) -> None:
        report = check(self.folder(tmp_path, self.asset(name)))
        assert [finding.kind for finding in report.of("unsafe")] == ["asset"]

    def test_python_code_of_keras(self, tmp_path: Path) -> None:
        config = json.dumps({"class_name": "Lambda", "config": {"function": {"items": ["4wEAAA=="]}}}).encode()
        layer = b"\x1a\x08root.out" + b"\x2a" + bytes([len(config)]) + config
        (tmp_path / "keras_metadata.pb").write_bytes(b"\x0a" + bytes([len(layer)]) + layer)
        (finding,) = check(self.folder(tmp_path, saved()))
        assert finding.message == 'the layer "root.out" is a Keras Lambda layer: Keras runs its Python code'

    def test_damaged_metadata_of_keras(self, tmp_path: Path) -> None:
        (tmp_path / "keras_metadata.pb").write_bytes(b"\x0a\x05abc")
        (finding,) = check(self.folder(tmp_path, saved()))
        assert (finding.level, finding.kind) == ("broken", "keras")


class TestCheckpoints:
    GRAPH = """
        v = VarHandleOp[dtype=float, shape=(2), shared_name="v"]
        prefix = Placeholder[dtype=string, shape=()]
        names = Const[dtype=string, value=string{"key"}]
        slices = Const[dtype=string, value=string{""}]
        read = RestoreV2(prefix, names, slices)[dtypes=[float]]
        set = AssignVariableOp(v, read)[dtype=float]
    """

    def findings(self, **tensors: Any) -> list[tuple[str, str]]:
        own = graph(textwrap.dedent(self.GRAPH))
        return [(finding.level, finding.message) for finding in check(own, checkpoint=tensors)]

    def test_a_checkpoint_with_all_values(self) -> None:
        assert self.findings(key=np.float32([1, 2])) == []

    @pytest.mark.parametrize(
        ("tensors", "words"),
        [
            ({"other": np.float32(0)}, 'is restored from "key", which the checkpoint does not have'),
            ({"key": np.float64([1, 2])}, "is float32 in the graph, float64 in the checkpoint"),
            ({"key": np.float32([1, 2, 3])}, "has shape [2] in the graph, [3] in the checkpoint"),
        ],
    )
    def test_a_wrong_or_missing_value(self, tensors: dict[str, Any], words: str) -> None:
        ((level, message),) = self.findings(**tensors)
        assert level == "broken"
        assert words in message

    @pytest.mark.parametrize(
        ("names", "message"),
        [
            ("a", '1 variable is not in the checkpoint, and nothing restores it: "a"'),
            ("ab", '2 variables are not in the checkpoint, and nothing restores them: "a", "b"'),
        ],
    )
    def test_variables_that_nothing_restores_are_a_note(self, names: str, message: str) -> None:
        own = graph("\n".join(f"{name} = VariableV2[dtype=float, shape=(2)]" for name in names))
        findings = [(finding.level, finding.message) for finding in check(own, checkpoint={"other": np.float32(0)})]
        assert findings == [("note", message)]

    def test_damaged_values_are_found_on_request(self, tmp_path: Path) -> None:
        prefix = str(tmp_path / "model")
        write_checkpoint(prefix, {"key": np.float32([1, 2])})
        data = tmp_path / "model.data-00000-of-00001"
        data.write_bytes(bytes([data.read_bytes()[0] ^ 1]) + data.read_bytes()[1:])
        own = graph(textwrap.dedent(self.GRAPH))
        assert check(own, checkpoint=prefix).is_clean
        names: list[str] = []
        (finding,) = check(own, checkpoint=prefix, read_values=True, reading=names.append)
        assert (finding.kind, names) == ("checkpoint", ["key"])


class TestReports:
    REPORT = check(UNSAFE["a file that is read"].graph)

    def test_text(self) -> None:
        assert self.REPORT.to_text().splitlines() == [
            "1 unsafe (7 nodes)",
            "",
            "unsafe: running the model does more than compute",
            '  read  ReadFile "y" reads "/etc/passwd"',
        ]

    def test_the_text_of_a_clean_model(self) -> None:
        assert check(models.graph()).to_text() == "sound and safe (4 nodes, 1 function)\n"

    def test_many_findings_of_one_kind_are_counted(self) -> None:
        rows = "".join(f"y{number} = Relo(x)\n" for number in range(25))
        report = check(Row("", "", rows).graph)
        assert report.to_text().splitlines()[-1] == "  op  ... and 5 more"
        assert len(report.to_text(max_shown=None).splitlines()) == 3 + 25

    def test_json(self) -> None:
        assert json.loads(self.REPORT.to_json()) == {
            "format": 1,
            "name": "",
            "is_clean": False,
            "parts": ["7 nodes"],
            "ignored": 0,
            "findings": [
                {
                    "level": "unsafe",
                    "kind": "read",
                    "node": "y",
                    "function": "",
                    "message": 'ReadFile "y" reads "/etc/passwd"',
                    "by": [],
                }
            ],
        }
