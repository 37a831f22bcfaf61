"""`Summary`: what `summarize` found, as data, as text to read, as JSON.

What a summary is made of: plain data, of which `report.py` makes text and JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ...shapes import Shape

__all__ = [
    "ControlFlow",
    "Device",
    "Endpoint",
    "FunctionFacts",
    "NamedTensor",
    "OpFacts",
    "OpUse",
    "QuantizedFacts",
    "SetAside",
    "SignatureFacts",
    "Summary",
    "Values",
]


@dataclass(frozen=True, slots=True)
class Summary:
    """A model at a glance. Nodes are those of the graph and of its functions, unless it says otherwise.

    name            the file; empty if it came as a message
    what            "GraphDef", "MetaGraphDef" or "SavedModel"
    tags            of the MetaGraph that this is about; `other_tags` are those of the others in a SavedModel
    producer        the version of GraphDefs that wrote it; `min_consumer` the least that can read it
    written_by      the version of TensorFlow, where it says so
    nodes           of the graph alone; `function_nodes` those of all functions
    edges           data inputs of nodes of the graph; `control_edges` the others
    output_flops    of `flops`, those that the likely outputs need; `output_unshaped` nodes are missing in it
    quantized       of the constants in `values`, those that are codes of weights, by type
    checkpoint      what belongs to the model, in a few words; empty if there is none
    unknown_ops     ops that TensorFlow 2.12 does not have and that nobody declared
    custom_ops      ops that TensorFlow 2.12 does not have and that the model, or the caller, declared
    unsupported     ops that are missing in the list of a runtime; None if there was no list
    no_kernel       ops that the likely outputs need and the interpreter cannot run; None if NumPy, which it needs, is
                    not there
    no_kernel_elsewhere
                    ops without a kernel that only other nodes have
    zero_weights    that most of the large constants are zero; empty if they are not
    problems        what is wrong with the graph
    structure       a line for every node, in execution order; empty if it was not asked for
    """

    name: str
    what: str
    nodes: int
    function_nodes: int
    edges: int
    control_edges: int
    inputs: Sequence[Endpoint]
    outputs: Sequence[Endpoint]
    set_aside: Sequence[SetAside]
    ops: Sequence[OpFacts]
    output_flops: int
    output_unshaped: int
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
    signatures: Sequence[SignatureFacts] = ()
    collections: Mapping[str, int] = field(default_factory=dict)
    tags: Sequence[str] = ()
    other_tags: Sequence[Sequence[str]] = ()
    producer: int = 0
    min_consumer: int = 0
    written_by: str = ""
    quantized: Sequence[QuantizedFacts] = ()
    checkpoint: str = ""
    structure: Sequence[str] = ()

    @property
    def parameters(self) -> int:
        """The elements of all constants and variables that are weights of the ops that they go into."""
        return sum(row.parameters for row in self.ops)

    @property
    def flops(self) -> int:
        """The floating point operations of all nodes, as far as shapes are known; see `flops.py` for what counts.

        Each function that is called counts once, as does the body of a loop, and both sides of a conditional.
        """
        return sum(row.flops or 0 for row in self.ops)

    @property
    def unshaped(self) -> int:
        """How many nodes are missing in `flops`, since their shapes are not known."""
        return sum(row.unshaped for row in self.ops)

    @property
    def input_names(self) -> list[str]:
        """What `--inputs` should be: the tensors of likely inputs."""
        return [each.tensor for each in self.inputs if each.is_likely]

    @property
    def output_names(self) -> list[str]:
        return [each.tensor for each in self.outputs if each.is_likely]

    def facts(self) -> dict[str, Any]:
        """What JSON says."""
        facts = {"model": self.name, **asdict(self)}
        del facts["name"]
        if not self.structure:
            del facts["structure"]
        totals = {"parameters": self.parameters, "flops": self.flops, "unshaped": self.unshaped}
        return facts | totals | {"input_names": self.input_names, "output_names": self.output_names}

    def to_json(self) -> str:
        return json.dumps(self.facts(), indent=2, allow_nan=False)

    def to_text(self) -> str:
        """A page, safe to show on a terminal."""
        return "".join(f"{line}\n" for line in self.lines())

    def __str__(self) -> str:
        return self.to_text()

    def lines(self) -> Iterator[str]:
        from .text import lines_of

        return lines_of(self)


@dataclass(frozen=True, slots=True)
class NamedTensor:
    """What a signature calls an input or output: its name there, the tensor in the graph, type and shape."""

    name: str
    tensor: str
    dtype: str
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class SignatureFacts:
    """One way to call a model."""

    name: str
    method: str
    inputs: Sequence[NamedTensor]
    outputs: Sequence[NamedTensor]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A node that is likely where data come in, or where results come out; `reasons` say why.

    is_likely   whether `--inputs`, or `--outputs`, should name it
    """

    tensor: str
    op: str
    dtype: str
    shape: Shape | None
    reasons: Sequence[str]
    is_likely: bool


@dataclass(frozen=True, slots=True)
class SetAside:
    """Nodes that serve something else than computing outputs: how many, and the first that nothing uses."""

    what: str
    nodes: int
    ends: Sequence[str]


@dataclass(frozen=True, slots=True)
class OpFacts:
    """All nodes of one op, those in functions too.

    parameters   elements of the constants and variables that these nodes have as weights; each counts once
    flops        of one run; None if there is no rule for the op
    unshaped     how many of the nodes are missing in `flops`, since not all shapes that it takes are known
    """

    op: str
    nodes: int
    parameters: int = 0
    flops: int | None = None
    unshaped: int = 0


@dataclass(frozen=True, slots=True)
class OpUse:
    """An op, how many nodes have it, and the names of the first of them."""

    op: str
    nodes: int
    first: Sequence[str]


@dataclass(frozen=True, slots=True)
class Values:
    """The constants, or the variables, of one type: how many, their elements and bytes.

    unknown   how many of them are missing in `elements` and `bytes`, since their shapes are not known
    """

    kind: str
    dtype: str
    count: int
    elements: int
    bytes: int
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class QuantizedFacts:
    """The weights that are stored as codes of one type: how many, their elements, the bytes of the codes.

    parameters   of the elements, those that count as parameters
    """

    dtype: str
    count: int
    elements: int
    parameters: int
    bytes: int
    bytes_as_float32: int


@dataclass(frozen=True, slots=True)
class Device:
    """How many nodes are assigned to a device; `is_custom` if it is none of the kinds that TensorFlow comes with."""

    name: str
    nodes: int
    is_custom: bool


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function of the library: its nodes, and how many nodes call it or name it in an attribute."""

    name: str
    nodes: int
    calls: int


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """What does not simply run once.

    loops          of TensorFlow 1: the name of each frame, and how many nodes run in it
    conditionals   of TensorFlow 1: how many tensors decide what runs
    functional     While, If, Case and their kin: how many nodes of each
    """

    loops: Mapping[str, int] = field(default_factory=dict)
    conditionals: int = 0
    functional: Mapping[str, int] = field(default_factory=dict)
