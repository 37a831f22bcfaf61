"""Features of editions: what an absent field is, how lists of numbers are encoded, which enums are closed.

https://protobuf.dev/editions/features. proto2 and proto3 are sets of defaults. A declaration inherits the features of
the declaration around it, except those that its own options set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from . import descriptor_messages as d

__all__ = ["DEFAULTS", "INTRODUCED_IN_2024", "Features", "Visibility", "default_features", "inherit", "syntax_of"]

Visibility = d.FeatureSet.VisibilityFeature.DefaultSymbolVisibility
INTRODUCED_IN_2024 = ("enforce_naming_style", "default_symbol_visibility")


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
}
"""The features of files that set none, by syntax; of edition 2024 under "2024"."""


def syntax_of(file: Any) -> str:
    """Return "proto2", "proto3" or "editions" for the descriptor of a file."""
    return file.syntax or "proto2"


def default_features(file: Any) -> Features:
    """Return the features of a file that sets none."""
    return DEFAULTS["2024" if file.edition == d.Edition.EDITION_2024 else syntax_of(file)]


def inherit(outer: Features, options: Any) -> Features:
    """Return the features of a declaration with these options inside one with the features `outer`."""
    own = options.features if options is not None else None
    if own is None:
        return outer
    names = Features.__dataclass_fields__
    return replace(outer, **{name: value for name in names if (value := getattr(own, name)) is not None})
