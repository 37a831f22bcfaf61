"""Finding the last steps behind layers, and folding them.

Of steps behind each other, all are folded at once, as one scale and one shift: a step is left for the last one of them
that fits, as long as nobody else uses what is between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ...errors import GraphError, TensorError
from ...graph import const_tensor
from ...messages import GraphDef, NodeDef
from ...names import TensorName
from ..framework.matching import Surroundings
from ..framework.patterns import Bindings
from ..framework.replacing import Rewrite, replace_found
from ..framework.report import Refusal, StepReport
from .carriers import CARRIERS
from .reading import DEEPEST, NoLayer, Reader, Step, parts
from .steps import ARITHMETIC, SCALES, Unfit
from .values import Constants, tensors
from .writing import rewriting

__all__ = ["fold"]


def fold(
    graph: GraphDef,
    steps: Collection[str],
    is_last: Callable[[Step], bool],
    *,
    named: Collection[str] = (),
    inputs: Iterable[TensorName],
    outputs: Iterable[TensorName],
    report: StepReport,
) -> GraphDef:
    """The graph with steps of these ops folded into the layers before them.

    `is_last` says of a step whether there is something to fold if it is the last one. Of the ops `named`, the report
    says why, if they are not behind a layer: of a batch norm, and of a multiplication that could be what is left of
    one, since an addition comes next, and both have several numbers. `inputs` may be fed.
    """

    def finder(around: Surroundings) -> _Finder:
        return _Finder(around, steps, is_last, named)

    return replace_found(graph, steps, finder, report=report, keep=outputs, fed=inputs)


class _Read(NamedTuple):
    """What is there from a step down: see `Reader`. Without a tree, the problem is why there is none."""

    tree: Step | None
    problem: str
    claimed: tuple[int, ...] = ()
    touched: tuple[int, ...] = ()


class _Finder:
    """Says of a step whether it is the last one behind layers, and what takes the place of all of them."""

    def __init__(
        self,
        around: Surroundings,
        steps: Collection[str],
        is_last: Callable[[Step], bool],
        named: Collection[str],
    ) -> None:
        self._around = around
        self._index = around.index
        self._constants = Constants(around.index, around.fed)
        self._steps = steps
        self._is_last = is_last
        self._named = named
        self._reads: dict[int, _Read] = {}

    def __call__(self, head: int) -> tuple[Bindings, Rewrite] | None:
        read = self._read(head)
        if read.tree is None:
            return self._left([head], [head], read.problem) if self._is_named(head) else None
        if not self._is_last(read.tree) or any(map(self._fits, self._followers(head))):
            return None
        problem = read.problem or self._problem(read.tree)
        if problem:
            return self._left(read.claimed, read.touched, problem)
        return self._bindings(read.claimed, read.touched), rewriting(self._around, read.tree)

    def _read(self, head: int) -> _Read:
        """What is there from a step down, which is looked at once."""
        if head not in self._reads:
            reader = Reader(self._around, self._constants, self._steps)
            try:
                tree = reader.read(head)
            except NoLayer as reason:
                self._reads[head] = _Read(None, str(reason))
            else:
                assert isinstance(tree, Step)  # heads are steps
                self._reads[head] = _Read(tree, reader.problem, tuple(reader.claimed), tuple(reader.touched))
        return self._reads[head]

    def _bindings(self, claimed: Iterable[int], touched: Iterable[int]) -> Bindings:
        names = {self._index.nodes[each].name: each for each in touched}
        return Bindings(names, tuple(claimed), tuple(touched))

    def _left(self, claimed: Iterable[int], touched: Iterable[int], problem: str) -> tuple[Bindings, Rewrite]:
        return self._bindings(claimed, touched), lambda match: Refusal(problem)

    def _is_named(self, head: int) -> bool:
        """Whether the report says of a step that no layer is before it."""
        op = self._index.nodes[head].op
        return op in self._named and (op not in SCALES or (self._has_several(head) and self._is_added_to(head)))

    def _is_added_to(self, head: int) -> bool:
        user = self._user(head)
        return user >= 0 and self._index.nodes[user].op in ARITHMETIC.keys() - SCALES and self._has_several(user)

    def _has_several(self, position: int) -> bool:
        """Whether a step has a constant of several numbers."""
        found = map(self._constants.expression, tensors(self._index, position))
        nodes = [self._index.nodes[each] for each in chain.from_iterable(filter(None, found))]
        return any(map(_has_several, nodes))

    def _followers(self, position: int) -> Iterator[int]:
        """The steps behind a step, each of which alone uses what the one before gives, by way of carriers or not."""
        for _ in range(DEEPEST):
            position = self._user(position)
            op = self._index.nodes[position].op if position >= 0 else ""
            if op in self._steps:
                yield position
            elif op not in CARRIERS:
                return

    def _user(self, position: int) -> int:
        """Who alone takes what a node gives; -1 if there is not one such node, or if it is declared."""
        name = self._index.nodes[position].name
        if name in self._around.declared or self._index.takers[position] != 1:
            return -1
        [user] = [use.node.name for use in self._index.uses(name) if not use.tensor.is_control]
        return self._index.position(user)

    def _fits(self, position: int) -> bool:
        """Whether a step can be the last one."""
        tree, problem, *_ = self._read(position)
        return tree is not None and self._is_last(tree) and not (problem or self._problem(tree))

    def _problem(self, tree: Step) -> str:
        """Why a tree cannot be folded; "" if it can."""
        name = tree.node.name
        ports = {use.tensor.port for use in self._index.uses(name)}
        if max(ports | self._around.ports.get(name, set()), default=0) > 0:
            return "other outputs of it than the first are used"
        try:
            for part in parts(tree):
                part.check()
        except (Unfit, GraphError, TensorError) as error:
            return str(error)
        return ""


def _has_several(node: NodeDef) -> bool:
    """Whether it is a Const of several numbers."""
    try:
        shape = const_tensor(node).tensor_shape if node.op == "Const" else None
    except GraphError:
        return False
    return shape is not None and any(dim.size > 1 for dim in shape.dim)
