"""`convert` to a file of ONNX."""

from __future__ import annotations

from typing import Any

from ..errors import GraphError, RunError, TransformError
from ..export.onnx.export import save_onnx
from ..files.model_file import ModelFile
from ..source.model_source import ModelSource
from .freeze import explain_missing_checkpoint
from .input_options import parse_bindings, parse_shapes
from .json_report import print_report
from .messages import RequestError, UsageError, warn
from .output_options import check_writable, target_name, uses_terminal
from .parser import given
from .progress import Progress


def convert_to_onnx(args: Any, file: ModelFile) -> int:
    """Write a model that was read as a file of ONNX, and return the exit status."""
    _check_options(args)
    signature = args.signature[0] if args.signature else None
    with Progress(quiet=uses_terminal(args)) as progress:
        source = ModelSource.of(file, checkpoint=args.checkpoint, signature=signature, tags=args.tags)
        try:
            with explain_missing_checkpoint(args.source, args.checkpoint):
                saved = save_onnx(
                    source,
                    args.target,
                    args.inputs,
                    args.outputs,
                    opset=args.opset,
                    bind=parse_bindings(args) or not args.no_bind,
                    shapes=parse_shapes(args, unknown=True) or None,
                    batch_size=args.batch_size,
                    external_data=args.external_data,
                    verify=args.verify is not False,
                    progress=progress.each(""),
                    **given(args, "names"),
                )
        except ValueError as error:
            raise UsageError(f"--opset: {error}") from error
        except (GraphError, RunError, TransformError) as error:
            raise RequestError(str(error), file=args.source) from error
    for note in saved.notes:
        warn(note)
    if saved.unverified:
        warn(f"not verified: {saved.unverified}", "warning")
    warn(f"{target_name(args.target)}: {saved.describe()}")
    if args.json:
        print_report([args.source], [args.target], {"to": "onnx", **saved.as_dict()})
    return 0


def _check_options(args: Any) -> None:
    """Refuse options that do not go with ONNX, and a file that cannot be written."""
    if args.target == "-":
        raise UsageError("a file of ONNX cannot go to standard output: name it as OUT")
    used = {"--from": args.form, "--type": args.type, "--allow-unknown-field": args.allow_unknown_field}
    used |= {"--deterministic": args.deterministic, "--include": args.include, "--proto": args.proto}
    used |= {"--preserving-proto-field-name": args.preserving_proto_field_name}
    used |= {"--assets": args.assets, "--op-defs": args.op_defs}
    for option, value in used.items():
        if value:
            raise UsageError(f"{option} does not go with ONNX as OUT: leave it out")
    if len(args.signature) > 1 or any("=" in name for name in args.signature):
        raise UsageError("with ONNX as OUT, --signature names one signature; --inputs and --outputs name tensors")
    if args.bind and args.no_bind:
        raise UsageError("--bind and --no-bind contradict each other")
    check_writable(args.target)
