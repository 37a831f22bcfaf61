"""Ours beside Google's, on the same file in the same run: `python -m tests.benchmarks --help`."""
