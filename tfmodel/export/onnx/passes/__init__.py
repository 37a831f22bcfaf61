"""Passes over a converted graph, each one walk over its nodes.

unused      remove nodes and outputs that nothing needs
fuse        join nodes: a bias into a convolution, a product and a sum into Gemm, padding into a convolution
common      compute equal things once
naming      give values and nodes their names
"""
