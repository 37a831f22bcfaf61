"""Small models that expand to large ones: the output is limited to a multiple of the input."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from pbwire import Message
from tests.hostile.graphs import FLOAT, call, constant, function, graph, node, placeholder
from tests.hostile.measure import peak
from tests.tfmodel.models import shape
from tests.tfmodel.transforms.graph_notation import examples_in
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, OpDef, OpList
from tfmodel.transforms.framework import registry
from tfmodel.values import output_limit
from tfmodel.values.tensors import from_ndarray

FILES = Path(__file__).resolve().parents[1] / "data"
OURS = [name for name in registry.names() if registry.find(name).is_builtin]
USES = 32
SIDE = 128
LONG = "n" * 4 * SIDE * SIDE
"""A name as long as the payload of the other attacks, a matrix of floats."""
STRIDES = AttrValue(list=AttrValue.ListValue(i=[1, 1, 1, 1]))


@pytest.fixture(autouse=True)
def low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide the limits by a thousand, so that small attacks exceed them."""
    monkeypatch.setattr(output_limit, "MIN_LIMIT", 1 << 18)
    monkeypatch.setattr(output_limit, "MAX_GROWTH", 2)


def payload(name: str, *sizes: int) -> NodeDef:
    array = np.linspace(1, 2, SIDE * SIDE, dtype=np.float32).reshape(sizes or (SIDE, SIDE))
    return constant_of(name, array)


def constant_of(name: str, array: Any) -> NodeDef:
    tensor = from_ndarray(array)
    value = {"dtype": AttrValue(type=DataType(tensor.dtype)), "value": AttrValue(tensor=tensor)}
    return NodeDef(name=name, op="Const", attr=value)


# --- transforms ------------------------------------------------------------------------------------------------------


def atrous() -> GraphDef:
    """Blocks of 200 by 200 between the weights of a small convolution."""
    block, pads = np.array([200, 200], np.int32), np.zeros((2, 2), np.int32)
    return graph(
        placeholder(),
        constant_of("block", block),
        constant_of("pads", pads),
        constant_of("w", np.ones((2, 2, 2, 2), np.float32)),
        node("s", "SpaceToBatchND", "x", "block", "pads"),
        node("c", "Conv2D", "s", "w", padding=b"VALID", strides=STRIDES),
        node("y", "BatchToSpaceND", "c", "block", "pads"),
    )


def shared_layers() -> GraphDef:
    """Layers with the same weights, each multiplied by other numbers."""
    nodes = [placeholder(), payload("w")]
    for number in range(USES):
        nodes += [
            node(f"c{number}", "MatMul", "x", "w"),
            constant_of(f"m{number}", np.full(SIDE, number + 2, np.float32)),
            node(f"y{number}", "Mul", f"c{number}", f"m{number}"),
        ]
    return graph(*nodes, node("y", "AddN", *(f"y{number}" for number in range(USES)), N=USES))


def shared_norms() -> GraphDef:
    """Layers with the same weights, each with its own batch norm."""
    nodes = [placeholder(), payload("w", 1, 1, SIDE, SIDE), constant_of("one", np.ones(SIDE, np.float32))]
    nodes.append(constant_of("two", np.full(SIDE, 2, np.float32)))
    for number in range(USES):
        norm = node(f"y{number}", "FusedBatchNorm", f"c{number}", "two", "one", "one", "one", is_training=False)
        norm.attr["epsilon"] = AttrValue(f=float(number + 1))
        nodes += [node(f"c{number}", "Conv2D", "x", "w", padding=b"SAME", strides=STRIDES), norm]
    return graph(*nodes, node("y", "AddN", *(f"y{number}" for number in range(USES)), N=USES))


def splat_of_weights() -> GraphDef:
    """Weights stored as one repeated number, to be multiplied by a different factor per channel."""
    weights, scale = constant("w", [1.5], 1 << 21, 2), constant_of("m", np.array([1, 2], np.float32))
    return graph(placeholder(), weights, scale, node("c", "MatMul", "x", "w"), node("y", "Mul", "c", "m"))


