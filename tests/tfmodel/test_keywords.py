"""Every keyword parameter of tfmodel has an effect, or is refused where it would have none.

See `tests.support.keyword_effects`.
"""

from __future__ import annotations

import gzip
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from tests.support.keyword_effects import (
    Effect,
    Refused,
    Row,
    check_effect,
    check_refusal,
    check_table,
    effects,
    refusals,
)
from tests.tfmodel import models
from tests.tfmodel.files.records.files import examples, training_log
from tests.tfmodel.reports.objects import saved_objects
from tfmodel.analysis.shapes import infer_shapes
from tfmodel.compare.verify import Verification
from tfmodel.files.detection import detect
from tfmodel.graph import attr, check_graph, instantiate, replace_node, substitute, with_nodes
from tfmodel.interpreter import Session
from tfmodel.kernels.re2 import compile_expression
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NodeDef,
    OpDef,
    OpList,
    SaverDef,
)
from tfmodel.ops import registry
from tfmodel.reports.keras_summary import KerasSummary, LayerSummary
from tfmodel.source.metagraph import decode_collections, elements, make_meta_graph, make_signature, stripped_op_list
from tfmodel.values.names import TensorName
from tfmodel.vendoring import vendor

PACKAGES = [
    "tfmodel",
    "tfmodel.compare.verify",
    "tfmodel.files.detection",
    "tfmodel.freezing",
    "tfmodel.graph",
    "tfmodel.interpreter",
    "tfmodel.source.metagraph",
    "tfmodel.ops",
    "tfmodel.optimizer",
    "tfmodel.kernels.re2",
    "tfmodel.analysis.shapes",
    "tfmodel.transforms",
    "tfmodel.vendoring",
]

LIMIT = "a limit holds whether it is reached or not"
HOLDS = "it promises a property of the result, which holds where nothing has to be changed for it"
SEARCHED = "it adds to what can be found: declarations, files"
NEEDS_RUNTIME = "it has an effect where onnxruntime is installed: see tests/tfmodel/export/onnx/test_comparing.py"
TOLD = "it is told what happens, which may be nothing"
SHOWN = "it changes how much a report shows, or with which characters, if there is anything to show"
FORWARDED = "test_model.py compares it with the parameter of the function that the method calls"
SHARED = "it saves work and changes no result"
FOUND = "it is what is looked for in a mapping, or what stands for it"

TRAINED = Path(__file__).resolve().parents[1] / "data" / "trained"
MODEL = str(TRAINED / "model")
LOG = str(TRAINED.parent / "logs" / "train")
EVENTS, EXAMPLES = training_log(), examples(3)
GRAPH = models.graph()
OBJECTS = saved_objects.meta(
    saved_objects.thing({"layer": 1, "keras_api": 3}),
    saved_objects.thing({"f": 2}),
    saved_objects.function("g"),
    saved_objects.thing({}),
)
BINARY = GRAPH.to_bytes()


