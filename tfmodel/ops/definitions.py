"""The declarations of ops, by name: TensorFlow's own, a user's, and those that a model brings along.

    op_def("MatMul")                                  # an OpDef, or None
    OPS                                               # a mapping: what TensorFlow 2.12.1 has
    registry(model, op_defs=["my_ops.pbtxt"])         # a mapping: that and more

Nothing is read before it is asked for: the file of declarations when the first op is looked up, and of it the ops that
are asked for. The messages are shared by all who ask; they are not to be changed.
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

if TYPE_CHECKING:
    from ..messages import AttrValue, OpDef, OpList

__all__ = ["OPS", "Registry", "defaults", "is_stateful", "op_def", "registry"]

Declarations: TypeAlias = "OpList | str | os.PathLike[str]"
"""An OpList, or the path of a file that holds one: binary, text format or JSON."""

_FILE = "op_defs.pb.gz"
_GZIP = 31  # the wbits value for which zlib expects a gzip header


class _Ops(Mapping[str, "OpDef"]):
    """Ops that are listed when the first one is looked up: messages, or the bytes of messages.

    The last of several with one name counts.
    """

    def __init__(self, listed: Callable[[], Iterable[tuple[str, OpDef | bytes]]]) -> None:
        self._listed = listed

    @cached_property
    def _ops(self) -> dict[str, OpDef | bytes]:
        return dict(self._listed())

    def __getitem__(self, name: str) -> OpDef:
        op = self._ops[name]
        if isinstance(op, bytes):
            from ..messages import OpDef

            op = self._ops[name] = OpDef.from_bytes(op)
        return op

    def __contains__(self, name: object) -> bool:
        return name in self._ops

    def __iter__(self) -> Iterator[str]:
        return iter(self._ops)

    def __len__(self) -> int:
        return len(self._ops)


class Registry(Mapping[str, "OpDef"]):
    """Op declarations from several sources. The first source that declares an op counts."""

    def __init__(self, *places: Mapping[str, OpDef]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> OpDef:
        for place in self._places:
            if name in place:
                return place[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(name in place for place in self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for place in self._places for name in place))

    def __len__(self) -> int:
        return len(set().union(*self._places))

    def __repr__(self) -> str:
        return f"<Registry of {len(self):,} ops>"


def _packed() -> Iterator[tuple[str, bytes]]:
    """Return the names of TensorFlow's ops and their encoded declarations, without decoding them."""
    from pbwire.wire import read_varint

    packed = pkgutil.get_data(__package__, _FILE)
    assert packed is not None, "every loader of packages can read the files beside them"
    data = zlib.decompress(packed, _GZIP)
    pos, end = 0, len(data)
    while pos < end:
        # Tags take a byte: an OpList has one field, and the first of an OpDef is its name, of less than 128 bytes.
        length, start = read_varint(data, pos + 1, end)
        pos = start + length
        name = start + 2
        yield data[name : name + data[start + 1]].decode(), data[start:pos]


_TENSORFLOW = _Ops(_packed)

OPS: Registry = Registry(_TENSORFLOW)
"""The ops of TensorFlow 2.12.1."""


def op_def(name: str) -> OpDef | None:
    """Return the declaration of an op of TensorFlow 2.12.1; None for unknown ops."""
    return OPS.get(name)


def registry(model: Message | None = None, *, op_defs: Declarations | Iterable[Declarations] = ()) -> Registry:
    """Return the ops that a model can use. The first of these declares an op:

    1. `op_defs`: OpLists, or files of them
    2. the functions of the model, each of which is an op, declared by its signature
    3. TensorFlow's own
    4. what else the model declares: the `stripped_op_list` of a MetaGraphDef

    `model` is a GraphDef, MetaGraphDef, SavedModel or FunctionDefLibrary; what it declares is listed when an op is
    first looked up. Files are read at once: FileFormatError and OSError as of `load`.
    """
    if isinstance(op_defs, (str, os.PathLike, Message)):
        op_defs = (op_defs,)
    own = [_own(each) for each in op_defs]
    if model is None:
        return Registry(*own, _TENSORFLOW)
    if model.__table__.full_name not in _DECLARED:
        raise TypeError(f"a {type(model).__name__} declares no ops")
    functions, others = _DECLARED[model.__table__.full_name]
    return Registry(*own, _Ops(lambda: _named(functions(model))), _TENSORFLOW, _Ops(lambda: _named(others(model))))


def _own(op_defs: Declarations) -> Mapping[str, OpDef]:
    from ..messages import OpList

    if not isinstance(op_defs, OpList):
        from ..io.files import load

        op_defs = load(op_defs, OpList)
    return dict(_named(op_defs.op))


def _named(ops: Iterable[OpDef]) -> Iterator[tuple[str, OpDef]]:
    return ((op.name, op) for op in ops)


def _of_library(library: Any) -> Iterator[OpDef]:
    return (function.signature for function in library.function if function.signature)


def _of_graph(graph: Any) -> Iterable[OpDef]:
    return _of_library(graph.library) if graph.library else ()


def _functions(meta: Any) -> Iterable[OpDef]:
    return _of_graph(meta.graph_def) if meta.graph_def else ()


def _stripped(meta: Any) -> Iterable[OpDef]:
    info = meta.meta_info_def
    return info.stripped_op_list.op if info and info.stripped_op_list else ()


def _nothing(message: Any) -> Iterable[OpDef]:
    return ()


_Listing: TypeAlias = "Callable[[Any], Iterable[OpDef]]"
_DECLARED: dict[str, tuple[_Listing, _Listing]] = {
    "tensorflow.FunctionDefLibrary": (_of_library, _nothing),
    "tensorflow.GraphDef": (_of_graph, _nothing),
    "tensorflow.MetaGraphDef": (_functions, _stripped),
    "tensorflow.SavedModel": (
        lambda model: chain.from_iterable(map(_functions, model.meta_graphs)),
        lambda model: chain.from_iterable(map(_stripped, model.meta_graphs)),
    ),
}
"""By the full name of a message: the functions, and the other ops that it declares."""


# --- one declaration -------------------------------------------------------------------------------------------------


def defaults(op: OpDef) -> dict[str, AttrValue]:
    """Return the default attributes of an op, in the order of its declaration. Shared: do not modify."""
    return {attr.name: attr.default_value for attr in op.attr if attr.default_value is not None}


def is_stateful(op: OpDef | None) -> bool:
    """Return whether an op has state or effects, so that its nodes are never merged, folded or repeated.

    Undeclared ops are assumed to be stateful.
    """
    return op is None or op.is_stateful
