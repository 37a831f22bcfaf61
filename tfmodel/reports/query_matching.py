"""Evaluate a query of `find` on the nodes of a graph, or of a function body.

Sets of nodes are sets of positions. A query narrows the nodes that are still candidates, so tests from left to right
look at fewer and fewer nodes. The time is linear in the graph for each part of the query.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property, reduce
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from pbwire import table_of

from .. import messages
from ..errors import GraphError
from ..graph import GraphIndex
from ..ops import output_types
from ..values.dtypes import dtype_name, dtype_named
from ..values.formatting import tensor_text
from ..values.names import control_inputs, data_inputs, is_control_input, node_name
from ..values.shape import Shape, count_elements, generalize_shapes, shape_of_proto, shape_to_text
from .query import (
    ATTRIBUTE,
    NUMBERS,
    Both,
    Chain,
    Comparison,
    Either,
    Near,
    Not,
    Path,
    Query,
    Text,
    parse_number,
    parse_shape,
)

if TYPE_CHECKING:
    from ..analysis.shapes import Shapes
    from ..messages import AttrValue, OpDef
    from ..ops import Registry

MAX_OUTPUTS = 1_000
"""The maximum number of outputs of a node that are compared and shown."""

_DTYPE_ALIASES = {"float": "float32", "double": "float64", "half": "float16"}


class Body:
    """The nodes of a graph, or of a function, with the facts that queries ask for.

    function    the name of the function; "" for the graph
    shapes      returns the inferred shapes: those of each call of a function
    """

    def __init__(
        self, index: GraphIndex, ops: Registry, function: str, shapes: Callable[[str], Sequence[Shapes]]
    ) -> None:
        self.index = index
        self.ops = ops
        self.function = function
        self._shapes = shapes

    @cached_property
    def everything(self) -> set[int]:
        return set(range(len(self.index)))

    @cached_property
    def shapes(self) -> Sequence[Shapes]:
        return self._shapes(self.function)

    def find(self, query: Query) -> list[int]:
        """Return the positions of the matching nodes, in the order of the graph."""
        return sorted(self._select(query, self.everything))

    def chains(self, chain: Chain, limit: int) -> list[tuple[int, ...]]:
        """Return the first matches of a pattern: the positions of the nodes, one for each step."""
        return list(islice(self._walk(self._chain_steps(chain)), limit))

    # --- queries -----------------------------------------------------------------------------------------------------

    def _select(self, query: Query, candidates: set[int]) -> set[int]:
        """Return the candidates that match a query."""
        match query:
            case Comparison():
                return self._compare(query, candidates)
            case Not():
                return candidates - self._select(query.query, candidates)
            case Both():
                for part in query.queries:
                    candidates = self._select(part, candidates)
                return candidates
            case Either():
                return set().union(*(self._select(part, candidates) for part in query.queries))
            case Chain():
                return candidates.intersection(*[set().union(*self._chain_steps(query))])
            case Near():
                start = self._select(query.of, self.everything)
                return candidates & self._reach(start, is_upstream=query.is_upstream, within=query.within)
            case Path():
                starts, ends = self._select(query.start, self.everything), self._select(query.end, self.everything)
                after = starts | self._reach(starts, is_upstream=False)
                before = ends | self._reach(ends, is_upstream=True)
                return candidates & after & before

    def _reach(self, start: set[int], *, is_upstream: bool, within: int | None = None) -> set[int]:
        """Return the nodes that lead to the start, or that it leads to, along edges and control edges."""
        edges = self.index.sources if is_upstream else self.index.targets
        reached: set[int] = set()
        level: Iterable[int] = start
        distance = 0
        while level and (within is None or distance < within):
            level = {node for position in level for node in edges[position] if node >= 0} - reached
            reached |= level
            distance += 1
        return reached

    # --- patterns ----------------------------------------------------------------------------------------------------

    def _chain_steps(self, chain: Chain) -> list[set[int]]:
        """Return the nodes of each step that are part of a match."""
        steps = [self._select(step, self.everything) for step in chain.steps]
        for number in range(1, len(steps)):
            steps[number] = {node for node in steps[number] if not steps[number - 1].isdisjoint(self._givers(node))}
        for number in range(len(steps) - 2, -1, -1):
            steps[number] &= {giver for node in steps[number + 1] for giver in self._givers(node)}
        return steps

    def _walk(self, steps: list[set[int]]) -> Iterator[tuple[int, ...]]:
        """Yield the matches of a pattern. Each node in `steps` is part of one, so no time is lost in dead ends."""
        takers: list[dict[int, list[int]]] = []
        for before, after in pairwise(steps):
            takers.append({})
            for node in sorted(after):
                for giver in before.intersection(self._givers(node)):
                    takers[-1].setdefault(giver, []).append(node)
        iterators = [iter(sorted(steps[0]))]
        path: list[int] = []
        while iterators:
            node = next(iterators[-1], -1)
            if node < 0:
                iterators.pop()
                del path[-1:]
            elif len(iterators) == len(steps):
                yield (*path, node)
            else:
                path.append(node)
                iterators.append(iter(takers[len(path) - 1][node]))

    def _givers(self, position: int) -> list[int]:
        """Return the nodes whose tensors a node takes."""
        sources = zip(self.index.nodes[position].input, self.index.sources[position], strict=True)
        return [source for text, source in sources if source >= 0 and not is_control_input(text)]

    # --- tests -------------------------------------------------------------------------------------------------------

    def _compare(self, comparison: Comparison, candidates: set[int]) -> set[int]:
        if comparison.field == "function":
            return candidates if _value_test(comparison)([self.function]) else set()
        if comparison.field == "shape" or comparison.field == "size":
            _ = self.shapes  # inferred at once, not node by node
        if comparison.field.startswith(ATTRIBUTE):
            name, is_match = comparison.field.removeprefix(ATTRIBUTE), _attribute_test(comparison)
            attrs = ((place, self.index.nodes[place].attr.get(name)) for place in candidates)
            return {place for place, attr in attrs if attr is not None and is_match(attr)}
        values, is_match_of = _VALUES[comparison.field], _value_test(comparison)
        return {place for place in candidates if is_match_of(values(self, place))}

    def dtypes(self, position: int) -> list[str]:
        """Return the names of the types of a node's outputs; an unknown type is ""."""
        node = self.index.nodes[position]
        op: OpDef | None = self.ops.get(node.op)
        try:
            types = output_types(node, op)[:MAX_OUTPUTS] if op is not None else []
        except GraphError:  # an attribute is missing, or a placeholder
            return []
        return ["" if dtype is None else dtype_name(dtype).removesuffix("_ref") for dtype in types]

    def shapes_of(self, position: int) -> list[list[Shape | None]]:
        """Return the shapes of a node's outputs, for each call of the function."""
        node = self.index.nodes[position]
        return [shapes.of(node)[:MAX_OUTPUTS] for shapes in self.shapes]

    def common_shapes(self, position: int) -> list[Shape | None]:
        """Return the shapes of a node's outputs that hold for all calls of the function."""
        every = self.shapes_of(position)
        return [reduce(generalize_shapes, shapes) for shapes in zip(*every, strict=False)]

    def sizes(self, position: int) -> list[int]:
        """Return the bytes of the largest output of a node; an empty list if no shape and type is known."""
        rows = [dtype_named(name) for name in self.dtypes(position)]
        sizes = []
        for shapes in self.shapes_of(position):
            for row, shape in zip(rows, shapes, strict=False):
                elements = count_elements(shape)
                if row is not None and row.itemsize and elements is not None:
                    sizes.append(row.itemsize * elements)
        return [max(sizes)] if sizes else []

    def output_count(self, position: int) -> list[int]:
        node = self.index.nodes[position]
        op = self.ops.get(node.op)
        try:
            return [len(output_types(node, op))] if op is not None else []
        except GraphError:
            return []


