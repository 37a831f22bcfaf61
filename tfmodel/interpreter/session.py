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
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ..analysis.choice import choose
from ..analysis.facts import Facts
from ..analysis.variables.preparation import bind_source
from ..errors import FeedError, GraphError, RunError
from ..files.decoding import Tags
from ..files.model_file import ModelFile
from ..graph import Functions, replace_node, with_nodes
from ..graph.error_text import guess, no_output, quote
from ..kernels.runtime.registry import Variable, no_value
from ..messages import DataType, GraphDef, NameAttrList, NodeDef, OpDef
from ..ops import output_types
from ..ops.traits import RANDOM, VARIABLES
from ..source.bindings import default_signature, named_tensor, resolve_bindings
from ..source.loading import init_ops, path_constants
from ..source.model_source import CheckpointSource, Given, ModelSource
from ..source.signature_defs import tensor_keys
from ..values.dtypes import DTYPES
from ..values.names import TensorName
from .executor import DEAD, Budget, execute
from .feed_sources import FeedSource, Target
from .feeds import check_seed, convert_feed, input_shape
from .initializers import Initializers
from .plan import Plan
from .profiling import NodeTimer, Observer
from .readable_files import ReadableFiles
from .saved_values import SavedValues

T = TypeVar("T")

MAX_CHECK_STEPS = 1_000_000
"""The step limit of runs that only check a change of a model. Without a limit, such a run may never end."""

MAX_CALL_DEPTH = 100
"""The limit of nested function calls."""


@dataclass(slots=True)
class _Run:
    """The limits of one run, its times, the variables that it needs, and the depth of calls in it."""

    budget: Budget = field(default_factory=Budget)
    timer: NodeTimer | None = None
    variables: Sequence[NodeDef] = ()
    depth: int = 0


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
        self.inputs, self.outputs = _tensors_by_key(self._source)
        """The tensors of the signature's inputs, by their keys, and those of its outputs; empty without a signature."""
        self.ops = self._source.ops if ops is None else ops
        with self._source.naming_damage():
            self.graph = _with_assets(self._source.graph, self.asset_paths())
            self._nodes = _by_name(self.graph)
        self._functions = Functions(self.graph.library)
        self.initializers = Initializers(self.graph, init_ops(self._source.meta))
        self._saved = SavedValues(self._source, self.ops)
        self._files = ReadableFiles(self._source, files)
        self._log = log or _print_to_stderr
        self.random = np.random.default_rng(seed)
        self._plans: dict[Hashable, Plan] = {}
        self._resources: dict[Hashable, Any] = {}
        self._current = _Run()

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

        Raises ModelError, which lists the candidates, if no output is likely.
        """
        if self.outputs:
            return list(self.outputs)
        with self._source.naming_damage():
            return choose(self._source, inputs=(), guess=True, facts=self.facts).output_names

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

        `feeds` and `fetches` are named by the keys of the signature, or else by tensors, "x:0" or "x"; the default
        fetches are its outputs, or else the likely outputs of the graph. A node without outputs is fetched by its name
        too, and gives None.

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
        fed = self._fed_values(feeds, max_bytes)
        plan = self._plan_once(list(fed), [self._target(self.tensor(name, self.outputs)) for name in fetches])
        nodes = {step.node.name for step in plan.steps}
        variables = [step.node for step in plan.steps if step.node.op in VARIABLES]
        timer = NodeTimer(observer) if observer is not None else None
        run = self._current = _Run(Budget(max_steps, max_bytes), timer, variables)
        try:
            self._initialize(nodes)
            results = execute(plan, list(fed.values()), self, budget=run.budget, timer=run.timer)
        except RecursionError:
            raise RunError("calls of functions are nested deeper than Python's stack allows") from None
        self.initializers.add_done(nodes)
        for name, value in zip(fetches, results, strict=True):
            if value is DEAD:
                raise RunError(f"{quote(name)} is not computed: it is in a branch that was not taken")
        return dict(zip(fetches, results, strict=True))

    def _fed_values(self, feeds: Mapping[str, Any], max_bytes: int | None) -> dict[TensorName, Any]:
        """Return the arrays that are fed, by tensors."""
        by_tensor = {self.tensor(name, self.inputs): (name, value) for name, value in feeds.items()}
        if len(by_tensor) < len(feeds):
            raise FeedError("a tensor is fed twice")
        for tensor in self._bound & by_tensor.keys():
            raise FeedError(f"{quote(by_tensor[tensor][0])} is bound to a constant and cannot be fed: leave one out")
        return {tensor: self._feed_array(tensor, name, value, max_bytes) for tensor, (name, value) in by_tensor.items()}

    def _plan_once(self, feeds: list[TensorName], targets: list[TensorName]) -> Plan:
        """Return the plan of a run, which is made the first time."""
        key = (tuple(feeds), tuple(targets))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._plan(feeds, targets)
        return plan

    def _plan(self, feeds: Sequence[TensorName], targets: Sequence[TensorName]) -> Plan:
        return Plan.of_graph(self.graph, feeds, targets, self.ops, self._functions)

    def plan(self, feeds: Iterable[str], fetches: Iterable[str]) -> Plan:
        """Return the plan of a run."""
        inputs = [self.tensor(name, self.inputs) for name in feeds]
        return self._plan(inputs, [self._target(self.tensor(name, self.outputs)) for name in fetches])

    def tensor(self, name: str, keys: Mapping[str, str]) -> TensorName:
        """Return the tensor that a caller names: see `named_tensor`."""
        return named_tensor(name, self._nodes, keys)

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

    def _initialize(self, needed: Collection[str]) -> None:
        """Run the initializers of the model that have not run yet, and fill the tables that the nodes `needed` need."""
        for names in self.initializers.before(needed):
            targets = [TensorName.control(name) for name in names]
            plan = self._plan([], targets)
            fed = plan.targets_that_need("Placeholder")  # the caller must fill tables whose contents are fed
            if fed:
                targets = [target for target, step in zip(targets, plan.targets, strict=True) if step not in fed]
                plan = self._plan([], targets)
            if targets:
                execute(plan, [], self, budget=self._current.budget, timer=self._current.timer)

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
        run = self._current
        if run.depth >= MAX_CALL_DEPTH:
            raise RunError(f"calls of functions are nested more than {MAX_CALL_DEPTH} deep")
        run.budget.spend(1 + len(plan.feeds) // 32, NodeDef(name=function.name, op="function"))
        run.depth += 1
        try:
            results = execute(plan, inputs, self, budget=run.budget, timer=run.timer)
        finally:
            run.depth -= 1
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
        return self._reading(lambda: self._saved.value(node)) if node is not None else None

    def no_value(self, name: str) -> RunError:
        """Return the error for a variable without a value, which names all that the run needs and cannot read."""
        node = self._nodes.get(name)
        if node is None:
            return no_value(name)
        resources = self._resources.values()
        assigned = {one.name for one in resources if isinstance(one, Variable) and one.content is not None}
        others = [other for other in self._current.variables if other.name not in {name, *assigned}]
        problem = self._saved.describe_missing([node, *others])
        return RunError(problem) if problem else no_value(name)

    def saved_tensor(self, key: str) -> Any:
        """Return the tensor under a key of the checkpoint; None if no checkpoint has it."""
        return self._reading(lambda: self._saved.tensor(key))

    def _reading(self, read: Callable[[], Any]) -> Any:
        """Return a value of the checkpoint; the time that it takes is not that of a node."""
        if not self._saved.exist:
            return None
        timer = self._current.timer
        return read() if timer is None else timer.reading(read)

    def read_file(self, path: bytes) -> bytes:
        """Read a file that the model names. Raises RunError if it is outside of the model's folder and `files`."""
        return self._files.read(path)

    def log(self, text: str) -> None:
        self._log(text)


