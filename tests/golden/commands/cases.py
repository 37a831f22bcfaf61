"""The command lines that are recorded, one a line. "< FILE" gives a file as standard input.

Each runs in a folder with the models; what it writes is recorded and removed. Every command has its sources, its forms
of output, and its errors: a missing file, a damaged one, a name that the model lacks, a flag that does not exist.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["CASES", "KERAS", "NAMES", "Case", "cases"]


@dataclass(frozen=True)
class Case:
    """One command line: its words, and the file that is its standard input."""

    line: str
    words: list[str]
    stdin: str | None


CASES = r"""
completion
completion tcsh
dump linear.pb
dump linear.pb --format tree
dump linear.pb --format json
dump linear.pb --format raw
dump linear.pb.gz --full --node 'layer/*'
dump linear.pb --op Const --op 'Mat*' --format tree
dump linear.pb --field 'node[*].name'
dump linear.pb --node weights --field 'attr["value"].tensor.dtype'
dump - --format tree < linear.pb
dump linear.pb --type NodeDef
dump loop.pb --format tree
dump unsound.pb --format tree
dump session.meta --collections
dump session.meta --collections --format tree
dump session.meta --collections --format json
dump served --format tree
dump served --type GraphDef --tags serve --field 'library.function[0].signature.name'
dump trained/model --field 'meta_info_def.tags'
dump trained/model.index
dump web --format tree
dump examples.tfrecord --records 1:3
dump examples.tfrecord --records 0 --format json
dump logs/train/events.out.tfevents.1700000000.host --field 'summary.value[*].tag' --records :
dump logs/train/events.out.tfevents.1700000000.host --type GraphDef --format tree
dump truncated.pb
dump truncated.pb --format raw
dump unsafe.pbtxt --format tree
dump pointer.pb
dump noise.bin
dump empty.pb
dump nosuch.pb
dump linear.pb --field 'node[9].name'
dump linear.pb --field 'nodes'
dump linear.pb --node nosuch
dump linear.pb --max-unpacked many
dump

summarize linear.pb
summarize linear.pb --all --batch-size 2
summarize linear.pb --json
summarize linear.pb --compat
summarize --in_graph=linear.pb --compat --print_structure
summarize --graph=linear.pb --input_layer=x --input_shape_override=8,64
summarize linear.pb --supported-ops phone_ops.txt
summarize linear.pb --html out.html
summarize - < linear.pb
summarize classifier.pb --all
summarize classifier.pb --bind keep_prob=1 --shape image=2,4,4,1 --json
summarize loop.pb --all
summarize session.meta --signatures
summarize session.meta --all
summarize served
summarize served --signatures
summarize served --objects
summarize served --json
summarize layers --signatures
summarize layers --objects
summarize layers --objects --depth 1 --all
summarize trained/model
summarize web
summarize logs/train/events.out.tfevents.1700000000.host
summarize examples.tfrecord
summarize unsound.pb
summarize unsafe.pbtxt
summarize truncated.pb
summarize pointer.pb
summarize served --tags train
summarize linear.pb --shape nosuch=1
summarize linear.pb --batch-size few
summarize nosuch
summarize linear.pb served nosuch
summarize linear.pb served --shape x=1,64

checkpoint trained/model
checkpoint trained --json
checkpoint trained/model.index --name '*bias' --verify
checkpoint trained/model -o out.npz
checkpoint trained/model -o out
checkpoint served
checkpoint served --keys
checkpoint served --objects --all
checkpoint served --json
checkpoint linear.pb
checkpoint nosuch
checkpoint trained/model --name nosuch

freeze trained/model -o out.pb
freeze trained/model -o out.pb --json
freeze trained/model.meta -o out.pbtxt --outputs layer/BiasAdd
freeze --input_meta_graph=trained/model.meta --input_checkpoint=trained/model --output_node_names=y --output_graph=out.pb --input_binary=true
freeze served -o out.pbtxt
freeze served -o out.json --signature serving_default
freeze classifier.pb -o out.pb --bind keep_prob=1 --outputs scores --clear-devices
freeze loop.pb -o out.pb
freeze session.meta -o - < linear.pb
freeze trained/model -o out.pb --outputs nosuch
freeze served -o out.pb --signature nosuch
freeze trained/model -o out.pb --rename 'layer/=other/'
freeze truncated.pb -o out.pb
freeze nosuch -o out.pb
freeze served

