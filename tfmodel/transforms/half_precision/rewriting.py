"""Change the types of the selected nodes, and insert casts where the types of two neighbours differ.

    rewriter = Rewriter(view, selection, half, constants=constants, values=values)
    nodes = rewriter.nodes()
    tensor = rewriter.float32(tensor)                # the float32 form of a tensor: for the results of a function

A tensor that is needed in the other type too gets one Cast behind its node:

    x -> MatMul      becomes      x -> x_float16 = Cast(x) -> MatMul[T=half]

A Cast from half precision to float32 in the graph is passed by: its input is used. An output of the graph keeps its
name and its type: the Cast to float32 takes the name, and the node gets another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from enum import Enum

from ...graph import replace_node
from ...graph.view import GraphView
from ...messages import AttrValue, DataType, NodeDef, TensorProto
from ...values.dtypes import dtype_name
from ...values.names import TensorName, control_inputs, data_inputs
from .selection import Selection


class ConstantForm(Enum):
    """The form of a constant in the result.

    FLOAT   it stays as it is
    HALF    its value has half precision
    BOTH    the same, and a Cast to float32 has the name of the constant
    """

    FLOAT = "float"
    HALF = "half"
    BOTH = "both"


def cast_node(name: str, source: str, dtype: DataType, to: DataType, *, device: str = "") -> NodeDef:
    """Return a Cast of a tensor from one type to another."""
    attributes = {"SrcT": AttrValue(type=dtype), "DstT": AttrValue(type=to)}
    return NodeDef(name=name, op="Cast", input=[source], device=device, attr=attributes)


class Rewriter:
    """Rewrites the nodes of a graph or a function.

    `constants` has the form of constants by name, and `values` the values in half precision of those that change.
    `outputs` are declared nodes that keep their name and type; those that become half precision have one output. `kept`
    are nodes that must not be removed.
    """

    def __init__(
        self,
        view: GraphView,
        selection: Selection,
        half: DataType,
        *,
        constants: Mapping[str, ConstantForm],
        values: Mapping[str, TensorProto],
        outputs: Collection[str] = (),
        kept: Collection[str] = (),
    ) -> None:
        self._view = view
        self._index = view.index
        self._selection = selection
        self._half = half
        self._suffix = dtype_name(half)
        self._constants = constants
        self._values = values
        self._behind: dict[str, list[NodeDef]] = defaultdict(list)  # casts, by the node that they follow
        self._in_front: dict[str, list[NodeDef]] = {}  # constants in half precision, by the Cast that follows
        self._casts: dict[tuple[TensorName, bool], str] = {}
        self._renamed: dict[str, str] = {}
        self._passed: set[str] = set()  # casts of the graph that are passed by
        self._kept = frozenset(kept)
        for name, form in constants.items():
            if form is ConstantForm.BOTH:
                self._split(self._index[name])
        for name in outputs:
            if selection.is_half(TensorName(name, 0)):
                self._rename(self._index[name])

    def nodes(self) -> list[NodeDef]:
        """Return the nodes of the result."""
        changed = [self._changed(node) for node in self._index.nodes]
        result = []
        for old, new in zip(self._index.nodes, changed, strict=True):
            result += [*self._in_front.get(old.name, ()), new, *self._behind.pop(old.name, ())]
        return self._without_passed([*(cast for casts in self._behind.values() for cast in casts), *result])

    def float32(self, tensor: TensorName) -> TensorName:
        """Return the tensor that has the numbers of a tensor in float32."""
        return TensorName.parse(self._tensor(tensor, is_half=False)) if self._is_half(tensor) else tensor

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _changed(self, node: NodeDef) -> NodeDef:
        form = self._constants.get(node.name)
        if form is ConstantForm.HALF:
            return self._half_constant(node, node.name)
        if form is ConstantForm.BOTH:
            return cast_node(node.name, self._casts[TensorName(node.name, 0), True], self._half, DataType.DT_FLOAT)
        change = self._selection.changes.get(node.name)
        inputs = []
        for place, text in enumerate(data_inputs(node)):
            is_half = change is not None and change.takes(place)
            tensor = TensorName.parse(text)
            as_is = self._is_half(tensor) == is_half and tensor.node not in self._renamed
            inputs.append(text if as_is else self._tensor(tensor, is_half=is_half))
        inputs += control_inputs(node)
        if change is not None:
            return replace_node(change.node, name=self._renamed.get(node.name, node.name), input=inputs)
        return node if inputs == node.input else replace_node(node, input=inputs)

    def _half_constant(self, node: NodeDef, name: str) -> NodeDef:
        attributes = {**node.attr, "dtype": AttrValue(type=self._half)}
        attributes["value"] = AttrValue(tensor=self._values[node.name])
        return replace_node(node, name=name, attr=attributes)

    def _split(self, node: NodeDef) -> None:
        """Make a constant in half precision, in front of the Cast that replaces a constant."""
        name = self._view.fresh(f"{node.name}_{self._suffix}")
        self._in_front[node.name] = [self._half_constant(node, name)]
        self._casts[TensorName(node.name, 0), True] = name

    def _rename(self, node: NodeDef) -> None:
        """Give a node another name, and its old name to a Cast behind it."""
        name = self._renamed[node.name] = self._view.fresh(f"{node.name}_{self._suffix}")
        cast = cast_node(node.name, name, self._half, DataType.DT_FLOAT, device=node.device)
        self._behind[node.name].append(cast)
        self._casts[TensorName(node.name, 0), False] = node.name

    def _without_passed(self, nodes: list[NodeDef]) -> list[NodeDef]:
        """Return the nodes without casts that were passed by, and that no node reads any more."""
        if not self._passed:
            return nodes
        read = self._kept.union(TensorName.parse(text).node for node in nodes for text in node.input)
        return [node for node in nodes if node.name in read or node.name not in self._passed]

    # --- tensors -----------------------------------------------------------------------------------------------------

    def _is_half(self, tensor: TensorName) -> bool:
        return self._selection.is_half(tensor) or self._constants.get(tensor.node) is ConstantForm.HALF

    def _tensor(self, tensor: TensorName, *, is_half: bool) -> str:
        """Return the reference to a tensor in one of the types."""
        tensor = tensor._replace(port=max(tensor.port, 0))
        if self._is_half(tensor) == is_half:
            return str(tensor._replace(node=self._renamed.get(tensor.node, tensor.node)))
        key = tensor, is_half
        if key not in self._casts:
            self._casts[key] = (is_half and self._source_of_cast(tensor)) or self._new_cast(tensor, is_half=is_half)
        return self._casts[key]

    def _source_of_cast(self, tensor: TensorName) -> str:
        """Return the input of a Cast from half precision to float32; "" for other nodes."""
        node = self._index.get(tensor.node)
        if node is None or node.op != "Cast" or control_inputs(node):
            return ""
        source = node.attr.get("SrcT")
        if source is None or source.type != self._half or not data_inputs(node):
            return ""
        self._passed.add(node.name)
        return self._tensor(TensorName.parse(data_inputs(node)[0]), is_half=False)

    def _new_cast(self, tensor: TensorName, *, is_half: bool) -> str:
        types = (DataType.DT_FLOAT, self._half) if is_half else (self._half, DataType.DT_FLOAT)
        port = f"_{tensor.port}" if tensor.port else ""
        name = self._view.fresh(f"{tensor.node}{port}_{dtype_name(types[1])}")
        source = str(tensor._replace(node=self._renamed.get(tensor.node, tensor.node)))
        node = self._index.get(tensor.node)
        device = node.device if node is not None else ""
        self._behind[tensor.node].append(cast_node(name, source, *types, device=device))
        return name
