"""The signatures of a MetaGraph: list and choose them, and name or rename their tensors.

name, signature = choose_signature(meta.signature_def, "predict")
tensors_of(signature.outputs)                               # ["scores:0"]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pbwire.errors import compose

from ..errors import GraphError, Hint, ModelError
from ..graph.error_text import guess, list_names, quote
from ..messages import MetaGraphDef, SignatureDef, TensorInfo
from ..values.dtypes import dtype_name
from ..values.names import TensorName
from ..values.shape import Shape, shape_of_proto

DEFAULT_SIGNATURE = "serving_default"

DEFAULT_FUNCTION = "__call__"
"""The function that calling a model calls. For models without signatures, `function_signatures` adds one for it."""

INTERNAL_SIGNATURES = "__saved_model_"
"""The prefix of the signatures with which TensorFlow initializes and trains a model. They are not for users."""


@dataclass(frozen=True, slots=True)
class NamedTensor:
    """An input or output of a signature: its name there, the tensor in the graph, dtype and shape."""

    name: str
    tensor: str
    dtype: str
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class SignatureFacts:
    """A signature of a model."""

    name: str
    method: str
    inputs: Sequence[NamedTensor]
    outputs: Sequence[NamedTensor]


def list_signatures(meta: MetaGraphDef, *, internal: bool = False) -> list[SignatureFacts]:
    """Return the signatures of a MetaGraph, the default one first; those that only initialize with `internal`."""
    names = sorted(name for name in meta.signature_def if internal or not name.startswith(INTERNAL_SIGNATURES))
    names.sort(key=lambda name: (name != DEFAULT_SIGNATURE, name != DEFAULT_FUNCTION))
    return [_signature(name, meta.signature_def[name]) for name in names]


def _signature(name: str, signature: SignatureDef) -> SignatureFacts:
    return SignatureFacts(
        name, signature.method_name, list(_tensors(signature.inputs)), list(_tensors(signature.outputs))
    )


def _tensors(infos: Mapping[str, TensorInfo]) -> Iterator[NamedTensor]:
    for name in sorted(infos):
        yield from _parts(name, infos[name])


def _parts(name: str, info: TensorInfo) -> Iterator[NamedTensor]:
    """Yield one tensor, or the components of a sparse or composite tensor."""
    shape = shape_of_proto(info.tensor_shape)
    sparse, composite = info.coo_sparse, info.composite_tensor
    if sparse is not None:
        dtype = dtype_name(info.dtype)
        rank = None if shape is None else len(shape)
        yield NamedTensor(f"{name} (values)", sparse.values_tensor_name, dtype, (None,))
        yield NamedTensor(f"{name} (indices)", sparse.indices_tensor_name, "int64", (None, rank))
        yield NamedTensor(f"{name} (shape)", sparse.dense_shape_tensor_name, "int64", (rank,))
    elif composite is not None:
        for number, part in enumerate(composite.components):
            yield from _parts(f"{name} ({number})", part)
    else:
        yield NamedTensor(name, info.name or "", dtype_name(info.dtype), shape)


def choose_signature(
    signatures: Mapping[str, SignatureDef], requested: str | None, *, are_functions: bool = False
) -> tuple[str, SignatureDef] | None:
    """Return the name and the signature: the requested one, or "serving_default", or the only one.

    Without "serving_default", "__call__" is the default. Return None without signatures. Raises ModelError for an
    unknown name, and if there are several and no default. `are_functions` says that they were made for functions of a
    model without signatures.
    """
    usable = usable_signatures(signatures)
    check_signature_name(requested)
    if requested is not None:
        if requested not in signatures:
            names = ", ".join(map(quote, sorted(usable))) or "none"
            kind = "function" if are_functions else "signature"
            raise ModelError(f"there is no {kind} {quote(requested)}{guess(requested, usable)}; there are: {names}")
        return requested, signatures[requested]
    for default in (DEFAULT_SIGNATURE, DEFAULT_FUNCTION):
        if default in usable:
            return default, usable[default]
    if len(usable) > 1:
        if are_functions:
            raise ModelError(only_functions(sorted(usable)))
        names = ", ".join(map(quote, sorted(usable)))
        raise ModelError(f"there are several signatures ({names}): ", Hint.CHOOSE_SIGNATURE)
    return next(iter(usable.items()), None)


def only_functions(names: Sequence[str]) -> str:
    """Return the text of an error about a model without signatures, of which the caller must name a function."""
    return compose(f"there are no signatures, but functions ({list_names(names)}): ", Hint.NAME_FUNCTION)


def usable_signatures(signatures: Mapping[str, SignatureDef]) -> dict[str, SignatureDef]:
    """Return the signatures without those that loaders use for themselves."""
    return {name: signature for name, signature in signatures.items() if not name.startswith(INTERNAL_SIGNATURES)}


def check_signature_name(requested: object) -> None:
    """Raise ModelError for a name that is neither a string nor None."""
    if requested is not None and not isinstance(requested, str):
        raise ModelError(f"the name of a signature is a string, not a value of type {type(requested).__name__}")


def tensor_keys(infos: Mapping[str, TensorInfo]) -> dict[str, str]:
    """Return the names of the tensors of one side of a signature, by their keys; "" for one of several tensors."""
    return {key: info.name or "" for key, info in infos.items()}


def tensors_of(infos: Mapping[str, TensorInfo]) -> list[str]:
    """Return the names of all tensors of a signature's inputs or outputs."""
    return [name for key in sorted(infos) for name in _tensors_in(infos[key])]


def rename_signature(signature: SignatureDef, rename: Callable[[TensorName], TensorName]) -> SignatureDef:
    """Return a copy of a signature with the new names of tensors; the signature itself if no tensor has another name.

    `rename` returns the new name of a tensor, or the old one.
    """
    names = tensors_of(signature.inputs) + tensors_of(signature.outputs)
    if all(_rename(name, rename) == name for name in names):
        return signature
    copy = SignatureDef.from_bytes(signature.to_bytes())
    for info in [*copy.inputs.values(), *copy.outputs.values()]:
        _rename_in(info, rename)
    return copy


def _rename_in(info: TensorInfo, rename: Callable[[TensorName], TensorName]) -> None:
    if sparse := info.coo_sparse:
        sparse.values_tensor_name = _rename(sparse.values_tensor_name, rename)
        sparse.indices_tensor_name = _rename(sparse.indices_tensor_name, rename)
        sparse.dense_shape_tensor_name = _rename(sparse.dense_shape_tensor_name, rename)
    elif info.composite_tensor is not None:
        for component in info.composite_tensor.components:
            _rename_in(component, rename)
    elif info.name:
        info.name = _rename(info.name, rename)


def _rename(name: str, rename: Callable[[TensorName], TensorName]) -> str:
    try:
        tensor = TensorName.parse(name)
    except GraphError:
        return name  # not a valid reference: the reader of the signature reports the error
    renamed = rename(tensor)
    return name if renamed == tensor else renamed.numbered


def _tensors_in(info: TensorInfo) -> Iterator[str]:
    sparse = info.coo_sparse
    if sparse is not None:
        yield from (sparse.values_tensor_name, sparse.indices_tensor_name, sparse.dense_shape_tensor_name)
    elif info.composite_tensor is not None:
        for component in info.composite_tensor.components:
            yield from _tensors_in(component)
    elif info.name:
        yield info.name
