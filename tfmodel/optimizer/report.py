"""The result of `optimize`: the graph, notes, and how to save it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..graph import with_nodes
from ..graph.edit import TakenNames
from ..io.atomic import new_folder, replacing_together
from ..messages import AssetFileDef, GraphDef, MetaGraphDef, NodeDef, OpList, SavedModel, SignatureDef, TensorInfo
from ..names import TensorName, control_input
from ..source import DEFAULT_SIGNATURE
from ..transforms.framework.report import TransformReport

if TYPE_CHECKING:
    from ..interpreter.verification import VerifyReport

__all__ = ["Optimized"]

_INIT = "__saved_model_init_op"


@dataclass(slots=True)
class Optimized:
    """The result of `optimize`.

    inputs         the names of the tensors that are fed
    outputs        the names of those that are computed
    report         the changes by each transform
    notes          the selected, frozen and dropped parts, line by line
    verification   the differences between the outputs and those of the model; None if not verified
    unverified     the reason for a missing verification; empty if verified, or if not requested
    initializers   the nodes that fill tables, which must run first
    signature      of the model, if inputs and outputs are what it says
    assets         the paths of files that the graph reads, by the constant that has it
    op_defs        ops that the model declares and TensorFlow does not have
    """

    graph: GraphDef
    inputs: list[str]
    outputs: list[str]
    report: TransformReport
    notes: list[str] = field(default_factory=list)
    verification: VerifyReport | None = None
    unverified: str = ""
    initializers: list[str] = field(default_factory=list)
    signature: SignatureDef | None = None
    signature_name: str = DEFAULT_SIGNATURE
    assets: dict[str, str] = field(default_factory=dict)
    op_defs: OpList = field(default_factory=OpList)

    def meta_graph(self) -> MetaGraphDef:
        """The graph with the signature that the model had, or else one whose keys are the names of inputs and outputs;
        its tag is "serve"."""
        from ..metagraph import make_meta_graph

        graph, initializers = self.graph, self.initializers
        if len(initializers) > 1:
            name = TakenNames(node.name for node in graph.node).fresh("init_tables")
            together = NodeDef(name=name, op="NoOp", input=[control_input(initializer) for initializer in initializers])
            graph, initializers = with_nodes(graph, [*graph.node, together]), [name]
        signature: Any = self.signature or {
            "inputs": _tensors_by_key(self.inputs),
            "outputs": _tensors_by_key(self.outputs),
        }
        signatures = {self.signature_name: signature}
        for name in initializers:
            signatures[_INIT] = SignatureDef(outputs={_INIT: TensorInfo(name=name)})
        meta = make_meta_graph(graph, signatures=signatures, tags="serve", op_defs=self.op_defs)
        meta.asset_file_def = [
            AssetFileDef(tensor_info=TensorInfo(name=f"{node}:0"), filename=name)
            for node, name in self._asset_names().items()
        ]
        return meta

    def saved_model(self) -> SavedModel:
        """The same as a SavedModel: as file saved_model.pb it is all that the folder of one needs, but for assets."""
        return SavedModel(saved_model_schema_version=1, meta_graphs=[self.meta_graph()])

    def write_saved_model(self, folder: str) -> int:
        """Write the folder of that SavedModel, with the files that it reads, and return how many bytes its graph takes.

        A new folder is there whole or not at all. In one that has something in it files are replaced one by one when
        all are written, saved_model.pb last. Raises OSError.
        """
        data = self.saved_model().to_bytes(deterministic=True)
        if os.path.isdir(folder) and os.listdir(folder):
            self._write_into(folder, data)
        else:
            with new_folder(folder) as temporary:
                self._write_into(temporary, data)
        return len(data)

    def _write_into(self, folder: str, data: bytes) -> None:
        names, assets = self._asset_names(), os.path.join(folder, "assets")
        with replacing_together() as replace:
            if names:
                os.makedirs(assets, exist_ok=True)
            for node, name in names.items():
                with open(self.assets[node], "rb") as source:
                    shutil.copyfileobj(source, replace(os.path.join(assets, name)))
            replace(os.path.join(folder, "saved_model.pb")).write(data)

    def _asset_names(self) -> dict[str, str]:
        """Return unique names of the asset files in a new folder, by node: their old names without folders."""
        taken = TakenNames()
        return {node: taken.fresh(os.path.basename(path)) for node, path in self.assets.items()}


def _tensors_by_key(tensors: Iterable[str]) -> dict[str, str]:
    """Tensors by keys that can be names of arguments in Python: where they are called from, that is what they are."""
    keyed: dict[str, str] = {}
    taken = TakenNames()
    for tensor in tensors:
        name = TensorName.parse(tensor)
        key = re.sub(r"\W", "_", name.node if name.port <= 0 else f"{name.node}_{name.port}", flags=re.ASCII)
        key = f"_{key}" if key[:1].isdigit() else key
        keyed[taken.fresh(key)] = tensor
    return keyed
