"""google.protobuf classes built from facts: the reference of pbwire's codec, printers and parsers.

    twin("tensorflow.GraphDef").FromString(data)       # or twin(messages.GraphDef): same name, Google's class
    answer(Job("tensorflow.GraphDef", data, "text"))   # the result of this process's backend for `data`
    pure_python([Job("tensorflow.GraphDef", data)])    # the result of Google's pure-Python backend

Everything that schema_facts.tsv and sample_facts.tsv declare is in one pool, built on first use and apart from the
default pool; `google.protobuf.*` in it is the library's own. pbwire contributes only the names of classes, so this
module cannot repeat an error of its tables.

The backend of a process is chosen at its start: upb (C), unless the environment's
PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION is "python". `pure_python` starts one process with that setting for all of its
jobs. The two differ: see the tests.

The reference is protobuf 4.25. Python 3.14 cannot import it, so the newest one replaces it there, in all tests. Those
that meet a difference of the newest ask `IS_4_25`, and say what the newest does. It differs in:

    lengths         one of more than five bytes is refused; 4.25 takes up to ten, as we do
    field number 0  of two bytes, or in an unknown group, it is taken for an unknown field; 4.25 refuses it, as we do
    groups          a repeated group with a length is an unknown field, as here; 4.25 refuses it
    closed enums    an unknown number in a packed list keeps its 64 bits, as here; 4.25 writes 32 of them
    -0.0            the pure-Python backend writes it, as upb does
    text, printed   `as_utf8` is the default, and escapes control characters; float_format and double_format are gone;
                    an Any that holds a Struct or ListValue is expanded
    text, read      \\u and \\U stand for UTF-8, as here; 4.25 refuses some of them. OF_NEWEST of test_parser_cases has
                    the few texts for which it agrees neither with 4.25 nor with us
    text, unknown   payloads with groups that are closed by another number are bytes
    messages        a bool is refused for an integer; refusing to assign a message makes the message around it present
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple

from google.protobuf import (
    any_pb2,
    descriptor_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    message_factory,
    struct_pb2,
    text_encoding,
    text_format,
    timestamp_pb2,
    wrappers_pb2,
)
from google.protobuf.descriptor_pool import DescriptorPool

from pbwire.behavior import DEFAULT, follow
from tests.support import schema_facts

__all__ = [
    "IS_4_25",
    "SAMPLE_FACTS",
    "Job",
    "Refused",
    "answer",
    "followed",
    "is_repeated",
    "is_required",
    "pool",
    "pure_python",
    "twin",
]

IS_4_25 = version("protobuf").startswith("4.25.")

SAMPLE_FACTS = Path(__file__).parents[1] / "data" / "sample_facts.tsv"

_WELL_KNOWN = (any_pb2, duration_pb2, empty_pb2, field_mask_pb2, struct_pb2, timestamp_pb2, wrappers_pb2)
_LABELS = {"": 1, "repeated": 3, "required": 2}


@contextmanager
def followed() -> Iterator[None]:
    """Let pbwire follow the version of protobuf of this process: see `pbwire.behavior`."""
    follow("4.25" if IS_4_25 else DEFAULT)
    try:
        yield
    finally:
        follow(DEFAULT)


def twin(which: str | type) -> Any:
    """Return Google's class for a full name, or for a message class of pbwire."""
    name = which if isinstance(which, str) else which.__table__.full_name
    return message_factory.GetMessageClass(pool().FindMessageTypeByName(name))


@cache
def pool() -> DescriptorPool:
    """Return the pool of `twin`'s classes, with which text_format and json_format expand an Any."""
    built = DescriptorPool()
    for module in _WELL_KNOWN:
        built.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    for path in (schema_facts.SCHEMA_FACTS, SAMPLE_FACTS):
        for file in _in_order_of_need(_files(schema_facts.load(path))):
            built.AddSerializedFile(file.SerializeToString())
    return built


def is_repeated(field: Any) -> bool:
    """Return whether a field is repeated. Newer descriptors have no `label`, and that of 4.25 has nothing else."""
    return bool(field.is_repeated) if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


