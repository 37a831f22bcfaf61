"""Loops for attacks: every small wiring of control flow ops, and functions that call each other without end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, product

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.messages import AttrValue, GraphDef, NameAttrList

__all__ = ["FETCHED", "function_loops", "growing", "nested", "wide", "wirings"]

FETCHED = ("x", "m", "s:1")
"""The fetched tensors of `wirings`. All other graphs have one result, y."""

_HEAD = """
    c = Const[dtype=bool, value=bool{{{0}}}()]
    p = Enter(c)[T=bool, frame_name="loop", is_constant={1}]
"""
_SOURCES = ("c", "p", "e", "m", "s", "s:1", "n", "x")
_SLOTS = ("e", "m0", "m1", "data", "pred", "n", "x")
_LOOP = dict(zip(_SLOTS, ("c", "e", "n", "m", "p", "s:1", "s"), strict=True))
"""The loop as TensorFlow wires it; its predicate is an invariant, so it never ends."""


def wirings(count: int, seed: int = 14) -> Iterator[GraphDef]:
    """Yield graphs with one Enter, Merge, Switch, NextIteration and Exit.

    First all variants of the usual loop in which one input is rewired; then `count` with two rewired inputs, and
    `count` in which all inputs are random. Frame names, is_constant and LoopCond vary along the way.
    """
    pick = random.Random(seed)
    near = chain(
        (_LOOP | {slot: source} for slot, source in product(_SLOTS, _SOURCES)),
        (
            _LOOP | {pick.choice(_SLOTS): pick.choice(_SOURCES), pick.choice(_SLOTS): pick.choice(_SOURCES)}
            for _ in range(count)
        ),
    )
    far = ({slot: pick.choice(_SOURCES) for slot in _SLOTS} for _ in range(count))
    for number, wiring in enumerate(chain(near, far)):
        yield graph(_wired(wiring, number))


def _wired(wiring: dict[str, str], number: int) -> str:
    truth, constant, frame, twice = number % 2, number // 2 % 3, number // 6 % 4, number // 24 % 3
    inner = {0: "loop", 1: "loop", 2: "inner", 3: ""}[frame]
    enters = [str(constant > 0).lower(), str(constant == 2).lower()]
    lines = [
        _HEAD.format(1 - truth, enters[0]),
        f'    e = Enter({wiring["e"]})[T=bool, frame_name="{inner}", is_constant={enters[1]}]',
        f"    m = Merge({wiring['m0']}, {wiring['m1']})[T=bool, N=2]",
        f"    s = Switch({wiring['data']}, {'l' if twice else wiring['pred']})[T=bool]",
        f"    n = NextIteration({wiring['n']})[T=bool]",
        f"    x = Exit({'e2' if twice == 2 else wiring['x']})[T=bool]",
    ]
    if twice:
        lines.append(f"    l = LoopCond({wiring['m1']})")
        lines.append('    e2 = Enter(s:1)[T=bool, frame_name="loop"]')
    return "\n".join(lines)


_CALLS = {
    "PartitionedCall": "PartitionedCall({0})[Tin=[bool], Tout=[bool], f=@{1}]",
    "StatefulPartitionedCall": "StatefulPartitionedCall({0})[Tin=[bool], Tout=[bool], f=@{1}]",
    "RemoteCall": "StatefulPartitionedCall({0})[Tin=[bool], Tout=[bool], f=@{1}]",
    "If": "If({0}, {0})[Tcond=bool, Tin=[bool], Tout=[bool], then_branch=@{1}, else_branch=@{1}]",
    "StatelessIf": "StatelessIf({0}, {0})[Tcond=bool, Tin=[bool], Tout=[bool], then_branch=@{1}, else_branch=@{1}]",
    "Case": "Case(zero, {0})[Tin=[bool], Tout=[bool], branches=[@{1}, @{1}]]",
    "While": "While({0})[T=[bool], cond=@same, body=@{1}]",
    "StatelessWhile": "StatelessWhile({0})[T=[bool], cond=@same, body=@{1}]",
    "While, cond": "While({0})[T=[bool], cond=@{1}, body=@same]",
    "For": "For(zero, many, unit, {0})[T=[bool], body=@{1}]",
    "by op": "{1}({0})",
}
_HELPERS = """
    same: (a: bool) -> (r: bool = a)
    turn: (i: int32, a: bool) -> (r: bool = a)
    ends: (a: bool) -> (r: bool = not:y:0)
    ends: not = LogicalNot(a)
