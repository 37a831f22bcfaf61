"""The descriptors from which the code of all libraries is generated: of the measured message, and of probes."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbwire import proto
from pbwire.compat.file_protos import file_name, file_proto
from pbwire.proto import descriptor_messages as d
from tfmodel.messages import TYPES

__all__ = ["PROBES", "Probe", "message_files", "probe_files"]


@dataclass(frozen=True)
class Probe:
    """A .proto file with a message M, and an encoded message that a library must write as it was."""

    name: str
    source: str
    data: bytes


PROBES = (
    Probe(
        "unknown fields",
        'syntax = "proto3"; package probe; message M { int32 a = 1; M inner = 2; }',
        b"\x08\x01\x12\x06\x08\x02\x1a\x02hi\x22\x03abc",  # fields 3 and 4 are unknown, one of them in `inner`
    ),
    Probe(
        "proto2",
        'syntax = "proto2"; package probe;'
        "message M { optional int32 a = 1; required string b = 2; optional bool c = 3 [default = true]; }",
        b"\x08\x00\x12\x00\x18\x00",  # values that are zero, or not the default, and are set
    ),
    Probe(
        "groups",
        'syntax = "proto2"; package probe; message M { optional group G = 1 { optional int32 a = 2; } }',
        b"\x0b\x10\x05\x0c",
    ),
    Probe(
        "editions",
        'edition = "2023"; package probe; message M { int32 a = 1; M inner = 2 [features.message_encoding = DELIMITED];'
        " int32 b = 3 [features.field_presence = IMPLICIT]; }",
        b"\x08\x00\x13\x08\x01\x14\x18\x07",
    ),
)


def message_files(full_name: str) -> Any:
    """Return the FileDescriptorSet of one of TensorFlow's messages and its imports, made from the tables."""
    modules = {file_name(cls.__module__): cls.__module__ for cls in TYPES.values()}
    files: dict[str, Any] = {}

    def add(name: str) -> None:
        if name in files:
            return
        if name not in modules:
            files.update({file.name: file for file in proto.descriptors(name).file if file.name not in files})
            return
        file = file_proto(sys.modules[modules[name]])
        for imported in file.dependency:
            add(imported)
        files[name] = file

    add(file_name(TYPES[full_name].__module__))
    return _with_locations(list(files.values()))


def probe_files(probe: Probe) -> Any:
    """Return the FileDescriptorSet of a probe."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "probe.proto").write_text(probe.source)
        return _with_locations(list(proto.descriptors("probe.proto", include=[folder]).file))


def _with_locations(files: list[Any]) -> Any:
    """Add a source location to each file: betterproto2's plugin fails for a file without any."""
    for file in files:
        if not file.source_code_info:
            file.source_code_info = d.SourceCodeInfo(location=[d.SourceCodeInfo.Location(span=[0, 0, 0])])
    return d.FileDescriptorSet(file=files)
