"""The features of editions as messages: `_GetFeatures` of descriptors, and the defaults of a pool.

A declaration has the features of the declaration around it, except those that its own options set. A file inherits the
defaults of its edition, which a pool may replace: custom features, which are extensions of FeatureSet, have no others.
In files of proto2 and proto3, labels, groups and the option `packed` stand for features.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...proto import descriptor_messages as d
from ...proto.features import DEFAULTS, default_features
from ..classes import Message, unwrap, wrap

_PRESENCE = d.FeatureSet.FieldPresence
_ENCODING = d.FeatureSet.MessageEncoding
_LISTS = d.FeatureSet.RepeatedFieldEncoding
_OF_SYNTAX = {"proto2": d.Edition.EDITION_PROTO2, "proto3": d.Edition.EDITION_PROTO3}


def features_of(descriptor: Any) -> Any:
    """Return the features of a declaration."""
    outer = descriptor._outer
    if outer is None:
        features = defaults_of(descriptor.proto, descriptor.pool._feature_defaults)
    else:
        features = type(outer._features)()
        features.CopyFrom(outer._features)
    _infer(features, descriptor)
    declared = descriptor._declared_options
    if declared.HasField("features"):
        features.MergeFrom(declared.features)
    return features


def _infer(features: Any, descriptor: Any) -> None:
    """Set the features of a field that proto2 and proto3 write in another way."""
    field = descriptor.proto
    if not isinstance(field, d.FieldDescriptorProto) or descriptor.file.proto.syntax == "editions":
        return
    if field.label == d.FieldDescriptorProto.Label.LABEL_REQUIRED:
        features.field_presence = _PRESENCE.LEGACY_REQUIRED
    if field.type == d.FieldDescriptorProto.Type.TYPE_GROUP:
        features.message_encoding = _ENCODING.DELIMITED
    packed = field.options.packed if field.options is not None else None
    if packed is not None:
        features.repeated_field_encoding = _LISTS.PACKED if packed else _LISTS.EXPANDED


def edition_of(file: Any) -> d.Edition:
    """Return the edition of a FileDescriptorProto."""
    edition: d.Edition = file.edition or _OF_SYNTAX.get(file.syntax or "proto2", d.Edition.EDITION_2023)
    return edition


def defaults_of(file: Any, defaults: Any) -> Any:
    """Return the features of a FileDescriptorProto that sets none. `defaults` are those of its pool, or None.

    Raises TypeError if the defaults of the pool are for other editions.
    """
    if defaults is None:
        return wrap(_built_in(file))
    edition = edition_of(file)
    for limit, outside, problem in (
        (defaults.minimum_edition, edition < (defaults.minimum_edition or 0), "earlier than the minimum supported"),
        (defaults.maximum_edition, edition > (defaults.maximum_edition or edition), "later than the maximum supported"),
    ):
        if outside:
            raise TypeError(f"Edition {edition.name} is {problem} edition {limit.name}")
    known = [one for one in defaults.defaults if (one.edition or 0) <= edition]
    if not known:
        raise TypeError(f"No valid default found for edition {edition.name}")
    features = wrap(known[-1].fixed_features or d.FeatureSet())
    features.MergeFrom(wrap(known[-1].overridable_features or d.FeatureSet()))
    return features


def _built_in(file: Any) -> Any:
    values = default_features(file)
    utf8 = d.FeatureSet.Utf8Validation
    validation = utf8.NONE if values is DEFAULTS["proto2"] else utf8.VERIFY
    fields = {name: getattr(values, name) for name in type(values).__dataclass_fields__}
    return d.FeatureSet(utf8_validation=validation, **fields)


def checked_defaults(defaults: Any) -> Any:
    """Return the FeatureSetDefaults of `pbwire.proto` for a protobuf-style message. Raises TypeError and ValueError."""
    plain = unwrap(defaults) if isinstance(defaults, Message) else None
    if not isinstance(plain, d.FeatureSetDefaults):
        raise TypeError(f"SetFeatureSetDefaults called with invalid type {type(defaults).__name__}")
    low, high = plain.minimum_edition, plain.maximum_edition
    if low is not None and high is not None and low > high:
        raise ValueError(f"Invalid edition range {low.name} to {high.name}")
    editions = [one.edition or d.Edition.EDITION_UNKNOWN for one in plain.defaults]
    if d.Edition.EDITION_UNKNOWN in editions:
        raise ValueError("Invalid edition EDITION_UNKNOWN specified")
    for one, following in pairwise(editions):
        if one >= following:
            raise ValueError(
                "Feature set defaults are not strictly increasing. "
                f"Edition {one.name} is greater than or equal to edition {following.name}"
            )
    return plain
