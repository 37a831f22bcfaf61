"""The framework of all transforms: registration, running, pattern matching and replacement.

    registry.py         @graph_transform, and looking up transforms by name
    parameters.py       the parameters of a transform, read from its signature
    list_syntax.py      the grammar of "name(argument=value, ...) name ..."
    pipeline.py         run a list of transforms, with checks after each step
    result_limits.py    checks of a result: producer version and size
    report.py           what a step did, refused matches, notes
    recipes.py          named lists of transforms
    plugins.py          load transforms from other packages and files
    help.py             the text of --list and --help-transform
    tf_compat.py        `TransformGraph`, TensorFlow's spelling of `transform`

    patterns.py         describe part of a graph, and what a rewrite can ask about a match
    replacing.py        `replace_matches`: replace the matches of a pattern
    inlining.py         inline function calls; callees.py says which ones
    bodies.py           function bodies as graphs
    node_edits.py       change nodes one by one, redirect inputs, keep colocation
    tool_node_order.py  the node order that the C++ tool's removal leaves
    default_attrs.py    write out default attributes
    new_constants.py    new Const nodes

It may import what transforms may import, but no transform. Transforms and their callers use it.
"""
