"""`freeze`: choose outputs and variables, inline calls, replace variables by their values, read the values from the
checkpoint, and build the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..analysis.choice import choose
from ..analysis.variables.checkpoint_keys import RestoredPlaces, hints_of
from ..analysis.variables.handle_tracing import Source
from ..analysis.variables.preparation import bind_source, drop_idle_controls, inline_calls
from ..analysis.variables.variable_values import Values
from ..errors import FreezeError, GraphError
from ..files.decoding import Tags
from ..graph import Functions, attr
from ..graph.edit import replace_node
from ..graph.error_text import guess, no_output, quote
from ..graph.function_body import FunctionBodies
from ..graph.view import GraphView
from ..messages import (
    AttrValue,
    DataType,
    FunctionDefLibrary,
    GraphDef,
    NodeDef,
)
from ..ops import output_types
from ..ops.traits import PLACEHOLDERS, RESTORES, VARIABLES
from ..options import parameters_of
from ..source.loading import path_constants
from ..source.model_source import CheckpointSource, Given, ModelSource, Names, names_of
from ..values.names import TensorName, node_name
from ..values.output_limit import limit_output, require
from ..values.terminal import count_of, escape
from .dead_writes import is_dead
from .repair import repair, repair_source
from .table_initializers import MAX_NAMES_SHOWN, TableInitializers
from .variable_conversion import FunctionConverter, convert


@dataclass(frozen=True, slots=True)
class Frozen:
    """A frozen graph, the names of its inputs and outputs, and the number of variables that became constants.

    source       the model that was frozen
    written      the variables that each run of the model writes; the graph does not keep their new values
    guessed      {"outputs": P} if the outputs are the likely ones, since neither the caller nor a signature names any;
                 P is the probability that the least certain of them is right
    was_frozen   whether the graph had no variables and no calls, so that nothing was frozen
    repaired     a note about nodes that an earlier freezing had left invalid: see `repair`; "" without any
    """

    source: ModelSource
    graph: GraphDef
    inputs: list[str]
    outputs: list[str]
    variables: int
    written: list[str] = field(default_factory=list)
    guessed: dict[str, float] = field(default_factory=dict)
    was_frozen: bool = False
    repaired: str = ""

    @property
    def warning(self) -> str:
        """A warning about the variables in `written`, or an empty string if no variable is written."""
        if not self.written:
            return ""
        more = f" and {len(self.written) - MAX_NAMES_SHOWN:,} more" if len(self.written) > MAX_NAMES_SHOWN else ""
        names = ", ".join(map(quote, self.written[:MAX_NAMES_SHOWN])) + more
        plural = "" if len(self.written) == 1 else "s"
        return (
            f"each run of the model writes the variable{plural} {names}; the frozen graph does not keep the new "
            f"value{plural}, so every run gives the result of the first run"
        )

    @property
    def notes(self) -> list[str]:
        """Lines about what was repaired and frozen, and the warning."""
        counts = ""
        if self.graph is not self.source.graph:
            nodes, variables = count_of(len(self.graph.node), "node"), count_of(self.variables, "variable")
            counts = f"frozen: {len(self.source.graph.node):,} -> {nodes}, {variables}"
        return [*filter(None, (self.repaired, counts, self.warning))]

    @property
    def frozen_source(self) -> ModelSource:
        """The model with the frozen graph."""
        return self.source.after_step(self.graph, notes=[self.warning] if self.warning else [])


def freeze_model(
    model: Given,
    outputs: Names = None,
    *,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    bind: Mapping[str, Any] | None = None,
    allowlist: Names = None,
    denylist: Names = None,
    clear_devices: bool = False,
    share: bool = False,
) -> Frozen:
    """Freeze a model, as `freeze` does, and return the graph with its inputs, outputs and variables."""
    given = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags).with_functions()
    with given.naming(), limit_output(lambda: given.graph.ByteSize()):
        given.check_checkpoint()
        with _raising_freeze_errors():
            source = bind_source(given, bind, outputs=outputs)
            freezing = _Freezing(source, names_of(outputs), names_of(allowlist) or None, names_of(denylist))
            return freezing.run(clear_devices=clear_devices, share=share)


@parameters_of(lambda: freeze_model)
def freeze(*args: Any, **options: Any) -> GraphDef:
    """Return a graph that computes `outputs`.

    Constants replace the variables, and nodes that `outputs` do not need are removed.

    `model` is a path (a SavedModel, a .meta, a GraphDef in any form), a message, or a Model. It does not change, and
    the new graph shares its unchanged nodes.

    `outputs` are keys of the signature, or names of nodes or tensors: one string such as "a,b:1", or a list. A node
    with the name of a key is "node:0". Default: the outputs of the signature. The signature is `signature` if given,
    else "serving_default", else the model's only one; without a signature, the likely ones, which are `Model.outputs`.
    The inputs of the signature stay even if the outputs do not need them, unless `outputs` are given without
    `signature`.

    `bind` maps tensors to values, such as {"keep_prob": 1}. These tensors become constants first: see the transform
    `bind_inputs`.

    The values come from `checkpoint`: a path, a Checkpoint, or any mapping from names to arrays; default: the
    checkpoint beside a SavedModel or a .meta. `tags` choose one of several MetaGraphs (default: "serve").

    With `allowlist`, only its variables are frozen. Those in `denylist` are never frozen. All others stay variables.

    Each run of the graph computes what the model computes in its first run after a restore. If that run assigns to a
    variable, later reads in the same run see the new value; the next run starts again from the constant.

    Functions are inlined; branches and loops remain, with the functions that they need. Lookup tables and the nodes
    that fill them remain; the model's initializer keeps its name and still fills them. Constants with the paths of
    asset files get the paths in the folder of this model.

    With `share`, large constants are views of the checkpoint instead of copies. Use this if the graph is only written
    to a file.

    Raises FreezeError, which names the nodes that cannot be frozen; TransformError for tensors that cannot be bound;
    ModelError for a signature that does not exist or has no outputs, for a model without outputs that are likely
    enough, and for a checkpoint that is given although the model reads none; CheckpointError and FileFormatError for
    files that cannot be read, and OSError.
    """
    return freeze_model(*args, **options).graph


def freeze_for_transforms(source: ModelSource, tensors: Sequence[str], progress: Callable[[str], object]) -> Frozen:
    """Freeze a model for transforms, which keep `tensors`, its inputs and outputs. The graph has no devices.

    A graph without variables, restored tables, assets and calls is taken as it is. Before, what an earlier freezing
    left invalid is repaired; `source` of the result is the repaired model. `progress` is called before freezing.
    """
    source, repaired = repair_source(source, tensors)
    functions = Functions(source.graph.library)
    if not (source.takes_checkpoint or source.asset_paths() or any(map(functions.call, source.graph.node))):
        return Frozen(source, source.graph, [], [*tensors], 0, was_frozen=True, repaired=repaired)
    progress("freezing")
    names = list(dict.fromkeys(tensors))  # inputs are fetched like outputs, so that freezing keeps them
    with _raising_freeze_errors():
        frozen = _Freezing(source.without_signature(), names, None, []).run(clear_devices=True, share=True)
    return replace(frozen, source=source, repaired=repaired)


@contextmanager
def _raising_freeze_errors() -> Iterator[None]:
    try:
        yield
    except GraphError as error:
        raise FreezeError(str(error)) from error


class _Freezing:
    """The steps that freeze one graph. They change the graph `_body`; `_unpruned` has its original nodes."""

    def __init__(self, source: ModelSource, outputs: list[str], allowed: list[str] | None, denied: list[str]) -> None:
        self._source = source
        self._functions = FunctionBodies(source.graph.library, source.ops)
        self._body = GraphView(source.graph)
        self._unpruned = GraphView(source.graph)
        self._variables = self._choose_variables(allowed, denied)
        self._inputs: list[str] = []
        self._guessed: dict[str, float] = {}
        self._outputs = self._choose_outputs(outputs)
        self._tables = TableInitializers(self._body, source)
        self._initializers = self._tables.roots()
        self._hints = hints_of(source.meta, self._unpruned, self._functions)

    def run(self, *, clear_devices: bool, share: bool) -> Frozen:
        """Freeze the graph."""
        self._prune()
        repaired = repair(self._body, self._functions, self._outputs)
        inlined = inline_calls(self._body, self._functions, self._outputs)
        self._keep_initializers()
        self._set_assets()
        self._merge_handles()
        sources = self._sources()
        written = self._convert(sources, inlined)
        frozen = self._fill(sources, share=share)
        self._tables.check_contents()
        return Frozen(
            self._source,
            self._graph(clear_devices),
            [node.name for node in self._body.nodes.values() if node.op in PLACEHOLDERS],
            list(map(str, self._outputs)),
            frozen,
            written,
            self._guessed,
            was_frozen=not any(node.op in VARIABLES for node in self._source.graph.node) and not inlined,
            repaired=repaired.describe(),
        )

    def _prune(self) -> None:
        self._body.prune([*self._targets, *self._initializers])

    @property
    def _targets(self) -> list[str]:
        """The nodes that have to stay for the user."""
        return [*(tensor.node for tensor in self._outputs), *self._inputs]

    # --- outputs and variables ---------------------------------------------------------------------------------------

    def _choose_outputs(self, outputs: list[str]) -> list[TensorName]:
        are_all = bool(outputs) and self._source.given_signature is None  # the inputs are those that they need
        choice = choose(self._source, inputs=() if are_all else None, outputs=outputs or None)
        if choice.inputs_from.kind == "signature":
            self._inputs = [node_name(name) for name in choice.inputs]
        self._guessed = {side: confidence for side, confidence in choice.guessed.items() if side == "outputs"}
        return [self._check_port(TensorName.parse(name)) for name in choice.outputs]

    def _check_port(self, tensor: TensorName) -> TensorName:
        node = self._body.nodes[tensor.node]
        if tensor.port and (op := self._source.ops.get(node.op)) is not None:
            count = len(output_types(node, op))
            if tensor.port >= count:
                raise FreezeError(no_output(node, tensor.port, count))
        return tensor

    def _choose_variables(self, allowed: list[str] | None, denied: list[str]) -> set[str]:
        """Return the names of the variables to freeze."""
        variables = {node.name for node in self._body.nodes.values() if node.op in VARIABLES}
        for name in (*(allowed or ()), *denied):
            if name not in variables:
                node = self._body.nodes.get(name)
                what = f"there is no variable {quote(name)}" if node is None else f"{quote(name)} is not a variable"
                op = f": its op is {escape(node.op)}" if node is not None else guess(name, variables)
                raise FreezeError(f"{what}{op}")
        return (variables if allowed is None else variables & set(allowed)) - set(denied)

    # --- steps -------------------------------------------------------------------------------------------------------

    def _keep_initializers(self) -> None:
        """Remove the initializers of tables that the outputs do not need."""
        self._initializers = self._tables.keep(self._targets, self._initializers)
        self._prune()

    def _set_assets(self) -> None:
        """Set the paths of asset files to those of this model, as loading it does."""
        for node, attrs in path_constants(self._body.nodes, self._source.asset_paths()):
            self._body.change(node, "Const", (), attrs)

    def _merge_handles(self) -> None:
        """If several handles refer to one variable, connect the consumers of all of them to the first."""
        first_handles: dict[tuple[bytes, bytes], str] = {}
        replacements: dict[TensorName, TensorName] = {}
        for node in self._body.nodes.values():
            shared = attr(node, "shared_name", bytes, b"") if node.op == "VarHandleOp" else b""
            if shared:
                name = first_handles.setdefault((attr(node, "container", bytes, b""), shared), node.name)
                replacements[TensorName(node.name)] = TensorName(name)
        if len(first_handles) != len(replacements):
            self._body.replace_tensors(replacements)

    def _sources(self) -> dict[str, Source]:
        """Return the variables that become constants."""
        sources = {}
        for node in self._body.nodes.values():
            is_inlined = node.name not in self._unpruned.nodes
            if node.op in VARIABLES and (is_inlined or node.name in self._variables):
                sources[node.name] = Source(attr(node, "dtype", DataType), is_ref=node.op != "VarHandleOp")
        return sources

    def _convert(self, sources: dict[str, Source], inlined: set[str]) -> list[str]:
        """Make the consumers of the variables those of their values, and return the variables that each run writes."""
        nodes = dict(self._body.nodes)
        convert_call = FunctionConverter(self._functions).convert_call
        trace = convert(self._body, self._functions, sources, outputs=self._outputs, convert_call=convert_call)
        drop_idle_controls(self._body, inlined)
        self._prune()
        return [name for name in sources if not all(is_dead(node, nodes) for node in trace.mutators.get(name, ()))]

    # --- values ------------------------------------------------------------------------------------------------------

    def _fill(self, sources: Iterable[str], *, share: bool) -> int:
        """Read the values of the variables, and what nodes restore to fill tables; return the number of variables."""
        nodes = self._body.nodes
        variables = [nodes[name] for name in sources if name in nodes]
        restore_nodes = [node for node in nodes.values() if node.op in RESTORES]
        if variables or restore_nodes:
            values = self._open_values(variables, restore_nodes, share=share)
            for constant in values.make_constants(variables):
                self._body.add(constant)
            self._restore(values, restore_nodes)
            self._prune()
        return len(variables)

    def _open_values(self, variables: list[NodeDef], restore_nodes: list[NodeDef], *, share: bool) -> Values:
        checkpoint = self._source.checkpoint
        if checkpoint is None:
            raise FreezeError(self._describe_missing_checkpoint(variables, restore_nodes))
        return Values(checkpoint, self._hints, share=share, name=getattr(checkpoint, "prefix", "the checkpoint"))

    def _restore(self, values: Values, restore_nodes: list[NodeDef]) -> None:
        """Replace the tensors that nodes restore from the checkpoint by constants."""
        tensors: dict[str, list[TensorName]] = {node.name: [] for node in restore_nodes}
        for tensor in self._body.consumers() if restore_nodes else ():
            if tensor.node in tensors:
                tensors[tensor.node].append(tensor)
        places = RestoredPlaces(self._body)
        constants: dict[TensorName, TensorName] = {}
        for node in restore_nodes:
            for tensor in tensors[node.name]:
                name = self._body.fresh(f"{node.name}/{tensor.port}")
                place = places.place(node, tensor.port)
                self._body.add(values.make_restored_constant(name, node, tensor.port, place))
                constants[tensor] = TensorName(name)
        self._body.replace_tensors(constants)

    def _describe_missing_checkpoint(self, variables: list[NodeDef], restore_nodes: list[NodeDef]) -> str:
        kind, nodes = ("variable", variables) if variables else ("node", restore_nodes)
        names = ", ".join(quote(node.name) for node in nodes[:MAX_NAMES_SHOWN])
        more = ", ..." if len(nodes) > MAX_NAMES_SHOWN else ""
        what = f"the {kind} {names}" if len(nodes) == 1 else f"{len(nodes):,} {kind}s ({names}{more})"
        place = f", but there is none at {escape(self._source.prefix)}" if self._source.prefix else ""
        return f"a checkpoint is needed for {what}{place}"

    # --- the result --------------------------------------------------------------------------------------------------

    def _graph(self, clear_devices: bool) -> GraphDef:
        nodes = [_finish_node(node, self._body, clear_devices) for node in [*self._body.nodes.values()]]
        graph = GraphDef(node=nodes, versions=self._source.graph.versions)
        functions = _needed_functions(nodes, self._functions)
        if functions:
            graph.library = FunctionDefLibrary(function=functions)
        require(graph.ByteSize(), "the frozen graph")
        return graph


def _finish_node(node: NodeDef, body: GraphView, clear_devices: bool) -> NodeDef:
    """Return a node without colocations with removed nodes; with `clear_devices`, also without its device."""
    places = node.attr.get("_class")
    if places is not None and places.list is not None:
        locations = [(place, place.decode("utf-8", "replace").removeprefix("loc:@")) for place in places.list.s]
        kept = [place for place, name in locations if name in body.nodes]
        if len(kept) != len(locations):
            attrs = {key: value for key, value in node.attr.items() if key != "_class"}
            if kept:
                attrs["_class"] = AttrValue(list=AttrValue.ListValue(s=kept))
            node = body.change(node, attr=attrs)
    if clear_devices and node.device:
        node = replace_node(body.change(node), device="")
    return node


def _needed_functions(nodes: Iterable[NodeDef], functions: FunctionBodies) -> list[Any]:
    """Return the functions that nodes call directly or through other functions, in order of discovery."""
    needed: dict[str, Any] = {}
    queue = list(nodes)
    for node in queue:
        for name in _called_functions(node):
            if name in functions and name not in needed:
                needed[name] = functions[name]
                queue += needed[name].node_def
    return list(needed.values())


def _called_functions(node: NodeDef) -> Iterator[str]:
    yield node.op
    for value in node.attr.values():
        if value.func is not None:
            yield value.func.name
        if value.list is not None:
            yield from (function.name for function in value.list.func)
