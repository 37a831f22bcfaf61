"""Which parts there are, and that each has the modules that it needs and no others."""

from __future__ import annotations

import pytest

from tfmodel.vendoring.parts import PARTS, chosen, files_of

FILES = dict.fromkeys(
    [
        "pbwire/__init__.py",
        "pbwire/text/fast_parser.py",
        "tfmodel/__init__.py",
        "tfmodel/_schema/graph.py",
        "tfmodel/cli/dump.py",
        "tfmodel/messages.py",
        "tfmodel/py.typed",
    ],
    b"",
)
SCHEMA = {"tfmodel/__init__.py", "tfmodel/_schema/graph.py", "tfmodel/messages.py", "tfmodel/py.typed"}


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("pbwire", PARTS[:1]),
        ("schema", PARTS[:2]),
        ("pbwire,schema", PARTS[:2]),
        (" schema , pbwire", PARTS[:2]),
        ("all", PARTS),
        ("tfmodel", PARTS),
        ("pbwire,all", PARTS),
    ],
)
def test_what_is_chosen_comes_with_what_it_needs(words, parts):
    assert chosen(words) == parts


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("pbwre", 'there is no part "pbwre"; did you mean "pbwire"?'),
        ("pbwire,schemas", 'there is no part "schemas"; did you mean "schema"?'),
        ("", 'there is no part ""; there are pbwire, schema, tfmodel and all'),
        ("pbwire,", 'there is no part ""; there are pbwire, schema, tfmodel and all'),
        ("numpy\x1b", 'there is no part "numpy\\x1b"; there are pbwire, schema, tfmodel and all'),
    ],
)
def test_other_words_are_refused(words, problem):
    with pytest.raises(ValueError) as caught:
        chosen(words)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("parts", "paths"),
    [
        (("pbwire",), {"pbwire/__init__.py", "pbwire/text/fast_parser.py"}),
        (("pbwire", "schema"), {"pbwire/__init__.py", "pbwire/text/fast_parser.py", *SCHEMA}),
        (PARTS, set(FILES)),
    ],
)
def test_the_files_of_parts(parts, paths):
    assert set(files_of(parts, FILES, "1.2.3")) == paths


def test_messages_alone_have_a_package_that_names_the_version_and_offers_nothing_that_is_not_there():
    source = files_of(PARTS[:2], FILES, "1.2.3")["tfmodel/__init__.py"]
    names: dict[str, object] = {}
    exec(source, names)
    assert {name for name in names if name[0] != "_"} == set()
    assert names["__version__"] == "1.2.3"
