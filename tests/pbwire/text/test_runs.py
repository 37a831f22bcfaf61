"""Long lists are read at one go, and mean what they mean value by value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire.errors import TextFormatError
from pbwire.text import loads
from pbwire.text.grammar import Grammar
from pbwire.text.parsing import Parser
from tests.pbwire.text.test_parsing_speed import outcome
from tests.support.samples import Repeated

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
