"""The tree of objects as text: one line for each object, indented by its level.

Lists are folded: `blocks[0]` is an element of the list `blocks`. A second reference to an object is a line with the
path of its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ...values.terminal import align_columns, escape, shorten
from .functions import ConcreteFunction, Parameters
from .structured_values import format_structure, shape_to_text
from .tree import Edge, ModelObject, ObjectTree, Totals

MAX_INDENTED = 40
"""Deeper levels are not indented further, so that a deep tree takes linear space."""

MAX_SIGNATURE = 160
"""The maximum number of characters of a function's arguments and result."""

MAX_ARGUMENTS = 12
"""The number of arguments of a function from which on they are not shown."""

MAX_NAME = 200
"""The maximum number of characters of a name, a label, or a path."""

_FOLDED = ("list", "dict", "tuple")
_ALSO_A_LAYER = "layer_with_weights-"


def tree_lines(tree: ObjectTree, *, depth: int | None = None, internal: bool = False) -> Iterator[str]:
    """Yield the lines of a tree, safe to print: see `ObjectTree.to_text`."""
    view = _View(tree, depth, internal)
    yield from align_columns(view.rows(), names=(0,), widest=(0, 40, 60))
    yield ""
    yield from view.closing_lines()


@dataclass(slots=True)
class _Position:
    """Where an object is in the text: its level, the name of its line, and how many lines are below it."""

    level: int
    name: str
    below: int = 0


def _is_dull(item: ModelObject) -> bool:
    """Return whether an object is only shown on request: internal, an empty list, or a function never traced."""
    is_empty = item.kind in _FOLDED and not item.edges
    return item.is_internal or is_empty or (item.function is not None and not item.function.concrete)


