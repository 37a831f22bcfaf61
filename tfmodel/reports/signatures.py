"""The signatures of a model and the functions of its objects, as `saved_model_cli show --all` lists them.

report = signatures("saved_model/")
report.meta_graphs[0].signatures[0].inputs
print(report.to_text())
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from ..errors import ModelError, with_name
from ..files.decoding import Tags, tags_of
from ..graph.error_text import quote
from ..messages import MetaGraphDef
from ..source.loading import init_ops
from ..source.model_source import Given, ModelSource
from ..source.signature_defs import NamedTensor, SignatureFacts, list_signatures
from ..values.formatting import tensor_text, values_text
from ..values.report import Report
from ..values.terminal import align_columns, escape
from .objects.building import saved_model_tree
from .objects.functions import SavedFunctionFacts
from .objects.structured_values import format_structure, shape_to_text
from .objects.tree import ModelObject, ObjectTree


def signatures(model: Given, *, tags: Tags = None) -> SignaturesReport:
    """Return the signatures of a model and the functions of its objects, for each of its MetaGraphs.

    `model` is a SavedModel, a .meta file, a path, a message or a Model; `tags` select one MetaGraph. The values of
    variables are not read. Raises ModelError for a model without a MetaGraph, and the errors of `load`.
    """
    source = ModelSource.of(model, tags=tags)
    meta_graphs = source.all_meta_graphs()
    if not meta_graphs:
        source.graph  # noqa: B018  a checkpoint is refused
        raise ModelError(with_name(source.name, "this is a GraphDef, which has no signatures"))
    with source.naming():
        return SignaturesReport(source.name, tuple(_facts(meta) for meta in meta_graphs))


def _facts(meta: MetaGraphDef) -> MetaGraphFacts:
    tags = tuple(tags_of(meta))
    defaults = {
        (name, key): f"{tensor_text(value)} {values_text(value)}".rstrip()
        for name, signature in meta.signature_def.items()
        for key, value in signature.defaults.items()
    }
    initial = init_ops(meta)
    has_objects = meta.object_graph_def is not None and meta.object_graph_def.nodes
    objects = saved_model_tree("", meta, {}) if has_objects else None
    return MetaGraphFacts(tags, tuple(list_signatures(meta, internal=True)), tuple(initial), defaults, objects)


@dataclass(frozen=True)
class MetaGraphFacts:
    """A MetaGraph: one of the graphs of a SavedModel, for a purpose.

    tags         such as "serve" or "train"
    signatures   with their inputs and outputs, the default one first, those that initialize included
    init_ops     the nodes that initialize a loaded model
    defaults     the values of inputs that may be left out, by the names of signature and input, as text
    objects      the objects that the MetaGraph was made from; None for TensorFlow 1
    """

    tags: tuple[str, ...]
    signatures: tuple[SignatureFacts, ...]
    init_ops: tuple[str, ...] = ()
    defaults: dict[tuple[str, str], str] = field(default_factory=dict)
    objects: ObjectTree | None = None

    @cached_property
    def functions(self) -> list[ModelObject]:
        """The functions of all objects. Those of the root come first; signatures are left out."""
        if self.objects is None:
            return []
        functions = [item for item in self.objects.functions if not _is_signature(item)]
        return sorted(functions, key=lambda item: item.depth > 1)

    @property
    def root_functions(self) -> list[tuple[str, ModelObject]]:
        """The functions of the root by name, which are those that a loaded model has as attributes."""
        if self.objects is None:
            return []
        rows = [(name, item) for name, item in self.objects.children(self.objects.root) if item.function is not None]
        return sorted(rows, key=lambda row: row[0])

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON. The functions list their concrete functions by name."""
        concrete = self.objects.concrete if self.objects is not None else {}
        functions = [_function_dict(item) for item in self.functions]
        names = {name for item in self.functions if item.function is not None for name in item.function.concrete}
        return {
            "tags": list(self.tags),
            "signatures": [self._signature_dict(signature) for signature in self.signatures],
            "init_ops": list(self.init_ops),
            "root_functions": {name: item.number for name, item in self.root_functions},
            "functions": functions,
            "concrete_functions": {name: concrete[name].as_dict() for name in sorted(names) if name in concrete},
        }

    def _signature_dict(self, signature: SignatureFacts) -> dict[str, Any]:
        facts = asdict(signature)
        for row in facts["inputs"]:
            row["default"] = self.defaults.get((signature.name, row["name"]))
        return facts


