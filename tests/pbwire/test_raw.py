"""Walking wire bytes: every byte once, names from the table, and all records before the damage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import table as pb
from pbwire.errors import DecodeError
from pbwire.raw import Record, looks_like_message, walk
from pbwire.wire import WireType, read_tag
from tests.support.corpus import model_files


@pb.message("test.raw.Leaf")
class Leaf(pb.Message):
    text: str = pb.string(1)
    content: bytes = pb.bytes(2)
    sizes: list[int] = pb.repeated(pb.int64, 3)


@pb.message("test.raw.Node", syntax="proto2")
class Node(pb.Message):
    @pb.message("test.raw.Node.Part", syntax="proto2")
    class Part(pb.Message):
        size: int | None = pb.fixed32(6)

    name: str | None = pb.string(1)
    children: list[Node] = pb.repeated("Node", 2)
    attr: dict[str, Leaf] = pb.map(pb.string, Leaf, 3)
    part: Part | None = pb.field(Part, 5, group=True)
    by_number: dict[int, Leaf] = pb.map(pb.uint32, Leaf, 7)


def varint(value: int) -> bytes:
    head = b""
    while value > 127:
        head += bytes([value & 127 | 128])
        value >>= 7
    return head + bytes([value])


def block(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def collect(data: bytes, **options: object) -> tuple[list[Record], DecodeError | None]:
    """Return the records, and the error that ended the walk, if any."""
    records: list[Record] = []
    try:
        for record in walk(data, **options):
            records.append(record)
    except DecodeError as error:
        return records, error
    return records, None


def spans(records: list[Record]) -> list[tuple[int, int]]:
    """Return the bytes of each record alone: a nested payload belongs to the records inside it."""
    return [(r.offset, r.start if r.nested else r.end) for r in records]


EVERY_WIRE_TYPE = b"\x08\x96\x01" + b"\x11" + b"\xff" * 8 + b"\x1a\x03abc" + b"\x23\x08\x01\x24" + b"\x2d\x01\0\0\0"

NODE = (
    block(1, b"root")
    + block(2, block(1, b"first"))
    + block(2, block(1, b"second") + block(3, block(1, b"T") + block(2, block(1, b"text") + block(2, b"\x08\x01"))))
    + b"\x2b\x35\x05\0\0\0\x2c"
    + block(9, block(1, b"unknown"))
)


BOUNDARIES = [0, 6, 15, 42, 49, 60]  # of the outermost fields of NODE


def test_a_record_for_every_wire_type():
    records, error = collect(EVERY_WIRE_TYPE)
    assert error is None
    assert [(r.offset, r.number, r.wire_type, r.start, r.length, r.value, r.depth, r.nested) for r in records] == [
        (0, 1, WireType.VARINT, 1, 2, 150, 0, False),
        (3, 2, WireType.FIXED64, 4, 8, 2**64 - 1, 0, False),
        (12, 3, WireType.LENGTH, 14, 3, b"abc", 0, False),
        (17, 4, WireType.START_GROUP, 18, 0, None, 0, True),
        (18, 1, WireType.VARINT, 19, 1, 1, 1, False),
        (20, 4, WireType.END_GROUP, 21, 0, None, 0, False),
        (21, 5, WireType.FIXED32, 22, 4, 1, 0, False),
    ]
    assert all(r.field is None and not r.cut for r in records)


def test_part_of_a_buffer_keeps_its_offsets():
    data = b"\xff\xff" + EVERY_WIRE_TYPE + b"\xff"
    moved = list(walk(memoryview(data), start=2, end=len(data) - 1))
    assert [r.offset - 2 for r in moved] == [r.offset for r in walk(EVERY_WIRE_TYPE)]
    assert list(walk(b"\xff", start=1)) == list(walk(b"")) == []


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 4), (2, 1), (4, None)])
def test_a_part_outside_the_buffer_is_the_callers_mistake(start, end):
    with pytest.raises(ValueError, match="out of range for 3 bytes"):
        walk(b"abc", start=start, end=end)
    with pytest.raises(ValueError, match="out of range for 3 bytes"):
        looks_like_message(b"abc", start=start, end=end)


def test_a_table_gives_the_names_of_fields_and_the_payloads_that_are_messages():
    records, error = collect(NODE, cls=Node)
    assert error is None
    assert [(r.depth, r.field.name if r.field else r.number, r.nested) for r in records] == [
        (0, "name", False),
        (0, "children", True),
        (1, "name", False),
        (0, "children", True),
        (1, "name", False),
        (1, "attr", True),
        (2, "key", False),
        (2, "value", True),
        (3, "text", False),
        (3, "content", False),  # looks like a message, but the table says bytes
        (0, "part", True),
        (1, "size", False),
        (0, "part", False),
        (0, 9, False),
    ]


def test_unknown_payloads_that_look_like_messages_are_entered():
    depths = [(r.depth, r.number) for r in walk(NODE, cls=Node, guess=True)]
    assert depths[-2:] == [(0, 9), (1, 1)]
    assert [(r.depth, r.number) for r in walk(NODE, guess=True)] == [
        (0, 1),
        (0, 2),
        (1, 1),
        (0, 2),
        (1, 1),
        (1, 3),
        (2, 1),
        (2, 2),
        (3, 1),
        (3, 2),
        (4, 1),
        (0, 5),
        (1, 6),
        (0, 5),
        (0, 9),
        (1, 1),
    ]


def test_a_guess_prefers_text():
    assert looks_like_message(b"0x")
    assert not next(walk(block(1, b"0x"), guess=True)).nested
    assert not next(walk(block(1, "0x… \N{GREEK SMALL LETTER PI}".encode() * 40), guess=True)).nested


def test_a_field_of_the_wrong_wire_type_has_no_name():
    data = b"\x08\x01" + b"\x10\x01" + b"\x1d1234" + b"\x2a\x00"
    assert [r.field for r in walk(data, cls=Node)] == [None, None, None, None]


def test_numbers_may_come_packed_or_one_by_one():
    assert [r.field and r.field.name for r in walk(b"\x18\x01\x1a\x02\x01\x02", cls=Leaf)] == ["sizes", "sizes"]


@pytest.mark.parametrize(
    ("data", "seen", "text"),
    [
        (b"\x08\x01\x10\x80", [1], "truncated inside a number at byte 3: 2"),
        (b"\x08\x01\x10", [1], "truncated inside a number at byte 3: 2"),
        (b"\x08\x01\x90", [1], "truncated inside a tag at byte 2"),
        (b"\x08\x01\x00", [1], "field number 0 at byte 2"),
        (b"\x08\x01\x0f", [1], "field 1 of wire type 7, which does not exist, at byte 2"),
        (b"\x08\x01\x1d\x01", [1], "truncated at byte 3: 3 needs 4 bytes, 1 are left"),
        (b"\x08\x01\x08\x02\x0d\x01", [1, 1], "truncated at byte 5: 1[2] needs 4 bytes, 1 are left"),
        (b"\x08\x01\x1a\x09abc", [1, 3], "truncated at byte 4: 3 needs 9 bytes, 3 are left"),
        (b"\x23\x08\x01", [4, 1], "truncated at byte 3: 4 is not closed"),
        (b"\x23\x23\x24\x23\x10\x80", [4, 4, 4, 4], "truncated inside a number at byte 5: 4.4[1].2"),
        (b"\x23\x2c", [4], "end of group 5 inside group 4 at byte 1: 4"),
        (b"\x08\x01\x24", [1], "end of group 4, which is not open, at byte 2"),
    ],
)
def test_all_records_before_the_damage_are_yielded(data, seen, text):
    records, error = collect(data)
    assert ([r.number for r in records], str(error)) == (seen, text)


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (b"\x08\x80", "truncated inside a number at byte {end}: {path}.1"),
        (b"\x00", "field number 0 at byte {tag}: {path}"),
        (b"\x12\x05ab", "truncated at byte {value}: {path}.content needs 5 bytes, 2 are left"),
        (b"\x1a\x05ab", "truncated at byte {value}: {path}.sizes needs 5 bytes, 2 are left"),
        (b"\x18\x01\x18\x01\x18\x80", "truncated inside a number at byte {end}: {path}.sizes[2]"),
    ],
)
@pytest.mark.parametrize(
    ("number", "key", "path"),
    [
        (3, block(1, b"T"), 'attr["T"]'),
        (3, block(1, b'a\n"b\xff'), 'attr["a\\n\\"b\\ufffd"]'),
        (3, block(1, b"x" * 200), 'attr["' + "x" * 100 + '"]'),
        (7, b"\x08\x63", "by_number[99]"),
        (7, b"", "by_number"),
    ],
)
def test_a_path_leads_to_the_damage(damage, text, number, key, path):
    whole = block(number, key + block(2, damage))
    node = block(2, b"") + block(1, b"x") + block(2, whole)
    _, error = collect(node, cls=Node)
    tag = len(node) - len(damage)
    expected = text.format(tag=tag, value=tag + 2, end=len(node) - 1, path=f"children[1].{path}")
    assert str(error) == expected


def test_a_truncated_payload_is_entered_up_to_its_end():
    for end in range(len(NODE)):
        whole = [r for r in walk(NODE, cls=Node) if r.start <= end and (r.nested or r.end <= end)]
        records, error = collect(NODE[:end], cls=Node)
        assert [r.offset for r in records if not r.cut or r.nested] == [r.offset for r in whole]
        assert (error is None) == (end in BOUNDARIES)
        if error is not None:
            assert error.message.startswith("truncated") and 0 <= error.offset <= end


def test_a_truncated_payload_has_its_declared_length_and_a_view_of_its_bytes():
    (record,), error = collect(b"\x0a" + b"\xff" * 9 + b"\x01abc")
    assert (record.length, record.value, record.cut, record.nested) == (2**64 - 1, b"abc", True, False)
    assert str(error) == "truncated at byte 11: 1 needs 18,446,744,073,709,551,615 bytes, 3 are left"


def test_a_truncated_payload_is_guessed_to_be_a_message_after_one_whole_field():
    assert [r.number for r in collect(b"\x0a\x70\x12\x02ab\x1a\x60abc", guess=True)[0]] == [1, 2, 3]
    assert [r.number for r in collect(b"\x0a\x70\x1a\x60abc", guess=True)[0]] == [1]


def nest(levels: int) -> bytes:
    data = b"\x08\x01"
    for _ in range(levels):
        data = block(2, data)
    return data


def test_below_the_nesting_limit_payloads_are_bytes():
    for options in ({"cls": Node}, {"guess": True}):
        records, error = collect(nest(101), **options)
        assert error is None
        assert [r.nested for r in records] == [True] * 100 + [False]
        records, error = collect(nest(5), max_depth=3, **options)
        assert [(r.depth, r.nested) for r in records] == [(0, True), (1, True), (2, True), (3, False)]
    assert len(collect(nest(5000), cls=Node, max_depth=10_000)[0]) == 5001


def test_groups_nest_as_deep_as_in_protobuf():
    assert collect(b"\x0b" * 100 + b"\x0c" * 100)[1] is None
    _, error = collect(b"\x0b" * 101 + b"\x0c" * 101)
    assert (error.message, error.offset) == ("nested more than 100 levels deep", 100)
    assert looks_like_message(b"\x0b" * 100 + b"\x0c" * 100)
    assert not looks_like_message(b"\x0b" * 101 + b"\x0c" * 101)


def test_a_guess_never_leads_into_groups_that_are_too_deep():
    records, error = collect(block(1, b"\x0b" * 100 + b"\x0c" * 100), guess=True)
    assert error is None and not records[0].nested
    records, error = collect(block(1, b"\x0b" * 99 + b"\x0c" * 99), guess=True)
    assert error is None and len(records) == 1 + 2 * 99


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"", True),
        (EVERY_WIRE_TYPE, True),
        (EVERY_WIRE_TYPE[:-1], False),
        (NODE, True),
        (b"\x0a\x05abc", False),
        (b"hello, world", False),
        (b"\x89PNG\r\n\x1a\n", False),
        (b"<html>", False),
    ],
)
def test_looks_like_message(data, answer):
    assert looks_like_message(data) is answer
    assert looks_like_message(b"\0" + data + b"\0", start=1, end=1 + len(data)) is answer


@pytest.mark.parametrize("damage", [b"", b"\x08"])
def test_no_tag_is_read_more_than_three_times(monkeypatch, damage):
    """Twice by the guesses at its own level and at a group's, once by the walk, at any depth."""
    payload = b"\x08\x01" * 10_000
    for _ in range(120):
        payload = block(1, payload) + b"\x13" + b"\x08\x01" * 100 + b"\x14"
    looks = 0

    def counted(*arguments):
        nonlocal looks
        looks += 1
        return read_tag(*arguments)

    monkeypatch.setattr("pbwire.raw.read_tag", counted)
    monkeypatch.setattr("pbwire.wire.read_tag", counted)
    records, error = collect(payload + damage, guess=True)
    assert len(records) == 100 * 103
    assert looks <= 3 * len(records) + 3
    assert (error is None) == (not damage)


