"""Binding of nodes to kernels: attributes are read and checked once, then the kernel is called many times.

    bound = bind(node)
    outputs = bound([x, y])

Kernels get attributes as Python values, by the type that the op declares:

    int, float, bool         int, float, bool
    string                   bytes
    type                     a DataType
    shape                    a tuple, with None for unknown sizes; None if the rank is unknown
    tensor                   an array
    func                     a NameAttrList
    list(...)                a list of these

An attribute that the node leaves out has the op's default, or else the default of the kernel's parameter. Outputs are
converted to the types that the op declares.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from pbwire.errors import compose

from ...errors import Error, GraphError, RunError, TensorError, with_name
from ...graph import describe
from ...graph.error_text import quote
from ...messages import AttrValue, DataType, NodeDef, OpDef, TensorProto, TensorShapeProto
from ...ops.declared_attributes import value_problem
from ...ops.definitions import OPS, defaults
from ...ops.ports import REFERENCE_OFFSET, input_types, output_types
from ...values.dtypes import DTYPES, Dtype
from ...values.dtypes.conversion import FORMATS
from ...values.tensors import to_ndarray
from .kernel_watch import RunStopped, announce
from .memory_limit import claim_scratch
from .registry import KERNELS, OWN, RUNTIME, Kernel, Runtime

MAX_OUTPUTS = 1 << 16
_MAX_SHOWN_INPUTS = 6
"""The number of inputs that an error message describes."""


class Bound:
    """A node with its kernel. Calling it with the data inputs returns the outputs."""

    __slots__ = ("_call", "_input_count", "_inputs", "_keywords", "_leading", "_types", "kernel", "node")

    def __init__(
        self,
        node: NodeDef,
        kernel: Kernel,
        keywords: Mapping[str, Any],
        types: Sequence[DataType | None] | None,
        inputs: Sequence[DataType | None] | None = None,
    ) -> None:
        self.node = node
        self.kernel = kernel
        self._call: Callable[..., Any] = kernel.function
        self._leading = (node,) if kernel.takes_node else ()
        self._keywords = keywords
        self._types = types
        self._input_count = None if inputs is None else len(inputs)
        known = inputs if inputs is not None and len(inputs) <= MAX_OUTPUTS else ()
        self._inputs = [_expected_input(dtype, kernel) for dtype in known]

    def __call__(self, inputs: Sequence[Any], runtime: Runtime | None = None, *, own: bool = False) -> list[Any]:
        """Compute the outputs. `own` allows the kernel to change its first input, which has no other user.

        Raises GraphError, which names the node, for a wrong number of inputs, and RunError if their types are not those
        of the op, or if the kernel refuses them.
        """
        if self._input_count is not None:
            check_input_count(self.node, self._input_count, len(inputs))
        for number, (value, expected) in enumerate(zip(inputs, self._inputs, strict=False)):
            if getattr(value, "dtype", _NO_ARRAY) != expected and expected is not None:
                self._check_input(number, value, expected)
        keywords = {**self._keywords, RUNTIME: runtime} if self.kernel.takes_runtime else self._keywords
        if own and self.kernel.takes_own:
            keywords = {**keywords, OWN: True}
        announce(self.node, inputs)
        try:
            claim_scratch(self.node.op, inputs, self._types)
            with np.errstate(all="ignore"):
                outputs = self._call(*self._leading, *inputs, **keywords)
                return convert_outputs(outputs if isinstance(outputs, (tuple, list)) else (outputs,), self._types)
        except (RecursionError, RunStopped):
            raise
        except RunError as error:
            if error.subject == describe(self.node):
                raise  # an error of a node in a function that this node calls
            raise RunError(with_name(describe(self.node), error)) from error
        except Exception as error:  # NumPy raises many types of exceptions for tensors that do not fit
            raise RunError(with_name(describe(self.node), _problem_text(self.node, error, inputs))) from error

    def _check_input(self, number: int, value: Any, expected: np.dtype[Any] | str) -> None:
        """Check one input whose type is not exactly the expected one: a value of Python may fit, or be a handle."""
        if value is None or (isinstance(expected, str) and not isinstance(value, np.ndarray)):
            return
        if expected == _VARIANT and value.dtype == object and not (value.size and isinstance(value.flat[0], bytes)):
            return
        actual = getattr(value, "dtype", None)
        if actual is None and isinstance(value, (bool, int, float, complex, bytes, list)):
            return  # of a caller in Python, as NumPy takes it
        name = expected if isinstance(expected, str) else _dtype_name(expected)
        raise RunError(
            with_name(describe(self.node), f"its input {number} must be {name}, and is {_describe_value(value)}")
        )


def bind(node: NodeDef, ops: Mapping[str, OpDef] = OPS, types: Iterable[DataType | None] | None = None) -> Bound:
    """Return a node with its kernel. `ops` declares the ops; `types` are the types of the node's outputs, if known.

    Raises RunError if the op has no kernel, GraphError for an attribute that is missing or does not fit its
    declaration.
    """
    kernel = KERNELS.get(node.op)
    if kernel is None:
        raise RunError(with_name(describe(node), "there is no kernel for this op"))
    op = ops.get(node.op)
    for declared in op.attr if op is not None else ():
        value = node.attr.get(declared.name)
        if value is None or value.type is not None:  # TensorFlow's versions differ in the types that ops take
            continue
        if problem := value_problem(value, declared, in_function=True):
            raise GraphError(with_name(describe(node), f"its attribute {quote(declared.name)} {problem}"))
    if types is None and op is not None:
        types = output_dtypes(node, op)
    keywords = read_attributes(node, kernel.attributes, op)
    inputs = None if op is None else input_types(node, op)
    return Bound(node, kernel, keywords, None if types is None else list(types), inputs)


def output_dtypes(node: NodeDef, op: OpDef) -> list[DataType | None]:
    """Return the types of a node's outputs. Raises RunError if it has more than MAX_OUTPUTS."""
    types = output_types(node, op)
    if len(types) > MAX_OUTPUTS:
        raise RunError(f"{describe(node)} has {len(types):,} outputs, more than {MAX_OUTPUTS:,}")
    return list(types)


