"""Models that try to run code: the content of a file is never executed."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.hostile.graphs import FLOAT, constant, graph, node
from tests.hostile.measure import confined
from tfmodel.cli import main
from tfmodel.kernels.runtime import KERNELS
from tfmodel.messages import AttrValue, DataType, GraphDef

_ROOT = Path(tfmodel.__file__).parents[1]
STRING = DataType.DT_STRING


class Evil:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


RUNNING = [
    "PyFunc",
    "PyFuncStateless",
    "EagerPyFunc",
    "Save",
    "SaveV2",
    "WriteFile",
    "PrintV2x",
    "XlaLaunch",
    "LoadLibrary",
    "TFRecordDatasetV2",
    "MatchingFiles",
    "ShardedFilename",
    "MergeV2Checkpoints",
    "Restore",
    "TRTEngineOp",
]


@pytest.mark.parametrize("op", RUNNING)
def test_ops_that_run_or_write_something(op):
    """Attack: a node that calls a Python function by its token, loads a library, or reads and writes any file.

    Naive: implements all these ops, as TensorFlow does.
    Stopped by: tfmodel.kernels.runtime.KERNELS
    """
    assert op not in KERNELS
    model = graph(
        constant("a", [b"/etc/passwd"], dtype=STRING), node("y", op, "a", token=b"os.system", Tin=FLOAT, Tout=FLOAT)
    )
    with pytest.raises((tfmodel.RunError, tfmodel.GraphError), match=r"kernel|attribute|takes \d+ input"):
        tfmodel.run(model, {}, "y")


def test_reading_imports_nothing_from_the_folder(tmp_path):
    """Attack: modules beside the model with the names of modules that a reader imports: numpy.py, tfmodel.py, json.py.

    Naive: adds the folder of the model to sys.path, or imports plugins from it.
    Stopped by: tfmodel.transforms.framework.registry.import_plugin
    """
    tfmodel.save(GraphDef(), tmp_path / "model.pb")
    for name in ("numpy", "tfmodel", "json", "my_transforms", "sitecustomize", "zlib", "conftest", "model"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')")
    code = (
        "import sys, tfmodel; from tfmodel.cli import main\nsys.exit(main(['dump', sys.argv[1], '--type', 'GraphDef']))"
    )
    assert "imported" not in confined(code, tmp_path / "model.pb")


@pytest.mark.parametrize("name", ["model.pb", "model.pb.gz", "checkpoint", "model.json", "arrays.npy", "arrays.npz"])
def test_pickles(name, tmp_path, capsys):
    """Attack: a pickle in place of a model, a checkpoint or an array, which creates a folder when it is loaded.

    Naive: numpy.load(..., allow_pickle=True), or pickle.load for files that are not protobuf.
    Stopped by: tfmodel.files.detection.binary, tfmodel.cli.input_options
    """
    folder = tmp_path / "made"
    path = tmp_path / name
    if name.endswith((".npy", ".npz")):
        array = np.array([Evil(str(folder))], object)
        if name.endswith(".npy"):
            np.save(path, array, allow_pickle=True)
        else:
            np.savez(path, array)
        model = tmp_path / "g.pb"
        tfmodel.save(graph(node("x", "Placeholder", dtype=STRING), node("y", "Identity", "x", T=STRING)), model)
        assert main(["run", str(model), "--feed", f"x={path}", "--fetch", "y"]) == 2
        assert "the array cannot be read" in capsys.readouterr().err
    else:
        path.write_bytes(pickle.dumps(Evil(str(folder))))
        with pytest.raises(tfmodel.Error, match=r"pickle|not a checkpoint"):
            tfmodel.load(path)
        with pytest.raises(tfmodel.Error):
            tfmodel.Checkpoint(path)
    assert not folder.exists()


def test_variants_are_not_objects():
    """Attack: a variant tensor whose type name is that of a Python class.

    Naive: looks up the class and creates an instance.
    Stopped by: tfmodel.values.tensors.to_ndarray
    """
    from tfmodel.messages import TensorProto, TensorShapeProto, VariantTensorDataProto

    variant = VariantTensorDataProto(type_name="builtins.eval", metadata=b"__import__('os').mkdir('made')")
    tensor = TensorProto(dtype=DataType.DT_VARIANT, tensor_shape=TensorShapeProto(), variant_val=[variant])
    assert tfmodel.to_ndarray(tensor).item() == variant


def test_nothing_is_evaluated():
    """Attack: names and attributes that are Python code, against readers that generate code.

    Naive: puts the name of a node into the source of a generated decoder or kernel.
    Stopped by: pbwire.codec.codegen
    """
    evil = "__import__('os').mkdir('made')"
    model = graph(constant("'; " + evil, [1.0]), node("y", "Neg", "'; " + evil, note=AttrValue(s=evil.encode())))
    model = GraphDef.from_bytes(model.to_bytes())
    assert tfmodel.run(model, {}, "y")["y"] == -1
    assert tfmodel.transform(model, "", "y", "fold_constants").node
    assert not Path("made").exists()


def test_calls_of_the_sources():
    """Attack: a change to this library that passes the content of a file to eval, exec, pickle or the shell.

    Naive: has such a call.
    Stopped by: pbwire.codec.codegen
    """
    allowed = {
        "pbwire/codec/codegen.py": ("exec(",),
        "tfmodel/cli/worker_pool.py": ("subprocess",),  # the processes of --jobs run this program alone
        "tfmodel/drawing/graphviz/images.py": ("subprocess",),  # gives a document to Graphviz, on its standard input
        "tfmodel/editing/reduction/checks.py": ("subprocess",),  # runs the command of --check, which the user gives
        "tfmodel/export/onnx/verification.py": ("subprocess",),  # runs the file that was made by onnxruntime
        "tfmodel/transforms/framework/parameters.py": ("eval(",),
        "tfmodel/vendoring/archive.py": ("marshal",),  # writes the bytecode of our own sources
    }
    words = (
        "eval(",
        "exec(",
        "pickle.",
        "import pickle",
        "os.system",
        "subprocess",
        "allow_pickle=True",
        "marshal",
        "shell=True",
    )
    forbidden = []
    for path in sorted([*_ROOT.glob("pbwire/**/*.py"), *_ROOT.glob("schema/**/*.py"), *_ROOT.glob("tfmodel/**/*.py")]):
        name, source = path.relative_to(_ROOT).as_posix(), path.read_text(encoding="utf-8")
        forbidden += [(name, word) for word in words if word in source and word not in allowed.get(name, ())]
    assert forbidden == []
