"""Comparisons of models by their values.

    verify/        run two models on the same inputs, and compare what they compute
    value_diff/    compare the values of the tensors in two models: the report of `compare_values`

The package imports the interpreter, `parameters`, `source` and packages below them; `cli`, `model` and `optimizer` call
it.
"""
