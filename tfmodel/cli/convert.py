"""Convert a model file between binary, text format (.pbtxt) and JSON, to a SavedModel, or from and to TensorFlow.js.

IN is a file in any of these formats, compressed with gzip or not, the folder of a SavedModel, the prefix of a
checkpoint (its .meta is read), or - for standard input. Its format is detected from its content, not from its name: a
"model.ckpt.json" that export_meta_graph(as_text=True) has written is text format.

OUT is a file, or - for standard output. Its name selects the format, or --to does:
  binary   .pb .meta .onnx
  text     .pbtxt .textproto .txtpb
  json     .json
A file OUT is written completely or not at all, and may be IN itself. Text is what protobuf's
text_format.MessageToString prints, JSON what its json_format.MessageToJson prints; protobuf in every language reads
both. --proto declares a message inside Any that tfmodel does not know. Neither can hold unknown fields, which binary
files of a later TensorFlow may have: a warning says how many were left out.

An ONNX model as IN, in binary, text or JSON, becomes another of these forms.

If OUT ends with /, or with --to saved_model, the folder of a SavedModel is written, which TensorFlow loads and serves.
IN is then a whole model: a graph, a .meta with its checkpoint, or a SavedModel, which is written without a loss. The
folder must be new or empty, and appears when it is complete. A graph without signatures gets "serving_default", with
the likely inputs and outputs, which are printed. --signature names others: INPUTS and OUTPUTS are tensors, separated by
commas, each with a key of the signature in front if it is not the name of the node (scores=softmax:0). NAME alone keeps
this signature of the model, and NEW=NAME keeps it under another name; those that are not named are left out. Functions
of a SavedModel without signatures, such as __call__, can be named too. --assets names files that the graph reads, such
as vocabularies: their names are those in the constants of the graph, or NODE is the constant.

A TensorFlow.js graph model (a model.json with its files of weights, or the folder) becomes a frozen graph, or with the
name OUT.meta a MetaGraph with its signature. With --to tfjs, OUT is a new folder for such a model: variables are
frozen, only what the outputs need is kept, and inputs and outputs are those of the signature or the likely ones. Ops
that TensorFlow.js does not have are named, and so are weights whose values change, as JavaScript has no int64 and no
float64.

If OUT ends with .onnx, or with --to onnx, and IN is a model of TensorFlow, it is converted to ONNX: variables are
frozen, what training needs is dropped, and each op becomes operators of ONNX. --inputs, --outputs, --bind, --no-bind,
--shape, --batch-size and --signature are those of optimize; --names signature, the default where there is a signature,
names inputs and outputs by its keys. --opset is the version of the operators, 17 without it: runtimes of 2022 and later
have that. Nodes that have no counterpart in ONNX are named, all at once, and nothing is written. Notes say where the
numbers differ: random ops, float64 layers, Log1p. If onnxruntime is installed, the file is run beside the graph, and
written only if the results are equal; --no-verify skips that. A model of 2 GiB and more has its tensors in a second
file, OUT.data; so has any with --external-data.

With --to opencv, a frozen graph becomes the two files that OpenCV's readNet and readNetFromTensorflow take: OUT.pb, and
OUT.pbtxt without constants, which OpenCV would add twice. Without OUT, the .pbtxt is written beside IN.

examples:
  tfmodel convert frozen.pb frozen.pbtxt
  tfmodel convert edited.pbtxt frozen.pb
  tfmodel convert saved_model/ graph.pbtxt --type GraphDef --tags serve
  curl -s https://example.com/graph.pbtxt.gz | tfmodel convert - graph.json
  tfmodel convert model.meta - --to json | jq '.graphDef.node[].name'
  tfmodel convert export.meta export.json --proto tensorflow_serving/session_bundle/manifest.proto
  tfmodel convert frozen.pb serving/1/ --signature serving_default=image=input:scores=softmax
  tfmodel convert saved_model/ serving/1/ --signature serving_default=__call__
  tfmodel convert model.ckpt-1000.meta serving/1/ --assets words.txt
  tfmodel convert web_model/ frozen.pb
  tfmodel convert saved_model/ model.onnx
  tfmodel convert frozen.pb model.onnx --inputs image --outputs scores --shape image=?,224,224,3
  tfmodel convert frozen.pb --to opencv
  tfmodel convert saved_model/ web_model/ --to tfjs --quantize-uint8 '*'
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pbwire.atomic import writable
from pbwire.errors import EncodeError
from pbwire.message import Message

from ..files.access.forms import FORMS, Form, form_of
from ..files.decoding import decode_file
from ..files.detection import is_onnx, suffix_problem
from ..files.detection.formats import write
from ..files.model_file import ModelFile, open_file
from ..messages import GraphDef
from ..ops import own_ops
from ..reports.wire import count_unknown_fields
from .import_report import graphs_of, import_status
from .input_options import add_bind, add_proto_options, add_reading_options, refuse_allow_unknown_field, requested_types
from .json_report import add_json, check_json, print_report
from .messages import RequestError, UsageError, unwritable, warn
from .model_options import add_checkpoint, add_op_defs
from .output_options import check_writable, other_format, say_written, short_name, uses_terminal
from .parser import Parser, byte_size, positive
from .progress import Counting, Progress

SHOWN = 4  # unknown fields that a warning names

_SAVED_MODEL = "saved_model"
_FOR_SAVED_MODELS = ("--assets",)
_FOR_BOTH = ("--signature", "--checkpoint")
_TFJS = "tfjs"
_OPENCV = "opencv"
_ONNX = "onnx"
_QUANTIZED = ("float16", "uint8", "uint16")
_FOR_TENSORS = ("--inputs", "--outputs")
_FOR_TFJS = (*(f"--quantize-{dtype}" for dtype in _QUANTIZED), "--weight-shard-size-bytes")
_FOR_ONNX = ("--opset", "--bind", "--no-bind", "--shape", "--batch-size", "--names", "--external-data", "--verify")


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("source", metavar="IN", help="the file to read; see below")
    add("target", metavar="OUT", nargs="?", help="the file to write; see below")
    add("--from", dest="form", choices=FORMS, help="the format of IN, instead of detecting it")
    to_help = "the format of OUT, instead of that of its name; opencv is a .pb and a .pbtxt for OpenCV's readNet"
    add("--to", choices=[*FORMS, _SAVED_MODEL, _TFJS, _ONNX, _OPENCV], help=to_help)
    parser.add_flag("--deterministic", help="sort maps in binary too, so that equal messages have equal bytes")
    names_help = "write JSON with the field names of .proto files: tensor_shape instead of tensorShape"
    parser.add_flag("--preserving-proto-field-name", help=names_help)
    add_proto_options(parser)
    add_reading_options(parser, "IN", also_tags="of a SavedModel to write, or of a new one")
    signature_help = "with a SavedModel as OUT, NAME, NEW=NAME or NAME=INPUTS:OUTPUTS; see below; may be repeated"
    add(
        "--signature",
        "--function",
        metavar="NAME[=INPUTS:OUTPUTS]",
        action="append",
        default=[],
        help=signature_help,
    )
    assets_help = "with a SavedModel as OUT, FILE or NODE=FILE, a file that the graph reads; may be repeated"
    add("--assets", metavar="[NODE=]FILE", action="append", default=[], help=assets_help)
    checkpoint_help = "with a SavedModel as OUT, the checkpoint with the values, if it is not beside IN"
    add_checkpoint(parser, help=checkpoint_help)
    add_op_defs(parser)
    for side in ("inputs", "outputs"):
        add(f"--{side}", metavar="NAMES", help=f"for tfjs and onnx, the {side} of the model, separated by commas")
    for dtype in _QUANTIZED:
        globs_help = f"for tfjs, store these float32 weights as {dtype}: patterns with commas, or * for all"
        add(f"--quantize-{dtype}", metavar="GLOBS", help=globs_help)
    add("--opset", type=positive, metavar="N", help="for onnx, the version of its operators; the default is 17")
    add_bind(parser)
    add("--no-bind", action="store_true", help="for onnx, do not bind the inputs that only training sets")
    shape_help = "for onnx, give an input this shape, such as x=?,224,224,3; may be repeated"
    add("--shape", metavar="NAME=SIZES", action="append", default=[], help=shape_help)
    add("--batch-size", type=positive, metavar="N", help="for onnx, give inputs with a batch this first dimension")
    names_help = "for onnx, the names of inputs and outputs: the keys of the signature, or those of the graph"
    add("--names", choices=["graph", "signature"], help=names_help)
    parser.add_flag("--external-data", help="for onnx, write tensors to a second file")
    parser.add_flag("--verify", help="for onnx, run the file by onnxruntime and compare, which is done without it too")
    parser.set_defaults(external_data=None, verify=None)
    add_json(parser)
    size_help = "for tfjs, the size of a file of weights; the default is 4Mi"
    add("--weight-shard-size-bytes", type=byte_size, metavar="SIZE", help=size_help)


def run(args: Any) -> int:
    if args.to == _OPENCV:
        if unused := _given(args, (*_FOR_TFJS, *_FOR_ONNX, *_FOR_TENSORS, *_FOR_BOTH, *_FOR_SAVED_MODELS)):
            raise UsageError(f"{unused} does not go with --to {_OPENCV}: leave it out")
        from .convert_opencv import convert_to_opencv  # imports freezing

        return convert_to_opencv(args, _write)
    if args.target is None:
        raise UsageError("the following arguments are required: OUT")
    file = None
    if args.to == _ONNX or (args.to is None and args.target.lower().endswith(".onnx")):
        file = open_file(args.source, lazy=True, max_unpacked=args.max_unpacked)
        if args.to == _ONNX or not is_onnx(file.detection.cls):
            if unused := _given(args, _FOR_TFJS):
                raise UsageError(f"{unused} is for TensorFlow.js: leave it out")
            from .convert_onnx import convert_to_onnx  # imports the optimizer

            return convert_to_onnx(args, file)
    if unused := _given(args, _FOR_ONNX):
        raise UsageError(f"{unused} is for ONNX: add --to {_ONNX}, or leave it out")
    if args.to == _TFJS:
        from .convert_tfjs import convert_to_tfjs  # imports the optimizer

        return convert_to_tfjs(args)
    if unused := _given(args, _FOR_TFJS):
        raise UsageError(f"{unused} is for TensorFlow.js: add --to tfjs, or leave it out")
    if unused := _given(args, _FOR_TENSORS):
        raise UsageError(f"{unused} is for TensorFlow.js and ONNX: leave it out")
    if args.to == _SAVED_MODEL or (args.to is None and args.target.endswith(("/", os.sep))):
        from .convert_saved_model import convert_to_saved_model  # imports numpy

        return convert_to_saved_model(args)
    if unused := _given(args, (*_FOR_BOTH, *_FOR_SAVED_MODELS)):
        named = f"{unused} (or --function)" if unused == "--signature" else unused
        raise UsageError(f"{named} is about a SavedModel as OUT: add --to {_SAVED_MODEL}, or leave it out")
    check_json(args, args.target)
    form = _form(args)
    cls, args.types = requested_types(args)
    with Progress(quiet=uses_terminal(args)) as progress:
        name, message, input_form = _read(args, cls, progress, file if args.form is None and cls is None else None)
        if args.proto and cls is None and input_form == form == "binary":
            raise RequestError("--proto is about text and JSON, and both files are binary: leave it out", file=name)
        if args.to is None and (problem := suffix_problem(args.target, type(message))):
            raise RequestError(problem, file=args.target)
        left_out = count_unknown_fields(message) if input_form == "binary" and form != "binary" else None
        size = _write(message, name, form, args, progress)
    status = import_status(
        graphs_of(message), args.target, file=name, op_defs=args.op_defs, declared=own_ops(message), written=True
    )
    if is_onnx(type(message)):
        from .onnx_files import warn_of_other_files  # few files are ONNX models

        warn_of_other_files(message, args.source, args.target)
    if left_out:
        warn(f"{name}: {_describe_unknown_fields(left_out)}", "warning")
    say_written(args.target, form, size)
    if args.json:
        print_report([args.source], [args.target], {"to": form, "left_out": (left_out or Counter()).total()})
    return status


def _read(args: Any, cls: Any, progress: Progress, opened: ModelFile | None) -> tuple[str, Message, Form]:
    """Return the name of IN for errors, its message, and its format. Standard input can be opened once only."""
    what = short_name(args.source, "standard input")
    progress.doing(f"reading {what}")
    file = opened or open_file(args.source, cls, form=args.form, forced=True, max_unpacked=args.max_unpacked)
    refuse_allow_unknown_field(args, file)
    progress.doing(f"parsing {what}, {len(file.data):,} bytes")
    if file.detection.kind == "tfjs" and cls is None and not args.target.endswith(".meta"):
        cls = GraphDef
    message = decode_file(
        file, cls, tags=args.tags, forced=True, allow_unknown_field=args.allow_unknown_field, types=args.types
    )
    return file.name, message, file.detection.form


def _write(message: Message, name: str, form: Form, args: Any, progress: Progress) -> int:
    """Write a message, and return the number of bytes."""
    with writable(args.target) as target:
        counting = Counting(target)
        what = short_name(args.target, "standard output")
        progress.doing(f"writing {what}", lambda: f"{counting.size:,} bytes")
        try:
            write(
                message,
                counting,
                form,
                deterministic=args.deterministic,
                preserving_proto_field_name=args.preserving_proto_field_name,
                types=args.types,
            )
        except EncodeError as error:
            raise unwritable(error, form, name) from error
    return counting.size


def _describe_unknown_fields(left_out: Counter[tuple[str, int]]) -> str:
    """Describe the unknown fields that are not in the output."""
    fields = [f"field {number} of {full_name.removeprefix('tensorflow.')}" for full_name, number in left_out]
    text = ", ".join(fields[:SHOWN] + ["..."] * (len(fields) > SHOWN))
    total = left_out.total()
    what = "an unknown field" if total == 1 else f"{total:,} unknown fields"
    return f"left out {what}: {text}"


def _form(args: Any) -> Form:
    """Return the format to write. Raises an error before any work if OUT or the options do not allow it."""
    target = args.target
    if args.to is None and form_of(target) is None and (what := other_format(target)):
        raise RequestError(f"{what}, and this format is not supported", file=target)
    form: Form | None = args.to or form_of(target)
    check_writable(target, binary=form == "binary")
    if form is None:
        raise UsageError(f'"{target}" does not select a format: add --to binary, --to text or --to json')
    if args.preserving_proto_field_name and form != "json":
        raise UsageError(f"--preserving-proto-field-name is for JSON, and the output is {form}: leave it out")
    return form


def _given(args: Any, options: Iterable[str]) -> str:
    """Return the first of these options that is given; "" if none is."""
    values = {option: getattr(args, option[2:].replace("-", "_")) for option in options}
    return next(
        (option for option, value in values.items() if value is not None and value is not False and value != []), ""
    )
