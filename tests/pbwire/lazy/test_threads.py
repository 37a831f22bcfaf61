"""Threads that read the same lazy messages at the same time get the results that each would get alone."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from pbwire import text
from pbwire.codec.codegen import function
from pbwire.lazy.messages import decode_map, map_lock
from tests.support.samples import Maps, Recursive
from tests.support.wire_bytes import ld, number
from tfmodel.messages import AttrValue, NodeDef

THREADS, ROUNDS = 6, 25

TREE = Recursive(
    depth=1,
    child=Recursive(depth=2, named={"a": Recursive(depth=3), "b": Recursive(depth=4)}),
    children=[Recursive(depth=n, left=Recursive(depth=n), named={"c": Recursive(depth=n)}) for n in range(20)],
)
# In the first child, an entry with an unknown field: when the map is read, it goes to the unknown fields.
STRANGE = ld(3, ld(4, ld(1, b"odd") + ld(9, b"?")) + ld(4, ld(1, b"even")) + number(7, 1))
WIRE = STRANGE + TREE.to_bytes(deterministic=True)
WHOLE = Recursive.from_bytes(WIRE)


def read_all(tree):
    """Return the content of a tree, read attribute by attribute."""
    named = {key: read_all(value) for key, value in tree.named.items()}
    parts = [read_all(node) for node in (tree.child, tree.left, *tree.children) if node is not None]
    return tree.depth, named, parts, tree.unknown_fields


READERS = {
    "attributes": read_all,
    "bytes": lambda tree: Recursive.from_bytes(tree.to_bytes()) == WHOLE,
    "canonical bytes": lambda tree: tree.to_bytes(deterministic=True),
    "text": lambda tree: text.dumps(tree, print_unknown_fields=True),
    "equality": lambda tree: tree == WHOLE,
}


@pytest.fixture
def restless():
    """Switch threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("first", READERS)
def test_all_see_the_same(first):
    readers = [READERS[first], read_all] * (THREADS // 2)
    expected = [reader(WHOLE) for reader in readers]
    for _ in range(ROUNDS):
        tree = Recursive.from_bytes(WIRE, lazy=True)
        start = threading.Barrier(THREADS)
        results = [None] * THREADS

        def run(at, tree=tree, start=start, results=results):
            start.wait()
            try:
                results[at] = readers[at](tree)
            except Exception as error:  # any exception is compared below
                results[at] = error

        threads = [threading.Thread(target=run, args=(at,)) for at in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == expected


def test_the_second_thread_keeps_what_the_first_has_decoded():
    child = Recursive.from_bytes(ld(2, ld(2, number(1, 5))), lazy=True).child
    data, depth, start, end = child._unknown
    grandchild = child.child
    function(Recursive.__table__, "decode_lazily")(data, start, end, depth, child)
    assert child.child is grandchild
    assert type(child) is Recursive


def test_a_map_is_made_once_and_its_unknown_entries_are_kept_once():
    odd = ld(15, ld(1, b"odd") + ld(9, b"?"))
    message = Maps.from_bytes(odd + ld(15, ld(1, b"a")), lazy=True)
    pending = message._of_int32
    entries = message.of_int32
    assert decode_map(message, pending) is entries
    assert (entries, message.unknown_fields) == ({"a": 0}, odd)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_child_does_not_wait_for_a_thread_of_its_parent():
    """Fork while another thread holds the lock of maps; the child has no such thread, and reads a map."""
    data = NodeDef(name="a", attr={"T": AttrValue(i=1)}).to_bytes()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with map_lock:
            held.set()
            done.wait(0.2)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        message = NodeDef.from_bytes(data, lazy=True)
        os._exit(0 if message.attr["T"].i == 1 and message.to_bytes() == data else 1)
    done.set()
    thread.join()
    for _ in range(600):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child waits for the lock")
    assert status == 0