def repeated_calls() -> GraphDef:
    """A function that holds a matrix, called from many places."""
    body = [payload("w"), node("m", "MatMul", "a", "w:output:0")]
    calls = [call(f"c{number}", "f", "x") for number in range(USES)]
    return graph(
        placeholder(),
        *calls,
        node("y", "AddN", *(call_node.name for call_node in calls), N=USES),
        functions=[function("f", body, "m:product:0")],
    )


def repeated_branches() -> GraphDef:
    """A function that holds a matrix, the branch of many conditionals that are known to take it."""
    result = repeated_calls()
    for call_node in result.node[1:-1]:
        branches = {"then_branch": call_node.attr["f"], "else_branch": call_node.attr["f"]}
        call_node.op, call_node.input = "If", ["p", *call_node.input]
        call_node.attr = {**{name: value for name, value in call_node.attr.items() if name != "f"}, **branches}
    result.node.append(constant_of("p", np.ones((), np.float32)))
    return result


def open_attributes() -> GraphDef:
    """A function with many nodes that take an attribute of the call."""
    body = [node("n0", "Neg", "a")] + [node(f"n{number}", "Neg", f"n{number - 1}:y:0") for number in range(1, USES)]
    for node_def in body:
        node_def.attr["_open"] = AttrValue(placeholder="open")
    call_node = call("y", "f", "x")
    call_node.attr["f"].func.attr["open"] = AttrValue(s=LONG.encode())  # type: ignore[union-attr]  # attr["f"] was set above
    return graph(placeholder(), call_node, functions=[function("f", body, f"n{USES - 1}:y:0")])


def long_device() -> GraphDef:
    """A function with many nodes whose device is that of the call."""
    body = [node("n0", "Neg", "a")] + [node(f"n{number}", "Neg", f"n{number - 1}:y:0") for number in range(1, USES)]
    call_node = call("y", "f", "x")
    call_node.device = LONG
    return graph(placeholder(), call_node, functions=[function("f", body, f"n{USES - 1}:y:0")])


def constant_expressions() -> GraphDef:
    """Constants of a few bytes that are tiled to matrices."""
    nodes = [placeholder(), constant_of("times", np.array([SIDE, SIDE], np.int32))]
    for number in range(USES):
        nodes += [
            constant_of(f"c{number}", np.full((1, 1), number + 2, np.float32)),
            node(f"t{number}", "Tile", f"c{number}", "times", Tmultiples=DataType.DT_INT32),
            node(f"y{number}", "Mul", f"t{number}", "x"),
        ]
    return graph(*nodes, node("y", "AddN", *(f"y{number}" for number in range(USES)), N=USES))


def waiting_constants() -> GraphDef:
    """Constants with a control input that leads, through a node with a short name, to one with a long name."""
    one = constant_of("one", np.ones((), np.float32))
    one.input.append(f"^{LONG}")
    nodes = [placeholder(), node(LONG, "Foo"), one]
    for number in range(USES):
        nodes += [
            constant_of(f"c{number}", np.full((), number, np.float32)),
            node(f"s{number}", "AddV2", f"c{number}", "one"),
            node(f"y{number}", "Mul", f"s{number}", "x"),
        ]
    return graph(*nodes, node("y", "AddN", *(f"y{number}" for number in range(USES)), N=USES))


def passed_on() -> GraphDef:
    """An Identity of a node with a long name, with many consumers."""
    users = [node(f"y{number}", "Neg", "i") for number in range(USES)]
    return graph(
        placeholder(),
        node(LONG, "Neg", "x"),
        node("i", "Identity", LONG),
        *users,
        node("y", "AddN", *(user.name for user in users), N=USES),
    )


