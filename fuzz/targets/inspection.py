"""Functions that inspect graphs, on inconsistent graphs: summarize, check, draw, diff, weights, ..."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from zlib import crc32

from hypothesis import strategies as st

from fuzz.command_line import run_command
from fuzz.golden_models import graph_files
from fuzz.graph_edits import damaged_graphs, sound_graphs
from fuzz.target import Case, Files, Target
from pbwire import Error
from tfmodel import diff, freeze, load, make_meta_graph, optimize, summarize, weights
from tfmodel.analysis.shapes import infer_shapes
from tfmodel.drawing.graphviz import draw
from tfmodel.graph import GraphIndex, check_graph
from tfmodel.messages import GraphDef
from tfmodel.ops import registry

COMMANDS = (
    "dump G",
    "dump G --format json",
    "dump G --format tree",
    "dump G --format raw",
    "dump G --op Const",
    "summarize G",
    "summarize G --json",
    "summarize G --print-structure",
    "summarize G --compat",
    "weights G --statistics",
    "weights G -o OUT.npz",
    "weights G -o OUT.safetensors",
    "draw G",
    "draw G -o OUT.dot",
    "diff G H",
    "diff G H --json",
    "ops G",
    "convert G OUT.pbtxt",
    "convert G OUT.json",
    "run G --random --max-steps 500 --max-bytes 4000000 --fetch LAST",
    "freeze G OUT.pb --outputs LAST",
    "transform G OUT.pb --transforms=fold_constants --outputs=LAST",
    "checkpoint G",
    "transform G OUT.pb --transforms=strip_unused_nodes,sort_by_execution_order --outputs=LAST",
    "optimize G OUT.pb --outputs LAST",
)

"""Command lines; G and H are graphs, LAST is the last node of G, and OUT the name of a new file without a suffix."""

WRITING = (
    "extract G -o OUT.pb --outputs LAST",
    "extract G -o OUT.pb --inputs FIRST",
    "extract G -o OUT/ --outputs LAST",
    "splice G H -o OUT.pb --connect LAST=FIRST",
    "splice G H -o OUT/ --connect LAST=x --scope LAST",
    "splice G G -o OUT.pbtxt --connect LAST=FIRST --keep-outputs",
    "edit G -o OUT.pb --rename FIRST=LAST",
    "edit G -o OUT.json --remove LAST",
    "edit G -o OUT.meta --rename LAST=z",
    "edit G -o OUT/ --insert-after LAST=Neg",
    "convert G OUT/ --signature serving_default=FIRST:LAST",
    "convert G OUT/ --signature LAST=:LAST",
    "convert G OUT.tfjs --to tfjs --outputs LAST",
    "draw G -o OUT.html",
)
"""Command lines that write models and pages."""


def seeds() -> Iterator[Files]:
    graphs = list(graph_files())
    for number, data in enumerate(graphs):
        yield {"a.pb": data, "b.pb": graphs[number - 1]}


def damaged() -> st.SearchStrategy[Files]:
    def files(a: GraphDef, b: GraphDef) -> Files:
        return {"a.pb": a.to_bytes(), "b.pb": b.to_bytes()}

    both = st.builds(files, damaged_graphs(), sound_graphs())
    return st.one_of(both, damaged_graphs().map(lambda graph: files(graph, graph)))


def _summarized(graph: GraphDef) -> None:
    summary = summarize(graph, structure=True)
    assert summary.to_text() and summary.to_json()


def _weighed(graph: GraphDef) -> None:
    report = weights(graph, statistics=True, histogram=True)
    report.to_text()
    report.to_json()
    weights(graph, layout="oihw").to_text()


def _drawn(graph: GraphDef) -> None:
    draw(graph)
    draw(graph, depth=1, constants=True, all_edges=True)
    for function in (graph.library.function if graph.library is not None else [])[:3]:
        if function.signature is not None:
            draw(graph, function=function.signature.name)


def _checked(graph: GraphDef) -> None:
    list(map(str, check_graph(graph, registry=registry(graph))))
    assert len(GraphIndex(graph).forward_order) <= len(graph.node)


LOOKS: tuple[Callable[[GraphDef], object], ...] = (
    _summarized,
    _weighed,
    _drawn,
    _checked,
    infer_shapes,
    make_meta_graph,
    lambda graph: freeze(graph, [node.name for node in graph.node[-1:]]),
    lambda graph: optimize(graph, outputs=[node.name for node in graph.node[-1:]], verify=False),
)


def check(files: Files, case: Case) -> object:
    """Run three functions on a graph, and compare it with another one."""
    data, other = files.get("a.pb", b""), files.get("b.pb", b"")
    GraphDef.from_bytes(data)
    graph = GraphDef.from_bytes(data, lazy=True)
    before = graph.to_bytes(deterministic=True)
    first = crc32(data)
    refused = None
    for number in range(3):
        try:
            LOOKS[(first + number) % len(LOOKS)](graph)
        except Error as error:
            refused = error
    assert graph.to_bytes(deterministic=True) == before, "the graph has changed"
    report = diff(data, other or data)
    report.to_text()
    report.to_json()
    if refused is not None:
        raise refused
    return data


def check_commands(files: Files, case: Case) -> object:
    """Run one of COMMANDS on the graphs."""
    return _run(files, case, COMMANDS)


def check_writing(files: Files, case: Case) -> object:
    """Run one of WRITING on the graphs; a file or folder that it says it wrote can be read."""
    printed = _run(files, case, WRITING)
    written = [path for path in case.folder.iterdir() if path.name.startswith("out")]
    assert printed != 0 or written
    for path in written:
        if path.suffix != ".html":
            load(path, lazy=True) if path.suffix != ".tfjs" else summarize(path)
    return printed


def _run(files: Files, case: Case, commands: tuple[str, ...]) -> int:
    folder = case.write(files)
    (folder / "a.pb").write_bytes(files.get("a.pb", b""))
    command = commands[sum(files.get("a.pb", b"")) % len(commands)]
    try:
        nodes = load(files.get("a.pb", b""), GraphDef).node
        first, last = nodes[0].name or "x", nodes[-1].name or "y"
    except (Error, IndexError):
        first, last = "x", "y"
    names = {"FIRST": first.replace("\0", ""), "LAST": last.replace("\0", ""), "OUT": str(folder / "out")}
    words = [re.sub("FIRST|LAST|OUT", lambda match: names[match[0]], word) for word in command.split()]
    words = [str(folder / {"G": "a.pb", "H": "b.pb"}[word]) if word in ("G", "H") else word for word in words]
    printed = run_command(words, controls="dump" in command and "--format" not in command)
    case.allow(sum(path.stat().st_size for path in folder.rglob("out*") if path.is_file()))  # values that are exported
    return printed.status


_target = partial(Target, seconds=3.0, seconds_per_byte=400e-6, memory=2000.0)

TARGETS = (
    _target("inspection", "functions that inspect graphs, on damaged ones", seeds, damaged, check),
    _target("commands", "the command line, on damaged graphs", seeds, damaged, check_commands),
    _target("commands-that-write", "editing and converting, on damaged graphs", seeds, damaged, check_writing),
)
