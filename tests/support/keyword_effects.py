"""Keyword parameters of the public API, and tables of their effects.

    TABLE = {"pbwire.text.dumps": Row(dumps_of_sample, {"as_one_line": Effect(True), "types": SEARCHED})}

A row has a call with everything but the parameter, and for each parameter one of

    Effect(value)           the call has another result with this value, or another error
    Refused(value, words)   the call raises an error with these words, since the value would have no effect here
    a sentence              the reason why the parameter may have no effect
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import pytest

from pbwire import Error, Message
from pbwire.descriptor import Field, Table

__all__ = ["Effect", "Refused", "Row", "check_effect", "check_refusal", "check_table", "effects", "refusals"]

ERRORS = Error, ValueError, TypeError


class Effect(NamedTuple):
    """A value of a parameter; `arguments` are further arguments of both calls, with and without it."""

    value: Any
    arguments: Mapping[str, Any] = {}


class Refused(NamedTuple):
    """A value of a parameter, words of the error message, and further arguments of the call."""

    value: Any
    words: str
    arguments: Mapping[str, Any] = {}


class Row(NamedTuple):
    """A call, and one or more statements about each of its keyword parameters."""

    call: Callable[..., Any]
    parameters: dict[str, str | Effect | Refused | list[Effect | Refused]]


def keywords_of(packages: Iterable[str]) -> dict[str, set[str]]:
    """The keyword parameters of all functions, classes and methods, by the first name under which each is exported.

    The fields of descriptors, tuples, enums, errors, messages, and of dataclasses without keyword-only fields are not
    included: a dataclass with keyword-only fields has options, another one has results. Methods whose parameters are
    those of a function are not included either (`tfmodel.options`).
    """
    keywords_by_name: dict[str, set[str]] = {}
    seen: set[int] = set()
    for package in packages:
        module = importlib.import_module(package)
        for name in module.__all__:
            exported = getattr(module, name)
            if id(exported) in seen:
                continue
            seen.add(id(exported))
            for path, function in _callables(name, exported):
                if keywords := _keywords(function):
                    keywords_by_name[f"{package}.{path}"] = keywords
    return keywords_by_name


def _callables(name: str, exported: Any) -> Iterable[tuple[str, Any]]:
    if inspect.isfunction(exported):
        yield name, exported
    if not inspect.isclass(exported) or issubclass(exported, (BaseException, enum.Enum, tuple)):
        return
    if issubclass(exported, Message) and exported is not Message:
        return
    is_result = dataclasses.is_dataclass(exported) and not any(field.kw_only for field in dataclasses.fields(exported))
    if not is_result and exported not in (Message, Field, Table):
        yield name, exported
    own = [
        base
        for base in exported.__mro__
        if base is exported or base.__module__.startswith(f"{exported.__module__.partition('.')[0]}.")
    ]
    for method in {method: None for base in own for method in vars(base)}:
        function = getattr(exported, method)
        if method.startswith("_") or not callable(function) or inspect.isclass(function):
            continue
        if not hasattr(function, "__signature__"):
            yield f"{name}.{method}", function


def _keywords(function: Any) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {
        parameter.name
        for parameter in parameters
        if not parameter.name.startswith("_")
        and (parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty)
    }


# --- checking a table ------------------------------------------------------------------------------------------------


def check_table(table: Mapping[str, Row], packages: Iterable[str]) -> None:
    """Assert that rows and parameters correspond."""
    actual = {f"{name}({keyword}=)" for name, keywords in keywords_of(packages).items() for keyword in keywords}
    listed = {f"{name}({parameter}=)" for name, row in table.items() for parameter in row.parameters}
    assert not actual - listed, f"the table has no row for {', '.join(sorted(actual - listed))}: say what they do"
    assert not listed - actual, f"the table has rows for {', '.join(sorted(listed - actual))}, which there are not"


def effects(table: Mapping[str, Row]) -> list[Any]:
    """Yield arguments of `check_effect`, for parametrize."""
    return _cases(table, Effect)


def refusals(table: Mapping[str, Row]) -> list[Any]:
    """Yield arguments of `check_refusal`, for parametrize."""
    return _cases(table, Refused)


def _cases(table: Mapping[str, Row], kind: type) -> list[Any]:
    return [
        pytest.param(row.call, name, case, id=f"{path}-{name}-{number}")
        for path, row in table.items()
        for name, cases in row.parameters.items()
        for number, case in enumerate(cases if isinstance(cases, list) else [cases])
        if isinstance(case, kind)
    ]


def check_effect(call: Callable[..., Any], name: str, case: Effect) -> None:
    """Assert that the result with the value differs from the one without."""
    assert _outcome(call, **case.arguments, **{name: case.value}) != _outcome(call, **case.arguments)


def check_refusal(call: Callable[..., Any], name: str, case: Refused) -> None:
    """Assert that the call with the value raises an error with these words."""
    with pytest.raises(ERRORS) as caught:
        call(**case.arguments, **{name: case.value})
    assert case.words in str(caught.value)


def _outcome(call: Callable[..., Any], **arguments: Any) -> object:
    try:
        return call(**arguments)
    except ERRORS as error:
        return f"{type(error).__name__}: {error}"
