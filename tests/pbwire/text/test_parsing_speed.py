"""What is read fast means what it means when it is read token by token, whatever surrounds it.

The soups are made of lines that a printer would write, and of lines that would be read otherwise if what was learned
from one place were wrong in another: a string that goes on, a separator that comes late, a bracket that is indented as
if it closed another message.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbwire.errors import TextFormatError
from pbwire.text import dumps
from pbwire.text.grammar import Grammar
from pbwire.text.parsing import Parser
from tests.support.samples import Choice, Groups, Leaf, Maps, Nesting, Proto2, Repeated
from tests.support.strategies import messages
from tfmodel.messages import GraphDef, NodeDef

LINES = {
    NodeDef: [
        'name: "a"',
        'op: "Const"',
        'input: "x"',
        "input: 'y';",
        '"goes on"',
        'input: "x" "y"',
        'input: ["x", "y"]',
        ", ",
        "attr {",
        "attr: <",
        'key: "T"',
        "value {",
        "type: DT_FLOAT",
        "i: 1",
        "tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 0x2 }",
        "list {",
        "shape {",
        "dim { size: 3 }",
        "}",
        "} # closed",
        "},",
        ">",
        "# a comment }",
        "",
        "device: 'd' name: 'b'",
    ],
    Repeated: [
        "a_float: 1.5",
        "a_int32: [1, 2]",
        "a_string: 'x'",
        '"y"',
        "a_bytes: '\\001'",
        "a_leaf {",
        "a_leaf: [{number: 1}, <number: 2>],",
        "number: 1",
        "number: 0",
        "text: ''",
        "leaf {",
        "}",
        ";",
        "a_mood: GRIM",
        "a_bool: t",
    ],
}

DEFAULTS: dict[str, Any] = {
    "merge": False,
    "allow_unknown_field": False,
    "allow_field_number": False,
    "types": None,
    "max_depth": 100,
}

soups = st.sampled_from(list(LINES)).flatmap(
    lambda cls: st.tuples(
        st.just(cls),
        st.lists(
            st.tuples(st.sampled_from(["", "", "  ", "    "]), st.sampled_from(LINES[cls]), st.sampled_from("\n\n\n ")),
            max_size=30,
        ).map(lambda parts: "".join(map("".join, parts))),
    )
)


def outcome(reader: type[Grammar], text: str, cls: Any, **options: Any) -> Any:
    """The message that is read, or where it cannot be read and why."""
    message = cls()
    parser = reader(text, **DEFAULTS | options)
    try:
        parser.body(cls.__table__, message, 0, "", parser.max_depth)
    except TextFormatError as error:
        return str(error)
    return message.to_bytes(deterministic=True)


@given(soups, st.booleans())
@example((NodeDef, 'input: "x"\ninput: "x"\n"goes on"\ninput: "x"\n'), False)
@example((NodeDef, 'input: "x"\ninput: "x"\n, input: "x"\n,, '), False)
@example((NodeDef, "attr {\n  key: 'T'\n  }\n}\n"), False)
@example((NodeDef, "attr {\n value {\n  i: 1\n}\n}\nattr {\n value {\n  i: 1\n}\n}\n"), False)
def test_a_soup_of_lines_means_the_same(soup: tuple[Any, str], merge: bool) -> None:
    cls, text = soup
    text *= 2  # what has been learned is used
    assert outcome(Parser, text, cls, merge=merge) == outcome(Grammar, text, cls, merge=merge)


@pytest.mark.parametrize("cls", [GraphDef, Maps, Nesting, Proto2, Groups, Choice])
@given(data=st.data())
def test_what_is_printed_means_the_same(cls: Any, data: st.DataObject) -> None:
    printed = dumps(data.draw(messages(cls)))
    lines = printed.splitlines(keepends=True)
    damaged = "".join(data.draw(st.lists(st.sampled_from(lines), max_size=20))) if lines else ""
    for text in (printed, printed * 2, printed + damaged, damaged):
        for merge in (False, True):
            assert outcome(Parser, text, cls, merge=merge) == outcome(Grammar, text, cls, merge=merge)


def test_a_block_that_was_read_before_is_a_message_of_its_own_each_time() -> None:
    block = 'a_leaf {\n  number: 1\n  leaf {\n    text: "x"\n  }\n}\n'
    message = Repeated()
    Parser(block * 4, **DEFAULTS).parse(message)
    first, *others = message.a_leaf
    first.leaf = Leaf(text="changed")
    assert [leaf.leaf for leaf in others] == [Leaf(text="x")] * 3
    others[0].leaf.text = "changed too"
    assert [leaf.leaf for leaf in others[1:]] == [Leaf(text="x")] * 2


def test_a_block_that_was_read_before_is_not_read_below_the_limit() -> None:
    """The same lines stand three and one levels above the limit."""
    inner = "leaf {\n leaf {\n }\n}\n"
    block = f"a_leaf {{\n{inner}}}\n"
    assert outcome(Parser, block * 2, Repeated, max_depth=3) != outcome(Parser, block * 2, Repeated, max_depth=2)
    assert "nested more than 2" in outcome(Parser, block * 2, Repeated, max_depth=2)
