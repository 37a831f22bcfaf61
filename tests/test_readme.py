"""Every command and snippet of the README does what it shows; the files that it uses are as their script makes them."""

import os
from pathlib import Path

import pytest

from tests import readme
from tests.data.make import FOLDER, files
from tests.readme import README, blocks, doctest_failures, rendered
from tfmodel.transforms.framework import registry

BLOCKS = blocks(README.read_text())


def of(kind):
    found = [block for block in BLOCKS if block["kind"] == kind]
    return pytest.mark.parametrize("block", found, ids=[block["body"].splitlines()[0] for block in found])


@of("console")
def test_a_command_prints_what_is_shown(block):
    assert rendered(block["body"]) == block["body"]


def test_the_snippets_give_what_is_shown(monkeypatch):
    monkeypatch.chdir(README.parent)
    failures = doctest_failures("".join(block["body"] for block in BLOCKS if block["kind"] == "pycon"))
    del registry._REGISTERED["add_prefix"]  # which they register
    assert failures == 0


def test_every_block_is_run_by_something():
    for block in BLOCKS:
        assert block["kind"] in ("console", "pycon") or block["timing"], block["body"]


@pytest.mark.parametrize("name", files())
def test_a_file_in_the_repository_is_as_its_script_makes_it(name):
    assert (FOLDER / name).read_bytes() == files()[name]


@pytest.mark.parametrize("option", ["--no-timing", "--check", "README.md"])
def test_it_is_not_written_anew_by_who_asks_for_something_else(option, monkeypatch, capsys):
    monkeypatch.setattr(readme, "regenerated", None)
    with pytest.raises(SystemExit, match="2"):
        readme.main([option])
    assert f"unrecognized arguments: {option}" in capsys.readouterr().err


def test_the_layout_names_what_there_is():
    text = README.read_text()
    for folder in ("pbwire", "schema", "tfmodel"):
        for path in sorted(Path(README.parent, folder).iterdir()):
            if folder != "schema" and path.name[0] not in "_." and path.suffix in ("", ".py"):
                assert f"`{path.name}" in text or f"`{path.stem}" in text, f"{os.fspath(path)} is not in the README"
