"""Reading all of a checkpoint to find everything that is wrong with it, not only the first thing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from ..errors import CheckpointError
from .checkpoint import Checkpoint
from .object_graph import OBJECT_GRAPH_KEY

__all__ = ["problems"]


def problems(
    path: str | os.PathLike[str], *, reading: Callable[[str], object] = lambda name: None
) -> Iterator[CheckpointError]:
    """Every bad block, entry and tensor of a checkpoint; nothing if it is sound.

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
        for name in checkpoint.in_file_order():
            reading(name)
            try:
                checkpoint[name]
                if name == OBJECT_GRAPH_KEY:
                    checkpoint.object_graph  # noqa: B018  that it can be decoded is what is asked
            except CheckpointError as error:
                causes.add(str(error.__cause__))
                yield error
        yield from (error for error in checkpoint.block_problems() if str(error.__cause__) not in causes)
