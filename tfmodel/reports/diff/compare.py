"""`diff`: compare two models, their function libraries, and their MetaGraphs (signatures, tags, collections)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pbwire.errors import DecodeError

from ...files.decoding import Tags, naming_damage, tags_of
from ...graph import Functions
from ...messages import TYPES, OpDef
from ...ops import defaults, op_def
from ...ops.traits import VARIABLES
from ...source.model_source import Given, ModelSource, source_pair
from ...values.dtypes import dtype_name
from ...values.formatting import attr_text, shape_text
from .nodes import Defaults, canonical_input, compare_bodies
from .report import Change, DiffReport, FunctionReport, LibraryReport, Rules, compare_entries, compare_texts, same_bytes
from .values import compare_values, first_different_attribute

if TYPE_CHECKING:
    from pbwire import wellknown
    from pbwire.message import Message

    from ...messages import (
        AttrValue,
        CollectionDef,
        FunctionDef,
        FunctionDefLibrary,
        GraphDef,
        MetaGraphDef,
        SignatureDef,
        TensorInfo,
        VersionDef,
    )


def diff(
    a: Given,
    b: Given,
    *,
    tags: Tags = None,
    internal: bool = False,
    order: bool = False,
    versions: bool = False,
    defaults: bool = True,
    atol: float = 0.0,
    rtol: float = 0.0,
) -> DiffReport:
    """Return the changes from model `a` to `b`: GraphDefs, MetaGraphDefs, SavedModels, Models, or what `load` takes.

    `tags` select one of several MetaGraphs (default: "serve"). `Rules` says what counts as a change; with
    `defaults=False`, a missing attribute equals one with the default value that the op declares. Values of variables
    are in checkpoints and are not compared: `compare_values` does that.

    Raises ValueError for invalid tolerances, FileFormatError for a file that is damaged or not a model, ModelError for
    a model without a graph, and OSError.
    """
    if not (0 <= atol < math.inf and 0 <= rtol < math.inf):
        raise ValueError(f"tolerances must be finite and >= 0, got atol={atol!r}, rtol={rtol!r}")
    rules = Rules(internal, order, versions, defaults, atol, rtol)
    one, other = source_pair(a, b, tags=tags)
    with naming_damage(one.file, other.file):
        return _compare_models(one, other, rules)


def _compare_models(one: ModelSource, other: ModelSource, rules: Rules) -> DiffReport:
    names = one.name or "<a>", other.name or "<b>"
    defaults = _Defaults()
    around: list[Change] = []
    notes = []
    if one.meta is not None and other.meta is not None:
        around += compare_meta_graphs(one.meta, other.meta)
    elif one.meta is not None or other.meta is not None:
        name = names[0 if other.meta is None else 1]
        notes.append(f"only {name} has a MetaGraph: signatures and other data outside the graph were not compared")
    versions = list(compare_versions(one.graph, other.graph))
    if rules.versions:
        around += versions
    graph = compare_bodies(one.graph, other.graph, rules, defaults)
    if any(node.op in VARIABLES for node in one.graph.node):
        notes.append("values of variables were not compared")
    return DiffReport(
        before=names[0],
        after=names[1],
        graph=graph,
        functions=compare_libraries(one.graph.library, other.graph.library, rules, defaults),
        around=tuple(around),
        uncounted=() if rules.versions else tuple(versions),
        notes=tuple(notes),
    )


class _Defaults:
    """The default attributes of ops, from TensorFlow's declarations, which are read on first use."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[str, AttrValue]] = {}

    def __call__(self, op: str) -> Mapping[str, AttrValue]:
        if op not in self._known:
            declared = op_def(op)
            self._known[op] = defaults(declared) if declared is not None else {}
        return self._known[op]


