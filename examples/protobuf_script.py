"""A script that was written for protobuf and TensorFlow's messages: two imports changed, the rest as it was.

python examples/protobuf_script.py tests/data/linear.pb
"""

import sys

from tfmodel.compat.google.protobuf import text_format  # was: from google.protobuf import text_format
from tfmodel.compat.tensorflow.core.framework import graph_pb2  # was: from tensorflow.core.framework import graph_pb2


def main(path: str) -> None:
    graph = graph_pb2.GraphDef()
    with open(path, "rb") as file:
        graph.ParseFromString(file.read())
    for node in graph.node:
        if node.HasField("experimental_debug_info"):
            node.ClearField("experimental_debug_info")
    graph.node.add(name="copy", op="Identity", input=["y"]).attr["T"].type = 1
    print(text_format.MessageToString(graph.node[-1], as_one_line=True))
    print(len(graph.SerializeToString(deterministic=True)), "bytes")


if __name__ == "__main__":
    main(sys.argv[1])
