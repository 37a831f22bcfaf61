"""Passes over a converted graph, each one walk over its nodes.

    fuse.py        join nodes: a bias into a convolution, a product and a sum into Gemm, padding into a convolution
    reshapes.py    reshape by constants, or not at all, where sizes are equal
    norms.py       layer normalization as one node
    common.py      compute equal things once
    naming.py      give values and nodes their names
    uses.py        who uses a value, replacement of values, removal of what nothing needs

They import the graph in memory alone; the export and the writer call them.
"""
