"""Attacks by hostile files and models, and the functions that stop them.

Each test is an attack. Its docstring describes the attack, the behaviour of a naive program, and the function that
stops it:

    Attack: a length of 2**63 in front of a string of one byte.
    Naive: takes that much memory, or computes an end that wraps around.
    Stopped by: pbwire.wire.fail_too_short

`python -m tests.hostile` prints all of them as a table; `test_catalogue` checks that the functions exist.
"""
