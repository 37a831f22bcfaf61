"""Where the name of a file comes from: a constant, an asset of the model, or a tensor that the caller feeds.

    origins = PathOrigins(source, bodies).of("", node, "filename")
    origins.constants            # ["/etc/passwd"]

The string is followed to its origins through all ops, such as those that join strings, and through calls of functions:
the argument of a function comes from each of its calls and, in TensorFlow 2, from the objects that it captured. A
string that an op makes is computed, whatever it is made of: only ops that pass on, choose or collect strings keep their
origin. What the model says of its ops does not count, only the declarations of TensorFlow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from re import compile as compile_regex
from typing import NamedTuple

from pbwire.errors import Error

from ...errors import GraphError
from ...graph import ARGUMENT, GraphIndex
from ...messages import AttrValue, DataType, NodeDef, OpDef, SavedObject
from ...ops import OPS
from ...ops.ports import input_types
from ...ops.traits import (
    CHECKPOINT_OPS,
    CONSTS,
    MERGE,
    PLACEHOLDERS_WITHOUT_DEFAULT,
    SWITCH,
    UNCHANGED,
    VARIABLE_INITIALIZERS,
    VARIABLES,
    WHILE_LOOPS,
)
from ...parameters.variables import CheckpointTensors, VariableValues
from ...source.loading import asset_tensors
from ...source.model_source import ModelSource
from ...values.names import TensorName, data_inputs
from ...values.tensor_header import read_strings
from .call_graph import calls_by_function

MAX_STEPS = 1_000
"""The maximum number of nodes that are followed for one path."""

MAX_ALL_STEPS = 200_000
"""The maximum number of nodes that are followed for all paths of a model; further paths count as computed."""

MAX_BYTES = 1_000
"""The size of variables from which on their values are not read."""

MAX_CONSTANTS = 100
"""The maximum number of constants that are kept for one path; a path with more of them counts as computed."""

_COLLECTS = """
    ReadVariableOp PlaceholderWithDefault Select SelectV2 Reshape ExpandDims Squeeze Pack Unpack Concat ConcatV2 Tile
    Fill BroadcastTo Slice StridedSlice Gather GatherV2 Split SplitV Where Transpose
    IdentityN RefSelect DeepCopy
