"""The framework of all transforms: registration, running, pattern matching and replacement.

    registry.py         @graph_transform, looking up transforms by name, plugins, and the help text of each
    parameters.py       the parameters of a transform, read from its signature, and parsing "name(argument=value, ...)"
    pipeline.py         run a list of transforms, with checks after each step; `TransformGraph`, TensorFlow's spelling
    result_limits.py    checks of a result: producer version and size
    report.py           what a step did, refused matches, notes
    recipes.py          named lists of transforms

    patterns.py         describe part of a graph, and what a rewrite can ask about a match
    replacing.py        `replace_matches`: replace the matches of a pattern
    forward.py          rewrite single nodes in execution order
    node_edits.py       change nodes one by one, redirect inputs, keep colocation
    tool_node_order.py  the node order that the C++ tool's removal leaves

It may import what transforms may import, but no transform. Transforms and their callers use it.
"""
