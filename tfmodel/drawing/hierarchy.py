"""The hierarchy of a graph on the page: scopes, groups of auxiliary nodes, stacks of equal blocks, parts of long lists.

    conv1/weights, conv1/Conv2D, save/SaveV2      ->      conv1 {weights, Conv2D}, "saving" {SaveV2}

Scopes are those of the names; a chain of scopes with one child each is one entry, "block_1/conv". Constants, and
variables that one node reads, have no entry: they are inside the box of the node that takes them. Four rules add levels
that names do not have. In a scope that computes outputs, children that compute none are together in closed groups, and
so are many that only hold variables. Of more than MAX_CHILDREN children, those whose names differ only in numbers and
whose nodes are equal are one stack; then nodes are joined with their only consumer or producer; and if still more than
MAX_CHILDREN are left, they are cut where the fewest tensors are alive in execution order. In a difference of two
models, chains in which nothing changed are parts, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import accumulate
from math import isqrt

from ..ops.traits import ALL_VARIABLES, VARIABLE_INITIALIZERS
from ..values.names import control_input, is_control_input
from .wiring import MAX_DEPTH, Wiring, find_inline_constants

MAX_CHILDREN = 48
MIN_HUB, MAX_HUBS = 12, 6
MIN_STACK = 3
MIN_CHAIN = 3
MIN_STORAGE = 6
MIN_PARTS, MAX_PARTS = 8, 40
MAX_JOINED = 400  # children: of more, joining a few changes little

_digits = re.compile(r"\d+")


@dataclass(slots=True)
class Entry:
    """A scope, group, stack or part with its children; or a node, which has none.

    kind     "scope"; "group" of auxiliary nodes; "stack" of equal blocks; "part" of a long list; or "node"
    label    the name in its parent
    path     the full name of the scope; empty for entries that names do not have
    node     the number of the vertex of a node, else -1
    uses     what the nodes inside that compute the outputs do: "" for computing, or a label of `_storage`
    """

    kind: str
    label: str
    path: str = ""
    node: int = -1
    children: list[Entry] = field(default_factory=list)
    uses: frozenset[str] = frozenset()


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
) -> Entry:
    """Return the root entry of a graph or function.

    hidden     the vertices that have no entry, as `find_hosts` returns them
    needed     the vertices that compute the outputs; None if that is unknown
    role_of    the label of the group of a vertex that is not needed
    changed    in a difference of two models, the vertices that changed: chains of others become parts
    """
    root = _scope_tree(wiring, hidden)
    graph = _Graph(wiring)
    storage = _storage(wiring, graph.targets)
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
            entry.children = _without_unchanged_chains(entry.children, changed, graph)
        if len(entry.children) > MAX_CHILDREN:
            entry.children = _fewer(entry.children, graph)
        for child in entry.children:
            if child.kind in ("group", "stack") and len(child.children) > MAX_CHILDREN:
                child.children = _split(child.children, graph.ranks, graph.targets)
    return root


class _Graph:
    """The vertices and the targets of each, with what only large scopes need."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        if len(wiring.vertices) == len(wiring.index):  # nodes only
            self.targets = wiring.index.targets
            return
        self.targets = [[] for _ in wiring.vertices]
        for source, target, _, _ in wiring.edges:
            self.targets[source].append(target)

    @cached_property
    def ranks(self) -> list[int]:
        """The position of each vertex in execution order."""
        vertices = self.wiring.vertices
        ranks = [len(vertices)] * len(vertices)
        for rank, position in enumerate(self.wiring.index.forward_order):
            ranks[position] = rank
        return [-1 if vertex.kind == "argument" else rank for vertex, rank in zip(vertices, ranks, strict=True)]

    @cached_property
    def structure(self) -> _Structure:
        return _Structure(self.wiring)


def _without_unchanged_chains(children: list[Entry], changed: set[int], graph: _Graph) -> list[Entry]:
    """Join children that follow each other, in which nothing changed and between which nothing branches."""
    after, before = _links(children, graph.targets)
    is_same = [child.kind != "group" and changed.isdisjoint(members(child)) for child in children]
    following = {
        place: target
        for place, targets in enumerate(after)
        if is_same[place] and len(targets) == 1 and is_same[target := next(iter(targets))] and before[target] == {place}
    }
    chains = []
    for start in sorted({*range(len(children))} - {*following.values()}):
        chain = [start]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        chains.append([children[place] for place in chain])
    if sum(map(len, chains)) < len(children):  # the others are in a cycle
        return children
    joined = [[_part(chain, graph.ranks)] if len(chain) >= MIN_CHAIN else chain for chain in chains]
    return [child for chain in joined for child in chain]


