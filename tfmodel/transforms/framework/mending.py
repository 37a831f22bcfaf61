"""Say why TensorFlow refuses a graph, and which transforms mend it.

verdict = import_verdict(graph, OPS)
verdict.problem         # 'Switch "s": its input "w" is float32, not resource'; "" if TensorFlow imports the graph
verdict.remedy          # "repair_frozen"; "" if no transform mends it
verdict.undeclared      # the ops that a library must define
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ... import messages
from ...analysis.import_check import import_faults
from ...errors import Error
from ...graph.error_text import list_names
from ...graph.validate import MAX_FAULTS_SHOWN
from ...messages import GraphDef, OpDef

_REMEDIES = (
    "repair_frozen",
    "remove_attribute(attribute_name=_output_shapes)",
    "remove_attribute(attribute_name=_class)",
    "remove_device",
)


@dataclass(frozen=True, slots=True)
class ImportVerdict:
    """Whether TensorFlow imports a graph.

    problem       the first reasons for which it refuses the graph, apart from undeclared ops; "" if there are none
    remedy        transforms that mend the graph; "" if none do
    undeclared    the ops of the graph that are not declared, so that a library must define them
    """

    problem: str = ""
    remedy: str = ""
    undeclared: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the problem and the remedy in a sentence."""
        return f"{self.problem}; the transform {self.remedy} mends it" if self.remedy else self.problem

    @property
    def describe_undeclared(self) -> str:
        """A sentence about the undeclared ops; "" without any."""
        if not self.undeclared:
            return ""
        ops = (
            f"the op {list_names(self.undeclared)} is"
            if len(self.undeclared) == 1
            else f"the ops {list_names(self.undeclared)} are"
        )
        return f"{ops} unknown to TensorFlow 2.12: it refuses the graph without the library that defines them"


def import_verdict(graph: GraphDef, ops: Mapping[str, OpDef]) -> ImportVerdict:
    """Return whether TensorFlow imports a graph. `ops` declare its ops: see `tfmodel.ops.registry`."""
    faults = import_faults(graph, ops)
    if not faults:
        return ImportVerdict()
    unknown = [fault for fault in faults if fault.kind == "unknown op"]
    others = [fault for fault in faults if fault not in unknown]
    nodes = {(fault.function, fault.node) for fault in unknown}
    bodies = {
        "": graph.node,
        **{f.signature.name: f.node_def for f in (graph.library.function if graph.library else []) if f.signature},
    }
    undeclared = dict.fromkeys(node.op for name, body in bodies.items() for node in body if (name, node.name) in nodes)
    hidden = len(others) - MAX_FAULTS_SHOWN
    more = f"; and {hidden:,} more faults" if hidden > 0 else ""
    problem = "; ".join(map(str, others[:MAX_FAULTS_SHOWN])) + more
    return ImportVerdict(problem, _remedy(graph, ops) if others else "", tuple(undeclared))


def _remedy(graph: GraphDef, ops: Mapping[str, OpDef]) -> str:
    """Return transforms after which TensorFlow refuses no more than undeclared ops; "" if there are none."""
    for transforms in (*_REMEDIES, " ".join(_REMEDIES)):
        try:
            mended = _apply(graph, transforms, ops)
            if all(fault.kind == "unknown op" for fault in import_faults(mended, ops)):
                return transforms
        except Error:
            continue
    return ""


def _apply(graph: GraphDef, transforms: str, ops: Mapping[str, OpDef]) -> GraphDef:
    from .pipeline import transform  # only graphs that TensorFlow refuses need it

    own = messages.OpList(op=[op for name in {node.op for node in graph.node} if (op := ops.get(name)) is not None])
    return transform(graph, None, None, transforms, op_defs=own)
