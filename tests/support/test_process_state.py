"""A test that leaves the process changed fails, whatever runs after it."""

from __future__ import annotations

import logging
import os
import sys
from types import ModuleType

import pytest

from tests.support.process_state import differences, state


def change_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("TFMODEL_TEST", "1")


def change_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def change_path(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)


def replace_a_module(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pbwire", os)


def remove_a_module(monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "pbwire")


def change_a_level(monkeypatch, tmp_path):
    monkeypatch.setattr(logging.getLogger("tensorflow"), "level", logging.ERROR)


def register_a_transform(monkeypatch, tmp_path):
    from tfmodel.transforms.framework import registry

    monkeypatch.setitem(registry._REGISTERED, "mine", registry.Transform("mine", register_a_transform))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (change_environment, "environment: "),
        (change_folder, "current folder: "),
        (change_path, "sys.path: "),
        (replace_a_module, "module pbwire was removed or replaced"),
        (remove_a_module, "module pbwire was removed or replaced"),
        (change_a_level, "loggers: "),
        (register_a_transform, "plugins: "),
    ],
)
def test_a_change_is_noticed_until_it_is_undone(change, said, tmp_path):
    import pbwire  # noqa: F401

    before = state()
    with pytest.MonkeyPatch.context() as monkeypatch:
        change(monkeypatch, tmp_path)
        (difference,) = differences(before, state())
        assert difference.startswith(said)
    assert differences(before, state()) == []


def test_a_new_module_is_allowed():
    before = state()
    after = before | {"modules": before["modules"] | {"new": os}}
    assert differences(before, after) == []


def test_a_new_module_that_kept_a_function_of_a_test_is_noticed():
    new = ModuleType("tfmodel.new")
    new.optimize = change_folder  # as `from .optimizer import optimize` while a test had replaced the function
    before = state()
    after = before | {"modules": before["modules"] | {"tfmodel.new": new}}
    assert differences(before, after) == ["tfmodel.new.optimize is a function of a test"]
