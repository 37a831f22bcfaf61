"""The parts of `fold_constants`.

    dependencies.py    the part of a graph that the outputs need, and its traversal orders
    evaluation.py      find constant nodes and compute them
    cost_model.py      the cost of computing a node: a graph of a few bytes may require hours
    replacement.py     replace constant nodes by new Const nodes

It may import what transforms may import; `fold_constants` calls it.
"""
