"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.attr_value_pb2 import AttrValue as _AttrValue_
from ....tensorflow.core.protobuf.verifier_config_pb2 import VerifierConfig as _VerifierConfig_

DESCRIPTOR: _Any

class AutoParallelOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ENABLE_FIELD_NUMBER: _ClassVar[_int]
    NUM_REPLICAS_FIELD_NUMBER: _ClassVar[_int]
    enable: _bool
    num_replicas: _int
    def __init__(self, *, enable: _bool | None = ..., num_replicas: _int | None = ...) -> None: ...

class RewriterConfig(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    Toggle: _ClassVar[_EnumWrapper]
    DEFAULT: _ClassVar[_int]
    ON: _ClassVar[_int]
    OFF: _ClassVar[_int]
    AGGRESSIVE: _ClassVar[_int]
    EXPERIMENTAL_MLIR: _ClassVar[_int]
    EXPERIMENTAL_BOTH: _ClassVar[_int]
    CpuLayout: _ClassVar[_EnumWrapper]
    NO_CONVERSION_ON_CPU: _ClassVar[_int]
    NCHW_TO_NHWC: _ClassVar[_int]
    NHWC_TO_NCHW: _ClassVar[_int]
    NumIterationsType: _ClassVar[_EnumWrapper]
    DEFAULT_NUM_ITERS: _ClassVar[_int]
    ONE: _ClassVar[_int]
    TWO: _ClassVar[_int]
    MemOptType: _ClassVar[_EnumWrapper]
    DEFAULT_MEM_OPT: _ClassVar[_int]
    NO_MEM_OPT: _ClassVar[_int]
    MANUAL: _ClassVar[_int]
    SWAPPING_HEURISTICS: _ClassVar[_int]
    RECOMPUTATION_HEURISTICS: _ClassVar[_int]
    SCHEDULING_HEURISTICS: _ClassVar[_int]
    HEURISTICS: _ClassVar[_int]
    class CustomGraphOptimizer(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        NAME_FIELD_NUMBER: _ClassVar[_int]
        PARAMETER_MAP_FIELD_NUMBER: _ClassVar[_int]
        name: _str
        @property
        def parameter_map(self) -> _MessageMap[_str, _AttrValue_]: ...
        def __init__(self, *, name: _str | _bytes | None = ..., parameter_map: _Mapping[_str, _AttrValue_ | _Mapping[_str, _Any]] | None = ...) -> None: ...
    CPU_LAYOUT_CONVERSION_FIELD_NUMBER: _ClassVar[_int]
    LAYOUT_OPTIMIZER_FIELD_NUMBER: _ClassVar[_int]
    CONSTANT_FOLDING_FIELD_NUMBER: _ClassVar[_int]
    SHAPE_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    REMAPPING_FIELD_NUMBER: _ClassVar[_int]
    COMMON_SUBGRAPH_ELIMINATION_FIELD_NUMBER: _ClassVar[_int]
    ARITHMETIC_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    DEPENDENCY_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    LOOP_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    FUNCTION_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    DEBUG_STRIPPER_FIELD_NUMBER: _ClassVar[_int]
    DISABLE_MODEL_PRUNING_FIELD_NUMBER: _ClassVar[_int]
    SCOPED_ALLOCATOR_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    PIN_TO_HOST_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    IMPLEMENTATION_SELECTOR_FIELD_NUMBER: _ClassVar[_int]
    AUTO_MIXED_PRECISION_FIELD_NUMBER: _ClassVar[_int]
    AUTO_MIXED_PRECISION_MKL_FIELD_NUMBER: _ClassVar[_int]
    AUTO_MIXED_PRECISION_ONEDNN_BFLOAT16_FIELD_NUMBER: _ClassVar[_int]
    AUTO_MIXED_PRECISION_CPU_FIELD_NUMBER: _ClassVar[_int]
    DISABLE_META_OPTIMIZER_FIELD_NUMBER: _ClassVar[_int]
    DISABLE_TFG_OPTIMIZER_FIELD_NUMBER: _ClassVar[_int]
    USE_PLUGIN_OPTIMIZERS_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_CONDITIONAL_CODE_MOTION_FIELD_NUMBER: _ClassVar[_int]
    META_OPTIMIZER_ITERATIONS_FIELD_NUMBER: _ClassVar[_int]
    MIN_GRAPH_NODES_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_DISABLE_COMPRESSED_TENSOR_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_DISABLE_FOLDING_QUANTIZATION_EMULATION_FIELD_NUMBER: _ClassVar[_int]
    MEMORY_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
    MEMORY_OPTIMIZER_TARGET_NODE_NAME_SCOPE_FIELD_NUMBER: _ClassVar[_int]
    META_OPTIMIZER_TIMEOUT_MS_FIELD_NUMBER: _ClassVar[_int]
    AUTO_PARALLEL_FIELD_NUMBER: _ClassVar[_int]
    FAIL_ON_OPTIMIZER_ERRORS_FIELD_NUMBER: _ClassVar[_int]
    SCOPED_ALLOCATOR_OPTS_FIELD_NUMBER: _ClassVar[_int]
    OPTIMIZERS_FIELD_NUMBER: _ClassVar[_int]
    CUSTOM_OPTIMIZERS_FIELD_NUMBER: _ClassVar[_int]
    INTER_OPTIMIZER_VERIFIER_CONFIG_FIELD_NUMBER: _ClassVar[_int]
    POST_OPTIMIZATION_VERIFIER_CONFIG_FIELD_NUMBER: _ClassVar[_int]
    cpu_layout_conversion: _int
    layout_optimizer: _int
    constant_folding: _int
    shape_optimization: _int
    remapping: _int
    common_subgraph_elimination: _int
    arithmetic_optimization: _int
    dependency_optimization: _int
    loop_optimization: _int
    function_optimization: _int
    debug_stripper: _int
    disable_model_pruning: _bool
    scoped_allocator_optimization: _int
    pin_to_host_optimization: _int
    implementation_selector: _int
    auto_mixed_precision: _int
    auto_mixed_precision_mkl: _int
    auto_mixed_precision_onednn_bfloat16: _int
    auto_mixed_precision_cpu: _int
    disable_meta_optimizer: _bool
    disable_tfg_optimizer: _bool
    use_plugin_optimizers: _int
    experimental_conditional_code_motion: _int
    meta_optimizer_iterations: _int
    min_graph_nodes: _int
    experimental_disable_compressed_tensor_optimization: _bool
    experimental_disable_folding_quantization_emulation: _bool
    memory_optimization: _int
    memory_optimizer_target_node_name_scope: _str
    meta_optimizer_timeout_ms: _int
    @property
    def auto_parallel(self) -> AutoParallelOptions: ...
    fail_on_optimizer_errors: _bool
    @property
    def scoped_allocator_opts(self) -> ScopedAllocatorOptions: ...
    @property
    def optimizers(self) -> _RepeatedScalar[_str]: ...
    @property
    def custom_optimizers(self) -> _RepeatedMessage[RewriterConfig.CustomGraphOptimizer]: ...
    @property
    def inter_optimizer_verifier_config(self) -> _VerifierConfig_: ...
    @property
    def post_optimization_verifier_config(self) -> _VerifierConfig_: ...
    def __init__(self, *, cpu_layout_conversion: _int | _str | None = ..., layout_optimizer: _int | _str | None = ..., constant_folding: _int | _str | None = ..., shape_optimization: _int | _str | None = ..., remapping: _int | _str | None = ..., common_subgraph_elimination: _int | _str | None = ..., arithmetic_optimization: _int | _str | None = ..., dependency_optimization: _int | _str | None = ..., loop_optimization: _int | _str | None = ..., function_optimization: _int | _str | None = ..., debug_stripper: _int | _str | None = ..., disable_model_pruning: _bool | None = ..., scoped_allocator_optimization: _int | _str | None = ..., pin_to_host_optimization: _int | _str | None = ..., implementation_selector: _int | _str | None = ..., auto_mixed_precision: _int | _str | None = ..., auto_mixed_precision_mkl: _int | _str | None = ..., auto_mixed_precision_onednn_bfloat16: _int | _str | None = ..., auto_mixed_precision_cpu: _int | _str | None = ..., disable_meta_optimizer: _bool | None = ..., disable_tfg_optimizer: _bool | None = ..., use_plugin_optimizers: _int | _str | None = ..., experimental_conditional_code_motion: _int | _str | None = ..., meta_optimizer_iterations: _int | _str | None = ..., min_graph_nodes: _int | None = ..., experimental_disable_compressed_tensor_optimization: _bool | None = ..., experimental_disable_folding_quantization_emulation: _bool | None = ..., memory_optimization: _int | _str | None = ..., memory_optimizer_target_node_name_scope: _str | _bytes | None = ..., meta_optimizer_timeout_ms: _int | None = ..., auto_parallel: AutoParallelOptions | _Mapping[_str, _Any] | None = ..., fail_on_optimizer_errors: _bool | None = ..., scoped_allocator_opts: ScopedAllocatorOptions | _Mapping[_str, _Any] | None = ..., optimizers: _Iterable[_str | _bytes] | None = ..., custom_optimizers: _Iterable[RewriterConfig.CustomGraphOptimizer | _Mapping[_str, _Any]] | None = ..., inter_optimizer_verifier_config: _VerifierConfig_ | _Mapping[_str, _Any] | None = ..., post_optimization_verifier_config: _VerifierConfig_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class ScopedAllocatorOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ENABLE_OP_FIELD_NUMBER: _ClassVar[_int]
    @property
    def enable_op(self) -> _RepeatedScalar[_str]: ...
    def __init__(self, *, enable_op: _Iterable[_str | _bytes] | None = ...) -> None: ...
