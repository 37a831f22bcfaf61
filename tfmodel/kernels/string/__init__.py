"""Ops of TensorFlow's string_ops.cc.

    strings.py     joining, splitting, cutting, regular expressions
    formatting.py  AsString, StringToNumber, StringFormat
    hashing.py     hash buckets and fingerprints
    unicode.py     Unicode

Kernels may import `runtime` and other groups; `runtime` calls them.
"""
