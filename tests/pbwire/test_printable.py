"""`pbwire.errors`: errors show invisible characters as escapes."""

from __future__ import annotations

import pytest

from pbwire import Error, Message, json, text
from pbwire import table as pb
from pbwire.errors import escape_invisible, is_visible
from tests.support.invisible_characters import is_invisible

BLANK = "\u3164\u115f\uffa0\u2800\u034f\u17b4\ufe0f\U000e0101\u202e\x1b\u00a0"


@pb.message("tests.Invisible")
class Invisible(Message):
    name: str = pb.string(1)
    numbers: dict[str, int] = pb.map(pb.string, pb.int32, 2)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("größe 模型 é", "größe 模型 é"),
        ("a\u3164b", r"a\u3164b"),
        ("\U000e0101\n", r"\U000e0101\n"),
        ("\ud800", r"\ud800"),
    ],
)
def test_escapes(shown: str, expected: str) -> None:
    assert escape_invisible(shown) == expected
    assert is_visible(shown) == (shown == expected)


@pytest.mark.parametrize(
    "read",
    [
        lambda: text.loads(f"name: {BLANK}", Invisible),
        lambda: text.loads(f'{BLANK}: "x"', Invisible),
        lambda: text.loads(f'name: "{BLANK}', Invisible),
        lambda: text.loads('numbers { key: "' + BLANK + '" value: true }', Invisible),
        lambda: json.loads('{"name": 1, "' + BLANK + '": 1}', Invisible),
        lambda: json.loads('{"numbers": {"' + BLANK + '": "' + BLANK + '"}}', Invisible),
        lambda: Invisible(numbers={BLANK: 1 << 40}).to_bytes(),
        lambda: Invisible.from_bytes(b"\x12\x24\x0a\x20" + BLANK.encode() + b"\x10\xff"),
    ],
)
def test_errors_escape_invisible_characters(read) -> None:
    with pytest.raises(Error) as raised:
        read()
    assert not any(is_invisible(character) for character in str(raised.value).replace("\n", ""))
