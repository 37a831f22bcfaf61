"""Read the parameters of a transform from the signature of its function, and parse lists of transforms.

    def remove_nodes(graph: GraphDef, *, op: tuple[str, ...], max_inputs: int = 1) -> GraphDef: ...

A transform with this signature is written `remove_nodes(op=Identity, op=CheckNumerics)` in a list, and called as
`remove_nodes(graph, op=("Identity", "CheckNumerics"))` in Python. The text of an argument in a list is converted to the
annotated type:

    int, float, bool, str    one value; a bool is true, false, 1 or 0
    Shape                    sizes with commas, "1,299,299,3"; -1 for an unknown size
    DataType                 float, int32, DT_FLOAT, float32
    X | None                 an X; for parameters whose default is None
    tuple[X, ...]            any number of X, each as an argument of that name

The grammar of transform lists is that of the C++ Graph Transform Tool:

    strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics)

A list has one transform after the other, separated by blanks. An argument is `name=value` without blanks around the
`=`. Arguments are separated by blanks, a comma, or a comma and blanks; there must be no blanks before a comma or the
closing parenthesis. Where the end of an argument is clear, as after a quote, the separator may be missing. A value
consists of letters, digits and - . / _, or is in double quotes. In quotes, a backslash before a quote keeps it from
ending the value; the value contains the backslash too. An argument may be repeated.

Two quirks of the tool are accepted too: a comma before the first argument, and a quote after a value. A third quirk is
not: if a list ends within parentheses, the tool drops the last transform; here this is an error.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from pbwire.errors import suggestion

from ...errors import TransformError
from ...messages import DataType
from ...values.dtypes import dtype_named
from ...values.terminal import escape


class Shape(tuple[int, ...]):
    """The sizes of a tensor; -1 for an unknown size."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a transform: its name, the type of a value, whether it may be repeated, and its default."""

    name: str
    type: type
    repeated: bool = False
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def kind(self) -> str:
        """The type as help shows it: `INT`, or `STR ...` for a repeatable argument."""
        return f"{self.type.__name__.upper()}{' ...' * self.repeated}"

    @property
    def default_text(self) -> str:
        """The default as it would be written in a list: `max_inputs=1`. Empty if there is none, or it is None or ()."""
        if self.required or self.default in (None, ()):
            return ""
        values = self.default if self.repeated else (self.default,)
        return ", ".join(f"{self.name}={_spell(value)}" for value in values)

    def __str__(self) -> str:
        """Return the parameter as help shows it: `old_op_name=STR` if it is required, `max_inputs=1` if it has a
        default that can be written, and `[op=STR ...]` otherwise.
        """
        spelling = f"{self.name}={self.kind}"
        return spelling if self.required else self.default_text or f"[{spelling}]"


def read_parameters(function: Callable[..., Any], supplied: Iterable[str]) -> dict[str, Parameter]:
    """Return the parameters of a transform by name.

    The graph, which is the first parameter, is left out. So are the parameters named in `supplied`: the framework
    passes them. Raises TypeError for a parameter that cannot be given in a list of transforms.
    """
    supplied = sorted(supplied)
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"{function.__name__}: the first parameter must be the graph, before the * in the signature")
    return {
        parameter.name: _read_parameter(function, parameter, supplied)
        for parameter in parameters[1:]
        if parameter.name not in supplied
    }


def _read_parameter(function: Callable[..., Any], parameter: inspect.Parameter, supplied: Sequence[str]) -> Parameter:
    where = f"{function.__name__}: the parameter {parameter.name}"
    if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"{where} must be keyword-only, after the * in the signature")
    value_type = parameter.annotation
    if isinstance(value_type, str):  # under `from __future__ import annotations`, annotations are text
        try:
            value_type = eval(value_type, getattr(inspect.unwrap(function), "__globals__", {}))
        except Exception as error:  # an annotation may be any expression
            raise TypeError(f"{where} has an annotation that cannot be evaluated: {value_type}") from error
    repeated = typing.get_origin(value_type) is tuple
    if repeated:
        value_type, *others = typing.get_args(value_type)
        if others != [...]:
            raise TypeError(f"{where} must be tuple[X, ...] to take several values")
    elif typing.get_origin(value_type) in (types.UnionType, typing.Union):
        options = [option for option in typing.get_args(value_type) if option is not type(None)]
        value_type = options[0] if len(options) == 1 else None
    if value_type not in _READERS:
        allowed = ", ".join(reader.__name__ for reader in _READERS)
        names = f"; parameters supplied by the framework ({', '.join(supplied)}) need no type" if supplied else ""
        raise TypeError(f"{where} must be X, X | None or tuple[X, ...], where X is one of {allowed}{names}")
    default = () if repeated and parameter.default is inspect.Parameter.empty else parameter.default
    return Parameter(parameter.name, value_type, repeated, default)


