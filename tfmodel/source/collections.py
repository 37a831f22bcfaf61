"""Collections: the named lists of messages, nodes and numbers that TensorFlow 1 keeps with a graph.

    collections = decode_collections(meta)
    collections["variables"]        # [VariableDef(variable_name="w:0", ...), ...]
    collections["train_op"]         # ["Adam"]

A CollectionDef holds elements of one kind, which determines the elements of the list:

    node_list     str        names of nodes, and of tensors with their port
    int64_list    int
    float_list    float
    bytes_list    a message  of the class that is registered for the name of the collection
                  bytes      if no class is registered
    any_list      a message  of the class that the Any names
                  Any        if that class is unknown

A model may hold anything under any name. Values that do not decode, and an Any of an unknown class, stay bytes or Any:
`elements` returns them with a problem, and `decode_collections` lists the problems, or raises an error if it is strict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pbwire
from pbwire.errors import DecodeError, class_name
from pbwire.message import Message

from ..errors import GraphError
from ..graph.error_text import quote
from ..messages import (
    TYPES,
    CollectionDef,
    CondContextDef,
    MetaGraphDef,
    QueueRunnerDef,
    SaverDef,
    VariableDef,
    WhileContextDef,
    as_dataclass,
)
from ..values.names import node_name

COLLECTIONS: dict[str, type[Message]] = {
    "cond_context": CondContextDef,
    "global_step": VariableDef,
    "local_variables": VariableDef,
    "metric_variables": VariableDef,
    "model_variables": VariableDef,
    "moving_average_variables": VariableDef,
    "queue_runners": QueueRunnerDef,
    "savers": SaverDef,
    "trainable_variables": VariableDef,
    "variables": VariableDef,
    "while_context": WhileContextDef,
}
"""Maps names of collections to the message class of their bytes: those that TensorFlow registers, and those added by
`register_collection`.
"""

Types = Mapping[str, type[Message]]
_ANY_PREFIX = "type.googleapis.com/"


def register_collection(name: str, message_class: type[Message]) -> None:
    """Register the message class of a collection's bytes.

    Raises ValueError if another class is registered, and TypeError if `message_class` is not one.
    """
    if not (isinstance(message_class, type) and issubclass(message_class, Message)):
        raise TypeError(f"a collection holds messages of a class such as VariableDef, not {message_class!r}")
    if COLLECTIONS.setdefault(name, message_class) is not message_class:
        raise ValueError(f"the collection {quote(name)} is already registered for {COLLECTIONS[name].__name__}")


# --- decoding --------------------------------------------------------------------------------------------------------


class Element(NamedTuple):
    """One element of a collection. `problem` says why it stayed bytes or an Any instead of a message, if it did."""

    value: Any
    problem: str = ""


def decode_collections(
    meta_graph: MetaGraphDef, *, strict: bool = False, problems: list[str] | None = None, types: Types = TYPES
) -> dict[str, list[Any]]:
    """Return the collections of a MetaGraphDef, sorted by name, as lists of messages, names, numbers or bytes.

    Values that do not decode, and an Any of an unknown class, stay bytes or Any; `problems` receives a line for
    each of them. With `strict`, the first of them raises GraphError, and passing `problems` raises ValueError. `types`
    maps full names to the classes that an Any may name.
    """
    if strict and problems is not None:
        raise ValueError("problems would stay empty: with strict, the first one is raised")
    collections: dict[str, list[Any]] = {}
    for name in sorted(meta_graph.collection_def):
        collections[name] = values = []
        for index, (value, problem) in enumerate(elements(name, meta_graph.collection_def[name], types=types)):
            if problem:
                line = f"the collection {quote(name)}, element {index}: {problem}"
                if strict:
                    raise GraphError(line)
                if problems is not None:
                    problems.append(line)
            values.append(value)
    return collections


def elements(name: str, collection: CollectionDef, *, types: Types = TYPES) -> Iterator[Element]:
    """Return an iterator over the elements of a collection, decoded where possible."""
    kind = collection.which_oneof("kind")
    values: Iterable[Any] = getattr(collection, kind).value if kind else ()
    if kind == "any_list":
        return (_unpack(value, types) for value in values)
    if kind == "bytes_list":
        cls = COLLECTIONS.get(name)
        return (_decode(value, cls, value) if cls else Element(bytes(value)) for value in values)
    return map(Element, values)


def _unpack(packed: pbwire.wellknown.Any, types: Types) -> Element:
    _, slash, name = packed.type_url.rpartition("/")
    cls = types.get(name) if slash else None
    if cls is None:
        return Element(packed, f"of an unknown type, {quote(packed.type_url)}")
    return _decode(packed.value, cls, packed)


def _decode(data: bytes, cls: type[Message], otherwise: Any) -> Element:
    try:
        return Element(cls.from_bytes(data))
    except DecodeError as error:
        return Element(otherwise, f"not a {cls.__name__}: {error}")


_NAME_FIELDS: dict[type, tuple[str, ...]] = {
    VariableDef: ("variable_name", "initializer_name", "snapshot_name", "initial_value_name"),
    QueueRunnerDef: ("queue_name", "close_op_name", "cancel_op_name", "enqueue_op_name"),
    CondContextDef: ("pred_name", "pivot_name"),
    WhileContextDef: (
        "pivot_name",
        "pivot_for_pred_name",
        "pivot_for_body_name",
        "loop_enter_names",
        "loop_exit_names",
        "maximum_iterations_name",
    ),
}


def node_names(value: Any) -> list[str]:
    """Return the names of the nodes that an element of a collection needs in the graph."""
    return list(dict.fromkeys(node_name(name) for name in tensor_names(value)))


def tensor_names(value: Any) -> list[str]:
    """Return the names of the nodes and tensors that an element of a collection needs in the graph, as it spells them.

    These are also those of the loops and conditionals of TensorFlow 1.
    """
    names: list[str] = []
    if isinstance(value, str):
        names = [value]
    for field in _NAME_FIELDS.get(type(value), ()):
        content = getattr(value, field)
        names += content if isinstance(content, list) else [content]
    if isinstance(value, (CondContextDef, WhileContextDef)):
        names += _names_in_context(value)
    return [name for name in names if name]


def _names_in_context(context: CondContextDef | WhileContextDef) -> list[str]:
    """Return the tensors that a loop or conditional uses, and the names in those inside it."""
    values = context.values_def
    names = [*values.values, *values.external_values.values()] if values is not None else []
    for nested in context.nested_contexts:
        names += tensor_names(nested.cond_ctxt or nested.while_ctxt)
    return names


def rename_tensors(value: Any, rename: Callable[[str], str]) -> Any:
    """Return an element of a collection with new names for the nodes and tensors that `tensor_names` lists.

    `rename` returns the new name, or the old one. Elements are copied if they are messages.
    """
    if isinstance(value, str):
        return rename(value)
    fields = _NAME_FIELDS.get(type(value))
    if fields is None:
        return value
    copy = type(value).from_bytes(value.to_bytes())
    for field in fields:
        old = getattr(copy, field)
        setattr(copy, field, [rename(name) for name in old] if isinstance(old, list) else rename(old) if old else old)
    if isinstance(copy, (CondContextDef, WhileContextDef)):
        if copy.values_def is not None:
            copy.values_def.values = [rename(name) for name in copy.values_def.values]
            external = copy.values_def.external_values
            copy.values_def.external_values = {key: rename(name) for key, name in external.items()}
        for nested in copy.nested_contexts:
            if nested.cond_ctxt is not None:
                nested.cond_ctxt = rename_tensors(nested.cond_ctxt, rename)
            elif nested.while_ctxt is not None:
                nested.while_ctxt = rename_tensors(nested.while_ctxt, rename)
    return copy


# --- encoding --------------------------------------------------------------------------------------------------------


def encode_collection(name: str, values: Iterable[Any]) -> CollectionDef:
    """Return a CollectionDef with the values: the inverse of `elements`, except that a bool becomes an int.

    A str is the name of a node or a tensor; other strings must be passed as bytes. Bytes and Any are written unchanged.
    Other messages become bytes if a class is registered for the collection, otherwise an Any. Raises TypeError for
    values of several kinds, for messages of another class than the registered one, for unsupported types, and for a str
    or bytes in place of the list.
    """
    if isinstance(values, (str, bytes)):
        raise TypeError(f"the collection {quote(name)} is a list of values, not one {type(values).__name__}")
    kind, stored_values = "", []
    for value in values:
        other, stored = _encode(name, value)
        if kind and other != kind:
            raise TypeError(
                f"the collection {quote(name)} cannot hold both {_KIND_TEXTS[kind]} and {_KIND_TEXTS[other]}"
            )
        kind = other
        stored_values.append(stored)
    return _COLLECTION_BUILDERS[kind](stored_values) if kind else CollectionDef()


def _encode(name: str, value: Any) -> tuple[str, Any]:
    """Return the kind of list for a value, and the stored value."""
    value = as_dataclass(value)
    match value:
        case pbwire.wellknown.Any():
            return "any_list", value
        case Message():
            return _pack(name, value)
        case str():
            return "node_list", value
        case bytes() | bytearray() | memoryview():
            return "bytes_list", bytes(value)
        case int():
            return "int64_list", int(value)
        case float():
            return "float_list", float(value)
    raise TypeError(f"the collection {quote(name)} cannot hold a {type(value).__name__}")


def as_any(message: Message) -> pbwire.wellknown.Any:
    """Return an Any that holds the message."""
    return pbwire.wellknown.Any(type_url=_ANY_PREFIX + message.__table__.full_name, value=message.to_bytes())


def _pack(name: str, message: Message) -> tuple[str, Any]:
    cls = COLLECTIONS.get(name)
    if cls is None:
        return "any_list", as_any(message)
    if not isinstance(message, cls):
        raise TypeError(f"the collection {quote(name)} holds {cls.__name__}s, not {class_name(message, cls)}")
    return "bytes_list", message.to_bytes()


_COLLECTION_BUILDERS: dict[str, Callable[[list[Any]], CollectionDef]] = {
    "any_list": lambda values: CollectionDef(any_list=CollectionDef.AnyList(value=values)),
    "bytes_list": lambda values: CollectionDef(bytes_list=CollectionDef.BytesList(value=values)),
    "float_list": lambda values: CollectionDef(float_list=CollectionDef.FloatList(value=values)),
    "int64_list": lambda values: CollectionDef(int64_list=CollectionDef.Int64List(value=values)),
    "node_list": lambda values: CollectionDef(node_list=CollectionDef.NodeList(value=values)),
}
_KIND_TEXTS = {
    "any_list": "messages of any class",
    "bytes_list": "bytes or messages of the registered class",
    "float_list": "floats",
    "int64_list": "ints",
    "node_list": "names",
}
