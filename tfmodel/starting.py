"""The start of the program: its search path, and the command that runs it.

`leave_starting_folder` keeps `python -m tfmodel` from importing files of the folder in which it is started.

Python puts that folder at the front of sys.path. So Python would import a json.py that lies beside a downloaded model,
and tfmodel would load the plugins of a *.dist-info there. This module is imported before anything else, so it imports
nothing that is not built in or frozen, not even `__future__`.

Two problems remain. Python imports a few modules before this one (contextlib, collections and others that runpy needs),
and if the starting folder contains a folder tfmodel, `-m tfmodel` runs that. `python -P -m tfmodel` and the installed
command have neither problem.
"""

import os
import sys

_INSTALLED = "tfmodel"


def leave_starting_folder(package: str, file: str) -> None:
    """Take the starting folder off sys.path if Python is about to run the package as `python -m` does.

    If the package itself is in the starting folder, the folder stays on sys.path, but after the standard library.
    `file` is the __init__.py of the package.
    """
    if sys.flags.safe_path or not runs_module(sys.orig_argv, package) or not sys.path:
        return
    folder = os.path.realpath(sys.path.pop(0) or os.curdir)
    root = os.path.abspath(file)
    for _ in range(package.count(".") + 2):
        root = os.path.dirname(root)
    if folder == os.path.realpath(root):
        library = os.path.dirname(os.__file__)
        own = [place for place, path in enumerate(sys.path) if path in (library, os.path.join(library, "lib-dynload"))]
        sys.path.insert(own[-1] + 1 if own else len(sys.path), folder)


def runs_module(words: list[str], module: str) -> bool:
    """Return whether a command line runs a module with -m. `words` begins with the interpreter."""
    arguments = iter(words[1:])
    for word in arguments:
        if word in ("-", "--") or not word.startswith("-"):
            return False
        if word.startswith("--"):
            if word == "--check-hash-based-pycs":
                next(arguments, "")
            continue
        for place, letter in enumerate(word[1:], 2):
            if letter == "m":
                return (word[place:] or next(arguments, "")) == module
            if letter == "c":
                return False
            if letter in "WX":
                if place == len(word):
                    next(arguments, "")
                break
    return False


def command_prefix() -> str:
    """Return the beginning of a command line that runs tfmodel, for messages that show a command.

    tfmodel                          installed, or a checkout (where `python -m tfmodel` does the same)
    python -m app._vendor.tfmodel    a copy
    python tfmodel.pyz               one file that has everything
    """
    package = __package__ or _INSTALLED
    if package != _INSTALLED:
        return f"python -m {package}"
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is not None and spec.name == "__main__" and hasattr(spec.loader, "archive"):  # running from a zip file
        from shlex import quote  # this module imports nothing at the top

        return f"python {quote(sys.argv[0])}"
    return _INSTALLED
