"""What all transforms share.

steps.py        the grammar of "name(argument=value, ...) name ..."
parameters.py   what a transform takes, read off its signature
registry.py     @graph_transform, and finding a transform by name
plugins.py      modules of others that bring transforms
explaining.py   what a transform takes and does, for its users
report.py       what a transform did, and what it left alone and why
pipeline.py     running a list, with checks after each step
spelling.py     the same as TensorFlow spelled it
mapping.py      changing nodes one by one

patterns.py     what a part of a graph looks like
matching.py     one place that looks like that, and what a rewrite can ask about it
replacing.py    `replace_matches`: what takes its place
callees.py      what must not get lost of a function that is called
inlining.py     functions in place of their calls
bodies.py       functions as if they were graphs
renaming.py     `rename_inputs`: leading inputs elsewhere
keeping.py      colocation with nodes that are gone
passes.py       the order of the nodes behind others that are gone
attribute_keys.py  whether nodes have the same attributes
constants.py    new constants
"""
