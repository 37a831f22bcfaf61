"""Every argument of every transform has an effect, or the report says that it has none.

`ARGUMENTS` has a row for each argument of each transform: either a list of steps and graphs with the message where the
argument selects or changes nothing, or the reason why that cannot happen. Values that the C++ tool accepts give a note,
since lists that are used on many graphs must not fail; others are errors. A new argument fails
`test_the_table_has_every_argument` until it has a row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import TransformError
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

DATA = Path(__file__).resolve().parents[2] / "data"
LOG, CHECKPOINT = DATA / "ranges.log", DATA / "trained" / "model"

ALWAYS = "it changes what each node that is changed becomes"
LIMIT = "a limit holds whether it is reached or not"
HOLDS = "it promises a property of the result, which holds where nothing has to be changed for it"
TRUSTED = "it says what may be relied on; a graph that has nothing of the kind is right"


class Note(NamedTuple):
    """A step and its note, which is shown without --verbose."""

    step: str
    message: str
    before: str = "x = Placeholder[dtype=float, shape=(2)]\ny = Relu(x)[T=float]"
    inputs: str = ""


class Error(NamedTuple):
    """A step that fails, and its error message."""

    step: str
    message: str
    before: str = "x = Placeholder[dtype=float, shape=(2)]\ny = Relu(x)[T=float]"
    inputs: str = ""


INNER = """
    x = Placeholder[dtype=float]
    y = Neg(x)[T=float]
    f: (a: float) -> (r: float = relu:activations:0)
    f: relu = Relu(a)[T=float]
"""
BOTH = "x = Placeholder[dtype=float]\ny = Relu(x)[T=float, U=float]"
ADD = "x = Placeholder[dtype=float]\ny = Add(x, x)[T=float]"
CUT = "f = Placeholder[dtype=string]\nx = DecodeRaw(f)[out_type=float]\ny = Relu(x)[T=float]"
TABLE = """
    w = Const[dtype=float, value=float{0, 2.5, 0}(3, 1)]
    ids = Placeholder[dtype=int64]
    y = Gather(w, ids)[Tparams=float, Tindices=int64]
