"""Attacks on whoever opens a file, and what stops each.

A test is an attack. Its docstring says what is tried, what somebody would do who had not thought of it, and the
function that stops it:

    Attack: a length of 2**63 in front of a string of one byte.
    Naive: takes that much memory, or computes an end that wraps around.
    Stopped by: pbwire.wire.too_short

`python -m tests.hostile` prints all of them as a table; `test_catalogue` sees to it that the functions are there.
"""
