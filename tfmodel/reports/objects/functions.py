"""The functions of a TF2 model: their Python signatures, and their concrete functions with arguments and results.

A tf.function has one concrete function for each kind of arguments that it was traced with. A bare concrete function is
one that belongs to no tf.function, such as that of a signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...messages import FunctionSpec, SavedBareConcreteFunction, SavedFunction, SavedObjectGraph
from ...values.terminal import escape
from .structured_values import (
    NamedTuple,
    Structure,
    TensorSpec,
    decode_structure,
    format_spec,
    format_structure,
    structure_to_json,
)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a concrete function.

    name           of the parameter of the Python function; empty if it is unknown
    value          a TensorSpec for a tensor, a literal for a value that the function was traced with, or a container
    is_keyword     whether it is passed by name
    """

    name: str
    value: Structure
    is_keyword: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {"name": self.name, "keyword": self.is_keyword, "value": structure_to_json(self.value)}

    def cells(self) -> tuple[str, str]:
        """Return the name and the value as text. The name of a tensor is left out if it is that of the argument."""
        value = self.value
        if isinstance(value, TensorSpec):
            return escape(self.name), format_spec(value, without_name=value.name == self.name)
        return escape(self.name), format_structure(value)


@dataclass(frozen=True, slots=True)
class ConcreteFunction:
    """A function of the graph's library, as Python code calls it.

    name         in the library of the graph
    args         the positional arguments, a tuple
    kwargs       the arguments by name, a dict
    output       the structure that is returned; None for nothing
    captures     the numbers of the objects that it uses: variables, tables, constants
    """

    name: str
    args: Structure
    kwargs: Structure
    output: Structure
    captures: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return {
            "name": self.name,
            "args": structure_to_json(self.args),
            "kwargs": structure_to_json(self.kwargs),
            "output": structure_to_json(self.output),
            "captures": list(self.captures),
        }

    def arguments(self, parameters: Parameters) -> Iterator[Argument]:
        """Yield the arguments, positional ones first, named by the parameters of the Python function."""
        positional = self.args if isinstance(self.args, (tuple, list)) else () if self.args is None else (self.args,)
        for place, value in enumerate(positional):
            yield Argument(parameters.name_at(place), value)
        for name, value in self.kwargs.items() if isinstance(self.kwargs, dict) else ():
            yield Argument(name, value, is_keyword=True)


class ConcreteFunctions(Mapping[str, ConcreteFunction]):
    """The concrete functions of an object graph by name. They are decoded on first use."""

    def __init__(self, objects: SavedObjectGraph) -> None:
        self._messages = objects.concrete_functions
        self._decoded: dict[str, ConcreteFunction] = {}

    def __getitem__(self, name: str) -> ConcreteFunction:
        if name not in self._decoded:
            message = self._messages[name]
            args, kwargs = _args_and_kwargs(decode_structure(message.canonicalized_input_signature))
            output = decode_structure(message.output_signature)
            self._decoded[name] = ConcreteFunction(name, args, kwargs, output, tuple(message.bound_inputs))
        return self._decoded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)


def _args_and_kwargs(signature: Structure) -> tuple[Structure, Structure]:
    """Split the usual pair of a tuple and a dict; a signature of another form counts as positional arguments."""
    match signature:
        case (args, dict() as kwargs):
            return args, kwargs
    return signature, {}


