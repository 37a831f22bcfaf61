"""Where a fast path begins and ends, the parser still knows where it is: `Parser` reads what `Grammar` reads.

Every length around which a fast path begins or ends is followed by everything that can go on with a value, end it or
damage it.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from pbwire.text import loads
from pbwire.text.grammar import Grammar
from pbwire.text.parsing import LONGEST_BLOCK, LONGEST_LINE, RUN, Parser
from pbwire.text.runs import Runs
from tests.pbwire.text.test_parsing_speed import outcome
from tests.support.samples import Recursive, Repeated, Scalars
from tfmodel.messages import NodeDef

VALUES = {
    "a_string": '"x"',
    "a_bytes": '"b"',
    "a_int32": "-7",
    "a_float": "0.5",
}
ENDS = ["\n", "", "\n # c\n", ",\n", " ;", "\r\n", "\n,"]
TAILS = [
    *("", '"y"', "'y'", '"y" \'z\'\n"w"', '"y"\nFIELD: VALUE', '"y",', '"y";FIELD: VALUE', '"y" # c', '"y', "'"),
    *('"y\n"', "[", "]", "{", "}", "<", ">", "[]", '["y"]', "1", "-1", "f", "e5", ".5", "x", ":", "\\", "\0", "#"),
    *("# c", "FIELD: VALUE", "FIELD: [VALUE, VALUE]", "FIELD: []", 'FIELD: [VALUE] "y"', "FIELD:VALUEx", "FIELD: "),
    *("FIELD: VALUE VALUE", "FIELD VALUE", "a_string: 'z' 'w'", 'a_int32: 5 "y"', "a_leaf { }", "a_leaf { } 'y'"),
    *('a_leaf { text: "z"\n"w"\n} "y"', "a_leaf {", "a_leaf }"),
]
LENGTHS = [1, RUN - 1, RUN, RUN + 1, RUN + 2, 2 * RUN + 1]


def spelled(tail: str, field: str, value: str) -> str:
    return tail.replace("FIELD", field).replace("VALUE", value)


class Plain(Grammar):
    """The grammar without any fast path."""


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Any:
    def read(text: str, cls: Any) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr(Runs, "listed", lambda self, text, pos: ([], pos))
            return outcome(Plain, text, cls)

    return read


@pytest.mark.parametrize("field", VALUES)
def test_what_follows_a_run_of_lines(field: str, plain: Any) -> None:
    value = VALUES[field]
    for length, (end, tail) in product(LENGTHS, product(ENDS, TAILS)):
        text = f"{field}: {value}\n" * (length - 1) + f"{field}: {value}{end}" + spelled(tail, field, value)
        assert outcome(Parser, text, Repeated) == plain(text, Repeated), text


@pytest.mark.parametrize("field", VALUES)
def test_what_follows_a_list_in_brackets(field: str, plain: Any) -> None:
    value = VALUES[field]
    ends = ["", " # c\n", ",", ";", ']"y"', '"y"', '"y", ', "f", "],"]
    for length, end, close, tail in product([1, 20], ends, ["]", ""], TAILS):
        text = f"{field}: [{', '.join([value] * length)}{end}{close}" + spelled(tail, field, value)
        assert outcome(Parser, text, Repeated) == plain(text, Repeated), text


@pytest.mark.parametrize("length", range(LONGEST_LINE - 2, LONGEST_LINE + 2))
def test_what_follows_a_line_that_is_just_remembered(length: int, plain: Any) -> None:
    for field, cls in (("a_string", Repeated), ("a_bytes", Repeated), ("a_string", Scalars)):
        line = f'{field}: "{"x" * (length - len(field) - 4)}"'
        for before, end, tail in product(("", f"{line}\n"), ENDS[:3], TAILS):
            text = before + line + end + spelled(tail, field, '"v"')
            assert outcome(Parser, text, cls) == plain(text, cls), text


@pytest.mark.parametrize("length", [1, LONGEST_BLOCK - 12, *range(LONGEST_BLOCK - 3, LONGEST_BLOCK + 4)])
def test_what_follows_a_block_that_is_just_remembered(length: int, plain: Any) -> None:
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
