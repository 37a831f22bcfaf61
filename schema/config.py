"""tensorflow/core/protobuf/config.proto: the configuration of a session, and the report of a run."""

from __future__ import annotations

from pbwire import table as pb

from .cluster import ClusterDef
from .coordination_config import CoordinationServiceConfig
from .cost_graph import CostGraphDef
from .debug import DebugOptions
from .graph import GraphDef
from .rewriter_config import RewriterConfig
from .rpc_options import RPCOptions
from .step_stats import StepStats

__all__ = [
    "CallableOptions",
    "ConfigProto",
    "GPUOptions",
    "GraphOptions",
    "OptimizerOptions",
    "RunMetadata",
    "RunOptions",
    "SessionMetadata",
    "TensorConnection",
    "ThreadPoolOptionProto",
]


@pb.message("tensorflow.GPUOptions")
class GPUOptions(pb.Message):
    """The use of GPUs by a process."""

    @pb.message("tensorflow.GPUOptions.Experimental")
    class Experimental(pb.Message):
        """Experimental options, which may change."""

        @pb.message("tensorflow.GPUOptions.Experimental.VirtualDevices")
        class VirtualDevices(pb.Message):
            """The split of one visible GPU into several devices.

            The lists run in parallel; `memory_limit_mb` sets their length.
            """

            memory_limit_mb: list[float] = pb.repeated(pb.float, 1)  # empty: one device with all the memory
            priority: list[int] = pb.repeated(pb.int32, 2)  # of the CUDA streams; lower numbers go first
            device_ordinal: list[int] = pb.repeated(pb.int32, 3)  # devices are numbered by this first, then by position

        @pb.message("tensorflow.GPUOptions.Experimental.StreamMergeOptions")
        class StreamMergeOptions(pb.Message):
            """Copies that run on the compute stream instead of their own stream, which saves synchronization."""

            merge_host_to_device_stream: bool = pb.bool(1)
            merge_device_to_host_stream: bool = pb.bool(2)
            merge_device_to_device_stream: bool = pb.bool(3)

        # one entry for each visible GPU, or empty
        virtual_devices: list[VirtualDevices] = pb.repeated(VirtualDevices, 1)
        num_virtual_devices_per_gpu: int = pb.int32(15)  # split each GPU evenly; `memory_limit_mb` takes precedence
        use_unified_memory: bool = pb.bool(2)
        num_dev_to_dev_copy_streams: int = pb.int32(3)  # 0 means 1
        # such as "3,2,1,0": the order in which a ring reduction visits the GPUs
        collective_ring_order: str = pb.string(4)
        timestamped_allocator: bool = pb.bool(5)  # track when kernels are done with freed memory
        kernel_tracker_max_interval: int = pb.int32(7)  # insert a tracking event after this many kernels; 0: never
        kernel_tracker_max_bytes: int = pb.int32(8)  # or after they allocated this many bytes; 0: never
        kernel_tracker_max_pending: int = pb.int32(9)  # wait while this many events are pending; 0: never
        # split a chunk that exceeds the request by this share of the device's memory
        internal_fragmentation_fraction: float = pb.double(10)
        use_cuda_malloc_async: bool = pb.bool(11)
        # report out of memory at once, without waiting until other ops free memory
        disallow_retry_on_allocation_failure: bool = pb.bool(12)
        gpu_host_mem_limit_in_mb: float = pb.float(13)  # of pinned host memory
        gpu_host_mem_disallow_growth: bool = pb.bool(14)  # take all pinned memory at the start
        # memory that is left to the driver and other libraries; 0 for the built-in reserve
        gpu_system_memory_size_in_mb: int = pb.int32(16)
        # keep the data that a PjRt client over several hosts needs later
        populate_pjrt_gpu_client_creation_info: bool = pb.bool(17)
        node_id: int = pb.int32(18)  # of this process in such a client
        stream_merge_options: StreamMergeOptions | None = pb.field(StreamMergeOptions, 19)

    # share of each GPU's memory, 0 to 1; above 1 spills into host memory by CUDA's unified memory
    per_process_gpu_memory_fraction: float = pb.double(1)
    allow_growth: bool = pb.bool(4)  # begin small instead of taking all at the start
    allocator_type: str = pb.string(2)  # "" or "BFC" (best fit with coalescing)
    deferred_deletion_bytes: int = pb.int64(3)  # free in batches of this size; 0 lets the system choose
    visible_device_list: str = pb.string(5)  # such as "5,3": these two become GPU:0 and GPU:1
    polling_active_delay_usecs: int = pb.int32(6)  # 0 lets the system choose
    polling_inactive_delay_msecs: int = pb.int32(7)  # deprecated: ignored
    force_gpu_compatible: bool = pb.bool(8)  # all host tensors in pinned memory, for faster copies
    experimental: Experimental | None = pb.field(Experimental, 9)


