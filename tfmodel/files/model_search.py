"""Find the models in a folder and in the folders below it, by content, not by name.

    for path in find_models("models/"):
        print(tfmodel.check(path))

Programs that read files in several processes take the two steps apart: `walk` lists what may be a model, in sorted
order and without opening it, and `judge` opens one file and says what it is.

The folder of a SavedModel is one model, whatever else is in it. A checkpoint is one model too: its .meta, or without a
.meta its index or the first of its files. Links are not followed: the target of a link inside the folder is found in
its own place, and a link out of the folder is skipped, as are pipes, devices and files that cannot be read.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from pbwire.errors import JsonError

from ..errors import FileFormatError
from ..messages import Event, GraphDef, MetaGraphDef, SavedModel
from ..values.terminal import escape, shorten
from .access import gzip
from .access.special_files import no_file, open_regular
from .access.stand_ins import lfs_pointer
from .detection import HEAD, TAIL, Detection, detect, is_onnx
from .locate import is_saved_model_folder
from .model_file import open_file

Kind: TypeAlias = Literal["model", "weights", "onnx", "part", "other", "skipped"]

_GRAPHS = (GraphDef, MetaGraphDef, SavedModel)
_LONG = 200  # characters of a link's target that are shown
_POINTER = "this is a Git LFS pointer, which stands for a file that is not here"
_DATA = re.compile(r"(?P<prefix>.+)\.data-\d{5,}-of-\d{5,}", re.DOTALL)
_SHARD = re.compile(r"(?P<prefix>.+)-(?P<number>\d{5,})-of-(?P<count>\d{5,})", re.DOTALL)


class Place(NamedTuple):
    """A file, or the folder of a SavedModel. `skipped` says why it is not opened; empty for others."""

    path: str
    skipped: str = ""


class Judgement(NamedTuple):
    """The kind of a file.

    kind     "model": a model with a graph, which may be damaged, or a file of Keras
             "weights": weights without a graph: a checkpoint without a .meta, a layers model of TensorFlow.js
             "onnx": a model of ONNX
             "part": a part of a checkpoint, which another of its files stands for
             "other": not a model
             "skipped": a file that cannot be read, or stands for another one
    reason   why the file is skipped
    """

    kind: Kind
    reason: str = ""


def find_models(
    folder: str | os.PathLike[str], *, weights_only: bool = False, skipped: Callable[[str, str], object] | None = None
) -> Iterator[str]:
    """Yield the paths of the models in a folder and below it, in sorted order.

    folder          the folder
    weights_only    whether checkpoints without a graph, and other models that have weights only, are models
    skipped         is called with the path and the reason for each file, folder and link that is not read

    Raises OSError if the folder itself cannot be read.
    """
    root = os.fspath(folder)
    os.scandir(root).close()
    for path, problem in walk(root):
        kind, reason = Judgement("skipped", problem) if problem else judge(path)
        if kind == "skipped" and skipped is not None:
            skipped(path, reason)
        if kind == "model" or (kind == "weights" and weights_only):
            yield path


def walk(folder: str) -> Iterator[Place]:
    """Yield the files in a folder and below it, and the folders of SavedModels, in sorted order.

    The only names in memory are those of the folders that are being read.
    """
    root = os.path.realpath(folder)
    waiting = [iter([folder])]
    while waiting:
        path = next(waiting[-1], None)
        if path is None:
            waiting.pop()
            continue
        try:
            mode = os.lstat(path).st_mode if len(waiting) > 1 else os.stat(path).st_mode
            if stat.S_ISLNK(mode):
                if problem := _problem_of_link(path, root):
                    yield Place(path, problem)
            elif stat.S_ISDIR(mode):
                names = sorted(os.listdir(path))
                if is_saved_model_folder(names):
                    yield Place(path)
                else:
                    waiting.append(map(os.path.join, [path] * len(names), names))
            else:
                what = no_file(path)
                yield Place(path, f"this is not a file but {what}" if what else "")
        except OSError as error:
            yield Place(path, _reason(error))


def judge(path: str) -> Judgement:
    """Return what a file is, or the folder of a SavedModel. Only its beginning and its end are read, if they tell."""
    try:
        if os.path.isdir(path):
            return Judgement("model")
        if (data := _DATA.fullmatch(path)) and os.path.isfile(f"{data['prefix']}.index"):
            return Judgement("part")
        return _judge_file(path)
    except (OSError, FileFormatError) as error:
        return Judgement("skipped", _reason(error))


def _judge_file(path: str) -> Judgement:
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(HEAD)
        file.seek(max(0, size - TAIL))
        tail = file.read(TAIL)
    detection = detect(head, tail=tail, size=size, name=os.path.basename(path))
    if detection.kind == "gzip":
        detection = _inside_gzip(head)
    match detection.kind:
        case "table":
            return Judgement(_kind_of_table(path))
        case "keras":
            return Judgement("model")
        case "tfjs":
            return Judgement(_kind_of_tfjs(path))
        case "records":
            return Judgement("model" if detection.cls is Event and _has_graph(path) else "other")
        case "text" if detection.cls is None:  # it begins with a long comment
            return Judgement(_kind_of_text(path))
        case "other" if lfs_pointer(path):
            return Judgement("skipped", _POINTER)
    return Judgement(_kind_of_message(detection.cls))


def _inside_gzip(head: bytes) -> Detection:
    """Return what gzip-compressed data are, of which `head` is the beginning."""
    try:
        unpacked = gzip.first_bytes(head, HEAD)
    except zlib.error:
        return Detection("other", "damaged gzip data")
    is_cut = len(unpacked) == HEAD or len(head) == HEAD
    return detect(unpacked, tail=b"", size=sys.maxsize if is_cut else len(unpacked))


def _kind_of_table(path: str) -> Kind:
    """Return what a table file is: the checkpoint itself, or a part of one of several files."""
    prefix = path.removesuffix(".index")
    shard = _SHARD.fullmatch(path)
    if shard is not None:
        prefix, number, count = shard["prefix"], shard["number"], shard["count"]
        if int(number) and os.path.isfile(f"{prefix}-{'0' * len(number)}-of-{count}"):
            return "part"
    return "part" if os.path.isfile(f"{prefix}.meta") else "weights"


def _kind_of_tfjs(path: str) -> Kind:
    from .tfjs.reader import is_layers_model, parse_model  # few folders have such files

    with open_regular(path) as file:
        data = file.read()
    try:
        return "weights" if is_layers_model(parse_model(data)) else "model"
    except (JsonError, FileFormatError):
        return "model"


def _has_graph(path: str) -> bool:
    from .tfrecords.event_graphs import has_graph  # few folders have such files

    return has_graph(path)


def _kind_of_text(path: str) -> Kind:
    try:
        return _kind_of_message(open_file(path, lazy=True).detection.cls)
    except FileFormatError:
        return "other"


def _kind_of_message(cls: Any) -> Kind:
    return "model" if cls in _GRAPHS else "onnx" if is_onnx(cls) else "other"


def _problem_of_link(path: str, root: str) -> str:
    """Return why a link is skipped; empty for a link to a file or folder inside of `root`."""
    if not os.path.exists(path):
        return f"this is {no_file(path) or 'a link that leads nowhere'}"
    target = os.path.realpath(path)
    if target != root and not target.startswith(os.path.join(root, "")):
        return f"this is a link that leaves the folder, to {escape(shorten(target, _LONG))}"
    if os.path.join(os.path.realpath(os.path.dirname(path)), "").startswith(os.path.join(target, "")):
        return "this is a link to a folder that it is in"
    return ""


def _reason(error: OSError | FileFormatError) -> str:
    text = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return text[:1].lower() + text[1:]
