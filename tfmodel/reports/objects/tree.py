"""`ObjectTree`: the objects of a TensorFlow 2 model or checkpoint as a tree, with text and JSON.

Each object is shown once, in the place that the module `building` chooses; all other references to it are edges.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ...errors import ModelError
from ...graph.error_text import guess, quote
from ...values.report import FORMAT, Report
from ...values.shape import Shape
from .functions import ConcreteFunction, SavedFunctionFacts

MAX_PATH_PARTS, MAX_PATH_CHARACTERS = 50, 500
"""Longer paths are left out of JSON, and shortened in text: those of a deep graph would take quadratic space."""


class Edge(NamedTuple):
    """A named reference from an object to another one.

    is_place       whether this is the place in the tree where the other object is shown
    is_internal    whether Keras or an optimizer keeps the reference for itself: "keras_api", lists of all variables
    """

    name: str
    number: int
    is_place: bool = False
    is_internal: bool = False


class SavedValue(NamedTuple):
    """A tensor in a checkpoint that belongs to an object. `size` is in bytes, None if it is unknown.

    name    "VARIABLE_VALUE" for the value of a variable
    key     in the checkpoint; `dtype` is empty for a key that the checkpoint lacks
    """

    name: str
    key: str
    dtype: str = ""
    shape: Shape | None = None
    size: int | None = None


class Totals(NamedTuple):
    """The variables in a part of the tree. Each variable counts once, in the place where it is shown.

    variables     their number; `unknown` is the number of those of unknown size, which the other sums lack
    parameters    their elements; `trainable` is the number of those that training changes
    bytes         their size
    """

    variables: int = 0
    parameters: int = 0
    trainable: int = 0
    bytes: int = 0
    unknown: int = 0

    def plus(self, other: Totals) -> Totals:
        return Totals(*map(sum, zip(self, other, strict=True)))


NO_TOTALS = Totals()


@dataclass(frozen=True, slots=True)
class ModelObject:
    """An object: a layer or another Python object, a variable, a function, a table, a list.

    number        its number in the object graph; 0 is the root
    name          its name in its parent: an attribute, an index or a key; of an optimizer's slot, the name of the slot
    kind          "object", "list", "dict", "tuple", "variable", "function", "concrete function", "constant", "asset",
                  "resource", "captured tensor", or "unknown"
    parent        the object in which it is shown; None for the root and for objects that the root does not lead to
    depth         the number of its ancestors
    class_name    the Python class, as far as the file says it: "Dense" for a layer of Keras, "Adam", a registered name
    label         the name of a layer of Keras, the name of a variable, the name of an asset's file, or a node's name
    identifier    the kind of class that TensorFlow restores, such as "_tf_keras_layer"; empty in a checkpoint
    edges         its references to other objects
    dtype, shape  of a variable; `trainable` is None in a checkpoint, which does not say it
    values        in a checkpoint, its tensors
    slot_of       of an optimizer's slot, the number of the variable for which it is kept
    function      the facts of a function
    is_internal   whether it is only part of what Keras and optimizers keep for themselves, such as "keras_api" and
                  lists of all variables
    totals        the variables in it and below it
    """

    number: int
    name: str
    kind: str
    parent: ModelObject | None = field(default=None, repr=False, compare=False)
    depth: int = 0
    class_name: str = ""
    label: str = ""
    identifier: str = ""
    edges: tuple[Edge, ...] = field(default=(), repr=False)
    dtype: str = ""
    shape: Shape | None = None
    trainable: bool | None = None
    values: tuple[SavedValue, ...] = ()
    slot_of: int | None = None
    function: SavedFunctionFacts | None = field(default=None, repr=False)
    is_internal: bool = False
    totals: Totals = NO_TOTALS

    @property
    def path(self) -> str:
        """The names from the root to this object, joined by "/"; empty for the root."""
        return "/".join(reversed([owner.name for owner in self._owners()]))

    def _owners(self) -> Iterator[ModelObject]:
        """Yield this object and those above it, without the root."""
        owner: ModelObject | None = self
        while owner is not None and owner.parent is not None:
            yield owner
            owner = owner.parent

    def short_path(self) -> str | None:
        """Return the path; None if it is long."""
        if self.depth > MAX_PATH_PARTS:
            return None
        parts: list[str] = []
        length = 0
        for owner in self._owners():
            parts.append(owner.name)
            length += len(owner.name)
            if length > MAX_PATH_CHARACTERS:
                return None
        return "/".join(reversed(parts))

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON. What an object of this kind does not have is left out."""
        facts: dict[str, Any] = {
            "number": self.number,
            "name": self.name,
            "path": self.short_path(),
            "kind": self.kind,
            "parent": None if self.parent is None else self.parent.number,
            "depth": self.depth,
            "internal": self.is_internal,
            "edges": [edge._asdict() for edge in self.edges],
        }
        facts |= {name: value for name in ("class_name", "label", "identifier") if (value := getattr(self, name))}
        if self.kind == "variable":
            shape = None if self.shape is None else list(self.shape)
            facts |= {"dtype": self.dtype, "shape": shape, "trainable": self.trainable}
        if self.values:
            facts["values"] = [
                value._asdict() | {"shape": None if value.shape is None else list(value.shape)} for value in self.values
            ]
        if self.slot_of is not None:
            facts["slot_of"] = self.slot_of
        if self.function is not None:
            facts["function"] = self.function.as_dict()
        return facts | {"totals": self.totals._asdict()}