def is_required(field: Any) -> bool:
    """Return whether a field is required."""
    return bool(field.is_required) if hasattr(field, "is_required") else field.label == field.LABEL_REQUIRED


# --- the same questions to either backend ------------------------------------------------------------------------


class Job(NamedTuple):
    """Bytes to parse as the message `full_name`, and the form of the answer.

    `options` are those of `text_format.MessageToString`; `descriptor_pool=True` among them stands for the pool here, so
    that every Any whose type is known is expanded.
    """

    full_name: str
    data: bytes
    want: Literal["deterministic", "bytes", "text"] = "deterministic"
    options: Mapping[str, Any] = {}


class Refused(NamedTuple):
    """The answer to a job that raised an error: the error's class and its message."""

    error: str


def answer(job: Job) -> bytes | str | Refused:
    """Return the result of this process's backend for a job."""
    try:
        message = _parsed(job.full_name, job.data)
        if job.want == "text":
            options = dict(job.options)
            if options.get("descriptor_pool"):
                options["descriptor_pool"] = pool()
            return text_format.MessageToString(message, **options)
        return message.SerializeToString(deterministic=job.want == "deterministic")
    except Exception as error:  # any exception is an answer
        return Refused(f"{type(error).__name__}: {error}")


def pure_python(jobs: Iterable[Job]) -> list[bytes | str | Refused]:
    """Return the answers of Google's pure-Python backend to many jobs, all from one process.

    It takes a second per megabyte, and its time to write nested maps doubles with every level: keep those few. Put jobs
    on the same data next to each other, so that it is parsed once.
    """
    environment = os.environ | {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    done = subprocess.run(
        [sys.executable, "-m", __name__ if __name__ != "__main__" else "tests.support.protobuf_twin"],
        input=pickle.dumps([tuple(job) for job in jobs]),
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env=environment,
        check=True,
    )
    return [Refused(*value) if isinstance(value, tuple) else value for value in pickle.loads(done.stdout)]


def _serve() -> None:
    jobs = pickle.load(sys.stdin.buffer)
    answers = [answer(Job(*job)) for job in jobs]
    pickle.dump([tuple(a) if isinstance(a, Refused) else a for a in answers], sys.stdout.buffer)


_last: tuple[str, bytes, Any] | None = None


def _parsed(full_name: str, data: bytes) -> Any:
    global _last
    if _last is None or _last[:2] != (full_name, data):
        _last = (full_name, data, twin(full_name).FromString(data))
    return _last[2]


# --- from facts to descriptors -----------------------------------------------------------------------------------


def _files(all_facts: schema_facts.Facts) -> dict[str, descriptor_pb2.FileDescriptorProto]:
    """Return a descriptor for every .proto file in the facts, except google/protobuf's own."""
    files: dict[str, descriptor_pb2.FileDescriptorProto] = {}
    for path, declared in all_facts.files().items():
        if not path.startswith("google/protobuf/"):
            files[path] = _file(path, declared, all_facts)
    return files


def _file(
    path: str, declared: list[schema_facts.FactMessage | schema_facts.FactEnum], all_facts: schema_facts.Facts
) -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name=path, syntax=_syntax(path, declared))
    scopes: dict[str, Any] = {}  # descriptors of outer types, by full name
    needed: set[str] = set()
    for fact in sorted(declared, key=lambda fact: fact.full_name.count(".")):  # outer types first
        outer, _, name = fact.full_name.rpartition(".")
        scope = scopes.get(outer)
        if scope is None:
            if file.package not in ("", outer):
                raise ValueError(f"{path} is of package {file.package} and of {outer}")
            file.package = outer
        if isinstance(fact, schema_facts.FactEnum):
            _fill_enum((scope or file).enum_type.add(name=name), fact)
        else:
            new = scope.nested_type.add(name=name) if scope else file.message_type.add(name=name)
            scopes[fact.full_name] = new
            needed |= _fill_message(new, fact, all_facts)
    file.dependency.extend(sorted(needed - {path}))
    return file


