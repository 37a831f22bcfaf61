"""Models in which every name contains terminal control sequences, and the command lines to run on them.

make_files(folder)                          # the working folder of `calls`
for words in calls()["dump"]:
    main(words)
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pbwire.wellknown import Any
from tests.tfmodel.files.records.files import record_file
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import save, write_checkpoint
from tfmodel.messages import (
    AssetFileDef,
    AttrValue,
    BytesList,
    CollectionDef,
    DataType,
    DictValue,
    Event,
    Example,
    Feature,
    Features,
    FunctionDef,
    FunctionDefLibrary,
    GradientDef,
    GraphDef,
    LogMessage,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    OpList,
    SavedAsset,
    SavedBareConcreteFunction,
    SavedConcreteFunction,
    SavedFunction,
    SavedModel,
    SavedObject,
    SavedObjectGraph,
    SavedUserObject,
    SavedVariable,
    SaverDef,
    SessionLog,
    SignatureDef,
    SourceMetadata,
    StructuredValue,
    Summary,
    SummaryMetadata,
    TaggedRunMetadata,
    TensorInfo,
    TensorProto,
    TensorSpecProto,
    TrackableObjectGraph,
    TupleValue,
)
from tfmodel.values.tensors import from_ndarray

__all__ = ["EVIL", "NAME", "alien", "calls", "make_files", "sound"]

NAME = (
    "\x1b[31m\x1b]0;title\x07\x9b2J\x08\x7f\u202e\u200b\u2028"
    "\u3164\u115f\u1160\uffa0\u2800\u034f\u17b4\ufe0f\u180b\u3000\u00ad\U000e0041\U000e0101\U0001d159\ue000"
)
"""Control sequences for colours, window title, clearing and erasing; reversed letters; line ends; and invisible
characters that are not control characters: fillers, joiners, selectors, blanks, tags, private characters."""

EVIL = f"{NAME}\x00\r\nFORGED: all is well"
"""The same in an error message of the project: a node with such an input name cannot be run."""

_SOUND = """
    x = Placeholder[dtype=float, shape=(-1, 2)]
    w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    m = MatMul(x, w)[T=float, transpose_a=false, transpose_b=false]
    s = Const[dtype=string, value=string{"s"}(1)]
    y = Identity(m)[T=float]
    t = Identity(s)[T=string]
