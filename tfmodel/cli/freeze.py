"""Freeze a model: replace its variables by constants, and remove all nodes that the outputs do not need.

MODEL is the folder of a SavedModel, a .meta (or the prefix of its checkpoint), or a graph in binary, text or JSON whose
checkpoint is given by --checkpoint. The outputs are those of --outputs: keys of the signature, nodes or tensors (a node
with the name of a key is NODE:0). The default is all outputs of the signature: that of --signature, else
"serving_default", else the only one. Without one, the likely outputs are used and printed. If no output is certain
enough, the candidates are listed and nothing is written. Tensors of a signature keep their names. If a run of the graph
assigns a value to a variable, this value is lost at the end of the run; a warning names such variables.
Lines say, too, if the outputs need random numbers, or batch norms with the statistics of the batch.

--bind makes a tensor a constant of the frozen graph, such as keep_prob or is_training.

OUT is a graph: in text format if its name ends with .pbtxt, in JSON if it ends with .json, else binary; - is standard
output. It is written completely or not at all.

The flags of TensorFlow's freeze_graph work as before, with three differences: --output_node_names may be left out; the
format of a file is detected, and --input_binary only checks it; only one model may be given.
Values are read from the checkpoint, not from a session, so --input_saver, --checkpoint_version, --restore_op_name,
--filename_tensor_name and --initializer_nodes have no effect, which a line says unless they are empty.

examples:
  tfmodel freeze saved_model/ -o frozen.pb
  tfmodel freeze saved_model/ --signature classify --tags serve,gpu -o frozen.pb
  tfmodel freeze model.ckpt-1000 --outputs logits,probabilities:0 -o frozen.pbtxt
  tfmodel freeze model.ckpt-1000 --outputs logits --bind keep_prob=1 --bind is_training=false -o frozen.pb
  tfmodel freeze --input_graph=graph.pbtxt --input_checkpoint=model.ckpt --output_node_names=softmax --output_graph=f.pb
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from pbwire.atomic import writable

from ..analysis.deployment import batch_note, random_note
from ..files.access.forms import form_of
from ..files.detection.formats import write
from ..files.model_file import ModelFile, open_file
from ..graph.error_text import list_names
from ..graph.tables import describe_tables
from ..messages import GraphDef
from ..ops import own_ops
from ..source.assets import pointer_notes
from ..source.model_source import ModelSource
from ..starting import command_prefix
from ..values.names import data_inputs, node_name
from ..values.terminal import count_of, quote
from .import_report import import_status
from .input_options import add_bind, add_rename, parse_bindings, renamed_checkpoint
from .json_report import add_json, check_json, print_report
from .messages import RequestError, UsageError, warn
from .model_options import add_checkpoint, add_op_defs, add_signature, add_tags
from .output_names import refuse_output_named_like_nodes
from .output_options import (
    add_output,
    check_writable,
    output_of,
    refuse_other_suffixes,
    target_name,
)
from .parser import Parser
from .progress import Counting, Progress

_SHOWN = 6


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", nargs="?", help="the model to freeze; see below")
    add_output(parser, "--output-graph", help="the graph to write")
    add("--outputs", "--output-node-names", metavar="NAMES", help="keys, nodes or tensors, separated by commas")
    add_signature(
        parser, "the signature, or the function if there are no signatures, whose inputs and outputs are kept"
    )
    add_tags(parser)
    add("--saved-model-tags", metavar="TAGS", help=argparse.SUPPRESS)
    add_bind(parser)
    add_checkpoint(parser, "--input-checkpoint")
    add(
        "--variable-names-denylist",
        "--variable-names-blacklist",
        "--denylist",
        metavar="NAMES",
        help="variables that are not frozen",
    )
    add(
        "--variable-names-whitelist",
        "--variable-names-allowlist",
        "--allowlist",
        metavar="NAMES",
        help="freeze only these variables",
    )
    add_rename(parser)
    add_op_defs(parser)
    add_json(parser)
    _add_boolean(parser, "--clear-devices", True, "remove the devices of nodes; the default is true")
    add("--input-graph", metavar="FILE", help="the same as MODEL")
    add("--input-meta-graph", metavar="FILE", help="the same as MODEL")
    add("--input-saved-model-dir", metavar="FOLDER", help="the same as MODEL")
    _add_boolean(parser, "--input-binary", None, "refuse a MODEL in text; with =false, refuse one in binary")
    parser.add_former_flags("freeze")


def _add_boolean(parser: Parser, name: str, default: bool | None, help_text: str) -> None:
    """Add a Boolean option in the spellings of freeze_graph: --name, --name=true or --name true."""
    parser.add_argument(name, nargs="?", type=_boolean, const=True, default=default, metavar="BOOL", help=help_text)


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "t", "1", "yes", "false", "f", "0", "no"):
        return text.lower() in ("true", "t", "1", "yes")
    raise argparse.ArgumentTypeError(f"{quote(text)} is neither true nor false")


def run(args: Any) -> int:
    from ..freezing.pipeline import freeze_model

    model, target = _model(args), _target(args)
    _take_tags(args, model)
    file = _of_form(args, model)
    bindings = parse_bindings(args)
    with Progress(quiet=target == "-" and sys.stdout.isatty()) as progress:
        progress.doing(f"freezing {os.path.basename(model.rstrip(os.sep)) or model}")
        with explain_missing_checkpoint(model, args.checkpoint):
            source = ModelSource.of(file, checkpoint=args.checkpoint or None, signature=args.signature, tags=args.tags)
            if args.rename:
                source = ModelSource.of(source, checkpoint=renamed_checkpoint(args, source), signature=args.signature)
            frozen = freeze_model(
                source,
                args.outputs,
                bind=bindings,
                allowlist=args.variable_names_whitelist,
                denylist=args.variable_names_denylist,
                clear_devices=args.clear_devices,
                share=True,
            )
        refuse_output_named_like_nodes(args, frozen.graph.node)
        status = import_status([frozen.graph], target, file=model, op_defs=args.op_defs, declared=own_ops(source.meta))
        with writable(target) as opened:
            counting = Counting(opened)
            progress.doing(f"writing {os.path.basename(target)}", lambda: f"{counting.size:,} bytes")
            write(frozen.graph, counting, form_of(target) or "binary", deterministic=True)
    if frozen.guessed:
        warn(f"outputs: {', '.join(frozen.outputs)}, guessed: --outputs names others if that is wrong")
    if frozen.was_frozen:
        warn(f"{model}: it has no variables, so it was frozen before, and only what the outputs need is kept")
    for note in (frozen.repaired, frozen.warning):
        if note:
            warn(note)
    kept = {node.name for node in frozen.graph.node}
    for note in pointer_notes(path for node, path in source.asset_paths().items() if node in kept):
        warn(note)
    for note in describe_tables(frozen.graph, map(node_name, frozen.outputs), {*map(node_name, frozen.inputs)}):
        warn(note)
    outputs = frozen.outputs
    for note in (_iterator_note(frozen.graph), random_note(frozen.graph, outputs), batch_note(source.graph, outputs)):
        if note:
            warn(note)
    nodes, variables = count_of(len(frozen.graph.node), "node"), count_of(frozen.variables, "variable")
    ends = f"inputs: {_list_names(frozen.inputs)}; outputs: {_list_names(frozen.outputs)}"
    warn(f"{target_name(target)}: {nodes}, {variables} frozen; {ends}")
    if args.json:
        facts = {
            "inputs": frozen.inputs,
            "outputs": frozen.outputs,
            "guessed": frozen.guessed,
            "variables": frozen.variables,
            "written_variables": frozen.written,
            "nodes": {"before": len(source.graph.node), "after": len(frozen.graph.node)},
        }
        print_report([model], [target], facts)
    return status


@contextlib.contextmanager
def explain_missing_checkpoint(model: str, checkpoint: str | None) -> Iterator[None]:
    """Turn the FileNotFoundError for the path of --checkpoint into a RequestError."""
    try:
        yield
    except FileNotFoundError as error:
        if not checkpoint or error.filename != checkpoint:
            raise
        problem = f"there is no checkpoint {checkpoint}; name the right one with --checkpoint"
        raise RequestError(problem, file=model) from error


def _list_names(names: list[str]) -> str:
    return ", ".join([*names[:_SHOWN], *(["..."] if len(names) > _SHOWN else [])]) or "none"


def _take_tags(args: Any, model: str) -> None:
    """Use --saved_model_tags as --tags for a SavedModel; as in freeze_graph, it has no effect for other models."""
    if not args.saved_model_tags:
        return
    if os.path.isdir(model) or os.path.basename(model).startswith("saved_model."):
        args.tags = args.tags or args.saved_model_tags
    else:
        warn("--saved_model_tags has no effect: the model is not a SavedModel")


def _of_form(args: Any, model: str) -> str | ModelFile:
    """Return the model to open. Refuse one whose format contradicts --input_binary."""
    if args.input_binary is None:
        return model
    if model == "-":
        raise UsageError("--input_binary is about a file, and the model comes from standard input: leave it out")
    file = open_file(model, lazy=True)
    form = file.detection.form
    if (form == "binary") != args.input_binary:
        said = "binary" if args.input_binary else "text"
        raise RequestError(f"--input_binary says that this is {said}, and it is {form}: leave it out", file=model)
    return file


def _model(args: Any) -> str:
    """Return the path of the model to freeze. Raises UsageError unless exactly one option names it."""
    sources = (args.model, args.input_saved_model_dir, args.input_meta_graph, args.input_graph)
    paths = [path for path in sources if path]
    if len(paths) > 1:
        raise UsageError(f"{paths[0]} and {paths[1]} are both given as the model")
    if not paths:
        raise UsageError("there is no model to freeze: name one, or give --input_graph or --input_saved_model_dir")
    model: str = paths[0]
    return model


def _target(args: Any) -> str:
    target = output_of(args, "there is no file to write the frozen graph to: add -o OUT")
    check_json(args, target)
    check_writable(target)
    refuse_other_suffixes(target)
    return target


def _iterator_note(graph: GraphDef) -> str:
    """Return a sentence about iterators from which the graph reads and which no node of it starts; "" without any."""
    nodes = {node.name: node for node in graph.node}
    idle: dict[str, None] = {}
    for node in graph.node:
        for text in data_inputs(node):
            reader = nodes.get(node_name(text))
            source = nodes.get(node_name(reader.input[0])) if reader is not None and reader.input else None
            if reader is not None and reader.op in _READERS and source is not None and source.op in _ITERATORS:
                idle[text] = None
    if not idle:
        return ""
    command = f"{command_prefix()} optimize MODEL -o OUT --inputs {','.join(idle)}"
    return f"the graph takes {list_names(idle)} from an iterator that nothing in it starts; feed these: {command}"


_READERS = frozenset({"IteratorGetNext", "IteratorGetNextAsOptional", "IteratorGetNextSync"})
_ITERATORS = frozenset(
    "AnonymousIterator AnonymousIteratorV2 AnonymousIteratorV3 Iterator IteratorFromStringHandle IteratorV2".split()  # noqa: SIM905
)
