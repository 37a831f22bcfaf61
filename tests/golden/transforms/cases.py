"""The transform lists that the C++ tool applies to the graphs of models.tar.xz.

`EVERYWHERE` is applied to every model, each row of `SOME` to the models that its left side names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .models import models

__all__ = ["EVERYWHERE", "PIPELINE", "Case", "cases"]


class Case(NamedTuple):
    """A list of transforms for a model, with what is declared."""

    model: str
    transforms: str
    inputs: str
    outputs: str

    def __str__(self) -> str:
        model = models().get(self.model)
        usual = model is None or (self.inputs, self.outputs) == (model.inputs, model.declared)
        return f"{self.model}: {self.transforms}" + ("" if usual else f" [{self.inputs} -> {self.outputs}]")


PIPELINE = (
    "strip_unused_nodes remove_nodes(op=Identity, op=CheckNumerics) merge_duplicate_nodes remove_device"
    " sort_by_execution_order"
)

EVERYWHERE = [
    "strip_unused_nodes",
    "remove_nodes(op=Identity)",
    "remove_nodes(op=CheckNumerics, op=StopGradient, op=Print)",
    "merge_duplicate_nodes",
    "obfuscate_names",
    "remove_device",
    'set_device(device="/device:CPU:0", if_default=true)',
    "remove_control_dependencies",
    "sort_by_execution_order",
    "add_default_attributes",
    "insert_logging(op=Identity, op=Split, show_name=true)",
    "inline_partitionedcall",
    "backport_concatv2",
    "backport_tensor_array_v3",
    "flatten_atrous_conv",
    "fuse_resize_pad_and_conv",
    "fuse_resize_and_conv",
    "fuse_pad_and_conv",
    "rename_attribute(old_attribute_name=T, new_attribute_name=U)",
    "remove_attribute(attribute_name=_class)",
    "rename_op(old_op_name=AddV2, new_op_name=Add)",
    PIPELINE,
]

# Models, lists, and inputs and outputs other than those of the model.
SOME: list[tuple[str, list[str]] | tuple[str, list[str], str, str]] = [
    (
        "convolutions",
        [
            "no_such_transform",
            "remove_device,",
            "remove_device(",
            "",
            "   ",
            "remove_device(ignore_errors=true)",
            "remove_device(ignore_errors=perhaps)",
            "rename_op(ignore_errors=true) remove_device",
            "remove_device remove_attribute(attribute_name=T, op_name=Const) sort_by_execution_order",
        ],
    ),
    (
        "convolutions colocation image_branches",
        [
            "set_device",
            'set_device(device="/device:CPU:1")',
            'set_device(device="/gpu:0", if_default=1)',
            "set_device(if_default=maybe)",
            "set_device(device=a, device=b)",
            "set_device(if_default=true, if_default=true)",
        ],
    ),
    (
        "convolutions colocation attributes twins",
        [
            "remove_attribute",
            "remove_attribute(attribute_name=T, attribute_name=N)",
            'remove_attribute(attribute_name="")',
            "remove_attribute(attribute_name=nothing)",
            'remove_attribute(attribute_name=_class, op_name="*")',
            "remove_attribute(attribute_name=T, op_name=Tanh, op_name=Add)",
            "remove_attribute(attribute_name=dtype, op_name=Const)",
            "rename_attribute",
            "rename_attribute(old_attribute_name=T)",
            "rename_attribute(new_attribute_name=T)",
            "rename_attribute(old_attribute_name=T, new_attribute_name=T)",
            "rename_attribute(old_attribute_name=transpose_a, new_attribute_name=transpose_b)",
            "rename_attribute(old_attribute_name=T, new_attribute_name=dtype, op_name=Identity)",
            "rename_attribute(old_attribute_name=T, old_attribute_name=U, new_attribute_name=V)",
            "rename_op",
            "rename_op(old_op_name=MatMul)",
            "rename_op(new_op_name=MatMul)",
            "rename_op(old_op_name=MatMul, new_op_name=BatchMatMul)",
            "rename_op(old_op_name=Nothing, new_op_name=MatMul)",
            "rename_op(old_op_name=A, new_op_name=B, new_op_name=C)",
            "remove_device(unknown=1)",
        ],
    ),
    # strip_unused_nodes
    (
        "cut default_inputs identities outputs loops conditionals training_ref duplicates",
        [
            "strip_unused_nodes(type=float)",
            'strip_unused_nodes(type=float, shape="2")',
            'strip_unused_nodes(type=half, shape="1, 2,3")',
            "strip_unused_nodes(type=float32)",
            "strip_unused_nodes(type=int32, type=float)",
            'strip_unused_nodes(shape="2", shape="3")',
            'strip_unused_nodes(shape="")',
            'strip_unused_nodes(shape="a,b")',
            "strip_unused_nodes(type=nonsense)",
            "strip_unused_nodes strip_unused_nodes",
        ],
    ),
    (
        "cut",
        [
            'strip_unused_nodes(type=DT_FLOAT, shape="2")',
            'strip_unused_nodes(shape="-1")',
            'strip_unused_nodes(name=middle, type_for_name=half, shape_for_name="2,1")',
            "strip_unused_nodes(name=middle, type_for_name=half)",
            'strip_unused_nodes(name=middle, shape_for_name="2")',
            'strip_unused_nodes(name=middle, name=x, type_for_name=half, shape_for_name="2")',
            'strip_unused_nodes(name=other, type_for_name=half, shape_for_name="2")',
            'strip_unused_nodes(name=middle, type_for_name=bool, shape_for_name="2",'
            ' name=middle, type_for_name=int64, shape_for_name="7")',
            'strip_unused_nodes(type=int8, shape="4", name=middle, type_for_name=complex64, shape_for_name="2")',
        ],
    ),
    (
        "cut",
        ["strip_unused_nodes", "strip_unused_nodes(type=float)", "obfuscate_names", "merge_duplicate_nodes"],
        "halves:1,x",
        "y",
    ),
    ("cut", ["strip_unused_nodes", 'strip_unused_nodes(shape="2")', "remove_nodes(op=Tanh)"], "halves", "middle:0,y"),
    ("identities", ["strip_unused_nodes", "remove_nodes(op=Identity)"], "a1,d", "y"),
    ("identities", ["strip_unused_nodes", "remove_device"], "nope", "y"),
    (
        "identities",
        ["strip_unused_nodes", "remove_nodes(op=Identity)", "obfuscate_names", "remove_device"],
        "x",
        "nope",
    ),
    (
        "identities",
        ["strip_unused_nodes", "remove_nodes(op=Identity)", "obfuscate_names", "merge_duplicate_nodes"],
        "x,",
        "y,b",
    ),
    ("identities", ["strip_unused_nodes", "remove_nodes(op=Identity)"], " x", "y, b"),
    ("identities", ["strip_unused_nodes"], "", ""),
    ("identities outputs", ["strip_unused_nodes", "strip_unused_nodes(type=float)", "obfuscate_names"], "", "y"),
    ("default_inputs", ["strip_unused_nodes", 'strip_unused_nodes(type=float, shape="2")'], "x,other", "y"),
    ("default_inputs", ["strip_unused_nodes"], "x,rate", "middle"),
    ("outputs", ["strip_unused_nodes", "remove_nodes(op=Identity)", "obfuscate_names"], "x", "counts:2,row1:0"),
    # remove_nodes
    (
        "identities outputs duplicates identities_spelled outputs_spelled",
        [
            "remove_nodes",
            "remove_nodes(op=Identity, max_inputs=2)",
            "remove_nodes(op=Identity, max_inputs=0)",
            "remove_nodes(op=Identity, max_inputs=many)",
            "remove_nodes(op=Identity, max_inputs=1, max_inputs=2)",
            'remove_nodes(op="Identity|StopGradient|CheckNumerics")',
            "remove_nodes(op=StopGradient, op=Identity)",
            "remove_nodes(op=Nothing)",
            "remove_nodes(op=Relu)",
            "remove_nodes(op=Const)",
            "remove_nodes(op=Add, max_inputs=2)",
            "remove_nodes(op=NoOp)",
            "remove_nodes(op=IdentityN, max_inputs=2)",
            'remove_nodes(op="")',
            "remove_nodes(op=Placeholder)",
        ],
    ),
    (
        "same_shapes",
        [
            "remove_nodes(op=Reshape)",
            "remove_nodes(op=Reshape, max_inputs=2)",
            "remove_nodes(op=Maximum, max_inputs=2)",
            'remove_nodes(op="Maximum|Reshape", max_inputs=3)',
        ],
    ),
    ("attributes", ['remove_nodes(op="*")', 'remove_nodes(op="MatMul|*")']),
    ("identities", ["remove_nodes(op=Identity)"], "x", "b,a1,y"),
    ("identities", ["remove_nodes(op=Identity)"], "x", "b:0,y:0"),
    ("identities", ["remove_nodes(op=Identity)", "remove_nodes(op=CheckNumerics)"], "x", "e"),
    (
        "training_ref training_resource",
        [
            "remove_nodes(op=CheckNumerics)",
            "remove_nodes(op=Print)",
            "remove_nodes(op=Print, max_inputs=2)",
            "remove_nodes(op=Identity) remove_nodes(op=Identity)",
        ],
    ),
    # merge_duplicate_nodes, obfuscate_names
    (
        "duplicates",
        ["merge_duplicate_nodes", "obfuscate_names", "merge_duplicate_nodes obfuscate_names"],
        "x",
        "y,two,four",
    ),
    ("duplicates", ["merge_duplicate_nodes", "obfuscate_names"], "x:0", "y:0,two:0"),
    ("duplicates", ["merge_duplicate_nodes", "obfuscate_names"], "", "y"),
    ("twins", ["merge_duplicate_nodes", "strip_unused_nodes"], "x", "y,w0/Assign,w1/Assign"),
    ("identities", ["obfuscate_names"], "x,a1", "waited,many:1"),
    ("duplicates twins attributes", ["merge_duplicate_nodes merge_duplicate_nodes"]),
    # rename_node
    (
        "identities outputs colocation calls loops",
        [
            "rename_node(old_node_name=x, new_node_name=input)",
            "rename_node",
            "rename_node(old_node_name=x)",
            "rename_node(new_node_name=x)",
            "rename_node(old_node_name=nope, new_node_name=other)",
            "rename_node(old_node_name=x, new_node_name=y)",
            "rename_node(old_node_name=x, new_node_name=x)",
            "rename_node(old_node_name=x, old_node_name=y, new_node_name=z)",
        ],
        "",
        "",
    ),
    (
        "identities",
        [
            "rename_node(old_node_name=b, new_node_name=bee)",
            'rename_node(old_node_name=a1, new_node_name="a/1")',
            "rename_node(old_node_name=c, new_node_name=see)",
            'rename_node(old_node_name=c, new_node_name="not a name")',
            'rename_node(old_node_name=c, new_node_name="")',
        ],
        "x",
        "y",
    ),
    ("outputs", ["rename_node(old_node_name=parts, new_node_name=halves)"], "x", "y"),
    ("colocation", ["rename_node(old_node_name=a, new_node_name=other)"], "x", "y"),
    ("loops", ['rename_node(old_node_name="outer/Merge", new_node_name="outer/Join")'], "x", "y"),
    # add_default_attributes
    (
        "convolutions_short training_ref_short tensor_arrays_short calls",
        [
            "add_default_attributes add_default_attributes",
            "add_default_attributes sort_by_execution_order",
        ],
    ),
    (
        "convolutions_short",
        [
            "rename_op(old_op_name=Reshape, new_op_name=NobodyKnowsIt) add_default_attributes"
            " rename_op(old_op_name=NobodyKnowsIt, new_op_name=Reshape)",
        ],
    ),
    # insert_logging
    (
        "outputs convolutions duplicates identities calls",
        [
            "insert_logging",
            "insert_logging(op=Split)",
            "insert_logging(op=TopKV2, op=Unpack, show_op=true)",
            'insert_logging(op=UniqueWithCounts, message="counts: ", first_n=3, summarize=5)',
            "insert_logging(prefix=row)",
            "insert_logging(op=Identity, prefix=row, prefix=pa, show_name=true, show_op=true, message=m)",
            "insert_logging(op=Nothing)",
            "insert_logging(op=NoOp)",
            "insert_logging(first_n=x)",
            "insert_logging(show_name=yes)",
            "insert_logging(op=Const)",
            "insert_logging(op=Conv2D, show_name=true)",
            "insert_logging(summarize=1, summarize=2)",
            "insert_logging(op=Tanh) insert_logging(op=Tanh)",
        ],
    ),
    ("requantized", ['insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")']),
    # inline_partitionedcall
    (
        "calls calls_of_many stateful_calls_resource calls_ref calls_resource",
        [
            "inline_partitionedcall inline_partitionedcall",
            "inline_partitionedcall sort_by_execution_order",
            "remove_attribute(attribute_name=f) inline_partitionedcall",
        ],
    ),
    # freeze_requantization_ranges
    (
        "requantized",
        [
            f'freeze_requantization_ranges(min_max_log_file="{{{log}}}")'
            for log in ["LOG", "BOTH", "NONE", "OTHER", "UNKNOWN", "MISSING"]
        ],
    ),
    (
        "requantized",
        [
            'freeze_requantization_ranges(min_max_log_file="{LOG}", min_percentile=50, max_percentile=50)',
            'freeze_requantization_ranges(min_max_log_file="{LOG}", min_percentile=0, max_percentile=0)',
            'freeze_requantization_ranges(min_max_log_file="{LOG}", min_percentile=12.5, max_percentile=33)',
            'freeze_requantization_ranges(min_max_log_file="{LOG}", min_percentile=90, max_percentile=90)',
            'freeze_requantization_ranges(min_max_log_file="{LOG}", min_percentile=low)',
            'freeze_requantization_ranges(min_max_log_file="{RIGHT}", min_percentile=100, max_percentile=100)',
            'freeze_requantization_ranges(min_max_log_file="{LOG}", min_max_log_file="{RIGHT}")',
            "freeze_requantization_ranges",
            'freeze_requantization_ranges(min_max_log_file="")',
        ],
    ),
    ("requantized requantized_waited", ['freeze_requantization_ranges(min_max_log_file="{RIGHT}")']),
    # in turn
    (
        "resize_conv resize_pad_conv pad_conv pad_conv_kept resize_conv_kept",
        [
            "fuse_resize_pad_and_conv fuse_resize_and_conv fuse_pad_and_conv",
            "fuse_pad_and_conv strip_unused_nodes",
        ],
    ),
    ("resize_conv_kept", ["fuse_resize_and_conv"], "x", "y"),
    ("pad_conv_kept", ["fuse_pad_and_conv"], "x", "y"),
    ("atrous_shared", ["flatten_atrous_conv"], "x", "y"),
    ("atrous_same atrous_port", ["flatten_atrous_conv strip_unused_nodes sort_by_execution_order"]),
    ("concat", ["backport_concatv2 backport_concatv2", "remove_control_dependencies backport_concatv2"]),
    ("tensor_arrays lstm", ["backport_tensor_array_v3 backport_tensor_array_v3"]),
]


def cases() -> Iterator[Case]:
    """Yield all cases without duplicates."""
    return iter(dict.fromkeys(_all()))


def _all() -> Iterator[Case]:
    for model in models().values():
        for transforms in EVERYWHERE:
            yield Case(model.name, transforms, model.inputs, model.declared)
    for names, lists, *declared in SOME:
        for name in names.split():
            model = models()[name]
            for transforms in lists:
                yield Case(name, transforms, *(declared or (model.inputs, model.declared)))
