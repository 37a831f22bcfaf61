"""Which new node is an old one under another name: one that has the same op, inputs and attributes.

Nodes of the old graph are looked at in the order of execution, and their inputs by the names that they have now, so a
chain or a whole scope that was renamed is found from its start on. Of several, those are taken whose names end with the
same part, else there has to be one only. Constants of 0 and 1 are everywhere, so of constants that are alike there have
to be as many as there were. It is a guess:
nothing else depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from .nodes import split_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...messages import NodeDef
    from .changes import Rules

__all__ = ["renamed_input", "renames"]

_Key: TypeAlias = tuple[object, ...]
_KEY = 5  # parts of one without a name


def renames(removed: Iterable[NodeDef], added: Iterable[NodeDef], rules: Rules) -> dict[str, str]:
    """The new name of nodes that were `removed`, which come in the order of execution, and are among those `added`."""
    removed, added = list(removed), list(added)
    outlines = {_outline(node) for node in removed} & {_outline(node) for node in added}
    removed = [node for node in removed if _outline(node) in outlines]
    sources = {node.name: _key(node, {}, rules) for node in removed if not node.input}
    times = Counter(key for node in removed if not node.input for key in _keys(node, sources[node.name]))
    places: dict[_Key, list[str]] = {}
    for node in added:
        if _outline(node) in outlines:
            for key in _keys(node, _key(node, {}, rules)):
                places.setdefault(key, []).append(node.name)
    next_of = {key: iter(names) for key, names in places.items()}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for node in removed:
        for key in _keys(node, sources.get(node.name) or _key(node, found, rules)):
            names = places.get(key, [])
            if len(key) > _KEY:
                enough = bool(node.input) or len(names) == times[key]
            else:
                enough = len(names) == 1 and times[key] <= 1
            if enough:
                name = next((name for name in next_of.get(key, ()) if name not in taken), None)
                if name is not None:
                    found[node.name] = name
                    taken.add(name)
                    break
    return found


def _keys(node: NodeDef, key: _Key) -> tuple[_Key, _Key]:
    """What a node may be found by: with the last part of its name, and without."""
    return (*key, node.name.rpartition("/")[2]), key


def renamed_input(text: str, names: Mapping[str, str]) -> str:
    """A reference, spelled canonically, by the name that its node has now."""
    control, node = text[:1] == "^", text.removeprefix("^")
    node, colon, port = node.partition(":")
    return f"{'^' if control else ''}{names.get(node, node)}{colon}{port}"


def _outline(node: NodeDef) -> _Key:
    """What is cheap to compare, and rules most nodes out."""
    return node.op, node.device, len(node.input)


def _key(node: NodeDef, names: Mapping[str, str], rules: Rules) -> _Key:
    """Equal for nodes that are the same but for their names. Large attributes are hashed as they are written."""
    tensors, controls = split_inputs(node.input)
    inputs = [renamed_input(text, names) for text in tensors]
    waits = sorted(renamed_input(text, names) for text in controls)
    digest = blake2b()
    for name in sorted(node.attr):
        if rules.internal or not name.startswith("_"):
            digest.update(f"{len(name)} {name}".encode(errors="surrogatepass"))
            for buffer in node.attr[name].to_buffers():
                digest.update(buffer)
    return node.op, node.device, tuple(inputs), tuple(waits), digest.digest()
