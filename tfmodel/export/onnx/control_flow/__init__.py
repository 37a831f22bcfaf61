"""Loops, conditionals and calls.

    loops.py          loops, whatever they were made of, and how they become a Loop
    counters.py       variables that count the rounds, and conditions that compare them with a limit
    frames.py         loops of TensorFlow 1: Enter, Merge, Switch, NextIteration, Exit
    functions.py      While, If, Case and calls of functions
    conditionals.py   conditionals of TensorFlow 1: Switch and Merge

It imports the conversion of nodes, graph and analysis; `export` calls it.
"""

from __future__ import annotations

from ..conversion.nodes import Structure
from . import conditionals, frames, functions


def structures() -> dict[str, Structure]:
    """Return what converts the nodes of control flow, by op."""
    return {**functions.STRUCTURES, **frames.STRUCTURES, **conditionals.STRUCTURES}


__all__ = ["structures"]
