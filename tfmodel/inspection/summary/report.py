"""`Summary`: what `summarize` found, as data, as text to read, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .facts import (
    ControlFlow,
    Device,
    Endpoint,
    FunctionFacts,
    OpFacts,
    OpUse,
    QuantizedFacts,
    SetAside,
    SignatureFacts,
    Values,
)

__all__ = ["Summary"]


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
