"""Images of documents: Graphviz makes them, where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess

from ...errors import Error


def check_installed(path: str) -> None:
    """Raise Error if Graphviz, which makes the image at `path`, is not installed."""
    if shutil.which("dot") is None:
        raise Error(
            f"{path}: Graphviz makes images, and its program dot is not installed: install Graphviz, or write a page, "
            f"{os.path.splitext(path)[0]}.html, in which any browser shows the picture and saves it as .svg or .png"
        )


def image(document: str, kind: str, path: str) -> bytes:
    """Return a document as an image of a kind that Graphviz knows, such as "svg", to be written to `path`.

    Raises Error without Graphviz, or if it fails.
    """
    check_installed(path)
    done = subprocess.run(["dot", f"-T{kind}"], input=document.encode(), capture_output=True, check=False)
    if done.returncode or not done.stdout:
        problem = done.stderr.decode(errors="replace").strip() or f"status {done.returncode}"
        raise Error(f"{path}: Graphviz made no image: {problem}")
    return done.stdout