@pb.message("tensorflow.OptimizerOptions")
class OptimizerOptions(pb.Message):
    """The older optimizations, which run when a graph is made ready for execution. Grappler's are in RewriterConfig."""

    @pb.enum("tensorflow.OptimizerOptions.Level")
    class Level(pb.Enum):
        """The minimum set of older optimizations."""

        L1 = 0  # common subexpressions and constants
        L0 = -1  # none

    @pb.enum("tensorflow.OptimizerOptions.GlobalJitLevel")
    class GlobalJitLevel(pb.Enum):
        """Automatic compilation of suitable parts of a graph by XLA."""

        DEFAULT = 0  # off today
        OFF = -1
        ON_1 = 1  # higher levels may compile more; currently all are the same
        ON_2 = 2

    do_common_subexpression_elimination: bool = pb.bool(1)  # ignored at level L1, which includes it
    do_constant_folding: bool = pb.bool(2)  # ignored at level L1, which includes it
    max_folded_constant_in_bytes: int = pb.int64(6)  # 0 means 10 MiB
    do_function_inlining: bool = pb.bool(4)
    opt_level: Level = pb.field(Level, 3)  # adds to the switches
    global_jit_level: GlobalJitLevel = pb.field(GlobalJitLevel, 5)
    cpu_global_jit: bool = pb.bool(7)  # compile clusters for the CPU as well; needs a `global_jit_level` that is on


@pb.message("tensorflow.GraphOptions")
class GraphOptions(pb.Message):
    """The preparation of graphs for execution."""

    enable_recv_scheduling: bool = pb.bool(2)  # ignored
    optimizer_options: OptimizerOptions | None = pb.field(OptimizerOptions, 3)
    build_cost_model: int = pb.int64(4)  # number of steps to measure before a cost model is returned; 0 for none
    build_cost_model_after: int = pb.int64(9)  # number of steps to skip before that
    infer_shapes: bool = pb.bool(5)  # put inferred shapes on the nodes
    place_pruned_graph: bool = pb.bool(6)  # choose devices only for the part that runs
    enable_bfloat16_sendrecv: bool = pb.bool(7)  # send float32 between processes in 16 bits, losing precision
    timeline_step: int = pb.int32(8)  # record a time line every this many steps; 0 for none
    rewrite_options: RewriterConfig | None = pb.field(RewriterConfig, 10)


@pb.message("tensorflow.ThreadPoolOptionProto")
class ThreadPoolOptionProto(pb.Message):
    """A pool of threads that runs ops."""

    num_threads: int = pb.int32(1)  # 0 lets the system choose
    global_name: str = pb.string(2)  # sessions that give the same name share the pool; empty: private


@pb.message("tensorflow.SessionMetadata")
class SessionMetadata(pb.Message):
    """A label for monitoring: which model a session runs. Name and version together are unique in a process."""

    name: str = pb.string(1)
    version: int = pb.int64(2)  # 0 or more


