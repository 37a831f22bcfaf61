"""`check` finds models that were made to look harmless, and has nothing to say about the harmless ones beside them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel.reports.check.attacks import GRAPHS, HARMLESS_GRAPHS, HARMLESS_MODELS, MODELS, Attack, Model
from tests.tfmodel.reports.check.loops import HARMLESS_LOOPS, LOOPS
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import check, from_ndarray, save
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    MetaGraphDef,
    NameAttrList,
    OpDef,
    SavedModel,
    TensorProto,
)


def written(folder: Path, *metas: MetaGraphDef) -> Path:
    """Write a SavedModel with the asset "vocab"."""
    (folder / "assets").mkdir()
    (folder / "assets" / "vocab").write_text("word")
    save(SavedModel(saved_model_schema_version=1, meta_graphs=[*metas]), folder / "saved_model.pb")
    return folder


@pytest.mark.parametrize("row", GRAPHS.values(), ids=GRAPHS)
def test_an_attack_is_found(row: Attack) -> None:
    report = check(row.graph)
    assert row.kind in {finding.kind for finding in report if finding.level != "note"}, list(report)
    if row.kind != "function":
        assert report.of("broken") == []  # TensorFlow loads it, so it is an attack


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_a_loop_that_does_not_end(text: str) -> None:
    report = check(Attack("endless", text).graph)
    assert {finding.kind for finding in report if finding.level != "note"} == {"endless"}


@pytest.mark.parametrize("text", HARMLESS_LOOPS.values(), ids=HARMLESS_LOOPS)
def test_a_loop_that_ends(text: str) -> None:
    assert check(Attack("", text).graph).is_clean


@pytest.mark.parametrize(("value", "is_clean"), [(True, False), (False, True)])
def test_a_loop_that_runs_while_the_checkpoint_says_so(value: bool, is_clean: bool) -> None:
    text = (
        "v = VariableV2[dtype=bool, shape=()]\na = Assign(v, no)[T=bool]\nr = Identity(v)[T=bool]\n"
        "c: (n: bool) -> (r: bool = n)\ng: (n: bool) -> (r: bool = n)\ny = While(r)[T=[bool], cond=@c, body=@g]"
    )
    assert check(Attack("", text).graph, checkpoint={"v": np.array(value)}).is_clean is is_clean


@pytest.mark.parametrize("row", MODELS.values(), ids=MODELS)
def test_an_attack_in_a_saved_model_is_found(row: Model, tmp_path: Path) -> None:
    report = check(written(tmp_path, row.meta))
    assert not report.is_clean
    assert row.kind in {finding.kind for finding in report if finding.level != "note"}, list(report)


@pytest.mark.parametrize("text", HARMLESS_GRAPHS.values(), ids=HARMLESS_GRAPHS)
def test_a_harmless_graph_has_no_findings(text: str) -> None:
    assert list(check(Attack("", text).graph)) == []


@pytest.mark.parametrize("row", HARMLESS_MODELS.values(), ids=HARMLESS_MODELS)
def test_a_harmless_saved_model_has_no_findings(row: Model, tmp_path: Path) -> None:
    assert list(check(written(tmp_path, row.meta))) == []


def test_there_are_enough_attacks() -> None:
    assert len(GRAPHS) + len(MODELS) >= 60


def test_an_attack_in_the_second_of_two_graphs_with_the_same_tags(tmp_path: Path) -> None:
    harmless, attack = HARMLESS_MODELS["a table that is filled with an asset"], MODELS["an asset that is computed"]
    report = check(written(tmp_path, harmless.meta, attack.meta), tags="serve")
    assert report.is_clean  # the second one was not chosen
    assert [finding.kind for finding in report] == ["tags"]


def test_the_checkpoint_has_the_value_of_a_variable() -> None:
    text = (
        "v = VariableV2[dtype=string, shape=()]\na = Assign(v, empty)[T=string]\nr = Identity(v)[T=string]\n"
        "d = TensorDataset(x)[Toutput_types=[float], output_shapes=[()]]\n"
        "y = CacheDataset(d, r)[output_types=[float], output_shapes=[()]]"
    )
    assert check(Attack("", text).graph).is_clean
    report = check(Attack("", text).graph, checkpoint={"v": np.array(b"/etc/passwd", object)})
    assert [finding.kind for finding in report.of("unsafe")] == ["write"]
    assert 'the variable "v"' in report.of("unsafe")[0].message


@pytest.mark.parametrize(
    ("strings", "content", "is_unsafe"),
    [
        ([b""], b"", False),
        ([], b"", False),
        ([b""], b"\x0b/etc/passwd", True),  # TensorFlow reads this one
        ([b""], b"\x0cdamaged", True),
        ([b""], b"\x00", False),
    ],
)
def test_the_content_of_a_constant_counts_before_its_strings(
    strings: list[bytes], content: bytes, is_unsafe: bool
) -> None:
    own = graph(
        "x = Placeholder[dtype=float, shape=()]\nd = TensorDataset(x)[Toutput_types=[float], output_shapes=[()]]\n"
        'e = Const[dtype=string, value=string{""}()]\ny = CacheDataset(d, e)[output_types=[float], output_shapes=[()]]'
    )
    value = own.node[2].attr["value"].tensor
    assert isinstance(value, TensorProto)
    value.string_val, value.tensor_content = strings, content
    assert bool(check(own).of("unsafe")) is is_unsafe


@pytest.mark.parametrize(
    ("node", "attribute", "kind"),
    [
        ('n = RecordInput[file_pattern="a"]', "file_pattern", "read"),
        ('n = PrintV2(a)[output_stream="stdout"]', "output_stream", "write"),
        ("n = DebugIdentity(a)[T=string, debug_urls=[]]", "debug_urls", "write"),
        ('n = DecodeProtoV2(a)[message_type="m", field_names=[], output_types=[]]', "descriptor_source", "read"),
    ],
)
def test_an_attribute_that_the_caller_of_a_function_sets_may_be_any_path(node: str, attribute: str, kind: str) -> None:
    own = graph(f"f: (a: string) -> (r: string = a)\nf: {node}")
    assert own.library is not None
    own.library.function[0].node_def[0].attr[attribute] = AttrValue(placeholder="p")
    assert [finding.kind for finding in check(own).of("unsafe")] == [kind]


def test_two_functions_of_one_name() -> None:
    harmless = graph("f: (a: float) -> (r: float = a)")
    other = graph("f: (a: float) -> (r: float = n:y:0)\nf: n = Neg(a)[T=float]")
    assert harmless.library is not None and other.library is not None
    harmless.library = FunctionDefLibrary(function=[*other.library.function, *harmless.library.function])
    assert [finding.kind for finding in check(harmless).of("broken")] == ["duplicate"]


def test_ops_of_other_libraries_are_found_in_a_meta_graph_and_in_its_graph() -> None:
    meta = MODELS["an op that only the model declares"].meta
    for model in (meta, meta.graph_def):
        assert [finding.kind for finding in check(model).of("broken")] == ["op"]


def test_ops_that_the_caller_declares_are_noted() -> None:
    meta = MODELS["an op that only the model declares"].meta
    assert meta.meta_info_def is not None and meta.meta_info_def.stripped_op_list is not None
    report = check(meta.graph_def, op_defs=meta.meta_info_def.stripped_op_list)
    assert [(finding.level, finding.kind) for finding in report] == [("note", "op")]


@pytest.mark.parametrize(
    ("member", "kinds"),
    [
        ("model.weights.npz", ["python"]),  # TensorFlow 2.12 unpickles it
        ("../../evil", ["write"]),
        ("/etc/cron.d/evil", ["write"]),
        ("assets/../../evil", ["write"]),
        ("assets\\..\\..\\evil", ["write"]),
        ("C:/evil", ["write"]),
        ("assets/vocabulary.txt", []),
        ("assets/..vocabulary", []),
    ],
)
def test_members_of_a_keras_archive(member: str, kinds: list[str], tmp_path: Path) -> None:
    layer = {"module": "keras.layers", "class_name": "Dense", "config": {"name": "d", "units": 1}}
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": [layer]}}
    with zipfile.ZipFile(tmp_path / "model.keras", "w") as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.0.0"}))
        archive.writestr("config.json", json.dumps(config))
        archive.writestr(member, "")
    assert [finding.kind for finding in check(tmp_path / "model.keras")] == kinds


def test_a_function_without_a_name_hides_nothing() -> None:
    """TensorFlow 2.12 runs a function whose name is empty, which is how the graph itself is called inside of us."""
    row = next(row for row in GRAPHS.values() if row.kind == "read" and not row.graph.library)
    beside = type(row.graph).from_bytes(row.graph.to_bytes())
    beside.library = FunctionDefLibrary(function=[FunctionDef(signature=OpDef(name=""))])
    assert {finding.kind for finding in check(beside).of("unsafe")} == {"read"}
    body = graph("c = Const[dtype=string]\nr = ReadFile(c)").node
    body[0].attr["value"] = AttrValue(tensor=from_ndarray(np.array(b"/etc/passwd", object)))
    body[1].input = ["c:output:0"]
    called = graph("y = PartitionedCall[Tin=[], Tout=[string]]")
    called.node[0].attr["f"] = AttrValue(func=NameAttrList(name=""))
    signature = OpDef(name="", output_arg=[OpDef.ArgDef(name="o", type=DataType.DT_STRING)])
    function = FunctionDef(signature=signature, node_def=body, ret={"o": "r:contents:0"})
    called.library = FunctionDefLibrary(function=[function])
    report = check(called)
    assert [(finding.kind, finding.function) for finding in report.of("unsafe")] == [
        ("read", "function_without_a_name")
    ]
    assert report.of("broken") == []
