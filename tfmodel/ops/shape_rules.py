"""Shape rules: the table from op to rule, and `Call`, the node that a rule gets.

    def _matmul(call: Call) -> Result:
        a, b = ranked(call.shape(0), 2), ranked(call.shape(1), 2)
        ...
        return a[0], b[1]

A rule returns the shape of the first output (None if unknown), a `Tensor` if it knows more than the shape, or a list of
either, one for each output. It raises GraphError for inputs that the op refuses.

Shape rules and arithmetic on dimensions that several groups of ops use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, TypeVar, overload

from ..errors import GraphError
from ..graph import attr
from ..messages import NodeDef, TensorShapeProto
from ..shape import SCALAR, Dim, Shape, broadcast, merged, of_proto, ranked, text
from .groups import import_shape_rules
from .partial_tensors import MOST_ELEMENTS, Repeated, Tensor, Value

__all__ = [
    "MOST_ELEMENTS",
    "Call",
    "Result",
    "Rule",
    "RunFunction",
    "alike",
    "broadcast_inputs",
    "divided",
    "elementwise_ops",
    "less",
    "merged_inputs",
    "pairs_of",
    "same_shape",
    "scalar",
    "shape_rules",
    "unchanged",
    "window",
]


Result: TypeAlias = "Shape | Tensor | Repeated | list[Shape | Tensor | None] | None"
Rule: TypeAlias = "Callable[[Call], Result]"
RunFunction: TypeAlias = "Callable[[str, list[Tensor]], Sequence[Tensor]]"
"""Return the outputs of a function, by name, for these arguments."""

K = TypeVar("K")
D = TypeVar("D")
_REQUIRED: Any = object()


class Call:
    """A node and its inputs, control inputs left out.

    `producer` is the version of the graph; `run` infers a function.
    """

    __slots__ = ("inputs", "node", "producer", "run")

    def __init__(self, node: NodeDef, inputs: list[Tensor], producer: int, run: RunFunction) -> None:
        self.node = node
        self.inputs = inputs
        self.producer = producer
        self.run = run

    # --- inputs ------------------------------------------------------------------------------------------------------

    def tensor(self, place: int) -> Tensor:
        try:
            return self.inputs[place]
        except IndexError:
            raise GraphError(f"it has {len(self.inputs)} inputs, and no input {place}") from None

    def shape(self, place: int) -> Shape | None:
        return self.tensor(place).shape

    @property
    def shapes(self) -> list[Shape | None]:
        return [tensor.shape for tensor in self.inputs]

    def value(self, place: int) -> Value | None:
        """Return the known elements of an input; None if not even their number is followed."""
        return self.tensor(place).value

    def integers(self, place: int) -> tuple[int | None, ...] | None:
        """The elements of an input as `value` has them, which have to be integers."""
        value = self.value(place)
        return None if value is None else tuple(None if each is None else _whole(each) for each in value)

    def numbers(self, place: int) -> tuple[int, ...] | None:
        """Return the elements of an input if all are known. Raises GraphError if one is not an integer."""
        value = self.value(place)
        return None if value is None or None in value else tuple(_whole(each) for each in value)

    def number(self, place: int) -> int | None:
        """Return the one element of an input, if it is known."""
        value = self.value(place)
        return None if value is None or len(value) != 1 or value[0] is None else _whole(value[0])

    def sizes(self, place: int) -> Shape | None:
        """The shape that the elements of an input spell, where -1 is a size that is not known.

        If only the number of elements is known, that is the number of dimensions.
        """
        value, shape = self.value(place), self.shape(place)
        if shape == ():
            if value is not None and value != (-1,):
                raise GraphError(f"a shape is a vector, not {value[0]}")
            return None  # as TensorFlow spells an unknown rank
        if value is None:
            rank = shape[0] if shape is not None and len(shape) == 1 else None
            return None if rank is None or rank > MOST_ELEMENTS else (None,) * rank
        return tuple(None if size is None or size == -1 else _whole(size) for size in value)

    # --- attributes --------------------------------------------------------------------------------------------------

    @overload
    def attr(self, name: str, kind: type[K]) -> K: ...
    @overload
    def attr(self, name: str, kind: type[K], default: D) -> K | D: ...
    def attr(self, name: str, kind: Any, default: Any = _REQUIRED) -> Any:
        """As `tfmodel.graph.attr`."""
        if default is _REQUIRED:
            return attr(self.node, name, kind)
        return attr(self.node, name, kind, default)

    def shape_attr(self, name: str) -> Shape | None:
        """Return an attribute that is a shape; an unknown shape if it is missing."""
        return of_proto(self.attr(name, TensorShapeProto, None))

    def count(self, name: str, default: int = 1) -> int:
        """An attribute that is a number of outputs."""
        found: int = self.attr(name, int, default)
        if not 0 <= found < 1 << 31:
            raise GraphError(f"it cannot have {found:,} outputs")
        return found


def alike(ops: str, rule: Rule) -> dict[str, Rule]:
    """Return a table with one rule for several ops."""
    return dict.fromkeys(ops.split(), rule)


def _whole(element: object) -> int:
    if not isinstance(element, int):
        raise GraphError(f"{element} is no integer")
    return element


# --- the table -------------------------------------------------------------------------------------------------------


@cache
def shape_rules() -> Mapping[str, Rule]:
    """Return the shape rules of all groups by op: the tables `RULES` of their modules."""
    return {op: rule for module in import_shape_rules() for op, rule in module.RULES.items()}


@cache
def elementwise_ops() -> frozenset[str]:
    """Return the ops whose outputs are no larger than what their inputs broadcast to: the tables `ELEMENTWISE`."""
    return frozenset(op for module in import_shape_rules() for op in getattr(module, "ELEMENTWISE", ()))


def same_shape(call: Call) -> Result:
    """Return the shape of the first input."""
    return call.shape(0)


def unchanged(call: Call) -> Result:
    """Return the first input itself."""
    return call.tensor(0)


def merged_inputs(call: Call) -> Result:
    """Return the shape that all inputs share."""
    shape = call.shape(0)
    for other in call.shapes[1:]:
        shape = merged(shape, other)
    return shape


def broadcast_inputs(call: Call) -> Result:
    return broadcast(call.shape(0), call.shape(1))


def scalar(call: Call) -> Result:
    return SCALAR


def divided(size: Dim, by: Dim) -> Dim:
    """A size in so many parts."""
    if size is None or by is None:
        return None
    if by < 1 or size % by:
        raise GraphError(f"{size:,} cannot be divided by {by:,}")
    return size // by


def pairs_of(call: Call, place: int) -> list[Shape] | None:
    """The rows of a small matrix of two columns, such as what is put before and behind each dimension."""
    shape, value = ranked(call.shape(place), 2), call.integers(place)
    if shape[1] not in (None, 2):
        raise GraphError(f"the input {place} is {text(shape)}, no pairs")
    if value is None:
        return None
    return [value[start : start + 2] for start in range(0, len(value), 2)]


def less(size: Dim, off: Dim) -> Dim:
    return None if size is None or off is None else size - off


def window(size: Dim, kernel: Dim, stride: int, padding: str, dilation: int = 1, around: int = 0) -> Dim:
    """Return the size of an output dimension."""
    if stride < 1 or dilation < 1:
        raise GraphError(f"a stride of {stride} and a dilation of {dilation} cannot be")
    if size is None:
        return None
    if padding == "SAME":
        return -(-size // stride)
    if padding not in ("VALID", "EXPLICIT"):
        raise GraphError(f'there is no padding "{padding}"')
    if kernel is None:
        return None
    span = (kernel - 1) * dilation + 1
    if size + around < span:
        raise GraphError(f"a window of {span} does not fit into {size + around}")
    return (size + around - span) // stride + 1
