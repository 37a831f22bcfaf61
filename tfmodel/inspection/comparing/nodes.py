"""Two nodes of one name: what differs of their op, device, inputs and attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...errors import GraphError
from ...names import TensorName
from ..describing import attr_text
from .changes import Change, Rules, changed_entries, changed_words, same_bytes
from .values import compare_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...messages import AttrValue, NodeDef

__all__ = ["Defaults", "canonical", "changes_of", "compare_nodes", "split_inputs"]

Defaults = Callable[[str], "Mapping[str, AttrValue]"]
"""Gives the attributes that an op has where a node does not say, with their values."""

_MOST_INPUTS = 6


def compare_nodes(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> tuple[Change, ...]:
    """All that differs between two nodes. Attributes are only read if something may."""
    return () if same_bytes(before, after) else tuple(changes_of(before, after, rules, defaults))


def changes_of(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> Iterator[Change]:
    """The same for nodes that are not written the same."""
    yield from changed_words("op", before.op, after.op)
    yield from changed_words("device", before.device, after.device)
    if before.input != after.input:
        yield from _inputs(before.input, after.input)
    yield from _attributes(before, after, rules, defaults)
    if rules.internal:
        for field in ("experimental_type", "experimental_debug_info"):
            if getattr(before, field) != getattr(after, field):
                yield Change(field, "", "", "it differs")


# --- inputs ----------------------------------------------------------------------------------------------------------


def canonical(text: str) -> str:
    """One spelling for all of a reference: `n` for `n:0`. What is no reference stays as it is."""
    try:
        return str(TensorName.parse(text))
    except GraphError:
        return text


def split_inputs(inputs: list[str]) -> tuple[list[str], list[str]]:
    """The tensors that a node takes, and the nodes that it waits for: these sorted, and each once."""
    names = [canonical(text) for text in inputs]
    controls = sorted({name for name in names if name.startswith("^")})
    return [name for name in names if not name.startswith("^")], controls


def _inputs(before: list[str], after: list[str]) -> Iterator[Change]:
    (tensors, controls), (others, other_controls) = split_inputs(before), split_inputs(after)
    if len(tensors) != len(others):
        first = next((at for at, (a, b) in enumerate(zip(tensors, others, strict=False)) if a != b), None)
        note = ""
        if first is not None and max(len(tensors), len(others)) > _MOST_INPUTS:
            note = f"the first that differs is input {first:,}, {tensors[first]} -> {others[first]}"
        yield Change("inputs", _listed(tensors), _listed(others), note)
    else:
        for place, (one, other) in enumerate(zip(tensors, others, strict=True)):
            if one != other:
                yield Change(f"input {place}", one, other)
    there, here = set(controls), set(other_controls)
    for name in controls:
        if name not in here:
            yield Change("control input", name, None)
    for name in other_controls:
        if name not in there:
            yield Change("control input", None, name)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_INPUTS])
    return (f"{shown}, ... {len(names):,} inputs" if len(names) > _MOST_INPUTS else shown) or "none"


# --- attributes ------------------------------------------------------------------------------------------------------


def _attributes(before: NodeDef, after: NodeDef, rules: Rules, defaults: Defaults) -> Iterator[Change]:
    one, other = dict(before.attr), dict(after.attr)
    if not rules.internal:
        one, other = ({name: attr[name] for name in attr if name[:1] != "_"} for attr in (one, other))
    if not rules.defaults and one.keys() != other.keys():
        declared = defaults(before.op)
        for name in one.keys() ^ other.keys():
            if name in declared:
                one.setdefault(name, declared[name])
                other.setdefault(name, declared[name])
    yield from changed_entries("attr", one, other, lambda what, a, b: compare_values(what, a, b, rules), attr_text)