def ignore_log(text: str) -> None:
    """Ignore the text that a model prints: `log` of a session that must print nothing."""


def _print_to_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def _tensors_by_key(source: ModelSource) -> tuple[dict[str, str], dict[str, str]]:
    """Return the tensors of the default signature's inputs and outputs."""
    found = default_signature(source)
    return (tensor_keys(found[1].inputs), tensor_keys(found[1].outputs)) if found is not None else ({}, {})


def _by_name(graph: GraphDef) -> dict[str, NodeDef]:
    """Return the nodes by name. Raises GraphError for two nodes of one name: references to it would be ambiguous."""
    nodes = {node.name: node for node in graph.node}
    if len(nodes) < len(graph.node):
        name, _ = Counter(node.name for node in graph.node).most_common(1)[0]
        raise GraphError(f"the graph has two nodes {quote(name)}")
    return nodes


def _with_assets(graph: GraphDef, paths: Mapping[str, str]) -> GraphDef:
    """Return the graph with constants of the assets' paths in place of the nodes named in `paths`."""
    if not paths:
        return graph
    holders = path_constants({node.name: node for node in graph.node}, paths)
    constants = {node.name: replace_node(node, op="Const", input=[], attr=attrs) for node, attrs in holders}
    return with_nodes(graph, [constants.get(node.name, node) for node in graph.node])


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
    its checkpoint, or of `checkpoint`. Feeds and fetches are named by the keys of the signature, or else by tensors,
    "x:0" or "x"; the default fetches are its outputs, or else the likely outputs of the graph: `Model.outputs`.
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
