"""The MetaGraph of a changed model names nodes of the new graph: `tfmodel.source.meta_renames`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.transforms.graph_notation import Example, examples_in, graph
from tfmodel.messages import (
    AssetFileDef,
    CollectionDef,
    GraphDef,
    MetaGraphDef,
    SavedAsset,
    SavedConstant,
    SavedObject,
    SavedObjectGraph,
    SaverDef,
    SignatureDef,
    TensorInfo,
    VariableDef,
)
from tfmodel.source.metagraph import decode_collections
from tfmodel.transforms.framework import registry
from tfmodel.values.names import Renames, TensorName, node_name

FILES = Path(__file__).resolve().parents[2] / "data"
"""The folder of the files that examples of transforms name."""

TABLE = """
    x = Placeholder[dtype=string, shape=(2)]
    path = Const[dtype=string, value=string{"words.txt"}()]
    table = HashTableV2[key_dtype=string, value_dtype=int64]
    fill = InitializeTableFromTextFileV2(table, path)
    init = NoOp(^fill)
    default = Const[dtype=int64, value=int64{-1}()]
    y = LookupTableFindV2(table, x, default)[Tin=string, Tout=int64]
    save/path = Const[dtype=string, value=string{"model"}()]
    save/save = Identity(save/path)[T=string]
    save/restore = NoOp(^save/save)
