"""Find the tensors of two models that correspond to each other: by name, by another name, or by content.

1. the same kind and name
2. another name: of a variable, those of `variable_names`; of a constant in a function, that without the number at the
   end of the function's name, which is another one in every export; of a constant that freezing made of a variable, a
   name of the variable. As many tensors must have this name on one side as on the other
3. equal content, among tensors of the same dtype and number of elements. Content is compared by its SHA-256
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from ...values.elements import is_single
from .operands import Operand, Operands
from .variable_names import names_of_variables, without_calls

By: TypeAlias = Literal["name", "other name", "content"]

_RESOURCE = "/resource"
"""TensorFlow's freezing adds this to the name of a node that reads a variable, for the name of the constant."""

_KINDS = (("variable", "variable"), ("constant", "constant"), ("variable", "constant"), ("constant", "variable"))


@dataclass(frozen=True, slots=True)
class Match:
    """Two tensors that correspond to each other.

    by       the rule that found them
    ties     the number of tensors with this content, on the side that has more of them; 0 if the names decided
    """

    before: Operand
    after: Operand
    by: By
    ties: int = 0


@dataclass(frozen=True, slots=True)
class Matching:
    """The pairs, and the tensors without a partner."""

    pairs: list[Match]
    removed: list[Operand]
    added: list[Operand]

    def with_pairs(self, pairs: Iterable[Match]) -> Matching:
        """Return the matching with more pairs, whose tensors had no partner."""
        pairs = list(pairs)
        done = {id(tensor) for pair in pairs for tensor in (pair.before, pair.after)}
        removed = [tensor for tensor in self.removed if id(tensor) not in done]
        return Matching(self.pairs + pairs, removed, [tensor for tensor in self.added if id(tensor) not in done])


def match_by_name(before: Operands, after: Operands, notes: list[str]) -> Matching:
    """Match tensors by the rules 1 and 2. Adds problems of a graph, because of which names are missing, to `notes`."""
    numbered, others = _numbered(before.tensors), _numbered(after.tensors)
    matching = Matching(
        [Match(tensor, others[key], "name") for key, tensor in numbered.items() if key in others],
        [tensor for key, tensor in numbered.items() if key not in others],
        [tensor for key, tensor in others.items() if key not in numbered],
    )
    if matching.removed and matching.added:
        names, other_names = _names_by_key(before, notes), _names_by_key(after, notes)
        for kind, other_kind in _KINDS:
            across = kind != other_kind
            left = _index((tensor for tensor in matching.removed if tensor.kind == kind), names, across)
            right = _index((tensor for tensor in matching.added if tensor.kind == other_kind), other_names, across)
            matching = matching.with_pairs(_match_names(left, right))
    return matching


def _numbered(tensors: Iterable[Operand]) -> dict[tuple[str, str, str, int], Operand]:
    """Return tensors by kind, function and name; and by a number, since nodes of a damaged graph may share a name."""
    result: dict[tuple[str, str, str, int], Operand] = {}
    counts: dict[tuple[str, str, str], int] = {}
    for tensor in tensors:
        key = tensor.kind, tensor.function, tensor.name
        counts[key] = number = counts.get(key, 0) + 1
        result[*key, number] = tensor
    return result


def _names_by_key(side: Operands, notes: list[str]) -> dict[str, list[str]]:
    """Return the other names of variables by their keys, without names that several variables have."""
    names: dict[str, list[str]] = {}
    keys_by_name, problem = names_of_variables(side.source)
    if problem:
        notes.append(f"some variables of {side.name} were matched by their keys alone: {problem}")
    for name, keys in keys_by_name.items():
        if len(keys) == 1:
            names.setdefault(next(iter(keys)), []).append(name)
    return names


def _index(tensors: Iterable[Operand], names_by_key: dict[str, list[str]], across: bool) -> dict[str, list[Operand]]:
    """Return tensors by each of their names; with `across`, constants by the names of variables."""
    index: dict[str, list[Operand]] = {}
    for tensor in tensors:
        if tensor.kind == "variable":
            names = [tensor.name, *names_by_key.get(tensor.name, ())]
        elif tensor.function:
            names = [] if across else [tensor.base_name]
        else:
            names = [tensor.name, without_calls(tensor.name.removesuffix(_RESOURCE))] if across else []
        for name in dict.fromkeys(names):
            index.setdefault(name, []).append(tensor)
    return index


