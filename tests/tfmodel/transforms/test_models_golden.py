"""Transformed models are those of the C++ tool: the same nodes with the same fields, in order.

Where they differ on purpose, `tool_differences` has a row, and TensorFlow has run both graphs: ours computes the same
as the model.
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from pathlib import Path

import pytest

from tests.golden.graph_digests import is_recorded
from tests.golden.transforms import corpus as transform_corpus
from tests.golden.transforms.cases import PIPELINE, Case
from tests.golden.transforms.models import Model, models
from tests.golden.transforms.proofs import Proof, agrees, made_of, proofs
from tests.golden.transforms.tool_answers import Answer, answers, node_bytes
from tests.support import corpus
from tests.support.case_tables import each_case
from tests.tfmodel.transforms.property_cases import ROWS
from tests.tfmodel.transforms.tool_differences import QUIRKS, Quirk, quirk_of
from tfmodel.errors import Error, TransformError
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.parameters import Step, parse

ANSWERS = answers()
AGAIN = "look at the difference, then run tests.golden.transforms.proofs (or transform_corpus)"


def proved(case: Case, model: Model, proof: Proof | None, ours: GraphDef | Error) -> str:
    """Return why a result may differ from the tool's; an assertion fails if it may not."""
    assert proof is not None, f"no proof that {case} is better: {AGAIN}"
    assert is_recorded(ours, model.graph(), proof.result), f"the proof for {case} is one for another result: {AGAIN}"
    quirk = quirk_of(case, proof)
    assert quirk is not None, f"no quirk has a row for {case}: {proof}"
    return quirk.kind


@pytest.mark.slow(reason="thousands of golden cases")
@each_case("answer", {str(answer.case): answer for answer in ANSWERS}, attrgetter("case.model"))
def test_a_result_is_that_of_the_tool_or_proved_to_be_better(answer: Answer, tmp_path: Path) -> None:
    model = models()[answer.case.model]
    ours = made_of(model, answer.case, tmp_path)
    if agrees(ours, answer):
        return
    if proved(answer.case, model, proofs().get(answer.case), ours) == "order":
        assert not isinstance(ours, Error) and answer.nodes is not None
        assert sorted(node_bytes(ours)) == sorted(answer.nodes)


@pytest.mark.slow(reason="thousands of golden cases")
@corpus.needs_corpus
@pytest.mark.parametrize("answer", transform_corpus.answers(), ids=lambda answer: str(answer.case))
def test_results_for_models_of_the_corpus(answer: transform_corpus.CorpusAnswer, tmp_path: Path) -> None:
    assert corpus.corpus is not None
    model = transform_corpus.corpus_model(corpus.corpus, answer.case.model)
    ours = made_of(model, answer.case, tmp_path)
    nodes = None if isinstance(ours, Error) else transform_corpus.summary(node_bytes(ours), answer.case.transforms)
    if nodes != answer.nodes:
        proved(answer.case, model, answer.proof, ours)


@pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: quirk.name)
def test_every_difference_occurs_and_broken_results_are_broken(quirk: Quirk) -> None:
    every = [*proofs().values(), *(answer.proof for answer in transform_corpus.answers() if answer.proof)]
    mine = [proof for proof in every if quirk_of(proof.case, proof) is quirk]
    assert mine
    assert any(proof.better for proof in mine) == (quirk.kind == "broken")


# --- loops, conditionals, functions, variables and tables through the pipeline for inference --------------------------

FLOW = (
    "loops",
    "doubled",
    "conditionals",
    "gradients",
    "lstm",
    "calls",
    "functional_flow",
    "stateful_calls",
    "training",
    "assignments",
    "string_table",
    "queue",
    "twins",
    "convolutions",
)
PIPED = [proof for proof in proofs().values() if proof.case.transforms == PIPELINE]
THROUGH = [proof for proof in PIPED if proof.case.model.startswith(FLOW)]


@pytest.mark.parametrize("proof", THROUGH, ids=lambda proof: proof.case.model)
def test_a_model_computes_the_same_after_all_transforms(proof: Proof, tmp_path: Path) -> None:
    model = models()[proof.case.model]
    ours = made_of(model, proof.case, tmp_path)
    assert is_recorded(ours, model.graph(), proof.result), f"the proof is one for another result: {AGAIN}"
    assert proof.ours == "same"


# Models that the tool breaks. Its graphs of all other models compute the same values as the model.
BROKEN = {
    "conditionals": "never ends",  # both sides run, and wait for each other
    "conditionals_ref": "never ends",
    "conditionals_resource": "never ends",
    "conditionals_in_loops": "fails",  # nodes are colocated with nodes that are gone
    "conditionals_in_loops_ref": "fails",
    "conditionals_in_loops_resource": "fails",
    "gradients": "fails",
    "doubled": "fails",  # TensorFlow's optimizer makes v + v a product with a constant that never comes
    "training_ref": "other values",  # a variable is read before it has been changed
    "training_ref_short": "other values",
    "assignments_ref": "other values",
    "assignments_resource": "other values",
}


def test_models_of_the_corpus_that_the_tool_breaks() -> None:
    assert {proof.case.model: proof.tools.partition(":")[0] for proof in THROUGH if proof.tools != "same"} == BROKEN


# --- how much that is ------------------------------------------------------------------------------------------------


def test_there_is_enough_of_everything() -> None:
    count = Counter("refused" if answer.nodes is None else "made" for answer in ANSWERS)
    assert len(models()) > 60 and count["made"] > 1_700 and count["refused"] > 150
    different = [answer for answer in ANSWERS if (proof := proofs().get(answer.case)) and quirk_of(answer.case, proof)]
    assert len(different) < len(ANSWERS) / 5


NOT_OF_THE_TOOL = {
    "batch_norms_to_inference",
    "repair_frozen",
    "bind_inputs",
    "convert_bfloat16",
    "convert_float16",
    "fuse_convolutions",
    "remove_dropout",
    "resolve_conditionals",
    "set_input_shape",
    "simplify",
    "target_tensorflow",
}
ELSEWHERE = {  # tests.golden.folding, .batch_norms and .quantizing have the tool's answers: they compute numbers
    "fold_batch_norms",
    "fold_constants",
    "fold_old_batch_norms",
    "quantize_nodes",
    "quantize_weights",
    "round_weights",
    "sparsify_gather",
}


@pytest.mark.parametrize("name", sorted(ROWS.keys() - NOT_OF_THE_TOOL - ELSEWHERE))
def test_the_tool_was_asked_of_every_transform_and_argument(name: str) -> None:
    recorded = [step for answer in ANSWERS if name in answer.case.transforms for step in steps(answer.case.transforms)]
    mine = [step for step in recorded if step.name == name]
    assert len(mine) > 60 or name in ("freeze_requantization_ranges", "rename_node")
    arguments = {argument.name for step in mine for argument in step.arguments}
    assert registry.find(name).parameters.keys() - {"batch", "dilate"} <= arguments  # which the tool does not have


def steps(transforms: str) -> list[Step]:
    try:
        return parse(transforms)
    except TransformError:
        return []
