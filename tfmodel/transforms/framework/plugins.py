"""Modules of others that bring transforms: importing them, and saying what is wrong with one that does not work.

A plugin is named by its module or by the path of its file, `my_transforms` or `folder/my_transforms.py`, or it is
installed as the entry point of a distribution, whose pyproject.toml has

    [project.entry-points."tfmodel.transforms"]
    my_transforms = "my_package.my_transforms"

What it does is up to it: any exception may come out of a plugin, and none of them is ours.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator

from pbwire.suggestions import suggestion

from ...errors import TransformError
from ...printable import printable

__all__ = ["GROUP", "NO_MODULE", "blame", "import_plugin", "installed"]

GROUP = __package__.rpartition(".")[0]
"""tfmodel.transforms; with a copy in another package, the name that this has there: see `tfmodel.vendoring`."""

NO_MODULE = "tfmodel plugin "
"""How the names of modules begin that are files."""


def import_plugin(name: str) -> None:
    """Import the module of a plugin. Raises TransformError if there is none, and whatever the module raises."""
    if name.endswith(".py") or "/" in name or os.sep in name:
        _import_file(name)
        return
    if not all(part.isidentifier() for part in name.split(".")):
        raise TransformError("this is neither the name of a module nor the path of a .py file")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # it is there, and something that it needs is not
        here = f"{name}.py"
        hint = f'; the file beside you is meant by "./{here}"' if os.path.isfile(here) else ""
        raise TransformError(f'there is no module "{error.name}"{hint}') from None


def _import_file(path: str) -> None:
    """Import a file as a module of a name that no other has. Once imported, it is not imported again."""
    if not os.path.isfile(path):
        folder = os.path.dirname(path) or "."
        near = suggestion(os.path.basename(path), os.listdir(folder)) if os.path.isdir(folder) else ""
        raise TransformError(f"there is no such file{printable(near)}")
    name = NO_MODULE + os.path.realpath(path).replace(".", "_")  # a dot would mean that it is in a package
    if name in sys.modules:
        return
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TransformError("this is no Python file: its name must end with .py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:  # raised again: half a module must not stay behind, as with any import
        del sys.modules[name]
        raise


def installed() -> Iterator[tuple[str, Callable[[], object]]]:
    """What the distributions around us offer: what to call each, and what imports it."""
    from importlib.metadata import entry_points  # takes long

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        yield f"{point.name} = {point.value}", point.load


def blame(error: BaseException) -> str:
    """What went wrong in code that is not ours, in one line, with the last place of theirs that leads there."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    import traceback  # takes long

    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if _is_theirs(frame.filename)]
    if isinstance(error, SyntaxError) or not theirs:  # the former says itself where it is
        return printable(what)
    return printable(f"{what} ({os.path.basename(theirs[-1].filename)}:{theirs[-1].lineno})")


def _is_theirs(path: str) -> bool:
    """Is a file neither ours nor of the standard library, whose folder has that of installed packages in it?"""
    if path.startswith(("<frozen ", _OURS)):
        return False
    return not path.startswith(_STANDARD) or path.startswith(_INSTALLED)


_OURS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "")
_STANDARD = os.path.join(os.path.dirname(os.__file__), "")
_INSTALLED = (os.path.join(_STANDARD, "site-packages", ""), os.path.join(_STANDARD, "dist-packages", ""))
