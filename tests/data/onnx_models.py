"""Make the ONNX models of the folder `onnx` with the onnx package: `python -m tests.data.onnx_models`.

They are what another library writes: our tables read them, and write the same bytes. A test compares the files with
this script where the package is installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "onnx"


def files() -> dict[str, bytes]:
    """Return the content of the files by name. Raises ImportError without the onnx package."""
    return {
        "linear.onnx": _linear().SerializeToString(),
        "branches.onnx": _branches().SerializeToString(),
        "external.onnx": _external().SerializeToString(),
        "weights.bin": bytes(96),
    }


def _linear() -> Any:
    """Return a layer with an open batch size, and its values in both forms: raw bytes and a list of numbers."""
    from onnx import TensorProto, helper

    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4], "four numbers")
    y = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 2])
    weights = helper.make_tensor("weights", TensorProto.FLOAT, [4, 2], bytes(32), raw=True)
    bias = helper.make_tensor("bias", TensorProto.FLOAT, [2], [0.5, -1.0])
    nodes = [
        helper.make_node("MatMul", ["x", "weights"], ["product"], "product"),
        helper.make_node("Add", ["product", "bias"], ["sum"], "sum"),
        helper.make_node("Softmax", ["sum"], ["scores"], "softmax", axis=-1),
    ]
    known = [helper.make_tensor_value_info("sum", TensorProto.FLOAT, ["batch", 2])]
    graph = helper.make_graph(nodes, "linear", [x], [y], [weights, bias], "A layer.", known)
    return _model(graph, {"author": "tests"}, producer_name="tests", producer_version="1.0", model_version=3)


def _branches() -> Any:
    """Return a Loop around an If, a function, and values of all kinds of types."""
    from onnx import TensorProto, helper

    def scalar(name: str, dtype: int) -> Any:
        return helper.make_tensor_value_info(name, dtype, [])

    def branch(op: str) -> Any:
        node = helper.make_node(op, ["x", "step"], [f"after_{op}"])
        return helper.make_graph([node], f"with_{op}", [], [scalar(f"after_{op}", TensorProto.FLOAT)])

    body = helper.make_graph(
        [
            helper.make_node("Constant", [], ["step"], value=helper.make_tensor("", TensorProto.FLOAT, [], [0.25])),
            helper.make_node("If", ["go_on"], ["next"], then_branch=branch("Add"), else_branch=branch("Sub")),
            helper.make_node("Identity", ["go_on"], ["again"]),
            helper.make_node("Twice", ["next"], ["seen"], domain="tests.functions"),
        ],
        "body",
        [scalar("number", TensorProto.INT64), scalar("go_on", TensorProto.BOOL), scalar("x", TensorProto.FLOAT)],
        [scalar("again", TensorProto.BOOL), scalar("next", TensorProto.FLOAT), scalar("seen", TensorProto.FLOAT)],
    )
    nodes = [
        helper.make_node("Loop", ["count", "", "start"], ["last", "all"], "loop", body=body),
        helper.make_node("SequenceConstruct", ["last", "last"], ["pair"]),
        helper.make_node("Optional", ["words"], ["maybe"]),
    ]
    tensor = helper.make_tensor_type_proto
    values = {
        "count": tensor(TensorProto.INT64, [1]),
        "words": tensor(TensorProto.STRING, ["n"]),
        "all": tensor(TensorProto.FLOAT, [None]),
        "pair": helper.make_sequence_type_proto(tensor(TensorProto.FLOAT, [])),
        "maybe": helper.make_optional_type_proto(tensor(TensorProto.STRING, ["n"])),
    }
    infos = {name: helper.make_value_info(name, value) for name, value in values.items()}
    twice = helper.make_function(
        "tests.functions",
        "Twice",
        ["x"],
        ["y"],
        [helper.make_node("Add", ["x", "x"], ["y"])],
        [helper.make_opsetid("", 17)],
    )
    graph = helper.make_graph(
        nodes,
        "branches",
        [infos["count"], infos["words"]],
        [infos["all"], infos["pair"], infos["maybe"]],
        [
            helper.make_tensor("words", TensorProto.STRING, [2], [b"yes", "n\u00f3".encode()]),
            helper.make_tensor("start", TensorProto.FLOAT, [], [1.5]),
        ],
    )
    return _model(graph, {}, functions=[twice], opsets={"": 17, "tests.functions": 1})


def _external() -> Any:
    """Return a sum of values in other files: one that exists, a missing one, one outside of the folder."""
    from onnx import TensorProto, helper

    def outside(name: str, location: str, **more: int) -> Any:
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[12], data_location=TensorProto.EXTERNAL)
        for key, value in {"location": location, **more}.items():
            tensor.external_data.add(key=key, value=str(value))
        return tensor

    weights = [
        outside("first", "weights.bin", offset=0, length=48),
        outside("second", "weights.bin", offset=48, length=48),
        outside("third", "weights.bin", offset=96, length=48),
        outside("fourth", "gone/weights.bin"),
        outside("fifth", "../linear.pb"),
    ]
    names = [tensor.name for tensor in weights]
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [12])
    return _model(helper.make_graph([helper.make_node("Sum", names, ["y"])], "external", [], [y], weights), {})


def _model(graph: Any, metadata: dict[str, str], *, opsets: dict[str, int] | None = None, **fields: Any) -> Any:
    from onnx import helper

    versions = [helper.make_opsetid(domain, version) for domain, version in (opsets or {"": 17}).items()]
    model = helper.make_model(graph, opset_imports=versions, ir_version=8, **fields)
    for key, value in metadata.items():
        model.metadata_props.add(key=key, value=value)
    return model


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, content in files().items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()
