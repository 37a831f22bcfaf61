"""Record what the C++ tool makes of the frozen graphs of the corpus: corpus.jsonl.xz.

    python -m tests.golden.transforms.corpus CORPUS      # with a Python that has TensorFlow 2.12

Each line is one case: the fields of `Case`, where `model` is the file; `count` and `nodes`, the number of nodes of the
result and their SHA-256, in order or, where the tool orders by hash, sorted; or `error`. Where tfmodel differs, `proof`
holds TensorFlow's results for both graphs: see proofs.py.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tfmodel.files.files import load
from tfmodel.messages import GraphDef

from .cases import EVERYWHERE, Case
from .models import Model
from .proofs import Proof, agrees, made_of, proved, read_proof
from .tool_answers import Answer, ask, node_bytes

__all__ = ["FILE", "CorpusAnswer", "answers", "corpus_model", "summary"]

FILE = Path(__file__).with_name("corpus.jsonl.xz")
MORE = [
    'strip_unused_nodes(type=float, shape="1,784")',
    "remove_nodes(op=Identity) remove_nodes(op=Identity)",
    'remove_nodes(op="StopGradient|CheckNumerics", max_inputs=2)',
    "insert_logging",
    "insert_logging(op=MatMul, show_op=true) insert_logging(op=BiasAdd, show_op=true)",
    "backport_concatv2 strip_unused_nodes sort_by_execution_order",
    "add_default_attributes rename_op(old_op_name=Add, new_op_name=AddV2) remove_attribute(attribute_name=_class)",
    "rename_node(old_node_name=nothing, new_node_name=something)",
    "strip_unused_nodes(type=nonsense, type=float)",
    "remove_nodes(op=Split)",
]
# The shape of each input, and the output.
FILES = {
    "tf2onnx/ae0/frozen.pb": ({"X": (2, 784)}, "output"),
    "tf2onnx/fc-layers/frozen.pb": ({"X": (2, 784)}, "output"),
    "tf2onnx/gru/frozen.pb": ({"X": (2, 784), "keep_prob": ()}, "output"),
    "tf2onnx/lstm/frozen.pb": ({"X": (2, 784), "keep_prob": ()}, "output"),
    "tf2onnx/regression/graphdef/frozen.pb": ({"X": (3,)}, "pred"),
}


class CorpusAnswer(NamedTuple):
    """The tool's result for a case, and the proof where ours differs."""

    case: Case
    nodes: str | None
    proof: Proof | None


def answers() -> list[CorpusAnswer]:
    """Return the content of the file."""
    rows = map(json.loads, lzma.decompress(FILE.read_bytes()).splitlines())
    return [
        CorpusAnswer(Case(*row["case"]), row.get("nodes"), read_proof(row["proof"]) if "proof" in row else None)
        for row in rows
    ]


def corpus_model(corpus: Path, name: str) -> Model:
    """A file of the corpus, with feeds: what is a scalar is 1, which keeps dropout from dropping anything."""
    shapes, output = FILES[name]
    random = np.random.RandomState(1)
    feeds = {key: random.rand(*shape).astype(np.float32) if shape else np.float32(1) for key, shape in shapes.items()}
    data = load(corpus / name, GraphDef).to_bytes(deterministic=True)
    return Model(name, data, ",".join(shapes), output, [], feeds, {}, {})


def summary(nodes: list[bytes], transforms: str) -> str:
    """The nodes of a result in a few letters."""
    if "merge_duplicate_nodes" in transforms:
        nodes = sorted(nodes)
    return hashlib.sha256(b"".join(hashlib.sha256(node).digest() for node in nodes)).hexdigest()[:24]


def _rows(corpus: Path, folder: Path) -> Iterator[dict[str, Any]]:
    for name in FILES:
        model = corpus_model(corpus, name)
        for transforms in EVERYWHERE + MORE:
            case = Case(name, transforms, model.inputs, model.outputs)
            said = ask(model.data, case.inputs, case.outputs, transforms)
            nodes = node_bytes(GraphDef.from_bytes(said["graph"])) if "graph" in said else None
            failure = said.get("error") or f"signal {said.get('signal')}"
            row = {"case": case, "error": failure}
            if nodes is not None:
                row = {"case": case, "count": len(nodes), "nodes": summary(nodes, transforms)}
            answer = Answer(case, nodes, "" if nodes else failure)
            if not agrees(made_of(model, case, folder), answer):
                row["proof"] = proved(model, answer, folder)
            yield row


def main(corpus: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_rows(corpus, Path(folder)))
    FILE.write_bytes(lzma.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode(), preset=9))
    proofs = [row["proof"] for row in rows if "proof" in row]
    print(f"{len(rows):,} cases, {len(proofs):,} differ; {FILE.stat().st_size:,} bytes", file=sys.stderr)
    print(Counter((proof["ours"], proof["tools"].partition(":")[0]) for proof in proofs), file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
