r"""The text between the quotes of strings and bytes: escapes in both directions.

Both directions use codecs that are written in C, since weights are literals of hundreds of megabytes.

To escape, each byte is decoded as a character whose UTF-8 encoding is as long as the escape, and the bytes of this
encoding are replaced by those of the escape:

    byte 10     U+0109     C4 89           \ n
    byte 129    U+42001    F1 82 80 81     \ 2 0 1
"""

from __future__ import annotations

import codecs
import re

from .scalars import InvalidValue

# --- escaping --------------------------------------------------------------------------------------------------------

_NAMED = {9: r"\t", 10: r"\n", 13: r"\r", 34: r"\"", 39: r"\'", 92: r"\\"}
_CONTROLS = {code: f"\\{code:03o}" for code in (*range(32), 127)} | _NAMED

PLAIN = r"[ !#-&(-\[\]-~]"  # characters that need no escape
_is_plain = re.compile(PLAIN + "*").fullmatch

_OCTAL_LEAD, _NAMED_LEAD = chr(1 << 18).encode()[0], chr(0x100).encode()[0]  # first bytes of UTF-8
_FIRST_DIGIT, _FIRST_NAME = 0x80, 0x88  # the other bytes of UTF-8: 8 digits, and the letters after a backslash
_NAMES = b"tnr\"'\\"


def _carrier(byte: int) -> str:
    """Return the character whose encoding becomes the escape of a byte: see the module's docstring."""
    if byte in _NAMED:
        return bytes((_NAMED_LEAD, _FIRST_NAME + _NAMES.index(ord(_NAMED[byte][1])))).decode()
    if 32 <= byte < 127:
        return chr(byte)
    return chr(1 << 18 | (byte >> 6) << 12 | (byte >> 3 & 7) << 6 | byte & 7)


_CARRIERS = "".join(map(_carrier, range(256)))
_ESCAPE = bytes.maketrans(
    bytes((_OCTAL_LEAD, _NAMED_LEAD, *range(_FIRST_DIGIT, _FIRST_NAME + len(_NAMES)))), b"\\\\01234567" + _NAMES
)


def escape_string(value: str) -> str:
    """Return the text between the quotes of a string. Non-ASCII characters become octal escapes of their UTF-8."""
    return value if _is_plain(value) else _escape(value.encode())


def escape_utf8(value: str) -> str:
    """Return the text between the quotes of a string. Non-ASCII characters are unchanged, and controls are octal."""
    return _translate(value, _CONTROLS)


def escape_utf8_only(value: str) -> str:
    """Return the text between the quotes of a string. Non-ASCII characters and most controls are unchanged."""
    return _translate(value, _NAMED)


def _translate(value: str, escapes: dict[int, str]) -> str:
    if _is_plain(value):
        return value
    value.encode()  # raises UnicodeEncodeError for a lone surrogate
    return value.translate(escapes)


def escape_bytes(value: bytes | memoryview) -> str:
    """Return the text between the quotes of a bytes field."""
    text = str(value, "latin-1")
    return text if _is_plain(text) else _escape(value)


def _escape(value: bytes | memoryview) -> str:
    return codecs.charmap_decode(value, "strict", _CARRIERS)[0].encode().translate(_ESCAPE).decode("ascii")


# --- unescaping ------------------------------------------------------------------------------------------------------

# Finds escapes that have another meaning in Python's bytes literals, or none. `codecs.escape_decode` decodes the rest.
# A backslash starts an escape if the number of backslashes in front of it is even.
_UNUSUAL = rb"""(?:[^0-7nrtabfvx\\'"]|[4-7](?=[0-7]{2})|x(?![0-9a-fA-F]{2}))"""
_find_unusual = re.compile(
    rb"\\(?:%b(?<!\\\\.)|\\(?<!\\\\\\)(?:\\\\|(?!))*+\\%b)" % (_UNUSUAL, _UNUSUAL), re.DOTALL
).search
_find_escapes = re.compile(
    rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_ESCAPES = dict(zip(b"abfnrtv?\\'\"", b"\a\b\f\n\r\t\v?\\'\"", strict=True))


def is_usual(data: bytes) -> bool:
    """Return whether `codecs.escape_decode` decodes the content of a literal, which does not end inside an escape."""
    return _find_unusual(data) is None


def unescape_literal(body: str) -> bytes:
    """Return the bytes of a string literal. `body` is the text between its quotes."""
    data = body.encode()
    if b"\\" not in data:
        return data
    if is_usual(data):
        return codecs.escape_decode(data)[0]
    return _find_escapes.sub(_unescape, data)


def _unescape(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, short, long, other = match.groups()
    if short or long:
        code = int(short or long, 16)
        if code < 0xD800 or 0xDFFF < code <= 0x10FFFF:
            return chr(code).encode()
        raise _invalid_escape(match, "{} is not the number of a character")
    if other in _DIGITS:
        raise _invalid_escape(match, f"{{}} needs {_DIGITS[other]}")
    value = _ESCAPES.get(other[0]) if other else int(octal or hexadecimal, 8 if octal else 16)
    if value is None or value > 255:
        raise _invalid_escape(match, "{} is too large for a byte" if octal else "unknown escape {}")
    return bytes((value,))


_DIGITS = {b"x": "a hexadecimal digit", b"u": "4 hexadecimal digits", b"U": "8 hexadecimal digits"}


def _invalid_escape(match: re.Match[bytes], problem: str) -> InvalidValue:
    start = len(match.string[: match.start()].decode())
    written = match.string[match.start() :].decode()[: max(2, len(match[0]))]
    if match[5]:
        written = written[:2]  # a character that is not ASCII has been matched in part
    return InvalidValue(problem.format(written), start, len(written))
