"""Random descriptors are written as .proto text, and parsed again: the result is the same descriptor."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pbwire import proto
from pbwire.proto import descriptor_messages as d
from pbwire.proto.loader import Loader
from pbwire.proto.parser import LABELS, SCALARS

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
SYNTAX = {"proto2": ["optional", "repeated", "required"], "proto3": ["", "optional", "repeated"]}
KEYWORDS = {"option", "message", "enum", "oneof", "extend", "extensions", "reserved", "map", "group", "stream"}


def unique(names, used):
    """Return the names that differ from those in use, also in JSON."""
    for name in names:
        key = name.replace("_", "").lower()
        if key and key not in used and name not in KEYWORDS | {*SCALARS, *LABELS}:
            used.add(key)
            yield name


@st.composite
def files(draw):
    """Draw the text of a file and the descriptor that it has."""
    syntax = draw(st.sampled_from(list(SYNTAX)))
    lines, messages = [f'syntax = "{syntax}";', "package pkg;"], []
    for index in range(draw(st.integers(0, 3))):
        message = d.DescriptorProto(name=f"Message{index}")
        lines.append(f"message Message{index} {{")
        names = unique(draw(st.lists(NAMES, max_size=6)), set())
        numbers = iter(draw(st.lists(st.integers(1, 18999), min_size=6, max_size=6, unique=True)))
        for name, number in zip(names, numbers, strict=False):
            label = draw(st.sampled_from(SYNTAX[syntax]))
            kind = draw(st.sampled_from([*SCALARS, "Message0"]))
            lines.append(f"  {label} {kind} {name} = {number};")
            field = d.FieldDescriptorProto(name=name, number=number, label=LABELS[label or "optional"])
            field.type = SCALARS.get(kind, d.FieldDescriptorProto.Type.TYPE_MESSAGE)
            field.type_name = ".pkg.Message0" if kind == "Message0" else None
            if syntax == "proto3" and label == "optional":
                field.proto3_optional = True
            message.field.append(field)
        lines.append("}")
        messages.append(message)
    return "\n".join(lines), d.FileDescriptorProto(
        name="a.proto", package="pkg", syntax=syntax if syntax == "proto3" else None, message_type=messages
    )


@given(files())
def test_the_text_of_a_descriptor_has_this_descriptor(drawn):
    text, expected = drawn
    loader = Loader([])
    loader.load_text(text, "a.proto")
    found = d.FileDescriptorProto.from_bytes(loader.pool.files["a.proto"].proto.to_bytes())
    for message in found.message_type:
        for field in message.field:
            field.json_name = None
            if field.proto3_optional:
                assert message.oneof_decl[field.oneof_index].name.lstrip("X") in (f"_{field.name}", field.name)
                field.oneof_index = None
        message.oneof_decl = []
    assert found == expected


@given(st.text(max_size=200))
def test_any_text_is_a_file_or_an_error(text):
    try:
        proto.load_text(text)
    except proto.ProtoError as error:
        assert str(error).startswith("input.proto:")
