"""Ops of TensorFlow's string_ops.cc.

    strings.py     joining, splitting, cutting, regular expressions
    formatting.py  AsString, StringToNumber, StringFormat
    hashing.py     hash buckets and fingerprints
    unicode.py     Unicode
    shapes.py      shape rules

Kernels may import `ops.runtime`, shape rules `ops.shape_rules` and no NumPy, both also other groups. `runtime` calls
the kernels, `tfmodel.shapes` the shape rules.
"""
