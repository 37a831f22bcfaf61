"""The variables of a SavedModel: the files in its folder "variables", and the nodes that restore them.

A checkpoint of version 2 is copied byte for byte, under the name that a SavedModel has for it. Other values (a
checkpoint of version 1, a mapping from names to arrays) are written as a checkpoint of version 2, under their own keys.

A saver of the graph that restores these files stays. Otherwise, for example after transforms that removed it, the graph
gets new nodes that save and restore its variables, as tf.train.Saver makes them:

    save/RestoreV2 -> save/Assign_0, save/Assign_1, ... -> save/restore_all
    w, b, ... -> save/SaveV2 -> save/control_dependency
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...analysis.variables.checkpoint_keys import ObjectKeys, RestoredPlaces, object_paths, restored_places
from ...errors import CheckpointError, Hint, ModelError
from ...files.checkpoints.checkpoint import Checkpoint
from ...files.checkpoints.index import OBJECT_GRAPH_KEY, ObjectGraph
from ...graph import attr, with_nodes
from ...graph.error_text import guess, list_names, quote
from ...graph.function_body import FunctionBodies
from ...graph.view import GraphView
from ...messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NameAttrList,
    NodeDef,
    SavedObjectGraph,
    SaverDef,
    TensorProto,
    TensorShapeProto,
)
from ...ops.traits import CALLS, EMPTY_IS_UNKNOWN, REFERENCE_VARIABLES, RESTORES, VARIABLE_INITIALIZERS, VARIABLES
from ...parameters.variables import CheckpointTensors, StoredTensor, VariableValues
from ...source.metagraph.initializers import run_by_loaders
from ...source.model_source import ModelSource
from ...source.signature_defs import tensors_of
from ...values.dtypes import dtype_of
from ...values.names import TakenNames, control_input, node_name
from ...values.tensor_header import read_shape
from ...values.tensors import from_ndarray
from ...values.terminal import escape

_RESTORE = "RestoreV2"


@dataclass(frozen=True, slots=True)
class VariableFiles:
    """The content of the folder "variables": files to copy, or tensors to write.

    copies    paths of files, by the suffix of the file in the folder, such as ".index"
    tensors   tensors by key, if there are no files to copy
    dtypes    their types, where NumPy lacks them
    """

    copies: Mapping[str, str] = field(default_factory=dict)
    tensors: Mapping[str, Any] = field(default_factory=dict)
    dtypes: Mapping[str, DataType] = field(default_factory=dict)


def add_variables(
    source: ModelSource, meta: MetaGraphDef, notes: list[str], *, has_objects: bool
) -> VariableFiles | None:
    """Set the saver of a MetaGraph, and the nodes that it names. Return the files of the variables; None without any.

    `has_objects` says whether the MetaGraph has objects of TensorFlow 2, whose values are found by the object graph of
    the checkpoint. Raises ModelError for a variable that has no value, and CheckpointError for a value that does not
    fit, and for incomplete files.
    """
    checkpoint = _checkpoint_of(source, has_objects)
    variables = _Variables(source, meta, has_entries=hasattr(checkpoint, "entries"))
    if checkpoint is None:
        variables.require_values(variables.needed)
        if variables.needed:
            notes.append("there are no values for the variables, as in the original")
        if meta.saver_def is not None and not variables.has_saver():
            meta.saver_def = None
        return None
    if has_objects and source.given_checkpoint is not None:
        checkpoint = _with_object_values(source, meta, checkpoint)
    tensors = CheckpointTensors(checkpoint)
    values = VariableValues(source, tensors, meta.graph_def or GraphDef())
    keys: set[str] | None = None
    if not variables.keeps_saver(checkpoint, values):
        keys = variables.add_saver(values, checkpoint)
    if isinstance(checkpoint, Checkpoint) and checkpoint.version == 2:
        return VariableFiles(copies=checkpoint.complete_files())
    names = list(checkpoint) if keys is None or has_objects else sorted(keys)
    return VariableFiles(tensors=_Selected(checkpoint, names), dtypes=variables.dtypes(values, checkpoint, names))


class _Selected(Mapping[str, Any]):
    """Some tensors of a checkpoint, which are read when they are used."""

    def __init__(self, tensors: Mapping[str, Any], names: list[str]) -> None:
        self._tensors = tensors
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Any:
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def keys(self) -> Any:
        return self._names.keys()


def _checkpoint_of(source: ModelSource, has_objects: bool) -> Mapping[str, Any] | None:
    """Return the values of the variables; with objects, also of a model without variables, if it has a checkpoint."""
    source.check_checkpoint()
    if source.has_graph and not source.takes_checkpoint and not has_objects and not source.is_saved_model:
        return None
    return source.own_checkpoint() if has_objects and source.checkpoint is None else source.checkpoint


def _with_object_values(source: ModelSource, meta: MetaGraphDef, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return given values with the object graph of the model's own checkpoint, if they have none.

    Raises CheckpointError for a variable among the objects that has no value.
    """
    objects = getattr(given, "object_graph", None)
    if objects is None and OBJECT_GRAPH_KEY not in given:
        own = source.own_checkpoint()
        objects = own.object_graph if own is not None else None
        if own is None or objects is None:
            raise CheckpointError("there is no object graph that says which value each object of the model has")
        given = ChainMap({OBJECT_GRAPH_KEY: own[OBJECT_GRAPH_KEY]}, given)  # type: ignore[arg-type]  # it is only read
    if objects is None:
        objects = ObjectGraph(bytes(np.asarray(given[OBJECT_GRAPH_KEY], object).item()))
    assert meta.object_graph_def is not None
    keys = ObjectKeys(objects.message)
    missing = [key or name for name, key in _keys_of_objects(meta.object_graph_def, keys) if key not in given]
    if missing:
        raise CheckpointError(f"the given checkpoint has no values for {list_names(missing)}")
    return given


