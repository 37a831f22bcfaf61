"""The parts of `sparsify_gather`: `lookups` finds tables, `variable_removal` removes what they leave unused.

It may import what transforms may import; `sparsify_gather` calls it.
"""
