"""The ops that a model needs, compared with those that a runtime supports: our interpreter, or any other.

A training graph and every SavedModel have nodes that are not needed for the outputs: those that save, restore and
initialize. Whether a model can be run depends on the needed nodes, and on those in the functions that they call:

    MatMul -> StatefulPartitionedCall -> Softmax      needed: these nodes, and those that the function's results need
    SaveV2, RestoreV2, ShardedFilename                in the file, but not needed

The ops of another runtime are listed in a text file, separated by line ends, blanks, commas or semicolons, with
comments after `#`:

    # kernels of our phone build
    Const, Placeholder, Identity
    Conv2D

or an OpList in any format, as TensorFlow writes them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .. import messages
from ..errors import FileFormatError, with_name
from ..files.access.special_files import open_regular
from ..files.access.stand_ins import refuse_stand_in
from ..files.decoding import Tags
from ..files.files import load
from ..graph import CONTROL_FLOW
from ..ops import OPS
from ..ops.kernel_index import KERNEL_OPS
from ..ops.traits import PLACEHOLDERS_WITHOUT_DEFAULT
from ..source.model_source import Given, ModelSource
from ..values.terminal import escape
from .needed_nodes import needed_for_outputs, nodes_needed

_FED_OPS = PLACEHOLDERS_WITHOUT_DEFAULT | {"_Arg", "_Retval"}


def runnable_ops() -> frozenset[str]:
    """Return the ops that the interpreter can run. It can also call a model's functions, which are not included."""
    return KERNEL_OPS | CONTROL_FLOW | _FED_OPS


@dataclass(frozen=True, slots=True)
class OpSupport:
    """An op of a model: the number of its nodes, the number that the outputs need, and whether it has a kernel."""

    op: str
    nodes: int
    needed: int
    has_kernel: bool

    @property
    def is_missing(self) -> bool:
        """Return whether the outputs need the op and it has no kernel."""
        return bool(self.needed) and not self.has_kernel


def list_op_support(model: Given, *, tags: Tags = None) -> list[OpSupport]:
    """Return the ops of a model, in its graph and its functions, the most frequent first.

    A node is needed if the outputs of the signature depend on it. Without a signature, the likely outputs count
    instead; without any outputs, all nodes are needed. Ops that are functions of the model count as runnable. Raises
    the errors of `summarize`.
    """
    source = ModelSource.of(model, tags=tags)
    with source.naming():
        graph = source.graph
        functions = graph.library.function if graph.library is not None else []
        counts = Counter(node.op for node in graph.node)
        for function in functions:
            counts.update(node.op for node in function.node_def)
        needed = Counter(node.op for _, node in nodes_needed(graph, needed_for_outputs(source)))
    runnable = runnable_ops() | {function.signature.name for function in functions if function.signature is not None}
    return [OpSupport(op, count, needed[op], op in runnable) for op, count in counts.most_common()]


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_>./-]*")
_MAX_SIZE = 16 << 20  # bytes of a text; the ops of TensorFlow take 40,000


def load_supported_ops(source: str | os.PathLike[str] | Iterable[str]) -> frozenset[str]:
    """Return the names of ops in a file, or the given names.

    Raises FileFormatError for an invalid file, and for one without names or with no op of TensorFlow; OSError if it
    cannot be read. Given names are not checked.
    """
    if not isinstance(source, (str, os.PathLike)):
        return frozenset(source)
    path = os.fspath(source)
    with open_regular(path) as file:
        data = file.read(_MAX_SIZE + 1)
    refuse_stand_in(path, data)
    names = _parse_names(data)
    if names is not None and len(data) > _MAX_SIZE:
        raise FileFormatError(with_name(escape(path), f"a list of ops has at most {_MAX_SIZE:,} bytes"))
    if names is None:
        names = [op.name for op in load(path, messages.OpList).op]
    elif names and not any(name in OPS for name in names):
        problem = f"none of its {len(names):,} words is an op of TensorFlow; list the names of ops, such as Const"
        raise FileFormatError(with_name(escape(path), problem))
    if not names:
        raise FileFormatError(with_name(escape(path), "it contains no names of ops"))
    return frozenset(names)


def _parse_names(data: bytes) -> list[str] | None:
    """Return the names in a text; None if it contains anything else."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return None
    words = [word for line in lines for word in re.split(r"[\s,;]+", line.partition("#")[0]) if word]
    return words if all(map(_NAME.fullmatch, words)) else None
