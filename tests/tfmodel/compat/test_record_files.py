"""TFRecord files are read, and event files written, as TensorFlow does it."""

from __future__ import annotations

import json
import logging

import pytest

import tfmodel
import tfmodel.compat.tensorflow as tf
from tests.golden.compat import files
from tfmodel.compat.facades.summaries import FileWriter
from tfmodel.compat.tensorflow.core.framework import graph_pb2
from tfmodel.compat.tensorflow.python.summary.writer import writer

ANSWERS = {row["case"]: row["value"] for row in map(json.loads, files.FILE.read_text(encoding="utf-8").splitlines())}
BETTER = {
    "(lambda x: type(x.numpy()).__name__)(tf.constant(True))": "the name depends on the version of NumPy",
    "(lambda x: int(x))(tf.constant([[1.5]]))": "NumPy 2 converts arrays without dimensions alone",
    "(lambda x: float(x))(tf.constant([[1.5]]))": "NumPy 2 converts arrays without dimensions alone",
    "(lambda x: bool(x))(tf.constant([]))": "NumPy 2 has no truth of an empty array",
}
"""Cases that are not compared, with the reason."""


def test_results_are_those_of_tensorflow():
    ours = {case: json.loads(json.dumps(value)) for case, value in files.answers("tfmodel.compat.")}
    assert list(ours) == list(ANSWERS)
    assert {
        case: (ours[case], value) for case, value in ANSWERS.items() if case not in BETTER and ours[case] != value
    } == {}


@pytest.mark.parametrize("name", ["map", "batch", "shuffle", "element_spec"])
def test_functions_that_need_the_runtime_are_refused_with_a_hint(name):
    with pytest.raises(AttributeError, match=rf"tensorflow\.data\.Dataset\.{name} is not in tfmodel.*use a loop"):
        getattr(tf.data.TFRecordDataset("a"), name)


def test_a_tensor_computes_nothing():
    tensor = tf.constant([1, 2])
    with pytest.raises(TypeError):
        tensor + 1
    with pytest.raises(AttributeError, match=r"tensorflow\.Tensor\.device .*use the array that numpy\(\) returns"):
        _ = tensor.device


def test_a_writer_takes_a_graph_and_a_suffix(tmp_path, caplog):
    graph = tfmodel.load("tests/data/linear.pb", graph_pb2.GraphDef)
    with (
        caplog.at_level(logging.WARNING, logger="tensorflow"),  # scripts set that of this logger
        tf.compat.v1.summary.FileWriter(tmp_path, graph, filename_suffix=".end") as one,
    ):
        assert one.get_logdir() == str(tmp_path)
        (path,) = tmp_path.iterdir()  # a name with a suffix is taken before the first event
    assert path.name.startswith("events.out.tfevents.")
    assert path.suffix == ".end"
    assert "deprecated" in caplog.text
    version, with_graph, with_meta_graph = tf.compat.v1.train.summary_iterator(str(path))
    assert version.file_version == "brain.Event:2"
    assert graph_pb2.GraphDef.FromString(with_graph.graph_def) == graph
    meta_graph = tf.compat.v1.MetaGraphDef.FromString(with_meta_graph.meta_graph_def)
    assert meta_graph.graph_def == graph
    assert {op.name for op in meta_graph.meta_info_def.stripped_op_list.op} >= {"MatMul", "Relu"}


def test_tfmodel_reads_what_a_writer_writes(tmp_path):
    with FileWriter(tmp_path) as one:
        for step in range(3):
            one.add_summary(
                tf.summary.Summary(value=[tf.summary.Summary.Value(tag="loss", simple_value=step / 2)]), step
            )
        one.flush()
        (path,) = tmp_path.iterdir()
        values = [(value.step, value.value.simple_value) for value in tfmodel.read_values(path)]
        assert values == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert writer.FileWriter is FileWriter
