"""Choose the attributes of a new node from its inputs, as TensorFlow's Python functions do, and check its inputs.

    complete_attributes(node, op, types, given)

An op declares its inputs with attributes: MatMul has two inputs of type T, Pack has N inputs of type T, IdentityN one
input for each type of the list T. So the types of the inputs decide T, and their number decides N. The other attributes
are given, or have a default, which is written out as TensorFlow does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import GraphError
from ..graph.error_text import describe, guess, list_names, quote
from ..messages import AttrValue, DataType, NodeDef, OpDef
from ..ops.ports import value_type
from ..values.dtypes import dtype_name
from .attribute_values import attribute_value, free_attribute_value


def convert_attributes(
    node: NodeDef, op: OpDef, given: Mapping[str, Any], *, in_function: bool = False
) -> dict[str, AttrValue]:
    """Return the AttrValues of Python values. Raises GraphError for an attribute that the op does not declare."""
    values = {}
    for name, value in given.items():
        declared = declared_attribute(node, op, name)
        if declared is None:
            values[name] = free_attribute_value(value, name, describe(node))
        else:
            values[name] = attribute_value(value, declared, describe(node), in_function=in_function)
    return values


def declared_attribute(node: NodeDef, op: OpDef, name: str) -> OpDef.AttrDef | None:
    """Return the declaration of an attribute; None if its name begins with an underscore. Raises GraphError."""
    declared = next((row for row in op.attr if row.name == name), None)
    if declared is None and not name.startswith("_"):
        known = [row.name for row in op.attr]
        has = list_names(known, 12) if known else "no attributes"
        raise GraphError(f"{describe(node)} has no attribute {quote(name)}{guess(name, known)}; the op has {has}")
    return declared


def complete_attributes(
    node: NodeDef,
    op: OpDef,
    types: Sequence[DataType | None],
    given: Mapping[str, Any],
    *,
    in_function: bool = False,
) -> dict[str, AttrValue]:
    """Return all attributes of a node: the given ones, those that follow from its inputs, and defaults.

    `types` are the types of the data inputs, None where unknown. Raises GraphError for inputs that the op does not
    take, for an attribute that is invalid or unknown, and for one that is neither given nor known.
    """
    values = convert_attributes(node, op, given, in_function=in_function)
    _Inference(node, op, types, values).run()
    for row in op.attr:
        if row.name in values:
            continue
        if row.default_value is None:
            raise GraphError(f"{describe(node)} needs the attribute {quote(row.name)}, {row.type}: {_advice(row)}")
        values[row.name] = row.default_value
    return values


def _advice(row: OpDef.AttrDef) -> str:
    allowed = row.allowed_values.list if row.allowed_values is not None else None
    if allowed is None or not (allowed.s or allowed.type):
        return "give it"
    names = [value.decode("utf-8", "replace") for value in allowed.s] or [dtype_name(dtype) for dtype in allowed.type]
    return f"give one of {', '.join(names[:12])}"


class _Inference:
    """Matches the inputs of a node with the arguments of its op, and sets the attributes that follow."""

    def __init__(
        self, node: NodeDef, op: OpDef, types: Sequence[DataType | None], values: dict[str, AttrValue]
    ) -> None:
        self.node = node
        self.op = op
        self.types = list(types)
        self.values = values

    def run(self) -> None:
        position = 0
        for place, argument in enumerate(self.op.input_arg):
            count = self._count(argument, len(self.types) - position, self.op.input_arg[place + 1 :])
            types = self.types[position : position + count]
            if len(types) < count:
                raise GraphError(f"{describe(self.node)} {self._counts()}")
            self._set_types(argument, types, position)
            position += count
        if position != len(self.types):
            raise GraphError(f"{describe(self.node)} {self._counts()}")

    def _counts(self) -> str:
        names = ", ".join(argument.name for argument in self.op.input_arg)
        count = len(self.types)
        return f"has {count} input{'' if count == 1 else 's'}, and the op takes {names or 'none'}"

    def _count(self, argument: OpDef.ArgDef, left: int, rest: Sequence[OpDef.ArgDef]) -> int:
        """Return the number of inputs of an argument, and set the attribute for it."""
        name = argument.number_attr or argument.type_list_attr
        if not name:
            return 1
        value = self.values.get(name)
        if value is not None:
            return len(value.list.type) if value.list is not None else value.i or 0
        if any(other.number_attr or other.type_list_attr for other in rest):
            if not all(other.number_attr == name for other in rest if other.number_attr or other.type_list_attr):
                raise GraphError(f"{describe(self.node)} needs the attribute {quote(name)}: it has lists of inputs")
            lists = 1 + sum(other.number_attr == name for other in rest)
            count = (left - sum(not other.number_attr for other in rest)) // lists
        else:
            count = left - len(rest)
        if argument.number_attr:
            row = declared_attribute(self.node, self.op, name)
            assert row is not None
            self.values[name] = attribute_value(max(count, 0), row, describe(self.node))
        return max(count, 0)

    def _set_types(self, argument: OpDef.ArgDef, types: Sequence[DataType | None], position: int) -> None:
        plain = [None if dtype is None else value_type(dtype) for dtype in types]
        if argument.type_list_attr:
            if argument.type_list_attr not in self.values:
                if None in plain:
                    problem = f"the type of input {position + plain.index(None)} is not known"
                    name = quote(argument.type_list_attr)
                    raise GraphError(f"{describe(self.node)}: {problem}: give the attribute {name}")
                self._set(argument.type_list_attr, plain)
            expected: Sequence[DataType | None] = self._listed(argument.type_list_attr)
        elif argument.type_attr:
            known = [dtype for dtype in plain if dtype is not None]
            if argument.type_attr not in self.values and known:
                self._set(argument.type_attr, known[0])
            value = self.values.get(argument.type_attr)
            expected = [value.type if value is not None else None] * len(plain)
        else:
            expected = [argument.type] * len(plain)
        for offset, (actual, wanted) in enumerate(zip(plain, expected, strict=False)):
            if actual is not None and wanted is not None and actual != wanted:
                source = self.node.input[position + offset] if position + offset < len(self.node.input) else ""
                raise GraphError(
                    f"{describe(self.node)}: its input {quote(source)} is {dtype_name(actual)}, "
                    f"and {argument.name} must be {dtype_name(wanted)}"
                )

    def _listed(self, name: str) -> Sequence[DataType | None]:
        value = self.values[name].list
        return value.type if value is not None else []

    def _set(self, name: str, value: Any) -> None:
        row = declared_attribute(self.node, self.op, name)
        assert row is not None
        self.values[name] = attribute_value(value, row, describe(self.node))
