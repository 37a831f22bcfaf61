"""Convert feeds to arrays of the types and shapes of their tensors, and make random feeds for other inputs.

convert_feed([[1, 2, 3]], "x", node, DataType.DT_FLOAT)    # float32[1,3], if this fits the Placeholder
random_feeds(session, ["x"], batch_size=8)                 # of the declared or inferred shape
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pbwire.errors import Error

from ..errors import FeedError, Hint, RunError, TensorError
from ..graph import attr, describe
from ..graph.error_text import list_names, quote
from ..kernels.runtime.binding import shape_tuple
from ..messages import DataType, NodeDef, TensorShapeProto
from ..ops.traits import EMPTY_IS_UNKNOWN, PLACEHOLDERS, PLACEHOLDERS_WITHOUT_DEFAULT
from ..values.dtypes import DTYPES, Dtype, dtype_of
from ..values.dtypes.conversion import array_of
from ..values.names import TensorName
from ..values.tensors import from_ndarray, to_ndarray

if TYPE_CHECKING:
    from .session import Session

MAX_NESTED_LISTS = 64
"""The maximum depth of nested lists that an error describes."""

MAX_COMPARED_LISTS = 1_000_000
"""The maximum number of lists whose lengths an error compares."""


def convert_feed(value: Any, name: str, node: NodeDef, dtype: DataType | None) -> Any:
    """Convert a feed for a tensor of `node` to an array. If `dtype` is None, the type and the shape are not checked.

    Raises FeedError, which calls the feed `name`, if the value does not fit.
    """
    row = DTYPES.get(dtype) if dtype is not None else None
    what = f"the feed {quote(name)}"
    try:
        if row is None:
            return array_of(value)
        array = _string_array(value) if row.is_object else row.decode(row.encode(value))
    except (TypeError, ValueError) as error:
        if problem := _describe_uneven_lists(value):
            raise FeedError(
                f"{what} is not an array: {problem}; give all lists of one level the same length"
            ) from error
        raise FeedError(f"{what} is not {row.name if row is not None else 'an array'}: {error}") from error
    if expected := expected_shape(array.shape, node):
        raise FeedError(f"{what} has shape {list(array.shape)}, and {expected} is expected")
    return array


def expected_shape(shape: Sequence[int], node: NodeDef, known: Sequence[int | None] | None = None) -> str:
    """Return the expected shape as text if `shape` does not fit it; otherwise "".

    The expected shape is the declared one for a Placeholder, and `known` for other nodes.
    """
    if node.op in PLACEHOLDERS:
        declared = attr(node, "shape", TensorShapeProto, None)
        known = shape_tuple(declared) if declared is not None else None
    if known is None or _fits(shape, known) or (not known and node.op in EMPTY_IS_UNKNOWN):
        return ""
    return f"[{', '.join('?' if size is None else str(size) for size in known)}]"


def _fits(shape: Sequence[int], known: Sequence[int | None]) -> bool:
    return len(shape) == len(known) and all(
        known_size in (None, size) for size, known_size in zip(shape, known, strict=True)
    )


def _string_array(value: Any) -> Any:
    """Return an array of bytes, from bytes or str."""
    try:
        return to_ndarray(from_ndarray(np.asarray(value, object), DataType.DT_STRING))
    except TensorError as error:
        raise ValueError(str(error)) from error


def _describe_uneven_lists(value: Any) -> str:
    """Describe where nested lists differ in length, so that they are not an array; "" if all lengths agree."""
    level: list[tuple[str, Any]] = [("it", value)]
    for _ in range(MAX_NESTED_LISTS):
        (first, like), length = level[0], _length(level[0][1])
        for where, element in level:
            if _length(element) != length:
                return f"{first} {_length_text(like)}, and {where} {_length_text(element)}"
        if not length or length * len(level) > MAX_COMPARED_LISTS:
            break
        level = [
            (f"[{index}]" if where == "it" else f"{where}[{index}]", inner)
            for where, element in level
            for index, inner in enumerate(element)
        ]
    return ""


def _length(value: Any) -> int | None:
    """Return the length of a list or array; None for other values."""
    return len(value) if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim) else None


def _length_text(value: Any) -> str:
    length = _length(value)
    return "is not a list" if length is None else f"has {length:,} element{'s' * (length != 1)}"


RANDOM_INTEGERS_BELOW = 10
_MAX_ITEM_BYTES = 8  # bytes of a number before it is converted


def feeds_needed(session: Session, fetches: Iterable[str] | None = None, fed: Iterable[str] = ()) -> list[str]:
    """Return the names of the inputs to feed: the inputs of the signature, or Placeholders that the fetches need.

    Without inputs in a signature, these are the Placeholders that are needed in addition to the inputs in `fed`.
    `fetches` defaults to the outputs of the signature.
    """
    if session.inputs:
        return list(session.inputs)
    requested = list(session.outputs) if fetches is None else list(fetches)
    steps = session.plan(fed, requested).steps
    needed = {step.node.name for step in steps if step.node.op in PLACEHOLDERS_WITHOUT_DEFAULT}
    return [node.name for node in session.graph.node if node.name in needed]


def inputs_needed(
    session: Session, inputs: Iterable[str], fetches: Iterable[str], fed: Iterable[str] = ()
) -> list[str]:
    """Return the names of the inputs to feed in addition to those in `fed`.

    These are the nodes in `inputs`, of any op, that the fetches need, and other Placeholders that they need.
    """
    fed_tensors = {session.tensor(name, session.inputs) for name in fed}
    names = {session.tensor(name, session.inputs): name for name in inputs}
    known = list(dict.fromkeys([*fed_tensors, *names]))
    plan = session.plan([f"{tensor.node}:{tensor.port}" for tensor in known], fetches)
    steps = [plan.steps[number] for number in plan.feeds]
    used = {tensor for tensor, step in zip(known, steps, strict=True) if step.users or step.after}
    others = {step.node.name for step in plan.steps if step.node.op in PLACEHOLDERS_WITHOUT_DEFAULT} - {
        fed_tensor.node for fed_tensor in known
    }
    return [
        *(name for tensor, name in names.items() if tensor in used and tensor not in fed_tensors),
        *(node.name for node in session.graph.node if node.name in others),
    ]


def default_feeds(session: Session, names: Iterable[str], *, max_steps: int | None = None) -> dict[str, Any]:
    """Return the default of each PlaceholderWithDefault among the names, if it can be computed.

    A random number would rarely be valid: such inputs are often rates or flags.
    """
    feeds = {}
    for name in names:
        node = session.node(session.tensor(name, session.inputs))
        if node.op == "PlaceholderWithDefault" and node.input:
            source = TensorName.parse(node.input[0])
            default = f"{source.node}:{source.port}"
            with suppress(Error):  # if this fails, the input gets a random value like others
                feeds[name] = session.run({}, [default], max_steps=max_steps)[default]
    return feeds


def random_feeds(
    session: Session,
    names: Iterable[str],
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch_size: int | None = None,
    seed: int | None = None,
    max_bytes: int | None = None,
    own_names: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return a random array for each name: floats (also complex) of a normal distribution, integers from 0 to 9, bools.

    Shapes are those in `shapes`, by name; otherwise the declared shapes of placeholders, and inferred shapes of other
    tensors. `batch_size` (default: 1) replaces an unknown first dimension. The same seed (default: 0) gives the same
    array to a tensor, whatever else is fed: see `generator`; `own_names` has the names that count there, if those of
    the session are others. Inputs in `limits` are indices: integers, also as floats, that are less than the limit and
    10. Raises RunError for an unknown shape, for strings, and for arrays that exceed `max_bytes` or
    the memory; FeedError for `shapes` of other inputs, that do not fit, or that exceed the memory, and for a
    `batch_size` that no array has.
    """
    feeds = {}
    sizes = {session.tensor(name, session.inputs): shape for name, shape in (shapes or {}).items()}
    tensors = {name: session.tensor(name, session.inputs) for name in names}
    unused = sizes.keys() - set(tensors.values())
    if unused:
        problem = f"but the random inputs are {list_names(tensors)}" if tensors else "but there are no random inputs"
        raise FeedError(f"a shape is given for {quote(str(min(unused)))}, {problem}")
    for name, tensor in tensors.items():
        node = session.node(tensor)
        row = _dtype(node, tensor, session)
        shape = _shape(session, tensor, name, sizes.get(tensor), 1 if batch_size is None else batch_size)
        if max_bytes is not None and _MAX_ITEM_BYTES * prod(shape) > max_bytes:
            problem = f"has {_count_text(prod(shape))} elements, for which {max_bytes:,} bytes are not enough"
            raise RunError(f"{quote(name)} {problem}")
        try:
            rng = generator(seed, (own_names or {}).get(name, tensor))
            feeds[name] = random_array(row, shape, rng, (limits or {}).get(name))
        except (MemoryError, ValueError) as error:  # from NumPy: a size is too large or negative
            error_class = FeedError if tensor in sizes else RunError
            raise error_class(f"no random value can be made for {quote(name)}: {error}") from error
    if batch_size is not None and all(array.shape[:1] != (batch_size,) for array in feeds.values()):
        problem = "no random input has an open first dimension" if feeds else "there are no random inputs"
        raise FeedError(Hint.BATCH_SIZE(size=batch_size), f", but {problem}: leave it out")
    return feeds


