"""Einsum: sums of products along labelled dimensions.

    ij,jk->ik          a product of matrices
    ...ij->...ji       a batch of transpositions
    ii->i   i->ii      a diagonal, read and written

Of two tensors, labels are of four kinds: those in both and in the result (batch), in both and not in the result (added
up), and those of one alone. With dimensions moved together by kind and joined, it is a product of matrices, for which
there is fast code. A label of one tensor alone that is not in the result is added up before, and a label that comes
twice in one tensor is its diagonal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...io.terminal import printable
from ..runtime.argument_checks import check, show
from ..runtime.arrays import widen_halves
from ..runtime.registry import Tensor, kernel

__all__ = ["einsum"]

Labels = list[int]  # letters as their code points; dimensions of an ellipsis as -1, -2, ... from the right


@kernel("Einsum")
def einsum(*inputs: Tensor, equation: bytes) -> Tensor:
    text = equation.decode("latin-1")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    check(arrow and "->" not in right and "," not in right, f'{_quoted(text)} is no equation: it needs one "->"')
    check(len(inputs) in (1, 2), f"it takes one tensor or two, and there are {len(inputs)}")
    check(len(terms) == len(inputs), f"{_quoted(text)} is about {len(terms)} tensors, and there are {len(inputs)}")
    named = [_labels(term, each.shape) for term, each in zip(terms, inputs, strict=True)]
    spread = max((-min(labels, default=0) for labels in named), default=0)
    wanted = _labels(right, None, max(spread, 0))
    _check_sizes(named, inputs, wanted, text)
    tensors = [widen_halves(each) for each in inputs]
    reduced = []
    for place, (tensor, labels) in enumerate(zip(tensors, named, strict=True)):
        others = {label for at, each in enumerate(named) if at != place for label in each}
        reduced.append(_reduced(tensor, labels, others | set(wanted)))
    found, labels = reduced[0] if len(reduced) == 1 else _product(*reduced[0], *reduced[1], wanted)
    return _arranged(found, labels, wanted)


def _quoted(text: str) -> str:
    return f'"{printable(text)}"'


def _name(label: int) -> str:
    return printable(chr(label)) if label >= 0 else "..."


def _labels(term: str, shape: Sequence[int] | None, spread: int = 0) -> Labels:
    """The labels of a tensor. Those of an ellipsis go by what the others leave of the shape, or by `spread`."""
    before, dots, behind = term.partition("...")
    letters = before + behind
    check("." not in letters, f"{_quoted(term)} has dots that are no ellipsis")
    if shape is not None:
        spread = len(shape) - len(letters)
        check(spread == 0 or (dots and spread > 0), f"{_quoted(term)} does not fit a tensor of shape {show(shape)}")
    return [*map(ord, before), *range(-spread, 0), *map(ord, behind)] if dots else [*map(ord, letters)]


def _check_sizes(named: list[Labels], inputs: Sequence[Tensor], wanted: Labels, text: str) -> None:
    sizes: dict[int, int] = {}
    for labels, tensor in zip(named, inputs, strict=True):
        for label, size in zip(labels, tensor.shape, strict=True):
            other = sizes.setdefault(label, size)
            fits = other == size or (label < 0 and 1 in (other, size))
            check(fits, f"{_quoted(text)}: {_name(label)} is {other} in one place and {size} in another")
            sizes[label] = other if size == 1 else size
    for label in wanted:
        check(label in sizes, f"{_quoted(text)}: {_name(label)} is only in the result")
    lost = [label for label in sizes if label < 0 and label not in wanted]
    check(not lost, f"{_quoted(text)}: the result lacks the ellipsis")


def _reduced(x: Tensor, labels: Labels, kept: set[int]) -> tuple[Tensor, Labels]:
    """Return a tensor with its diagonals extracted, and summed over labels that are not needed."""
    left = [label for label in dict.fromkeys(labels) if label in kept]
    if left == labels:
        return x, labels
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    found = np.einsum(x, [numbers[label] for label in labels], [numbers[label] for label in left])
    return np.asarray(found, x.dtype), left


def _product(a: Tensor, of_a: Labels, b: Tensor, of_b: Labels, wanted: Labels) -> tuple[Tensor, Labels]:
    both = [label for label in of_a if label in of_b or label < 0]
    both += [label for label in of_b if label < 0 and label not in both]
    batch = [label for label in both if label in wanted]
    added = [label for label in both if label not in wanted]
    own_a = [label for label in of_a if label not in both]
    own_b = [label for label in of_b if label not in both]
    a = _grouped(a, of_a, batch, own_a, added)
    b = _grouped(b, of_b, batch, added, own_b)
    found = np.matmul(_joined(a, len(batch), len(own_a)), _joined(b, len(batch), len(added)))
    shape = (*found.shape[:-2], *a.shape[len(batch) : len(batch) + len(own_a)], *b.shape[len(batch) + len(added) :])
    return found.reshape(shape), [*batch, *own_a, *own_b]


def _grouped(x: Tensor, labels: Labels, *groups: Labels) -> Tensor:
    """A tensor with its dimensions in this order; those that it lacks are of size 1."""
    order = [label for group in groups for label in group]
    x = x.transpose([labels.index(label) for label in order if label in labels])
    sizes = iter(x.shape)
    return x.reshape([next(sizes) if label in labels else 1 for label in order])


def _joined(x: Tensor, batch: int, rows: int) -> Tensor:
    """Matrices: behind some dimensions, the next ones are made one, and the rest another."""
    middle = x.shape[batch : batch + rows]
    return x.reshape(*x.shape[:batch], math.prod(middle), math.prod(x.shape[batch + rows :]))


def _arranged(x: Tensor, labels: Labels, wanted: Labels) -> Tensor:
    """The dimensions in the order of the result, where a label may come more than once: that is a diagonal."""
    order = list(dict.fromkeys(wanted))
    x = x.transpose([labels.index(label) for label in order])
    if order == wanted:
        return x
    sizes = dict(zip(order, x.shape, strict=True))
    found = np.zeros([sizes[label] for label in wanted], x.dtype)
    np.einsum(found, [order.index(label) for label in wanted], list(range(len(order))))[...] = x
    return found
