"""Reading all of a checkpoint to find everything that is wrong with it, not only the first thing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from ..errors import CheckpointError
from .checkpoint import Checkpoint
from .data_files import DataFileError
from .entries import quoted
from .object_graph import OBJECT_GRAPH_KEY

__all__ = ["problems"]

_NAMED = 3  # tensors of a problem


def problems(
    path: str | os.PathLike[str], *, reading: Callable[[str], object] = lambda name: None
) -> Iterator[CheckpointError]:
    """Every bad block, entry and tensor of a checkpoint; nothing if it is sound.

    All tensors that a data file lacks, because it is missing or too short, are one problem, which comes last.

    `reading` is called with the name of each tensor before that is read. What leaves nothing to go on with, such as a
    table without an end, is the last problem; OSError is raised.
    """
    found: list[CheckpointError] = []
    try:
        checkpoint = Checkpoint(path, _damaged=found.append)
    except CheckpointError as error:
        yield from found
        yield error
        return
    yield from found
    with checkpoint:
        causes = {str(error.__cause__) for error in found}
        lacking: dict[str, dict[str, CheckpointError]] = {}
        for name in checkpoint.in_file_order():
            reading(name)
            try:
                checkpoint[name]
                if name == OBJECT_GRAPH_KEY:
                    checkpoint.object_graph  # noqa: B018  that it can be decoded is what is asked
            except CheckpointError as error:
                cause = error.__cause__
                causes.add(str(cause))
                if isinstance(cause, DataFileError):
                    lacking.setdefault(f"{cause.file}: {cause.problem}", {})[name] = error
                else:
                    yield error
        yield from (_together(problem, errors) for problem, errors in lacking.items())
        yield from (error for error in checkpoint.block_problems() if str(error.__cause__) not in causes)


def _together(problem: str, errors: dict[str, CheckpointError]) -> CheckpointError:
    """One problem for all tensors that a data file lacks, by name; some are named."""
    names = list(errors)
    if len(names) == 1:
        return errors[names[0]]
    shown = ", ".join(map(quoted, names[:_NAMED]))
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return CheckpointError(f"{problem}; {len(names):,} tensors are in it: {shown}{more}")