def generator(seed: int | None, tensor: TensorName | str) -> np.random.Generator:
    """Return the generator of the random feed of a tensor.

    It depends on the seed (default: 0) and on the name of the tensor alone, so that an input gets the same numbers in
    any order of inputs and outputs, and beside any other inputs.
    """
    name = TensorName.parse(tensor).numbered if isinstance(tensor, str) else tensor.numbered
    return np.random.default_rng((seed or 0, *name.encode(errors="backslashreplace")))


def check_seed(seed: int | None, made_up: Collection[str], *sessions: Session) -> None:
    """Raise FeedError for a seed if there are no random feeds (`made_up`) and no random ops."""
    if seed is not None and not made_up and not any(session.is_random for session in sessions):
        problem = ": there are no random inputs, and the model has no random ops; leave it out"
        raise FeedError(Hint.NO_SEED, problem)


def _count_text(count: int) -> str:
    return f"{count:,}" if count < 1 << 64 else "countless"  # Python refuses to print numbers of thousands of digits


def _shape(
    session: Session, tensor: TensorName, name: str, requested: Sequence[int] | None, batch_size: int
) -> tuple[int, ...]:
    node = session.node(tensor)
    known = input_shape(session, tensor)
    if requested is not None:
        if expected := expected_shape(requested, node, known):
            raise FeedError(f"the shape {list(requested)} is given for {quote(name)}, and {expected} is expected")
        return tuple(requested)
    if known is None:
        raise RunError(f"the shape of {quote(name)} is not known: ", Hint.GIVE_SHAPE)
    sizes = [batch_size if size is None and axis == 0 else size for axis, size in enumerate(known)]
    if None in sizes:
        text = ",".join("?" if size is None else str(size) for size in known)
        raise RunError(f"the shape of {quote(name)} is only known to be [{text}]: ", Hint.GIVE_SHAPE)
    return tuple(size for size in sizes if size is not None)