"""


def meta_of(nodes: GraphDef, *, asset: str, names: list[str], saver: tuple[str, str, str]) -> MetaGraphDef:
    """Return a MetaGraph that names nodes in all its parts: `names` in collections, an asset and a saver."""
    assets = [AssetFileDef(tensor_info=TensorInfo(name=f"{asset}:0"), filename="words.txt")]
    savers = SaverDef(filename_tensor_name=f"{saver[0]}:0", save_tensor_name=f"{saver[1]}:0", restore_op_name=saver[2])
    variables = [VariableDef(variable_name=f"{name}:0", initializer_name=name).to_bytes() for name in names]
    return MetaGraphDef(
        graph_def=nodes,
        saver_def=savers,
        asset_file_def=assets,
        collection_def={
            "saved_model_main_op": CollectionDef(node_list=CollectionDef.NodeList(value=names[:1])),
            "mine": CollectionDef(node_list=CollectionDef.NodeList(value=names)),
            "variables": CollectionDef(bytes_list=CollectionDef.BytesList(value=variables)),
            "savers": CollectionDef(bytes_list=CollectionDef.BytesList(value=[savers.to_bytes()])),
            "saved_model_assets": CollectionDef(
                any_list=CollectionDef.AnyList(value=[models.packed(asset) for asset in assets])
            ),
        },
    )


def table_meta() -> MetaGraphDef:
    names = ["init", "default", "save/save"]
    meta = meta_of(graph(TABLE), asset="path", names=names, saver=("save/path", "save/save", "save/restore"))
    meta.signature_def = {
        "serving_default": SignatureDef(inputs={"x": TensorInfo(name="x:0")}, outputs={"y": TensorInfo(name="y:0")})
    }
    return meta


def named_in(meta: MetaGraphDef) -> Iterator[str]:
    """Yield the nodes that a MetaGraph names outside of its graph and its objects."""
    for signature in meta.signature_def.values():
        yield from (info.name for info in (*signature.inputs.values(), *signature.outputs.values()))
    for values in decode_collections(meta).values():
        for value in values:
            match value:
                case str():
                    yield value
                case VariableDef():
                    yield from (value.variable_name, value.initializer_name)
                case SaverDef():
                    yield from (value.filename_tensor_name, value.save_tensor_name, value.restore_op_name)
                case AssetFileDef(tensor_info=TensorInfo() as info):
                    yield info.name or ""
    if meta.saver_def is not None:
        yield from (meta.saver_def.filename_tensor_name, meta.saver_def.save_tensor_name)
        yield meta.saver_def.restore_op_name
    yield from (asset.tensor_info.name or "" for asset in meta.asset_file_def if asset.tensor_info is not None)


def stale_names(meta: MetaGraphDef) -> set[str]:
    assert meta.graph_def is not None
    return {*map(node_name, named_in(meta))} - {node.name for node in meta.graph_def.node}


def transformed(meta: MetaGraphDef, transforms: str, **options: list[str]) -> MetaGraphDef:
    result = tfmodel.Model(meta).transform(transforms, **options).meta
    assert result is not None
    return result


def test_new_names_are_in_all_parts() -> None:
    meta = transformed(table_meta(), "obfuscate_names", inputs=["x"], outputs=["y"])
    assert stale_names(meta) == set()
    ops = {node.name: node.op for node in meta.graph_def.node} if meta.graph_def is not None else {}
    assert [name for name in ops if len(name) > 1] == ["fill", "init"]  # these stay, since they fill the table
    [init] = decode_collections(meta)["saved_model_main_op"]
    assert ops[init] == "NoOp"
    [asset] = meta.asset_file_def
    assert asset.tensor_info is not None
    assert ops[node_name(asset.tensor_info.name or "")] == "Const"
    assert meta.saver_def is not None
    assert ops[node_name(meta.saver_def.save_tensor_name)] == "Identity"
    assert decode_collections(meta)["savers"] == [meta.saver_def]
    assert decode_collections(meta)["saved_model_assets"] == [asset]


@pytest.mark.parametrize(
    ("old", "part"),
    [
        ("x", "signature_def"),
        ("init", "collection_def"),
        ("default", "collection_def"),
        ("path", "asset_file_def"),
        ("save/path", "saver_def"),
        ("save/restore", "saver_def"),
    ],
)
def test_a_renamed_node_is_renamed_in_each_part(old: str, part: str) -> None:
    meta = transformed(
        table_meta(), f"rename_node(old_node_name={old}, new_node_name=new)", inputs=["x"], outputs=["y", "init"]
    )
    assert stale_names(meta) == set()
    assert "new" in map(node_name, named_in(MetaGraphDef(**{part: getattr(meta, part)})))
    assert len([*named_in(meta)]) == len([*named_in(table_meta())])


def test_a_name_that_another_node_had_before() -> None:
    """The steps are followed one by one: `obfuscate_names` calls "path" 0, and another node had that name."""
    names = TABLE.replace("path = Const", "0 = Const").replace("table, path", "table, 0").replace("default", "path")
    meta = meta_of(graph(names), asset="0", names=["init", "path"], saver=("save/path", "save/save", "save/restore"))
    steps = "rename_node(old_node_name=0, new_node_name=old) rename_node(old_node_name=path, new_node_name=0)"
    meta = transformed(meta, steps, inputs=["x"], outputs=["y"])
    assert [asset.tensor_info and asset.tensor_info.name for asset in meta.asset_file_def] == ["old:0"]
    assert decode_collections(meta)["mine"] == ["init", "0"]


def test_parts_of_removed_nodes_are_left_out() -> None:
    meta = transformed(table_meta(), "strip_unused_nodes", inputs=["x"], outputs=["y"])
    assert stale_names(meta) == set()
    assert meta.saver_def is None
    assert [*decode_collections(meta)] == ["mine", "saved_model_assets", "saved_model_main_op", "variables"]
    assert decode_collections(meta)["mine"] == ["init", "default"]


def test_frozen_and_bound_models_too() -> None:
    model = tfmodel.Model(table_meta())
    for changed in (model.freeze(outputs=["y"]), model.bind({"default": 3}), model.extract(outputs=["y"])):
        assert changed.meta is not None
        assert stale_names(changed.meta) == set()


def test_constants_among_objects_follow_and_numbers_of_assets_stay() -> None:
    meta = table_meta()
    meta.object_graph_def = SavedObjectGraph(
        nodes=[
            SavedObject(constant=SavedConstant(operation="default")),
            SavedObject(asset=SavedAsset(asset_file_def_index=0)),
        ]
    )
    renamed = transformed(meta, "rename_node(old_node_name=default, new_node_name=new)", inputs=["x"], outputs=["y"])
    assert renamed.object_graph_def is not None
    assert [item.constant and item.constant.operation for item in renamed.object_graph_def.nodes] == ["new", None]
    without = tfmodel.Model(meta).with_graph(graph("x = Placeholder[dtype=float]")).meta
    assert without is not None
    assert len(without.asset_file_def) == 1
    assert meta.object_graph_def.nodes[0].constant == SavedConstant(operation="default")


def _examples() -> list[tuple[str, Example]]:
    names = [name for name in registry.names() if registry.find(name).is_builtin]
    return [(name, example) for name in names for example in examples_in(registry.find(name).docstring)]


@pytest.mark.parametrize(("name", "example"), _examples(), ids=[name for name, _ in _examples()])
def test_no_part_names_a_missing_node_after_any_transform(
    name: str, example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The docstring of each transform has examples: as MetaGraphs whose parts name each node of the graph."""
    monkeypatch.chdir(FILES)
    outputs = [text.strip() for text in example.outputs.split(",") if text.strip()]
    inputs = [text.strip() for text in example.inputs.split(",") if text.strip()]
    for node in example.before.node:
        meta = meta_of(
            example.before,
            asset=node.name,
            names=[other.name for other in example.before.node],
            saver=(node.name, node.name, node.name),
        )
        assert stale_names(transformed(meta, example.transforms, inputs=inputs, outputs=outputs)) == set(), name


