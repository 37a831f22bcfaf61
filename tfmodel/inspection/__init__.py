"""Looking at models: reports and views, all of them plain text or data.

describing.py   types, shapes, tensors and attributes in a few characters
tree.py         a model as a page to read: one line per node
summary/        what a model is: the report of `summarize`
comparing/      what changed from one model to another: the report of `diff`
drawing/        pictures of graphs, for Graphviz
collections.py  the collections of a MetaGraph, decoded
wire.py         what stands at which byte
contents.py     what a checkpoint's index lists
field_paths.py  `graph_def.node[3].attr["value"]`: finding a field by its path
columns.py      rows of cells that line up, without waiting for the last row
"""
