"""Record the effect of each recipe on whole models, and the error in TensorFlow and in tfmodel: answers.jsonl.xz.

    python -m tests.golden.recipes.answers CORPUS --python P    # with a Python that has TensorFlow 2.12
    python -m tests.golden.recipes.answers --table NAME ...     # print the records of models; needs no TensorFlow

The models, all frozen, are those of tests/golden/whole_models, large ones included, those of tests/golden/transforms
that branch or loop, and small nets that are trained here (nets.py). P is a Python without TensorFlow, which transforms
them and runs them on NumPy. Then TensorFlow runs model and result. Each line is one row for a model and a recipe (see
rows.py), or the reason why a model cannot be measured. The trained convnet becomes tests/data/convnet.pb, and some of
its images images.npz.xz.

TensorFlow runs with its own kernels (TF_ENABLE_ONEDNN_OPTS=0), which compute the same on all machines and the same
quantized values as the interpreter. Its default, oneDNN, rounds differently and changes the figures of eight-bit: over
ten images the scores of the trained convnet, for example, differ by 5.4 % of the largest without it, and by 7.2 % with
it.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfmodel.cli.runner import run_quietly
from tfmodel.messages import GraphDef

from ..whole_models.answers import unpacked, wholes
from .comparison import apply_all, judged
from .problems import PROBLEMS, write_images
from .rows import FILE, read_row, recorded, rows, table
from .subjects import Subject, anew, flow_subjects, subject_of, write_subject

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "convnet.pb"
TESTED, BATCH = 500, 10  # examples for trained nets
MORE, MORE_LARGE = 4, 7  # feeds besides those that models have


def made(folder: Path, corpus: Path, only: str) -> Iterator[Path]:
    """Folders called by their kind, with subjects in them; of large models one at a time."""
    for build in (_trained, _whole, _flow):
        place = folder / build.__name__.strip("_")
        for subject in build(corpus, folder, only):
            write_subject(subject, place / subject.name)
        if place.exists():
            yield place
    yield from _large(folder, only)


def _trained(corpus: Path, folder: Path, only: str) -> Iterator[Subject]:
    from .nets import NETS, trained

    for build, (problem, _) in NETS.items():
        if only in f"trained/{build.__name__}":
            data, given, scores = trained(build)
            inputs, classes = PROBLEMS[problem](TESTED, 1)
            feeds = [{given: inputs[start : start + BATCH]} for start in range(0, TESTED, BATCH)]
            yield Subject(build.__name__, GraphDef.from_bytes(data), [given], [scores], feeds, classes=classes)


def _whole(corpus: Path, folder: Path, only: str) -> Iterator[Subject]:
    for whole in unpacked(folder / "archive", corpus):
        if only in f"whole/{whole.name}":
            subject = subject_of(whole)
            yield replace(subject, feeds=[*subject.feeds, *anew(subject, MORE)])


def _flow(corpus: Path, folder: Path, only: str) -> Iterator[Subject]:
    for subject in flow_subjects():
        if only in f"flow/{subject.name}":
            yield replace(subject, feeds=[*subject.feeds, *anew(subject, 1)])


def _large(folder: Path, only: str) -> Iterator[Path]:
    import tensorflow as tf

    from ..whole_models.keras import SIZES
    from .nets import large

    for name in SIZES:
        if only in f"large/{name}":
            tf.keras.backend.clear_session()
            (folder / "built" / name).mkdir(parents=True)
            large(folder / "built" / name)
            (whole,) = wholes(folder / "built", None)
            subject = subject_of(whole)
            write_subject(replace(subject, feeds=[*subject.feeds, *anew(subject, MORE_LARGE)]), folder / "large" / name)
            shutil.rmtree(folder / "built")
            yield folder / "large"
            shutil.rmtree(folder / "large")


def record(args: argparse.Namespace) -> int:
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # by the kernels that are the same on all machines
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    said: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary:
        for folder in made(Path(temporary), args.corpus, args.only):
            command = [args.python, "-m", "tests.golden.recipes.answers", "--apply", str(folder)]
            subprocess.run(command, cwd=ROOT, check=True)
            for path in sorted(subject.parent for subject in folder.glob("*/subject.json")):
                rows = list(judged(path, folder.name))
                said += rows
                shown = "".join(f"{row['model']}: {row['skipped']}\n" for row in rows if "skipped" in row)
                print(shown or table(map(read_row, rows)), flush=True)
            if (folder / "convnet").exists():
                shutil.copy(folder / "convnet" / "graph.pb", DATA)
                write_images()
    wrong = [row for row in said if "skipped" not in row and not read_row(row).is_within]
    for row in wrong:
        print(f"{row['model']} {row['recipe']} differs: {row['there']}, {row['here']}")
    if not wrong:
        lines = "".join(f"{json.dumps(row)}\n" for row in _merged(said))
        FILE.write_bytes(lzma.compress(lines.encode(), preset=9))
        print(f"{len(lines.splitlines())} rows, {FILE.stat().st_size:,} bytes")
    return min(len(wrong), 1)


def _merged(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """New rows, and those that are recorded of other models; in the order of the file."""
    before = list(recorded()) if FILE.exists() else []
    new = {row["model"]: [candidate for candidate in said if candidate["model"] == row["model"]] for row in said}
    old = {row["model"]: [candidate for candidate in before if candidate["model"] == row["model"]] for row in before}
    return [row for model_rows in (old | new).values() for row in model_rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="?", help="a folder with model files of other programs")
    parser.add_argument("--python", default=sys.executable, help="a Python that transforms and runs without TensorFlow")
    parser.add_argument("--only", default="", help="models of which KIND/NAME has this in it; the rows of others stay")
    parser.add_argument("--apply", type=Path, help="only apply recipes to the subjects of this folder")
    parser.add_argument("--table", nargs="+", metavar="NAME", help="only show what is recorded of these models")
    args = parser.parse_args()
    if args.apply is not None:
        apply_all(args.apply)
    elif args.table is not None:
        print(table(row for name in args.table for row in rows() if row.model == name), end="")
    elif args.corpus is None:
        parser.error("name the corpus")
    else:
        return record(args)
    return 0


if __name__ == "__main__":
    sys.exit(run_quietly(main))
