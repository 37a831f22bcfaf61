"""Edit the nodes of a model: attributes, names, new nodes, removed nodes, preprocessing.

FILE is a graph in binary, text or JSON, a .meta, the folder of a SavedModel, or - for standard input. Edits are applied
in the order in which they are given. OUT is a file (.pb, .pbtxt, .json, or .meta for the whole MetaGraph) or a folder
(OUT/) for a SavedModel with the variables and assets of the model. It is written only if the edits make no fault that
`check` finds.

A node as text is NAME=OP(INPUT, ...)[ATTRIBUTE=VALUE, ...]: y=Relu(x), half=Const[value=0.5],
c=Conv2D(x, w)[strides=[1,2,2,1], padding=SAME]. Types, numbers of inputs and defaults follow from op and inputs.
Values are read as the op declares them: 3, 0.5, true, SAME, float32, [1,2,2,1]; shapes as [?,224,224,3] or unknown;
tensors, such as the value of a Const, as JSON. Tensors are named x or x:1, in functions too.

  --set-attribute conv.padding=SAME     --remove-attribute conv._class     --device conv=/cpu:0
  --rename old=new                      names follow in inputs, signatures, collections and savers
  --add 'y=Relu(x)'                     a new node
  --insert-after 'x=Mul(_, half)'       a new node between x and what takes x, outputs included; _ is x, and may be left
                                        out: --insert-after x=Softmax; with a name: x=probabilities=Softmax
  --replace-node 'a=Relu6'              another op; inputs and attributes that fit stay; a=Add(b, c) has new inputs
  --replace-tensor 'x:1=y'              what takes x:1 takes y
  --remove a,b                          refused if others take their tensors
  --bypass a                            remove, and connect what took a to its first input
  --preprocess 'x=uint8 divide=255'     in front of the input x, in this order: a type, divide=, multiply=, subtract=,
                                        add=, mean=, std= (a number, or one a channel), bgr, nchw, resize=224x224,
                                        decode=3 (encoded pictures)
  --function NAME                       the edits after it are in the body of this function; --function '' ends this

Exit status: 0 if the model was written, 2 if an edit is not possible.

examples:
  tfmodel edit model.pb -o out.pb --set-attribute conv1.padding=SAME --rename Identity=scores
  tfmodel edit model.pb -o out.pb --insert-after logits=Softmax
  tfmodel edit saved_model/ -o served/ --preprocess 'image=uint8 divide=127.5 subtract=1'
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import tfmodel
from pbwire.errors import about, without

from ..editing.node_text import add_node, insert_node, replace_by_node, split_attribute
from ..errors import Error
from ..model import Model
from .edited_model import add_output_options, check_target, write_model
from .messages import RequestError, UsageError
from .model_options import add_tags
from .parser import Parser
from .progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

_HELP = {
    "--set-attribute": ("NODE.ATTRIBUTE=VALUE", "set an attribute"),
    "--remove-attribute": ("NODE.ATTRIBUTE", "remove an attribute"),
    "--device": ("NODE=DEVICE", "set the device of a node"),
    "--rename": ("OLD=NEW", "rename a node"),
    "--add": ("NODE", "add a node; see below"),
    "--insert-after": ("TENSOR=NODE", "insert a node after a tensor; see below"),
    "--replace-node": ("NAME=NODE", "replace the op of a node; see below"),
    "--replace-tensor": ("OLD=NEW", "connect what takes a tensor to another"),
    "--remove": ("NAMES", "remove nodes, separated by commas"),
    "--bypass": ("NAMES", "remove nodes, and connect what took them to their first input"),
    "--preprocess": ("INPUT=STEPS", "put preprocessing in front of an input; see below"),
    "--function": ("NAME", "edit the body of this function from here on"),
}


class _Append(argparse.Action):
    """Collect all edits in one list, in the order of the command line."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, value: Any, spelling: str | None = None
    ) -> None:
        namespace.edits = [*(namespace.edits or []), (self.option_strings[0], value)]


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="the model; see below")
    for option, (metavar, text) in _HELP.items():
        parser.add_argument(option, metavar=metavar, action=_Append, dest="edits", help=f"{text}; may be repeated")
    add_tags(parser)
    add_output_options(parser)