def test_renames_of_steps_are_followed_in_order() -> None:
    renames = Renames([({"a": "b"}, {}), ({"b": "c"}, {TensorName("b", 1): TensorName("d")}), ({}, {})])
    assert [renames.node(name) for name in "abcd"] == ["c", "c", "c", "d"]
    assert renames.tensor(TensorName("a")) == TensorName("c")
    assert renames.tensor(TensorName("a", 1)) == TensorName("d")


MERGED = """
    x = Placeholder[dtype=float]
    a = Relu(x)[T=float]
    b = Relu(x:0)[T=float]
    y = Add(a, b)[T=float]
    z = PartitionedCall(y)[Tin=[float], Tout=[float], f=@f]
    f: (x: float) -> (r: float = sum:z:0)
    f: y = Neg(x)[T=float]
    f: other = Neg(x)[T=float]
    f: sum = Add(y:y:0, other:y:0)[T=float]
    f: z = Relu(x)[T=float]
    f: unused = Relu(x)[T=float]
"""


def named(nodes: GraphDef, *names: str) -> MetaGraphDef:
    collected = {"mine": CollectionDef(node_list=CollectionDef.NodeList(value=[*names]))}
    return MetaGraphDef(graph_def=nodes, collection_def=collected)


def test_names_of_a_merged_node_become_those_of_the_node_that_stays() -> None:
    """Nodes that are merged in functions have names of their own."""
    meta = named(graph(MERGED), "b:0", "y:0", "z", "x")
    merged = transformed(meta, "merge_duplicate_nodes", inputs=["x"], outputs=["z"])
    assert decode_collections(merged)["mine"] == ["a:0", "y:0", "z", "x"]
    library = merged.graph_def.library if merged.graph_def is not None else None
    assert [node.name for node in library.function[0].node_def if node.op == "Neg"] == ["y"] if library else False


def test_data_of_other_programs_stays_in_a_collection_that_changes() -> None:
    collected = [VariableDef(variable_name=f"{name}:0", initializer_name=name).to_bytes() for name in ("x", "gone")]
    meta = named(graph(TABLE))
    meta.collection_def = {
        "variables": CollectionDef(bytes_list=CollectionDef.BytesList(value=[*collected, b"\xff\xff"]))
    }
    changed = tfmodel.Model(meta).with_graph(graph(TABLE)).meta
    assert changed is not None
    assert changed.collection_def["variables"].bytes_list == CollectionDef.BytesList(value=[collected[0], b"\xff\xff"])
