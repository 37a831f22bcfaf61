"""`google.protobuf.runtime_version`: code that any version of protoc generated is accepted."""

from __future__ import annotations

import enum

__all__ = ["Domain", "ValidateProtobufRuntimeVersion", "VersionError"]


class Domain(enum.Enum):
    """The origin of generated code."""

    GOOGLE_INTERNAL = 1
    PUBLIC = 2


class VersionError(Exception):
    """Never raised here."""


DOMAIN = OSS_DOMAIN = Domain.PUBLIC
MAJOR, MINOR, PATCH, SUFFIX = OSS_MAJOR, OSS_MINOR, OSS_PATCH, OSS_SUFFIX = 6, 31, 1, ""


def ValidateProtobufRuntimeVersion(
    gen_domain: Domain, gen_major: int, gen_minor: int, gen_patch: int, gen_suffix: str, location: str
) -> None:
    """Do nothing: the form of generated code has not changed since 3.20, and older forms are known too."""
