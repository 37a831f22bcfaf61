"""Large graphs with functions, and with the control flow of TensorFlow 1."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from tests.hostile.graphs import call, constant, function, graph, node, placeholder
from tests.hostile.large.builders import BOOL, added
from tfmodel.messages import (
    AttrValue,
    GraphDef,
    NameAttrList,
)

__all__ = ["GRAPHS"]


def functions(size: int, *, chained: bool = False, called: bool = True) -> GraphDef:
    """Functions with one node: the graph calls all of them, or each calls the next."""
    count = size // 3
    library = []
    for number in range(count):
        inner = chained and number + 1 < count
        body = call("n", f"f{number + 1}", "a") if inner else node("n", "Neg", "a")
        library.append(function(f"f{number}", [body], "n:output:0" if inner else "n:y:0"))
    if chained:
        return graph(placeholder("x", 1), call("y", "f0", "x"), functions=library)
    calls = [call(f"c{number}", f"f{number}" if called else "f0", "x") for number in range(count)]
    return graph(placeholder("x", 1), *calls, added(node.name for node in calls), functions=library)


def large_function(size: int) -> GraphDef:
    body = [node("n0", "Neg", "a"), *(node(f"n{number}", "Neg", f"n{number - 1}:y:0") for number in range(1, size))]
    body_function = function("f", body, f"n{size - 1}:y:0")
    return graph(placeholder("x", 1), call("y", "f", "x"), functions=[body_function])


def chain_of_calls(size: int) -> GraphDef:
    """Calls of one function, each on the result of the previous call."""
    names = ["x", *(f"n{number}" for number in range(size // 3)), "y"]
    calls = [call(new, "f", old) for old, new in itertools.pairwise(names)]
    return graph(placeholder("x", 1), *calls, functions=[function("f", [node("n", "Neg", "a")], "n:y:0")])


def table_of_functions(size: int) -> GraphDef:
    """An attribute with a list of functions, all the same."""
    call_node = call("y", "f", "x")
    call_node.attr["_f"] = AttrValue(list=AttrValue.ListValue(func=[NameAttrList(name="f")] * size))
    return graph(placeholder("x", 1), call_node, functions=[function("f", [node("n", "Neg", "a")], "n:y:0")])


def nested_frames(size: int) -> GraphDef:
    """Nested frames: a chain of Enter nodes, and as many Exit nodes."""
    count = size // 2
    names = ["x", *(f"in{number}" for number in range(count)), *(f"out{number}" for number in range(count))]
    nodes = [
        node(new, "Enter", old, frame_name=f"f{number}".encode()) if number < count else node(new, "Exit", old)
        for number, (old, new) in enumerate(itertools.pairwise(names))
    ]
    return graph(placeholder("x", 1), *nodes, node("y", "Neg", names[-1]))


def loops(size: int) -> GraphDef:
    """Loops one after another."""
    nodes, last = [placeholder("x", 1), constant("false", [False], dtype=BOOL)], "x"
    for number in range(size // 7):
        at, frame = f"l{number}/", f"f{number}".encode()
        nodes += [
            node(f"{at}enter", "Enter", last, frame_name=frame),
            node(f"{at}merge", "Merge", f"{at}enter", f"{at}next", N=2),
            node(f"{at}false", "Enter", "false", T=BOOL, frame_name=frame, is_constant=True),
            node(f"{at}cond", "LoopCond", f"{at}false"),
            node(f"{at}switch", "Switch", f"{at}merge", f"{at}cond"),
            node(f"{at}next", "NextIteration", f"{at}switch:1"),
            node(f"{at}exit", "Exit", f"{at}switch:0"),
        ]
        last = f"{at}exit"
    return graph(*nodes, node("y", "Neg", last))


def many_enters(size: int) -> GraphDef:
    """A frame with many Enter nodes."""
    names = [f"n{number}" for number in range(size)]
    enters = [node(name, "Enter", "x", frame_name=b"f", is_constant=True) for name in names]
    return graph(placeholder("x", 1), *enters, added(names, "sum"), node("y", "Exit", "sum"))


def ladder(size: int) -> GraphDef:
    """Switch and Merge, one pair behind the other."""
    nodes, last = [placeholder("x", 1), constant("true", [True], dtype=BOOL)], "x"
    for number in range(size // 2):
        nodes += [
            node(f"s{number}", "Switch", last, "true"),
            node(f"m{number}", "Merge", f"s{number}", f"s{number}:1", N=2),
        ]
        last = f"m{number}"
    return graph(*nodes, node("y", "Neg", last))


def nested_switches(size: int) -> GraphDef:
    """Nested conditions."""
    nodes, last = [placeholder("x", 1), node("p", "Placeholder", dtype=BOOL)], "x"
    for number in range(size // 2):
        nodes.append(node(f"s{number}", "Switch", last, "p"))
        last = f"s{number}:1"
    for number in reversed(range(size // 2)):
        nodes.append(node(f"m{number}", "Merge", f"s{number}", last, N=2))
        last = f"m{number}"
    return graph(*nodes, node("y", "Neg", last))


GRAPHS: dict[str, Callable[[int], GraphDef]] = {
    "functions": functions,
    "functions, one called": lambda size: functions(size, called=False),
    "chain of functions": lambda size: functions(size, chained=True),
    "large function": large_function,
    "chain of calls": chain_of_calls,
    "nested frames": nested_frames,
    "loops": loops,
    "many Enter": many_enters,
    "ladder of Switch": ladder,
    "nested Switch": nested_switches,
    "list of functions": table_of_functions,
}
