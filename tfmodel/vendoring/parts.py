"""What can be copied on its own, and which files belong to it.

    pbwire     the protobuf runtime, for messages of one's own
    schema     TensorFlow's messages, which `tfmodel.messages` gives
    tfmodel    everything else, with the command line

Each needs those before it, and they come along. The first two need no numpy at all; `tfmodel` needs it where there are
arrays.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbwire.suggestions import suggestion

from ..io.terminal import printable

__all__ = ["IMPORTS", "PARTS", "chosen", "files_of"]

PARTS = ("pbwire", "schema", "tfmodel")

IMPORTS = {"pbwire": ("", "pbwire"), "schema": (".tfmodel", "messages"), "tfmodel": ("", "tfmodel")}
"""By the last part of a copy: the subpackage of it, and what to import from there."""

# How the paths of a part's files begin.
_FILES = {
    "pbwire": ("pbwire/",),
    "schema": ("tfmodel/_schema/", "tfmodel/messages.py", "tfmodel/py.typed"),
    "tfmodel": ("tfmodel/",),
}

_INIT = "tfmodel/__init__.py"

_WITHOUT_THE_REST = '''\
"""The messages of TensorFlow, in `messages`. The rest of tfmodel is not here: `vendor --update --parts all` brings it.
"""

__version__ = "{version}"
'''


def chosen(words: str) -> tuple[str, ...]:
    """The parts that "pbwire,schema" or "all" stands for, with those they need. Raises ValueError for other words."""
    names = [PARTS[-1] if word.strip() == "all" else word.strip() for word in words.split(",")]
    for name in names:
        if name not in PARTS:
            hint = suggestion(name, [*PARTS, "all"]) or f"; there are {', '.join(PARTS)} and all"
            raise ValueError(f'there is no part "{printable(name)}"{hint}')
    return PARTS[: 1 + max(map(PARTS.index, names))]


def files_of(parts: tuple[str, ...], files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """Those of all our files that belong to the parts."""
    prefixes = tuple(prefix for part in parts for prefix in _FILES[part])
    found = {path: data for path, data in files.items() if path.startswith(prefixes)}
    if "schema" in parts and "tfmodel" not in parts:
        found[_INIT] = _WITHOUT_THE_REST.format(version=version).encode()
    return found
