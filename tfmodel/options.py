"""Options that are declared once, in the signature of one function, and taken by others.

    class Model:
        @options_of(lambda: tfmodel.weights)
        def weights(self, *args: Any, **options: Any) -> WeightsReport:
            return tfmodel.weights(self, *args, **options)

`Model.weights` has the parameters of `tfmodel.weights` after its own: type checkers and editors know their names, types
and defaults, and `help` and `inspect.signature` show them. An unknown option is an error of the type checker, and a
TypeError of the function that declares the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")

Declaring = Callable[[], Callable[P, Any]]
"""Returns the function that declares the options. It is called when they are looked at: it may import much."""


def parameters_of(declaring: Declaring[P]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Give a function of `*args` and `**options` all parameters of another function."""
    return lambda function: _declared(function, declaring)


def options_of(
    declaring: Declaring[Concatenate[Any, P]],
) -> Callable[[Callable[Concatenate[A, ...], R]], Callable[Concatenate[A, P], R]]:
    """Give a function of one model the parameters that another function has after its model."""
    return lambda function: _declared(function, declaring)


def options_of_pair(
    declaring: Declaring[Concatenate[Any, Any, P]],
) -> Callable[[Callable[Concatenate[A, B, ...], R]], Callable[Concatenate[A, B, P], R]]:
    """Give a function of two models the parameters that another function has after its two models."""
    return lambda function: _declared(function, declaring)


def _declared(function: Any, declaring: Declaring[...]) -> Any:
    function.__signature__ = _Signature(inspect.signature(function), declaring)
    return function


class _Signature(inspect.Signature):
    """The parameters of a function before its `*args`, and after them those of the function with the options."""

    def __init__(self, own: inspect.Signature, declaring: Declaring[...]) -> None:
        super().__init__(return_annotation=own.return_annotation)
        self._own, self._declaring = own, declaring

    @cached_property
    def _whole(self) -> inspect.Signature:
        models = [
            parameter
            for parameter in self._own.parameters.values()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        options = list(inspect.signature(self._declaring()).parameters.values())[len(models) :]
        return self._own.replace(parameters=[*models, *options])

    @property
    def parameters(self) -> MappingProxyType[str, inspect.Parameter]:
        return self._whole.parameters

    def replace(self, **changes: Any) -> Any:
        return self._whole.replace(**changes)
