"""SavedModel folders: paths in the model, and special files in place of its files."""

from __future__ import annotations

import os

import numpy as np
import pytest

import tfmodel
from tests.hostile.graphs import FLOAT, constant, graph, node
from tests.hostile.measure import assert_linear, confined
from tfmodel.messages import (
    AssetFileDef,
    AttrValue,
    CollectionDef,
    DataType,
    GraphDef,
    MetaGraphDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
)

INT64, STRING = DataType.DT_INT64, DataType.DT_STRING
SECRET = b"squeamish ossifrage"
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")


def write(folder, message: SavedModel) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "saved_model.pb").write_bytes(message.to_bytes())
    return str(folder)


def table_model(filename: str) -> SavedModel:
    """A model that returns the first line of a file: of an asset or, without one, of the path in the graph."""
    nodes = [
        constant("path", [b"nothing"], dtype=STRING),
        node("table", "HashTableV2", T=FLOAT, key_dtype=INT64, value_dtype=STRING),
        node(
            "fill",
            "InitializeTableFromTextFileV2",
            "table",
            "path",
            key_index=-1,
            value_index=-2,
            vocab_size=-1,
            delimiter=b"\t",
        ),
        constant("key", [0], dtype=INT64),
        constant("no", [b"no"], dtype=STRING),
        node("y", "LookupTableFindV2", "table", "key", "no", Tin=INT64, Tout=STRING),
    ]
    asset = AssetFileDef(tensor_info=TensorInfo(name="path:0"), filename=filename)
    signature = SignatureDef(outputs={"y": TensorInfo(name="y:0", dtype=STRING)})
    meta = MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]),
        graph_def=graph(*nodes),
        asset_file_def=[asset] if filename else [],
        signature_def={"serving_default": signature},
    )
    return SavedModel(saved_model_schema_version=1, meta_graphs=[meta])


def outcome(path: str) -> str:
    """Return the result of the model, or the error."""
    try:
        return str(tfmodel.run(path, {})["y"])
    except (tfmodel.Error, OSError) as error:
        return f"refused: {error}"


NAMES = ["../../secret", "../../../../../../../../etc/passwd", "/etc/passwd", "link", "a/../../../secret", "."]


@pytest.mark.parametrize("name", [*NAMES, "a\0b"])
def test_assets_that_climb_out(name, tmp_path):
    """Attack: an asset "../../secret", "/etc/passwd", a link to it, or a name with a zero byte. A table that is
    initialized from the asset returns its content to any caller, and copying the model copies it.

    Naive: joins the folder and the name, and opens the result.
    Stopped by: tfmodel.interpreter.session.Session.read_file, tfmodel.source.assets.asset_file
    """
    (tmp_path / "secret").write_bytes(SECRET)
    model = tmp_path / "models/model"
    assets = model / "assets"
    assets.mkdir(parents=True)
    (assets / "link").symlink_to(tmp_path / "secret")
    path = write(model, table_model(name))
    message = outcome(path)
    assert message.startswith("refused") and "ossifrage" not in message
    for write_copy in (_optimize, tfmodel.save_saved_model):
        with pytest.raises((tfmodel.Error, OSError)) as caught:
            write_copy(path, str(tmp_path / "copy"))
        assert "ossifrage" not in str(caught.value)
        assert not (tmp_path / "copy").exists()


def test_a_path_in_the_graph_without_an_asset(tmp_path, monkeypatch):
    """Attack: a constant path of a file outside of the model, without an asset. A copy does not take the file along.

    Naive: copies the files that tables are initialized from.
    Stopped by: tfmodel.interpreter.session.Session.read_file, tfmodel.export.saved_model.assets.add_assets
    """
    (tmp_path / "nothing").write_bytes(SECRET)  # the path in the graph, from here
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "models/model", table_model(""))
    message = outcome(path)
    assert message.startswith("refused") and "ossifrage" not in message
    for number, write_copy in enumerate((_optimize, tfmodel.save_saved_model)):
        write_copy(path, str(tmp_path / f"copy{number}"))
        copied = [file for file in (tmp_path / f"copy{number}").rglob("*") if file.is_file()]
        assert [file.name for file in copied] == ["saved_model.pb"]
        assert SECRET not in copied[0].read_bytes()


