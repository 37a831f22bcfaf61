"""The framework of all transforms: registration, running, pattern matching and replacement.

    registry.py         @graph_transform, looking up transforms by name, plugins, help texts
    transform_index.py  generated: transforms whose module has another name
    parameters.py       read the parameters of a transform from its signature; parse "name(argument=value, ...)"
    pipeline.py         run a list of transforms, with checks after each step; `TransformGraph`, as TensorFlow has it
    in_place.py         detect functions that change the graph they get
    result_limits.py    checks of a result: producer version and size
    report.py           reports: the rewrites of a step, refused matches, notes
    recipes.py          named lists of transforms
    mending.py          why TensorFlow refuses a graph, and the transforms that mend it

    constants.py        read constants of the types that a transform computes with
    bodies.py           `rewrite_bodies`: rewrite a graph and each of its functions with one function
    patterns.py         patterns that describe part of a graph, and their matches
    replacing.py        `replace_matches`: replace the matches of a pattern
    forward.py          rewrite single nodes in execution order
    exclusions.py       nodes that a transform leaves alone: exclude_node and exclude_op
    node_edits.py       change nodes one by one, redirect inputs, make constants, keep colocation
    size_operands.py    ops that take sizes as an input, and how these follow changed shapes
    tool_node_order.py  the node order that the C++ tool leaves after it removes nodes

The package may import the same packages as transforms, but no transform. Transforms and their callers use it.
"""