class _View:
    """The part of a tree that is shown: a number of levels, with or without internal objects."""

    def __init__(self, tree: ObjectTree, depth: int | None, internal: bool) -> None:
        self.tree = tree
        self.depth = depth
        self.internal = internal
        self.shown = [item for item in tree.objects if internal or not _is_dull(item)]
        self.positions: dict[int, _Position] = {}
        self._values: dict[str, tuple[list[str], str]] = {}
        self._aliases_of: dict[int, dict[int, list[str]]] = {}
        for item in self.shown:
            self.positions[item.number] = self._position(item)
        for item in reversed(self.shown):
            if item.parent is not None and item.parent.number in self.positions:
                below = self.positions[item.number].below + (not self._is_folded(item))
                self.positions[item.parent.number].below += below

    def _position(self, item: ModelObject) -> _Position:
        parent = item.parent
        if parent is None or parent.number not in self.positions:
            return _Position(0, "(root)" if item.number == 0 else f"(object {item.number:,})")
        above = self.positions[parent.number]
        return _Position(above.level + (not self._is_folded(parent)), self._name_in(parent, item.name))

    def _name_in(self, owner: ModelObject, name: str) -> str:
        """Return the name of a part of an object: `name`, or `owner[name]` in a folded list."""
        name = shorten(name, MAX_NAME)
        if not self._is_folded(owner):
            return name
        key = f'"{name}"' if owner.kind == "dict" else name
        return f"{shorten(self.positions[owner.number].name, MAX_NAME)}[{key}]"

    def _is_folded(self, item: ModelObject) -> bool:
        """Return whether a list has no line of its own: it has elements, and is not the root."""
        return item.kind in _FOLDED and item.parent is not None and bool(item.edges)

    # --- rows --------------------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[tuple[str, ...]]:
        for item in self.shown:
            position = self.positions[item.number]
            if self.depth is None or position.level <= self.depth:
                if not self._is_folded(item):
                    yield self._row(item, position)
                level = position.level + (not self._is_folded(item))
                if self.depth is None or level <= self.depth:
                    yield from self._references(item, level)

    def _row(self, item: ModelObject, position: _Position) -> tuple[str, str, str]:
        details = [self._details(item), "" if item.kind == "variable" else size_text(item.totals)]
        if self.depth is not None and position.level == self.depth and position.below:
            details.append(f"{position.below:,} more below")
        name = self._indented(position.level, position.name + self._also(item))
        return name, self._what(item), ", ".join(filter(None, details))

    def _indented(self, level: int, name: str) -> str:
        text = "  " * min(level, MAX_INDENTED) + escape(name)
        return text if level <= MAX_INDENTED else f"{text} (level {level:,})"

    def _also(self, item: ModelObject) -> str:
        """Return the other names of an object in the object that has it."""
        if item.parent is None or self._is_folded(item.parent):
            return ""
        names = self._aliases(item.parent).get(item.number, ())
        return f" (also {', '.join(shorten(name, MAX_NAME) for name in names)})" if names else ""

    def _aliases(self, owner: ModelObject) -> dict[int, list[str]]:
        """Return the names of references that are not lines of their own, by the number of the object."""
        if owner.number not in self._aliases_of:
            names = self._aliases_of[owner.number] = {}
            for edge in owner.edges:
                if self._is_alias(owner, edge):
                    names.setdefault(edge.number, []).append(edge.name)
        return self._aliases_of[owner.number]

    def _is_alias(self, owner: ModelObject, edge: Edge) -> bool:
        target = self.tree.by_number[edge.number]
        is_here = target.parent is owner and not edge.is_place
        return is_here and (self.internal or not (edge.is_internal or edge.name.startswith(_ALSO_A_LAYER)))

    def _references(self, owner: ModelObject, level: int) -> Iterator[tuple[str, ...]]:
        """Yield a row for each reference to an object whose place is elsewhere."""
        for edge in owner.edges:
            target = self.tree.by_number[edge.number]
            if edge.is_place or (not self.internal and (edge.is_internal or _is_dull(target))):
                continue
            if target.parent is owner and not self._is_folded(owner):
                continue  # an alias
            name = self._indented(level, self._name_in(owner, edge.name))
            yield name, "see", self._where(target)

    def _where(self, item: ModelObject) -> str:
        path = item.short_path()
        return "(root)" if path == "" else escape(path) if path is not None else f"object {item.number:,}"

    # --- cells -------------------------------------------------------------------------------------------------------

    def _what(self, item: ModelObject) -> str:
        name = item.class_name if item.kind == "object" and item.class_name else item.kind
        label = f' "{shorten(item.label, MAX_NAME)}"' if item.label and item.kind in ("object", "asset") else ""
        return escape(f"{shorten(name, MAX_NAME)}{label}")

    def _details(self, item: ModelObject) -> str:
        if item.function is not None:
            return self._signature(item)
        if item.kind == "variable":
            text = f"{item.dtype}{shape_to_text(item.shape)}" if item.dtype else "not in the checkpoint"
            text += "" if item.trainable in (True, None) else ", not trainable"
            if item.slot_of is not None and item.slot_of in self.tree.by_number:
                text += f", for {self._where(self.tree.by_number[item.slot_of])}"
            return text
        if item.values:
            return ", ".join(
                f"{escape(shorten(value.name, MAX_NAME))} {value.dtype}{shape_to_text(value.shape)}"
                for value in item.values
            )
        if item.kind in ("constant", "captured tensor", "resource"):
            return escape(shorten(item.label, MAX_NAME))
        return "empty" if item.kind in _FOLDED and not item.edges else ""

    def _signature(self, item: ModelObject) -> str:
        function = item.function
        assert function is not None
        if len(function.concrete) != 1:
            count = len(function.concrete)
            text = f"{shorten(function.parameters.to_text(), MAX_SIGNATURE)}, {count:,} concrete functions"
            return text if count else "never traced"
        name = function.concrete[0]
        if name not in self.tree.concrete:
            return f"{escape(shorten(name, MAX_NAME))}, which is not declared"
        return shorten(self._call(self.tree.concrete[name], function.parameters), MAX_SIGNATURE)

    def _call(self, concrete: ConcreteFunction, parameters: Parameters) -> str:
        """Return the arguments and the result of a concrete function. Values are cached: functions may share it."""
        first = list(islice(concrete.arguments(parameters), MAX_ARGUMENTS))
        if concrete.name not in self._values:
            output = shorten(format_structure(concrete.output, names=False), MAX_SIGNATURE)
            values = [shorten(argument.cells()[1], MAX_SIGNATURE) for argument in first]
            self._values[concrete.name] = (values, output)
        values, output = self._values[concrete.name]
        cells = [
            f"{escape(shorten(argument.name, MAX_NAME))}: {value}" if argument.name else value
            for argument, value in zip(first, values, strict=True)
        ]
        return f"({', '.join(cells)}{', ...' * (len(first) == MAX_ARGUMENTS)}) -> {output}"

    # --- totals ------------------------------------------------------------------------------------------------------

    def closing_lines(self) -> Iterator[str]:
        objects = self.tree.objects
        lines = _count(len(objects), "object")
        total = Totals()
        for item in objects:
            if item.parent is None:
                total = total.plus(item.totals)
        size = size_text(total)
        yield f"{lines}{f', {size}' if size else ''}"
        hidden = len(objects) - len(self.shown)
        if hidden:
            left_out = [item for item in objects if item.is_internal and item.kind == "variable"]
            variables = f", with {_count(len(left_out), 'variable')}" if left_out else ""

            yield f"not shown: {_count(hidden, 'internal or empty object')}{variables} (--all)"


def size_text(totals: Totals) -> str:
    """Return `98 parameters (90 trainable), 392 bytes`; empty without variables."""
    if not totals.variables:
        return ""
    parameters = _count(totals.parameters, "parameter")
    trainable = f" ({totals.trainable:,} trainable)" if 0 < totals.trainable < totals.parameters else ""
    unknown = f" and {_count(totals.unknown, 'variable')} of unknown size" if totals.unknown else ""
    return f"{parameters}{trainable}, {_count(totals.bytes, 'byte')}{unknown}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
