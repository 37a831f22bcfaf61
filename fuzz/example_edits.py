"""Example graphs on which transforms fire, and edits of the parts that transforms read.

    examples()["flatten_atrous_conv"]         # graphs with the list of transforms and the declared names
    mutate_example(example, 1234)                    # with a few edits; equal seeds make equal examples

The graphs are those in the docstrings of transforms, and the small ones of the golden cases. In addition to the edits
of `graph_edits`, constants get a dtype that differs from their tensor, attributes a value of another kind, nodes a name
that collides with new names, and functions a repeated argument; the arguments of the transform are changed, too.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pbwire import Error
from tests.golden.batch_norms.cases import CASES as BATCH_NORMS
from tests.golden.folding.answers import cases as folding_cases
from tests.golden.transforms.cases import cases as transform_cases
from tests.golden.transforms.models import models
from tests.tfmodel.transforms.graph_notation import examples_in, graph
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorProto,
    TensorShapeProto,
)
from tfmodel.transforms.framework import registry
from tfmodel.transforms.framework.parameters import Step, parse
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

from .graph_edits import EDITS, NAMES, Edit

__all__ = ["Example", "examples", "mutate_example"]

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
MAX_BYTES = 3000  # of a graph
MAX_EXAMPLES = 16  # of a transform, in addition to that of its docstring
MAX_EDITS = 4
DIGITS = "9" * 5000  # more digits than int() accepts
VALUES = (
    "",
    "0",
    "1",
    "-1",
    "2",
    "9" * 30,
    "1e400",
    "nan",
    "true",
    "x",
    "*",
    "a|b",
    "-1,-1",
    "1,2,3",
    DIGITS,
    "^x",
    "x:1",
)
ENDINGS = ("_1", "_bn_offset", "/biasadd", "/replacement_flow_node", "_const", f"_{DIGITS}", "_0", "_01", "/eightbit")


class Example(NamedTuple):
    """A graph, the list of transforms that is run on it, and the declared names: "a,b:1"."""

    graph: GraphDef
    transforms: str
    inputs: str
    outputs: str


@cache
def examples() -> dict[str, tuple[Example, ...]]:
    """Return the examples of each transform by its name, that of the docstring first. It fires on all others."""
    examples_by_name: dict[str, list[Example]] = defaultdict(list)
    for name in registry.names():
        if registry.find(name).is_builtin:
            for from_docstring in examples_in(registry.find(name).docstring):
                step = from_docstring.transforms.replace("ranges.log", str(DATA / "ranges.log"))
                examples_by_name[name].append(
                    Example(from_docstring.before, step, from_docstring.inputs, from_docstring.outputs)
                )
    for example in sorted(_golden(), key=lambda example: len(example.graph.node)):
        first = re.split(r"\W", example.transforms)[0]
        if first in examples_by_name and len(examples_by_name[first]) <= MAX_EXAMPLES and _fires(example):
            examples_by_name[first].append(example)
    for name in ("fold_batch_norms", "fold_old_batch_norms", "flatten_atrous_conv"):
        examples_by_name[name].append(Example(graph(ATROUS), name, "x", "y"))
    return {name: tuple(variants) for name, variants in examples_by_name.items()}


ATROUS = """
    x = Placeholder[dtype=float, shape=(1, 7, 7, 1)]
    block = Const[dtype=int32, value=int32{2, 2}]
    pads = Const[dtype=int32, value=int32{2, 3, 2, 3}(2, 2)]
    crops = Const[dtype=int32, value=int32{0, 1, 0, 1}(2, 2)]
    s = SpaceToBatchND(x, block, pads)[T=float]
    w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6, 7, 8, 9}(3, 3, 1, 1)]
    c = Conv2D(s, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
    k = Const[dtype=float, value=float{10}]
    a = BiasAdd(c, k)[T=float]
    b = BatchToSpaceND(a, block, crops)[T=float]
    m = Const[dtype=float, value=float{3}]
    y = Mul(b, m)[T=float]
"""


def _golden() -> Iterator[Example]:
    for case in BATCH_NORMS.values():
        if len(case.text) < MAX_BYTES:
            yield Example(graph(case.text), case.transform, case.inputs or "x", case.outputs)
    for recorded, before in folding_cases().values():
        if len(before.node) < 12:
            yield Example(before, recorded.transforms, recorded.inputs, recorded.outputs)
    for recorded in transform_cases():
        model = models()[recorded.model]
        if len(model.data) < MAX_BYTES and re.fullmatch(r"\w+(\([^(){}]*\))?", recorded.transforms):
            yield Example(model.graph(), recorded.transforms, recorded.inputs, recorded.outputs)


def _fires(example: Example) -> bool:
    report = TransformReport()
    try:
        transform(example.graph, example.inputs, example.outputs, example.transforms, report=report)
    except Error:
        return False
    return report.steps[0].fired > 0 or not report.steps[0].counts_rewrites


def mutate_example(example: Example, seed: int) -> Example:
    """Return an example with up to four edits of its graph, and sometimes of its transforms and declared names."""
    chance = random.Random(seed)
    edited = GraphDef.from_bytes(example.graph.to_bytes())
    for _ in range(chance.randint(1, MAX_EDITS)):
        if not edited.node:
            break
        chance.choice(MINE if chance.randrange(2) else EDITS)(chance, edited)
    inputs, outputs = (_declared(chance, edited, names) for names in (example.inputs, example.outputs))
    return Example(edited, _steps(chance, example.transforms), inputs, outputs)


def _declared(chance: random.Random, edited: GraphDef, names: str) -> str:
    """Return the declared names that still exist after the edits, and sometimes another one."""
    existing = {node.name for node in edited.node}
    pieces = [piece.strip() for piece in names.split(",")]
    left = [piece for piece in pieces if piece.partition(":")[0] in existing]
    if edited.node and not chance.randrange(8):
        left.append(chance.choice(edited.node).name + chance.choice(("", "", ":0", ":1", ":-1")))
    return ",".join(left)


def _steps(chance: random.Random, transforms: str) -> str:
    """Return the list, sometimes with another value of an argument, without it, or with an unknown argument."""
    if chance.randrange(6):
        return transforms
    return " ".join(_step(chance, step) for step in parse(transforms))


def _step(chance: random.Random, step: Step) -> str:
    arguments = {argument.name: argument.value for argument in step.arguments}
    parameters = sorted(registry.find(step.name).parameters)
    if parameters:
        arguments[chance.choice(parameters)] = chance.choice(VALUES)
    if arguments and not chance.randrange(6):
        del arguments[chance.choice(sorted(arguments))]
    written = [f'{name}="{value}"' for name, value in arguments.items() if not name.endswith(("file", "log"))]
    return f"{step.name}({', '.join(written)})"


# --- edits -----------------------------------------------------------------------------------------------------------


def _nodes(edited: GraphDef) -> list[NodeDef]:
    functions = edited.library.function if edited.library is not None else []
    return [node for nodes in (edited.node, *(function.node_def for function in functions)) for node in nodes]


def _type(chance: random.Random) -> DataType:
    return DataType(chance.randrange(1, 24))


def _other_dtype(chance: random.Random, edited: GraphDef) -> None:
    """Give a constant another dtype attribute than its tensor, or the reverse."""
    constants = [node for node in _nodes(edited) if node.op == "Const" and {"dtype", "value"} <= node.attr.keys()]
    if constants:
        node = chance.choice(constants)
        if chance.randrange(2):
            node.attr["dtype"] = AttrValue(type=_type(chance))
        elif (tensor := node.attr["value"].tensor) is not None:
            tensor.dtype = _type(chance)


def _same_type_everywhere(chance: random.Random, edited: GraphDef) -> None:
    """Change the type of a constant, and of the nodes that consume it."""
    constants = [node for node in edited.node if node.op == "Const" and "dtype" in node.attr]
    if constants:
        node, dtype = chance.choice(constants), _type(chance)
        sizes = chance.choice(((), (0,), (1,), (2, 2), (1, 1, 1, 1), (2, 0, 1, 1), (3, 3, 1, 1)))
        dims = [TensorShapeProto.Dim(size=size) for size in sizes]
        tensor = TensorProto(dtype=dtype, tensor_shape=TensorShapeProto(dim=dims))
        field = chance.choice(("half_val", "float_val", "int_val", "bool_val", "string_val", "tensor_content", ""))
        if field:
            setattr(tensor, field, {"string_val": [b"a"], "tensor_content": b"\1" * 8}.get(field, [1]))
        node.attr |= {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=tensor)}
        for user in edited.node:
            if node.name in user.input:
                for name in ("T", "Tparams"):
                    if name in user.attr:
                        user.attr[name] = AttrValue(type=dtype)


def _other_kind(chance: random.Random, edited: GraphDef) -> None:
    """Give an attribute a value of another kind."""
    nodes = [node for node in _nodes(edited) if node.attr]
    if nodes:
        node = chance.choice(nodes)
        node.attr[chance.choice(sorted(node.attr))] = chance.choice(
            (
                AttrValue(),
                AttrValue(i=3),
                AttrValue(f=0.5),
                AttrValue(b=True),
                AttrValue(s=b"SAME"),
                AttrValue(s=b"\xff"),
                AttrValue(type=DataType.DT_INT32),
                AttrValue(tensor=TensorProto()),
                AttrValue(shape=TensorShapeProto(unknown_rank=True)),
                AttrValue(tensor=TensorProto(dtype=DataType.DT_FLOAT)),
                AttrValue(func=NameAttrList(name="f")),
                AttrValue(placeholder="T"),
                AttrValue(list=AttrValue.ListValue()),
                AttrValue(list=AttrValue.ListValue(i=[1, 2])),
                AttrValue(list=AttrValue.ListValue(s=[b"loc:@x", b""])),
                AttrValue(list=AttrValue.ListValue(type=[DataType.DT_FLOAT])),
                AttrValue(type=DataType(0)),
                AttrValue(list=AttrValue.ListValue(func=[NameAttrList(name="f")])),
            )
        )


def _other_name(chance: random.Random, edited: GraphDef) -> None:
    """Rename a node and its references to a name that transforms generate, or that ends in many digits."""
    node, other = chance.choice(edited.node), chance.choice(edited.node)
    new = chance.choice((*NAMES, other.name + chance.choice(ENDINGS), other.name + chance.choice(ENDINGS)))
    pattern = re.compile(rf"(\^?){re.escape(node.name)}(?=$|:)")
    for edited_node in edited.node:
        edited_node.input = [pattern.sub(lambda match: match[1] + new, text, count=1) for text in edited_node.input]
    node.name = new


def _odd_reference(chance: random.Random, edited: GraphDef) -> None:
    nodes = [node for node in _nodes(edited) if node.input]
    if nodes:
        inputs = chance.choice(nodes).input
        at = chance.randrange(len(inputs))
        ending = chance.choice((f":{DIGITS}", ":y:0", f":y:{DIGITS}", ":", ":-1", ":0:0", ":1", ":00"))
        inputs[at] = chance.choice((inputs[at] + ending, f"^{inputs[at]}", f"{DIGITS}", inputs[at][:-1]))


def _signature(chance: random.Random, edited: GraphDef) -> None:
    """Repeat an argument or result of a function, or declare its type in another way."""
    functions = edited.library.function if edited.library is not None else []
    signatures = [function.signature for function in functions if function.signature is not None]
    if not signatures:
        return
    signature = chance.choice(signatures)
    arguments = chance.choice((signature.input_arg, signature.output_arg))
    if not arguments:
        arguments.append(OpDef.ArgDef(name="a", type=DataType.DT_FLOAT))
        return
    argument = chance.choice(arguments)
    match chance.randrange(5):
        case 0:
            arguments.append(OpDef.ArgDef.from_bytes(argument.to_bytes()))
        case 1:
            argument.name = chance.choice((*NAMES, arguments[0].name))
        case 2:
            argument.type_attr = chance.choice(("T", "", "f"))
        case 3:
            argument.number_attr = chance.choice(("N", "T"))
        case _:
            argument.type_list_attr = chance.choice(("Tin", "T"))


def _library(chance: random.Random, edited: GraphDef) -> None:
    """Repeat a function, call a missing one, or add attributes and a gradient."""
    functions = edited.library.function if edited.library is not None else []
    if functions and edited.library is not None:
        function = chance.choice(functions)
        match chance.randrange(4):
            case 0:
                edited.library.function = [*functions, FunctionDef.from_bytes(function.to_bytes())]
            case 1:
                function.control_ret = {"c": chance.choice(("missing", "", "n", "^n"))}
            case 2:
                function.attr["T"] = AttrValue(placeholder="T")
            case _:
                function.ret |= {"more": chance.choice(("n:y:0", "a", "", ":", "n:y:9", f"n:y:{DIGITS}"))}


MINE: tuple[Edit, ...] = (
    _other_dtype,
    _other_dtype,
    _same_type_everywhere,
    _same_type_everywhere,
    _other_kind,
    _other_kind,
    _other_name,
    _odd_reference,
    _signature,
    _library,
)
