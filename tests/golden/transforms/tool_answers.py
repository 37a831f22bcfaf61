"""Record what the C++ Graph Transform Tool makes of the graphs of models.tar.xz: tool_answers.jsonl.xz.

    python -m tests.golden.transforms.tool_answers            # with a Python that has TensorFlow 2.12

Each line is one case of cases.py: the model, the list of transforms, the declared inputs and outputs, and

    nodes     the nodes of the result in order: the position of an equal node in the model, or its bytes in base64
    error     the tool's error instead
    signal    the signal that killed it instead

`answers()` reads the file without TensorFlow.
"""

from __future__ import annotations

import base64
import json
import lzma
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tfmodel.messages import GraphDef

from ..isolation import run_isolated
from .cases import Case, cases
from .models import Model, models

__all__ = ["FILE", "Answer", "answers", "ask", "node_bytes", "with_files"]

FILE = Path(__file__).with_name("tool_answers.jsonl.xz")
SECONDS = 10


@dataclass(frozen=True)
class Answer:
    """The tool's result for a case: the deterministic bytes of its nodes, or the reason why it has none."""

    case: Case
    nodes: list[bytes] | None
    failure: str


def answers() -> list[Answer]:
    """Return the cases of the file, with the tool's results."""
    return [_read(json.loads(line)) for line in lzma.decompress(FILE.read_bytes()).splitlines()]


def _read(row: dict[str, Any]) -> Answer:
    case = Case(row["model"], row["transforms"], row["inputs"], row["outputs"])
    if "nodes" not in row:
        return Answer(case, None, row.get("error") or f"signal {row['signal']}")
    before = _model_nodes(case.model)
    nodes = [before[each] if isinstance(each, int) else base64.b64decode(each) for each in row["nodes"]]
    return Answer(case, nodes, "")


@cache
def _model_nodes(name: str) -> list[bytes]:
    return node_bytes(models()[name].graph())


def node_bytes(graph: GraphDef) -> list[bytes]:
    """Return the deterministic bytes of each node, for comparison."""
    return [node.to_bytes(deterministic=True) for node in graph.node]


def with_files(model: Model, transforms: str, folder: Path) -> str:
    """Return a transform list that reads the files of a model, written to a folder."""
    for name, text in model.files.items():
        (folder / name).write_text(text)
        transforms = transforms.replace(f"{{{name}}}", str(folder / name))
    return transforms.replace("{MISSING}", str(folder / "nothing" / "here"))


def ask(data: bytes, inputs: str, outputs: str, transforms: str) -> dict[str, Any]:
    """Return the tool's answer, from a process of its own: it may crash or hang."""
    from tensorflow.python.util import _pywrap_transform_graph as tool

    def run() -> str:
        result = tool.TransformGraphWithStringInputs(data, inputs.encode(), outputs.encode(), transforms.encode())
        return base64.b64encode(result).decode()

    said = run_isolated(run, SECONDS)
    return said if isinstance(said, dict) else {"graph": base64.b64decode(said)}


def _asked(folder: Path) -> Iterator[dict[str, Any]]:
    for case in cases():
        model = models()[case.model]
        said = ask(model.data, case.inputs, case.outputs, with_files(model, case.transforms, folder))
        if "graph" in said:
            before = {data: place for place, data in enumerate(node_bytes(model.graph()))}
            nodes = node_bytes(GraphDef.from_bytes(said.pop("graph")))
            said["nodes"] = [before.get(data, base64.b64encode(data).decode()) for data in nodes]
        elif "error" in said:
            said["error"] = said["error"].replace(str(folder), "FOLDER")
        yield case._asdict() | said


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_asked(Path(folder)))
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    FILE.write_bytes(lzma.compress(lines.encode(), preset=9))
    kinds = ["nodes", "error", "signal"]
    counts = ", ".join(f"{sum(kind in row for row in rows):,} {kind}" for kind in kinds)
    print(f"{len(rows):,} cases: {counts}; {FILE.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
