"""Add, insert, replace, rename and remove nodes of a graph, or of the body of a function: `tfmodel.GraphEditor`.

    editor = model.edit()
    half = editor.const("half", 0.5)
    editor.insert_after("logits", "Mul", [half])       # logits * 0.5, for everything that took logits
    editor.rename("logits", "scores")
    model = editor.model

Tensors are named as in graphs, "x" or "x:1", in the bodies of functions too. The graph of the model does not change:
`model` returns a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..analysis.facts import Facts
from ..errors import GraphError
from ..graph import Functions, check_graph, raise_faults, replace_node
from ..graph.attributes import input_tensors
from ..graph.edit import map_functions
from ..graph.error_text import describe, guess, list_names, quote
from ..graph.function_body import FunctionBody, Outputs
from ..messages import DataType, GraphDef, NodeDef, OpDef
from ..ops.definitions import Declarations
from ..source.model_source import Given, ModelSource
from ..source.signature_defs import tensors_of
from ..values.dtypes import dtype_name
from ..values.names import (
    Renames,
    TensorName,
    check_name,
    check_names,
    control_input,
    control_inputs,
    data_inputs,
    node_name,
)
from .attribute_values import attribute_value, free_attribute_value, parse_attribute, to_type
from .edited_nodes import EditedNodes
from .wiring import complete_attributes, convert_attributes, declared_attribute

_is_node_name = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*").fullmatch


class Editor:
    """Edits of a graph, or of the body of a function.

    model      what `tfmodel.Model` takes
    function   the name of a function of the graph's library; "" for the graph itself
    op_defs    declarations of ops of your own: OpLists, or files of them

    Attributes are plain Python values, converted and checked by the declaration of the op: see
    `tfmodel.editing.attribute_values`. Methods that make a node return its name, which is also the name of its first
    output. All methods raise GraphError for a name that does not exist or is taken, for an unknown op, and for inputs
    and attributes that the op does not take.
    """

    def __init__(
        self, model: Given, function: str = "", *, op_defs: Declarations | Iterable[Declarations] = ()
    ) -> None:
        self._model = ModelSource.of(model)
        self.function = function
        with self._model.naming():
            self._original: GraphDef = self._model.graph
            self._ops = Facts(self._model, op_defs=op_defs).ops
            functions = Functions(self._original.library)
            self._outputs = Outputs(functions, self._ops)
            body = FunctionBody(functions[function], self._outputs) if check_name(function) else None
            self._edited = EditedNodes(body or self._original, self._outputs)
        self._renamed_nodes: dict[str, str] = {}
        self._renamed_outputs: dict[TensorName, TensorName] = {}
        self._new: list[str] = []
        self._removed: set[str] = set()

    # --- reading -----------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> Mapping[str, NodeDef]:
        """The nodes by name. Do not change them: use the methods."""
        return self._edited.nodes

    def __repr__(self) -> str:
        where = f" of the function {quote(self.function)}" if self.function else ""
        return f"<{type(self).__name__} of {len(self.nodes):,} nodes{where}>"

    def __getitem__(self, name: str) -> NodeDef:
        return self._edited[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._edited.nodes

    def dtype(self, tensor: str) -> DataType | None:
        """Return the type of a tensor; None if the op of its node is unknown, or a call of the function decides it."""
        return self._edited.dtype(self._edited.tensor(tensor))

    def consumers(self, tensor: str) -> list[str]:
        """Return the names of the nodes that take a tensor."""
        wanted = self._edited.tensor(tensor)
        return [name for name in self._edited.users(wanted.node) if wanted in input_tensors(self._edited.nodes[name])]

    # --- adding ------------------------------------------------------------------------------------------------------

    def const(self, name: str, value: Any, *, dtype: Any = None, device: str = "") -> str:
        """Add a Const. Arrays keep their type; Python's floats become float32, its integers int32 or int64."""
        from ..values.tensors import from_ndarray  # imports numpy

        try:
            tensor = from_ndarray(value, None if dtype is None else to_type(dtype))
        except (TypeError, ValueError) as error:
            raise GraphError(f"the constant {quote(name)}: {error}") from error
        return self.node(name, "Const", dtype=tensor.dtype, value=tensor, device=device)

    def placeholder(self, name: str, dtype: Any, shape: Sequence[int | None] | None = None) -> str:
        """Add a Placeholder. A size that is None or -1 is unknown; without a shape, the rank is unknown."""
        return self.node(name, "Placeholder", dtype=dtype, shape=shape)

    def node(
        self,
        name: str,
        op: str,
        inputs: Iterable[str] = (),
        *,
        controls: Iterable[str] = (),
        device: str = "",
        **attributes: Any,
    ) -> str:
        """Add a node, and return its name.

        inputs       tensors, in the order in which the op declares its arguments; lists one after the other
        controls     nodes that have to run before it
        attributes   those that do not follow from the inputs and have no default, and others as you like
        """
        self._check_new_name(name)
        node = self._make(name, op, inputs, controls, device, attributes)
        self._edited.add(node)
        self._new.append(name)
        return name

    def _make(
        self,
        name: str,
        op: str,
        inputs: Iterable[str],
        controls: Iterable[str],
        device: str,
        attributes: Mapping[str, Any],
    ) -> NodeDef:
        tensors = [self._edited.tensor(text) for text in check_names(inputs)]
        controls = self._check_controls(controls)
        references = [*map(str, tensors), *map(control_input, controls)]
        node = NodeDef(name=name, op=check_name(op), input=references, device=check_name(device))
        declared = self._declared(op)
        types = [self._edited.dtype(tensor) for tensor in tensors]
        node.attr = complete_attributes(node, declared, types, attributes, in_function=bool(self.function))
        return node

    def _declared(self, op: str) -> OpDef:
        declared = self._outputs.declared(check_name(op))
        if declared is None:
            raise GraphError(f"there is no op {quote(op)}{guess(op, self._ops) or ': a custom op needs op_defs'}")
        return declared

    def _check_controls(self, controls: Iterable[str]) -> list[str]:
        """Return the names of nodes that run before another. Raises GraphError if one does not exist."""
        names = check_names(controls)
        for name in names:
            self[name]
        return names

    def _check_new_name(self, name: str) -> None:
        if not _is_node_name(check_name(name)):
            problem = "letters, digits and _ . \\ / > -, and does not begin with _"
            raise GraphError(f"{quote(name)} is not the name of a node: a name has {problem}")
        if name in self._edited.nodes or name in self._edited.arguments:
            raise GraphError(f"the name {quote(name)} is taken")

    def fresh_name(self, base: str) -> str:
        """Return a name for a new node: `base`, or the first of base_1, base_2, ... that is not taken."""
        return self._edited.free(check_name(base))

    def parse_attributes(self, op: str, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of attributes that are given as text, as the op declares them. Raises GraphError."""
        declared = self._declared(op)
        values = {}
        for name, text in texts.items():
            try:
                values[name] = parse_attribute(text, declared_attribute(NodeDef(name=op, op=op), declared, name))
            except ValueError as error:
                raise GraphError(f"the attribute {quote(name)} of {op}: {error}") from error
        return values

    # --- connecting --------------------------------------------------------------------------------------------------

    def insert_after(
        self,
        tensor: str,
        op: str,
        inputs: Sequence[str] = (),
        *,
        name: str = "",
        position: int = 0,
        consumers: Iterable[str] | None = None,
        **attributes: Any,
    ) -> str:
        """Add a node that takes a tensor, and connect the consumers of the tensor to its first output.

        inputs      the other inputs of the new node
        position    the place of the tensor among its inputs
        name        the name of the new node (default: that of the tensor's node and the op, "logits/Mul")
        consumers   the nodes to connect (default: all). Without it, signatures and results that named the tensor name
                    the new output too
        """
        source = self._edited.tensor(tensor)
        name = check_name(name) or self.fresh_name(f"{source.node}/{check_name(op)}")
        users = self.consumers(tensor) if consumers is None else check_names(consumers)
        for user in users:
            if source not in input_tensors(self[user]):
                raise GraphError(f"{describe(self[user])} does not take {quote(str(source))}")
        others = check_names(inputs)
        operands = [*others[:position], tensor, *others[position:]]
        self.node(name, op, operands, **attributes)
        self._connect(source, TensorName(name), users)
        if consumers is None:
            self._move_outputs(source, TensorName(name))
        return name

    def replace_tensor(self, old: str, new: str, *, consumers: Iterable[str] | None = None) -> None:
        """Connect the consumers of one tensor to another. Without `consumers`, signatures and results follow too."""
        source, target = self._edited.tensor(old), self._edited.tensor(new)
        users = self.consumers(old) if consumers is None else check_names(consumers)
        self._connect(source, target, [user for user in users if user != target.node])
        if consumers is None:
            self._move_outputs(source, target)

    def set_inputs(self, name: str, inputs: Iterable[str], *, controls: Iterable[str] | None = None) -> None:
        """Replace the inputs of a node, and its control inputs if they are given. Types and numbers follow."""
        node = self[name]
        kept = list(map(node_name, control_inputs(node))) if controls is None else check_names(controls)
        self._rebuild(node, node.op, inputs, kept, node.device, {})

    def _connect(self, source: TensorName, target: TensorName, users: Iterable[str]) -> None:
        old_type, new_type = self._edited.dtype(source), self._edited.dtype(target)
        users = list(users)
        if users and old_type is not None and new_type is not None and old_type != new_type:
            problem = f"is {dtype_name(new_type)}, and {quote(str(source))} is {dtype_name(old_type)}"
            raise GraphError(f"{quote(str(target))} {problem}: {list_names(users)} cannot take it")
        for user in users:
            node = self[user]
            inputs = [target if tensor == source else tensor for tensor in input_tensors(node)]
            self._edited.add(replace_node(node, input=[*map(str, inputs), *control_inputs(node)]))

    def _move_outputs(self, source: TensorName, target: TensorName) -> None:
        """Let signatures, or the results of the function, name another tensor."""
        if not self.function:
            originals = {new: old for old, new in self._renamed_nodes.items()}
            for old, new in list(self._renamed_outputs.items()):
                if new == source:
                    self._renamed_outputs[old] = target
            original = source._replace(node=originals.get(source.node, source.node))
            self._renamed_outputs.setdefault(original, target)
        results = self._edited.results
        results.update({name: target for name, tensor in results.items() if tensor == source})

    def name_input(self, old: str, new: str) -> None:
        """Let signatures that name the tensor `old` name the tensor `new`. No node is connected."""
        self._move_outputs(self._edited.tensor(old), self._edited.tensor(new))

    # --- changing ----------------------------------------------------------------------------------------------------

    def set_attribute(self, node: str, attribute: str, value: Any) -> None:
        """Set an attribute of a node. The types and numbers of its inputs must still fit."""
        self._change(node, "", None, None, None, {check_name(attribute): value})

    def remove_attribute(self, node: str, attribute: str) -> None:
        """Remove an attribute: its default is then valid. Raises GraphError if it has no default."""
        old = self[node]
        if check_name(attribute) not in old.attr:
            raise GraphError(f"{describe(old)} has no attribute {quote(attribute)}{guess(attribute, old.attr)}")
        declared = self._outputs.declared(old.op)
        row = declared_attribute(old, declared, attribute) if declared is not None and attribute[:1] != "_" else None
        if row is not None and row.default_value is None:
            raise GraphError(f"{describe(old)} needs the attribute {quote(attribute)}: it has no default")
        self._edited.add(replace_node(old, attr={name: value for name, value in old.attr.items() if name != attribute}))

    def replace_node(
        self,
        name: str,
        op: str = "",
        inputs: Iterable[str] | None = None,
        *,
        controls: Iterable[str] | None = None,
        device: str | None = None,
        **attributes: Any,
    ) -> None:
        """Replace the op, the inputs, the device or attributes of a node. Parts that are not given stay.

        With another op, attributes that it does not have are dropped, and those of the same name stay if they are valid
        for it.
        """
        self._change(name, op, inputs, controls, device, attributes)

    def _change(
        self,
        name: str,
        op: str,
        inputs: Iterable[str] | None,
        controls: Iterable[str] | None,
        device: str | None,
        attributes: Mapping[str, Any],
    ) -> None:
        node = self[name]
        if not op and inputs is None:
            declared = self._outputs.declared(node.op)
            if declared is None:
                new = {key: free_attribute_value(value, key, describe(node)) for key, value in attributes.items()}
            else:
                new = convert_attributes(node, declared, attributes, in_function=bool(self.function))
            fields: dict[str, Any] = {"attr": {**node.attr, **new}}
            if controls is not None:
                fields["input"] = [*data_inputs(node), *map(control_input, self._check_controls(controls))]
            if device is not None:
                fields["device"] = check_name(device)
            self._edited.add(replace_node(node, **fields))
            return
        operands = data_inputs(node) if inputs is None else inputs
        befores = list(map(node_name, control_inputs(node))) if controls is None else check_names(controls)
        self._rebuild(node, op or node.op, operands, befores, node.device if device is None else device, attributes)

    def _rebuild(
        self,
        node: NodeDef,
        op: str,
        inputs: Iterable[str],
        controls: Sequence[str],
        device: str,
        attributes: Mapping[str, Any],
    ) -> None:
        """Replace a node by one with another op or other inputs; keep the attributes that do not follow from these."""
        declared = self._declared(op)
        follow = {arg.type_attr or arg.number_attr for arg in declared.input_arg} | {
            name for arg in declared.input_arg for name in (arg.number_attr, arg.type_list_attr)
        }
        kept: dict[str, Any] = {}
        rows = {row.name: row for row in declared.attr}
        for key, value in node.attr.items():
            if key in attributes or key in follow:
                continue
            if key.startswith("_") and key != "_output_shapes":
                kept[key] = value
            elif key in rows:
                try:
                    kept[key] = attribute_value(value, rows[key], describe(node), in_function=bool(self.function))
                except GraphError:
                    continue  # an attribute of this name with another meaning
        self._edited.add(self._make(node.name, op, inputs, controls, device, {**kept, **attributes}))

    def remove(self, *names: str, reconnect: bool = False) -> None:
        """Remove nodes. In the control inputs of other nodes, the control inputs of a removed node take its place.

        A node whose tensors other nodes, signatures or results take cannot be removed, unless these are removed too.
        With `reconnect`, they take the first input of the node in place of its first output.
        """
        for name in names:
            self[name]
        removed = dict.fromkeys(names)
        for name in removed:
            self._release(name, removed, reconnect)
        self._removed.update(removed)
        self._edited.remove(removed)

    def _release(self, name: str, removed: Mapping[str, None], reconnect: bool) -> None:
        """Make sure that nothing takes the tensors of a node that is being removed."""
        node = self._edited.nodes[name]
        takers = [
            user
            for user in self._edited.users(name)
            if user not in removed and any(tensor.node == name for tensor in input_tensors(self._edited.nodes[user]))
        ]
        named = self._named_outputs(name)
        if not takers and not named:
            return
        if not reconnect:
            by = [*map(quote, takers[:5]), *named[:5]]
            more = f" and {len(takers) - 5:,} more" if len(takers) > 5 else ""
            raise GraphError(f"{describe(node)} is used by {', '.join(by)}{more}: remove these too, or reconnect them")
        inputs = input_tensors(node)
        if not inputs:
            raise GraphError(f"{describe(node)} has no input that could take its place")
        others = [
            str(tensor)
            for user in takers
            for tensor in input_tensors(self._edited.nodes[user])
            if tensor.node == name and tensor.port
        ]
        if others:
            raise GraphError(f"{describe(node)}: {list_names(others)} is used, and only output 0 can be reconnected")
        source = inputs[0]
        while source.node in removed and input_tensors(self._edited.nodes[source.node]):
            source = input_tensors(self._edited.nodes[source.node])[0]
        self._connect(TensorName(name), source, takers)
        self._move_outputs(TensorName(name), source)

    def _named_outputs(self, name: str) -> list[str]:
        """Return what names the tensors of a node: signatures, and results of the function."""
        found = [f"the result {quote(key)}" for key, tensor in self._edited.results.items() if tensor.node == name]
        if self.function or self._model.meta is None:
            return found
        for key, signature in self._model.meta.signature_def.items():
            for text in (*tensors_of(signature.inputs), *tensors_of(signature.outputs)):
                tensor = TensorName.parse(text)
                now = self._renamed_outputs.get(tensor)
                if (now.node if now is not None else self._renamed_nodes.get(tensor.node, tensor.node)) == name:
                    found.append(f"the signature {quote(key)}")
                    break
        return found

    # --- names -------------------------------------------------------------------------------------------------------

    def rename(self, old: str | Mapping[str, str], new: str = "") -> None:
        """Rename a node, or several at once: rename("a", "b"), rename({"a": "b", "b": "a"}).

        References follow: inputs, colocation, signatures, collections, savers and assets.
        """
        renames = old if isinstance(old, Mapping) else {check_name(old): new}
        renames = {name: target for name, target in renames.items() if check_name(name) != check_name(target)}
        for name in renames:
            self[name]
        for target in renames.values():
            if target not in renames:
                self._check_new_name(target)
        if len({*renames.values()}) < len(renames):
            raise GraphError("two nodes would have one name")
        self._edited.rename(renames)
        self._new = [renames.get(name, name) for name in self._new]
        self._renamed_outputs = {key: _renamed(value, renames) for key, value in self._renamed_outputs.items()}
        originals = {target: name for name, target in self._renamed_nodes.items()}
        for name, target in renames.items():
            self._renamed_nodes[originals.get(name, name)] = target

    # --- the result --------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> GraphDef:
        """The edited graph. Raises GraphError if the edits made a fault, such as a cycle."""
        nodes = [self._edited.without_colocation(node, self._removed) for node in self._edited.in_order(self._new)]
        if not self.function:
            graph = self._edited.graph(nodes)
        else:
            new = self._edited.function(nodes)
            graph = map_functions(self._original, lambda old: new if old is self._edited.message else old)
        before = {(fault.kind, fault.node, fault.function) for fault in self._faults(self._original)}
        faults = [fault for fault in self._faults(graph) if (fault.kind, fault.node, fault.function) not in before]
        raise_faults(faults)
        return graph

    def _faults(self, graph: GraphDef) -> list[Any]:
        return check_graph(graph, registry=self._ops, since=None if graph is self._original else self._original)


def edited_source(editor: Editor) -> ModelSource:
    """Return the model with the edited graph; signatures, collections, savers and assets name the new nodes."""
    model = editor._model
    with model.naming():
        graph = editor.graph
        renames = Renames([] if editor.function else [(editor._renamed_nodes, editor._renamed_outputs)])
        return model.after_step(graph, renames=renames)


def _renamed(tensor: TensorName, renames: Mapping[str, str]) -> TensorName:
    return tensor._replace(node=renames[tensor.node]) if tensor.node in renames else tensor
