"""Loops, conditionals, lists and calls as ONNX give what TensorFlow gives: the programs of tests/golden/interpreter.

A program has no counterpart in ONNX if it changes variables, fails on purpose, or fetches what no branch computed.
Everything else must be equal or refused by name: the refused programs are listed here with the reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.golden.interpreter.answers import Program, programs
from tests.support.case_tables import each_case
from tfmodel.export.onnx.conversion.report import OnnxExportError
from tfmodel.export.onnx.export import convert
from tfmodel.export.onnx.writer import model_proto
from tfmodel.messages import GraphDef
from tfmodel.ops.traits import ALL_VARIABLES
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.values.dtypes import dtype_of

onnxruntime = pytest.importorskip("onnxruntime")
onnxruntime.set_default_logger_severity(4)


def has_state(program: Program) -> bool:
    graph = GraphDef.from_bytes(program.graph)
    functions = graph.library.function if graph.library is not None else []
    nodes = [*graph.node, *(node for function in functions for node in function.node_def)]
    return any(node.op in ALL_VARIABLES for node in nodes)


PROGRAMS = {program.name: program for program in programs() if not has_state(program)}

REFUSED = {
    "switch_and_its_dead_side": "Switch: a value of one branch is used outside of the branch",
    "merge_of_switches_of_each_kind": "Merge: its inputs are not the two branches of one condition",
    "dead_loop_in_dead_cond_in_loop": "Switch: a value of one branch is used outside of the branch",
    "fed_one_of_two_outputs": "Placeholder: it has no value",
    "strings_in_a_loop": "AsString: text is compared and looked up in ONNX, but not computed",
    "raw_while_and_if": "If: its condition is not a number",
    "recursion": "Factorial: its function Factorial is not known",
    "attributes_that_calls_give": "is left to the caller of its function",
    "split_and_concatenated": "TensorArraySplitV3: no counterpart",
    "written_twice": "is a list of tensors",
    "shapes_of_elements": "is a list of tensors",
    "grown_and_not": "TensorArrayV3: a list that grows and has a size from the beginning",
    "nothing_in_it": "TensorArrayConcatV3: nothing is written to its list",
    "unequal_rows": "TensorArrayWriteV3: the shape of the elements of its list is not known",
    "stacks": "StackV2: no counterpart",
    "gradients_of_a_loop": "StackV2: no counterpart",
    "pushed_and_popped": "TensorListStack: a list that grows is read while it is written",
    "read_by_index": "TensorListGetItem: the shape of the elements of its list is computed",
    "read_where_nothing_was_set": "TensorListGetItem: the shape of the elements of its list is computed",
    "shapes_that_do_not_fit": "TensorListPushBack: the shape of the elements of its list is not known",
    "stacks_of_unequal_shapes": "TensorListSetItem: the shape of the elements of its list is not known",
    "stacks_of_a_number_of_elements": "TensorListStack: the shape of the elements of its list is not known",
    "stacks_of_nothing": "TensorListStack: the shape of the elements of its list is not known",
    "lists_shapes_of_elements": "TensorListElementShape: no counterpart",
    "scattered": "TensorListScatterV2: no counterpart",
    "scattered_into_another": "TensorListScatterIntoExistingList: no counterpart",
    "lists_split_and_concatenated": "TensorListSplit: no counterpart",
    "concatenated": "TensorListSetItem: the shape of the elements of its list is not known",
    "joined": "TensorListConcatLists: no counterpart",
    "lists_of_strings": "TensorListSetItem: a list of strings is read before it is written",
}
"""Programs that ONNX has no counterpart of, with a part of the reason. All with ragged variants are refused too."""


def results(program: Program) -> str:
    """Return how the results of a program differ from TensorFlow's; "" if they do not, or the reason of a refusal."""
    graph = GraphDef.from_bytes(program.graph)
    for run in program.runs:
        if run.answers is None or any(answer is None for answer in run.answers):
            continue
        inputs = list(run.feeds)
        try:
            used = transform(graph, inputs, run.fetches, ["strip_unused_nodes", "sort_by_execution_order"])
            exported = convert(used, inputs, run.fetches)
        except OnnxExportError as error:
            node = error.refused[0] if error.refused else None
            return f"refused: {node.op}: {node.reason}" if node is not None else f"refused: {error}"
        session = onnxruntime.InferenceSession(model_proto(exported.graph, exported.opset, {}).to_bytes())
        pairs = zip(exported.graph.inputs, run.feeds.values(), strict=True)
        feeds = {value.name: np.asarray(fed, dtype_of(value.dtype).numpy) for value, fed in pairs}
        for name, actual, expected in zip(run.fetches, session.run(None, feeds), run.answers, strict=True):
            if problem := differ(actual, expected):
                return f"{name}: {problem}"
    return ""


def differ(actual: Any, expected: Any) -> str:
    actual, expected = np.asarray(actual), np.asarray(expected)
    if expected.dtype == object:
        actual = np.asarray([str(each).encode() for each in actual.ravel()], object).reshape(actual.shape)
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{actual.dtype} {actual.shape}, not {expected.dtype} {expected.shape}"
    is_exact = expected.dtype.kind not in "fc"
    same = np.array_equal(actual, expected) if is_exact else np.allclose(actual, expected, 1e-5, 1e-6)
    return "" if same else f"{actual!r}, not {expected!r}"


@each_case("program", PROGRAMS)
def test_programs_give_the_values_of_tensorflow(program: Program) -> None:
    problem = results(program)
    is_ragged = b"RaggedTensorToVariant" in program.graph
    expected = "RaggedTensorToVariant: no counterpart" if is_ragged else REFUSED.get(program.name, "")
    assert (problem == "") if not expected else problem.startswith("refused: ") and expected in problem, problem
