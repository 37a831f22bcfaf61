"""Make answers.tar.xz: small models of every kind that can be run, with the values that TensorFlow computes.

    python -m tests.golden.whole_models.answers CORPUS              # with a Python that has TensorFlow 2.12
    python -m tests.golden.whole_models.answers CORPUS --large      # large models of Keras too; nothing is packed

Each model is a folder, in the archive or in the folder that --keep names:

    graph.pb                a frozen graph, or
    model.meta, ...         a TF1 graph with its checkpoint, or
    saved_model/            a SavedModel
    case.json               the signature to run; `corpus`, if the model is a file of the corpus
    values.npz              feeds and results of successive runs, in the format of tests/golden/freezing

TensorFlow runs each model; then a Python without it (--python) runs it here and prints the largest difference of the
outputs, relative to the largest element of each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.golden.freezing.answers import Run, runs_of
from tests.golden.packing import files_in, pack, unpack
from tests.golden.transforms.corpus import FILES
from tfmodel.compare.verify.differences import compare
from tfmodel.interpreter import Session

__all__ = ["ARCHIVE", "Whole", "differences", "unpacked", "wholes"]

ARCHIVE = Path(__file__).with_name("answers.tar.xz")
ROOT = Path(__file__).parents[3]
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Whole:
    """A model and its successive runs in one session. `path` is None for a file of an absent corpus.

    rtol    tolerance of an output, relative to its largest element
    """

    name: str
    path: Path | None
    signature: str | None
    runs: list[Run]
    rtol: float = TOLERANCE


def wholes(folder: Path, corpus: Path | None) -> Iterator[Whole]:
    """The models that are in a folder."""
    for place in sorted(path.parent for path in folder.glob("*/case.json")):
        said = json.loads((place / "case.json").read_text())
        found = (place / name for name in ("graph.pb", "model.meta", "saved_model") if (place / name).exists())
        path = (corpus / said["corpus"] if corpus is not None else None) if "corpus" in said else next(found)
        rtol = said.get("rtol", TOLERANCE)
        yield Whole(place.name, path, said.get("signature"), runs_of(place / "values.npz"), rtol)


def unpacked(folder: Path, corpus: Path | None) -> list[Whole]:
    """The models of the archive."""
    unpack(ARCHIVE, folder)
    return list(wholes(folder, corpus))


def differences(whole: Whole) -> Iterator[Any]:
    """Yield the OutputDifference of each output of each run from TensorFlow's."""
    assert whole.path is not None
    session = Session(whole.path, signature=whole.signature)
    for run in whole.runs:
        given = session.run(run.feeds, list(run.fetches))
        for name, value in run.fetches.items():
            yield compare(name, value, given[name], rtol=whole.rtol, atol=0)


def printed(folder: Path, corpus: Path) -> int:
    """A table of all models in a folder; 1 if one differs."""
    wrong = 0
    for whole in wholes(folder, corpus):
        start = time.perf_counter()
        try:
            found = list(differences(whole))
        except Exception as error:  # any exception is an answer
            wrong += 1
            print(f"{whole.name:<34} {type(error).__name__}: {error}")
            continue
        problems = [f"{each.name}: {each.problem or 'too much'}" for each in found if not each.within]
        wrong += bool(problems)
        most = max(each.relative for each in found)
        print(
            f"{whole.name:<34} {len(found):3} outputs  {most:8.1e}  {time.perf_counter() - start:6.2f} s"
            f"  {'; '.join(problems)}"
        )
    print(f"{wrong} differ" if wrong else "all are equal within the tolerance")
    return min(wrong, 1)


def make(folder: Path, corpus: Path, large: bool, only: str) -> None:
    """Build the models in TensorFlow, and run them there, by the kernels that are the same on all machines."""
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")

    from tests.golden.whole_models import keras, small, tf1

    modules = [small, tf1, *([keras] if large else [])]
    for module in modules:
        for name, function in module.MODELS.items():
            if only in name:
                (folder / name).mkdir(parents=True)
                tf.keras.backend.clear_session()
                tf.keras.utils.set_random_seed(3)
                try:
                    function(folder / name)
                except Exception as error:  # a failed model does not invalidate the others
                    print(f"{name} is not made: {type(error).__name__}: {error}", file=sys.stderr)
    for name in FILES:
        if only in name:
            tf1.corpus_file(folder / name.replace("/", "_"), corpus, name)
    for extra in (*folder.rglob("keras_metadata.pb"), *folder.rglob("fingerprint.pb"), *folder.rglob("checkpoint")):
        extra.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a folder with model files of other programs")
    parser.add_argument("--large", action="store_true", help="large models too; nothing is packed")
    parser.add_argument("--only", default="", help="models whose names hold this; nothing is packed")
    parser.add_argument("--keep", type=Path, help="a new folder, in which the models stay")
    parser.add_argument("--python", default=sys.executable, help="a Python that runs the models without TensorFlow")
    parser.add_argument("--compare", type=Path, help="only compare the models of this folder")
    args = parser.parse_args()
    if args.compare is not None:
        return printed(args.compare, args.corpus)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        make(folder, args.corpus, args.large, args.only)
        command = [args.python, "-m", "tests.golden.whole_models.answers", str(args.corpus), "--compare", str(folder)]
        status = subprocess.run(command, cwd=ROOT).returncode
        if not (args.large or args.only or status):
            pack(ARCHIVE, files_in(folder))
            print(f"{ARCHIVE.name}: {ARCHIVE.stat().st_size:,} bytes")
    return status


if __name__ == "__main__":
    sys.exit(main())
