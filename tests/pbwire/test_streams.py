"""Streams of messages, each behind its size, and JSON lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import DecodeError, EncodeError, JsonError, commands, streams
from tests.support.protobuf_twin import twin
from tfmodel.messages import NodeDef

A, B = NodeDef(name="a", op="Const"), NodeDef(name="b" * 200)
STREAM = b"\x0a\x0a\x01a\x12\x05Const" + b"\xcb\x01" + B.to_bytes()

nodes = st.builds(NodeDef, name=st.text(), op=st.text(), input=st.lists(st.text()))
STATION = ["--proto", "tests/data/proto/weather/station.proto", "--type", "weather.Station"]


def read(data: bytes, **options: int) -> list[NodeDef]:
    return list(streams.read(io.BytesIO(data), NodeDef, **options))  # type: ignore[arg-type]  # max_size and max_depth


def test_a_stream_has_each_message_behind_its_size() -> None:
    out = io.BytesIO()
    assert streams.write(out, [A, B]) == 2
    assert out.getvalue() == STREAM
    assert read(STREAM) == [A, B]


def test_google_reads_and_writes_the_same() -> None:
    delimited = pytest.importorskip("google.protobuf.internal.encoder")
    theirs = [twin(NodeDef)(name=message.name, op=message.op) for message in (A, B)]
    data = b"".join(delimited._VarintBytes(message.ByteSize()) + message.SerializeToString() for message in theirs)
    assert data == STREAM


@given(st.lists(nodes), st.data())
def test_pieces_may_end_anywhere(messages: list[NodeDef], data: st.DataObject) -> None:
    stream = b"".join(streams.frames(messages))
    ends = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    pieces = [stream[start:end] for start, end in zip([0, *ends], [*ends, len(stream)], strict=True)]
    assert list(streams.read(pieces, NodeDef)) == messages
    assert list(streams.read(io.BytesIO(stream), NodeDef, lazy=True)) == messages


@given(st.lists(nodes))
def test_json_lines_hold_the_same_messages(messages: list[NodeDef]) -> None:
    out = io.StringIO()
    assert streams.write_lines(out, messages) == len(messages)
    assert len(out.getvalue().split("\n")) == len(messages) + 1
    assert list(streams.read_lines(out.getvalue().split("\n"), NodeDef)) == messages
    assert list(streams.read_lines(io.BytesIO(out.getvalue().encode()), NodeDef)) == messages


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (STREAM[:5], "truncated at byte 5: messages[0] needs 10 bytes, 4 are left"),
        (STREAM[:12], "truncated at byte 11: messages[1] lacks the end of its size"),
        (STREAM[:-1], f"truncated at byte {len(STREAM) - 1}: messages[1] needs 203 bytes, 202 are left"),
        (b"\x00" + b"\xff" * 12, "the size is not a varint at byte 1: messages[1] (is this a stream of messages?)"),
        (
            b"\xff\xff\xff\xff\x0f",
            "the size is too large at byte 0: messages[0] has 4,294,967,295 bytes, where at most 2,147,483,647 are "
            "allowed (is this a stream of messages?)",
        ),
        (b"\x00\x02\x0a\x05", "truncated at byte 4: messages[1].name needs 5 bytes, 0 are left"),
    ],
)
def test_damage_is_named_with_the_message_and_the_position(data: bytes, error: str) -> None:
    with pytest.raises(DecodeError, match=f"^{re.escape(error)}$") as caught:
        read(data)
    assert caught.value.is_truncated == error.startswith("truncated")


def test_a_stream_may_have_a_limit_of_its_own() -> None:
    with pytest.raises(DecodeError, match=r"messages\[1\] has 203 bytes, where at most 100 are allowed"):
        read(STREAM, max_size=100)


class Endless(io.RawIOBase):
    """Zeros without end, a few at a time; `given` counts them."""

    given = 0

    def read(self, size: int = -1) -> bytes:
        self.given += min(size, 1000)
        return bytes(min(size, 1000))


def test_messages_are_read_one_at_a_time() -> None:
    file = Endless()
    stream = streams.read(file, NodeDef)
    assert [next(stream) for _ in range(3)] == [NodeDef()] * 3
    assert file.given == 1000


def test_a_declared_size_allocates_nothing() -> None:
    with pytest.raises(DecodeError, match=r"needs 2,147,483,647 bytes, 3 are left"):
        read(b"\xff\xff\xff\xff\x07abc")


def test_messages_before_an_error_are_written() -> None:
    out = io.BytesIO()
    with pytest.raises(EncodeError, match=r"^messages\[1\]\.name: "):
        streams.write(out, [A, NodeDef(name=5)])  # type: ignore[arg-type]  # on purpose
    assert read(out.getvalue()) == [A]


def test_messages_are_written_while_they_are_made() -> None:
    out = io.BytesIO()

    def messages() -> Iterator[NodeDef]:
        yield A
        assert out.getvalue()
        yield B

    streams.write(out, messages())


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (['{"name": "a"}', "", '{"name": 5}'], r"^3: name: "),
        (['{"name": "a"}', '{"name": }'], r"^2:10: "),
    ],
)
def test_an_error_in_json_names_the_line(lines: list[str], error: str) -> None:
    with pytest.raises(JsonError, match=error):
        list(streams.read_lines(lines, NodeDef))


# --- the command line ------------------------------------------------------------------------------------------------


def test_commands_read_and_write_streams(tmp_path, capsysbinary) -> None:  # type: ignore[no-untyped-def]
    lines, stream = tmp_path / "stations.jsonl", tmp_path / "stations.bin"
    lines.write_text('{"name": "Oslo"}\n{"name": "Rome", "readings": [{"time": "60"}]}\n')
    assert commands.main(["encode", *STATION, "--json", "--delimited", str(lines), "-o", str(stream)]) == 0
    assert stream.read_bytes().startswith(b"\x06\x0a\x04Oslo")
    assert commands.main(["json", *STATION, "--delimited", str(stream)]) == 0
    assert capsysbinary.readouterr().out == lines.read_bytes()
    assert commands.main(["decode", *STATION, "--delimited", str(stream)]) == 0
    assert capsysbinary.readouterr().out == b'name: "Oslo"\n\nname: "Rome"\nreadings {\n  time: 60\n}\n'


def test_commands_print_the_messages_before_damage(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    stream = tmp_path / "stations.bin"
    stream.write_bytes(b"\x06\x0a\x04Oslo\x09abc")
    assert commands.main(["json", *STATION, "--delimited", str(stream)]) == 2
    out, err = capsys.readouterr()
    assert out == '{"name": "Oslo"}\n'
    assert err == f"pbwire: {stream}: truncated at byte 11: messages[1] needs 9 bytes, 3 are left\n"


def test_a_failed_command_leaves_no_file(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    lines = tmp_path / "stations.jsonl"
    lines.write_text('{"name": "Oslo"}\n{"nam": 1}\n')
    assert commands.main(["encode", *STATION, "--json", "--delimited", str(lines), "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"pbwire: {lines}:2: ")
    assert [path.name for path in tmp_path.iterdir()] == ["stations.jsonl"]


def test_texts_have_no_ends(capsys) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SystemExit, match="2"):
        commands.main(["encode", *STATION, "--delimited"])
    assert "--delimited needs --json" in capsys.readouterr().err
