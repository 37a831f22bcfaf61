"""Nodes, ops and files that are named like a hint keep their names in what commands print.

Each command runs on two models that differ in names alone: in one these are hints in Python's words, in the other the
same with upper and lower case swapped. What is printed differs in these names alone.
"""

from __future__ import annotations

import json
import re

import pytest

from tfmodel import save
from tfmodel.cli import main
from tfmodel.errors import Hint
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef

PHRASES = [hint.value.format(size=5, dtype="float", shape="", names="a") for hint in Hint]

GIVEN = ["the given checkpoint is not used", "tags choose a MetaGraph of a SavedModel"]
"""Those that arguments of commands name; commas and colons would divide them."""
CHAIN = ["x", *PHRASES, "y"]

COMMANDS = {
    "no such output": "run {model} --fetch {name}:9 --random",
    "a fetch that is not fed": "run {model} --fetch {name}",
    "a random input without a shape": "run {model} --random",
    "random inputs with a batch": "run {model} --random --batch-size 3",
    "frozen at another output": "freeze {model} --outputs {name}9 -o out.pb",
    "optimized": "optimize {model} -o out.pb --outputs y --verbose",
    "optimized at another output": "optimize {model} -o out.pb --outputs {name}9",
    "optimized and not verified": "optimize {model} -o out.pb --verify",
    "transformed": "transform {model} -o out.pb --outputs {name} --transforms fold_constants --verbose",
    "verified": "verify {model} {model} --outputs {name}",
    "verified with a batch": "verify {model} {model} --batch-size 3",
    "summarized": "summarize {model} --all",
    "checked": "check {model}",
    "found": "find {model} *",
    "printed": "dump {model} --format tree",
    "nothing printed": "dump {model} --node {name}9",
    "edited": "edit {model} -o out.pb --remove {name}9",
    "extracted": "extract {model} -o out.pb --outputs {name}9",
    "counted": "ops {model}",
    "converted": "convert {model} out/ --signature s=x:{name}9",
    "of these tags": "dump {model} --type GraphDef --tags {name}",
    "of this checkpoint": "freeze {model} --checkpoint {name} -o out.pb",
    "not there": "summarize {name}.pb",
}


def chain(place: str, spell) -> GraphDef:
    """Return a graph of Relu nodes. The names of its nodes or its ops are those of CHAIN, as `spell` spells them."""
    nodes = [NodeDef(name="x", op="Placeholder", attr={"dtype": AttrValue(type=DataType.DT_FLOAT)})]
    for number, phrase in enumerate(CHAIN[1:], 1):
        is_named = place == "node" and phrase in PHRASES
        name = spell(phrase) if is_named else "y" if phrase == "y" else f"node{number}"
        op = spell(phrase) if place == "op" and phrase in PHRASES else "Relu"
        attr = {"T": AttrValue(type=DataType.DT_FLOAT)}
        nodes.append(NodeDef(name=name, op=op, input=[nodes[-1].name], attr=attr))
    return GraphDef(node=nodes)


def printed(capsys, line: str, *, place: str, phrase: str, spell) -> tuple[int, list[str]]:
    """Return the status of a command and what it prints, without times and with names like hints.

    Lines, and the parts of lists in them, are sorted: some lists are in the order of the names.
    """
    model = f"{spell(phrase) if place == 'file' else 'model'}.pb"
    save(chain(place, spell), model)
    names = {"{model}": model, "{name}": spell(phrase)}
    words = [model if word == "{model}" else word.replace("{name}", names["{name}"]) for word in line.split(" ")]
    status = main(words)
    text = re.sub(r"\d+\.\d\d s", "TIME", "".join(capsys.readouterr()))
    for known in PHRASES if spell is str.swapcase else ():
        for spelled in (known, json.dumps(known)[1:-1]):
            text = text.replace(spelled.swapcase(), spelled)
    return status, sorted(re.split(r"\n|, ", text))


@pytest.mark.parametrize("place", ["node", "op", "file"])
@pytest.mark.parametrize("what", COMMANDS)
def test_names_like_hints_are_not_reworded(what, place, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    differing = {}
    for phrase in GIVEN if place == "file" or "{name}" in COMMANDS[what] else GIVEN[:1]:
        like, unlike = (
            printed(capsys, COMMANDS[what], place=place, phrase=phrase, spell=spell) for spell in (str, str.swapcase)
        )
        if like != unlike:
            differing[phrase] = (like, unlike)
    assert differing == {}
