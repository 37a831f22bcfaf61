"""Two function libraries: which functions are new, gone, changed, and in which nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...graph import Functions
from ...messages import OpDef
from ..describing import attr_text, dtype_name
from .changes import Change, Rules, changed_entries, changed_words, same_bytes
from .matching import compare_bodies
from .nodes import Defaults, canonical
from .report import FunctionReport, LibraryReport
from .values import compare_values, same_attributes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...messages import AttrValue, FunctionDef, FunctionDefLibrary

__all__ = ["compare_libraries"]


def compare_libraries(
    before: FunctionDefLibrary | None, after: FunctionDefLibrary | None, rules: Rules, defaults: Defaults
) -> LibraryReport:
    """What changed in the functions, by name. What only people read of a function, its texts, does not count."""
    functions, others = Functions(before), Functions(after)
    changed = []
    for name in functions:
        if name in others and (report := _compare(name, functions[name], others[name], rules, defaults)):
            changed.append(report)
    gradients = changed_entries("gradient of", functions.gradients, others.gradients, _compare_texts, str)
    return LibraryReport(
        removed=tuple(name for name in functions if name not in others),
        added=tuple(name for name in others if name not in functions),
        changed=tuple(changed),
        gradients=tuple(gradients),
    )


def _compare(
    name: str, before: FunctionDef, after: FunctionDef, rules: Rules, defaults: Defaults
) -> FunctionReport | None:
    if same_bytes(before, after):
        return None
    changes = (*_signature(before.signature, after.signature), *_attributes(before, after, rules))
    body = compare_bodies(before, after, rules, defaults, name)
    return None if body.same and not changes else FunctionReport(name, changes, body)


def _signature(before: OpDef | None, after: OpDef | None) -> Iterator[Change]:
    one, other = before or OpDef(), after or OpDef()
    yield from changed_words("arguments", _arguments(one.input_arg), _arguments(other.input_arg))
    yield from changed_words("results", _arguments(one.output_arg), _arguments(other.output_arg))
    yield from changed_words("is_stateful", str(one.is_stateful).lower(), str(other.is_stateful).lower())
    yield from changed_words("control outputs", ", ".join(one.control_output), ", ".join(other.control_output))


def _arguments(arguments: Iterable[OpDef.ArgDef]) -> str:
    return f"({', '.join(f'{each.name}: {_type(each)}' for each in arguments)})"


def _type(argument: OpDef.ArgDef) -> str:
    kind = argument.type_list_attr or argument.type_attr or dtype_name(argument.type)
    kind = f"{argument.number_attr} * {kind}" if argument.number_attr else kind
    return f"ref {kind}" if argument.is_ref else kind


def _attributes(before: FunctionDef, after: FunctionDef, rules: Rules) -> Iterator[Change]:
    """What a function returns, and its attributes with those of its arguments."""

    def compare(what: str, one: AttrValue, other: AttrValue) -> Change | None:
        return compare_values(what, one, other, rules)

    yield from changed_entries("result", _canonical(before.ret), _canonical(after.ret), _compare_texts, str)
    yield from changed_entries("control output", before.control_ret, after.control_ret, _compare_texts, str)
    yield from changed_entries("attr", _counted(before.attr, rules), _counted(after.attr, rules), compare, attr_text)
    for place in sorted(before.arg_attr.keys() | after.arg_attr.keys()):
        if name := same_attributes(_of_argument(before, place, rules), _of_argument(after, place, rules), rules):
            yield Change(f"argument {place}", "", "", f'its attribute "{name}" differs')


def _of_argument(function: FunctionDef, place: int, rules: Rules) -> Mapping[str, AttrValue]:
    return _counted(function.arg_attr[place].attr, rules) if place in function.arg_attr else {}


def _canonical(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: canonical(text) for name, text in texts.items()}


def _counted(attrs: Mapping[str, AttrValue], rules: Rules) -> Mapping[str, AttrValue]:
    return attrs if rules.internal else {name: attrs[name] for name in attrs if name[:1] != "_"}


def _compare_texts(what: str, one: str, other: str) -> Change | None:
    return Change(what, one, other) if one != other else None
