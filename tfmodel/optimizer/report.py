"""The result of `optimize`: the graph, notes, and how to write it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pbwire.atomic import new_folder, replacing_together

from ..analysis.choice import Choice
from ..analysis.deployment import random_note, unfed_note
from ..files.access.special_files import open_regular
from ..freezing.pipeline import Frozen
from ..messages import AssetFileDef, GraphDef, MetaGraphDef, OpList, SavedModel, SignatureDef, TensorInfo
from ..ops import own_ops
from ..parameters.zero_weights import zero_weights
from ..source.assets import pointer_notes
from ..source.metagraph import make_meta_graph, tensors_by_key
from ..source.metagraph.initializers import group_nodes, main_op
from ..source.signature_defs import DEFAULT_SIGNATURE, rename_signature
from ..transforms.framework.report import TransformReport
from ..values.names import TakenNames, TensorName, node_name, shortest
from ..values.terminal import escape

if TYPE_CHECKING:
    from ..compare.verify.report import VerifyReport


@dataclass(frozen=True, slots=True, repr=False)
class Optimized:
    """The result of `optimize`.

    inputs         the names of the tensors to feed, "x" for "x:0"
    outputs        the names of the tensors to fetch
    guessed        the sides that were neither named nor in a signature, "inputs" or "outputs", each with the
                   probability that the least certain of its tensors is right
    report         the changes by each transform
    own_steps      the place in the report where the steps of `transforms` begin, behind those of the recipe
    notes          lines about selected inputs and outputs, bound tensors, freezing and renamed tensors; and warnings
    verification   the differences between the outputs of the graph and of the model; None if not verified
    unverified     the reason why the graph could not be verified; empty if it was verified, or should not be
    initializers   the nodes that fill tables, which must run first
    signature      the signature of the model, if it has exactly these inputs and outputs
    assets         the paths of the files that the graph reads, by the Const that holds the path
    op_defs        ops that the model declares and TensorFlow does not have
    zero_weights   a warning if the weights are zeros, which were probably stripped; it is one of the notes too
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
    own_steps: int = 0
    zero_weights: str = ""
    guessed: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        verified = self.verification.summary if self.verification is not None else "not verified"
        return f"<Optimized: {len(self.graph.node):,} nodes from {self.inputs} to {self.outputs}, {verified}>"

    @classmethod
    def of(
        cls,
        graph: GraphDef,
        chosen: Choice,
        frozen: Frozen,
        report: TransformReport,
        initializers: Iterable[str],
        assets: Mapping[str, str],
        own_steps: int,
        notes: Iterable[str],
    ) -> Optimized:
        """Return the result with the names that tensors and nodes have in the graph; the arguments have older ones."""

        renames = report.all_renames

        def renamed(name: str) -> str:
            tensor = TensorName.parse(name)
            return name if (present := renames.tensor(tensor)) == tensor else present.numbered

        names = dict.fromkeys([*chosen.inputs, *chosen.outputs])
        new_names = [f"{shortest(name)} -> {shortest(renamed(name))}" for name in names if renamed(name) != name]
        zeros = str(zero_weights(graph) or "")
        inputs, outputs = ([shortest(renamed(name)) for name in side] for side in (chosen.inputs, chosen.outputs))
        new_names_note = f"renamed: {escape(', '.join(new_names))}" if new_names else ""
        return cls(
            graph,
            inputs,
            outputs,
            report,
            [
                *chosen.notes(),
                *notes,
                *frozen.notes,
                *pointer_notes(assets.values()),
                *filter(None, (new_names_note, random_note(graph, outputs), unfed_note(graph, inputs, outputs), zeros)),
            ],
            initializers=[node_name(renamed(name)) for name in initializers],
            signature=chosen.declared and rename_signature(chosen.declared, renames.tensor),
            signature_name=chosen.signature_name,
            assets={node_name(renamed(name)): path for name, path in assets.items()},
            op_defs=own_ops(frozen.source.meta),
            own_steps=own_steps,
            zero_weights=zeros,
            guessed=chosen.guessed,
        )

    def meta_graph(self) -> MetaGraphDef:
        """Return the graph with its signature, assets and initializers, tagged "serve".

        If `signature` is None, the graph gets a signature whose keys are made from the names of inputs and outputs.
        """
        graph, initializer = group_nodes(self.graph, self.initializers)
        signature: Any = self.signature or {
            "inputs": tensors_by_key(self.inputs),
            "outputs": tensors_by_key(self.outputs),
        }
        signatures = {self.signature_name: signature}
        meta = make_meta_graph(graph, signatures=signatures, tags="serve", op_defs=self.op_defs)
        if initializer:
            meta.collection_def = main_op(initializer)
        meta.asset_file_def = [
            AssetFileDef(tensor_info=TensorInfo(name=f"{node}:0"), filename=name)
            for node, name in self._asset_names().items()
        ]
        return meta

    def saved_model(self) -> SavedModel:
        """Return `meta_graph()` as a SavedModel: the content of a file saved_model.pb."""
        return SavedModel(saved_model_schema_version=1, meta_graphs=[self.meta_graph()])

    def write_saved_model(self, folder: str) -> int:
        """Write a SavedModel folder with its assets; return the number of bytes of saved_model.pb.

        A new folder appears only when it is complete. In a folder that is not empty, files are replaced one by one
        after all of them are written, saved_model.pb last. Raises OSError.
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
                with open_regular(self.assets[node]) as source:
                    shutil.copyfileobj(source, replace(os.path.join(assets, name)))
            replace(os.path.join(folder, "saved_model.pb")).write(data)

    def _asset_names(self) -> dict[str, str]:
        """Return unique names of the asset files in a new folder, by node: their old names without folders."""
        taken = TakenNames()
        return {node: taken.fresh(os.path.basename(path)) for node, path in self.assets.items()}
