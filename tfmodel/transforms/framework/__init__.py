"""What all transforms share.

    steps.py        the grammar of "name(argument=value, ...) name ..."
    parameters.py   what a transform takes, read off its signature
    registry.py     @graph_transform, and finding a transform by name
    report.py       what a transform did, and what it left alone and why
    pipeline.py     running a list, with checks after each step
    spelling.py     the same as TensorFlow spelled it
    mapping.py      changing nodes one by one
"""
