"""Pictures of models: a page to look at offline, and graphs for Graphviz and SVG.

    wiring.py     the vertices and edges of a graph or function in pictures
    page/         a model as one HTML page
    graphviz/     draw graphs

The package imports `reports`, `analysis`, `parameters` and packages below them; `cli` and `model` call it.
"""
