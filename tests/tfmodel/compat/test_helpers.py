"""The helpers return what TensorFlow's return, and raise errors of the same types."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import tfmodel.compat.tensorflow.compat.v1 as tf
from tests.golden.compat import helpers
from tfmodel.compat.tensorflow.core.framework import graph_pb2
from tfmodel.compat.tensorflow.python.framework import dtypes, graph_util, tensor_shape, tensor_util

ANSWERS = {row["case"]: row["value"] for row in map(json.loads, helpers.FILE.read_text(encoding="utf-8").splitlines())}

BETTER = {
    "util.make_tensor_proto(np.array(['a','bc']), 'bool')": "depends on the version of NumPy",
}
"""Cases that are not compared, with the reason."""


@pytest.mark.filterwarnings("ignore")
def test_results_are_those_of_tensorflow():
    names = helpers.namespace("tfmodel.compat.")
    different = {
        case: (found, value)
        for case, value in ANSWERS.items()
        if case not in BETTER and (found := helpers.evaluate(case, names)) != value
    }
    assert different == {}


def test_the_answers_are_those_of_all_cases():
    assert list(ANSWERS) == list(dict.fromkeys(helpers.cases()))


def test_arrays_are_writable_copies():
    tensor = tensor_util.make_tensor_proto(np.array([1, 2], np.float32))
    array = tensor_util.MakeNdarray(tensor)
    array[0] = 5
    assert tensor_util.MakeNdarray(tensor).tolist() == [1, 2]


def test_bfloat16_is_that_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert dtypes.bfloat16.as_numpy_dtype is ml_dtypes.bfloat16
    assert dtypes.as_dtype(ml_dtypes.bfloat16) is dtypes.bfloat16


@pytest.mark.parametrize("values", [1.0, -2.5, [1.0, 2.0], [[3.14159, 1e-40], [float("inf"), 65504.1]], []])
def test_bfloat16_is_written_without_ml_dtypes(values, monkeypatch):
    pytest.importorskip("ml_dtypes")
    expected = tensor_util.make_tensor_proto(values, dtypes.bfloat16)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    assert dtypes.bfloat16.as_numpy_dtype is np.float32
    assert tensor_util.make_tensor_proto(values, dtypes.bfloat16) == expected
    assert tensor_util.MakeNdarray(expected).dtype == np.float32


def test_a_type_has_one_object_and_can_be_pickled():
    import pickle

    assert dtypes.as_dtype("float32") is dtypes.as_dtype(np.float32) is dtypes.float32
    assert pickle.loads(pickle.dumps(dtypes.float32)) == dtypes.float32


def test_shapes_of_version_1_have_dimensions():
    shape = tensor_shape.TensorShape([None, 3])
    tensor_shape.disable_v2_tensorshape()
    try:
        assert shape[1].value == 3
        assert [dimension.value for dimension in shape] == [None, 3]
    finally:
        tensor_shape.enable_v2_tensorshape()
    assert list(shape) == [None, 3]


def test_the_behavior_of_version_1_has_dimensions_and_nothing_eager():
    assert tf.executing_eagerly()
    tf.disable_v2_behavior()
    try:
        assert not tf.executing_eagerly()
        assert tf.TensorShape([2])[0] == tf.Dimension(2)
        assert type(tf.TensorShape([2])[0]) is tf.Dimension
    finally:
        tf.enable_v2_behavior()
    assert type(tf.TensorShape([2])[0]) is int
    assert tf.executing_eagerly()


def test_messages_are_logged_for_some_calls_of_a_line(caplog):
    for number in range(7):
        tf.logging.log_first_n(tf.logging.ERROR, "first %d", 2, number)
        tf.logging.log_every_n(tf.logging.ERROR, "every %d", 3, number)
        tf.logging.log_if(tf.logging.ERROR, "if %d", number == 5, number)
    tf.logging.flush()
    assert caplog.messages == ["first 0", "every 0", "first 1", "every 3", "if 5", "every 6"]


def test_a_cycle_of_identities_is_an_error():
    graph = graph_pb2.GraphDef()
    graph.node.add(name="a", op="Identity", input=["b"])
    graph.node.add(name="b", op="Identity", input=["a"])
    graph.node.add(name="y", op="Relu", input=["a"])
    with pytest.raises(ValueError, match="cycle"):
        graph_util.remove_training_nodes(graph)


def test_functions_leave_the_graph_as_it_is():
    graph = helpers.namespace("tfmodel.compat.")["graph"]("control")
    before = graph.SerializeToString()
    graph_util.remove_training_nodes(graph)
    graph_util.extract_sub_graph(graph, ["y"])
    assert graph.SerializeToString() == before
