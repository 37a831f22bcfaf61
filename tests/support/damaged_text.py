"""Random damage to texts, and the guarantees that must hold for any damaged text.

    read_text(GraphDef, damaged_text(text, rng))     # True if accepted; AssertionError if a guarantee is broken
    verdicts(text, GraphDef)                         # ours and protobuf's
    explanations(text)                               # why the two may differ

`explanations` detects, by patterns, the reasons of tests/golden/text that can apply to a part of a graph: without a
reason, both verdicts must be equal.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

from pbwire import EncodeError, Message, TextFormatError, text
from pbwire.codec.buffers import encode_message
from tests.golden.text import reasons
from tests.support.corpus import corpus_files
from tfmodel import messages

__all__ = ["checked_text", "damaged_text", "explanations", "pieces", "read_text", "verdicts"]

REPLACEMENTS = [
    *"{}<>[]():;,.\"'\\#-+_/0189eExXfFa \t\n\r\v\f\0\x1c\x85\xa0\u2028\ufeff\ud800é٣",
    *("0x", "00", "-0", "- ", "+1", "1e", "1e999", "99999999999999999999", "inf", "nan", "1f", "1.5F", "true", "True"),
    *("{ }", "< >", "[ ]", "[1, 2]", "[{}]", '""', "''", '"a" "b"', "\n'a'\n", "# c\n", "\n\n", ", #,\n"),
    *("\\377", "\\x", "\\u20ac", "\\ud800", "\\?", "\\8", "\\400", "name: ", "size: 1", "x: 1 ", "x { }", "type: 1\n"),
    *("node {", "attr {\n", "key: 'a'\n", "value { i: 1 }\n", "DT_FLOAT", "DT_NOPE", "[type.googleapis.com/a.b] { }"),
]
TOKEN = re.compile(r'\s+|\w+|"[^"\n]*"|.', re.DOTALL)


def damaged_text(document: str, rng: random.Random) -> str:
    """Return a text with characters, tokens or lines changed, inserted, removed, repeated or moved, or truncated."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        kind = rng.randrange(10)
        if kind < 4:
            document = _with_characters_changed(document, rng)
        elif kind < 9:
            parts = TOKEN.findall(document) if kind < 7 else document.splitlines(keepends=True)
            document = "".join(_with_parts_moved(parts, rng))
        elif rng.randrange(4) == 0:
            document = document[: rng.randrange(len(document) + 1)]
    return document


def _with_characters_changed(document: str, rng: random.Random) -> str:
    at = rng.randrange(len(document) + 1)
    match rng.randrange(4):
        case 0:
            return document[:at] + rng.choice(REPLACEMENTS) + document[at + 1 :]
        case 1:
            return document[:at] + rng.choice(REPLACEMENTS) + document[at:]
        case 2:
            return document[:at] + document[at + rng.randrange(1, 9) :]
        case _:
            start = rng.randrange(len(document) + 1)
            return document[:at] + document[start : start + rng.randrange(1, 40)] + document[at:]


def _with_parts_moved(parts: list[str], rng: random.Random) -> list[str]:
    if not parts:
        return [rng.choice(REPLACEMENTS)]
    at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(5):
        case 0:
            parts[at], parts[other] = parts[other], parts[at]
        case 1:
            del parts[at : at + rng.choice((1, 1, 2, 5))]
        case 2:
            parts[at:at] = parts[other : other + rng.choice((1, 2, 6))]
        case 3:
            parts[at] = rng.choice(REPLACEMENTS)
        case _:
            parts[at] = parts[at].strip() + rng.choice(("", " ", "\n", "  "))
    return parts


def read_text(cls: type[Message], document: str, **options: Any) -> bool:
    """Parse a text and return whether it was accepted. Raises AssertionError if a guarantee is broken."""
    try:
        checked_text(cls, document, **options)
    except TextFormatError:
        return False
    return True


def checked_text(cls: type[Message], document: str | bytes, **options: Any) -> None:
    """Parse a text. Raises TextFormatError if it is refused, and AssertionError if a guarantee is broken."""
    shown = document if isinstance(document, str) else document.decode(errors="replace")
    try:
        message = text.loads(document, cls, **options)
    except TextFormatError as error:
        assert_points_into(error, shown)
        raise
    try:
        data = message.to_bytes(deterministic=True)
    except EncodeError as error:
        assert "required" in str(error), error
        return
    assert text.loads(text.dumps(message), cls).to_bytes(deterministic=True) == data or "nan" in shown.lower()


def assert_points_into(error: TextFormatError, document: str) -> None:
    """Assert that an error has a position inside of the text or at its end, and shows the line."""
    rows = document.split("\n")
    assert error.line is not None and 1 <= error.line <= len(rows), error
    row = rows[error.line - 1]
    assert error.column is not None and 1 <= error.column <= len(row) + 1, error
    assert error.source == row.removesuffix("\r") and error.width >= 1, error
    assert str(error).startswith(f"{error.line}:{error.column}: {error.message}")


def pieces(longest: int = 2_000) -> list[tuple[type[Message], str]]:
    """Parts of real text files and of printed texts, small enough to be parsed many times a second."""
    return list(_pieces(longest))


