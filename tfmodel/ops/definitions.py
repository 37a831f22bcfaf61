"""Op declarations by name: TensorFlow's own, the user's, and those of a model.

    op_def("MatMul")                                  # an OpDef, or None
    OPS                                               # a mapping: the ops of TensorFlow 2.12.1
    registry(model, op_defs=["my_ops.pbtxt"])         # a mapping: OPS, the ops of the model and the user's

The file of declarations is read when the first op is looked up; a declaration is decoded when it is looked up. All
callers share the messages: do not modify them.
"""

from __future__ import annotations

import os
import pkgutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from pbwire.message import Message
from pbwire.wire import read_varint

from .. import messages
from ..messages import as_dataclass

if TYPE_CHECKING:
    from ..messages import AttrValue, OpDef, OpList

Declarations: TypeAlias = "OpList | str | os.PathLike[str]"
"""An OpList, or the path of a file that holds one: binary, text format or JSON."""

GRAPH_VERSION = 1395
"""The version of graphs that TensorFlow 2.12.1 reads and writes."""

_FILE = "op_defs.pb.gz"
_GZIP = 31  # the wbits value for which zlib expects a gzip header


class _Ops(Mapping[str, "OpDef"]):
    """Declarations by the name of the op.

    `list_ops` lists them as messages or as bytes, when the first op is looked up. If several have the same name, the
    last one counts.
    """

    def __init__(self, list_ops: Callable[[], Iterable[tuple[str, OpDef | bytes]]]) -> None:
        self._list_ops = list_ops

    @cached_property
    def _ops(self) -> dict[str, OpDef | bytes]:
        return dict(self._list_ops())

    def __getitem__(self, name: str) -> OpDef:
        op = self._ops[name]
        if isinstance(op, bytes):
            op = self._ops[name] = messages.OpDef.from_bytes(op)
        return op

    def __contains__(self, name: object) -> bool:
        return name in self._ops

    def __iter__(self) -> Iterator[str]:
        return iter(self._ops)

    def __len__(self) -> int:
        return len(self._ops)


class Registry(Mapping[str, "OpDef"]):
    """Op declarations from several sources. The first source that declares an op counts."""

    def __init__(self, *sources: Mapping[str, OpDef]) -> None:
        self._sources = sources
        self._declared: dict[str, OpDef] = {}

    def with_first(self, op_defs: Declarations | Iterable[Declarations]) -> Registry:
        """Return a registry in which the declarations of `op_defs` count before these: see `registry`."""
        return Registry(*_load_all(op_defs), *self._sources)

    def __getitem__(self, name: str) -> OpDef:
        declared = self._declared.get(name)
        if declared is not None:
            return declared
        for source in self._sources:
            if name in source:
                declared = self._declared[name] = source[name]
                return declared
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(name in source for source in self._sources)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for source in self._sources for name in source))

    def __len__(self) -> int:
        return len(set().union(*self._sources))

    def __repr__(self) -> str:
        return f"<Registry of {len(self):,} ops>"


def _read_tensorflow_ops() -> Iterator[tuple[str, bytes]]:
    """Yield the names of TensorFlow's ops with their encoded declarations."""
    packed = pkgutil.get_data(__package__, _FILE)
    assert packed is not None, "every package loader can read the files of a package"
    data = zlib.decompress(packed, _GZIP)
    pos, end = 0, len(data)
    while pos < end:
        # Each tag takes one byte. An OpList has one field; an OpDef starts with its name, which is below 128 bytes.
        length, start = read_varint(data, pos + 1, end)
        pos = start + length
        name = start + 2
        yield data[name : name + data[start + 1]].decode(), data[start:pos]


_TENSORFLOW = _Ops(_read_tensorflow_ops)

TENSORFLOW_VERSION = "2.12.1"

OPS: Registry = Registry(_TENSORFLOW)
"""The ops of TensorFlow 2.12.1."""


def op_def(name: str) -> OpDef | None:
    """Return the declaration of an op of TensorFlow 2.12.1; None for unknown ops."""
    return OPS.get(name)


