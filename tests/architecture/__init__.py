"""Tests of the structure of the repository: import order, module names and sizes, and lanes of tests."""
