"""What numbers a model has: every constant and variable, who uses it and as what, and its values for other programs.

    report = weights("frozen.pb", name="conv*")
    print(report.to_text())
    for weight in report:
        weight.name, weight.op, weight.role, weight.shape, weight.array()
    weights("model.ckpt-1000", layout="torch").save("weights.safetensors")

    listing.py      `weights`: from a model to its report
    report.py       the report: text, JSON, files
    weight.py       `Weight`, one row of it
    rows.py         the rows of a graph and of a checkpoint
    constants.py    constants, of which type and shape are told without touching the values
    quantized.py    which constants are codes, and what numbers these stand for
    variables.py    which tensor of the checkpoint is the value of which variable
    wiring.py       where a tensor goes: through nodes that pass it on, and into functions
    uses.py         as what the nodes at the end take it
    roles.py        the table of ops for that
    layouts.py      the order of the axes of convolution filters
    statistics.py   minimum, maximum, mean, deviation; histograms
    distinct.py     how many values there are, and how small that packs
    export.py       files for other programs

NumPy is imported when values are asked for, and not for a list of constants.
"""
