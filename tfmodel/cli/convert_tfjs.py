"""`convert` to the folder of a TensorFlow.js model."""

from __future__ import annotations

from typing import Any

from ..export.tfjs.weights import QUANTIZED_DTYPES
from ..export.tfjs.writer import SHARD_SIZE, save_tfjs
from ..files.model_file import open_file
from ..source.model_source import ModelSource
from .json_report import print_report
from .messages import RequestError, UsageError, warn
from .output_options import check_writable, short_name, target_name, uses_terminal
from .progress import Progress


def convert_to_tfjs(args: Any) -> int:
    """Write the folder of a TensorFlow.js model, and return the exit status."""
    _check_tfjs_options(args)
    globs = {dtype: getattr(args, f"quantize_{dtype}") for dtype in QUANTIZED_DTYPES}
    with Progress(quiet=uses_terminal(args)) as progress:
        progress.doing(f"reading {short_name(args.source, 'standard input')}")
        file = open_file(args.source, lazy=True, max_unpacked=args.max_unpacked) if args.max_unpacked else args.source
        signature = args.signature[0] if args.signature else None
        source = ModelSource.of(file, checkpoint=args.checkpoint, signature=signature, tags=args.tags)
        try:
            saved = save_tfjs(
                source,
                args.target,
                args.inputs,
                args.outputs,
                quantize={dtype: text.split(",") for dtype, text in globs.items() if text is not None},
                shard_size=args.weight_shard_size_bytes or SHARD_SIZE,
                progress=progress.each(""),
            )
        except ValueError as error:
            raise RequestError(str(error), file=args.source) from error
    for note in saved.notes:
        warn(note)
    warn(f"{target_name(args.target)}: {saved.describe()}")
    if args.json:
        facts = {"inputs": saved.inputs, "outputs": saved.outputs, "weights": saved.weights}
        print_report([args.source], [args.target], {"to": "tfjs", **facts, "unsupported_ops": saved.unsupported_ops})
    return 0


def _check_tfjs_options(args: Any) -> None:
    """Refuse options that do not go with TensorFlow.js, and a folder that cannot be written."""
    if args.target == "-":
        raise UsageError("a TensorFlow.js model is a folder: name it as OUT")
    used = {"--from": args.form, "--type": args.type, "--allow-unknown-field": args.allow_unknown_field}
    used |= {"--deterministic": args.deterministic}
    used |= {"--preserving-proto-field-name": args.preserving_proto_field_name}
    used |= {"--assets": args.assets, "--op-defs": args.op_defs, "--proto": args.proto, "--include": args.include}
    for option, value in used.items():
        if value:
            raise UsageError(f"{option} does not go with --to tfjs: leave it out")
    if len(args.signature) > 1 or any("=" in name for name in args.signature):
        raise UsageError("with --to tfjs, --signature names one signature; --inputs and --outputs name tensors")
    if args.weight_shard_size_bytes == 0:
        raise UsageError("--weight-shard-size-bytes must be at least 1")
    check_writable(args.target, is_folder=True)