@pb.message("tensorflow.ConfigProto")
class ConfigProto(pb.Message):
    """The configuration of a session, and of TF2's eager context. The system chooses the fields that are not set."""

    @pb.message("tensorflow.ConfigProto.Experimental")
    class Experimental(pb.Message):
        """Experimental options, which may change."""

        @pb.enum("tensorflow.ConfigProto.Experimental.MlirBridgeRollout")
        class MlirBridgeRollout(pb.Enum):
            """Use of the MLIR bridge on the way to XLA."""

            MLIR_BRIDGE_ROLLOUT_UNSPECIFIED = 0  # decided graph by graph
            MLIR_BRIDGE_ROLLOUT_ENABLED = 1
            MLIR_BRIDGE_ROLLOUT_DISABLED = 2

        collective_group_leader: str = pb.string(1)  # task that numbers the groups of collective ops
        executor_type: str = pb.string(3)  # "" or "DEFAULT", or the name of another executor
        recv_buf_max_chunk: int = pb.int32(4)  # bytes; 0 means 4096, negative no limit
        use_numa_affinity: bool = pb.bool(5)  # as many CPU devices as NUMA nodes
        # run collective ops one after another, in a fixed order
        collective_deterministic_sequential_execution: bool = pb.bool(6)
        collective_nccl: bool = pb.bool(7)  # use NVIDIA's library for collectives
        # replaces isolate_session_state if the session propagates its cluster
        share_session_state_in_clusterspec_propagation: bool = pb.bool(8)
        disable_thread_spinning: bool = pb.bool(9)  # let idle threads sleep: less CPU, more latency
        share_cluster_devices_in_session: bool = pb.bool(10)  # deprecated: use ConfigProto's own
        session_metadata: SessionMetadata | None = pb.field(SessionMetadata, 11)
        optimize_for_static_graph: bool = pb.bool(12)  # the graph will not be extended
        enable_mlir_bridge: bool = pb.bool(13)  # only True counts; see mlir_bridge_rollout
        mlir_bridge_rollout: MlirBridgeRollout = pb.field(MlirBridgeRollout, 17)
        enable_mlir_graph_optimization: bool = pb.bool(16)  # graph optimizations written in MLIR
        disable_output_partition_graphs: bool = pb.bool(14)  # do not keep copies of the partitions
        xla_fusion_autotuner_thresh: int = pb.int64(15)  # batches to run before the autotuner starts; 0 never
        use_tfrt: bool = pb.bool(18)  # run on the TFRT runtime
        enable_multi_host: bool = pb.bool(27)  # TFRT runs over several hosts
        tfrt_use_ifrt: bool = pb.bool(32)  # TFRT executes through the IFRT interface
        backend_server_port: int = pb.int32(28)  # of the server that connects them
        target_tpu: bool = pb.bool(29)  # TFRT compiles for TPUs
        target_gpu: bool = pb.bool(30)  # TFRT compiles for GPUs
        stream_merge_threshold: int = pb.int32(31)  # TFRT joins streams that cost less than this; 1 joins none
        # keep If and While instead of turning them into Switch and Merge
        disable_functional_ops_lowering: bool = pb.bool(21)
        xla_prefer_single_graph_cluster: bool = pb.bool(22)  # compile the graph as one piece if possible
        coordination_config: CoordinationServiceConfig | None = pb.field(CoordinationServiceConfig, 23)
        # the graph may be extended; the opposite of optimize_for_static_graph
        disable_optimize_for_static_graph: bool = pb.bool(24)
        # let remote function calls run side by side instead of in a stream
        disable_eager_executor_streaming_enqueue: bool = pb.bool(26)
        finalize_function_library_runtime: bool = pb.bool(33)  # close it to changes when the session is finalized
        finalize_resource_manager: bool = pb.bool(34)  # likewise
        tf2xla_dump_dir: str = pb.string(35)  # folder for dumps of the translation to XLA
        online_cost_analysis: bool = pb.bool(36)  # TFRT measures the cost of ops while they run

    # from "CPU" or "GPU" to the maximum number of devices
    device_count: dict[str, int] = pb.map(pb.string, pb.int32, 1)
    # within one op; one pool for the process, sized by its first session
    intra_op_parallelism_threads: int = pb.int32(2)
    inter_op_parallelism_threads: int = pb.int32(5)  # for ops side by side; negative: run them in the caller's thread
    use_per_session_threads: bool = pb.bool(9)  # deprecated: use session_inter_op_thread_pool
    # pools that a run can choose from
    session_inter_op_thread_pool: list[ThreadPoolOptionProto] = pb.repeated(ThreadPoolOptionProto, 12)
    placement_period: int = pb.int32(3)  # reconsider placement after this many steps while warming up
    device_filters: list[str] = pb.repeated(pb.string, 4)  # such as "/job:ps": devices that do not match are not seen
    gpu_options: GPUOptions | None = pb.field(GPUOptions, 6)
    pluggable_device_options: GPUOptions | None = pb.field(GPUOptions, 18)  # for devices that plugins bring
    allow_soft_placement: bool = pb.bool(7)  # run an op on the CPU when its device cannot
    log_device_placement: bool = pb.bool(8)
    graph_options: GraphOptions | None = pb.field(GraphOptions, 10)
    operation_timeout_in_ms: int = pb.int64(11)  # for everything that blocks; 0 waits for ever
    rpc_options: RPCOptions | None = pb.field(RPCOptions, 13)  # of the distributed runtime
    cluster_def: ClusterDef | None = pb.field(ClusterDef, 14)
    isolate_session_state: bool = pb.bool(15)  # do not share variables with other sessions of the same server
    share_cluster_devices_in_session: bool = pb.bool(17)  # workers know the devices of the whole cluster
    experimental: Experimental | None = pb.field(Experimental, 16)


