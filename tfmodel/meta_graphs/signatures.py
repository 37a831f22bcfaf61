"""Signatures from the names of tensors; the graph says of what type and shape these are.

make_signature(graph, {"image": "x"}, {"scores": "softmax:0"})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from ..errors import GraphError
from ..graph import GraphIndex, attr
from ..graph.error_text import no_output, quoted
from ..messages import DataType, GraphDef, NodeDef, SignatureDef, TensorInfo, TensorProto, TensorShapeProto
from ..names import TensorName
from ..ops import output_types, registry

if TYPE_CHECKING:
    from ..messages import OpDef

__all__ = ["PREDICT", "SignatureForm", "Tensors", "make_signature", "signature_of"]

PREDICT = "tensorflow/serving/predict"
"""The method name of nearly all signatures: inputs and outputs as one likes."""

Tensors: TypeAlias = "Mapping[str, str | TensorInfo]"
"""By key, which tensor: its name, or a TensorInfo that is taken as it is."""

_SHAPE = TensorShapeProto(unknown_rank=True)

# The ops whose attribute "shape" is that of their output, as far as it is known.
_SHAPED = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Variable", "VariableV2"))
# Up to this version of graphs, a Placeholder without a shape was written like a scalar.
_NO_SCALARS = 21


class _Parts(TypedDict):
    inputs: Tensors
    outputs: Tensors


class SignatureForm(_Parts, total=False):
    """A signature in plain Python: `{"inputs": {"image": "x"}, "outputs": {"scores": "softmax:0"}}`."""

    method_name: str


_NEEDED = {"inputs", "outputs"}
_KNOWN = {*_NEEDED, "method_name"}


def make_signature(
    graph: GraphDef,
    inputs: Tensors,
    outputs: Tensors,
    *,
    method_name: str = PREDICT,
    ops: Mapping[str, OpDef] | None = None,
) -> SignatureDef:
    """A signature with these tensors of a graph.

    Their types are what their ops declare (`ops`, see `tfmodel.ops.registry`), their shapes what the graph says of
    placeholders, constants and variables, and of nodes whose attribute "_output_shapes" says so; else they are unknown.
    Raises GraphError for a name that is none, or of a tensor that is not in the graph.
    """
    form = SignatureForm(inputs=inputs, outputs=outputs, method_name=method_name)
    return signature_of(form, GraphIndex(graph), registry(graph) if ops is None else ops)


def signature_of(form: SignatureDef | SignatureForm, index: GraphIndex, ops: Mapping[str, OpDef]) -> SignatureDef:
    """The signature that is spelled in plain Python; a SignatureDef is taken as it is."""
    if isinstance(form, SignatureDef):
        return form
    if not (isinstance(form, Mapping) and _NEEDED <= form.keys() <= _KNOWN):
        raise TypeError(f'a signature is a SignatureDef or {{"inputs": {{...}}, "outputs": {{...}}}}, not {form!r}')
    return SignatureDef(
        inputs={key: _info(tensor, index, ops) for key, tensor in form["inputs"].items()},
        outputs={key: _info(tensor, index, ops) for key, tensor in form["outputs"].items()},
        method_name=form.get("method_name", PREDICT),
    )


def _info(tensor: str | TensorInfo, index: GraphIndex, ops: Mapping[str, OpDef]) -> TensorInfo:
    if isinstance(tensor, TensorInfo):
        return tensor
    name = TensorName.parse(tensor)
    if name.is_control or name.output:
        raise GraphError(f"{quoted(tensor)} is no tensor of a graph")
    node = index[name.node]
    info = TensorInfo(name=f"{name.node}:{name.port}", tensor_shape=_shape(node, name.port, _version(index)))
    if node.op in ops:
        ports = output_types(node, ops[node.op])
        if name.port >= len(ports):
            raise GraphError(no_output(node, name.port, len(ports)))
        info.dtype = ports[name.port] or DataType.DT_INVALID
    return info


def _version(index: GraphIndex) -> int:
    versions = index.graph.versions if isinstance(index.graph, GraphDef) else None
    return versions.producer if versions is not None else 0


def _shape(node: NodeDef, port: int, version: int) -> TensorShapeProto:
    """The shape of an output, as far as the node says."""
    if node.op in _SHAPED:
        shape = attr(node, "shape", TensorShapeProto, _SHAPE)
        is_legacy = node.op == "Placeholder" and version <= _NO_SCALARS
        return _SHAPE if is_legacy and not shape.dim else shape
    if node.op == "Const":
        return attr(node, "value", TensorProto).tensor_shape or TensorShapeProto()
    shapes = attr(node, "_output_shapes", list[TensorShapeProto], [])
    return shapes[port] if port < len(shapes) else _SHAPE