def _syntax(path: str, declared: list[schema_facts.FactMessage | schema_facts.FactEnum]) -> str:
    """Return the syntax of a file: that of its messages or, without any, from whether its enums are closed."""
    of_messages = {fact.syntax for fact in declared if isinstance(fact, schema_facts.FactMessage)}
    of_enums = {"proto2" if fact.closed else "proto3" for fact in declared if isinstance(fact, schema_facts.FactEnum)}
    if len(of_messages | of_enums) != 1:
        raise ValueError(f"{path} is of more than one syntax")
    return (of_messages | of_enums).pop()


def _fill_enum(descriptor: descriptor_pb2.EnumDescriptorProto, fact: schema_facts.FactEnum) -> None:
    for value in fact.values:
        descriptor.value.add(name=value.name, number=value.number)
    if len({value.number for value in fact.values}) < len(fact.values):
        descriptor.options.allow_alias = True


def _fill_message(
    descriptor: descriptor_pb2.DescriptorProto, fact: schema_facts.FactMessage, all_facts: schema_facts.Facts
) -> set[str]:
    """Give a message its fields; the files that it needs for that."""
    needed = set()
    oneofs = list(dict.fromkeys(field.oneof for field in fact.fields if field.oneof))
    synthetic = [f"_{field.name}" for field in fact.fields if field.optional]  # how protoc encodes proto3's `optional`
    descriptor.oneof_decl.extend(descriptor_pb2.OneofDescriptorProto(name=name) for name in oneofs + synthetic)
    for field in fact.fields:
        label = "required" if field.required else "repeated" if field.map_types else field.label
        new = descriptor.field.add(name=field.name, number=field.number, label=_LABELS[label])
        if field.map_types:
            entry_name = "".join(part.capitalize() for part in field.name.split("_")) + "Entry"
            entry = descriptor.nested_type.add(name=entry_name)
            entry.options.map_entry = True
            for number, (name, of) in enumerate(zip(("key", "value"), field.map_types, strict=True), 1):
                needed |= _set_type(entry.field.add(name=name, number=number, label=_LABELS[""]), of, False, all_facts)
            new.type, new.type_name = new.TYPE_MESSAGE, f".{fact.full_name}.{entry_name}"
        else:
            needed |= _set_type(new, field.type, field.group, all_facts)
        if field.repeated and (
            field.type in all_facts.enums or field.type in schema_facts.SCALARS - {"string", "bytes"}
        ):
            new.options.packed = field.packed
        if field.oneof:
            new.oneof_index = oneofs.index(field.oneof)
        if field.optional:
            new.oneof_index, new.proto3_optional = len(oneofs) + synthetic.index(f"_{field.name}"), True
        if field.deprecated:
            new.options.deprecated = True
        if field.default is not None:  # a descriptor keeps the escapes of bytes, and not those of a string
            is_string = field.type == "string"
            new.default_value = text_encoding.CUnescape(field.default).decode() if is_string else field.default
    return needed


def _set_type(
    descriptor: descriptor_pb2.FieldDescriptorProto, type_: str, group: bool, all_facts: schema_facts.Facts
) -> set[str]:
    """Set a field's type; the file that declares it, if one does."""
    if type_ in schema_facts.SCALARS:
        descriptor.type = descriptor_pb2.FieldDescriptorProto.Type.Value(f"TYPE_{type_.upper()}")
        return set()
    descriptor.type_name = f".{type_}"
    if type_ in all_facts.enums:
        descriptor.type = descriptor.TYPE_ENUM
        return {all_facts.enums[type_].file}
    descriptor.type = descriptor.TYPE_GROUP if group else descriptor.TYPE_MESSAGE
    return {all_facts.messages[type_].file}


def _in_order_of_need(
    files: dict[str, descriptor_pb2.FileDescriptorProto],
) -> Iterable[descriptor_pb2.FileDescriptorProto]:
    """Return the files in the order of their dependencies."""
    ordered: dict[str, descriptor_pb2.FileDescriptorProto] = {}

    def add(path: str) -> None:
        if path in files and path not in ordered:
            for dependency in files[path].dependency:
                add(dependency)
            ordered[path] = files[path]

    for path in files:
        add(path)
    return ordered.values()


if __name__ == "__main__":
    _serve()
