"""mypy understands the usual idioms with the .pyi files. `tests/test_index.py` tests that they are current."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

IDIOMS = """\
from tfmodel.compat.tensorflow.core.framework import attr_value_pb2, graph_pb2, types_pb2
from tfmodel.compat.tensorflow.core.protobuf import meta_graph_pb2, saver_pb2
from tfmodel.compat.google.protobuf import any_pb2, message, struct_pb2, timestamp_pb2
import tfmodel.compat.tensorflow.compat.v1 as tf

graph: graph_pb2.GraphDef = tf.GraphDef()
node = graph.node.add(name="x", op="Placeholder")
node.attr["T"].type = types_pb2.DT_FLOAT
node.attr["s"].list.s.extend([b"a"])
node.input.append("y")
graph.versions.producer = 27
names: list[str] = [node.name for node in graph.node]
size: int = node.attr["shape"].shape.dim[0].size
text: str = types_pb2.DataType.Name(1)
version: int = saver_pb2.SaverDef.V2
data: bytes = graph.SerializeToString()
meta = meta_graph_pb2.MetaGraphDef(graph_def=graph)
value = struct_pb2.Value(struct_value={"a": 1}, list_value=None)
value.struct_value = {"a": [1, None]}
value.list_value = [1, "a"]
value.struct_value["b"] = True
time = timestamp_pb2.Timestamp()
time.GetCurrentTime()
year: int = time.ToDatetime().year
packed: bool = any_pb2.Any().Unpack(time)
"""
MISTAKES = """
node.name = 3
node.nme
value.struct_value = 5
time.FromDatetime(5)
"""


@pytest.mark.slow(reason="mypy reads all packages")
def test_mypy_knows_fields_and_finds_mistakes(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(IDIOMS + MISTAKES)
    root = str(Path(__file__).parents[3])
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=600, check=False)
    first = len(IDIOMS.splitlines()) + 2
    found = [line.partition("script.py:")[2] for line in done.stdout.splitlines() if str(script) in line]
    assert [line.partition(":")[0] for line in found] == [str(first + row) for row in range(4)], done.stdout
