"""Replace lookups in a large, mostly zero table of weights by lookups in a hash table.

    Gather(Identity(w), ids)   ->   t = HashTable,  InitializeTable(t, indices of nonzero rows of w, their values)
                                    ExpandDims(LookupTableFind(t, ids, 0), -1)

`w` is a float Const of shape [n, 1], or a variable whose value is in a checkpoint; GatherV2 along axis 0 is replaced
too. Numbers whose magnitude is below 1e-5 count as zero. The node `group_init_node` fills the tables, and has to run
first. The variable is removed, and so are the nodes that initialize it and assign its restored value; RestoreV2 stays.
Lookups in loops and in functions stay.

Differences from the original:

    Lookups in the same weights share a table. In the original, all but the first of these lookups break.
    Weights that are used elsewhere stay. In the original they are lost.
    The SaveV2 node saves the other variables. In the original it breaks.
    Lookups that are not supported are left alone. In the original the transform fails.
    Ids of type int32 are cast to int64.
    Weights may be read directly, or through several Identity nodes.
    Declared nodes stay, and so does a graph without lookups.
    The table of a part of a partitioned variable has the rows of this part only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError, TensorError
from ..graph import GraphIndex, attr, describe, replace_node, with_nodes
from ..graph.error_text import quote
from ..messages import AttrValue, DataType, GraphDef, NodeDef, TensorProto, TensorShapeProto
from ..values.names import TensorName, control_input, control_inputs
from ..values.output_limit import claim
from .framework.constants import FLOATS, read_constant
from .framework.node_edits import const_node, restore_colocation
from .framework.registry import graph_transform
from .framework.report import StepReport
from .quantization.requantization import new_node
from .quantization.weights import is_splat
from .sparse_gather import VariableReader, drop_references, find_lookups, find_removable, nonzero_rows, remove_unused

if TYPE_CHECKING:
    from .sparse_gather import Lookup, VariableReader

INT64, FLOAT = DataType.DT_INT64, DataType.DT_FLOAT
SHAPES = "_output_shapes"
GROUP = "group_deps"


@graph_transform
def sparsify_gather(
    graph: GraphDef,
    *,
    input_checkpoint: str = "",
    group_init_node: str = GROUP,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    report: StepReport,
) -> GraphDef:
    """Replace lookups in mostly zero weights by hash tables of the nonzero rows.

    `input_checkpoint` is the prefix of the checkpoint with the variables; it is not needed for constants. The node
    `group_init_node` fills the tables, and is added if it does not exist. Notes name arguments without effect. Fails if
    the checkpoint cannot be read, lacks a variable, or is not given although a lookup reads a variable.

    Example: sparsify_gather with inputs ids and outputs y

        w = Const[dtype=float, value=float{0, 2.5, 0, 0, -1}(5, 1)]
        r = Identity(w)[T=float]
        ids = Placeholder[dtype=int64]
        y = Gather(r, ids)[Tparams=float, Tindices=int64]

    becomes

        ids = Placeholder[dtype=int64]
        w/indices = Const[dtype=int64, value=int64{1, 4}]
        w/values = Const[dtype=float, value=float{2.5, -1}]
        w/HashTable = HashTable[key_dtype=int64, value_dtype=float]
        w/InitializeTable = InitializeTable(w/HashTable, w/indices, w/values)[Tkey=int64, Tval=float]
        y/LookupTableFind = LookupTableFind(w/HashTable, ids, y/Const)[Tin=int64, Tout=float]
        y/Const = Const[dtype=float, value=float{0}()]
        y/ExpandDims/Const = Const[dtype=int32, value=int32{-1}()]
        y = ExpandDims(y/LookupTableFind, y/ExpandDims/Const)[T=float]
        group_deps = NoOp(^w/InitializeTable)
    """
    index, read = GraphIndex(graph), VariableReader(graph, input_checkpoint)
    declared = {group_init_node, *(tensor.node for tensor in (*inputs, *outputs))}
    rewriter = _Rewriter(index, declared, read, report)
    rewriter.replace(find_lookups(index, report))
    if input_checkpoint and not read.is_used:
        report.notes.append("input_checkpoint is not used: no replaced lookup reads a variable")
    if not rewriter.replacements and group_init_node != GROUP:
        report.notes.append("group_init_node is not used: there is no table to fill")
    return with_nodes(graph, rewriter.nodes(group_init_node)) if rewriter.replacements else graph


class _Rewriter:
    """The graph, its removed nodes, and their replacements."""

    def __init__(self, index: GraphIndex, declared: set[str], read: VariableReader, report: StepReport) -> None:
        self._index = index
        self._declared = declared
        self._read = read
        self._report = report
        self._taken = index.taken_names()
        self._removed: set[int] = set()
        self._tables: dict[int, str] = {}  # by the position of the weights
        self._fillers: list[str] = []
        self._moved: dict[int, int] = {}  # by the position of ids: the position of the lookup before which they move
        self.replacements: dict[int, list[NodeDef]] = {}

    def replace(self, lookups: list[Lookup]) -> None:
        """Replace all lookups, except for those whose weights must stay."""
        groups: dict[int, list[Lookup]] = {}
        for lookup in lookups:
            groups.setdefault(lookup.weights, []).append(lookup)
        contents: dict[int, tuple[Any, Any]] = {}
        for weights, group in groups.items():
            removable = find_removable(
                self._index,
                {number for lookup in group for number in lookup.path},
                {lookup.head for lookup in group},
                self._declared,
            )
            array = self._array(weights) if not isinstance(removable, str) else removable
            if isinstance(removable, str) or isinstance(array, str):
                for lookup in group:
                    self._report.refuse(self._index.nodes[lookup.head].name, str(array))
                continue
            contents[weights] = nonzero_rows(array)
            self._removed |= removable
        for lookup in lookups:
            if lookup.weights in contents:
                self._replace(lookup, contents[lookup.weights])
                self._report.fire()

    def _array(self, weights: int) -> Any:
        """Return the values of the weights, or a text that says why they cannot become a table."""

        node = self._index.nodes[weights]
        if node.op != "Const":
            array = self._read(node.name)
        else:
            try:
                array = read_constant(node, FLOATS)
            except (GraphError, TensorError) as error:
                return str(error)
        if array.ndim != 2 or array.shape[1] != 1 or array.dtype.kind != "f":
            return f"its weights are of shape [{', '.join(map(str, array.shape))}], not [n, 1]"
        if is_splat(array):
            try:
                claim(array.size * (np.int64().itemsize + array.itemsize), "a table")
            except GraphError:
                return f"its {array.size:,} weights, a repeated number, are too many for a table"
        return array

    def _replace(self, lookup: Lookup, content: tuple[Any, Any]) -> None:
        index, head = self._index, self._index.nodes[lookup.head]
        nodes: list[NodeDef] = []
        if lookup.weights not in self._tables:
            nodes = self._table(lookup.weights, content)
        ids, default = head.input[1], self._fresh(f"{head.name}/Const")
        ahead = [head, *(index.nodes[number] for number in lookup.path)]
        controls = dict.fromkeys(text for node in ahead for text in control_inputs(node))
        if attr(head, "Tindices", DataType, INT64) != INT64:
            cast = new_node(
                self._fresh(f"{head.name}/Cast"), "Cast", [ids], SrcT=attr(head, "Tindices", DataType), DstT=INT64
            )
            nodes.append(cast)
            ids = cast.name
        find, axis = self._fresh(f"{head.name}/LookupTableFind"), self._fresh(f"{head.name}/ExpandDims/Const")
        keys = [self._tables[lookup.weights], ids, default, *controls]
        nodes += [
            new_node(find, "LookupTableFind", keys, Tin=INT64, Tout=FLOAT),
            const_node(default, 0.0, FLOAT),
            _single(axis, -1),
            new_node(head.name, "ExpandDims", [find, axis], T=FLOAT),
        ]
        self.replacements[lookup.head] = nodes
        self._moved[index.sources[lookup.head][1]] = lookup.head

    def _table(self, weights: int, content: tuple[Any, Any]) -> list[NodeDef]:
        name = self._index.nodes[weights].name
        keys, values, table, fill = (
            self._fresh(f"{name}/{part}") for part in ("indices", "values", "HashTable", "InitializeTable")
        )
        self._tables[weights] = table
        self._fillers.append(control_input(fill))
        return [
            const_node(keys, content[0], INT64),
            const_node(values, content[1], FLOAT),
            new_node(table, "HashTable", [], key_dtype=INT64, value_dtype=FLOAT),
            new_node(fill, "InitializeTable", [table, keys, values], Tkey=INT64, Tval=FLOAT),
        ]

    def _fresh(self, name: str) -> str:
        return self._taken.fresh(name)

    def nodes(self, group_init_node: str) -> list[NodeDef]:
        """Return all nodes of the resulting graph."""
        index = self._index
        changes = drop_references(index, self._removed, self._declared, self._taken)
        moved = {
            ids: head for ids, head in self._moved.items() if ids not in self.replacements and ids not in self._removed
        }
        before = {head: ids for ids, head in moved.items()}
        nodes: list[NodeDef] = []
        for position, node in enumerate(index.nodes):
            if position in self.replacements:
                ids = before.get(position)
                nodes += [] if ids is None else changes.get(ids, [index.nodes[ids]])
                nodes += self.replacements[position]
            elif position not in self._removed and position not in moved:
                nodes += changes.get(position, [node])
        changed = self._removed | self.replacements.keys() | changes.keys()
        suspects = {index.nodes[source].name for number in changed for source in index.sources[number] if source >= 0}
        nodes = remove_unused(self._with_group(nodes, group_init_node), suspects, self._declared)
        return restore_colocation([*map(_without_shapes, nodes)], index.nodes)

    def _with_group(self, nodes: list[NodeDef], name: str) -> list[NodeDef]:
        """Return the nodes with a NoOp that fills the tables: the present one of that name, changed, or a new one."""
        for position, node in enumerate(nodes):
            if node.name == name and node.op == "NoOp":
                return [
                    *nodes[:position],
                    replace_node(node, input=[*node.input, *self._fillers]),
                    *nodes[position + 1 :],
                ]
        other = next((node for node in nodes if node.name == name), None)
        free = name if other is None else self._fresh(name)
        if other is not None:
            self._report.notes.append(f"{describe(other)} is not a NoOp: {quote(free)} fills the tables")
        return [*nodes, NodeDef(name=free, op="NoOp", input=self._fillers)]


def _single(name: str, value: int) -> NodeDef:
    """Return an int32 Const whose value is in `int_val`, as in the original."""
    tensor = TensorProto(dtype=DataType.DT_INT32, tensor_shape=TensorShapeProto(), int_val=[value])
    return NodeDef(
        name=name, op="Const", attr={"dtype": AttrValue(type=DataType.DT_INT32), "value": AttrValue(tensor=tensor)}
    )


def _without_shapes(node: NodeDef) -> NodeDef:
    if SHAPES not in node.attr:
        return node
    return replace_node(node, attr={name: value for name, value in node.attr.items() if name != SHAPES})
