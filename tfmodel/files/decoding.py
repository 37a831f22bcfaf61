"""Decode the message of a model file, or the message inside it: the graph of a SavedModel, the MetaGraph of some tags.

`naming` and `naming_damage` turn decoding errors into errors that name the file, also those of lazy messages, which are
raised when the messages are used.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from pbwire.errors import DecodeError, JsonError, TextFormatError, compose

from ..errors import FileFormatError, Hint, with_name
from ..values.terminal import escape, quote
from .detection import SURE, class_in_words, explain_share, is_onnx
from .detection.formats import Types, read
from .model_file import ModelFile, describe_detection, full_name

if TYPE_CHECKING:
    from ..messages import MetaGraphDef

Tags: TypeAlias = "str | Iterable[str] | None"

_MAX_LISTED, _MAX_TAG_LENGTH = 8, 100  # MetaGraphs that an error names, and characters of the tags of each

_SAVED_MODEL = "tensorflow.SavedModel"

# Maps a message type to the types that `load` can take out of it.
_INSIDE = {
    _SAVED_MODEL: ("tensorflow.MetaGraphDef", "tensorflow.GraphDef"),
    "tensorflow.MetaGraphDef": ("tensorflow.GraphDef",),
}


def decode_file(
    file: ModelFile,
    cls: Any = None,
    *,
    lazy: bool = False,
    tags: Tags = None,
    forced: bool = False,
    allow_unknown_field: bool = False,
    types: Types | None = None,
    missing: list[str] | None = None,
) -> Any:
    """Return the message in a file, as `load` does. Raises FileFormatError.

    `missing` is as for `read_graph_model` of `tfjs.reader`. With `forced`, the file is decoded as `cls` even if its
    content looks like another message. `types` has the messages that an Any may hold, by full name; without it, these
    are `tfmodel.messages.TYPES`.
    """
    detection, form = file.detection, file.detection.form

    def message(cls: Any) -> Any:
        return read(file.data, cls, form, lazy=lazy, allow_unknown_field=allow_unknown_field, types=types)

    if detection.kind == "table":
        raise FileFormatError(with_name(file.name, _about_table(file)))
    with naming(file.name, file.data):
        if detection.kind == "tfjs":
            return _from_tfjs(file, cls, tags, allow_unknown_field, missing)
        taken_as = detection.cls or cls
        if tags is not None and taken_as is not None and full_name(taken_as) != _SAVED_MODEL:
            raise FileFormatError(with_name(file.name, no_choice(taken_as)))
        if cls is None:
            if detection.cls is None:
                raise FileFormatError(with_name(file.name, describe_detection(detection)))
            return message(detection.cls)
        if detection.cls is not None and detection.cls is not cls:
            score, best = (explain_share(file.data, candidate, form) for candidate in (cls, detection.cls))
            if may_hold(detection.cls, cls) and score < best:
                return _extract(message(detection.cls), cls, tags, file.name)
            if score < SURE * best and not forced:
                is_other = is_onnx(detection.cls)
                what = (
                    describe_detection(detection)
                    if is_other
                    else f"this is {detection.what}, not {class_in_words(cls)}"
                )
                raise FileFormatError(with_name(file.name, what))
        return message(cls)


def _from_tfjs(
    file: ModelFile, cls: Any, tags: Tags, allow_unknown_field: bool, missing: list[str] | None = None
) -> Any:
    """Return the MetaGraphDef of a TensorFlow.js model, or the GraphDef in it. Raises FileFormatError and JsonError."""
    from .tfjs.reader import parse_model, read_graph_model  # only such files need it

    taken_as = file.detection.cls
    if tags is not None:
        raise FileFormatError(with_name(file.name, no_choice(taken_as)))
    if cls is not None and cls is not taken_as and not may_hold(taken_as, cls):
        raise FileFormatError(with_name(file.name, f"this is {file.detection.what}, not {class_in_words(cls)}"))
    try:
        document = parse_model(file.data)
        meta = read_graph_model(document, file.path, allow_unknown_field=allow_unknown_field, missing=missing)
    except FileFormatError as error:
        raise FileFormatError(with_name(file.name, error)) from error
    return meta if cls is None or cls is taken_as else _extract(meta, cls, None, file.name)


def no_choice(cls: Any = None) -> str:
    """Return the text of the error for tags that cannot be used.

    `cls` is the class of the model, which is not a SavedModel; None for two models, neither of which is a SavedModel.
    """
    what = f"this is {class_in_words(cls)}" if cls is not None else "neither of these is one"
    return compose(Hint.TAGS_CHOOSE, f", and {what}: leave the tags out")


def takes_tags(cls: Any) -> bool:
    """Return whether tags can choose a message of this class: it is in a SavedModel."""
    return cls is not None and full_name(cls) in _INSIDE[_SAVED_MODEL]


def may_hold(outer: Any, cls: Any) -> bool:
    """Return whether a message of class `outer` can contain one of class `cls`."""
    return full_name(cls) in _INSIDE.get(full_name(outer), ())


@contextlib.contextmanager
def naming(name: str, data: bytes = b"") -> Iterator[None]:
    """Turn decoding errors in the block into a FileFormatError with the name of the file.

    Lazy messages raise decoding errors when they are used. `data` is the content of the file; with it, errors in JSON
    show the source line.
    """
    try:
        yield
    except (TextFormatError, JsonError) as error:
        if error.line is None:
            raise FileFormatError(with_name(name, error)) from error
        raise FileFormatError(_with_place(name, _with_source(error, data))) from error
    except DecodeError as error:
        raise FileFormatError(with_name(name, error)) from error


@contextlib.contextmanager
def naming_damage(*files: ModelFile | None) -> Iterator[None]:
    """Turn decoding errors in the block into a FileFormatError with the file name and the full path of the field.

    Lazy messages know only the end of that path, so binary files are decoded again as a whole. None stands for a model
    that was not read from a file.
    """
    try:
        yield
    except DecodeError as error:
        paths = [file for file in files if file is not None]
        for file in paths:
            if file.detection.cls is not None and file.detection.form == "binary":
                with naming(file.name):
                    file.detection.cls.from_bytes(file.data)
        raise FileFormatError(with_name(paths[0].name if len(paths) == 1 else "", error)) from error


def _with_source(error: TextFormatError | JsonError, data: bytes) -> TextFormatError:
    """Return an error with a line number with the text of that line."""
    if isinstance(error, TextFormatError):
        return error
    assert error.line is not None
    source = data.split(b"\n", error.line)[error.line - 1].decode("utf-8-sig", "replace").rstrip("\r")
    return TextFormatError(error.message, line=error.line, column=error.column, source=source)


def _with_place(name: str, error: TextFormatError) -> str:
    """Return the error of a text file as compilers do: "graph.pbtxt:12:5: expected ...", which is about that place."""
    place = ":".join(str(part) for part in (name, error.line, error.column) if part is not None)
    return with_name(place, error.unplaced)


def _about_table(file: ModelFile) -> str:
    prefix = file.path.removesuffix(".index")
    what = "a checkpoint index" if prefix != file.path else "a checkpoint"
    graph = f"its graph is in {escape(prefix)}.meta; " if prefix and os.path.isfile(prefix + ".meta") else ""
    return compose(f"this is {what}, which holds no graph: {graph}", Hint.READS_TENSORS)


def _extract(message: Any, cls: Any, tags: Tags, name: str) -> Any:
    """Return the message of class `cls` in another: the MetaGraphDef in a SavedModel, or the GraphDef in either."""
    if full_name(type(message)) == _SAVED_MODEL:
        message = choose_meta_graph(message.meta_graphs, tags, name)
    if full_name(cls) == "tensorflow.MetaGraphDef":
        return message
    if message.graph_def is None:
        raise FileFormatError(with_name(name, "its MetaGraphDef has no graph"))
    return message.graph_def


def tags_of(meta: MetaGraphDef) -> list[str]:
    """Return the tags of a MetaGraph, sorted."""
    return sorted(meta.meta_info_def.tags) if meta.meta_info_def is not None else []


def choose_meta_graph(meta_graphs: list[Any], tags: Tags, name: str) -> Any:
    """Return the MetaGraph with exactly these tags; without tags, the only one. Raises FileFormatError."""
    tag_sets = [tags_of(meta) for meta in meta_graphs]
    texts = [escape(",".join(tag_set)[:_MAX_TAG_LENGTH]) or "(none)" for tag_set in tag_sets[:_MAX_LISTED]]
    listed = "; ".join(texts + ["..."] * (len(tag_sets) > _MAX_LISTED))
    if tags is None:
        if len(meta_graphs) != 1:
            problem = f"has {len(meta_graphs)} MetaGraphs; choose one by its tags: {listed}"
            raise FileFormatError(with_name(name, f"{problem if meta_graphs else 'has no MetaGraph'}"))
        return meta_graphs[0]
    requested = sorted({*(tags.split(",") if isinstance(tags, str) else tags)} - {""})
    fitting = [meta for meta, tag_set in zip(meta_graphs, tag_sets, strict=True) if sorted({*tag_set}) == requested]
    if not fitting:
        problem = f"no MetaGraph has the tags {quote(','.join(requested))}; there are: {listed}"
        raise FileFormatError(with_name(name, problem))
    return fitting[0]
