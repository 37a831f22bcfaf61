"""Sessions: a model with its plans, and with the variables and tables that it keeps from one run to the next.

    session = Session("saved_model/")
    session.run({"x": array})                        # the outputs of its signature
    session.run({"x:0": array}, ["logits:0"])

`run` runs a model once, in a session of its own.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..analysis.choice import choose
from ..analysis.facts import Facts
from ..analysis.variables.checkpoint_keys import hints_of
from ..analysis.variables.preparation import bind_source
from ..analysis.variables.variable_values import Values
from ..errors import CheckpointError, FeedError, FileFormatError, FreezeError, GraphError, RunError, with_name
from ..files.access.special_files import open_regular
from ..files.access.stand_ins import refuse_stand_in
from ..files.decoding import Tags
from ..files.model_file import ModelFile
from ..graph import Functions, describe, replace_node, with_nodes
from ..graph.error_text import guess, no_output, no_tensor, quote
from ..graph.function_body import FunctionBodies
from ..graph.traversal import ChainEnds, CircularChainError
from ..graph.view import GraphView
from ..kernels.runtime.registry import Variable, no_value
from ..messages import AttrValue, DataType, GraphDef, NameAttrList, NodeDef, OpDef
from ..ops import output_types
from ..ops.traits import CONSTS, INITIALIZES_TABLE, PLACEHOLDERS, RANDOM, VARIABLES
from ..source.bindings import default_signature, resolve_bindings
from ..source.loading import init_ops
from ..source.model_source import CheckpointSource, Given, ModelSource
from ..values.dtypes import DTYPES
from ..values.names import TensorName, check_name
from ..values.tensors import from_ndarray
from ..values.terminal import escape
from .executor import DEAD, Budget, execute
from .feed_sources import FeedSource, Target
from .feeds import check_seed, convert_feed, input_shape
from .plan import Plan
from .profiling import NodeTimer, Observer

T = TypeVar("T")

MAX_CHECK_STEPS = 1_000_000
"""The step limit of runs that only check a change of a model. Without a limit, such a run may never end."""

_MAX_LISTED_KEYS = 10  # keys of a signature that an error lists
MAX_CALL_DEPTH = 100
"""The limit of nested function calls."""

_TABLE_INITIALIZERS = INITIALIZES_TABLE - {"InitializeTableFromDataset"}  # datasets are not run


class Session:
    """A model with its variables and tables.

    `model` is a path (a graph in any form, a .meta, a SavedModel), a message, or a Model. `checkpoint` is a path, a
    Checkpoint, or a mapping from names to arrays; default: the one beside a SavedModel or a .meta. Files that the model
    reads must be in its folder, or in `files`, a list of folders and files. `bind` has values of tensors that become
    constants and are not fed any more, such as {"keep_prob": 1}: see the transform `bind_inputs`. `seed` is for random
    numbers; `log` is called with the text that the model prints (default: it is printed to stderr). The initializers of
    the model run before its first run, and those of a lookup table before the first run that needs the table.

    Raises TransformError for a value that cannot be bound; ModelError for a `checkpoint` of a model that does not read
    one, and for a signature that does not exist; GraphError for two nodes of one name; FileFormatError and OSError for
    a model that cannot be read.
    """

    def __init__(
        self,
        model: Given,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
        bind: Mapping[str, Any] | None = None,
        ops: Mapping[str, OpDef] | None = None,
        seed: int = 0,
        files: Sequence[str | os.PathLike[str]] = (),
        log: Callable[[str], None] | None = None,
    ) -> None:
        source = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags).with_functions()
        source.check_checkpoint()
        self._source = bind_source(source, bind)
        self._bound = {TensorName.parse(name) for name in resolve_bindings(source, bind)} if bind else set()
        name_and_signature = default_signature(self._source)
        signature_def = name_and_signature[1] if name_and_signature is not None else None
        self.inputs = (
            {key: info.name or "" for key, info in signature_def.inputs.items()} if signature_def is not None else {}
        )
        """The tensors of the signature's inputs, by their keys; empty without a signature."""
        self.outputs = (
            {key: info.name or "" for key, info in signature_def.outputs.items()} if signature_def is not None else {}
        )
        with self._source.naming_damage():
            self.graph = _with_assets(self._source.graph, self.asset_paths())
            self.ops = self._source.ops if ops is None else ops
            self._nodes = {node.name: node for node in self.graph.node}
            if len(self._nodes) < len(self.graph.node):
                name, _ = Counter(node.name for node in self.graph.node).most_common(1)[0]
                raise GraphError(f"the graph has two nodes {quote(name)}")  # references to it are ambiguous
        self.random = np.random.default_rng(seed)
        self._files = [os.path.realpath(path) for path in files]
        self._log = log or (lambda text: print(text, file=sys.stderr))
        self._functions = Functions(self.graph.library)
        self._plans: dict[Hashable, Plan] = {}
        self._resources: dict[Hashable, Any] = {}
        self._depth = 0
        self._budget = Budget()
        self._timer: NodeTimer | None = None
        self._initialized: set[str] = set()
        self._needed_variables: list[NodeDef] = []
        self.init_ops = init_ops(self._source.meta)
        """The nodes that run before the first run; those that the graph does not have are ignored."""

    @property
    def source(self) -> ModelSource:
        """The model, with bound inputs as constants."""
        return self._source

    @property
    def file(self) -> ModelFile | None:
        """The file of the model; None for a message."""
        return self._source.file

    @cached_property
    def facts(self) -> Facts:
        return Facts.of(self._source)

    @cached_property
    def default_fetches(self) -> list[str]:
        """The outputs of the signature by their keys, or else the likely outputs of the graph.

        Raises ModelError, which lists the candidates, if no output is certain enough.
        """
        if self.outputs:
            return list(self.outputs)
        with self._source.naming_damage():
            return choose(self._source, inputs=(), facts=self.facts).output_names

    @property
    def possible_outputs(self) -> list[str]:
        """The tensors that may be outputs of the graph, the likeliest first."""
        with self._source.naming_damage():
            return [end.name for end in self.facts.endpoints.outputs]

    def training_inputs(self, fetches: Iterable[str]) -> dict[str, float]:
        """Return the inputs that `fetches` need and only training sets, with their values in a deployed model."""
        with self._source.naming_damage():
            ends = choose(self._source, inputs=(), outputs=[*fetches], bind=True, facts=self.facts).training
        return {end.tensor: end.value for end in ends if end.value is not None}

    @property
    def is_random(self) -> bool:
        """Whether the graph or a function has an op whose results depend on the seed."""
        library = self.graph.library.function if self.graph.library is not None else []
        bodies = [self.graph.node, *(function.node_def for function in library)]
        return any(node.op in RANDOM for nodes in bodies for node in nodes)

    # --- running -----------------------------------------------------------------------------------------------------

    def run(
        self,
        feeds: Mapping[str, Any],
        fetches: str | Iterable[str] | None = None,
        *,
        max_steps: int | None = None,
        max_bytes: int | None = None,
        observer: Observer | None = None,
    ) -> dict[str, Any]:
        """Return the values of some tensors, by the names under which they were fetched.

        `feeds` and `fetches` are named by tensors, "x:0" or "x", or by the keys of the signature; the default fetches
        are its outputs, or else the likely outputs of the graph. A node without outputs is fetched by its name too, and
        gives None.

        `max_steps` and `max_bytes` are limits for models that might never end, or need too much memory. A node
        counts as a step each time that it runs, in every iteration of every loop and in every call of a function. Nodes
        of control flow (Switch, Merge, Enter, Exit, NextIteration) count too, as do nodes that are skipped because
        their branch is not taken, calls of functions, and tensors that are sent into an iteration. A node with many
        consumers counts once more for every 32 of them. `max_bytes` is for the outputs of all nodes together; the bytes
        that are left are also the limit for temporary memory of a node, such as an image with padding around it.

        Raises RunError, which names the node that failed; FeedError for feeds that do not fit; GraphError for names
        that do not exist, and for nodes with invalid inputs or attributes; ModelError if no default output is certain
        enough.
        """
        names = self.default_fetches if fetches is None else [fetches] if isinstance(fetches, str) else list(fetches)
        if not names:
            raise RunError("there are no fetches: name some tensors")
        with self._source.naming_damage():
            return self._run(feeds, names, max_steps, max_bytes, observer)

    def _run(
        self,
        feeds: Mapping[str, Any],
        fetches: list[str],
        max_steps: int | None,
        max_bytes: int | None,
        observer: Observer | None,
    ) -> dict[str, Any]:
        by_tensor = {self.tensor(name, self.inputs): (name, value) for name, value in feeds.items()}
        if len(by_tensor) < len(feeds):
            raise FeedError("a tensor is fed twice")
        for tensor in self._bound & by_tensor.keys():
            raise FeedError(f"{quote(by_tensor[tensor][0])} is bound to a constant and cannot be fed: leave one out")
        values = [self._feed_array(tensor, name, value, max_bytes) for tensor, (name, value) in by_tensor.items()]
        targets = [self._target(self.tensor(name, self.outputs)) for name in fetches]
        key = (tuple(by_tensor), tuple(targets))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = Plan.of_graph(self.graph, list(by_tensor), targets, self.ops, self._functions)
        self._needed_variables = [step.node for step in plan.steps if step.node.op in VARIABLES]
        self._budget = Budget(max_steps, max_bytes)
        self._timer = NodeTimer(observer) if observer is not None else None
        depth = self._depth
        try:
            self._initialize(plan)
            results = execute(plan, values, self, budget=self._budget, timer=self._timer)
        except RecursionError:
            raise RunError("calls of functions are nested deeper than Python's stack allows") from None
        finally:
            self._depth = depth
        self._initialized.update(self._initializers.keys() & _node_names(plan) if self._initializers else ())
        for name, value in zip(fetches, results, strict=True):
            if value is DEAD:
                raise RunError(f"{quote(name)} is not computed: it is in a branch that was not taken")
        return dict(zip(fetches, results, strict=True))

    def plan(self, feeds: Iterable[str], fetches: Iterable[str]) -> Plan:
        """Return the plan of a run."""
        inputs = [self.tensor(name, self.inputs) for name in feeds]
        targets = [self._target(self.tensor(name, self.outputs)) for name in fetches]
        return Plan.of_graph(self.graph, inputs, targets, self.ops, self._functions)

    def tensor(self, name: str, keys: Mapping[str, str]) -> TensorName:
        """Return the tensor of a name or of a key in `keys`. Raises GraphError if its node does not exist."""
        tensor = TensorName.parse(keys.get(check_name(name), name))
        if tensor.node not in self._nodes:
            hint = guess(name, [*keys, *self._nodes])
            if not hint and 0 < len(keys) <= _MAX_LISTED_KEYS:
                hint = f"; the keys of the signature are {', '.join(map(quote, sorted(keys)))}"
            raise GraphError(f"there is no tensor {quote(name)}{hint}")
        if tensor.output or tensor.is_control:
            raise GraphError(no_tensor(name, tensor))
        return tensor._replace(port=max(tensor.port, 0))

    def node(self, tensor: TensorName) -> NodeDef:
        """Return the node that produces a tensor."""
        return self._nodes[tensor.node]

    def variable(self, name: str) -> NodeDef | None:
        """Return the variable of a name; None if the graph has no such node, or it is not a variable."""
        node = self._nodes.get(name)
        return node if node is not None and node.op in VARIABLES else None

    def asset_paths(self) -> dict[str, str]:
        """Return the paths of asset files by the names of the nodes that get them."""
        return self._source.asset_paths()

    def types_of(self, node: NodeDef) -> Sequence[DataType | None] | None:
        """Return the types of a node's outputs; None if its op is not known."""
        op = self.ops.get(node.op)
        return output_types(node, op) if op is not None else None

    def _target(self, tensor: TensorName) -> TensorName:
        """Return a tensor as a fetch: itself, or a control input for a node without outputs."""
        types = self.types_of(self._nodes[tensor.node])
        if types is None or tensor.port < len(types):
            return tensor
        if len(types) == 0 and tensor.port == 0:
            return TensorName.control(tensor.node)
        raise GraphError(no_output(self._nodes[tensor.node], tensor.port, len(types)))

    def _feed_array(self, tensor: TensorName, name: str, value: Any, max_bytes: int | None) -> Any:
        """Convert a feed to an array of the type of its tensor."""
        node = self._nodes[tensor.node]
        types = self.types_of(node)
        if types is not None and tensor.port >= len(types):
            raise GraphError(no_output(node, tensor.port, len(types)))
        dtype = types[tensor.port] if types is not None else None
        if isinstance(value, FeedSource):
            row = DTYPES.get(dtype) if dtype is not None else None
            value = value.resolve(Target(name, row, input_shape(self, tensor), max_bytes, tensor), self._log)
        return convert_feed(value, name, node, dtype)

    def _initialize(self, plan: Plan) -> None:
        """Run the initializers of the model that have not run yet, and fill the tables that the plan needs.

        Initializers that are nodes of the plan itself are left to the plan.
        """
        pending = {name: table for name, table in self._initializers.items() if name not in self._initialized}
        needed = _node_names(plan) if pending else frozenset()
        chosen = [name for name, table in pending.items() if name not in needed and (table is None or table in needed)]
        for fills_table in (False, True):
            names = [name for name in chosen if (pending[name] is not None) == fills_table]
            targets = [TensorName.control(name) for name in names]
            init_plan = Plan.of_graph(self.graph, [], targets, self.ops, self._functions)
            fed = init_plan.targets_that_need("Placeholder")  # the caller must fill tables whose contents are fed
            if fed:
                targets = [
                    target_name
                    for target_name, target in zip(targets, init_plan.targets, strict=True)
                    if target not in fed
                ]
                init_plan = Plan.of_graph(self.graph, [], targets, self.ops, self._functions)
            if targets:
                execute(init_plan, [], self, budget=self._budget, timer=self._timer)
            self._initialized.update(names)

    @cached_property
    def _initializers(self) -> dict[str, str | None]:
        """The initializers of the model (with None), and the nodes that fill a table, with the name of the table."""
        ends = ChainEnds(self._identity_source)
        initializers: dict[str, str | None] = {}
        for node in self.graph.node:
            if node.op in _TABLE_INITIALIZERS and node.input:
                try:
                    initializers[node.name] = ends(TensorName.parse(node.input[0]).node)
                except CircularChainError:
                    raise GraphError(f"{describe(node)} must fill a table, not a cycle of Identity nodes") from None
        initialized = dict.fromkeys(name for name in self.init_ops if name in self._nodes)
        return initialized | {name: table for name, table in initializers.items() if name not in initialized}

    def _identity_source(self, name: str) -> str | None:
        """Return the node whose first output an Identity passes on; None if the node is not an Identity."""
        node = self._nodes.get(name)
        if node is None or node.op != "Identity" or not node.input:
            return None
        return TensorName.parse(node.input[0]).node

    # --- the runtime of kernels --------------------------------------------------------------------------------------

    def resource(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the resource under a key, creating it on first use."""
        if key not in self._resources:
            self._resources[key] = make()
        resource: T = self._resources[key]
        return resource

    def call(self, function: NameAttrList, inputs: Sequence[Any]) -> list[Any]:
        """Return the results of a function of the library. Raises RunError or GraphError if it cannot be called."""
        key = (function.name, NameAttrList(attr=function.attr).to_bytes(deterministic=True))
        plan = self._plans.get(key)
        if plan is None:
            if function.name not in self._functions:
                raise RunError(f"there is no function {quote(function.name)}{guess(function.name, self._functions)}")
            body = self._functions[function.name]
            plan = self._plans[key] = Plan.of_function(body, function.attr, self.ops, self._functions)
        if len(inputs) != len(plan.feeds):
            raise RunError(f"function {quote(function.name)} takes {len(plan.feeds)} tensors, not {len(inputs)}")
        if self._depth >= MAX_CALL_DEPTH:
            raise RunError(f"calls of functions are nested more than {MAX_CALL_DEPTH} deep")
        self._budget.spend(1 + len(plan.feeds) // 32, NodeDef(name=function.name, op="function"))
        self._depth += 1
        try:
            results = execute(plan, inputs, self, budget=self._budget, timer=self._timer)
        finally:
            self._depth -= 1
        for number, value in enumerate(results):
            if value is DEAD:
                problem = f"its result {number} is not computed: it is in a branch that was not taken"
                raise RunError(f"function {quote(function.name)}: {problem}")
        return results

    def initial_value(self, name: str) -> Any:
        """Return the value of a variable; None if no checkpoint has it.

        Raises RunError if the checkpoint cannot be read, or if the value has another type or shape than the variable.
        """
        node = self._nodes.get(name)
        if node is None or not self._reads_checkpoint:
            return None

        def read() -> Any:
            try:
                return self._values.array(node) if self._values is not None else None
            except (FreezeError, GraphError, CheckpointError) as error:
                raise RunError(str(error)) from error

        return self._read(read)

    def no_value(self, name: str) -> RunError:
        """Return the error for a variable without a value, which names all that the run needs and cannot read."""
        node = self._nodes.get(name)
        if not self._reads_checkpoint or self._values is None or node is None:
            return no_value(name)
        resources = self._resources.values()
        assigned = {one.name for one in resources if isinstance(one, Variable) and one.content is not None}
        nodes = [node, *(other for other in self._needed_variables if other.name not in {name, *assigned})]
        return RunError(self._values.describe_missing(self._values.without_value(nodes) or nodes[:1], "freeze "))

    def saved_tensor(self, key: str) -> Any:
        """Return the tensor under a key of the checkpoint; None if no checkpoint has it."""
        return self._read(lambda: self._values.tensor(key) if self._values is not None else None)

    def _read(self, read: Callable[[], T]) -> T:
        return read() if self._timer is None or not self._reads_checkpoint else self._timer.reading(read)

    @property
    def _reads_checkpoint(self) -> bool:
        return self._source.given_checkpoint is not None or bool(self._source.prefix)

    @cached_property
    def _values(self) -> Values | None:
        tensors = self._tensors()
        if tensors is None:
            return None
        body = GraphView(self._source.graph)
        hints = hints_of(self._source.meta, body, FunctionBodies(self._source.graph.library, self.ops))
        return Values(tensors, hints, share=True, name=getattr(tensors, "prefix", "the checkpoint"))

    def _tensors(self) -> Mapping[str, Any] | None:
        try:
            return self._source.checkpoint
        except FileNotFoundError as error:
            name = escape(os.fsdecode(error.filename))
            raise RunError(with_name(name, "there is no such checkpoint")) from error
        except OSError as error:
            name = escape(os.fsdecode(error.filename or self._source.prefix))
            raise RunError(with_name(name, f"{error.strerror or error}")) from error
        except CheckpointError as error:
            raise RunError(str(error)) from error

    def read_file(self, path: bytes) -> bytes:
        """Read a file that the model names. Raises RunError if it is outside of the model's folder and `files`."""
        real = os.path.realpath(os.fsdecode(path))
        folders = [*self._files, *([self._source.folder] if self._source.folder else [])]
        if self._source.file is not None and self._source.file.path:
            folders.append(os.path.dirname(os.path.realpath(self._source.file.path)))
        if not any(Path(real).is_relative_to(os.path.realpath(folder)) for folder in folders):
            raise RunError(f"{escape(real)} is not in the folder of the model, and is not read; allow its folder")
        try:
            with open_regular(real) as file:
                data = file.read()
            refuse_stand_in(real, data)
            return data
        except FileFormatError as error:
            raise RunError(str(error)) from error
        except OSError as error:
            raise RunError(with_name(escape(real), error.strerror or "")) from error

    def log(self, text: str) -> None:
        self._log(text)


def ignore_log(text: str) -> None:
    """Ignore the text that a model prints: `log` of a session that must print nothing."""


def _node_names(plan: Plan) -> frozenset[str]:
    return frozenset(step.node.name for step in plan.steps)


def _with_assets(graph: GraphDef, assets: Mapping[str, str]) -> GraphDef:
    """Return the graph with constants of the assets' paths in place of the nodes named in `assets`."""
    if not assets:
        return graph

    def with_path(node: NodeDef) -> NodeDef:
        if node.name not in assets or node.op not in CONSTS | PLACEHOLDERS:
            return node
        tensor = from_ndarray(np.array(os.fsencode(assets[node.name]), object), DataType.DT_STRING)
        value = {"dtype": AttrValue(type=DataType.DT_STRING), "value": AttrValue(tensor=tensor)}
        return replace_node(node, op="Const", input=[], attr=value)

    return with_nodes(graph, [with_path(node) for node in graph.node])


def run(
    model: Given,
    feeds: Mapping[str, Any],
    fetches: str | Iterable[str] | None = None,
    *,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    bind: Mapping[str, Any] | None = None,
    max_steps: int | None = None,
    max_bytes: int | None = None,
    seed: int | None = None,
    log: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Run a model once, and return the values of some tensors by the names under which they were fetched.

    `model` is a path (a graph in any form, a .meta, a SavedModel), a message, or a Model; variables have the values of
    its checkpoint, or of `checkpoint`. Feeds and fetches are named by tensors, "x:0" or "x", or by the keys of the
    signature; the default fetches are its outputs, or else the likely outputs of the graph, which are `Model.outputs`.
    `bind` has values of tensors that become constants: see the transform `bind_inputs`. `seed` (default: 0) is for
    random numbers; `log` is called with the text that the model prints.

    `max_steps` and `max_bytes` are limits for models that are not trusted: on the number of nodes that run, each
    counted every time that it runs, and on the bytes of all outputs together, with strings. See `Session.run`.

    Arrays have the types of `tfmodel.values.dtypes`; strings are object arrays of bytes.

    Raises RunError, which names the node that failed; GraphError for names that do not exist; TransformError for a
    value that cannot be bound; ModelError if no output is certain enough, for a `checkpoint` of a model without
    variables, and for an unknown `signature`; FeedError for a `seed` of a model without random ops; FileFormatError for
    `tags` of a graph; FileFormatError and OSError for a model that cannot be read.
    """
    session = Session(model, checkpoint=checkpoint, signature=signature, tags=tags, bind=bind, seed=seed or 0, log=log)
    check_seed(seed, (), session)
    return session.run(feeds, fetches, max_steps=max_steps, max_bytes=max_bytes)
