"""Hypothesis strategies for text format: messages in unusual and in usual notation.

    @given(spellings(NodeDef))
    def test_any_spelling_means_the_message(spelling): ...       # a Spelling: message, text

The texts use those features of the specification that protobuf's Python supports too: see tests/golden/text for the
rest. Only messages and a number are drawn; the number seeds a pseudorandom generator that chooses the notation. So
examples shrink to small messages in plain notation.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hypothesis import strategies as st

from pbwire.table import Field, Message, table_of
from tests.support.strategies import messages

__all__ = ["Speller", "Spelling", "outline", "spellings", "texts"]

Draw = Callable[[st.SearchStrategy[Any]], Any]

STRANGE_VALUES = (
    *("1", "-0x1f", "017", "1e5", ".5f", "-inf", "NAME", "'a' \"b\"", '"\\377"', "[ ]", "[ 'a' 'b' , 'c' ]"),
    *("[ 1 , 2 ]", "{ }", "< >", "< x : 1 >", "{ 1 : 2 , y < z { } > }", "{ [ a . b ] : 1 [ a . b . c / d . e ] { } }"),
)


class Spelling(NamedTuple):
    """A text and its message."""

    message: Any
    text: str


@st.composite
def spellings(
    draw: Draw,
    cls: type[Message],
    *,
    max_depth: int = 3,
    numbers: bool = False,
    unknown: bool = False,
    types: Mapping[str, type] | None = None,
    contents: st.SearchStrategy[Any] | None = None,
) -> Spelling:
    """Draw messages of `cls`, or from `contents`, with a text in unusual notation.

    With `numbers`, some fields are named by their number; with `unknown`, unknown fields come in between; with `types`,
    each Any of one of these types is expanded.
    """
    message = draw(messages(cls, max_depth=max_depth) if contents is None else contents)
    oddity = draw(st.sampled_from([0.0, 0.1, 0.3, 0.6]))
    speller = Speller(draw(st.integers(0, 1 << 32)), oddity, numbers=numbers, unknown=unknown, types=types)
    return Spelling(message, speller.text(message))


def texts(cls: type[Message], **options: Any) -> st.SearchStrategy[str]:
    """The texts of `spellings`."""
    return spellings(cls, **options).map(lambda spelling: spelling.text)


class Speller:
    """Prints messages: `oddity` is the probability of an alternative notation wherever one exists."""

    def __init__(
        self,
        seed: int,
        oddity: float,
        *,
        numbers: bool = False,
        unknown: bool = False,
        types: Mapping[str, type] | None = None,
    ) -> None:
        self.chance = random.Random(seed)
        self.oddity = oddity
        self.numbers = numbers
        self.unknown = unknown
        self.types = types or {}

    def text(self, message: Any) -> str:
        return self._joined(self._fields(message))

    def _odd(self) -> bool:
        return self.chance.random() < self.oddity

    def _pick(self, *usual_first: Any) -> Any:
        return self.chance.choice(usual_first) if self._odd() else usual_first[0]

    # --- between tokens ------------------------------------------------------------------------------------------

    def _joined(self, tokens: list[str]) -> str:
        """Return the tokens with gaps between them, which may be empty between tokens that stay separate."""
        parts = [self._gap() if self._odd() else ""]
        for before, token in zip(["", *tokens], tokens, strict=False):
            if before:
                parts.append(self._between(before, token))
            parts.append(token)
        parts.append(self._pick("\n", "", " ", "# the end", "\r\n#\n"))
        return "".join(parts)

    def _between(self, before: str, token: str) -> str:
        if self._odd():
            return self._gap()
        if token in (":", ",", ";") or (self._odd() and not (_wordy(before[-1]) and _wordy(token[0]))):
            return ""
        return " "

    def _gap(self) -> str:
        gaps = (" ", "\n", "  ", "\t", "\r\n", "\v\f", "\n\n", " # a comment\n", "#\n", "\n# {'\"\n\t", "#é: [1]\r\n  ")
        return "".join(self.chance.choices(gaps, k=self.chance.choice((1, 1, 1, 2, 3))))

    # --- messages ------------------------------------------------------------------------------------------------

    def _fields(self, message: Any) -> list[str]:
        """Return the tokens of all set fields of a message, in an order with the same meaning."""
        if expanded := self._expanded(message):
            return expanded
        queues = [queue for field in table_of(type(message)).fields if (queue := self._field(field, message))]
        if self.unknown and self._odd():
            queues.append([self._stranger()])
        if self._odd():  # random order of fields, with the values of each field in order
            turns = [queue for queue in queues for _ in queue]
            self.chance.shuffle(turns)
            fields = [queue.pop(0) for queue in turns]
        else:
            fields = [part for queue in queues for part in queue]
        return [token for field in fields for token in [*field, *self._pick((), (",",), (";",))]]

    def _field(self, field: Field, message: Any) -> list[list[str]]:
        """Return the tokens of each occurrence of a field."""
        value = getattr(message, field.name)
        if field.label == "map":
            return self._repeated(field, self._entries(field, value))
        if field.label == "repeated":
            return self._repeated(field, [self._value(field, element) for element in value])
        if value is None or (not field.presence and _is_zero(value) and not self._odd()):
            return []
        again = [self._named(field, self._value(field, type(value)()))] if self._may_come_as_zero(field) else []
        return [*again, self._named(field, self._value(field, value))]

    def _may_come_as_zero(self, field: Field) -> bool:
        """Return whether an earlier occurrence with the value zero is possible: for fields without presence."""
        return not field.presence and field.kind != "enum" and self._odd() and self._odd()

    def _repeated(self, field: Field, values: list[list[str]]) -> list[list[str]]:
        """Return some values one by one, some in lists."""
        fields = [self._named(field, ["[", "]"])] if self._odd() else []
        start = 0
        while start < len(values):
            many = self.chance.randint(1, len(values) - start) if self._odd() else 0
            if many:
                inside = [token for value in values[start : start + many] for token in [*value, ","]]
                fields.append(self._named(field, ["[", *inside[:-1], "]"]))
            else:
                fields.append(self._named(field, values[start]))
            start += many or 1
        return fields

    def _named(self, field: Field, value: list[str]) -> list[str]:
        name = field.type.__table__.full_name.rpartition(".")[2] if field.kind == "group" else field.name
        if self.numbers and self._odd():
            name = str(field.number)
        colon = self._pick([], [":"]) if field.kind in ("message", "group") or field.label == "map" else [":"]
        return [name, *colon, *value]

    def _entries(self, field: Field, value: Mapping[Any, Any]) -> list[list[str]]:
        """Return the entries of a map, some of them repeated: the last one counts."""
        assert field.key is not None and field.value is not None
        entries = list(value.items())
        self.chance.shuffle(entries)
        spelled = []
        for key, element in entries:
            spelled += [self._brackets(self._part(field.key, key))] if self._odd() and self._odd() else []
            parts = [self._part(field.key, key), self._part(field.value, element)]
            if self._odd():
                parts.reverse()
            spelled.append(self._brackets([token for part in parts for token in part]))
        return spelled

    def _part(self, part: Field, value: Any) -> list[str]:
        """Return the key or the value of an entry: zero may be omitted."""
        if (value == type(value)() if isinstance(value, Message) else _is_zero(value)) and self._odd():
            return []
        return [*self._named(part, self._value(part, value)), *self._pick((), (",",), (";",))]

    def _brackets(self, tokens: list[str]) -> list[str]:
        opening, closing = self._pick("{}", "<>")
        return [opening, *tokens, closing]

    def _expanded(self, message: Any) -> list[str]:
        """Return a google.protobuf.Any expanded, if its type is known."""
        table = table_of(type(message))
        if table.full_name != "google.protobuf.Any":
            return []
        domain, _, name = message.type_url.rpartition("/")
        if name not in self.types:
            return []
        content = self.types[name].from_bytes(message.value)
        parts = [token for part in domain.split(".") for token in (part, ".")][:-1]
        parts += ["/", *[token for part in name.split(".") for token in (part, ".")][:-1]]
        return ["[", *parts, "]", *self._pick([], [":"]), *self._brackets(self._fields(content))]

    def _stranger(self) -> list[str]:
        """Return an unknown field."""
        body = self.chance.choice(STRANGE_VALUES).split(" ")
        return ["zz_no_field", *([":"] if body[0] not in "{<" or self._odd() else []), *body]

    # --- values --------------------------------------------------------------------------------------------------

    def _value(self, field: Field, value: Any) -> list[str]:
        match field.kind:
            case "message" | "group":
                return self._brackets(self._fields(value))
            case "string":
                return self._literals(value.encode(), value)
            case "bytes":
                return self._literals(bytes(value), _text_of(bytes(value)))
            case "bool":
                return [self._pick("true", "True", "t", "1") if value else self._pick("false", "False", "f", "0")]
            case "float" | "double":
                return [self._float(value)]
            case "enum":
                names = [name for name, member in field.type.__members__.items() if member == value]
                return [self._pick(*names, self._integer(int(value), octal=False))]
            case _:
                return [self._integer(value)]

    def _integer(self, value: int, *, octal: bool = True) -> str:
        sign, size = "-" if value < 0 else "", abs(value)
        hexadecimal = self._pick("0x", "0X", "0x00") + self._pick(f"{size:x}", f"{size:X}")
        return sign + self._pick(str(size), hexadecimal, *[f"0{size:o}", f"000{size:o}"] * octal)

    def _float(self, value: float) -> str:
        if math.isnan(value):
            return self._pick("nan", "NaN", "NAN")
        if math.isinf(value):
            name = self._pick("inf", "infinity", "Inf", "INFINITY", "1e999", "9" * 400)
            return f"-{name}" if value < 0 else name
        spelled = [repr(value), f"{value:.17g}", f"{value:.20e}", f"{value:.17G}"]
        if value.is_integer() and abs(value) < 1e30:
            spelled += [f"{value:.0f}", f"{value:.0f}.", f"{value:.0f}.0"]
        plain = self._pick(*spelled)
        if 0 < abs(value) < 1 and self._odd():
            plain = plain.replace("0.", ".", 1) if plain.lstrip("-").startswith("0.") else plain
        return plain + self._pick("", "f")

    def _literals(self, data: bytes, text: str | None) -> list[str]:
        """Write bytes as one or more adjacent literals, of text where possible."""
        quote = self._pick('"', "'")
        literals = [quote]
        for piece in self._pieces(data, text):
            if self._odd() and self._odd():
                literals[-1] += quote
                quote = self._pick('"', "'")
                literals.append(quote)
            literals[-1] += "\\" + piece if piece == quote else piece
        literals[-1] += quote
        return literals

    def _pieces(self, data: bytes, text: str | None) -> list[str]:
        """Return each character or byte in the notation of a literal, except quotes."""
        if text is None or (self._odd() and self._odd()):
            return [self._byte(byte) for byte in data]
        return [char if ord(char) > 127 and not self._odd() else piece for char in text for piece in self._char(char)]

    def _char(self, char: str) -> list[str]:
        if ord(char) > 127:
            return ["".join(self._byte(byte) for byte in char.encode())]
        return [self._byte(ord(char))]

    def _byte(self, byte: int) -> str:
        char = chr(byte)
        plain = char if byte < 128 and char not in "\n\\" else f"\\{byte:03o}"
        named = [f"\\{_NAMED[char]}"] if char in _NAMED else []
        is_safe = byte < 128 and char != "\\"  # protobuf 7 takes it for the start of an escape
        points = [f"\\u{byte:04x}", f"\\U{byte:08X}"] if is_safe else []
        return self._pick(plain, f"\\{byte:03o}", f"\\x{byte:02x}", f"\\x{byte:02X}", *named, *points)


_NAMED = dict(zip("\a\b\f\n\r\t\v\\'\"", "abfnrtv\\'\"", strict=True))


def _wordy(char: str) -> bool:
    return char.isalnum() or char in "_.+-"


def _is_zero(value: Any) -> bool:
    return not value and not (isinstance(value, float) and math.copysign(1, value) < 0)


def _text_of(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


# --- repetitive text ---------------------------------------------------------------------------------------------

LEAVES = ("depth: 1", "depth: 1", "depth:0", "depth: 2", "neither: true", "neither: false")
LINE_ENDS = ("\n", "\n", "\n", "\n", "\n\n", "\r\n", " ", " # c\n", ",\n", "\n;\n", "\n#\n,\n", "")


def outline(rng: random.Random, depth: int = 4, indent: str = "") -> str:
    """Return a sample.Recursive with few kinds of lines, usually indented like printed text. It may be invalid."""
    lines = [_branch(rng, depth, indent) if rng.randrange(10) > 2 else "" for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    lines = [line or _indent(rng, indent) + rng.choice(LEAVES) + rng.choice(LINE_ENDS) for line in lines]
    return "".join(lines) * (2 if rng.randrange(3) == 0 else 1)


def _branch(rng: random.Random, depth: int, indent: str) -> str:
    if depth <= 0:
        return ""
    name = rng.choice(("children", "children", "children", "child", "named", "left", "right"))
    opening, closing = rng.choice(("{}", "{}", "{}", "<>"))
    inside = _entry(rng, depth - 1, indent + "  ") if name == "named" else outline(rng, depth - 1, indent + "  ")
    head = _indent(rng, indent) + name + rng.choice((" ", " ", " ", ": ", "", "\n")) + opening
    tail = rng.choice((indent, indent, indent, "", f" {indent}")) + closing
    return head + rng.choice(("\n", "\n", "\n", " ", "", " \n", "#c\n")) + inside + tail + rng.choice(LINE_ENDS)


def _entry(rng: random.Random, depth: int, indent: str) -> str:
    key = rng.choice((f'{indent}key: "a"\n', f"{indent}key: 'b'\n", ""))
    if rng.randrange(3) == 0:
        return key
    return f"{key}{indent}value {{\n{outline(rng, depth - 1, indent + '  ')}{indent}}}\n"


def _indent(rng: random.Random, indent: str) -> str:
    return rng.choice((indent, indent, indent, "", " ", f"{indent}  ", "\t"))