weights linear.pb
weights classifier.pb --all --statistics
weights classifier.pb --json
weights classifier.pb --histogram --sort name
weights trained/model --sort order
weights trained/model --layout torch -o out.safetensors
weights trained/model -o out.npz
weights served --statistics
weights served --json
weights web -o out.npz --name w
weights trained/model --html out.html
weights layers
weights linear.pb served trained/model
weights linear.pb --min-size 10k
weights linear.pb --min-size huge
weights truncated.pb
weights nosuch

run linear.pb --feed 'x=ones(2,64)'
run linear.pb --feed 'x=ones(2,64)' --fetch layer/MatMul --fetch y --json
run linear.pb --feed 'x=ones(1,64)' -o out.npz
run classifier.pb --feed 'image=ones(1,4,4,1)' --bind keep_prob=0.5
run classifier.pb --feed 'image=ones(1,4,4,1)' --trace
run classifier.pb --feed 'image=ones(1,4,4,1)' --top 2 --labels labels.txt
run classifier.pb --random --batch-size 2 --fetch image --seed 1
run loop.pb --feed x=7
run loop.pb --feed x=7 --max-steps 5
run trained/model --feed 'x=[[1, 0, 0, 1]]'
run served --feed 'x=[[1, 2]]'
run served --feed 'x=[[1, 2]]' --signature serving_default --json
run web --feed 'x=[[1, 2]]'
run linear.pb --feed 'x=examples.tfrecord[0:2]:x'
run linear.pb
run linear.pb --feed 'x=ones(1,3)'
run linear.pb --feed 'z=1'
run linear.pb --feed 'x=nosuch.npy'
run linear.pb --fetch nosuch --random
run unsound.pb --random
run truncated.pb --random
run nosuch --random

verify linear.pb linear.pb.gz --feed 'x=ones(1,64)'
verify classifier.pb changed.pb --feed 'image=ones(1,4,4,1)' --json
verify classifier.pb changed.pb --feed 'image=ones(1,4,4,1)' --bisect --outputs scores
verify loop.pb loop.pb --feed x=3
verify served served --feed 'x=[[1, 2]]'
verify served served --feed 'x=[[1, 2]]' --runs 2
verify linear.pb classifier.pb
verify linear.pb nosuch.pb
verify linear.pb linear.pb --rtol close

ops
ops linear.pb
ops classifier.pb --json
ops served
ops unsound.pb
ops unsound.pb --missing
ops nosuch.pb

diff linear.pb linear.pb.gz
diff classifier.pb changed.pb
diff classifier.pb changed.pb --json
diff classifier.pb changed.pb --full --all --order
diff classifier.pb changed.pb --quiet
diff classifier.pb changed.pb --values --rtol 1e-6
diff classifier.pb changed.pb --html out.html
diff trained/model.meta session.meta
diff trained/model trained/model --values
diff served layers
diff linear.pb truncated.pb
diff linear.pb nosuch.pb
diff linear.pb

find linear.pb op=Const
find classifier.pb 'shape=?,8' 'upstream of scores not op=Const'
find classifier.pb 'op=Conv2D -> op=Mul' --json
find classifier.pb 'keep or device=/gpu:0' --names
find served 'op=ReadVariableOp'
find linear.pb op=NoSuch
find linear.pb 'op='
find linear.pb '(op=Const'
find nosuch.pb op=Const

check linear.pb
check classifier.pb --values
check session.meta
check session.meta --json
check served
check layers --all
check trained/model --values
check web
check unsound.pb
check unsound.pb --json
check unsafe.pbtxt
check linear.pb unsafe.pbtxt truncated.pb
check linear.pb unsafe.pbtxt truncated.pb --json --jobs 2
check linear.pb --all --sarif
check . --op-defs nosuch.pbtxt
check truncated.pb
check pointer.pb
check noise.bin
check nosuch.pb

