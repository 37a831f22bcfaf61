"""The most common uses of protoc, on the command line.

examples:
  python -m pbwire decode --proto a.proto --type pkg.M message.bin
  python -m pbwire encode --proto a.proto --type pkg.M message.txt -o message.bin
  python -m pbwire json --proto a.proto --type pkg.M --delimited messages.bin
  python -m pbwire raw message.bin
  python -m pbwire compile a.proto -o FOLDER
  python -m pbwire descriptor-set a.proto -o a.desc

FILE is standard input by default. With --delimited, it is a stream of messages, each behind its size; `encode --json
--delimited` writes one of JSON lines. -I names folders in which imports are found; the default is the current folder.
--proto may also be a descriptor set, which is recognized by its content.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from .arguments import CLOSED_PIPE, DONE, FAILED, INTERRUPTED, Parser, paint_message
from .errors import DecodeError, Error, JsonError, escape_invisible, suggestion

MAX_SHOWN_BYTES = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status: DONE, FAILED, or that of shells after a signal."""
    args, unknown = _parser().parse_known_args(arguments)
    if "files" in args and not any(word.startswith("-") for word in unknown):
        args.files += unknown  # files behind an option, which argparse does not take
    elif unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # as `| head` causes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (Error, OSError) as error:
        print(paint_message(f"pbwire: {_reason(error)}", "error", sys.stderr), file=sys.stderr)
        return FAILED
    return DONE


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{escape_invisible(str(error.filename))}: {error.strerror}"
    return str(error)


def _parser() -> Parser:
    parser = Parser(prog="python -m pbwire", description=__doc__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Any, about: str) -> Parser:
        added = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        added.set_defaults(run=run, parser=added)
        return added

    for name, run, about in (
        ("decode", _decode, "print an encoded message in text format"),
        ("encode", _encode, "encode a message from text format"),
        ("json", _json, "print an encoded message as JSON"),
    ):
        added = command(name, run, about)
        added.add_argument(
            "--proto", metavar="FILE", action="append", required=True, help="a .proto file, or a descriptor set"
        )
        added.add_argument("--type", required=True, metavar="NAME", help="the full name of the message")
        _add_include(added)
        added.add_argument("file", nargs="?", default="-", metavar="FILE", help="the default is standard input")
        stream_help = {
            "decode": "FILE is a stream of messages, each behind its size; a blank line is printed between two",
            "encode": "FILE has JSON lines (with --json), which become a stream of messages, each behind its size",
            "json": "FILE is a stream of messages, each behind its size; JSON lines are printed",
        }
        added.add_argument("--delimited", action="store_true", help=stream_help[name])
        if name == "encode":
            added.add_argument("--json", action="store_true", help="the input is JSON")
            added.add_argument("-o", "--output", metavar="FILE", help="the default is standard output")
    added = command("raw", _raw, "list the fields of an encoded message of unknown type")
    added.add_argument("file", nargs="?", default="-", metavar="FILE", help="the default is standard input")
    added = command("compile", _compile, "write table modules for pbwire")
    added.add_argument("files", nargs="+", metavar="FILE", help="a .proto file, or one descriptor set")
    added.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where to write the modules")
    keep_help = (
        "keep docstrings and comments of the modules that are in FOLDER already; the .proto file documents the rest"
    )
    added.add_argument("--keep-comments", action="store_true", help=keep_help)
    _add_include(added)
    added = command("descriptor-set", _descriptor_set, "write what `protoc --descriptor_set_out` writes")
    added.add_argument("files", nargs="+", metavar="FILE", help="a .proto file")
    added.add_argument("-o", "--output", metavar="FILE", help="the default is standard output")
    added.add_argument("--include-imports", action="store_true", help="also write the files that are imported")
    _add_include(added)
    return parser


def _add_include(parser: Parser) -> None:
    parser.add_argument(
        "-I", "--include", metavar="FOLDER", action="append", help="a folder in which imports are found"
    )


def message_type(files: Sequence[str], name: str, include: Sequence[str] | None = None) -> tuple[Any, Any]:
    """Return the message class of this name from .proto files or a descriptor set, and all messages by full name.

    Raises pbwire.Error or OSError.
    """
    from . import proto

    data = _descriptor_set_in(files, "--proto")
    if data is not None:
        with _named(files[0]):
            types = proto.load_set(data)
    else:
        types = proto.load(*files, include=include or ["."])
    cls = types.get(name.lstrip("."))
    if cls is None or not hasattr(cls, "__table__"):
        problem = "is an enum, not a message" if cls is not None else f"is not defined{_suggested_type(name, types)}"
        raise Error(f"--type: {escape_invisible(name)} {problem}")
    return cls, types.messages


def _descriptor_set_in(files: Sequence[str], argument: str) -> bytes | None:
    """Return the bytes of the descriptor set among the files, which is the only one; None for .proto files.

    Raises pbwire.Error or OSError.
    """
    from . import proto

    for file in files:
        if os.path.isfile(file) and proto.is_set(data := _read(file)):
            if len(files) > 1:
                raise Error(f"{argument}: give .proto files, or one descriptor set; {escape_invisible(file)} is one")
            return data
    return None


def _suggested_type(name: str, types: Any) -> str:
    """Return '; did you mean "..."?' with the type that has this name in its package, or with a similar one."""
    full_names = [known for known in types.messages if known.endswith(f".{name}")]
    return f'; did you mean "{full_names[0]}"?' if full_names else suggestion(name, types)


