"""The start of the program: its search path, and the command that runs it.

`leave_starting_folder` keeps `python -m tfmodel` from importing files of the folder in which it is started.

Python puts that folder at the front of sys.path: a json.py beside a downloaded model would be run, and the plugins of a
*.dist-info. This module is imported before anything else, so it imports nothing that is not built in or frozen, not
even `__future__`.

Python itself imports a few modules before (contextlib, collections and others that runpy needs), and a folder called
tfmodel there is what `-m tfmodel` means: `python -P -m tfmodel` and the installed command have neither problem.
"""

import os
import sys

__all__ = ["leave_starting_folder", "names_module", "program"]

_INSTALLED = "tfmodel"


def leave_starting_folder(package: str, file: str) -> None:
    """Take the starting folder off sys.path if Python is about to run the package as `python -m` does.

    A folder from which the package itself is imported stays, behind the standard library. `file` is the __init__.py.
    """
    if sys.flags.safe_path or not names_module(sys.orig_argv, package) or not sys.path:
        return
    folder = os.path.realpath(sys.path.pop(0) or os.curdir)
    root = os.path.abspath(file)
    for _ in range(package.count(".") + 2):
        root = os.path.dirname(root)
    if folder == os.path.realpath(root):
        library = os.path.dirname(os.__file__)
        own = [place for place, path in enumerate(sys.path) if path in (library, os.path.join(library, "lib-dynload"))]
        sys.path.insert(own[-1] + 1 if own else len(sys.path), folder)


def names_module(words: list[str], module: str) -> bool:
    """Return whether the words of a command line, the interpreter first, run a module with -m."""
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


def program() -> str:
    """Return the words of a command line before the name of the command, for messages that show one.

    tfmodel                          installed, or a checkout: "python -m tfmodel" is the same
    python -m app._vendor.tfmodel    a copy
    python tfmodel.pyz               one file that has everything
    """
    package = __package__ or _INSTALLED
    if package != _INSTALLED:
        return f"python -m {package}"
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is not None and spec.name == "__main__" and hasattr(spec.loader, "archive"):  # running from a zip file
        from shlex import quote

        return f"python {quote(sys.argv[0])}"
    return _INSTALLED
