"""Imports the public names of the package when they are used; a copy with some parts lacks some of them."""

from __future__ import annotations

import importlib


def find_public_name(package: str, module: str, name: str) -> object:
    """Return a name of a module of the package. Raises AttributeError if a copy lacks the part that it needs."""
    try:
        return getattr(importlib.import_module(f".{module}", package), name)
    except ModuleNotFoundError as error:
        around = package.removesuffix("tfmodel")
        if not (error.name or "").startswith((f"{around}pbwire.", f"{around}tfmodel.")):
            raise
        problem = f"this copy of tfmodel has not all parts: {name} needs {error.name}"
        raise AttributeError(problem) from error