def _fewer(children: list[Entry], graph: _Graph) -> list[Entry]:
    """Return at most MAX_CHILDREN entries that have these children inside.

    Groups, and nodes that many others take, such as a flag for training, are in no part: they can stand aside.
    """
    targets, ranks = graph.targets, graph.ranks
    groups = [child for child in children if child.kind == "group"]
    after, _ = _links(children, targets)
    hubs = [place for place, child in enumerate(children) if child.kind == "node" and len(after[place]) >= MIN_HUB]
    hubs = sorted(hubs, key=lambda place: -len(after[place]))[:MAX_HUBS]
    apart = {id(entry): entry for entry in [*(children[place] for place in hubs), *groups]}
    others = _stacked([child for child in children if id(child) not in apart], graph.structure, targets)
    if MAX_CHILDREN < len(others) < MAX_JOINED:
        others = _joined(others, graph.wiring, ranks, targets)
    if len(others) + len(apart) > MAX_CHILDREN:
        others = _split(others, ranks, targets)
    return [*others, *apart.values()]


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


def members(entry: Entry) -> list[int]:
    """Return the vertices in an entry."""
    if not entry.children:
        return [entry.node] if entry.node >= 0 else []
    result, pending = [], [entry]
    while pending:
        current = pending.pop()
        if current.node >= 0:
            result.append(current.node)
        pending += current.children
    return result


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


_USES = {label: frozenset({label}) for label in ("", "variables", "passed on", "control results")}
_NO_USES: frozenset[str] = frozenset()
_STORAGE_OPS = ALL_VARIABLES | {"ReadVariableOp"}
PASSING_OPS = frozenset({"Identity", "Const", "NoOp"})  # beside variables, these only pass their values on


def _storage(wiring: Wiring, targets: Sequence[Sequence[int]]) -> dict[int, str]:
    """Return the vertices that only hold or pass on values of variables, or control results, with what they are."""
    labels: dict[int, str] = {}
    for number, vertex in enumerate(wiring.vertices):
        if vertex.kind == "result" and is_control_input(vertex.name):
            labels[number] = "control results"
        elif vertex.kind == "node" and vertex.op in _STORAGE_OPS:
            labels[number] = "variables"
        elif vertex.kind == "node" and vertex.op in PASSING_OPS:
            labels[number] = "passed on"
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


class _Structure:
    """Numbers for entries that are the same for equal structures: ops, their inputs' ops, and names without digits."""

    def __init__(self, wiring: Wiring) -> None:
        self._ops = [vertex.op for vertex in wiring.vertices]
        self._edges = wiring.edges
        self._starts = [0, *accumulate(map(len, wiring.index.sources))]  # of the edges to each node
        self._numbers: dict[object, int] = {}

    def __call__(self, entry: Entry) -> int:
        pending, order = [entry], []
        while pending:
            current = pending.pop()
            order.append(current)
            pending += current.children
        numbers: dict[int, int] = {}
        for current in reversed(order):
            inside = tuple(sorted(numbers[id(child)] for child in current.children))
            own = self._ops_of(current.node) if current.node >= 0 else ()
            key = (current.kind, own, inside)
            numbers[id(current)] = self._numbers.setdefault(key, len(self._numbers))
        return numbers[id(entry)]

    def _ops_of(self, number: int) -> tuple[str, ...]:
        """Return the op of a vertex and those of its inputs. Edges to nodes come first, in the order of the nodes."""
        if number + 1 < len(self._starts):
            edges = self._edges[self._starts[number] : self._starts[number + 1]]
        else:
            edges = [edge for edge in self._edges[self._starts[-1] :] if edge.target == number]
        ops = self._ops
        inputs = [control_input(ops[source]) if control else ops[source] for source, _, _, control in edges]
        return (ops[number], *inputs)


def _links(children: Sequence[Entry], targets: Sequence[Sequence[int]]) -> tuple[list[set[int]], list[set[int]]]:
    """Return the places of the children that each child leads to, and of those that lead to it."""
    place_of = {number: place for place, child in enumerate(children) for number in members(child)}
    after: list[set[int]] = [set() for _ in children]
    before: list[set[int]] = [set() for _ in children]
    for number, place in place_of.items():
        for target in targets[number]:
            other = place_of.get(target, place)
            if other != place:
                after[place].add(other)
                before[other].add(place)
    return after, before


def _stacked(children: list[Entry], structure: _Structure, targets: Sequence[Sequence[int]]) -> list[Entry]:
    """Join scopes whose names differ only in numbers and that are equal inside, if nothing is between them."""
    stacks: dict[tuple[str, int], list[int]] = {}
    for place, child in enumerate(children):
        if child.kind == "scope":
            stacks.setdefault((_digits.sub("*", child.label), structure(child)), []).append(place)
    stacks = {key: places for key, places in stacks.items() if len(places) >= MIN_STACK and "*" in key[0]}
    if not stacks:
        return children
    after, _ = _links(children, targets)
    joined: dict[int, Entry] = {}
    for (label, _), places in stacks.items():
        if not _comes_back(set(places), after):
            stack = [children[place] for place in places]
            entry = Entry("stack", f"{label} \N{MULTIPLICATION SIGN}{len(stack)}", children=stack)
            joined.update((id(child), entry) for child in stack)
    return list({id(entry): entry for entry in (joined.get(id(child), child) for child in children)}.values())


