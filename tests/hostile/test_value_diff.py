"""Comparing values: false sizes, damaged data, constants that a few bytes stand for, and many equal tensors."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.hostile.measure import assert_linear, peak
from tests.hostile.test_checkpoints import DATA, LIES, entry, write
from tests.tfmodel.files.checkpoints.golden import golden
from tfmodel.errors import CheckpointError, GraphError, TensorError
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorProto,
    TensorShapeProto,
)

FLOAT = DataType.DT_FLOAT
RESOURCE = DataType.DT_RESOURCE
ARRAY = np.frombuffer(DATA, "<f4")


UNREAD = {"shape with a zero and an overflow": "changed", "shape of 200 dimensions": "reshaped"}
"""Shapes that NumPy does not have, which no array needs here: what is said about them."""


@pytest.mark.parametrize("lie", LIES)
def test_an_entry_with_wrong_values(lie: str, tmp_path: Path) -> None:
    """Attack: an entry whose offset, size, shape, type or checksum fits no tensor in the files.

    Naive: reads other bytes, or allocates arrays of the declared shape for the difference.
    Stopped by: tfmodel.files.checkpoints.v2.Bundle, tfmodel.files.checkpoints.data_files.DataFiles.bytes_of
    """
    value, problem = LIES[lie]
    path = write(tmp_path, {"w": value})
    is_of_objects = getattr(value, "dtype", FLOAT) in (RESOURCE, DataType.DT_STRING)  # not compared with numbers

    def compare() -> None:
        for a, b in ((path, path), *(() if is_of_objects else (({"w": ARRAY}, path), (path, {"w": ARRAY})))):
            with pytest.raises(CheckpointError) as raised:
                tfmodel.compare_values(a, b)
            assert "w" in str(raised.value) and path in str(raised.value) and problem in str(raised.value)

    if lie in UNREAD:
        assert tfmodel.compare_values(path, {"w": ARRAY})["w"].status == UNREAD[lie]
        return
    compare()
    assert peak(compare) < 1 << 20


def test_damage_in_the_middle_of_a_tensor(tmp_path: Path) -> None:
    """Attack: a byte of a large tensor is not that of the checksum; both checkpoints have the same damage.

    Naive: equal bytes are the same, so the checksum is not looked at.
    Stopped by: tfmodel.files.checkpoints.v2.Bundle.chunks
    """
    prefix = str(tmp_path / "m")
    tfmodel.write_checkpoint(prefix, {"a": np.zeros(5, "f4"), "w": np.zeros(3_000_000, "f4")})
    file = Path(f"{prefix}.data-00000-of-00001")
    data = bytearray(file.read_bytes())
    data[6_000_000] ^= 1
    file.write_bytes(data)
    with pytest.raises(
        CheckpointError, match='data-00000-of-00001: tensor "w" at byte 20: its 12,000,000 bytes have CRC'
    ):
        tfmodel.compare_values(prefix, prefix)


@pytest.mark.parametrize("name", ["grid_v2", "partitioned_v2"])
def test_damage_in_a_slice(name: str, tmp_path: Path) -> None:
    """Attack: the same for a tensor that is stored in slices.

    Naive: compares the checksum of the whole tensor, which slices do not have.
    Stopped by: tfmodel.files.checkpoints.checkpoint.Checkpoint.chunks
    """
    prefix = golden(name).path
    for file in prefix.parent.glob(f"{prefix.name}.*"):
        data = bytearray(file.read_bytes())
        if ".data-" in file.name:
            data[len(data) // 2] ^= 1
        (tmp_path / file.name).write_bytes(data)
    with pytest.raises(CheckpointError, match="CRC"):
        tfmodel.compare_values(prefix, tmp_path / prefix.name)


def splat(count: int, *values: float) -> GraphDef:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=count)])
    tensor = TensorProto(dtype=FLOAT, tensor_shape=shape, float_val=[*values])
    return GraphDef(node=[NodeDef(name="c", op="Const", attr={"value": AttrValue(tensor=tensor)})])


def test_one_element_for_all() -> None:
    """Attack: constants of a trillion elements, of which one is stored.

    Naive: makes the arrays, or a loop over all elements.
    Stopped by: tfmodel.values.elements.aligned
    """
    row = tfmodel.compare_values(splat(2**40, 1.0), splat(2**40, 3.0))["c"]
    assert (row.different, row.max_absolute, row.distance) == (2**40, 2, 2**21)
    assert tfmodel.compare_values(splat(2**40, 1.0), splat(2**40, 1.0)).same
    assert tfmodel.compare_values(splat(2**40, 1.0), splat(2**20, 1.0))["c"].status == "changed"


def test_two_elements_for_all() -> None:
    """Attack: constants of which two elements are stored, and the last of them stands for all others.

    Naive: allocates them, each time.
    Stopped by: tfmodel.values.tensors.to_ndarray, tfmodel.values.output_limit.claim
    """
    with pytest.raises(TensorError, match='Const "c"'):
        tfmodel.compare_values(splat(2**40, 1.0, 2.0), splat(2**40, 1.0, 3.0))
    nodes = [NodeDef(name=f"c{number}", op="Const", attr=splat(2**24, 1.0, 2.0).node[0].attr) for number in range(9)]
    with pytest.raises(GraphError, match="the constant"):
        tfmodel.compare_values(GraphDef(node=nodes), GraphDef(node=nodes))


def test_many_equal_tensors() -> None:
    """Attack: ten thousand tensors of equal content, all with other names.

    Naive: compares each with each other.
    Stopped by: tfmodel.compare.value_diff.matching.match_by_content
    """

    def make(size: int) -> list[dict[str, np.ndarray]]:
        return [{f"{side}/{number}": ARRAY for number in range(size)} for side in "ab"]

    assert_linear(lambda pair: tfmodel.compare_values(*pair), make, 500)


def test_many_constant_fills_of_one_size() -> None:
    """Attack: many constants of one stored element each, all as large as one array on the other side.

    Naive: computes a digest of each of them, element by element.
    Stopped by: tfmodel.compare.value_diff.matching
    """
    nodes = [
        NodeDef(name=f"c{number}", op="Const", attr=splat(2**24, float(number)).node[0].attr) for number in range(500)
    ]
    report = tfmodel.compare_values(
        GraphDef(node=nodes), GraphDef(node=[NodeDef(name="d", op="Const", attr=nodes[7].attr)])
    )
    assert report["c7"].status == "renamed"


def test_functions_that_call_each_other_twice(tmp_path: Path) -> None:
    """Attack: a function that takes a variable calls the next one twice, forty times.

    Naive: follows the variable through a trillion calls to find the nodes that read it.
    Stopped by: tfmodel.compare.value_diff.variable_names
    """
    dtype = {"T": AttrValue(type=RESOURCE), "dtype": AttrValue(type=FLOAT)}
    shape = {"shape": AttrValue(shape=TensorShapeProto())}

    def call(name: str, callee: str, text: str) -> NodeDef:
        types = {
            "Tin": AttrValue(list=AttrValue.ListValue(type=[RESOURCE])),
            "Tout": AttrValue(list=AttrValue.ListValue()),
        }
        return NodeDef(
            name=name,
            op="PartitionedCall",
            input=[text],
            attr={"f": AttrValue(func=NameAttrList(name=callee)), **types},
        )

    def body(number: int) -> FunctionDef:
        signature = OpDef(name=f"f{number}", input_arg=[OpDef.ArgDef(name="v", type=RESOURCE)])
        nodes = [call(name, f"f{number + 1}", "v") for name in "ab"]
        if number == 40:
            nodes = [NodeDef(name="r", op="ReadVariableOp", input=["v"], attr=dtype)]
        return FunctionDef(signature=signature, node_def=nodes)

    variable = NodeDef(name="v", op="VarHandleOp", attr=dtype | shape | {"shared_name": AttrValue(s=b"v")})
    library = FunctionDefLibrary(function=[body(number) for number in range(41)])
    model = tfmodel.Model(GraphDef(node=[variable, call("c", "f0", "v")], library=library), checkpoint={"v": ARRAY[0]})
    report = tfmodel.compare_values(model, {"w": ARRAY[1]})
    assert {row.status for row in report} == {"removed", "added"}
    assert any("too many calls" in note for note in report.notes)


def test_an_element_of_a_string_tensor_that_is_too_long(tmp_path: Path) -> None:
    """Attack: a string tensor whose lengths need more bytes than it has.

    Naive: allocates the lengths.
    Stopped by: tfmodel.files.checkpoints.strings.read_strings
    """
    data = b"\xff\xff\xff\xff\x0f" + struct.pack("<I", 0)
    path = write(tmp_path, {"s": entry(dtype=DataType.DT_STRING, data=data)}, data=data)
    with pytest.raises(CheckpointError, match='tensor "s"'):
        tfmodel.compare_values(path, path)
