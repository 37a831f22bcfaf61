"""gfile, TFRecords, checkpoints, SavedModels and write_graph on local files."""

from __future__ import annotations

import gc
import gzip
import sys
import time
import warnings
import zlib

import numpy as np
import pytest

import tfmodel.compat.tensorflow.compat.v1 as tf
from tfmodel import read_records, write_checkpoint
from tfmodel.compat.tensorflow.core.framework import graph_pb2
from tfmodel.compat.tensorflow.core.protobuf import saved_model_pb2
from tfmodel.compat.tensorflow.core.util import event_pb2
from tfmodel.compat.tensorflow.python.lib.io import file_io
from tfmodel.compat.tensorflow.python.saved_model import loader_impl
from tfmodel.compat.tensorflow.python.summary.summary_iterator import summary_iterator
from tfmodel.compat.tensorflow.python.tools import freeze_graph, saved_model_utils, strip_unused_lib
from tfmodel.compat.tensorflow.python.tools.inspect_checkpoint import print_tensors_in_checkpoint_file


def test_files_are_written_and_read_as_bytes_and_as_text(tmp_path):
    path = tmp_path / "a.txt"
    with tf.io.gfile.GFile(path, "w") as file:
        file.write("one\r\ntwö\n")
    assert path.read_bytes() == "one\r\ntwö\n".encode()
    with tf.gfile.Open(str(path)) as file:
        assert (file.readline(), file.tell(), file.read()) == ("one\r\n", 5, "twö\n")
    with tf.gfile.GFile(str(path), "rb") as file:
        file.seek(1)
        assert (file.read(2), file.size()) == (b"ne", 10)
        assert list(file) == [b"\r\n", "twö\n".encode()]
    with tf.gfile.GFile(str(path), "a") as file:
        file.write(b"three")
    assert file_io.read_file_to_string(str(path)).endswith("\nthree")


def test_a_file_is_opened_at_the_first_use(tmp_path):
    file = tf.gfile.GFile(tmp_path / "missing")
    with pytest.raises(tf.errors.NotFoundError) as caught:
        file.read()
    assert caught.value.code == 5
    tf.gfile.GFile(tmp_path / "never", "w").close()
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda folder: tf.gfile.GFile(folder / "a", "x"), tf.errors.InvalidArgumentError),
        (lambda folder: tf.gfile.GFile(folder / "file", "w").read(), tf.errors.PermissionDeniedError),
        (lambda folder: tf.gfile.GFile(folder / "file").write("x"), tf.errors.PermissionDeniedError),
        (lambda folder: tf.gfile.Remove(folder / "missing"), tf.errors.NotFoundError),
        (lambda folder: tf.gfile.MkDir(folder), tf.errors.AlreadyExistsError),
        (lambda folder: tf.gfile.MkDir(folder / "a" / "b"), tf.errors.NotFoundError),
        (lambda folder: tf.gfile.ListDirectory(folder / "missing"), tf.errors.NotFoundError),
        (lambda folder: tf.gfile.Copy(folder / "file", folder / "file"), tf.errors.AlreadyExistsError),
        (lambda folder: tf.gfile.Rename(folder / "missing", folder / "x"), tf.errors.NotFoundError),
        (lambda folder: tf.gfile.Stat(folder / "missing"), tf.errors.NotFoundError),
        (lambda folder: tf.gfile.Exists("gs://bucket/x"), tf.errors.UnimplementedError),
        (lambda folder: list(tf.io.tf_record_iterator(folder / "missing")), tf.errors.NotFoundError),
        (lambda folder: list(tf.io.tf_record_iterator(folder / "file")), tf.errors.DataLossError),
        (lambda folder: tf.train.load_checkpoint(folder / "missing"), tf.errors.NotFoundError),
        (lambda folder: tf.train.load_checkpoint(folder), ValueError),
        (lambda folder: saved_model_utils.read_saved_model(folder), OSError),
    ],
)
def test_errors_are_those_of_tensorflow(tmp_path, call, error):
    (tmp_path / "file").write_text("these are no records")
    with pytest.raises(error):
        call(tmp_path)


