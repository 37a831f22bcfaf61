"""Check that signatures, savers, collections, assets and objects of a MetaGraph name existing parts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from ...analysis.facts import Facts
from ...analysis.shapes import Shapes
from ...errors import GraphError
from ...files.access.stand_ins import lfs_pointer
from ...graph import GraphIndex
from ...graph.error_text import Guesses, no_output, quote
from ...messages import MetaGraphDef, OpDef, SavedObjectGraph, TensorInfo
from ...ops import output_types
from ...ops.ports import REFERENCE_OFFSET
from ...source.loading import assets_of
from ...source.metagraph import elements, tensor_names
from ...source.model_source import ModelSource
from ...source.signature_defs import INTERNAL_SIGNATURES, tensors_of
from ...values.dtypes import dtype_name
from ...values.names import TensorName, has_port
from ...values.shape import may_be_equal, shape_of_proto, shape_to_text
from .entry_points import saver_defs
from .report import Finding


def metagraph_faults(source: ModelSource, facts: Facts) -> Iterator[Finding]:
    """Yield the faults of a model's MetaGraph; nothing for a model without one."""
    if source.meta is not None:
        check = _Names(facts.index, facts.ops, facts.shapes)
        yield from _signatures(source.meta, check)
        yield from _savers(source, check)
        yield from _collections(source.meta, check)
        yield from _assets(source, check)
        if source.meta.object_graph_def is not None:
            yield from _objects(source.meta.object_graph_def, source.meta, check)


class _Names:
    """Checks names of nodes and tensors."""

    def __init__(self, index: GraphIndex, ops: Mapping[str, OpDef], shapes: Shapes) -> None:
        self.index = index
        self.shapes = shapes
        self._ops = ops
        self._guess = Guesses()

    def problem(self, name: str) -> str:
        """Return what is wrong with the name of a tensor or node; "" if nothing is."""
        try:
            tensor = TensorName.parse(name)
        except GraphError as error:
            return str(error)
        node = self.index.get(tensor.node)
        if node is None:
            return f"there is no node {quote(tensor.node)}{self._guess(tensor.node, self.index.positions)}"
        op = self._ops.get(node.op)
        if op is None or not has_port(name):
            return ""
        try:
            types = output_types(node, op)
        except GraphError:  # a fault of the node
            return ""
        if tensor.port >= len(types):
            return no_output(node, tensor.port, len(types))
        return ""

    def difference(self, name: str, info: TensorInfo) -> str:
        """Return how a tensor differs from what a signature says about it; "" if it does not, or may not."""
        actual = self.shapes.dtype(name)
        if actual is not None and info.dtype and actual % REFERENCE_OFFSET != info.dtype % REFERENCE_OFFSET:
            return f"it is {dtype_name(actual)}, and the signature says {dtype_name(info.dtype)}"
        shape, declared = self.shapes.get(name), shape_of_proto(info.tensor_shape)
        if may_be_equal(shape, declared):
            return ""
        return f"its shape is {shape_to_text(shape)}, and the signature says {shape_to_text(declared)}"


def _signatures(meta: MetaGraphDef, names: _Names) -> Iterator[Finding]:
    for key, signature in sorted(meta.signature_def.items()):
        for side, infos in (("input", signature.inputs), ("output", signature.outputs)):
            for row, info in sorted(infos.items()):
                tensors = tensors_of({row: info})
                is_whole = len(tensors) == 1 and info.name == tensors[0]
                where = f"the {side} {quote(row)} of the signature {quote(key)}"
                for tensor in tensors:
                    if problem := names.problem(tensor):
                        yield Finding("broken", "signature", f"{where} is {quote(tensor)}: {problem}")
                    elif is_whole and (problem := names.difference(tensor, info)):
                        yield Finding("note", "signature", f"{where} is {quote(tensor)}: {problem}")
                if not tensors and not key.startswith(INTERNAL_SIGNATURES):
                    yield Finding("broken", "signature", f"{where} names no tensor")


def _savers(source: ModelSource, names: _Names) -> Iterator[Finding]:
    for saver in saver_defs(source):
        for what in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            name = getattr(saver, what)
            if name and (problem := names.problem(name)):
                yield Finding("broken", "saver", f"the {what} of the saver is {quote(name)}: {problem}")


def _collections(meta: MetaGraphDef, names: _Names) -> Iterator[Finding]:
    for key, collection in sorted(meta.collection_def.items()):
        for element in elements(key, collection):
            where = f"the collection {quote(key)}"
            if element.problem:
                yield Finding("note", "collection", f"{where}: {element.problem}")
            for name in tensor_names(element.value):
                if problem := names.problem(name):
                    yield Finding("broken", "collection", f"{where} names {quote(name)}: {problem}")


def _assets(source: ModelSource, names: _Names) -> Iterator[Finding]:
    for node, asset in assets_of(source.meta).items():
        what = f"the asset {quote(asset.filename)}"
        if problem := names.problem(node):
            yield Finding("broken", "asset", f"{what} belongs to a tensor that does not exist: {problem}")
        parts = asset.filename.replace("\\", "/").split("/")
        if os.path.isabs(asset.filename) or ".." in parts or parts[0].startswith("~") or ":" in parts[0]:
            yield Finding("unsafe", "asset", f"{what} is not in the folder of the model")
    for path in source.asset_paths().values():
        if not os.path.isfile(path):
            yield Finding("broken", "asset", f"there is no file of the asset {quote(path)}")
        elif found := lfs_pointer(path):
            yield Finding("broken", "asset", f"the asset {quote(path)} is {found.what}: {found.advice}")


def _objects(objects: SavedObjectGraph, meta: MetaGraphDef, names: _Names) -> Iterator[Finding]:
    """Yield the faults of the objects of a TensorFlow 2 model: numbers and names of things that do not exist."""
    functions = names.index.functions
    for name in objects.concrete_functions:
        if name not in functions:
            yield Finding("broken", "object", f"the objects name a function {quote(name)}, which is not in the library")
    count = len(objects.nodes)
    for number, item in enumerate(objects.nodes):
        what = f"object {number:,}"
        wrong = [child.node_id for child in item.children if not 0 <= child.node_id < count]
        if wrong:
            yield Finding("broken", "object", f"{what} has a child {wrong[0]:,}: there are {count:,} objects")
        for name in item.function.concrete_functions if item.function is not None else ():
            if name not in objects.concrete_functions:
                yield Finding("broken", "object", f"{what} is a function {quote(name)}, which is not declared")
        if item.constant is not None and (problem := names.problem(item.constant.operation)):
            yield Finding("broken", "object", f"{what} is the constant {quote(item.constant.operation)}: {problem}")
        if item.asset is not None and not 0 <= item.asset.asset_file_def_index < len(meta.asset_file_def):
            problem = f"{what} is the asset {item.asset.asset_file_def_index:,}"
            yield Finding("broken", "object", f"{problem}: there are {len(meta.asset_file_def):,} assets")