events logs
events logs --json
events logs/train --tag loss --tag 'acc*'
events logs --tag nosuch
events linear.pb
events nosuch

records examples.tfrecord
records examples.tfrecord --json
records examples.tfrecord --verify
records logs/train/events.out.tfevents.1700000000.host
records linear.pb
records nosuch

view nosuch.pb

draw linear.pb
draw classifier.pb --depth 1 --constants
draw classifier.pb --around dense/MatMul --radius 1 --all-edges
draw classifier.pb -o out.dot
draw classifier.pb -o out.dot --json
draw classifier.pb changed.pb -o out.dot
draw classifier.pb -o out.html
draw classifier.pb changed.pb -o out.html
draw loop.pb
draw served --function __inference_double_1
draw session.meta --weights all -o out.html
draw linear.pb --function nosuch
draw linear.pb --around nosuch
draw truncated.pb
draw nosuch.pb

transform --list
transform --help-transform fold_batch_norms
transform --in_graph=classifier.pb --out_graph=out.pb --inputs=image --outputs=scores --transforms='remove_device strip_unused_nodes'
transform classifier.pb -o out.pbtxt --outputs scores --transforms 'fold_constants fold_batch_norms' --verbose
transform classifier.pb -o out.pb --recipe deploy --outputs scores --json
transform classifier.pb -o out.pb --recipe deploy
transform classifier.pb -o out.pb --recipe shrink --inputs image --outputs scores
transform classifier.pb -o out.pb --recipe obfuscate --outputs scores
transform classifier.pb -o out.pb --transforms 'quantize_weights(minimum_size=8)' --verbose
transform classifier.pb -o out.pb --transforms 'rename_op(old_op_name=Relu6, new_op_name=Relu)' --outputs scores --verify --feed 'image=ones(1,4,4,1)'
transform classifier.pb -o out.pb --transforms 'remove_nodes(op=CheckNumerics)' --dry-run
transform loop.pb -o out.pb --recipe deploy --outputs result
transform served -o out.pb --transforms inline_partitionedcall --tags serve
transform served -o out/ --transforms inline_partitionedcall
transform session.meta -o out.pb --signature serving_default --transforms 'remove_device sort_by_execution_order'
transform session.meta -o out.meta --transforms remove_device
transform linear.pb -o out.pb --transforms no_such_transform
transform linear.pb -o out.pb --transforms 'remove_nodes('
transform linear.pb -o out.pb --transforms remove_device --outputs nosuch
transform linear.pb -o out.pb
transform truncated.pb -o out.pb --transforms remove_device
transform nosuch.pb -o out.pb --transforms remove_device

edit classifier.pb -o out.pb --set-attribute conv/Conv2D.padding=VALID --rename scores=logits --json
edit classifier.pb -o out.pbtxt --insert-after scores=Softmax --bypass checked --remove unused
edit linear.pb -o out.pb --add 'half=Const[value=0.5]' --replace-tensor 'y=half' --device 'x=/cpu:1'
edit linear.pb -o out.pb --replace-node y=Relu6 --remove-attribute layer/MatMul.transpose_a
edit served -o out/ --preprocess 'x=divide=2 subtract=1'
edit served -o out/ --function __inference_double_1 --rename product=times
edit linear.pb -o out.pb --function double --rename sum=twice
edit session.meta -o out.meta --rename y=probabilities
edit linear.pb -o out.pb --remove x
edit linear.pb -o out.pb --rename nosuch=a
edit linear.pb -o out.pb --set-attribute y.T=nothing
edit linear.pb -o out.pb
edit truncated.pb -o out.pb --remove x
edit nosuch.pb -o out.pb --remove x

extract classifier.pb -o out.pb --inputs flat --outputs scores
extract classifier.pb -o out.pbtxt --outputs conv/Relu6 --json
extract served -o out/ --outputs call
extract trained/model -o out.meta --outputs layer/BiasAdd
extract linear.pb -o out.pb --outputs nosuch
extract truncated.pb -o out.pb --outputs y
extract nosuch.pb -o out.pb --outputs y