def compare_libraries(
    before: FunctionDefLibrary | None, after: FunctionDefLibrary | None, rules: Rules, defaults: Defaults
) -> LibraryReport:
    """Return the changes between two libraries, whose functions are matched by name. Descriptions are ignored."""
    functions, others = Functions(before), Functions(after)
    changed = []
    for name in functions:
        if name in others and (report := _compare_functions(name, functions[name], others[name], rules, defaults)):
            changed.append(report)
    gradients = compare_entries("gradient of", functions.gradients, others.gradients, _compare_texts, str)
    return LibraryReport(
        removed=tuple(name for name in functions if name not in others),
        added=tuple(name for name in others if name not in functions),
        changed=tuple(changed),
        gradients=tuple(gradients),
    )


def _compare_functions(
    name: str, before: FunctionDef, after: FunctionDef, rules: Rules, defaults: Defaults
) -> FunctionReport | None:
    if same_bytes(before, after):
        return None
    changes = (*_compare_op_defs(before.signature, after.signature), *_compare_attributes(before, after, rules))
    body = compare_bodies(before, after, rules, defaults, name)
    return None if body.same and not changes else FunctionReport(name, changes, body)


def _compare_op_defs(before: OpDef | None, after: OpDef | None) -> Iterator[Change]:
    one, other = before or OpDef(), after or OpDef()
    yield from compare_texts("arguments", _arguments(one.input_arg), _arguments(other.input_arg))
    yield from compare_texts("results", _arguments(one.output_arg), _arguments(other.output_arg))
    yield from compare_texts("is_stateful", str(one.is_stateful).lower(), str(other.is_stateful).lower())
    yield from compare_texts("control outputs", ", ".join(one.control_output), ", ".join(other.control_output))


def _arguments(arguments: Iterable[OpDef.ArgDef]) -> str:
    return f"({', '.join(f'{argument.name}: {_type(argument)}' for argument in arguments)})"


def _type(argument: OpDef.ArgDef) -> str:
    kind = argument.type_list_attr or argument.type_attr or dtype_name(argument.type)
    kind = f"{argument.number_attr} * {kind}" if argument.number_attr else kind
    return f"ref {kind}" if argument.is_ref else kind


def _compare_attributes(before: FunctionDef, after: FunctionDef, rules: Rules) -> Iterator[Change]:
    """Yield the changes of the results of a function, of its attributes, and of the attributes of its arguments."""

    def compare(what: str, one: AttrValue, other: AttrValue) -> Change | None:
        return compare_values(what, one, other, rules)

    yield from compare_entries("result", _canonical(before.ret), _canonical(after.ret), _compare_texts, str)
    yield from compare_entries("control output", before.control_ret, after.control_ret, _compare_texts, str)
    yield from compare_entries(
        "attr", _counted_attributes(before.attr, rules), _counted_attributes(after.attr, rules), compare, attr_text
    )
    for arg_index in sorted(before.arg_attr.keys() | after.arg_attr.keys()):
        if name := first_different_attribute(
            _argument_attributes(before, arg_index, rules), _argument_attributes(after, arg_index, rules), rules
        ):
            yield Change(f"argument {arg_index}", "", "", f'its attribute "{name}" differs')


def _argument_attributes(function: FunctionDef, arg_index: int, rules: Rules) -> Mapping[str, AttrValue]:
    return _counted_attributes(function.arg_attr[arg_index].attr, rules) if arg_index in function.arg_attr else {}


def _canonical(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: canonical_input(text) for name, text in texts.items()}


def _counted_attributes(attrs: Mapping[str, AttrValue], rules: Rules) -> Mapping[str, AttrValue]:
    return attrs if rules.internal else {name: attrs[name] for name in attrs if name[:1] != "_"}


def _compare_texts(what: str, one: str, other: str) -> Change | None:
    return Change(what, one, other) if one != other else None


