"""The garbage collector is paused while messages are made, and is as it was afterwards, whatever other threads do."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import pytest

from pbwire import collection, message
from pbwire.collection import PausedCollection
from tests.support.samples import Leaf


def test_the_collector_is_paused_and_goes_on_afterwards():
    assert gc.isenabled()
    with PausedCollection():
        assert not gc.isenabled()
        with PausedCollection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_is_disabled_stays_so():
    gc.disable()
    try:
        with PausedCollection():
            pass
        Leaf.from_bytes(b"")
        assert not gc.isenabled()
    finally:
        gc.enable()


def paused():
    with PausedCollection():
        pass


@pytest.mark.parametrize(
    ("module", "pause"), [(collection, paused), (message, lambda: Leaf.from_bytes(b""))], ids=["context", "decode"]
)
@pytest.mark.parametrize("ends_after", ["isenabled", "disable"])
def test_another_thread_that_ends_meanwhile_leaves_it_enabled(module, pause, ends_after, monkeypatch):
    other = PausedCollection()
    ends = iter([None])

    def then(name):
        def call():
            result = getattr(gc, name)()
            if name == ends_after:
                for _ in ends:  # once: the other thread runs here
                    other.__exit__()
            return result

        return call

    other.__enter__()
    monkeypatch.setattr(
        module, "gc", SimpleNamespace(**{name: then(name) for name in ("isenabled", "disable", "enable")})
    )
    pause()
    for _ in ends:
        other.__exit__()
    assert gc.isenabled()
