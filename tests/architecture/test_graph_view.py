"""Graphs are seen and changed in one way: `tfmodel.graph` knows the users of nodes, and makes names for new nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import trees

HOME = "tfmodel.graph."

NAMES_OF_OTHER_THINGS = {
    "tfmodel.editing.splicing": "scopes, functions and gradients of two models",
    "tfmodel.export.saved_model.assets": "files",
    "tfmodel.export.saved_model.variables": "the scope of a saver",
    "tfmodel.export.onnx.passes.naming": "values and nodes of ONNX",
    "tfmodel.export.onnx.conversion.tables": "nodes in which tables are filled, to run them",
    "tfmodel.export.tfjs.writer": "nodes of all functions, which TensorFlow.js must tell apart",
    "tfmodel.files.keras.file": "weights",
    "tfmodel.files.tfjs.fused": "nodes of a graph while it is read; files are below graphs",
    "tfmodel.files.tfjs.reader": "the same",
    "tfmodel.optimizer.naming": "keys of a signature, before the nodes that have these names are renamed",
    "tfmodel.optimizer.report": "files",
    "tfmodel.source.metagraph.builder": "keys of a signature",
    "tfmodel.transforms.constant_folding.replacement": "nodes; the names of those that are removed are free",
}
"""The modules that make names of other things than new nodes of one graph: `GraphView.fresh` and
`GraphIndex.taken_names` know which names are taken there."""

NO_USERS = {
    "tfmodel.transforms.insert_logging": "the outputs that are in use, without their users",
}
"""The modules that group something else by the inputs of nodes."""

READS_INPUTS = ("references", "input_tensors", "data_inputs", "control_inputs")


def outside(*words: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules outside of `tfmodel.graph` that have one of the words."""
    return ((name, tree) for name, tree in trees(*words) if not name.startswith(HOME))


def called(tree: ast.AST) -> Iterator[str]:
    """Return the names of the functions and methods that are called."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            function = call.func
            yield function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def goes_through_inputs(loop: ast.For) -> bool:
    """Return whether a loop goes through the inputs of a node."""
    inputs = any(isinstance(node, ast.Attribute) and node.attr == "input" for node in ast.walk(loop.iter))
    return inputs or not {*called(loop.iter)}.isdisjoint(READS_INPUTS)


def groups_by_inputs(tree: ast.Module) -> bool:
    """Return whether a loop through the inputs of nodes fills a dict of lists or sets, as a map of users does."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For) and goes_through_inputs(node)]
    return any("setdefault" in called(loop) for loop in loops)


def counts_names(tree: ast.Module) -> bool:
    """Return whether a loop tries name_1, name_2 and so on until one is not taken."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.While) and any(isinstance(part, ast.In) for part in ast.walk(loop.test)):
            texts = (part.values for part in ast.walk(loop) if isinstance(part, ast.JoinedStr))
            constants = (part.value for values in texts for part in values if isinstance(part, ast.Constant))
            if any(str(text).endswith("_") for text in constants):
                return True
    return False


def test_new_names_of_nodes_are_made_by_graph_alone() -> None:
    users = {name for name, tree in outside("TakenNames") if "TakenNames" in called(tree)}
    assert users == {*NAMES_OF_OTHER_THINGS}, "take GraphView.fresh or GraphIndex.taken_names for names of nodes"


def test_free_names_are_searched_by_one_class() -> None:
    assert {name for name, tree in outside("while") if counts_names(tree)} == {"tfmodel.values.names"}


def test_the_users_of_nodes_are_found_by_graph_alone() -> None:
    grouping = {name for name, tree in outside("setdefault") if groups_by_inputs(tree)}
    assert grouping == {*NO_USERS}, "take GraphView.users or consumers, GraphIndex.uses or consumers_by"


def test_sound_the_rules_see_what_they_forbid() -> None:
    users = "for node in nodes:\n for text in node.input:\n  users.setdefault(node_name(text), []).append(node)"
    names = 'while (name := f"{base}_{number}") in taken:\n number += 1'
    assert groups_by_inputs(ast.parse(users))
    assert counts_names(ast.parse(names))
