"""Extract a part of a model: the nodes between some tensors and others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pbwire.codec.copy import share

from ..analysis.choice import choose
from ..analysis.signature_maker import SignatureMaker
from ..errors import ModelError
from ..graph import Functions, replace_node, with_functions, with_nodes
from ..graph.functions import function_name
from ..messages import GraphDef, MetaGraphDef, SignatureDef
from ..ops.traits import PLACEHOLDERS
from ..source.meta_renames import with_changed_graph
from ..source.metagraph import tensors_by_key
from ..source.metagraph.builder import SignatureForm
from ..source.model_source import Given, ModelSource, Names, names_of
from ..source.signature_defs import DEFAULT_SIGNATURE
from ..transforms.framework.pipeline import transform
from ..transforms.framework.report import TransformReport
from ..values.names import Renames, TensorName, control_input, shortest


def extract(model: Given, inputs: Names, outputs: Names) -> ModelSource:
    """Return the part of a model that computes `outputs` from `inputs`: see `tfmodel.extract`."""
    model = ModelSource.of(model).with_functions()
    asked = [names_of(names) if names is not None else None for names in (inputs, outputs)]
    with model.naming():
        choice = choose(model, inputs=asked[0], outputs=asked[1])
        sources, targets = with_keys(choice.inputs, choice.input_keys), with_keys(choice.outputs, choice.output_keys)
        if not targets:
            raise ModelError("there is nothing to extract: name some outputs")
    report = TransformReport()
    kept_inputs, kept_outputs = [*sources.values()], [*targets.values()]
    graph = _without_waiting_for_inputs(model.graph, kept_inputs)
    with model.naming():
        graph = transform(graph, kept_inputs, kept_outputs, "strip_unused_nodes", report=report)
    part = model.after_step(graph, renames=report.all_renames)
    graph = without_unused_functions(part.graph)
    renames = {str(old): str(new) for old, new in report.renames.items()}
    new_names = [{key: renames.get(shortest(name), name) for key, name in side.items()} for side in (sources, targets)]
    form = SignatureForm(inputs=new_names[0], outputs=new_names[1])
    signature = SignatureMaker(ModelSource.of(graph))(DEFAULT_SIGNATURE, form)
    return part.with_meta(part_meta(part, graph, {DEFAULT_SIGNATURE: signature}), graph)


def _without_waiting_for_inputs(graph: GraphDef, inputs: Iterable[str]) -> GraphDef:
    """Return a graph in which no node waits for a Placeholder that is not an input of the part.

    Such an input would have to be fed, without an effect on any value.
    """
    kept = {TensorName.parse(name).node for name in inputs}
    fed = {control_input(node.name) for node in graph.node if node.op in PLACEHOLDERS and node.name not in kept}
    return with_nodes(
        graph,
        [
            node if fed.isdisjoint(node.input) else replace_node(node, input=[x for x in node.input if x not in fed])
            for node in graph.node
        ],
    )


def with_keys(tensors: Iterable[str], keys: Mapping[str, str]) -> dict[str, str]:
    """Return tensors by their `keys` in a signature, and others by keys made from their names."""
    key_of = {TensorName.parse(name): key for key, name in keys.items()}
    made = {tensor: key for key, tensor in tensors_by_key(tensors).items()}
    return {key_of.get(TensorName.parse(tensor), key): tensor for tensor, key in made.items()}


def without_unused_functions(graph: GraphDef) -> GraphDef:
    """Return a graph without the functions that its nodes do not need, directly or not."""
    library = graph.library
    if library is None:
        return graph
    used = Functions(library).reachable(graph.node)
    kept = [function for function in library.function if function_name(function) in used]
    if len(kept) == len(library.function):
        return graph
    graph = with_functions(graph, kept)
    assert graph.library is not None
    graph.library.gradient = [row for row in library.gradient if row.function_name in used]
    graph.library.registered_gradients = [row for row in library.registered_gradients if row.gradient_func in used]
    return graph


def part_meta(model: ModelSource, graph: GraphDef, signatures: dict[str, SignatureDef]) -> MetaGraphDef:
    """Return the MetaGraph for a part of a model: with these signatures, and what the nodes that are left need."""
    if model.meta is None:
        info = MetaGraphDef.MetaInfoDef(tags=["serve"])
        return MetaGraphDef(meta_info_def=info, graph_def=graph, signature_def=signatures)
    meta = share(model.meta)
    meta.object_graph_def = None  # its functions are those of the whole model
    meta = with_changed_graph(meta, graph, Renames())
    meta.signature_def = signatures
    return meta
