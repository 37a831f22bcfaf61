"""Recorded answers of TensorFlow, its Graph Transform Tool and protobuf, by family; see README.md.

The scripts import pbwire, tfmodel and helpers of tests. Tests and fuzz read the answers.
"""
