"""The parts of `sparsify_gather`: `lookups` finds lookups, `variable_removal` removes nodes that become unused.

It may import what transforms may import; `sparsify_gather` calls it.
"""
