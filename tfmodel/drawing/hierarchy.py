"""The hierarchy of a graph on the page: its scopes, and groups of auxiliary nodes.

    conv1/weights, conv1/Conv2D, save/SaveV2      ->      conv1 {weights, Conv2D}, "saving" {SaveV2}

Scopes are those of the names; a chain of scopes with one child each is one entry, "block_1/conv". Constants, and
variables that one node reads, have no entry: they are inside the box of the node that takes them. Some levels are not
in the names: in a scope that computes outputs, children that compute none are together in closed groups, and so are
many that only hold variables; and long lists of children are made shorter (`long_lists`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from ..ops.traits import ALL_VARIABLES, VARIABLE_INITIALIZERS
from .entries import Entry, members
from .long_lists import MAX_CHILDREN, WiringFacts, shortened, split, without_unchanged_chains
from .wiring import MAX_DEPTH, Wiring, find_inline_constants

MIN_STORAGE = 6


def find_hosts(wiring: Wiring, needed: set[int] | None) -> dict[int, int]:
    """Return the vertices that have no box, with the node whose box they are in.

    These are used constants, with the first node that takes them; and variables, their handles and reads, if one node
    takes their value. `needed` has the vertices that compute the outputs: what else takes a variable does not count.
    """
    edges = [edge for edge in wiring.edges if not edge.control]
    constants = find_inline_constants(wiring.vertices, edges)
    takers: list[list[int]] = [[] for _ in wiring.vertices]
    givers: list[list[int]] = [[] for _ in wiring.vertices]
    for source, target, _, _ in edges:
        takers[source].append(target)
        givers[target].append(source)
    hosts: dict[int, int] = {number: takers[number][0] for number in constants}
    holders = {number for number, vertex in enumerate(wiring.vertices) if vertex.op in ALL_VARIABLES}
    for number, vertex in enumerate(wiring.vertices):
        if vertex.op == "ReadVariableOp":
            holders |= {number, *(giver for giver in givers[number] if wiring.vertices[giver].kind == "argument")}
        elif vertex.op == "Identity" and len({*givers[number]}) == 1:
            holders |= {number} if givers[number][0] in holders else set()
    for number in holders:
        values = [
            taker
            for taker in dict.fromkeys(takers[number])
            if (needed is None or taker in needed) and wiring.vertices[taker].op not in _OTHER_USES
        ]
        if len(values) == 1 and wiring.vertices[values[0]].kind == "node":
            hosts[number] = values[0]
    return {number: host for number in hosts if (host := _last(number, hosts)) != number}


_OTHER_USES = VARIABLE_INITIALIZERS | {"VarIsInitializedOp", "IsVariableInitialized"}


def _last(number: int, hosts: Mapping[int, int]) -> int:
    """Return the node whose box a vertex is in; the vertex itself if hosts form a cycle."""
    for _ in range(6):  # a handle, its read, the Identity that passes it on, the node that takes it
        if number not in hosts:
            return number
        number = hosts[number]
    return number


def build_hierarchy(
    wiring: Wiring,
    hidden: Mapping[int, int],
    needed: set[int] | None,
    role_of: Mapping[int, str],
    changed: set[int] | None = None,
    most: int = MAX_CHILDREN,
    ends: Collection[int] = (),
) -> Entry:
    """Return the root entry of a graph or function.

    hidden     the vertices that have no entry, as `find_hosts` returns them
    needed     the vertices that compute the outputs; None if that is unknown
    role_of    the label of the group of a vertex that is not needed
    changed    in a difference of two models, the vertices that changed: chains of others become parts
    most       how many children an entry has at most; of more, some are together in parts
    ends       the vertices of inputs and outputs, which are in no part
    """
    root = _scope_tree(wiring, hidden)
    facts = WiringFacts(wiring)
    storage = _storage(wiring, facts.targets)
    if changed is not None:
        changed = changed | {hidden[number] for number in changed if number in hidden}
    # Iterative, since a hostile name has many scopes: children first.
    order, pending = [], [root]
    while pending:
        entry = pending.pop()
        order.append(entry)
        pending += entry.children
    for entry in reversed(order):
        if entry.kind != "scope":
            if needed is None or entry.node in needed:
                entry.uses = _USES[storage.get(entry.node, "")]
            continue
        entry.uses = _NO_USES.union(*(child.uses for child in entry.children))
        if needed is not None:
            entry.children = _grouped(entry.children, role_of)
        entry.children = _with_storage_aside(entry.children)
        if changed is not None:
            entry.children = without_unchanged_chains(entry.children, changed, facts)
        if len(entry.children) > most:
            entry.children = shortened(entry.children, facts, most, ends)
        for child in entry.children:
            if child.kind in ("group", "stack") and len(child.children) > most:
                child.children = split(child.children, facts.ranks, facts.targets, most)
    return root


def _scope_tree(wiring: Wiring, hidden: Mapping[int, int]) -> Entry:
    """Return the tree of the scopes of all names; chains of single children are joined."""
    root = Entry("scope", "")
    scopes: dict[str, Entry] = {"": root}  # by prefix, which ends with "/"

    def scope_at(prefix: str) -> Entry:
        scope = scopes.get(prefix)
        if scope is None:
            outer, slash, label = prefix[:-1].rpartition("/")
            parent = scope_at(outer + slash)
            scope = scopes[prefix] = Entry("scope", label, prefix[:-1])
            parent.children.append(scope)
        return scope

    prefixes = []
    for number, vertex in enumerate(wiring.vertices):
        is_scoped = number not in hidden and vertex.kind == "node"
        prefixes.append(_prefix(vertex.name) if is_scoped else "")
        scope_at(prefixes[-1])
    for number, (vertex, prefix) in enumerate(zip(wiring.vertices, prefixes, strict=True)):
        if number in hidden:
            continue
        inner = scopes.get(f"{vertex.name}/") if vertex.kind == "node" else None
        scope, label = (scopes[prefix], vertex.name[len(prefix) :]) if inner is None else (inner, inner.label)
        scope.children.append(Entry("node", label, vertex.name, number))
    for scope in [*scopes.values()][::-1]:
        scope.children = [_without_chain(child) for child in scope.children]
    return root


def _prefix(name: str) -> str:
    """Return the scopes in the name of a node, with the last "/"."""
    slash = name.rfind("/")
    if name.count("/") > MAX_DEPTH:
        slash = len(name) - len(name.split("/", MAX_DEPTH)[-1]) - 1
    return name[: slash + 1]


def _without_chain(entry: Entry) -> Entry:
    """Return the only child of a scope, with both labels, or the entry itself."""
    if entry.kind != "scope" or len(entry.children) != 1:
        return entry
    child = entry.children[0]
    same = child.kind == "node" and child.path == entry.path
    return Entry(
        child.kind, entry.label if same else f"{entry.label}/{child.label}", child.path, child.node, child.children
    )


def _grouped(children: list[Entry], role_of: Mapping[int, str]) -> list[Entry]:
    """Put children that compute no output into groups, if others do."""
    useful = [bool(child.uses) for child in children]
    if not any(useful):
        return children
    groups: dict[str, list[Entry]] = {}
    for child, is_useful in zip(children, useful, strict=True):
        if not is_useful:
            roles = [role_of.get(number, "not used by outputs") for number in members(child)[:1000]]
            groups.setdefault(max(dict.fromkeys(roles), key=roles.count, default="not used by outputs"), []).append(
                child
            )
    result = [child for child, is_useful in zip(children, useful, strict=True) if is_useful]
    for label, group in groups.items():
        result += group if len(group) == 1 else [Entry("group", label, children=group)]
    return result


_USES = {label: frozenset({label}) for label in ("", "variables", "passed on")}
_NO_USES: frozenset[str] = frozenset()
_STORAGE_OPS = ALL_VARIABLES | {"ReadVariableOp"}
PASSING_OPS = frozenset({"Identity", "Const", "NoOp"})  # beside variables, these only pass their values on


def _storage(wiring: Wiring, targets: Sequence[Sequence[int]]) -> dict[int, str]:
    """Return the vertices that only hold or pass on values of variables, with what they are."""
    labels: dict[int, str] = {}
    for number, vertex in enumerate(wiring.vertices):
        if vertex.kind == "node" and vertex.op in _STORAGE_OPS:
            labels[number] = "variables"
            for target in targets[number]:
                if wiring.vertices[target].op in PASSING_OPS:
                    labels[target] = "variables"
        elif vertex.kind == "node" and vertex.op in PASSING_OPS:
            labels.setdefault(number, "passed on")
        elif vertex.kind == "argument":
            takers = {wiring.vertices[target].op for target in targets[number]}
            if takers and all("Variable" in op or "Resource" in op for op in takers):
                labels[number] = "variables"
    return labels


def _with_storage_aside(children: list[Entry]) -> list[Entry]:
    """Put children that only hold values into groups, if they are many and others compute."""
    labels = [_common_use(child.uses) for child in children]
    if all(labels):
        return children
    result = [child for child, label in zip(children, labels, strict=True) if not label]
    for name in sorted({*labels} - {""}):
        group = [child for child, label in zip(children, labels, strict=True) if label == name]
        result += group if len(group) < MIN_STORAGE else [Entry("group", name, children=group)]
    return result


@cache
def _common_use(uses: frozenset[str]) -> str:
    """Return the only use beside passing values on; "" if there are several, or if it is computing."""
    kinds = uses - _USES["passed on"]
    return next(iter(kinds)) if len(kinds) == 1 else ""
