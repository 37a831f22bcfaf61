"""Parse options and defaults."""

from __future__ import annotations

from typing import Any

from ..descriptor import KINDS
from . import descriptor_messages as d
from .defaults import float_default
from .lexer import Lexer, Token
from .source import SourceFile
from .token_reader import TokenReader, integer_value


class OptionParser(TokenReader):
    """The part of the parser that reads options, as uninterpreted ones, and the defaults of fields."""

    def __init__(self, lexer: Lexer, source: SourceFile) -> None:
        super().__init__(lexer)
        self.source = source
        self.syntax = "proto2"
        self.upcoming = lexer.comments()[1]
        """The comment that belongs to the next declaration."""

    def expect_end(self, symbol: str, part: Any = None) -> None:
        """Read the symbol that ends a declaration, or its head. The comments around it belong to `part`."""
        self.expect(symbol)
        self._end(part)

    def take_end(self, symbol: str) -> bool:
        """Read a symbol that ends no declaration with comments of its own, if it is the current token."""
        is_here = self.take(symbol)
        if is_here:
            self._end(None)
        return is_here

    def _end(self, part: Any) -> None:
        trailing, leading = self.lexer.comments()
        if part is not None and (comment := self.upcoming or trailing):
            self.source.comments[id(part)] = comment
        self.upcoming = leading

    def option_statement(self, options: Any, keyword: Token | None = None) -> None:
        if keyword is None:
            self.next()
        self.option(options)
        self.expect_end(";")

    def bracket_options(self, options: Any, field: Any = None) -> None:
        self.expect("[")
        while True:
            if field is not None and self.at("default"):
                self.default(field)
            elif field is not None and self.at("json_name"):
                token = self.next()
                if field.json_name is not None:
                    self.lexer.fail("json_name is given twice", token)
                self.expect("=")
                field.json_name = self.text("the name in quotes")
                self.source.places[id(field), "json_name"] = token
            else:
                self.option(options)
            if not self.take(","):
                break
        self.expect("]", ",")

    def option(self, options: Any) -> None:
        start = self.token
        parts: list[d.UninterpretedOption.NamePart] = []
        while True:
            if self.take("("):
                parts.append(d.UninterpretedOption.NamePart(self.full_name("the name of an extension").text, True))
                self.expect(")")
            else:
                parts.append(d.UninterpretedOption.NamePart(self.name("the name of an option").text, False))
            if not self.take("."):
                break
        option = d.UninterpretedOption(name=parts)
        self.source.places[id(option), "name"] = start
        self.source.places[id(options), ".".join(str(part.name_part) for part in parts)] = start
        self.expect("=")
        self.option_value(option)
        options.uninterpreted_option.append(option)

    def option_value(self, option: Any) -> None:
        self.source.places[id(option), "value"] = token = self.token
        negative = self.take("-")
        value = self.token
        if value.kind == "name":
            if negative and value.text not in ("inf", "nan"):
                self.lexer.fail("only a number can follow a minus sign")
            self.next()
            if negative:
                option.double_value = -float(value.text)
            else:
                option.identifier_value = value.text
        elif value.kind == "integer":
            self.next()
            number = integer_value(value.text)
            if number is not None and number < 1 << 64 and not (negative and number > 1 << 63):
                setattr(
                    option, "negative_int_value" if negative else "positive_int_value", -number if negative else number
                )
            else:
                option.double_value = -float(value.text) if negative else float(value.text)
        elif value.kind == "float":
            self.next()
            option.double_value = -float(value.text) if negative else float(value.text)
        elif negative:
            self.expected("a number")
        elif value.kind == "string":
            option.string_value = self.string("a value")
        elif self.at("{"):
            option.aggregate_value = self.aggregate()
            self.source.places[id(option), "value"] = token
        else:
            self.expected("a value")

    def aggregate(self) -> str:
        """Read a value in braces: text format without the outer braces. Return its tokens."""
        start = self.next()
        open_braces = 1
        parts: list[str] = []
        while True:
            if self.token.kind == "end":
                self.lexer.fail("this brace is not closed", start)
            open_braces += self.at("{") - self.at("}")
            token = self.next()
            if not open_braces:
                return " ".join(parts)
            parts.append(token.text)

    def default(self, field: Any) -> None:
        keyword = self.next()
        if field.default_value is not None:
            self.lexer.fail("the default is given twice", keyword)
        if self.syntax == "proto3":
            self.lexer.fail("proto3 has no defaults", keyword)
        self.expect("=")
        self.source.places[id(field), "default"] = token = self.token
        field.default_value = self.default_text(field, token)

    def default_text(self, field: Any, token: Token) -> str:
        kind = field.type
        types = d.FieldDescriptorProto.Type
        if kind is None:  # an enum, or a message: the linker reports that
            return self.name("the name of a value of the enum").text
        if kind == types.TYPE_BOOL:
            return self.expect("true", "false").text
        if kind == types.TYPE_STRING:
            return self.text("a string")
        if kind == types.TYPE_BYTES:
            return escape_bytes(self.string("bytes in quotes"))
        if kind in (types.TYPE_FLOAT, types.TYPE_DOUBLE):
            negative = self.take("-")
            if not (self.token.kind in ("integer", "float") or self.at("inf", "nan")):
                self.expected("a number")
            return float_default(self.next().text, negative, single=kind == types.TYPE_FLOAT)
        if kind == types.TYPE_GROUP:
            self.lexer.fail("a message has no default", token)
        bounds = KINDS[types(kind).name.removeprefix("TYPE_").lower()].bounds
        assert bounds is not None
        return str(
            self.signed("a number", bounds[0], bounds[1])
            if bounds[0]
            else self.integer("a number that is not negative", bounds[1])
        )


def escape_bytes(value: bytes) -> str:
    """Return the escapes of a default of type bytes."""
    named = {7: "\\a", 9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
    del named[7]
    return "".join(named.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in value)
