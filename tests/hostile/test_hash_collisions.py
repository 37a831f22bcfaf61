"""Keys that are chosen to collide in a dictionary.

Hashes of strings and bytes depend on a secret of the process, so an attacker cannot choose colliding ones. The hash of
an integer is the integer. `colliding_keys` makes integers each of which, inserted into a dictionary, collides with all
before: what takes microseconds for other keys takes seconds for tens of thousands of these.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterable
from functools import cache

import pytest

import tfmodel
from pbwire import DecodeError, JsonError, TextFormatError, json, text
from tests.hostile.measure import assert_linear
from tfmodel.messages import (
    AttrValue,
    DataType,
    FunctionDef,
    GraphDebugInfo,
    GraphDef,
    NodeDef,
    SignatureDef,
    TensorInfo,
    TensorShapeProto,
)
from tfmodel.values.names import TensorName

_FLOAT = AttrValue(type=DataType.DT_FLOAT)
M61 = 2**61 - 1


def colliding_keys(power: int, bits: int) -> list[int]:
    """Return colliding keys of some bits, as many as fit into a dictionary of 2**power slots.

    Slot i is followed by 5 i + 1 when the bits of a key are used up. The first half of the keys fills the slots on that
    path. Each other key is made, five bits at a time, so that it only visits occupied slots, reaches the end of the
    path, and extends it by one.
    """
    rng, mask = random.Random(0), (1 << power) - 1
    usable = (2 << power) // 3
    way = _way(power, usable)
    taken = [False] * (mask + 1)
    keys: list[int] = []
    for place in way[: usable // 2]:
        taken[place] = True
        keys.append(place)
    known = set(keys)
    while len(keys) < usable - 1:
        key = _through(way[rng.randrange(usable // 2)], power, bits, taken, rng)
        if key is not None and key not in known:
            taken[way[len(keys)]] = True
            known.add(key)
            keys.append(key)
    return keys


def keys_in_the_way_of_the_last(power: int) -> list[int]:
    """Return nearly as many keys without collisions, and a last one that collides with thousands."""
    way = _way(power, (2 << power) // 3 - 20)
    rng, taken = random.Random(0), [False] * (1 << power)
    for place in way:
        taken[place] = True
    while True:
        key = _through(rng.choice(way), power, 60, taken, rng)
        if key is not None and _passed(key, taken) > len(way) // 2:
            return [*way, key]


def _way(power: int, length: int) -> list[int]:
    way = [0]
    while len(way) < length:
        way.append(5 * way[-1] + 1 & (1 << power) - 1)
    return way


def _passed(key: int, taken: list[bool]) -> int:
    """Return the number of slots that the search for a key visits."""
    place, remaining, passed = key % len(taken), key, 0
    while taken[place]:
        remaining >>= 5
        place = (5 * place + remaining + 1) % len(taken)
        passed += 1
    return passed


def _through(key: int, power: int, bits: int, taken: list[bool], rng: random.Random) -> int | None:
    """Return the key with higher bits that lead only through occupied slots; None if that is not possible."""
    mask, place, known, shift = (1 << power) - 1, key, power, 0
    while key >> shift or known < bits:
        shift += 5
        new = min(5, bits - known)
        for _ in range(40):
            longer = key | rng.getrandbits(new) << known
            following = (5 * place + (longer >> shift) + 1) & mask
            if taken[following]:
                break
        else:
            return None
        key, place, known = longer, following, known + new
    return key


@cache
def keys_that_collide() -> list[int]:
    return colliding_keys(14, 32)


def arguments(keys: Iterable[int]) -> FunctionDef:
    return FunctionDef(arg_attr={key: FunctionDef.ArgAttrs() for key in keys})


def frames(keys: Iterable[int]) -> GraphDef:
    return GraphDef(debug_info=GraphDebugInfo(frames_by_id={key: GraphDebugInfo.FileLineCol() for key in keys}))


def in_parts(keys: Iterable[int]) -> bytes:
    """A graph whose `debug_info` is repeated, once for each key."""
    return b"".join(frames([key]).to_bytes() for key in keys)


def between_others(keys: Iterable[int]) -> bytes:
    """A function with another field between any two keys."""
    other = FunctionDef(ret={"": ""}).to_bytes()
    return other.join(arguments([key]).to_bytes() for key in keys)


def merged_from(keys: Iterable[int]) -> None:
    whole = FunctionDef()
    whole.merge_from(arguments(keys))


READERS = {
    "binary": lambda keys: FunctionDef.from_bytes(arguments(keys).to_bytes()),
    "lazy": lambda keys: FunctionDef.from_bytes(arguments(keys).to_bytes(), lazy=True).arg_attr,
    "between others": lambda keys: FunctionDef.from_bytes(between_others(keys)),
    "lazy, between others": lambda keys: FunctionDef.from_bytes(between_others(keys), lazy=True).arg_attr,
    "in parts": lambda keys: GraphDef.from_bytes(in_parts(keys)),
    "lazy, in parts": lambda keys: GraphDef.from_bytes(in_parts(keys), lazy=True).debug_info.frames_by_id,
    "merged": merged_from,
    "text": lambda keys: text.loads(text.dumps(arguments(keys)), FunctionDef),
    "text, a list": lambda keys: text.loads(f"arg_attr: [{','.join(f'<key:{key}>' for key in keys)}]", FunctionDef),
    "JSON": lambda keys: json.loads(json.dumps(arguments(keys)), FunctionDef),
}


@pytest.mark.parametrize("reader", READERS)
def test_chosen_integers(reader):
    """Attack: an integer-keyed map, such as the attributes of a function's arguments, whose keys all collide: 400
    kilobytes take seconds instead of milliseconds, and twice as many keys take four times as long.

    Naive: assumes that insertion into a dictionary takes constant time.
    Stopped by: pbwire.codec.hash_flooding.Watch
    """
    with pytest.raises((DecodeError, TextFormatError, JsonError), match="the keys of this map collide in a hash table"):
        READERS[reader](keys_that_collide())


@pytest.mark.parametrize("reader", ["binary", "lazy", "text"])
def test_a_repeated_integer(reader):
    """Attack: a thousand repetitions of the entry whose key has the longest probe sequence.

    Naive: checks only the keys of the finished map.
    Stopped by: pbwire.codec.hash_flooding.Watch
    """
    *others, last = keys_in_the_way_of_the_last(13)
    parts = [frames(others), *[frames([last])] * len(others)]
    with pytest.raises((DecodeError, TextFormatError), match="the keys of this map collide in a hash table"):
        if reader == "text":
            inner = "".join(text.dumps(part.debug_info) for part in parts)
            text.loads(f"debug_info {{ {inner} }}", GraphDef)
        else:
            data = b"".join(part.debug_info.to_bytes() for part in parts)
            len(GraphDebugInfo.from_bytes(data, lazy=reader == "lazy").frames_by_id)


@pytest.mark.parametrize("reader", READERS)
def test_sound_integers_take_no_longer_each_if_they_are_many(reader):
    assert_linear(READERS[reader], range, 5_000)


def test_sound_keys_that_meet_but_are_few():
    keys = colliding_keys(12, 32)
    assert list(FunctionDef.from_bytes(arguments(keys).to_bytes()).arg_attr) == keys


def test_sound_reason_to_look_at_keys():
    assert _seconds(keys_that_collide()) > 10 * _seconds(list(range(len(keys_that_collide()))))


def _seconds(keys: list[int]) -> float:
    def once() -> float:
        start = time.thread_time()
        dict.fromkeys(keys)
        return time.thread_time() - start

    return min(once() for _ in range(5))


def test_strings_are_hashed_with_a_secret():
    """Attack: names of nodes, attributes and functions that were chosen to collide.

    Naive: a hash that is the same in every process, as with PYTHONHASHSEED=0.
    Stopped by: sys.hash_info
    """
    code = "print(hash('name'), hash(b'name'), hash(('name', 1, '')))"
    outputs = {subprocess.run([sys.executable, "-I", "-c", code], capture_output=True).stdout for _ in range(2)}
    assert len(outputs) == 2


def test_multiples_of_what_hashes_to_zero():
    """Attack: integers whose hash is 0 in Python, multiples of 2**61 - 1: as keys of maps, and as ports of inputs.

    Naive: a dictionary look-up that visits all keys.
    Stopped by: pbwire.wire.read_varint, tfmodel.values.names.TensorName.parse
    """
    keys = [n * M61 for n in range(9) if n * M61 < 2**64]  # an integer of a field has 64 bits: there are no more
    debug = GraphDebugInfo(frames_by_id={key: GraphDebugInfo.FileLineCol() for key in keys})
    assert len(keys) == 9 and set(map(hash, keys)) == {0}
    assert list(GraphDebugInfo.from_bytes(debug.to_bytes()).frames_by_id) == keys
    with pytest.raises(tfmodel.GraphError, match="is not a reference"):
        TensorName.parse(f"x:{M61}")


@pytest.mark.parametrize("step", [1, 1 << 12, 1 << 20, 1 << 31], ids=hex)
def test_multiples_of_a_power_of_two(step):
    """Attack: integers with equal lower bits, which select the first slot of a dictionary.

    Naive: assumes that the lower bits are the whole key.
    Stopped by: pbwire.codec.decoder, pbwire.text.fast_parser, pbwire.json.parser
    """

    def make(size: int) -> GraphDebugInfo:
        return GraphDebugInfo(frames_by_id={n * step: GraphDebugInfo.FileLineCol() for n in range(size)})

    assert_linear(GraphDebugInfo.from_bytes, lambda size: make(size).to_bytes(), 6_000)
    assert_linear(lambda data: text.loads(data, GraphDebugInfo), lambda size: text.dumps(make(size)), 6_000)
    assert_linear(lambda data: json.loads(data, GraphDebugInfo), lambda size: json.dumps(make(size)), 6_000)


def test_many_ports():
    """Attack: a node that consumes thousands of outputs of another node, whose port numbers have equal lower bits.

    Naive: allocates a list as long as the largest port number.
    Stopped by: tfmodel.interpreter.plan.Plan, tfmodel.graph.index.GraphIndex
    """
    placeholder = NodeDef(
        name="x", op="Placeholder", attr={"dtype": _FLOAT, "shape": AttrValue(shape=TensorShapeProto())}
    )

    def make(size: int) -> GraphDef:
        inputs = [f"x:{n << 14}" for n in range(size)]
        count = {"T": _FLOAT, "N": AttrValue(i=size)}
        return GraphDef(node=[placeholder, NodeDef(name="y", op="AddN", input=inputs, attr=count)])

    def run(graph: GraphDef) -> None:
        with pytest.raises(tfmodel.Error):
            tfmodel.run(graph, {"x": 1.0}, "y")
        tfmodel.summarize(graph)

    assert_linear(run, make, 500)


@pytest.mark.parametrize(
    "make",
    [
        lambda size: NodeDef(attr={f"{n}": AttrValue(i=1) for n in range(size)}),
        lambda size: SignatureDef(inputs={f"{n}": TensorInfo() for n in range(size)}),
    ],
    ids=["attributes", "inputs of a signature"],
)
def test_many_names(make):
    """Attack: thousands of attributes of one node, or of inputs of one signature.

    Naive: searches a list for each of them.
    Stopped by: pbwire.codec.decoder, pbwire.text.fast_parser, pbwire.json.parser
    """
    cls = type(make(1))
    assert_linear(cls.from_bytes, lambda size: make(size).to_bytes(), 1_000)
    assert_linear(lambda data: text.loads(data, cls), lambda size: text.dumps(make(size)), 500)
    assert_linear(lambda data: json.loads(data, cls), lambda size: json.dumps(make(size)), 500)
