"""Commands that read a model index its graph once, as `Facts.index`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tfmodel.cli import main
from tfmodel.graph import GraphIndex
from tfmodel.messages import FunctionDef

MODELS = {
    "graph": "tests/data/convnet.pb",
    "functions": "tests/data/linear.pb",
    "meta": "tests/data/trained/model.meta",
    "saved model": "tests/data/linear",
}
COMMANDS = [
    "dump MODEL",
    "summarize MODEL",
    "summarize MODEL --compat",
    "find MODEL op=MatMul",
    "check MODEL",
    "weights MODEL",
    "draw MODEL -o OUT.html",
    "draw MODEL -o OUT.dot",
    "freeze MODEL -o OUT.pb",
    "convert MODEL OUT.pbtxt",
    "ops MODEL",
    "run MODEL --random",
    "verify MODEL MODEL",
    "diff MODEL MODEL",
]
"""Commands besides those that change a graph step by step: each step indexes the graph that it is given."""


OF_SEVERAL_PICTURES = {"draw MODEL -o OUT.html"}
"""Commands that show functions as they are, and opened in the graphs of signatures."""


@pytest.fixture
def indexed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[object, str]]]:
    """The graphs that were indexed, each with the module that asked."""
    calls: list[tuple[object, str]] = []
    really = GraphIndex.__init__

    def counting(self, graph, *args, **options):  # type: ignore[no-untyped-def]
        calls.append((graph, sys._getframe(1).f_globals["__name__"]))
        really(self, graph, *args, **options)

    monkeypatch.setattr(GraphIndex, "__init__", counting)
    yield calls
    calls.clear()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_indexes_a_graph_once(command, model, indexed, tmp_path, capsys):
    words = [word.replace("MODEL", MODELS[model]).replace("OUT", f"{tmp_path}/out") for word in command.split()]
    assert main(words) == 0, capsys.readouterr().err
    graphs: dict[int, list[str]] = {}
    for graph, module in indexed:
        if command in OF_SEVERAL_PICTURES and isinstance(graph, FunctionDef):
            continue
        graphs.setdefault(id(graph), []).append(module)
    assert [modules for modules in graphs.values() if len(modules) > 1] == []