_VALUES: dict[str, Callable[[Body, int], Sequence[Any]]] = {
    "name": lambda body, place: [body.index.nodes[place].name],
    "op": lambda body, place: [body.index.nodes[place].op],
    "device": lambda body, place: [body.index.nodes[place].device],
    "input": lambda body, place: [node_name(text) for text in body.index.nodes[place].input],
    "dtype": lambda body, place: [dtype for dtype in body.dtypes(place) if dtype],
    "shape": lambda body, place: [shape for shapes in body.shapes_of(place) for shape in shapes if shape is not None],
    "size": Body.sizes,
    "inputs": lambda body, place: [len(data_inputs(body.index.nodes[place]))],
    "controls": lambda body, place: [len(control_inputs(body.index.nodes[place]))],
    "outputs": Body.output_count,
    "consumers": lambda body, place: [len(body.index.targets[place])],
}
"""The known values of a field of a node."""


# --- values of fields -------------------------------------------------------------------------------------------------


def _value_test(comparison: Comparison) -> Callable[[Sequence[Any]], bool]:
    """Return the function that tests the values of a field: strings, numbers, or shapes."""
    if comparison.field in NUMBERS:
        number, compare = parse_number(comparison), _COMPARE[comparison.operator]
        return lambda values: any(compare(value, number) for value in values)
    is_equal = _EQUAL.get(comparison.field, _text_equality)(comparison)
    if comparison.operator == "!=":
        return lambda values: bool(values) and not any(map(is_equal, values))
    return lambda values: any(map(is_equal, values))


def _text_equality(comparison: Comparison) -> Callable[[Any], bool]:
    pattern = comparison.value.pattern(part=comparison.operator == "part")
    return lambda value: pattern.match(value) is not None


