"""Load plugins: modules outside tfmodel that define transforms.

A plugin is named by its module or by the path of its file, `my_transforms` or `folder/my_transforms.py`, or it is
installed as the entry point of a distribution, whose pyproject.toml has

    [project.entry-points."tfmodel.transforms"]
    my_transforms = "my_package.my_transforms"

Importing a plugin may raise any exception; `describe_error` describes it in one line.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator

from pbwire.suggestions import suggestion

from ...errors import TransformError
from ...io.terminal import printable

__all__ = ["FILE_PREFIX", "GROUP", "describe_error", "import_plugin", "installed"]

GROUP = __package__.rpartition(".")[0]
"""The entry point group: "tfmodel.transforms", or its counterpart in a vendored copy (see `tfmodel.vendoring`)."""

FILE_PREFIX = "tfmodel plugin "
"""The prefix of the module names of plugins that are files."""


def import_plugin(name: str) -> None:
    """Import the module of a plugin. Raises TransformError if it does not exist, and any exception of the module."""
    if name.endswith(".py") or "/" in name or os.sep in name:
        _import_file(name)
        return
    if not all(part.isidentifier() for part in name.split(".")):
        raise TransformError("it is neither a module name nor the path of a .py file")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the plugin exists, a module that it imports does not
        file = f"{name}.py"
        hint = f'; for the file in this folder write "./{file}"' if os.path.isfile(file) else ""
        raise TransformError(f'no module named "{error.name}"{hint}') from None


def _import_file(path: str) -> None:
    """Import a file under a unique module name, once."""
    if not os.path.isfile(path):
        folder = os.path.dirname(path) or "."
        hint = suggestion(os.path.basename(path), os.listdir(folder)) if os.path.isdir(folder) else ""
        raise TransformError(f"no such file{printable(hint)}")
    name = FILE_PREFIX + os.path.realpath(path).replace(".", "_")  # a dot would mean a module in a package
    if name in sys.modules:
        return
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TransformError("not a Python file: its name must end with .py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:  # raised again: as with any import, a half-initialized module must not stay
        del sys.modules[name]
        raise


def installed() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the plugins of installed distributions: the name of each, and a function that imports it."""
    from importlib.metadata import entry_points  # slow to import

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        yield f"{point.name} = {point.value}", point.load


def describe_error(error: BaseException) -> str:
    """Describe an error in plugin code in one line, with the innermost place in that code."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    import traceback  # slow to import

    frames = traceback.extract_tb(error.__traceback__)
    foreign_frames = [frame for frame in frames if _is_foreign(frame.filename)]
    if isinstance(error, SyntaxError) or not foreign_frames:  # a SyntaxError contains its location
        return printable(text)
    return printable(f"{text} ({os.path.basename(foreign_frames[-1].filename)}:{foreign_frames[-1].lineno})")


def _is_foreign(path: str) -> bool:
    """Return whether a file is outside tfmodel and the standard library (which may contain installed packages)."""
    if path.startswith(("<frozen ", _OWN_FOLDER)):
        return False
    return not path.startswith(_LIBRARY_FOLDER) or path.startswith(_PACKAGE_FOLDERS)


_OWN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "")
_LIBRARY_FOLDER = os.path.join(os.path.dirname(os.__file__), "")
_PACKAGE_FOLDERS = (
    os.path.join(_LIBRARY_FOLDER, "site-packages", ""),
    os.path.join(_LIBRARY_FOLDER, "dist-packages", ""),
)
