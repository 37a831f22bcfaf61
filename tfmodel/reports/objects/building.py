"""Build the tree of objects from the object graph of a SavedModel or of a checkpoint.

An object graph may have several references to an object, and cycles. In the tree, each object has one place: the end
of a shortest path from the root. Internal references are those that Keras and its optimizers keep for themselves, such
as "keras_api" and the lists of all variables of a model. Paths through them are used only for objects that no other
path leads to. Lists count as part of the object that has them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ...errors import GraphError, ModelError
from ...files.checkpoints.entries import Entry
from ...files.decoding import Tags
from ...messages import MetaGraphDef, SavedObject, TrackableObjectGraph
from ...source.metagraph.keras_metadata import LayerMetadata, keras_metadata
from ...source.model_source import Given, ModelSource
from ...values.dtypes import DTYPES, dtype_name
from ...values.shape import Shape, count_elements, shape_of_proto
from .functions import ConcreteFunctions, function_facts
from .tree import NO_TOTALS, Edge, ModelObject, ObjectTree, SavedValue, Totals

_OF_KERAS = frozenset(
    {"keras_api", "non_trainable_variables", "regularization_losses", "trainable_variables", "variables"}
)
_OF_OPTIMIZERS = frozenset({"_index_dict", "_variables"})

_LISTS = {"trackable_list_wrapper": "list", "trackable_dict_wrapper": "dict", "trackable_tuple_wrapper": "tuple"}
_ANONYMOUS = ("_generic_user_object", *_LISTS)
_VALUE = "VARIABLE_VALUE"
Found: TypeAlias = dict[str, Any]
"""The fields of a `ModelObject` except its place in the tree."""

_WITH_WEIGHTS = "layer_with_weights-"


def object_tree(model: Given, *, tags: Tags = None) -> ObjectTree:
    """Return the objects of a TensorFlow 2 model as a tree: layers with their variables and functions.

    `model` is a SavedModel (its folder or message), a MetaGraphDef or a Model, whose objects are those of the Python
    program that saved it; or a TensorFlow 2 checkpoint (its prefix, or a Checkpoint). `tags` select a MetaGraph.
    Values of variables are not read.

        tree = object_tree("saved_model/")
        for item in tree:
            print(item.depth, item.path, item.kind, item.class_name, item.shape)

    Raises ModelError for a model without objects, as of TensorFlow 1, and the errors of `load`.
    """
    source = ModelSource.of(model, tags=tags)
    with source.naming():
        if source.has_graph:
            meta = source.meta
            if meta is None or meta.object_graph_def is None or not meta.object_graph_def.nodes:
                raise ModelError("the model has no objects: only SavedModels of TensorFlow 2 do")
            return saved_model_tree(source.name, meta, keras_metadata(source))
        return checkpoint_tree(source.checkpoint)


def saved_model_tree(name: str, meta: MetaGraphDef, layers: Mapping[int, LayerMetadata]) -> ObjectTree:
    """Return the tree of a MetaGraph. `layers` has the metadata of layers by the numbers of their objects."""
    graph = meta.object_graph_def
    assert graph is not None
    files = [asset.filename for asset in meta.asset_file_def]
    records = [_saved_object(item, files, layers.get(number)) for number, item in enumerate(graph.nodes)]
    links = [list(_saved_links(item)) for item in graph.nodes]
    return ObjectTree(name, _arranged(records, links), ConcreteFunctions(graph))


def checkpoint_tree(checkpoint: Any) -> ObjectTree:
    """Return the tree of a `Checkpoint`. Raises ModelError for a checkpoint without an object graph."""
    graph = getattr(checkpoint, "object_graph", None)
    if graph is None or not graph.message.nodes:
        raise ModelError("the checkpoint has no objects: only checkpoints of TensorFlow 2 do")
    nodes = graph.message.nodes
    records = [_checkpoint_object(item, checkpoint.entries) for item in nodes]
    return ObjectTree(checkpoint.prefix, _arranged(records, [list(_links(item)) for item in nodes]))


# --- objects ---------------------------------------------------------------------------------------------------------


def _saved_object(item: SavedObject, files: Sequence[str], layer: LayerMetadata | None) -> Found:
    """Return the facts of an object, without its place in the tree."""
    kind = item.which_oneof("kind") or "unknown"
    facts: Found = {"kind": _KINDS.get(kind, kind.replace("_", " ")), "class_name": item.registered_name}
    content: Any = getattr(item, kind, None)
    match kind:
        case "user_object":
            facts |= _user_object(item.registered_name, content.identifier, layer)
        case "variable":
            shape = shape_of_proto(content.shape)
            facts |= {"dtype": dtype_name(content.dtype), "shape": shape, "trainable": content.trainable}
            facts |= {"label": content.name, "totals": _totals(shape, _itemsize(content.dtype), content.trainable)}
        case "function" | "bare_concrete_function":
            facts["function"] = function_facts(content)
        case "asset":
            place = content.asset_file_def_index
            facts["label"] = files[place] if 0 <= place < len(files) else ""
        case "constant":
            facts["label"] = content.operation
        case "captured_tensor":
            facts["label"] = content.name
        case "resource":
            facts["label"] = content.device
    return facts


_KINDS = {"user_object": "object", "bare_concrete_function": "concrete function"}


def _user_object(registered_name: str, identifier: str, layer: LayerMetadata | None) -> Found:
    document = layer.decode() if layer is not None else {}
    class_name, label = document.get("class_name"), document.get("name")
    class_name = class_name if isinstance(class_name, str) else registered_name
    if not class_name and identifier not in _ANONYMOUS:
        class_name = identifier
    return {
        "kind": _LISTS.get(identifier, "object"),
        "identifier": identifier,
        "class_name": class_name,
        "label": label if isinstance(label, str) else "",
    }


def _itemsize(dtype: int) -> int:
    row = DTYPES.get(dtype)
    return row.itemsize if row is not None else 0


def _totals(shape: Shape | None, itemsize: int, trainable: bool | None) -> Totals:
    try:
        elements = count_elements(shape)
    except GraphError:
        elements = None
    if elements is None:
        return Totals(variables=1, unknown=1)
    return Totals(1, elements, elements if trainable else 0, elements * itemsize, 0 if itemsize else 1)


def _checkpoint_object(item: TrackableObjectGraph.TrackableObject, entries: Mapping[str, Entry]) -> Found:
    """Return the facts of an object of a checkpoint. A list is an object whose children are numbered."""
    values = tuple(_value(entries, value.name, value.checkpoint_key) for value in item.attributes)
    registered = item.registered_saver
    facts: Found = {"kind": "object", "values": values, "class_name": registered.name if registered else ""}
    for value, message in zip(values, item.attributes, strict=True):
        if value.name == _VALUE:
            elements = _totals(value.shape, 1, None).parameters
            unknown = value.size is None or value.shape is None
            totals = Totals(1, elements, 0, value.size or 0, int(unknown))
            kind = {"kind": "variable", "dtype": value.dtype, "shape": value.shape}
            return facts | kind | {"label": message.full_name, "totals": totals}
    names = [child.local_name for child in item.children]
    if names and not values and names == [str(place) for place in range(len(names))]:
        facts["kind"] = "list"
    return facts


def _value(entries: Mapping[str, Entry], name: str, key: str) -> SavedValue:
    entry = entries.get(key)
    if entry is None:
        return SavedValue(name, key)
    size = entry.size
    if size is None and (itemsize := _itemsize(entry.dtype)):
        size = (count_elements(entry.shape) or 0) * itemsize
    return SavedValue(name, key, dtype_name(entry.dtype), tuple(entry.shape), size)


# --- references ------------------------------------------------------------------------------------------------------


class _Link(NamedTuple):
    """A reference. `slot_of` is the number of the variable for which an optimizer keeps a slot."""

    name: str
    number: int
    is_internal: bool = False
    slot_of: int | None = None


def _links(item: SavedObject | TrackableObjectGraph.TrackableObject) -> Iterator[_Link]:
    internal = _OF_OPTIMIZERS
    if any(child.local_name == "keras_api" for child in item.children):
        internal |= _OF_KERAS
    for child in item.children:
        yield _Link(child.local_name, child.node_id, child.local_name in internal)
    for slot in item.slot_variables:
        yield _Link(slot.slot_name, slot.slot_variable_node_id, slot_of=slot.original_variable_node_id)


def _saved_links(item: SavedObject) -> Iterator[_Link]:
    is_function = item.function is not None
    for link in _links(item):
        yield link._replace(is_internal=True) if is_function else link
    for name, saveable in sorted(item.saveable_objects.items()):
        yield _Link(f"{name} (save)", saveable.save_function, True)
        yield _Link(f"{name} (restore)", saveable.restore_function, True)


# --- places ----------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """The place of an object in the tree: the object above it, and the reference from there."""

    parent: int | None
    link: _Link
    is_internal: bool


def _arranged(records: Sequence[Found], links: Sequence[Sequence[_Link]]) -> tuple[ModelObject, ...]:
    """Return the objects in the order of the tree, with their places, edges and totals."""
    count = len(records)
    links = [[link for link in row if 0 <= link.number < count] for row in links]
    places = _find_places(records, links)
    order = _depth_first(records, links, places)
    totals: list[Totals] = [record.pop("totals", NO_TOTALS) for record in records]
    for number in reversed(order):  # objects come after those above them
        parent = places[number].parent
        if parent is not None and totals[number].variables:
            totals[parent] = totals[parent].plus(totals[number])
    arranged: dict[int, ModelObject] = {}
    for number in order:
        place = places[number]
        parent_object = arranged[place.parent] if place.parent is not None else None
        arranged[number] = ModelObject(
            number=number,
            name=place.link.name,
            parent=parent_object,
            depth=parent_object.depth + 1 if parent_object is not None else 0,
            edges=tuple(
                Edge(link.name, link.number, places[link.number].link is link, link.is_internal)
                for link in links[number]
            ),
            slot_of=place.link.slot_of,
            is_internal=place.is_internal,
            totals=totals[number],
            **records[number],
        )
    return tuple(arranged[number] for number in order)


def _find_places(records: Sequence[Found], links: Sequence[Sequence[_Link]]) -> dict[int, _Place]:
    """Return the place of each object. Objects that the root does not lead to are roots themselves."""
    places: dict[int, _Place] = {}
    for root in range(len(records)):
        if root not in places:
            places[root] = _Place(None, _Link("", root), root > 0)
            _spread(root, records, links, places)
    return places


def _spread(root: int, records: Sequence[Found], links: Sequence[Sequence[_Link]], places: dict[int, _Place]) -> None:
    """Find the places of all objects that `root` leads to, breadth first; internal references come last."""
    queue, postponed = deque([root]), deque[tuple[int, _Link]]()
    while queue or postponed:
        if not queue:
            owner, link = postponed.popleft()
            if link.number not in places:
                places[link.number] = _Place(owner, link, True)
                queue.append(link.number)
            continue
        owner = queue.popleft()
        pending = [(owner, iter(sorted(links[owner], key=_rank)))]
        while pending:  # the links of the owner, and of lists in it
            owner, rest = pending[-1]
            next_link = next(rest, None)
            if next_link is None:
                pending.pop()
            elif next_link.is_internal:
                postponed.append((owner, next_link))
            elif next_link.number not in places:
                number = next_link.number
                places[number] = _Place(owner, next_link, places[owner].is_internal)
                if records[number]["kind"] in _LISTS.values():
                    pending.append((number, iter(links[number])))
                else:
                    queue.append(number)


def _rank(link: _Link) -> int:
    """Return the rank of a name; of several references to one object, that with the lowest rank is its place."""
    if link.slot_of is not None:
        return 3
    return 2 if link.name.startswith(_WITH_WEIGHTS) else 1 if link.name.startswith("layer-") else 0


def _depth_first(records: Sequence[Found], links: Sequence[Sequence[_Link]], places: Mapping[int, _Place]) -> list[int]:
    """Return the objects in the order of the tree: variables before other objects, and functions last."""
    order: list[int] = []
    stack = [number for number, place in reversed(list(places.items())) if place.parent is None]
    while stack:
        number = stack.pop()
        order.append(number)
        below = [link.number for link in reversed(links[number]) if places[link.number].link is link]
        stack += sorted(below, key=lambda below: -_group(records[below]))
    return order


def _group(record: Found) -> int:
    return 0 if record["kind"] == "variable" else 2 if "function" in record else 1
