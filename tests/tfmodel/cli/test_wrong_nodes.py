"""Commands never answer a wrong graph in the words of Python: each mistake has a message of its own."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.kernel_cases import cases_of, families
from tests.tfmodel.kernels.mutations import WORDS_OF_PYTHON, Mutant, mutants
from tfmodel.cli import main
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef
from tfmodel.values.dtypes import natural_dtype
from tfmodel.values.tensors import from_ndarray

COMMANDS = [
    "run GRAPH --fetch out --random --max-bytes 10M",
    "optimize GRAPH -o OUT --outputs out",
    "transform GRAPH -o OUT --inputs= --outputs out --transforms fold_constants|fold_batch_norms|quantize_weights",
    "transform GRAPH -o OUT --inputs= --outputs out --recipe deploy --verify",
    "summarize GRAPH",
    "check GRAPH",
    "verify GRAPH GRAPH --outputs out",
    "freeze GRAPH -o OUT --outputs out",
    "weights GRAPH",
    "diff GRAPH GRAPH --values",
    "convert GRAPH FOLDER",
]


def graph_of(mutant: Mutant, random: Random) -> GraphDef:
    """A graph with the node, whose inputs are constants, and sometimes placeholders."""
    nodes = []
    for number, array in enumerate(mutant.arrays):
        row = natural_dtype(array.dtype)
        dtype = DataType.DT_STRING if row is None else row.number
        attributes = {"dtype": AttrValue(type=dtype)}
        is_constant = random.random() < 0.8
        if is_constant:
            attributes["value"] = AttrValue(tensor=from_ndarray(array, dtype))
        nodes.append(NodeDef(name=f"i{number}", op="Const" if is_constant else "Placeholder", attr=attributes))
    output = NodeDef(name="out", op="Identity", input=["it"], attr={"T": AttrValue(type=DataType.DT_FLOAT)})
    return GraphDef(node=[*nodes, mutant.node, output])


def answers(graph: GraphDef, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return the text that each command prints about a graph. A traceback would pass through here."""
    (folder / "graph.pb").write_bytes(graph.to_bytes())
    printed = {}
    for command in COMMANDS:
        places = {"GRAPH": folder / "graph.pb", "OUT": folder / "out.pb", "FOLDER": folder / "model"}
        main([str(places.get(word, word.replace("|", " "))) for word in command.split()])
        captured = capsys.readouterr()
        printed[command] = captured.out + captured.err
        shutil.rmtree(folder / "model", ignore_errors=True)
    return printed


def check(count: int, seed: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(seed)
    cases = [case for family in families() for case in cases_of(family)]
    for case in random.sample(cases, count):
        for mutant in mutants(case, random, 1):
            for command, text in answers(graph_of(mutant, random), folder, capsys).items():
                assert not any(word in text for word in WORDS_OF_PYTHON), f"{command}: {text}\n{mutant}"


def test_mistakes_are_named_in_the_words_of_this_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(12, "few", tmp_path, capsys)


@pytest.mark.slow(reason="runs all commands on many graphs")
def test_many_mistakes_are_named_in_the_words_of_this_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check(120, "many", tmp_path, capsys)
