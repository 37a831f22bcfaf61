"""Meta graphs with large signatures and collections."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tests.hostile.graphs import FLOAT, graph, node, placeholder
from tests.hostile.large.state import initializer_chain, savers, tables, variables
from tests.tfmodel.models import shape
from tfmodel.messages import (
    CollectionDef,
    GraphDef,
    MetaGraphDef,
    SignatureDef,
    TensorInfo,
)

__all__ = ["META_GRAPHS"]


def meta(**more: Any) -> MetaGraphDef:
    info = MetaGraphDef.MetaInfoDef(tags=["serve"])
    return MetaGraphDef(meta_info_def=info, graph_def=graph(placeholder("x", 1), node("y", "Neg", "x")), **more)


def signature(inputs: Iterable[str] = ("x",), outputs: Iterable[str] = ("y",)) -> SignatureDef:
    def infos(keys: Iterable[str], name: str) -> dict[str, TensorInfo]:
        return {key: TensorInfo(name=f"{name}:0", dtype=FLOAT, tensor_shape=shape(1)) for key in keys}

    return SignatureDef(
        inputs=infos(inputs, "x"), outputs=infos(outputs, "y"), method_name="tensorflow/serving/predict"
    )


def signatures(size: int) -> MetaGraphDef:
    return meta(signature_def={f"s{number}": signature() for number in range(size)})


def large_signature(size: int) -> MetaGraphDef:
    names = [f"k{number}" for number in range(size)]
    return meta(signature_def={"serving_default": signature(names, names)})


def collections(size: int) -> MetaGraphDef:
    listed = CollectionDef(node_list=CollectionDef.NodeList(value=["x:0", "y:0"]))
    return meta(collection_def={f"c{number}": listed for number in range(size)})


def large_collection(size: int) -> MetaGraphDef:
    listed = CollectionDef(node_list=CollectionDef.NodeList(value=["x:0", "y:0"] * size))
    return meta(collection_def={"trainable_variables": listed, "table_initializer": listed})


def initializers(make: Callable[[int], GraphDef]) -> Callable[[int], MetaGraphDef]:
    """Return a maker of meta graphs with a collection of all initializers of a graph."""

    def made(size: int) -> MetaGraphDef:
        graph_def = make(size)
        names = [node.name for node in graph_def.node if node.name.endswith(("/set", "/Assign"))]
        listed = CollectionDef(node_list=CollectionDef.NodeList(value=names))
        info = MetaGraphDef.MetaInfoDef(tags=["serve"])
        signature_def = signature()
        return MetaGraphDef(
            meta_info_def=info,
            graph_def=graph_def,
            collection_def={"table_initializer": listed},
            signature_def={"serving_default": signature_def},
        )

    return made


META_GRAPHS: dict[str, Callable[[int], MetaGraphDef]] = {
    "signatures": signatures,
    "large signature": large_signature,
    "collections": collections,
    "large collection": large_collection,
    "tables": initializers(tables),
    "one table": initializers(lambda size: tables(size, chained=True)),
    "variables": initializers(variables),
    "old variables": initializers(lambda size: variables(size, resources=False)),
    "chain of initializers": initializers(initializer_chain),
    "savers": initializers(savers),
}
