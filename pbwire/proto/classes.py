"""From descriptors to message classes at run time, by the same declarations that table modules have.

Nothing is written as source text here. The names that come from the file have been checked to be names by the linker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import EnumType
from functools import cached_property
from typing import Any, NamedTuple

from .. import table as pb
from ..codec.buffers import encode_message
from ..descriptor import KINDS, json_name
from ..errors import DecodeError
from ..raw import walk
from ..services import Method, Service
from . import descriptor_messages as d
from .defaults import default_value
from .features import Features
from .names import class_name, field_names, member_names
from .pool import Pool, Symbol, is_message_set, with_imports
from .well_known import kind_name, shared_classes

TYPES = d.FieldDescriptorProto.Type
LABELS = d.FieldDescriptorProto.Label
PRESENCE = d.FeatureSet.FieldPresence


class Declaration(NamedTuple):
    """Where a class was made from: its symbol, and the mapping that made it."""

    types: MessageTypes
    symbol: Symbol


def declaration_of(cls: Any) -> Declaration | None:
    """Return the declaration of a class that was made at run time; None for the classes of table modules."""
    declared: Declaration | None = vars(cls).get("__declaration__")
    return declared


def declaration_of_extension(extension: Any) -> Declaration | None:
    """Return the declaration of an extension that was made at run time; None for those of table modules."""
    declared: Declaration | None = extension.__kept__.get(Declaration)
    return declared


def extension_scope(extension: Any) -> Any:
    """Return the class in which an extension is declared that was made at run time, or None."""
    declared = declaration_of_extension(extension)
    if declared is None or declared.symbol.parent is None:
        return None
    return declared.types[declared.symbol.parent.full_name]


class MessageTypes(Mapping[str, Any]):
    """Message classes and enums by full name. Each is made when it is first asked for, with those that it refers to.

    >>> from pbwire import proto
    >>> types = proto.load_text('syntax = "proto3"; message Point { int32 x = 1; }')
    >>> types["Point"](x=1).to_bytes()
    b'\\x08\\x01'
    """

    def __init__(self, pool: Pool, files: list[str]) -> None:
        """Make classes of these files and of all files that they import."""
        self.pool = pool
        self.module = __name__
        self.files = set(with_imports(pool, files))
        self.descriptor_pool: Any = None  # that of `pbwire.compat`, once it is used
        self._made: dict[str, Any] = {}
        self._extensions: dict[str, pb.Extension[Any]] = {}

    def add_file(self, name: str, classes: Mapping[str, Any] | None = None) -> None:
        """Add a file of the pool. `classes` are those that exist already, by full name: they are not made again."""
        self.files.add(name)
        self._made.update(classes or {})
        for cached in ("_names", "_shared", "_extension_names", "services"):
            self.__dict__.pop(cached, None)
        for symbol in self.pool.files[name].symbols:
            if symbol.kind == "extension" and symbol.proto.extendee[1:] in self._made:
                self._make(symbol)

    @cached_property
    def _names(self) -> dict[str, None]:
        symbols = (symbol for name in self.files for symbol in self.pool.files[name].symbols)
        return dict.fromkeys(sorted(symbol.full_name for symbol in symbols if _has_class(symbol)))

    def __getitem__(self, full_name: str) -> Any:
        if full_name not in self._made:
            if full_name not in self._names:
                raise KeyError(full_name)
            self._make(self.pool.symbols[full_name])
        return self._made[full_name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, full_name: object) -> bool:
        return full_name in self._names

    @cached_property
    def _shared(self) -> dict[str, Any]:
        """The well-known messages of the files."""
        return shared_classes(self.pool, self.files)

    @cached_property
    def messages(self) -> Mapping[str, Any]:
        """The message classes alone: the `types` of text format and JSON, for the content of Any."""
        return _Messages(self)

    @cached_property
    def _extension_names(self) -> dict[str, None]:
        symbols = (symbol for name in self.files for symbol in self.pool.files[name].symbols)
        return dict.fromkeys(sorted(symbol.full_name for symbol in symbols if symbol.kind == "extension"))

    @cached_property
    def services(self) -> dict[str, Service]:
        """The services by full name."""
        symbols = (symbol for name in self.files for symbol in self.pool.files[name].symbols)
        found = sorted((symbol for symbol in symbols if symbol.kind == "service"), key=lambda one: one.full_name)
        return {symbol.full_name: self._service(symbol) for symbol in found}

    def _service(self, symbol: Symbol) -> Service:
        methods = [
            Method(
                method.name,
                self[method.input_type[1:]],
                self[method.output_type[1:]],
                bool(method.client_streaming),
                bool(method.server_streaming),
            )
            for method in symbol.proto.method
        ]
        return Service(symbol.full_name, *methods)

    def options(self, full_name: str) -> Any:
        """Return the options of what has this full name: a message, field, oneof, enum, value, service or method.

        The result is None without options, else a message such as `google.protobuf.FieldOptions`. Custom options are
        its extensions, if their file is loaded: `options.extensions[types.extensions["pkg.name"]]`. Raises KeyError.
        """
        symbol = self.pool.symbols[full_name]
        if symbol.file is None or symbol.file.source.name not in self.files:
            raise KeyError(full_name)
        options = symbol.proto.options
        if options is None:
            return None
        known = self.get(type(options).__table__.full_name)  # knows the extensions, once descriptor.proto is imported
        return options if known is None else known.from_bytes(encode_message(options, False, partial=True).to_bytes())

    @cached_property
    def extensions(self) -> Mapping[str, pb.Extension[Any]]:
        """The extensions by full name. Those of a message are declared when its class is made."""
        return _Extensions(self)

    def _make(self, symbol: Symbol) -> None:
        """Make the class of a symbol, and those of all messages and enums that it refers to."""
        waiting = [symbol]
        fields: list[tuple[pb.Field, str]] = []
        extensions: dict[str, Symbol] = {}
        while waiting:
            symbol = waiting.pop()
            if symbol.kind == "extension":
                extensions[symbol.full_name] = symbol
                names = {symbol.proto.extendee, symbol.proto.type_name} - {None}
                waiting += (self.pool.symbols[name[1:]] for name in names if name[1:] not in self._made)
                continue
            if symbol.full_name in self._made:
                continue
            if symbol.full_name in self._shared:
                self._made[symbol.full_name] = self._shared[symbol.full_name]
                continue
            if symbol.kind == "enum":
                self._made[symbol.full_name] = made = make_enum(symbol, self.module)
                made.__declaration__ = Declaration(self, symbol)
                self._nest(symbol)
                continue
            references: dict[str, str] = {}  # types by the attribute of a field
            self._made[symbol.full_name] = cls = self._make_message(symbol, references)
            for attribute, full_name in references.items():
                field = cls.__table__.by_name[attribute]
                fields.append((field.value or field, full_name))
                waiting.append(self.pool.symbols[full_name])
            self._nest(symbol)
            if symbol.parent is not None and _has_class(symbol.parent):
                waiting.append(symbol.parent)
            inner = (self.pool.symbols[f"{symbol.full_name}.{one.name}"] for one in _declared_inside(symbol.proto))
            waiting += (one for one in inner if _has_class(one))
            own = (self.pool.symbols[f"{symbol.full_name}.{one.name}"] for one in symbol.proto.extension)
            others = self.pool.extensions.get(symbol.full_name, {}).values()
            waiting += (one for one in (*own, *others) if one.full_name in self._extension_names)
        for field, full_name in fields:
            field.reference = self._made[full_name]
        for symbol in extensions.values():
            self._declare(symbol)

    def _declare(self, symbol: Symbol) -> None:
        """Declare an extension, whose classes are made, and make it an attribute of the class around it.

        A class of a table module has the extensions of all pools: one that is known already is used again, and one
        whose number is in use is left out.
        """
        if symbol.full_name not in self._extensions:
            extendee = self._made[symbol.proto.extendee[1:]]
            known = pb.table_of(extendee).extensions.get(symbol.proto.number)  # type: ignore[attr-defined]  # extendable
            if known is None:
                row = self._extension_row(symbol)
                if symbol.proto.type_name is not None:
                    row.reference = self._made[symbol.proto.type_name[1:]]
                known = pb.Extension(symbol.full_name, extendee, row)
                known.__kept__[Declaration] = Declaration(self, symbol)
            elif known.full_name != symbol.full_name:
                return
            self._extensions[symbol.full_name] = known
        scope = self._made.get(symbol.parent.full_name) if symbol.parent is not None else None
        if scope is not None and not hasattr(scope, symbol.proto.name):
            type.__setattr__(scope, symbol.proto.name, self._extensions[symbol.full_name])

    def _extension_row(self, symbol: Symbol) -> Any:
        return self._declared(symbol.proto, extension_keywords(symbol.proto, symbol))

    def _nest(self, symbol: Symbol) -> None:
        """Make a class an attribute of the class around it, and those inside of it, as far as they are made."""
        inner = [self.pool.symbols[f"{symbol.full_name}.{one.name}"] for one in _declared_inside(symbol.proto)]
        for outer, nested in ((symbol.parent, symbol), *((symbol, one) for one in inner)):
            around = self._made.get(outer.full_name) if outer is not None else None
            cls = self._made.get(nested.full_name)
            if around is not None and cls is not None and not hasattr(around, cls.__name__):
                type.__setattr__(around, cls.__name__, cls)
                if isinstance(cls, EnumType):
                    pb.add_constants(around, cls)

    def _make_message(self, symbol: Symbol, references: dict[str, str]) -> Any:
        message = symbol.proto
        ranges = extension_ranges(message)
        attributes = field_names((field.name for field in message.field), extendable=bool(ranges))
        namespace: dict[str, Any] = {"__module__": self.module, "__qualname__": symbol.full_name}
        namespace["__declaration__"] = Declaration(self, symbol)
        annotations: dict[str, str] = {}
        rows: dict[str, Any] = {}
        for field in message.field:
            attribute = attributes[field.name]
            rows[attribute] = self._row(field, symbol, attribute != field.name)
            annotations[attribute] = "object"
            row_type = value_field(field, self.pool) or field
            if row_type.type_name is not None:
                references[attribute] = row_type.type_name[1:]
        assert symbol.file is not None
        if comment := symbol.file.source.comments.get(id(message)):
            namespace["__doc__"] = comment.strip()
        base = pb.ExtendableMessage if ranges else pb.Message
        body = type(class_name(message.name, set()), (base,), {**namespace, **rows, "__annotations__": annotations})
        declare = pb.message(
            symbol.full_name,
            syntax=symbol.file.syntax,  # type: ignore[arg-type]  # one of three
            extensions=ranges,
            message_set=is_message_set(message),
            reserved=message.reserved_name,
        )
        return declare(body)

    def _row(self, field: Any, symbol: Symbol, renamed: bool) -> Any:
        name = ({"name": field.name} if renamed else {}) | json_keyword(field)
        entry = entry_of(field, self.pool)
        if entry is not None:
            key, value = entry.field
            return pb.map(self._element(key), self._element(value), field.number, **name)
        return self._declared(field, row_keywords(field, symbol, self.pool) | name)

    def _element(self, field: Any) -> Any:
        """Return the type of a field for `pbwire.table`. Messages and enums are names, which are resolved afterwards.

        Well-known messages are classes: their fields take values of Python, which makes other properties.
        """
        if field.type_name is None:
            return getattr(pb, kind_name(field))
        name = field.type_name[1:]
        if field.type == TYPES.TYPE_ENUM:
            return pb.EnumName(name)
        return self._shared.get(name, name)

    def _declared(self, field: Any, keywords: dict[str, Any]) -> Any:
        """Return the row of a field or an extension that is not a map."""
        if field.label == LABELS.LABEL_REPEATED:
            return pb.repeated(self._element(field), field.number, **keywords)
        if field.type_name is not None:
            if "default" in keywords:
                keywords["default"] = self.pool.numbers_of(self.pool.symbols[field.type_name[1:]])[field.default_value]
            return pb.field(self._element(field), field.number, **keywords)
        return self._element(field)(field.number, **keywords)


class _Messages(Mapping[str, Any]):
    def __init__(self, types: MessageTypes) -> None:
        self._types = types

    def __getitem__(self, full_name: str) -> Any:
        if full_name not in self._types or self._types.pool.symbols[full_name].kind != "message":
            raise KeyError(full_name)
        return self._types[full_name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._types if self._types.pool.symbols[name].kind == "message")

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Extensions(Mapping[str, Any]):
    def __init__(self, types: MessageTypes) -> None:
        self._types = types

    def __getitem__(self, full_name: str) -> Any:
        types = self._types
        if full_name not in types._extensions:
            if full_name not in types._extension_names:
                raise KeyError(full_name)
            types._make(types.pool.symbols[full_name])
        return types._extensions[full_name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._types._extension_names)

    def __len__(self) -> int:
        return len(self._types._extension_names)


def _declared_inside(proto: Any) -> list[Any]:
    """Return the descriptors of the messages and enums that a message declares."""
    return [*proto.nested_type, *proto.enum_type] if isinstance(proto, d.DescriptorProto) else []


def _has_class(symbol: Symbol) -> bool:
    return symbol.kind == "enum" or (symbol.kind == "message" and not is_entry(symbol.proto))


def is_entry(message: Any) -> bool:
    """Return whether a message is the type of the entries of a map."""
    return message.options is not None and bool(message.options.map_entry)


def entry_of(field: Any, pool: Pool) -> Any:
    """Return the descriptor of the entries of a map field; None for other fields."""
    if field.type != TYPES.TYPE_MESSAGE or field.label != LABELS.LABEL_REPEATED:
        return None
    message = pool.symbols[field.type_name[1:]].proto
    return message if is_entry(message) else None


def value_field(field: Any, pool: Pool) -> Any:
    """Return the descriptor of the values of a map field; None for other fields."""
    entry = entry_of(field, pool)
    return entry.field[1] if entry is not None else None


def is_delimited(field: Any, features: Features) -> bool:
    """Return whether a field is encoded as a group."""
    if field.type == TYPES.TYPE_GROUP:
        return True
    return field.type == TYPES.TYPE_MESSAGE and features.message_encoding == d.FeatureSet.MessageEncoding.DELIMITED


def json_keyword(field: Any) -> dict[str, str]:
    """Return the keyword of a row for a field that has a name of its own in JSON."""
    return {} if field.json_name in (None, json_name(field.name)) else {"json_name": field.json_name}


def row_keywords(field: Any, symbol: Symbol, pool: Pool) -> dict[str, Any]:
    """Return the keywords of the row of a field that is not a map. `default` of an enum is left as its name."""
    assert symbol.file is not None
    syntax = symbol.file.syntax
    features = pool.symbols[f"{symbol.full_name}.{field.name}"].features
    keywords: dict[str, Any] = {}
    if is_delimited(field, features):
        keywords["group"] = True
    if field.label == LABELS.LABEL_REPEATED:
        packed = _is_packed(field, features)
        if KINDS[kind_name(field)].packable and packed != (syntax != "proto2"):
            keywords["packed"] = packed
        return keywords
    if field.proto3_optional:
        keywords["optional"] = True
    elif field.oneof_index is not None:
        keywords["oneof"] = symbol.proto.oneof_decl[field.oneof_index].name
    required = field.label == LABELS.LABEL_REQUIRED or features.field_presence == PRESENCE.LEGACY_REQUIRED
    if required and field.oneof_index is None:
        keywords["required"] = True
    elif syntax == "editions" and features.field_presence == PRESENCE.IMPLICIT and _can_be_implicit(field):
        keywords["implicit"] = True
    if field.default_value is not None:
        keywords["default"] = field.default_value if field.type == TYPES.TYPE_ENUM else default_value(field)
    return keywords


def extension_keywords(field: Any, symbol: Symbol) -> dict[str, Any]:
    """Return the keywords of the row of an extension. `default` of an enum is left as its name."""
    keywords: dict[str, Any] = {}
    if is_delimited(field, symbol.features):
        keywords["group"] = True
    if field.label == LABELS.LABEL_REPEATED:
        if KINDS[kind_name(field)].packable and _is_packed(field, symbol.features):
            keywords["packed"] = True
    elif field.default_value is not None:
        keywords["default"] = field.default_value if field.type == TYPES.TYPE_ENUM else default_value(field)
    return keywords


def extension_ranges(message: Any) -> list[range]:
    """Return the ranges of numbers that a message declares for extensions."""
    return [range(one.start, one.end) for one in message.extension_range]


def _can_be_implicit(field: Any) -> bool:
    return field.oneof_index is None and field.type not in (TYPES.TYPE_MESSAGE, TYPES.TYPE_GROUP)


def _is_packed(field: Any, features: Features) -> bool:
    if field.options is not None and field.options.packed is not None:
        return bool(field.options.packed)
    return features.repeated_field_encoding == d.FeatureSet.RepeatedFieldEncoding.PACKED


def is_closed(symbol: Symbol) -> bool:
    """Return whether an enum is closed."""
    return symbol.features.enum_type == d.FeatureSet.EnumType.CLOSED


def make_enum(symbol: Symbol, module: str) -> Any:
    """Return the class of an enum."""
    attributes = member_names(value.name for value in symbol.proto.value)
    members = [(attributes[value.name], value.number or 0) for value in symbol.proto.value]
    renamed = {attribute: name for name, attribute in attributes.items() if name != attribute}
    base: Any = pb.Enum
    cls = base(class_name(symbol.proto.name, set()), members, module=module, qualname=symbol.full_name)
    return pb.enum(symbol.full_name, closed=is_closed(symbol), names=renamed, json_names=json_names(symbol))(cls)


_JSON_OPTION = 998  # pb.enumvalue.json


def json_names(symbol: Symbol) -> dict[str, str]:
    """Return the strings of values of an enum in JSON, by name, where the option `(pb.enumvalue.json)` gives them."""
    texts = {}
    for value in symbol.proto.value:
        options = value.options.to_bytes() if value.options is not None else b""
        try:
            parts = _payloads(options, _JSON_OPTION)
            if parts:
                texts[value.name] = [b"", *(text for part in parts for text in _payloads(part, 1))][-1].decode()
        except (DecodeError, UnicodeDecodeError) as error:
            assert symbol.file is not None
            symbol.file.source.fail(f'the option (pb.enumvalue.json) of "{value.name}" is damaged: {error}', value)
    return texts


def _payloads(data: bytes, number: int) -> list[bytes]:
    """Return the values of a length-delimited field of encoded data."""
    records = (record for record in walk(data) if record.number == number and record.depth == 0)
    return [bytes(record.value) for record in records if isinstance(record.value, memoryview)]
