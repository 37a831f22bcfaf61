"""How many tensors a node gives, and what its op calls them: as far as its op is known.

What ops are declared as comes from outside: from a mapping such as `tfmodel.ops.OPS`. Functions of the library are ops
too, which their signatures declare.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..messages import NodeDef, OpDef
from .functions import Functions

__all__ = ["Outputs"]


class Outputs:
    """The outputs of nodes. `registry` declares ops by name; what neither it nor the library has is not known."""

    def __init__(self, functions: Functions, registry: Mapping[str, OpDef] | None = None) -> None:
        self._functions = functions
        self._registry = registry if registry is not None else {}
        self._fixed: dict[str, list[tuple[str, int]] | None] = {}
        self._with_first: dict[str, bool] = {}

    def declared(self, op: str) -> OpDef | None:
        function = self._functions.get(op)
        return function.signature if function is not None else self._registry.get(op)

    def has_first(self, op: str) -> bool:
        """Whether all nodes of an op have an output 0, or may have one since the op is not known."""
        found = self._with_first.get(op)
        if found is None:
            declared = self.declared(op)
            found = declared is None or any(
                not (output.number_attr or output.type_list_attr) for output in declared.output_arg
            )
            self._with_first[op] = found
        return found

    def of(self, node: NodeDef) -> list[tuple[str, int]] | None:
        """The outputs of a node: what its op calls each, and how many tensors that is. None if that is not known."""
        if node.op in self._fixed:
            return self._fixed[node.op]
        op = self.declared(node.op)
        if op is None or not any(output.number_attr or output.type_list_attr for output in op.output_arg):
            fixed = None if op is None else [(output.name, 1) for output in op.output_arg]
            self._fixed[node.op] = fixed
            return fixed
        outputs = []
        for output in op.output_arg:
            counted = output.number_attr or output.type_list_attr
            count = _count(node, op, counted) if counted else 1
            if count is None:
                return None
            outputs.append((output.name, count))
        return outputs


def _count(node: NodeDef, op: OpDef, name: str) -> int | None:
    """How many tensors an attribute says that there are; None if it does not, or not yet."""
    value = node.attr.get(name)
    if value is None:
        value = next((attr.default_value for attr in op.attr if attr.name == name), None)
    if value is None:
        return None
    return value.i if value.list is None else len(value.list.type)