def parse_values(transform: str, parameters: Mapping[str, Parameter], arguments: Iterable[Argument]) -> dict[str, Any]:
    """Return the keyword arguments of one step of a list, converted to the types of its parameters.

    `transform` is the name of the step, for errors. Raises TransformError for a wrong or missing argument.
    """
    arguments_by_name: dict[str, list[Any]] = {}
    for name, text in arguments:
        parameter = parameters.get(name)
        if parameter is None:
            known = ", ".join(map(str, parameters.values())) or "none"
            hint = suggestion(name, parameters) or f"; its arguments: {known}"
            raise TransformError(f'{transform}: there is no argument "{escape(name)}"{hint}')
        values = arguments_by_name.setdefault(name, [])
        if values and not parameter.repeated:
            raise TransformError(f'{transform}: the argument "{name}" is given more than once')
        try:
            values.append(_READERS[parameter.type](text))
        except ValueError as error:
            problem = f'{error}, not "{escape(text)}"'
            raise TransformError(f'{transform}: the argument "{name}" takes {problem}') from None
    for parameter in parameters.values():
        if parameter.required and parameter.name not in arguments_by_name:
            raise TransformError(f'{transform}: the argument "{parameter.name}" is missing: give {parameter}')
    # A tuple parameter may have no default in the signature.
    empty = {name: () for name, parameter in parameters.items() if parameter.default == ()}
    return empty | {
        name: tuple(values) if parameters[name].repeated else values[0] for name, values in arguments_by_name.items()
    }


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
        raise ValueError('sizes separated by commas, such as "1,299,299,3", with -1 for an unknown one')
    return sizes


def _read_dtype(text: str) -> DataType:
    name, ref, _ = text.partition("_ref") if text.endswith("_ref") else (text, "", "")
    row = dtype_named(name)
    dtype = DataType.__members__.get(f"DT_{name.upper()}{ref.upper()}") or DataType.__members__.get(text)
    if dtype is None and row is not None:
        dtype = DataType.__members__.get(f"{row.number.name}{ref.upper()}")
    if dtype is None:
        raise ValueError("a type such as float, int32 or DT_STRING")
    return dtype


_READERS: dict[type, Callable[[str], Any]] = {
    int: _read_int,
    float: _read_float,
    bool: _read_bool,
    str: str,
    Shape: _read_shape,
    DataType: _read_dtype,
}


def _spell(value: Any) -> str:
    """Return a value as it is written in a list, which cannot contain a double quote."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Shape):
        return f'"{",".join(map(str, value))}"'
    if isinstance(value, DataType):
        return value.name[3:].lower()
    text = str(value)
    return text if _is_plain(text) else f'"{text}"'


_is_plain = re.compile(r"[\w./-]+", re.ASCII).fullmatch


# White space. A backslash at the end of a line is part of it, as the shell reads it outside of quotes.
_BLANKS = r"(?:[ \t\n\v\f\r]|\\(?=[ \t\r]*+(?:\n|\Z))|(?!))*+"
_skip_blanks = re.compile(_BLANKS).match
_match_name = re.compile(r"\w++", re.ASCII).match
_skip_comma = re.compile(f",?+{_BLANKS}").match
_match_value = re.compile(r'(?:"((?:[^"\\]++|\\.|(?!))*+)"|([\w./-]++))"?+\'?+', re.ASCII | re.DOTALL).match

MAX_QUOTED = 40  # characters of the list that an error quotes


class Argument(NamedTuple):
    """`name=value` as written in the list."""

    name: str
    value: str


class Step(NamedTuple):
    """One transform of a list, with its arguments."""

    name: str
    arguments: tuple[Argument, ...] = ()


def parse(text: str) -> list[Step]:
    """Parse a list of transforms. Raises TransformError with the text that was expected, and the text found instead."""
    steps: list[Step] = []
    pos = _end(_skip_blanks(text))
    while pos < len(text):
        name = _match_name(text, pos)
        if name is None:
            _fail("the name of a transform", text, pos)
        pos = name.end()
        arguments: tuple[Argument, ...] = ()
        if text[pos : pos + 1] == "(":
            arguments, pos = _parse_arguments(text, pos + 1, name[0])
        steps.append(Step(name[0], arguments))
        pos = _end(_skip_blanks(text, pos))
    return steps


def _parse_arguments(text: str, pos: int, transform: str) -> tuple[tuple[Argument, ...], int]:
    """Parse the arguments that start at `pos`; return them and the position after the closing parenthesis."""
    arguments: list[Argument] = []
    while text[pos : pos + 1] != ")":
        if pos == len(text):
            _fail(f'")" after the arguments of {transform}', text, pos)
        pos = _end(_skip_comma(text, pos))
        name = _match_name(text, pos)
        if name is None:
            _fail(f"the name of an argument of {transform}", text, pos)
        pos = name.end()
        if text[pos : pos + 1] != "=":
            _fail(f'"=" after {transform}\'s argument {name[0]}', text, pos)
        value = _match_value(text, pos + 1)
        if value is None:
            unclosed = text[pos + 1 : pos + 2] == '"'
            expected = (
                "a closing quote for the value" if unclosed else "a value, in double quotes if it is not a plain word,"
            )
            _fail(f"{expected} of {transform}'s argument {name[0]}", text, pos + 1)
        quoted, plain = value.groups()
        arguments.append(Argument(name[0], plain if quoted is None else quoted))
        pos = value.end()
    return tuple(arguments), pos + 1


def _fail(expected: str, text: str, pos: int) -> NoReturn:
    quoted_text = escape(text[pos : pos + MAX_QUOTED]) + "..." * (len(text) > pos + MAX_QUOTED)
    got = f'"{quoted_text}" at character {pos + 1:,}' if quoted_text else "the end"
    raise TransformError(f"in the list of transforms: expected {expected}, found {got}")


def _end(match: re.Match[str] | None) -> int:
    assert match is not None  # the pattern also matches the empty string
    return match.end()