@dataclass(frozen=True, repr=False)
class ObjectTree(Report, Sequence[ModelObject]):
    """The objects of a model: a sequence of `ModelObject`, each followed by the objects below it; the root is first.

    name         the model or checkpoint; empty for a message
    concrete     the concrete functions by name; empty for a checkpoint

    `tree["layer-0/kernel"]` is the object at the end of a path, and `tree.children(item)` are the objects that an
    object refers to.
    """

    name: str
    objects: tuple[ModelObject, ...]
    concrete: Mapping[str, ConcreteFunction] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.objects)

    def __getitem__(self, place: Any) -> Any:
        return self.at(place) if isinstance(place, str) else self.objects[place]

    @property
    def root(self) -> ModelObject:
        return self.objects[0]

    @cached_property
    def by_number(self) -> dict[int, ModelObject]:
        """The objects by their numbers in the object graph."""
        return {item.number: item for item in self.objects}

    def children(self, item: ModelObject) -> list[tuple[str, ModelObject]]:
        """Return the objects that an object refers to, with their names there."""
        return [(edge.name, self.by_number[edge.number]) for edge in item.edges]

    def at(self, path: str) -> ModelObject:
        """Return the object at the end of a path from the root, such as "layer-0/kernel", through any references.

        Raises ModelError, with a suggestion, for a path that leads to nothing.
        """
        item, done = self.root, ""
        rest = path
        while rest:
            names = {edge.name: edge.number for edge in reversed(item.edges)}  # the first of equal names
            name = _first_name(rest, names)
            if name is None:
                wrong = rest.partition("/")[0]
                where = f"the object {quote(done)}" if done else "the root"
                raise ModelError(f"{where} has no {quote(wrong)}{guess(wrong, names)}")
            item = self.by_number[names[name]]
            done = f"{done}/{name}" if done else name
            rest = rest[len(name) + 1 :]
        return item

    @property
    def functions(self) -> list[ModelObject]:
        """The functions that objects have, without those of which a tf.function consists."""
        return [item for item in self.objects if item.function is not None and not _is_trace(item)]

    def to_text(self, *, depth: int | None = None, internal: bool = False) -> str:
        """Return the tree as text, with at most `depth` levels; with `internal`, also internal objects."""
        return "".join(f"{line}\n" for line in self.lines(depth=depth, internal=internal))

    def lines(self, *, depth: int | None = None, internal: bool = False) -> Iterator[str]:
        """Return the lines of the text. They are safe to print."""
        from .text import tree_lines  # it uses the records here

        return tree_lines(self, depth=depth, internal=internal)

    def as_dict(self, *, depth: int | None = None) -> dict[str, Any]:
        """Return the data for JSON: all objects, or those of the first `depth` levels below the root."""
        objects = [item for item in self.objects if depth is None or item.depth <= depth]
        names = {name for item in objects if item.function is not None for name in item.function.concrete}
        return {
            "model": self.name,
            "objects": [item.as_dict() for item in objects],
            "concrete_functions": {
                name: self.concrete[name].as_dict() for name in sorted(names) if name in self.concrete
            },
        }

    def to_json(self, *, depth: int | None = None) -> str:
        """Return the data as a JSON document with a line for each object."""
        return compact_json({"format": FORMAT, **self.as_dict(depth=depth)})


def compact_json(document: Mapping[str, Any], indent: str = "") -> str:
    """Return JSON with a line for each element of the lists and dicts in `document`. Documents may be large."""
    more = f"{indent}  "
    fields = []
    for name, value in document.items():
        if isinstance(value, list) and value:
            rows = [json.dumps(item, allow_nan=False) for item in value]
            text = f"[\n{more}  " + f",\n{more}  ".join(rows) + f"\n{more}]"
        elif isinstance(value, dict) and value:
            text = compact_json(value, more) if not indent else json.dumps(value, allow_nan=False)
        else:
            text = json.dumps(value, allow_nan=False)
        fields.append(f"{more}{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(fields) + f"\n{indent}}}"


def _is_trace(item: ModelObject) -> bool:
    return item.parent is not None and item.parent.kind == "function"


def _first_name(path: str, names: Mapping[str, int]) -> str | None:
    """Return the name with which a path begins; a name may contain "/"."""
    end = path.find("/")
    while end >= 0:
        if path[:end] in names:
            return path[:end]
        end = path.find("/", end + 1)
    return path if path in names else None
