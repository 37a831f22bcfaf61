"""The tables of the API in tfmodel/README.md name everything that `dir` shows, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tfmodel

README = Path(tfmodel.__file__).parent / "README.md"


def public_names(owner: object) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


def names_in_table(header: str) -> set[str]:
    """The names in the first column of a table, without arguments, and those of the errors in the second."""
    table = README.read_text(encoding="utf-8").partition(f"| {header} |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| `")]
    cells = [first + (second if first.strip() == "`Error`" else "") for first, second in rows]
    return {name for cell in cells for name in re.findall(r"`(\w+)(?:\([^`]*\))?`", cell)}


@pytest.mark.parametrize(("header", "owner"), [("of a `Model`", tfmodel.Model), ("of `tfmodel`", tfmodel)])
def test_the_table_is_what_dir_shows(header: str, owner: object) -> None:
    assert names_in_table(header) == public_names(owner)


def test_an_open_model_has_no_other_names() -> None:
    """Attributes that are set in a method are public too."""
    model = tfmodel.Model("tests/data/trained/model.meta")
    assert model.run({"x": [[1, 2, 3, 4]]}) and model.optimize().save
    assert public_names(model) == public_names(tfmodel.Model)


def test_every_public_name_of_a_model_has_a_docstring() -> None:
    assert [name for name in public_names(tfmodel.Model) if not getattr(tfmodel.Model, name).__doc__] == []
