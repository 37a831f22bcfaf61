"""List, verify, export or rewrite the tensors of a checkpoint.

CHECKPOINT is the prefix of its files ("model.ckpt-1000"), any of these files, or a folder: that of a SavedModel, a
folder with only one checkpoint, or one with the state file "checkpoint", which names the latest. Version 2 (an index
and data files) and version 1 (one file, or several: "model-00000-of-00003") are both supported.

A tensor of a TF2 checkpoint is named by the path of attributes from the saved object to the variable:
"model/dense/kernel" stands for the key "model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE". Slots of an optimizer are
listed under its name: "optimizer/m/model/dense/kernel". --keys shows the keys themselves.

--objects prints the objects of a TF2 checkpoint as a tree, with the variables of each: see `summarize --objects`.

--write-checkpoint writes a checkpoint with the tensors of --name, or all: --rename changes their keys, --drop and
--drop-optimizer leave some out, --cast stores them in other types. All patterns are compared with the old names. The
object graph of a TF2 checkpoint follows, so that tf.train.Checkpoint restores the same Python objects from it.

examples:
  tfmodel checkpoint model.ckpt-1000
  tfmodel checkpoint saved_model/ --name 'dense/*' --name '*bias'
  tfmodel checkpoint training/ --verify
  tfmodel checkpoint model.ckpt-1000 --objects --depth 2
  tfmodel checkpoint model.ckpt-1000 -o weights.npz           (numpy.load("weights.npz")["dense/kernel"])
  tfmodel checkpoint model.ckpt-1000 -o weights               (a folder: weights/dense/kernel.npy)
  tfmodel checkpoint model.ckpt-1000 --rename '^encoder/=bert/encoder/' --drop-optimizer --write-checkpoint new.ckpt
  tfmodel checkpoint model.ckpt-1000 --cast float16 --write-checkpoint half.ckpt
  tfmodel checkpoint model.ckpt-1000 --json | jq -r '.tensors[] | [.name, .dtype] | @tsv'
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import prod
from typing import Any

import tfmodel
from pbwire.arguments import DONE, NO

from ..files.checkpoints.checkpoint import Checkpoint, problems
from ..files.checkpoints.entries import Entry
from ..files.checkpoints.index import OBJECT_GRAPH_KEY, SliceKey
from ..values.dtypes import DTYPES, dtype_name
from ..values.report import report_json
from ..values.steps import in_steps
from ..values.terminal import align_columns, escape
from .checkpoint_rewriting import add_rewriting, refuse_changes, rewrite
from .messages import RequestError, UsageError, warn
from .output_options import add_output, check_array_target, is_archive
from .parser import Parser, positive
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("checkpoint", metavar="CHECKPOINT", help="the checkpoint; see below")
    add(
        "--name",
        action="append",
        default=[],
        metavar="GLOB",
        help="only tensors whose name or key matches; may be repeated",
    )
    parser.add_flag("--keys", help="show the keys in the file instead of readable names")
    parser.add_flag("--objects", help="print the objects of a TF2 checkpoint as a tree")
    add("--depth", metavar="N", type=positive, help="with --objects: the number of levels below the root")
    parser.add_flag("--all", help="with --objects: also print what Keras and optimizers keep for themselves")
    verify_help = "read all tensors and report all damage; the exit status is 1 if there is any"
    parser.add_flag("--verify", help=verify_help)
    output_help = "write the tensors: to an archive if OUT ends with .npz or is -, else to a folder of .npy files"
    add_output(parser, help=output_help)
    add_rewriting(parser)
    parser.add_flag("--json", help="print JSON")
    parser.add_former_flags("checkpoint")


@dataclass(frozen=True, slots=True)
class Row:
    """A tensor of the list."""

    name: str
    key: str
    entry: Entry

    @property
    def size(self) -> int | None:
        """The size of the tensor in bytes; None for strings and unknown dtypes in a V1 checkpoint."""
        if self.entry.size is not None:
            return self.entry.size
        row = DTYPES.get(self.entry.dtype)
        return None if row is None or row.is_object else prod(self.entry.shape) * row.itemsize


def run(args: Any) -> int:
    if args.checkpoint == "-":
        raise UsageError("a checkpoint is several files, which cannot come from standard input")
    if args.verify:
        others = ("output", "name", "keys", "objects", "depth", "all", "write_checkpoint")
        chosen = next((f"--{name.replace('_', '-')}" for name in others if getattr(args, name)), None)
        if chosen:
            raise UsageError(f"--verify is about the whole checkpoint: {chosen} does not go with it")
        return _verify(args)
    if args.write_checkpoint:
        return rewrite(args)
    refuse_changes(args)
    _check_objects(args)
    if args.output and args.json:
        raise UsageError("--json prints the list: it does not go with -o")
    if args.output:
        check_array_target(args.output)
    with Checkpoint(args.checkpoint) as checkpoint:
        if args.objects:
            _write(_objects(checkpoint, args))
            return 0
        rows = list(_rows(checkpoint, args))
        for glob in args.name:
            if not any(fnmatchcase(name, glob) for row in rows for name in (row.name, row.key)):
                raise RequestError(f"no tensor matches --name {glob}", file=args.checkpoint)
        if args.output:
            return _export(checkpoint, rows, args)
        _write(_json_list(checkpoint, rows) if args.json else _table(checkpoint, rows))
    return 0


def _check_objects(args: Any) -> None:
    """Raise UsageError for options that do not go with --objects, or that need it."""
    if args.objects:
        chosen = next((f"--{name}" for name in ("output", "name", "keys") if getattr(args, name)), None)
        if chosen:
            raise UsageError(f"--objects is about the whole checkpoint: {chosen} does not go with it")
        if args.all and args.json:
            raise UsageError("--json has all objects: leave out --all")
    elif args.depth is not None or args.all:
        option = "--all" if args.all else "--depth"
        raise UsageError(f"{option} is for the tree of --objects: add --objects, or leave it out")


def _objects(checkpoint: Checkpoint, args: Any) -> Iterable[str]:
    tree = tfmodel.object_tree(checkpoint)
    return [tree.to_json(depth=args.depth)] if args.json else tree.lines(depth=args.depth, internal=args.all)


def _write(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _rows(checkpoint: Checkpoint, args: Any) -> Iterator[Row]:
    graph = None if args.keys else checkpoint.object_graph
    for key, entry in checkpoint.entries.items():
        name = graph.name_of(key) if graph else key
        if not args.name or any(fnmatchcase(candidate, glob) for glob in args.name for candidate in (name, key)):
            yield Row(name, key, entry)


# --- listing ---------------------------------------------------------------------------------------------------------


def _table(checkpoint: Checkpoint, rows: list[Row]) -> Iterator[str]:
    def cells() -> Iterator[tuple[str, ...]]:
        yield "name", "dtype", "shape", "bytes", "shard"
        for row in rows:
            entry = row.entry
            size = "" if row.size is None else f"{row.size:,}"
            yield escape(row.name), dtype_name(entry.dtype), str(list(entry.shape)), size, _shards(entry)

    yield from align_columns(cells(), right=(3, 4), names=(0,))
    yield ""
    yield _total(checkpoint, rows)


def _shards(entry: Entry) -> str:
    """Return the number of the tensor's file; for a tensor in parts, the range of files: `0-2 (6 parts)`."""
    if entry.shard is not None:
        return str(entry.shard)
    shards = sorted({part.shard for part in entry.slices})
    span = str(shards[0]) if len(shards) == 1 else f"{shards[0]}-{shards[-1]}"
    return f"{span} ({len(entry.slices):,} parts)"