def test_folders_are_made_listed_walked_and_deleted(tmp_path):
    top = str(tmp_path / "top")
    tf.io.gfile.makedirs(f"{top}/in")
    tf.io.gfile.makedirs(f"{top}/in")
    file_io.write_string_to_file(f"{top}/b.txt", "b")
    tf.io.gfile.copy(f"{top}/b.txt", f"{top}/a.txt")
    assert sorted(tf.io.gfile.listdir(top)) == ["a.txt", "b.txt", "in"]
    assert tf.io.gfile.glob(f"{top}/*.txt") == [f"{top}/a.txt", f"{top}/b.txt"]
    assert [(path, folders, sorted(files)) for path, folders, files in tf.gfile.Walk(top)] == [
        (top, ["in"], ["a.txt", "b.txt"]),
        (f"{top}/in", [], []),
    ]
    assert (tf.io.gfile.stat(f"{top}/a.txt").length, tf.io.gfile.isdir(top)) == (1, True)
    tf.io.gfile.rmtree(top)
    assert not tf.io.gfile.exists(top)


@pytest.mark.parametrize(("options", "unpack"), [(None, bytes), ("GZIP", gzip.decompress), ("ZLIB", zlib.decompress)])
def test_records_are_written_and_read(tmp_path, options, unpack):
    path = tmp_path / "records"
    with tf.io.TFRecordWriter(str(path), options) as writer:
        writer.write(b"one")
        writer.write(b"")
    assert len(unpack(path.read_bytes())) == 2 * 16 + 3
    read = tf.python_io.tf_record_iterator(str(path), tf.io.TFRecordOptions(options) if options else None)
    assert list(read) == list(read_records(path)) == [b"one", b""]


@pytest.mark.parametrize("read", [tf.io.tf_record_iterator, summary_iterator])
@pytest.mark.parametrize("count", [1, 3], ids=["the first record is read", "all are read"])
def test_the_file_is_closed_with_the_last_reference(tmp_path, monkeypatch, read, count):
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for step in range(2):
            writer.write(event_pb2.Event(step=step).SerializeToString())
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        records = read(str(tmp_path / "records"))
        for _, _ in zip(range(count), records, strict=False):
            pass
        del records
        gc.collect()
    assert complaints == []


def test_a_checkpoint_is_listed_and_read(tmp_path):
    prefix = tmp_path / "model.ckpt"
    write_checkpoint(prefix, {"w": np.array([[1, 2]], np.float32), "step": np.array(3, np.int64)})
    reader = tf.train.load_checkpoint(str(prefix))
    assert reader.get_variable_to_shape_map() == {"step": [], "w": [1, 2]}
    assert reader.get_variable_to_dtype_map()["w"] == tf.float32
    assert reader.get_tensor("w").tolist() == [[1, 2]]
    assert tf.train.list_variables(str(prefix)) == [("step", []), ("w", [1, 2])]
    assert tf.train.load_variable(str(prefix), "step:0") == 3
    assert type(reader.get_tensor("step")) is np.int64
    assert (reader.has_tensor("w"), reader.has_tensor("x")) == (True, False)
    with pytest.raises(tf.errors.NotFoundError):
        reader.get_tensor("x")


def test_a_saved_model_is_read_by_its_tags(tmp_path):
    model = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    model.meta_graphs.add().meta_info_def.tags.extend(["serve", "gpu"])
    (tmp_path / "saved_model.pb").write_bytes(model.SerializeToString())
    assert saved_model_utils.get_saved_model_tag_sets(tmp_path) == [["serve", "gpu"]]
    assert saved_model_utils.get_meta_graph_def(str(tmp_path), "gpu,serve") == model.meta_graphs[0]
    with pytest.raises(RuntimeError, match="serve,gpu"):
        saved_model_utils.get_meta_graph_def(str(tmp_path), "train")


