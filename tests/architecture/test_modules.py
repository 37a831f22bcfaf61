"""The number, the size and the names of modules."""

from __future__ import annotations

import pytest

from tests.architecture.source import logic_lines, modules

MAX_MODULES = 554
MAX_LOGIC_LINES = 450
TABLES: set[str] = set()
"""Modules that hold one long table, which may be longer."""

OLD_NAMES = {
    "pbwire": "fields compiling gathering explaining decoding map_decoding crowding guessing spans peeking deferral "
    "diagnosis checking numbers",
    "pbwire.text": "tokens grammar rows parsing runs special",
    "pbwire.json": "members refusals special_printing special_reading times",
    "tfmodel": "files forms paths reading unpacking growth program printable weighing optimizing meta_graphs casting "
    "regexes",
    "tfmodel.graph": "referring checking rebuilding wording",
    "tfmodel.transforms.framework": "spelling keeping passes completing callees steps explaining",
    "tfmodel.inspection": "leftovers describing comparing drawing",
    "tfmodel.inspection.summary": "aside endpoints work counting",
    "tfmodel.interpreter": "room fitting capability precision",
    "tfmodel.ops.runtime": "room",
    "tfmodel.checkpoints": "places saved_slices bundle",
    "tfmodel.cli": "sources targets numbers feeds",
    "fuzz": "beside plainly plain_checkpoints plain_graphs trying running",
    "tests": "surroundings plain_strategies",
}
"""Names that the plan of the packages replaced: each says too little, or means something else in the field."""

STILL_THERE: set[str] = set()
"""Old names that are still in use, to be emptied."""


def test_there_are_not_too_many_modules() -> None:
    assert len(modules("pbwire", "tfmodel")) < MAX_MODULES


def test_no_module_is_too_long() -> None:
    lengths = {name: logic_lines(path) for name, path in modules("pbwire", "tfmodel").items() if name not in TABLES}
    assert {name: length for name, length in lengths.items() if length > MAX_LOGIC_LINES} == {}


@pytest.mark.parametrize("package", OLD_NAMES)
def test_no_module_has_an_old_name(package: str) -> None:
    old = {f"{package}.{name}" for name in OLD_NAMES[package].split()}
    assert old & {*modules(package.partition(".")[0])} - STILL_THERE == set()


def test_names_that_are_gone_are_not_listed() -> None:
    assert STILL_THERE - {*modules("pbwire", "tfmodel", "fuzz", "tests")} == set()
