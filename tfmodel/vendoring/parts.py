"""The parts of tfmodel that can be copied separately, and the files of each.

    pbwire     the protobuf runtime, for your own messages
    schema     TensorFlow's messages, as `tfmodel.messages`
    tfmodel    everything else, with the command line

Each part needs those before it, which are copied with it. The first two do not need numpy; `tfmodel` imports it where
arrays are needed.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbwire.suggestions import suggestion

from ..io.terminal import printable

__all__ = ["IMPORTS", "PARTS", "files_of", "parse_parts"]

PARTS = ("pbwire", "schema", "tfmodel")

IMPORTS = {"pbwire": ("", "pbwire"), "schema": (".tfmodel", "messages"), "tfmodel": ("", "tfmodel")}
"""The import for a copy by its last part: the subpackage, and the name to import from it."""

# The prefixes of the paths of a part's files.
_FILES = {
    "pbwire": ("pbwire/",),
    "schema": ("tfmodel/_schema/", "tfmodel/messages.py", "tfmodel/py.typed"),
    "tfmodel": ("tfmodel/",),
}

_INIT = "tfmodel/__init__.py"

_MESSAGES_INIT = '''\
"""TensorFlow's messages, in `messages`. This copy has no other part: `vendor --update --parts all` adds them.
"""

__version__ = "{version}"
'''


def parse_parts(words: str) -> tuple[str, ...]:
    """Return the parts named in "pbwire,schema" or "all", with those they need. Raises ValueError for unknown names."""
    names = [PARTS[-1] if word.strip() == "all" else word.strip() for word in words.split(",")]
    for name in names:
        if name not in PARTS:
            hint = suggestion(name, [*PARTS, "all"]) or f"; the parts are {', '.join(PARTS)} and all"
            raise ValueError(f'unknown part "{printable(name)}"{hint}')
    return PARTS[: 1 + max(map(PARTS.index, names))]


def files_of(parts: tuple[str, ...], files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """Return the files that belong to these parts."""
    prefixes = tuple(prefix for part in parts for prefix in _FILES[part])
    selected = {path: data for path, data in files.items() if path.startswith(prefixes)}
    if "schema" in parts and "tfmodel" not in parts:
        selected[_INIT] = _MESSAGES_INIT.format(version=version).encode()
    return selected
