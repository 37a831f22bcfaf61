"""The modules of the tree and the names that they have.

    _MODULES       modules that are one façade, such as tensorflow.python.framework.tensor_util
    _NAMESPACES    modules that collect names of several, such as tensorflow.io

`tensorflow` has the names of both versions of its API, and `tensorflow.compat.v1` and `.v2` are the same module: names
that only one of them has do not conflict.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from . import proto_modules, protobuf_modules
from .refusals import MissingName

_HERE = __name__.rpartition(".")[0]
ROOTS = ("google", "tensorboard", "tensorboardX", "tensorflow", "tsl", "xla")
TF_VERSION = "2.12.1"
"""The version of TensorFlow whose names the tree has."""

_SAME = {
    "tensorflow.compat.v1": "tensorflow",
    "tensorflow.compat.v2": "tensorflow",
    "tensorflow.python.framework.graph_util_impl": "tensorflow.python.framework.graph_util",
    "tensorflow.python.platform.gfile": "tensorflow.gfile",
    "tensorflow.python.lib.io.file_io": "tensorflow.gfile",
    "tensorflow.io.gfile": "tensorflow.gfile",
    "tensorflow.python.framework.errors": "tensorflow.errors",
    "tensorflow.python.framework.errors_impl": "tensorflow.errors",
    "tensorflow.python.util.compat": "tensorflow.compat",
    "tensorflow.dtypes": "tensorflow.python.framework.dtypes",
    "tensorflow.graph_util": "tensorflow.python.framework.graph_util",
    "tensorflow.python.saved_model.signature_constants": "tensorflow.saved_model.signature_constants",
    "tensorflow.python.saved_model.tag_constants": "tensorflow.saved_model.tag_constants",
    "tensorflow.python.saved_model.constants": "tensorflow.saved_model.constants",
    "tensorflow.python.platform.tf_logging": "tensorflow.logging",
    "tensorflow.python.platform.app": "tensorflow.app",
    "tensorflow.python.platform.flags": "tensorflow.flags",
    "tensorflow.app.flags": "tensorflow.flags",
    "tensorflow.python.lib.io.tf_record": "tensorflow.python_io",
    "tensorflow.python.training.py_checkpoint_reader": "tensorflow.train",
    "tensorflow.python.training.checkpoint_utils": "tensorflow.train",
    "tensorflow.python.training.checkpoint_management": "tensorflow.train",
    "tensorflow.python.framework.graph_io": "tensorflow.io",
    "tensorflow.python.util.deprecation": "tensorflow.python.util.tf_export",
    "tensorflow.python.training.tracking.base": "tensorflow.python.trackable.base",
    "tensorflow.pywrap_tensorflow": "tensorflow.python.pywrap_tensorflow",
    "tensorflow.core.proto_types": "tensorflow.core.framework",
    "tensorboard.proto": "tensorboard.compat.proto",
    "tensorboard.compat.tf": "tensorflow",
    "tensorboard.compat.tensorflow_stub.dtypes": "tensorflow.python.framework.dtypes",
    "tensorboard.compat.tensorflow_stub.tensor_shape": "tensorflow.python.framework.tensor_shape",
    "tensorboard.compat.tensorflow_stub.errors": "tensorflow.errors",
    "tensorboard.compat.tensorflow_stub.io.gfile": "tensorflow.gfile",
    "tensorboard.compat.tensorflow_stub.compat": "tensorflow.compat",
}
"""Other names of modules and of everything below them."""

_MODULES = {
    "tensorflow.errors": "errors",
    "tensorflow.logging": "program",
    "tensorflow.app": "program",
    "tensorflow.python.framework.dtypes": "dtypes",
    "tensorflow.python.framework.graph_util": "graph_util",
    "tensorflow.python.framework.tensor_shape": "tensor_shape",
    "tensorflow.python.framework.tensor_util": "tensor_util",
    "tensorflow.python.tools.inspect_checkpoint": "inspect_checkpoint",
    "tensorflow.python.tools.saved_model_utils": "saved_model",
    "tensorflow.python.tools.strip_unused_lib": "strip_unused",
    "tensorflow.python.util.tf_export": "program",
    "tensorflow.compat": "text",
    "tensorboard.util.tensor_util": "tensor_util",
}

_V1_GFILE = """Copy DeleteRecursively Exists FastGFile GFile Glob IsDirectory ListDirectory MakeDirs MkDir Open Remove
    Rename Stat Walk"""
_V2_GFILE = """copy=Copy exists=Exists glob=Glob isdir=IsDirectory listdir=ListDirectory makedirs=MakeDirs mkdir=MkDir
    remove=Remove rename=Rename rmtree=DeleteRecursively stat=Stat walk=Walk GFile join get_registered_schemes"""
_FILE_IO = """FileIO FileStatistics file_exists=Exists file_exists_v2=Exists delete_file=Remove read_file_to_string
    delete_file_v2=Remove write_string_to_file get_matching_files=Glob get_matching_files_v2=Glob create_dir=MkDir
    create_dir_v2=MkDir recursive_create_dir=MakeDirs recursive_create_dir_v2=MakeDirs copy_v2=Copy rename_v2=Rename
    atomic_write_string_to_file delete_recursively=DeleteRecursively delete_recursively_v2=DeleteRecursively
    is_directory=IsDirectory is_directory_v2=IsDirectory has_atomic_move list_directory=ListDirectory
    list_directory_v2=ListDirectory walk_v2=Walk stat_v2=Stat"""
_CHECKPOINTS = """NewCheckpointReader load_checkpoint load_variable list_variables latest_checkpoint checkpoint_exists
    get_checkpoint_state CheckpointReader generate_checkpoint_state_proto update_checkpoint_state
    checkpoints_iterator"""
_TYPES = """bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int32 int64 int8 qint16 qint32
    qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant"""
_BEHAVIOR = """disable_control_flow_v2 disable_eager_execution disable_resource_variables disable_v2_behavior
    enable_control_flow_v2 enable_eager_execution enable_resource_variables enable_v2_behavior executing_eagerly
    reset_default_graph"""

_FEATURES = "FixedLenFeature FixedLenSequenceFeature VarLenFeature"

_NAMESPACES: dict[str, dict[str, str]] = {
    "tensorflow": {
        "dtypes": f"DType as_dtype {_TYPES}",
        "tensor_shape": "Dimension TensorShape dimension_at_index dimension_value disable_v2_tensorshape "
        "enable_v2_tensorshape",
        "tensor_util": "make_tensor_proto make_ndarray is_tensor get_static_value=constant_value",
        "errors": "OpError",
        "behavior": _BEHAVIOR,
        "eager": "Tensor constant",
        "datasets": _FEATURES,
        "program": "get_logger",
        "proto attr_value": "AttrValue NameAttrList",
        "proto config": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata",
        "proto event": "Event LogMessage SessionLog",
        "proto graph": "GraphDef",
        "proto histogram": "HistogramProto",
        "proto meta_graph": "MetaGraphDef TensorInfo",
        "proto node_def": "NodeDef",
        "proto summary": "Summary SummaryMetadata",
        "module": "app compat data dtypes errors flags gfile graph_util io logging python_io saved_model summary train "
        "version core python",
    },
    "tensorflow.gfile": {"gfile": f"{_V1_GFILE} {_V2_GFILE} {_FILE_IO}"},
    "tensorflow.python.pywrap_tensorflow": {"checkpoints": "CheckpointReader NewCheckpointReader"},
    "tensorflow.python.summary.summary_iterator": {"records": "summary_iterator"},
    "tensorflow.python.saved_model.loader_impl": {
        "saved_model": "contains_saved_model maybe_saved_model_directory=contains_saved_model "
        "parse_saved_model=read_saved_model",
    },
    "tensorflow.io": {
        "records": "TFRecordWriter TFRecordOptions TFRecordCompressionType tf_record_iterator",
        "saved_model": "write_graph",
        "datasets": _FEATURES,
        "module": "gfile",
    },
    "tensorflow.python_io": {
        "records": "TFRecordWriter TFRecordOptions TFRecordCompressionType tf_record_iterator",
    },
    "tensorflow.train": {
        "checkpoints": _CHECKPOINTS,
        "records": "summary_iterator",
        "saved_model": "write_graph",
        "proto cluster": "ClusterDef JobDef",
        "proto example": "Example SequenceExample",
        "proto feature": "BytesList Feature FeatureList FeatureLists Features FloatList Int64List",
        "proto queue_runner": "QueueRunnerDef",
        "proto saver": "SaverDef",
        "proto tensorflow_server": "ServerDef",
    },
    "tensorflow.saved_model": {
        "module": "constants signature_constants tag_constants",
        "saved_model": "contains_saved_model maybe_saved_model_directory=contains_saved_model",
    },
    "tensorflow.flags": {},
    "tensorflow.compat": {"tensor_shape": "dimension_at_index dimension_value"},
    "tensorflow.data": {"datasets": "Dataset Options TFRecordDataset", "module": "experimental"},
    "tensorflow.data.experimental": {"datasets": "TFRecordWriter=RecordWriter"},
    "tensorflow.python._pywrap_record_io": {"records": "RecordIterator"},
    "tensorflow.python.summary.writer.writer": {"summaries": "FileWriter"},
    "tensorflow.python.tools.freeze_graph": {
        "saved_model": "_parse_input_graph_proto=parse_graph _parse_input_meta_graph_proto=parse_meta_graph "
        "_parse_input_saver_proto=parse_saver",
        "freezing": "freeze_graph freeze_graph_with_def_protos",
    },
    "tensorflow.tools.graph_transforms": {"freezing": "TransformGraph"},
    "tensorflow.summary": {
        "summaries": "FileWriter",
        "proto event": "Event SessionLog TaggedRunMetadata",
        "proto summary": "Summary",
    },
}

_VERSIONS = {
    "VERSION": TF_VERSION,
    "GIT_VERSION": "unknown",
    "GRAPH_DEF_VERSION": 1395,
    "GRAPH_DEF_VERSION_MIN_CONSUMER": 0,
    "GRAPH_DEF_VERSION_MIN_PRODUCER": 0,
}

_CARDINALITY = {"AUTOTUNE": -1, "INFINITE_CARDINALITY": -1, "UNKNOWN_CARDINALITY": -2}

_CONSTANTS: dict[str, dict[str, Any] | Callable[[], dict[str, Any]]] = {
    "tensorflow": {"__version__": TF_VERSION} | _VERSIONS,
    "tensorflow.version": _VERSIONS,
    "tensorflow.data": _CARDINALITY,
    "tensorflow.data.experimental": _CARDINALITY,
    "tensorflow.python.trackable.base": {
        "OBJECT_GRAPH_PROTO_KEY": "_CHECKPOINTABLE_OBJECT_GRAPH",
        "VARIABLE_VALUE_KEY": "VARIABLE_VALUE",
    },
    "tensorflow.saved_model": lambda: (
        _facade("saved_model").TAGS | _facade("saved_model").SIGNATURES | _facade("saved_model").CONSTANTS
    ),
    "tensorflow.saved_model.constants": lambda: _facade("saved_model").CONSTANTS,
    "tensorflow.saved_model.signature_constants": lambda: _facade("saved_model").SIGNATURES,
    "tensorflow.saved_model.tag_constants": lambda: _facade("saved_model").TAGS,
    "tensorflow.compat": lambda: {"forward_compatible": lambda *date: True},
}


def canonical_name(name: str) -> str:
    """Return the one name of a module that has several, such as "tensorflow.io" for "tensorflow.compat.v1.io"."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        prefix = ".".join(parts[:count])
        if prefix in _SAME:
            return canonical_name(".".join((_SAME[prefix], *parts[count:])))
    return _canonical_proto(name) if name.endswith("_pb2") else name


