"""Short strings in the file that ops make long."""

from __future__ import annotations

import pytest

import tfmodel
from tests.hostile.graphs import FLOAT, constant, graph, node, placeholder
from tests.hostile.measure import peak
from tests.support.strategies_graphs import value_of
from tfmodel.messages import AttrValue, DataType, NodeDef
from tfmodel.transforms.constant_folding import evaluation

STRING, INT32 = DataType.DT_STRING, DataType.DT_INT32
TEXT = constant("n0", [b"a" * 64], dtype=STRING)
LONG = 10_000
ROOM = 1 << 20


def chain(op: str, times: int, *others: NodeDef, both: bool = False) -> list[NodeDef]:
    """A chain of nodes, each of which consumes the previous output twice, or together with other inputs."""
    nodes = [TEXT, *others]
    for number in range(times):
        inputs = [f"n{number}", f"n{number}"] if both else [f"n{number}", *(other.name for other in others)]
        nodes.append(NodeDef(name=f"n{number + 1}", op=op, input=inputs, attr={"N": value_of(2)} if both else {}))
    nodes[-1].name = "y"
    return nodes


def widths(*values: int) -> AttrValue:
    return AttrValue(list=AttrValue.ListValue(i=list(values)))


GROWING = {
    "joined with itself": chain("StringJoin", 30, both=True),
    "replaced by more": chain(
        "RegexReplace", 4, constant("p", [b"a"], dtype=STRING), constant("r", [b"a" * 32], dtype=STRING)
    ),
    "what was matched, many times": chain(
        "RegexReplace", 9, constant("p", [b"a|$"], dtype=STRING), constant("r", [rb"\0" * 32], dtype=STRING)
    ),
    "base64 of base64": chain("EncodeBase64", 60),
    "one string for all, reduced": [
        constant("x", [b"a" * LONG], LONG, dtype=STRING),
        constant("i", [0], dtype=INT32),
        node("y", "ReduceJoin", "x", "i"),
    ],
    "one string for all, as bytes": [
        constant("x", [b"a" * LONG], LONG, dtype=STRING),
        node("y", "DecodeRaw", "x", out_type=FLOAT),
    ],
    "a tensor of it, as one string": [
        constant("x", [b"a" * LONG], LONG, dtype=STRING),
        node("y", "SerializeTensor", "x", T=STRING),
    ],
    "joined many times": [
        constant("x", [b"a" * LONG], dtype=STRING),
        node("y", "StringJoin", *["x"] * 2_000, N=2_000),
    ],
    "a long separator": [
        constant("x", [b""], LONG, dtype=STRING),
        constant("i", [0], LONG, dtype=INT32),
        constant("n", [1], dtype=INT32),
        node("y", "UnsortedSegmentJoin", "x", "i", "n", separator=b"a" * LONG, Tindices=INT32, Tnumsegments=INT32),
    ],
    "most of it, many times": [
        constant("x", [b"a" * LONG], dtype=STRING),
        constant("s", [1], 1, dtype=INT32),
        constant("e", [LONG], 1, dtype=INT32),
        constant("m", [2_000], 1, dtype=INT32),
        node("p", "Tile", "s", "m", T=INT32, Tmultiples=INT32),
        node("l", "Tile", "e", "m", T=INT32, Tmultiples=INT32),
        node("y", "Substr", "x", "p", "l", T=INT32),
    ],
    "wide numbers": [constant("x", [1.0], 2_000), node("y", "AsString", "x", width=99_999)],
    "a template": [
        constant("x", [b"a" * LONG], dtype=STRING),
        node("y", "StringFormat", *["x"] * 2_000, template=b"%s" * 2_000, placeholder=b"%s", T=[STRING] * 2_000),
    ],
    "n-grams of padding": [
        constant("x", [b"a"], 1, dtype=STRING),
        constant("s", [0, 1], 2, dtype=DataType.DT_INT64),
        node(
            "y",
            "StringNGrams",
            "x",
            "s",
            separator=b"",
            ngram_widths=widths(99_999),
            left_pad=b"a" * 100,
            right_pad=b"",
            pad_width=-1,
            preserve_short_sequences=False,
            Tsplits=DataType.DT_INT64,
        ),
    ],
}


@pytest.mark.parametrize("kind", GROWING)
def test_a_run_has_a_memory_limit(kind):
    """Attack: 64 letters joined with themselves thirty times; a long string a thousand times over; templates, padding.

    Naive: counts eight bytes for each string, so `max_bytes` has no effect.
    Stopped by: tfmodel.kernels.runtime.memory_limit.claim, tfmodel.kernels.runtime.memory_limit.bytes_of
    """
    nodes = graph(*GROWING[kind])

    def run() -> None:
        with pytest.raises(tfmodel.RunError, match=r"need.* bytes.* allowed .* left"):
            tfmodel.run(nodes, {}, "y", max_bytes=ROOM)

    assert peak(run) < 8 * ROOM


@pytest.mark.parametrize("kind", GROWING)
def test_constants_are_folded_to_their_limit(kind, monkeypatch):
    """Attack: the same as constants, for fold_constants.

    Naive: folds them with a limit on the number of strings, or checks their lengths after they were computed.
    Stopped by: tfmodel.transforms.constant_folding.evaluation.Constants, tfmodel.kernels.runtime.memory_limit.claim
    """
    monkeypatch.setattr(evaluation, "_SCRATCH", 2 * ROOM)  # a lower limit, so that the test reaches it soon
    nodes = [*GROWING[kind], placeholder("in")]
    nodes.append(node("o", "IdentityN", "y", "in", T=[STRING, FLOAT]))
    folded = []
    order = f"fold_constants(max_constant_size_in_bytes={ROOM})"
    model = graph(*nodes)
    assert peak(lambda: folded.append(tfmodel.transform(model, "in", "o", order))) < 16 * ROOM
    assert len(folded[0].to_bytes()) < 2 * ROOM
    assert GROWING[kind][-1].op in {node.op for node in folded[0].node}


def test_many_large_constants():
    """Attack: a hundred Fill nodes of ten megabytes each, the limit of a single constant.

    Naive: makes a gigabyte of some thousand bytes.
    Stopped by: tfmodel.transforms.constant_folding.evaluation.Constants
    """
    names = [f"f{number}" for number in range(100)]
    nodes = [
        placeholder(),
        constant("n", [2_500_000], 1, dtype=INT32),
        constant("v", [1.0]),
        *(node(name, "Fill", "n", "v", index_type=INT32) for name in names),
        node("y", "AddN", *names, "x", N=len(names) + 1),
    ]
    results = []
    assert peak(lambda: results.append(tfmodel.transform(graph(*nodes), "x", "y", "fold_constants"))) < 320 << 20
    assert 0 < sum(node.op == "Fill" for node in results[0].node) < len(names)


def test_optimizing_stops_as_well(tmp_path):
    """Attack: the same graph for `optimize`, which runs it for verification.

    Naive: takes three gigabytes for the strings of the verification.
    Stopped by: tfmodel.optimizer.verification.verified, tfmodel.kernels.runtime.memory_limit.claim
    """
    path = tmp_path / "joins.pb"
    tfmodel.save(graph(*GROWING["joined with itself"]), path)
    results = []
    assert peak(lambda: results.append(tfmodel.optimize(path, outputs="y"))) < 640 << 20
    assert "bytes to compute" in results[0].unverified
