"""Features of editions: what an absent field is, how lists of numbers are encoded, which enums are closed.

https://protobuf.dev/editions/features. proto2 and proto3 are sets of defaults. A declaration inherits the features of
the declaration around it, except those that its own options set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from . import descriptor_messages as d

Visibility = d.FeatureSet.VisibilityFeature.DefaultSymbolVisibility
ProtoLimits = d.FeatureSet.ProtoLimitsFeature.EnforceProtoLimits
INTRODUCED = {"enforce_naming_style": 2024, "default_symbol_visibility": 2024, "enforce_proto_limits": 2026}
"""The editions that introduced features which 2023 lacks."""


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a declaration that matter to messages and to the checks of declarations."""

    field_presence: d.FeatureSet.FieldPresence = d.FeatureSet.FieldPresence.EXPLICIT
    enum_type: d.FeatureSet.EnumType = d.FeatureSet.EnumType.OPEN
    repeated_field_encoding: d.FeatureSet.RepeatedFieldEncoding = d.FeatureSet.RepeatedFieldEncoding.PACKED
    message_encoding: d.FeatureSet.MessageEncoding = d.FeatureSet.MessageEncoding.LENGTH_PREFIXED
    json_format: d.FeatureSet.JsonFormat = d.FeatureSet.JsonFormat.ALLOW
    enforce_naming_style: d.FeatureSet.EnforceNamingStyle = d.FeatureSet.EnforceNamingStyle.STYLE_LEGACY
    default_symbol_visibility: Visibility = Visibility.EXPORT_ALL
    enforce_proto_limits: ProtoLimits = ProtoLimits.LEGACY_NO_EXPLICIT_LIMITS


DEFAULTS = {
    "proto2": Features(
        enum_type=d.FeatureSet.EnumType.CLOSED,
        repeated_field_encoding=d.FeatureSet.RepeatedFieldEncoding.EXPANDED,
        json_format=d.FeatureSet.JsonFormat.LEGACY_BEST_EFFORT,
    ),
    "proto3": Features(field_presence=d.FeatureSet.FieldPresence.IMPLICIT),
    "editions": Features(),
    "2024": Features(
        enforce_naming_style=d.FeatureSet.EnforceNamingStyle.STYLE2024,
        default_symbol_visibility=Visibility.EXPORT_TOP_LEVEL,
    ),
    "2026": Features(
        enforce_naming_style=d.FeatureSet.EnforceNamingStyle.STYLE2026,
        default_symbol_visibility=Visibility.STRICT,
        enforce_proto_limits=d.FeatureSet.ProtoLimitsFeature.EnforceProtoLimits.PROTO_LIMITS2026,
    ),
}
"""The features of files that set none, by syntax; of editions 2024 and 2026 under these names."""


def syntax_of(file: Any) -> str:
    """Return "proto2", "proto3" or "editions" for the descriptor of a file."""
    return file.syntax or "proto2"


def default_features(file: Any) -> Features:
    """Return the features of a file that sets none."""
    own = {d.Edition.EDITION_2024: "2024", d.Edition.EDITION_2026: "2026"}.get(file.edition)
    return DEFAULTS[own or syntax_of(file)]


def is_2024_or_later(file: Any) -> bool:
    """Return whether the edition of a file has visibilities and checks the style of names."""
    return file.edition in (d.Edition.EDITION_2024, d.Edition.EDITION_2026)


def inherit(outer: Features, options: Any) -> Features:
    """Return the features of a declaration with these options inside one with the features `outer`."""
    own = options.features if options is not None else None
    if own is None:
        return outer
    names = Features.__dataclass_fields__
    return replace(outer, **{name: value for name in names if (value := getattr(own, name)) is not None})
