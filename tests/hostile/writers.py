"""All writers by name: how to call them, the old content of the target, and their output.

    WRITERS["freeze"].run(models, out)        # as `tfmodel freeze ... -o out/model.pb`; returns the exit status

Tests of failures during writing use all of them. `make_models` makes their input files.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pbwire.arguments import FAILED
from pbwire.atomic import is_temporary
from tests.tfmodel import trained
from tests.tfmodel.files.records.files import examples, training_log
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import load, save, save_saved_model, write_checkpoint
from tfmodel.cli import main
from tfmodel.messages import AssetFileDef, CollectionDef, GraphDef, SavedModel, TensorInfo
from tfmodel.source.metagraph import make_meta_graph
from tfmodel.values.tensors import from_ndarray, to_ndarray

__all__ = ["WRITERS", "Writer", "content", "digest", "leftovers", "make_models"]

_TABLE = """
    x = Placeholder[dtype=string, shape=(-1)]
    words = Const[dtype=string, value=string{"words.txt"}()]
    table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]
    fill = InitializeTableFromTextFileV2(table, words)[key_index=-2, value_index=-1, vocab_size=-1]
    default = Const[dtype=int64, value=int64{-1}()]
    y = LookupTableFindV2(table, x, default)[Tin=string, Tout=int64]
