"""Colocation: the attribute `_class` of a node lists "loc:@name" for each node that it has to share a device with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from pbwire.lazy.undecoded_maps import wire_entry, with_entry

from ..messages import AttrValue, NodeDef

CLASS = "_class"
_PREFIX = b"loc:@"
_LIST, _ENTRY = b"\x0a", b"\x12"  # the tags of AttrValue.list and of a string in it
_SHORT = 128  # bytes: a smaller size is encoded in one byte
_CACHE_SIZE = 1024  # different values of `_class`: most nodes share theirs with others


def colocated_with(node: NodeDef) -> list[str]:
    """Return the names of the nodes that a node is colocated with. They need not exist."""
    value = wire_entry(node, "attr", CLASS)
    return [] if value is None else _names(_read(value))


def colocation_attr(names: Iterable[str]) -> AttrValue:
    """Return the `_class` attribute of a node that has to share a device with the nodes of these names."""
    entries = [_PREFIX + name.encode(errors="replace") for name in names]
    return AttrValue(list=AttrValue.ListValue(s=entries))


def colocation_groups(nodes: Iterable[NodeDef]) -> list[list[str]]:
    """Return the names of the nodes that have to share a device, group by group, in the order of the graph.

    A name that nodes are colocated with is in their group, whether such a node exists or not.
    """
    parents: dict[str, str] = {}

    def head(name: str) -> str:
        while parents[name] != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        return name

    for node in nodes:
        for other in colocated_with(node):
            parents.setdefault(node.name, node.name)
            parents.setdefault(other, other)
            parents[head(node.name)] = head(other)
    groups: dict[str, list[str]] = {}
    for name in parents:
        groups.setdefault(head(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def with_renamed_colocation(node: NodeDef, renames: Mapping[str, str]) -> NodeDef:
    """Return the node with new names in its `_class`; the node itself if no name changes."""
    return ColocationRenames(renames).rename(node)


class ColocationRenames:
    """Rename colocated nodes in the `_class` of many nodes. Each different value is decoded once; most are shared.

    others    the colocated names seen so far that have no new name
    """

    def __init__(self, renames: Mapping[str, str]) -> None:
        self._renames = renames
        self._rename_entry: dict[bytes, bytes] = {}
        self.others: set[str] = set()

    def rename(self, node: NodeDef) -> NodeDef:
        """Return the node with the new names; the node itself if no name changes."""
        old = wire_entry(node, "attr", CLASS)
        if old is None:
            return node
        new = self._rename_entry.get(old)
        if new is None:
            new = self._rename_entry[old] = self._rename(old)
        return node if new == old else with_entry(node, "attr", CLASS, new)

    def _rename(self, value: bytes) -> bytes:
        entries = _read(value)
        names = _names(entries)
        self.others.update(name for name in names if name not in self._renames)
        if not any(name in self._renames for name in names):
            return value
        return _encode_entries(dict.fromkeys(_rename_entry(entry, self._renames) for entry in entries))


@lru_cache(_CACHE_SIZE)
def _read(value: bytes) -> tuple[bytes, ...]:
    if value[:1] == _LIST and 2 <= len(value) < _SHORT + 2 and value[1] == len(value) - 2:
        # Nearly all lists are short: reading them without an AttrValue takes a fifth of the time.
        entries, position = [], 2
        while value[position : position + 1] == _ENTRY and position + 1 < len(value):
            entries.append(value[position + 2 : position + 2 + value[position + 1]])
            position += 2 + value[position + 1]
        if position == len(value):
            return tuple(entries)
    listed = AttrValue.from_bytes(value).list
    return tuple(listed.s) if listed is not None else ()


def _encode_entries(entries: Iterable[bytes]) -> bytes:
    listed = list(entries)
    content = b"".join(b"%b%c%b" % (_ENTRY, len(entry), entry) for entry in listed if len(entry) < _SHORT)
    if len(content) == sum(map(len, listed)) + 2 * len(listed) < _SHORT:
        return b"%b%c%b" % (_LIST, len(content), content)
    return AttrValue(list=AttrValue.ListValue(s=listed)).to_bytes()


def _names(entries: Iterable[bytes]) -> list[str]:
    return [entry[len(_PREFIX) :].decode(errors="replace") for entry in entries if entry.startswith(_PREFIX)]


def _rename_entry(entry: bytes, renames: Mapping[str, str]) -> bytes:
    name = entry[len(_PREFIX) :].decode(errors="replace") if entry.startswith(_PREFIX) else ""
    return _PREFIX + renames[name].encode() if name in renames else entry
