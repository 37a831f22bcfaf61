"""The MetaGraph of a SavedModel: tags, signatures, ops, collections, objects, and the node that initializes the model.

A MetaGraph that TensorFlow wrote, and that fits its graph, stays as it is. Parts that do not fit are left out, each
with a note: elements of collections that name missing nodes, and the objects of a TF2 model whose signatures call other
functions than the graph does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pbwire.codec.copy import share
from pbwire.errors import compose

from ...analysis.choice import choose
from ...analysis.signature_maker import SignatureMaker
from ...errors import Hint, ModelError
from ...graph import Functions, attr
from ...graph.error_text import guess, list_names, quote
from ...messages import (
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    OpList,
    SavedObjectGraph,
    SignatureDef,
)
from ...ops.definitions import TENSORFLOW_VERSION, Declarations, listed_ops
from ...source.meta_renames import fitting_collections
from ...source.metagraph import ops_used, stripped_op_list, tensors_by_key
from ...source.metagraph.builder import GivenSignature, SignatureForm
from ...source.model_source import ModelSource
from ...source.signature_defs import DEFAULT_SIGNATURE, INTERNAL_SIGNATURES, tensors_of
from ...values.names import Renames, TensorName
from ...values.terminal import escape

GivenSignatures = Mapping[str, "GivenSignature | str | None"]
"""Signatures by name; None stands for the model's own signature of this name, a string for that of another name."""

_ASSET_COLLECTION = "saved_model_assets"


def new_meta_graph(source: ModelSource, tags: Iterable[str] | None) -> MetaGraphDef:
    """Return a MetaGraph that may be changed: a copy of the model's own one, or a new one with its graph.

    `tags` replace those of the MetaGraph. Without tags, the MetaGraph is tagged "serve".
    """
    if source.meta is not None:
        meta = share(source.meta)
        meta.graph_def = source.graph
    else:
        info = MetaGraphDef.MetaInfoDef(tensorflow_version=TENSORFLOW_VERSION)
        meta = MetaGraphDef(graph_def=source.graph, meta_info_def=info)
    old = meta.meta_info_def
    new_tags = list(tags) if tags is not None else [] if old is None else old.tags
    if source.is_saved_model and tags is None:
        return meta
    info = share(old) if old is not None else MetaGraphDef.MetaInfoDef()
    info.tags = new_tags or ["serve"]
    meta.meta_info_def = info
    return meta


# --- signatures ------------------------------------------------------------------------------------------------------


def set_signatures(source: ModelSource, meta: MetaGraphDef, given: GivenSignatures | None, notes: list[str]) -> None:
    """Set the signatures of a MetaGraph: the given ones, or else those of the model, or else the inferred one.

    Raises ModelError for an unknown signature, and if the outputs are not certain; GraphError for a tensor that does
    not exist.
    """
    own = meta.signature_def
    signatures = {name: signature for name, signature in own.items() if name.startswith(INTERNAL_SIGNATURES)}
    public = {name: signature for name, signature in own.items() if name not in signatures}
    if given is None and (public or source.is_saved_model or meta.object_graph_def is not None):
        return
    with source.naming():
        if given is None:
            signatures[DEFAULT_SIGNATURE] = _inferred_signature(source, notes)
        else:
            own_names = {name: form or name for name, form in given.items() if form is None or isinstance(form, str)}
            forms = {name: form for name, form in given.items() if form is not None and not isinstance(form, str)}
            make = SignatureMaker(source) if forms else None
            for name in given:
                signatures[name] = (
                    _own(own_names[name], public) if make is None or name in own_names else make(name, forms[name])
                )
    meta.signature_def = signatures


def _own(name: str, signatures: Mapping[str, SignatureDef]) -> SignatureDef:
    if name not in signatures:
        names = ", ".join(map(quote, sorted(signatures))) or "none"
        raise ModelError(f"there is no signature {quote(name)}{guess(name, signatures)}; there are: {names}")
    return signatures[name]


def _inferred_signature(source: ModelSource, notes: list[str]) -> SignatureDef:
    source = source.keeping_facts()
    choice, make = choose(source, bind=True, hint=Hint.NAME_SIGNATURE), SignatureMaker(source)
    training = [end for end in choice.training if end.op == "Placeholder"]
    inputs, outputs = [*choice.inputs, *(end.tensor for end in training)], choice.outputs
    for what, names in (("inputs", inputs), ("outputs", outputs)):
        notes.append(compose(f"{what}: {escape(', '.join(names)) or 'none'}, ", Hint.OTHER_SIGNATURE))
    for end in training:
        notes.append(
            f"{quote(end.name)} is an input that only training sets: bind it first ({end.binding}) to remove it"
        )
    form = SignatureForm(inputs=tensors_by_key(inputs), outputs=tensors_by_key(outputs))
    return make(DEFAULT_SIGNATURE, form)


# --- ops -------------------------------------------------------------------------------------------------------------