splice encoder.pb decoder.pb -o out.pb --connect code=code
splice encoder.pb decoder.pb -o out.pbtxt --connect code=code --scope head --keep-outputs --json
splice encoder.pb decoder.pb -o out.pb --connect code=nosuch
splice encoder.pb linear.pb -o out.pb --connect code=x
splice encoder.pb nosuch.pb -o out.pb --connect code=code

reduce classifier.pb -o out.pb --differs-from changed.pb --outputs scores --feed 'image=ones(1,4,4,1)'
reduce unsound.pb -o out.pb --fails --shape x=2 --json
reduce unsound.pb -o out.pb --fails
reduce linear.pb -o out.pb --fails
reduce truncated.pb -o out.pb --fails
reduce nosuch.pb -o out.pb --fails

optimize classifier.pb -o out.pb --feed 'image=ones(1,4,4,1)'
optimize classifier.pb -o out.pb --recipe shrink --no-verify --json
optimize classifier.pb -o out/ --bind keep_prob=1 --no-verify --verbose
optimize classifier.pb -o out.pbtxt --batch-size 2 --recipe mobile --no-verify
optimize trained/model -o out.pb --feed 'x=[[1, 0, 0, 1]]'
optimize trained/model -o out/ --names signature --feed 'x=[[1, 0, 0, 1]]'
optimize served -o out.pb --feed 'serving_default_x=[[1, 2]]'
optimize loop.pb -o out.pb --feed x=3
optimize session.meta -o out.pb --outputs y --transforms remove_device --feed 'x=ones(1,4)'
optimize layers -o out.pb
optimize unsound.pb -o out.pb
optimize linear.pb -o out.pb --outputs nosuch
optimize linear.pb -o out.pb --recipe nosuch
optimize linear.pb
optimize truncated.pb -o out.pb
optimize nosuch.pb -o out.pb

convert linear.pb out.pbtxt
convert linear.pb out.pbtxt --json
convert linear.pb - --to text --json
convert linear.pb out.json --preserving-proto-field-name
convert linear.pb.gz out.pb --deterministic
convert unsafe.pbtxt out.pb
convert session.meta out.json
convert session.meta - --to json --type GraphDef
convert served out.pbtxt --type GraphDef --tags serve
convert served out/
convert classifier.pb out/ --signature serving_default=picture=image:scores
convert trained/model out/
convert web out.pb
convert web out.meta
convert classifier.pb out/ --to tfjs --quantize-uint8 '*'
convert served out/ --to tfjs
convert linear.pb out.pb --to opencv
convert linear.pb out.nosuch
convert linear.pb out.pb --from text
convert truncated.pb out.pbtxt
convert noise.bin out.pb
convert nosuch.pb out.pb
convert linear.pb nosuch/out.pb

vendor out --parts pbwire
vendor out --parts all --dry-run
vendor out --update
vendor out --parts nosuch
vendor out --check
vendor linear.pb
vendor
"""  # noqa: E501  a command line is one line

KERAS = """
summarize net.keras
summarize net.keras --json
weights net.keras
weights net.keras --all --json
weights net.keras -o out.npz
check net.keras
convert net.keras out.pb
dump net.keras
run net.keras --random
"""
"""Commands on a Keras file, whose weights h5py reads."""

NAMES = (*dict.fromkeys(line.split()[0] for line in CASES.splitlines() if line), "keras")
"""The names of the files with the records: those of the commands, and keras."""


def cases(name: str) -> Iterator[Case]:
    """Return the command lines of a file."""
    lines = KERAS.splitlines() if name == "keras" else [*CASES.splitlines(), f"{name} --no-such-flag"]
    for line in filter(None, lines):
        words = shlex.split(line)
        if name in ("keras", words[0]):
            *words, stdin = [*words[:-2], words[-1]] if words[-2:-1] == ["<"] else [*words, None]
            yield Case(line, words, stdin)