@contextlib.contextmanager
def _named(file: str) -> Iterator[None]:
    """Let errors in the content of a file begin with its name, as those of compilers."""
    try:
        yield
    except Error as error:
        place = "" if getattr(error, "line", None) is not None else " "
        name = "standard input" if file == "-" else escape_invisible(file)
        raise Error(f"{name}:{place}{error}") from error


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character.isspace() for character in text)


def _read(file: str) -> bytes:
    """Return the content of a file, a pipe, or "-", standard input."""
    with _opened(file) as source:
        return source.read()


@contextlib.contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """Open a file, a pipe, or "-", standard input. Raises Error for a device: it may have no end."""
    if file == "-":
        yield sys.stdin.buffer
        return
    mode = os.stat(file).st_mode
    if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and file not in (os.devnull, "/dev/stdin"):
        raise Error(f"{escape_invisible(file)}: this is not a file but a device, which is not read")
    with open(file, "rb") as source:
        yield source


def _write(data: bytes, file: str | None) -> None:
    from .atomic import writable

    with writable(file or "-") as out:
        out.write(data)


def _decode(args: Any) -> None:
    from . import text

    for number, (message, types) in enumerate(_decoded_messages(args)):
        if number:
            print()
        text.dump(message, sys.stdout, print_unknown_fields=True, types=types)


def _json(args: Any) -> None:
    from . import json

    for message, types in _decoded_messages(args):
        print(json.dumps(message, types=types, indent=None if args.delimited else 2))


def _decoded_messages(args: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the message in a file, or those of a stream, and all messages by full name."""
    if not args.delimited:
        yield _decoded_message(args)
        return
    from . import streams

    cls, types = message_type(args.proto, args.type, args.include)
    with _named(args.file), _opened(args.file) as source:
        for message in streams.read(source, cls):
            yield message, types


def _decoded_message(args: Any) -> tuple[Any, Any]:
    cls, types = message_type(args.proto, args.type, args.include)
    data = _read(args.file)
    with _named(args.file):
        try:
            return cls.from_bytes(data), types
        except DecodeError as error:
            hint = "; is this text? `encode` reads text format and JSON" if _is_text(data) else ""
            raise Error(f"{error}{hint}") from error


def _encode(args: Any) -> None:
    from . import json, text

    if args.delimited:
        _encode_lines(args)
        return
    cls, types = message_type(args.proto, args.type, args.include)
    source = _read(args.file)
    with _named(args.file):
        try:
            source_text = source.decode()
        except UnicodeDecodeError as error:
            problem = f"the input is not UTF-8 at byte {error.start:,}; is it encoded already?"
            raise Error(problem) from None
        try:
            message = json.loads(source, cls, types=types) if args.json else text.loads(source_text, cls, types=types)
        except JsonError as error:
            if error.line is not None and not source_text.lstrip().startswith("{"):
                error.message += "; without --json, text format is read"
            raise
    _write(message.to_bytes(), args.output)


def _encode_lines(args: Any) -> None:
    from . import streams
    from .atomic import writable

    if not args.json:
        args.parser.error("--delimited needs --json: the messages are JSON lines, since texts have no ends")
    cls, types = message_type(args.proto, args.type, args.include)
    with writable(args.output or "-") as out, _named(args.file), _opened(args.file) as source:
        streams.write(out, streams.read_lines(source, cls, types=types))


def _raw(args: Any) -> None:
    from . import raw

    data = _read(args.file)
    with _named(args.file):
        try:
            for record in raw.walk(data, guess=True):
                print(_raw_line(record))
        except DecodeError as error:
            error.path = f"field {error.path}" if error.path else ""
            raise Error(f"{error}{'; is this text?' if _is_text(data) else ''}") from error


def _raw_line(record: Any) -> str:
    value = record.value
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value[: MAX_SHOWN_BYTES + 1])
        value = f"{data[:MAX_SHOWN_BYTES]!r}" + ("..." if len(data) > MAX_SHOWN_BYTES else "")
    shown = "" if value is None else f" {value}"
    return f"{record.offset:>8} {'  ' * record.depth}{record.number} {record.wire_type.name.lower()}{shown}"


def _compile(args: Any) -> None:
    from .atomic import replacing_together
    from .proto.loader import load_descriptor_set, load_files
    from .proto.module_writer import modules

    data = _descriptor_set_in(args.files, "compile")
    if data is not None:
        from .proto import read_set

        with _named(args.files[0]):
            pool = load_descriptor_set(read_set(data))
        names = list(pool.files)
    else:
        pool, names = load_files(args.files, args.include or ["."])
    folder = Path(args.output)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), args.output)
    written = modules(pool, names, (lambda path: _documentation(folder / path)) if args.keep_comments else None)
    with replacing_together() as replace:
        for path, source in written.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            for package in (file.parent, *file.parent.parents):
                if not package.is_relative_to(folder):
                    break
                (package / "__init__.py").touch()
            replace(str(file)).write(source.encode())
    for path in written:
        print(folder / path)


def _documentation(file: Path) -> Any:
    """Return the documentation in a table module; None if there is no such file."""
    from .proto.documentation import read_documentation

    if not file.exists():
        return None
    try:
        return read_documentation(file.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise Error(f"--keep-comments: {escape_invisible(str(file))} is not a Python module: {error}") from None


def _descriptor_set(args: Any) -> None:
    from . import proto

    found = proto.descriptors(*args.files, include=args.include or ["."], imports=args.include_imports)
    _write(found.to_bytes(), args.output)
