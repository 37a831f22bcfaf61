"""Make the model files of this folder: `python -m tests.data.make`. A test compares the files with this script.

convnet.pb is a trained net that `tests.golden.recipes.answers` makes.
"""

from __future__ import annotations

from pathlib import Path

from tests.tfmodel import models, trained
from tests.tfmodel.files.records.files import examples, training_log
from tests.tfmodel.reports.objects import saved_objects

FOLDER = Path(__file__).parent


def files() -> dict[str, bytes]:
    """Return the content of the files by their path below this folder."""
    graph = models.graph(weights=64).to_bytes()
    return {
        "linear.pb": graph,
        "truncated.pb": graph[: graph.index(b"weights") + 120],
        "layers/saved_model.pb": saved_objects.layers().to_bytes(deterministic=True),
        "linear/saved_model.pb": models.saved_model().to_bytes(),
        "pointer.pb": (
            b"version https://git-lfs.github.com/spec/v1\n"
            b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
            b"size 104857600\n"
        ),
        "logs/train/events.out.tfevents.1700000000.host": training_log(),
        "examples.tfrecord": examples(6),
        "trained/model.meta": trained.meta_graph().to_bytes(deterministic=True),
        **{f"trained/{name}": data for name, data in trained.checkpoint_files("model").items()},
    }


def main() -> None:
    for name, content in files().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
