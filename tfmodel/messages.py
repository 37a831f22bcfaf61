"""All messages and enums of TensorFlow, and `TYPES`, which maps full names to message classes.

    from tfmodel.messages import DataType, GraphDef

Nothing is imported before it is used, because making all classes takes longer than most commands. A table module
defines the messages of one .proto file. The first use of a name imports the table module that defines it, and the
table modules to which this one refers. Type checkers see ordinary imports.

The table modules are in the folder `schema`. They are imported as the package `tfmodel._schema`, because another
distribution owns the top-level name `schema`. Wheels, copies and the .pyz of `tfmodel vendor` have the folder inside
`tfmodel`. In a checkout the folder is beside `tfmodel`, and a symbolic link, `tfmodel/_schema -> ../schema`, lets the
import system, type checkers and editors find it. If the link was lost (in a zip file, or on some file systems), this
module loads the folder beside the package under the same name. All other modules import messages from here; only
`tfmodel.vendoring`, which copies the folder, knows where the folder is.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pbwire.table import Message

    from ._schema.allocation_description import AllocationDescription
    from ._schema.api_def import ApiDef, ApiDefs
    from ._schema.attr_value import AttrValue, NameAttrList
    from ._schema.checkpoint_state import CheckpointState
    from ._schema.cluster import ClusterDef, JobDef
    from ._schema.config import (
        CallableOptions,
        ConfigProto,
        GPUOptions,
        GraphOptions,
        OptimizerOptions,
        RunMetadata,
        RunOptions,
        SessionMetadata,
        TensorConnection,
        ThreadPoolOptionProto,
    )
    from ._schema.control_flow import CondContextDef, ControlFlowContextDef, ValuesDef, WhileContextDef
    from ._schema.coordination_config import CoordinatedJob, CoordinationServiceConfig
    from ._schema.cost_graph import CostGraphDef
    from ._schema.cpp_shape_inference import CppShapeInferenceInputsNeeded, CppShapeInferenceResult
    from ._schema.debug import DebuggedSourceFile, DebuggedSourceFiles, DebugOptions, DebugTensorWatch
    from ._schema.device_attributes import DeviceAttributes, DeviceLocality, InterconnectLink, LocalLinks
    from ._schema.device_filters import ClusterDeviceFilters, JobDeviceFilters, TaskDeviceFilters
    from ._schema.device_properties import DeviceProperties, NamedDevice
    from ._schema.error_codes import Code
    from ._schema.event import Event, LogMessage, SessionLog, SourceMetadata, TaggedRunMetadata
    from ._schema.example import Example, SequenceExample
    from ._schema.feature import BytesList, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List
    from ._schema.fingerprint import FingerprintDef
    from ._schema.full_type import FullTypeDef, FullTypeId
    from ._schema.function import FunctionDef, FunctionDefLibrary, GradientDef, RegisteredGradient
    from ._schema.graph import GraphDef
    from ._schema.graph_debug_info import GraphDebugInfo
    from ._schema.histogram import HistogramProto
    from ._schema.kernel_def import KernelDef, KernelList
    from ._schema.meta_graph import AssetFileDef, CollectionDef, MetaGraphDef, SignatureDef, TensorInfo
    from ._schema.named_tensor import NamedTensorProto
    from ._schema.node_def import NodeDef
    from ._schema.op_def import OpDef, OpDeprecation, OpList
    from ._schema.queue_runner import QueueRunnerDef
    from ._schema.resource_handle import ResourceHandleProto
    from ._schema.rewriter_config import AutoParallelOptions, RewriterConfig, ScopedAllocatorOptions
    from ._schema.rpc_options import RPCOptions
    from ._schema.saved_model import SavedModel
    from ._schema.saved_object_graph import (
        CapturedTensor,
        FunctionSpec,
        SaveableObject,
        SavedAsset,
        SavedBareConcreteFunction,
        SavedConcreteFunction,
        SavedConstant,
        SavedFunction,
        SavedObject,
        SavedObjectGraph,
        SavedResource,
        SavedUserObject,
        SavedVariable,
    )
    from ._schema.saved_tensor_slice import SavedSlice, SavedSliceMeta, SavedTensorSliceMeta, SavedTensorSlices
    from ._schema.saver import SaverDef
    from ._schema.step_stats import (
        AllocationRecord,
        AllocatorMemoryUsed,
        DeviceStepStats,
        MemoryStats,
        NodeExecStats,
        NodeOutput,
        StepStats,
    )
    from ._schema.struct import (
        BoundedTensorSpecProto,
        DictValue,
        ListValue,
        NamedTupleValue,
        NoneValue,
        PairValue,
        StructuredValue,
        TensorSpecProto,
        TupleValue,
        TypeSpecProto,
    )
    from ._schema.summary import DataClass, Summary, SummaryDescription, SummaryMetadata
    from ._schema.tensor import TensorProto, VariantTensorDataProto
    from ._schema.tensor_bundle import BundleEntryProto, BundleHeaderProto
    from ._schema.tensor_description import TensorDescription
    from ._schema.tensor_shape import TensorShapeProto
    from ._schema.tensor_slice import TensorSliceProto
    from ._schema.tensorflow_server import ServerDef
    from ._schema.trackable_object_graph import RegisteredSaver, TrackableObjectGraph
    from ._schema.types import DataType, SerializedDType
    from ._schema.variable import SaveSliceInfoDef, VariableAggregation, VariableDef, VariableSynchronization
    from ._schema.verifier_config import VerifierConfig
    from ._schema.versions import VersionDef
    from ._schema.xplane import XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata

__all__ = [
    "TYPES",
    "AllocationDescription",
    "AllocationRecord",
    "AllocatorMemoryUsed",
    "ApiDef",
    "ApiDefs",
    "AssetFileDef",
    "AttrValue",
    "AutoParallelOptions",
    "BoundedTensorSpecProto",
    "BundleEntryProto",
    "BundleHeaderProto",
    "BytesList",
    "CallableOptions",
    "CapturedTensor",
    "CheckpointState",
    "ClusterDef",
    "ClusterDeviceFilters",
    "Code",
    "CollectionDef",
    "CondContextDef",
    "ConfigProto",
    "ControlFlowContextDef",
    "CoordinatedJob",
    "CoordinationServiceConfig",
    "CostGraphDef",
    "CppShapeInferenceInputsNeeded",
    "CppShapeInferenceResult",
    "DataClass",
    "DataType",
    "DebugOptions",
    "DebugTensorWatch",
    "DebuggedSourceFile",
    "DebuggedSourceFiles",
    "DeviceAttributes",
    "DeviceLocality",
    "DeviceProperties",
    "DeviceStepStats",
    "DictValue",
    "Event",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FingerprintDef",
    "FloatList",
    "FullTypeDef",
    "FullTypeId",
    "FunctionDef",
    "FunctionDefLibrary",
    "FunctionSpec",
    "GPUOptions",
    "GradientDef",
    "GraphDebugInfo",
    "GraphDef",
    "GraphOptions",
    "HistogramProto",
    "Int64List",
    "InterconnectLink",
    "JobDef",
    "JobDeviceFilters",
    "KernelDef",
    "KernelList",
    "ListValue",
    "LocalLinks",
    "LogMessage",
    "MemoryStats",
    "MetaGraphDef",
    "NameAttrList",
    "NamedDevice",
    "NamedTensorProto",
    "NamedTupleValue",
    "NodeDef",
    "NodeExecStats",
    "NodeOutput",
    "NoneValue",
    "OpDef",
    "OpDeprecation",
    "OpList",
    "OptimizerOptions",
    "PairValue",
    "QueueRunnerDef",
    "RPCOptions",
    "RegisteredGradient",
    "RegisteredSaver",
    "ResourceHandleProto",
    "RewriterConfig",
    "RunMetadata",
    "RunOptions",
    "SaveSliceInfoDef",
    "SaveableObject",
    "SavedAsset",
    "SavedBareConcreteFunction",
    "SavedConcreteFunction",
    "SavedConstant",
    "SavedFunction",
    "SavedModel",
    "SavedObject",
    "SavedObjectGraph",
    "SavedResource",
    "SavedSlice",
    "SavedSliceMeta",
    "SavedTensorSliceMeta",
    "SavedTensorSlices",
    "SavedUserObject",
    "SavedVariable",
    "SaverDef",
    "ScopedAllocatorOptions",
    "SequenceExample",
    "SerializedDType",
    "ServerDef",
    "SessionLog",
    "SessionMetadata",
    "SignatureDef",
    "SourceMetadata",
    "StepStats",
    "StructuredValue",
    "Summary",
    "SummaryDescription",
    "SummaryMetadata",
    "TaggedRunMetadata",
    "TaskDeviceFilters",
    "TensorConnection",
    "TensorDescription",
    "TensorInfo",
    "TensorProto",
    "TensorShapeProto",
    "TensorSliceProto",
    "TensorSpecProto",
    "ThreadPoolOptionProto",
    "TrackableObjectGraph",
    "TupleValue",
    "TypeSpecProto",
    "ValuesDef",
    "VariableAggregation",
    "VariableDef",
    "VariableSynchronization",
    "VariantTensorDataProto",
    "VerifierConfig",
    "VersionDef",
    "WhileContextDef",
    "XEvent",
    "XEventMetadata",
    "XLine",
    "XPlane",
    "XSpace",
    "XStat",
    "XStatMetadata",
]

# The names that each table module defines. Full names begin with `tensorflow.`, those of some modules with the longer
# package of `_PACKAGES`.
_NAMES = {
    "allocation_description": "AllocationDescription",
    "api_def": "ApiDef ApiDefs",
    "attr_value": "AttrValue NameAttrList",
    "checkpoint_state": "CheckpointState",
    "cluster": "ClusterDef JobDef",
    "config": """CallableOptions ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions
        SessionMetadata TensorConnection ThreadPoolOptionProto""",
    "control_flow": "CondContextDef ControlFlowContextDef ValuesDef WhileContextDef",
    "coordination_config": "CoordinatedJob CoordinationServiceConfig",
    "cost_graph": "CostGraphDef",
    "cpp_shape_inference": "CppShapeInferenceInputsNeeded CppShapeInferenceResult",
    "debug": "DebugOptions DebugTensorWatch DebuggedSourceFile DebuggedSourceFiles",
    "device_attributes": "DeviceAttributes DeviceLocality InterconnectLink LocalLinks",
    "device_filters": "ClusterDeviceFilters JobDeviceFilters TaskDeviceFilters",
    "device_properties": "DeviceProperties NamedDevice",
    "error_codes": "Code",
    "event": "Event LogMessage SessionLog SourceMetadata TaggedRunMetadata",
    "example": "Example SequenceExample",
    "feature": "BytesList Feature FeatureList FeatureLists Features FloatList Int64List",
    "fingerprint": "FingerprintDef",
    "full_type": "FullTypeDef FullTypeId",
    "function": "FunctionDef FunctionDefLibrary GradientDef RegisteredGradient",
    "graph": "GraphDef",
    "graph_debug_info": "GraphDebugInfo",
    "histogram": "HistogramProto",
    "kernel_def": "KernelDef KernelList",
    "meta_graph": "AssetFileDef CollectionDef MetaGraphDef SignatureDef TensorInfo",
    "named_tensor": "NamedTensorProto",
    "node_def": "NodeDef",
    "op_def": "OpDef OpDeprecation OpList",
    "queue_runner": "QueueRunnerDef",
    "resource_handle": "ResourceHandleProto",
    "rewriter_config": "AutoParallelOptions RewriterConfig ScopedAllocatorOptions",
    "rpc_options": "RPCOptions",
    "saved_model": "SavedModel",
    "saved_object_graph": """CapturedTensor FunctionSpec SaveableObject SavedAsset SavedBareConcreteFunction
        SavedConcreteFunction SavedConstant SavedFunction SavedObject SavedObjectGraph SavedResource SavedUserObject
        SavedVariable""",
    "saved_tensor_slice": "SavedSlice SavedSliceMeta SavedTensorSliceMeta SavedTensorSlices",
    "saver": "SaverDef",
    "step_stats": "AllocationRecord AllocatorMemoryUsed DeviceStepStats MemoryStats NodeExecStats NodeOutput StepStats",
    "struct": """BoundedTensorSpecProto DictValue ListValue NamedTupleValue NoneValue PairValue StructuredValue
        TensorSpecProto TupleValue TypeSpecProto""",
    "summary": "DataClass Summary SummaryDescription SummaryMetadata",
    "tensor": "TensorProto VariantTensorDataProto",
    "tensor_bundle": "BundleEntryProto BundleHeaderProto",
    "tensor_description": "TensorDescription",
    "tensor_shape": "TensorShapeProto",
    "tensor_slice": "TensorSliceProto",
    "tensorflow_server": "ServerDef",
    "trackable_object_graph": "RegisteredSaver TrackableObjectGraph",
    "types": "DataType SerializedDType",
    "variable": "SaveSliceInfoDef VariableAggregation VariableDef VariableSynchronization",
    "verifier_config": "VerifierConfig",
    "versions": "VersionDef",
    "xplane": "XEvent XEventMetadata XLine XPlane XSpace XStat XStatMetadata",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
_PACKAGES = {"error_codes": "error", "xplane": "profiler"}


def _import_schema() -> ModuleType:
    """Import the package of the table modules, but not the table modules, and return it."""
    name = f"{__package__}._schema"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        import os.path

        folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schema")
        if error.name != name or not os.path.isdir(folder):
            raise

    # By hand, since importlib.util and pathlib import more than pbwire does. A package needs only its path.
    package = sys.modules[name] = ModuleType(name)
    package.__file__ = os.path.join(folder, "__init__.py")
    package.__path__ = [folder]
    return package


_schema = _import_schema()


def _table_module(name: str) -> ModuleType:
    return importlib.import_module(f"{_schema.__name__}.{name}")


class _Types(Mapping[str, "type[Message]"]):
    """A mapping from full names to message classes: `TYPES["tensorflow.AttrValue.ListValue"]`.

    It has every message of this module, also nested ones, and the messages of `pbwire.wellknown`. A look-up imports one
    table module; iteration and `len` import all. Functions that expand an Any take this mapping as an argument.
    """

    def __getitem__(self, full_name: str) -> type[Message]:
        cls = _find(full_name) if isinstance(full_name, str) else None
        if cls is None:
            raise KeyError(full_name)
        return cls

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"{__name__}.TYPES"

    @cached_property
    def _names(self) -> tuple[str, ...]:
        from pbwire import wellknown

        modules = [wellknown, *map(_table_module, sorted(set(_MODULES.values())))]
        return tuple(sorted(name for module in modules for name in _full_names(module, module.__name__)))


TYPES: Mapping[str, type[Message]] = _Types()


def as_dataclass(value: Any) -> Any:
    """Return the dataclass of a protobuf-style message (`pbwire.compat`); any other value as it is.

    All functions that take messages call this. It imports nothing unless the value is a protobuf-style message.
    """
    table = getattr(type(value), "__table__", None)
    if not hasattr(table, "dataclass"):
        return value
    from pbwire.compat import unwrap

    return unwrap(value)


def _find(full_name: str) -> type[Message] | None:
    scope: Any
    if full_name.startswith("google.protobuf."):
        from pbwire import wellknown

        scope, path = wellknown, full_name.split(".")[2:]
    else:
        path = full_name.split(".")[1:]
        if path and path[0] in _PACKAGES.values():
            del path[0]
        if not path or path[0] not in _MODULES:
            return None
        scope = _table_module(_MODULES[path[0]])
    for name in path:
        scope = vars(scope).get(name)
        if not isinstance(scope, type):
            return None
    return scope if _full_name(scope) == full_name else None


def _full_names(scope: Any, module: str) -> Iterator[str]:
    """Yield the full names of the messages that a module or a class defines, at any depth."""
    for value in vars(scope).values():
        if isinstance(value, type) and value.__module__ == module and (name := _full_name(value)):
            yield name
            yield from _full_names(value, module)


def _full_name(cls: type) -> str | None:
    """Return the full name of a message class; None for any other class."""
    table = vars(cls).get("__table__")
    return table and table.full_name


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_table_module(_MODULES[name]), name)
        return value


def __dir__() -> list[str]:
    return list(__all__)
