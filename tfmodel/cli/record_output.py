"""Print the records of a TFRecord file or an event file, for `tfmodel dump`."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pbwire
from pbwire.arguments import DONE, NO
from pbwire.message import Message
from pbwire.text.literals import escape_bytes

from ..files.detection import class_in_words
from ..files.model_file import ModelFile
from ..files.tfrecords.records import Damage, Record, RecordReader, naming_record
from ..reports.field_paths import FieldPathError, Selected, json_object_lines, select_in_each
from ..values.terminal import quote
from .field_output import LONGEST, MOST, print_fields, write_lines, write_text
from .messages import RequestError, UsageError, warn


def dump_records(file: ModelFile, args: Any, cls: Any) -> int:
    """Print the records of a file, and return 1 if some are damaged."""
    if args.allow_unknown_field:
        raise RequestError("--allow-unknown-field is about text and JSON, and records are binary", file=args.file)
    if args.field is not None and (args.format == "raw" or cls is None):
        problem = "--format raw goes through whole records" if cls is not None else "the type of the records is unknown"
        raise RequestError(f"{problem}: --field does not apply", file=args.file)
    start, stop = _parse_range(args.records) if args.records is not None else (0, None if args.full else MOST)
    with RecordReader(file.opened or args.file, damaged="skip", max_unpacked=args.max_unpacked) as reader:
        chosen = _ChosenRecords(reader, start, stop)
        if args.field is not None:
            fields = _fields_of_records(chosen, cls, args)
            if args.format == "json":
                sys.stdout.writelines(json_object_lines(fields, args.types))
                sys.stdout.write("\n")
            else:
                print_fields(fields, args, labelled=True)
        elif args.format == "json":
            for record in chosen:
                sys.stdout.write("[\n" if chosen.count == 1 else ",\n")
                with naming_record(reader.name, record):
                    sys.stdout.write(_record_json(record, cls, args.types))
            sys.stdout.write("\n]\n" if chosen.count else "[]\n")
        else:
            for record in chosen:
                write_lines([""] * (chosen.count > 1))
                with naming_record(reader.name, record):
                    _print_record(record, cls, args)
    if chosen.has_more and args.records is None:
        warn(f"{reader.name}: only the first {stop} records; --records : chooses all")
    if not chosen.count and not chosen.damaged and args.records is not None:
        raise RequestError(f"no record is in the range --records {args.records}", file=args.file)
    return NO if chosen.damaged else DONE


class _ChosenRecords:
    """The sound records of a range. Damaged ones are reported on stderr, and counted except for a cut-off last one."""

    def __init__(self, reader: RecordReader, start: int, stop: int | None) -> None:
        self._reader, self._start, self._stop = reader, start, stop
        self.count = self.damaged = 0
        self.has_more = False

    def __iter__(self) -> Iterator[Record]:
        for record in self._reader:
            if self._stop is not None and record.number >= self._stop:
                self.has_more = True
                return
            if record.number < self._start:
                continue
            if isinstance(record, Damage):
                self.damaged += record.kind != "end"
                warn(f"{self._reader.name}: {record}")
            else:
                self.count += 1
                yield record


def _fields_of_records(records: _ChosenRecords, cls: Any, args: Any) -> Iterator[Selected]:
    """Yield the fields that --field selects in the records that have them. Raises RequestError if none has them."""

    def messages() -> Iterator[tuple[str, Message]]:
        for record in records:
            with naming_record(args.file, record):
                message = cls.from_bytes(record.data)
            yield f"record[{record.number}]", message

    try:
        yield from select_in_each(messages(), args.field)
    except FieldPathError as error:
        raise RequestError(f"--field: {error}", file=args.file) from error


def _parse_range(text: str) -> tuple[int, int | None]:
    """Return the first number of a range of records, and the number behind the last; None for no end."""
    start, colon, stop = text.partition(":")
    if not all(part.isdecimal() and len(part) < 19 for part in (start, stop) if part) or not (start or colon):
        raise UsageError(f"--records takes 5, 0:3, :3, 3: or :, not {quote(text)}")
    if not colon:
        return int(start), int(start) + 1
    return int(start or 0), int(stop) if stop else None


def _print_record(record: Record, cls: Any, args: Any) -> None:
    """Print a record. `cls` is the class of its message, None for other data."""
    from ..reports.wire import wire_lines

    title = f"record {record.number:,} at byte {record.offset:,}"
    size = f"{len(record.data):,} byte{'s' * (len(record.data) != 1)}"
    if args.format == "raw":
        write_lines([f"# {title}, {size}"])
        write_lines(wire_lines(record.data, cls, full=args.full))
        return
    if cls is None:
        shown = record.data if args.full else record.data[:LONGEST]
        cut = f" # {size} in all" if len(shown) < len(record.data) else ""
        write_lines([f"# {title}, {size}", f'"{escape_bytes(shown)}"{cut}'])
        return
    write_lines([f"# {title}: {class_in_words(cls)}, {size}"])
    write_text(cls.from_bytes(record.data), args)


def _record_json(record: Record, cls: Any, types: Any) -> str:
    facts: dict[str, Any] = {"record": record.number, "offset": record.offset}
    if cls is None:
        facts["data"] = b64encode(record.data).decode()
    else:
        facts["message"] = pbwire.json.to_dict(cls.from_bytes(record.data), types=types)
    return json.dumps(facts, indent=2)
