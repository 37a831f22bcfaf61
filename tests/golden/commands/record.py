"""Record what every command prints and writes: `python -m tests.golden.commands.record` writes NAME.txt again.

A file begins with the options of its command. A record is a command line after "$ ", and below it

    | a line of standard output, ! one of standard error
    > a file that was written, with its size and content: lines of text, nodes of a graph, arrays, or a digest
    = the exit status, unless it is 0

Without a change of behaviour, no file changes. `VARIES` is all that is left out of what is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np

import tfmodel.cli
from pbwire import Error, text
from tests.data.pages import parts
from tfmodel.cli import COMMANDS
from tfmodel.cli import main as run_command
from tfmodel.cli.parser import Parser
from tfmodel.messages import GraphDef, MetaGraphDef, SavedModel

from .cases import NAMES, Case, cases
from .models import write_keras_model, write_models

__all__ = ["FOLDER", "models", "recorded"]

FOLDER = Path(__file__).parent
VARIES = {
    r"\b\d+\.\d+ (?=m?s\b)": "0.00 ",
    r'(?<="seconds": )[\d.e-]+': "0.00",
    r"\btfmodel \d+\.\d+\.\d+": "tfmodel VERSION",
    r"\b\d+ files, [\d,]+ bytes": "N files, N bytes",  # of a copy of tfmodel
    r"(?m)(^write .*\n)+": "write N files\n",  # the same
    r"(?<=: page, )[\d,]+(?= bytes)": "N",  # it has the script of pages
}
"""Patterns in the output that differ between machines, versions of Python and commits, and the text instead."""
MAX_LINES = 60
"""Lines of a text that are recorded; a digest stands for the others."""


@contextlib.contextmanager
def models(*, keras: bool = False) -> Iterator[None]:
    """Make a folder with the models the current folder, and terminals 80 columns wide."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, COLUMNS="80"):
        write_models(Path(folder))
        if keras:
            write_keras_model(Path(folder))
        with contextlib.chdir(folder):
            yield


def recorded(name: str) -> str:
    """Run the commands of a file in the current folder, and return what belongs into the file."""
    return "\n".join([*([_options(name)] if name in COMMANDS else []), *(_record(case) for case in cases(name))])


def _options(command: str) -> str:
    """List the arguments of a command with their metavars; those that the help does not name stand in parentheses."""
    parser = Parser(prog=command, add_help=False)
    module, summary = COMMANDS[command]
    importlib.import_module(module, tfmodel.cli.__name__).add_arguments(parser)
    lines = [f"{command}: {summary}"]
    for action in parser._actions:
        value = "" if action.nargs == 0 else f" {action.metavar or action.choices or action.dest.upper()}"
        line = f"{', '.join(action.option_strings)}{value}".strip()
        lines.append(f"  ({line})" if action.help == argparse.SUPPRESS else f"  {line}")
    return "\n".join([*lines, ""])


def _record(case: Case) -> str:
    before = _files()
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True) for _ in range(2))
    stdin = io.TextIOWrapper(io.BytesIO(Path(case.stdin).read_bytes() if case.stdin else b""))
    with contextlib.ExitStack() as stack:
        for stream, replacement in (("stdin", stdin), ("stdout", out), ("stderr", err)):
            stack.enter_context(mock.patch.object(sys, stream, replacement))
        status = run_command(case.words)
    lines = [f"$ tfmodel {case.line}", *_prefixed("|", _printed(out)), *_prefixed("!", _printed(err))]
    written = {path: data for path, data in _files().items() if before.get(path) != data}
    for path, data in sorted(written.items()):
        if case.words[0] != "vendor":  # its files change with every commit
            lines += [f"> {path}", *(f">   {line}" for line in _content(path, data))]
    _restore(before)
    return "\n".join([*lines, *([f"= {status}"] if status else []), ""])


def _printed(stream: io.TextIOWrapper) -> list[str]:
    data = stream.buffer.getvalue()  # type: ignore[attr-defined]
    try:
        printed = data.decode()
    except UnicodeDecodeError:
        return [f"{len(data):,} bytes: {_digest(data)}"]
    for pattern, same in VARIES.items():
        printed = re.sub(pattern, same, printed)
    return _shortened(printed)


def _prefixed(mark: str, lines: list[str]) -> list[str]:
    return [f"{mark} {line}".rstrip() if line.isspace() or not line else f"{mark} {line}" for line in lines]


def _shortened(content: str) -> list[str]:
    lines = content.split("\n")[: -1 if content.endswith("\n") else None]
    if len(lines) <= MAX_LINES:
        return lines
    return [*lines[: MAX_LINES - 10], f"... {len(lines)} lines, {_digest(content.encode())} ...", *lines[-5:]]


def _digest(data: bytes) -> str:
    return f"sha256 {hashlib.sha256(data).hexdigest()[:16]}"


# --- files -----------------------------------------------------------------------------------------------------------


def _files() -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def _restore(before: dict[str, bytes]) -> None:
    """Remove files and folders that a command has written."""
    for path in sorted(Path().rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        elif path.is_file() and before.get(path.as_posix()) != path.read_bytes():
            assert path.as_posix() not in before, f"a command changed the model {path}"
            path.unlink()


def _content(path: str, data: bytes) -> list[str]:
    """Return the lines for a written file."""
    match path.rpartition(".")[2]:
        case "pbtxt" | "json" | "dot" | "txt":
            return _shortened(data.decode())
        case "html":
            return _page(data)
        case "npz" | "npy":
            return _arrays(data)
        case "pb" | "meta":
            return [f"{len(data):,} bytes, {_digest(data)}", *_nodes(path, data)]
    return [f"{len(data):,} bytes, {_digest(data)}"]


def _nodes(path: str, data: bytes) -> Iterator[str]:
    """List the nodes of a graph as NAME = OP(INPUTS)."""
    try:
        if path.endswith("saved_model.pb"):
            (meta,) = SavedModel.from_bytes(data).meta_graphs
        else:
            meta = MetaGraphDef.from_bytes(data) if path.endswith(".meta") else None
        graph = GraphDef.from_bytes(data) if meta is None else meta.graph_def or GraphDef()
    except Error as error:
        yield f"not a graph: {error}"
        return
    for node in graph.node:
        yield f"{node.name} = {node.op}({', '.join(node.input)})"
    for key, signature in sorted(meta.signature_def.items() if meta is not None else ()):
        yield f"signature {key}: {text.dumps(signature, as_one_line=True)}"


def _page(data: bytes) -> list[str]:
    """Describe the data of a page; its frame is that of the pages in tests/data/pages."""
    _, header, columns = parts(data)
    keys = ", ".join(header) if header else "no data"
    return [f"data: {keys}", f"columns: {len(columns):,} bytes, {_digest(columns)}"]


def _arrays(data: bytes) -> list[str]:
    loaded = np.load(io.BytesIO(data))
    arrays = {"array": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    return [
        f"{name}: {array.dtype.str}{[*array.shape]} {array.tolist() if array.size <= 16 else _digest(array.tobytes())}"
        for name, array in arrays.items()
    ]


def main() -> None:
    has_h5py = importlib.util.find_spec("h5py") is not None
    with models(keras=has_h5py):
        for name in NAMES:
            if name == "keras" and not has_h5py:
                print("keras.txt is left as it is: it needs h5py")
                continue
            (FOLDER / f"{name}.txt").write_text(recorded(name), encoding="utf-8")


if __name__ == "__main__":
    main()
