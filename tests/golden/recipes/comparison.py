"""Apply recipes to a folder of subjects, run the results in tfmodel and in TensorFlow, and compare.

Each subject is a folder, see subjects.py. For the model (whose name is "") and for each recipe, `apply_all` writes
result_NAME.pb, here_NAME.npz with the results of the interpreter, and facts_NAME.json there. `judged` reads them.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from tfmodel.transforms.framework.recipes import RECIPES

from .rows import Distance, Row, distance
from .subjects import Subject, applied, batch_norms_left, given, read_subject

__all__ = ["apply_all", "judged"]

Values = list[list[Any]]
"""Return the outputs of successive runs."""

LARGE_HERE = 2  # feeds of a large model that the interpreter runs
SECONDS = 300


# --- without TensorFlow ----------------------------------------------------------------------------------------------


def apply_all(folder: Path) -> None:
    """Leave beside all subjects of a folder what recipes make of them, and what the interpreter gives for it."""
    for path in sorted(subject.parent for subject in folder.glob("*/subject.json")):
        subject = read_subject(path)
        if folder.name == "large":
            subject = replace(subject, feeds=subject.feeds[:LARGE_HERE])
        for name in ("", *RECIPES):
            _apply(subject, name, path)


def _apply(subject: Subject, name: str, path: Path) -> None:
    said: dict[str, Any] = {}
    values: Values = []
    try:
        graph = applied(subject, name) if name else subject.graph
        data = graph.to_bytes()
        (path / f"result_{name}.pb").write_bytes(data)
        left = Counter(batch_norms_left(graph).values())
        said |= {
            "nodes": len(graph.node),
            "bytes": len(data),
            "zipped": len(zlib.compress(data)),
            "batch_norms": left.total(),
            "left": left,
        }
        values = given(subject, graph)
    except Exception as error:  # any exception is an answer
        said["error"] = _short(error)
    arrays = ((f"{run}|{place}", value) for run, batch in enumerate(values) for place, value in enumerate(batch))
    np.savez(path / f"here_{name}.npz", **{key: _plain(value) for key, value in arrays})
    (path / f"facts_{name}.json").write_text(json.dumps(said))


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    return array.astype("S") if array.dtype.kind == "O" else array


def _short(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:160]


# --- with TensorFlow -------------------------------------------------------------------------------------------------


def judged(path: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Return the rows of a subject with applied recipes, or one row with the reason why there is none."""
    subject = read_subject(path)
    before = json.loads((path / "facts_.json").read_text())
    expected, failure = _there(subject, path, "")
    again, _ = _there(replace(subject, feeds=subject.feeds[:1]), path, "")
    if failure:
        yield {"model": subject.name, "skipped": f"TensorFlow does not run it: {failure}"}
    elif _is_apart(distance(expected[:1], again, subject.outputs)):
        yield {"model": subject.name, "skipped": "it gives other numbers each time: there are random ones in it"}
    elif "error" in before:
        yield {"model": subject.name, "skipped": f"it is not run on NumPy: {before['error']}"}
    else:
        for recipe in RECIPES:
            yield asdict(_row(subject, kind, recipe, path, expected))


def _is_apart(each: Distance) -> bool:
    return bool(each.relative or each.problems)


def _row(subject: Subject, kind: str, recipe: str, path: Path, wanted: Values) -> Row:
    before, after = (json.loads((path / f"facts_{name}.json").read_text()) for name in ("", recipe))
    actual, failure = _there(subject, path, recipe)
    here, here_after = (_here(path, name) for name in ("", recipe))
    problem = after.get("error", "")
    pairs = [(wanted, actual, failure), (here, here_after, problem), (actual, here_after, failure or problem)]
    there, here_too, across = (
        Distance(problems=[reason]) if reason else distance(one, other, subject.outputs) for one, other, reason in pairs
    )
    accuracies: Any = [None, None]
    if subject.classes is not None:
        accuracies = [tuple(_accuracy(subject, values) for values in pair[:2]) for pair in pairs[:2]]
    sizes: Any = {key: (before[key], after.get(key, 0)) for key in ("nodes", "bytes", "zipped", "batch_norms")}
    return Row(
        subject.name,
        kind,
        recipe,
        **sizes,
        left=after.get("left", {}),
        there=there,
        here=here_too,
        across=across,
        within=subject.rtol,
        accuracy=accuracies[0],
        accuracy_here=accuracies[1],
    )


def _here(path: Path, name: str) -> Values:
    """Return the results of the interpreter."""
    results: Values = []
    with np.load(path / f"here_{name}.npz") as arrays:
        for key, array in arrays.items():
            if int(key.partition("|")[0]) == len(results):
                results.append([])
            results[-1].append(array.astype(object) if array.dtype.kind == "S" else array)
    return results


def _accuracy(subject: Subject, values: Sequence[Sequence[Any]]) -> float:
    guesses = [guess for (scores,) in values for guess in np.argmax(scores, -1)]
    return round(float(np.mean(guesses == subject.classes)), 4) if guesses else 0.0


def _there(subject: Subject, path: Path, name: str) -> tuple[Values, str]:
    """Return TensorFlow's results for each feed, and its error if it fails."""
    import tensorflow as tf

    from ..whole_models.tf1 import AS_IT_IS

    tf1 = tf.compat.v1
    session, values = None, []
    options = tf1.RunOptions(timeout_in_ms=SECONDS * 1000)
    try:
        definition = tf1.GraphDef.FromString((path / f"result_{name}.pb").read_bytes())
        with tf1.Graph().as_default() as graph:
            tf1.import_graph_def(definition, name="")
        outputs = [graph.get_tensor_by_name(tensor) for tensor in subject.outputs]
        for feeds in subject.feeds:
            if session is None or subject.before:
                session = tf1.Session(graph=graph, config=AS_IT_IS)
                for node in subject.before:
                    session.run(node)
            values.append(session.run(outputs, feeds, options))
    except Exception as error:  # any exception is an answer
        return [], _short(error)
    return values, ""
