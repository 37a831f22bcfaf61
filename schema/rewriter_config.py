"""tensorflow/core/protobuf/rewriter_config.proto: which of Grappler's optimizations run."""

from __future__ import annotations

from pbwire import table as pb

from .attr_value import AttrValue
from .verifier_config import VerifierConfig

__all__ = ["AutoParallelOptions", "RewriterConfig", "ScopedAllocatorOptions"]


@pb.message("tensorflow.AutoParallelOptions")
class AutoParallelOptions(pb.Message):
    """Training on several GPUs by copying the graph for each."""

    enable: bool = pb.bool(1)
    num_replicas: int = pb.int32(2)  # number of copies


@pb.message("tensorflow.ScopedAllocatorOptions")
class ScopedAllocatorOptions(pb.Message):
    """The ops that take part when buffers are placed side by side."""

    enable_op: list[str] = pb.repeated(pb.string, 1)  # op names; empty for the built-in choice


@pb.message("tensorflow.RewriterConfig")
class RewriterConfig(pb.Message):
    """The switches of Grappler, the optimizer that rewrites graphs before they run.

    DEFAULT is ON unless said otherwise.
    """

    @pb.enum("tensorflow.RewriterConfig.Toggle")
    class Toggle(pb.Enum):
        """A switch for an optimization."""

        DEFAULT = 0
        ON = 1
        OFF = 2
        AGGRESSIVE = 3  # also assume that, for instance, fed tensors have the declared shapes
        EXPERIMENTAL_MLIR = 4  # the MLIR version of it, if there is one
        EXPERIMENTAL_BOTH = 5  # the MLIR version, then the usual one

    @pb.enum("tensorflow.RewriterConfig.CpuLayout")
    class CpuLayout(pb.Enum):
        """Changing the data layout of convolutions on CPUs."""

        NO_CONVERSION_ON_CPU = 0
        NCHW_TO_NHWC = 1
        NHWC_TO_NCHW = 2

    @pb.enum("tensorflow.RewriterConfig.NumIterationsType")
    class NumIterationsType(pb.Enum):
        """The number of times that the sequence of optimizations runs."""

        DEFAULT_NUM_ITERS = 0  # chosen by the system, today twice
        ONE = 1
        TWO = 2

    @pb.enum("tensorflow.RewriterConfig.MemOptType")
    class MemOptType(pb.Enum):
        """The way in which Grappler saves memory."""

        DEFAULT_MEM_OPT = 0  # scheduling, and swapping where annotated
        NO_MEM_OPT = 1
        MANUAL = 2  # only as annotations of nodes say
        SWAPPING_HEURISTICS = 4  # move tensors from the GPU to the host and back
        RECOMPUTATION_HEURISTICS = 5  # compute cheap tensors again in the backward pass
        SCHEDULING_HEURISTICS = 6  # split big ops and order them to lower the peak
        HEURISTICS = 3  # swapping and recomputation together

    @pb.message("tensorflow.RewriterConfig.CustomGraphOptimizer")
    class CustomGraphOptimizer(pb.Message):
        """A user-registered optimizer, with its parameters."""

        name: str = pb.string(1)
        parameter_map: dict[str, AttrValue] = pb.map(pb.string, AttrValue, 2)

    cpu_layout_conversion: CpuLayout = pb.field(CpuLayout, 50)
    layout_optimizer: Toggle = pb.field(Toggle, 1)  # NHWC or NCHW, as the device prefers
    constant_folding: Toggle = pb.field(Toggle, 3)
    shape_optimization: Toggle = pb.field(Toggle, 13)  # simplify computations on shapes
    remapping: Toggle = pb.field(Toggle, 14)  # fuse patterns such as Conv2D + BiasAdd + Relu into one op
    common_subgraph_elimination: Toggle = pb.field(Toggle, 24)
    arithmetic_optimization: Toggle = pb.field(Toggle, 7)  # simplify expressions
    dependency_optimization: Toggle = pb.field(Toggle, 8)  # remove control edges that have no effect
    loop_optimization: Toggle = pb.field(Toggle, 9)
    function_optimization: Toggle = pb.field(Toggle, 10)  # inline and specialize functions
    debug_stripper: Toggle = pb.field(Toggle, 11)  # remove Assert, Print and the like; default off
    disable_model_pruning: bool = pb.bool(2)  # keep nodes that no output needs
    # let outputs share one buffer, to merge the ops that follow; default off
    scoped_allocator_optimization: Toggle = pb.field(Toggle, 15)
    pin_to_host_optimization: Toggle = pb.field(Toggle, 18)  # small integer ops on the CPU; default off
    implementation_selector: Toggle = pb.field(Toggle, 22)  # choose between versions of a function by device
    auto_mixed_precision: Toggle = pb.field(Toggle, 23)  # float16 on GPUs; default off; may change results
    auto_mixed_precision_mkl: Toggle = pb.field(Toggle, 25)  # deprecated: use auto_mixed_precision_onednn_bfloat16
    # bfloat16 on CPUs; default off; may change results
    auto_mixed_precision_onednn_bfloat16: Toggle = pb.field(Toggle, 31)
    auto_mixed_precision_cpu: Toggle = pb.field(Toggle, 29)  # simulate float16 on the CPU; default off
    disable_meta_optimizer: bool = pb.bool(19)  # no Grappler at all
    disable_tfg_optimizer: bool = pb.bool(32)  # skip the passes written in MLIR
    use_plugin_optimizers: Toggle = pb.field(Toggle, 28)  # those of pluggable devices
    experimental_conditional_code_motion: Toggle = pb.field(Toggle, 30)  # move code out of and into branches
    meta_optimizer_iterations: NumIterationsType = pb.field(NumIterationsType, 12)  # how often the sequence runs
    min_graph_nodes: int = pb.int32(17)  # leave smaller graphs alone; 0 lets the system choose, negative optimizes all
    # do not use the compact form for constants of equal values
    experimental_disable_compressed_tensor_optimization: bool = pb.bool(26)
    # keep FakeQuant ops, whose ranges converters need
    experimental_disable_folding_quantization_emulation: bool = pb.bool(27)
    memory_optimization: MemOptType = pb.field(MemOptType, 4)
    # recompute the inputs of the nodes of this scope; "gradients/" unless set
    memory_optimizer_target_node_name_scope: str = pb.string(6)
    meta_optimizer_timeout_ms: int = pb.int64(20)  # 0 or less for no limit
    auto_parallel: AutoParallelOptions | None = pb.field(AutoParallelOptions, 5)
    fail_on_optimizer_errors: bool = pb.bool(21)  # otherwise a pass that fails is skipped
    scoped_allocator_opts: ScopedAllocatorOptions | None = pb.field(ScopedAllocatorOptions, 16)
    # names of passes to run instead of the usual sequence, in this order
    optimizers: list[str] = pb.repeated(pb.string, 100)
    # registered by others; run after the rest unless `optimizers` places them
    custom_optimizers: list[CustomGraphOptimizer] = pb.repeated(CustomGraphOptimizer, 200)
    inter_optimizer_verifier_config: VerifierConfig | None = pb.field(VerifierConfig, 300)  # checks after each pass
    post_optimization_verifier_config: VerifierConfig | None = pb.field(VerifierConfig, 301)  # checks at the end
