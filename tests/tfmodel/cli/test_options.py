"""Every option of every command does what it says, or is refused where it would have no effect.

`OPTIONS` has a row for each option. The row is either a list of contexts in which the option would choose or change
nothing, each with what the command says instead of ignoring it; or the reason why there is no such context. A new
option fails `test_the_table_has_every_option` until it has a row here.

Flags of TensorFlow's tools, which the commands accept for old scripts, are not among them. They have rows in
`tfmodel.cli.former_tools.FLAGS`, and `test_former_tools.py` says which tools have them and what they do.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
from pathlib import Path

import pytest

from tests.tfmodel import models
from tests.tfmodel.cli.error_form import form_problems
from tfmodel import save
from tfmodel.cli import COMMANDS, main
from tfmodel.cli.former_tools import FLAGS
from tfmodel.cli.parser import Parser
from tfmodel.messages import GraphDef, SavedModel

DATA = Path(__file__).resolve().parents[2] / "data"

ALWAYS = "it changes what is read, written or printed, whatever the input is"
LIMIT = "a limit holds whether it is reached or not"
SEARCHED = "it adds to what can be found: declarations, transforms, folders"
HOLDS = "it promises a property of the result, which holds where nothing has to be changed for it"
FORMER = "it is a flag of a former tool: where it has no effect, a line says so, as for those in FLAGS"
DRY = "a dry run takes the options of the run that it stands for"

TAGS = ": --tags chooses a MetaGraph of a SavedModel, and this is a GraphDef: leave the tags out"
NEITHER = ": --tags chooses a MetaGraph of a SavedModel, and neither of these is one: leave the tags out"
CHECKPOINT = ": --checkpoint is not used: the graph has no variables and reads no checkpoint; leave it out"
NO_SIGNATURE = 'there is no signature "s"'
BATCH = "--batch-size is 5, but no random input has an open first dimension: leave it out"
NO_BATCH = "--batch-size is 5, but there are no random inputs: leave it out"
SEED = "--seed has no effect: there are no random inputs, and the model has no random ops; leave it out"
SHAPE = 'a shape is given for "x", but there are no random inputs'
UNKNOWN_FIELDS = "graph.pb: --allow-unknown-field is about text and JSON, and this is binary"

# Calls that are complete but for the option. graph.pb is a frozen graph with a Placeholder x of shape [?, 4], fixed.pb
# has one of shape [2, 4], trained/model.meta has variables and a checkpoint, saved_model has a signature.
RUN = "run graph.pb --fetch y"
FED = f"{RUN} --feed x=[[1,2,3,4]]"
VERIFY = "verify graph.pb graph.pb --outputs y"
TRANSFORM = "transform graph.pb -o out.pb --outputs y --transforms remove_device"
VERIFIED = f"{TRANSFORM} --verify"
OPTIMIZE = "optimize graph.pb -o out.pb --inputs x --outputs y"
FREEZE = "freeze graph.pb -o out.pb --outputs y"
CONVERT = "convert graph.pb out.pbtxt"
EDIT = "edit graph.pb -o out.pb"
REDUCE = "reduce graph.pb -o small.pb"
FAILS = f"{REDUCE} --fails"
EXTRACT = "extract graph.pb -o out.pb"
SPLICE = "splice graph.pb graph.pb -o out.pb"
TO_SAVED = "convert graph.pb out.saved/"
BOTH = "--json and the output cannot both go to standard output: name a file with -o"

OPTIONS = {
    "checkpoint": {
        "--name": [("checkpoint trained --name layer/* --name nothing", "no tensor matches --name nothing")],
        "--keys": HOLDS,
        "--verify": [
            ("checkpoint trained --verify --keys", "--verify is about the whole checkpoint: --keys does not go"),
            ("checkpoint trained --verify --name a", "--name does not go with it"),
            ("checkpoint trained --verify -o out", "--output does not go with it"),
            ("checkpoint trained --verify --write-checkpoint new", "--write-checkpoint does not go with it"),
        ],
        "--objects": [
            (
                "checkpoint trained --objects --keys",
                "--objects is about the whole checkpoint: --keys does not go with it",
            ),
            ("checkpoint trained --objects --verify", "--verify is about the whole checkpoint: --objects does not go"),
        ],
        "--depth": [("checkpoint trained --depth 1", "--depth is for the tree of --objects: add --objects, or leave")],
        "--all": [
            ("checkpoint trained --all", "--all is for the tree of --objects: add --objects, or leave it out"),
            ("checkpoint trained --objects --all --json", "--json has all objects: leave out --all"),
        ],
        "--output": ALWAYS,
        "--json": [("checkpoint trained --json -o out.npz", "--json prints the list: it does not go with -o")],
        "--write-checkpoint": [
            ("checkpoint trained --write-checkpoint new -o out", "writes a checkpoint: --output does not go with it"),
            ("checkpoint trained --write-checkpoint new --keys", "writes a checkpoint: --keys does not go with it"),
            ("checkpoint trained --write-checkpoint no/new", "there is no folder no to write it to"),
        ],
        "--rename": [
            ("checkpoint trained --rename a=b", "--rename is for --write-checkpoint: add it"),
            ("checkpoint trained --rename nope=b --write-checkpoint new", 'no tensor has a name that "nope" changes'),
        ],
        "--drop": [
            ("checkpoint trained --drop a", "--drop is for --write-checkpoint: add it"),
            ("checkpoint trained --drop nope --write-checkpoint new", 'no tensor matches "nope"'),
        ],
        "--drop-optimizer": [("checkpoint trained --drop-optimizer", "--drop-optimizer is for --write-checkpoint")],
        "--cast": [
            ("checkpoint trained --cast float16", "--cast is for --write-checkpoint: add it"),
            ("checkpoint trained --cast f17 --write-checkpoint new", 'there is no dtype "f17"'),
            ("checkpoint trained --cast float16 --cast a=float16 --write-checkpoint new", "goes with no other --cast"),
        ],
    },
    "check": {
        "--checkpoint": [
            ("check graph.pb --checkpoint trained", "--checkpoint is not used"),
            ("check graph.pb model.meta --checkpoint trained", "--checkpoint is for one model: leave it out, or name"),
        ],
        "--tags": [("check graph.pb --tags serve", TAGS)],
        "--op-defs": HOLDS,
        "--ignore": [
            ("check graph.pb --ignore port", 'there are no findings of the kind "port"; did you mean "broken/port"?')
        ],
        "--fail-on": [("check graph.pb --fail-on wrong", 'there are no findings of the kind "wrong"')],
        "--values": [("check graph.pb --values", "there are no values to read: the graph has no variables")],
        "--all": [
            ("check graph.pb --all --json", "--json has all findings: leave out --all"),
            ("check graph.pb --all --sarif", "--sarif has all findings: leave out --all"),
            ("check graph.pb trained --all", "--all is for one model: leave it out, or name one file"),
        ],
        "--json": ALWAYS,
        "--sarif": [("check graph.pb --sarif --json", "--sarif has all findings: leave out --json")],
        "--output": [("check graph.pb -o out.sarif", "-o is the file of --sarif: add --sarif, or leave it out")],
        "--jobs": LIMIT,
    },
    "events": {
        "--tag": [("events logs --tag loss --tag nothing", "no tag matches --tag nothing")],
        "--max-unpacked": LIMIT,
        "--json": ALWAYS,
    },
    "records": {
        "--verify": [("records examples.tfrecord --verify --json", "--json has all damage: leave out --verify")],
        "--search": HOLDS,
        "--compression": ALWAYS,
        "--max-unpacked": LIMIT,
        "--json": ALWAYS,
    },
    "convert": {
        "--from": [(f"{TO_SAVED} --from binary", "--from does not go with a SavedModel as OUT")],
        "--to": ALWAYS,
        "--deterministic": HOLDS,
        "--proto": [
            ("convert graph.pb out.pb --proto nothing.proto", "nothing.proto"),
            (f"{TO_SAVED} --proto a.proto", "--proto does not go with a SavedModel as OUT"),
        ],
        "--include": [(f"{CONVERT} -I .", "-I names folders for the imports of --proto")],
        "--preserving-proto-field-name": [
            (f"{CONVERT} --preserving-proto-field-name", "is for JSON, and the output is text: leave it out"),
            (f"{TO_SAVED} --preserving-proto-field-name", "does not go with a SavedModel as OUT"),
        ],
        "--type": [(f"{TO_SAVED} --type GraphDef", "--type does not go with a SavedModel as OUT")],
        "--tags": [
            (f"{CONVERT} --type GraphDef --tags serve", TAGS),
            (f"{CONVERT} --tags serve", "--tags chooses a MetaGraph: add --type MetaGraphDef or --type GraphDef"),
            ("convert saved_model out.pbtxt --type SavedModel --tags serve", "add --type MetaGraphDef"),
            ("convert graph.pbtxt out.pb --type GraphDef --tags serve", TAGS),
        ],
        "--allow-unknown-field": [
            (f"{CONVERT} --allow-unknown-field", UNKNOWN_FIELDS),
            (f"{TO_SAVED} --allow-unknown-field", "does not go with a SavedModel as OUT"),
        ],
        "--max-unpacked": LIMIT,
        "--signature": [
            (f"{CONVERT} --signature s", "--signature (or --function) is about a SavedModel as OUT: add --to"),
            (f"{TO_SAVED} --signature s", NO_SIGNATURE),
            (f"{TO_SAVED} --signature s=x", 'there is no signature "x"'),
            (f"{TO_SAVED} --signature s=", '--signature takes NAME, NEW=NAME, or NAME=INPUTS:OUTPUTS, not "s="'),
            (f"{TO_SAVED} --signature s=x:", 'NEW=NAME, or NAME=INPUTS:OUTPUTS, not "s=x:"'),
            (f"{TO_SAVED} --signature s=x:y:z", 'NEW=NAME, or NAME=INPUTS:OUTPUTS, not "s=x:y:z"'),
            (f"{TO_SAVED} --signature s=x:y --signature s=x:y", '--signature is given twice for "s"'),
            (f"{TO_SAVED} --signature s=x:nope", '"nope"'),
        ],
        "--assets": [
            (f"{CONVERT} --assets ops.txt", "--assets is about a SavedModel as OUT"),
            (
                f"{TO_SAVED} --assets ops.txt",
                'no node holds the path of a file called "ops.txt": name it with --assets',
            ),
            (f"{TO_SAVED} --assets y=ops.txt", "is not a constant string"),
            (
                f"{TO_SAVED} --assets y=ops.txt --assets ops.txt",
                "--assets takes NODE=FILE each time, or FILE each time",
            ),
        ],
        "--checkpoint": [
            (f"{CONVERT} --checkpoint trained/model", "--checkpoint is about a SavedModel as OUT"),
            (f"{TO_SAVED} --checkpoint trained/model", CHECKPOINT),
        ],
        "--json": [("convert graph.pb - --to text --json", BOTH)],
        "--op-defs": [(f"{CONVERT[:-5]}out --to tfjs --op-defs ops.pbtxt", "--op-defs")],
        **{
            option: [(f"{CONVERT} {option} {value}", f"{option} is for TensorFlow.js: add --to tfjs, or leave it out")]
            for option, value in {
                "--quantize-float16": "*",
                "--quantize-uint8": "*",
                "--quantize-uint16": "*",
                "--weight-shard-size-bytes": "1k",
            }.items()
        },
        **{
            option: [(f"{CONVERT} {option} x", f"{option} is for TensorFlow.js and ONNX: leave it out")]
            for option in ("--inputs", "--outputs")
        },
        **{
            option: [(f"{CONVERT} {option} {value}".rstrip(), f"{option} is for ONNX: add --to onnx, or leave it out")]
            for option, value in {
                "--opset": "17",
                "--bind": "x=1",
                "--no-bind": "",
                "--shape": "x=1",
                "--batch-size": "1",
                "--names": "graph",
                "--external-data": "",
                "--verify": "",
            }.items()
        },
    },
    "diff": {
        "--html": [
            ("diff graph.pb graph.pb --html page.html --json", "--html writes the whole report: leave out --json")
        ],
        "--tags": [("diff graph.pb graph.pb --tags serve", NEITHER)],
        "--values": ALWAYS,
        "--order": [("diff graph.pb graph.pb --values --order", "--order is for graphs, and values are compared")],
        "--versions": [("diff trained/model trained --versions", "--versions is for graphs, and values are compared")],
        "--internal": [("diff graph.pb graph.pb --values --internal", "--internal is for graphs")],
        "--ignore-defaults": [("diff trained trained --ignore-defaults", "--ignore-defaults is for graphs")],
        "--all": [
            ("diff graph.pb graph.pb --all", "--all lists tensors whose values are compared: it goes with --values"),
            ("diff graph.pb graph.pb --values --all --json", "--json has all tensors: leave out --all"),
            ("diff graph.pb graph.pb --values --all --quiet", "--quiet prints nothing: leave out --all"),
        ],
        "--atol": LIMIT,
        "--rtol": LIMIT,
        "--full": [("diff graph.pb graph.pb --full --quiet", "--quiet prints nothing: leave out --full")],
        "--quiet": ALWAYS,
        "--json": [("diff graph.pb graph.pb --json --quiet", "--quiet prints nothing: leave out --json")],
    },
    "draw": {
        "--output": [
            ("draw graph.pb -o out.bmp", "-o out.bmp: draw writes a page (.html), an image (.svg, .png, .pdf) or .dot"),
        ],
        "--depth": HOLDS,
        "--around": ALWAYS,
        "--json": [("draw graph.pb --json", BOTH)],
        "--radius": [("draw graph.pb --radius 3", "--radius belongs to --around")],
        "--function": ALWAYS,
        "--tags": [("draw graph.pb --tags serve", TAGS)],
        "--overlay": ALWAYS,
        "--weights": [("draw graph.pb --weights all", "--weights is for a page: -o model.html")],
        "--constants": HOLDS,
        "--all-edges": HOLDS,
    },
    "view": {
        "--json": ALWAYS,
        "--output": [
            (
                "view graph.pb -o page.png",
                "-o page.png: view writes a page (.html); draw also writes images (.svg, .png",
            ),
        ],
        "--tags": [("view graph.pb --tags serve", TAGS)],
        "--overlay": [("view graph.pb --overlay graph.pb", "an overlay is a RunMetadata, or JSON")],
        "--weights": ALWAYS,
    },
    "edit": {
        "--set-attribute": [(f"{EDIT} --set-attribute y.nope=1", 'has no attribute "nope"')],
        "--remove-attribute": [(f"{EDIT} --remove-attribute y.nope", 'has no attribute "nope"')],
        "--device": [(f"{EDIT} --device y", "expected node=device")],
        "--rename": [(f"{EDIT} --rename z=w", 'there is no node "z"')],
        "--add": [(f"{EDIT} --add NoOp", "has no name")],
        "--insert-after": [(f"{EDIT} --insert-after z=Neg", 'there is no node "z"')],
        "--replace-node": [(f"{EDIT} --replace-node z=Neg", 'there is no node "z"')],
        "--replace-tensor": [(f"{EDIT} --replace-tensor y=z", 'there is no node "z"')],
        "--remove": [(f"{EDIT} --remove z", 'there is no node "z"')],
        "--bypass": [(f"{EDIT} --bypass x", "has no input that could take its place")],
        "--preprocess": [(f"{EDIT} --preprocess x=nope", 'there is no step "nope"')],
        "--function": [
            (f"{EDIT} --function nope --rename a=b", '"nope"'),
            (f"{EDIT} --function nope", "--function is for the edits after it"),
        ],
        "--tags": [(f"{EDIT} --rename y=z --tags serve", TAGS)],
        "--op-defs": SEARCHED,
        "--output": ALWAYS,
        "--output-as-text": [
            ("edit graph.pb -o out.saved/ --rename y=z --output-as-text", "--output-as-text is for files"),
        ],
        "--json": [("edit graph.pb -o - --rename y=z --json", "cannot both go to standard output")],
    },
    "extract": {
        "--op-defs": HOLDS,
        "--inputs": [(f"{EXTRACT} --inputs z", 'there is no tensor "z"')],
        "--outputs": [(f"{EXTRACT} --outputs z", 'there is no tensor "z"')],
        "--signature": [(f"{EXTRACT} --outputs y --signature s", NO_SIGNATURE)],
        "--tags": [(f"{EXTRACT} --outputs y --tags serve", TAGS)],
        "--output": ALWAYS,
        "--output-as-text": [("extract graph.pb -o out.saved/ --outputs y --output-as-text", "is for files")],
        "--json": [("extract graph.pb -o - --outputs y --json", "cannot both go to standard output")],
    },
    "reduce": {
        "--output": ALWAYS,
        "--check": [(f"{FAILS} --check true", "name one of --check, --differs-from and --fails")],
        "--match": [(f"{FAILS} --match x", "--match goes with --check")],
        "--timeout": [(f"{FAILS} --timeout 1", "--timeout goes with --check")],
        "--differs-from": [(f"{FAILS} --differs-from graph.pb", "name one of --check, --differs-from and --fails")],
        "--rtol": [(f"{FAILS} --rtol 1", "--rtol goes with --differs-from")],
        "--fails": [(f"{FAILS} --check true", "name one of --check, --differs-from and --fails")],
        "--outputs": [(f"{FAILS} --outputs z", '"z"')],
        "--feed": [(f"{FAILS} --feed z=1", '"z"')],
        "--shape": [
            (f"{FAILS} --shape z=1", 'there is no tensor "z"'),
            (f"{FAILS} --shape x", "--shape takes NAME=VALUE"),
        ],
        "--seed": HOLDS,
        "--samples": HOLDS,
        "--repeat": HOLDS,
        "--state": [(f"{FAILS} --state graph.pb", "this is not a file with the state of a reduction")],
        "--checkpoint": [(f"{FAILS} --checkpoint trained/model", "is not used")],
        "--signature": [(f"{FAILS} --signature s", NO_SIGNATURE)],
        "--tags": [(f"{FAILS} --tags serve", TAGS)],
        "--json": ALWAYS,
    },
    "splice": {
        "--op-defs": HOLDS,
        "--connect": [(f"{SPLICE} --connect z=x", 'there is no tensor "z"')],
        "--scope": [(f"{SPLICE} --connect x=x --scope=", "give the second one a scope")],
        "--keep-outputs": HOLDS,
        "--output": ALWAYS,
        "--output-as-text": [
            ("splice graph.pb graph.pb -o out.saved/ --connect y=x --output-as-text", "is for files"),
        ],
        "--json": [("splice graph.pb graph.pb -o - --connect y=x --json", "cannot both go to standard output")],
    },
    "find": {
        "--tags": [("find graph.pb op=* --tags serve", TAGS)],
        "--names": [("find graph.pb op=* --names --json", "--json has the names too: leave out --names")],
        "--json": ALWAYS,
    },
    "dump": {
        "--format": [("dump model.index --format raw", "which is a table, not a message: --format raw does not apply")],
        "--full": HOLDS,
        "--node": [
            ("dump graph.pb --node x --node nothing", "none of the nodes printed matches --node nothing"),
            ("dump graph.pb --node x --format raw", "--format raw goes through the whole file: --node does not apply"),
            ("dump graph.pb --node x --collections", "--collections prints all of them, and nothing else: --node"),
            ("dump model.index --node x", "this is a checkpoint, which has no nodes and no fields: --node"),
            ("dump ops.pbtxt --node x", "this is an OpList, which has no nodes"),
        ],
        "--op": [
            ("dump graph.pb --op Relu --op nothing", "none of the nodes printed matches --op nothing"),
            ("dump graph.pb --op x --format raw", "--format raw goes through the whole file: --op does not apply"),
            ("dump graph.pb --op x --collections", "--collections prints all of them, and nothing else: --op"),
            ("dump model.index --op x", "this is a checkpoint, which has no nodes and no fields: --op"),
            ("dump ops.pbtxt --op x", "this is an OpList, which has no nodes"),
        ],
        "--field": [
            ("dump graph.pb --field=", "--field: "),
            ("dump graph.pb --field node --format raw", "--field does not apply"),
            ("dump graph.pb --field node --collections", "--field does not apply"),
            ("dump examples.tfrecord --field x --format raw", "--format raw goes through whole records: --field does"),
            ("dump model.index --field node", "--field does not apply"),
        ],
        "--records": [
            ("dump graph.pb --records 3", "--records is for TFRecord files: leave it out"),
            ("dump logs/train --records 3 --op x", "these options choose from a graph: leave out one of them"),
            ("dump examples.tfrecord --records 9:", "no record is in the range --records 9:"),
            ("dump examples.tfrecord --records 3:2", "no record is in the range --records 3:2"),
        ],
        "--collections": [
            ("dump graph.pb --collections", "this is a GraphDef, which has no collections"),
            ("dump graph.pb --collections --format raw", "--collections does not apply"),
            ("dump model.index --collections", "--collections does not apply"),
        ],
        "--op-defs": [
            (
                "dump graph.pb --op-defs ops.pbtxt",
                "--op-defs is for the types that --format tree shows: add --format tree",
            ),
            ("dump ops.pbtxt --format tree --op-defs ops.pbtxt", "this is an OpList, which has no nodes: --op-defs"),
            ("dump model.index --format tree --op-defs ops.pbtxt", "--op-defs does not apply"),
            ("dump model.meta --collections --format tree --op-defs ops.pbtxt", "--op-defs does not apply"),
        ],
        "--type": ALWAYS,
        "--proto": [("dump graph.pb --proto nothing.proto", "nothing.proto")],
        "--include": [("dump graph.pb -I .", "-I names folders for the imports of --proto")],
        "--tags": [
            ("dump graph.pb --type GraphDef --tags serve", TAGS),
            ("dump graph.pb --tags serve", "--tags chooses a MetaGraph: add --type MetaGraphDef or --type GraphDef"),
            ("dump saved_model --type SavedModel --tags serve", "and not --type SavedModel"),
        ],
        "--allow-unknown-field": [
            ("dump graph.pb --allow-unknown-field", UNKNOWN_FIELDS),
            ("dump graph.pb --allow-unknown-field --format raw", "which --format raw does not read"),
            ("dump model.index --allow-unknown-field", "--allow-unknown-field is about text and JSON"),
            ("dump examples.tfrecord --allow-unknown-field", "--allow-unknown-field is about text and JSON"),
        ],
        "--max-unpacked": LIMIT,
    },
    "freeze": {
        "--json": [("freeze graph.pb -o - --outputs y --json", BOTH)],
        "--op-defs": HOLDS,
        "--rename": [(f"{FREEZE} --rename a=b", "--rename is for the tensors of a checkpoint, and there is none")],
        "--output": ALWAYS,
        "--outputs": ALWAYS,
        "--signature": [("freeze trained/model.meta -o out.pb --outputs y --signature s", NO_SIGNATURE)],
        "--tags": [
            (f"{FREEZE} --tags serve", TAGS),
            ("freeze trained/model.meta -o out.pb --tags serve", "and this is a MetaGraphDef"),
        ],
        "--saved-model-tags": FORMER,
        "--bind": [
            ("freeze trained -o out.pb --bind z=1", 'there is no node "z"'),
            ("freeze trained -o out.pb --bind x", '--bind takes NAME=VALUE, not "x"'),
            ("freeze trained -o out.pb --bind x=1 --bind x=2", '--bind is given twice for "x"'),
            ("freeze trained -o out.pb --bind x=1 --bind x:0=2", '"x" is bound twice'),
            ("freeze trained -o out.pb --bind x=yes", '--bind x: "yes" is not JSON'),
            ("freeze trained -o out.pb --bind x=true", '"x" is float32 and cannot be bound to True: it is a bool'),
        ],
        "--checkpoint": [(f"{FREEZE} --checkpoint trained/model", CHECKPOINT)],
        "--variable-names-denylist": [
            ("freeze trained -o out.pb --denylist nothing", "nothing"),
            ("freeze trained -o out.pb --denylist y", '"y" is not a variable: its op is Relu'),
            (f"{FREEZE} --denylist y", '"y" is not a variable: its op is Relu'),
        ],
        "--variable-names-whitelist": [
            ("freeze trained -o out.pb --allowlist layer/bias,nothing", "nothing"),
            ("freeze trained -o out.pb --allowlist y", '"y" is not a variable: its op is Relu'),
            (f"{FREEZE} --allowlist y", '"y" is not a variable: its op is Relu'),
        ],
        "--clear-devices": HOLDS,
        "--input-graph": [
            (f"{FREEZE} --input_graph graph.pb", "graph.pb and graph.pb are both given as the model"),
        ],
        "--input-meta-graph": [
            ("freeze --input_meta_graph trained/model.meta --input_graph graph.pb -o out.pb", "are both given as the"),
        ],
        "--input-saved-model-dir": [
            ("freeze --input_saved_model_dir saved_model --input_graph graph.pb -o out.pb", "are both given as the"),
            ("freeze --input_saved_model_dir saved_model --input_meta_graph m.meta -o out.pb", "are both given as the"),
        ],
        "--input-binary": [
            ("freeze graph.pbtxt -o out.pb --outputs y --input_binary", "says that this is binary, and it is text"),
            (f"{FREEZE} --input_binary=false", "--input_binary says that this is text, and it is binary: leave it out"),
            ("freeze - -o out.pb --outputs y --input_binary", "the model comes from standard input: leave it out"),
        ],
    },
    "ops": {
        "--tags": [
            ("ops graph.pb --tags serve", TAGS),
            ("ops --tags serve", "--tags is about the ops of a model: name one"),
        ],
        "--missing": [("ops --missing", "--missing is about the ops of a model: name one")],
        "--json": ALWAYS,
    },
    "optimize": {
        "--plugin": SEARCHED,
        "--json": [("optimize graph.pb -o - --outputs y --json", BOTH)],
        "--op-defs": HOLDS,
        "--rename": [(f"{OPTIMIZE} --rename a=b", "--rename is for the tensors of a checkpoint, and there is none")],
        "--output": ALWAYS,
        "--saved-model": ALWAYS,
        "--inputs": ALWAYS,
        "--outputs": ALWAYS,
        "--bind": [(f"{OPTIMIZE} --bind z=1", 'there is no node "z"')],
        "--no-bind": [(f"{OPTIMIZE} --no-bind --bind x=1", "--bind and --no-bind contradict each other")],
        "--signature": [(f"{OPTIMIZE} --signature s", NO_SIGNATURE)],
        "--names": [(f"{OPTIMIZE} --names signature", "the model has no signature that could give names")],
        "--tags": [(f"{OPTIMIZE} --tags serve", TAGS)],
        "--checkpoint": [(f"{OPTIMIZE} --checkpoint trained/model", CHECKPOINT)],
        "--recipe": ALWAYS,
        "--transforms": ALWAYS,
        "--verify": ALWAYS,
        "--rtol": [(f"{OPTIMIZE} --no-verify --rtol 1", "--rtol says how to verify: it does not go with --no-verify")],
        "--feed": [(f"{OPTIMIZE} --no-verify --feed x=1", "--feed says how to verify")],
        "--shape": [(f"{OPTIMIZE} --shape y=1,4", 'a shape is given for "y", which is not an input')],
        "--batch-size": [
            ("optimize constant.pb -o out.pb --outputs w --batch-size 5", "batch_size: no declared input is a Placehol")
        ],
        "--seed": [
            (f"{OPTIMIZE} --no-verify --seed 5", "--seed says how to verify"),
            (f"{OPTIMIZE} --feed x=[[1,2,3,4]] --seed 5", SEED),
        ],
        "--verbose": HOLDS,
    },
    "run": {
        "--fetch": ALWAYS,
        "--feed": ALWAYS,
        "--random": HOLDS,
        "--shape": [
            (f"{FED} --shape x=1,4", "--shape is for random inputs: add --random"),
            (f"{FED} --random --shape x=1,4", SHAPE),
        ],
        "--batch-size": [
            (f"{FED} --batch-size 5", "--batch-size is for random inputs: add --random"),
            (f"{FED} --random --batch-size 5", NO_BATCH),
            ("run fixed.pb --fetch y --random --batch-size 5", BATCH),
        ],
        "--seed": [(f"{FED} --seed 5", SEED), (f"{FED} --random --seed 5", SEED)],
        "--bind": [
            (f"{RUN} --bind z=1", 'there is no node "z"'),
            (f"{FED} --bind x=1", '"x" is bound to a constant and cannot be fed: leave one out'),
        ],
        "--checkpoint": [(f"{RUN} --random --checkpoint trained/model", CHECKPOINT)],
        "--signature": [(f"{FED} --signature s", NO_SIGNATURE)],
        "--tags": [(f"{FED} --tags serve", TAGS)],
        "--files": SEARCHED,
        "--top": [("run graph.pb --feed y=1 --fetch y --top 5", "--top is for vectors of numbers")],
        "--labels": [(f"{FED} --labels labels.txt", "--labels names the classes that --top prints: add --top 5")],
        "--max-steps": LIMIT,
        "--max-bytes": LIMIT,
        "--output": ALWAYS,
        "--trace": ALWAYS,
        "--profile": ALWAYS,
        "--json": [
            ("run fixed.pb --fetch y --random --json --trace", "--trace prints lines as nodes are done"),
            ("run fixed.pb --fetch y --random --json -o out.npz", "--json is for what is printed"),
        ],
    },
    "summarize": {
        "--html": [("summarize graph.pb --html page.html --json", "--html writes the whole report: leave out --json")],
        "--bind": [
            ("summarize graph.pb --bind z=1", 'graph.pb: there is no node "z"'),
            ("summarize graph.pb --bind z=1 --compat", 'graph.pb: there is no node "z"'),
        ],
        "--in-graph": [("summarize graph.pb --in_graph graph.pb", "name one model, as FILE or with --in_graph")],
        "--jobs": LIMIT,
        "--all": [
            ("summarize graph.pb --all --json", "--all has no effect with --json: leave it out"),
            ("summarize graph.pb --all --compat", "--all has no effect with --compat: leave it out"),
        ],
        "--tags": [("summarize graph.pb --tags serve", TAGS), ("summarize graph.pb --compat --tags serve", TAGS)],
        "--batch-size": [
            ("summarize fixed.pb --batch_size 5", "--batch-size is 5, but no input has a shape whose first"),
            ("summarize constant.pb --batch_size 5", "--batch-size is 5, but there are no inputs: leave it out"),
            ("summarize graph.pb --compat --batch_size 5", "--batch-size has no effect with --compat"),
        ],
        "--shape": [
            ("summarize graph.pb --input_shape z=1", '"z"'),
            ("summarize graph.pb --compat --input_shape x=1,4", "--shape has no effect with --compat"),
        ],
        "--input-layer": [
            ("summarize graph.pb --input_layer x", "--input_layer needs a --shape without a name"),
            ("summarize graph.pb --input_layer x --input_shape x=1,4", "--input_layer needs a --shape without a name"),
        ],
        "--supported-ops": [
            ("summarize graph.pb --compat --supported-ops ops.txt", "--supported-ops has no effect with --compat")
        ],
        "--op-defs": [("summarize graph.pb --compat --op-defs ops.pbtxt", "--op-defs has no effect with --compat")],
        "--signatures": [
            ("summarize saved_model --signatures --objects", "--signatures and --objects are two reports: name one"),
            ("summarize saved_model --signatures --compat", "--compat has no effect with --signatures: leave it out"),
        ],
        "--objects": [
            ("summarize saved_model --objects --batch-size 1", "--batch-size has no effect with --objects: leave it"),
            ("summarize saved_model --objects --op-defs ops.pbtxt", "--op-defs has no effect with --objects: leave it"),
        ],
        "--depth": [("summarize saved_model --depth 1", "--depth is the number of levels of --objects: add --objects")],
        "--compat": ALWAYS,
        "--print-structure": ALWAYS,
        "--json": [("summarize graph.pb --json --compat", "--json does not go with --compat, which prints lines")],
    },
    "transform": {
        "--bind": [
            (f"{TRANSFORM} --bind z=1", 'there is no node "z"'),
            (f"{TRANSFORM} --inputs x --bind x=1", '"x" is a declared input, which is fed'),
            ("transform --list --bind x=1", "--list changes no graph: leave out --bind"),
        ],
        "--output": [("transform --list -o out.pb", "--list changes no graph: leave out -o")],
        "--in-graph": [
            (f"{TRANSFORM} --in_graph graph.pb", "name one graph to change, as FILE or with --in_graph"),
            ("transform --list --in_graph graph.pb", "--list changes no graph: leave out --in-graph"),
        ],
        "--inputs": [("transform --list --inputs x", "--list changes no graph: leave out --inputs")],
        "--outputs": [("transform --help-transform rename_op --outputs x", "--help-transform changes no graph")],
        "--signature": [
            (f"{TRANSFORM} --signature s", "--signature: this is a graph, which has no signatures"),
            (
                "transform saved_model -o out.pb --inputs x --outputs y --signature s --transforms remove_device",
                "--signature names inputs and outputs that are not given: leave it out, or one of these",
            ),
        ],
        "--transforms": [("transform --list --transforms remove_device", "--list changes no graph")],
        "--recipe": [("transform --list --recipe deploy", "--list changes no graph: leave out --recipe")],
        "--tags": [(f"{TRANSFORM} --tags serve", TAGS), ("transform --list --tags serve", "leave out --tags")],
        "--plugin": SEARCHED,
        "--op-defs": [("transform --list --op-defs ops.pbtxt", "--list changes no graph: leave out --op-defs")],
        "--verify": [("transform --list --verify", "--list changes no graph: leave out --verify")],
        "--checkpoint": [
            (f"{TRANSFORM} --checkpoint trained/model", "--checkpoint is for --verify, which is not given"),
            (f"{VERIFIED} --checkpoint trained/model", CHECKPOINT[2:]),
        ],
        "--rtol": [(f"{TRANSFORM} --rtol 1", "--rtol is for --verify, which is not given")],
        "--feed": [(f"{TRANSFORM} --feed x=1", "--feed is for --verify, which is not given")],
        "--shape": [(f"{TRANSFORM} --shape y=1,4", '"y" is not a Placeholder')],
        "--batch-size": [(f"{TRANSFORM} --batch-size 5", "batch_size: no declared input is a Placeholder")],
        "--seed": [
            (f"{TRANSFORM} --seed 5", "--seed is for --verify, which is not given"),
            (f"{VERIFIED} --feed x=[[1,2,3,4]] --seed 5", SEED),
        ],
        "--output-as-text": [("transform --list --output_as_text", "--list changes no graph")],
        "--dry-run": [("transform --list --dry-run", "--list changes no graph: leave out --dry-run")],
        "--verbose": [("transform --list --verbose", "--list changes no graph: leave out --verbose")],
        "--json": [
            ("transform --list --json", "--list changes no graph: leave out --json"),
            (f"{TRANSFORM} --json --verbose", "--json has all that --verbose prints: leave out --verbose"),
        ],
        "--list": ALWAYS,
        "--help-transform": [("transform --list --help-transform rename_op", "leave out --help-transform")],
    },
    "completion": {},
    "vendor": {
        "--json": ALWAYS,
        "--parts": [("vendor d --check --parts all", "--check takes only DEST: leave out --parts")],
        "--package": [
            ("vendor d --check --package a", "--check takes only DEST: leave out --package"),
            ("vendor --zipapp a.pyz --package a", "--zipapp takes only --parts: leave out --package"),
        ],
        "--check": [("vendor --zipapp a.pyz --check", "--zipapp takes only --parts: leave out --check")],
        "--update": [("vendor d --check --update", "--check takes only DEST: leave out --update")],
        "--force": [("vendor d --force", "--force replaces edited files of a copy: add --update")],
        "--dry-run": [("vendor d --check --dry-run", "--check takes only DEST: leave out --dry-run")],
        "--zipapp": [("vendor d --zipapp a.pyz", "--zipapp takes only --parts: leave out DEST")],
        "--list-parts": [("vendor --list-parts --parts all", "--list-parts takes nothing else: leave out --parts")],
    },
    "verify": {
        "--inputs": ALWAYS,
        "--outputs": ALWAYS,
        "--feed": ALWAYS,
        "--bind": [(f"{VERIFY} --bind z=1", 'neither model has a tensor "z" that could be bound')],
        "--shape": [(f"{VERIFY} --feed x=[[1,2,3,4]] --shape x=1,4", SHAPE)],
        "--batch-size": [
            (f"{VERIFY} --feed x=[[1,2,3,4]] --batch-size 5", NO_BATCH),
            ("verify fixed.pb graph.pb --outputs y --batch-size 5", BATCH),
        ],
        "--seed": [(f"{VERIFY} --feed x=[[1,2,3,4]] --seed 5", SEED)],
        "--runs": [(f"{VERIFY} --feed x=[[1,2,3,4]] --runs 5", "--runs varies the random inputs, but there are none")],
        "--rtol": LIMIT,
        "--atol": LIMIT,
        "--bisect": HOLDS,
        "--max-steps": LIMIT,
        "--max-bytes": LIMIT,
        "--checkpoint": [(f"{VERIFY} --checkpoint trained/model", CHECKPOINT[2:])],
        "--signature": [(f"{VERIFY} --signature s", NO_SIGNATURE)],
        "--tags": [(f"{VERIFY} --tags serve", NEITHER)],
        "--json": ALWAYS,
    },
    "weights": {
        "--html": [("weights graph.pb --html page.html --json", "--html writes the whole report: leave out --json")],
        "--checkpoint": [
            ("weights trained/model.index --checkpoint trained/model", "this is a checkpoint itself"),
        ],
        "--tags": [
            ("weights graph.pb --tags serve", TAGS),
            ("weights trained/model.index --tags serve", "and this is a checkpoint: leave the tags out"),
        ],
        "--name": [
            ("weights graph.pb --name w* --name nothing", "none of the weights listed matches --name nothing"),
            ("weights empty.pbtxt --name w*", "the model has no weights: --name w*"),
        ],
        "--min-size": LIMIT,
        "--jobs": LIMIT,
        "--sort": [
            ("weights graph.pb -o out.npz --sort name", "--sort is about the list: it does not go with -o"),
            ("weights graph.pb graph.pb --sort name", "--sort does not change the lines of several files: add --json"),
        ],
        "--statistics": [("weights graph.pb -o out.npz --statistics", "--statistics is about the list")],
        "--histogram": [("weights graph.pb -o out.npz --histogram", "--histogram is about the list")],
        "--layout": [("weights graph.pb --layout OIHW", "--layout: there are no filters and matrices that")],
        "--output": ALWAYS,
        "--as-stored": HOLDS,
        "--all": HOLDS,
        "--json": [("weights graph.pb -o out.npz --json", "--json is about the list: it does not go with -o")],
    },
}


def parser_of(command: str) -> Parser:
    module, _ = COMMANDS[command]
    parser = Parser(prog=command)
    importlib.import_module(module, "tfmodel.cli").add_arguments(parser)
    return parser


def actions_of(command: str) -> list[argparse.Action]:
    """The actions of a command, hidden ones too, without those for the rows of FLAGS."""
    former = {f"--{flag.name.replace('_', '-')}" for flag in FLAGS.get(command, ())}
    return [action for action in parser_of(command)._actions if not former.intersection(action.option_strings)]


def options_of(command: str) -> set[str]:
    """The options of a command, each by its first long spelling."""
    options = set()
    for action in actions_of(command):
        spellings = [spelling for spelling in action.option_strings if spelling.startswith("--")]
        is_off = action.help == argparse.SUPPRESS and isinstance(action, argparse._StoreFalseAction)
        if spellings and spellings[0] != "--help" and not is_off:
            options.add(spellings[0])
    return options


@pytest.mark.parametrize("command", COMMANDS)
def test_the_table_has_every_option(command):
    assert options_of(command) == OPTIONS[command].keys()


def test_an_option_has_one_spelling_and_one_kind_of_value():
    """Options of several commands have the same first spelling and the same placeholder for their value in the help."""
    spellings, values = {}, {}
    for command in COMMANDS:
        for action in actions_of(command):
            for option in action.option_strings:
                spellings.setdefault(option, set()).add(action.option_strings[0])
                values.setdefault(option, set()).add(action.metavar)
    # draw and edit take a function of the library; freeze and run take one in place of a signature.
    assert {option for option, names in spellings.items() if len(names) > 1} == {"--function"}
    different = {option for option, names in values.items() if len(names) > 1}
    # The check of a reduction is a command, as in other tools; vendor checks a copy. edit renames one node, and freeze
    # and optimize rename many tensors of a checkpoint. verify takes pairs of names, and convert describes signatures.
    assert different == {"--check", "--rename", "--inputs", "--outputs", "--signature", "--function"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that the calls of the table name."""
    folder = tmp_path_factory.mktemp("options")
    graph = models.graph()
    save(graph, folder / "graph.pb")
    save(graph, folder / "graph.pbtxt")
    shutil.copytree(DATA / "logs", folder / "logs")
    shutil.copy(DATA / "examples.tfrecord", folder)
    graph.node[0].attr["shape"].shape = models.shape(2, 4)
    save(graph, folder / "fixed.pb")
    save(GraphDef(node=[models.const("w", [1.0, 2.0], 2)]), folder / "constant.pb")
    (folder / "empty.pbtxt").write_text('node { name: "n" op: "NoOp" }')
    save(models.op_list(), folder / "ops.pbtxt")
    (folder / "ops.txt").write_text("Relu\n")
    meta = models.meta_graph("serve")
    meta.collection_def = models.collections()
    save(meta, folder / "model.meta")
    (folder / "saved_model").mkdir()
    save(SavedModel(meta_graphs=[models.meta_graph("serve")]), folder / "saved_model" / "saved_model.pb")
    shutil.copytree(DATA / "trained", folder / "trained")
    shutil.copy(DATA / "trained" / "model.index", folder / "model.index")
    return folder


