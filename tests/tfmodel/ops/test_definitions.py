"""`tfmodel.ops.definitions`: the declarations of ops, by name."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import tfmodel
from tfmodel import save
from tfmodel.errors import FileFormatError
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    OpList,
    SavedModel,
)
from tfmodel.ops import OPS, defaults, is_stateful, op_def, registry

ROOT = Path(tfmodel.__file__).parents[1]


def op_list(*names, **more):
    return OpList(op=[OpDef(name=name, **more) for name in names])


def library(*names):
    return FunctionDefLibrary(function=[FunctionDef(signature=OpDef(name=name)) for name in names])


def meta_graph(functions=(), ops=()):
    info = MetaGraphDef.MetaInfoDef(stripped_op_list=op_list(*ops))
    return MetaGraphDef(meta_info_def=info, graph_def=GraphDef(library=library(*functions)))


def test_an_op():
    assert op_def("MatMul") == OpDef(
        name="MatMul",
        input_arg=[OpDef.ArgDef(name="a", type_attr="T"), OpDef.ArgDef(name="b", type_attr="T")],
        output_arg=[OpDef.ArgDef(name="product", type_attr="T")],
        attr=[
            OpDef.AttrDef(name="transpose_a", type="bool", default_value=AttrValue(b=False)),
            OpDef.AttrDef(name="transpose_b", type="bool", default_value=AttrValue(b=False)),
            OpDef.AttrDef(
                name="T",
                type="type",
                allowed_values=AttrValue(list=AttrValue.ListValue(type=[14, 19, 1, 2, 3, 9, 4, 17, 22, 23, 8, 18])),
            ),
        ],
    )


def test_an_op_that_does_not_exist():
    assert op_def("Matmul") is None
    assert "Matmul" not in OPS
    with pytest.raises(KeyError):
        OPS["Matmul"]


def test_all_ops():
    assert len(OPS) == 1838
    assert list(OPS) == sorted(OPS)
    assert all(op.name == name for name, op in OPS.items())
    assert not any(op.summary or op.description or op.unknown_fields for op in OPS.values())
    assert repr(OPS) == "<Registry of 1,838 ops>"


def test_an_op_is_decoded_once():
    assert OPS["Relu"] is OPS["Relu"]


def test_every_default_is_of_the_kind_that_is_declared():
    kinds = {"string": "s", "int": "i", "float": "f", "bool": "b"}
    for op in OPS.values():
        for attr in op.attr:
            if attr.default_value is not None:
                kind = "list" if attr.type.startswith("list(") else kinds.get(attr.type, attr.type)
                assert attr.default_value.which_oneof("value") == kind, f"{op.name}.{attr.name}"


def test_defaults():
    assert list(defaults(OPS["Conv2D"])) == ["use_cudnn_on_gpu", "explicit_paddings", "data_format", "dilations"]
    assert defaults(OPS["Shape"]) == {"out_type": AttrValue(type=DataType.DT_INT32)}
    assert defaults(OPS["NoOp"]) == {}


@pytest.mark.parametrize(
    ("name", "stateful"),
    [
        ("RandomUniform", True),
        ("ReadVariableOp", True),
        ("VarHandleOp", True),
        ("MatMul", False),
        ("PartitionedCall", False),
        ("StatefulPartitionedCall", True),
        ("Unheard", True),
    ],
)
def test_stateful_ops(name, stateful):
    assert is_stateful(op_def(name)) is stateful


# --- other declarations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mine.pb", "mine.pbtxt", "mine.json"])
def test_a_file_of_ones_own(tmp_path, name):
    save(op_list("Mine"), tmp_path / name)
    for op_defs in (tmp_path / name, str(tmp_path / name), [tmp_path / name]):
        ops = registry(op_defs=op_defs)
        assert ops["Mine"].name == "Mine"
        assert ops["Relu"] is OPS["Relu"]
        assert len(ops) == len(list(ops)) == len(OPS) + 1
    assert "Mine" not in OPS


def test_a_file_that_holds_no_ops(tmp_path):
    save(GraphDef(node=[NodeDef(name="n", op="NoOp")]), tmp_path / "graph.pb")
    with pytest.raises(FileFormatError):
        registry(op_defs=[tmp_path / "graph.pb"])
    with pytest.raises(FileNotFoundError):
        registry(op_defs=[tmp_path / "nothing.pb"])


@pytest.mark.parametrize(
    "model",
    [
        library("f"),
        GraphDef(library=library("f")),
        meta_graph(functions=["f"]),
        SavedModel(meta_graphs=[MetaGraphDef(), meta_graph(functions=["f"])]),
    ],
)
def test_functions_are_ops(model):
    assert registry(model)["f"].name == "f"
    assert registry(model)["Relu"] is OPS["Relu"]


@pytest.mark.parametrize(
    "model", [meta_graph(ops=["Custom"]), SavedModel(meta_graphs=[MetaGraphDef(), meta_graph(ops=["Custom"])])]
)
def test_a_meta_graph_declares_ops(model):
    assert registry(model)["Custom"].name == "Custom"


@pytest.mark.parametrize(
    "model", [FunctionDefLibrary(function=[FunctionDef()]), GraphDef(), MetaGraphDef(), SavedModel()]
)
def test_a_model_that_declares_nothing(model):
    assert registry(model).keys() == OPS.keys()


def test_the_precedence_of_declarations():
    model = meta_graph(functions=["Both", "Relu"], ops=["Both", "Elu", "Selu", "Custom", "Custom"])
    ops = registry(model, op_defs=[op_list("Selu", is_stateful=True), op_list("Selu", "Both", is_commutative=True)])
    assert ops["Selu"].is_stateful
    assert ops["Both"].is_commutative
    assert ops["Relu"] is model.graph_def.library.function[1].signature
    assert ops["Elu"] is OPS["Elu"]
    assert ops["Custom"] is model.meta_info_def.stripped_op_list.op[-1]
    assert len(ops) == len(list(ops)) == len(OPS) + 2


def test_a_message_that_can_declare_nothing():
    with pytest.raises(TypeError, match="a NodeDef does not declare ops"):
        registry(NodeDef())


# --- where the package is --------------------------------------------------------------------------------------------


def run(code, path):
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(path)!r}); {code}"]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=path.parent).stdout.strip()


def test_nothing_is_read_and_numpy_not_imported_before_an_op_is_looked_up():
    code = (
        "from tfmodel.ops import OPS, registry; from tfmodel.messages import GraphDef; import zlib; "
        "zlib.decompress = None; registry(GraphDef()); print('numpy' in sys.modules)"
    )
    assert run(code, ROOT) == "False"


def test_a_package_in_a_zip_file(tmp_path):
    archive = tmp_path / "vendored.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in (*ROOT.glob("pbwire/**/*"), *ROOT.glob("tfmodel/**/*"), *ROOT.glob("schema/*")):
            inside = path.relative_to(ROOT)
            if path.suffix in (".py", ".gz") and inside.parts[:2] != ("tfmodel", "_schema"):
                inside = Path("tfmodel", "_schema", path.name) if inside.parts[0] == "schema" else inside
                file.write(path, inside)
    code = "from tfmodel.ops import registry as r; print(r.__code__.co_filename, op_def('MatMul').name)"
    output = run(f"from tfmodel.ops import op_def; {code}", archive)
    assert output.startswith(str(archive)) and output.endswith(" MatMul")