def add_declarations(meta: MetaGraphDef, op_defs: Declarations | Iterable[Declarations] = ()) -> None:
    """Declare the ops of the graph that the MetaGraph does not declare yet."""
    assert meta.graph_def is not None
    info = meta.meta_info_def or MetaGraphDef.MetaInfoDef()
    declared = {op.name: op for op in listed_ops(meta)}
    used = ops_used(meta.graph_def)
    if not used - declared.keys():
        return
    known = {op.name: op for op in stripped_op_list(meta.graph_def, op_defs=op_defs).op}
    if not known.keys() - declared.keys():
        return
    ops = known | declared
    info = share(info)
    info.stripped_op_list = OpList(op=[ops[name] for name in sorted(ops)])
    meta.meta_info_def = info


# --- collections -----------------------------------------------------------------------------------------------------


def fit_collections(meta: MetaGraphDef, notes: list[str]) -> None:
    """Remove the elements of collections that name nodes which are not in the graph."""
    assert meta.graph_def is not None
    collections = {name: one for name, one in meta.collection_def.items() if name != _ASSET_COLLECTION}
    fitting = fitting_collections(collections, meta.graph_def, Renames())
    changed = {name for name, collection in collections.items() if fitting.get(name) is not collection}
    if not changed:
        return
    notes.append(f"left out of the collections {list_names(sorted(changed))}: nodes that the graph does not have")
    meta.collection_def = {
        name: fitting.get(name, collection)
        for name, collection in meta.collection_def.items()
        if name in fitting or name not in changed
    }


# --- objects of TensorFlow 2 -----------------------------------------------------------------------------------------


def fit_objects(source: ModelSource, meta: MetaGraphDef, notes: list[str]) -> bool:
    """Remove the objects of a TF2 model that do not describe the graph, and return whether the MetaGraph has objects.

    Without them, TensorFlow 2 loads the signatures alone.
    """
    objects = meta.object_graph_def
    if objects is None:
        return False
    own = source.meta.signature_def if source.meta is not None else {}
    problem = _misfit(meta, objects, own)
    if not problem:
        _remove_signatures(meta, objects)
        return True
    notes.append(f"left out the objects of TensorFlow 2, which loads the signatures without them: {problem}")
    meta.object_graph_def = None
    return False


def _misfit(meta: MetaGraphDef, objects: SavedObjectGraph, own: Mapping[str, SignatureDef]) -> str:
    """Return how the objects differ from the graph and its signatures; "" if they fit.

    `own` are the signatures of the model, and those of the MetaGraph may be others.
    """
    assert meta.graph_def is not None
    nodes = {node.name: node for node in meta.graph_def.node}
    called = {key: name for _, key, name in _called_by_objects(objects)}
    for name, signature in meta.signature_def.items():
        if name.startswith(INTERNAL_SIGNATURES):
            continue
        if signature is not own.get(name) and signature != own.get(name):
            return f"they do not describe the signature {quote(name)}"
        if name in called and not all(_calls(nodes, tensor, called[name]) for tensor in tensors_of(signature.outputs)):
            return f"the signature {quote(name)} does not call their function {quote(called[name])}"
    functions = Functions(meta.graph_def.library)
    if missing := sorted(name for name in objects.concrete_functions if name not in functions):
        return f"the library lacks the functions {list_names(missing)}"
    constants = {item.constant.operation for item in objects.nodes if item.constant is not None}
    if missing := sorted(constants - nodes.keys()):
        return f"the graph lacks the constants {list_names(missing)}"
    return ""


def _called_by_objects(objects: SavedObjectGraph) -> Iterator[tuple[int, str, str]]:
    """Yield the signatures among the objects: the number of the parent object, the name, and that of its function."""
    children = objects.nodes[0].children if objects.nodes else []
    for number in [child.node_id for child in children if child.local_name == "signatures"]:
        for child in objects.nodes[number].children if 0 <= number < len(objects.nodes) else ():
            item = objects.nodes[child.node_id] if 0 <= child.node_id < len(objects.nodes) else None
            if item is not None and item.bare_concrete_function is not None:
                yield number, child.local_name, item.bare_concrete_function.concrete_function_name
            elif item is not None and item.function is not None and item.function.concrete_functions:
                yield number, child.local_name, item.function.concrete_functions[0]


def _remove_signatures(meta: MetaGraphDef, objects: SavedObjectGraph) -> None:
    """Remove the signatures among the objects that the MetaGraph does not have."""
    others = {(number, key) for number, key, _ in _called_by_objects(objects) if key not in meta.signature_def}
    if not others:
        return
    meta.object_graph_def = share(objects)
    meta.object_graph_def.nodes = list(objects.nodes)
    for number in {number for number, _ in others}:
        parent = share(objects.nodes[number])
        parent.children = [child for child in parent.children if (number, child.local_name) not in others]
        meta.object_graph_def.nodes[number] = parent


def _calls(nodes: Mapping[str, NodeDef], tensor: str, function: str) -> bool:
    """Return whether a tensor is an output of a call of a function, directly or through Identity nodes."""
    seen: set[str] = set()
    node = nodes.get(TensorName.parse(tensor).node)
    while node is not None and node.op == "Identity" and node.input and node.name not in seen:
        seen.add(node.name)
        node = nodes.get(TensorName.parse(node.input[0]).node)
    if node is None:
        return False
    called = attr(node, "f", NameAttrList, None)
    return node.op == function or (called is not None and called.name == function)
