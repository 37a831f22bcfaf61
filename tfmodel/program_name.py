"""The command that runs this tfmodel, for messages that show a command line.

tfmodel                          installed, or a checkout: "python -m tfmodel" is the same
python -m app._vendor.tfmodel    a copy
python tfmodel.pyz               one file that has everything
"""

from __future__ import annotations

import sys

__all__ = ["program"]

_INSTALLED = "tfmodel"


def program() -> str:
    """Return the words of a command line before the name of the command."""
    package = __package__ or _INSTALLED
    if package != _INSTALLED:
        return f"python -m {package}"
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is not None and spec.name == "__main__" and hasattr(spec.loader, "archive"):  # a zip file is what runs
        from shlex import quote

        return f"python {quote(sys.argv[0])}"
    return _INSTALLED