"""


@dataclass(frozen=True)
class Writer:
    """A writer: a command or a function.

    arguments   the command line, with IN/ before input and OUT/ before output paths; or a function of both folders
    old         the content of OUT before the run, by path
    target      the name of the output file or folder on the command line
    last        of several files that belong together, the file that is replaced last
    """

    arguments: str | Callable[[Path, Path], None]
    target: str
    old: Mapping[str, bytes] = field(default_factory=dict)
    last: str = ""

    @property
    def failure(self) -> int:
        """The exit status if the output cannot be written: that of the command, or of Python."""
        return FAILED if isinstance(self.arguments, str) else 1

    def prepare(self, out: Path) -> None:
        for name, data in self.old.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def digests(self) -> dict[str, str]:
        """Return the content before the writer runs, in the form of `content`."""
        return {name: digest(data) for name, data in self.old.items()}

    def process(self, models: Path, out: Path) -> list[str]:
        """Return the command line that runs this writer in a separate process."""
        if isinstance(self.arguments, str):
            return [sys.executable, "-m", "tfmodel", *self.words(models, out)]
        code = f"from pathlib import Path; from {__name__} import {self.arguments.__name__} as run; run"
        return [sys.executable, "-c", f"{code}(Path({str(models)!r}), Path({str(out)!r}))"]

    def words(self, models: Path, out: Path) -> list[str]:
        assert isinstance(self.arguments, str)
        return [word.replace("IN/", f"{models}/").replace("OUT/", f"{out}/") for word in self.arguments.split()]

    def run(self, models: Path, out: Path) -> int:
        if not isinstance(self.arguments, str):
            self.arguments(models, out)
            return 0
        return main(self.words(models, out))


def make_models(folder: Path, *, elements: int = 20_000) -> None:
    """Write two graphs with a large constant, a trained model with its checkpoint, and a SavedModel with an asset."""
    save(_graph(elements), folder / "graph.pb")
    save(_graph(elements, weight=5), folder / "other.pb")
    (folder / "logs").mkdir()
    (folder / "logs" / "events.out.tfevents.1").write_bytes(training_log())
    (folder / "examples.tfrecord").write_bytes(examples(6))
    save(trained.meta_graph(), folder / "trained.meta")
    save(trained.meta_graph().graph_def, folder / "variables.pb")
    write_checkpoint(folder / "trained", trained.VALUES)
    (folder / "saved" / "assets").mkdir(parents=True)
    (folder / "saved" / "assets" / "words.txt").write_bytes(b"one\ntwo\n")
    signature = {"inputs": {"x": "x"}, "outputs": {"y": "y"}}
    meta = make_meta_graph(graph_of(_TABLE), signatures={"serving_default": signature})
    meta.asset_file_def = [AssetFileDef(tensor_info=TensorInfo(name="words:0"), filename="words.txt")]
    meta.collection_def["legacy_init_op"] = CollectionDef(node_list=CollectionDef.NodeList(value=["fill"]))
    save(SavedModel(saved_model_schema_version=1, meta_graphs=[meta]), folder / "saved" / "saved_model.pb")


def _graph(elements: int, weight: int = 4) -> GraphDef:
    graph = graph_of(f"""
        x = Placeholder[dtype=float, shape=(-1, 4)]
        w = Const[dtype=float, value=float{{1, 2, 3, {weight}}}(4, 1)]
        big = Const[dtype=float, value=float{{0}}(1)]
        y = MatMul(x, w)[T=float]
    """)
    graph.node[2].attr["value"].tensor = from_ndarray(np.arange(elements, dtype="<f4"))
    return graph


def _save(models: Path, out: Path) -> None:
    save(load(models / "graph.pb"), out / "model.pb")


def _checkpoint(models: Path, out: Path) -> None:
    tensor = load(models / "graph.pb").node[2].attr["value"].tensor
    write_checkpoint(out / "model", {"a": to_ndarray(tensor), "b": np.array([b"words"], object)})


def _save_values(models: Path, out: Path) -> None:
    save_saved_model(models / "variables.pb", out / "copy", checkpoint=trained.VALUES)


_FILE = {"model.pb": b"what was there before"}
_SAVED = {"saved/saved_model.pb": b"the model before", "saved/assets/words.txt": b"before\n"}

WRITERS = {
    "save": Writer(_save, "model.pb", _FILE),
    "write_checkpoint": Writer(
        _checkpoint, "model.", {"model.index": b"before", "model.data-00000-of-00001": b"before"}, "model.index"
    ),
    "convert": Writer("convert IN/graph.pb OUT/model.pb --deterministic", "model.pb", _FILE),
    "convert to text": Writer("convert IN/graph.pb OUT/model.pbtxt", "model.pbtxt", {"model.pbtxt": b"node {}"}),
    "convert to JSON": Writer("convert IN/graph.pb OUT/model.json", "model.json"),
    "transform": Writer(
        "transform IN/graph.pb -o OUT/model.pb --inputs x --outputs y,big --transforms remove_device", "model.pb", _FILE
    ),
    "edit": Writer("edit IN/graph.pb -o OUT/model.pb --rename y=z", "model.pb", _FILE),
    "edit to a folder": Writer("edit IN/saved -o OUT/copy/ --insert-after y=Neg", "copy"),
    "freeze": Writer("freeze IN/trained.meta -o OUT/model.pb", "model.pb", _FILE),
    "optimize": Writer("optimize IN/trained.meta -o OUT/model.pb --no-verify", "model.pb", _FILE),
    "optimize to a new folder": Writer("optimize IN/saved -o OUT/saved/ --no-verify", "saved"),
    "optimize to a folder": Writer(
        "optimize IN/saved -o OUT/saved/ --no-verify", "saved", _SAVED, "saved/saved_model.pb"
    ),
    "convert to a SavedModel": Writer("convert IN/saved OUT/copy/", "copy"),
    "convert a checkpoint to a SavedModel": Writer("convert IN/trained.meta OUT/copy/", "copy"),
    "save_saved_model": Writer(_save_values, "copy"),
    "weights to .npz": Writer("weights IN/graph.pb --all -o OUT/model.npz", "model.npz", {"model.npz": b"before"}),
    "weights to .safetensors": Writer("weights IN/graph.pb --all -o OUT/m.safetensors", "m.safetensors"),
    "weights to a folder": Writer("weights IN/graph.pb --all -o OUT/weights", "weights"),
    "checkpoint to .npz": Writer("checkpoint IN/trained -o OUT/model.npz", "model.npz", {"model.npz": b"before"}),
    "checkpoint to a folder": Writer("checkpoint IN/trained -o OUT/weights", "weights"),
    "run": Writer("run IN/graph.pb --random --fetch y,big -o OUT/y.npz", "y.npz", {"y.npz": b"before"}),
    "draw": Writer("draw IN/graph.pb -o OUT/graph.dot", "graph.dot", {"graph.dot": b"digraph {}"}),
    "draw a page": Writer("draw IN/graph.pb -o OUT/graph.html", "graph.html", {"graph.html": b"<p>"}),
    "summarize to a page": Writer("summarize IN/graph.pb --html OUT/graph.html", "graph.html", {"graph.html": b"<p>"}),
    "weights to a page": Writer("weights IN/trained.meta --html OUT/graph.html", "graph.html"),
    "diff to a page": Writer("diff IN/graph.pb IN/graph.pb --html OUT/graph.html", "graph.html"),
    "splice": Writer("splice IN/graph.pb IN/other.pb --connect x=x -o OUT/model.pb", "model.pb", _FILE),
    "splice to a folder": Writer("splice IN/graph.pb IN/other.pb --connect x=x -o OUT/copy/", "copy"),
    "extract": Writer("extract IN/graph.pb --inputs x --outputs y -o OUT/model.pb", "model.pb", _FILE),
    "extract to a folder": Writer("extract IN/trained.meta --outputs y -o OUT/copy/", "copy"),
    "convert to TensorFlow.js": Writer("convert IN/trained.meta OUT/js --to tfjs", "js"),
    "vendor --zipapp": Writer(
        "vendor --zipapp OUT/tfmodel.pyz --parts dump", "tfmodel.pyz", {"tfmodel.pyz": b"before"}
    ),
    "vendor": Writer("vendor OUT/app --parts pbwire --package app", "app", last="app/MANIFEST.json"),
}


def content(folder: Path) -> dict[str, str]:
    """Return the hashes of all files of a folder by path, and its empty folders; not those of temporaries."""
    hashes = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not any(map(is_temporary, path.relative_to(folder).parts)):
            if path.is_file():
                hashes[name] = digest(path.read_bytes())
            elif not any(path.iterdir()):
                hashes[f"{name}/"] = ""
    return hashes


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def leftovers(folder: Path) -> list[str]:
    """Return the temporaries that killed writers left; of a folder, not its content."""
    temporaries = [path.relative_to(folder) for path in folder.rglob("*") if is_temporary(path.name)]
    return [str(path) for path in temporaries if not any(map(is_temporary, path.parts[:-1]))]