"""
_PASSES_ON = frozenset(_COLLECTS.split()) | UNCHANGED | MERGE | SWITCH | WHILE_LOOPS
"""Ops whose strings are strings of their inputs, or of the functions that they call."""

_WRITERS = VARIABLE_INITIALIZERS | frozenset(
    {"ResourceScatterNdUpdate", "ResourceScatterUpdate", "ResourceStridedSliceAssign"}
    | {"ScatterNdUpdate", "ScatterUpdate", "StridedSliceAssign"}
)
"""Ops that write strings to the variable of their first input."""

_NUMBERED = ("ShardedFilename", "ShardedFilespec")
"""Ops that append numbers to the prefix of a checkpoint."""

_PART_OF_CHECKPOINT = compile_regex(r"(_temp(_[0-9a-f]+)?[/\\]part|\.part)")
"""The ends that the savers of TensorFlow append to the prefix of a checkpoint."""

_TEXT = (DataType.DT_INVALID, DataType.DT_STRING, DataType.DT_STRING_REF, DataType.DT_RESOURCE, DataType.DT_VARIANT)


@dataclass
class Origins:
    """The origins of a string.

    constants     texts of the constants, and of string attributes of the nodes that compute the string
    assets        names of assets
    asset_values  the constants of the graph that are replaced by the paths of assets while the model is loaded
    fed           names of tensors that the caller feeds, and of arguments of functions
    stored        names of variables whose value the checkpoint has
    is_computed   True if the string is made from its origins, and is not simply one of them
    is_passed     True if an op gives it to a function in a way that is not followed, such as the elements of a dataset
    """

    constants: list[str] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    asset_values: list[str] = field(default_factory=list)
    fed: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    is_computed: bool = False
    is_passed: bool = False

    @property
    def is_empty_string(self) -> bool:
        """True if the string is the constant "", which stands for no file."""
        return self.constants == [""] and not (
            self.assets or self.fed or self.stored or self.is_computed or self.is_passed
        )

    def _merge(self, other: Origins) -> None:
        for name in ("constants", "assets", "asset_values", "fed", "stored"):
            getattr(self, name).extend(getattr(other, name))
        self.is_computed |= other.is_computed
        self.is_passed |= other.is_passed


class _Place(NamedTuple):
    """A node of a body, or with `argument` an argument of its function."""

    function: str
    position: int
    argument: str = ""
    port: int = 0


class PathOrigins:
    """Finds the origins of strings in a model. `bodies` are the graph, as "", and the functions by name."""

    def __init__(self, source: ModelSource, bodies: Mapping[str, GraphIndex]) -> None:
        self._bodies = bodies
        self._source = source
        self._assets = asset_tensors(source.meta)
        self._meta = source.meta
        self._steps = 0
        self._numbers: dict[str, dict[str, int]] = {}  # by function: the numbers of its arguments

    def of(self, function: str, node: NodeDef, name: str, *, fed: Collection[TensorName] = ()) -> Origins:
        """Return the origins of an input or attribute of a node, by its name in TensorFlow's declaration of the op.

        `fed` are the tensors of the graph that are fed whenever the node runs. The path of a checkpoint may be
        completed in the ways of TensorFlow's savers.
        """
        op = OPS.get(node.op)
        origins = Origins()
        if op is None:
            return origins
        attribute = next((row for row in op.attr if row.name == name), None)
        if attribute is not None:
            _add_value(node.attr.get(name) or attribute.default_value, origins)
            return origins
        walk = _Walk(frozenset(fed), node.op in CHECKPOINT_OPS)
        ports: Mapping[str, range] = {}
        with suppress(GraphError):  # an attribute with a fault of its own
            ports = input_types(node, op).ranges
        texts = data_inputs(node)
        for port in ports.get(name, range(0)):
            if port < len(texts):
                self._follow(self._place(function, texts[port]), walk, origins)
        return origins

    def _place(self, function: str, text: str) -> _Place | None:
        """Return the place that a reference in a body refers to; None if it does not exist."""
        body = self._bodies[function]
        try:
            name, port, _ = TensorName.parse(text)
        except GraphError:
            return None
        position = body.positions.get(name)
        if position is None:
            return _Place(function, ARGUMENT, name) if name in self._argument_numbers(function) else None
        return _Place(function, position, port=port)

    def _follow(self, start: _Place | None, walk: _Walk, origins: Origins) -> None:
        queue = [start]
        seen = set(queue)
        for place in queue:  # the loop appends to it
            self._steps += 1
            if place is None or len(seen) > MAX_STEPS or self._steps > MAX_ALL_STEPS:
                origins.is_computed = True
                continue
            for before in self._before(place, walk, origins):
                if before not in seen and len(seen) <= MAX_STEPS:
                    seen.add(before)
                    queue.append(before)

    def _before(self, place: _Place, walk: _Walk, origins: Origins) -> list[_Place | None]:
        """Return the places that a string comes from; for an origin, record it and return nothing."""
        if place.argument:
            return self._arguments(place, origins)
        body = self._bodies[place.function]
        node = body.nodes[place.position]
        tensor = None if place.function else TensorName(node.name, place.port)
        if _is_condition(node):
            return []
        if tensor in self._assets and (tensor in walk.fed or node.op in CONSTS or node.op in _FED):
            assert tensor is not None
            origins.assets.append(self._assets[tensor])
            if node.op in CONSTS and tensor not in walk.fed:
                _add_constants(node, origins.asset_values, origins)
        elif tensor in walk.fed or node.op in _FED:
            origins.fed.append(node.name)
        elif node.op in CONSTS:
            _add_constants(node, origins.constants, origins)
        elif node.op in VARIABLES:
            return list(self._written(place, origins))
        else:
            return self._made_of(place, node, walk, origins)
        return []

    def _made_of(self, place: _Place, node: NodeDef, walk: _Walk, origins: Origins) -> list[_Place | None]:
        """Return the places of the strings that a node makes its own of."""
        inputs = data_inputs(node)
        results = list(self._results(node, self._bodies[place.function]))
        if walk.is_checkpoint and node.op in _NUMBERED:
            inputs = inputs[:1]
        elif walk.is_checkpoint and self._appends_part(place, node, walk, origins):
            return [self._place(place.function, inputs[0])]
        elif node.op not in _PASSES_ON and not results:
            origins.is_computed = True
            if _makes_strings(node):
                _add_attributes(node, origins.constants)
        if results and node.op not in WHILE_LOOPS:
            return results
        if not inputs:
            origins.is_computed = True
        return results + [self._place(place.function, text) for text in inputs]

    def _appends_part(self, place: _Place, node: NodeDef, walk: _Walk, origins: Origins) -> bool:
        """Return whether a node appends to the prefix of a checkpoint what savers of TensorFlow append."""
        inputs, separator = data_inputs(node), node.attr.get("separator")
        if node.op != "StringJoin" or len(inputs) != 2 or (separator is not None and separator.s != b""):
            return False
        part = Origins()
        self._follow(self._place(place.function, inputs[1]), walk, part)
        fits = not (part.fed or part.assets or part.stored or part.is_computed or part.is_passed)
        if fits and all(map(_PART_OF_CHECKPOINT.fullmatch, part.constants)):
            return True
        origins._merge(part)
        return False

    # --- variables ---------------------------------------------------------------------------------------------------

    def _written(self, place: _Place, origins: Origins) -> Iterator[_Place | None]:
        """Yield the values that nodes write to a variable, and record it if the checkpoint has its value."""
        node = self._bodies[place.function].nodes[place.position]
        values = self._stored_values
        with suppress(Error):  # a fault of its own
            if values is not None and values.find(node.name) is not None:
                origins.stored.append(node.name)
                origins.is_computed = True
        name = shared_name(node)
        found = False
        for target, writer, value in self._writers:
            if writer is None or writer == name:
                found = True
                yield self._place(target, value)
        origins.is_computed |= not found

    @cached_property
    def _writers(self) -> list[tuple[str, str | None, str]]:
        """All that is written to variables of strings: body, name of the variable or None if unknown, and value."""
        rows = []
        for function, body in self._bodies.items():
            for node in body.nodes:
                inputs = data_inputs(node)
                if node.op in _WRITERS and len(inputs) > 1 and _is_text(node):
                    handle = self._variable_of(function, inputs[0])
                    rows += [(function, handle, text) for text in inputs[1:]]
        return rows

    def _variable_of(self, function: str, text: str) -> str | None:
        """Return the shared name of the variable that a handle belongs to; None if it is not found directly."""
        for _ in range(MAX_STEPS):
            place = self._place(function, text)
            if place is None or place.argument:
                return None
            node = self._bodies[function].nodes[place.position]
            if node.op in VARIABLES:
                return shared_name(node)
            inputs = data_inputs(node)
            if node.op not in UNCHANGED or not inputs:
                return None
            text = inputs[0]
        return None

    @cached_property
    def _tensors(self) -> CheckpointTensors | None:
        """The tensors of the checkpoint; None without one."""
        with suppress(Error, OSError):  # a fault of its own
            if self._source.takes_checkpoint and self._source.checkpoint is not None:
                return CheckpointTensors(self._source.checkpoint)
        return None

    @cached_property
    def _stored_values(self) -> VariableValues | None:
        """The values of variables in the checkpoint; None without one."""
        with suppress(Error, OSError):  # a fault of its own
            if self._tensors is not None:
                return VariableValues(self._source, self._tensors)
        return None

    @cached_property
    def _variables(self) -> dict[str, NodeDef]:
        """The first variable of each name in its container."""
        nodes = [node for node in self._bodies[""].nodes if node.op in VARIABLES]
        return {shared_name(node): node for node in reversed(nodes)}

    def stored_number(self, name: str) -> bool | int | float | None:
        """Return the value of a variable in the checkpoint, if all of its elements are the same number."""
        values, tensors, variable = self._stored_values, self._tensors, self._variables.get(name)
        with suppress(Error, OSError, ValueError, ImportError):  # a fault of its own, or NumPy is missing
            stored = values.find(variable.name) if values is not None and variable is not None else None
            if stored is not None and tensors is not None and (stored.size or MAX_BYTES) < MAX_BYTES:
                elements = tensors.read(stored).ravel().tolist()
                if elements and isinstance(elements[0], int | float) and elements.count(elements[0]) == len(elements):
                    return elements[0]
        return None

    # --- functions ---------------------------------------------------------------------------------------------------

    def _results(self, node: NodeDef, body: GraphIndex) -> Iterator[_Place | None]:
        """Yield the results of the functions that a node calls."""
        with suppress(Error):  # a fault of its own
            call = body.functions.call(node)
            for name in call.names if call is not None else ():
                function = body.functions.get(name)
                if function is not None and name in self._bodies:
                    yield from (self._place(name, text) for text in function.ret.values())

    def _arguments(self, place: _Place, origins: Origins) -> list[_Place | None]:
        """Return the places that an argument comes from; record an asset, and an argument without a call, as origin."""
        numbers = self._argument_numbers(place.function)
        number = numbers[place.argument]
        signature = self._bodies[""].functions[place.function].signature
        if signature is not None and signature.input_arg[number].type not in _TEXT:
            return []
        before: list[_Place | None] = []
        for caller, texts, first in self._calls.get(place.function, ()):
            if first + number < len(texts):
                before.append(self._place(caller, texts[first + number]))
        captured = self._captured(place.function, number - len(numbers))
        if captured is not None and captured.asset is not None:
            origins.assets.append(self._asset_at(captured.asset.asset_file_def_index))
        elif captured is not None and captured.constant is not None:
            before.append(self._place("", captured.constant.operation))
        elif captured is not None:
            origins.is_computed = True
            origins.stored += [captured.variable.name] if captured.variable is not None else []
        elif not before:
            origins.fed.append(place.argument)
            origins.is_passed |= place.function in self._named
        return before

    def _argument_numbers(self, function: str) -> Mapping[str, int]:
        if function not in self._numbers:
            self._numbers[function] = {name: number for number, name in enumerate(self._bodies[function].arguments)}
        return self._numbers[function]

    @cached_property
    def _calls(self) -> dict[str, list[tuple[str, list[str], int]]]:
        return calls_by_function(self._bodies)

    @cached_property
    def _named(self) -> frozenset[str]:
        """The functions that nodes name, in whatever way: their arguments need not come from the caller."""
        names = set(self._bodies[""].functions.gradients.values())
        for body in self._bodies.values():
            with suppress(Error):  # a fault of its own
                names.update(body.functions.named_by(body.nodes))
        return frozenset(names)

    def captured_variable(self, function: str, number: int) -> str | None:
        """Return the variable that a function captured as an argument, counted from the last; None for others."""
        captured = self._captured(function, number)
        return captured.variable.name if captured is not None and captured.variable is not None else None

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


class _Walk(NamedTuple):
    """How a path is followed: the tensors that are fed, and whether it is the path of a checkpoint."""

    fed: frozenset[TensorName]
    is_checkpoint: bool


_FED = PLACEHOLDERS_WITHOUT_DEFAULT


def _is_condition(node: NodeDef) -> bool:
    """Return whether a node computes only numbers and bools, which choose between strings or index them."""
    op = OPS.get(node.op)
    types = []
    for output in op.output_arg if op is not None else ():
        value = node.attr.get(output.type_attr)
        types.append(output.type or (value.type if value is not None else None))
    return bool(types) and not any(dtype in (None, *_TEXT) for dtype in types)


def _makes_strings(node: NodeDef) -> bool:
    op: OpDef | None = OPS.get(node.op)
    return op is not None and any(output.type == DataType.DT_STRING for output in op.output_arg)


def _is_text(node: NodeDef) -> bool:
    """Return whether a node may write strings."""
    types = [value.type for name in ("dtype", "T") if (value := node.attr.get(name)) is not None]
    return not types or any(dtype in (None, DataType.DT_STRING) for dtype in types)


def shared_name(node: NodeDef) -> str:
    """Return the name of a variable in its container: nodes of one name are one variable."""
    value = node.attr.get("shared_name")
    return value.s.decode("utf-8", "replace") if value is not None and value.s else node.name


def _add_value(value: AttrValue | None, origins: Origins) -> None:
    """Add the strings of an attribute. The caller of a function may set it, so its value is not always known."""
    if value is None or value.placeholder is not None:
        origins.is_computed = True
        return
    strings = value.list.s if value.list is not None else [value.s] if value.s is not None else []
    origins.constants += [string.decode("utf-8", "replace") for string in strings]


def _add_constants(node: NodeDef, texts: list[str], origins: Origins) -> None:
    """Add the strings of a Const."""
    tensor = node.attr["value"].tensor if "value" in node.attr else None
    try:
        strings = read_strings(tensor, limit=MAX_CONSTANTS - len(texts)) if tensor is not None else None
    except Error:
        strings = None
    if strings is None:
        origins.is_computed = True
    else:
        texts += [string.decode("utf-8", "replace") for string in strings]


def _add_attributes(node: NodeDef, texts: list[str]) -> None:
    """Add the string attributes of a node, such as the template of a StringFormat."""
    for name, value in node.attr.items():
        if value.s and not name.startswith("_") and len(texts) < MAX_CONSTANTS:
            texts.append(value.s.decode("utf-8", "replace"))