"""


def sound() -> GraphDef:
    """A graph that runs, and whose nodes have such names."""
    graph = graph_of(_SOUND)
    for node in graph.node:
        node.name += NAME
        node.input = [name + NAME for name in node.input]
        node.attr[f"_{EVIL}"] = AttrValue(s=EVIL.encode())
    graph.node[3].attr["value"] = _strings([EVIL])
    text = DataType.DT_STRING
    printed = {"output_stream": AttrValue(s=b"stdout"), "end": AttrValue(s=NAME.encode())}
    logged = {
        "T": AttrValue(type=DataType.DT_FLOAT),
        "U": AttrValue(list=AttrValue.ListValue(type=[text])),
        "message": AttrValue(s=NAME.encode()),
        "first_n": AttrValue(i=-1),
        "summarize": AttrValue(i=3),
    }
    graph.node += [
        NodeDef(name=f"p{NAME}", op="Const", attr={"dtype": AttrValue(type=text), "value": _strings(f"said {NAME}")}),
        NodeDef(name=f"print{NAME}", op="PrintV2", input=[f"p{NAME}"], attr=printed),
        NodeDef(name="z", op="Print", input=[f"y{NAME}", f"p{NAME}", f"^print{NAME}"], attr=logged),
    ]
    return graph


def _strings(values: object) -> AttrValue:
    array = np.array(values, object)
    return AttrValue(tensor=from_ndarray(np.vectorize(str.encode, otypes=[object])(array), DataType.DT_STRING))


def alien() -> MetaGraphDef:
    """A MetaGraph with such strings in all string fields: ops, devices, attributes, functions, signatures, ..."""
    function = FunctionDef(
        signature=OpDef(
            name=f"f{EVIL}",
            input_arg=[OpDef.ArgDef(name=f"a{EVIL}", type_attr=EVIL)],
            output_arg=[OpDef.ArgDef(name=f"r{EVIL}", type=DataType.DT_FLOAT)],
            attr=[OpDef.AttrDef(name=EVIL, type=EVIL)],
        ),
        node_def=[NodeDef(name=f"i{EVIL}", op=f"O{EVIL}", input=[f"a{EVIL}"], device=EVIL)],
        ret={f"r{EVIL}": f"i{EVIL}:o{EVIL}:0"},
    )
    attributes = {
        f"key{EVIL}": AttrValue(s=EVIL.encode()),
        f"f{EVIL}": AttrValue(func=NameAttrList(name=EVIL, attr={EVIL: AttrValue(placeholder=EVIL)})),
        f"p{EVIL}": AttrValue(placeholder=EVIL),
        f"l{EVIL}": AttrValue(list=AttrValue.ListValue(s=[EVIL.encode()], func=[NameAttrList(name=EVIL)])),
        f"t{EVIL}": AttrValue(tensor=TensorProto(dtype=DataType.DT_STRING, string_val=[EVIL.encode()])),
        "value": AttrValue(tensor=TensorProto(dtype=DataType.DT_STRING, string_val=[EVIL.encode()])),
    }
    graph = GraphDef(
        node=[
            NodeDef(name=f"n{EVIL}", op=f"Op{EVIL}", device=f"/device{EVIL}", attr=attributes),
            NodeDef(name=f"call{EVIL}", op=f"f{EVIL}", input=[f"n{EVIL}:1", f"^missing{EVIL}"]),
            NodeDef(name=f"v{EVIL}", op="VarHandleOp", attr={"shared_name": AttrValue(s=EVIL.encode())}),
            NodeDef(name=f"c{EVIL}", op="Const", device=EVIL, attr=attributes),
        ],
        library=FunctionDefLibrary(function=[function], gradient=[GradientDef(function_name=EVIL, gradient_func=EVIL)]),
    )
    info = TensorInfo(name=f"n{EVIL}:0", dtype=DataType.DT_FLOAT)
    about = MetaGraphDef.MetaInfoDef(
        tags=[f"tag{EVIL}"],
        meta_graph_version=EVIL,
        tensorflow_version=EVIL,
        tensorflow_git_version=EVIL,
        stripped_op_list=OpList(op=[OpDef(name=EVIL, summary=EVIL)]),
    )
    packed = Any(type_url=f"x{EVIL}/tensorflow.GraphDef", value=graph.to_bytes())
    unknown = Any(type_url=f"x/{EVIL}", value=EVIL.encode())
    return MetaGraphDef(
        meta_info_def=about,
        graph_def=graph,
        saver_def=SaverDef(filename_tensor_name=EVIL, save_tensor_name=EVIL, restore_op_name=EVIL),
        collection_def={
            f"nodes{EVIL}": CollectionDef(node_list=CollectionDef.NodeList(value=[EVIL])),
            f"bytes{EVIL}": CollectionDef(bytes_list=CollectionDef.BytesList(value=[EVIL.encode()])),
            f"any{EVIL}": CollectionDef(any_list=CollectionDef.AnyList(value=[packed, unknown])),
            "variables": CollectionDef(bytes_list=CollectionDef.BytesList(value=[EVIL.encode()])),
        },
        signature_def={
            f"sig{EVIL}": SignatureDef(
                inputs={f"in{EVIL}": info}, outputs={f"out{EVIL}": info}, method_name=f"method{EVIL}"
            )
        },
        asset_file_def=[AssetFileDef(tensor_info=info, filename=f"../{EVIL}")],
        object_graph_def=alien_objects(),
    )


def alien_objects() -> SavedObjectGraph:
    """An object graph whose names, classes and arguments have them."""
    reference = TrackableObjectGraph.TrackableObject.ObjectReference
    metadata = json.dumps({"class_name": EVIL, "name": EVIL})
    children = [reference(local_name=f"{EVIL}{number}", node_id=number) for number in range(1, 5)]
    value = StructuredValue(string_value=EVIL)
    spec = StructuredValue(tensor_spec_value=TensorSpecProto(name=EVIL))
    fields = StructuredValue(dict_value=DictValue(fields={EVIL: value, f"{EVIL}s": spec}))
    signature = StructuredValue(tuple_value=TupleValue(values=[value, fields]))
    return SavedObjectGraph(
        nodes=[
            SavedObject(user_object=SavedUserObject(identifier=EVIL, metadata=metadata), children=children),
            SavedObject(variable=SavedVariable(name=EVIL)),
            SavedObject(function=SavedFunction(concrete_functions=[f"f{EVIL}", EVIL])),
            SavedObject(asset=SavedAsset()),
            SavedObject(
                bare_concrete_function=SavedBareConcreteFunction(
                    concrete_function_name=f"f{EVIL}", argument_keywords=[EVIL]
                )
            ),
        ],
        concrete_functions={f"f{EVIL}": SavedConcreteFunction(canonicalized_input_signature=signature)},
    )


def _events() -> bytes:
    """An event file with such tags, plugins, texts, paths, graphs, and a damaged record."""
    plugin = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=EVIL, content=EVIL.encode()))
    texts = TensorProto(dtype=DataType.DT_STRING, string_val=[EVIL.encode()])
    text = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text"))
    values = [
        Summary.Value(tag=f"a{EVIL}", simple_value=1.0, metadata=plugin),
        Summary.Value(tag=f"b{EVIL}", tensor=texts, metadata=text),
        Summary.Value(tag=f"c{EVIL}", tensor=texts, metadata=plugin),
        Summary.Value(tag=f"d{EVIL}", image=Summary.Image(encoded_image_string=EVIL.encode())),
    ]
    events = [
        Event(file_version=EVIL, source_metadata=SourceMetadata(writer=EVIL)),
        Event(summary=Summary(value=values)),
        Event(session_log=SessionLog(checkpoint_path=EVIL, msg=EVIL)),
        Event(log_message=LogMessage(message=EVIL)),
        Event(meta_graph_def=alien().to_bytes()),
        Event(tagged_run_metadata=TaggedRunMetadata(tag=EVIL, run_metadata=EVIL.encode())),
    ]
    return record_file([*(event.to_bytes() for event in events), b"\xff" + EVIL.encode()])


def _examples() -> bytes:
    """Examples whose features have such names, a damaged one, and a record that is cut off."""
    feature = Feature(bytes_list=BytesList(value=[EVIL.encode()]))
    example = Example(features=Features(feature={EVIL: feature}))
    return record_file([example.to_bytes()] * 9 + [b"\xff" + EVIL.encode()]) + b"cut off"


def make_files(folder: Path) -> None:
    """Write the files: valid ones, damaged ones, and one with such a name."""
    save(sound(), folder / "sound.pb")
    save(alien(), folder / "alien.meta")
    save(alien().graph_def, folder / "alien.pb")
    (folder / "saved").mkdir()
    save(SavedModel(saved_model_schema_version=1, meta_graphs=[alien(), alien()]), folder / "saved" / "saved_model.pb")
    write_checkpoint(folder / "ckpt", {f"a{EVIL}": np.ones(3), f"b{EVIL}": np.array([EVIL.encode()], object)})
    data = (folder / "ckpt.data-00000-of-00001").read_bytes()
    (folder / "damaged.index").write_bytes((folder / "ckpt.index").read_bytes())
    (folder / "damaged.data-00000-of-00001").write_bytes(bytes(len(data)))
    (folder / "ops.txt").write_text(EVIL.replace("\0", ""), encoding="utf-8")
    shown = EVIL.replace("\n", "")
    (folder / "bad.pbtxt").write_text(f'node {{ name: "{shown}" {shown}: 1 }}', encoding="utf-8")
    (folder / "bad2.pbtxt").write_text(f'node {{ name: "x" op: "{EVIL}\n }}', encoding="utf-8")
    (folder / "bad.json").write_text(f'{{"node": [{{"{shown}": "{shown}"}}]}}', encoding="utf-8")
    (folder / "cut.pb").write_bytes((folder / "alien.pb").read_bytes()[:-20])
    (folder / "page.pb").write_text(f"<html><head><title>{EVIL}</title></head></html>", encoding="utf-8")
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{shown}\nsize {shown}\n"
    (folder / "lfs.pb").write_text(pointer, encoding="utf-8")
    (folder / "logs" / _FILE).mkdir(parents=True)
    (folder / "logs" / _FILE / "events.out.tfevents.1").write_bytes(_events())
    (folder / f"{_FILE}.tfrecord").write_bytes(_examples())
    (folder / f"{_FILE}.pb").write_bytes(alien().to_bytes())
    (folder / f"{_FILE}s.pb").write_bytes(sound().to_bytes())


_FILE = EVIL.replace("\0", "")  # not allowed in file names

_CALLS = {
    "dump": [
        "dump sound.pb",
        "dump sound.pb --full",
        "dump alien.pb --format=tree",
        "dump alien.pb --format=tree --full",
        "dump alien.meta --format=text --full",
        "dump alien.meta --format=json --full",
        "dump alien.meta --format=tree --full",
        "dump alien.meta --format=raw --full",
        "dump alien.meta --collections --format=text",
        "dump alien.meta --collections --format=json",
        "dump alien.meta --collections --format=tree",
        "dump saved --format=text",
        "dump saved --format=json",
        "dump saved --format=tree",
        "dump saved --format=raw",
        "dump ckpt",
        "dump ckpt.index --format=raw",
        "dump sound.pb --node=*",
        "dump alien.pb --node=* --format=tree",
        "dump alien.pb --field=node[*].name",
        "dump alien.pb --field=node[*].attr --full",
        "dump alien.pb --field=EVIL",
        "dump alien.pb --field=library",
        "dump alien.pb --field=node[*].attr[*].s",
        "dump alien.pb --node=EVIL",
        "dump alien.pb --op=EVIL --format=json",
        "dump EVIL",
        "dump FILE.pb",
        "dump FILE.pb --field=x",
        "dump FILE.gone",
        "dump bad.pbtxt",
        "dump bad2.pbtxt",
        "dump bad.json",
        "dump cut.pb",
        "dump page.pb",
        "dump lfs.pb",
        "dump .",
        "dump damaged",
        "dump sound.pb --type=EVIL",
        "dump saved --type=GraphDef --tags=EVIL",
        "dump sound.pb --EVIL",
        "dump EVIL EVIL",
        "dump alien.pb --op-defs=alien.pb --format=tree",
        "dump FILE.tfrecord",
        "dump FILE.tfrecord --format=json",
        "dump FILE.tfrecord --format=raw",
        "dump FILE.tfrecord --field=features.feature[*].bytes_list.value",
        "dump FILE.tfrecord --records=EVIL",
        "dump logs/FILE/events.out.tfevents.1",
        "dump logs/FILE/events.out.tfevents.1 --format=json",
        "dump logs/FILE/events.out.tfevents.1 --field=summary.value[*].tag",
        "dump logs/FILE --format=tree",
        "dump alien.pb --op-defs=FILE.pb --format=tree",
    ],
    "summarize": [
        "summarize sound.pb",
        "summarize alien.pb",
        "summarize alien.meta",
        "summarize FILE.pb",
        "summarize FILEs.pb",
        "summarize sound.pb --print-structure",
        "summarize alien.meta --print-structure",
        "summarize saved",
        "summarize alien.meta --json",
        "summarize sound.pb --compat --print_structure",
        "summarize saved --tags=EVIL",
        "summarize alien.pb --compat --print_structure",
        "summarize alien.pb --supported-ops=ops.txt",
        "summarize EVIL",
        "summarize saved --signatures",
        "summarize alien.meta --signatures --all",
        "summarize alien.meta --objects",
        "summarize alien.meta --objects --depth=1 --json",
        "summarize sound.pb --input-shape=EVIL=1",
        "summarize sound.pb --input-shape=EVIL",
        "summarize cut.pb",
    ],
    "checkpoint": [
        "checkpoint ckpt",
        "checkpoint ckpt --json",
        "checkpoint ckpt --verify",
        "checkpoint ckpt --objects",
        "checkpoint damaged --verify",
        "checkpoint damaged --verify --json",
        "checkpoint damaged -o OUT.npz",
        "checkpoint ckpt -o OUT.npz",
        "checkpoint ckpt -o OUT",
        "checkpoint ckpt --name=EVIL",
        "checkpoint EVIL",
        "checkpoint FILE.pb",
        "checkpoint .",
        "checkpoint ckpt --keys",
        "checkpoint ckpt -o EVIL.h5",
    ],
    "freeze": [
        "freeze alien.meta -o OUT.pb",
        "freeze sound.pb -o OUT.pb --outputs=EVIL",
        "freeze FILE.pb -o OUT.pb",
        "freeze alien.pb -o OUT.pb --outputs=nEVIL --checkpoint=ckpt",
        "freeze alien.meta -o OUT.pb --signature=EVIL",
        "freeze saved -o OUT.pb",
        "freeze sound.pb -o OUT.pb --outputs=yNAME --checkpoint=ckpt",
        "freeze EVIL -o OUT.pb",
        "freeze sound.pb -o OUT.pb --outputs=z --checkpoint=EVIL",
        "freeze saved -o OUT.pb --tags=EVIL",
        "freeze a b",
    ],
    "weights": [
        "weights sound.pb",
        "weights alien.pb",
        "weights alien.meta",
        "weights ckpt",
        "weights sound.pb --json",
        "weights sound.pb --statistics --histogram",
        "weights FILEs.pb -o OUT.npz",
        "weights alien.meta --json",
        "weights sound.pb -o OUT.safetensors",
        "weights sound.pb -o OUT",
        "weights sound.pb --name=EVIL",
        "weights EVIL",
        "weights sound.pb --layout=EVIL",
        "weights sound.pb --min-size=EVIL",
        "weights alien.pb -o OUT.npz",
        "weights sound.pb -o EVIL.h5",
        "weights damaged -o OUT.npz",
        "weights alien.meta --checkpoint=EVIL",
    ],
    "run": [
        "run sound.pb --random --fetch=z,tNAME",
        "run sound.pb --random --fetch=z --trace --profile",
        "run EVIL",
        "run sound.pb --fetch=z",
        "run sound.pb --random --fetch=EVIL",
        "run alien.pb --random --fetch=nEVIL",
        "run FILEs.pb --random --fetch=tNAME -o OUT.npz",
        "run FILEs.pb --random --fetch=tNAME -o OUT",
        "run saved",
        "run alien.meta --random",
        "run sound.pb --feed=EVIL",
        "run sound.pb --feed=xNAME=EVIL --fetch=z",
        "run sound.pb --feed=x=EVIL.npy --fetch=z",
        "run sound.pb --shape=EVIL=EVIL --fetch=z --random",
    ],
    "verify": [
        "verify sound.pb FILEs.pb --outputs=z",
        "verify sound.pb sound.pb --outputs=tNAME --bisect",
        "verify EVIL EVIL",
        "verify sound.pb sound.pb --outputs=z --json",
        "verify alien.pb sound.pb --outputs=nEVIL",
        "verify saved saved",
        "verify sound.pb alien.pb --outputs=z",
        "verify bad.json bad.pbtxt",
    ],
    "ops": [
        "ops alien.pb",
        "ops alien.meta --json",
        "ops sound.pb",
        "ops saved --tags=EVIL",
        "ops EVIL",
        "ops --missing",
    ],
    "diff": [
        "diff sound.pb alien.pb",
        "diff sound.pb alien.pb --json",
        "diff sound.pb alien.meta --full",
        "diff EVIL sound.pb",
        "diff alien.meta saved",
        "diff FILE.pb sound.pb --internal --order --versions",
        "diff bad.json sound.pb",
        "diff sound.pb ckpt",
        "diff saved alien.pb --tags=EVIL",
        "diff cut.pb sound.pb",
        "diff sound.pb alien.pb --values --all",
        "diff alien.meta ckpt --values --all",
        "diff ckpt ckpt --all",
        "diff ckpt damaged",
        "diff ckpt EVIL --values",
    ],
    "check": [
        "check sound.pb",
        "check alien.pb",
        "check alien.pb --all",
        "check alien.meta --json",
        "check saved --tags=EVIL",
        "check saved --checkpoint EVIL",
        "check EVIL",
        "check cut.pb",
    ],
    "events": [
        "events logs",
        "events logs --json",
        "events logs --tag=*",
        "events logs --tag=* --json",
        "events logs --tag=EVIL",
        "events EVIL",
        "events FILE.pb",
        "events alien.meta",
    ],
    "records": [
        "records FILE.tfrecord",
        "records FILE.tfrecord --json",
        "records FILE.tfrecord --verify",
        "records FILE.tfrecord --search",
        "records EVIL",
        "records FILE.pb",
    ],
    "find": [
        "find sound.pb op=*",
        "find alien.pb not op=Const",
        "find alien.meta op=* --json",
        "find alien.pb op=* --names",
        "find alien.pb name=nEVIL",
        "find alien.pb EVIL",
        "find alien.pb opEVIL=1",
        "find alien.pb upstream of EVIL",
        "find sound.pb * -> *",
        "find saved op=* --tags=EVIL",
        "find EVIL op=*",
        "find cut.pb op=*",
    ],
    "edit": [
        "edit sound.pb -o OUT.pb --rename=EVIL=a",
        "edit sound.pb -o OUT.pb --rename=z=EVIL",
        "edit sound.pb -o OUT.pb --insert-after=z=EVIL",
        "edit sound.pb -o OUT.pb --add=EVIL=Neg(EVIL)",
        "edit sound.pb -o OUT.pb --set-attribute=z.EVIL=EVIL",
        "edit sound.pb -o OUT.pb --preprocess=x=EVIL",
        "edit sound.pb -o OUT.pb --function=EVIL",
        "edit alien.pb -o OUT.pb --remove=nEVIL",
        "edit alien.meta -o OUT.pb --remove=nEVIL --json",
        "edit EVIL -o OUT.pb --remove=z",
        "edit cut.pb -o OUT.pb --remove=z",
        "edit sound.pb -o EVIL/x.pb --remove=z",
    ],
    "reduce": [
        "reduce sound.pb -o OUT.pb --fails --outputs=EVIL",
        "reduce sound.pb -o OUT.pb --check=EVIL",
        "reduce sound.pb -o OUT.pb --differs-from=EVIL",
        "reduce sound.pb -o OUT.pb --fails --feed=EVIL=1",
        "reduce sound.pb -o OUT.pb --fails --state=EVIL",
        "reduce alien.pb -o OUT.pb --check=false --json",
        "reduce alien.meta -o OUT.pb --check=false",
        "reduce EVIL -o OUT.pb --fails",
        "reduce cut.pb -o OUT.pb --fails",
        "reduce sound.pb -o EVIL/x.pb --fails",
    ],
    "extract": [
        "extract sound.pb -o OUT.pb --outputs=EVIL",
        "extract sound.pb -o OUT.pb --outputs=z --json",
        "extract alien.pb -o OUT.pb --outputs=nEVIL",
        "extract alien.meta -o OUT.pb --inputs=EVIL",
        "extract EVIL -o OUT.pb --outputs=z",
        "extract saved -o OUT.pb --outputs=z --tags=EVIL",
    ],
    "splice": [
        "splice sound.pb sound.pb -o OUT.pb --connect=EVIL=EVIL",
        "splice sound.pb sound.pb -o OUT.pb --connect=z=EVIL --scope=EVIL",
        "splice alien.pb sound.pb -o OUT.pb --connect=nEVIL=x",
        "splice EVIL sound.pb -o OUT.pb --connect=z=x",
        "splice sound.pb cut.pb -o OUT.pb --connect=z=x",
    ],
    "view": [
        "view alien.pb",
        "view alien.pb alien.meta",
        "view FILE",
        "view nosuchFILE",
    ],
    "draw": [
        "draw sound.pb",
        "draw alien.meta",
        "draw alien.pb --function=fEVIL",
        "draw alien.pb --around=nEVIL --radius=1",
        "draw alien.pb --function=EVIL",
        "draw alien.pb --around=EVIL",
        "draw FILE.pb --constants --all-edges",
        "draw EVIL",
        "draw sound.pb -o EVIL.png",
        "draw sound.pb -o EVIL/x.dot",
        "draw cut.pb",
        "draw alien.pb --depth=1",
    ],
    "transform": [
        "transform sound.pb -o OUT.pb --outputs=z --transforms=strip_unused_nodes --verbose",
        "transform --list",
        "transform FILEs.pb -o FILEout.pb --outputs=z --recipe=deploy --verbose",
        "transform sound.pb -o x --recipe=EVIL",
        "transform alien.meta -o OUT.pb --transforms=fold_constants --verbose",
        "transform EVIL -o x --recipe=deploy",
        "transform alien.pb -o OUT.pb --transforms=sort_by_execution_order",
        "transform saved -o x --recipe=deploy",
        "transform sound.pb -o OUT.pb --transforms=EVIL",
        "transform --help-transform=EVIL",
        "transform --plugin=EVIL --list",
        "transform sound.pb -o OUT.pb --outputs=EVIL --recipe=deploy",
        "transform sound.pb -o x --transforms=a(EVIL=EVIL)",
        "transform sound.pb -o EVIL.gz --recipe=deploy",
        "transform sound.pb -o EVIL/x --outputs=z --recipe=deploy",
        "transform sound.pb --dry-run --outputs=z --transforms=remove_nodes(op=EVIL)",
        "transform cut.pb -o x --recipe=deploy",
        "transform sound.pb --dry-run --outputs=z --recipe=deploy --verify",
        "transform sound.pb -o x",
    ],
    "optimize": [
        "optimize sound.pb -o OUT.pb --outputs=z --verbose",
        "optimize alien.meta -o OUT.pb",
        "optimize saved -o OUT/",
        "optimize FILEs.pb -o FILEout/ --outputs=z,tNAME",
        "optimize sound.pb -o OUT.pb --outputs=EVIL",
        "optimize EVIL",
        "optimize EVIL -o OUT.pb",
        "optimize sound.pb -o OUT.pb --recipe=EVIL",
        "optimize FILE.pb -o OUT.pb --outputs=nEVIL",
        "optimize sound.pb -o OUT.pb --outputs=z --feed=EVIL=1",
        "optimize sound.pb -o EVIL.meta --outputs=z",
    ],
    "convert": [
        "convert sound.pb - --to=text",
        "convert alien.meta - --to=json",
        "convert alien.pb FILE.pbtxt",
        "convert EVIL - --to=text",
        "convert alien.meta - --to=text",
        "convert sound.pb EVIL",
        "convert sound.pb EVIL/out.pb",
        "convert sound.pb FILE.pb/x.pb",
        "convert bad.pbtxt - --to=text",
        "convert bad2.pbtxt - --to=text",
        "convert bad.json - --to=text",
        "convert cut.pb - --to=text",
        "convert page.pb - --to=text",
        "convert lfs.pb - --to=text",
        "convert ckpt - --to=text",
        "convert sound.pb OUT/saved/",
        "convert alien.meta OUT/saved/",
        "convert saved OUT/saved/",
        "convert sound.pb EVIL/",
        "convert sound.pb OUT/saved/ --signature=EVIL",
        "convert sound.pb OUT/saved/ --signature=EVIL=EVIL:z",
        "convert sound.pb OUT/saved/ --assets=EVIL",
        "convert alien.meta OUT/saved/ --checkpoint=EVIL",
    ],
    "completion": ["completion EVIL", "completion bash EVIL"],
    "vendor": [
        "vendor EVIL",
        "vendor OUTEVIL",
        "vendor FILE --parts=EVIL",
        "vendor FILE.pb --check",
        "vendor saved --update",
        "vendor vendored --package=EVIL",
        "vendor FILE --check",
        "vendor --zipapp EVIL/x",
        "vendor FILEd --package=a.b --parts=pbwire",
    ],
    "EVIL": [
        "EVIL",
        "EVIL --help",
    ],
}


def calls() -> dict[str, list[list[str]]]:
    """The arguments of every call, by command."""
    return {
        command: [[_word(word, number) for word in line.split(" ")] for number, line in enumerate(lines)]
        for command, lines in _CALLS.items()
    }


def _word(word: str, number: int) -> str:
    """Return a word of the command line; the outputs of each call get their own names."""
    return word.replace("OUT", f"out{number}").replace("FILE", _FILE).replace("EVIL", _FILE).replace("NAME", NAME)
