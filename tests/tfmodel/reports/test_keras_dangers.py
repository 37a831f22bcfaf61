"""Objects in the configuration of a Keras model that do more than compute, and those that do not.

Confirmed with Keras 2.12 in TensorFlow 2.12.1: in HDF5 files Lambda layers run their code; in .keras files objects of
modules of Python and of modules that only look like Keras are imported and called, and so is a loss; in both, the
layers read their vocabularies. It does not load the other rows as they stand. In Keras 3.15 no row runs code or reads a
file in safe mode, its default; without it, Lambda layers and vocabularies do.
"""

from __future__ import annotations

from typing import Any

import pytest

from tfmodel.files.keras.config import parse_members
from tfmodel.reports.keras_dangers import dangers


def made(class_name: Any, module: Any = "keras.layers", registered_name: Any = None, **config: Any) -> dict[str, Any]:
    """The configuration of an object, as Keras 3 writes it."""
    return {"module": module, "class_name": class_name, "config": config, "registered_name": registered_name}


def function(name: str, module: str) -> dict[str, Any]:
    return {"module": module, "class_name": "function", "config": name, "registered_name": "function"}


DANGEROUS: dict[str, tuple[Any, str]] = {
    "a Lambda layer": (made("Lambda"), "Lambda layer"),
    "a Lambda layer of Keras 2": ({"class_name": "Lambda", "config": {}}, "Lambda layer"),
    "a Lambda layer by the name of its module": (made("Lambda", "keras.src.layers.core.lambda_layer"), "Lambda layer"),
    "a lambda as activation": (made("Dense", activation={"class_name": "__lambda__", "config": {}}), "Lambda layer"),
    "a function that is a lambda": ({"config": {"function_type": "lambda"}}, "Lambda layer"),
    "a class registered as Lambda": (made("Foo", None, "keras>Lambda"), "Lambda layer"),
    "a module of Python": (made("Popen", "subprocess", args=["id"]), 'the module "subprocess" and call "Popen"'),
    "a function of a module of Python": (function("system", "os"), 'the module "os" and call "system"'),
    "a module whose name begins like Keras": (made("Dense", "keras_evil.layers"), 'the module "keras_evil.layers"'),
    "a module whose name ends like Keras": (made("Dense", "evil.keras"), 'the module "evil.keras"'),
    "a model of another module": (made("Sequential", "os"), 'the module "os"'),
    "a module that is no string": (made("Dense", ["os"]), "not a string"),
    "a built-in function of Python": (function("eval", "builtins"), 'Python\'s "eval"'),
    "an initializer of another module": (
        made("Dense", kernel_initializer=made("run", "subprocess")),
        'the module "subprocess"',
    ),
    "a class with a dot": (made("os.system"), "keras.layers.os.system"),
    "a function that a module of Keras imported": (function("import_module", "keras.src.layers.core.dense"), "import"),
    "a download": (function("get_file", "keras.utils"), "keras.utils.get_file"),
    "a download by the inner name": (function("get_file", "keras.src.utils.file_utils"), "get_file"),
    "a setting": (function("enable_unsafe_deserialization", "keras.config"), "enable_unsafe_deserialization"),
    "a setting by its class name": (
        made("enable_unsafe_deserialization", "keras.src.saving.serialization_lib"),
        "enable",
    ),
    "loading of a model": (function("load_model", "keras.models"), "load_model"),
    "a setting of the backend": (function("set_floatx", "keras.backend"), "set_floatx"),
    "weights that are downloaded": (function("VGG16", "keras.applications"), "VGG16"),
    "a PyTorch module": (made("TorchModuleWrapper"), "PyTorch"),
    "a SavedModel": (made("TFSMLayer", filepath="/tmp/x"), "SavedModel"),
    "a function of JAX": (made("JaxLayer"), "JAX"),
    "a function of Flax": (made("FlaxLayer"), "Flax"),
    "a vocabulary": (made("StringLookup", vocabulary="/etc/passwd"), '"/etc/passwd" as its vocabulary'),
    "a vocabulary of Keras 2": (
        {"class_name": "TextVectorization", "config": {"vocabulary": "/etc/passwd"}},
        '"/etc/passwd" as its vocabulary',
    ),
    "a vocabulary that Keras makes of a text": (
        made("StringLookup", vocabulary={"class_name": "__tensor__", "config": {"value": "/etc/passwd"}}),
        '"/etc/passwd"',
    ),
    "a vocabulary of integers": (made("IntegerLookup", vocabulary="v.txt"), '"v.txt"'),
    "an op of TensorFlow that writes": (made("TFOpLambda", function="io.write_file"), "tf.io.write_file"),
    "an op of TensorFlow that loads": (made("TFOpLambda", function="load_op_library"), "tf.load_op_library"),
    "a raw op that reads": (made("TFOpLambda", function="raw_ops.ReadFile"), "tf.raw_ops.ReadFile"),
    "an op of TensorFlow 1": (made("TFOpLambda", function="compat.v1.py_func"), "py_func"),
    "a class method": (made("ClassMethod", cls_symbol="io.gfile.GFile"), "gfile"),
    "a layer in a wrapper in a model": (
        made("Functional", "keras", layers=[made("Bidirectional", layer=made("Lambda", name="inner"))]),
        "Lambda layer",
    ),
    "a loss": ({"compile_config": {"loss": function("system", "os")}}, 'the module "os"'),
}

