"""The modules that protoc makes of .proto files: graph_pb2 has GraphDef, types_pb2 has DataType and DT_FLOAT.

`FILES` names the .proto file of each table module. A test compares it with the tables.
"""

from __future__ import annotations

import enum
import importlib
from functools import partial
from types import ModuleType
from typing import Any

from pbwire.compat import compat_class
from pbwire.compat.classes import place
from pbwire.compat.generated import build_descriptors
from pbwire.compat.pools import TableFile, default_pool, table_sources
from pbwire.compat.values.enums import enum_wrapper

from .. import messages

_FOLDERS = {
    "tensorflow/core/example": "example feature",
    "tensorflow/core/framework": """allocation_description api_def attr_value cost_graph device_attributes full_type
        function graph graph_debug_info kernel_def node_def op_def resource_handle step_stats summary tensor
        tensor_description tensor_shape tensor_slice types variable versions""",
    "tensorflow/core/protobuf": """cluster config control_flow debug device_filters device_properties fingerprint
        meta_graph named_tensor queue_runner rewriter_config saved_model saved_object_graph saver struct tensor_bundle
        tensorflow_server trackable_object_graph verifier_config""",
    "tensorflow/core/util": "event saved_tensor_slice",
    "tensorflow/core/util/quantization": "uniform_quant_ops_attr",
    "tensorflow/python/framework": "cpp_shape_inference",
    "tensorflow/python/training": "checkpoint_state",
    "tensorflow/tsl/profiler/protobuf": "xplane",
    "xla/tsl/protobuf": "coordination_config error_codes histogram rpc_options",
}

FILES = {f"{folder}/{name}": name for folder, names in _FOLDERS.items() for name in names.split()}
"""The table module of each .proto file, which is named without its suffix."""

_MOVED = {
    "tensorflow/core/protobuf": "coordination_config error_codes rpc_options graph_debug_info",
    "tensorflow/core/lib/core": "error_codes",
    "tensorflow/core/profiler/protobuf": "xplane",
    "tensorflow/tsl/protobuf": "coordination_config error_codes histogram rpc_options",
    "tsl/protobuf": "coordination_config error_codes histogram rpc_options",
    "tsl/profiler/protobuf": "xplane",
    "xla/tsl/profiler/protobuf": "xplane",
}
"""Where other versions of TensorFlow have files."""

PACKAGES = {"tensorboard/compat/proto": "tensorboard", "tensorboardX/proto": "tensorboardX"}
"""Folders with copies of all messages in one folder, and the package of these copies."""

_PUBLIC_IMPORTS = {"summary": ("histogram",)}
"""Files whose messages a file exports beside its own (`import public`)."""

_ALIASES = FILES | {f"{folder}/{name}": name for folder, names in _MOVED.items() for name in names.split()}


def table_module_of(path: str) -> tuple[str, str] | None:
    """Return the table module of a .proto file, and the package of the copies (mostly empty); None if there is none.

    `path` has no suffix: "tensorflow/core/framework/graph".
    """
    if path in _ALIASES:
        return _ALIASES[path], ""
    folder, _, name = path.rpartition("/")
    if folder in PACKAGES and name in FILES.values():
        return name, PACKAGES[folder]
    return None


def table_file(name: str) -> TableFile | None:
    """Return the tables of a .proto file, or of the file of a message, for `pbwire.compat.pools`."""
    modules = table_module_of(name.removesuffix(".proto"))
    if modules is None and not name.endswith(".proto"):
        modules = _module_of_symbol(name)
    if modules is None:
        return None
    table_module, package = modules
    return TableFile(f"{messages._schema.__name__}.{table_module}", package, partial(_file_of, package=package))


def _module_of_symbol(name: str) -> tuple[str, str] | None:
    """Return the table module of a message by its full name, which begins with a package of `PACKAGES` for copies."""
    first, _, rest = name.partition(".")
    package = first if first in PACKAGES.values() else ""
    cls = messages.TYPES.get(f"tensorflow.{rest}" if package else name)
    return (cls.__module__.rpartition(".")[2], package) if cls is not None else None


def _file_of(module: str, package: str) -> str:
    name = module.rpartition(".")[2]
    folder = next((folder for folder, one in PACKAGES.items() if one == package), None)
    path = f"{folder}/{name}" if folder else next(path for path, table in FILES.items() if table == name)
    return f"{path}.proto"


table_sources.append(table_file)


def fill(module: ModuleType, path: str) -> None:
    """Define the names of the module of a .proto file. Classes are made on first use."""
    names = table_module_of(path)
    assert names is not None
    table_module, package = names
    sources: dict[str, Any] = {}
    for name in (table_module, *_PUBLIC_IMPORTS.get(table_module, ())):
        tables = importlib.import_module(f"{messages._schema.__name__}.{name}")
        sources |= {public: getattr(tables, public) for public in tables.__all__}
    for value in list(sources.values()):
        if isinstance(value, enum.EnumType):
            sources |= {name: int(member) for name, member in value.__members__.items()}  # type: ignore[var-annotated]  # an enum
    module.__doc__ = f"The messages and enums of {path}.proto, as protobuf's Python code has them."
    namespace = vars(module)
    namespace["__all__"] = list(sources)  # for `import *`

    def get_attribute(name: str) -> Any:
        if name == "DESCRIPTOR":
            value: Any = default_pool().FindFileByName(f"{path}.proto")
        elif name.startswith("_") and name.lstrip("_").split("_")[0].isupper():
            value = descriptor_named(name, module)
        elif name.endswith("__pb2"):
            value = _imported_module(name)
        elif name in sources:
            value = _public_value(sources[name], package, module.__name__)
        else:
            where = f"the table of {path}.proto"
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}: {where} lacks it")
        namespace[name] = value
        return value

    namespace["__getattr__"] = get_attribute
    namespace["__dir__"] = lambda: sorted({*namespace, *sources, "DESCRIPTOR"})


def _imported_module(name: str) -> ModuleType:
    """Return a module by the name that generated code has for it: tensorflow_dot_core_dot_util_dot_event__pb2."""
    path = name.replace("_dot_", ".").replace("__", "_")
    try:
        return importlib.import_module(f"{__name__.rpartition('.')[0]}.{path}")
    except ImportError as error:
        raise AttributeError(str(error)) from error


def descriptor_named(name: str, module: ModuleType) -> Any:
    """Return a descriptor by the name that older generated code has for it: _NODEDEF. Raises AttributeError."""
    descriptors: dict[str, Any] = {}
    build_descriptors(module.DESCRIPTOR, descriptors)
    if name not in descriptors:
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
    return descriptors[name]


def _public_value(value: Any, package: str, module: str) -> Any:
    if isinstance(value, int):
        return value
    if isinstance(value, enum.EnumType):
        return enum_wrapper(value)
    return place(compat_class(value, package), module)
