"""A case for every transform: its arguments for any graph, and the properties that hold for it.

A new transform gets a case here, and with it the properties of `test_properties` and a run in TensorFlow by
`tests.golden.transforms.random_graphs`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.support.strategies_graphs import value_of
from tfmodel.graph import with_nodes
from tfmodel.messages import DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto

__all__ = ["ROWS", "Row"]

FLOAT, INT = DataType.DT_FLOAT, DataType.DT_INT32


class Row(NamedTuple):
    """The arguments of a transform; `{LOG}` is a file of measured ranges.

    `keeps`: the outputs of the graph stay the same. `settles`: a second run changes nothing. `prepare` adds to a graph
    what the transform needs.
    """

    arguments: str = ""
    keeps: bool = True
    settles: bool = True
    prepare: Callable[[GraphDef], GraphDef] = lambda graph: graph

    def call(self, name: str, folder: Path) -> str:
        """Return the list with this one transform, and write the file that it reads to a folder."""
        log = folder / "log"
        if "{LOG}" in self.arguments:
            log.write_text("range__print__;__requant_min_max:[-2][3]\n")
        return f"{name}({self.arguments.replace('{LOG}', str(log))})"


def _measured(graph: GraphDef) -> GraphDef:
    """Return a graph with an additional node that measures the range of a quantized tensor."""
    measured = ("range/of", DataType.DT_QINT32, "i", 7)
    numbers = (measured, ("range/min", FLOAT, "f", -2.0), ("range/max", FLOAT, "f", 3.0))
    constants = []
    for name, dtype, kind, number in numbers:
        content = struct.pack(f"<{kind}", number)
        value = TensorProto(dtype=dtype, tensor_shape=TensorShapeProto(), tensor_content=content)
        constants.append(NodeDef(name=name, op="Const", attr={"dtype": value_of(dtype), "value": value_of(value)}))
    inputs = [name for name, *_ in numbers]
    measure = NodeDef(
        name="range", op="RequantizationRange", input=inputs, attr={"Tinput": value_of(DataType.DT_QINT32)}
    )
    read = NodeDef(name="range/high", op="Identity", input=["range:1", "^range"], attr={"T": value_of(FLOAT)})
    return with_nodes(graph, [*graph.node, *constants, measure, read])


ROWS = {
    "add_default_attributes": Row(),
    "backport_concatv2": Row(),
    "backport_tensor_array_v3": Row(),
    "batch_norms_to_inference": Row(),
    "bind_inputs": Row("name=c, value=1", keeps=False),
    "convert_bfloat16": Row(keeps=False),
    "convert_float16": Row(keeps=False),
    "flatten_atrous_conv": Row(),
    "fold_batch_norms": Row(),
    "fold_constants": Row(settles=False),
    "fold_old_batch_norms": Row(),
    "freeze_requantization_ranges": Row('min_max_log_file="{LOG}"', settles=False, prepare=_measured),
    "fuse_convolutions": Row(),
    "fuse_pad_and_conv": Row(),
    "fuse_resize_and_conv": Row(),
    "fuse_resize_pad_and_conv": Row(),
    "inline_partitionedcall": Row(settles=False),
    "insert_logging": Row("op=Identity, op=IdentityN, show_name=true", settles=False),
    "merge_duplicate_nodes": Row(),
    "obfuscate_names": Row(settles=False),
    "quantize_nodes": Row(keeps=False, settles=False),
    "quantize_weights": Row("minimum_size=2", keeps=False),
    "remove_attribute": Row("attribute_name=_class"),
    "remove_control_dependencies": Row(keeps=False),
    "remove_device": Row(),
    "remove_dropout": Row(),
    "remove_nodes": Row("op=Identity, op=CheckNumerics"),
    "rename_attribute": Row("old_attribute_name=_class, new_attribute_name=_other"),
    "rename_node": Row('old_node_name=c, new_node_name="scope/new"', settles=False),
    "rename_op": Row("old_op_name=Add, new_op_name=AddV2"),
    "repair_frozen": Row(),
    "resolve_conditionals": Row(),
    "round_weights": Row("num_steps=8", keeps=False, settles=False),
    "set_device": Row('device="/device:CPU:0", if_default=true'),
    "set_input_shape": Row('name=x, shape="2"'),
    "simplify": Row(),
    "sort_by_execution_order": Row(settles=False),
    "sparsify_gather": Row(),
    "strip_unused_nodes": Row(),
    "target_tensorflow": Row('version="1.12"'),
}