def _canonical_proto(name: str) -> str:
    """Return the name of the module of a .proto file in the version of the tables."""
    path = name.removesuffix("_pb2").replace(".", "/")
    modules = proto_modules.table_module_of(path)
    if modules is None or modules[1]:
        return name
    return f"{next(file for file, module in proto_modules.FILES.items() if module == modules[0])}_pb2".replace("/", ".")


@cache
def module_names() -> frozenset[str]:
    """Return the canonical names of all modules of the tree, packages included, except the copies of .proto files."""
    folders = {path.replace("/", ".") for path in proto_modules.PACKAGES}
    names = {*_MODULES, *_NAMESPACES, *_CONSTANTS, *ROOTS, *folders, "google.protobuf", "tensorflow.python.tools"}
    names |= {f"{path.replace('/', '.')}_pb2" for path in proto_modules.FILES}
    names |= {f"google.protobuf.{module}" for module in protobuf_modules.MODULES if module}
    names |= _packages_of_protos()
    for name in list(names):
        while "." in name:
            name = name.rpartition(".")[0]
            names.add(name)
    return frozenset(names)


def _packages_of_protos() -> set[str]:
    return {path.rpartition("/")[0].replace("/", ".") for path in proto_modules._ALIASES}


def kind_of(name: str) -> str | None:
    """Return "module" or "package" for a module of the tree, which may have other names; None for other names."""
    canonical = canonical_name(name)
    if canonical.endswith("_pb2") and proto_modules.table_module_of(canonical.removesuffix("_pb2").replace(".", "/")):
        return "module"
    if canonical in module_names() or any(same.startswith(f"{name}.") for same in _SAME):
        return "module" if canonical.endswith("_pb2") else "package"
    return None


