"""Names that are not strings: every function that takes names refuses them with an error of tfmodel."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import tfmodel
from tfmodel import GraphEditor
from tfmodel.errors import Error, GraphError

TEXT = "tests/data/trained/model.meta"

WRONG = [5, None, b"x", ["x"], ("x", 0), {"x": 1}, 1.5, np.zeros(3), object()]

Call = Callable[[GraphEditor, Any], object]

# Each method of GraphEditor with each of its names wrong.
EDITS: dict[str, Call] = {
    "getitem": lambda edit, name: edit[name],
    "dtype": lambda edit, name: edit.dtype(name),
    "consumers": lambda edit, name: edit.consumers(name),
    "const": lambda edit, name: edit.const(name, 1),
    "placeholder": lambda edit, name: edit.placeholder(name, "float32"),
    "node": lambda edit, name: edit.node(name, "Relu", ["x"]),
    "node: op": lambda edit, name: edit.node("new", name, ["x"]),
    "node: inputs": lambda edit, name: edit.node("new", "Relu", [name]),
    "node: controls": lambda edit, name: edit.node("new", "Relu", ["x"], controls=[name]),
    "node: device": lambda edit, name: edit.node("new", "Relu", ["x"], device=name),
    "fresh_name": lambda edit, name: edit.fresh_name(name),
    "parse_attributes": lambda edit, name: edit.parse_attributes(name, {"T": "float"}),
    "insert_after": lambda edit, name: edit.insert_after(name, "Relu"),
    "insert_after: op": lambda edit, name: edit.insert_after("x", name),
    "insert_after: inputs": lambda edit, name: edit.insert_after("x", "Mul", [name]),
    "insert_after: consumers": lambda edit, name: edit.insert_after("x", "Relu", consumers=[name]),
    "insert_after: name": lambda edit, name: edit.insert_after("x", "Relu", name=name),
    "replace_tensor: old": lambda edit, name: edit.replace_tensor(name, "x"),
    "replace_tensor: new": lambda edit, name: edit.replace_tensor("x", name),
    "replace_tensor: consumers": lambda edit, name: edit.replace_tensor("x", "y", consumers=[name]),
    "set_inputs": lambda edit, name: edit.set_inputs(name, ["x"]),
    "set_inputs: inputs": lambda edit, name: edit.set_inputs("y", [name]),
    "set_inputs: controls": lambda edit, name: edit.set_inputs("y", ["x"], controls=[name]),
    "name_input: old": lambda edit, name: edit.name_input(name, "x"),
    "name_input: new": lambda edit, name: edit.name_input("x", name),
    "set_attribute": lambda edit, name: edit.set_attribute(name, "T", 1),
    "set_attribute: attribute": lambda edit, name: edit.set_attribute("y", name, 1),
    "remove_attribute": lambda edit, name: edit.remove_attribute(name, "T"),
    "remove_attribute: attribute": lambda edit, name: edit.remove_attribute("y", name),
    "replace_node": lambda edit, name: edit.replace_node(name, "Relu"),
    "replace_node: inputs": lambda edit, name: edit.replace_node("y", "Relu", [name]),
    "replace_node: controls": lambda edit, name: edit.replace_node("y", controls=[name]),
    "remove": lambda edit, name: edit.remove(name),
    "rename: old": lambda edit, name: edit.rename({"y": "z", name: "w"} if is_key(name) else name, "z"),
    "rename: new": lambda edit, name: edit.rename("y", name),
}

# Arguments that are lists of names, or None.
LISTS: dict[str, Call] = {
    "node: inputs": lambda edit, names: edit.node("new", "Relu", names),
    "node: controls": lambda edit, names: edit.node("new", "Relu", ["x"], controls=names),
    "insert_after: inputs": lambda edit, names: edit.insert_after("x", "Relu", names),
    "insert_after: consumers": lambda edit, names: edit.insert_after("x", "Relu", consumers=names),
    "replace_tensor: consumers": lambda edit, names: edit.replace_tensor("x", "y", consumers=names),
    "set_inputs": lambda edit, names: edit.set_inputs("y", names),
    "set_inputs: controls": lambda edit, names: edit.set_inputs("y", ["x"], controls=names),
    "replace_node: inputs": lambda edit, names: edit.replace_node("y", "Relu", names),
    "replace_node: controls": lambda edit, names: edit.replace_node("y", controls=names),
}


def is_key(name: object) -> bool:
    return isinstance(name, (int, float, bytes, tuple))


@cache
def frozen() -> tfmodel.Model:
    return tfmodel.Model(TEXT).freeze()


@pytest.mark.parametrize("method", EDITS)
def test_an_editor_refuses_names_that_are_not_strings(method: str) -> None:
    for name in WRONG:
        if method.startswith("rename: old") and isinstance(name, dict):
            continue  # renames the node "x"
        with pytest.raises(GraphError):
            EDITS[method](frozen().edit(), name)


@pytest.mark.parametrize("method", LISTS)
def test_an_editor_refuses_values_in_place_of_lists(method: str) -> None:
    for names in ("x", b"x", 5, object(), 1.5):
        with pytest.raises(GraphError, match="names are a list of strings"):
            LISTS[method](frozen().edit(), names)


def test_every_method_of_the_editor_is_in_the_table() -> None:
    methods = {name for name in dir(GraphEditor) if not name.startswith("_")} - {"nodes", "graph", "model", "function"}
    assert methods == {key.partition(":")[0] for key in EDITS} - {"getitem"}


def test_an_editor_contains_strings_only() -> None:
    assert not any(name in frozen().edit() for name in WRONG)


@pytest.mark.parametrize("attribute", ["name", "op", "inputs", "controls", "device"])
def test_attributes_with_the_names_of_parameters_are_attributes(attribute: str) -> None:
    with pytest.raises(GraphError, match=f'has no attribute "{attribute}"'):
        frozen().edit().set_attribute("y", attribute, ["x"])


FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "run: fetches": lambda name: frozen().run({"x": [[1, 2, 3, 4]]}, fetches=[name]),
    "run: feeds": lambda name: frozen().run({name: [[1, 2, 3, 4]]}),
    "bind": lambda name: frozen().bind({name: 1}),
    "freeze": lambda name: tfmodel.Model(TEXT).freeze(outputs=[name]),
    "optimize: outputs": lambda name: frozen().optimize(outputs=[name]),
    "optimize: inputs": lambda name: frozen().optimize(inputs=[name]),
    "transform: outputs": lambda name: frozen().transform(["strip_unused_nodes"], outputs=[name]),
    "transform: inputs": lambda name: frozen().transform(["strip_unused_nodes"], inputs=[name]),
    "extract: outputs": lambda name: frozen().extract(outputs=[name]),
    "extract: inputs": lambda name: frozen().extract(inputs=[name]),
    "splice: from": lambda name: frozen().splice(frozen(), {name: "x"}),
    "splice: to": lambda name: frozen().splice(frozen(), {"y": name}),
    "node": lambda name: frozen().node(name),
    "producers": lambda name: frozen().producers(name),
    "consumers": lambda name: frozen().consumers(name),
    "find": lambda name: frozen().find(name),
    "signature": lambda name: tfmodel.Model(TEXT, signature=name).freeze(),
    "function": lambda name: frozen().edit(name),
    "preprocessing: input": lambda name: frozen().append_preprocessing(name, "scale=2"),
    "preprocessing: steps": lambda name: frozen().append_preprocessing("x", [name]),
    "verify": lambda name: frozen().verify(frozen(), outputs=[name]),
    "verify: feeds": lambda name: frozen().verify(frozen(), feeds={name: 1}),
    "summary: shapes": lambda name: frozen().summary(shapes={name: (1, 4)}),
    "summarize: bind": lambda name: tfmodel.summarize(frozen(), bind={name: 1}),
    "reduce": lambda name: tfmodel.reduce(frozen(), fails=True, outputs=[name]),
    "TransformGraph: inputs": lambda name: tfmodel.TransformGraph(frozen().graph, [name], ["y"], ["remove_device"]),
    "TransformGraph: outputs": lambda name: tfmodel.TransformGraph(frozen().graph, ["x"], [name], ["remove_device"]),
    "TransformGraph: transforms": lambda name: tfmodel.TransformGraph(frozen().graph, ["x"], ["y"], [name]),
}


KEYS = {"run: feeds", "bind", "splice: from", "verify: feeds", "summary: shapes", "summarize: bind"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_refuse_names_that_are_not_strings(function: str) -> None:
    for name in WRONG:
        if name is None and function == "signature":
            continue  # the default
        if function in KEYS and not is_key(name):
            continue  # which cannot be a key of a dictionary
        with pytest.raises(Error):
            FUNCTIONS[function](name)