def evaluate(
    node: NodeDef, inputs: Sequence[Any], ops: Mapping[str, OpDef] = OPS, runtime: Runtime | None = None
) -> list[Any]:
    """Return the outputs of one node for its inputs. Raises the errors of `bind` and of calling a Bound."""
    return bind(node, ops)(inputs, runtime)


# --- attributes ------------------------------------------------------------------------------------------------------


def read_attributes(node: NodeDef, parameters: Mapping[str, Any], op: OpDef | None) -> dict[str, Any]:
    """Return the attributes of a node for a kernel, by name.

    `parameters` has the defaults of the kernel's parameters, or Parameter.empty. Raises GraphError for an
    attribute that is missing or of the wrong type.
    """
    if not parameters:
        return {}
    declared = {attribute.name: attribute.type for attribute in op.attr} if op is not None else {}
    op_defaults = defaults(op) if op is not None else {}
    values = {}
    for name, default in parameters.items():
        value = node.attr.get(name) or op_defaults.get(name)
        if value is not None:
            values[name] = _convert_attribute(node, name, value, declared.get(name, ""))
        elif default is not inspect.Parameter.empty:
            values[name] = default
        else:
            raise GraphError(f'{describe(node)} has no attribute "{name}"')
    return values


def _convert_attribute(node: NodeDef, name: str, value: AttrValue, declared: str) -> Any:
    field = value.which_oneof("value")
    kind = _FIELDS.get(declared.removeprefix("list(").removesuffix(")"), "")
    if declared.startswith("list("):
        items = getattr(value.list, kind) if field == "list" else []
        if field != "list" or (not items and value.list is not None and value.list.ListFields()):
            raise GraphError(with_name(describe(node), f"its attribute {name} is not a {declared}"))
        return [_CONVERTERS.get(kind, _identity)(item) for item in items]
    if field == "list":
        if declared:
            raise GraphError(with_name(describe(node), f"its attribute {name} is a list"))
        lists = value.list.ListFields() if value.list is not None else []
        return [_CONVERTERS.get(descriptor.name, _identity)(item) for descriptor, items in lists for item in items]
    if field is None or field == "placeholder" or (kind and field != kind):
        raise GraphError(with_name(describe(node), f"its attribute {name} is not {declared or 'set'}"))
    return _CONVERTERS.get(field, _identity)(getattr(value, field))


def shape_tuple(shape: TensorShapeProto) -> tuple[int | None, ...] | None:
    """Return a shape as kernels get it: see the module docstring."""
    if shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in shape.dim)


def _identity(value: Any) -> Any:
    return value


def _array(tensor: TensorProto) -> Any:
    try:
        return to_ndarray(tensor)
    except TensorError as error:
        raise RunError(str(error)) from error


_FIELDS = {  # of AttrValue
    "int": "i",
    "float": "f",
    "bool": "b",
    "string": "s",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}
_CONVERTERS: dict[str, Callable[[Any], Any]] = {"shape": shape_tuple, "tensor": _array}


# --- outputs ---------------------------------------------------------------------------------------------------------


_Array = npt.NDArray[Any]
_HANDLES = frozenset({DataType.DT_RESOURCE, DataType.DT_VARIANT})


def convert_outputs(outputs: Sequence[Any], types: Sequence[DataType | None] | None) -> list[Any]:
    """Convert outputs of a kernel to the declared types; handles and variants stay. `types` is None if unknown.

    Raises RunError if the numbers of outputs and types differ, or for complex numbers of a real type.
    """
    if types is None:
        return list(outputs)
    if len(outputs) != len(types):
        raise RunError(f"the kernel returned {len(outputs)} tensors, but the op has {len(types)} outputs")
    return [_convert_output(value, dtype) for value, dtype in zip(outputs, types, strict=True)]


