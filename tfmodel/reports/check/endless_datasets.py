"""Datasets without an end that a node reads to the end, or looks for elements in that they do not have."""

from __future__ import annotations

from collections.abc import Sequence

from ...messages import NodeDef
from ...values.names import data_inputs, node_name
from .evaluation import MAX_ITERATIONS, MAX_OTHER_STEPS, MAX_ROUNDS, Evaluator, Request
from .op_values import Token

MAX_ZIPS = 8
"""The maximum depth of datasets that are read side by side; deeper ones count as one after the other."""

NO_END = "reads a dataset that has no end to its end"
NO_ELEMENT = "looks for elements that a dataset without an end does not have"

_DRAINS = frozenset(
    {"ReduceDataset", "InitializeTableFromDataset", "DatasetToTFRecord", "ExperimentalDatasetToTFRecord"}
    | {"SaveDataset", "SaveDatasetV2"}
)
"""Ops that read a dataset to its end."""

_TAKES_SOME = frozenset({"TakeWhileDataset", "ExperimentalTakeWhileDataset"})
"""Ops whose dataset ends at the first element for which a function is false."""

_CONSUMES = frozenset({"MapDataset", "ParallelMapDataset", "ParallelMapDatasetV2", "FilterDataset", "ScanDataset"})
"""Ops whose functions make elements, not datasets."""

_ENDLESS = frozenset({"RandomDataset", "RandomDatasetV2", "ExperimentalRandomDataset"})
_REPEATS = {"RepeatDataset": 1, "ShuffleAndRepeatDataset": 4, "ShuffleAndRepeatDatasetV2": 4}
"""The input that is the number of repetitions; without end if it is negative."""


def has_many(values: Evaluator, function: str, texts: Sequence[str]) -> bool:
    """Return whether a range has more than MAX_ITERATIONS numbers; it is from the first to the second by the third."""
    values.limit(MAX_OTHER_STEPS)
    arguments = values.callers(function, 0)[0]
    bounds = [values.compute(Request(function, text, arguments, 0)) for text in texts]
    numbers = [bound for bound in bounds if not isinstance(bound, Token)]
    return len(numbers) == 3 and abs(numbers[1] - numbers[0]) > MAX_ITERATIONS * max(abs(numbers[2]), 1)


class EndlessDatasets:
    """Finds nodes that read datasets without end, with the values that an Evaluator computes."""

    def __init__(self, values: Evaluator) -> None:
        self._values = values

    def problem(self, function: str, node: NodeDef) -> str:
        """Return the rest of a sentence about a node that never ends; "" for other nodes."""
        if node.op in _DRAINS and self._reads_without_end(function, node):
            return NO_END
        if node.op == "FilterDataset" and self._is_starved(function, node):
            return NO_ELEMENT
        return ""

    def _reads_without_end(self, function: str, node: NodeDef) -> bool:
        """Return whether a node reads a dataset that repeats itself without end, or for years, or is one of such."""
        place = 1 if node.op == "InitializeTableFromDataset" else 0
        return any(self._is_endless(function, text, 0) for text in data_inputs(node)[place : place + 1])

    def _is_endless(self, function: str, text: str, depth: int) -> bool:
        """Return whether a dataset has no end; of datasets that are read side by side, all must have none."""
        queue = [(function, text)]
        seen = set(queue)
        for function, text in queue:  # the loop appends to it
            body = self._values.bodies[function]
            before = body.get(node_name(text))
            if before is None or len(seen) > MAX_OTHER_STEPS or self._ends(function, before):
                continue
            texts = data_inputs(before)
            if before.op == "ZipDataset" and depth < MAX_ZIPS:
                if texts and all(self._is_endless(function, other, depth + 1) for other in texts):
                    return True
                continue
            if before.op in _ENDLESS or self._repeats(function, before):
                return True
            found = [(function, other) for other in texts[: 2 if before.op == "ConcatenateDataset" else 1]]
            if before.op not in _CONSUMES:
                called = self._values.called_by[function].get(body.position(before.name), ())
                found += [(name, result) for name in called for result in self._values.results(name)]
            for row in found:
                if row not in seen:
                    seen.add(row)
                    queue.append(row)
        return False

    def _ends(self, function: str, node: NodeDef) -> bool:
        """Return whether a dataset ends although its input may not: it takes a number of elements, or some of them."""
        if node.op in _TAKES_SOME:
            return self._predicate(function, node) is not True
        return node.op == "TakeDataset" and self._count(function, node, 1) in range(MAX_ITERATIONS + 1)

    def _is_starved(self, function: str, node: NodeDef) -> bool:
        """Return whether a dataset reads one without end, and has no element of it."""
        takes_none = self._predicate(function, node) is False
        return takes_none and any(self._is_endless(function, text, 0) for text in data_inputs(node)[:1])

    def _count(self, function: str, node: NodeDef, place: int) -> int | float | None:
        """Return the number that is an input of a dataset; 0 if it is not known, None without this input."""
        texts = data_inputs(node)[place : place + 1]
        self._values.limit(MAX_OTHER_STEPS)
        arguments = self._values.callers(function, 0)[0]
        counts = [self._values.compute(Request(function, text, arguments, 0)) for text in texts]
        return next((0 if isinstance(count, Token) else count for count in counts), None)

    def _predicate(self, function: str, node: NodeDef) -> bool | None:
        """Return what the function of a dataset says of all elements; None if it depends on them."""
        called = self._values.called_by[function].get(self._values.bodies[function].position(node.name), ())
        values = []
        self._values.limit(MAX_OTHER_STEPS)
        for name in called:
            arguments = self._values.callers(name, MAX_ROUNDS)[0]
            values += [self._values.compute(Request(name, text, arguments, 1)) for text in self._values.results(name)]
        return bool(values[0]) if len(values) == 1 and not isinstance(values[0], Token) else None

    def _repeats(self, function: str, node: NodeDef) -> bool:
        """Return whether a dataset repeats its input without end, or is a range of too many numbers."""
        texts = data_inputs(node)
        if node.op == "RangeDataset" and len(texts) == 3:
            return has_many(self._values, function, texts)
        count = self._count(function, node, _REPEATS[node.op]) if node.op in _REPEATS else None
        return count is not None and not 0 <= count <= MAX_ITERATIONS