def found_models(**options: Any) -> list[str]:
    """Return the names of the models in a folder that has a checkpoint without a graph."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.index").write_bytes((TRAINED / "model.index").read_bytes())
        return [Path(path).name for path in tfmodel.find_models(folder, **options)]


def written_records(**options: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        tfmodel.write_records(f"{folder}/file", [b"record"], **options)
        return Path(folder, "file").read_bytes()


def with_node(place: int, graph: GraphDef = GRAPH, **fields: Any) -> GraphDef:
    """The graph with one of its nodes changed; `attr` is added to what it has."""
    nodes = list(graph.node)
    fields["attr"] = {**nodes[place].attr, **fields.get("attr", {})}
    nodes[place] = replace_node(nodes[place], **fields)
    return with_nodes(graph, nodes)


FLAT = with_node(0, attr={"shape": AttrValue(shape=models.shape(-1, 1))})
FIXED = with_node(0, attr={"shape": AttrValue(shape=models.shape(2, 4))})
OTHER = with_node(1, attr={"value": AttrValue(tensor=models.tensor([0.5, 0.5, 0.5, 0.51], 1, 4))})
BARE = with_nodes(
    GRAPH,
    [
        replace_node(node, attr={name: value for name, value in node.attr.items() if name != "transpose_a"})
        for node in GRAPH.node
    ],
)
MINE = with_nodes(
    GRAPH,
    [
        *GRAPH.node,
        NodeDef(
            name="mine",
            op="Mine",
            attr={
                "_output_shapes": AttrValue(list=AttrValue.ListValue(shape=[models.shape(3)])),
            },
        ),
    ],
)
DECLARED = OpList(op=[OpDef(name="Mine", output_arg=[OpDef.ArgDef(name="y", type=DataType.DT_FLOAT)])])
RANDOM = GraphDef(
    node=[
        NodeDef(
            name="sizes",
            op="Const",
            attr={
                "dtype": AttrValue(type=DataType.DT_INT32),
                "value": AttrValue(tensor=tfmodel.from_ndarray(np.array([2], np.int32))),
            },
        ),
        NodeDef(
            name="y",
            op="RandomStandardNormal",
            input=["sizes"],
            attr={
                "T": AttrValue(type=DataType.DT_INT32),
                "dtype": AttrValue(type=DataType.DT_FLOAT),
            },
        ),
    ]
)
UNCALLED = GraphDef(library=FunctionDefLibrary(function=[FunctionDef(signature=OpDef(name="nobody"))]))
BROKEN = FunctionDefLibrary(
    function=[
        FunctionDef(
            signature=OpDef(name="f"),
            node_def=[NodeDef(name="n", op="Neg", input=["nope"])],
        )
    ]
)
COLLECTED = models.meta_graph("serve")
COLLECTED.collection_def = models.collections()
SIGNATURE: dict[str, Any] = {"inputs": {"x": "x:0"}, "outputs": {"y": "y:0"}}
X = {"x": np.ones((1, 4), np.float32)}

NO_TAGS = "tags choose a MetaGraph of a SavedModel, and this is a GraphDef: leave the tags out"
NO_SIGNATURE = 'there is no signature "s"'
NOT_RESTORED = "the given checkpoint is not used: the graph has no variables and reads no checkpoint; leave it out"
NO_SEED = "seed has no effect: there are no random inputs, and the model has no random ops; leave it out"
NO_SHAPE = 'a shape is given for "x", but there are no random inputs'
NO_BATCH = "batch_size is 5, but there are no random inputs"
NO_OPEN_BATCH = "batch_size is 5, but no input has a shape whose first dimension is open"


def uncalled(**options: Any) -> None:
    """Stand in for the call in rows where a call would show nothing."""


def loaded(source: bytes = BINARY, cls: Any = None, **options: Any) -> Any:
    return tfmodel.load(source, cls, **options)


def ran(model: Any = GRAPH, feeds: Any = X, **options: Any) -> str:
    return repr(tfmodel.run(model, feeds, **{"fetches": "y"} | options))


def saved(model: Any = GRAPH, **options: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        tfmodel.save_saved_model(model, Path(folder, "saved"), **{"signatures": {"s": SIGNATURE}} | options)
        return Path(folder, "saved", "saved_model.pb").read_bytes()


def session_ran(**options: Any) -> str:
    return repr(Session(GRAPH).run(X, **{"fetches": "y"} | options))


def opened(model: Any = GRAPH, **options: Any) -> str:
    session = Session(model, **options)
    return repr(session.run({} if model is RANDOM else X, "y"))


def verified(a: Any = GRAPH, b: Any = GRAPH, **options: Any) -> str:
    return tfmodel.verify(a, b, **{"feeds": X, "outputs": "y"} | options).to_text()


def transformed(graph: GraphDef = GRAPH, **options: Any) -> list[str]:
    step = "rename_op(old_op_name=Relu, new_op_name=Neg)"
    return [node.op for node in tfmodel.transform(graph, "x", "y", step, **options).node]


def verification(graph: GraphDef = GRAPH, other: GraphDef = OTHER, inputs: Any = ("x",), **options: Any) -> str:
    verification = Verification(**options)
    comparison = verification.begin(graph, ["y"], inputs)
    return comparison.compare(other).to_text() if verification.compares else "compares nothing"


def stop(node: NodeDef, inputs: Any) -> None:
    raise tfmodel.RunError(f"{node.name} is not run")


def compared(**options: Any) -> str:
    comparison = Verification().begin(GRAPH, ["y"], ["x"])
    return comparison.compare(OTHER, **options).to_text()


def largest(**options: Any) -> str:
    comparison = Verification().begin(GRAPH, ["y"], ["x"])
    return str(comparison.largest_values(GRAPH, **options))


def keras_summary(method: str, **options: Any) -> str:
    layers = [LayerSummary(f"dense_{number}", "Dense", 6) for number in range(30)]
    summary = KerasSummary("m", "HDF5", {}, ("m", "Sequential"), layers, 180, 60, 720, "", ("", ""), ())
    return str([*getattr(summary, method)(**options)])


def onnx_summary(method: str, **options: Any) -> str:
    return str([*getattr(tfmodel.summarize_onnx("tests/data/onnx/branches.onnx"), method)(**options)])


def optimized(model: Any = GRAPH, **options: Any) -> bytes:
    return tfmodel.optimize(model, **{"inputs": "x", "outputs": "y", "verify": False} | options).graph.to_bytes()


def saved_tfjs(model: Any = GRAPH, **options: Any) -> dict[str, bytes]:
    """The files of a TensorFlow.js model, by name."""
    options = {"inputs": "x", "outputs": "y"} | options
    with tempfile.TemporaryDirectory() as folder:
        save = model.save_tfjs if isinstance(model, tfmodel.Model) else partial(tfmodel.save_tfjs, model)
        save(f"{folder}/web", **options)
        return {path.name: path.read_bytes() for path in Path(folder, "web").iterdir()}


CONVNET = {"model": "tests/data/convnet.pb", "inputs": "image", "outputs": "scores"}


def saved_onnx(model: Any = GRAPH, **options: Any) -> dict[str, bytes]:
    """The files of an ONNX model, by name."""
    options = {"inputs": "x", "outputs": "y", "verify": False} | options
    with tempfile.TemporaryDirectory() as folder:
        save = model.save_onnx if isinstance(model, tfmodel.Model) else partial(tfmodel.save_onnx, model)
        save(f"{folder}/model.onnx", **options)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def of_model(method: str, *args: Any, model: Any = MODEL + ".meta", **options: Any) -> str:
    return repr(getattr(tfmodel.Model(model), method)(*args, **options))


def graph_of_model(method: str, *args: Any, **options: Any) -> bytes:
    return getattr(tfmodel.Model(MODEL + ".meta"), method)(*args, **options).graph.to_bytes()


def to_verify(name: str, value: Any, words: str) -> list[Effect | Refused]:
    """Return the refusals of a parameter of `optimize` that only verification uses."""
    return [
        Refused(value, f"{name} is only used to verify: leave out {name} or verify=False"),
        Refused(value, words, {"verify": True} if name == "feeds" else {"verify": True, "feeds": X}),
    ]


def edited(method: str, *args: Any, **options: Any) -> bytes:
    editor = tfmodel.GraphEditor(GRAPH)
    getattr(editor, method)(*args, **options)
    return editor.graph.to_bytes()


def frozen(model: Any = TRAINED, **options: Any) -> list[tuple[str, str]]:
    return [(node.name, node.op) for node in tfmodel.freeze(model, **{"outputs": "y"} | options).node]


def weighed(model: Any = GRAPH, **options: Any) -> str:
    return tfmodel.weights(model, **options).to_text()


def rewritten(**options: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return tfmodel.rewrite_checkpoint(MODEL, f"{folder}/new", **options).to_text()


def vendored(**options: Any) -> object:
    return vendor("no such folder", **{"parts": ("pbwire",), "dry_run": True} | options).copy.parts


ORIGINAL: dict[str, Any] = {
    "checkpoint": Refused(MODEL, NOT_RESTORED),
    "signature": Refused("s", NO_SIGNATURE),
    "tags": Refused("serve", NO_TAGS),
}
BOUND = [
    Refused({"z": 1}, 'there is no node "z"'),
    Refused({"x": 1, "x:0": 1}, '"x" is'),
    Refused({"y": [[[1]]]}, '"y" is float32 and cannot be bound to [[[1]]]'),
]
STEPS: dict[str, Any] = {"max_steps": Effect(1), "max_bytes": LIMIT}
TABLE = {
    "tfmodel.Checkpoint": Row(
        lambda **options: tfmodel.Checkpoint(MODEL, **options).files, {"verify": Refused("some", 'verify is "index"')}
    ),
    "tfmodel.Checkpoint.read": Row(
        lambda **options: tfmodel.Checkpoint(MODEL).read("layer/bias", **options).shape,
        {"extents": [Effect([(0, 1)]), Refused([(0, 1), (0, 1)], "layer/bias")]},
    ),
    "tfmodel.Checkpoint.chunks": Row(uncalled, {"size": SHARED}),
    "tfmodel.DiffReport.lines": Row(uncalled, {"full": SHOWN}),
    "tfmodel.DiffReport.to_text": Row(uncalled, {"full": SHOWN}),
    "tfmodel.FindReport.lines": Row(uncalled, {"names_only": SHOWN}),
    "tfmodel.Summary.lines": Row(uncalled, {"brief": SHOWN}),
    "tfmodel.Summary.to_text": Row(uncalled, {"brief": SHOWN}),
    "tfmodel.TransformReport.to_text": Row(uncalled, {"verbose": SHOWN}),
    "tfmodel.ValuesReport.lines": Row(uncalled, {"max_shown": SHOWN, "all": SHOWN}),
    "tfmodel.ValuesReport.to_text": Row(uncalled, {"max_shown": SHOWN, "all": SHOWN}),
    "tfmodel.WeightsReport.lines": Row(uncalled, {"ascii": SHOWN}),
    "tfmodel.WeightsReport.save": Row(uncalled, {"progress": TOLD}),
    "tfmodel.WeightsReport.to_text": Row(uncalled, {"ascii": SHOWN}),
    "tfmodel.Model": Row(lambda model=GRAPH, **options: repr(tfmodel.Model(model, **options).run(X, "y")), ORIGINAL),
    "tfmodel.Model.optimize": Row(
        partial(graph_of_model, "optimize"),
        {"recipe": [Effect("obfuscate"), Refused("nope", 'unknown recipe "nope"')]}
        | dict.fromkeys(("inputs", "outputs", "transforms", "bind", "verify", "feeds", "shapes"), FORWARDED)
        | dict.fromkeys(("batch_size", "seed", "rtol", "names", "report", "progress"), FORWARDED),
    ),
    **{
        f"tfmodel.Model.{name}": Row(
            uncalled,
            {"function": "it names the graph or function to look in; test_model.py has its effect and refusal"},
        )
        for name in ("index", "node", "producers", "consumers")
    },
    "tfmodel.Model.edit": Row(uncalled, {"function": FORWARDED, "op_defs": FORWARDED}),
    "tfmodel.Model.with_meta": Row(
        lambda **options: tfmodel.Model(MODEL + ".meta").with_meta(models.meta_graph(), **options).graph.to_bytes(),
        {"graph": Effect(OTHER)},
    ),
    "tfmodel.Model.save": Row(
        uncalled,
        {
            "format": "it changes what is written; test_model.py has what refuses it",
            "deterministic": HOLDS,
            "check": "it refuses graphs that TensorFlow refuses; test_import_check.py has one",
        },
    ),
    "tfmodel.Model.transform": Row(
        partial(graph_of_model, "transform", "strip_unused_nodes"),
        {
            "inputs": [Effect("layer/MatMul"), Refused("nope", '"nope"')],
            "outputs": [Effect("layer/MatMul"), Refused("nope", '"nope"')],
        }
        | dict.fromkeys(("bind", "report", "op_defs", "verify"), FORWARDED),
    ),
    "tfmodel.save_saved_model": Row(
        saved,
        {
            "signatures": [Effect({"other": SIGNATURE}), Refused({"s": None}, NO_SIGNATURE)],
            "tags": Effect("train"),
            "assets": [Refused({"nope": "file"}, 'there is no node "nope"'), Refused(["file"], "no node holds")],
            "checkpoint": Refused(MODEL, NOT_RESTORED),
            "op_defs": HOLDS,
            "deterministic": HOLDS,
        },
    ),
    "tfmodel.CheckReport.lines": Row(uncalled, {"max_shown": SHOWN}),
    "tfmodel.CheckReport.to_text": Row(uncalled, {"max_shown": SHOWN}),
    "tfmodel.check": Row(
        lambda graph=GRAPH, **options: tfmodel.check(graph, **options).to_text(),
        {
            "checkpoint": Refused({"w": 1}, "the given checkpoint is not used"),
            "tags": Refused("serve", NO_TAGS),
            "op_defs": HOLDS,
            "read_values": Refused(True, "there are no values to read"),
            "ignore": Refused("port", 'no findings of the kind "port"'),
            "reading": SHOWN,
        },
    ),
    "tfmodel.GraphEditor": Row(
        lambda graph=GRAPH, **options: sorted(tfmodel.GraphEditor(graph, **options).nodes),
        {"function": [Effect("double"), Refused("nope", '"nope"')], "op_defs": SEARCHED},
    ),
    "tfmodel.GraphEditor.const": Row(
        partial(edited, "const", "c", 1),
        {"dtype": [Effect("float32"), Refused("nope", "nope")], "device": Effect("/cpu:0")},
    ),
    "tfmodel.GraphEditor.insert_after": Row(
        partial(edited, "insert_after", "layer/MatMul", "Neg"),
        {
            "inputs": Refused(["x"], "Neg"),
            "name": [Effect("new"), Refused("x", "is taken")],
            "position": "it is a place among several inputs; test_editor.py has its effect",
            "consumers": [Effect([]), Refused(["x"], 'does not take "layer/MatMul"')],
        },
    ),
    "tfmodel.GraphEditor.node": Row(
        partial(edited, "node", "new", "NoOp"),
        {
            "inputs": Refused(["x"], "NoOp"),
            "controls": [Effect(["x"]), Refused(["nope"], '"nope"')],
            "device": Effect("/cpu:0"),
        },
    ),
    "tfmodel.GraphEditor.placeholder": Row(
        partial(edited, "placeholder", "new", "float32"),
        {"shape": [Effect([2]), Refused([-2], "a size is -1 or more")]},
    ),
    "tfmodel.GraphEditor.remove": Row(partial(edited, "remove", "layer/MatMul"), {"reconnect": Effect(True)}),
    "tfmodel.GraphEditor.rename": Row(partial(edited, "rename", "x"), {"new": [Effect("z"), Refused("y", "is taken")]}),
    "tfmodel.GraphEditor.replace_node": Row(
        partial(edited, "replace_node", "y"),
        {
            "op": [Effect("Neg"), Refused("nope", '"nope"')],
            "inputs": [Effect(["x"]), Refused(["nope"], '"nope"')],
            "controls": [Effect([]), Refused(["nope"], '"nope"')],
            "device": Effect("/gpu:0"),
        },
    ),
    "tfmodel.GraphEditor.replace_tensor": Row(
        partial(edited, "replace_tensor", "layer/MatMul", "x"), {"consumers": [Effect([]), Refused(["nope"], '"nope"')]}
    ),
    "tfmodel.GraphEditor.set_inputs": Row(
        partial(edited, "set_inputs", "y", ["x"]), {"controls": [Effect([]), Refused(["nope"], '"nope"')]}
    ),
    "tfmodel.extract": Row(
        lambda **options: tfmodel.extract(GRAPH, **options).graph.to_bytes(),
        {
            "inputs": [Effect("layer/MatMul"), Refused("nope", '"nope"')],
            "outputs": [Effect("layer/MatMul"), Refused("nope", '"nope"')],
        },
    ),
    "tfmodel.reduce": Row(
        lambda **options: tfmodel.reduce(GRAPH, **({"check": bool} | options)).model.graph.to_bytes(),
        {
            "differs_from": Refused(GRAPH, "name one check"),
            "fails": Refused(True, "name one check"),
            "check": Refused("", "the command is empty"),
            "outputs": Refused("nope", '"nope"'),
            "feeds": Refused({"nope": 1}, '"nope"'),
            "samples": Refused(0, "at least 1"),
            "seed": HOLDS,
            "shapes": Refused({"nope": [1]}, '"nope"'),
            "match": Refused("a", "match and timeout are for a command"),
            "timeout": Refused(1.0, "match and timeout are for a command"),
            "repeat": Refused(0, "at least 1"),
            "rtol": "it is a tolerance of differs_from; test_reducer.py has its effect",
            "state": SHARED,
            "improved": TOLD,
            "progress": TOLD,
        },
    ),
    "tfmodel.splice": Row(
        lambda **options: tfmodel.splice(GRAPH, FLAT, {"y": "x"}, **options).meta.to_bytes(),
        {"scope": [Effect("s"), Refused("", "give the second one a scope")], "keep_outputs": Effect(True)},
    ),
    "tfmodel.find": Row(
        lambda graph=GRAPH, **options: tfmodel.find(graph, "op=*", **options).to_text(),
        {"tags": Refused("serve", NO_TAGS)},
    ),
    "tfmodel.object_tree": Row(
        lambda model=OBJECTS, **options: tfmodel.object_tree(model, **options).to_text(),
        {"tags": Refused("serve", "and this is a MetaGraphDef")},
    ),
    "tfmodel.ObjectTree.to_text": Row(
        lambda **options: tfmodel.object_tree(OBJECTS).to_text(**options),
        {"depth": Effect(0), "internal": Effect(True)},
    ),
    "tfmodel.ObjectTree.lines": Row(uncalled, dict.fromkeys(("depth", "internal"), FORWARDED)),
    "tfmodel.ObjectTree.to_json": Row(
        lambda **options: tfmodel.object_tree(OBJECTS).to_json(**options), {"depth": Effect(0)}
    ),
    "tfmodel.ObjectTree.as_dict": Row(uncalled, {"depth": FORWARDED}),
    "tfmodel.signatures": Row(
        lambda model=OBJECTS, **options: tfmodel.signatures(model, **options).to_text(),
        {"tags": Refused("serve", "and this is a MetaGraphDef")},
    ),
    "tfmodel.SignaturesReport.to_text": Row(
        lambda **options: tfmodel.signatures(OBJECTS).to_text(**options), {"all_functions": Effect(True)}
    ),
    "tfmodel.SignaturesReport.lines": Row(uncalled, {"all_functions": FORWARDED}),
    "tfmodel.diff": Row(
        lambda a=GRAPH, b=GRAPH, **options: tfmodel.diff(a, b, **options).to_text(),
        {
            "tags": Refused("serve", "tags choose a MetaGraph of a SavedModel, and neither of these is one"),
            "internal": Effect(True, {"b": with_node(3, attr={"_mine": AttrValue(i=1)})}),
            "order": Effect(True, {"b": with_nodes(GRAPH, reversed(GRAPH.node))}),
            "versions": Effect(True, {"b": GraphDef(node=GRAPH.node, library=GRAPH.library)}),
            "defaults": Effect(False, {"b": BARE}),
            "atol": [Effect(1.0, {"b": OTHER}), Refused(-1.0, "tolerances must be finite and >= 0")],
            "rtol": [Effect(1.0, {"b": OTHER}), Refused(-1.0, "tolerances must be finite and >= 0")],
        },
    ),
    "tfmodel.compare_values": Row(
        lambda a=GRAPH, b=GRAPH, **options: tfmodel.compare_values(a, b, **options).to_text(),
        {
            "tags": Refused("serve", "tags choose a MetaGraph of a SavedModel, and neither of these is one"),
            "atol": [Effect(1.0, {"b": OTHER}), Refused(-1.0, "tolerances must be finite and >= 0")],
            "rtol": [Effect(1.0, {"b": OTHER}), Refused(-1.0, "tolerances must be finite and >= 0")],
            "progress": TOLD,
        },
    ),
    "tfmodel.freeze": Row(
        frozen,
        {
            "outputs": [Effect("layer/MatMul"), Refused("nope", 'there is no tensor "nope"')],
            "checkpoint": Refused(MODEL, "the graph has no variables", {"model": GRAPH}),
            "signature": Refused("s", NO_SIGNATURE),
            "tags": Refused("serve", NO_TAGS, {"model": GRAPH}),
            "bind": [Effect({"x": 1}), *BOUND],
            "allowlist": [Effect("layer/bias"), Refused("y", '"y" is not a variable: its op is Relu')],
            "denylist": [
                Effect("layer/bias"),
                Refused("y", '"y" is not a variable: its op is Relu'),
                Effect("layer/bias", {"allowlist": "layer/bias"}),
            ],
            "clear_devices": HOLDS,
            "share": SHARED,
        },
    ),
    "tfmodel.find_models": Row(
        lambda **options: found_models(**options), {"weights_only": Effect(True), "skipped": TOLD}
    ),
    "tfmodel.from_ndarray": Row(
        lambda **options: tfmodel.from_ndarray(np.ones(2, np.float32), **options), {"dtype": Effect(DataType.DT_HALF)}
    ),
    "tfmodel.read_events": Row(
        lambda source=EVENTS, **options: list(tfmodel.read_events(source, **options)),
        {
            "damaged": Effect("skip", {"source": EVENTS + b"cut off"}),
            "on_damage": TOLD,
            "max_unpacked": Effect(1, {"source": gzip.compress(EVENTS, mtime=0)}),
        },
    ),
    "tfmodel.read_records": Row(
        lambda source=EVENTS, **options: list(tfmodel.read_records(source, **options)),
        {
            "compression": Effect("zlib"),
            "damaged": Effect("skip", {"source": EVENTS + b"cut off"}),
            "on_damage": TOLD,
            "max_unpacked": Effect(1, {"source": gzip.compress(EVENTS, mtime=0)}),
        },
    ),
    "tfmodel.read_values": Row(
        lambda path=LOG, **options: list(tfmodel.read_values(path, **options)),
        {"tags": Effect(["loss"]), "on_damage": TOLD, "max_unpacked": LIMIT},
    ),
    "tfmodel.summarize_events": Row(
        lambda path=LOG, **options: tfmodel.summarize_events(path, **options).to_json(),
        {"max_unpacked": LIMIT, "progress": TOLD},
    ),
    "tfmodel.summarize_records": Row(
        lambda source=EXAMPLES, **options: tfmodel.summarize_records(source, **options).to_json(),
        {
            "features": Effect(False),
            "search": Effect(True, {"source": EXAMPLES[:79] + b"!" + EXAMPLES[80:]}),
            "compression": Effect("zlib"),
            "max_unpacked": Effect(1, {"source": gzip.compress(EXAMPLES, mtime=0)}),
            "progress": TOLD,
        },
    ),
    "tfmodel.write_records": Row(
        lambda **options: written_records(**options),
        {"compression": Effect("gzip")},
    ),
    "tfmodel.EventsReport.series": Row(uncalled, {"run": "it chooses one of several runs with the same tag"}),
    "tfmodel.load": Row(
        loaded,
        {
            "cls": Effect(OpList),
            "lazy": SHARED,
            "tags": [
                Refused("serve", "they need cls=MetaGraphDef or cls=GraphDef"),
                Refused("serve", NO_TAGS, {"cls": GraphDef}),
            ],
            "allow_unknown_field": Effect(True, {"source": b'node { name: "x" op: "NoOp" nope: 1 }'}),
            "max_unpacked": Effect(1, {"source": gzip.compress(BINARY, mtime=0)}),
        },
    ),
    "tfmodel.make_meta_graph": Row(
        lambda graph=GRAPH, **options: make_meta_graph(graph, **options),
        {
            "signatures": [
                Effect({"s": SIGNATURE}),
                Refused({"s": {"inputs": {}, "outputs": {"y": "z"}}}, 'the signature "s"'),
            ],
            "collections": [Effect({"steps": [1]}), Refused({"losses": ["z"]}, '"losses"')],
            "tags": Effect("serve"),
            "saver_def": Effect(SaverDef(version=2)),
            "tensorflow_version": Effect("1.15"),
            "op_defs": Effect(DECLARED, {"graph": MINE}),
        },
    ),
    "tfmodel.optimize": Row(
        optimized,
        ORIGINAL
        | {
            "inputs": Effect("layer/MatMul"),
            "outputs": Effect("layer/MatMul"),
            "recipe": [Effect("obfuscate"), Refused("nope", 'unknown recipe "nope"')],
            "transforms": Effect("rename_op(old_op_name=Relu, new_op_name=Neg)"),
            "bind": Effect({"layer/weights": np.zeros((64, 1))}),
            "verify": HOLDS,
            "feeds": to_verify("feeds", {"z": 1}, '"z"'),
            "shapes": [Effect({"x": (2, 4)}), Refused({"y": (2, 4)}, "which is not an input")],
            "batch_size": [Effect(5), Refused(0, "batch_size is 0, but it must be positive")],
            "seed": to_verify("seed", 5, NO_SEED),
            "rtol": Refused(0.1, "rtol is only used to verify"),
            "names": [Refused("signature", "has no signature"), Refused("nope", 'names is "graph" or "signature"')],
            "report": TOLD,
            "progress": TOLD,
        },
    ),
    "tfmodel.save_onnx": Row(
        saved_onnx,
        ORIGINAL
        | {
            "inputs": Effect("layer/MatMul"),
            "outputs": Effect("layer/MatMul"),
            "opset": [Effect(18), Refused(5, "opset must be 13 to 21")],
            "bind": Effect({"layer/weights": np.zeros((64, 1))}),
            "shapes": [Effect({"x": (2, 4)}), Refused({"y": (2, 4)}, "which is not an input")],
            "batch_size": [Effect(5), Refused(0, "batch_size is 0, but it must be positive")],
            "names": [Refused("signature", "has no signature"), Refused("nope", 'names is "graph" or "signature"')],
            "external_data": Effect(True, CONVNET),
            "verify": HOLDS,
            "feeds": HOLDS,
            "seed": HOLDS,
            "progress": TOLD,
        },
    ),
    "tfmodel.verify_onnx": Row(
        uncalled,
        dict.fromkeys(ORIGINAL, NEEDS_RUNTIME)
        | dict.fromkeys(("inputs", "outputs", "bind", "verification"), NEEDS_RUNTIME),
    ),
    "tfmodel.save_tfjs": Row(
        saved_tfjs,
        ORIGINAL
        | {
            "inputs": Effect("layer/MatMul"),
            "outputs": Effect("layer/MatMul"),
            "quantize": Effect("uint8"),
            "shard_size": [Effect(10), Refused(0, "shard_size must be at least 1")],
            "metadata": [Effect({"a": 1}), Refused({"a": {1}}, "metadata cannot be written as JSON")],
            "progress": TOLD,
        },
    ),
    "tfmodel.run": Row(
        ran,
        ORIGINAL
        | STEPS
        | {
            "fetches": Effect("layer/MatMul"),
            "bind": [Effect({"layer/weights": np.zeros((64, 1))}), Refused({"x": 1}, '"x" is bound'), *BOUND],
            "seed": [Effect(5, {"model": RANDOM, "feeds": {}}), Refused(5, NO_SEED)],
            "log": TOLD,
        },
    ),
    "tfmodel.summarize": Row(
        lambda model=GRAPH, **options: tfmodel.summarize(model, **options).to_text(),
        {
            "tags": Refused("serve", NO_TAGS),
            "bind": [Effect({"x": 1}), *BOUND],
            "batch_size": [Effect(5), Refused(5, NO_OPEN_BATCH, {"model": FIXED})],
            "shapes": [Effect({"x": (2, 4)}), Refused({"z": (1,)}, 'there is no node "z"')],
            "op_defs": Effect(DECLARED, {"model": MINE}),
            "supported_ops": Effect(["Relu"]),
            "structure": SHARED,
        },
    ),
    "tfmodel.to_ndarray": Row(tfmodel.to_ndarray, {"max_fill": LIMIT}),
    "tfmodel.transform": Row(
        transformed,
        {
            "bind": [Effect({"layer/weights": 1}), Refused({"x": 1}, '"x" is a declared input, which is fed'), *BOUND],
            "report": TOLD,
            "op_defs": SEARCHED,
            "verify": [Effect(True), Refused({"z": 1}, '"z"')],
        },
    ),
    "tfmodel.verify": Row(
        verified,
        ORIGINAL
        | STEPS
        | {
            "feeds": Effect(None),
            "outputs": Effect("layer/MatMul"),
            "inputs": [Effect({"x": "x:0"}), Refused({"x": "nope"}, '"nope"')],
            "bind": [Effect({"layer/bias": [0.0]}), Refused({"nope": 1}, 'neither model has a tensor "nope"')],
            "shapes": [Effect({"x": (5, 9)}, {"feeds": None}), Refused({"x": (5, 4)}, "random inputs")],
            "batch_size": [Effect(5, {"feeds": None}), Refused(5, "random inputs")],
            "seed": [Effect(5, {"feeds": None, "b": OTHER}), Refused(5, "random inputs")],
            "rtol": [Effect(1.0, {"b": OTHER}), Refused(-1.0, "rtol")],
            "atol": [Effect(1.0, {"b": OTHER}), Refused(-1.0, "atol")],
            "tags": Refused("serve", "tags choose a MetaGraph of a SavedModel, and neither of these is one"),
            "bisect": Effect(True, {"b": OTHER}),
        },
    ),
    "tfmodel.weights": Row(
        weighed,
        {
            "checkpoint": [Effect(MODEL), Refused(MODEL, "this is a checkpoint itself", {"model": MODEL + ".index"})],
            "tags": Refused("serve", NO_TAGS),
            "name": Effect("nope"),
            "min_size": Effect("1k"),
            "sort": [Refused("mean", "needs statistics"), Refused("nope", "sort must be one of")],
            "layout": Refused("OIHW", "a layout needs the graph", {"model": MODEL + ".index"}),
            "statistics": Effect(True),
            "histogram": Effect(True),
            "as_stored": HOLDS,
            "all": HOLDS,
            "progress": TOLD,
        },
    ),
    "tfmodel.write_checkpoint": Row(
        lambda **options: tfmodel.write_checkpoint("no such folder/c", {"a": np.ones(1)}, **options),
        {"dtypes": Refused({"b": DataType.DT_HALF}, 'dtypes: there is no tensor "b"')},
    ),
    "tfmodel.rewrite_checkpoint": Row(
        rewritten,
        {
            "rename": [Effect({"layer": "dense"}), Refused({"nope": ""}, 'no tensor has a name that "nope" changes')],
            "name": [Effect("layer/bias"), Refused("nope", 'no tensor matches "nope"')],
            "drop": [Effect("layer/bias"), Refused("*", "no tensor is left to write")],
            "optimizer": HOLDS,
            "cast": [Effect("float16"), Refused("nope", 'unknown dtype "nope"')],
            "progress": TOLD,
        },
    ),
    "tfmodel.files.detection.detect": Row(
        lambda head=BINARY, **options: detect(head, **options),
        {
            "tail": Effect((TRAINED / "model.index").read_bytes()[-64:]),
            "size": Effect(0),
            "name": Effect("x.data-00000-of-00001", {"head": bytes(range(200, 256))}),
        },
    ),
    "tfmodel.graph.Functions.get": Row(uncalled, {"default": FOUND}),
    "tfmodel.graph.GraphIndex": Row(uncalled, {"functions": SHARED}),
    "tfmodel.graph.attr": Row(lambda **options: attr(GRAPH.node[3], "nope", int, **options), {"default": Effect(5)}),
    "tfmodel.graph.check_graph": Row(
        lambda graph=GRAPH, **options: list(map(str, check_graph(graph, **options))),
        {
            "index": SHARED,
            "registry": Effect(registry(), {"graph": with_node(3, input=["layer/MatMul:7"])}),
            "types": Effect(
                False, {"registry": registry(), "graph": with_node(3, attr={"T": AttrValue(type=DataType.DT_HALF)})}
            ),
            "colocation": Effect(
                False,
                {
                    "graph": with_node(
                        3,
                        attr={
                            "_class": AttrValue(list=AttrValue.ListValue(s=[b"loc:@nope"])),
                        },
                    )
                },
            ),
            "library": Effect(False, {"graph": GraphDef(library=BROKEN)}),
            "since": SHARED,
        },
    ),
    "tfmodel.graph.instantiate": Row(
        lambda **options: instantiate(
            FunctionDef(node_def=[NodeDef(name="n", attr={"T": AttrValue(placeholder="U")})]), {}, **options
        ),
        {"partly": Effect(True)},
    ),
    "tfmodel.graph.substitute": Row(
        lambda **options: substitute({"T": AttrValue(placeholder="U")}, {}, **options), {"partly": Effect(True)}
    ),
    "tfmodel.KerasSummary.lines": Row(partial(keras_summary, "lines"), {"all": Effect(True)}),
    "tfmodel.KerasSummary.to_text": Row(partial(keras_summary, "to_text"), {"all": Effect(True)}),
    "tfmodel.OnnxSummary.lines": Row(partial(onnx_summary, "lines"), {"all": Effect(True)}),
    "tfmodel.OnnxSummary.to_text": Row(partial(onnx_summary, "to_text"), {"all": Effect(True)}),
    "tfmodel.page": Row(
        lambda **options: tfmodel.page(GRAPH, **options),
        {
            "other": Effect(OTHER),
            "tags": Refused("serve", NO_TAGS),
            "values": Effect("none"),
            "overlay": Effect({"y": 1.0}),
            "overlay_unit": Effect("ms", {"overlay": {"y": 1.0}}),
            "tab": Effect("weights"),
        },
    ),
    "tfmodel.Session": Row(
        opened,
        ORIGINAL
        | {"bind": [Effect({"layer/weights": np.zeros((64, 1))}), *BOUND]}
        | {"ops": SEARCHED, "seed": Effect(5, {"model": RANDOM}), "files": SEARCHED, "log": TOLD},
    ),
    "tfmodel.Session.run": Row(session_ran, STEPS | {"fetches": Effect("layer/MatMul"), "observer": TOLD}),
    "tfmodel.compare.verify.Verification": Row(
        verification,
        {
            "feeds": Effect(X),
            "rtol": Effect(1.0),
            "atol": Effect(1.0),
            "shapes": [Effect({"x": (3, 4)}), Refused({"x": (3, 4)}, NO_SHAPE, {"feeds": X})],
            "batch_size": [Effect(3), Refused(5, NO_BATCH, {"feeds": X})],
            "seed": [Effect(3), Refused(3, NO_SEED, {"feeds": X})],
            "max_steps": Effect(1),
            "max_bytes": Effect(1),
            "compares": Effect(False),
            "watch": Effect(stop),
        },
    ),
    "tfmodel.compare.verify.Verification.begin": Row(verification, {"inputs": Refused(("nope",), '"nope"')}),
    "tfmodel.compare.verify.Comparison.largest_values": Row(
        largest, {"renames": Effect({TensorName("y"): TensorName("x")})}
    ),
    "tfmodel.compare.verify.Verification.run": Row(uncalled, {"observer": TOLD}),
    "tfmodel.compare.verify.Comparison.run": Row(uncalled, {"observer": TOLD}),
    "tfmodel.compare.verify.Comparison.compare": Row(compared, {"renames": Effect({TensorName("y"): TensorName("x")})}),
    "tfmodel.source.metagraph.decode_collections": Row(
        lambda **options: str(decode_collections(COLLECTED, **options)),
        {
            "strict": Effect(True),
            "problems": Refused([], "problems would stay empty", {"strict": True}),
            "types": Effect({}),
        },
    ),
    "tfmodel.source.metagraph.elements": Row(
        lambda **options: str(list(elements("queue_runners", COLLECTED.collection_def["queue_runners"], **options))),
        {"types": Effect({})},
    ),
    "tfmodel.source.metagraph.make_signature": Row(
        lambda **options: make_signature(GRAPH, {"x": "x"}, {"y": "y"}, **options),
        {"method_name": Effect("classify"), "ops": Effect({})},
    ),
    "tfmodel.source.metagraph.stripped_op_list": Row(
        lambda **options: stripped_op_list(MINE, **options), {"op_defs": Effect(DECLARED)}
    ),
    "tfmodel.ops.Ports.port": Row(uncalled, {"index": "it is one of several tensors of an output"}),
    "tfmodel.ops.registry": Row(
        lambda **options: sorted(registry(**options).keys() & {"Mine", "double"}),
        {"model": SEARCHED, "op_defs": Effect(DECLARED)},
    ),
    "tfmodel.kernels.re2.Expression.matches": Row(
        lambda **options: compile_expression(b"(a|b)*c").matches(b"ab" * 9, **options), {"work": LIMIT}
    ),
    "tfmodel.kernels.re2.Expression.replace": Row(uncalled, {"limit": LIMIT, "work": LIMIT}),
    "tfmodel.save": Row(uncalled, {"format": "it changes what is written", "deterministic": HOLDS}),
    "tfmodel.analysis.shapes.infer_shapes": Row(
        lambda graph=GRAPH, name="y", **options: infer_shapes(graph, **options)[name],
        {
            "inputs": [Effect({"x": (2, 4)}), Refused({"z": (1,)}, 'there is no node "z"')],
            "batch_size": [Effect(5), Refused(5, NO_OPEN_BATCH, {"graph": FIXED})],
            "trust_output_shapes": Effect(True, {"graph": MINE, "name": "mine"}),
            "like": SHARED,
            "functions": SHARED,
        },
    ),
    "tfmodel.analysis.shapes.Shapes.in_functions": Row(
        lambda **options: [len(each) for each in infer_shapes(UNCALLED).in_functions(**options).values()],
        {"uncalled": Effect(False)},
    ),
    "tfmodel.vendoring.vendor": Row(
        vendored,
        {
            "parts": Effect(("pbwire", "schema")),
            "update": Effect(True),
            "force": Refused(True, "force needs update: force replaces edited files of an existing copy"),
            "dry_run": "it says whether anything is written",
        },
    ),
    "tfmodel.vendoring.zipapp": Row(uncalled, {"parts": "they are those of vendor"}),
}


def test_the_table_has_every_keyword() -> None:
    check_table(TABLE, PACKAGES)


@pytest.mark.parametrize(("call", "name", "case"), effects(TABLE))
def test_a_keyword_has_an_effect(call: Any, name: str, case: Effect) -> None:
    check_effect(call, name, case)


@pytest.mark.parametrize(("call", "name", "case"), refusals(TABLE))
def test_a_keyword_without_effect_is_refused(call: Any, name: str, case: Refused) -> None:
    check_refusal(call, name, case)
