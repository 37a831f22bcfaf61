"""Signatures with the types and shapes of tensors that a graph does not declare but imply."""

from __future__ import annotations

from ..errors import ModelError
from ..graph.error_text import quote
from ..messages import (
    SignatureDef,
    TensorInfo,
)
from ..ops.ports import value_type
from ..source.metagraph.builder import GivenSignature, build_signature
from ..source.model_source import ModelSource
from ..values.shape import shape_to_proto
from .facts import Facts


class SignatureMaker:
    """Makes SignatureDefs, with the types and shapes of tensors that the graph does not declare but imply."""

    def __init__(self, source: ModelSource) -> None:
        self._facts = Facts.of(source)

    def __call__(self, name: str, form: GivenSignature) -> SignatureDef:
        if isinstance(form, SignatureDef):
            return form
        try:
            signature = build_signature(form, self._facts.index, self._facts.ops)
        except ModelError as error:
            raise ModelError(f"the signature {quote(name)}: {error}") from error
        if not signature.outputs:
            raise ModelError(f"the signature {quote(name)} has no outputs")
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            self._complete(info)
        return signature

    def _complete(self, info: TensorInfo) -> None:
        """Add the inferred shape of a tensor whose node does not declare it."""
        if not info.name:
            return
        info.dtype = value_type(info.dtype)
        if info.tensor_shape is None or info.tensor_shape.unknown_rank:
            shape = self._facts.shapes.get(info.name)
            if shape is not None:
                info.tensor_shape = shape_to_proto(shape)