def _optimize(path, folder):
    tfmodel.optimize(path).write_saved_model(folder)


def test_assets_that_a_meta_names(tmp_path):
    """Attack: a .meta whose collection of assets names a file anywhere, to be copied into the SavedModel.

    Naive: copies the files that the collection names.
    Stopped by: tfmodel.export.saved_model.assets.add_assets
    """
    (tmp_path / "secret").write_bytes(SECRET)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "link").symlink_to(tmp_path / "secret")
    for name in ("../secret", str(tmp_path / "secret"), "link", "a\0b"):
        model = table_model("")
        meta = model.meta_graphs[0]
        assert meta.graph_def is not None
        meta.asset_file_def = []
        meta.graph_def.node[0] = constant("path", [name.encode()], dtype=STRING)
        meta.collection_def["asset_filepaths"] = CollectionDef(node_list=CollectionDef.NodeList(value=["path:0"]))
        tfmodel.save(meta, tmp_path / "model" / "model.meta")
        with pytest.raises(tfmodel.ModelError, match="is not beside the model"):
            tfmodel.save_saved_model(tmp_path / "model" / "model.meta", tmp_path / "copy")


@needs_pipes
def test_files_beside_a_saved_model(tmp_path):
    """Attack: links to other files, and pipes, in the folders that are copied with a SavedModel.

    Naive: copies what the link leads to, or waits for the pipe forever.
    Stopped by: tfmodel.export.saved_model.writing.saved_model_files
    """
    (tmp_path / "secret").write_bytes(SECRET)
    for name in ("link", "pipe"):
        path = write(tmp_path / name, table_model("words.txt"))
        for folder in ("assets", "debug"):
            (tmp_path / name / folder).mkdir()
        (tmp_path / name / "assets" / "words.txt").write_bytes(b"first\n")
        odd = tmp_path / name / "debug" / "odd"
        os.mkfifo(odd) if name == "pipe" else odd.symlink_to(tmp_path / "secret")
        with pytest.raises(tfmodel.GraphError, match=r"outside of the model|not a file but a"):
            tfmodel.save_saved_model(path, tmp_path / "copy")
        assert not (tmp_path / "copy").exists()


def test_sound_table(tmp_path):
    path = write(tmp_path / "model", table_model("words.txt"))
    (tmp_path / "model/assets").mkdir()
    (tmp_path / "model/assets/words.txt").write_bytes(b"first\nsecond\n")
    assert "first" in outcome(path)


def test_paths_that_the_graph_names(tmp_path):
    """Attack: a constant with the path of a file that initializes a table, without any assets.

    Naive: opens it, although the graph can name any file of the machine.
    Stopped by: tfmodel.interpreter.session.Session.read_file
    """
    (tmp_path / "secret").write_bytes(SECRET)
    model = table_model("")
    assert model.meta_graphs[0].graph_def is not None
    model.meta_graphs[0].graph_def.node[0] = constant("path", [os.fsencode(tmp_path / "secret")], dtype=STRING)
    message = outcome(write(tmp_path / "model", model))
    assert "is not in the folder of the model" in message and "ossifrage" not in message


