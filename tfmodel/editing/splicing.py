"""Join two models: tensors of the first become inputs of the second.

    splice("encoder.pb", "decoder.pb", connect={"code:0": "x"})

Names of both are kept apart: if a name of the second model is taken, all of its nodes move into a scope of their own.
Functions with one name and different bodies are kept apart too, and so are resources, such as lookup tables, that two
models share by name by accident.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pbwire.codec.copy import share

from ..analysis.choice import choose, tensor_of
from ..analysis.facts import Facts
from ..analysis.signature_maker import SignatureMaker
from ..errors import GraphError, ModelError, with_name
from ..freezing.pipeline import freeze_model
from ..graph import ColocationRenames, Functions, replace_node
from ..graph.error_text import guess, list_names, quote
from ..graph.functions import function_name
from ..messages import (
    AttrValue,
    FunctionDef,
    FunctionDefLibrary,
    GradientDef,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    RegisteredGradient,
    VersionDef,
)
from ..ops.ports import output_types, value_type
from ..ops.traits import PLACEHOLDERS
from ..source.loading import init_ops
from ..source.metagraph import encode_collection
from ..source.metagraph.builder import SignatureForm
from ..source.model_source import Given, ModelSource
from ..source.signature_defs import DEFAULT_SIGNATURE
from ..values.dtypes import dtype_name
from ..values.names import TakenNames, TensorName, node_name, with_node_name
from ..values.shape import merge_shapes, shape_to_text
from .extracting import with_keys

_SHARED_NAMES = ("shared_name", "container")
_DEFAULT_SCOPE = "b"


def splice(a: Given, b: Given, connect: Mapping[str, str], *, scope: str | None, keep_outputs: bool) -> ModelSource:
    """Return one model that runs `a` and feeds its results into `b`: see `tfmodel.splice`."""
    first, second = (_prepared(ModelSource.of(model).with_functions()) for model in (a, b))
    if not connect:
        raise GraphError("nothing is connected: name a tensor of the first model, and an input of the second")
    pairs = {_end(second, target, "inputs"): _end(first, source, "outputs") for source, target in connect.items()}
    if len(pairs) < len(connect):
        raise GraphError("an input is connected twice")
    _check_fit(first, second, pairs)
    joined = _Joining(first.graph, second.graph, pairs, scope)
    graph = joined.graph()
    with second.naming():
        ends = choose(second)
    outputs = {key: joined.new_name(name) for key, name in with_keys(ends.outputs, ends.output_keys).items()}
    others = [name for name in ends.inputs if TensorName.parse(name) not in pairs]
    with first.naming():
        first_ends = choose(first, partial=not keep_outputs)
    inputs = with_keys(first_ends.inputs, first_ends.input_keys)
    for key, tensor in with_keys(others, ends.input_keys).items():
        inputs[_free(key, inputs)] = joined.new_name(tensor)
    if keep_outputs:
        for key, tensor in with_keys(first_ends.outputs, first_ends.output_keys).items():
            outputs[_free(key, outputs)] = tensor
    initial = [*init_ops(first.meta), *(joined.renames.get(name, name) for name in init_ops(second.meta))]
    maker = SignatureMaker(ModelSource.of(graph))
    meta = MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]),
        graph_def=graph,
        signature_def={DEFAULT_SIGNATURE: maker(DEFAULT_SIGNATURE, SignatureForm(inputs=inputs, outputs=outputs))},
    )
    if initial:
        meta.collection_def = {"table_initializer": encode_collection("table_initializer", initial)}
    return ModelSource.of(graph).changed(graph, meta, (*first.notes, *second.notes))


def _prepared(model: ModelSource) -> ModelSource:
    """Return a model without variables: frozen if it has some."""
    if model.asset_paths():
        problem = "it has files of assets, which two models cannot share: splice it without them"
        raise ModelError(with_name(model.name, problem))
    return freeze_model(model).frozen_source if model.takes_checkpoint else model


def _end(model: ModelSource, name: str, kind: Literal["inputs", "outputs"]) -> TensorName:
    with model.naming():
        return tensor_of(model, name, kind)


def _free(key: str, taken: Mapping[str, Any]) -> str:
    return TakenNames(taken).fresh(key)


def _check_fit(first: ModelSource, second: ModelSource, pairs: Mapping[TensorName, TensorName]) -> None:
    facts = Facts(first), Facts(second)
    for target, source in pairs.items():
        types = [_type(one, tensor) for one, tensor in zip(facts, (source, target), strict=True)]
        texts = quote(source.numbered), quote(target.numbered)
        if None not in types and types[0] != types[1]:
            names = [dtype_name(dtype) for dtype in types if dtype is not None]
            raise GraphError(f"{texts[0]} is {names[0]}, and {texts[1]} is {names[1]}: add a Cast to one of the models")
        given, wanted = facts[0].shapes.get(source.numbered), facts[1].shapes.get(target.numbered)
        try:
            merge_shapes(given, wanted)
        except GraphError:
            shown = shape_to_text(given), shape_to_text(wanted)
            raise GraphError(f"{texts[0]} has the shape {shown[0]}, and {texts[1]} takes {shown[1]}") from None


def _type(facts: Facts, tensor: TensorName) -> Any:
    node = facts.index[tensor.node]
    op = facts.ops.get(node.op)
    if op is None:
        return None
    types = output_types(node, op)
    if tensor.port >= len(types):
        raise GraphError(f"there is no tensor {quote(tensor.numbered)}{guess(tensor.node, facts.index.positions)}")
    dtype = types[tensor.port]
    return value_type(dtype) if dtype is not None else None


class _Joining:
    """The graph of two models.

    renames     the new names of nodes of the second model
    functions   the new names of its functions
    """

    def __init__(
        self, first: GraphDef, second: GraphDef, pairs: Mapping[TensorName, TensorName], scope: str | None
    ) -> None:
        self.first = first
        self.second = second
        self.pairs = pairs
        self.renames = _node_renames(first, second, scope)
        self.functions = _function_renames(first, second)
        self.gradients = _gradient_renames(first, second, self.functions)
        self._resources = _resource_names(first)
        fed = {target.node: source.node for target, source in pairs.items()}
        self._colocation = ColocationRenames(self.renames | fed)

    def new_name(self, text: str) -> str:
        """Return the name of a tensor of the second model in the joined graph."""
        tensor = TensorName.parse(text)
        return tensor._replace(node=self.renames.get(tensor.node, tensor.node)).numbered

    def graph(self) -> GraphDef:
        fed = {
            target.node
            for target in self.pairs
            if any(node.name == target.node and node.op in PLACEHOLDERS for node in self.second.node)
        }
        result = share(self.first)
        result.node = [*self.first.node, *(self._node(node) for node in self.second.node if node.name not in fed)]
        waiting = [node.name for node in result.node if any(node_name(text) in fed for text in node.input)]
        if waiting and not self.renames:
            raise GraphError(f"{list_names(waiting)} waits for an input that is connected")
        result.library = self._library()
        result.versions = _versions(self.first.versions, self.second.versions)
        return result

    def _node(self, node: NodeDef) -> NodeDef:
        """Return a node of the second model with new names, and inputs from the first model."""
        inputs = [self._input(text) for text in node.input]
        return self._renamed(replace_node(self._colocation.rename(node), input=inputs), in_graph=True)

    def _input(self, text: str) -> str:
        tensor = TensorName.parse(text)
        if tensor.is_control:
            sources = [source for target, source in self.pairs.items() if target.node == tensor.node]
            if sources:
                return str(TensorName.control(sources[0].node))
        elif tensor in self.pairs:
            return str(self.pairs[tensor])
        return with_node_name(text, self.renames.get(tensor.node, tensor.node))

    def _renamed(self, node: NodeDef, *, in_graph: bool) -> NodeDef:
        """Return a node with new names of functions, gradients and resources, and of itself if it is in the graph."""
        fields: dict[str, Any] = {}
        if in_graph and node.name in self.renames:
            fields["name"] = self.renames[node.name]
        if node.op in self.functions:
            fields["op"] = self.functions[node.op]
        changed = {name: new for name, value in node.attr.items() if (new := self._attribute(name, value)) is not value}
        if changed:
            fields["attr"] = {**node.attr, **changed}
        return replace_node(node, **fields) if fields else node

    def _attribute(self, name: str, value: AttrValue) -> AttrValue:
        if value.func is not None and self.functions:
            return AttrValue(func=self._function_value(value.func))
        if value.list is not None and value.list.func and self.functions:
            return AttrValue(list=AttrValue.ListValue(func=[self._function_value(item) for item in value.list.func]))
        if name == "_gradient_op_type" and value.s is not None and value.s.decode() in self.gradients:
            return AttrValue(s=self.gradients[value.s.decode()].encode())
        if name == "shared_name" and value.s and value.s in self._resources:
            return AttrValue(s=value.s + b"_b")
        return value

    def _function_value(self, value: NameAttrList) -> NameAttrList:
        attributes = {name: self._attribute(name, inner) for name, inner in value.attr.items()}
        return NameAttrList(name=self.functions.get(value.name, value.name), attr=attributes)

    def _library(self) -> FunctionDefLibrary | None:
        mine, other = self.first.library, self.second.library
        if other is None:
            return mine
        result = share(mine) if mine is not None else FunctionDefLibrary()
        taken = {function_name(function) for function in result.function}
        added = [self._function(function) for function in other.function]
        result.function = [*result.function, *(new for new in added if function_name(new) not in taken)]
        gradients = [
            GradientDef(
                function_name=self.functions.get(row.function_name, row.function_name),
                gradient_func=self.functions.get(row.gradient_func, row.gradient_func),
            )
            for row in other.gradient
        ]
        result.gradient = [*result.gradient, *(row for row in gradients if row not in result.gradient)]
        registered = [
            RegisteredGradient(
                gradient_func=self.functions.get(row.gradient_func, row.gradient_func),
                registered_op_type=self.gradients.get(row.registered_op_type, row.registered_op_type),
            )
            for row in other.registered_gradients
        ]
        known = result.registered_gradients
        result.registered_gradients = [*known, *(row for row in registered if row not in known)]
        return result

    def _function(self, function: FunctionDef) -> FunctionDef:
        new = share(function)
        name = function_name(function)
        if name in self.functions and function.signature is not None:
            new.signature = share(function.signature)
            new.signature.name = self.functions[name]
        new.node_def = [self._renamed(node, in_graph=False) for node in function.node_def]
        new.attr = {key: self._attribute(key, value) for key, value in function.attr.items()}
        return new


def _node_renames(first: GraphDef, second: GraphDef, scope: str | None) -> dict[str, str]:
    taken = {node.name for node in first.node}
    clashes = [node.name for node in second.node if node.name in taken]
    if scope is None:
        if not clashes:
            return {}
        scopes = TakenNames(name.partition("/")[0] for name in taken)
        scope = scopes.fresh(_DEFAULT_SCOPE)
    elif not scope:
        if clashes:
            raise GraphError(f"both models have {list_names(clashes)}: give the second one a scope")
        return {}
    renames = {node.name: f"{scope}/{node.name}" for node in second.node}
    again = [name for name in renames.values() if name in taken]
    if again:
        raise GraphError(f"the first model has {list_names(again)} already: give another scope")
    return renames


def _function_renames(first: GraphDef, second: GraphDef) -> dict[str, str]:
    """Return new names for functions of the second model whose name the first uses for another function.

    A function that is equal in both is shared, if the functions that it calls are shared too.
    """
    mine = {function_name(function): function for function in (first.library.function if first.library else ())}
    others = {function_name(function): function for function in (second.library.function if second.library else ())}
    different = {name for name, function in others.items() if name in mine and function != mine[name]}
    if different:  # functions that call a different one are different themselves, although they look equal
        library = Functions(second.library)
        different |= {
            name
            for name, function in others.items()
            if name in mine and different & library.reachable(function.node_def)
        }
    names = TakenNames((*mine, *others))
    return {name: names.fresh(name) for name in others if name in different}


def _gradient_renames(first: GraphDef, second: GraphDef, functions: Mapping[str, str]) -> dict[str, str]:
    """Return new names for registered gradients that have one name and other functions in the two models."""
    mine = {
        row.registered_op_type: row.gradient_func
        for row in (first.library or FunctionDefLibrary()).registered_gradients
    }
    names = TakenNames(mine)
    renames = {}
    for row in (second.library or FunctionDefLibrary()).registered_gradients:
        gradient = functions.get(row.gradient_func, row.gradient_func)
        if mine.get(row.registered_op_type, gradient) != gradient:
            renames[row.registered_op_type] = names.fresh(row.registered_op_type)
    return renames


def _resource_names(graph: GraphDef) -> set[bytes]:
    """Return the names under which the nodes of a graph and of its functions share resources."""
    bodies = [graph.node, *(function.node_def for function in (graph.library.function if graph.library else ()))]
    values = (node.attr.get("shared_name") for nodes in bodies for node in nodes if "shared_name" in node.attr)
    return {value.s for value in values if value is not None and value.s}


def _versions(first: VersionDef | None, second: VersionDef | None) -> VersionDef | None:
    if first is None or second is None:
        only = first or second
        return None if only is None else VersionDef.from_bytes(only.to_bytes())
    return VersionDef(
        producer=min(first.producer, second.producer),
        min_consumer=max(first.min_consumer, second.min_consumer),
        bad_consumers=sorted({*first.bad_consumers, *second.bad_consumers}),
    )