def _is_signature(item: ModelObject) -> bool:
    return item.parent is not None and item.parent.identifier == "signature_map"


def _function_dict(item: ModelObject) -> dict[str, Any]:
    assert item.function is not None
    return {"object": item.number, "path": item.short_path(), "kind": item.kind, **item.function.as_dict()}


@dataclass(frozen=True, repr=False)
class SignaturesReport(Report):
    """The signatures and functions of a model. `name` is empty for a message."""

    name: str
    meta_graphs: tuple[MetaGraphFacts, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {"name": self.name, "meta_graphs": [meta.as_dict() for meta in self.meta_graphs]}

    def to_text(self, *, all_functions: bool = False) -> str:
        """Return the report as text: the functions of the root, or those of all objects."""
        return "".join(f"{line}\n" for line in self.lines(all_functions=all_functions))

    def lines(self, *, all_functions: bool = False) -> Iterator[str]:
        """Yield the lines of the text. They are safe to print."""
        for place, meta in enumerate(self.meta_graphs):
            if place:
                yield ""
            yield from _meta_graph_lines(meta, all_functions)


# --- text ------------------------------------------------------------------------------------------------------------


def _meta_graph_lines(meta: MetaGraphFacts, all_functions: bool) -> Iterator[str]:
    tags = ", ".join(map(escape, meta.tags)) or "no tags"
    count = f"{len(meta.signatures):,} signature{'' if len(meta.signatures) == 1 else 's'}"
    yield f"MetaGraph {tags}: {count if meta.signatures else 'no signatures'}"
    for signature in meta.signatures:
        yield ""
        yield f"signature {quote(signature.name)}{f', method {escape(signature.method)}' if signature.method else ''}"
        yield from align_columns(_signature_rows(meta, signature), names=(1, 2), whole_names=True, indent=2)
    if meta.init_ops:
        yield ""
        yield f"initialized by {', '.join(map(escape, meta.init_ops))}"
    if meta.objects is not None:
        yield from _function_lines(meta, meta.objects, all_functions)


def _signature_rows(meta: MetaGraphFacts, signature: SignatureFacts) -> Iterator[tuple[str, ...]]:
    for side, tensors in (("input", signature.inputs), ("output", signature.outputs)):
        for tensor in tensors:
            default = meta.defaults.get((signature.name, tensor.name)) if side == "input" else None
            yield side, escape(tensor.name), escape(tensor.tensor), _type(tensor), f"default {default}" * bool(default)
    if not signature.inputs and not signature.outputs:
        yield ("no inputs and no outputs",)


def _type(tensor: NamedTensor) -> str:
    return "(an operation)" if tensor.dtype == "invalid" else f"{tensor.dtype}{shape_to_text(tensor.shape)}"


def _function_lines(meta: MetaGraphFacts, objects: ObjectTree, all_functions: bool) -> Iterator[str]:
    """Yield the functions; each concrete function is described once."""
    rows = meta.root_functions
    shown = {item.number for _, item in rows}
    others = [item for item in meta.functions if item.number not in shown and not item.is_internal]
    if all_functions:
        rows = [*rows, *((item.short_path() or f"object {item.number:,}", item) for item in others)]
    described: dict[str, str] = {}
    for name, item in rows:
        assert item.function is not None
        yield ""
        yield f"{item.kind} {quote(name)}{item.function.parameters.to_text()}{_count(item.function)}"
        for concrete in item.function.concrete:
            if concrete in described:
                yield f"  {escape(concrete)}: see {quote(described[concrete])}"
            else:
                described[concrete] = name
                yield f"  {escape(concrete)}"
                yield from align_columns(_concrete_rows(objects, concrete, item.function), widest=(40, 120), indent=4)
    if others and not all_functions:
        yield ""
        yield f"{len(others):,} function{'' if len(others) == 1 else 's'} of other objects (--all)"


def _count(function: SavedFunctionFacts) -> str:
    count = len(function.concrete)
    return "" if function.is_bare else f": {count:,} concrete function{'' if count == 1 else 's'}"


def _concrete_rows(objects: ObjectTree, name: str, function: SavedFunctionFacts) -> Iterator[tuple[str, ...]]:
    concrete = objects.concrete.get(name)
    if concrete is None:
        yield ("not declared",)
        return
    for argument in concrete.arguments(function.parameters):
        yield argument.cells()
    yield "returns", format_structure(concrete.output, names=False)