def compare_meta_graphs(before: MetaGraphDef, after: MetaGraphDef) -> Iterator[Change]:
    """Yield the changes of a MetaGraph outside its graph. For the saver, the change says only that it differs."""
    yield from compare_texts("tags", _tags(before), _tags(after))
    for key in sorted(before.signature_def.keys() | after.signature_def.keys()):
        yield from _compare_signatures(f"signature {key}", before.signature_def.get(key), after.signature_def.get(key))
    yield from compare_entries(
        "collection", before.collection_def, after.collection_def, _compare_collections, _collection_text
    )
    yield from compare_texts("assets", _assets(before), _assets(after))
    if before.saver_def != after.saver_def:
        yield Change("saver", "", "", "it differs")


def compare_versions(before: GraphDef, after: GraphDef) -> Iterator[Change]:
    """Yield the change of the versions of a graph, if any."""
    yield from compare_texts("versions", _version_text(before.versions), _version_text(after.versions))


def _tags(meta: MetaGraphDef) -> str:
    return ", ".join(tags_of(meta))


def _assets(meta: MetaGraphDef) -> str:
    return ", ".join(asset.filename for asset in meta.asset_file_def)


def _version_text(versions: VersionDef | None) -> str:
    if versions is None:
        return ""
    bad = f", not {', '.join(map(str, versions.bad_consumers))}" if versions.bad_consumers else ""
    return f"producer {versions.producer}, for consumers from {versions.min_consumer}{bad}"


# --- signatures and collections --------------------------------------------------------------------------------------


def _compare_signatures(what: str, before: SignatureDef | None, after: SignatureDef | None) -> Iterator[Change]:
    if before is None or after is None:
        yield from compare_texts(what, _signature_text(before), _signature_text(after))
        return
    yield from compare_texts(f"{what} method", before.method_name, after.method_name)
    yield from compare_entries(f"{what} input", before.inputs, after.inputs, _compare_tensors, _tensor_text)
    yield from compare_entries(f"{what} output", before.outputs, after.outputs, _compare_tensors, _tensor_text)


def _compare_tensors(what: str, one: TensorInfo, other: TensorInfo) -> Change | None:
    words = _tensor_text(one), _tensor_text(other)
    return Change(what, *words, "they differ" if words[0] == words[1] else "") if one != other else None


def _signature_text(signature: SignatureDef | None) -> str:
    return "" if signature is None else f"({_names(signature.inputs)}) -> ({_names(signature.outputs)})"


def _names(tensors: Mapping[str, TensorInfo]) -> str:
    return ", ".join(sorted(tensors))


def _tensor_text(info: TensorInfo) -> str:
    """Return a tensor of a signature as text: `x:0 float32[?,4]`."""
    kind = "sparse" if info.coo_sparse else "composite" if info.composite_tensor else info.name or ""
    return f"{kind} {dtype_name(info.dtype)}{shape_text(info.tensor_shape)}".strip()


def _compare_collections(what: str, one: CollectionDef, other: CollectionDef) -> Change | None:
    if same_bytes(one, other) or _content(one) == _content(other):
        return None
    words = _collection_text(one), _collection_text(other)
    return Change(what, *words, "they differ" if words[0] == words[1] else "")


def _content(collection: CollectionDef) -> tuple[str | None, list[Any]]:
    """Return the kind and the values.

    Messages in an Any are unpacked, since equal messages can have different encodings.
    """
    kind = collection.which_oneof("kind")
    values = list(getattr(collection, kind).value) if kind else []
    return kind, [_unpack(value) for value in values] if kind == "any_list" else values


def _unpack(packed: wellknown.Any) -> Message:
    """Return the message in an Any; the Any itself if its type is unknown or its content damaged."""
    cls = TYPES.get(packed.type_url.rpartition("/")[2])
    try:
        return packed if cls is None else cls.from_bytes(packed.value)
    except DecodeError:
        return packed


def _collection_text(collection: CollectionDef) -> str:
    kind = collection.which_oneof("kind")
    count = len(getattr(collection, kind).value) if kind else 0
    return f"{count:,} value{'' if count == 1 else 's'}"
