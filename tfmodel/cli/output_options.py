"""The option -o for the output of a command, and checks of the target before any work is done.

`--output` names a file; `--outputs`, one letter longer, names the tensors that a graph computes. The module detects
that a user has confused the two.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from pbwire.atomic import fillable

from ..files.access.forms import form_of
from ..values.terminal import escape
from .messages import RequestError, UsageError, warn
from .parser import Parser

_NOT_ARRAY_SUFFIXES = (".npy", ".safetensors", ".json", ".h5", ".pb", ".zip")


def add_output(parser: Parser, *aliases: str, help: str) -> None:
    """Add -o, with --output and other spellings. It may be given once."""
    parser.add_argument("-o", "--output", *aliases, metavar="OUT", action=_Output, help=help)
    parser.set_defaults(output_spelling="")


class _Output(argparse.Action):
    """Store the file, and the spelling of the option."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, value: Any, spelling: str | None = None
    ) -> None:
        if namespace.output_spelling:
            hint = "; --outputs names what the graph computes" if hasattr(namespace, "outputs") else ""
            parser.error(f"{spelling} {value}: the file to write is {namespace.output} already{hint}")
        if not value:
            parser.error(f"{spelling}: the name of the file is missing")
        namespace.output, namespace.output_spelling = value, spelling


def output_of(args: Any, missing: str) -> str:
    """Return the file to write. Raises UsageError with the message `missing` if no file is given."""
    target: str = args.output or ""
    if not target:
        file_name = next((name for name in (args.outputs or "").split(",") if form_of(name)), None)
        hint = f'; --outputs names what the graph computes, and "{file_name}" looks like a file' if file_name else ""
        raise UsageError(f"{missing}{hint}")
    return target


def is_archive(target: str) -> bool:
    """Return whether arrays are written to an .npz, not to a folder."""
    return target.endswith(".npz") or target == "-"


def check_array_target(target: str) -> None:
    """Refuse a target for arrays that is neither an archive nor a new or empty folder."""
    if target.lower().endswith(_NOT_ARRAY_SUFFIXES):
        raise UsageError(f"-o: {target} is neither an .npz nor the name of a folder")
    check_writable(target, is_folder=not is_archive(target))


def check_writable(target: str, *, binary: bool = True, is_folder: bool = False) -> None:
    """Raise RequestError or OSError if a target cannot be written.

    Refused are binary data on a terminal, a folder in place of a file, a file without write permission, and targets in
    a folder that is missing or not writable. With `is_folder`, the target is a folder, which must be new or empty.
    """
    if target == "-":
        if binary and sys.stdout.isatty():
            raise RequestError("standard output is a terminal, which is not for binary data; name a file")
        return
    if not is_folder and os.path.isdir(target):
        raise RequestError("this is a folder; name a file in it to write to", file=target)
    if is_folder:
        fillable(target)
    folder = os.path.dirname(target.rstrip(os.sep) if is_folder else target)
    if folder and not os.path.isdir(folder):
        raise RequestError(f"there is no folder {folder} to write it to", file=target)
    if not _is_allowed(os.path.realpath(target)):
        raise RequestError("permission denied", file=target)


def _is_allowed(path: str) -> bool:
    """Return whether the file or folder is writable.

    A file is replaced by a new one, so its folder must be writable too. A device is written in place.
    """
    is_there = os.path.exists(path)
    if is_there and not os.access(path, os.W_OK):
        return False
    needs_folder = not is_there or os.path.isfile(path) or os.path.isdir(path)
    return not needs_folder or os.access(os.path.dirname(path), os.W_OK | os.X_OK)


def target_name(target: str) -> str:
    """Return the name of the output file for messages."""
    return "<stdout>" if target == "-" else escape(target)


def say_written(target: str, what: str, size: int) -> None:
    """Say on standard error that a file is written: "model.html: page, 160,000 bytes". Standard output is not named."""
    if target != "-":
        warn(f"{target_name(target)}: {what}, {size:,} bytes")


_NOT_GRAPH_SUFFIXES = {
    ".h5": "a .h5 is a model of Keras",
    ".keras": "a .keras is a model of Keras",
    ".npy": "a .npy is an array",
    ".npz": "an .npz contains arrays",
    ".onnx": "an .onnx is a model of ONNX",
    ".safetensors": "a .safetensors contains arrays",
    ".tflite": "a .tflite is a model of TensorFlow Lite",
}


def refuse_other_suffixes(target: str) -> None:
    """Refuse to write a graph to a file with the suffix of another format."""
    suffix = os.path.splitext(target)[1].lower()
    if suffix == ".gz":
        raise RequestError("graphs are not written compressed: leave out .gz", file=target)
    if suffix == ".meta":
        raise RequestError("a .meta is a MetaGraph, and this would be a graph: call it .pb", file=target)
    if what := other_format(target):
        raise RequestError(f"{what}, and this would be a graph: call it .pb", file=target)


def other_format(target: str) -> str:
    """Return what a file with this suffix is that is not a message: "an .onnx is a model of ONNX"; "" for others."""
    return _NOT_GRAPH_SUFFIXES.get(os.path.splitext(target)[1].lower(), "")


def short_name(path: str, stream: str) -> str:
    """Return the last part of a path, or the name of the `stream` that "-" stands for."""
    return stream if path == "-" else os.path.basename(path.rstrip(os.sep))


def uses_terminal(args: Any) -> bool:
    """Return whether the input or the output is a terminal."""
    streams = [stream for name, stream in ((args.source, sys.stdin), (args.target, sys.stdout)) if name == "-"]
    return any(stream is not None and stream.isatty() for stream in streams)
