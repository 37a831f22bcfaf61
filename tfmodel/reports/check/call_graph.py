"""The calls between functions: circles of functions that call each other, and which and how many nodes calls run.

called = {name: called_functions(body) for name, body in bodies.items()}
recursive_functions(called)                 # {"f": {"f", "g"}, "g": {"f", "g"}}
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from pbwire.errors import Error

from ...graph import GraphIndex
from ...graph.functions import named_functions
from ...graph.traversal import strong_components
from ...messages import NodeDef
from ...ops import OPS
from ...values.names import data_inputs, is_control_input, node_name

MAX_EXPANDED = 100_000_000
"""The maximum number of nodes that the calls of a function may run; real models have some thousands."""


def called_functions(body: GraphIndex) -> dict[int, list[str]]:
    """Return the functions that each node of a body runs, by its position; nodes that run none are left out."""
    called = {}
    for position, node in enumerate(body.nodes):
        names = [node.op, *named_functions(value for key, value in node.attr.items() if not key.startswith("_"))]
        if node.op == "SymbolicGradient":
            names += [gradient for name in names if (gradient := body.functions.gradients.get(name))]
        if names := [name for name in names if name in body.functions]:
            called[position] = names
    return called


def calls_by_function(bodies: Mapping[str, GraphIndex]) -> dict[str, list[tuple[str, list[str], int]]]:
    """Return the calls of each function: the body, the inputs, and the number of the one that is the first argument."""
    calls: dict[str, list[tuple[str, list[str], int]]] = {}
    for caller, body in bodies.items():
        for node in body.nodes:
            with suppress(Error):  # a fault of its own
                call = body.functions.call(node)
                if call is not None:
                    inputs = data_inputs(node)
                    for name in call.names:
                        calls.setdefault(name, []).append((caller, inputs, call.first))
    return calls


def running_nodes(function: str, body: GraphIndex, *, is_inlined: bool) -> set[int]:
    """Return the positions of the nodes of a function that run whenever the function runs.

    These are the nodes that its results depend on. In a function that is not inlined, such as the body of a loop, nodes
    with state run too; those of a function that is called are lost unless a result or a control output needs them.
    """
    message = body.functions[function]
    names = [node_name(text) for text in message.ret.values()] + list(message.control_ret.values())
    ends = [body.positions[name] for name in names if name in body.positions]
    if not is_inlined:
        ends += [position for position, node in enumerate(body.nodes) if _has_state(body, node)]
    return nodes_before(body, ends)


def nodes_before(body: GraphIndex, ends: Iterable[int]) -> set[int]:
    """Return the positions of nodes and of those that they depend on.

    A control input from a call without state does not count: TensorFlow removes it.
    """
    found = set(ends)
    queue = list(found)
    for position in queue:  # the loop appends to it
        for text, source in zip(body.nodes[position].input, body.sources[position], strict=True):
            is_kept = source >= 0 and not (is_control_input(text) and _is_call_without_state(body, body.nodes[source]))
            if is_kept and source not in found:
                found.add(source)
                queue.append(source)
    return found


def _has_state(body: GraphIndex, node: NodeDef) -> bool:
    if node.op in body.functions:
        signature = body.functions[node.op].signature
        return signature is not None and signature.is_stateful
    return node.op not in OPS or OPS[node.op].is_stateful


def _is_call_without_state(body: GraphIndex, node: NodeDef) -> bool:
    with suppress(Error):  # a fault of its own
        return body.functions.call(node) is not None and not _has_state(body, node)
    return False


def recursive_functions(called: Mapping[str, Mapping[int, list[str]]]) -> dict[str, set[str]]:
    """Return the functions that call themselves, perhaps through others, each with those of its circle.

    TensorFlow expands calls when it loads a graph, also those in the branches of a conditional, and crashes.
    """
    names = [name for name in called if name]
    numbers = {name: number for number, name in enumerate(names)}
    edges = []
    for name in names:
        others = dict.fromkeys(other for row in called[name].values() for other in row)
        edges.append([numbers[other] for other in others if other in numbers])
    circles: dict[str, set[str]] = {}
    for component in strong_components(range(len(names)), edges):
        if len(component) > 1 or component[0] in edges[component[0]]:
            circle = {names[number] for number in component}
            circles.update(dict.fromkeys(circle, circle))
    return circles


def expanded_sizes(
    bodies: Mapping[str, GraphIndex], called: Mapping[str, Mapping[int, list[str]]], recursive: Collection[str]
) -> dict[str, int]:
    """Return the numbers of nodes that functions run with all of their calls, at most a little over the limit."""
    sizes: dict[str, int] = dict.fromkeys(recursive, 0)
    stack = [name for name in bodies if name and name not in sizes]
    while stack:
        name = stack[-1]
        others = [other for row in called[name].values() for other in row if other in bodies]
        waiting = [other for other in dict.fromkeys(others) if other not in sizes]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        sizes[name] = min(len(bodies[name]) + sum(sizes[other] for other in others), 2 * MAX_EXPANDED)
    return sizes