def submodules(name: str) -> set[str]:
    """Return the names of the modules directly below a module."""
    prefix = f"{name}."
    known = (*module_names(), *_SAME)
    return {module[len(prefix) :].partition(".")[0] for module in known if module.startswith(prefix)}


def fill(module: ModuleType, name: str) -> None:
    """Define the names of a module of the tree."""
    if name == "google.protobuf" or name.startswith("google.protobuf."):
        protobuf_modules.fill(module, name.removeprefix("google.protobuf").removeprefix("."))
        return
    if name.endswith("_pb2"):
        proto_modules.fill(module, name.removesuffix("_pb2").replace(".", "/"))
        return
    namespace = vars(module)
    module.__doc__ = f"{name}, as far as it needs no runtime (tfmodel.compat)."
    constants = _CONSTANTS.get(name, {})
    namespace.update(constants() if callable(constants) else constants)
    if name in _MODULES:
        facade = _facade(_MODULES[name])
        namespace.update({key: value for key, value in vars(facade).items() if not key.startswith("_")})
        namespace.update({key: getattr(facade, key) for key in facade.__all__})
        namespace["__all__"] = facade.__all__
    lazy = _lazy_names(name)

    def get_attribute(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if attribute in lazy:
            value = _value(*lazy[attribute])
        elif kind_of(f"{name}.{attribute}"):
            value = importlib.import_module(f"{_HERE}.{canonical_name(f'{name}.{attribute}')}")
        elif name == "tensorflow.flags":
            value = _flag_function(attribute)
        else:
            raise MissingName(f"{name}.{attribute}")
        namespace[attribute] = value
        return value

    namespace["__getattr__"] = get_attribute
    namespace["__dir__"] = lambda: sorted({*namespace, *lazy, *submodules(name)})


def _facade(name: str) -> Any:
    return importlib.import_module(f"{_HERE}.facades.{name}")


def _lazy_names(name: str) -> dict[str, tuple[str, str]]:
    """Return the names of a namespace, each with its source and its name there."""
    names: dict[str, tuple[str, str]] = {}
    for source, text in _NAMESPACES.get(name, {}).items():
        for word in text.split():
            public, _, own = word.partition("=")
            names[public] = (f"module {name}" if source == "module" else source, own or public)
    return names


def _value(source: str, name: str) -> Any:
    kind, _, place = source.partition(" ")
    if kind == "module":
        return importlib.import_module(f"{_HERE}.{canonical_name(f'{place}.{name}')}")
    if kind == "proto":
        path = next(path for path, module in proto_modules.FILES.items() if module == place)
        return getattr(importlib.import_module(f"{_HERE}.{path.replace('/', '.')}_pb2"), name)
    return getattr(_facade(kind), name)


def _flag_function(name: str) -> Any:
    facade = flags = _facade("flags")
    with contextlib.suppress(ImportError):
        flags = importlib.import_module("absl.flags")
    if not hasattr(flags, name):
        raise MissingName(f"tensorflow.flags.{name}")
    return getattr(flags, name) if flags is facade else facade.absl_name(flags, name)


def has_name(module: str, attribute: str) -> bool:
    """Return whether a module of the tree has a name; True if this cannot be told before it is used."""
    try:
        return hasattr(importlib.import_module(f"{_HERE}.{canonical_name(module)}"), attribute)
    except ImportError:
        return False