def registry(model: Message | None = None, *, op_defs: Declarations | Iterable[Declarations] = ()) -> Registry:
    """Return the ops that a model can use. If several of these sources declare an op, the first one counts:

    1. `op_defs`: OpLists, or files of them
    2. the functions of the model: the signature of a function declares an op of its name
    3. TensorFlow's own
    4. the other declarations of the model: the `stripped_op_list` of a MetaGraphDef

    `model` is a GraphDef, MetaGraphDef, SavedModel or FunctionDefLibrary; its declarations are listed when an op is
    first looked up. Raises TypeError for other messages. Files are read at once: raises FileFormatError and OSError as
    `load` does.
    """
    model, user_ops = as_dataclass(model), _load_all(op_defs)
    if model is None:
        return Registry(*user_ops, _TENSORFLOW)
    if model.__table__.full_name not in _DECLARED:
        raise TypeError(f"a {type(model).__name__} does not declare ops")
    functions, others = _DECLARED[model.__table__.full_name]
    return Registry(
        *user_ops, _Ops(lambda: _name_ops(functions(model))), _TENSORFLOW, _Ops(lambda: _name_ops(others(model)))
    )


def list_declarations(op_defs: Declarations | Iterable[Declarations]) -> list[Declarations]:
    """Return one or several declarations, as callers give them, as a list."""
    op_defs = as_dataclass(op_defs)
    return [op_defs] if isinstance(op_defs, (str, os.PathLike, Message)) else [*op_defs]


def _load_all(op_defs: Declarations | Iterable[Declarations]) -> list[Mapping[str, OpDef]]:
    return [_load_op_defs(source) for source in list_declarations(op_defs)]


def _load_op_defs(op_defs: Declarations) -> Mapping[str, OpDef]:
    op_defs = as_dataclass(op_defs)
    if not isinstance(op_defs, messages.OpList):
        from ..files.files import load  # most callers have no files of declarations

        op_defs = load(op_defs, messages.OpList)
    return dict(_name_ops(op_defs.op))


def _name_ops(ops: Iterable[OpDef]) -> Iterator[tuple[str, OpDef]]:
    return ((op.name, op) for op in ops)


def own_ops(message: Message | None) -> OpList:
    """Return the ops that a MetaGraphDef or SavedModel lists and TensorFlow lacks; none for other messages."""
    return messages.OpList(op=[op for op in listed_ops(message) if op.name not in OPS])


def listed_ops(message: Message | None) -> Iterable[OpDef]:
    """Return the ops that a MetaGraphDef or SavedModel lists as those that it uses; none for other messages."""
    _, listed = _DECLARED.get(message.__table__.full_name if message is not None else "", (_no_ops, _no_ops))
    return listed(message)


def _library_functions(library: Any) -> Iterator[OpDef]:
    return (function.signature for function in library.function if function.signature)


def _graph_functions(graph: Any) -> Iterable[OpDef]:
    return _library_functions(graph.library) if graph.library else ()


def _meta_graph_functions(meta: Any) -> Iterable[OpDef]:
    return _graph_functions(meta.graph_def) if meta.graph_def else ()


def _stripped_ops(meta: Any) -> Iterable[OpDef]:
    info = meta.meta_info_def
    return info.stripped_op_list.op if info and info.stripped_op_list else ()


def _no_ops(message: Any) -> Iterable[OpDef]:
    return ()


_Listing: TypeAlias = "Callable[[Any], Iterable[OpDef]]"
_DECLARED: dict[str, tuple[_Listing, _Listing]] = {
    "tensorflow.FunctionDefLibrary": (_library_functions, _no_ops),
    "tensorflow.GraphDef": (_graph_functions, _no_ops),
    "tensorflow.MetaGraphDef": (_meta_graph_functions, _stripped_ops),
    "tensorflow.SavedModel": (
        lambda model: chain.from_iterable(map(_meta_graph_functions, model.meta_graphs)),
        lambda model: chain.from_iterable(map(_stripped_ops, model.meta_graphs)),
    ),
}
"""The functions and the other ops that a message declares, by its full name."""


# --- one declaration -------------------------------------------------------------------------------------------------


def defaults(op: OpDef) -> dict[str, AttrValue]:
    """Return the default attributes of an op, in the order of its declaration. Shared: do not modify."""
    return {attr.name: attr.default_value for attr in op.attr if attr.default_value is not None}


def is_stateful(op: OpDef | None) -> bool:
    """Return whether an op has state or effects, so that its nodes are never merged, folded or repeated.

    Undeclared ops are assumed to be stateful.
    """
    return op is None or op.is_stateful
