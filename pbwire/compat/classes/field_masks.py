"""The methods of google.protobuf.FieldMask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import wellknown
from ...json.wellknown import mask_text, read_mask
from ...wellknown import merge_paths
from .value_errors import ValueErrors


class FieldMask:
    """Methods of google.protobuf.FieldMask."""

    paths: Any

    def ToJsonString(self) -> str:
        """Return the paths in lowerCamelCase with commas. Raises ValueError for a path that has no such form."""
        with ValueErrors():
            return mask_text(self)

    def FromJsonString(self, value: str) -> None:
        """Set the paths from text. Raises ValueError."""
        if not isinstance(value, str):
            raise ValueError(f"a field mask is a string, not {value!r}")
        with ValueErrors():
            paths = read_mask(value)
        self._set(paths)

    def IsValidForDescriptor(self, message_descriptor: Any) -> bool:
        """Return whether all paths name fields of a message."""
        return all(_is_path(message_descriptor, path) for path in self.paths)

    def AllFieldsFromDescriptor(self, message_descriptor: Any) -> None:
        """Set the paths to all fields of a message."""
        self._set(field.name for field in message_descriptor.fields)

    def CanonicalFormFromMask(self, mask: Any) -> None:
        """Set the paths to those of a mask, sorted, without those that others include."""
        self._set(merge_paths(mask.paths))

    def Union(self, mask1: Any, mask2: Any) -> None:
        """Set the paths to those that one of the masks includes."""
        _check_masks(mask1, mask2)
        self._set(merge_paths([*mask1.paths, *mask2.paths]))

    def Intersect(self, mask1: Any, mask2: Any) -> None:
        """Set the paths to those that both masks include."""
        _check_masks(mask1, mask2)
        one, other = (wellknown.FieldMask(paths=[*filter(None, mask.paths)]) for mask in (mask1, mask2))
        self._set(one.intersection(other).paths)

    def MergeMessage(
        self, source: Any, destination: Any, replace_message_field: bool = False, replace_repeated_field: bool = False
    ) -> None:
        """Copy the fields of the paths from one message to another of the same class."""
        for path in merge_paths(self.paths):
            _merge_path(source, destination, path.split("."), replace_message_field, replace_repeated_field)

    def _set(self, paths: Iterable[str]) -> None:
        new = list(paths)
        del self.paths[:]
        self.paths.extend(new)


def _check_masks(*masks: Any) -> None:
    for mask in masks:
        if not isinstance(mask, FieldMask):
            raise ValueError(f"expected a FieldMask, got {type(mask).__name__}")


def _is_path(descriptor: Any, path: str) -> bool:
    *outer, last = path.split(".")
    for name in outer:
        field = descriptor.fields_by_name.get(name)
        if field is None or field.label == field.LABEL_REPEATED or field.message_type is None:
            return False
        descriptor = field.message_type
    return last in descriptor.fields_by_name


def _merge_path(source: Any, destination: Any, path: list[str], replace_message: bool, replace_repeated: bool) -> None:
    name, *rest = path
    field = source.DESCRIPTOR.fields_by_name.get(name)
    if field is None:
        raise ValueError(f"{source.DESCRIPTOR.full_name} has no field {name!r}")
    attribute = source.__table__.field_names[name].attribute
    if rest:
        if field.label == field.LABEL_REPEATED or field.message_type is None:
            raise ValueError(
                f"Error: Field {name} in message {source.DESCRIPTOR.full_name} is not a singular message field and "
                "cannot have sub-fields."
            )
        if source.HasField(name):
            parts = getattr(source, attribute), getattr(destination, attribute)
            _merge_path(*parts, rest, replace_message, replace_repeated)
        return
    if field.label == field.LABEL_REPEATED:
        if replace_repeated:
            destination.ClearField(name)
        getattr(destination, attribute).MergeFrom(getattr(source, attribute))
    elif field.message_type is not None:
        if replace_message:
            destination.ClearField(name)
        if source.HasField(name):
            getattr(destination, attribute).MergeFrom(getattr(source, attribute))
    elif field.has_presence and not source.HasField(name):
        destination.ClearField(name)
    else:
        setattr(destination, attribute, getattr(source, attribute))
