"""Replace the ops that TensorFlow.js alone has by ops of TensorFlow, and fused ops by the ops that they consist of.

    Prelu(x, alpha)                                    ->  AddV2(Relu(x), Mul(Neg(alpha), Relu(Neg(x))))
    FusedDepthwiseConv2dNative(x, w, bias)             ->  Relu6(BiasAdd(DepthwiseConv2dNative(x, w), bias))
      fused_ops=[BiasAdd, Relu6]
    _FusedConv2D(x, w, bias, alpha)                    ->  BiasAdd(Conv2D(x, w), bias), and Prelu as above
      fused_ops=[BiasAdd, Prelu]
    BiasAdd(x, y)                                      ->  AddV2(x, y) if y is computed

The converter of TensorFlow.js makes them of such nodes, in the graph and not in functions: see `fuse_prelu.py`,
`fuse_depthwise_conv2d.py` and `normalize_bias_add.py` there. TensorFlow runs fused ops on CPUs only, and a BiasAdd only
with a bias of rank 1, while the converter makes one of any addition. The last of the new nodes has the name of the old
node, and the names of the others begin with it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...messages import AttrValue, DataType, GraphDef, NodeDef
from ...values.names import TakenNames, control_inputs, data_inputs, node_name

_PRELU = "Prelu"
_STEPS = ("BiasAdd", _PRELU, "Relu", "Relu6", "Elu", "Sigmoid", "Tanh", "LeakyRelu")
_UNFUSED = {
    "_FusedConv2D": "Conv2D",
    "_FusedMatMul": "MatMul",
    "FusedDepthwiseConv2dNative": "DepthwiseConv2dNative",
}
_OF_FUSION = ("fused_ops", "num_args", "epsilon", "leakyrelu_alpha", "TArgs", "num_host_args", "filter_format")
_BIASES = ("Const", "Identity", "Placeholder", "PlaceholderWithDefault")


def expand_fused_ops(graph: GraphDef) -> None:
    """Replace the nodes of these ops in the graph, in place. Nodes that lack an input or have other steps stay."""
    fresh = TakenNames(node.name for node in graph.node)
    biases = {node.name for node in graph.node if node.op in _BIASES}
    nodes: list[NodeDef] = []
    for node in graph.node:
        nodes += _expand(node, fresh, biases)
    graph.node = nodes


def _expand(node: NodeDef, fresh: TakenNames, biases: set[str]) -> list[NodeDef]:
    """Return the nodes that replace a node. `biases` are nodes whose values can be added by a BiasAdd."""
    steps = _fused_ops(node)
    inputs = data_inputs(node)
    if node.op == "BiasAdd" and len(inputs) == 2 and not _is_bias(node, inputs[1], biases):
        steps, inputs = ["BiasAdd"], ["", *inputs]
        chain = _Chain(node, fresh, inputs[1])
    elif node.op == _PRELU and len(inputs) == 2:
        steps, inputs = [_PRELU], ["", *inputs]
        chain = _Chain(node, fresh, inputs[1])
    elif node.op in _UNFUSED and _can_unfuse(steps, inputs):
        chain = _Chain(node, fresh, "")
        chain.add(_UNFUSED[node.op], inputs[:2], [key for key in node.attr if key not in _OF_FUSION])
    else:
        return [node]
    arguments = iter(inputs[2:])
    for step in steps:
        if step == _PRELU:
            chain.add_prelu(next(arguments))
        elif step == "BiasAdd":
            bias = next(arguments)
            if _is_bias(node, bias, biases):
                chain.add("BiasAdd", [chain.tensor, bias], ("T", "data_format"))
            else:
                chain.add("AddV2", [chain.tensor, bias], ("T",))
        else:
            chain.add(step, [chain.tensor], ("T",))
            if step == "LeakyRelu" and (alpha := node.attr.get("leakyrelu_alpha")):
                chain.nodes[-1].attr["alpha"] = alpha
    return chain.finish()


def _can_unfuse(steps: list[str], inputs: list[str]) -> bool:
    return len(inputs) == 2 + _argument_count(steps) and all(step in _STEPS for step in steps)


def _is_bias(node: NodeDef, tensor: str, biases: set[str]) -> bool:
    """Return whether a node can add a tensor by a BiasAdd; with channels first it must."""
    form = node.attr.get("data_format")
    return node_name(tensor) in biases or (form is not None and form.s == b"NCHW")


def _fused_ops(node: NodeDef) -> list[str]:
    value = node.attr.get("fused_ops")
    names = value.list.s if value is not None and value.list is not None else []
    return [name.decode("latin-1") for name in names if name != b"NoOp"]


def _argument_count(steps: list[str]) -> int:
    return sum(step in ("BiasAdd", _PRELU) for step in steps)


class _Chain:
    """The nodes that replace a node; each takes the tensor of the one before."""

    def __init__(self, old: NodeDef, fresh: TakenNames, tensor: str) -> None:
        self._old = old
        self._fresh = fresh
        self.tensor = tensor
        self.nodes: list[NodeDef] = []

    def add(self, op: str, inputs: list[str], attributes: Iterable[str]) -> str:
        """Add a node with these attributes of the old node, and return its name."""
        name = self._fresh.fresh(f"{self._old.name}/{op}")
        kept = {key: self._old.attr[key] for key in attributes if key in self._old.attr}
        kept.setdefault("T", AttrValue(type=DataType.DT_FLOAT))
        self.nodes.append(NodeDef(name=name, op=op, input=inputs, device=self._old.device, attr=kept))
        self.tensor = name
        return name

    def add_prelu(self, alpha: str) -> None:
        x = self.tensor
        positive = self.add("Relu", [x], ("T",))
        negative = self.add("Relu", [self.add("Neg", [x], ("T",))], ("T",))
        product = self.add("Mul", [self.add("Neg", [alpha], ("T",)), negative], ("T",))
        self.add("AddV2", [positive, product], ("T",))

    def finish(self) -> list[NodeDef]:
        """Return the nodes; the last one has the name of the old node, and the first one its control inputs."""
        self.nodes[0].input += control_inputs(self._old)
        self.nodes[-1].name = self._old.name
        return self.nodes
