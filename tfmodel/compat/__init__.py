"""Modules with the names of protobuf's and TensorFlow's, so that code written for them runs without both.

    from tfmodel.compat.tensorflow.core.framework import graph_pb2
    from tfmodel.compat.google.protobuf import text_format

    graph = graph_pb2.GraphDef()
    graph.node.add(name="x", op="Placeholder").attr["dtype"].type = 1

An import of this package makes the tree of modules below it importable, and changes nothing else. The messages behave
as protobuf's (`pbwire.compat`). All functions of tfmodel take them, and return dataclasses: `wrap` and `unwrap` convert
between both.

    tensorflow.core...             the messages of TensorFlow, by .proto file
    tensorboard.compat.proto       the same messages as TensorBoard's copies, also as `tensorboard.proto`
    tensorboardX.proto             and as the copies of tensorboardX
    google.protobuf                text_format, json_format, message, any_pb2 ...
    tensorflow, tensorflow.python  helpers that need no runtime: tensor_util, dtypes, gfile, graph_util ...

`python -m tfmodel.compat script.py` runs a script with its own imports served from here.

    importer.py            import the modules of the tree
    tree.py                which modules the tree has, and which names they have
    proto_modules.py       the modules of .proto files
    protobuf_modules.py    the modules of google.protobuf
    refusals.py            errors that say what to do instead
    scan.py                find what a script needs that the tree lacks
    script.py              run a script
    __main__.py            `python -m tfmodel.compat`

The package imports all packages of tfmodel except the commands; nothing imports it but its callers.
"""

from __future__ import annotations

from pbwire.compat import unwrap, wrap

from . import importer

__all__ = ["unwrap", "wrap"]

importer.install(__name__)