def _comes_back(places: set[int], after: Sequence[set[int]]) -> bool:
    """Return whether a path leads out of these places and back into them: as one box, they would form a cycle."""
    pending = list({target for place in places for target in after[place]} - places)
    seen = set(pending)
    while pending:
        for target in after[pending.pop()]:
            if target in places:
                return True
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return False


def _joined(
    children: list[Entry], wiring: Wiring, ranks: Sequence[int], targets: Sequence[Sequence[int]]
) -> list[Entry]:
    """Join nodes with their only consumer, or their only producer, until at most MAX_CHILDREN children are left.

    That makes no cycle. All small parts are joined before any larger one, so that equal chains look the same.
    """
    after, before = _links(children, targets)
    parts = [[child] for child in children]
    inner = [
        child.kind == "node" and wiring.vertices[child.node].op != "Placeholder" and bool(after[place])
        for place, child in enumerate(children)
    ]
    left = len(children)
    for limit in (2, 4, 8, 16):
        if left <= MAX_CHILDREN:
            break
        for place in sorted(range(len(children)), key=lambda place: ranks[min(members(children[place]), default=0)]):
            for near, far in ((after, before), (before, after)):
                if not inner[place] or not parts[place] or len(near[place]) != 1:
                    continue
                other = next(iter(near[place]))
                if not inner[other] or len(parts[place]) + len(parts[other]) > limit:
                    continue
                parts[other] += parts[place]
                parts[place] = []
                left -= 1
                near[place] = set()
                far[other].discard(place)
                for neighbour in far[place]:
                    near[neighbour].discard(place)
                    if neighbour != other:
                        near[neighbour].add(other)
                        far[other].add(neighbour)
                far[place] = set()
    return [part[0] if len(part) == 1 else _part(part, ranks) for part in parts if part]


def _part(children: list[Entry], ranks: Sequence[int]) -> Entry:
    """Return an entry of children in execution order, labelled with the first and the last."""
    children = sorted(children, key=lambda child: min((ranks[number] for number in members(child)), default=0))
    return Entry("part", _range_label(children), children=children)


def _range_label(children: Sequence[Entry]) -> str:
    """Return the names of the first and the last child, without the scopes inside them."""
    first, last = (child.label.split(" … ") for child in (children[0], children[-1]))
    ends = dict.fromkeys((first[0].partition("/")[0], last[-1].partition("/")[0]))
    return " … ".join(ends) if len(ends) == 2 else f"{first[0]} … {last[-1]}"


def _split(children: list[Entry], ranks: Sequence[int], targets: Sequence[Sequence[int]]) -> list[Entry]:
    """Cut children in the order of their edges into parts, recursively, where the fewest tensors are alive."""
    inside = [members(child) for child in children]
    places = _order(children, ranks, targets)
    ordered = [children[place] for place in places]
    place_of = {number: rank for rank, place in enumerate(places) for number in inside[place]}
    alive = [0] * (len(ordered) + 1)
    for number, place in place_of.items():
        last = max((place_of[target] for target in targets[number] if target in place_of), default=place)
        if last > place:
            alive[place + 1] += 1
            alive[last + 1] -= last + 1 < len(alive)
    for place in range(1, len(alive)):
        alive[place] += alive[place - 1]
    return _cut(ordered, alive, 0, len(ordered))


def _order(children: Sequence[Entry], ranks: Sequence[int], targets: Sequence[Sequence[int]]) -> list[int]:
    """Return the places of children in an order in which each comes directly after what it needs, as far as possible.

    The order of execution of nodes is not enough: a scope begins with what it reads, which may be the first to run.
    """
    after, before = _links(children, targets)
    firsts = [min((ranks[number] for number in members(child)), default=0) for child in children]
    order: list[int] = []
    seen = [False] * len(children)
    for end in sorted(range(len(children)), key=lambda place: (bool(after[place]), firsts[place])):
        pending = [(end, False)]
        while pending:
            place, is_done = pending.pop()
            if is_done:
                order.append(place)
            elif not seen[place]:
                seen[place] = True
                pending.append((place, True))
                pending += [(giver, False) for giver in sorted(before[place], key=firsts.__getitem__, reverse=True)]
    return order


def _cut(ordered: list[Entry], alive: list[int], start: int, end: int) -> list[Entry]:
    """Return the parts of ordered[start:end]. alive[i] is the number of tensors from before i to i or later."""
    count = end - start
    if count <= MAX_CHILDREN:
        return ordered[start:end]
    parts = min(MAX_PARTS, max(MIN_PARTS, isqrt(count)))
    cuts = [start]
    for part in range(1, parts):
        ideal, reach = start + count * part // parts, max(1, count // parts // 3)
        window = range(max(cuts[-1] + 1, ideal - reach), min(end - 1, ideal + reach) + 1)
        cuts.append(min(window, key=lambda place: (alive[place], abs(place - ideal)), default=ideal))
    result = []
    for low, high in zip(cuts, [*cuts[1:], end], strict=True):
        if high - low == 1:
            result.append(ordered[low])
        elif high > low:
            label = _range_label(ordered[low:high])
            result.append(Entry("part", label, children=_cut(ordered, alive, low, high)))
    return result
