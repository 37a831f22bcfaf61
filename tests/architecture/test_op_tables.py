"""A fact about ops stands in one place: in the records of `tfmodel.ops.traits`, or in one table of rules.

A table is a literal with names of ops: a tuple, list or set, the keys of a dict, or a string of names. A table that
repeats a set of `traits`, or that has much in common with a table of another module, is such a fact twice.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

from tests.architecture.source import modules
from tfmodel.kernels import group_of
from tfmodel.ops import OPS, traits

MIN_SHARED = 3
"""The number of ops from which tables of two modules can repeat each other."""

RULES = {
    "tfmodel.analysis.flops": "the FLOP rule of each op",
    "tfmodel.ops.input_roles": "the roles of the inputs of each op",
    "tfmodel.analysis.shape_rules.partial_tensors": "a function on numbers for each op",
    "tfmodel.kernels.runtime.memory_limit": "a function for the size of the output of each op",
    "tfmodel.transforms.constant_folding.cost_model": "the cost of each op",
    "tfmodel.transforms.half_precision.kernels": "the precision of each op",
}
"""Modules with a rule for each op, whose tables may be similar to others. So may those of kernels and shape rules."""

ALLOWED = {
    "export.UNARY": "maps each op to the operator of ONNX",
    "export.BINARY": "the same",
    "export.COMPARISONS": "the same",
    "export.REDUCTIONS": "the same",
    "export._SEGMENTS": "the same",
    "export._Fusion": "operators of ONNX, some of which have the names of ops",
    "export._SHAPES": "the same",
    "export._ELEMENTS": "the same",
    "export._BROADCASTING": "the same",
    "export._ROWS": "the same",
    "export._SAME": "ops whose output has all sizes of their first input",
    "compat._VARIABLE_OPS": "the ops that TensorFlow pins to a CPU with variables",
    "analysis.ASSIGNS": "maps each op to the op that computes the assigned value",
    "freezing._TYPES": "maps each op to its attribute with the types of outputs",
    "graph._CALLERS": "all ops with an attribute that names a function; `traits` has the arguments",
    "files._BIASES": "ops that can be the bias of a layer, below the package of the traits",
    "files._STEPS": "the steps of fused ops",
    "analysis._STEPS": "ops between a statistic and its moving average",
    "analysis.AFFINE": "ops that scale and shift values, whatever their inputs are",
    "analysis.SUMS": "ops that add two values, without those that multiply them",
    "analysis.FORMS": "ops that give the same elements in another shape",
    "analysis._OPERATORS": "maps each op to the names that Python's operators give it",
    "analysis.ACTIVATIONS": "ops that make probabilities of predictions",
    "reports._COLLECTS": "ops that choose and collect strings without changing them",
    "reports.COMPARISONS": "maps each op to its function in Python",
    "reports._NEUTRAL": "maps each op to the number that changes nothing",
    "reports._NUMBERS": "maps each op to its function in Python",
    "reports.SAME": "ops that keep a single number",
    "analysis._BEFORE_DISCRIMINATOR": "ops that join conditions to a picture, and pad it",
    "analysis._BEFORE_ACTIVATION": "ops between a prediction and its activation",
    "compare._CONVOLUTIONS": "the rank of filters, which tells the channels of an input",
    "compare._ELEMENTS": "ops whose outputs have elements of their inputs, also converted",
    "compare._JOINED": "ops whose inputs have one batch size",
    "compare._LIKE_THE_OTHER": "ops of two inputs, of which one tells the shape of the other",
    "compare._MULTIPLICATIONS": "ops whose second input tells the last size of the first",
    "drawing.FAMILIES": "patterns, for the colours of pictures",
    "ops._CHECKED_WHEN_RUN": "ops whose shape rules are stricter than TensorFlow's import",
    "analysis._WITHOUT_FLOPS": "the FLOP rule of each op",
    "analysis._RESHAPES": "maps each op to the input that it reshapes",
    "export._NAMES": "the ops of another runtime",
    "transforms.ARITHMETIC": "maps each op to its effect on channels",
    "transforms._NEUTRAL": "maps each op to the number that changes nothing",
    "transforms._RESHAPING": "ops that keep all elements in their order",
    "transforms._RULES": "the rule of each op",
}
"""Tables that may repeat others, by package and variable, with the reason."""

OP_NAMES = frozenset(OPS)
LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict)


class Table(NamedTuple):
    """A literal with names of ops, in the definition of a variable, function or class of a module."""

    module: str
    definition: str
    line: int
    ops: frozenset[str]

    @property
    def key(self) -> str:
        """The package below tfmodel and the definition, as in ALLOWED."""
        return f"{self.module}.".split(".")[1] + f".{self.definition}"

    def __str__(self) -> str:
        return f"{self.module}, line {self.line}: {self.definition}"


@cache
def tables() -> list[Table]:
    """Return all tables of at least two ops, apart from those of `traits`, of shape rules and of generated modules."""
    paths = {
        module: path
        for module, path in modules("tfmodel").items()
        if module != traits.__name__ and not module.startswith("tfmodel.analysis.shape_rules.")
        if not module.endswith("_index")
    }
    return [table for module, path in paths.items() for table in _tables(module, path.read_text(encoding="utf-8"))]


def _is_in_group(module: str) -> bool:
    return group_of(module) != ""


def _tables(module: str, source: str) -> Iterator[Table]:
    for statement in ast.parse(source).body:
        definition = _defined_name(statement)
        nodes = [*ast.walk(statement)]
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, LITERALS) and id(node) not in docstrings:
                ops = OP_NAMES.intersection(_names(node))
                if len(ops) > 1:
                    yield Table(module, definition, node.lineno, ops)


def _defined_name(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    if isinstance(statement, ast.AnnAssign):
        return ast.unparse(statement.target)
    return getattr(statement, "name", "")


def _names(node: ast.expr) -> list[str]:
    """Return the strings of a literal, or the words of a string that has nothing but names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = re.split(r"[\s|]+", node.value.strip())
        return words if all(word.isidentifier() for word in words) else []
    items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else getattr(node, "keys", [])
    return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def repeated_traits() -> dict[str, str]:
    """Return a sentence for each table that has all ops of a set of `traits`, by its key."""
    sets = {
        name: frozenset(value)
        for name, value in vars(traits).items()
        if name != "TRAITS" and name.isupper() and isinstance(value, frozenset | dict) and len(value) > 1
    }
    return {
        table.key: f"{table} lists the ops of tfmodel.ops.traits.{name}: use that set"
        for table in tables()
        for name, ops in sets.items()
        if ops <= table.ops
    }


