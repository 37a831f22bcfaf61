"""The kinds of findings of `check`: their levels and names, and the choice of some of them.

The name of a kind is that of its level and its own, "unsafe/read"; the name of a level, "note", chooses all its kinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from pbwire.errors import suggestion

from ...values.terminal import escape

Level: TypeAlias = Literal["broken", "unsafe", "note"]

LEVELS: tuple[Level, ...] = ("broken", "unsafe", "note")
FAULTS: tuple[Level, ...] = ("broken", "unsafe")
"""The levels that make a model unsound or unsafe."""

KINDS: dict[tuple[Level, str], str] = {
    ("broken", "asset"): "A file that the model comes with is missing, or belongs to a tensor that does not exist",
    ("broken", "attribute"): "An attribute of a node is missing, or has a value that its op does not allow",
    ("broken", "checkpoint"): "The checkpoint is missing or damaged, or lacks a tensor of the model",
    ("broken", "collection"): "A collection names a node or a variable that does not exist",
    ("broken", "colocation"): "A node is to be placed beside a node that does not exist",
    ("broken", "constant"): "A constant is damaged",
    ("broken", "cycle"): "Nodes wait for each other",
    ("broken", "duplicate"): "Two nodes, functions or arguments have the same name",
    ("broken", "file"): "The file cannot be read",
    ("broken", "frame"): "A node of a loop is not in its loop",
    ("broken", "function"): "A function does not exist, or has the name of an op",
    ("broken", "inputs"): "A node has another number of inputs than its op",
    ("broken", "keras"): "The metadata of Keras are damaged",
    ("broken", "missing"): "A node takes its input from a node that does not exist",
    ("broken", "name"): "A name is not allowed",
    ("broken", "object"): "The objects of a TensorFlow 2 model name a part that does not exist",
    ("broken", "op"): "TensorFlow does not have the op, or no longer",
    ("broken", "order"): "A data input comes after a control input",
    ("broken", "port"): "A node takes an output that the other node does not have",
    ("broken", "result"): "A function does not define one of its results",
    ("broken", "saver"): "The saver names a node that does not exist",
    ("broken", "shape"): "The shapes of the inputs of a node do not fit",
    ("broken", "signature"): "A signature names a tensor that does not exist, or has another type",
    ("broken", "table"): "No node fills a lookup table",
    ("broken", "type"): "An input has another type than its op takes",
    ("broken", "version"): "No version of TensorFlow accepts the versions of the graph",
    ("unsafe", "asset"): "An asset is outside of the folder of the model",
    ("unsafe", "endless"): "A node does not end",
    ("unsafe", "exit"): "A node ends the process",
    ("unsafe", "graph"): "A node runs a graph that it gets as a string",
    ("unsafe", "keras"): "Keras runs code of the model, or imports a module that the model names",
    ("unsafe", "library"): "A node calls native code",
    ("unsafe", "list"): "A node lists files",
    ("unsafe", "network"): "A node opens a connection",
    ("unsafe", "python"): "The model calls Python code",
    ("unsafe", "read"): "The model reads a file",
    ("unsafe", "settings"): "A node changes settings of the process",
    ("unsafe", "write"): "The model writes a file",
    ("note", "attribute"): "TensorFlow 2 ignores an attribute",
    ("note", "checkpoint"): "Values of variables were not checked",
    ("note", "collection"): "An entry of a collection is damaged, which TensorFlow ignores",
    ("note", "constant"): "No constant of the graph has values",
    ("note", "device"): "A node sets up or shuts down TPUs",
    ("note", "keras"): "The classes of some layers are of another program, and were not checked",
    ("note", "name"): "A function has no name",
    ("note", "op"): "Nodes of an op that is not of TensorFlow were not checked",
    ("note", "print"): "A node prints tensors",
    ("note", "program"): "A node runs a compiled program, which was not checked",
    ("note", "signature"): "A signature describes a tensor differently than the graph",
    ("note", "summary"): "A node writes to a summary writer of the program that runs it",
    ("note", "table"): "Nodes fill tables, and must run before the outputs",
    ("note", "tags"): "A MetaGraph was not checked",
    ("note", "wait"): "A node may wait without end",
    ("note", "weights"): "Files of weights are missing, and values were not checked",
}
"""The kinds of findings by level, each with a title."""


def name_of(level: Level, kind: str) -> str:
    """Return the name of a kind: "unsafe/read"."""
    return f"{level}/{kind}"


def all_kinds() -> list[str]:
    """Return the names of the levels and of their kinds."""
    return [*LEVELS, *(name_of(*key) for key in KINDS)]


def parse_kinds(kinds: str | Iterable[str]) -> frozenset[str]:
    """Return the names of kinds, given in strings, each with one or with several separated by commas.

    Raises ValueError for a name that is not that of a level or a kind.
    """
    known = all_kinds()
    words = [word.strip() for text in ([kinds] if isinstance(kinds, str) else kinds) for word in text.split(",")]
    for word in words:
        if word not in known:
            same = [f'"{name}"' for name in known if word and name.partition("/")[2] == word]
            levels = f"the levels are {', '.join(LEVELS)}, and a kind is written as in unsafe/read"
            hint = f"; did you mean {' or '.join(same)}?" if same else suggestion(word, known) or f": {levels}"
            raise ValueError(f'there are no findings of the kind "{escape(word)}"{hint}')
    return frozenset(words)


def is_among(level: Level, kind: str, names: frozenset[str]) -> bool:
    """Return whether the kind, or its whole level, is among the names that `parse_kinds` returned."""
    return level in names or name_of(level, kind) in names