def _keys_of_objects(objects: SavedObjectGraph, keys: ObjectKeys) -> Iterator[tuple[str, str | None]]:
    """Yield the name of each variable among the objects, and the key of its value; None if there is none."""
    for number, path in object_paths(objects).items():
        variable = objects.nodes[number].variable if 0 <= number < len(objects.nodes) else None
        if variable is not None and not variable.experimental_distributed_variable_components:
            yield variable.name or ".".join(path), keys.at(path)


class _Variables:
    """The variables of a graph, and those that signatures need.

    `has_entries` says whether the checkpoint has the stored types of its tensors, and not only arrays.
    """

    def __init__(self, source: ModelSource, meta: MetaGraphDef, *, has_entries: bool) -> None:
        assert meta.graph_def is not None
        self.has_entries = has_entries
        self._source = source
        self._meta = meta
        self._graph = meta.graph_def
        self._body = GraphView(self._graph)
        self._functions = FunctionBodies(self._graph.library, source.ops)
        self.nodes = {node.name: node for node in self._graph.node if node.op in VARIABLES}
        self.needed = self._needed()

    def _needed(self) -> list[str]:
        """Return the variables that signatures use, and that no node initializes when the model is loaded."""
        outputs = [
            tensor for signature in self._meta.signature_def.values() for tensor in tensors_of(signature.outputs)
        ]
        nodes = self._body.with_ancestors(map(node_name, outputs))
        initializers = self._body.with_ancestors(run_by_loaders(self._meta))
        initialized = {
            node_name(node.input[0])
            for node in self._graph.node
            if node.op in VARIABLE_INITIALIZERS and node.name in initializers and node.input
        }
        return [name for name in self.nodes if name in nodes and name not in initialized]

    def require_values(self, names: Iterable[str], checkpoint: Mapping[str, Any] | None = None) -> None:
        """Raise ModelError if there are any `names`: variables that `checkpoint` lacks.

        A SavedModel may have such variables.
        """
        names = list(names)
        if names and not self._source.is_saved_model:
            what = "the variable" if len(names) == 1 else f"the {len(names):,} variables"
            problem = f"no values for {what} {list_names(names)}"
            if checkpoint is None:
                raise ModelError(f"there are {problem}: ", Hint.GIVE_CHECKPOINT)
            file = escape(str(getattr(checkpoint, "prefix", "the checkpoint")))
            raise ModelError(f"{file} has {problem}{guess(names[0], checkpoint)}")

    # --- the saver of the graph ----------------------------------------------------------------------------------

    def has_saver(self) -> bool:
        """Return whether the nodes of the MetaGraph's saver are in the graph."""
        saver = self._meta.saver_def
        if saver is None:
            return False
        names = (saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name)
        return all(name and node_name(name) in self._body.nodes for name in names)

    def keeps_saver(self, checkpoint: Mapping[str, Any], values: VariableValues) -> bool:
        """Return whether the saver of the MetaGraph restores everything that signatures need from the checkpoint."""
        saver = self._meta.saver_def
        if saver is None or not self.has_saver():
            return False
        names = self._body.with_ancestors([node_name(saver.restore_op_name)])
        restoring = [node for node in self._graph.node if node.name in names]
        for body in self._restoring_bodies(restoring):
            if not _restores(body, checkpoint):
                return False
        restored = restored_places(GraphView(GraphDef(node=restoring)), self._functions)
        left = [name for name in self.needed if name not in restored]
        without = [name for name in left if values.find(name) is None]
        self.require_values(without, checkpoint)
        if self._source.given_checkpoint is not None:
            for name in self.needed:
                self._stored(name, values)
        return len(left) == len(without)

    def _restoring_bodies(self, nodes: Iterable[NodeDef]) -> Iterator[GraphView]:
        """Yield the nodes that restore, as a graph, and the bodies of the functions that they call."""
        nodes = list(nodes)
        yield GraphView(GraphDef(node=nodes))
        for node in nodes:
            called = attr(node, "f", NameAttrList, None) if node.op in CALLS else None
            if called is not None and called.name in self._functions:
                yield GraphView(self._functions.body(called.name))

    # --- a new saver ---------------------------------------------------------------------------------------------

    def add_saver(self, values: VariableValues, checkpoint: Mapping[str, Any]) -> set[str]:
        """Add nodes that save and restore the variables of the graph, and return the keys of their values."""
        stored = {name: value for name in self.nodes if (value := self._stored(name, values)) is not None}
        self.require_values([name for name in self.needed if name not in stored], checkpoint)
        self._refuse_tables(checkpoint)
        if not stored:
            self._meta.saver_def = None
            return set()
        saver = _Saver(self._body.nodes, [(self.nodes[name], value) for name, value in stored.items()], checkpoint)
        self._meta.graph_def = with_nodes(self._graph, [*self._graph.node, *saver.nodes()])
        self._meta.saver_def = saver.definition()
        return {value.key for value in stored.values()}

    def _stored(self, name: str, values: VariableValues) -> StoredTensor | None:
        """Return the value of a variable. Raises CheckpointError if it has another type or shape."""
        stored = values.find(name)
        if stored is None:
            return None
        node = self.nodes[name]
        declared = attr(node, "shape", TensorShapeProto, None)
        shape = read_shape(declared) if declared is not None else None
        shape = None if shape == () and node.op in EMPTY_IS_UNKNOWN else shape
        dtype = attr(node, "dtype", DataType)
        if not self.has_entries and dtype_of(dtype).numpy == dtype_of(stored.dtype).numpy:
            stored = stored._replace(dtype=dtype)  # arrays in place of a type that NumPy lacks
        if problem := stored.mismatch(dtype, shape):
            raise CheckpointError(f"the variable {quote(name)} {problem}")
        return stored

    def _refuse_tables(self, checkpoint: Mapping[str, Any]) -> None:
        """Raise ModelError for tables whose entries are in the checkpoint, which new nodes do not restore."""
        tables = [node.name for node in self._graph.node if f"{node.name}-keys" in checkpoint]
        if tables:
            raise ModelError(f"the nodes that restore the tables {list_names(tables)} are not in the graph")

    def dtypes(
        self, values: VariableValues, checkpoint: Mapping[str, Any], names: Iterable[str]
    ) -> dict[str, DataType]:
        """Return the types in which tensors are stored, where their arrays have another type."""
        entries = getattr(checkpoint, "entries", None)
        if entries is not None:
            return {name: DataType(entries[name].dtype) for name in names}
        wanted = set(names)
        stored = {name: values.find(name) for name in self.nodes}
        return {
            value.key: attr(self.nodes[name], "dtype", DataType)
            for name, value in stored.items()
            if value is not None and value.key in wanted
        }