def duplicates() -> GraphDef:
    """A node with a long name, and a duplicate with many consumers."""
    users = [node(f"y{number}", "LeakyRelu", "d", alpha=AttrValue(f=float(number))) for number in range(USES)]
    return graph(
        placeholder(),
        node(LONG, "Neg", "x"),
        node("d", "Neg", "x"),
        *users,
        node("y", "AddN", LONG, *(user.name for user in users), N=USES + 1),
    )


def defaults() -> GraphDef:
    """Nodes of an op that the user declared with a large default."""
    nodes = [node(f"y{number}", "Large", "x") for number in range(USES)]
    return graph(placeholder(), *nodes, node("y", "AddN", *(node_def.name for node_def in nodes), N=USES))


LARGE = OpList(
    op=[
        OpDef(
            name="Large",
            input_arg=[OpDef.ArgDef(name="x", type=FLOAT)],
            output_arg=[OpDef.ArgDef(name="y", type=FLOAT)],
            attr=[OpDef.AttrDef(name="large", type="string", default_value=AttrValue(s=LONG.encode()))],
        )
    ]
)

ATTACKS: dict[str, list[Callable[[], GraphDef]]] = {
    "add_default_attributes": [defaults],
    "flatten_atrous_conv": [atrous],
    "fold_batch_norms": [shared_layers, splat_of_weights],
    "fold_constants": [constant_expressions, waiting_constants],
    "fold_old_batch_norms": [shared_norms],
    "inline_partitionedcall": [repeated_calls, open_attributes, long_device],
    "merge_duplicate_nodes": [duplicates],
    "remove_nodes": [passed_on],
    "resolve_conditionals": [repeated_branches],
}
"""Graphs that would become much larger."""

ARGUMENTS = {"remove_nodes": "(op=Identity)"}
OP_DEFS = {"add_default_attributes": LARGE}

REASONS = {
    "backport_concatv2": "it moves an input of each node",
    "backport_tensor_array_v3": "it changes the op of nodes",
    "bind_inputs": "one number fills any shape; other values are the user's",
    "batch_norms_to_inference": "a read for each variable",
    "convert_bfloat16": "weights become smaller, and a Cast is added for each tensor at most",
    "convert_float16": "the same",
    "freeze_requantization_ranges": "two numbers for each node that is named in the user's file",
    "repair_frozen": "it changes the op of nodes, and adds a function for each combination of values that calls pass",
    "fuse_convolutions": "one node for several that are there, and attributes of a few numbers",
    "fuse_pad_and_conv": "the same",
    "fuse_resize_and_conv": "the same",
    "fuse_resize_pad_and_conv": "the same",
    "insert_logging": "a node for each node, with the user's text and its name",
    "obfuscate_names": "names become shorter, or longer by what counting takes",
    "quantize_nodes": "a dozen nodes without a payload for each node",
    "quantize_weights": "weights become smaller; those of which one number is stored are left alone",
    "remove_attribute": "less is written",
    "remove_control_dependencies": "less is written",
    "remove_device": "less is written",
    "remove_dropout": "less is written",
    "rename_attribute": "the user's name",
    "rename_node": "the user's name",
    "rename_op": "the user's name",
    "round_weights": "weights keep their size; those of which one number is stored are left alone",
    "set_device": "the user's name",
    "set_input_shape": "constants that are repeated to a size that the caller gives are counted before",
    "simplify": "new constants take the place of others, or have 1,024 bytes at most",
    "sort_by_execution_order": "the same nodes",
    "sparsify_gather": "stores three numbers for one; weights of one repeated number stay small",
    "target_tensorflow": "less is written",
    "strip_unused_nodes": "less is written, and the user's shape",
}
"""Reasons why the other transforms cannot expand a graph; they also run on the generic attacks below."""


def test_every_transform_is_attacked_or_has_a_reason() -> None:
    """Attack: a new transform that multiplies a payload, without a test here.

    Naive: writes gigabytes.
    Stopped by: tfmodel.values.output_limit
    """
    assert sorted([*ATTACKS, *REASONS]) == OURS


