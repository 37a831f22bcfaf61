"""Find the tensors of a checkpoint that variables miss, if they only stand in another scope, and the renames for that.

Names are compared by their pieces, from the end: the last part, the number of the part before, and so on.

    wanted  BatchNorm_1/beta      BatchNorm      _1  /  beta
    stored  encoder/norm_1/beta   encoder/norm   _1  /  beta      ^encoder/norm_=BatchNorm_
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ...errors import CheckpointError
from ...files.checkpoints.renamed import renamed

MAX_RULES = 5
"""The maximum number of renames: more are hardly those of a scope."""


def find_renames(
    wanted: Iterable[tuple[Sequence[str], Sequence[int] | None]], stored: Mapping[str, tuple[int, ...]]
) -> tuple[dict[str, str], list[str]]:
    """Return rules that rename tensors, from regular expressions to replacements, and a tensor that each finds.

    wanted   for each variable the keys under which it may be stored, and its sizes, with -1 for those not known
    stored   the shapes of the tensors

    Both are empty if that does not find a tensor for every variable, each of its shape, or gives two tensors one name.
    """
    by_end: dict[str, list[str]] = {}
    for name in stored:
        by_end.setdefault(name.rpartition("/")[2], []).append(name)
    scopes: dict[str, tuple[str, str]] = {}  # a new scope, its old one, and a tensor there
    found: dict[str, str] = {}
    for keys, sizes in wanted:
        tried = list(dict.fromkeys(keys)) if sizes is not None else []
        pairs = [(key, _in_known_scope(key, sizes or (), scopes, stored)) for key in tried]
        if not any(name for _, name in pairs):  # all names are looked at for a few variables alone
            if len(scopes) == MAX_RULES:
                return {}, []
            pairs = [(key, _same_end(key, sizes or (), by_end, stored)) for key in tried]
        key, name = next(((key, name) for key, name in pairs if name), ("", ""))
        if not name:
            return {}, []
        old, new = _scopes(name, key)
        scopes.setdefault(new, (old, name))
        found[key] = name
    rules = {f"^{re.escape(old)}" + "$" * (old == name): new for new, (old, name) in scopes.items()}
    try:
        names = renamed("", stored, rules)
    except CheckpointError:
        return {}, []
    is_right = all(names.get(key) == name for key, name in found.items())
    return (rules, [name for _, name in scopes.values()]) if is_right else ({}, [])


def fits(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Return whether sizes, in which -1 is unknown, are those of a shape."""
    return len(sizes) == len(shape) and all(size in (-1, known) for size, known in zip(sizes, shape, strict=True))


def _same_end(
    key: str, sizes: Sequence[int], by_end: Mapping[str, Sequence[str]], stored: Mapping[str, tuple[int, ...]]
) -> str:
    """Return the tensor of a shape whose name has the longest end in common with a key; "" if several have."""
    pieces = _pieces(key)
    best: dict[int, list[str]] = {}
    for name in by_end.get(key.rpartition("/")[2], ()):
        if fits(sizes, stored[name]):
            best.setdefault(_common_end(pieces, _pieces(name)), []).append(name)
    longest = best[max(best)] if best else []
    return longest[0] if len(longest) == 1 else ""


def _in_known_scope(
    key: str,
    sizes: Sequence[int],
    scopes: Mapping[str, tuple[str, str]],
    stored: Mapping[str, tuple[int, ...]],
) -> str:
    """Return the tensor that a key has if one of the scopes is renamed; "" if there is none of the shape."""
    for new, (old, first) in scopes.items():
        name = old + key.removeprefix(new)
        if old != first and key.startswith(new) and name in stored and fits(sizes, stored[name]):
            return name
    return ""


def _scopes(name: str, key: str) -> tuple[str, str]:
    """Return the scopes in which two names differ, up to a border of parts; the names themselves if one has none."""
    old, new = _pieces(name), _pieces(key)
    count = _common_end(old, new)
    while count and (count in (len(old), len(new)) or old[-count][:1] not in ("/", "_")):
        count -= 1  # an expression for an empty scope would change all names
    if not count:
        return name, key
    border = old[-count][0]
    return "".join(old[: len(old) - count]) + border, "".join(new[: len(new) - count]) + border


def _pieces(name: str) -> list[str]:
    """Return the parts of a name without their numbers, each followed by its number or "", and the slashes."""
    pieces = []
    for part in name.split("/"):
        match = re.fullmatch(r"(.*?)(_[0-9]+)?", part, re.DOTALL)
        assert match is not None  # it matches any text
        pieces += ["/", match[1], match[2] or ""]
    return pieces[1:]


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of last elements that are the same."""
    count = 0
    while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
        count += 1
    return count
