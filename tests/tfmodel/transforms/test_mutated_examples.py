"""Damaged examples of every transform are transformed, or refused with an error of this project.

The examples are the same each time; `python -m fuzz --target examples` makes new ones.
"""

from __future__ import annotations

import pytest

from fuzz.example_edits import examples, mutate_example
from pbwire import Error
from tfmodel.errors import GraphError
from tfmodel.graph import const_tensor
from tfmodel.messages import AttrValue, DataType, GraphDef, TensorProto
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

from .graph_notation import graph
from .run_step import after

COUNT = 100


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pytest.mark.parametrize("name", sorted(name for name in registry.names() if registry.find(name).is_builtin))
def test_a_damaged_example_is_transformed_or_refused(name: str) -> None:
    variants = examples()[name]
    done = 0
    for seed in range(COUNT):
        example = mutate_example(variants[seed % len(variants)], seed)
        try:
            report = TransformReport()
            result = transform(example.graph, example.inputs, example.outputs, example.transforms, report=report)
        except Error:
            continue
        assert GraphDef.from_bytes(result.to_bytes()) == result
        assert report.to_text()
        done += 1
    assert COUNT // 5 < done < COUNT


def test_every_transform_has_examples() -> None:
    assert {name for name in registry.names() if registry.find(name).is_builtin} == examples().keys()


# --- what it has found -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [dtype for dtype in DataType if dtype not in (0, DataType.DT_FLOAT)][:30])
def test_a_const_must_have_the_type_of_its_tensor(dtype: DataType) -> None:
    [node] = graph("w = Const[dtype=float, value=float{1}]").node
    assert const_tensor(node).dtype == DataType.DT_FLOAT
    node.attr["dtype"] = AttrValue(type=dtype)
    with pytest.raises(GraphError, match=r'Const "w" is declared as \w+, but its tensor is float32'):
        const_tensor(node)
    for name in ("fold_batch_norms", "fold_old_batch_norms", "flatten_atrous_conv", "quantize_weights"):
        example = examples()[name][0]
        damaged = GraphDef.from_bytes(example.graph.to_bytes())
        next(node for node in damaged.node if node.name == "w").attr["dtype"] = AttrValue(type=dtype)
        report = TransformReport()
        transform(damaged, example.inputs, example.outputs, example.transforms, report=report)
        assert not report.steps[0].fired


def test_a_const_without_a_type_has_that_of_its_tensor() -> None:
    [node] = graph("w = Const[value=float{1}]").node
    assert isinstance(const_tensor(node), TensorProto)


def test_a_function_with_two_arguments_of_one_name_is_not_inlined() -> None:
    before = graph("""
        f: (a: float, a: float) -> (r: float = n:y:0)
        f: n = Neg(a)[T=float]
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
    """)
    report = TransformReport()
    result = transform(before, "x", "y", "inline_partitionedcall", report=report)
    assert result.node == before.node
    assert report.steps[0].refusals == {'its function "f": it has two arguments "a"': ["y"]}


def test_a_node_with_a_missing_input_is_not_removed() -> None:
    nodes, report = after("y = Identity(gone)[T=float]", "remove_nodes(op=Identity)")
    assert nodes == {"y": "Identity(gone)[T=float]"}
    assert report.refusals == {"its input is not in the graph": ["y"]}
