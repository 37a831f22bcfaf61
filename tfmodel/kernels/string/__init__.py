"""Ops of TensorFlow's string_ops.cc.

    strings.py     joining, splitting, cutting, regular expressions
    formatting.py  AsString, StringToNumber, StringFormat
    hashing.py     hash buckets and fingerprints
    unicode.py     Unicode

Kernels may import `ops.runtime`; shape rules may import `ops.shape_rules`, but not NumPy; both may import other groups.
`ops.runtime` calls the kernels, and `tfmodel.analysis.shapes` the shape rules.
"""
