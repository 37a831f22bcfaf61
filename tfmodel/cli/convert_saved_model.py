"""`convert` to the folder of a SavedModel."""

from __future__ import annotations

import re
from typing import Any

from ..export.saved_model.writing import saved_model_files
from ..files.model_file import open_file
from ..messages import MetaGraphDef
from ..ops import own_ops
from ..source.metagraph import tensors_by_key
from ..source.model_source import ModelSource, names_of
from ..values.names import split_at_colon
from ..values.terminal import quote
from .import_report import graphs_of, import_status
from .input_options import pairs
from .json_report import print_report
from .messages import UsageError, warn
from .output_options import check_writable, short_name, target_name
from .progress import Progress


def convert_to_saved_model(args: Any) -> int:
    """Write the folder of a SavedModel, and return the exit status."""
    _check_saved_model_options(args)
    signatures, assets = _signatures(args.signature), _assets(args.assets)
    with Progress(quiet=False) as progress:
        progress.doing(f"reading {short_name(args.source, 'standard input')}")
        file = open_file(args.source, lazy=True, max_unpacked=args.max_unpacked) if args.max_unpacked else args.source
        source = ModelSource.of(file, checkpoint=args.checkpoint)
        if args.tags is not None and source.is_saved_model:
            source = ModelSource.of(source, tags=args.tags)
        files = saved_model_files(
            source,
            signatures=signatures,
            tags=args.tags,
            assets=assets,
            op_defs=args.op_defs,
            deterministic=args.deterministic,
        )
        graphs, declared = graphs_of(files.message), own_ops(files.message)
        status = import_status(graphs, args.target, file=source.name, op_defs=args.op_defs, declared=declared)
        progress.doing(f"writing {args.target}")
        files.write(args.target)
    for note in files.notes:
        warn(note)
    warn(f"{target_name(args.target)}: {files.describe()}")
    if args.json:
        metas = [{"signatures": list(meta.signature_def), "tags": _tags(meta)} for meta in files.message.meta_graphs]
        print_report([args.source], [args.target], {"to": "saved_model", "meta_graphs": metas})
    return status


def _tags(meta: MetaGraphDef) -> list[str]:
    return list(meta.meta_info_def.tags) if meta.meta_info_def is not None else []


def _check_saved_model_options(args: Any) -> None:
    """Refuse options that a SavedModel does not allow, and a folder that cannot be written."""
    if args.target == "-":
        raise UsageError("a SavedModel is a folder: name it as OUT")
    used = {"--from": args.form, "--type": args.type, "--allow-unknown-field": args.allow_unknown_field}
    used |= {"--preserving-proto-field-name": args.preserving_proto_field_name, "--proto": args.proto}
    used["--include"] = args.include
    for option, value in used.items():
        if value:
            raise UsageError(f"{option} does not go with a SavedModel as OUT: convert IN to a file first")
    check_writable(args.target, is_folder=True)


def _signatures(options: list[str]) -> dict[str, Any] | None:
    """Return the signatures of --signature by name, in the form of `save_saved_model`; None without the option."""

    signatures: dict[str, Any] = {}
    for option in options:
        name, equals, text = option.partition("=")
        if name in signatures:
            raise UsageError(f"--signature is given twice for {quote(name)}")
        sides = split_at_colon(text)
        is_alias = bool(text) and sides is None and not re.search("[=,:]", text)
        if not name or (equals and not is_alias and (sides is None or not sides[1])):
            raise UsageError(f"--signature takes NAME, NEW=NAME, or NAME=INPUTS:OUTPUTS, not {quote(option)}")
        signatures[name] = text if is_alias else None
        if sides is not None:
            keyed = []
            for side in sides:
                tensors = names_of(side)
                plain = tensors_by_key(tensor for tensor in tensors if "=" not in tensor)
                keyed.append(plain | pairs([tensor for tensor in tensors if "=" in tensor], "--signature"))
            signatures[name] = {"inputs": keyed[0], "outputs": keyed[1]}
    return signatures or None


def _assets(options: list[str]) -> dict[str, str] | list[str]:
    """Return the files of --assets: by node if all options name nodes, else a list."""
    named = [option for option in options if "=" in option]
    if named and len(named) < len(options):
        raise UsageError("--assets takes NODE=FILE each time, or FILE each time")
    return pairs(options, "--assets") if named else options
