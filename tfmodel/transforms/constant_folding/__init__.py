"""What `fold_constants` is made of.

wiring.py        the part of a graph that outputs need, and the orders in which it is gone through
shape_ops.py     ops that ask for nothing but the shape of a tensor
constants.py     which nodes are constant, and what they give
effort.py        how much there is to do: a few bytes may ask for hours
replacing.py     the graph with new constants in place of them
"""
