"""The work of one node: rules that `flops.py` assigns to ops.

A rule is a function of a Work, which gives the number of floating point operations; or it raises Unshaped, where that
depends on a shape that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

from ...graph import attr
from ...messages import NodeDef
from ...shape import size_of
from ...shapes import Shape

__all__ = [
    "Rule",
    "Unshaped",
    "Work",
    "average_pool_gradient",
    "batch_norm",
    "convolution",
    "cross_entropy",
    "each",
    "einsum",
    "filter_gradient",
    "free",
    "fused",
    "l2_loss",
    "local_response",
    "matrices",
    "max_pool_gradient",
    "mean",
    "pool",
    "reduction",
    "sum_of_many",
    "update",
]


class Unshaped(Exception):
    """A shape that the work depends on is not known."""


class Work(NamedTuple):
    """A node, and the shapes of its inputs and of its first output, as far as they are known."""

    node: NodeDef
    inputs: Sequence[Shape | None]
    output: Shape | None

    def sizes(self, index: int) -> tuple[int, ...]:
        """The shape of an input. Raises Unshaped, and GraphError if it is larger than a tensor can be."""
        shape = self.inputs[index] if index < len(self.inputs) else None
        if shape is None or None in shape or size_of(shape) is None:
            raise Unshaped
        return shape  # type: ignore[return-value]  # no None is left

    @property
    def taken(self) -> int:
        """The elements of the first input. Raises Unshaped."""
        return prod(self.sizes(0))

    @property
    def given(self) -> int:
        """The elements of the first output. Raises Unshaped."""
        size = size_of(self.output)
        if size is None:
            raise Unshaped
        return size


Rule: TypeAlias = Callable[[Work], int]


def each(count: int) -> Rule:
    return lambda work: count * work.given


def free(work: Work) -> int:
    """The rule of ops that compute nothing, so that no one needs to know the shapes."""
    return 0


def reduction(work: Work) -> int:
    return max(0, work.taken - work.given)


def mean(work: Work) -> int:
    return work.taken


def pool(work: Work) -> int:
    return prod(_window(work)) * work.given


def _window(work: Work) -> list[int]:
    if "ksize" not in work.node.attr:
        raise Unshaped
    return attr(work.node, "ksize", list[int])


def average_pool_gradient(work: Work) -> int:
    return 2 * prod(_window(work)) * prod(work.sizes(1))


def max_pool_gradient(work: Work) -> int:
    return (prod(_window(work)) + 1) * prod(work.sizes(1))


def convolution(filters: int = 1, results: int | None = None, *, depthwise: bool = False) -> Rule:
    """Of an op that has its filter as input number `filters`, in HWIO; `results` is the input that has the shape of
    what the convolution gives, None if that is the output."""

    def rule(work: Work) -> int:
        shape = work.sizes(filters)
        count = work.given if results is None else prod(work.sizes(results))
        return 2 * count * prod(shape[:-2] if depthwise else shape[:-1])

    return rule


def filter_gradient(*, depthwise: bool = False) -> Rule:
    """The output has the shape of the filter."""

    def rule(work: Work) -> int:
        shape = work.output
        size = size_of(None if shape is None else shape[:-2] if depthwise else shape[:-1])
        if size is None:
            raise Unshaped
        return 2 * prod(work.sizes(2)) * size

    return rule


def matrices(work: Work) -> int:
    shape = work.sizes(0)
    if len(shape) < 2:
        raise Unshaped
    flag = next((name for name in ("transpose_a", "adj_x") if name in work.node.attr), "transpose_a")
    return 2 * work.given * shape[-2 if attr(work.node, flag, bool, False) else -1]


def einsum(work: Work) -> int:
    """One product for each combination of labels, and its addition."""
    terms = attr(work.node, "equation", str).replace(" ", "").partition("->")[0].split(",")
    sizes: dict[str, int] = {}
    for index, term in enumerate(terms):
        shape = work.sizes(index)
        before, dots, after = term.partition("...")
        if len(before) + len(after) > len(shape):
            raise Unshaped
        rest = shape[len(before) : len(shape) - len(after)]
        spread = {f"...{at}": size for at, size in enumerate(reversed(rest))} if dots else {}
        labels = {**dict(zip(before, shape, strict=False)), **spread}
        labels |= dict(zip(after, shape[len(shape) - len(after) :], strict=True))
        for label, size in labels.items():
            sizes[label] = max(size, sizes.get(label, 0))
    return len(terms) * prod(sizes.values()) if len(terms) > 1 else max(0, work.taken - work.given)


def sum_of_many(work: Work) -> int:
    return work.given * max(0, len(work.inputs) - 1)


def l2_loss(work: Work) -> int:
    return max(0, 3 * work.taken - 1)


def batch_norm(work: Work) -> int:
    training = attr(work.node, "is_training", bool, True)
    return work.given * (6 if training else 2) + 6 * prod(work.sizes(1))


def local_response(work: Work) -> int:
    """Squares, their sum over a window, times alpha, plus bias, to a power, and a division."""
    return work.given * (2 * attr(work.node, "depth_radius", int, 5) + 1 + 5)


def update(work: Work) -> int:
    """Of a variable that a handle leads to."""
    return prod(work.sizes(1))


def cross_entropy(work: Work) -> int:
    return 7 * work.taken


_PARTS = {"BiasAdd": 1, "FusedBatchNorm": 2, "Add": 1}


def fused(of: Rule) -> Rule:
    """What is computed first, and one step after the other for each output: an activation is one."""

    def rule(work: Work) -> int:
        steps = attr(work.node, "fused_ops", list[str], [])
        return of(work) + work.given * sum(_PARTS.get(step, 1) for step in steps)

    return rule