def _pieces(longest: int) -> Iterator[tuple[type[Message], str]]:
    for path in corpus_files(".pbtxt"):
        cls = messages.RunMetadata if "metadata" in path.name else messages.GraphDef
        whole = path.read_text()
        starts = [match.start() for match in re.finditer(r"^\w", whole, re.MULTILINE)]
        while starts:
            start = starts.pop(0)
            while len(starts) > 1 and starts[1] - start < longest:
                starts.pop(0)
            yield cls, whole[start : starts[0] if starts else None][:longest]
    yield messages.NodeDef, text.dumps(_node())
    graph = messages.GraphDef(node=[_node(), messages.NodeDef(name="b", op="Add"), _node(), _node()])
    yield messages.GraphDef, text.dumps(graph)
    yield messages.GraphDef, text.dumps(graph, as_one_line=True)


def _node() -> messages.NodeDef:
    shape = messages.TensorShapeProto(dim=[messages.TensorShapeProto.Dim(size=size) for size in (-1, 2, 2)])
    tensor = messages.TensorProto(dtype=messages.DataType.DT_FLOAT, tensor_shape=shape, float_val=[1.5, 1.5, -0.0, 1e9])
    attr = {
        "T": messages.AttrValue(type=messages.DataType.DT_FLOAT),
        "s": messages.AttrValue(s=b"\0\xff'\"\\\n"),
        "value": messages.AttrValue(tensor=tensor),
        "list": messages.AttrValue(list=messages.AttrValue.ListValue(i=[1, -2, 1], b=[True], shape=[shape, shape])),
    }
    return messages.NodeDef(name="a/ü", op="Conv2D", input=["b", "^b:1", "b"], device="/cpu:0", attr=attr)


# --- comparison with protobuf ------------------------------------------------------------------------------------


def verdicts(document: str, cls: type[Message], **options: Any) -> tuple[bytes | None, bytes | None]:
    """Return the message that pbwire reads and the one that protobuf reads, as bytes; None for a refusal."""
    from google.protobuf import text_format  # the rest of this module does not need it

    from tests.support.protobuf_twin import pool, twin

    theirs = twin(cls)
    try:
        message = text.loads(document, cls, **options)
        written = b"".join(encode_message(message, False, partial=True))
        ours = theirs.FromString(written).SerializePartialToString(deterministic=True)
    except TextFormatError:
        ours = None
    merge = options.pop("merge", False)
    try:
        read = (text_format.Merge if merge else text_format.Parse)(
            document, theirs(), descriptor_pool=pool(), **options
        )
        return ours, read.SerializePartialToString(deterministic=True)
    except Exception:  # protobuf lets ValueError and others through
        return ours, None


_LITERAL_OR_COMMENT = re.compile(r""""(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\#[^\n]*""", re.VERBOSE)

IN_CODE = {
    reasons.WHITESPACE: r"[^\S \n\t\r\v\f]",
    reasons.APART: r"-\s*(?:\s|\#)",
    reasons.PLUS: r"(?<![eE])\+",
    reasons.PYTHONS_NUMBERS: r"\d_\d|0[oObB]\d|[\d.][fF]{2}|(?:inf|infinity|nan)f",
    reasons.DIGITS: r"[^\W0-9A-Za-z_]",
    reasons.UNSIGNED_ZERO: r"-0",
    reasons.CAPITAL_F: r"[\d.](?-i:F)",
    reasons.LEADING_ZERO: r"(?<![\w.])0[0-9xX]",  # of floats, bools and enums
    reasons.IDENTIFIERS: r"(?<![\w.])(?:\.?\d(?=\d*+[a-z_.+-])[\w.+-]*+(?:\s|\#)*[:{<]|[a-z_]\w*[-+])",
    reasons.TOO_LARGE: r"\d{10}|0x[0-9a-f]{8}",
    reasons.ANY_DOMAIN: r"/",
    reasons.GAPS: r"\[(?:[\w./-]|\s|\#)*\w(?:\s|\#)+[\w-]",
    reasons.MESSAGE_LISTS: r"\[(?:\s|\#)*[{<]|\w(?:\s|\#)*\[",
    reasons.SIGNED_NAMES: r"-\s*[a-z_]",
}
IN_LITERALS = {
    reasons.CODE_POINTS: r"\\[uU]",
    reasons.NO_SUCH_ESCAPE: r"\\[^abfnrtv\\'\"0-7xuU]",  # \? among them
    reasons.OCTAL_ESCAPE: r"\\[4-7][0-7]{2}",
}


def explanations(document: str) -> list[str]:
    """Return the reasons for which the verdicts may differ."""
    literals = "\n".join(_LITERAL_OR_COMMENT.findall(document))
    code = _LITERAL_OR_COMMENT.sub(" # ", document)
    matching = [reasons.NO_TEXT] if re.search(r"[\ud800-\udfff]", document) else []
    matching += [why for why, pattern in IN_CODE.items() if re.search(pattern, code, re.VERBOSE | re.IGNORECASE)]
    return matching + [why for why, pattern in IN_LITERALS.items() if re.search(pattern, literals)]
