"""Graphs made to keep the search for inputs and outputs busy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.hostile.graph_actions import exponent_of
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import summarize
from tfmodel.messages import GraphDef

MAX_EXPONENT = 1.45
"""The maximum exponent of the work: 1 is linear, 2 quadratic."""


def _labels(count: int) -> list[str]:
    """Very many labels, each of which joins a prediction of its own."""
    return [
        f"x{n} = Placeholder[dtype=float]\np{n} = MatMul(x{n}, w)[T=float]\ny{n} = Placeholder[dtype=float]\n"
        f"s{n} = Sub(p{n}, y{n})[T=float]"
        for n in range(count)
    ] + [f"loss = AddN({', '.join(f's{n}' for n in range(count))})[T=float, N={count}]"]


def _chains(count: int) -> list[str]:
    """One long chain of steps of a loss that very many tensors join."""
    chain = [f"c{n + 1} = Mul(c{n}, p)[T=float]" for n in range(count)]
    return ["p = MatMul(x, w)[T=float]", "c0 = Sub(p, y)[T=float]", *chain, f"loss = Square(c{count})[T=float]"]


def _switches(count: int) -> list[str]:
    """Very many flags and shares that may be of training, and random numbers."""
    return [
        f"f{n} = Placeholder[dtype=bool]\ns{n} = Switch(x, f{n})[T=float]\nk{n} = Placeholder[dtype=float]\n"
        f"r{n} = RandomUniform(y)[dtype=float, T=int32]\na{n} = Add(r{n}, k{n})[T=float]\n"
        f"m{n} = Mul(a{n}, s{n})[T=float]"
        for n in range(count)
    ] + ["loss = MatMul(x, w)[T=float]"]


def _wide(count: int) -> list[str]:
    """One op of two inputs that has very many, each a share that a dropout may keep."""
    shares = [f"k{n} = Placeholder[dtype=float]" for n in range(count)]
    return [*shares, f"loss = Add({', '.join(f'k{n}' for n in range(count))}, w, x)[T=float]"]


def _copies(count: int) -> list[str]:
    """Very many variables, each of which is a copy of the one before, and has a prediction."""
    return ["v0 = VariableV2[dtype=float, shape=(2, 2)]"] + [
        f"v{n + 1} = VariableV2[dtype=float, shape=(2, 2)]\na{n} = Assign(v{n + 1}, v{n})[T=float]\n"
        f"p{n} = MatMul(x, v{n})[T=float]\ns{n} = Sub(p{n}, y)[T=float]"
        for n in range(count)
    ]


def _terms(count: int) -> list[str]:
    """A sum of very many terms, which are computed from each other, and samplers of their sums."""
    chain = [
        f"t{n + 1} = Add(t{n}, t{max(0, n - 50)})[T=float]\n"
        f"c{n} = LogUniformCandidateSampler(t{n})[num_true=1, num_sampled=2, unique=true, range_max=9]"
        for n in range(count)
    ]
    terms = ", ".join(f"t{n}" for n in range(count))
    return ["t0 = MatMul(x, w)[T=float]", *chain, f"loss = AddN({terms})[T=float, N={count}]"]


def _noise(count: int) -> list[str]:
    """Very many inputs, each of which scales random numbers, that one op adds to data."""
    scaled = [
        f"d{n} = Placeholder[dtype=float]\nr{n} = RandomStandardNormal(y)[dtype=float, T=int32]\n"
        f"n{n} = Mul(r{n}, d{n})[T=float]"
        for n in range(count)
    ]
    return [*scaled, f"loss = AddN({', '.join(f'n{n}' for n in range(count))}, x, w)[T=float, N={count + 2}]"]


def _towers(count: int) -> list[str]:
    """Very many networks with the same weights, each with inputs and a prediction of its own."""
    return [
        f"x{n} = Placeholder[dtype=float]\nr{n} = RandomUniform(y)[dtype=float, T=int32]\n"
        f"m{n} = Mul(x{n}, r{n})[T=float]\np{n} = MatMul(m{n}, w)[T=float]\ns{n} = Sub(p{n}, y)[T=float]\n"
        f"t{n} = Placeholder[dtype=float]\nq{n} = MatMul(t{n}, w)[T=float]"
        for n in range(count)
    ]


ATTACKS = {
    "labels": _labels,
    "chains": _chains,
    "switches": _switches,
    "wide": _wide,
    "copies": _copies,
    "terms": _terms,
    "noise": _noise,
    "towers": _towers,
}


def _trained(lines: list[str]) -> GraphDef:
    names = [line.partition(" ")[0] for text in lines for line in text.splitlines()]
    gradients = [f"gradients/{name}_grad/Mul = NoOp(^{name})" for name in names]
    shared = [
        "x = Placeholder[dtype=float]",
        "y = Placeholder[dtype=float]",
        "w = VariableV2[dtype=float, shape=(2, 2)]",
    ]
    return graph("\n".join([*shared, *lines, *gradients]))


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_search_takes_linear_time(attack: str) -> None:
    """Attack: very many labels, predictions, and inputs that may be of training.

    Naive: follows each of them through the whole graph.
    Stopped by: tfmodel.analysis.endpoints.losses.find_losses
    """
    make: Callable[[int], list[str]] = ATTACKS[attack]
    assert exponent_of(summarize, *(_trained(make(count)) for count in (100, 400))) < MAX_EXPONENT


def test_long_names_of_gradients_take_linear_time() -> None:
    """Attack: the name of a node repeats the parts of a gradient's name very often.

    Naive: a regular expression tries each pair of parts.
    Stopped by: tfmodel.analysis.endpoints.losses.find_losses
    """

    def named(count: int) -> GraphDef:
        result = _trained(["loss = MatMul(x, w)[T=float]"])
        result.node[-1].name = "gradients/a_grad/" * count + "b"
        return result

    assert exponent_of(summarize, named(2_000), named(8_000)) < MAX_EXPONENT
    assert summarize(named(200_000)).nodes == 5
