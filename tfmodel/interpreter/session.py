"""A model that is being run: its plans, and what it keeps from one run to the next.

session = Session("saved_model/")
session.run({"x": array})                        # the outputs of its signature
session.run({"x:0": array}, ["logits:0"])

`run`: one run of a model.
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

from ..errors import CheckpointError, FeedError, FreezeError, GraphError, RunError
from ..freezing.variable_values import Values, hints_of
from ..graph import Functions, describe, replace_node, with_nodes
from ..graph.error_text import guess, no_output, no_tensor, quoted
from ..graph.function_body import OpenFunctions
from ..graph.mutable_graph import MutableGraph, MutableNode
from ..graph.traversal import ChainEnds, CircularChainError
from ..io.files import ModelFile
from ..io.terminal import printable
from ..messages import AttrValue, DataType, GraphDef, NameAttrList, NodeDef, OpDef
from ..names import TensorName
from ..ops import output_types, registry
from ..ops.random.distributions import RANDOM_OPS
from ..source import CheckpointSource, Given, ModelSource, Tags
from ..tensors import from_ndarray
from .executor import DEAD, Budget, execute
from .feeds import check_seed, fitted
from .plan import Plan
from .profiling import Observer, Watch

__all__ = ["MOST_STEPS", "Session", "run"]


T = TypeVar("T")

MOST_STEPS = 1_000_000
"""How many steps are run where a model is only run to see whether it was changed: it may be one that never ends."""

MOST_CALLS = 100
"""How deep functions may call each other."""

_FILL_TABLES = frozenset(
    {
        "InitializeTable",
        "InitializeTableV2",
        "InitializeTableFromTextFile",
        "InitializeTableFromTextFileV2",
        "LookupTableImport",
        "LookupTableImportV2",
    }
)


class Session:
    """A model with its variables and tables.

    `model` is a path (a graph in any form, a .meta, a SavedModel), a message, or a Model. A SavedModel and a .meta have
    their checkpoint beside them; `checkpoint` is another one, or a mapping from names to arrays. Files that the model
    reads must lie in its folder, or in one of `files`. `seed` is for random numbers; `log` is called with what the
    model prints. The model is initialised, if it says how, when it is first run.

    Raises RunError; ModelError for a `checkpoint` of a model that reads none, and for a signature that is not there;
    GraphError for two nodes of one name; FileFormatError and OSError for a model that cannot be read.
    """

    def __init__(
        self,
        model: Given,
        *,
        checkpoint: CheckpointSource = None,
        signature: str | None = None,
        tags: Tags = None,
        ops: Mapping[str, OpDef] | None = None,
        seed: int = 0,
        files: Sequence[str | os.PathLike[str]] = (),
        log: Callable[[str], None] | None = None,
    ) -> None:
        self._source = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags)
        self._source.check_checkpoint()
        name_and_signature = self._source.signature()
        found = name_and_signature[1] if name_and_signature is not None else None
        self.inputs = {key: info.name or "" for key, info in found.inputs.items()} if found is not None else {}
        """The tensors of the signature's inputs, by their keys; empty if there is no signature."""
        self.outputs = {key: info.name or "" for key, info in found.outputs.items()} if found is not None else {}
        with self._source.naming_damage():
            self.graph = _with_assets(self._source.graph, self._source.asset_paths())
            self.ops = registry(self._source.meta or self.graph) if ops is None else ops
            self._nodes = {node.name: node for node in self.graph.node}
            if len(self._nodes) < len(self.graph.node):
                name, _ = Counter(node.name for node in self.graph.node).most_common(1)[0]
                raise GraphError(f"the graph has two nodes {quoted(name)}")  # and nobody knows which of them is meant
        self.random = np.random.default_rng(seed)
        self._files = [os.path.realpath(each) for each in files]
        self._log = log or (lambda text: print(text, file=sys.stderr))
        self._functions = Functions(self.graph.library)
        self._plans: dict[Hashable, Plan] = {}
        self._resources: dict[Hashable, Any] = {}
        self._depth = 0
        self._budget = Budget()
        self._watch: Watch | None = None
        self._initialized: set[str] = set()

    @property
    def file(self) -> ModelFile | None:
        """The file of the model; None for a message."""
        return self._source.file

    @property
    def is_random(self) -> bool:
        """Whether the graph or a function has an op whose results depend on the seed."""
        library = self.graph.library.function if self.graph.library is not None else []
        bodies = [self.graph.node, *(function.node_def for function in library)]
        return any(node.op in RANDOM_OPS for nodes in bodies for node in nodes)

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
        """The values of some tensors, by the names under which they were asked for.

        `feeds` and `fetches` are named by tensors, "x:0" or "x", or by the keys of the signature; without fetches they
        are its outputs. A node that only has to run is fetched by its name too, and gives None.

        `max_steps` and `max_bytes` are limits for models that may not be trusted to end, or with the memory there is.
        A node counts as a step each time that it is run, in every iteration of every loop and call of every function,
        whether it computes, steers (Switch, Merge, Enter, Exit, NextIteration) or is skipped as part of a branch that
        is not taken. So does a call of a function, and every tensor led into an iteration; a node with many consumers
        counts once more for every 32 of them. The outputs of all nodes together may have `max_bytes`, and what
        is left of that is also the most that a node may take besides, such as an image with padding around it.

        Raises RunError, which names the node that failed, and GraphError for names that are not there.
        """
        asked = list(self.outputs) if fetches is None else [fetches] if isinstance(fetches, str) else list(fetches)
        if not asked:
            raise RunError("nothing is fetched: name some tensors")
        with self._source.naming_damage():
            return self._run(feeds, asked, max_steps, max_bytes, observer)

    def _run(
        self,
        feeds: Mapping[str, Any],
        asked: list[str],
        max_steps: int | None,
        max_bytes: int | None,
        observer: Observer | None,
    ) -> dict[str, Any]:
        fed = {self.tensor(name, self.inputs): (name, value) for name, value in feeds.items()}
        if len(fed) < len(feeds):
            raise FeedError("a tensor is fed twice")
        values = [self._fed(tensor, name, value) for tensor, (name, value) in fed.items()]
        wanted = [self._target(self.tensor(name, self.outputs)) for name in asked]
        key = (tuple(fed), tuple(wanted))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = Plan.of_graph(self.graph, list(fed), wanted, self.ops)
        self._budget = Budget(max_steps, max_bytes)
        self._watch = Watch(observer) if observer is not None else None
        depth = self._depth
        try:
            self._initialize(plan)
            results = execute(plan, values, self, budget=self._budget, watch=self._watch)
        except RecursionError:
            raise RunError("functions call each other more deeply than Python's stack has room for") from None
        finally:
            self._depth = depth
        self._initialized.update(self._initializers.keys() & _names(plan) if self._initializers else ())
        for name, value in zip(asked, results, strict=True):
            if value is DEAD:
                raise RunError(f"{quoted(name)} is not computed: it is on a side of a conditional that was not taken")
        return dict(zip(asked, results, strict=True))

    def plan(self, fed: Iterable[str], fetches: Iterable[str]) -> Plan:
        """What a run would do."""
        given = [self.tensor(name, self.inputs) for name in fed]
        wanted = [self._target(self.tensor(name, self.outputs)) for name in fetches]
        return Plan.of_graph(self.graph, given, wanted, self.ops)

    def tensor(self, name: str, keys: Mapping[str, str]) -> TensorName:
        """The tensor of a name, which may be a key of the signature. Raises GraphError if there is none."""
        tensor = TensorName.parse(keys.get(name, name))
        if tensor.node not in self._nodes:
            hint = guess(name, [*keys, *self._nodes])
            raise GraphError(f"there is no tensor {quoted(name)}{hint}")
        if tensor.output:
            raise GraphError(no_tensor(name, tensor))
        return tensor._replace(port=max(tensor.port, 0))

    def node(self, tensor: TensorName) -> NodeDef:
        """The node that gives a tensor."""
        return self._nodes[tensor.node]

    def types_of(self, node: NodeDef) -> Sequence[DataType | None] | None:
        """The types of a node's outputs; None if its op is not known."""
        op = self.ops.get(node.op)
        return output_types(node, op) if op is not None else None

    def _target(self, tensor: TensorName) -> TensorName:
        """A tensor that is wanted; of a node that has none, that it runs."""
        types = self.types_of(self._nodes[tensor.node])
        if types is None or tensor.port < len(types):
            return tensor
        if len(types) == 0 and tensor.port == 0:
            return TensorName.control(tensor.node)
        raise GraphError(no_output(self._nodes[tensor.node], tensor.port, len(types)))

    def _fed(self, tensor: TensorName, name: str, value: Any) -> Any:
        """What is fed, as an array of the type that the tensor has."""
        node = self._nodes[tensor.node]
        types = self.types_of(node)
        dtype = types[tensor.port] if types is not None and tensor.port < len(types) else None
        return fitted(value, name, node, dtype)

    def _initialize(self, plan: Plan) -> None:
        """Do what loading a model does, once: run what it says, and fill the tables that a plan needs."""
        todo = {name: table for name, table in self._initializers.items() if name not in self._initialized}
        needed = _names(plan) if todo else frozenset()
        chosen = [name for name, table in todo.items() if name not in needed and (table is None or table in needed)]
        for fills_table in (False, True):
            names = [name for name in chosen if (todo[name] is not None) == fills_table]
            wanted = [TensorName.control(name) for name in names]
            before = Plan.of_graph(self.graph, [], wanted, self.ops)
            waiting = before.targets_behind("Placeholder")  # what is fed is for others to fill
            if waiting:
                wanted = [each for each, target in zip(wanted, before.targets, strict=True) if target not in waiting]
                before = Plan.of_graph(self.graph, [], wanted, self.ops)
            if wanted:
                execute(before, [], self, budget=self._budget, watch=self._watch)
            self._initialized.update(names)

    @cached_property
    def _initializers(self) -> dict[str, str | None]:
        """The nodes that initialise the model, and those that fill a table, with the name of that."""
        ends = ChainEnds(self._passed_on)
        found: dict[str, str | None] = {}
        for node in self.graph.node:
            if node.op in _FILL_TABLES and node.input:
                try:
                    found[node.name] = ends(TensorName.parse(node.input[0]).node)
                except CircularChainError:
                    raise GraphError(f"{describe(node)}: its table is an Identity of itself") from None
        initialized = dict.fromkeys(name for name in self._source.init_ops() if name in self._nodes)
        return initialized | {name: table for name, table in found.items() if name not in initialized}

    def _passed_on(self, name: str) -> str | None:
        """The node whose first output an Identity of that name passes on; None if it is no such node."""
        node = self._nodes.get(name)
        if node is None or node.op != "Identity" or not node.input:
            return None
        return TensorName.parse(node.input[0]).node

    # --- what kernels ask for ----------------------------------------------------------------------------------------

    def resource(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under a key; made the first time."""
        if key not in self._resources:
            self._resources[key] = make()
        found: T = self._resources[key]
        return found

    def call(self, function: NameAttrList, inputs: Sequence[Any]) -> list[Any]:
        """The results of a function of the library."""
        key = (function.name, NameAttrList(attr=function.attr).to_bytes(deterministic=True))
        plan = self._plans.get(key)
        if plan is None:
            if function.name not in self._functions:
                raise RunError(f"there is no function {quoted(function.name)}{guess(function.name, self._functions)}")
            plan = self._plans[key] = Plan.of_function(self._functions[function.name], function.attr, self.ops)
        if len(inputs) != len(plan.given):
            raise RunError(f"function {quoted(function.name)} takes {len(plan.given)} tensors, not {len(inputs)}")
        if self._depth >= MOST_CALLS:
            raise RunError(f"functions call each other more than {MOST_CALLS} deep")
        self._budget.spend(1 + len(plan.given) // 32, NodeDef(name=function.name, op="function"))
        self._depth += 1
        try:
            return execute(plan, inputs, self, budget=self._budget, watch=self._watch)
        finally:
            self._depth -= 1

    def initial_value(self, name: str) -> Any:
        """What the checkpoint holds for the variable of a node; None if there is nothing."""
        node = self._nodes.get(name)
        if node is None or not self._reads_checkpoint:
            return None

        def read() -> Any:
            try:
                return self._values.array(MutableNode.of(node)) if self._values is not None else None
            except (FreezeError, GraphError, CheckpointError) as error:
                raise RunError(str(error)) from error

        return self._read(read)

    def saved_tensor(self, key: str) -> Any:
        """What the checkpoint holds under a key; None if there is nothing."""
        return self._read(lambda: self._values.tensor(key) if self._values is not None else None)

    def _read(self, read: Callable[[], T]) -> T:
        return read() if self._watch is None or not self._reads_checkpoint else self._watch.reading(read)

    @property
    def _reads_checkpoint(self) -> bool:
        return self._source.given_checkpoint is not None or bool(self._source.prefix)

    @cached_property
    def _values(self) -> Values | None:
        tensors = self._tensors()
        if tensors is None:
            return None
        body = MutableGraph(map(MutableNode.of, self._source.graph.node))
        hints = hints_of(self._source, body, OpenFunctions(self._source.graph.library, self.ops))
        return Values(tensors, hints, share=True, name=getattr(tensors, "prefix", "the checkpoint"))

    def _tensors(self) -> Mapping[str, Any] | None:
        try:
            return self._source.checkpoint
        except FileNotFoundError as error:
            name = printable(os.fsdecode(error.filename))
            raise RunError(f"{name}: there is no such checkpoint") from error
        except OSError as error:
            name = printable(os.fsdecode(error.filename or self._source.prefix))
            raise RunError(f"{name}: {error.strerror or error}") from error
        except CheckpointError as error:
            raise RunError(str(error)) from error

    def read_file(self, path: bytes) -> bytes:
        """A file that the model names. Raises RunError if it lies elsewhere than the model does, or `files`."""
        real = os.path.realpath(os.fsdecode(path))
        folders = [*self._files, *([self._source.folder] if self._source.folder else [])]
        if self._source.file is not None and self._source.file.path:
            folders.append(os.path.dirname(os.path.realpath(self._source.file.path)))
        if not any(Path(real).is_relative_to(os.path.realpath(folder)) for folder in folders):
            raise RunError(f"{printable(real)} is not in the folder of the model, and is not read; allow its folder")
        if os.path.exists(real) and not os.path.isfile(real):  # a pipe would keep us for ever
            raise RunError(f"{printable(real)} is no file")
        try:
            with open(real, "rb") as file:
                return file.read()
        except OSError as error:
            raise RunError(f"{printable(real)}: {error.strerror}") from error

    def log(self, text: str) -> None:
        self._log(text)


def _names(plan: Plan) -> frozenset[str]:
    return frozenset(step.node.name for step in plan.steps)


def _with_assets(graph: GraphDef, assets: Mapping[str, str]) -> GraphDef:
    """The graph, in which the nodes that hold the paths of assets hold those of this model."""
    if not assets:
        return graph

    def with_path(node: NodeDef) -> NodeDef:
        if node.name not in assets or node.op not in ("Const", "Placeholder", "PlaceholderWithDefault"):
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
    max_steps: int | None = None,
    max_bytes: int | None = None,
    seed: int | None = None,
    log: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """What some tensors of a model are when others are fed, by the names under which they were asked for.

    `model` is a path (a graph in any form, a .meta, a SavedModel), a message, or a Model; variables have the values
    that its checkpoint holds, or `checkpoint`. Feeds and fetches are named by tensors, "x:0" or "x", or by the keys of
    the signature, whose outputs are fetched if nothing is named. `seed` (default: 0) is for random numbers; `log` is
    called with what the model prints.

    For models that may not be trusted to end: at most `max_steps` nodes are run, those of loops and functions each
    time, and their outputs have at most `max_bytes` all together, whatever shapes they ask for, and however long their
    strings become. See `Session.run`.

    Arrays have the types of `tfmodel.dtypes`; strings are object arrays of bytes.

    Raises RunError, which names the node that failed; GraphError for names that are not there; FeedError for a `seed`
    of a model without random ops; FileFormatError and OSError for a model that cannot be read. A `checkpoint` of a
    model without variables and an unknown `signature` are ModelErrors, `tags` of a graph a FileFormatError.
    """
    session = Session(model, checkpoint=checkpoint, signature=signature, tags=tags, seed=seed or 0, log=log)
    check_seed(seed, (), session)
    return session.run(feeds, fetches, max_steps=max_steps, max_bytes=max_bytes)