HARMLESS: dict[str, Any] = {
    "layers": made("Functional", "keras", layers=[made("Dense", activation="relu"), made("InputLayer")]),
    "layers by their inner names": made("Dense", "keras.src.layers.core.dense"),
    "layers of Keras 2 in TensorFlow": made("Dense", "tensorflow.python.keras.layers.core"),
    "layers of another Keras": made("Dense", "tf_keras.src.layers"),
    "layers without modules": {"class_name": "Sequential", "config": [{"class_name": "Dense", "config": {}}]},
    "an activation": made("Dense", activation=function("relu", "keras.activations")),
    "a built-in activation": made("Dense", activation=function("relu", "builtins")),
    "a loss": {"compile_config": {"loss": function("mean_squared_error", "keras.losses")}},
    "a type of numbers": made("Dense", dtype=made("DTypePolicy", "keras", name="float32")),
    "a random seed": made("Dropout", seed=made("SeedGenerator", "keras.random")),
    "an operation": made("Add", "keras.src.ops.numpy"),
    "a vocabulary in the file": made("StringLookup", vocabulary=["a", "b"]),
    "a vocabulary in an array": made(
        "StringLookup", vocabulary={"class_name": "__numpy__", "config": {"value": ["a", "b"], "dtype": "str"}}
    ),
    "no vocabulary": made("StringLookup", vocabulary=None),
    "an op of TensorFlow": made("TFOpLambda", function="math.add"),
    "an op of TensorFlow without a module": made("TFOpLambda", function="concat"),
    "a raw op": made("TFOpLambda", function="raw_ops.AddV2"),
    "a slice": made("SlicingOpLambda", function="__operators__.getitem"),
    "a layer that is called Lambda": made("Dense", name="Lambda"),
}


@pytest.mark.parametrize(("document", "words"), DANGEROUS.values(), ids=DANGEROUS)
def test_a_dangerous_object(document: Any, words: str) -> None:
    assert any(words in danger.text for danger in dangers(document)), list(dangers(document))


@pytest.mark.parametrize("document", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_object(document: Any) -> None:
    assert list(dangers(document)) == []


def test_a_class_of_the_program_is_only_named() -> None:
    (danger,) = dangers(made("Mine", None, "pkg>Mine"))
    assert (danger.kind, danger.text) == ("custom", 'is of the class "pkg>Mine" of another program')


@pytest.mark.parametrize(
    "text",
    [
        r'{"class_name": "L\u0061mbda"}',
        '{"class_name": "Lambda", "rate": NaN}',
        '{"class_name": "Dense", "class_name": "Lambda"}',
        '{"class_name": "Lambda", "class_name": "Dense"}',
        '{"config": {"class_name": "Lambda"}, "config": {}}',
        '[[{"a": {"class_name": "Lambda"}}]]',
    ],
)
def test_the_spelling_of_json_does_not_matter(text: str) -> None:
    assert [danger.kind for danger in dangers(parse_members(text))] == ["python"]


def test_an_object_has_the_name_of_its_layer() -> None:
    document = {"config": {"layers": [made("Lambda", name="a")]}, "other": {"name": "b", "function_type": "lambda"}}
    assert sorted((danger.name, danger.depth) for danger in dangers(document)) == [("a", 3), ("b", 1)]