@pb.message("tensorflow.RunMetadata")
class RunMetadata(pb.Message):
    """The report of one run, apart from its results."""

    @pb.message("tensorflow.RunMetadata.FunctionGraphs")
    class FunctionGraphs(pb.Message):
        """One function as it was written and as it ran."""

        partition_graphs: list[GraphDef] = pb.repeated(GraphDef, 1)  # after placement, one for each device
        pre_optimization_graph: GraphDef | None = pb.field(GraphDef, 2)
        post_optimization_graph: GraphDef | None = pb.field(GraphDef, 3)

    step_stats: StepStats | None = pb.field(StepStats, 1)  # when the run was traced
    cost_graph: CostGraphDef | None = pb.field(CostGraphDef, 2)  # when a cost model was asked for
    partition_graphs: list[GraphDef] = pb.repeated(GraphDef, 3)  # the graphs that ran, one for each device
    # the same for every TF2 function that was traced
    function_graphs: list[FunctionGraphs] = pb.repeated(FunctionGraphs, 4)
    session_metadata: SessionMetadata | None = pb.field(SessionMetadata, 5)


@pb.message("tensorflow.RunOptions")
class RunOptions(pb.Message):
    """The options of one call of Session.run."""

    @pb.enum("tensorflow.RunOptions.TraceLevel")
    class TraceLevel(pb.Enum):
        """The events that a run records in its RunMetadata."""

        NO_TRACE = 0
        SOFTWARE_TRACE = 1
        HARDWARE_TRACE = 2  # of the devices alone
        FULL_TRACE = 3

    @pb.message("tensorflow.RunOptions.Experimental")
    class Experimental(pb.Message):
        """Experimental options, which may change."""

        @pb.message("tensorflow.RunOptions.Experimental.RunHandlerPoolOptions")
        class RunHandlerPoolOptions(pb.Message):
            """How the pool of run handlers treats this run."""

            priority: int = pb.int64(1)  # higher numbers go first

        collective_graph_key: int = pb.int64(1)  # equal in all runs whose collective ops belong together; 0 without any
        use_run_handler_pool: bool = pb.bool(2)  # run ops of several calls in a fair order, for short latencies
        run_handler_pool_options: RunHandlerPoolOptions | None = pb.field(RunHandlerPoolOptions, 3)

    trace_level: TraceLevel = pb.field(TraceLevel, 1)
    timeout_in_ms: int = pb.int64(2)  # 0 for none
    # an index into `ConfigProto.session_inter_op_thread_pool`; -1: the caller's thread
    inter_op_thread_pool: int = pb.int32(3)
    output_partition_graphs: bool = pb.bool(5)  # return the graph of each device in RunMetadata
    debug_options: DebugOptions | None = pb.field(DebugOptions, 6)
    report_tensor_allocations_upon_oom: bool = pb.bool(7)  # list the tensors in memory when it runs out
    experimental: Experimental | None = pb.field(Experimental, 8)


@pb.message("tensorflow.CallableOptions")
class CallableOptions(pb.Message):
    """A call of a session that is prepared once: which tensors are fed and fetched, and where they are."""

    feed: list[str] = pb.repeated(pb.string, 1)  # tensors
    fetch: list[str] = pb.repeated(pb.string, 2)  # tensors
    target: list[str] = pb.repeated(pb.string, 3)  # nodes that run without being fetched
    run_options: RunOptions | None = pb.field(RunOptions, 4)
    tensor_connection: list[TensorConnection] = pb.repeated("TensorConnection", 5)
    # the device of the value of each feed; else the host
    feed_devices: dict[str, str] = pb.map(pb.string, pb.string, 6)
    fetch_devices: dict[str, str] = pb.map(pb.string, pb.string, 7)  # the device that keeps each fetch; else the host
    fetch_skip_sync: bool = pb.bool(8)  # return before the GPU has computed fetches that stay there


@pb.message("tensorflow.TensorConnection")
class TensorConnection(pb.Message):
    """A tensor that replaces another one in the graph, as a feed does."""

    from_tensor: str = pb.string(1)  # whose value is taken
    to_tensor: str = pb.string(2)  # which is replaced
