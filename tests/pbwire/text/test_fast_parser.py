"""The fast parser gives what the complete grammar gives: `Parser` and `Grammar` are compared.

Every length around which a fast path begins or ends is followed by everything that can continue a value, end it or
damage it. The soups consist of lines that a printer would write, and of lines whose meaning would change if what was
remembered from one place were wrong in another: a string that continues, a separator that comes late, a bracket with
the indentation of the one that closes another message. Long lists are parsed in one step, with the same values.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbwire.errors import TextFormatError
from pbwire.text import dumps, loads
from pbwire.text.fast_parser import MAX_BLOCK_LENGTH, MAX_LINE_LENGTH, RUN_INTERVAL, Parser
from pbwire.text.field_readers import Runs
from pbwire.text.parser import Grammar
from tests.support.samples import Choice, Groups, Leaf, Maps, Nesting, Proto2, Recursive, Repeated, Scalars
from tests.support.strategies import messages
from tfmodel.messages import GraphDef, NodeDef

VALUES = {
    "a_string": '"x"',
    "a_bytes": '"b"',
    "a_int32": "-7",
    "a_float": "0.5",
}
ENDS = ["\n", "", "\n # c\n", ",\n", " ;", "\r\n", "\n,"]
STARTS = ["FIELD: ", "FIELD:\n", "FIELD: # c\n  ", "#c\nFIELD :"]
TAILS = [
    *("", '"y"', "'y'", '"y" \'z\'\n"w"', '"y"\nFIELD: VALUE', '"y",', '"y";FIELD: VALUE', '"y" # c', '"y', "'"),
    *('"y\n"', "[", "]", "{", "}", "<", ">", "[]", '["y"]', "1", "-1", "f", "e5", ".5", "x", ":", "\\", "\0", "#"),
    *("# c", "FIELD: VALUE", "FIELD: [VALUE, VALUE]", "FIELD: []", 'FIELD: [VALUE] "y"', "FIELD:VALUEx", "FIELD: "),
    *("FIELD: VALUE VALUE", "FIELD VALUE", "a_string: 'z' 'w'", 'a_int32: 5 "y"', "a_leaf { }", "a_leaf { } 'y'"),
    *('a_leaf { text: "z"\n"w"\n} "y"', "a_leaf {", "a_leaf }"),
]
LENGTHS = [1, RUN_INTERVAL - 1, RUN_INTERVAL, RUN_INTERVAL + 1, RUN_INTERVAL + 2, 2 * RUN_INTERVAL + 1]


def spelled(tail: str, field: str, value: str) -> str:
    return tail.replace("FIELD", field).replace("VALUE", value)


class Plain(Grammar):
    """The grammar without any fast path."""


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Any:
    def read(text: str, cls: Any) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr(Runs, "parse_list", lambda self, text, pos: ([], pos))
            return outcome(Plain, text, cls)

    return read


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("field", VALUES)
def test_text_after_a_run_of_lines(field: str, plain: Any) -> None:
    value = VALUES[field]
    for length, (end, tail) in product(LENGTHS, product(ENDS, TAILS)):
        text = f"{field}: {value}\n" * (length - 1) + f"{field}: {value}{end}" + spelled(tail, field, value)
        assert outcome(Parser, text, Repeated) == plain(text, Repeated), text


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("field", VALUES)
def test_a_run_that_begins_inside_a_line(field: str, plain: Any) -> None:
    value = VALUES[field]
    line = f"{field}: {value}"
    for length, start, tail in product(LENGTHS, STARTS, TAILS):
        before = f"{line}\n" * (length - 1) + f"{spelled(start, field, value)}{value} "
        text = f"{before}{line}\n{spelled(tail, field, value)}"
        assert outcome(Parser, text, Repeated) == plain(text, Repeated), text


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("field", VALUES)
def test_text_after_a_list_in_brackets(field: str, plain: Any) -> None:
    value = VALUES[field]
    ends = ["", " # c\n", ",", ";", ']"y"', '"y"', '"y", ', "f", "],"]
    for length, end, close, tail in product([1, 20], ends, ["]", ""], TAILS):
        text = f"{field}: [{', '.join([value] * length)}{end}{close}" + spelled(tail, field, value)
        assert outcome(Parser, text, Repeated) == plain(text, Repeated), text


@pytest.mark.parametrize("length", range(MAX_LINE_LENGTH - 2, MAX_LINE_LENGTH + 2))
def test_text_after_a_line_that_was_just_remembered(length: int, plain: Any) -> None:
    for field, cls in (("a_string", Repeated), ("a_bytes", Repeated), ("a_string", Scalars)):
        line = f'{field}: "{"x" * (length - len(field) - 4)}"'
        for before, end, tail in product(("", f"{line}\n"), ENDS[:3], TAILS):
            text = before + line + end + spelled(tail, field, '"v"')
            assert outcome(Parser, text, cls) == plain(text, cls), text


@pytest.mark.parametrize("length", [1, MAX_BLOCK_LENGTH - 12, *range(MAX_BLOCK_LENGTH - 3, MAX_BLOCK_LENGTH + 4)])
def test_text_after_a_block_that_was_just_remembered(length: int, plain: Any) -> None:
    body = "  depth: 1\n  #" + "c" * max(0, length - 14) + "\n"
    insides = ["", '"y"', "}", "{", "depth: 2", "child { }\n", "#", "# }"]
    for inside, tail in product(insides, ["", '"y"', "}", ",", ";;", "children {\n}\n"]):
        block = f"children {{\n{body}{inside}}}\n"
        text = block * 3 + tail + block
        assert outcome(Parser, text, Recursive) == plain(text, Recursive), text


def test_a_string_goes_on_behind_any_number_of_lines() -> None:
    for length in range(1, 70):
        node = loads('input: "x"\n' * length + '"y"\n', NodeDef)
        assert node.input == ["x"] * (length - 1) + ["xy"]


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
    """Return the parsed message, or the position and the text of the error."""
    message = cls()
    parser = reader(text, **DEFAULTS | options)
    try:
        parser.parse_body(cls.__table__, message, 0, "", parser.max_depth)
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
def test_printed_text_means_the_same(cls: Any, data: st.DataObject) -> None:
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
    """The same lines occur three levels and one level above the limit."""
    inner = "leaf {\n leaf {\n }\n}\n"
    block = f"a_leaf {{\n{inner}}}\n"
    assert outcome(Parser, block * 2, Repeated, max_depth=3) != outcome(Parser, block * 2, Repeated, max_depth=2)
    assert "nested more than 2" in outcome(Parser, block * 2, Repeated, max_depth=2)


SPELLINGS = {
    "a_int32": ["0", "-1", "2147483647", "2147483648", "-2147483649", "017", "0x1F", "-0", "1.0", "+1", "1_0", "٣"],
    "a_uint64": ["0", "18446744073709551615", "18446744073709551616", "-1", "-0", "00"],
    "a_sfixed64": ["-9223372036854775808", "9223372036854775808", "99999999999999999999999"],
    "a_float": ["1", "-0", "0.1", "1e39", ".5", "1.", "1e5f", "inf", "nan", "01", "1e", "0x1", "-1.5e-3"],
    "a_double": ["1e999", "-2.5", "1.7976931348623157e308", "infinity"],
    "a_bool": ["true", "0", "t", "yes"],
    "a_mood": ["HAPPY", "-1", "7", "SAD"],
    "a_string": ['"a"', '"a, \\" #"', '"é"', "'a'", '"a" "b"', '"\\n"', '"a', '"]"'],
    "a_bytes": ['"a"', '"\\377"', '"é"', '"{"'],
}


@pytest.mark.parametrize("name", SPELLINGS)
@given(data=st.data())
def test_a_run_means_what_it_means_value_by_value(name: str, data: st.DataObject) -> None:
    usual, *others = SPELLINGS[name]
    values = data.draw(st.lists(st.sampled_from([usual] * 9 + others), max_size=80))
    between = data.draw(st.sampled_from(["\n", "\n  ", " ", "\n# note\n"]))
    texts = [
        "".join(f"{name}: {value}{between}" for value in values),
        f"{name}: [{', '.join(values)}]",
        f"{name}:[\n{' ,'.join(values)}\n] a_leaf {{}}",
    ]
    for text in texts:
        assert outcome(Parser, text, Repeated) == outcome(Grammar, text, Repeated)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("a_int32", list(range(-500, 500))),
        ("a_uint64", [2**64 - 1, *range(999)]),
        ("a_double", [i / 7 for i in range(1000)]),
        ("a_string", [f"{i}, ]" for i in range(1000)]),
        ("a_bytes", [b"%d" % i for i in range(1000)]),
        ("a_bool", [True, False] * 500),
    ],
)
def test_a_thousand_values_in_either_form(name: str, values: list[Any]) -> None:
    texts = [value.decode() if isinstance(value, bytes) else str(value) for value in values]
    spelled = [f'"{text}"' if name in ("a_string", "a_bytes") else text.lower() for text in texts]
    lines = "".join(f"  {name}: {value}\n" for value in spelled)
    for text in (lines, f"{name}: [{', '.join(spelled)}]", f"{name}: []  {lines}{lines}"):
        read = getattr(loads(text, Repeated), name)
        assert read[: len(values)] == values
        assert len(read) in (1000, 2000)


def test_a_run_ends_where_a_value_is_out_of_range() -> None:
    text = "a_int32: 1\n" * 100 + "a_int32: 2147483648\n" + "a_int32: 1\n" * 100
    with pytest.raises(TextFormatError) as caught:
        loads(text, Repeated)
    assert (caught.value.line, caught.value.column) == (101, 10)