def _total(checkpoint: Checkpoint, rows: list[Row]) -> str:
    count = f"{len(rows):,} tensor{'' if len(rows) == 1 else 's'}"
    if len(rows) != len(checkpoint):
        count += f" of {len(checkpoint):,}"
    unknown = sum(row.size is None for row in rows)
    more = f" and {unknown:,} of unknown size" if unknown else ""
    return f"{count}, {sum(row.size or 0 for row in rows):,} bytes{more} (checkpoint V{checkpoint.version})"


def _json_list(checkpoint: Checkpoint, rows: list[Row]) -> Iterator[str]:
    document = {
        "prefix": checkpoint.prefix,
        "version": checkpoint.version,
        "tensors": [_json_row(row) for row in rows],
        "bytes": sum(row.size or 0 for row in rows),
    }
    yield report_json(document)


def _json_row(row: Row) -> dict[str, Any]:
    entry = row.entry
    facts: dict[str, Any] = {
        "name": row.name,
        "key": row.key,
        "dtype": dtype_name(entry.dtype),
        "shape": list(entry.shape),
        "bytes": row.size,
        "shard": entry.shard,
        "offset": entry.offset,
    }
    if entry.slices:
        facts["parts"] = [
            {
                "slice": str(SliceKey("", part.extents))[1:-1],
                "shape": list(part.shape),
                "bytes": part.size,
                "shard": part.shard,
                "offset": part.offset,
            }
            for part in entry.slices
        ]
    return facts


# --- checking --------------------------------------------------------------------------------------------------------


def _verify(args: Any) -> int:
    read = 0

    def reading(name: str) -> None:
        nonlocal read
        read += 1
        progress.each("reading")(name)

    problems_found = []
    with Progress() as progress:
        for problem in problems(args.checkpoint, reading=reading):
            problems_found.append(escape(str(problem)))
            if not args.json:
                _write(problems_found[-1:])
    count = f"{read:,} tensor{'' if read == 1 else 's'}"
    if args.json:
        _write([report_json({"sound": not problems_found, "tensors": read, "problems": problems_found})])
    elif problems_found:
        _write(
            [f"damaged: {len(problems_found):,} problem{'' if len(problems_found) == 1 else 's'}, {count} looked at"]
        )
    else:
        _write([f"sound: {count}"])
    return NO if problems_found else DONE


# --- exporting -------------------------------------------------------------------------------------------------------


def _export(checkpoint: Checkpoint, rows: list[Row], args: Any) -> int:
    from ..files.array_files import NotExported, folder_writer, npz_writer

    to_archive = is_archive(args.output)
    by_key = {row.key: row for row in rows if row.key != OBJECT_GRAPH_KEY or args.name}
    done, size = 0, 0
    with contextlib.ExitStack() as stack:
        progress = stack.enter_context(Progress(quiet=args.output == "-" and sys.stdout.isatty()))
        add = stack.enter_context((npz_writer if to_archive else folder_writer)(args.output))
        begin = in_steps(progress.each("writing"), sum(row.size or 0 for row in by_key.values()))
        for key in checkpoint.in_file_order():
            if key not in by_key:
                continue
            name = by_key[key].name
            begin(name, by_key[key].size or 0)
            array = checkpoint[key]
            try:
                add(name, array)
            except NotExported as error:
                warn(f"{escape(args.checkpoint)}: left out {escape(name)}: {error}", "warning")
                continue
            done, size = done + 1, size + array.nbytes
    if args.output != "-":
        where = args.output if to_archive else os.path.join(args.output, "")
        warn(f"{escape(where)}: {done:,} array{'' if done == 1 else 's'}, {size:,} bytes")
    return 0
