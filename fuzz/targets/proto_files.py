"""The text of .proto files, and descriptor sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from fuzz.target import Case, Files, Target
from pbwire import proto
from pbwire.proto.loader import load_descriptor_set
from pbwire.proto.module_writer import modules
from tests.golden.proto.protoc import DESCRIPTORS, FILES, FOLDER, LIBRARY
from tests.pbwire.proto.bad_files import BAD_FILES

__all__ = ["TARGETS"]

SYNTAXES = ('syntax = "proto2";', 'syntax = "proto3";', 'edition = "2023";', 'edition = "2024";', "")
NAMES = ("M", "N", "E", "x", "y", "class", "None", "to_bytes", "__x__", "google", "string", "map", "group", "option")
# fmt: off
WORDS = (
    "message", "enum", "oneof", "map<int32, ", "extend", "extensions", "reserved", "service", "rpc", "returns",
    "stream", "optional", "required", "repeated", "group", "option", "default", "packed", "json_name",
    "features.field_presence", "export", "local", "import option", "features.enforce_naming_style = STYLE_LEGACY",
    "int32", "string", "bytes", "double", "bool", "true", "inf", "-", "1", "0x7f", "1e9", "536870911", "max", "to",
    '"a"', "'\\xff'", "{", "}", "[", "]", "(", ")", "<", ">", "=", ";", ",", ".", ":", "// a\n", "/* b */", "\n",
)
# fmt: on


def seeds() -> Iterator[Files]:
    for file in (FILES[0], *LIBRARY):
        yield {"a.proto": (FOLDER / file).read_bytes()}
    for source, _ in BAD_FILES.values():
        if len(source) < 500:
            yield {"a.proto": source.encode()}


def strategy() -> st.SearchStrategy[Files]:
    words = st.lists(st.sampled_from(WORDS + NAMES), max_size=60).map(" ".join)
    fields = st.tuples(st.sampled_from(("int32", "string", "M", "E", "repeated int32")), st.sampled_from(NAMES), words)
    messages = st.lists(fields, max_size=5).map(_message)
    texts = st.tuples(st.sampled_from(SYNTAXES), st.one_of(messages, words), words).map("\n".join)
    return texts.map(lambda text: {"a.proto": text.encode()})


def _message(rows: list[tuple[str, str, str]]) -> str:
    fields = (f"{kind} {name} = {number};" for number, (kind, name, _) in enumerate(rows, 1))
    return f"message M {{ {' '.join(fields)} {rows[-1][2] if len(rows) == 5 else ''} }}"


def check(files: Files, case: Case) -> object:
    text = files["a.proto"].decode("utf-8", "surrogateescape")
    types = proto.load_text(text, "a.proto")
    compile(modules(types.pool, ["a.proto"])["a.py"], "a.py", "exec")
    for cls in types.messages.values():
        assert cls.from_bytes(cls().to_bytes()) == cls() if not cls.__table__.has_required_fields else True
    return len(types)


def set_seeds() -> Iterator[Files]:
    yield {"set.pb": DESCRIPTORS.read_bytes()}
    for file in proto.read_set(DESCRIPTORS.read_bytes()).file[1:]:
        if not file.dependency:
            yield {"set.pb": proto.FileDescriptorSet(file=[file]).to_bytes()}


def check_set(files: Files, case: Case) -> object:
    pool = load_descriptor_set(proto.read_set(files["set.pb"]))
    for text in modules(pool, list(pool.files)).values():
        compile(text, "a.py", "exec")
    return len([*proto.load_set(files["set.pb"]).items()])


BUDGET: dict[str, Any] = {"seconds": 2.0, "seconds_per_byte": 1000e-6, "memory": 2000}

TARGETS = (
    Target("proto-files", "texts of .proto files", seeds, strategy, check, **BUDGET),
    Target("descriptor-sets", "FileDescriptorSets", set_seeds, lambda: st.just(next(set_seeds())), check_set, **BUDGET),
)
