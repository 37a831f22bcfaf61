"""`Shapes`: the result of inference, by names of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import GraphError
from ...messages import DataType, FunctionDef, NodeDef
from ...ops import output_types
from ...values.names import TensorName, is_control_input
from ...values.shape import Shape, shape_of_proto
from ..shape_rules.partial_tensors import Tensor

if TYPE_CHECKING:
    from .inference import Inference, Results

MAX_OUTPUTS = 1 << 16
"""The maximum number of outputs of a node that `Shapes.of` lists."""


class Shapes:
    """The shapes of the tensors of a graph, or of the body of a function.

    problems    (node, message) for each node in a cycle, or with contradictory attributes or inputs, also for nodes in
                functions. The shapes of the outputs of these nodes are unknown
    """

    def __init__(self, inference: Inference) -> None:
        self.inference = inference

    @property
    def results(self) -> Results:
        """The outputs of functions, by their names and arguments."""
        return self.inference.library.results

    def __getitem__(self, name: str | TensorName) -> Shape | None:
        """Return the shape of a tensor, None if its rank is unknown. Raises GraphError for an unknown node."""
        return self._tensor(name).shape

    def get(self, name: str | TensorName) -> Shape | None:
        """Return the shape of a tensor; None if its rank is unknown or if it does not exist."""
        try:
            return self._tensor(name).shape
        except GraphError:
            return None

    def of(self, node: NodeDef | str) -> list[Shape | None]:
        """Return the shapes of all outputs of a node; for an undeclared op, only those of the inferred outputs.

        The list has at most 65,536 shapes, since a damaged graph may claim any number of outputs. Raises GraphError for
        an unknown node.
        """
        node, known = self._node_and_outputs(node)
        try:
            op = self.inference.ops.get(node.op)
            count = len(known) if op is None else len(output_types(node, op))
        except GraphError:
            count = len(known)
        return [known[port].shape if port < len(known) else None for port in range(min(count, MAX_OUTPUTS))]

    def inferred(self, node: NodeDef) -> list[Shape | None]:
        """Return the shapes of the first outputs of a node; those of further outputs are unknown.

        This is faster than `of`, which counts the outputs. Raises GraphError for an unknown node.
        """
        return [tensor.shape for tensor in self._node_and_outputs(node)[1][:MAX_OUTPUTS]]

    def inferred_at(self, position: int) -> list[Shape | None]:
        """Return what `inferred` does for the node at a position in the graph or body."""
        return [tensor.shape for tensor in (self.inference.outputs[position] or ())[:MAX_OUTPUTS]]

    def dtype(self, name: str | TensorName) -> DataType | None:
        """Return the type of a tensor, None if it is unknown. Raises GraphError for an unknown node."""
        tensor = TensorName.parse(name) if isinstance(name, str) else name
        index = self.inference.index
        if tensor.node in index.arguments:
            arguments: Any = self.inference.index.graph
            return (
                next(argument.type for argument in arguments.signature.input_arg if argument.name == tensor.node)
                or None
            )
        node = index[tensor.node]
        op = self.inference.ops.get(node.op)
        if op is None:
            return None
        types, port = output_types(node, op), self.inference.port(str(tensor))
        return types[port] if 0 <= port < len(types) else None

    def value(self, name: str | TensorName) -> Any:
        """Return the elements of a small tensor of numbers, nested like its shape: 5, (1, -1), ((0, 1), (2, None)).

        Unknown elements are None. Return None if nothing is known about them. Raises GraphError for an unknown node.
        """
        tensor = self._tensor(name)
        return None if tensor.value is None or tensor.shape is None else _nest(iter(tensor.value), tensor.shape)

    def inside(self, node: NodeDef | str) -> dict[str, Shapes]:
        """Return the shapes in each function that a node calls, by the name of the function.

        They are inferred for the arguments that the node passes.
        """
        node, _ = self._node_and_outputs(node)
        bodies = self.inference.bodies.get(self.inference.index.position(node.name), {})
        return {name: Shapes(body) for name, body in bodies.items()}

    def in_functions(self, *, uncalled: bool = True) -> dict[str, list[Shapes]]:
        """Return the shapes in every function by its name: a list with those of each combination of inputs.

        A function that is not called has one item, for arguments with the shapes that the function declares in
        `_output_shapes`; none without `uncalled`. A function that was not inferred, because there are too many calls,
        has none.
        """
        library = self.inference.library
        found: dict[str, list[Shapes]] = {name: [] for name in library.functions}
        for name, body in self._all_bodies():
            found.setdefault(name, []).append(Shapes(body))
        for name, bodies in found.items() if uncalled else ():
            if not bodies and (function := library.functions.get(name)) is not None:
                _, body_alone = library.run(name, _declared_arguments(function))
                bodies += [Shapes(body_alone)] if body_alone is not None else []
        return found

    def _all_bodies(self) -> Iterator[tuple[str, Inference]]:
        """Yield the inferences of the functions that are called, directly or not, with the names of the functions."""
        queue, seen = [self.inference], {id(self.inference)}
        for inference in queue:  # the loop appends to it
            for name, body in (pair for bodies in inference.bodies.values() for pair in bodies.items()):
                if id(body) not in seen:
                    seen.add(id(body))
                    queue.append(body)
                    yield name, body

    @property
    def problems(self) -> list[tuple[NodeDef, str]]:
        return [(node, text) for node, text, _ in self._problems()]

    @property
    def import_problems(self) -> list[tuple[NodeDef, str]]:
        """The problems for which TensorFlow refuses to import the graph. It finds the others when it runs the nodes."""
        return [(node, text) for node, text, only_when_run in self._problems() if not only_when_run]

    def _problems(self) -> Iterator[tuple[NodeDef, str, bool]]:
        for inference in (self.inference, *(body for _, body in self._all_bodies())):
            for position, text in sorted(inference.problems.items()):
                yield inference.index.nodes[position], text, position in inference.only_when_run

    def __iter__(self) -> Iterator[tuple[NodeDef, list[Shape | None]]]:
        """Iterate over the nodes, in the order of the graph, with the shapes of their outputs."""
        return ((node, self.of(node)) for node in self.inference.index.nodes)

    def __repr__(self) -> str:
        return f"<Shapes of {len(self.inference.index):,} nodes>"

    def _node_and_outputs(self, node: NodeDef | str) -> tuple[NodeDef, Sequence[Tensor]]:
        index = self.inference.index
        position = index.position(node if isinstance(node, str) else node.name)
        return index.nodes[position], self.inference.outputs[position] or ()

    def _tensor(self, name: str | TensorName) -> Tensor:
        text = name if isinstance(name, str) else str(name)
        if is_control_input(text):
            raise GraphError(f'"{TensorName.parse(text)}" is not a tensor')
        return self.inference.tensor(text)


def _declared_arguments(function: FunctionDef) -> list[Tensor]:
    """Return the arguments of a function, with the shapes in their attribute `_output_shapes`."""
    arguments = function.signature.input_arg if function.signature is not None else []
    shapes: list[Shape | None] = [None] * len(arguments)
    for number, declared in function.arg_attr.items():
        attribute = declared.attr.get("_output_shapes")
        if number < len(shapes) and attribute is not None and attribute.list is not None and attribute.list.shape:
            shapes[number] = shape_of_proto(attribute.list.shape[0])
    return [Tensor(shape) for shape in shapes]


def _nest(elements: Iterator[Any], shape: Shape) -> Any:
    if not shape:
        return next(elements)
    return tuple(_nest(elements, shape[1:]) for _ in range(shape[0] or 0))
