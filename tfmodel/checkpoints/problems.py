"""Errors about damaged checkpoints of both versions, and the check of the declared version."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeAlias

from ..errors import CheckpointError
from ..messages import VersionDef
from .entries import quoted

__all__ = ["Damaged", "about", "check_version", "fail", "in_file"]

_VERSION = 1  # of both formats, and the only one so far

Damaged: TypeAlias = Callable[[CheckpointError], object]
"""A callback for damage after which reading continues."""


def fail(error: CheckpointError) -> NoReturn:
    raise error


def in_file(file: str, error: CheckpointError) -> CheckpointError:
    """Return an error about a file, with its cause."""
    problem = CheckpointError(f"{file}: {error}")
    problem.__cause__ = error
    return problem


def about(file: str, name: str, error: Exception, offset: int | None = None) -> CheckpointError:
    """Return an error about a tensor, with its location."""
    place = "" if offset is None else f" at byte {offset:,}"
    return CheckpointError(f"{file}: tensor {quoted(name)}{place}: {error}")


def check_version(version: VersionDef | None) -> None:
    """Raise CheckpointError if a checkpoint requires a reader of another version."""
    if version is None:
        return
    if version.producer < 0 or version.min_consumer > _VERSION or _VERSION in version.bad_consumers:
        needed = f"version {version.producer:,}, for readers of version {version.min_consumer:,} and later"
        raise CheckpointError(f"written in a form that is not known here: {needed}")
