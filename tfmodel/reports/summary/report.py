"""`Summary`, the description of a model as data, and its records. `text.py` formats it as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ...analysis.endpoints.endpoints import AuxiliaryNodes, Endpoint
from ...analysis.needed_release import NeededRelease
from ...source.signature_defs import SignatureFacts
from ...values.report import Report
from .text import brief_lines, headline, summary_lines


@dataclass(frozen=True, slots=True, repr=False)
class Summary(Report):
    """The description of a model. Nodes are those of the graph and of its functions, unless stated otherwise.

    name            the file; empty for a message
    what            "GraphDef", "MetaGraphDef" or "SavedModel"
    calls_functions whether the signatures were made for functions; not in JSON
    tags            the tags of the selected MetaGraph; `other_tags` are those of the others in a SavedModel
    set_aside       the auxiliary nodes: see `analysis.endpoints.auxiliary_nodes`
    producer        the GraphDef version of the writer; `min_consumer` is the lowest version that can read the graph
    written_by      the version of TensorFlow, if recorded
    needs           the first release of TensorFlow that can import the graph, and the ops and attributes that need it:
                    see `analysis.needed_release`; those in `unknown_ops` and `custom_ops` do not count
    nodes           the number of nodes of the graph; `function_nodes` is the number of nodes of all functions
    edges           the number of data inputs in the graph; `control_edges` is the number of control inputs
    ops             the ops, with the nodes, parameters and FLOPs that the likely outputs need; without likely outputs,
                    those of all nodes
    parameter_bytes the bytes of `parameters`
    flops_batch     1 if FLOPs are counted for a batch of 1, as the likely inputs have an open batch; otherwise None
    quantized       the constants in `values` that hold quantized weights, by dtype
    checkpoint      a short description of the model's checkpoint; empty without one
    unknown_ops     ops that TensorFlow 2.12 does not have and that are not declared
    custom_ops      ops that TensorFlow 2.12 does not have and that the model, or the caller, declares
    unsupported     ops that are not in the given list of supported ops; None without a list
    no_kernel       ops that the likely outputs need and the interpreter cannot run; None if NumPy is not installed
    no_kernel_elsewhere
                    ops that the interpreter cannot run, but that the likely outputs do not need
    zero_weights    a warning if most of the large constants are zero, otherwise empty
    missing_weights the files of weights that are missing beside the model, so that values are not known, else empty
    problems        contradictions in the graph
    structure       a line for every node, in execution order; empty unless requested
    bound           the tensors that the caller bound, with their values: "keep_prob=1"
    op_defs         the files in which the caller declares ops; "OPS.pbtxt" stands for a message
    """

    name: str
    what: str
    nodes: int
    function_nodes: int
    edges: int
    control_edges: int
    inputs: Sequence[Endpoint]
    outputs: Sequence[Endpoint]
    set_aside: Sequence[AuxiliaryNodes]
    ops: Sequence[OpFacts]
    parameter_bytes: int
    values: Sequence[Values]
    control_flow: ControlFlow
    functions: Sequence[FunctionFacts]
    devices: Sequence[Device]
    unknown_ops: Sequence[OpUse]
    custom_ops: Sequence[OpUse]
    unsupported: Sequence[OpUse] | None
    no_kernel: Sequence[OpUse] | None
    problems: Sequence[str]
    no_kernel_elsewhere: Sequence[OpUse] = ()
    zero_weights: str = ""
    missing_weights: str = ""
    signatures: Sequence[SignatureFacts] = ()
    calls_functions: bool = False
    collections: Mapping[str, int] = field(default_factory=dict)
    tags: Sequence[str] = ()
    other_tags: Sequence[Sequence[str]] = ()
    producer: int = 0
    min_consumer: int = 0
    written_by: str = ""
    needs: NeededRelease = field(default_factory=NeededRelease)
    quantized: Sequence[QuantizedFacts] = ()
    checkpoint: str = ""
    flops_batch: int | None = None
    structure: Sequence[str] = ()
    bound: Sequence[str] = ()
    op_defs: Sequence[str] = ()

    @property
    def parameters(self) -> int:
        """The number of elements of the constants and variables that are used as weights."""
        return sum(row.parameters for row in self.ops)

    @property
    def flops(self) -> int:
        """The floating point operations of the nodes whose shapes are known; see `flops.py` for the rules.

        Each called function counts once, as do the body of a loop and both branches of a conditional.
        """
        return sum(row.flops or 0 for row in self.ops)

    @property
    def unshaped(self) -> int:
        """The number of nodes that are missing in `flops`, since their shapes are unknown."""
        return sum(row.unshaped for row in self.ops)

    @property
    def needed_nodes(self) -> int:
        """The number of nodes that the likely outputs need, those in functions too; each function counts once."""
        return sum(row.nodes for row in self.ops)

    @property
    def input_names(self) -> list[str]:
        """The tensors of the likely inputs, for `--inputs`."""
        return [end.name for end in self.inputs if end.is_likely]

    @property
    def output_names(self) -> list[str]:
        """The tensors of the likely outputs, for `--outputs`."""
        return [end.name for end in self.outputs if end.is_likely]

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        facts = asdict(self)
        del facts["calls_functions"]
        if not self.structure:
            del facts["structure"]
        totals = {"parameters": self.parameters, "flops": self.flops, "unshaped": self.unshaped}
        totals["needed_nodes"] = self.needed_nodes
        return facts | totals | {"input_names": self.input_names, "output_names": self.output_names}

    def headline(self) -> str:
        """Return the kind of the model, the numbers of nodes and parameters, the inputs and the outputs."""
        return headline(self)

    def to_text(self, *, brief: bool = False) -> str:
        """Return the description as text, safe to show on a terminal; with `brief`, about ten lines of it."""
        return "".join(f"{line}\n" for line in self.lines(brief=brief))

    def lines(self, *, brief: bool = False) -> Iterator[str]:
        """Return the lines of `to_text`."""
        return brief_lines(self) if brief else summary_lines(self)


@dataclass(frozen=True, slots=True)
class OpFacts:
    """The nodes of one op that the likely outputs need, those in functions too.

    all_nodes    all nodes of the op
    parameters   elements of the constants and variables that these nodes use as weights; each counts once
    flops        of one run; None if the op has no rule
    unshaped     the number of nodes that are missing in `flops`, since their shapes are unknown
    is_open      whether the nodes may cost more than `flops`: calls, loops, Python functions, ops without a rule, and
                 unknown shapes
    """

    op: str
    nodes: int
    all_nodes: int
    parameters: int = 0
    flops: int | None = None
    unshaped: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class OpUse:
    """An op, the number of its nodes, and the names of the first nodes."""

    op: str
    nodes: int
    first: Sequence[str]


@dataclass(frozen=True, slots=True)
class Values:
    """The constants or variables of one dtype: their number, elements and bytes.

    unknown   the number of those missing in `elements` and `bytes`, since their shapes are unknown
    """

    kind: str
    dtype: str
    count: int
    elements: int
    bytes: int
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class QuantizedFacts:
    """The weights that are quantized to one dtype: their number, elements, and stored bytes.

    parameters   the elements that count as parameters
    """

    dtype: str
    count: int
    elements: int
    parameters: int
    bytes: int
    bytes_as_float32: int


@dataclass(frozen=True, slots=True)
class Device:
    """A device and the number of nodes assigned to it; `is_custom` for a kind that TensorFlow does not have."""

    name: str
    nodes: int
    is_custom: bool


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function of the library: the numbers of its nodes, and of nodes that call it or name it in an attribute."""

    name: str
    nodes: int
    calls: int


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """Loops and conditionals.

    loops          of TensorFlow 1: the names of frames, with the numbers of nodes in them
    conditionals   of TensorFlow 1: the number of condition tensors
    functional     While, If, Case and similar ops: the number of nodes of each
    """

    loops: Mapping[str, int] = field(default_factory=dict)
    conditionals: int = 0
    functional: Mapping[str, int] = field(default_factory=dict)
