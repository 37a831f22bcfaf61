"""Record which comments protoc gives to which declarations of generated files. It needs the package grpcio-tools.

The files have comments of all forms between all tokens, with and without empty lines around them.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pbwire import proto

__all__ = ["FILE", "NAMES", "commented_parts", "generated_file", "main"]

FILE = Path(__file__).with_name("comments.jsonl")
NAMES = [f"file{number}.proto" for number in range(60)]


class _Generator:
    """Writes one .proto file. `syntax` is "proto2", "proto3" or "2023"."""

    def __init__(self, name: str) -> None:
        self.random = random.Random(name)
        self.syntax = self.random.choice(["proto2", "proto3", "2023"])
        self.label = ["optional"] if self.syntax == "proto2" else []
        self.name = name.removesuffix(".proto")
        self.comments = 0

    def text(self) -> str:
        parts = [self.gap() if self.random.random() < 0.5 else ""]
        for token in self.file():
            position = self.random.random()
            ends = token in ("{", "}", ";")
            between = self.gap() if position < 0.06 or (ends and position < 0.7) else "\n" if ends else " "
            parts += [token, between]
        text = "".join(parts)
        return text.replace("\n", "\r\n") if self.random.random() < 0.1 else text

    def gap(self) -> str:
        """Return comments, empty lines and spaces."""
        parts = []
        for _ in range(self.random.choice([0, 0, 1, 1, 2, 3])):
            kind = self.random.random()
            if kind < 0.35:
                parts.append(self.comment())
            else:
                parts.append(self.random.choice(["\n", "\n", "\n\n"] if kind < 0.7 else [" ", "   "]))
        return "".join(parts) or " "

    def comment(self) -> str:
        self.comments += 1
        number = self.comments
        forms = {
            f"// {number}\n": 9,
            f"// {number}\n// more\n": 3,
            f"/* {number} */": 4,
            f"/* {number}\n   * more\n  end */": 2,
            f"/*{number}*/ /* other */": 2,
        }
        return self.random.choices([*forms], [*forms.values()])[0]

    def file(self) -> Iterator[str]:
        keyword = "edition" if self.syntax == "2023" else "syntax"
        if self.syntax != "proto2" or self.random.random() < 0.7:
            yield from (keyword, "=", f'"{self.syntax}"', ";")
        yield from ("package", self.name, ";")
        for number in range(self.random.randint(1, 4)):
            kind = self.random.random()
            if kind < 0.6:
                yield from self.message(number)
            elif kind < 0.75:
                yield from self.enum(number)
            elif kind < 0.9 or self.syntax != "proto2":
                yield from ("message", f"A{number}", "{", "}", "service", f"S{number}", "{")
                yield from ("rpc", "R", "(", f"A{number}", ")", "returns", "(", f"A{number}", ")")
                yield from self.random.choice([[";"], ["{", "}"], ["{", "option", "deprecated", "=", "true", ";", "}"]])
                yield "}"
            else:
                yield from ("message", f"B{number}", "{", "extensions", "1", "to", "9", ";", "}")
                yield from ("extend", f"B{number}", "{", "optional", "int32", f"x{number}", "=", "1", ";", "}")

    def message(self, number: int, depth: int = 0) -> Iterator[str]:
        yield from ("message", f"M{number}", "{")
        for index in range(self.random.randint(0, 4)):
            kind = self.random.random()
            if kind < 0.55:
                yield from self.field(index * 10 + 1)
            elif kind < 0.65 and depth < 2:
                yield from self.message(number * 10 + index, depth + 1)
            elif kind < 0.72:
                yield from self.enum(index + 100 * (depth + 1) + number * 1000)
            elif kind < 0.85:
                yield from ("oneof", f"o{index}", "{")
                for member in range(self.random.randint(1, 2)):
                    yield from ("int32", f"f{index * 10 + member + 2}", "=", str(index * 10 + member + 2), ";")
                yield "}"
            elif kind < 0.95:
                yield from ("reserved", str(500 + index), ";")
            else:
                yield ";"
        yield "}"

    def field(self, number: int) -> Iterator[str]:
        kind = self.random.random()
        if kind < 0.1 and self.syntax == "proto2":
            yield from (*self.label, "group", f"G{number}", "=", str(number), "{", *self.field(number + 1000), "}")
        elif kind < 0.2:
            yield from ("map", "<", "string", ",", "int32", ">", f"m{number}", "=", str(number), ";")
        else:
            options = ["[", "deprecated", "=", "true", "]"] if kind < 0.4 else []
            yield from (*self.label, "int32", f"f{number}", "=", str(number), *options, ";")

    def enum(self, number: int) -> Iterator[str]:
        yield from ("enum", f"E{number}", "{")
        for value in range(self.random.randint(1, 3)):
            yield from (f"E{number}_{value}", "=", str(value), ";")
        if self.random.random() < 0.3:
            yield from ("option", "deprecated", "=", "true", ";")
        yield "}"


def generated_file(name: str) -> str:
    """Return the text of one of the files in NAMES."""
    return _Generator(name).text()


def commented_parts(descriptor: Any, comments: dict[int, str]) -> list[list[Any]]:
    """Return the paths of declarations with their comments, which are given by the identities of their descriptors."""
    return sorted([path, comments[id(part)]] for path, part in _declarations(descriptor) if comments.get(id(part)))


def _declarations(descriptor: Any) -> list[tuple[list[int], Any]]:
    found: list[tuple[list[int], Any]] = [([], descriptor)]
    for path, part in found:
        for field in part.__table__.fields:
            if field.is_message and field.label == "repeated":
                found += [([*path, field.number, i], one) for i, one in enumerate(getattr(part, field.name))]
    return found


def _protoc_comments(descriptor: Any) -> list[list[Any]]:
    paths = [path for path, _ in _declarations(descriptor)]
    comments = [
        [[*location.path], location.leading_comments or location.trailing_comments]
        for location in descriptor.source_code_info.location
    ]
    return sorted([path, comment] for path, comment in comments if comment and path in paths)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            Path(folder, name).write_text(generated_file(name), newline="")
        output = Path(folder, "descriptors")
        arguments = [f"-I{folder}", "--include_source_info", f"--descriptor_set_out={output}", *NAMES]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *arguments], check=True)
        files = {file.name: file for file in proto.read_set(output.read_bytes()).file}
    rows = [{"name": name, "comments": _protoc_comments(files[name])} for name in NAMES]
    FILE.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
