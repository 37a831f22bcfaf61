"""Hostile ONNX models: false sizes, other files, and floods of everything that a report counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hostile.measure import assert_linear, peak
from tfmodel import summarize_onnx
from tfmodel.errors import FileFormatError
from tfmodel.onnx_messages import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    StringStringEntryProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
)
from tfmodel.reports.onnx.tree import onnx_tree

LARGEST = (1 << 63) - 1


def model(**fields) -> ModelProto:
    return ModelProto(ir_version=8, graph=GraphProto(name="g", **fields))


def outside(location: str, **more: str) -> TensorProto:
    entries = {"location": location, **more}
    data = [StringStringEntryProto(key=key, value=value) for key, value in entries.items()]
    return TensorProto(name=location[:20], data_type=1, dims=[4], data_location=1, external_data=data)


def test_a_tensor_of_more_elements_than_there_are_atoms():
    """Attack: a tensor of a few bytes whose shape has thousands of dimensions of 2**63 - 1.

    Naive: computes the product, a number of a million digits, and prints it.
    Stopped by: tfmodel.reports.onnx.types.tensor_facts
    """
    huge = model(initializer=[TensorProto(name="w", data_type=1, dims=[LARGEST] * 20_000)])
    assert peak(lambda: summarize_onnx(huge)) < 4 << 20
    report = summarize_onnx(huge)
    assert report.parameters == 0
    assert report.problems[0].startswith("tensor 'w': its shape is [9223372036854775807,")
    assert len(report.to_text(all=True)) < 2_000


def test_a_file_outside_of_the_folder(tmp_path):
    """Attack: values of tensors are said to be in /etc/passwd, above the folder, or behind a link that leaves it.

    Naive: opens the file, and prints or exports what it has.
    Stopped by: tfmodel.reports.onnx.external.path_inside
    """
    (tmp_path / "secret").write_bytes(bytes(16))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    names = ["/etc/passwd", "../secret", "link", "sub/../../secret", "~/.ssh/id_rsa", "\0"]
    (folder / "m.onnx").write_bytes(model(initializer=[outside(name) for name in names]).to_bytes())
    states = {file.location: file.state for file in summarize_onnx(folder / "m.onnx").external}
    assert states == dict.fromkeys(names, "outside of the folder") | {"~/.ssh/id_rsa": "missing"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_place_of_a_file(tmp_path):
    """Attack: the file with the values is a named pipe without a writer.

    Naive: waits for it forever.
    Stopped by: tfmodel.reports.onnx.external.external_files
    """
    os.mkfifo(tmp_path / "weights.bin")
    (tmp_path / "m.onnx").write_bytes(model(initializer=[outside("weights.bin")]).to_bytes())
    assert [file.state for file in summarize_onnx(tmp_path / "m.onnx").external] == ["missing"]


@pytest.mark.parametrize("offset", ["9" * 100_000, "-1", "1e9", "\u0661", "0x10", " 1"])
def test_an_offset_that_is_not_a_number_of_bytes(offset):
    """Attack: an offset of a hundred thousand digits, a negative one, digits of another script.

    Naive: int() refuses long numbers with a ValueError, and takes the others.
    Stopped by: tfmodel.reports.onnx.types.tensor_facts
    """
    report = summarize_onnx(model(initializer=[outside("weights.bin", offset=offset)]))
    assert report.problems == ["tensor 'weights.bin': the offset of its data is not a number of bytes"]


def test_graphs_inside_of_nodes_without_end(tmp_path):
    """Attack: a graph in a node of a graph in a node, thousands of times.

    Naive: recursion ends in a RecursionError, or in a crash of the process.
    Stopped by: pbwire.wire.MAX_DEPTH
    """
    data = b""
    for _ in range(3_000):
        for tag in (b"\x32", b"\x2a", b"\x0a"):  # AttributeProto.g, NodeProto.attribute, GraphProto.node
            size = len(data)
            data = tag + bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14]) + data
    size = len(data)
    head = b"\x08\x08\x3a" + bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14])
    (tmp_path / "deep.onnx").write_bytes(head + data)
    with pytest.raises(FileFormatError, match=r"deep\.onnx: .*nested"):
        summarize_onnx(tmp_path / "deep.onnx")


def test_types_inside_of_types():
    """Attack: a sequence of sequences of sequences, as deep as messages may be.

    Naive: prints a type of hundreds of words for each of thousands of values.
    Stopped by: tfmodel.reports.onnx.types.type_text
    """
    deep = TypeProto()
    for _ in range(90):
        deep = TypeProto(sequence_type=TypeProto.Sequence(elem_type=deep))
    assert len(summarize_onnx(model(output=[ValueInfoProto(name="y", type=deep)])).outputs[0].type) < 100


def _many_graphs(count: int) -> ModelProto:
    branch = GraphProto(node=[NodeProto(op_type="Neg")])
    attributes = [AttributeProto(name="branch", g=branch) for _ in range(count)]
    return model(node=[NodeProto(op_type="If", attribute=attributes)])


def _many_files(count: int) -> ModelProto:
    return model(initializer=[outside(f"weights{number}.bin") for number in range(count)])


def _many_ops(count: int) -> ModelProto:
    return model(node=[NodeProto(op_type=f"Op{number}", domain=f"d{number}") for number in range(count)])


@pytest.mark.parametrize("make", [_many_graphs, _many_files, _many_ops])
def test_floods_take_linear_time(make):
    """Attack: thousands of graphs in one node, of files, of ops and domains that each occur once.

    Naive: compares each with all others.
    Stopped by: tfmodel.reports.onnx.graphs.onnx_bodies, tfmodel.reports.onnx.external.external_files
    """
    assert_linear(lambda message: (summarize_onnx(message).to_json(), list(onnx_tree(message))), make, 1_000)


def test_sound_models_have_no_problems():
    assert summarize_onnx(Path("tests/data/onnx/linear.onnx")).problems == []