def run(args: Any) -> int:
    if not args.edits:
        raise UsageError("there is nothing to do: name some edits")
    if args.edits[-1][0] == "--function" and (args.edits[-1][1] or len(args.edits) == 1):
        raise UsageError("--function is for the edits after it: name some")
    check_target(args)
    with Progress(quiet=args.output == "-") as progress:
        progress.doing(f"reading {args.file}")
        model = Model(args.file, tags=args.tags)
        model.graph  # noqa: B018  a file without a graph is refused here, not by the first edit
        edits = _Edits(model, args.op_defs)
        for option, value in args.edits:
            progress.doing(f"editing: {option} {value}")
            try:
                edits.apply(option, value)
            except (Error, ValueError) as error:
                problem = about(f"{option} {value}", without(model.name, error))
                raise RequestError(problem, file=model.name) from error
        progress.doing(f"writing {args.output}")
        done = [{"edit": option.removeprefix("--"), "value": value} for option, value in args.edits]
        return write_model(edits.model, [model], args, done)


class _Edits:
    """Applies edits one after the other, with one editor for as many as possible."""

    def __init__(self, model: Model, op_defs: list[str]) -> None:
        self._model = model
        self._op_defs = op_defs
        self._function = ""
        self._editor: tfmodel.GraphEditor | None = None

    @property
    def model(self) -> Model:
        """The model with all edits so far."""
        if self._editor is not None:
            self._model = self._editor.model
            self._editor = None
        return self._model

    @property
    def _open(self) -> tfmodel.GraphEditor:
        if self._editor is None:
            self._editor = self._model.edit(self._function, op_defs=self._op_defs)
        return self._editor

    def apply(self, option: str, value: str) -> None:
        """Apply an edit. Raises GraphError and ValueError."""
        if option == "--function":
            self._model = self.model
            self._function = value
            if value:
                self._model.index(value)
        elif option == "--preprocess":
            if self._function:
                raise ValueError("a function has no Placeholder: use it before --function")
            name, steps = _pair(value)
            self._model = self.model.append_preprocessing(name, steps)
        else:
            _APPLY[option](self._open, value)


def _pair(value: str) -> tuple[str, str]:
    left, equals, right = value.partition("=")
    if not (equals and left and right):
        raise ValueError("expected two parts with = between them")
    return left, right


def _set_attribute(editor: tfmodel.GraphEditor, value: str) -> None:
    place, equals, text = value.partition("=")
    if not equals:
        raise ValueError("expected node.attribute=value")
    node, attribute = split_attribute(place)
    editor.set_attribute(node, attribute, editor.parse_attributes(editor[node].op, {attribute: text})[attribute])


def _set_device(editor: tfmodel.GraphEditor, value: str) -> None:
    node, equals, device = value.partition("=")
    if not equals:
        raise ValueError("expected node=device")
    editor.replace_node(node, device=device)


def _replace_tensor(editor: tfmodel.GraphEditor, value: str) -> None:
    editor.replace_tensor(*_pair(value))


def _insert_after(editor: tfmodel.GraphEditor, value: str) -> None:
    insert_node(editor, *_pair(value))


def _replace_node(editor: tfmodel.GraphEditor, value: str) -> None:
    replace_by_node(editor, *_pair(value))


_APPLY: dict[str, Callable[[tfmodel.GraphEditor, str], object]] = {
    "--set-attribute": _set_attribute,
    "--remove-attribute": lambda editor, value: editor.remove_attribute(*split_attribute(value)),
    "--device": _set_device,
    "--rename": lambda editor, value: editor.rename(*_pair(value)),
    "--add": add_node,
    "--insert-after": _insert_after,
    "--replace-node": _replace_node,
    "--replace-tensor": _replace_tensor,
    "--remove": lambda editor, value: editor.remove(*value.split(",")),
    "--bypass": lambda editor, value: editor.remove(*value.split(","), reconnect=True),
}