def test_a_checkpoint_that_the_graph_names(tmp_path):
    """Attack: a RestoreV2 whose prefix is that of another user's checkpoint.

    Naive: opens it.
    Stopped by: tfmodel.kernels.state.variables.restore
    """
    tfmodel.write_checkpoint(tmp_path / "secret", {"w": np.float32(7)})
    nodes = [
        constant("prefix", [os.fsencode(tmp_path / "secret")], dtype=STRING),
        constant("names", [b"w"], 1, dtype=STRING),
        constant("slices", [b""], 1, dtype=STRING),
        node("y", "RestoreV2", "prefix", "names", "slices", dtypes=AttrValue(list=AttrValue.ListValue(type=[FLOAT]))),
    ]
    with pytest.raises(tfmodel.RunError, match="the checkpoint has no tensor"):
        tfmodel.run(graph(*nodes), {}, "y")


@needs_pipes
@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("pipe", "a pipe"),
        ("zeros", "a device"),
        ("folder", "a folder"),
        ("loop", "a link that leads to itself"),
        ("nothing", "a link to nowhere, which does not exist"),
    ],
)
def test_a_saved_model_pb_that_is_a_special_file(what, words, tmp_path):
    """Attack: a pipe, a device, a folder or circular links in place of saved_model.pb.

    Naive: waits forever for a writer, or reads zeros until the memory is full.
    Stopped by: tfmodel.files.locate.locate
    """
    path = tmp_path / "saved_model.pb"
    match what:
        case "pipe":
            os.mkfifo(path)
        case "zeros":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "nothing":
            path.symlink_to("nowhere")
    code = "import sys, tfmodel\ntry: tfmodel.load(sys.argv[1])\nexcept tfmodel.FileFormatError as e: print(e)"
    assert f"this is not a file but {words}\n" in confined(code, tmp_path)


@needs_pipes
def test_an_asset_that_is_a_pipe(tmp_path):
    """Attack: an asset that is a pipe without a writer.

    Naive: waits forever.
    Stopped by: tfmodel.interpreter.session.Session.read_file, tfmodel.optimizer.chain
    """
    path = write(tmp_path / "model", table_model("words"))
    (tmp_path / "model/assets").mkdir()
    os.mkfifo(tmp_path / "model/assets/words")
    code = """
import sys, tfmodel
for action in (lambda: tfmodel.run(sys.argv[1], {}), lambda: tfmodel.optimize(sys.argv[1])):
    try: action()
    except tfmodel.Error as e: print(e)
"""
    assert confined(code, path).count("is not a file") == 2


@needs_pipes
def test_folders_that_lead_back(tmp_path):
    """Attack: a SavedModel whose folder contains links to itself, and one with a link in place of its variables.

    Naive: follows them forever.
    Stopped by: tfmodel.files.locate.locate, tfmodel.files.checkpoints.locate.find_checkpoint
    """
    (tmp_path / "variables").symlink_to(tmp_path)
    (tmp_path / "assets").symlink_to(tmp_path)
    (tmp_path / "a").symlink_to(tmp_path)
    with pytest.raises(tfmodel.FileFormatError, match="not a SavedModel"):
        tfmodel.load(tmp_path)
    with pytest.raises(tfmodel.CheckpointError):
        tfmodel.Checkpoint(tmp_path)
    path = write(tmp_path, table_model(""))
    assert tfmodel.load(path, GraphDef).node
    with pytest.raises(tfmodel.CheckpointError):
        tfmodel.Checkpoint(path)


def test_thousands_of_meta_graphs(tmp_path):
    """Attack: a SavedModel with thousands of empty MetaGraphs.

    Naive: lists the tags of all of them in an error, or searches all of them for each.
    Stopped by: tfmodel.files.decoding.choose_meta_graph
    """

    def make(size: int) -> bytes:
        info = MetaGraphDef.MetaInfoDef(tags=["serve", "x" * 10])
        return SavedModel(
            saved_model_schema_version=1, meta_graphs=[MetaGraphDef(meta_info_def=info)] * size
        ).to_bytes()

    def read(data: bytes) -> None:
        with pytest.raises(tfmodel.FileFormatError) as raised:
            tfmodel.load(data, GraphDef)
        assert len(str(raised.value)) < 2_000

    assert_linear(read, make, 1_000)
