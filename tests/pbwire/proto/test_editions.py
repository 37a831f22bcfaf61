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
