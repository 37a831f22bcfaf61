"""The graph and the functions of a model with their boxes, as all pictures of the model show them.

outline_of(source, "")        the graph
outline_of(source, "f")       a function
main_body(outlines)           the name of the one that a picture shows at first
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..analysis.choice import choose_if_readable
from ..analysis.facts import Facts
from ..graph import Functions, GraphIndex
from ..source.model_source import ModelSource
from ..values.names import node_name
from .boxes import Tree
from .hierarchy import build_hierarchy, find_hosts
from .long_lists import MAX_CHILDREN
from .wiring import Wiring, build_wiring

if TYPE_CHECKING:
    from ..messages import FunctionDef, GraphDef
    from .entrances import Entrance

MAX_NAME = 500
"""The maximum number of characters of a name in a picture."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The graph, whose name is "", or a function.

    hosts     the vertices that have no box, with the vertex whose box they are in
    needed    the vertices that compute the outputs; None if that is unknown
    calls     the names of the functions that each vertex calls
    """

    name: str
    wiring: Wiring
    hosts: Mapping[int, int]
    needed: set[int] | None
    calls: Mapping[int, tuple[str, ...]]
    tree: Tree

    @property
    def index(self) -> GraphIndex:
        return self.wiring.index


def outline_of(
    source: ModelSource,
    name: str,
    *,
    changed: Iterable[str] | None = None,
    separate: bool = False,
    most: int = MAX_CHILDREN,
    choose: Callable[[Wiring, Mapping[int, int]], tuple[Mapping[int, int], set[int]]] | None = None,
) -> Outline:
    """Return the outline of the graph or a function.

    changed     in a difference of two models, the names of the nodes that changed
    separate    give constants and variables boxes of their own
    most        how many children an entry has at most
    choose      return the hosts and the vertices of a picture that does not show all; nothing stands aside there
    """
    facts = Facts.of(source)
    functions = facts.functions
    index = facts.index.body(name) if name else facts.index
    content: GraphDef | FunctionDef = functions[name] if name else source.graph
    wiring = build_wiring(content, index)
    ends = {"inputs": [], "outputs": []} if name else ends_of(source)
    outputs = ends["outputs"]
    needed = _ancestors(index, outputs) if outputs else None
    marks = [] if name else facts.marks
    roles = {number: _ROLES.get(mark, "not used by outputs") for number, mark in enumerate(marks) if mark}
    calls = _calls(index, functions)
    numbers = None if changed is None else {index.positions[node] for node in changed if node in index}
    hosts: Mapping[int, int] = {} if separate else find_hosts(wiring, needed)
    hidden = hosts
    if choose is not None:
        hosts, chosen = choose(wiring, hosts)
        needed = None
        hidden = {number: hosts.get(number, number) for number in range(len(wiring.vertices)) if number not in chosen}
        hosts = {number: host for number, host in hosts.items() if host in chosen}
    root = build_hierarchy(wiring, hidden, needed, roles, numbers, most, {*ends["inputs"], *outputs})
    return Outline(
        name, wiring, hosts, needed, calls, Tree(root, wiring, hosts, needed, callers=calls, changed=numbers)
    )


def outline_of_entrance(entrance: Entrance, index: GraphIndex, most: int) -> Outline:
    """Return the outline of an entrance. Nodes that only pass a result on are inside the box of the result."""
    wiring = build_wiring(entrance.graph, index)
    hosts = find_hosts(wiring, None)
    takers = index.targets
    for name in entrance.outputs:
        result = index.position(name)
        position = index.data_sources[result][0]
        while position >= 0 and index.nodes[position].op == "Identity" and len(takers[position]) == 1:
            hosts[position] = result
            position = next(iter(index.data_sources[position]), -1)
    for number in hosts:
        while hosts[number] in hosts:
            hosts[number] = hosts[hosts[number]]
    calls = _calls(index, index.functions)
    ends = {index.position(name) for name in (*entrance.inputs, *entrance.outputs)}
    root = build_hierarchy(wiring, hosts, None, {}, most=most, ends=ends)
    return Outline(entrance.name, wiring, hosts, None, calls, Tree(root, wiring, hosts, callers=calls))


def _calls(index: GraphIndex, functions: Functions) -> dict[int, tuple[str, ...]]:
    """Return the functions that nodes call, by the number of the node."""
    calls = {}
    for number, node in enumerate(index.nodes) if functions else ():
        if called := tuple(function for function in functions.called_by(node) if function in functions):
            calls[number] = called
    return calls


_ROLES = {
    "saver": "saving and restoring",
    "summaries": "summaries",
    "gradients": "gradients",
    "training": "training: updates of variables",
    "init": "initial values",
    "checks": "checks",
    "control flow": "control flow",
}


def ends_of(source: ModelSource) -> dict[str, list[int]]:
    """Return the nodes that are "inputs" and "outputs" of a model."""
    facts = Facts.of(source)
    choice, positions = choose_if_readable(source, facts), facts.index.positions
    return {
        side: [positions[name] for name in map(node_name, tensors) if name in positions]
        for side, tensors in (("inputs", choice.inputs), ("outputs", choice.outputs))
    }


def _ancestors(index: GraphIndex, ends: list[int]) -> set[int]:
    """Return the nodes that compute the tensors of these nodes, and those themselves."""
    reached = set(ends)
    pending = list(ends)
    while pending:
        for source in index.sources[pending.pop()]:
            if source >= 0 and source not in reached:
                reached.add(source)
                pending.append(source)
    return reached


_STORES = re.compile(r"Placeholder|Identity|NoOp|Const|.*Variable.*|VarHandleOp")


def main_body(outline_named: Callable[[str], Outline]) -> str:
    """Return the name of the body that computes the outputs: the graph of a TF2 SavedModel only calls a function."""
    body = outline_named("")
    for _ in range(5):
        work = 0
        called: Outline | None = None
        for number, node in enumerate(body.index.nodes):
            if (body.needed is not None and number not in body.needed) or number in body.hosts:
                continue
            work += _STORES.fullmatch(node.op) is None
            for name in dict.fromkeys(body.calls.get(number, ())):
                other = outline_named(name)
                if name != body.name and (called is None or len(other.index) > len(called.index)):
                    called = other
        if called is None or work > 3 or len(called.index) < work:
            break
        body = called
    return body.name


# --- texts -----------------------------------------------------------------------------------------------------------


def cut(text: str, limit: int = MAX_NAME) -> str:
    """Return a text that is not longer than the limit; the middle of a longer one is left out."""
    ellipsis = "\N{HORIZONTAL ELLIPSIS}"
    return text if len(text) <= limit else f"{text[: limit // 2]}{ellipsis}{text[-(limit - 1 - limit // 2) :]}"


def title_of(source: ModelSource) -> str:
    """Return the last part of the model's name, so that no picture tells a path; of a SavedModel, the folder.

    A folder that is only a number, the version of a model, comes with the name of the folder around it.
    """
    parts = [part for part in source.name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if len(parts) > 1 and parts[-1] in ("saved_model.pb", "saved_model.pbtxt"):
        parts.pop()
        if len(parts) > 1 and parts[-1].isdigit():
            parts[-2:] = ["/".join(parts[-2:])]
    return cut(parts[-1] if parts else "model", 200)