def input_shape(session: Session, tensor: TensorName) -> Sequence[int | None] | None:
    """Return the declared shape of a placeholder, or the inferred shape of another tensor; None if it is not known."""
    node = session.node(tensor)
    if node.op in PLACEHOLDERS:
        declared = attr(node, "shape", TensorShapeProto, None)
        return shape_tuple(declared) if declared is not None else None
    return session.facts.shapes.get(tensor)


def _dtype(node: NodeDef, tensor: TensorName, session: Session) -> Dtype:
    """Return the type of a tensor; float if it is not known. Raises RunError for strings."""
    types = session.types_of(node)
    dtype = types[tensor.port] if types is not None and tensor.port < len(types) else None
    row = dtype_of(dtype if dtype is not None else DataType.DT_FLOAT)
    if row.is_object:
        problem = f"{describe(node)} takes {row.name}s, for which there are no random values: "
        raise RunError(problem, Hint.GIVE_FEED)
    return row


def random_array(row: Dtype, shape: tuple[int, ...], rng: np.random.Generator, limit: int | None = None) -> Any:
    """Return random elements of a numeric type: see `random_feeds`. Those with a `limit` are integers below it."""
    kind = row.numpy.kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu" or limit is not None:
        below = RANDOM_INTEGERS_BELOW if limit is None else max(1, min(limit, RANDOM_INTEGERS_BELOW))
        return row.decode(row.encode(rng.integers(0, below, shape).astype(row.numpy)))
    if kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(row.numpy)
    return row.decode(row.encode(rng.standard_normal(shape).astype(row.numpy)))
