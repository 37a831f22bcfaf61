"""Pictures of models: a page to look at offline, and graphs for Graphviz and SVG.

    wiring.py       the vertices and edges of a graph or function
    entries.py      scopes, groups, stacks and parts, with their nodes
    hierarchy.py    the scopes of names, and groups
    long_lists.py   long lists of children made shorter: stacks, joined chains, parts
    families.py     families of ops, and their colours
    boxes.py        what is open, what stands aside, the edges between boxes
    entrances.py    what each signature computes, and parts of a graph, as graphs of their own
    opened_calls.py the nodes of functions in place of their calls
    outlines.py     the graph and the functions of a model with their boxes
    difference.py   two models as one graph
    overlays.py     numbers of nodes from files
    page/           a model as one HTML page
    graphviz/       draw graphs

The package imports `reports`, `analysis`, `parameters` and packages below them; `cli` and `model` call it.
"""