def _restores(body: GraphView, checkpoint: Mapping[str, Any]) -> bool:
    """Return whether the nodes that restore in a graph read version 2, and only tensors that the checkpoint has."""
    places = RestoredPlaces(body)
    for node in body.nodes.values():
        if node.op not in RESTORES:
            continue
        if node.op != _RESTORE:
            return False
        for port in range(len(attr(node, "dtypes", list[DataType]))):
            place = places.place(node, port)
            if place is not None and place.key not in checkpoint:
                return False
    return True


class _Saver:
    """New nodes that save and restore variables."""

    def __init__(
        self, taken: Iterable[str], variables: list[tuple[NodeDef, StoredTensor]], checkpoint: Mapping[str, Any]
    ) -> None:
        self._variables = variables
        self._scope = _fresh_scope(taken)
        self._keys = [stored.key for _, stored in variables]
        self._slices = [_slice_text(stored, checkpoint) for _, stored in variables]
        self._types = [attr(node, "dtype", DataType) for node, _ in variables]

    def definition(self) -> SaverDef:
        return SaverDef(
            filename_tensor_name=f"{self._scope}/Const:0",
            save_tensor_name=f"{self._scope}/control_dependency:0",
            restore_op_name=f"{self._scope}/restore_all",
            max_to_keep=5,
            keep_checkpoint_every_n_hours=10000,
            version=SaverDef.CheckpointFormatVersion.V2,
        )

    def nodes(self) -> list[NodeDef]:
        nodes = [self._strings("filename/input", b"model"), self._path("filename", "filename/input")]
        nodes.append(self._path("Const", "filename"))
        for op in ("SaveV2", _RESTORE):
            nodes.append(self._strings(f"{op}/tensor_names", *(key.encode() for key in self._keys), is_list=True))
            nodes.append(self._strings(f"{op}/shape_and_slices", *map(str.encode, self._slices), is_list=True))
        types = AttrValue(list=AttrValue.ListValue(type=list(self._types)))
        read = [self._read(number) for number in range(len(self._variables))]
        nodes += [node for node, _ in read if node is not None]
        tensors = [tensor for _, tensor in read]
        nodes.append(self._node("SaveV2", "SaveV2", *self._inputs("SaveV2"), *tensors, dtypes=types))
        saved = control_input(self._name("SaveV2"))
        nodes.append(
            self._node("control_dependency", "Identity", self._name("Const"), saved, T=_type(DataType.DT_STRING))
        )
        nodes.append(self._node(_RESTORE, _RESTORE, *self._inputs(_RESTORE), dtypes=types))
        assigns = [self._assign(number) for number in range(len(self._variables))]
        group = [control_input(node.name) for node in assigns]
        return [*nodes, *assigns, self._node("restore_all", "NoOp", *group)]

    def _inputs(self, op: str) -> list[str]:
        return [self._name("Const"), self._name(f"{op}/tensor_names"), self._name(f"{op}/shape_and_slices")]

    def _read(self, number: int) -> tuple[NodeDef | None, str]:
        """Return the node that reads a variable, and its tensor; of a reference variable, None and the variable."""
        variable, dtype = self._variables[number][0], self._types[number]
        if variable.op in REFERENCE_VARIABLES:
            return None, variable.name
        node = self._node(f"Read_{number}", "ReadVariableOp", variable.name, dtype=_type(dtype))
        return node, node.name

    def _assign(self, number: int) -> NodeDef:
        variable, dtype = self._variables[number][0], self._types[number]
        value = f"{self._name(_RESTORE)}:{number}" if number else self._name(_RESTORE)
        if variable.op not in REFERENCE_VARIABLES:
            return self._node(f"Assign_{number}", "AssignVariableOp", variable.name, value, dtype=_type(dtype))
        attrs = {"T": _type(dtype), "use_locking": AttrValue(b=True), "validate_shape": AttrValue(b=True)}
        if variable.op in EMPTY_IS_UNKNOWN or attr(variable, "shape", TensorShapeProto, None) is None:
            attrs["validate_shape"] = AttrValue(b=False)
        return self._node(f"Assign_{number}", "Assign", variable.name, value, **attrs)

    def _path(self, name: str, default: str) -> NodeDef:
        """Return a node that holds a path, unless it is fed."""
        attrs = {"dtype": _type(DataType.DT_STRING), "shape": AttrValue(shape=TensorShapeProto())}
        return self._node(name, "PlaceholderWithDefault", self._name(default), **attrs)

    def _strings(self, name: str, *values: bytes, is_list: bool = False) -> NodeDef:
        array = np.array(values, object)
        tensor: TensorProto = from_ndarray(array if is_list else array.reshape(()))
        return self._node(name, "Const", dtype=_type(DataType.DT_STRING), value=AttrValue(tensor=tensor))

    def _node(self, name: str, op: str, *inputs: str, **attrs: AttrValue) -> NodeDef:
        return NodeDef(name=self._name(name), op=op, input=list(inputs), attr=attrs)

    def _name(self, name: str) -> str:
        return f"{self._scope}/{name}"


def _type(dtype: DataType) -> AttrValue:
    return AttrValue(type=dtype)


def _fresh_scope(names: Iterable[str]) -> str:
    """Return "save", "save_1" and so on: a name that no node has, and with which no scope begins."""
    return TakenNames(name.partition("/")[0] for name in names).fresh("save")


def _slice_text(stored: StoredTensor, checkpoint: Mapping[str, Any]) -> str:
    """Return the slice of a partitioned variable as RestoreV2 takes it, such as "7 3 0,3:-"; "" for a whole tensor."""
    if stored.extents is None:
        return ""
    entries = getattr(checkpoint, "entries", None)
    shape = entries[stored.key].shape if entries is not None else np.shape(checkpoint[stored.key])
    parts = ("-" if size == -1 else f"{start},{size}" for start, size in stored.extents)
    return " ".join([*map(str, shape), ":".join(parts)])
