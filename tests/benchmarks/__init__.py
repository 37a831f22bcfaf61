"""Benchmarks against protobuf and TensorFlow in the same run: `python -m tests.benchmarks --help`."""
