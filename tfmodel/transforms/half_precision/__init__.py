"""Convert float32 graphs to float16 or bfloat16: what `convert_float16` and `convert_bfloat16` share.

    kernels.py      the ops that can compute in half precision, and those that should not
    weights.py      constants: rounding, overflow and underflow
    selection.py    which nodes of a graph compute in half precision
    rewriting.py    change the types of nodes, and insert casts between the types
    conversion.py   all of it together: a graph and its functions

The package may import the same packages as transforms, and the framework of transforms. Only the transforms use it.
"""
