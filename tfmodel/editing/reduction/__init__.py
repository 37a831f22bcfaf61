"""Reduce a model to the smallest graph that still shows a problem.

    report = reduce("model.pb", lambda model: crashes(model))        # or a command, or another model to compare with
    report.model.save("small.pb")

The package imports `transforms`, `interpreter`, `compare` and packages below them. `reduce` is for a `ModelSource`;
`tfmodel.reduce`, which calls it, is for a `Model`.

    reducing.py     `reduce`: the frozen model, the sample feeds, the check, the search
    reducer.py      the search: outputs, nodes by delta debugging, then constants and attributes
    candidates.py   smaller graphs: nodes that stay, and constants in place of all others
    checks.py       what shows the problem: a command, a failed run, another value than that of another model
    values.py       the values of tensors with the sample feeds
    state.py        the answers of earlier checks, so that a search goes on where it ended
    report.py       `Reduced`, which `tfmodel.ReduceReport` is
"""