def _match_names(left: dict[str, list[Operand]], right: dict[str, list[Operand]]) -> Iterator[Match]:
    """Match tensors that share a name: one on either side or, of constants in functions, as many, in their order."""
    done: set[int] = set()
    for name, tensors in left.items():
        partners = right.get(name, [])
        is_clear = len(tensors) == 1 or all(tensor.function for tensor in tensors)
        if is_clear and len(tensors) == len(partners) and done.isdisjoint(map(id, tensors + partners)):
            done.update(map(id, tensors + partners))
            yield from (Match(*pair, "other name") for pair in zip(tensors, partners, strict=True))


# --- content ---------------------------------------------------------------------------------------------------------


def match_by_content(matching: Matching, reading: Callable[[str], object] = lambda name: None) -> Matching:
    """Match the tensors without a partner by rule 3.

    Only tensors with a possible partner are read; `reading` is called with the name of each.
    """
    sizes = {(tensor.dtype.number, tensor.elements) for tensor in matching.removed}
    sizes &= {(tensor.dtype.number, tensor.elements) for tensor in matching.added}
    groups: dict[tuple[Any, ...], tuple[list[Operand], list[Operand]]] = {}
    for side, tensors in enumerate((matching.removed, matching.added)):
        for tensor in tensors:
            size = tensor.dtype.number, tensor.elements
            if size in sizes:
                reading(tensor.name)
                groups.setdefault((*size, *_content(tensor)), ([], []))[side].append(tensor)
    return matching.with_pairs(pair for group in groups.values() for pair in _pair_equal(*group))


def _content(tensor: Operand) -> tuple[Any, ...]:
    """Return a key that tensors of one dtype and number of elements share only if their elements are the same.

    If all elements are the same, they say little about the tensor: its shape belongs to the key too, and with only one
    element its kind.
    """
    digest = sha256()
    first: bytes | None = None
    is_uniform = True
    for chunk in tensor.read():
        items = _encode(chunk[:1] if is_single(chunk) else chunk)
        if isinstance(items, list):
            first = items[0] if first is None else first
            is_uniform = is_uniform and all(item == first for item in items)
            for item in items:
                digest.update(len(item).to_bytes(8, "little") + item)
        else:
            first = items[: chunk.itemsize] if first is None else first
            is_uniform = is_uniform and items == first * (len(items) // chunk.itemsize)
            digest.update(items)
    if not is_uniform:
        return "sha256", digest.digest()
    return "uniform", first, tensor.shape, tensor.kind if tensor.elements == 1 else ""


def _encode(chunk: Any) -> bytes | list[bytes]:
    """Return the bytes of numbers; the bytes of each string or message."""
    if chunk.dtype != object:
        return bytes(chunk.tobytes())
    return [item if isinstance(item, bytes) else item.to_bytes(deterministic=True) for item in chunk]


def _pair_equal(removed: list[Operand], added: list[Operand]) -> Iterator[Match]:
    """Pair tensors of equal content: first those with the same last part of the name, then in order."""
    ties = max(len(removed), len(added))
    traits: tuple[Callable[[Operand], Any], ...] = (_tail_and_shape, lambda tensor: tensor.shape, lambda tensor: None)
    for trait in traits:
        waiting: dict[Any, deque[Operand]] = {}
        for tensor in added:
            waiting.setdefault(trait(tensor), deque()).append(tensor)
        unpaired = []
        for tensor in removed:
            if partners := waiting.get(trait(tensor)):
                yield Match(tensor, partners.popleft(), "content", ties)
            else:
                unpaired.append(tensor)
        removed, added = unpaired, [tensor for partners in waiting.values() for tensor in partners]


def _tail_and_shape(tensor: Operand) -> tuple[str, tuple[int, ...]]:
    return tensor.name.rpartition("/")[2], tensor.shape
