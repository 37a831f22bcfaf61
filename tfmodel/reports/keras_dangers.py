"""Objects in the configuration of a Keras model that do more than compute when Keras loads or runs the model.

    document = parse_members('{"class_name": "Lambda", ...}')
    list(dangers(document))                   # [Danger(depth=0, name="f", kind="python", text="is a Keras Lambda ...")]

A configuration names classes and functions by `module`, `class_name` and `registered_name`, or by `class_name` alone.
Keras imports any module that is named there. Its own layers, losses and other parts of models compute; the rest of
Keras downloads, reads and writes files, and changes settings. A member that stands there twice is judged with each
of its values: see `parse_members` of `config`.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..ops.traits import SIDE_EFFECTS


class Danger(NamedTuple):
    """An object that does more than compute.

    depth   how deep it is nested in the document: 0 for the document itself
    name    the name of the layer that it is, or belongs to; "" if it has none
    kind    "python" if it runs code, "read" if it reads files, "custom" if only the program that loads it knows it
    text    the rest of a sentence about the object
    """

    depth: int
    name: str
    kind: str
    text: str


_ROOTS = re.compile(
    r"(tensorflow\.(python\.)?)?(keras|tf_keras|keras_core)(\.(api|src|_v1|_v2|python|_tf_keras|keras))*(\.|$)"
)
_PARTS = frozenset(
    {"activations", "constraints", "dtype_policies", "engine", "feature_column", "initializers", "layers", "losses"}
    | {"metrics", "mixed_precision", "models", "ops", "optimizers", "premade_models", "quantizers", "random"}
    | {"regularizers", "backend"}
)
"""The parts of Keras that compute."""

_PLAIN_TYPES = frozenset({"bool", "dict", "float", "int", "list", "slice", "str", "tuple"})
_MODELS = frozenset({"Functional", "Model", "Sequential"})
_NOT_COMPUTING = re.compile(
    r"(set|clear|enable|disable|load|save|export|import|download|open|run|register|reset|get_file|deserialize|from)(_|$)"
    r"|get$|get_file|.*(file|json|yaml|unsafe)"
)
"""Names of functions of Keras that change settings, or read and write."""

_CODE = frozenset({"Lambda", "__lambda__"})
_LOADS = {
    "TFSMLayer": ("read", "loads a SavedModel and runs it"),
    "TorchModuleWrapper": ("python", "unpickles a PyTorch module, which runs Python code"),
    "JaxLayer": ("python", "runs a Python function of JAX"),
    "FlaxLayer": ("python", "runs Python code of Flax"),
}
_SYMBOLS = ("TFOpLambda", "SlicingOpLambda", "ClassMethod", "InstanceMethod", "InstanceProperty")
_COMPUTING_SYMBOLS = frozenset(
    {"__operators__", "audio", "bitwise", "dtypes", "image", "keras", "linalg", "math", "nn", "quantization"}
    | {"ragged", "random", "sets", "signal", "sparse", "strings", "RaggedTensor", "SparseTensor", "Tensor"}
)
_CALLING_SYMBOLS = re.compile(r".*(py_func|numpy_function|load_|read_file|write_file|matching_files|run_functions)")


def dangers(document: Any) -> Iterator[Danger]:
    """Yield what an object and the objects in it do besides computing, the outermost first."""
    queue: list[tuple[int, str, Any]] = [(0, "", document)]
    for depth, name, value in queue:  # the loop appends to it
        if isinstance(value, list):
            queue += [(depth + 1, name, item) for item in value]
        elif isinstance(value, dict):
            own = _own_name(value) or name
            found = _judge(value)
            if found is not None:
                yield Danger(depth, own, *found)
            queue += [(depth, name, other) for other in getattr(value, "others", ())]
            if found is None or found[0] == "custom":
                queue += [(depth + 1, own, item) for item in value.values()]


def _own_name(value: dict[str, Any]) -> str:
    config = value.get("config")
    name = config.get("name") if isinstance(config, dict) else None
    return _text(name) or _text(value.get("name"))


def _judge(value: dict[str, Any]) -> tuple[str, str] | None:
    """Return the kind and the text of the danger of one object; None if it only computes."""
    if value.get("function_type") == "lambda":
        return "python", "is a Keras Lambda layer: Keras runs its Python code"
    names = {_text(value.get("class_name")), _text(value.get("registered_name")).rpartition(">")[2]} - {""}
    if names & _CODE:
        return "python", "is a Keras Lambda layer: Keras runs its Python code"
    for name in names & _LOADS.keys():
        return _LOADS[name]
    config = value.get("config")
    if names and isinstance(config, dict):
        vocabulary = config.get("vocabulary")
        if isinstance(vocabulary, dict) and isinstance(vocabulary.get("config"), dict):  # an object that Keras makes
            vocabulary = vocabulary["config"].get("value")
        if isinstance(vocabulary, str):
            return "read", f'reads the file "{vocabulary}" as its vocabulary'
        for symbol in (config.get(key) for key in ("function", "cls_symbol", "cls_ref")):
            if names & set(_SYMBOLS) and isinstance(symbol, str) and not _computes(symbol):
                return "python", f"calls tf.{symbol}"
    return _judge_module(value) if names else None


def _judge_module(value: dict[str, Any]) -> tuple[str, str] | None:
    """Return the danger of what Keras imports for an object; None if it is a part of Keras that computes."""
    module, class_name, config = value.get("module"), _text(value.get("class_name")), value.get("config")
    is_function = class_name == "function"
    name = config if is_function and isinstance(config, str) else class_name
    if module is None:
        registered = _text(value.get("registered_name"))
        return ("custom", f'is of the class "{registered}" of another program') if ">" in registered else None
    if not isinstance(module, str):
        return "python", "names a module that is not a string"
    if module == "builtins":
        return None if name in _PLAIN_TYPES or not hasattr(builtins, name) else ("python", f'calls Python\'s "{name}"')
    root = _ROOTS.match(module)
    if root is None:
        return "python", f'makes Keras import the module "{module}" and call "{name}"'
    part = module[root.end() :].split(".")[0]
    is_class = name[:1].isupper() or name.startswith("__")
    allowed = part in _PARTS if part else is_class
    if part == "models":
        allowed = name in _MODELS or (is_class and not is_function)
    if not allowed or not name.isidentifier() or (not is_class and _NOT_COMPUTING.match(name)):
        return "python", f'calls "{module}.{name}", which is not a part of a model'
    return None


def _computes(symbol: str) -> bool:
    """Return whether a name in TensorFlow's interface is of a function that computes."""
    parts = symbol.removeprefix("tf.").removeprefix("compat.v1.").removeprefix("compat.v2.").split(".")
    if parts[0] == "raw_ops":
        return parts[-1] not in SIDE_EFFECTS
    if _CALLING_SYMBOLS.match(parts[-1]) or (parts[0] == "keras" and parts[1:2] and parts[1] not in _PARTS):
        return False
    return len(parts) == 1 or parts[0] in _COMPUTING_SYMBOLS


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
