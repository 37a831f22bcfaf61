"""The same files and words in every process, although each process has other hashes of texts, and so orders of sets."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
    TensorShapeProto,
    VersionDef,
)
from tfmodel.values.shape import shape_to_proto

DATA = Path(__file__).parents[2] / "data"
INPUTS, OUTPUTS = ("left", "right", "width", "height", "mask", "noise"), ("sum", "product", "area", "masked", "noisy")

COMMANDS = (
    "draw MODEL -o MODEL.html",
    "draw MODEL -o MODEL.dot",
    "summarize MODEL --all",
    "summarize MODEL --json",
    "check MODEL --json",
    "weights MODEL --all",
    "find MODEL op=Mul",
    "ops MODEL",
    "diff MODEL convnet.pb",
    "optimize MODEL -o MODEL.small.pb --no-verify",
    "convert MODEL MODEL.onnx --no-verify",
    "convert MODEL MODEL.json",
    "convert MODEL MODEL.new/",
)
MODELS = ("sizes.pb", "convnet.pb", "trained/model.meta")

_TIME = re.compile(rb"\b\d+\.\d\d s\b")  # how long optimize took

SCRIPT = """
import contextlib, sys
from tfmodel.cli import main
for number, line in enumerate(sys.stdin.read().splitlines()):
    with open(f"{number}.txt", "w") as out, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        print(line, main(line.split()))
"""


def model_of_many_ends() -> SavedModel:
    """A SavedModel whose signature has six inputs and five outputs."""
    dtype = {"T": AttrValue(type=DataType.DT_FLOAT)}
    shape = shape_to_proto([None, 3])
    fed = {"dtype": AttrValue(type=DataType.DT_FLOAT), "shape": AttrValue(shape=shape)}
    nodes = [NodeDef(name=f"feed_{name}", op="Placeholder", attr=fed) for name in INPUTS]
    pairs = zip(("AddV2", "Mul", "Mul", "Mul", "AddV2"), (0, 0, 2, 0, 1), (1, 1, 3, 4, 5), strict=True)
    for name, (op, a, b) in zip(OUTPUTS, pairs, strict=True):
        after = [f"^feed_{other}" for other in INPUTS]
        nodes.append(NodeDef(name=name, op=op, input=[f"feed_{INPUTS[a]}", f"feed_{INPUTS[b]}", *after], attr=dtype))

    def ends(names: tuple[str, ...], prefix: str) -> dict[str, TensorInfo]:
        info = {"dtype": DataType.DT_FLOAT, "tensor_shape": TensorShapeProto(dim=shape.dim)}
        return {f"{name}_of_author": TensorInfo(name=f"{prefix}{name}:0", **info) for name in names}

    signature = SignatureDef(inputs=ends(INPUTS, "feed_"), outputs=ends(OUTPUTS, ""), method_name="predict")
    meta = MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]),
        graph_def=GraphDef(node=nodes, versions=VersionDef(producer=1286)),
        signature_def={"serving_default": signature},
    )
    return SavedModel(saved_model_schema_version=1, meta_graphs=[meta])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """The files that two processes with other hashes write, by their names."""
    content = model_of_many_ends().to_bytes()
    found = []
    for seed in ("1", "2"):
        folder = tmp_path_factory.mktemp(f"seed{seed}")
        (folder / "sizes.pb").write_bytes(content)
        shutil.copy(DATA / "convnet.pb", folder)
        shutil.copytree(DATA / "trained", folder / "trained")
        lines = "\n".join(command.replace("MODEL", model) for model in MODELS for command in COMMANDS)
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", SCRIPT]
        subprocess.run(command, input=lines, text=True, cwd=folder, env=environment, check=True)
        paths = (path for path in folder.rglob("*") if path.is_file())
        found.append({str(path.relative_to(folder)): _TIME.sub(b"...", path.read_bytes()) for path in paths})
    return found


def test_all_commands_end_well(written: list[dict[str, bytes]]) -> None:
    words = [content.decode() for name, content in written[0].items() if name.endswith(".txt")]
    assert [text for text in words if text.rstrip()[-1] not in "01"] == []


def test_two_processes_write_the_same(written: list[dict[str, bytes]]) -> None:
    one, other = written
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
