"""`_GetFeatures` of descriptors, and the defaults of features of a pool."""

from __future__ import annotations

from typing import Any

import pytest

from pbwire.compat import compat_class
from pbwire.compat.pools import DescriptorPool, default_pool
from pbwire.proto import descriptor_messages as d
from pbwire.wellknown import StringValue

File = compat_class(d.FileDescriptorProto)
FeatureSet = compat_class(d.FeatureSet)
Defaults = compat_class(d.FeatureSetDefaults)
EXPLICIT, IMPLICIT, LEGACY_REQUIRED = 1, 2, 3
PACKED, EXPANDED = 1, 2
PROTO2, PROTO3, EDITION_2023, EDITION_2024 = 998, 999, 1000, 1001


def file_of(syntax: str, fields: list[dict[str, Any]], **keywords: Any) -> Any:
    group = {"name": "Group"}
    message = {"name": "M", "field": [{"number": place} | field for place, field in enumerate(fields, 1)]}
    return DescriptorPool().Add(
        File(name="f.proto", package="f", syntax=syntax, message_type=[message | {"nested_type": [group]}], **keywords)
    )


def test_labels_groups_and_packed_stand_for_features_in_proto2() -> None:
    fields = [
        {"name": "needed", "type": 5, "label": 2},
        {"name": "group", "type": 10, "label": 1, "type_name": ".f.M.Group"},
        {"name": "packed", "type": 5, "label": 3, "options": {"packed": True}},
        {"name": "plain", "type": 5, "label": 3},
    ]
    needed, group, packed, plain = file_of("proto2", fields).message_types_by_name["M"].fields
    assert needed._GetFeatures().field_presence == LEGACY_REQUIRED
    assert (group._GetFeatures().message_encoding, plain._GetFeatures().message_encoding) == (2, 1)
    assert [one._GetFeatures().repeated_field_encoding for one in (packed, plain)] == [PACKED, EXPANDED]
    assert plain._GetFeatures().utf8_validation == d.FeatureSet.Utf8Validation.NONE


def test_proto3_has_defaults_of_its_own() -> None:
    fields = [{"name": "a", "type": 5, "label": 3, "options": {"packed": False}}, {"name": "b", "type": 5, "label": 1}]
    file = file_of("proto3", fields)
    expanded, single = file.message_types_by_name["M"].fields
    assert expanded._GetFeatures().repeated_field_encoding == EXPANDED
    features = single._GetFeatures()
    assert (features.field_presence, features.repeated_field_encoding, features.enum_type) == (IMPLICIT, PACKED, 1)


def test_each_declaration_inherits_the_features_around_it() -> None:
    implicit = {"features": {"field_presence": IMPLICIT}}
    expanded = {"features": {"repeated_field_encoding": EXPANDED}}
    enum = {"name": "E", "value": [{"name": "ZERO", "number": 0}]}
    method = {"name": "Do", "input_type": ".f.M", "output_type": ".f.M"}
    file = DescriptorPool().Add(
        File(
            name="f.proto",
            package="f",
            syntax="editions",
            edition=EDITION_2023,
            options=implicit,
            message_type=[
                {
                    "name": "M",
                    "options": expanded,
                    "field": [
                        {"name": "a", "number": 1, "type": 5, "label": 1},
                        {"name": "b", "number": 2, "type": 5, "label": 1, "oneof_index": 0},
                    ],
                    "oneof_decl": [{"name": "choice"}],
                    "nested_type": [{"name": "Inner"}],
                    "enum_type": [enum],
                    "extension_range": [{"start": 10, "end": 20}],
                    "extension": [{"name": "e", "number": 10, "type": 5, "label": 1, "extendee": ".f.M"}],
                }
            ],
            service=[{"name": "S", "method": [method]}],
        )
    )
    message, service = file.message_types_by_name["M"], file.services_by_name["S"]
    inside = [*message.fields, *message.oneofs, *message.nested_types, *message.extensions, *message.enum_types]
    for one in [message, *inside, *message.enum_types[0].values]:
        features = one._GetFeatures()
        assert (features.field_presence, features.repeated_field_encoding) == (IMPLICIT, EXPANDED), one
    for one in (file, service, service.methods[0]):
        features = one._GetFeatures()
        assert (features.field_presence, features.repeated_field_encoding) == (IMPLICIT, PACKED), one
    assert not message.GetOptions().HasField("features")
    copy = compat_class(d.DescriptorProto)()
    message.CopyToProto(copy)
    assert copy.options.features.repeated_field_encoding == EXPANDED


def test_descriptors_of_tables_have_features() -> None:
    descriptor = compat_class(StringValue).DESCRIPTOR
    assert descriptor.fields[0]._GetFeatures().field_presence == IMPLICIT
    assert compat_class(d.FileOptions).DESCRIPTOR.fields[0]._GetFeatures().field_presence == EXPLICIT


def defaults(*editions: int, low: int = PROTO2, high: int = EDITION_2023, **features: Any) -> Any:
    rows = [{"edition": edition, "overridable_features": features} for edition in editions]
    return Defaults(defaults=rows, minimum_edition=low, maximum_edition=high)


def test_a_pool_may_have_defaults_of_its_own() -> None:
    pool = DescriptorPool()
    pool.SetFeatureSetDefaults(defaults(PROTO2, EDITION_2023, enum_type=2))
    features = pool.Add(File(name="a.proto", syntax="proto3"))._GetFeatures()
    assert features == FeatureSet(enum_type=2)
    with pytest.raises(ValueError, match="can't be changed once the pool has started building files"):
        pool.SetFeatureSetDefaults(defaults(PROTO2))
    with pytest.raises(ValueError, match="can't be changed"):
        default_pool().SetFeatureSetDefaults(defaults(PROTO2))


@pytest.mark.parametrize(
    ("value", "error", "problem"),
    [
        ("text", TypeError, "invalid type str"),
        (File(), TypeError, "invalid type"),
        (defaults(PROTO2, low=EDITION_2023, high=PROTO2), ValueError, "range EDITION_2023 to EDITION_PROTO2"),
        (defaults(0), ValueError, "Invalid edition EDITION_UNKNOWN"),
        (defaults(PROTO3, PROTO2), ValueError, "EDITION_PROTO3 is greater than or equal to edition EDITION_PROTO2"),
        (defaults(PROTO2, PROTO2), ValueError, "not strictly increasing"),
    ],
    ids=str,
)
def test_defaults_are_checked(value: Any, error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        DescriptorPool().SetFeatureSetDefaults(value)


@pytest.mark.parametrize(
    ("value", "file", "problem"),
    [
        (defaults(PROTO3), {"syntax": "proto2"}, "No valid default found for edition EDITION_PROTO2"),
        (
            defaults(PROTO3, low=PROTO3),
            {},
            "PROTO2 is earlier than the minimum supported edition EDITION_PROTO3",
        ),
        (
            defaults(PROTO2, high=PROTO3),
            {"syntax": "editions", "edition": EDITION_2023},
            "EDITION_2023 is later than the maximum supported edition EDITION_PROTO3",
        ),
    ],
    ids=str,
)
def test_files_of_other_editions_are_refused(value: Any, file: dict[str, Any], problem: str) -> None:
    pool = DescriptorPool()
    pool.SetFeatureSetDefaults(value)
    with pytest.raises(TypeError, match=problem):
        pool.Add(File(name="a.proto", **file))