def repeated_tables() -> dict[tuple[str, str], str]:
    """Return a sentence for each two tables of which one has all ops of the other, or half of both are the same."""
    candidates = [
        table
        for table in tables()
        if len(table.ops) >= MIN_SHARED and table.module not in RULES and not _is_in_group(table.module)
    ]
    return {
        (one.key, other.key): f"{one} and {other} have {len(shared)} ops in common, such as {min(shared)}: "
        "make it a trait in tfmodel.ops.traits"
        for one, other in combinations(candidates, 2)
        if one.module != other.module
        and len(shared := one.ops & other.ops) >= MIN_SHARED
        and (2 * len(shared) >= max(len(one.ops), len(other.ops)) or shared in (one.ops, other.ops))
    }


def test_no_table_repeats_a_set_of_traits() -> None:
    wrong = [sentence for key, sentence in repeated_traits().items() if key not in ALLOWED]
    assert not wrong, "\n".join(wrong)


def test_no_two_modules_have_the_same_table() -> None:
    wrong = [sentence for keys, sentence in repeated_tables().items() if ALLOWED.keys().isdisjoint(keys)]
    assert not wrong, "\n".join(wrong)


def test_tables_are_allowed_only_while_they_repeat_others() -> None:
    keys = repeated_traits().keys() | {key for keys in repeated_tables() for key in keys}
    assert ALLOWED.keys() - keys == set()
    assert RULES.keys() - modules("tfmodel").keys() == set()
