"""Functions of SavedModels without signatures: their inputs and outputs, as signatures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.reports.objects.saved_objects import a_dict, a_tuple, function, meta, spec, thing, variable
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.cli import main
from tfmodel.errors import ModelError
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import (
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    MetaGraphDef,
    NodeDef,
    OpDef,
    SavedConcreteFunction,
    SavedModel,
    StructuredValue,
)

FLOAT = DataType.DT_FLOAT
WEIGHTS = {"w": np.array([2.0, 3.0], np.float32)}


def product(name: str, op: str = "Mul") -> FunctionDef:
    """The function (x, w) -> x * read(w), or with another op."""
    dtype = graph("c = Const[dtype=float, value=float{1}]").node[0].attr["dtype"]
    body = [
        NodeDef(name="read", op="ReadVariableOp", input=["w"], attr={"dtype": dtype}),
        NodeDef(name="z", op=op, input=["x", "read:value:0"], attr={"T": dtype}),
    ]
    inputs = [OpDef.ArgDef(name="x", type=FLOAT), OpDef.ArgDef(name="w", type=DataType.DT_RESOURCE)]
    signature = OpDef(name=name, input_arg=inputs, output_arg=[OpDef.ArgDef(name="y", type=FLOAT)])
    return FunctionDef(signature=signature, node_def=body, ret={"y": "z:z:0"})


def trace(*, training: bool = False, result: StructuredValue | None = None) -> SavedConcreteFunction:
    flag = StructuredValue(bool_value=training)
    arguments = a_tuple(a_tuple(spec("x", 2), flag), a_dict())
    return SavedConcreteFunction(
        bound_inputs=[1], canonicalized_input_signature=arguments, output_signature=result or spec("", 2)
    )


def saved_model(**functions: list[str]) -> SavedModel:
    """A model with a variable and these functions, by name, with the names of their traces."""
    names = [name for traces in functions.values() for name in traces]
    children = {"w": 1, **{name: number for number, name in enumerate(functions, 2)}}
    objects = [thing(children), variable(2, name="w"), *(function(*traces) for traces in functions.values())]
    traces = {name: trace(training="training" in name) for name in names}
    model = meta(*objects, **traces)
    model.graph_def = graph("w = VarHandleOp[dtype=float, shape=(2)]")
    model.graph_def.library = FunctionDefLibrary(
        function=[product(name, "Add" if "training" in name else "Mul") for name in names]
    )
    return model_of(model)


def model_of(content: MetaGraphDef) -> SavedModel:
    return SavedModel(meta_graphs=[content])


def has_product(model: tfmodel.Model) -> bool:
    return any(node.op == "Mul" for node in model.graph.node)


@pytest.mark.parametrize(
    ("change", "ends"),
    [
        (tfmodel.extract, ("x:0", "output_0:0")),
        (lambda model: tfmodel.extract(model, outputs="output_0"), ("x:0", "output_0:0")),
        (lambda model: tfmodel.splice(model, model, {"output_0": "x"}), ("x:0", "b/output_0:0")),
        (lambda model: tfmodel.reduce(model, has_product).model, ("", "call/z:0")),
    ],
    ids=["extract", "extract an output", "splice", "reduce"],
)
def test_functions_are_the_inputs_and_outputs_of_a_model_that_is_edited(change, ends):
    result = change(tfmodel.Model(saved_model(score=["score_1"]), checkpoint=WEIGHTS))
    assert ("".join(end.tensor for end in result.inputs), *(end.tensor for end in result.outputs)) == ends


def test_the_only_function_has_the_inputs_and_outputs_of_the_model():
    model = tfmodel.Model(saved_model(score=["score_1"]), checkpoint=WEIGHTS)
    assert [end.name for end in model.inputs] == ["x"]
    assert [end.name for end in model.outputs] == ["output_0"]
    assert tfmodel.summarize(saved_model(score=["score_1"])).input_names == ["x"]


def test_a_function_is_frozen_optimized_and_run():
    given = saved_model(score=["score_1"])
    optimized = tfmodel.optimize(given, checkpoint=WEIGHTS)
    assert optimized.unverified == ""
    assert list(tfmodel.run(optimized.graph, {"x": [1, 1]}, ["output_0"])["output_0"]) == [2, 3]
    frozen = tfmodel.freeze(given, checkpoint=WEIGHTS)
    assert list(tfmodel.run(frozen, {"x": [1, 1]}, ["output_0"])["output_0"]) == [2, 3]
    assert list(tfmodel.run(given, {"x": [1, 1]}, checkpoint=WEIGHTS)["output_0"]) == [2, 3]


def test_calling_the_model_is_the_default_among_several_functions():
    model = saved_model(other=["other_1"], __call__=["call_1"])
    assert tfmodel.optimize(model, checkpoint=WEIGHTS).signature_name == "__call__"
    other = tfmodel.optimize(model, checkpoint=WEIGHTS, signature="other")
    assert (other.signature_name, other.inputs, other.outputs) == ("other", ["other_x"], ["other_output_0"])


def test_several_functions_without_a_default_have_to_be_named():
    with pytest.raises(
        ModelError, match=re.escape('no signatures, but functions ("one", "two"): name one in signature=')
    ):
        tfmodel.optimize(saved_model(one=["one_1"], two=["two_1"]), checkpoint=WEIGHTS)


@pytest.mark.parametrize("has_data", [True, False])
@pytest.mark.parametrize(
    "call",
    [
        "freeze MODEL -o OUT",
        "optimize MODEL -o OUT",
        "run MODEL --random",
        "convert MODEL OUT --to=tfjs",
        "verify MODEL MODEL",
        "reduce MODEL --fails -o OUT",
        "transform MODEL --dry-run --recipe=deploy",
        "transform MODEL --dry-run --verify --transforms=remove_device",
    ],
)
def test_commands_say_how_to_name_a_function(call, has_data, tmp_path, capsys):
    folder = written(tmp_path, has_data=has_data, one=["one_1"], two=["two_1"])
    places = {"MODEL": str(folder), "OUT": str(tmp_path / "out")}
    status = main([places.get(word, word) for word in call.split()])
    assert status == 2
    assert (
        'there are no signatures, but functions ("one", "two"): name one with --function\n' in capsys.readouterr().err
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "call", ["freeze MODEL -o OUT", "convert MODEL OUT --to=tfjs", "extract MODEL -o OUT --outputs=z"]
)
def test_a_function_that_does_not_exist_is_called_a_function(call, tmp_path, capsys):
    places = {"MODEL": str(written(tmp_path, one=["one_1"], two=["two_1"])), "OUT": str(tmp_path / "out")}
    assert main([*(places.get(word, word) for word in call.split()), "--function=ones"]) == 2
    assert 'there is no function "ones"; did you mean "one"?; there are: "one", "two"' in capsys.readouterr().err


@pytest.mark.parametrize("has_data", [True, False])
def test_the_command_that_summarize_suggests_names_a_function(has_data, tmp_path, capsys):
    folder = written(tmp_path, has_data=has_data, one=["one_1"], two=["two_1"])
    assert main(["summarize", str(folder)]) == 0
    assert f"optimize {folder}/saved_model.pb --function one -o small.pb\n" in capsys.readouterr().out


def written(folder: Path, *, has_data: bool = True, **functions: list[str]) -> Path:
    """A folder with such a model; without data, the values of its variable are missing."""
    path = folder / "model"
    (path / "variables").mkdir(parents=True)
    (path / "saved_model.pb").write_bytes(saved_model(**functions).to_bytes())
    if has_data:
        write_checkpoint(path / "variables" / "variables", WEIGHTS)
    return path


def test_the_trace_for_inference_is_chosen():
    model = saved_model(__call__=["training_1", "inference_1"])
    assert list(tfmodel.run(model, {"x": [1, 1]}, checkpoint=WEIGHTS)["output_0"]) == [2, 3]


def test_keys_of_a_dictionary_are_the_names_of_outputs():
    model = saved_model(__call__=["call_1"])
    content = model.meta_graphs[0]
    content.object_graph_def.concrete_functions["call_1"] = trace(result=a_dict(scores=spec("", 2)))
    assert [end.name for end in tfmodel.Model(model).outputs] == ["scores"]


def test_a_function_that_captures_an_object_without_a_node_is_left_out():
    model = saved_model(__call__=["call_1"])
    model.meta_graphs[0].object_graph_def.nodes[1] = thing({})
    assert tfmodel.Model(model).inputs == []


def test_a_model_is_written_with_a_function_as_its_signature(tmp_path):
    model = saved_model(__call__=["call_1"])
    tfmodel.save_saved_model(model, tmp_path / "model", signatures={"serving_default": "__call__"}, checkpoint=WEIGHTS)
    written = tfmodel.Model(tmp_path / "model")
    assert [*written.signatures] == ["serving_default"]
    assert list(written.run({"x": [1, 1]})["output_0"]) == [2, 3]