"""
NO_RELU6 = 'no node has the op "Relu6"'
NO_RELU = 'no node outside of functions has the op "Relu"'
NO_RLEU = 'no node has the op "Rleu"; did you mean "Relu"?'
NO_NODE = 'there is no node "yy"'
NOT_USED = "input_min and input_max are not used: no float Placeholder can be quantized"
NO_SUMS = "fallback_min and fallback_max are not used: no product or sum is quantized"
TWICE = "name=x, type_for_name=float, shape_for_name="
RANGES = f'freeze_requantization_ranges(min_max_log_file="{LOG}"'

ARGUMENTS: dict[str, dict[str, Any]] = {
    "fold_constants": {
        "clear_output_shapes": TRUSTED,
        "exclude_op": [
            Note("fold_constants(exclude_op=Neg, exclude_op=Relu6)", NO_RELU6),
            Note("fold_constants(exclude_op=Relu, exclude_op=Rleu)", NO_RLEU),
            Note("fold_constants(exclude_op=Relu)", NO_RELU, INNER),
        ],
        "exclude_node": [Note("fold_constants(exclude_node=yy)", f"exclude_node: {NO_NODE}")],
        "max_constant_size_in_bytes": LIMIT,
    },
    "flatten_atrous_conv": {"dilate": ALWAYS},
    "freeze_requantization_ranges": {
        "min_max_log_file": [
            Error('freeze_requantization_ranges(min_max_log_file="/no/log")', 'cannot read "/no/log"'),
            Error(f"{RANGES})", "Nodes were found in the log file that aren't present in the graph"),
        ],
        "min_percentile": [Error(f"{RANGES}, min_percentile=-1)", "min_percentile must be from 0 to 100, not -1")],
        "max_percentile": [Error(f"{RANGES}, max_percentile=101)", "max_percentile must be from 0 to 100, not 101")],
    },
    "fuse_convolutions": {"batch": TRUSTED},
    "fuse_pad_and_conv": {"batch": TRUSTED},
    "fuse_resize_and_conv": {"batch": TRUSTED},
    "fuse_resize_pad_and_conv": {"batch": TRUSTED},
    "insert_logging": {
        "op": [
            Note("insert_logging(op=Relu6)", NO_RELU6),
            Note("insert_logging(op=Relu)", NO_RELU, INNER),
            Note("insert_logging(op=Relu, prefix=x)", "no node of these ops has such a name"),
        ],
        "prefix": [Note("insert_logging(prefix=x, prefix=conv)", 'no node has a name that starts with "conv"')],
        "message": ALWAYS,
        "show_name": ALWAYS,
        "show_op": ALWAYS,
        "first_n": ALWAYS,
        "summarize": LIMIT,
    },
    "quantize_nodes": {
        "input_min": [
            Error("quantize_nodes(input_min=1)", "You must pass both input_min and input_max"),
            Note("quantize_nodes(input_min=0, input_max=1)", NOT_USED, "y = Const[dtype=float, value=float{1}]"),
        ],
        "input_max": [
            Error("quantize_nodes(input_max=1)", "You must pass both input_min and input_max"),
            Note("quantize_nodes(input_min=0, input_max=1)", NOT_USED, "y = Placeholder[dtype=float]"),
        ],
        "fallback_min": [Note("quantize_nodes(fallback_min=-1, fallback_max=1)", NO_SUMS)],
        "fallback_max": [
            Note(
                "quantize_nodes(fallback_min=-1, fallback_max=1, ignore_op=MatMul)",
                NO_SUMS,
                "x = Placeholder[dtype=float, shape=(2, 2)]\ny = MatMul(x, x)[T=float]",
            ),
        ],
        "ignore_op": [
            Note("quantize_nodes(ignore_op=Relu6)", NO_RELU6),
            Note("quantize_nodes(ignore_op=Abs)", '"Abs" has no quantized op and stays'),
            Error("quantize_nodes(ignore_op=Rleu)", 'ignore_op: unknown op "Rleu"; did you mean "Relu"?'),
        ],
        "exclude_node": [Note("quantize_nodes(exclude_node=yy)", f"exclude_node: {NO_NODE}")],
    },
    "convert_float16": {
        "weights_only": ALWAYS,
        "minimum_size": [Error("convert_float16(minimum_size=-1)", "minimum_size must be >= 0, got -1")],
        "exclude_op": [Note("convert_float16(exclude_op=Relu, exclude_op=Rleu)", NO_RLEU)],
        "exclude_node": [Note("convert_float16(exclude_node=yy)", f"exclude_node: {NO_NODE}")],
        "include_op": [
            Error("convert_float16(include_op=Relu)", '"Relu" is not one of the ops that this argument is for: Acosh'),
            Error("convert_float16(include_op=Exp, weights_only=true)", "include_op has no effect with weights_only"),
            Note("convert_float16(include_op=Exp)", 'no node has the op "Exp"'),
        ],
        "keep_overflow": [Error("convert_float16(keep_overflow=true)", "keep_overflow needs values to look at")],
    },
    "convert_bfloat16": {
        "weights_only": ALWAYS,
        "minimum_size": [Error("convert_bfloat16(minimum_size=-1)", "minimum_size must be >= 0, got -1")],
        "exclude_op": [Note("convert_bfloat16(exclude_op=Relu, exclude_op=Rleu)", NO_RLEU)],
        "exclude_node": [Note("convert_bfloat16(exclude_node=yy)", f"exclude_node: {NO_NODE}")],
        "include_op": [
            Error("convert_bfloat16(include_op=Relu)", '"Relu" is not one of the ops that this argument is for: Acosh'),
            Note("convert_bfloat16(include_op=Exp)", 'no node has the op "Exp"'),
        ],
    },
    "quantize_weights": {
        "minimum_size": [Error("quantize_weights(minimum_size=-1)", "minimum_size must be >= 0, got -1")],
        "per_channel": [
            Note(
                "quantize_weights(per_channel=true, minimum_size=1)",
                "per_channel has no effect: no constant is a weight with channels",
                "w = Const[dtype=float, value=float{1, 2}]\ny = Relu(w)[T=float]",
            )
        ],
        "exclude_op": [
            Note("quantize_weights(exclude_op=Neg, exclude_op=Relu6)", NO_RELU6),
            Note("quantize_weights(exclude_op=Relu, exclude_op=Rleu)", NO_RLEU),
        ],
        "exclude_node": [
            Note("quantize_weights(exclude_node=yy)", f"exclude_node: {NO_NODE}"),
            Note('quantize_weights(exclude_node="z*")', 'exclude_node: no node has a name that matches "z*"'),
        ],
    },
    "bind_inputs": {
        "name": [
            Error("bind_inputs(name=z, value=1)", 'there is no node "z"'),
            Error("bind_inputs(name=x)", "name and value must be given equally often, not 1 and 0 times"),
        ],
        "value": [Error("bind_inputs(name=x, value=one)", 'the value "one" of "x" is not JSON')],
    },
    "remove_attribute": {
        "attribute_name": [
            Note("remove_attribute(attribute_name=U)", 'no node has an attribute "U"'),
            Note(
                "remove_attribute(attribute_name=T, op_name=Placeholder)",
                'no node of the op "Placeholder" has an attribute "T"',
            ),
        ],
        "op_name": [Note("remove_attribute(attribute_name=T, op_name=Relu6)", NO_RELU6)],
    },
    "remove_nodes": {
        "op": [
            Error("remove_nodes", "it needs at least one op"),
            Note("remove_nodes(op=Relu6, op=Abs)", NO_RELU6),
            Note('remove_nodes(op="Relu|Rleu")', NO_RLEU),
        ],
        "max_inputs": [
            Note('remove_nodes(op="*", max_inputs=0)', "no node is removed: max_inputs is 0"),
            Note("remove_nodes(op=Add)", "all nodes of these ops have no inputs, or more than 1", ADD),
        ],
    },
    "rename_attribute": {
        "old_attribute_name": [
            Note("rename_attribute(old_attribute_name=U, new_attribute_name=V)", 'no node has an attribute "U"'),
            Note("rename_attribute(old_attribute_name=T, new_attribute_name=T)", 'both names are "T"'),
        ],
        "new_attribute_name": [
            Note(
                "rename_attribute(old_attribute_name=T, new_attribute_name=U)",
                '1 node has an attribute "U" already, and lost "T"',
                BOTH,
            ),
        ],
        "op_name": [
            Note("rename_attribute(old_attribute_name=T, new_attribute_name=U, op_name=Rleu)", NO_RLEU),
        ],
    },
    "rename_node": {
        "old_node_name": [
            Note("rename_node(old_node_name=yy, new_node_name=z)", f"old_node_name: {NO_NODE}"),
        ],
        "new_node_name": [
            Error("rename_node(old_node_name=x, new_node_name=x)", "a node of the new name exists already"),
        ],
    },
    "rename_op": {
        "old_op_name": [
            Note("rename_op(old_op_name=Relu6, new_op_name=Abs)", NO_RELU6),
            Note("rename_op(old_op_name=Relu, new_op_name=Relu)", 'both names are "Relu"'),
        ],
        "new_op_name": ALWAYS,
    },
    "round_weights": {
        "num_steps": [Error("round_weights(num_steps=0)", "num_steps must be 1 or more, not 0")],
        "exclude_op": [Note("round_weights(exclude_op=Relu, exclude_op=Rleu)", NO_RLEU)],
        "exclude_node": [Note("round_weights(exclude_node=yy)", f"exclude_node: {NO_NODE}")],
    },
    "set_device": {
        "device": HOLDS,
        "if_default": [Note("set_device(if_default=true)", "no node changes: if_default needs a device")],
    },
    "sparsify_gather": {
        "input_checkpoint": [
            Error('sparsify_gather(input_checkpoint="/no/file")', 'input_checkpoint: cannot read "/no/file"'),
            Note(
                f'sparsify_gather(input_checkpoint="{CHECKPOINT}")',
                "input_checkpoint is not used: no replaced lookup",
                TABLE,
            ),
        ],
        "group_init_node": [
            Note("sparsify_gather(group_init_node=init)", "group_init_node is not used: there is no table to fill"),
            Note("sparsify_gather(group_init_node=ids)", 'Placeholder "ids" is not a NoOp: "ids_1" fills', TABLE),
        ],
    },
    "target_tensorflow": {
        "version": [
            Error(
                'target_tensorflow(version="1.99")',
                '"1.99" is not a release of TensorFlow from 1.0 to 2.12',
            )
        ]
    },
    "set_input_shape": {
        "name": [Note('set_input_shape(name=yy, shape="2")', f"name: {NO_NODE}")],
        "shape": [Error("set_input_shape(shape=2)", "name and shape must be given equally often, not 0 and 1 times")],
        "batch_size": [Error("set_input_shape(batch_size=3)", "no declared input is a Placeholder with a first dim")],
    },
    "strip_unused_nodes": {
        "type": [
            Note("strip_unused_nodes(type=float)", "type is not used: no input becomes a Placeholder"),
            Note("strip_unused_nodes(type=half)", "type is not used: no input becomes a Placeholder", inputs="x"),
            Note(f'strip_unused_nodes(type=half, {TWICE}"2")', "type is not used: no other input", CUT, "x"),
        ],
        "shape": [
            Note('strip_unused_nodes(type=float, shape="3")', "shape is not used: no input becomes", inputs="x"),
            Note('strip_unused_nodes(type=half, shape="3")', "type and shape are not used: no input becomes"),
        ],
        "name": [
            Note('strip_unused_nodes(name=yy, type_for_name=half, shape_for_name="1")', f"name: {NO_NODE}"),
            Note(f'strip_unused_nodes({TWICE}"1")', 'name: "x" is not a declared input: its type and shape'),
        ],
        "type_for_name": [
            Error("strip_unused_nodes(type_for_name=half)", "shape_for_name must be given equally often"),
            Note(f'strip_unused_nodes({TWICE}"1", {TWICE}"1")', "name has a tensor twice: its last type", CUT, "x"),
        ],
        "shape_for_name": [
            Error(f'strip_unused_nodes({TWICE}"3")', 'Placeholder "x" keeps its type and shape', inputs="x"),
        ],
    },
}


def test_the_table_has_every_argument() -> None:
    transforms = {name: registry.find(name) for name in registry.names()}
    missing = [
        f"{name}({argument}=)"
        for name, transform in transforms.items()
        if transform.is_builtin
        for argument in transform.parameters
        if argument not in ARGUMENTS.get(name, {})
    ]
    assert not missing, (
        f"ARGUMENTS has no row for {', '.join(missing)}: say where it has no effect, or which message the report has"
    )
    gone = [
        f"{name}({argument}=)"
        for name, rows in ARGUMENTS.items()
        for argument in rows
        if name not in transforms or argument not in transforms[name].parameters
    ]
    assert not gone, f"ARGUMENTS has a row for {', '.join(gone)}, which there is not"


PLACES = [
    pytest.param(place, id=f"{name}-{argument}-{number}")
    for name, rows in ARGUMENTS.items()
    for argument, places in rows.items()
    if not isinstance(places, str)
    for number, place in enumerate(places)
]


@pytest.mark.parametrize("place", PLACES)
def test_an_argument_without_effect_is_reported(place: Note | Error) -> None:
    report = TransformReport()
    if isinstance(place, Error):
        with pytest.raises(TransformError) as caught:
            transform(graph(place.before), place.inputs, "y", place.step)
        assert place.message in str(caught.value)
        return
    transform(graph(place.before), place.inputs, "y", place.step, report=report)
    assert place.message in report.to_text(verbose=False)


@pytest.mark.parametrize(
    ("step", "before", "inputs"),
    [
        ("fold_constants(exclude_op=Relu, exclude_node=y)", ADD + "\nz = Relu(y)[T=float]", ""),
        ("insert_logging(op=Placeholder, prefix=x)", ADD, ""),
        ("quantize_nodes(input_min=0, input_max=1)", ADD, ""),
        ("quantize_nodes(fallback_min=-1, fallback_max=1, ignore_op=Add)", ADD + "\nz = Mul(x, x)[T=float]", ""),
        ("remove_nodes(op=Relu, op=CheckNumerics)", BOTH, ""),
        ("remove_nodes(op=Add, max_inputs=2)", ADD + "\nz = Add(x, y)[T=float]", ""),
        ("rename_op(old_op_name=Relu, new_op_name=Relu6)", INNER, ""),
        ("remove_attribute(attribute_name=T, op_name=Relu)", INNER, ""),
        ("rename_attribute(old_attribute_name=T, new_attribute_name=U)", INNER, ""),
        ('set_device(device="/cpu:0", if_default=true)', ADD, ""),
        ("sparsify_gather(group_init_node=init)", TABLE, ""),
        ('strip_unused_nodes(type=half, shape="3")', CUT, "x"),
        ('strip_unused_nodes(type=float, shape="2")', "x = Placeholder[dtype=float, shape=(2)]\ny = Relu(x)", "x"),
    ],
)
def test_arguments_with_an_effect_are_not_reported(step: str, before: str, inputs: str) -> None:
    report = TransformReport()
    transform(graph(before), inputs, "z" if "z =" in before else "y", step, report=report)
    assert [step_report.notes for step_report in report.steps] == [[]]


@pytest.mark.parametrize("values", [("true", "false"), ("true", "true")])
def test_ignore_errors_is_given_once(values: tuple[str, str]) -> None:
    step = f"remove_device({', '.join(f'ignore_errors={value}' for value in values)})"
    with pytest.raises(TransformError, match='the argument "ignore_errors" is given more than once'):
        transform(graph(ADD), "", "y", step)