def _name_equality(comparison: Comparison) -> Callable[[Any], bool]:
    """Return the test of a name. The value may be the name of a tensor, "x:0", or a control input."""
    if comparison.operator != "part" and not comparison.value.is_literal:
        names = "|".join(node_name(part) for part in comparison.value.text.split("|"))
        comparison = comparison._replace(value=Text(names))
    return _text_equality(comparison)


def dtype_equality(comparison: Comparison) -> Callable[[Any], bool]:
    """Return whether the name of a type is one that a comparison asks for."""
    pattern = Text("|".join(map(_dtype_pattern, comparison.value.text.split("|")))).pattern()
    return lambda name: pattern.match(name) is not None


def _dtype_pattern(text: str) -> str:
    name = text.lower().removeprefix("dt_")
    return _DTYPE_ALIASES.get(name, name)


def _shape_equality(comparison: Comparison) -> Callable[[Any], bool]:
    sizes = parse_shape(comparison.value.text)
    return lambda shape: _fits(shape, sizes)


_EQUAL: dict[str, Callable[[Comparison], Callable[[Any], bool]]] = {
    "name": _name_equality,
    "input": _name_equality,
    "dtype": dtype_equality,
    "shape": _shape_equality,
}

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _fits(shape: Shape, sizes: tuple[str | int, ...]) -> bool:
    """Return whether a shape is described by sizes: "?" stands for any size, "*" for any number of sizes."""
    if "*" in sizes:
        front = sizes.index("*")
        back = len(sizes) - front - 1
        if len(shape) < front + back:
            return False
        return _fits(shape[:front], sizes[:front]) and _fits(shape[len(shape) - back :], sizes[front + 1 :])
    return len(shape) == len(sizes) and all(
        size == "?" or dimension == (None if size == -1 else size) for dimension, size in zip(shape, sizes, strict=True)
    )


# --- attributes ------------------------------------------------------------------------------------------------------

_Element: TypeAlias = "tuple[str, Any]"
"""The name of a field of AttrValue, and its value or an element of its list."""


def _attribute_test(comparison: Comparison) -> Callable[[AttrValue], bool]:
    """Return the function that tests an attribute. A list equals a value if it, or one of its elements, does."""
    if comparison.operator == "has":
        return lambda attr: True
    if comparison.operator not in ("=", "!="):
        number, compare = parse_number(comparison), _COMPARE[comparison.operator]
        return lambda attr: any(kind in "if" and compare(value, number) for kind, value in attribute_elements(attr))
    is_equal = _element_equality(comparison)
    whole = comparison.value.text.replace(" ", "")

    def equals(attr: AttrValue) -> bool:
        elements = attribute_elements(attr)
        if attr.list is not None and whole == f"[{','.join(element_text(element) for element in elements)}]":
            return True
        return any(map(is_equal, elements))

    return equals if comparison.operator == "=" else lambda attr: not equals(attr)


def attribute_elements(attr: AttrValue) -> list[_Element]:
    """Return the elements of the list in an attribute, or its only value."""
    kind = attr.which_oneof("value")
    if kind is None:
        return []
    elements = attr.list
    if elements is None:
        return [(kind, getattr(attr, kind))]
    return [(name, value) for name, slot in _list_slots() for value in getattr(elements, slot) or ()]


@cache
def _list_slots() -> list[tuple[str, str]]:
    """Return the fields of a list, with the attributes that hold None for an empty one: properties are slower."""
    return [(field.name, field.slot) for field in table_of(messages.AttrValue.ListValue).fields]


def _element_equality(comparison: Comparison) -> Callable[[_Element], bool]:
    """Return the function that compares a value by its kind: numbers by value, others by their texts."""
    pattern, dtypes = comparison.value.pattern(), dtype_equality(comparison)
    lower = comparison.value.text.lower()
    number = float32 = None
    with suppress(ValueError):
        number = parse_number(comparison)
        float32 = _as_float32(number)
    sizes: Any = None
    with suppress(ValueError):
        sizes = parse_shape(comparison.value.text)

    def is_equal(element: _Element) -> bool:
        kind, value = element
        match kind:
            case "i":
                return bool(value == number)
            case "f":
                return bool(value in (number, float32))
            case "b":
                return lower == element_text(element)
            case "type":
                return dtypes(dtype_name(value))
            case "shape":
                shape = shape_of_proto(value)
                return sizes is not None and shape is not None and _fits(shape, sizes)
        return pattern.match(element_text(element)) is not None

    return is_equal


def _as_float32(number: float) -> float:
    """Return the number that an attribute of type float has in place of this number."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def element_text(element: _Element) -> str:
    kind, value = element
    match kind:
        case "s":
            return bytes(value).decode("utf-8", "replace")
        case "b":
            return "true" if value else "false"
        case "type":
            return dtype_name(value)
        case "shape":
            return shape_to_text(shape_of_proto(value))
        case "tensor":
            return tensor_text(value)
        case "func":
            return str(value.name)
        case "placeholder":
            return f"${value}"
    return str(value)