fields = st.recursive(
    st.one_of(
        st.builds(lambda n, v: varint(n << 3) + varint(v), st.integers(1, 2**29 - 1), st.integers(0, 2**64 - 1)),
        st.builds(lambda n, v: varint(n << 3 | 1) + v, st.integers(1, 99), st.binary(min_size=8, max_size=8)),
        st.builds(lambda n, v: varint(n << 3 | 5) + v, st.integers(1, 99), st.binary(min_size=4, max_size=4)),
        st.builds(block, st.integers(1, 20), st.binary(max_size=20)),
    ),
    lambda inner: st.one_of(
        st.builds(lambda n, v: block(n, b"".join(v)), st.integers(1, 20), st.lists(inner, max_size=4)),
        st.builds(
            lambda n, v: varint(n << 3 | 3) + b"".join(v) + varint(n << 3 | 4),
            st.integers(1, 20),
            st.lists(inner, max_size=4),
        ),
    ),
    max_leaves=20,
)
messages = st.lists(fields, max_size=6).map(b"".join)
ways = st.sampled_from(
    [{}, {"guess": True}, {"cls": Node}, {"cls": Node, "guess": True}, {"guess": True, "max_depth": 2}]
)


@given(messages, ways)
def test_every_byte_of_a_message_is_covered_once(data, options):
    records, error = collect(data, **options)
    if error is not None:  # only a table can be wrong about a payload, and only a low limit about groups
        assert "cls" in options or "max_depth" in options
        return
    edges = [0] + [end for _, end in spans(records)]
    assert [start for start, _ in spans(records)] == edges[:-1]
    assert edges[-1] == len(data)
    assert looks_like_message(data)


