"""The parameters of a transform, read off the signature of its function, and their values in a list of transforms.

    def remove_nodes(graph: GraphDef, *, op: tuple[str, ...], max_inputs: int = 1) -> GraphDef: ...

takes `remove_nodes(op=Identity, op=CheckNumerics)` and, from Python, `remove_nodes(graph, op=("Identity",))`. What is
written in a list becomes a value of the annotated type:

    int, float, bool, str    one value; a bool is true, false, 1 or 0
    Shape                    sizes with commas, "1,299,299,3"; -1 is not known
    DataType                 float, int32, DT_FLOAT, float32
    X | None                 an X; None only by not being given
    tuple[X, ...]            any number of an X, each an argument of that name
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbwire.suggestions import suggestion

from ...dtypes import dtype_named
from ...errors import TransformError
from ...messages import DataType
from ...printable import printable
from .list_syntax import Argument

__all__ = ["Parameter", "Shape", "parameters_of", "values_of"]


class Shape(tuple[int, ...]):
    """The sizes of a tensor; -1 for one that is not known."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, the type of a value, whether several may be given, and what holds if none is."""

    name: str
    type: type
    repeated: bool = False
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def kind(self) -> str:
        """What values it takes: `INT`, and `STR ...` if any number of them."""
        return f"{self.type.__name__.upper()}{' ...' * self.repeated}"

    @property
    def spelled_default(self) -> str:
        """What has the same effect in a list as nothing at all: `max_inputs=1`. Empty if nothing else has."""
        if self.required or self.default in (None, ()):
            return ""
        values = self.default if self.repeated else (self.default,)
        return ", ".join(f"{self.name}={_spelled(value)}" for value in values)

    def __str__(self) -> str:
        """As help shows it: `old_op_name=STR` must be given, `max_inputs=1` and `[op=STR ...]` may be."""
        given = f"{self.name}={self.kind}"
        return given if self.required else self.spelled_default or f"[{given}]"


def parameters_of(function: Callable[..., Any], supplied: Iterable[str]) -> dict[str, Parameter]:
    """The parameters of a transform by name, but for its graph and what is `supplied` by the framework.

    Raises TypeError for a parameter that cannot be given in a list of transforms.
    """
    supplied = sorted(supplied)
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"{function.__name__}: the first parameter must be the graph, before the * in the signature")
    return {
        parameter.name: _parameter(function, parameter, supplied)
        for parameter in parameters[1:]
        if parameter.name not in supplied
    }


def _parameter(function: Callable[..., Any], parameter: inspect.Parameter, supplied: Sequence[str]) -> Parameter:
    where = f"{function.__name__}: the parameter {parameter.name}"
    if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"{where} must stand behind the * in the signature")
    kind = parameter.annotation
    if isinstance(kind, str):  # as `from __future__ import annotations` leaves them
        try:
            kind = eval(kind, getattr(inspect.unwrap(function), "__globals__", {}))
        except Exception as error:  # an annotation may be any expression
            raise TypeError(f"{where} has an annotation that means nothing at run time: {kind}") from error
    repeated = typing.get_origin(kind) is tuple
    if repeated:
        kind, *rest = typing.get_args(kind)
        if rest != [...]:
            raise TypeError(f"{where} must be tuple[X, ...] to take several values")
    elif typing.get_origin(kind) in (types.UnionType, typing.Union):
        kind = next((option for option in typing.get_args(kind) if option is not type(None)), None)
    if kind not in _READERS:
        allowed = ", ".join(each.__name__ for each in _READERS)
        names = f"; only {', '.join(supplied)} are supplied and need no type" if supplied else ""
        raise TypeError(f"{where} must be of one of the types {allowed}, or a tuple of one of them{names}")
    default = () if repeated and parameter.default is inspect.Parameter.empty else parameter.default
    return Parameter(parameter.name, kind, repeated, default)


def values_of(transform: str, parameters: Mapping[str, Parameter], arguments: Iterable[Argument]) -> dict[str, Any]:
    """The keyword arguments that a step of a list means. Raises TransformError for one that is wrong or missing."""
    given: dict[str, list[Any]] = {}
    for name, text in arguments:
        parameter = parameters.get(name)
        if parameter is None:
            known = ", ".join(map(str, parameters.values())) or "none"
            help = suggestion(name, parameters) or f"; it has {known}"
            raise TransformError(f'{transform}: there is no argument "{printable(name)}"{help}')
        values = given.setdefault(name, [])
        if values and not parameter.repeated:
            raise TransformError(f'{transform}: the argument "{name}" is given more than once')
        try:
            values.append(_READERS[parameter.type](text))
        except ValueError as error:
            problem = f'{error}, not "{printable(text)}"'
            raise TransformError(f'{transform}: the argument "{name}" takes {problem}') from None
    for parameter in parameters.values():
        if parameter.required and parameter.name not in given:
            raise TransformError(f'{transform}: the argument "{parameter.name}" is missing: give {parameter}')
    none = {name: () for name, parameter in parameters.items() if parameter.default == ()}
    return none | {name: tuple(values) if parameters[name].repeated else values[0] for name, values in given.items()}


# --- values ----------------------------------------------------------------------------------------------------------

_integer = re.compile(r"[+-]?[0-9]{1,19}").fullmatch
_number = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch


def _read_int(text: str) -> int:
    if not _integer(text.strip()) or not -(1 << 63) <= int(text) < 1 << 63:
        raise ValueError("an integer")
    return int(text)


def _read_float(text: str) -> float:
    if not _number(text.strip()):
        raise ValueError("a number")
    return float(text)


def _read_bool(text: str) -> bool:
    if text not in _BOOLS:
        raise ValueError("true, false, 1 or 0")
    return _BOOLS[text]


_BOOLS = {"true": True, "1": True, "false": False, "0": False}


def _read_shape(text: str) -> Shape:
    try:
        sizes = Shape(map(_read_int, text.split(",")))
    except ValueError:
        sizes = Shape((-2,))
    if min(sizes) < -1:
        raise ValueError('sizes with commas between them, such as "1,299,299,3", -1 for one that is not known')
    return sizes


def _read_dtype(text: str) -> DataType:
    name, ref, _ = text.partition("_ref") if text.endswith("_ref") else (text, "", "")
    row = dtype_named(name)
    number = DataType.__members__.get(f"DT_{name.upper()}{ref.upper()}") or DataType.__members__.get(text)
    if number is None and row is not None:
        number = DataType.__members__.get(f"{row.number.name}{ref.upper()}")
    if number is None:
        raise ValueError("a type such as float, int32 or DT_STRING")
    return number


_READERS: dict[type, Callable[[str], Any]] = {
    int: _read_int,
    float: _read_float,
    bool: _read_bool,
    str: str,
    Shape: _read_shape,
    DataType: _read_dtype,
}


def _spelled(value: Any) -> str:
    """A value as it is written in a list."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Shape):
        return f'"{",".join(map(str, value))}"'
    if isinstance(value, DataType):
        return value.name[3:].lower()
    text = str(value)
    return text if _plain(text) else f'"{text}"'


_plain = re.compile(r"[\w./-]+", re.ASCII).fullmatch