CONTEXTS = [
    pytest.param(call, words, id=f"{command}{option}-{number}")
    for command, rows in OPTIONS.items()
    for option, contexts in rows.items()
    if not isinstance(contexts, str)
    for number, (call, words) in enumerate(contexts)
]


@pytest.mark.parametrize(("call", "words"), CONTEXTS)
def test_an_option_without_effect_is_refused(folder, monkeypatch, capsys, call, words):
    monkeypatch.chdir(folder)
    before = sorted(os.listdir(folder))
    status = main(call.split())
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith((" ", 'try "', "recipe "))]
    assert status in (1, 2), f"accepted: {out}{err}"
    assert words in lines[-1]
    assert "Traceback" not in err
    assert form_problems(call.split(), err) == []
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize(
    "call",
    [
        "diff saved_model graph.pb --tags serve",
        "verify graph.pb saved_model --tags serve --outputs y --inputs x",
        "verify saved_model graph.pb --tags serve --signature serving_default --outputs y",
        "verify trained/model.meta trained/model.meta --checkpoint trained/model --outputs y",
    ],
)
def test_an_option_for_one_of_two_models_is_for_that(folder, monkeypatch, capsys, call):
    monkeypatch.chdir(folder)
    assert main(call.split()) in (0, 1)
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    "call",
    [
        "summarize fixed.pb --batch_size 2",
        "run fixed.pb --fetch y --random --batch-size 2",
        "run graph.pb --fetch y --random --batch-size 7 --seed 3",
        "verify graph.pb fixed.pb --outputs y --batch-size 2 --seed 1 --runs 2",
    ],
)
def test_a_batch_size_that_the_inputs_have_is_right(folder, monkeypatch, capsys, call):
    monkeypatch.chdir(folder)
    assert main(call.split()) == 0