"""
_CONSTANTS = """
    zero = Const[dtype=int32, value=int32{0}()]
    unit = Const[dtype=int32, value=int32{1}()]
    many = Const[dtype=int32, value=int32{2000000000}()]
"""


def function_loops() -> Iterator[tuple[str, GraphDef]]:
    """Yield graphs, with names, for each op that calls functions and for each kind of body: one that does nothing, one
    that ends a loop, functions that call themselves once or twice, and 2**40 calls along a chain of 40."""
    for kind, call in _CALLS.items():
        for name, body in _bodies(kind, call).items():
            start = f"    x = Const[dtype=bool, value=bool{{1}}()]\n    y = {call.format('x', name)}\n"
            yield f"{kind}: {name}", graph(start + _CONSTANTS + _HELPERS + body)


def _bodies(kind: str, call: str) -> dict[str, str]:
    """Return the functions that a call of this kind can name."""
    argument = "(i: int32, a: bool)" if kind == "For" else "(a: bool)"
    inner = call.replace("zero", "zero:output:0").replace("unit", "unit:output:0").replace("many", "many:output:0")
    port = "r" if kind == "by op" else "output"

    def calling(name: str, callee: str, times: int) -> str:
        calls = [
            f"{name}: y{turn} = {inner.format(f'y{turn - 1}:{port}:0' if turn else 'a', callee)}"
            for turn in range(times)
        ]
        constants = [f"{name}: {line.strip()}" for line in _CONSTANTS.strip().splitlines()]
        return "\n    ".join(["", f"{name}: {argument} -> (r: bool = y{times - 1}:{port}:0)", *constants, *calls, ""])

    last = f"\n    deep40: {argument} -> (r: bool = a)\n"
    return {
        **({"turn": ""} if kind == "For" else {"same": "", "ends": ""}),
        "again": calling("again", "again", 1),
        "twice": calling("twice", "twice", 2),
        "deep0": "".join(calling(f"deep{level}", f"deep{level + 1}", 2) for level in range(40)) + last,
    }


def nested(depth: int, names: Sequence[str]) -> GraphDef:
    """Endless loops in loops, whose frames have the names in turn."""
    lines = ["    c = Const[dtype=bool, value=bool{1}()]"]
    before = "c"
    for level in range(depth):
        lines += [
            f'    p{level} = Enter({before})[T=bool, frame_name="{names[level % len(names)]}", is_constant=true]',
            f'    e{level} = Enter({before})[T=bool, frame_name="{names[level % len(names)]}"]',
            f"    m{level} = Merge(e{level}, n{level})[T=bool, N=2]",
            f"    s{level} = Switch(m{level}, p{level})[T=bool]",
        ]
        before = f"s{level}:1"
    for level in reversed(range(depth)):
        lines += [f"    n{level} = NextIteration({before})[T=bool]", f"    x{level} = Exit(s{level})[T=bool]"]
        before = f"x{level}"
    lines.append("    y = Identity(x0)[T=bool]")
    return graph("\n".join(lines))


def wide(consumers: int) -> GraphDef:
    """An endless loop in which one tensor has very many consumers."""
    loop = nested(1, ["loop"])
    merge = next(node for node in loop.node if node.op == "Merge")
    merge.input[1:] = [merge.input[1]] * consumers
    merge.attr["N"] = AttrValue(i=len(merge.input))
    return loop


def growing(factor: int) -> GraphDef:
    """A function that calls itself with an attribute that names its own attribute `factor` times."""
    graph_def = graph("""
        x = Const[dtype=bool, value=bool{1}()]
        y = PartitionedCall(x)[Tin=[bool], Tout=[bool], f=@again]
        again: (a: bool) -> (r: bool = y:output:0)
        again: y = PartitionedCall(a)[Tin=[bool], Tout=[bool], f=@again]
    """)
    own = {f"p{number}": AttrValue(placeholder="g") for number in range(factor)}
    inner = NameAttrList(name="again", attr={"g": AttrValue(func=NameAttrList(name="h", attr=own))})
    assert graph_def.library is not None
    graph_def.library.function[0].node_def[0].attr["f"] = AttrValue(func=inner)
    return graph_def
