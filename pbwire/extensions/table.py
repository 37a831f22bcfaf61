"""The tables of messages that have extensions: registered extensions, extension sets, MessageSet.

An *extension set* is a message whose fields are the extensions of another message. Its class has a row for each
registered extension, and is made anew after a registration. The message has its set in the slot `_extensions`.

Decoders call `ExtendableTable.split` with the fields that the class does not declare, to sort them into extensions and
unknown fields, and encoders call `put_extensions` or `extension_bytes`. Extensions that were not yet registered when a
message was decoded are among its unknown fields until `current_set` is called.

The items of a MessageSet are groups of a number and a message. The set has their messages as ordinary fields, whose
numbers are the places of the items: those of the items may be larger than the numbers of fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from ..codec.buffers import MIN_BUFFER_BYTES, Chunks, TooLarge, encode_message, put_message
from ..codec.codegen import function
from ..codec.unknown_fields import MergeState, add_span, join_spans
from ..descriptor import KINDS, LENGTH_DELIMITED, Field, Table, find_class
from ..errors import DecodeError
from ..kept import kept
from ..lazy.messages import decode_fields, decode_with_maps, map_lock
from ..message import MAX_DEPTH, Message
from ..message_classes import complete_row, make_class
from ..varints import write_varint
from ..wire import read_tag, skip_field
from .declarations import Extension, register_pending
from .items import ITEM_END, Item, item_head, read_item

MAX_SORTED_AGAIN = 256  # bytes of unknown fields that are searched for extensions whenever extensions are used


class ExtensionSet(Message):
    """The extensions of a message: the base of classes that have a row for each registered extension."""

    __slots__ = ("_sorted",)  # the unknown fields of the message that have no further extensions
    __extendee__: ClassVar[Any]

    def __eq__(self, other: object) -> bool:
        if other is None:  # the other message has none
            return not self.ListFields()
        return Message.__eq__(self, other)

    __hash__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.__extendee__, encode_message(self, False, partial=True).to_bytes())


def _restored(extendee: Any, data: bytes) -> Any:
    return extendee.__table__.set_table.cls.from_bytes(data)


class ExtendableTable(Table):
    """The table of a message that has extensions.

    extension_ranges   the numbers for extensions
    message_set        True for a MessageSet
    """

    is_extendable = True
    extension_ranges: tuple[range, ...] = ()
    message_set = False

    @property
    def extra_slots(self) -> dict[str, Any]:
        return {**super().extra_slots, "_extensions": None}

    @cached_property
    def _registered(self) -> dict[int, Extension[Any]]:
        return {}

    @cached_property
    def _dependents(self) -> set[Table]:
        """Tables whose `has_required_fields` the next registration may change."""
        return set()

    # --- declarations --------------------------------------------------------------------------------------------

    def declare_extensions(self, ranges: Sequence[range], message_set: bool, namespace: dict[str, Any]) -> None:
        """Set the ranges of numbers. Raises ValueError for ranges that protobuf would not allow."""
        highest = (1 << 31) - 2 if message_set else (1 << 29) - 1
        numbers = sorted(ranges, key=lambda one: one.start)
        for one in numbers:
            if one.step != 1 or not one or one.start < 1 or one.stop - 1 > highest:
                raise ValueError(f"{self.full_name}: {one} is not a range of numbers from 1 to {highest:,}")
            for number in self.by_number:
                if number in one:
                    raise ValueError(f"{self.full_name}: {number} is the number of a field, and in the range {one}")
        for one, other in pairwise(numbers):
            if other.start < one.stop:
                raise ValueError(f"{self.full_name}: {one} and {other} overlap")
        if message_set and self.fields:
            raise ValueError(f"{self.full_name}: a MessageSet has no fields")
        self.extension_ranges, self.message_set = tuple(ranges), message_set

    def register(self, extension: Extension[Any]) -> None:
        """Add an extension. Raises ValueError for a number that is not for extensions, or is in use.

        An extension of the same number and name is replaced: its module was loaded again.
        """
        number, name = extension.number, extension.full_name
        if not any(number in one for one in self.extension_ranges):
            raise ValueError(f"{name}: {self.full_name} declares no range of extensions with the number {number}")
        if (known := self._registered.get(number)) is not None and known.full_name != name:
            raise ValueError(f"{name}: {number} is already the number of {known.full_name}")
        if self.message_set and (extension.row.kind != "message" or extension.row.label != "singular"):
            raise ValueError(f"{name}: an extension of a MessageSet is a single message")
        self._registered[number] = extension
        for name in ("set_table", "printing_table"):
            self.__dict__.pop(name, None)
        for table in self._dependents:
            table.__dict__.pop("has_required_fields", None)
        self._dependents.clear()

    @property
    def extensions(self) -> dict[int, Extension[Any]]:
        """The registered extensions by number."""
        register_pending()
        return self._registered

    def extension_fields(self, dependent: Table) -> list[Field]:
        self._dependents.add(dependent)
        return list(self.set_table.fields) if self.extensions else []

    # --- tables --------------------------------------------------------------------------------------------------

    @cached_property
    def set_table(self) -> Any:
        """The table of the extension set. The rows of a MessageSet are numbered in the order of their type ids."""
        fields: dict[str, Field] = {}
        for index, (number, extension) in enumerate(sorted(self._registered.items()), 1):
            reference = extension.row.type if extension.scope is None else extension.row.reference
            if isinstance(reference, str):
                reference = find_class(reference, extension.scope)
            full_name = extension.full_name
            row = extension.row.replace(number=index if self.message_set else number, reference=reference)
            row.json_name, row.text_name = f"[{full_name}]", f"[{full_name}]"
            if self.message_set and full_name.rpartition(".")[0] == reference.__table__.full_name:
                row.text_name = f"[{reference.__table__.full_name}]"
            attribute = f"extension_{number}"
            while attribute in self.by_name:
                attribute += "_"
            fields[attribute] = row
            complete_row(row, attribute, "proto2")
        namespace = {"__module__": self.cls.__module__, "__qualname__": self.cls.__qualname__}
        namespace |= {"__annotations__": dict.fromkeys(fields, "object"), "__extendee__": self.cls}
        namespace["__doc__"] = f"The extensions of {self.full_name}."
        cls = make_class(self.cls.__name__, (ExtensionSet,), namespace, self.full_name, "proto2", fields)
        cls.__table__.type_ids = dict(enumerate(sorted(self._registered), 1))
        cls.__table__.numbers = {type_id: number for number, type_id in cls.__table__.type_ids.items()}
        return cls.__table__

    @property
    def names(self) -> dict[str, Field]:
        """The rows of the extension set by full name; those of a MessageSet also by the names of types."""
        return _rows_by_name(self.set_table)

    def row_by_number(self, number: int) -> Field | None:
        """Return the row of the extension with this number, which is the type id of an item; None if there is none."""
        if number not in self.extensions:
            return None
        row: Field = self.set_table.by_number[self.set_table.numbers[number] if self.message_set else number]
        return row

    @cached_property
    def printing_table(self) -> Table:
        """A table with all fields and extensions of a message, from which printers of the message are generated."""
        rows = [row.replace(slot=f"_extensions.{row.slot}") for row in self.set_table.fields]
        fields = (*self.fields, *rows)
        by_number = {row.number: row for row in sorted(fields, key=lambda row: row.number)}
        by_name = {row.name: row for row in fields}
        return Table(self.cls, self.full_name, self.syntax, fields, by_number, by_name, self.oneofs, {})

    def printer(self, what: str) -> Any:
        """Return the function that prints a message with its extensions; `what` is its name for `codegen.function`."""

        def print_extended(*arguments: Any) -> None:
            function(self.printing_table, what)(*arguments)

        return print_extended

    # --- extension sets of messages ------------------------------------------------------------------------------

    def extension_set(self, message: Any) -> Any:
        """Return the extension set of a message, which is created if it is absent. Raises DecodeError."""
        extensions = self.current_set(message)
        if extensions is None:
            extensions = message._extensions = self.set_table.cls()
        return extensions

    def current_set(self, message: Any) -> Any:
        """Return the extension set of a message; None if it has none.

        Extensions that were registered after the message was decoded, or after its set was created, are added to it.
        Raises DecodeError if one of them is damaged.
        """
        decode_fields(message)
        registered = self.extensions
        extensions = message._extensions
        if extensions is not None and extensions.__table__ is not self.set_table:
            with map_lock:
                extensions = message._extensions = self._renewed(extensions)
        if message._unknown and registered and message._unknown is not getattr(extensions, "_sorted", None):
            decode_with_maps(message)  # this may add to the unknown fields
            with map_lock:
                unknown = message._unknown
                state = MergeState()
                try:
                    extensions, spans = self.split(unknown, [0, len(unknown)], MAX_DEPTH, extensions, state)
                except DecodeError as error:
                    raise error.within(self.cls.__name__) from None
                state.join_unknown()
                message._unknown = join_spans(unknown, spans) if spans else b""
                if extensions is None and len(unknown) > MAX_SORTED_AGAIN:
                    extensions = self.set_table.cls()  # an empty set remembers that there are none
                if extensions is not None:
                    extensions._sorted = message._unknown
                message._extensions = extensions
        return extensions

    def _renewed(self, extensions: Any) -> Any:
        """Return an extension set of the current class with the values of an older one."""
        renewed = self.set_table.cls()
        for name, row in extensions.__table__.by_name.items():
            setattr(renewed, self.set_table.by_name[name].slot, getattr(extensions, row.slot))
        return renewed

    # --- decoding ------------------------------------------------------------------------------------------------

    def split(
        self,
        data: Any,
        spans: list[Any],
        depth: int,
        extensions: Any,
        state: MergeState | None = None,
        lazy: bool = False,
    ) -> tuple[Any, list[Any] | None]:
        """Sort the fields that the class does not declare: return the extension set and the ranges of unknown fields.

        `spans` are byte ranges of `data` as in `codec.unknown_fields`. Extensions are merged into the set `extensions`
        unless it is None. Raises DecodeError.
        """
        registered = self.extensions
        if not registered:
            return extensions, spans
        wire_types = _wire_types(self.set_table)
        found: list[Any] | None = None
        items: list[Item] = []
        unknown: list[Any] | None = None
        for start, end in zip(spans[::2], spans[1::2], strict=True):
            if end is None:  # bytes outside of the data
                unknown = unknown or []
                unknown += (start, None)
                continue
            pos = start
            while pos < end:
                begin = pos
                number, wire_type, body = read_tag(data, pos, end)
                pos = skip_field(data, body, end, number, wire_type, max_depth=depth)
                if not self.message_set:
                    if wire_type in wire_types.get(number, ()):
                        found = add_span(found, begin, pos)
                        continue
                else:
                    item = read_item(data, number, wire_type, body, pos)
                    if item is not None and item.type_id in registered:
                        items.append(item)
                        continue
                unknown = add_span(unknown, begin, pos)
        parts = [(data, *pair, 0) for pair in zip(found[::2], found[1::2], strict=True)] if found else []
        parts += [self._item_part(data, item) for item in items]
        if parts:
            extensions = self._decode(parts, depth, extensions, state, lazy)
            if extensions._unknown:  # of a closed enum
                unknown = [*(unknown or ()), extensions._unknown, None]
                extensions._unknown = b""
        return extensions, unknown

    def _decode(self, parts: list[Any], depth: int, extensions: Any, state: MergeState | None, lazy: bool) -> Any:
        """Decode parts into an extension set. A part is data, start and end, and what to add to offsets in errors."""
        table = self.set_table
        if lazy:
            if len(parts) > 1:
                joined = b"".join([data[start:end] for data, start, end, _ in parts])
                parts = [(joined, 0, len(joined), 0)]
            return function(table, "decode_lazily")(*parts[0][:3], depth)
        if extensions is None:
            extensions = table.cls()
        elif extensions.__table__ is not table:
            extensions = self._renewed(extensions)
        merge, merged = function(table, "merge"), state or MergeState()
        for data, start, end, shift in parts:
            try:
                merge(data, start, end, depth, extensions, merged)
            except DecodeError as error:
                if error.offset is not None:
                    error.offset += shift
                raise
        _, unknown = merged.unknown.pop(id(extensions), (None, ()))
        extensions._unknown = b"".join(unknown)
        if state is None:
            merged.join_unknown()
        return extensions

    def _item_part(self, data: Any, item: Item) -> tuple[bytes, int, int, int]:
        """Return an item of a MessageSet as a field of the extension set."""
        number = self.set_table.numbers[item.type_id]
        head = write_varint(number << 3 | LENGTH_DELIMITED) + write_varint(item.end - item.start)
        encoded = head + data[item.start : item.end]
        return encoded, 0, len(encoded), item.start - len(head)

    # --- encoding ------------------------------------------------------------------------------------------------

    def put_extensions(self, extensions: Any, chunks: Chunks, deterministic: bool, attempts: int) -> int:
        """Append an extension set, and return its encoded size; called by generated encoders."""
        table = extensions.__table__
        if not self.message_set:
            return put_message(extensions, table, chunks, deterministic, attempts)
        total = 0
        for field in table.by_number.values():
            value = getattr(extensions, field.slot)
            if value is not None:
                position = len(chunks)
                chunks.append(b"")
                size = put_message(value, field.type.__table__, chunks, deterministic, attempts)
                chunks[position] = head = item_head(table.type_ids[field.number], size)
                chunks.append(ITEM_END)
                total += len(head) + size + len(ITEM_END)
        return total

    def extension_bytes(self, extensions: Any, deterministic: bool) -> bytes:
        """Return the encoding of a small extension set. Raises TooLarge, as encoders do that return bytes."""
        table = extensions.__table__
        if not self.message_set:
            return function(table, "encode_bytes")(extensions, deterministic)  # type: ignore[no-any-return]  # generated code has no types
        parts: list[bytes] = []
        for field in table.by_number.values():
            value = getattr(extensions, field.slot)
            if value is not None:
                encoded = function(field.type.__table__, "encode_bytes")(value, deterministic)
                if len(encoded) >= MIN_BUFFER_BYTES:
                    raise TooLarge
                parts += (item_head(table.type_ids[field.number], len(encoded)), encoded, ITEM_END)
        return b"".join(parts)


@kept
def _rows_by_name(set_table: Table) -> dict[str, Field]:
    rows = {row.text_name[1:-1]: row for row in set_table.fields}
    return rows | {row.json_name[1:-1]: row for row in set_table.fields}


@kept
def _wire_types(set_table: Table) -> dict[int, tuple[int, ...]]:
    """Return the wire types that each extension may have, by number."""
    types: dict[int, tuple[int, ...]] = {}
    for row in set_table.fields:
        kind = KINDS[row.kind]
        packable = row.label == "repeated" and kind.packable
        types[row.number] = (kind.wire_type, LENGTH_DELIMITED) if packable else (kind.wire_type,)
    return types
