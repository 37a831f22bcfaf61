"""Run a script whose imports of protobuf and TensorFlow are served by the tree, in this process.

    python -m tfmodel.compat script.py arguments...

Before the script runs, all names that it needs and the tree lacks are listed in one error (`scan.py`). An installed
protobuf or TensorFlow is never hidden unless `override` asks for it.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
from collections.abc import Sequence

from ..errors import Error
from .importer import TreeFinder
from .scan import scan

_ROOTS = ("tensorflow", "tsl", "xla")
_COPIES = {"tensorboard": "tensorboard.compat", "tensorboardX": "tensorboardX"}
"""Packages with copies of messages, and the package of their folder `proto`. The rest of them is not hidden."""
_OWN_FRAMES = 32
"""More than the calls between the start of Python and the script, which count against its limit of recursion."""
_INSTALLED = ("google.protobuf", "tensorflow")


class ScriptError(Error):
    """A script cannot be run: it needs what the tree lacks, or protobuf or TensorFlow is installed."""


def run_script(
    script: str,
    arguments: Sequence[str] = (),
    *,
    override: bool = False,
    force: bool = False,
    only_protobuf: bool = False,
) -> None:
    """Run a script as `__main__`, with the tree in place of protobuf and TensorFlow.

    override        also if protobuf or TensorFlow is installed
    force           also if the script needs names that the tree lacks: it then fails where it uses them
    only_protobuf   serve google.protobuf alone: packages that use TensorFlow if they find it do without it

    Raises ScriptError before anything of the script runs, and whatever the script raises.
    """
    served = _INSTALLED[:1] if only_protobuf else _INSTALLED
    installed = [] if override else [name for name in served if _is_installed(name)]
    if installed:
        names = " and ".join(installed)
        raise ScriptError(f"{names} can be imported here, so the script needs no tfmodel.compat: use --override")
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))  # the scan looks there too
    try:
        needs = [need for need in scan(script) if not only_protobuf or need.name.startswith("google.")]
    except OSError as error:
        raise ScriptError(f"{script}: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        problem = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ScriptError(f"{script}{line}: {problem}") from error
    if needs and not force:
        listed = "".join(f"\n  {need}" for need in needs)
        text = f"{script} needs {len(needs)} name{'s' if len(needs) > 1 else ''} that tfmodel.compat does not have"
        raise ScriptError(f"{text} (--force runs it until it uses one):{listed}")
    serve(only_protobuf)
    sys.argv = [script, *arguments]
    sys.setrecursionlimit(sys.getrecursionlimit() + _OWN_FRAMES)
    runpy.run_path(script, run_name="__main__")


def serve(only_protobuf: bool = False) -> None:
    """Serve the tree's modules under their own names: `tensorflow`, `google.protobuf`, `tensorboard` ...

    Modules that were imported before are hidden. Of `google`, `tensorboard` and `tensorboardX`, the modules of messages
    are served, and all of the package only if it cannot be imported. With `only_protobuf`, google.protobuf is all.
    """
    finders = [TreeFinder("google.", ["protobuf"], below="google.")]
    roots, copies = ((), ()) if only_protobuf else (_ROOTS, tuple(_COPIES.values()))
    finders += [TreeFinder("", roots), *(TreeFinder(f"{parent}.", ["proto"], below=f"{parent}.") for parent in copies)]
    hidden = (*roots, "google.protobuf", *(f"{parent}.proto" for parent in copies))
    for name in list(sys.modules):
        if f"{name}.".startswith(tuple(f"{prefix}." for prefix in hidden)):
            del sys.modules[name]
    sys.meta_path[:0] = finders
    TreeFinder.generated_code = True
    sys.meta_path.append(TreeFinder("", ["google", *(() if only_protobuf else _COPIES)]))


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
