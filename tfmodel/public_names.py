"""Imports the public names of the package when they are used; a copy with some parts lacks some of them."""

from __future__ import annotations

import importlib

_AROUND = (__package__ or "").removesuffix("tfmodel")
"""The name of the package around a copy with its dot, such as "app._vendor."; else empty."""


def find_public_name(module: str, name: str) -> object:
    """Return a name of a module of the package. Raises AttributeError if a copy lacks the part that it needs."""
    try:
        return getattr(importlib.import_module(f".{module}", __package__), name)
    except ModuleNotFoundError as error:
        if problem := missing_part(error):
            raise AttributeError(problem) from error
        raise


def missing_part(error: BaseException) -> str:
    """Return the words for an error about a module of ours, which a copy with some parts lacks; "" for other errors."""
    name = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
    module = name.removeprefix(_AROUND)
    if not name.startswith(_AROUND) or module.partition(".")[0] not in ("pbwire", "tfmodel"):
        return ""
    return f"this copy of tfmodel has not all parts: {module} is missing"