# --- the Python function ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a Python function, as inspect.getfullargspec gives them, without `self`.

    args             names of positional parameters; of a bare concrete function, the names of its tensors
    varargs, varkw   the names after * and **; empty if there are none
    defaults         of the last of `args`
    kwonly           names of keyword-only parameters, with their defaults in `kwonly_defaults`
    """

    args: tuple[str, ...] = ()
    varargs: str = ""
    varkw: str = ""
    defaults: tuple[Structure, ...] = ()
    kwonly: tuple[str, ...] = ()
    kwonly_defaults: Mapping[str, Structure] | None = None

    def name_at(self, place: int) -> str:
        """Return the name of a positional argument: `x`, or `xs[0]` for those after *; empty if it is unknown."""
        if place < len(self.args):
            return self.args[place]
        return f"{self.varargs}[{place - len(self.args)}]" if self.varargs else ""

    def to_text(self) -> str:
        """Return the parameters as Python has them: `(x, training=False, *, k=3)`."""
        first = len(self.args) - len(self.defaults)
        parts = [escape(name) for name in self.args[: max(first, 0)]]
        parts += [
            f"{escape(name)}={format_structure(default)}"
            for name, default in zip(self.args[max(first, 0) :], self.defaults[max(-first, 0) :], strict=True)
        ]
        parts += [f"*{escape(self.varargs)}"] if self.varargs else ["*"] * bool(self.kwonly)
        defaults = self.kwonly_defaults or {}
        for name in self.kwonly:
            default = f"={format_structure(defaults[name])}" if name in defaults else ""
            parts.append(f"{escape(name)}{default}")
        parts += [f"**{escape(self.varkw)}"] * bool(self.varkw)
        return f"({', '.join(parts)})"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        defaults = self.kwonly_defaults or {}
        return {
            "args": list(self.args),
            "varargs": self.varargs,
            "varkw": self.varkw,
            "defaults": [structure_to_json(value) for value in self.defaults],
            "kwonly": list(self.kwonly),
            "kwonly_defaults": {name: structure_to_json(value) for name, value in defaults.items()},
        }


def _parameters(spec: FunctionSpec | None) -> Parameters:
    fullargspec = decode_structure(spec.fullargspec) if spec is not None else None
    if spec is None or not isinstance(fullargspec, NamedTuple):
        return Parameters()
    fields = dict(fullargspec.fields)
    args = _strings(fields.get("args"))
    defaults = fields.get("defaults")
    kwonly_defaults = fields.get("kwonlydefaults")
    return Parameters(
        args[1:] if spec.is_method else args,
        _string(fields.get("varargs")),
        _string(fields.get("varkw")),
        tuple(defaults) if isinstance(defaults, (list, tuple)) else (),
        _strings(fields.get("kwonlyargs")),
        kwonly_defaults if isinstance(kwonly_defaults, dict) else None,
    )


def _strings(value: Structure) -> tuple[str, ...]:
    return tuple(map(_string, value)) if isinstance(value, (list, tuple)) else ()


def _string(value: Structure) -> str:
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class SavedFunctionFacts:
    """A function of an object: a tf.function, or a bare concrete function.

    concrete            the names of its concrete functions; one for a bare concrete function
    parameters          of the Python function
    is_bare             whether it is a bare concrete function
    positional          of a bare concrete function, how many of its tensors may be passed by position
    input_signature     the structure of specs that the tf.function was declared with; None without one
    jit_compile         "on", "off", or empty for TensorFlow's default
    """

    concrete: Sequence[str]
    parameters: Parameters
    is_bare: bool = False
    positional: int = 0
    input_signature: Structure = None
    jit_compile: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON. Concrete functions are listed by name."""
        facts = {
            "concrete_functions": list(self.concrete),
            "parameters": self.parameters.as_dict(),
            "input_signature": structure_to_json(self.input_signature),
            "jit_compile": self.jit_compile,
        }
        return facts | ({"positional": self.positional} if self.is_bare else {})


_JIT_COMPILE = {1: "on", 2: "off"}


def function_facts(function: SavedFunction | SavedBareConcreteFunction) -> SavedFunctionFacts:
    """Return the facts of the function that an object is."""
    spec = function.function_spec
    jit_compile = _JIT_COMPILE.get(int(spec.jit_compile), "") if spec is not None else ""
    input_signature = decode_structure(spec.input_signature) if spec is not None else None
    if isinstance(function, SavedFunction):
        names = tuple(function.concrete_functions)
        return SavedFunctionFacts(names, _parameters(spec), False, 0, input_signature, jit_compile)
    parameters = _parameters(spec) if spec is not None else Parameters(tuple(function.argument_keywords))
    positional = function.allowed_positional_arguments
    return SavedFunctionFacts(
        (function.concrete_function_name,), parameters, True, positional, input_signature, jit_compile
    )
