"""Choose the inputs and outputs that `optimize` keeps, and the tensors that it binds to constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pbwire.errors import DecodeError

from ..analysis.variables.preparation import resolve_bindings
from ..errors import FileFormatError, GraphError, ModelError
from ..graph.error_text import NAME_OTHERS, guess, quote
from ..messages import SignatureDef, TensorInfo
from ..ops.traits import PLACEHOLDERS
from ..source.model_source import ModelSource
from ..source.signature_defs import DEFAULT_SIGNATURE, tensors_of
from ..values.names import TensorName
from ..values.terminal import escape

if TYPE_CHECKING:
    from ..analysis.endpoints import Endpoints

__all__ = ["Choice", "choose"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The selected inputs and outputs, as "node:port".

    notes            lines that say which tensors were selected or bound, and why
    signature        the signature, if these are exactly its inputs and outputs, else None
    signature_name   the name of the signature
    some_signature   any signature of the model, for callers that need one; None without signatures
    keys             the tensors of the signature's inputs, by their keys
    output_keys      the tensors of the signature's outputs, by their keys
    bindings         the values of tensors that become constants, by the names of the tensors
    """

    inputs: list[str]
    outputs: list[str]
    notes: list[str]
    signature: SignatureDef | None = None
    signature_name: str = DEFAULT_SIGNATURE
    some_signature: str | None = None
    keys: dict[str, str] = field(default_factory=dict)
    output_keys: dict[str, str] = field(default_factory=dict)
    bindings: Mapping[str, Any] = field(default_factory=dict)


def choose(source: ModelSource, inputs: list[str], outputs: list[str], bind: Mapping[str, Any] | bool = True) -> Choice:
    """Choose the inputs and outputs of a model: the requested ones, those of the signature, or the likely ones.

    `bind` is that of `optimize`. Raises ModelError for an unknown signature, and if the caller names no outputs, for a
    model with several signatures of which none is named, or without outputs that are likely enough; GraphError for
    unknown tensors.
    """
    signature, name = _signature(source, is_needed=not outputs)
    keys = _keys(signature.inputs) if signature is not None else {}
    output_keys = _keys(signature.outputs) if signature is not None else {}
    notes = []
    given_inputs, given_outputs = inputs, outputs
    if signature is not None:
        inputs = inputs or tensors_of(signature.inputs)
        outputs = outputs or tensors_of(signature.outputs)
        why = f"of the signature {quote(name)}"
    is_incomplete = signature is None and not (inputs and outputs)
    needs_ends = is_incomplete or (bind is True and _has_other_inputs(source, inputs))
    ends = _endpoints(source, outputs) if needs_ends else None
    if ends is not None and is_incomplete:
        outputs = outputs or [end.name for end in ends.require_outputs()]
        inputs = inputs or [end.name for end in ends.inputs if end.is_likely]
        why = NAME_OTHERS
    for what, requested, tensors in (("inputs", given_inputs, inputs), ("outputs", given_outputs, outputs)):
        if not requested:
            names = escape(", ".join(tensors))
            is_known = names or signature is not None
            notes.append(f"{what}: {names or 'none'}, {why}" if is_known else f"{what}: none found")
    bindings = resolve_bindings(source, bind) if isinstance(bind, Mapping) else {}
    if ends is not None and bind is True:
        for end in ends.training_inputs(inputs):
            bindings[end.name] = end.value
            notes.append(f"bound: {escape(end.binding)}, {end.reason}")
    inputs = _without(inputs, bindings)
    declared = signature if not given_inputs and not given_outputs and not isinstance(bind, Mapping) else None
    signatures = source.meta.signature_def if source.meta is not None else {}
    some = name if name in signatures else next(iter(signatures), None)
    inputs, outputs = unique_tensors(source, inputs), unique_tensors(source, outputs)
    return Choice(inputs, outputs, notes, declared, name, some, keys, output_keys, bindings)


def _signature(source: ModelSource, *, is_needed: bool) -> tuple[SignatureDef | None, str]:
    try:
        named_signature = source.signature()
    except ModelError:
        if source.given_signature is not None or is_needed:
            raise
        named_signature = None
    name, signature = named_signature or (DEFAULT_SIGNATURE, None)
    return signature, name


def _keys(infos: Mapping[str, TensorInfo]) -> dict[str, str]:
    """Return the tensors of a signature's inputs or outputs by their keys."""
    return {key: name for key in sorted(infos) if (name := infos[key].name)}


def _has_other_inputs(source: ModelSource, inputs: list[str]) -> bool:
    """Return whether the graph has placeholders besides the inputs. Training may feed these."""
    fed = {TensorName.parse(name).node for name in inputs}
    return any(node.op in PLACEHOLDERS and node.name not in fed for node in source.graph.node)


def _endpoints(source: ModelSource, outputs: list[str]) -> Endpoints:
    from ..analysis.facts import Facts

    try:
        return Facts.of(source).endpoints_for(outputs)
    except FileFormatError as error:
        raise DecodeError(str(error)) from error  # `source.naming` adds the name of the file


def _without(names: list[str], bindings: Mapping[str, Any]) -> list[str]:
    """Return the names of tensors that are not bound."""
    bound = {TensorName.parse(name)._replace(port=max(TensorName.parse(name).port, 0)) for name in bindings}
    return [name for name in names if TensorName.parse(name) not in bound]


def unique_tensors(source: ModelSource, names: Iterable[str]) -> list[str]:
    """Return the names of tensors as "node:port", without repetition. Raises GraphError for a missing node."""
    names_of_nodes = {node.name for node in source.graph.node}
    tensors = []
    for name in names:
        tensor = TensorName.parse(name)
        if tensor.node not in names_of_nodes or tensor.is_control or tensor.output:
            raise GraphError(f"there is no tensor {quote(name)}{guess(tensor.node, names_of_nodes)}")
        tensors.append(f"{tensor.node}:{max(tensor.port, 0)}")
    return list(dict.fromkeys(tensors))