def run_limited(model: GraphDef, name: str, outputs: str = "y") -> GraphDef | None:
    """Run a transform, which may refuse; its memory and the size of its result are limited either way."""
    results: list[GraphDef] = []

    def run() -> None:
        try:
            step = f"{name}{ARGUMENTS.get(name, '')}"
            results.append(tfmodel.transform(model, "x", outputs, step, op_defs=OP_DEFS.get(name)))
        except tfmodel.Error as error:
            assert "tfmodel.values.output_limit" in str(error)

    run()  # imports modules
    most = output_limit.output_limit_for(model.ByteSize())
    assert peak(run) < 2 * most + (1 << 20)
    assert all(result.ByteSize() <= most for result in results)
    return results[0] if results else None


@pytest.mark.parametrize(("name", "make"), [(name, make) for name, makes in ATTACKS.items() for make in makes])
def test_a_transform_with_a_large_result_for_a_small_graph(name, make, monkeypatch):
    """Attack: a payload with many uses, a large block size, a tensor stored as one repeated number.

    Naive: copies it for each use: gigabytes.
    Stopped by: tfmodel.values.output_limit
    """
    model = make()
    most = output_limit.output_limit_for(model.ByteSize())
    run_limited(model, name)
    monkeypatch.setattr(output_limit, "MIN_LIMIT", 1 << 30)
    result = tfmodel.transform(model, "x", "y", f"{name}{ARGUMENTS.get(name, '')}", op_defs=OP_DEFS.get(name))
    assert result.ByteSize() > 2 * most, "the attack does not exceed the limit"


# --- all transforms, by their own examples ---------------------------------------------------------------------------


def uses(node: NodeDef) -> list[NodeDef]:
    """Repeat all nodes except constants and inputs, which the copies share."""
    if node.op in ("Const", "Placeholder"):
        return [node]
    copies = [NodeDef.from_bytes(node.to_bytes()) for _ in range(16)]
    for number, copied in enumerate(copies[1:]):
        copied.name += f"_copy{number}"
    return copies


def larger(node: NodeDef) -> list[NodeDef]:
    """Make constants large: floats as one repeated number, integers as large values."""
    tensor = node.attr["value"].tensor if node.op == "Const" and "value" in node.attr else None
    if tensor is None or tensor.tensor_shape is None:
        return [node]
    if tensor.dtype == FLOAT and len(tensor.tensor_shape.dim) > 1:
        sizes = [1 << 20, *(dim.size for dim in tensor.tensor_shape.dim[1:])]
        return [constant(node.name, [1.5], *sizes)]
    if tensor.dtype == DataType.DT_INT32:
        array = tfmodel.to_ndarray(tensor)
        return [constant_of(node.name, np.where(array > 1, 1 << 10, array).astype(np.int32))]
    return [node]


def numbers(node: NodeDef) -> list[NodeDef]:
    """Set large numbers in attributes."""
    for value in node.attr.values():
        if value.i:
            value.i = 1 << 30
        if value.list is not None:
            value.list.i = [1 << 20 if number > 1 else number for number in value.list.i]
    return [node]


def strings(node: NodeDef) -> list[NodeDef]:
    """Set long devices, and long strings in attributes."""
    node.device = LONG
    node.attr["_long"] = AttrValue(s=LONG.encode())
    return [node]


MUTATIONS = [uses, larger, numbers, strings]


@pytest.mark.parametrize("name", OURS)
def test_a_transform_makes_no_large_result_of_a_larger_example(name, monkeypatch):
    """Attack: the example of each transform, with repeated nodes, tensors of one repeated number, and large numbers and
    long strings in attributes.

    Naive: writes gigabytes.
    Stopped by: tfmodel.values.output_limit
    """
    monkeypatch.chdir(FILES)
    for example in examples_in(inspect.cleandoc(registry.find(name).docstring)):
        for mutate in MUTATIONS:
            model = GraphDef.from_bytes(example.before.to_bytes())
            model.node = [new for node in model.node for new in mutate(node)]
            for function_def in model.library.function if model.library is not None else ():
                function_def.node_def = [new for node in function_def.node_def for new in mutate(node)]
            check_growth(model, example.inputs, example.outputs, example.transforms)


