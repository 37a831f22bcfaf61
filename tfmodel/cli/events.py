"""List what the event files of TensorBoard have: graphs, traces, and the series of summaries.

PATH is an event file (events.out.tfevents...), which may be compressed, or a folder. Each folder with event files is a
run, as in TensorBoard; its files are read one after another.

For each run, the graphs, the traces (RunMetadata) and the series are listed. Of scalars, the smallest, the largest and
the last value are shown, in the order of the files. Values of TensorFlow 1 and 2, of Keras and of other programs are
read alike.

Damaged records are left out and reported. A last record that is cut off is normal while a program writes the file. If
the length of a record is damaged, the rest of the file cannot be read.

Other commands take an event file, or a folder of them, for its graph: the last MetaGraphDef, or else the last GraphDef,
the last graph of a trace, or the layers of a Keras model.

Exit status: 0 if the files are sound or end with an unfinished record, 1 if records are damaged, 2 if nothing can be
read.

examples:
  tfmodel events logs/
  tfmodel events logs/ --tag loss --tag 'eval/*'
  tfmodel events events.out.tfevents.1717156800.host --json | jq '.runs[].series[] | [.tag, .last]'
  tfmodel summarize events.out.tfevents.1717156800.host
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any

from pbwire.arguments import DONE, NO

from ..files.records.event_report import summarize_events, time_text
from ..files.records.events import SummaryValue
from ..files.records.values import describe, read_values, value_json
from ..files.tfrecords.records import Damage
from ..values.report import report_json
from ..values.terminal import align_columns, escape
from .messages import RequestError, warn
from .parser import Parser, byte_size
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("path", metavar="PATH", help="the event file or the folder; see below")
    tag_help = "print the values of the series whose tags match; may be repeated"
    add("--tag", metavar="GLOB", action="append", default=[], help=tag_help)
    unpacked_help = "limit for unpacked data, such as 2G; the default is 64 MB or 100 times the size of the file"
    add("--max-unpacked", type=byte_size, metavar="SIZE", help=unpacked_help)
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    if args.tag:
        return _print_values(args)
    with Progress() as progress:
        report = summarize_events(args.path, max_unpacked=args.max_unpacked, progress=progress.each("reading"))
    _write([report.to_json()] if args.json else report.lines())
    return NO if report.is_damaged else DONE


def _write(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _print_values(args: Any) -> int:
    """Print the values of the tags that match, series by series."""
    damage: list[Damage] = []

    def report(file: str, place: Damage) -> None:
        damage.append(place)
        warn(f"{file}: {place}")

    series: dict[tuple[str, str], list[Any]] = {}
    show = value_json if args.json else _row
    kinds: dict[tuple[str, str], SummaryValue] = {}
    for value in read_values(args.path, tags=args.tag, on_damage=report, max_unpacked=args.max_unpacked):
        key = value.run, value.tag
        kinds.setdefault(key, value._replace(value=type(value.value)()))
        series.setdefault(key, []).append(show(value))
    for glob in args.tag:
        if not any(fnmatchcase(tag, glob) for _, tag in series):
            raise RequestError(f"no tag matches --tag {glob}", file=args.path)
    if args.json:
        facts = [
            {"run": run, "tag": tag, "kind": kinds[run, tag].kind, "plugin": kinds[run, tag].plugin, "values": values}
            for (run, tag), values in series.items()
        ]
        _write([report_json({"series": facts})])
    else:
        _write(_tables(series))
    return NO if any(place.kind != "end" for place in damage) else DONE


def _row(value: SummaryValue) -> tuple[str, str, str]:
    return str(value.step), time_text(value.wall_time), describe(value)


def _tables(series: dict[tuple[str, str], list[Any]]) -> Iterator[str]:
    for number, (run, group) in enumerate(groupby(series, key=lambda key: key[0])):
        for place, key in enumerate(group):
            if number or place:
                yield ""
            yield escape(key[1] if run == "." else f"{run}: {key[1]}")
            yield from align_columns([("step", "time", "value"), *series[key]], right=(0,), indent=2)
