"""Options that are declared in the signature of one function, and taken by others."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import pytest

from tfmodel.options import options_of, options_with_other, options_with_reference, parameters_of


def declared(model: str, outputs: str = "y", *, share: bool = False) -> list[str]:
    if not isinstance(outputs, str):
        raise TypeError("a TypeError of the function itself")
    return [model, outputs, str(share)]


def declared_of_pair(a: str, b: str, *, order: bool = False) -> str:
    return f"{a} {b} {order}"


@parameters_of(lambda: declared)
def function(*args: Any, **options: Any) -> int:
    """Count."""
    return len(declared(*args, **options))


class Subject:
    @options_of(lambda: declared)
    def method(self, *args: Any, **options: Any) -> list[str]:
        """Return all."""
        return declared("x", *args, **options)

    @options_with_other(lambda: declared_of_pair)
    def compare(self, other: str, *args: Any, **options: Any) -> str:
        return declared_of_pair("x", other, *args, **options)

    @options_with_reference(lambda: declared_of_pair)
    def check(self, reference: str, *args: Any, **options: Any) -> str:
        return declared_of_pair(reference, "x", *args, **options)


@pytest.mark.parametrize(
    ("taker", "signature"),
    [
        (function, "(model: 'str', outputs: 'str' = 'y', *, share: 'bool' = False) -> 'int'"),
        (Subject.method, "(self, outputs: 'str' = 'y', *, share: 'bool' = False) -> 'list[str]'"),
        (Subject().method, "(outputs: 'str' = 'y', *, share: 'bool' = False) -> 'list[str]'"),
        (Subject.compare, "(self, other: 'str', *, order: 'bool' = False) -> 'str'"),
        (Subject().compare, "(other: 'str', *, order: 'bool' = False) -> 'str'"),
        (Subject().check, "(reference: 'str', *, order: 'bool' = False) -> 'str'"),
    ],
)
def test_signature_and_help_show_the_options(taker, signature):
    assert str(inspect.signature(taker)) == signature
    shown = pydoc.plain(pydoc.render_doc(taker))
    assert f"{taker.__name__}{signature}".replace("'", "") in shown.replace("'", "")  # Python 3.14 shows types bare


def test_arguments_are_bound_by_the_signature():
    bound = inspect.signature(Subject().method).bind("z", share=True)
    bound.apply_defaults()
    assert bound.arguments == {"outputs": "z", "share": True}
    with pytest.raises(TypeError, match="unexpected keyword argument 'shared'"):
        inspect.signature(Subject.method).bind(Subject(), shared=True)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: function("x", shared=True), r"^function\(\) got an unexpected keyword argument 'shared'$"),
        (lambda: function(), r"^function\(\) missing a required argument: 'model'$"),
        (lambda: Subject().method(shared=True), r"^Subject.method\(\) got an unexpected keyword argument 'shared'$"),
        (lambda: Subject().method("y", "z"), r"^Subject.method\(\) too many positional arguments$"),
        (
            lambda: Subject().compare("y", ordr=1),
            r"^Subject.compare\(\) got an unexpected keyword argument 'ordr'$",
        ),
        (lambda: Subject().check(order=True), r"^Subject.check\(\) missing a required argument: 'reference'$"),
        (lambda: Subject().method(len), r"^a TypeError of the function itself$"),
    ],
)
def test_wrong_arguments_are_an_error_of_the_function_that_was_called(call, problem):
    with pytest.raises(TypeError, match=problem):
        call()


def test_the_declaring_function_is_looked_up_when_options_are_looked_at():
    looked_up = []

    @options_of(lambda: looked_up.append(1) or declared)
    def taker(model, *args, **options):
        return declared(model, *args, **options)

    assert taker("x", "y") and not looked_up
    assert [*inspect.signature(taker).parameters] == ["model", "outputs", "share"]
    assert looked_up == [1]
