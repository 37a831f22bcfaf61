"""Long lists of entries, made shorter: stacks of equal blocks, chains that are joined, parts in execution order.

    block_1 ... block_12, relu_1 ... relu_90      ->      "block_* x12" {...}, "relu_1 ... relu_31" {...}, ...

Of more than MAX_CHILDREN children, those whose names differ only in numbers and whose nodes are equal are one stack;
then nodes are joined with their only consumer or producer; and if still more than MAX_CHILDREN are left, they are cut
where the fewest tensors are alive in execution order. In a difference of two models, chains in which nothing changed
are parts, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import accumulate, repeat
from math import isqrt

from ..values.names import control_input
from .entries import Entry, links, members
from .wiring import Wiring

MAX_CHILDREN = 48
MIN_HUB, MAX_HUBS = 12, 6
MAX_ENDS = 8
MIN_STACK = 3
MIN_CHAIN = 3
MIN_PARTS, MAX_PARTS = 8, 40
MAX_JOINED = 400  # children: of more, joining a few changes little

_digits = re.compile(r"\d+")


class WiringFacts:
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


def without_unchanged_chains(children: list[Entry], changed: set[int], facts: WiringFacts) -> list[Entry]:
    """Join children that follow each other, in which nothing changed and between which nothing branches."""
    inside = [members(child) for child in children]
    after, before = links(inside, facts.targets)
    is_same = [
        child.kind != "group" and changed.isdisjoint(numbers) for child, numbers in zip(children, inside, strict=True)
    ]
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
    joined = [[_part(chain, facts.ranks)] if len(chain) >= MIN_CHAIN else chain for chain in chains]
    return [child for chain in joined for child in chain]


def shortened(
    children: list[Entry], facts: WiringFacts, most: int = MAX_CHILDREN, ends: Collection[int] = ()
) -> list[Entry]:
    """Return at most `most` entries that have these children inside, and those that are in no part.

    Inputs and outputs of the model, `ends`, are in no part: they say what it is for. Groups, and nodes that many others
    take, such as a flag for training, are in no part either: they can stand aside. That holds for everything that
    computes no output if `most` is smaller than MAX_CHILDREN.
    """
    targets, ranks = facts.targets, facts.ranks
    useful = most < MAX_CHILDREN and any(child.uses for child in children)
    groups = [child for child in children if child.kind == "group" or (useful and not child.uses)]
    hubs = _hubs(children, targets)
    ends_here = [child for child in children if child.kind == "node" and child.node in ends][:MAX_ENDS]
    apart = {id(entry): entry for entry in [*hubs, *ends_here, *groups]}
    others = _stacked([child for child in children if id(child) not in apart], facts.structure, targets)
    if most < len(others) < MAX_JOINED:
        others = _joined(others, facts.wiring, ranks, targets, most)
    if len(others) + len(apart) > most:
        others = split(others, ranks, targets, most)
    return [*others, *apart.values()]


def _hubs(children: Sequence[Entry], targets: Sequence[Sequence[int]]) -> list[Entry]:
    """Return the nodes that many other children take, those with most first."""
    place_of = {number: place for place, child in enumerate(children) for number in members(child)}
    degrees = {
        place: len({*map(place_of.get, targets[child.node])} - {None, place})
        for place, child in enumerate(children)
        if child.kind == "node" and len(targets[child.node]) >= MIN_HUB
    }
    hubs = [place for place, degree in degrees.items() if degree >= MIN_HUB]
    return [children[place] for place in sorted(hubs, key=lambda place: -degrees[place])[:MAX_HUBS]]


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


def _stacked(children: list[Entry], structure: _Structure, targets: Sequence[Sequence[int]]) -> list[Entry]:
    """Join scopes whose names differ only in numbers and that are equal inside, if nothing is between them."""
    named: dict[str, list[int]] = {}
    for place, child in enumerate(children):
        if child.kind == "scope" and "*" in (label := _digits.sub("*", child.label)):
            named.setdefault(label, []).append(place)
    stacks: dict[tuple[str, int], list[int]] = {}
    for label, places in named.items():
        for place in places if len(places) >= MIN_STACK else ():
            stacks.setdefault((label, structure(children[place])), []).append(place)
    stacks = {key: places for key, places in stacks.items() if len(places) >= MIN_STACK}
    if not stacks:
        return children
    after, _ = links([members(child) for child in children], targets)
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
    children: list[Entry], wiring: Wiring, ranks: Sequence[int], targets: Sequence[Sequence[int]], most: int
) -> list[Entry]:
    """Join nodes with their only consumer, or their only producer, until at most `most` children are left.

    That makes no cycle. All small parts are joined before any larger one, so that equal chains look the same.
    """
    inside = [members(child) for child in children]
    after, before = links(inside, targets)
    parts = [[child] for child in children]
    inner = [
        child.kind == "node" and wiring.vertices[child.node].op != "Placeholder" and bool(after[place])
        for place, child in enumerate(children)
    ]
    left = len(children)
    in_order = sorted(range(left), key=lambda place: ranks[min(inside[place], default=0)])
    for limit in (2, 4, 8, 16):
        if left <= most:
            break
        for place in in_order:
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


def split(
    children: list[Entry], ranks: Sequence[int], targets: Sequence[Sequence[int]], most: int = MAX_CHILDREN
) -> list[Entry]:
    """Cut children in the order of their edges into parts, recursively, where the fewest tensors are alive."""
    inside = [members(child) for child in children]
    places = _order(inside, ranks, targets)
    ordered = [children[place] for place in places]
    place_of = {number: rank for rank, place in enumerate(places) for number in inside[place]}
    alive = [0] * (len(ordered) + 1)
    for number, place in place_of.items():
        last = max(map(place_of.get, targets[number], repeat(place)), default=place)
        if last > place:
            alive[place + 1] += 1
            alive[last + 1] -= last + 1 < len(alive)
    for place in range(1, len(alive)):
        alive[place] += alive[place - 1]
    return _cut(ordered, alive, 0, len(ordered), most)


def _order(inside: Sequence[Sequence[int]], ranks: Sequence[int], targets: Sequence[Sequence[int]]) -> list[int]:
    """Return the places of children in an order in which each comes directly after what it needs, as far as possible.

    `inside` has the vertices of each. The order of execution of nodes is not enough: a scope begins with what it reads,
    which may be the first to run.
    """
    after, before = links(inside, targets)
    firsts = [min((ranks[number] for number in numbers), default=0) for numbers in inside]
    order: list[int] = []
    seen = [False] * len(inside)
    for end in sorted(range(len(inside)), key=lambda place: (bool(after[place]), firsts[place])):
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


def _cut(ordered: list[Entry], alive: list[int], start: int, end: int, most: int) -> list[Entry]:
    """Return the parts of ordered[start:end]. alive[i] is the number of tensors from before i to i or later."""
    count = end - start
    if count <= most:
        return ordered[start:end]
    parts = min(MAX_PARTS, most, max(MIN_PARTS, isqrt(count)))
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
            result.append(Entry("part", label, children=_cut(ordered, alive, low, high, most)))
    return result
