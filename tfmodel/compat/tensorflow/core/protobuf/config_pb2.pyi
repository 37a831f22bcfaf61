"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar
from ....tensorflow.core.framework.cost_graph_pb2 import CostGraphDef as _CostGraphDef_
from ....tensorflow.core.framework.graph_pb2 import GraphDef as _GraphDef_
from ....tensorflow.core.framework.step_stats_pb2 import StepStats as _StepStats_
from ....tensorflow.core.protobuf.cluster_pb2 import ClusterDef as _ClusterDef_
from ....tensorflow.core.protobuf.debug_pb2 import DebugOptions as _DebugOptions_
from ....tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig as _RewriterConfig_
from ....xla.tsl.protobuf.coordination_config_pb2 import CoordinationServiceConfig as _CoordinationServiceConfig_
from ....xla.tsl.protobuf.rpc_options_pb2 import RPCOptions as _RPCOptions_

DESCRIPTOR: _Any

class CallableOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FEED_FIELD_NUMBER: _ClassVar[_int]
    FETCH_FIELD_NUMBER: _ClassVar[_int]
    TARGET_FIELD_NUMBER: _ClassVar[_int]
    RUN_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    TENSOR_CONNECTION_FIELD_NUMBER: _ClassVar[_int]
    FEED_DEVICES_FIELD_NUMBER: _ClassVar[_int]
    FETCH_DEVICES_FIELD_NUMBER: _ClassVar[_int]
    FETCH_SKIP_SYNC_FIELD_NUMBER: _ClassVar[_int]
    @property
    def feed(self) -> _RepeatedScalar[_str]: ...
    @property
    def fetch(self) -> _RepeatedScalar[_str]: ...
    @property
    def target(self) -> _RepeatedScalar[_str]: ...
    @property
    def run_options(self) -> RunOptions: ...
    @property
    def tensor_connection(self) -> _RepeatedMessage[TensorConnection]: ...
    @property
    def feed_devices(self) -> _ScalarMap[_str, _str]: ...
    @property
    def fetch_devices(self) -> _ScalarMap[_str, _str]: ...
    fetch_skip_sync: _bool
    def __init__(self, *, feed: _Iterable[_str | _bytes] | None = ..., fetch: _Iterable[_str | _bytes] | None = ..., target: _Iterable[_str | _bytes] | None = ..., run_options: RunOptions | _Mapping[_str, _Any] | None = ..., tensor_connection: _Iterable[TensorConnection | _Mapping[_str, _Any]] | None = ..., feed_devices: _Mapping[_str, _str] | None = ..., fetch_devices: _Mapping[_str, _str] | None = ..., fetch_skip_sync: _bool | None = ...) -> None: ...

class ConfigProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Experimental(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        MlirBridgeRollout: _ClassVar[_EnumWrapper]
        MLIR_BRIDGE_ROLLOUT_UNSPECIFIED: _ClassVar[_int]
        MLIR_BRIDGE_ROLLOUT_ENABLED: _ClassVar[_int]
        MLIR_BRIDGE_ROLLOUT_DISABLED: _ClassVar[_int]
        COLLECTIVE_GROUP_LEADER_FIELD_NUMBER: _ClassVar[_int]
        EXECUTOR_TYPE_FIELD_NUMBER: _ClassVar[_int]
        RECV_BUF_MAX_CHUNK_FIELD_NUMBER: _ClassVar[_int]
        USE_NUMA_AFFINITY_FIELD_NUMBER: _ClassVar[_int]
        COLLECTIVE_DETERMINISTIC_SEQUENTIAL_EXECUTION_FIELD_NUMBER: _ClassVar[_int]
        COLLECTIVE_NCCL_FIELD_NUMBER: _ClassVar[_int]
        SHARE_SESSION_STATE_IN_CLUSTERSPEC_PROPAGATION_FIELD_NUMBER: _ClassVar[_int]
        DISABLE_THREAD_SPINNING_FIELD_NUMBER: _ClassVar[_int]
        SHARE_CLUSTER_DEVICES_IN_SESSION_FIELD_NUMBER: _ClassVar[_int]
        SESSION_METADATA_FIELD_NUMBER: _ClassVar[_int]
        OPTIMIZE_FOR_STATIC_GRAPH_FIELD_NUMBER: _ClassVar[_int]
        ENABLE_MLIR_BRIDGE_FIELD_NUMBER: _ClassVar[_int]
        MLIR_BRIDGE_ROLLOUT_FIELD_NUMBER: _ClassVar[_int]
        ENABLE_MLIR_GRAPH_OPTIMIZATION_FIELD_NUMBER: _ClassVar[_int]
        DISABLE_OUTPUT_PARTITION_GRAPHS_FIELD_NUMBER: _ClassVar[_int]
        XLA_FUSION_AUTOTUNER_THRESH_FIELD_NUMBER: _ClassVar[_int]
        USE_TFRT_FIELD_NUMBER: _ClassVar[_int]
        ENABLE_MULTI_HOST_FIELD_NUMBER: _ClassVar[_int]
        TFRT_USE_IFRT_FIELD_NUMBER: _ClassVar[_int]
        BACKEND_SERVER_PORT_FIELD_NUMBER: _ClassVar[_int]
        TARGET_TPU_FIELD_NUMBER: _ClassVar[_int]
        TARGET_GPU_FIELD_NUMBER: _ClassVar[_int]
        STREAM_MERGE_THRESHOLD_FIELD_NUMBER: _ClassVar[_int]
        DISABLE_FUNCTIONAL_OPS_LOWERING_FIELD_NUMBER: _ClassVar[_int]
        XLA_PREFER_SINGLE_GRAPH_CLUSTER_FIELD_NUMBER: _ClassVar[_int]
        COORDINATION_CONFIG_FIELD_NUMBER: _ClassVar[_int]
        DISABLE_OPTIMIZE_FOR_STATIC_GRAPH_FIELD_NUMBER: _ClassVar[_int]
        DISABLE_EAGER_EXECUTOR_STREAMING_ENQUEUE_FIELD_NUMBER: _ClassVar[_int]
        FINALIZE_FUNCTION_LIBRARY_RUNTIME_FIELD_NUMBER: _ClassVar[_int]
        FINALIZE_RESOURCE_MANAGER_FIELD_NUMBER: _ClassVar[_int]
        TF2XLA_DUMP_DIR_FIELD_NUMBER: _ClassVar[_int]
        ONLINE_COST_ANALYSIS_FIELD_NUMBER: _ClassVar[_int]
        collective_group_leader: _str
        executor_type: _str
        recv_buf_max_chunk: _int
        use_numa_affinity: _bool
        collective_deterministic_sequential_execution: _bool
        collective_nccl: _bool
        share_session_state_in_clusterspec_propagation: _bool
        disable_thread_spinning: _bool
        share_cluster_devices_in_session: _bool
        @property
        def session_metadata(self) -> SessionMetadata: ...
        optimize_for_static_graph: _bool
        enable_mlir_bridge: _bool
        mlir_bridge_rollout: _int
        enable_mlir_graph_optimization: _bool
        disable_output_partition_graphs: _bool
        xla_fusion_autotuner_thresh: _int
        use_tfrt: _bool
        enable_multi_host: _bool
        tfrt_use_ifrt: _bool
        backend_server_port: _int
        target_tpu: _bool
        target_gpu: _bool
        stream_merge_threshold: _int
        disable_functional_ops_lowering: _bool
        xla_prefer_single_graph_cluster: _bool
        @property
        def coordination_config(self) -> _CoordinationServiceConfig_: ...
        disable_optimize_for_static_graph: _bool
        disable_eager_executor_streaming_enqueue: _bool
        finalize_function_library_runtime: _bool
        finalize_resource_manager: _bool
        tf2xla_dump_dir: _str
        online_cost_analysis: _bool
        def __init__(self, *, collective_group_leader: _str | _bytes | None = ..., executor_type: _str | _bytes | None = ..., recv_buf_max_chunk: _int | None = ..., use_numa_affinity: _bool | None = ..., collective_deterministic_sequential_execution: _bool | None = ..., collective_nccl: _bool | None = ..., share_session_state_in_clusterspec_propagation: _bool | None = ..., disable_thread_spinning: _bool | None = ..., share_cluster_devices_in_session: _bool | None = ..., session_metadata: SessionMetadata | _Mapping[_str, _Any] | None = ..., optimize_for_static_graph: _bool | None = ..., enable_mlir_bridge: _bool | None = ..., mlir_bridge_rollout: _int | _str | None = ..., enable_mlir_graph_optimization: _bool | None = ..., disable_output_partition_graphs: _bool | None = ..., xla_fusion_autotuner_thresh: _int | None = ..., use_tfrt: _bool | None = ..., enable_multi_host: _bool | None = ..., tfrt_use_ifrt: _bool | None = ..., backend_server_port: _int | None = ..., target_tpu: _bool | None = ..., target_gpu: _bool | None = ..., stream_merge_threshold: _int | None = ..., disable_functional_ops_lowering: _bool | None = ..., xla_prefer_single_graph_cluster: _bool | None = ..., coordination_config: _CoordinationServiceConfig_ | _Mapping[_str, _Any] | None = ..., disable_optimize_for_static_graph: _bool | None = ..., disable_eager_executor_streaming_enqueue: _bool | None = ..., finalize_function_library_runtime: _bool | None = ..., finalize_resource_manager: _bool | None = ..., tf2xla_dump_dir: _str | _bytes | None = ..., online_cost_analysis: _bool | None = ...) -> None: ...
    DEVICE_COUNT_FIELD_NUMBER: _ClassVar[_int]
    INTRA_OP_PARALLELISM_THREADS_FIELD_NUMBER: _ClassVar[_int]
    INTER_OP_PARALLELISM_THREADS_FIELD_NUMBER: _ClassVar[_int]
    USE_PER_SESSION_THREADS_FIELD_NUMBER: _ClassVar[_int]
    SESSION_INTER_OP_THREAD_POOL_FIELD_NUMBER: _ClassVar[_int]
    PLACEMENT_PERIOD_FIELD_NUMBER: _ClassVar[_int]
    DEVICE_FILTERS_FIELD_NUMBER: _ClassVar[_int]
    GPU_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    PLUGGABLE_DEVICE_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    ALLOW_SOFT_PLACEMENT_FIELD_NUMBER: _ClassVar[_int]
    LOG_DEVICE_PLACEMENT_FIELD_NUMBER: _ClassVar[_int]
    GRAPH_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    OPERATION_TIMEOUT_IN_MS_FIELD_NUMBER: _ClassVar[_int]
    RPC_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    CLUSTER_DEF_FIELD_NUMBER: _ClassVar[_int]
    ISOLATE_SESSION_STATE_FIELD_NUMBER: _ClassVar[_int]
    SHARE_CLUSTER_DEVICES_IN_SESSION_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_FIELD_NUMBER: _ClassVar[_int]
    @property
    def device_count(self) -> _ScalarMap[_str, _int]: ...
    intra_op_parallelism_threads: _int
    inter_op_parallelism_threads: _int
    use_per_session_threads: _bool
    @property
    def session_inter_op_thread_pool(self) -> _RepeatedMessage[ThreadPoolOptionProto]: ...
    placement_period: _int
    @property
    def device_filters(self) -> _RepeatedScalar[_str]: ...
    @property
    def gpu_options(self) -> GPUOptions: ...
    @property
    def pluggable_device_options(self) -> GPUOptions: ...
    allow_soft_placement: _bool
    log_device_placement: _bool
    @property
    def graph_options(self) -> GraphOptions: ...
    operation_timeout_in_ms: _int
    @property
    def rpc_options(self) -> _RPCOptions_: ...
    @property
    def cluster_def(self) -> _ClusterDef_: ...
    isolate_session_state: _bool
    share_cluster_devices_in_session: _bool
    @property
    def experimental(self) -> ConfigProto.Experimental: ...
    def __init__(self, *, device_count: _Mapping[_str, _int] | None = ..., intra_op_parallelism_threads: _int | None = ..., inter_op_parallelism_threads: _int | None = ..., use_per_session_threads: _bool | None = ..., session_inter_op_thread_pool: _Iterable[ThreadPoolOptionProto | _Mapping[_str, _Any]] | None = ..., placement_period: _int | None = ..., device_filters: _Iterable[_str | _bytes] | None = ..., gpu_options: GPUOptions | _Mapping[_str, _Any] | None = ..., pluggable_device_options: GPUOptions | _Mapping[_str, _Any] | None = ..., allow_soft_placement: _bool | None = ..., log_device_placement: _bool | None = ..., graph_options: GraphOptions | _Mapping[_str, _Any] | None = ..., operation_timeout_in_ms: _int | None = ..., rpc_options: _RPCOptions_ | _Mapping[_str, _Any] | None = ..., cluster_def: _ClusterDef_ | _Mapping[_str, _Any] | None = ..., isolate_session_state: _bool | None = ..., share_cluster_devices_in_session: _bool | None = ..., experimental: ConfigProto.Experimental | _Mapping[_str, _Any] | None = ...) -> None: ...

class GPUOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class Experimental(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        class VirtualDevices(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            MEMORY_LIMIT_MB_FIELD_NUMBER: _ClassVar[_int]
            PRIORITY_FIELD_NUMBER: _ClassVar[_int]
            DEVICE_ORDINAL_FIELD_NUMBER: _ClassVar[_int]
            @property
            def memory_limit_mb(self) -> _RepeatedScalar[_float]: ...
            @property
            def priority(self) -> _RepeatedScalar[_int]: ...
            @property
            def device_ordinal(self) -> _RepeatedScalar[_int]: ...
            def __init__(self, *, memory_limit_mb: _Iterable[_float] | None = ..., priority: _Iterable[_int] | None = ..., device_ordinal: _Iterable[_int] | None = ...) -> None: ...
        class StreamMergeOptions(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            MERGE_HOST_TO_DEVICE_STREAM_FIELD_NUMBER: _ClassVar[_int]
            MERGE_DEVICE_TO_HOST_STREAM_FIELD_NUMBER: _ClassVar[_int]
            MERGE_DEVICE_TO_DEVICE_STREAM_FIELD_NUMBER: _ClassVar[_int]
            merge_host_to_device_stream: _bool
            merge_device_to_host_stream: _bool
            merge_device_to_device_stream: _bool
            def __init__(self, *, merge_host_to_device_stream: _bool | None = ..., merge_device_to_host_stream: _bool | None = ..., merge_device_to_device_stream: _bool | None = ...) -> None: ...
        VIRTUAL_DEVICES_FIELD_NUMBER: _ClassVar[_int]
        NUM_VIRTUAL_DEVICES_PER_GPU_FIELD_NUMBER: _ClassVar[_int]
        USE_UNIFIED_MEMORY_FIELD_NUMBER: _ClassVar[_int]
        NUM_DEV_TO_DEV_COPY_STREAMS_FIELD_NUMBER: _ClassVar[_int]
        COLLECTIVE_RING_ORDER_FIELD_NUMBER: _ClassVar[_int]
        TIMESTAMPED_ALLOCATOR_FIELD_NUMBER: _ClassVar[_int]
        KERNEL_TRACKER_MAX_INTERVAL_FIELD_NUMBER: _ClassVar[_int]
        KERNEL_TRACKER_MAX_BYTES_FIELD_NUMBER: _ClassVar[_int]
        KERNEL_TRACKER_MAX_PENDING_FIELD_NUMBER: _ClassVar[_int]
        INTERNAL_FRAGMENTATION_FRACTION_FIELD_NUMBER: _ClassVar[_int]
        USE_CUDA_MALLOC_ASYNC_FIELD_NUMBER: _ClassVar[_int]
        DISALLOW_RETRY_ON_ALLOCATION_FAILURE_FIELD_NUMBER: _ClassVar[_int]
        GPU_HOST_MEM_LIMIT_IN_MB_FIELD_NUMBER: _ClassVar[_int]
        GPU_HOST_MEM_DISALLOW_GROWTH_FIELD_NUMBER: _ClassVar[_int]
        GPU_SYSTEM_MEMORY_SIZE_IN_MB_FIELD_NUMBER: _ClassVar[_int]
        POPULATE_PJRT_GPU_CLIENT_CREATION_INFO_FIELD_NUMBER: _ClassVar[_int]
        NODE_ID_FIELD_NUMBER: _ClassVar[_int]
        STREAM_MERGE_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
        @property
        def virtual_devices(self) -> _RepeatedMessage[GPUOptions.Experimental.VirtualDevices]: ...
        num_virtual_devices_per_gpu: _int
        use_unified_memory: _bool
        num_dev_to_dev_copy_streams: _int
        collective_ring_order: _str
        timestamped_allocator: _bool
        kernel_tracker_max_interval: _int
        kernel_tracker_max_bytes: _int
        kernel_tracker_max_pending: _int
        internal_fragmentation_fraction: _float
        use_cuda_malloc_async: _bool
        disallow_retry_on_allocation_failure: _bool
        gpu_host_mem_limit_in_mb: _float
        gpu_host_mem_disallow_growth: _bool
        gpu_system_memory_size_in_mb: _int
        populate_pjrt_gpu_client_creation_info: _bool
        node_id: _int
        @property
        def stream_merge_options(self) -> GPUOptions.Experimental.StreamMergeOptions: ...
        def __init__(self, *, virtual_devices: _Iterable[GPUOptions.Experimental.VirtualDevices | _Mapping[_str, _Any]] | None = ..., num_virtual_devices_per_gpu: _int | None = ..., use_unified_memory: _bool | None = ..., num_dev_to_dev_copy_streams: _int | None = ..., collective_ring_order: _str | _bytes | None = ..., timestamped_allocator: _bool | None = ..., kernel_tracker_max_interval: _int | None = ..., kernel_tracker_max_bytes: _int | None = ..., kernel_tracker_max_pending: _int | None = ..., internal_fragmentation_fraction: _float | None = ..., use_cuda_malloc_async: _bool | None = ..., disallow_retry_on_allocation_failure: _bool | None = ..., gpu_host_mem_limit_in_mb: _float | None = ..., gpu_host_mem_disallow_growth: _bool | None = ..., gpu_system_memory_size_in_mb: _int | None = ..., populate_pjrt_gpu_client_creation_info: _bool | None = ..., node_id: _int | None = ..., stream_merge_options: GPUOptions.Experimental.StreamMergeOptions | _Mapping[_str, _Any] | None = ...) -> None: ...
    PER_PROCESS_GPU_MEMORY_FRACTION_FIELD_NUMBER: _ClassVar[_int]
    ALLOW_GROWTH_FIELD_NUMBER: _ClassVar[_int]
    ALLOCATOR_TYPE_FIELD_NUMBER: _ClassVar[_int]
    DEFERRED_DELETION_BYTES_FIELD_NUMBER: _ClassVar[_int]
    VISIBLE_DEVICE_LIST_FIELD_NUMBER: _ClassVar[_int]
    POLLING_ACTIVE_DELAY_USECS_FIELD_NUMBER: _ClassVar[_int]
    POLLING_INACTIVE_DELAY_MSECS_FIELD_NUMBER: _ClassVar[_int]
    FORCE_GPU_COMPATIBLE_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_FIELD_NUMBER: _ClassVar[_int]
    per_process_gpu_memory_fraction: _float
    allow_growth: _bool
    allocator_type: _str
    deferred_deletion_bytes: _int
    visible_device_list: _str
    polling_active_delay_usecs: _int
    polling_inactive_delay_msecs: _int
    force_gpu_compatible: _bool
    @property
    def experimental(self) -> GPUOptions.Experimental: ...
    def __init__(self, *, per_process_gpu_memory_fraction: _float | None = ..., allow_growth: _bool | None = ..., allocator_type: _str | _bytes | None = ..., deferred_deletion_bytes: _int | None = ..., visible_device_list: _str | _bytes | None = ..., polling_active_delay_usecs: _int | None = ..., polling_inactive_delay_msecs: _int | None = ..., force_gpu_compatible: _bool | None = ..., experimental: GPUOptions.Experimental | _Mapping[_str, _Any] | None = ...) -> None: ...

class GraphOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    ENABLE_RECV_SCHEDULING_FIELD_NUMBER: _ClassVar[_int]
    OPTIMIZER_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    BUILD_COST_MODEL_FIELD_NUMBER: _ClassVar[_int]
    BUILD_COST_MODEL_AFTER_FIELD_NUMBER: _ClassVar[_int]
    INFER_SHAPES_FIELD_NUMBER: _ClassVar[_int]
    PLACE_PRUNED_GRAPH_FIELD_NUMBER: _ClassVar[_int]
    ENABLE_BFLOAT16_SENDRECV_FIELD_NUMBER: _ClassVar[_int]
    TIMELINE_STEP_FIELD_NUMBER: _ClassVar[_int]
    REWRITE_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    enable_recv_scheduling: _bool
    @property
    def optimizer_options(self) -> OptimizerOptions: ...
    build_cost_model: _int
    build_cost_model_after: _int
    infer_shapes: _bool
    place_pruned_graph: _bool
    enable_bfloat16_sendrecv: _bool
    timeline_step: _int
    @property
    def rewrite_options(self) -> _RewriterConfig_: ...
    def __init__(self, *, enable_recv_scheduling: _bool | None = ..., optimizer_options: OptimizerOptions | _Mapping[_str, _Any] | None = ..., build_cost_model: _int | None = ..., build_cost_model_after: _int | None = ..., infer_shapes: _bool | None = ..., place_pruned_graph: _bool | None = ..., enable_bfloat16_sendrecv: _bool | None = ..., timeline_step: _int | None = ..., rewrite_options: _RewriterConfig_ | _Mapping[_str, _Any] | None = ...) -> None: ...

class OptimizerOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    Level: _ClassVar[_EnumWrapper]
    L1: _ClassVar[_int]
    L0: _ClassVar[_int]
    GlobalJitLevel: _ClassVar[_EnumWrapper]
    DEFAULT: _ClassVar[_int]
    OFF: _ClassVar[_int]
    ON_1: _ClassVar[_int]
    ON_2: _ClassVar[_int]
    DO_COMMON_SUBEXPRESSION_ELIMINATION_FIELD_NUMBER: _ClassVar[_int]
    DO_CONSTANT_FOLDING_FIELD_NUMBER: _ClassVar[_int]
    MAX_FOLDED_CONSTANT_IN_BYTES_FIELD_NUMBER: _ClassVar[_int]
    DO_FUNCTION_INLINING_FIELD_NUMBER: _ClassVar[_int]
    OPT_LEVEL_FIELD_NUMBER: _ClassVar[_int]
    GLOBAL_JIT_LEVEL_FIELD_NUMBER: _ClassVar[_int]
    CPU_GLOBAL_JIT_FIELD_NUMBER: _ClassVar[_int]
    do_common_subexpression_elimination: _bool
    do_constant_folding: _bool
    max_folded_constant_in_bytes: _int
    do_function_inlining: _bool
    opt_level: _int
    global_jit_level: _int
    cpu_global_jit: _bool
    def __init__(self, *, do_common_subexpression_elimination: _bool | None = ..., do_constant_folding: _bool | None = ..., max_folded_constant_in_bytes: _int | None = ..., do_function_inlining: _bool | None = ..., opt_level: _int | _str | None = ..., global_jit_level: _int | _str | None = ..., cpu_global_jit: _bool | None = ...) -> None: ...

class RunMetadata(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    class FunctionGraphs(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        PARTITION_GRAPHS_FIELD_NUMBER: _ClassVar[_int]
        PRE_OPTIMIZATION_GRAPH_FIELD_NUMBER: _ClassVar[_int]
        POST_OPTIMIZATION_GRAPH_FIELD_NUMBER: _ClassVar[_int]
        @property
        def partition_graphs(self) -> _RepeatedMessage[_GraphDef_]: ...
        @property
        def pre_optimization_graph(self) -> _GraphDef_: ...
        @property
        def post_optimization_graph(self) -> _GraphDef_: ...
        def __init__(self, *, partition_graphs: _Iterable[_GraphDef_ | _Mapping[_str, _Any]] | None = ..., pre_optimization_graph: _GraphDef_ | _Mapping[_str, _Any] | None = ..., post_optimization_graph: _GraphDef_ | _Mapping[_str, _Any] | None = ...) -> None: ...
    STEP_STATS_FIELD_NUMBER: _ClassVar[_int]
    COST_GRAPH_FIELD_NUMBER: _ClassVar[_int]
    PARTITION_GRAPHS_FIELD_NUMBER: _ClassVar[_int]
    FUNCTION_GRAPHS_FIELD_NUMBER: _ClassVar[_int]
    SESSION_METADATA_FIELD_NUMBER: _ClassVar[_int]
    @property
    def step_stats(self) -> _StepStats_: ...
    @property
    def cost_graph(self) -> _CostGraphDef_: ...
    @property
    def partition_graphs(self) -> _RepeatedMessage[_GraphDef_]: ...
    @property
    def function_graphs(self) -> _RepeatedMessage[RunMetadata.FunctionGraphs]: ...
    @property
    def session_metadata(self) -> SessionMetadata: ...
    def __init__(self, *, step_stats: _StepStats_ | _Mapping[_str, _Any] | None = ..., cost_graph: _CostGraphDef_ | _Mapping[_str, _Any] | None = ..., partition_graphs: _Iterable[_GraphDef_ | _Mapping[_str, _Any]] | None = ..., function_graphs: _Iterable[RunMetadata.FunctionGraphs | _Mapping[_str, _Any]] | None = ..., session_metadata: SessionMetadata | _Mapping[_str, _Any] | None = ...) -> None: ...

class RunOptions(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    TraceLevel: _ClassVar[_EnumWrapper]
    NO_TRACE: _ClassVar[_int]
    SOFTWARE_TRACE: _ClassVar[_int]
    HARDWARE_TRACE: _ClassVar[_int]
    FULL_TRACE: _ClassVar[_int]
    class Experimental(_Message):
        DESCRIPTOR: _ClassVar[_Any]
        class RunHandlerPoolOptions(_Message):
            DESCRIPTOR: _ClassVar[_Any]
            PRIORITY_FIELD_NUMBER: _ClassVar[_int]
            priority: _int
            def __init__(self, *, priority: _int | None = ...) -> None: ...
        COLLECTIVE_GRAPH_KEY_FIELD_NUMBER: _ClassVar[_int]
        USE_RUN_HANDLER_POOL_FIELD_NUMBER: _ClassVar[_int]
        RUN_HANDLER_POOL_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
        collective_graph_key: _int
        use_run_handler_pool: _bool
        @property
        def run_handler_pool_options(self) -> RunOptions.Experimental.RunHandlerPoolOptions: ...
        def __init__(self, *, collective_graph_key: _int | None = ..., use_run_handler_pool: _bool | None = ..., run_handler_pool_options: RunOptions.Experimental.RunHandlerPoolOptions | _Mapping[_str, _Any] | None = ...) -> None: ...
    TRACE_LEVEL_FIELD_NUMBER: _ClassVar[_int]
    TIMEOUT_IN_MS_FIELD_NUMBER: _ClassVar[_int]
    INTER_OP_THREAD_POOL_FIELD_NUMBER: _ClassVar[_int]
    OUTPUT_PARTITION_GRAPHS_FIELD_NUMBER: _ClassVar[_int]
    DEBUG_OPTIONS_FIELD_NUMBER: _ClassVar[_int]
    REPORT_TENSOR_ALLOCATIONS_UPON_OOM_FIELD_NUMBER: _ClassVar[_int]
    EXPERIMENTAL_FIELD_NUMBER: _ClassVar[_int]
    trace_level: _int
    timeout_in_ms: _int
    inter_op_thread_pool: _int
    output_partition_graphs: _bool
    @property
    def debug_options(self) -> _DebugOptions_: ...
    report_tensor_allocations_upon_oom: _bool
    @property
    def experimental(self) -> RunOptions.Experimental: ...
    def __init__(self, *, trace_level: _int | _str | None = ..., timeout_in_ms: _int | None = ..., inter_op_thread_pool: _int | None = ..., output_partition_graphs: _bool | None = ..., debug_options: _DebugOptions_ | _Mapping[_str, _Any] | None = ..., report_tensor_allocations_upon_oom: _bool | None = ..., experimental: RunOptions.Experimental | _Mapping[_str, _Any] | None = ...) -> None: ...

class SessionMetadata(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NAME_FIELD_NUMBER: _ClassVar[_int]
    VERSION_FIELD_NUMBER: _ClassVar[_int]
    name: _str
    version: _int
    def __init__(self, *, name: _str | _bytes | None = ..., version: _int | None = ...) -> None: ...

class TensorConnection(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    FROM_TENSOR_FIELD_NUMBER: _ClassVar[_int]
    TO_TENSOR_FIELD_NUMBER: _ClassVar[_int]
    from_tensor: _str
    to_tensor: _str
    def __init__(self, *, from_tensor: _str | _bytes | None = ..., to_tensor: _str | _bytes | None = ...) -> None: ...

class ThreadPoolOptionProto(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    NUM_THREADS_FIELD_NUMBER: _ClassVar[_int]
    GLOBAL_NAME_FIELD_NUMBER: _ClassVar[_int]
    num_threads: _int
    global_name: _str
    def __init__(self, *, num_threads: _int | None = ..., global_name: _str | _bytes | None = ...) -> None: ...
