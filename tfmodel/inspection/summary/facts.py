"""What a summary is made of: plain data, of which `report.py` makes text and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
    "Values",
]


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