@given(messages, ways)
def test_every_strict_prefix_is_shown_up_to_its_end(data, options):
    for end in range(len(data)):
        records, error = collect(data[:end], **options)
        assert looks_like_message(data[:end]) is (collect(data[:end])[1] is None)
        edges = [0] + [stop for _, stop in spans(records)]
        assert [start for start, _ in spans(records)] == edges[:-1]
        if error is None:
            assert edges[-1] == end
        else:
            assert error.offset is not None and 0 <= error.offset <= end


@given(
    st.one_of(
        st.binary(),
        messages.flatmap(
            lambda m: st.builds(
                lambda at, byte: m[:at] + bytes([byte]) + m[at + 1 :],
                st.integers(0, max(0, len(m) - 1)),
                st.integers(0, 255),
            )
        ),
    ),
    ways,
)
def test_only_decode_errors_are_raised(data, options):
    records, error = collect(data, **options)
    edges = [0] + [end for _, end in spans(records)]
    assert [start for start, _ in spans(records)] == edges[:-1]
    if error is not None:
        assert error.offset is not None and 0 <= error.offset <= len(data)
        str(error)


@pytest.mark.parametrize("path", model_files(".pb", ".meta"))
def test_real_files_are_covered_without_a_table(path):
    data = path.read_bytes()
    assert looks_like_message(data)
    end = 0
    for record in walk(data, guess=True):
        assert record.offset == end
        end = record.start if record.nested else record.end
    assert end == len(data)
