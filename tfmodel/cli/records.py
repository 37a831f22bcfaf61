"""Describe a TFRecord file: its records, their sizes, and the features of tf.Example and tf.SequenceExample messages.

FILE is a TFRecord file without compression, or compressed by gzip or zlib, or - for standard input. All records are
read, and their checksums are compared. For each feature, the table has the kind, the number of records that have it,
the number of values in each, the range of numbers, and the sizes of byte strings. A list of a SequenceExample has []
behind its name, and the number of its steps.

Damaged records are left out and listed. If the length of a record is damaged, it is unknown where the next record
begins, and the rest of the file is left out, unless --search looks for bytes that look like the beginning of a record.
--verify compares checksums alone, and lists all damage.

Exit status: 0 if all records are sound, 1 if some are damaged, 2 if the file cannot be read.

examples:
  tfmodel records train-00000-of-00010
  tfmodel records train.tfrecord.gz --json | jq -r '.features[] | [.name, .kinds[0]] | @tsv'
  tfmodel records train.tfrecord --verify
  tfmodel dump train.tfrecord --records 0:3
"""

from __future__ import annotations

import sys
from typing import Any

from pbwire.arguments import DONE, NO

from ..files.records.examples import summarize_records
from .messages import UsageError
from .parser import Parser, byte_size
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the TFRecord file; see below")
    parser.add_flag("--verify", help="compare the checksums, and list all damage")
    parser.add_flag("--search", help="behind a damaged length, look for bytes that look like the next record")
    compression_help = "how the file is compressed, instead of detecting it"
    add("--compression", choices=("none", "gzip", "zlib"), help=compression_help)
    unpacked_help = "limit for unpacked data, such as 2G; the default is 64 MB or 100 times the size of the file"
    add("--max-unpacked", type=byte_size, metavar="SIZE", help=unpacked_help)
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    if args.verify and args.json:
        raise UsageError("--json has all damage: leave out --verify")
    with Progress() as progress:
        report = summarize_records(
            args.file,
            features=not args.verify,
            search=args.search,
            compression=args.compression,
            max_unpacked=args.max_unpacked,
            progress=progress.each("reading"),
        )
    if args.json:
        sys.stdout.write(f"{report.to_json()}\n")
    elif args.verify:
        sys.stdout.writelines(f"{line}\n" for line in report.verdict())
    else:
        sys.stdout.writelines(f"{line}\n" for line in report.lines())
    return NO if report.is_damaged else DONE
