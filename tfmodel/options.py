"""Options that are declared once, in the signature of one function, and taken by others.

    class Model:
        @options_of(lambda: tfmodel.weights)
        def weights(self, *args: Any, **options: Any) -> WeightsReport:
            return tfmodel.weights(self, *args, **options)

`Model.weights` has the parameters of `tfmodel.weights` after its own: type checkers and editors know their names, types
and defaults, and `help` and `inspect.signature` show them. An unknown option is an error of the type checker, and a
TypeError that names the function which was called, `Model.weights`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")
B_contra = TypeVar("B_contra", contravariant=True)

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


def options_with_other(
    declaring: Declaring[Concatenate[Any, Any, P]],
) -> Callable[[Callable[Concatenate[A, B, ...], R]], _MethodWithOther[B, P, R]]:
    """Give a method with the parameter `other` the parameters that a function of two models has after these."""
    return lambda function: _declared(function, declaring)


def options_with_reference(
    declaring: Declaring[Concatenate[Any, Any, P]],
) -> Callable[[Callable[Concatenate[A, B, ...], R]], _MethodWithReference[B, P, R]]:
    """Give a method with the parameter `reference` the parameters that a function of two models has after these."""
    return lambda function: _declared(function, declaring)


# A ParamSpec alone would make the second model a parameter that has no name for type checkers.
class _WithOther(Protocol[B_contra, P, R_co]):
    def __call__(self, other: B_contra, *args: P.args, **options: P.kwargs) -> R_co: ...


class _MethodWithOther(Protocol[B_contra, P, R_co]):
    @overload
    def __get__(self, instance: None, owner: type) -> Callable[Concatenate[Any, B_contra, P], R_co]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> _WithOther[B_contra, P, R_co]: ...


class _WithReference(Protocol[B_contra, P, R_co]):
    def __call__(self, reference: B_contra, *args: P.args, **options: P.kwargs) -> R_co: ...


class _MethodWithReference(Protocol[B_contra, P, R_co]):
    @overload
    def __get__(self, instance: None, owner: type) -> Callable[Concatenate[Any, B_contra, P], R_co]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> _WithReference[B_contra, P, R_co]: ...


def _declared(function: Any, declaring: Declaring[...]) -> Any:
    """Return a function with the signature of its parameters and of those that another function declares."""
    signature = _Signature(inspect.signature(function), declaring)

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except TypeError:
            try:
                signature.bind(*args, **options)
            except TypeError as error:  # of the function that declares the options, which the caller may not know
                raise TypeError(f"{function.__qualname__}() {error}") from None
            raise

    called.__signature__ = signature  # type: ignore[attr-defined]
    return called


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
