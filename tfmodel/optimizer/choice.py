"""Select inputs and outputs: the named ones, those of the signature, or the likely ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pbwire.errors import DecodeError

from ..errors import FileFormatError, GraphError, ModelError
from ..graph.error_text import NAME_OTHERS, guess, quoted
from ..io.terminal import printable
from ..messages import SignatureDef
from ..names import TensorName
from ..source import DEFAULT_SIGNATURE, ModelSource, tensors_of

__all__ = ["Choice", "choose"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The selected inputs and outputs, as "node:port", with a line of explanation for each.

    signature        the signature with exactly these tensors; None without one, or if others are named
    signature_name   the name of the signature
    some_signature   any signature of the model, for callers that need one; None without signatures
    keys             the tensors of the signature's inputs, by their keys
    """

    inputs: list[str]
    outputs: list[str]
    notes: list[str]
    signature: SignatureDef | None = None
    signature_name: str = DEFAULT_SIGNATURE
    some_signature: str | None = None
    keys: dict[str, str] = field(default_factory=dict)


def choose(source: ModelSource, inputs: list[str], outputs: list[str]) -> Choice:
    """The inputs and outputs of a model. Raises ModelError for a signature that is not there, or if one is needed and
    there are several; GraphError for tensors that are not there, and if there are no outputs."""
    signature, name = _signature(source, is_needed=not outputs)
    keys = _keys(signature) if signature is not None else {}
    notes = []
    given_inputs, given_outputs = inputs, outputs
    if signature is not None:
        inputs = inputs or tensors_of(signature.inputs)
        outputs = outputs or tensors_of(signature.outputs)
        why = f"of the signature {quoted(name)}"
    elif not (inputs and outputs):
        likely_inputs, likely_outputs = _likely(source)
        inputs, outputs = inputs or likely_inputs, outputs or likely_outputs
        why = NAME_OTHERS
    if not outputs:
        raise GraphError("there is nothing that looks like an output: name some")
    for what, requested, tensors in (("inputs", given_inputs, inputs), ("outputs", given_outputs, outputs)):
        if not requested:
            names = printable(", ".join(tensors))
            is_known = names or signature is not None
            notes.append(f"{what}: {names or 'none'}, {why}" if is_known else f"{what}: none found")
    declared = signature if not given_inputs and not given_outputs else None
    signatures = source.meta.signature_def if source.meta is not None else {}
    some = name if name in signatures else next(iter(signatures), None)
    return Choice(_tensors(source, inputs), _tensors(source, outputs), notes, declared, name, some, keys)


def _signature(source: ModelSource, *, is_needed: bool) -> tuple[SignatureDef | None, str]:
    try:
        named_signature = source.signature()
    except ModelError:
        if source.given_signature is not None or is_needed:
            raise
        named_signature = None
    name, signature = named_signature or (DEFAULT_SIGNATURE, None)
    return signature, name


def _keys(signature: SignatureDef) -> dict[str, str]:
    """Return the tensors of a signature's inputs by their keys."""
    return {key: info.name for key, info in signature.inputs.items() if info.name}


def _likely(source: ModelSource) -> tuple[list[str], list[str]]:
    """Select the likely inputs and outputs. A Placeholder with a default is not an input: the default is used."""
    from ..inspection.summary.analysis import summarize

    try:
        summary = summarize(source.meta or source.graph)
    except FileFormatError as error:
        raise DecodeError(str(error)) from error  # which the source gives a name
    return (
        [
            candidate.tensor
            for candidate in summary.inputs
            if candidate.is_likely and candidate.op != "PlaceholderWithDefault"
        ],
        [candidate.tensor for candidate in summary.outputs if candidate.is_likely],
    )


def _tensors(source: ModelSource, names: Iterable[str]) -> list[str]:
    names_of_nodes = {node.name for node in source.graph.node}
    tensors = []
    for name in names:
        tensor = TensorName.parse(name)
        if tensor.node not in names_of_nodes or tensor.is_control or tensor.output:
            raise GraphError(f"there is no tensor {quoted(name)}{guess(tensor.node, names_of_nodes)}")
        tensors.append(f"{tensor.node}:{max(tensor.port, 0)}")
    return list(dict.fromkeys(tensors))