def _convert_output(value: Any, dtype: DataType | None) -> Any:
    row = DTYPES.get(dtype) if dtype is not None else None
    if row is None or dtype in _HANDLES:
        return value  # a reference to a variable, a handle, or a value of an unknown type
    if type(value) is not np.ndarray:
        value = np.asarray(value, object if row.is_object else None)
    if value.dtype != row.numpy:
        if value.dtype.kind == "c" != row.kind:
            raise RunError(f"its result is complex, but its attributes say {row.name}")
        value = value.astype(row.numpy)
    return round_floats(value, row) if row.codec == "float" else value


def round_floats(values: _Array, row: Dtype) -> _Array:
    """Round floats to a narrower type, to nearest even; values too large for bfloat16 become infinite."""
    if row.name == "bfloat16":
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        increment = ((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF)
        with np.errstate(over="ignore"):
            rounded = (bits + increment) & np.uint32(0xFFFF0000)
        rounded = np.where(np.isnan(values), np.uint32(0x7FC00000), rounded)
        return np.asarray(rounded.view(np.float32)).reshape(values.shape)
    codes, is_lost = FORMATS[row.name].encode(np.asarray(values))
    return np.where(is_lost, np.float32("nan"), FORMATS[row.name].decode(codes))


# --- inputs ----------------------------------------------------------------------------------------------------------


_HANDLE, _VARIANT = "a handle", "a variant"
_NO_ARRAY = object()


def check_input_count(node: NodeDef, expected: int, actual: int) -> None:
    """Raise GraphError if a node does not have as many inputs as its op takes."""
    if actual != expected:
        raise GraphError(f"{describe(node)} takes {expected:,} input{'s' * (expected != 1)}, and has {actual:,}")


def _expected_input(dtype: DataType | None, kernel: Kernel) -> np.dtype[Any] | str | None:
    """Return the NumPy type that an input must have, `_HANDLE` for a handle; None if any value is accepted."""
    if dtype is None:
        return None
    if dtype == DataType.DT_VARIANT:
        return _VARIANT
    if dtype > REFERENCE_OFFSET:
        if kernel.references or dtype == DataType.DT_STRING_REF:  # a reference to a string is the handle of a table
            return _HANDLE
        dtype = cast(DataType, dtype - REFERENCE_OFFSET)  # enums are open
    if dtype == DataType.DT_RESOURCE:
        return _HANDLE
    row = DTYPES.get(dtype)
    return None if row is None else row.numpy


# --- errors ----------------------------------------------------------------------------------------------------------


def _problem_text(node: NodeDef, error: Exception, inputs: Sequence[Any]) -> str:
    """Return what is wrong, in the words of this project: those of Python and NumPy do not help the user."""
    described = _describe_inputs(inputs)
    if isinstance(error, Error):
        return compose(error, f"; it got {described}") if inputs else str(error)
    if isinstance(error, MemoryError):
        return f"there is not enough memory to compute it from {described}"
    if isinstance(error, (ArithmeticError, IndexError, ValueError)):  # NumPy, for shapes that do not fit
        return f"its inputs and attributes do not fit; it got {described}"
    problem = _type_problem(node)
    if problem:
        return problem
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"a bug in tfmodel ({type(error).__name__} in {where}): please report it; it got {described}"


def _type_problem(node: NodeDef) -> str:
    """Describe a type that the node does not set, or that its op does not have; "" if there is none."""
    for declared in OPS[node.op].attr if node.op in OPS else ():
        value = node.attr.get(declared.name, declared.default_value)
        if value is None or value.placeholder is not None:
            return f"its attribute {quote(declared.name)} is not set"
        if value.type is not None and value.type not in DTYPES:
            return f"its attribute {quote(declared.name)} is a type of the unknown number {int(value.type)}"
        if problem := value_problem(value, declared):
            return f"its attribute {quote(declared.name)} {problem}"
    return ""


def _dtype_name(dtype: np.dtype[Any]) -> str:
    return "string" if dtype.kind == "O" else dtype.name


def _describe_inputs(inputs: Sequence[Any]) -> str:
    descriptions = [_describe_value(value) for value in inputs[:_MAX_SHOWN_INPUTS]]
    omitted = [f"{len(inputs) - _MAX_SHOWN_INPUTS} more"] if len(inputs) > _MAX_SHOWN_INPUTS else []
    return ", ".join(descriptions + omitted) or "no inputs"


def _describe_value(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{_dtype_name(value.dtype)}[{','.join(map(str, value.shape))}]"
    return "nothing" if value is None else "a handle"
