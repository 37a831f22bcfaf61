"""`run`: one run of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..source import CheckpointSource, Given, Tags
from .feeding import check_seed
from .session import Session

__all__ = ["run"]


def run(
    model: Given,
    feeds: Mapping[str, Any],
    fetches: str | Iterable[str] | None = None,
    *,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    max_steps: int | None = None,
    max_bytes: int | None = None,
    seed: int | None = None,
    log: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """What some tensors of a model are when others are fed, by the names under which they were asked for.

    `model` is a path (a graph in any form, a .meta, a SavedModel), a message, or a Model; variables have the values
    that its checkpoint holds, or `checkpoint`. Feeds and fetches are named by tensors, "x:0" or "x", or by the keys of
    the signature, whose outputs are fetched if nothing is named. `seed` (default: 0) is for random numbers; `log` is
    called with what the model prints.

    For models that may not be trusted to end: at most `max_steps` nodes are run, those of loops and functions each
    time, and their outputs have at most `max_bytes` all together, whatever shapes they ask for, and however long their
    strings become. See `Session.run`.

    Arrays have the types of `tfmodel.dtypes`; strings are object arrays of bytes.

    Raises RunError, which names the node that failed; GraphError for names that are not there; FeedError for a `seed`
    of a model without random ops; FileFormatError and OSError for a model that cannot be read. A `checkpoint` of a
    model without variables and an unknown `signature` are ModelErrors, `tags` of a graph a FileFormatError.
    """
    session = Session(model, checkpoint=checkpoint, signature=signature, tags=tags, seed=seed or 0, log=log)
    check_seed(seed, (), session)
    return session.run(feeds, fetches, max_steps=max_steps, max_bytes=max_bytes)
