"""The parts of `fold_constants`.

    dependencies.py    the part of a graph that the outputs need, and its traversal orders
    evaluation.py      find constant nodes and compute them
    cost_model.py      the cost of computing a node, since a graph of a few bytes may require hours of work
    run_budget.py      the work of running a graph to verify it
    replacement.py     replace constant nodes by new Const nodes

The package may import the same packages as transforms; `fold_constants` calls it.
"""
