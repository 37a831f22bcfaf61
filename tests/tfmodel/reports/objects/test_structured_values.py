from __future__ import annotations

import pytest

from tests.tfmodel.models import tensor
from tests.tfmodel.reports.objects.saved_objects import (
    a_dict,
    a_tuple,
    concrete,
    literal,
    named_tuple,
    parameters,
    spec,
)
from tfmodel.errors import ModelError
from tfmodel.messages import (
    BoundedTensorSpecProto,
    DataType,
    ListValue,
    SavedBareConcreteFunction,
    SavedFunction,
    StructuredValue,
    TensorShapeProto,
    TypeSpecProto,
)
from tfmodel.reports.objects.functions import Parameters, function_facts
from tfmodel.reports.objects.structured_values import (
    NamedTuple,
    TensorSpec,
    decode_structure,
    format_structure,
    structure_to_json,
    tensor_specs,
)

SHAPE = TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1), TensorShapeProto.Dim(size=2)])
RAGGED = TypeSpecProto(
    type_spec_class=TypeSpecProto.TypeSpecClass.RAGGED_TENSOR_SPEC, type_state=literal((1, "x")), num_flat_components=2
)
CUSTOM = TypeSpecProto(type_spec_class=99, type_state=literal(3))  # type: ignore[arg-type]  # unusual data
REGISTERED = TypeSpecProto.TypeSpecClass.REGISTERED_TYPE_SPEC
BOUNDED = BoundedTensorSpecProto(dtype=DataType.DT_FLOAT, shape=SHAPE, minimum=tensor([0.0]), maximum=tensor([1.0]))


@pytest.mark.parametrize(
    ("message", "text", "data"),
    [
        (literal(None), "None", None),
        (literal(True), "True", True),
        (literal(-3), "-3", -3),
        (literal(0.5), "0.5", 0.5),
        (literal(float("inf")), "inf", {"type": "float", "value": "inf"}),
        (literal('a"\n'), '"a\\"\\n"', 'a"\n'),
        (
            spec("x", -1, 4),
            'float32[?,4] "x"',
            {"type": "TensorSpec", "dtype": "float32", "shape": [None, 4], "name": "x"},
        ),
        (a_tuple(literal(1)), "(1,)", {"type": "tuple", "items": [1]}),
        (StructuredValue(list_value=ListValue(values=[literal(1), literal(2)])), "[1, 2]", [1, 2]),
        (a_dict(b=literal(1), a=literal(2)), '{"a": 2, "b": 1}', {"type": "dict", "items": {"a": 2, "b": 1}}),
        (
            named_tuple("Point", x=literal(1)),
            "Point(x=1)",
            {"type": "named tuple", "class": "Point", "fields": [{"name": "x", "value": 1}]},
        ),
        (StructuredValue(tensor_shape_value=SHAPE), "[?,2]", {"type": "TensorShape", "shape": [None, 2]}),
        (
            StructuredValue(tensor_shape_value=TensorShapeProto(unknown_rank=True)),
            "[...]",
            {"type": "TensorShape", "shape": None},
        ),
        (StructuredValue(tensor_dtype_value=DataType.DT_INT32), "int32", {"type": "DType", "name": "int32"}),
        (
            StructuredValue(type_spec_value=RAGGED),
            'RaggedTensorSpec(1, "x")',
            {
                "type": "TypeSpec",
                "class": "RaggedTensorSpec",
                "components": 2,
                "state": {"type": "tuple", "items": [1, "x"]},
            },
        ),
        (
            StructuredValue(type_spec_value=CUSTOM),
            "Class99(3)",
            {"type": "TypeSpec", "class": "Class99", "components": 0, "state": 3},
        ),
        (
            StructuredValue(tensor_value=tensor([1.0, 2.0], 2)),
            "float32[2] [1.0, 2.0]",
            {"type": "tensor", "dtype": "float32", "shape": [2], "values": "[1.0, 2.0]"},
        ),
        (StructuredValue(), "None", None),
    ],
)
def test_values(message: StructuredValue, text: str, data: object) -> None:
    value = decode_structure(message)
    assert (format_structure(value), structure_to_json(value)) == (text, data)


def test_a_spec_with_bounds() -> None:
    assert (
        format_structure(decode_structure(StructuredValue(bounded_tensor_spec_value=BOUNDED)))
        == "float32[?,2] from 0.0 to 1.0"
    )


