"""Large literals are extracted before a text is parsed: with the same result, the same errors, and in little memory."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import TextFormatError, text
from pbwire.text import large_literals
from tests.golden.text import cases
from tests.pbwire.text import memory_use
from tests.pbwire.text.reference import TYPES
from tests.support.damaged_text import damaged_text, pieces
from tests.support.effort import scaled
from tests.support.samples import Leaf, Repeated, Scalars
from tfmodel.messages import TensorProto

LARGE = large_literals.MIN_LENGTH + 1


def outcome(document, cls, **options):
    """Return the parsed message, or the error with its position."""
    try:
        return text.loads(document, cls, **options).to_bytes(deterministic=True)
    except TextFormatError as error:
        return str(error), error.line, error.column, error.source, error.width
    except Exception as error:  # a required field is missing
        return type(error), str(error)


def extracted(document, cls, min_length, chunk, **options):
    """Return the outcome with other limits, and whether literals were extracted."""
    with (
        mock.patch.object(large_literals, "MIN_LENGTH", min_length),
        mock.patch.object(large_literals, "CHUNK_LENGTH", chunk),
    ):
        found = large_literals.extract_literals(document)
        return outcome(document, cls, **options), found is not None


# --- small limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("min_length", "chunk"), [(0, 5), (3, 8), (100, 64)])
def test_texts_with_extracted_literals_have_the_same_outcome(min_length, chunk):
    count = 0
    for case in cases():
        options = dict(case.options)
        if options.pop("types", False):
            options["types"] = TYPES
        expected = outcome(case.text, TYPES[case.cls], **options)
        got, found = extracted(case.text, TYPES[case.cls], min_length, chunk, **options)
        assert got == expected, case.text
        count += found
    assert count > (300 if min_length == 0 else 1)


@pytest.mark.slow(reason="damages inputs in thousands of ways")
def test_damaged_texts_have_the_same_outcome_as_str_and_as_bytes():
    rng = random.Random(10)
    count = 0
    for cls, document in rng.choices(pieces(), k=1_500):
        damaged = damaged_text(document, rng)
        expected = outcome(damaged, cls)
        for source in (damaged, damaged.encode(errors="surrogatepass")):
            got, found = extracted(source, cls, rng.choice([0, 2, 9]), rng.choice([5, 8, 64]))
            assert got == expected or "\ud800" <= max(damaged) <= "\udfff", damaged
            count += found
    assert count > 1_000


PIECES = [*map(chr, range(33, 127)), "\\\\", "\\'", '\\"', "\\n", "\\0", "\\12", "\\377", "\\x41", "\\xa", "\\?"]
PIECES += ["é", "€", "\\u00e9", "\\ud83d\\ude00", "\\U0001f600", "\\400", "\\777", "\\8", "\\q", "\\\\377", "7"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.sampled_from("'\""), st.integers(5, 9))
@settings(max_examples=scaled(300))
def test_any_literal_means_the_same_in_chunks(body, quote, chunk):
    document = f"a_bytes: {quote}{body}{quote} a_int32: 5"
    got, _ = extracted(document, Scalars, 0, chunk)
    assert got == outcome(document, Scalars)


@given(st.binary(max_size=200), st.integers(5, 64))
def test_any_bytes_are_read_back_in_chunks(value, chunk):
    printed = text.dumps(Scalars(a_bytes=value, a_int32=5))
    got, found = extracted(printed, Scalars, 2, chunk)
    assert got == Scalars(a_bytes=value, a_int32=5).to_bytes()
    assert found == (len(printed) > len('a_int32: 5\na_bytes: ""\n') + 2)


# --- real limits -------------------------------------------------------------------------------------------------

BODY = "\\377" * LARGE
VALUE = b"\xff" * LARGE

DOCUMENTS = {
    "alone": (f'a_bytes: "{BODY}"', [VALUE]),
    "in apostrophes": (f"a_bytes: '{BODY}'", [VALUE]),
    "without escapes": (f'a_bytes: "{"a" * LARGE}"', [b"a" * LARGE]),
    "not ASCII": (f'a_bytes: "{"é" * LARGE}"', ["é".encode() * LARGE]),
    "unusual escapes": (f'a_bytes: "{BODY}\\u20ac"', [VALUE + "€".encode()]),
    "a list": (f'a_bytes: ["{BODY}", "b", \'{BODY}\']', [VALUE, b"b", VALUE]),
    "adjacent": (f"a_bytes: \"{BODY}\" 'b' \n '{BODY}'", [VALUE + b"b" + VALUE]),
    "adjacent after a separator": (f'a_bytes: "{BODY}", a_bytes: "{BODY}"', [VALUE, VALUE]),
    "among small ones": (
        f'a_bytes: "a" a_bytes: "\\"" a_bytes: "{BODY}" a_bytes: \'"\' # \'',
        [b"a", b'"', VALUE, b'"'],
    ),
    "quotes and backslashes inside": (f"a_bytes: \"{BODY}\\\"'\\\\\" a_bytes: 'c'", [VALUE + b"\"'\\", b"c"]),
    "only backslashes": (f'a_bytes: "{BODY[:0] + chr(92) * 2 * LARGE}"', [b"\\" * LARGE]),
    "a quote in a comment": (f'a_bytes: "a" # "{BODY}', [b"a"]),
    "a literal in a comment": (f'# a_bytes: "{BODY}"\na_bytes: "a"', [b"a"]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("convert", [str, str.encode, lambda document: bytearray(document.encode())])
def test_a_large_literal_is_read(name, convert):
    document, values = DOCUMENTS[name]
    for before, after in (("", ""), ("a_int32: 1\n", "\na_int32: 2\n"), ("a_leaf { text: 'a' }", "; a_int32: 2")):
        message = text.loads(convert(before + document + "\n" + after), Repeated)
        assert message.a_bytes == values
        assert message.a_int32 == [number for number in (1, 2) if f"a_int32: {number}" in before + after]


def test_a_large_literal_of_a_string_field():
    assert text.loads(f'a_string: "{"é" * LARGE}\\n"', Scalars).a_string == "é" * LARGE + "\n"


def test_blocks_that_differ_in_their_large_literals_only():
    block = '  a_leaf {\n    text: "%s"\n  }\n'
    message = text.loads(block % ("a" * LARGE) + block % ("b" * LARGE) + block % ("a" * LARGE), Repeated)
    assert [leaf.text[:1] for leaf in message.a_leaf] == ["a", "b", "a"]


ERRORS = {
    "after it": (f"text: '{'a' * LARGE}' nope: 1", f"1:{LARGE + 10}: ", 4),
    "on the next line": (f"text: '{'a' * LARGE}'\n nope: 1", "2:2: ", 4),
    "in its place": (f"number: '{'a' * LARGE}'", "1:9: expected an integer", LARGE + 2),
    "an escape in it": (f"text: '{'a' * LARGE}\\8'", f"1:{LARGE + 8}: unknown escape ", 2),
    "set twice": (f"text: 'a' text: '{'a' * LARGE}'", '1:11: "text" is set already', 4),
    "no string": (f"text: '\\377{'a' * LARGE}'", '1:7: the string for field "text" is not UTF-8', LARGE + 6),
    "not closed": (f"text: '{'a' * LARGE}", "1:7: this string has no closing '", LARGE + 1),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("convert", [str, str.encode])
def test_an_error_has_its_place_in_the_text(name, convert):
    document, said, width = ERRORS[name]
    with pytest.raises(TextFormatError) as caught:
        text.loads(convert(document), Leaf)
    error = caught.value
    assert str(error).startswith(said)
    assert (error.source, error.width) == (document.split("\n")[error.line - 1], width)


@pytest.mark.parametrize("at", [5, LARGE // 2 + 9, LARGE + 10])
def test_bytes_that_are_not_utf_8_are_refused_with_their_position(at):
    document = bytearray(f"text: '{'a' * LARGE}'\n".encode() + b"# comment")
    document[at] = 0xE9
    with pytest.raises(TextFormatError, match="the text is not UTF-8") as caught:
        text.loads(document, Leaf)
    assert caught.value.column == at + 1 if at < LARGE else caught.value.line == 2


def test_merging_keeps_what_was_there():
    message = Repeated(a_int32=[1])
    text.Merge(f'a_bytes: "{BODY}" a_int32: 2', message)
    assert (message.a_int32, message.a_bytes) == ([1, 2], [VALUE])
    with pytest.raises(TextFormatError, match=f"^1:{len(BODY) + 13}: "):
        text.Merge(f'a_bytes: "{BODY}" nope: 2', message)


# --- memory ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not memory_use.RESET.exists(), reason="this system does not tell the peak of a process's memory")
@pytest.mark.parametrize("how", ["bytes", "str"])
def test_reading_takes_the_memory_of_the_value(how):
    command = [sys.executable, "-m", memory_use.__name__, "25 MB", how]
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "131072"}  # large blocks grow where they are, in glibc too
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    peak, size = map(int, done.stdout.split())
    assert size > 100_000_000
    assert peak < 30_000_000


def test_a_shortened_value_is_read_too():
    parts: list[str] = []
    text.dump(TensorProto(tensor_content=VALUE * 2), parts.append, longest=LARGE)
    assert text.loads("".join(parts), TensorProto).tensor_content == VALUE
