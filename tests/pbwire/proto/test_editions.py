"""Edition 2026, as far as it differs from 2024: its defaults, and what it introduces."""

from __future__ import annotations

import pytest

from pbwire import proto
from pbwire.proto import descriptor_messages as d
from pbwire.proto.loader import Loader

E26 = 'edition = "2026"; package a; '


def features_of(text, full_name):
    loader = Loader([])
    loader.load_text(text, "a.proto")
    return loader.pool.symbols[full_name].features


def test_a_file_of_edition_2026_is_loaded():
    types = proto.load_text(f"{E26} message M {{ string name = 1; repeated int32 x = 2; }}")
    assert types["a.M"](name="", x=[1, 300]).to_bytes() == b"\n\x00\x12\x03\x01\xac\x02"
    assert types["a.M"].from_bytes(b"").name is None  # fields have presence, as in 2023


def test_a_descriptor_of_edition_2026_is_loaded():
    file = d.FileDescriptorProto(name="a.proto", syntax="editions", edition=d.Edition.EDITION_2026)
    file.message_type.append(d.DescriptorProto(name="M"))
    assert "M" in proto.load_set(d.FileDescriptorSet(file=[file]).to_bytes())


@pytest.mark.parametrize(
    ("edition", "style", "visibility", "limits"),
    [
        ("2023", "STYLE_LEGACY", "EXPORT_ALL", "LEGACY_NO_EXPLICIT_LIMITS"),
        ("2024", "STYLE2024", "EXPORT_TOP_LEVEL", "LEGACY_NO_EXPLICIT_LIMITS"),
        ("2026", "STYLE2026", "STRICT", "PROTO_LIMITS2026"),
    ],
)
def test_an_edition_has_its_defaults(edition, style, visibility, limits):
    features = features_of(f'edition = "{edition}"; message M {{ }}', "M")
    found = features.enforce_naming_style, features.default_symbol_visibility, features.enforce_proto_limits
    assert [feature.name for feature in found] == [style, visibility, limits]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('edition = "UNSTABLE";', 'edition "UNSTABLE" is for tests of protobuf'),
        ('edition = "2025";', 'edition "2025" is unknown; known: 2023, 2024, 2026'),
        (f"{E26} message bad_name {{ }}", "is not in TitleCase"),
        (f"{E26} message M {{ int32 badName = 1; }}", "is not in lower_snake_case"),
        (f"{E26} message M {{ export message N {{ }} }}", "cannot be exported"),
        (f"{E26} option java_multiple_files = true;", "editions since 2024 have no option"),
        (
            'edition = "2024"; message M { option features.enforce_proto_limits = PROTO_LIMITS2026; }',
            "features.enforce_proto_limits needs edition 2026",
        ),
    ],
)
def test_a_file_is_refused(source, problem):
    with pytest.raises(proto.ProtoError) as caught:
        proto.load_text(source, "a.proto")
    assert problem in str(caught.value)


@pytest.mark.parametrize(("word", "is_visible"), [("", False), ("local", False), ("export", True)])
def test_a_message_is_local_unless_it_is_exported(word, is_visible, tmp_path):
    (tmp_path / "a.proto").write_text(f"{E26} {word} message M {{ }}")
    (tmp_path / "b.proto").write_text('edition = "2026"; package b; import "a.proto"; message N { a.M m = 1; }')
    if is_visible:
        assert "b.N" in proto.load(tmp_path / "b.proto", include=[tmp_path])
        return
    with pytest.raises(proto.ProtoError, match=r"local to a\.proto"):
        proto.load(tmp_path / "b.proto", include=[tmp_path])


# --- STYLE2026 -------------------------------------------------------------------------------------------------------


def problem_in(source):
    """Return the error of a file; "" if there is none."""
    try:
        proto.load_text(source, "a.proto")
    except proto.ProtoError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["has_x", "get_x", "set_x", "clear_x", "x_value"])
@pytest.mark.parametrize(
    "members",
    [
        "int32 {name} = 1; int32 x = 2;",
        "int32 x = 2; repeated int32 {name} = 1;",
        "oneof o {{ int32 {name} = 1; int32 x = 2; }}",
        "oneof {name} {{ int32 x = 2; }}",
        "oneof x {{ int32 {name} = 1; }}",
        "int32 x = 2; extensions 9; extend M {{ int32 {name} = 9; }}",
    ],
)
def test_a_name_beside_a_field_or_oneof_whose_accessors_it_could_be_is_refused(name, members):
    message = f"message M {{ {members.format(name=name)} }}"
    assert f'"{name}" is not allowed, since it can collide with accessors of the ' in problem_in(E26 + message)
    assert problem_in(f"{E26} option features.enforce_naming_style = STYLE2024; {message}") == ""
    assert problem_in(f'edition = "2024"; package a; {message}') == ""


@pytest.mark.parametrize("member", ["int32 descriptor = 1;", "oneof descriptor { int32 x = 1; }"])
def test_no_field_and_no_oneof_is_named_descriptor(member):
    assert "it is the name of a method" in problem_in(f"{E26} message M {{ {member} }}")
    assert problem_in(f'edition = "2024"; package a; message M {{ {member} }}') == ""


@pytest.mark.parametrize(
    "declaration",
    [
        "message M { string has_bar = 1; string baz = 2; string bar_value = 3; }",
        "message M { oneof has_bar { string test_field = 1; } }",
        "message M { int32 has_x = 1; message N { int32 x = 1; } }",
        "message M { int32 has_x = 1; extensions 9; extend M { int32 x = 9; } }",
        "message Descriptor { } enum E { DESCRIPTOR = 0; }",
    ],
)
def test_a_name_that_collides_with_nothing_is_allowed(declaration):
    assert problem_in(E26 + declaration) == ""


# --- PROTO_LIMITS2026 ------------------------------------------------------------------------------------------------


def numbered(text, count):
    return " ".join(text.replace("#", str(number)) for number in range(1, count + 1))


OPTION = "option features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS;"
LIMITS = {
    "fields": (1_500, lambda count, option: f"message M {{ {option} {numbered('int32 f# = #;', count)} }}"),
    "oneofs": (
        1_000,
        lambda count, option: f"message M {{ {option} {numbered('oneof o# { int32 f# = #; }', count)} }}",
    ),
    "fields of a oneof": (
        1_200,
        lambda count, option: f"message M {{ oneof o {{ {option} {numbered('int32 f# = #;', count)} }} }}",
    ),
    "values": (1_700, lambda count, option: f"enum E {{ {option} A = 0; {numbered('A# = #;', count - 1)} }}"),
}


@pytest.mark.parametrize("part", LIMITS)
def test_a_type_has_a_largest_size(part):
    most, text = LIMITS[part]
    assert problem_in(E26 + text(most, "")) == ""
    too_large = text(most + 1, "")
    assert f"has {most + 1:,} {part.split()[0]}, but edition 2026 allows {most:,}" in problem_in(E26 + too_large)
    assert problem_in('edition = "2024"; package a; ' + too_large) == ""
    assert problem_in(E26 + text(most + 1, OPTION)) == ""


@pytest.mark.parametrize("scope", ["", "enum E { A = 0 [features.enforce_proto_limits = PROTO_LIMITS2026]; }"])
def test_limits_are_set_where_they_apply(scope):
    source = scope or "option features.enforce_proto_limits = PROTO_LIMITS2026;"
    assert "is an option of messages, enums, fields and oneofs" in problem_in(E26 + source)
