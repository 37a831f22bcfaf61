"""Comparisons of models by their values.

    value_diff/    compare the values of the tensors in two models: the report of `compare_values`

The package imports `parameters`, `source` and packages below them; `cli`, `model` and `optimizer` call it.
"""
