"""Passes over a converted graph, each one walk over its nodes.

    unused.py    remove nodes that nothing needs
    fuse.py      join nodes: a bias into a convolution, a product and a sum into Gemm, padding into a convolution
    sizes.py     unknown sizes that are equal: reshape by constants, or not at all
    norms.py     layer normalization as one node
    common.py    compute equal things once
    naming.py    give values and nodes their names
    uses.py      who uses a value, and replacement of values

They import the graph in memory alone; the export and the writer call them.
"""