def check_growth(model: GraphDef, inputs: str, outputs: str, steps: str) -> None:
    results: list[GraphDef] = []

    def run() -> None:
        try:
            results.append(tfmodel.transform(model, inputs, outputs, steps))
        except tfmodel.Error as error:
            assert len(str(error)) < 2 * len(LONG)

    run()
    most = output_limit.output_limit_for(model.ByteSize())
    assert peak(run) < 2 * most + (1 << 20)
    assert all(result.ByteSize() <= most for result in results)


# --- other writers ----------------------------------------------------------------------------------------------------


def splats() -> GraphDef:
    """Constants stored as one repeated number."""
    return graph(*(constant(f"c{number}", [1.5], SIDE, SIDE) for number in range(USES)))


@pytest.mark.parametrize("target", ["weights.npz", "weights.safetensors", "folder"])
def test_weights_of_one_repeated_number(target, tmp_path):
    """Attack: thousands of constants stored as one repeated number and a shape: hundreds of megabytes as arrays.

    Naive: writes all elements.
    Stopped by: tfmodel.values.output_limit
    """
    report = tfmodel.weights(splats())
    with pytest.raises(tfmodel.GraphError, match=r"tfmodel\.values\.output_limit"):
        report.save(tmp_path / target)
    assert not (tmp_path / target).exists()
    tfmodel.weights(graph(payload("w"))).save(tmp_path / target)


def variables() -> tuple[GraphDef, dict[str, Any]]:
    """Many variables that have the same name in the checkpoint."""
    nodes = []
    for number in range(USES):
        handle = node(f"v{number}", "VarHandleOp", dtype=FLOAT, shared_name=b"v", container=b"%d" % number)
        handle.attr["shape"] = AttrValue(shape=shape(SIDE, SIDE))
        nodes += [handle, node(f"r{number}", "ReadVariableOp", f"v{number}", dtype=FLOAT)]
    total = node("y", "AddN", *(f"r{number}" for number in range(USES)), N=USES)
    return graph(*nodes, total), {"v": np.ones((SIDE, SIDE), np.float32)}


def test_variables_that_share_a_value():
    """Attack: thousands of variables that share one tensor of the checkpoint.

    Naive: writes a copy for each.
    Stopped by: tfmodel.values.output_limit
    """
    model, checkpoint = variables()

    def freeze() -> None:
        with pytest.raises(tfmodel.FreezeError, match=r"tfmodel\.values\.output_limit"):
            tfmodel.freeze(model, "y", checkpoint=checkpoint)

    freeze()
    most = output_limit.output_limit_for(model.ByteSize() + 4 * SIDE * SIDE)
    assert peak(freeze) < 2 * most + (1 << 20)
    one = graph(*model.node[:2])
    assert tfmodel.freeze(one, "r0", checkpoint=checkpoint).ByteSize() > 4 * SIDE * SIDE


@pytest.mark.parametrize("make", [repeated_calls, open_attributes])
def test_functions_with_a_payload_that_are_called_many_times(make):
    """Attack: a function with a matrix or a long string, called many times.

    Naive: freezing, the first step of `optimize`, inlines a copy for each call.
    Stopped by: tfmodel.values.output_limit
    """
    model = make()
    most = output_limit.output_limit_for(model.ByteSize())
    for action in (
        lambda: tfmodel.freeze(model, "y"),
        lambda: tfmodel.optimize(model, "x", "y", verify=False),
    ):

        def limited(action: Callable[[], Message] = action) -> None:
            with pytest.raises(tfmodel.Error, match=r"tfmodel\.values\.output_limit"):
                action()

        limited()
        assert peak(limited) < 2 * most + (1 << 20)