def test_specs_in_a_structure() -> None:
    value = decode_structure(a_tuple(spec("a"), a_dict(k=spec("b")), named_tuple("P", x=spec("c")), literal(3)))
    assert [item.name for item in tensor_specs(value)] == ["a", "b", "c"]


def test_fields_of_a_named_tuple() -> None:
    value = decode_structure(named_tuple("Point", x=literal(1), y=spec("y")))
    assert isinstance(value, NamedTuple)
    assert (value["x"], value["y"]) == (1, TensorSpec("float32", (), "y"))


def test_values_that_are_nested_too_deeply() -> None:
    value = literal(1)
    for _ in range(3_000):
        value = a_tuple(value)
    with pytest.raises(ModelError, match="nested deeper than 100 levels"):
        decode_structure(value)


class TestParameters:
    @pytest.mark.parametrize(
        ("function", "text"),
        [
            (parameters("x", "y"), "(x, y)"),
            (parameters("x", "training", "k", defaults=(False, 3)), "(x, training=False, k=3)"),
            (parameters("x", varargs="xs", kwonly={"name": "n"}), '(x, *xs, name="n")'),
            (parameters("x", kwonly={"k": 2}), "(x, *, k=2)"),
            (parameters("x", defaults=(1, 2, 3)), "(x=3)"),
            (None, "()"),
        ],
    )
    def test_text(self, function: object, text: str) -> None:
        facts = function_facts(SavedFunction(function_spec=function))  # type: ignore[arg-type]  # unusual data
        assert facts.parameters.to_text() == text

    def test_a_method_has_no_self(self) -> None:
        method = parameters("self", "x")
        method.is_method = True
        assert function_facts(SavedFunction(function_spec=method)).parameters.args == ("x",)

    def test_arguments_after_a_star_are_numbered(self) -> None:
        names = [Parameters(("x",), "xs").name_at(place) for place in range(3)]
        assert names == ["x", "xs[0]", "xs[1]"]
        assert Parameters().name_at(0) == ""

    def test_a_bare_function_has_the_names_of_its_tensors(self) -> None:
        bare = SavedBareConcreteFunction(
            concrete_function_name="f", argument_keywords=["a", "b"], allowed_positional_arguments=1
        )
        facts = function_facts(bare)
        assert (facts.parameters.to_text(), facts.positional, facts.is_bare) == ("(a, b)", 1, True)


def test_a_signature_of_another_form_counts_as_positional() -> None:
    from tfmodel.messages import SavedConcreteFunction, SavedObjectGraph
    from tfmodel.reports.objects.functions import ConcreteFunctions

    odd = SavedConcreteFunction(canonicalized_input_signature=literal(5))
    functions = ConcreteFunctions(
        SavedObjectGraph(concrete_functions={"odd": odd, "usual": concrete(a_tuple(spec("x")))})
    )
    assert [argument.value for argument in functions["odd"].arguments(Parameters())] == [5]
    assert [argument.cells() for argument in functions["usual"].arguments(Parameters(("x",)))] == [("x", "float32[]")]


@pytest.mark.parametrize(
    ("number", "name", "shown"),
    [
        (TypeSpecProto.TypeSpecClass.RAGGED_TENSOR_SPEC, "SparseTensorSpec", "RaggedTensorSpec"),
        (TypeSpecProto.TypeSpecClass.DATA_DATASET_SPEC, "DatasetSpec", "DatasetSpec"),
        (TypeSpecProto.TypeSpecClass.UNKNOWN, "RaggedTensorSpec", "Unknown"),
        (99, "RaggedTensorSpec", "Class99"),
        (REGISTERED, "tf.StructuredTensorSpec", "tf.StructuredTensorSpec"),
        (REGISTERED, "", "RegisteredTypeSpec"),
    ],
)
def test_a_type_is_called_by_the_class_that_tensorflow_makes(number, name, shown):
    """TensorFlow decides by the number, and for registered classes by the name. Other names may lie."""
    spec = TypeSpecProto(type_spec_class=number, type_spec_class_name=name, type_state=literal(1))
    value = decode_structure(StructuredValue(type_spec_value=spec))
    assert format_structure(value) == f"{shown}(1)"
    assert structure_to_json(value)["class"] == shown
