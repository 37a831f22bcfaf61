"""The constants and variables of a model: their roles, statistics, and export for other programs.

    report = weights("frozen.pb", name="conv*")
    print(report.to_text())
    for weight in report:
        weight.name, weight.op, weight.role, weight.shape, weight.read()
    weights("model.ckpt-1000", layout="torch").save("weights.safetensors")

    listing.py        `weights`: list the learned weights of a model, or all constants and variables
    weight_rows.py    a row for each constant and variable, and for each tensor of the checkpoint
    report.py         `WeightsReport`: text and JSON
    export.py         files of weights: .npz, .safetensors, .npy
    weight.py         `Weight`; axis orders of convolution filters
    quantized.py      detect quantized weights, and those that are stored in half precision
    variables.py      find the values of variables in a checkpoint
    optimizer_state.py  recognize slots, moving averages, counters and settings of optimizers
    rewriting.py      write a checkpoint with other names, types, or fewer tensors
    statistics.py     minimum, maximum, mean, histogram, distinct values
    zero_weights.py   detect models whose weights were stripped

The package imports `analysis`, `source`, `files` and packages below them. Reports, `optimizer`, `interpreter` and `cli`
call it. NumPy is imported only for checkpoints, and when values are read.
"""
