"""Name the inputs and outputs of an optimized graph after the keys of the signature.

    serving_default_x -> ... -> StatefulPartitionedCall:0, StatefulPartitionedCall:1        becomes
    x                 -> ... -> scores, boxes

An input, and an output of a node with one output, gets its key as the name of the node. For other outputs, and for a
node that has another key already, an Identity with the key as its name is added. Other nodes that have such a name are
renamed. Characters that are not valid in names of nodes become "_".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..errors import ModelError, TransformError
from ..graph import with_nodes
from ..graph.error_text import quote
from ..graph.view import rename_nodes
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ..ops import output_types
from ..transforms.framework.report import StepReport
from ..values.names import TakenNames, TensorName

if TYPE_CHECKING:
    from ..analysis.choice import Choice

_INVALID = re.compile(r"[^A-Za-z0-9_.\\/>-]")


def naming_steps(names: str, chosen: Choice) -> list[Callable[..., GraphDef]]:
    """Return the transforms that rename inputs and outputs; `names` is "graph" for none, or "signature".

    Raises ModelError if the model has no signature to take names from, and ValueError for other `names`.
    """
    if names == "graph":
        return []
    if names != "signature":
        raise ValueError(f'names is "graph" or "signature", not {names!r}')
    if not chosen.input_keys and not chosen.output_keys:
        raise ModelError("the model has no signature that could give names to its inputs and outputs")

    def name_by_signature(
        graph: GraphDef,
        *,
        inputs: tuple[TensorName, ...],
        outputs: tuple[TensorName, ...],
        ops: Mapping[str, OpDef],
        report: StepReport,
    ) -> GraphDef:
        naming = _Naming(graph, ops)
        for tensor, key in _with_keys(outputs, chosen.outputs, chosen.output_keys):
            if tensor in inputs:
                report.notes.append(f"the output {quote(key)} is also an input, and keeps the name of the input")
            else:
                naming.name_output(tensor, key)
        for tensor, key in _with_keys(inputs, chosen.inputs, chosen.input_keys):
            naming.name_input(tensor, key)
        report.renames |= naming.renames
        report.fire(len(naming.renames))
        result = naming.result()
        report.node_renames = naming.node_renames
        return result

    return [name_by_signature]


def _with_keys(
    present: Iterable[TensorName], declared: Iterable[str], keys: Mapping[str, str]
) -> Iterator[tuple[TensorName, str]]:
    """Yield the tensors that have a key in the signature, with this key.

    `present` are the current names of tensors, `declared` are their names in the model, which `keys` use.
    """
    key_of: dict[TensorName, str] = {}
    for key, text in keys.items():
        key_of.setdefault(TensorName.parse(text), key)
    for tensor, name in zip(present, declared, strict=False):  # initializers follow the declared outputs
        if (own_key := key_of.get(TensorName.parse(name))) is not None:
            yield tensor, own_key


class _Naming:
    """Collects the new names of tensors, and then makes the renamed graph.

    renames        the new tensors by the old ones
    node_renames   the new names of nodes by the old ones, when the graph is made
    """

    def __init__(self, graph: GraphDef, ops: Mapping[str, OpDef]) -> None:
        self.renames: dict[TensorName, TensorName] = {}
        self.node_renames: dict[str, str] = {}
        self._graph = graph
        self._ops = ops
        self._nodes = {node.name: node for node in graph.node}
        self._names: dict[str, str] = {}  # new names of nodes, by the old ones
        self._identities: list[tuple[str, TensorName]] = []
        self._taken = TakenNames()

    def name_output(self, tensor: TensorName, key: str) -> None:
        node = self._nodes[tensor.node]
        is_single = tensor.port == 0 and node.op in self._ops and len(output_types(node, self._ops[node.op])) == 1
        name = self._taken.fresh(_INVALID.sub("_", key))
        if is_single and node.name not in self._names:
            self._names[node.name] = name
        else:
            self._identities.append((name, tensor))
        self.renames[tensor] = TensorName(name)

    def name_input(self, tensor: TensorName, key: str) -> None:
        if tensor.node not in self._names:
            self._names[tensor.node] = self._taken.fresh(_INVALID.sub("_", key))
            self.renames[tensor] = tensor._replace(node=self._names[tensor.node])

    def result(self) -> GraphDef:
        """Return the graph with the new names. Other nodes that have one of these names are renamed."""
        used = {*self._names.values(), *(name for name, _ in self._identities)}
        free = TakenNames((*self._nodes, *used))
        others = {name: free.fresh(name) for name in self._nodes if name in used and name not in self._names}
        names = self.node_renames = {old: new for old, new in (self._names | others).items() if old != new}
        nodes = rename_nodes(self._graph.node, names)
        identities = [
            self._identity(name, tensor._replace(node=names.get(tensor.node, tensor.node)), self._type(tensor))
            for name, tensor in self._identities
        ]
        self.renames = {old: new for old, new in self.renames.items() if old != new}
        return with_nodes(self._graph, [*nodes, *identities])

    def _type(self, tensor: TensorName) -> DataType | None:
        node = self._nodes[tensor.node]
        types = output_types(node, self._ops[node.op]) if node.op in self._ops else []
        return types[tensor.port] if tensor.port < len(types) else None

    @staticmethod
    def _identity(name: str, tensor: TensorName, dtype: DataType | None) -> NodeDef:
        if dtype is None:
            raise TransformError(f"the output {quote(str(tensor))} cannot be renamed: its type is not known")
        return NodeDef(name=name, op="Identity", input=[str(tensor)], attr={"T": AttrValue(type=dtype)})
