"""`tfmodel.reports.wire`: raw records with their offsets."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import DecodeError
from tests.tfmodel import models
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, TensorProto, VersionDef
from tfmodel.reports.wire import wire_lines


def rows(data, cls=None, **options):
    """Return the lines without indentation and alignment."""
    return [line.split(None, 1)[0] + " " + " ".join(line.split()[1:]) for line in wire_lines(data, cls, **options)][1:]


def test_a_message():
    attr = {"T": AttrValue(type=DataType.DT_FLOAT)}
    graph = GraphDef(node=[NodeDef(name="x", input=["^y"], attr=attr)], versions=VersionDef(producer=300))
    assert "\n".join(wire_lines(graph.to_bytes(), GraphDef)) == textwrap.dedent("""
        offset  field                               wire type    length  value
             0  1 node                              LENGTH           16  NodeDef
             2    1 name                            LENGTH            1  "x"
             5    3 input                           LENGTH            2  "^y"
             9    5 attr                            LENGTH            7  (map entry)
            11      1 key                           LENGTH            1  "T"
            14      2 value                         LENGTH            2  AttrValue
            16        6 type                        VARINT            1  1 DT_FLOAT
            18  4 versions                          LENGTH            3  VersionDef
            20    1 producer                        VARINT            2  300
    """).strip("\n")


@pytest.mark.parametrize(
    ("data", "cls", "text"),
    [
        (b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", AttrValue, "3 i VARINT 10 -1"),
        (b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", None, "3 VARINT 10 18446744073709551615 (-1)"),
        (b"\x28\x01", AttrValue, "5 b VARINT 1 true"),
        (b"\x30\x63", AttrValue, "6 type VARINT 1 99"),
        (b"\x25\xcd\xcc\xcc\x3d", AttrValue, "4 f FIXED32 4 0.1"),
        (b"\x25\xcd\xcc\xcc\x3d", None, "4 FIXED32 4 0x3dcccccd (0.1)"),
        (b"\x09\x00\x00\x00\x00\x00\x00\xf0\x3f", None, "1 FIXED64 8 0x3ff0000000000000 (1.0)"),
        (b"\x2a\x08\x00\x00\x80\x3f\x00\x00\x00\x40", TensorProto, "5 float_val LENGTH 8 packed: 1.0, 2.0"),
        (b"\x3a\x0b\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", TensorProto, "7 int_val LENGTH 11 packed: 1, -1"),
        (b"\x3a\x0a" + bytes(10), TensorProto, "7 int_val LENGTH 10 packed: 0, 0, 0, 0, 0, 0, 0, 0, ..."),
        (b"\x22\x02\x1b\xff", TensorProto, r'4 tensor_content LENGTH 2 "\033\377"'),
        (b"\x22\x50" + b"x" * 80, TensorProto, f'4 tensor_content LENGTH 80 "{"x" * 60}"...'),
    ],
)
def test_values(data, cls, text):
    assert rows(data, cls) == [f"0 {text}"]


def test_full_does_not_cut_values():
    assert rows(b"\x22\x50" + b"x" * 80, TensorProto, full=True) == [f'0 4 tensor_content LENGTH 80 "{"x" * 80}"']
    assert rows(b"\x3a\x0a" + bytes(10), TensorProto, full=True)[0].endswith("packed: " + ", ".join("0" * 10))


def test_unknown_fields_and_groups():
    data = b"\x7b\x08\x01\x7c" + b"\x8a\x01\x04\x08\x05\x10\x06"
    assert rows(data, GraphDef) == [
        "0 15 START_GROUP",
        "1 1 VARINT 1 1",
        "3 15 END_GROUP",
        "4 17 LENGTH 4 (looks like a message)",
        "7 1 VARINT 1 5",
        "9 2 VARINT 1 6",
    ]


def test_a_damaged_file_is_shown_up_to_the_damage():
    data = models.graph().to_bytes()[:200]
    lines = []
    with pytest.raises(DecodeError, match="truncated"):
        for line in wire_lines(data, GraphDef):
            lines.append(line)
    assert len(lines) > 30
    assert "bytes present)" in lines[-1] or "bytes present)" in "".join(lines)


@given(st.binary(max_size=300))
def test_any_bytes_give_lines_or_an_error(data):
    for cls in (None, GraphDef, TensorProto):
        try:
            for line in wire_lines(data, cls):
                assert line.isprintable()
        except DecodeError:
            pass
