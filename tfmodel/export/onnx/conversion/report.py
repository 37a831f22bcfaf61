"""The words of an export: notes on what changed in meaning, refused nodes, and facts about the written file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ....errors import GraphError, Hint
from ....values.terminal import escape

if TYPE_CHECKING:
    from ....compare.verify.report import VerifyReport

_SHOWN = 3  # nodes in a note or refusal


class Notes:
    """Notes about nodes, each said once with the number of its nodes."""

    def __init__(self) -> None:
        self._nodes: dict[str, list[str]] = {}

    def add(self, text: str, node: str) -> None:
        nodes = self._nodes.setdefault(text, [])
        if node not in nodes:
            nodes.append(node)

    def lines(self) -> list[str]:
        """Return a line for each note."""
        return [f"{text}: {_list(nodes)}" for text, nodes in self._nodes.items()]


def _list(nodes: list[str]) -> str:
    shown = ", ".join(escape(name) for name in nodes[:_SHOWN])
    return f"{shown} and {len(nodes) - _SHOWN:,} more" if len(nodes) > _SHOWN else shown


@dataclass(frozen=True, slots=True)
class RefusedNode:
    """A node that cannot become ONNX.

    node, op    its name and op
    reason      why not
    hint        what to do; "" if nothing is known
    opset       the first opset that has what it needs; 0 if none has
    """

    node: str
    op: str
    reason: str
    hint: str = ""
    opset: int = 0


class OnnxExportError(GraphError):
    """A model that cannot become ONNX.

    refused    all nodes that have no counterpart
    inputs     tensors from which the rest of the model can be converted; None if there are none
    """

    def __init__(self, *parts: Any, refused: list[RefusedNode] | None = None, inputs: list[str] | None = None) -> None:
        super().__init__(*parts)
        self.refused = refused or []
        self.inputs = inputs

    def with_rest(self, inputs: list[str] | None) -> OnnxExportError:
        """Return the error with the inputs from which the rest can be converted."""
        rest = ("; ", Hint.REST_FROM(names=",".join(map(escape, inputs)))) if inputs else ()
        return OnnxExportError(self, *rest, refused=self.refused, inputs=inputs or None)


def refusal_text(refused: list[RefusedNode]) -> str:
    """Return one line about nodes that cannot become ONNX, by op and reason."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for each in refused:
        groups.setdefault((each.op, each.reason, each.hint), []).append(each.node)
    count = len(refused)
    begin = "a node cannot become ONNX" if count == 1 else f"{count:,} nodes cannot become ONNX"
    parts = []
    for (op, reason, hint), nodes in groups.items():
        way_out = f"; {hint}" if hint else ""
        parts.append(f"{escape(op)} {_list(nodes)} ({escape(reason)}{way_out})")
    return f"{begin}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """The ONNX model that `save_onnx` has written.

    opset, ir_version    the versions that it needs
    nodes                the number of nodes, those of inner graphs included
    ops                  how many nodes each operator has
    inputs, outputs      names with type and shape
    size                 the bytes of the file and of external data
    notes                lines about inputs and outputs, and about what differs from TensorFlow
    unverified           why it was not compared with TensorFlow's graph; "" if it was, or should not be
    verification         how much the outputs differ from those of the graph; None if they were not compared
    """

    opset: int
    ir_version: int
    nodes: int
    ops: Mapping[str, int]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    size: int
    notes: list[str] = field(default_factory=list)
    unverified: str = ""
    verification: VerifyReport | None = None

    def describe(self) -> str:
        """Return one line about the file."""
        sides = self.inputs, self.outputs
        inputs, outputs = (", ".join(f"{escape(name)}: {kind}" for name, kind in side.items()) for side in sides)
        return f"opset {self.opset}, {self.nodes:,} nodes, {self.size:,} bytes; {inputs or 'no inputs'} -> {outputs}"

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**values, "verification": None if self.verification is None else self.verification.as_dict()}