@pytest.mark.parametrize("as_text", [True, False])
def test_a_graph_is_written_and_stripped_in_files(tmp_path, as_text, capsys):
    graph = tf.GraphDef()
    graph.node.add(name="x", op="Relu", input=["before"])
    graph.node.add(name="before", op="Placeholder")
    graph.node.add(name="y", op="Relu", input=["x"])
    path = tf.io.write_graph(graph, str(tmp_path / "folder"), "graph.pb", as_text=as_text)
    target = str(tmp_path / "stripped.pb")
    strip_unused_lib.strip_unused_from_files(path, not as_text, target, True, "x", "y", 1)
    assert capsys.readouterr().out == "2 ops in the final graph.\n"
    with tf.io.gfile.GFile(target, "rb") as file:
        stripped = tf.GraphDef.FromString(file.read())
    assert [(node.name, node.op) for node in stripped.node] == [("x", "Placeholder"), ("y", "Relu")]


def test_the_state_of_checkpoints_is_written_and_read(tmp_path):
    folder = str(tmp_path)
    tf.train.update_checkpoint_state(folder, "m-2", ["m-1"], None, [1.5, 2.5], 7.0)
    assert (tmp_path / "checkpoint").read_text() == (
        'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1"\nall_model_checkpoint_paths: "m-2"\n'
        "all_model_checkpoint_timestamps: 1.5\nall_model_checkpoint_timestamps: 2.5\nlast_preserved_timestamp: 7.0\n"
    )
    state = tf.train.get_checkpoint_state(folder)
    assert list(state.all_model_checkpoint_paths) == [f"{folder}/m-1", f"{folder}/m-2"]
    assert tf.train.latest_checkpoint(folder) is None
    write_checkpoint(tmp_path / "m-2", {"w": np.zeros(2)})
    assert tf.train.latest_checkpoint(folder) == f"{folder}/m-2"


@pytest.mark.parametrize(
    ("folder", "latest", "prefixes", "expected"),
    [
        ("/a", "m", None, ["m"]),
        ("/a", "/a/m", ["/a/m"], ["/a/m"]),
        ("a", "a/m", ["a/l", "/b/k"], ["l", "/b/k", "m"]),
    ],
)
def test_paths_of_checkpoints_are_relative_to_a_relative_folder(folder, latest, prefixes, expected):
    state = tf.train.generate_checkpoint_state_proto(folder, latest, prefixes)
    assert list(state.all_model_checkpoint_paths) == expected
    assert state.model_checkpoint_path == expected[-1]


def test_wrong_states_of_checkpoints(tmp_path):
    path = tmp_path / "checkpoint"
    path.write_text("model_checkpoint_path: 3")
    assert tf.train.get_checkpoint_state(tmp_path) is None
    assert tf.train.latest_checkpoint(tmp_path) is None
    path.write_text('all_model_checkpoint_paths: "m"')
    with pytest.raises(ValueError, match="Invalid checkpoint state"):
        tf.train.get_checkpoint_state(tmp_path)
    with pytest.raises(ValueError, match="1 timestamps for 2 checkpoints"):
        tf.train.update_checkpoint_state(tmp_path, "m-2", ["m-1"], None, [1.0])
    with pytest.raises(RuntimeError, match="has the name of the file"):
        tf.train.update_checkpoint_state(tmp_path, str(path))


def test_an_event_file_is_read_as_events(tmp_path):
    path = str(tmp_path / "events")
    events = [event_pb2.Event(step=step) for step in range(3)]
    events[1].summary.value.add(tag="loss", simple_value=0.5)
    with tf.io.TFRecordWriter(path) as writer:
        for event in events:
            writer.write(event.SerializeToString())
    assert list(tf.train.summary_iterator(path)) == list(summary_iterator(path)) == events
    with pytest.raises(tf.errors.NotFoundError):
        next(tf.train.summary_iterator(str(tmp_path / "none")))


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("", False), "step (DT_INT64) []\nw (DT_FLOAT) [1,2]\n\n# Total number of params: 3\n"),
        (("", False, True), "tensor: step (int64) []\ntensor: w (float32) [1, 2]\n# Total number of params: 3\n"),
        (("w", False), "tensor: w (float32) [1, 2]\n[[1. 2.]]\n# Total number of params: 3\n"),
        (("none", False), "Tensor none not found in checkpoint\n"),
        (
            ("step", True, False, "^w"),
            "tensor: step (int64) []\n3\ntensor: w (float32) [1, 2]\n[[1. 2.]]\n"
            "# Excluding 1 tensors (2 params) that match ^w when counting.\n# Total number of params: 1\n",
        ),
    ],
)
def test_a_checkpoint_is_printed(tmp_path, capsys, arguments, printed):
    prefix = str(tmp_path / "model.ckpt")
    write_checkpoint(prefix, {"w": np.array([[1, 2]], np.float32), "step": np.array(3, np.int64)})
    print_tensors_in_checkpoint_file(prefix, *arguments)
    assert capsys.readouterr().out == printed


