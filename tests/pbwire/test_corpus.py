"""Real files through the codec, compared with Google's pure-Python backend, which sorts deterministic output by key."""

from functools import cache

import pytest

from pbwire import DecodeError, raw
from tests.support.corpus import model_files, needs_corpus
from tests.support.effort import LONG
from tests.support.protobuf_twin import Job, pure_python, twin
from tfmodel import messages

TYPES = {
    ".meta": "MetaGraphDef",
    "saved_model.pb": "SavedModel",
    "fingerprint.pb": "FingerprintDef",
    "frozen.pb": "GraphDef",
    "linear.pb": "GraphDef",
    "convnet.pb": "GraphDef",
}
LARGE = 1_000_000  # bytes: what is larger is for a long run
PARAMETERS = [
    pytest.param(path, getattr(messages, name), id=parameter.id, marks=parameter.marks)
    for suffix, name in TYPES.items()
    for parameter in model_files(suffix)
    if (path := parameter.values[0]) and (LONG or path.stat().st_size < LARGE)
]
FILES = [parameter.values for parameter in PARAMETERS]

each_file = pytest.mark.parametrize(("path", "cls"), PARAMETERS)


@cache
def pure_python_answers():
    """For each file its deterministic and its plain bytes, from one process."""
    wants = ("deterministic", "bytes")
    jobs = [Job(f"tensorflow.{cls.__name__}", path.read_bytes(), want) for path, cls in FILES for want in wants]
    answers = pure_python(jobs)
    return {path: tuple(answers[2 * i : 2 * i + 2]) for i, (path, _) in enumerate(FILES)}


@needs_corpus
def test_there_are_files():
    assert len(FILES) >= (18 if LONG else 15)


@each_file
def test_deterministic_bytes_are_those_of_pure_python_protobuf(path, cls):
    assert cls.from_bytes(path.read_bytes()).to_bytes(deterministic=True) == pure_python_answers()[path][0]


@each_file
def test_files_that_pure_python_protobuf_writes_back_unchanged_are_written_back_unchanged(path, cls):
    data = path.read_bytes()
    if pure_python_answers()[path][1] == data:
        assert cls.from_bytes(data).to_bytes() == data
        assert b"".join(cls.from_bytes(data).to_buffers()) == data
    assert twin(cls).FromString(cls.from_bytes(data).to_bytes()) == twin(cls).FromString(data)


@each_file
def test_an_undecoded_message_is_written_back_unchanged(path, cls):
    data = path.read_bytes()
    written = cls.from_bytes(data, lazy=True).to_bytes()
    assert sorted(data[r.offset : r.end] for r in raw.walk(data)) == sorted(
        written[r.offset : r.end] for r in raw.walk(written)
    )  # the outermost fields are put in order


@each_file
def test_a_lazy_message_decoded_later_equals_an_eager_one(path, cls):
    data = path.read_bytes()
    assert cls.from_bytes(data, lazy=True) == cls.from_bytes(data)


@each_file
def test_no_field_is_unknown_to_the_tables(path, cls):
    def unknown(message):
        yield message.unknown_fields
        for field, value in message.ListFields():
            if (field.value or field).kind == "message":
                parts = value.values() if field.label == "map" else value if field.label == "repeated" else [value]
                for part in parts:
                    yield from unknown(part)

    assert set(unknown(cls.from_bytes(path.read_bytes()))) == {b""}


@each_file
def test_truncation_anywhere_is_an_error_with_its_position(path, cls):
    data = path.read_bytes()
    ends = {record.end for record in raw.walk(data)}  # cut between two fields, a file is a shorter message
    for size in range(1, len(data), max(1, len(data) // 20)):
        if size not in ends:
            with pytest.raises(DecodeError) as caught:
                cls.from_bytes(data[:size])
            assert 0 <= caught.value.offset <= size
            assert caught.value.path
