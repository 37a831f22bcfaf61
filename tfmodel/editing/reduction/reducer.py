"""The search for the smallest graph that shows a problem.

1. Outputs: the graph is cut after ever fewer nodes, by bisection, until its last node is needed to show the problem.
2. Nodes: constants with the sample's values stand for all nodes but the last ones. If the problem is gone, ever more
   nodes stay; then delta debugging (ddmin: A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing
   input", IEEE Transactions on Software Engineering 28(2), 2002) finds a set of nodes of which none can be left out.
3. Inputs, constants and attributes: inputs become constants, constants become zeros or ones, annotations are removed.

Every candidate is a valid graph. Equal input gives the same search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import Error
from ...graph import Functions, replace_node, with_functions, with_nodes
from ...graph.functions import function_name
from ...interpreter import Session
from ...messages import AttrValue, GraphDef, MetaGraphDef, NodeDef
from ...ops.definitions import Registry, registry
from ...ops.traits import PLACEHOLDERS, RANDOM
from ...source.metagraph import make_signature, tensors_by_key
from ...source.model_source import ModelSource
from ...source.signature_defs import DEFAULT_SIGNATURE
from ...values.names import TensorName, data_inputs
from ...values.tensors import from_ndarray, to_ndarray
from .candidates import Candidate, Candidates
from .checks import Check, CommandCheck, DifferenceCheck, FunctionCheck
from .state import Answers
from .values import Values

_FIRST_DEPTHS = 24  # of powers of two: more than the nodes of any graph


class _Best:
    """The smallest candidate so far, and the feeds for its inputs."""

    def __init__(self, candidate: Candidate, sample: Mapping[str, Any]) -> None:
        self.candidate = candidate
        self.feeds = {name: value for name, value in sample.items() if TensorName.parse(name).node in candidate.inputs}

    def source(self) -> ModelSource:
        graph = self.candidate.graph
        inputs = tensors_by_key(f"{name}:0" for name in self.candidate.inputs)
        signature = make_signature(graph, inputs, tensors_by_key(self.candidate.outputs))
        info = MetaGraphDef.MetaInfoDef(tags=["serve"])
        meta = MetaGraphDef(meta_info_def=info, graph_def=graph, signature_def={DEFAULT_SIGNATURE: signature})
        return ModelSource.of(meta)


class Search:
    """Makes candidates, asks the check, and keeps the smallest that shows the problem."""

    def __init__(
        self,
        graph: GraphDef,
        outputs: Sequence[str],
        sample: Mapping[str, Any],
        check: Check,
        answers: Answers,
        repeat: int,
        improved: Callable[[ModelSource, Mapping[str, Any]], object] | None,
        progress: Callable[[str], object] | None,
    ) -> None:
        self._ops: Registry = registry(graph)
        self._sample = sample
        self._check = check
        self._answers = answers
        self._repeat = repeat
        self._improved = improved
        self._progress = progress
        self.values = Values(Session(graph), sample)
        made_up = isinstance(check, (CommandCheck, FunctionCheck))
        self.candidates = Candidates(graph, self.values, self._ops, made_up=made_up)
        self.outputs = list(outputs)
        self.checks = 0
        self.remembered = 0
        self.steps: list[str] = []
        self.best: _Best | None = None

    def shows(self, candidate: Candidate | None) -> bool:
        """Ask the check about a candidate, and keep it if it shows the problem."""
        if candidate is None:
            return False
        feeds = _Best(candidate, self._sample).feeds
        digest = Answers.digest(candidate, feeds)
        answer = self._answers.get(digest)
        if answer is None:
            if self._progress is not None:
                self._progress(f"check {self.checks + 1:,}: {len(candidate.graph.node):,} nodes")
            answer = any(self._check(candidate, feeds) is True for _ in range(self._repeat))
            self.checks += 1
            self._answers.put(digest, answer)
        else:
            self.remembered += 1
        if answer:
            self.best = _Best(candidate, self._sample)
            if self._improved is not None:
                self._improved(self.best.source(), self.best.feeds)
        return answer

    # --- outputs -----------------------------------------------------------------------------------------------------

    def begin(self, other: ModelSource | None) -> bool:
        """Return whether the original shows the problem, and set the output that shows it."""
        if isinstance(self._check, DifferenceCheck):
            assert other is not None
            found = self._first_difference(self._check)
            if found is None:
                return False
            self.outputs = [found.numbered]
        return self.shows(self._prefix(self.candidates.before(TensorName.parse(name).node for name in self.outputs)))

    def _first_difference(self, check: DifferenceCheck) -> TensorName | None:
        """Return the first tensor, in execution order, that differs from that of the right model."""
        order = self.candidates.before(TensorName.parse(name).node for name in self.outputs)
        self._share_random_numbers(check, order)
        tensors = [TensorName(name) for name in order if name not in self.candidates.units]
        self.values.compute(tensor for tensor in tensors if self.candidates.type_of(tensor) is not None)
        for tensor in tensors:
            if self.candidates.type_of(tensor) is not None:
                value = self.values.get(tensor)
                if value is not None and check.differs(tensor, value):
                    return tensor
        return next((TensorName.parse(name) for name in self.outputs), None)

    def _share_random_numbers(self, check: DifferenceCheck, order: Iterable[str]) -> None:
        """Give both models the same random numbers."""
        names = [
            name for name in order if self.candidates.index[name].op in RANDOM and name not in self.candidates.units
        ]
        random = {TensorName(name): value for name in names if (value := self.values.get(TensorName(name))) is not None}
        self.values.set(random)
        check.share(random)

    def _prefix(self, names: Sequence[str]) -> Candidate | None:
        """Return the graph of some nodes and everything that they need, with the outputs of the search among them."""
        return self.candidates.make(names, self.outputs)

    def _bisect_outputs(self) -> None:
        """Move the output as near to the inputs as the problem allows."""
        order = self.candidates.before(TensorName.parse(name).node for name in self.outputs)
        low, high = 0, len(order)  # the first `high` nodes show the problem, the first `low` do not
        shown = self.outputs
        while high - low > 1:
            middle = (low + high) // 2
            outputs = self._ends(order[:middle])
            if outputs and self.shows(self.candidates.make(order[:middle], outputs)):
                high, shown = middle, outputs
            else:
                low = middle
        self.outputs = shown
        last = order[high - 1]
        if len(shown) > 1 and self.shows(self.candidates.make(self.candidates.before([last]), [f"{last}:0"])):
            self.outputs = [f"{last}:0"]
        if high < len(order):
            self.steps.append(f"outputs: {high:,} of {len(order):,} nodes show the problem")

    def _ends(self, names: Sequence[str]) -> list[str]:
        """Return the tensors of nodes that no other of these nodes takes."""
        inside = set(names)
        used = {TensorName.parse(text).node for name in names for text in data_inputs(self.candidates.index[name])}
        ends = [name for name in names if name not in used and name in inside and name not in self.candidates.units]
        typed = self.candidates.type_of
        return [
            f"{name}:0" for name in ends if typed(TensorName(name)) is not None or self.candidates.has_unknown_op(name)
        ]

    # --- nodes -------------------------------------------------------------------------------------------------------

    def run(self) -> _Best:
        """Make the graph smaller, step by step, and return the smallest one."""
        if not isinstance(self._check, DifferenceCheck):
            self._bisect_outputs()
        kept = self._last_nodes()
        kept = self._minimize(kept)
        assert self.best is not None
        before = len(self.best.candidate.graph.node)
        self._inputs_to_constants(kept)
        self._simplify_constants()
        self._remove_annotations()
        if len(self.best.candidate.graph.node) < before:
            self.steps.append(f"inputs: {before:,} -> {len(self.best.candidate.graph.node):,} nodes")
        return self.best

    def _last_nodes(self) -> list[str]:
        """Return the nodes that are few edges before the outputs: as few as still show the problem."""
        everything = self.candidates.before(TensorName.parse(name).node for name in self.outputs)
        near = {TensorName.parse(name).node for name in self.outputs}
        depth = 1
        for _ in range(_FIRST_DEPTHS):
            kept = [name for name in everything if name in near]
            if self.shows(self.candidates.make(kept, self.outputs)):
                self.steps.append(f"nodes: the last {len(kept):,} of {len(everything):,} show the problem")
                return kept
            if len(near) >= len(everything):
                break
            for _ in range(depth):
                near |= {producer.name for name in near for producer in self.candidates.index.producers(name)}
            depth *= 2
        return everything

    def _minimize(self, kept: list[str]) -> list[str]:
        """Return a part of the nodes of which no node can become a constant: ddmin."""
        ends = {TensorName.parse(name).node for name in self.outputs}
        fixed = [name for name in kept if name in ends]
        free = [name for name in kept if name not in ends and self.candidates.index[name].op != "Const"]
        before, pieces = len(free), 2
        while free:
            size = max(1, -(-len(free) // pieces))
            parts = [free[start : start + size] for start in range(0, len(free), size)]
            for part in parts:
                rest = [name for name in free if name not in set(part)]
                if self.shows(self.candidates.make([*fixed, *rest], self.outputs)):
                    free, pieces = rest, max(pieces - 1, 2)
                    break
            else:
                if size == 1:
                    break
                pieces = min(len(free), pieces * 2)
        if len(free) < before:
            self.steps.append(f"nodes: {before + len(fixed):,} -> {len(free) + len(fixed):,} that are not constants")
        return [*fixed, *free]

    # --- inputs, constants, attributes -------------------------------------------------------------------------------

    def _replace(self, change: Callable[[NodeDef], NodeDef]) -> bool:
        """Try the best graph with some nodes changed."""
        assert self.best is not None
        candidate = self.best.candidate
        nodes = [change(node) for node in candidate.graph.node]
        if all(new is old for new, old in zip(nodes, candidate.graph.node, strict=True)):
            return False
        graph = with_nodes(candidate.graph, nodes)
        return self.shows(candidate._replace(graph=graph, inputs=_inputs(nodes)))

    def _inputs_to_constants(self, kept: Iterable[str]) -> None:
        """Try constants in place of the inputs that are left."""
        assert self.best is not None
        for name in self.best.candidate.inputs:
            value = self._sample.get(f"{name}:0")
            node = self.candidates.index[name]
            dtype = self.candidates.type_of(TensorName(name))
            if value is None or dtype is None:
                continue
            tensor = AttrValue(tensor=from_ndarray(np.asarray(value), dtype))
            constant = NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=dtype), "value": tensor})
            self._replace(lambda old, node=node, constant=constant: constant if old.name == node.name else old)  # type: ignore[misc]  # not inferred

    def _simplify_constants(self) -> None:
        """Try constants of zeros, or ones, in place of others."""
        assert self.best is not None
        constants = [node for node in self.best.candidate.graph.node if node.op == "Const" and "value" in node.attr]
        for node in constants:
            tensor = node.attr["value"].tensor
            if tensor is None:
                continue
            try:
                array = to_ndarray(tensor)
            except Error:
                continue
            if array.dtype.kind not in "fiub" or array.size < 2:
                continue
            for number in (0, 1):
                filled = np.broadcast_to(np.asarray(number, array.dtype), array.shape)
                value = AttrValue(tensor=from_ndarray(filled, tensor.dtype))
                simple = replace_node(node, attr={**node.attr, "value": value})
                if self._replace(lambda old, node=node, simple=simple: simple if old.name == node.name else old):  # type: ignore[misc]  # not inferred
                    break

    def _remove_annotations(self) -> None:
        """Try the graph without devices, and without attributes that no op declares."""

        def plain(node: NodeDef) -> NodeDef:
            attributes = {key: value for key, value in node.attr.items() if not key.startswith("_")}
            if len(attributes) == len(node.attr) and not node.device and node.experimental_debug_info is None:
                return node
            return replace_node(node, attr=attributes, device="", experimental_debug_info=None)

        self._replace(plain)
        assert self.best is not None
        candidate = self.best.candidate
        if candidate.graph.library is not None:
            used = Functions(candidate.graph.library).reachable(candidate.graph.node)
            kept = [function for function in candidate.graph.library.function if function_name(function) in used]
            if len(kept) < len(candidate.graph.library.function):
                graph = with_functions(candidate.graph, kept)
                assert graph.library is not None
                graph.library.gradient = [row for row in graph.library.gradient if row.function_name in used]
                if not kept:
                    graph.library = None
                self.shows(candidate._replace(graph=graph))


def _inputs(nodes: Iterable[NodeDef]) -> tuple[str, ...]:
    return tuple(node.name for node in nodes if node.op in PLACEHOLDERS)