def test_an_error_of_a_checkpoint_is_printed(tmp_path, capsys):
    print_tensors_in_checkpoint_file(str(tmp_path / "none"), "", True)
    assert "none" in capsys.readouterr().out


def test_a_folder_with_a_saved_model_is_known(tmp_path):
    assert not tf.saved_model.contains_saved_model(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01")
    assert tf.saved_model.contains_saved_model(str(tmp_path))
    assert loader_impl.parse_saved_model(str(tmp_path)).saved_model_schema_version == 1


def test_the_current_folder_has_an_empty_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tf.io.gfile.makedirs("")
    tf.io.gfile.mkdir("")
    tf.train.write_graph(tf.GraphDef(), "", "graph.pbtxt")
    assert (tmp_path / "graph.pbtxt").exists()


def test_a_graph_is_written_with_all_digits_of_floats(tmp_path):
    graph = graph_pb2.GraphDef()
    graph.node.add(name="x", op="Elu").attr["a"].f = 0.1
    path = tf.io.write_graph(graph, str(tmp_path), "graph.pbtxt")
    with open(path) as file:
        assert "f: 0.10000000149011612\n" in file.read()
    assert freeze_graph._parse_input_graph_proto(path, False) == graph


def test_files_of_graphs_are_read_as_freeze_graph_reads_them(tmp_path, capsys):
    meta_graph = tf.compat.v1.MetaGraphDef()
    meta_graph.graph_def.node.add(name="x", op="NoOp")
    saver = tf.train.SaverDef(filename_tensor_name="name:0")
    for message, name in ((meta_graph, "meta"), (saver, "saver")):
        (tmp_path / name).write_bytes(message.SerializeToString())
        (tmp_path / f"{name}.txt").write_text(str(message))
    for suffix, is_binary in (("", True), (".txt", False)):
        assert freeze_graph._parse_input_meta_graph_proto(f"{tmp_path}/meta{suffix}", is_binary) == meta_graph
        assert freeze_graph._parse_input_saver_proto(f"{tmp_path}/saver{suffix}", is_binary) == saver
    assert capsys.readouterr().out.startswith(f"Loaded meta graph file '{tmp_path}/meta\n")
    with pytest.raises(OSError, match=r"Input graph file '.*' does not exist!"):
        freeze_graph._parse_input_graph_proto(f"{tmp_path}/none", True)


def test_new_checkpoints_are_yielded_until_none_appears(tmp_path, monkeypatch):
    times: list[float] = []
    monkeypatch.setattr(time, "sleep", times.append)
    monkeypatch.setattr(time, "time", lambda: sum(times))
    found, answers = [], [False, True]
    for prefix in ("a-1", "a-2"):
        write_checkpoint(tmp_path / prefix, {"w": np.zeros(1, np.float32)})
    tf.train.update_checkpoint_state(str(tmp_path), "a-1")
    for path in tf.train.checkpoints_iterator(str(tmp_path), 2, timeout=5, timeout_fn=lambda: answers.pop(0)):
        found.append(path)
        tf.train.update_checkpoint_state(str(tmp_path), "a-2")
    assert found == [f"{tmp_path}/a-1", f"{tmp_path}/a-2"]
    assert answers == []
    assert times.count(2) == 2  # seconds between two checkpoints
    assert list(tf.train.checkpoints_iterator(str(tmp_path / "none"), timeout=3)) == []
