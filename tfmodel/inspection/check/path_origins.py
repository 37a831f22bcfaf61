"""Where the name of a file comes from: a constant, an asset of the model, or a tensor that the caller feeds.

    origins = PathOrigins(source, bodies).of("", node, "filename")
    origins.constants            # ["/etc/passwd"]

The string is followed to its origins through all ops, such as those that join strings, and through calls of functions:
the argument of a function comes from each of its calls and, in TensorFlow 2, from the objects that it captured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pbwire.errors import Error

from ...errors import GraphError
from ...graph import ARGUMENT, GraphIndex
from ...messages import DataType, NodeDef, OpDef, SavedObject
from ...names import TensorName, data_inputs, node_name
from ...ops.ports import input_types
from ...ops.traits import CONSTS, PLACEHOLDERS, UNCHANGED, VARIABLE_INITIALIZERS, VARIABLES
from ...source import ModelSource
from .entry_points import saver_defs

__all__ = ["Origins", "PathOrigins"]

MAX_STEPS = 1_000
"""The maximum number of nodes that are followed for one path."""

MAX_ALL_STEPS = 200_000
"""The maximum number of nodes that are followed for all paths of a model; further paths count as computed."""

MAX_CONSTANTS = 100
"""The maximum number of constants that are kept for one path."""

_READS = ("ReadVariableOp",)
_TEXT = (DataType.DT_STRING, DataType.DT_RESOURCE, DataType.DT_VARIANT)


@dataclass
class Origins:
    """The origins of a string.

    constants     texts of the constants, and of string attributes of the nodes that compute the string
    assets        names of assets
    asset_values  the constants of the graph that are replaced by the paths of assets while the model is loaded
    fed           names of tensors that the caller feeds, and of arguments of functions
    is_computed   True if the string is made from its origins, and is not simply one of them
    """

    constants: list[str] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    asset_values: list[str] = field(default_factory=list)
    fed: list[str] = field(default_factory=list)
    is_computed: bool = False

    @property
    def is_empty_string(self) -> bool:
        """True if the string is the constant "", which stands for no file."""
        return self.constants == [""] and not (self.assets or self.fed or self.is_computed)


class _Place(NamedTuple):
    """A node of a body, or with `argument` an argument of its function."""

    function: str
    position: int
    argument: str = ""


class PathOrigins:
    """Finds the origins of strings in a model. `bodies` are the graph, as "", and the functions by name."""

    def __init__(self, source: ModelSource, bodies: Mapping[str, GraphIndex], ops: Mapping[str, OpDef]) -> None:
        self._bodies = bodies
        self._ops = ops
        self._assets = {node: asset.filename for node, asset in source.asset_files().items()}
        self._fed = {node_name(saver.filename_tensor_name) for saver in saver_defs(source)} - {""}
        self._meta = source.meta
        self._steps = 0
        self._numbers: dict[str, dict[str, int]] = {}  # by function: the numbers of its arguments

    def of(self, function: str, node: NodeDef, name: str) -> Origins:
        """Return the origins of an input or attribute of a node, by its name in the declaration of the op."""
        value = node.attr.get(name)
        if value is not None:
            strings = value.list.s if value.list is not None else [value.s] if value.s is not None else []
            return Origins([string.decode("utf-8", "replace") for string in strings])
        op = self._ops.get(node.op)
        origins = Origins()
        if op is None:
            return origins
        ports: Mapping[str, range] = {}
        with suppress(GraphError):  # an attribute with a fault of its own
            ports = input_types(node, op).ranges
        texts = data_inputs(node)
        for port in ports.get(name, range(0)):
            if port < len(texts):
                self._follow(self._place(function, texts[port]), origins)
        return origins

    def _place(self, function: str, text: str) -> _Place | None:
        """Return the place that a reference in a body refers to; None if it does not exist."""
        body = self._bodies[function]
        try:
            name = TensorName.parse(text).node
        except GraphError:
            return None
        position = body.positions.get(name)
        if position is None:
            return _Place(function, ARGUMENT, name) if name in self._argument_numbers(function) else None
        return _Place(function, position)

    def _follow(self, start: _Place | None, origins: Origins) -> None:
        queue = [start] if start is not None else []
        seen = set(queue)
        for place in queue:  # the loop appends to it
            self._steps += 1
            if len(seen) > MAX_STEPS or self._steps > MAX_ALL_STEPS:
                origins.is_computed = True
                return
            for before in self._before(place, origins):
                if before not in seen:
                    seen.add(before)
                    queue.append(before)

    def _before(self, place: _Place, origins: Origins) -> list[_Place]:
        """Return the places that a string comes from; for an origin, record it and return nothing."""
        if place.argument:
            return self._arguments(place, origins)
        body = self._bodies[place.function]
        node = body.nodes[place.position]
        if not place.function and node.name in self._assets:
            origins.assets.append(self._assets[node.name])
            if node.op in CONSTS:
                _add_constants(node, origins.asset_values)
        elif node.op in PLACEHOLDERS or (not place.function and node.name in self._fed):
            origins.fed.append(node.name)
        elif node.op in CONSTS:
            _add_constants(node, origins.constants)
        elif not self._is_condition(node):
            before = [*self._results(node, body), *self._assigned(place)]
            if not before:
                before = [self._place(place.function, text) for text in data_inputs(node)]
                origins.is_computed |= node.op not in UNCHANGED and node.op not in _READS
                if self._makes_strings(node):
                    _add_attributes(node, origins.constants)
            return [found for found in before if found is not None]
        return []

    def _is_condition(self, node: NodeDef) -> bool:
        """Return whether a node computes only numbers and bools, which choose between strings or index them."""
        op = self._ops.get(node.op)
        types = [output.type for output in op.output_arg] if op is not None else []
        return bool(types) and not any(dtype in (DataType.DT_INVALID, *_TEXT) for dtype in types)

    def _makes_strings(self, node: NodeDef) -> bool:
        op = self._ops.get(node.op)
        return op is not None and any(output.type == DataType.DT_STRING for output in op.output_arg)

    def _assigned(self, place: _Place) -> Iterator[_Place | None]:
        """Yield the values that nodes assign to a variable; nothing for other nodes."""
        body = self._bodies[place.function]
        if body.nodes[place.position].op in VARIABLES:
            for target in body.targets[place.position]:
                inputs = data_inputs(body.nodes[target])
                if body.nodes[target].op in VARIABLE_INITIALIZERS and len(inputs) == 2:
                    yield self._place(place.function, inputs[1])

    def _results(self, node: NodeDef, body: GraphIndex) -> Iterator[_Place | None]:
        """Yield the results of the functions that a node calls."""
        with suppress(Error):  # a fault of its own
            call = body.functions.call(node)
            for name in call.names if call is not None else ():
                function = body.functions.get(name)
                if function is not None and name in self._bodies:
                    yield from (self._place(name, text) for text in function.ret.values())

    # --- arguments of functions --------------------------------------------------------------------------------------

    def _arguments(self, place: _Place, origins: Origins) -> list[_Place]:
        """Return the places that an argument comes from; record an asset, and an argument without a call, as origin."""
        numbers = self._argument_numbers(place.function)
        number = numbers[place.argument]
        before = []
        for caller, texts, first in self._calls.get(place.function, ()):
            if first + number < len(texts):
                before.append(self._place(caller, texts[first + number]))
        captured = self._captured(place.function, number - len(numbers))
        if captured is not None and captured.asset is not None:
            origins.assets.append(self._asset_at(captured.asset.asset_file_def_index))
        elif captured is not None and captured.constant is not None:
            before.append(self._place("", captured.constant.operation))
        elif not before:
            origins.fed.append(place.argument)
        return [found for found in before if found is not None]

    def _argument_numbers(self, function: str) -> Mapping[str, int]:
        if function not in self._numbers:
            self._numbers[function] = {name: number for number, name in enumerate(self._bodies[function].arguments)}
        return self._numbers[function]

    @cached_property
    def _calls(self) -> dict[str, list[tuple[str, list[str], int]]]:
        """The calls of each function: the body, the inputs, and the number of the one that is the first argument."""
        calls: dict[str, list[tuple[str, list[str], int]]] = {}
        for caller, body in self._bodies.items():
            for node in body.nodes:
                with suppress(Error):  # a fault of its own
                    call = body.functions.call(node)
                    if call is not None:
                        inputs = data_inputs(node)
                        for name in call.names:
                            calls.setdefault(name, []).append((caller, inputs, call.first))
        return calls

    def _captured(self, function: str, number: int) -> SavedObject | None:
        """Return the object that a function captured as an argument, counted from the last one, -1; None for others."""
        objects = self._meta.object_graph_def if self._meta is not None else None
        saved = objects.concrete_functions.get(function) if objects is not None else None
        if objects is None or saved is None or len(saved.bound_inputs) < -number:
            return None
        place = saved.bound_inputs[number]
        return objects.nodes[place] if 0 <= place < len(objects.nodes) else None

    def _asset_at(self, number: int) -> str:
        assets = self._meta.asset_file_def if self._meta is not None else []
        return assets[number].filename if 0 <= number < len(assets) else ""


def _add_constants(node: NodeDef, texts: list[str]) -> None:
    """Add the strings of a Const."""
    tensor = node.attr["value"].tensor if "value" in node.attr else None
    for string in tensor.string_val[: MAX_CONSTANTS - len(texts)] if tensor is not None else ():
        texts.append(string.decode("utf-8", "replace"))


def _add_attributes(node: NodeDef, texts: list[str]) -> None:
    """Add the string attributes of a node, such as the template of a StringFormat."""
    for name, value in node.attr.items():
        if value.s and not name.startswith("_") and len(texts) < MAX_CONSTANTS:
            texts.append(value.s.decode("utf-8", "replace"))
