"""Classes that were made at run time are freed once a program has no more of them."""

from __future__ import annotations

import copy
import gc
import sys
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pbwire import json, text
from pbwire.compat import compat_class
from pbwire.kept import kept, kept_up_to
from pbwire.lazy.undecoded_maps import wire_entries
from pbwire.proto import load_text
from pbwire.text.aliases import MessageToString
from tfmodel.messages import AttrValue, GraphDef, NodeDef

PROTO = """
    edition = "2023"; package kept;
    message Holder {
      map<string, Value> values = 1; Holder inner = 2; repeated string texts = 3; Kind kind = 4;
      extensions 100 to max;
    }
    message Value { oneof kind { List list = 1; int32 number = 2; } }
    message List { repeated int32 numbers = 1; repeated List lists = 2; }
    enum Kind { NONE = 0; ONE = 1; }
    extend Holder { Value value = 100; }
"""


def read(message: Any) -> Any:
    """Return the messages that a program reads, with everything in them."""
    return message.inner, [value.list and value.list.lists for value in message.values.values()]


def decode(message: Any) -> None:
    read(type(message).from_bytes(message.to_bytes()))


def parse_json(message: Any) -> None:
    read(json.loads(json.dumps(message), type(message)))


def use_protobuf_style(message: Any) -> None:
    cls = compat_class(type(message))
    other = cls.FromString(message.SerializeToString())
    other.values["a"].list.numbers.append(3)
    other.kind = "ONE"
    other.CopyFrom(copy.deepcopy(other))
    assert str(other) and cls.DESCRIPTOR.fields_by_name["values"].message_type.fields


USES: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda message: None,
    "encode": lambda message: message.to_bytes(deterministic=True),
    "decode": decode,
    "decode lazily": lambda message: read(type(message).from_bytes(message.to_bytes(), lazy=True)),
    "compare undecoded values": lambda message: wire_entries(
        type(message).from_bytes(message.to_bytes(), lazy=True), "values"
    ),
    "text": lambda message: text.loads(text.dumps(message), type(message)),
    "formatted text": lambda message: MessageToString(message, message_formatter=lambda *_: None),
    "json": parse_json,
    "copy": lambda message: copy.deepcopy(message) == copy.copy(message),
    "protobuf-style": use_protobuf_style,
}


def used_class(use: Callable[[Any], Any]) -> weakref.ref[Any]:
    types = load_text(PROTO)
    holder, value = types["kept.Holder"], types["kept.Value"]
    values = {"a": value(list=types["kept.List"](numbers=[1], lists=[types["kept.List"]()])), "b": value(number=1)}
    message = holder(values=values, inner=holder(texts=["x"]), kind=1)
    message.extensions[types.extensions["kept.value"]] = value(number=2)
    use(message)
    return weakref.ref(holder)


@pytest.mark.parametrize("name", USES)
def test_classes_are_freed(name):
    cls = used_class(USES[name])
    gc.collect()
    assert cls() is None


def test_a_function_is_called_once_for_the_same_arguments():
    calls = []

    @kept
    def name_of(owner: Any, suffix: str) -> str:
        """Return a name."""
        calls.append(suffix)
        return f"{owner.__name__}{suffix}"

    first, second = (load_text(PROTO)["kept.Value"] for _ in range(2))
    assert [name_of(cls, suffix) for cls in (first, second) for suffix in "aab"] == ["Valuea", "Valuea", "Valueb"] * 2
    assert calls == ["a", "b", "a", "b"]
    assert name_of.__doc__ == "Return a name."


def test_the_number_of_results_is_limited():
    calls = []

    @kept_up_to(2)
    def number_of(owner: Any, text: str) -> int:
        calls.append(text)
        return int(text)

    first, second = (load_text(PROTO)["kept.Value"] for _ in range(2))
    assert [number_of(first, text) for text in "001012"] == [0, 0, 1, 0, 1, 2]
    assert [number_of(first, "2"), number_of(first, "0"), number_of(second, "2")] == [2, 0, 2]
    assert "".join(calls) == "01202"


# --- Python without the GIL --------------------------------------------------------------------------------------


@pytest.mark.skipif("free-threading" not in sys.version, reason="threads wait for each other")
@pytest.mark.parametrize("is_lazy", [False, True])
def test_another_thread_decodes_as_fast_as_the_first_one(is_lazy):
    data = GraphDef(
        node=[NodeDef(name=f"n{n}", op="A", attr={f"attr {n % 50}": AttrValue(i=n % 90)}) for n in range(900)]
    ).to_bytes()

    def decode() -> None:
        assert all(len(node.attr) == 1 for node in GraphDef.from_bytes(data, lazy=is_lazy).node)

    def best() -> float:
        times = []
        for _ in range(5):
            start = time.thread_time()
            decode()
            times.append(time.thread_time() - start)
        return min(times)

    decode()
    here = best()
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(best).result()
    assert there < 2 * here
