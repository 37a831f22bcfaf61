"""Mutations of inputs that are more likely than random bytes to break a reader.

    mutate({"graph.pb": data}, others, random.Random(5))      # another input; parts come from `others`, too

Usually one file of an input is changed, by one to eight mutations in a row. Bits flip, bytes are inserted, deleted,
repeated or copied from elsewhere, and possible lengths and counts become extreme (`fuzz.byte_mutation`). Wire format is
also mutated field by field with correct enclosing lengths (`fuzz.field_mutation`), and text token by token
(`fuzz.token_mutation`), so that the mutation passes the first checks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from . import field_mutation, token_mutation
from .byte_mutation import IN_BYTES, MAX_FILE_BYTES, Way
from .byte_mutation import IN_TEXT as BYTES_IN_TEXT
from .target import Files

__all__ = ["mutate"]


def mutate(files: Files, others: Sequence[Files], chance: random.Random) -> Files:
    """Return a mutation of `files`; spliced parts come from `others` or from `files` itself."""
    mutated = dict(files)
    if len(mutated) > 1 and chance.random() < 0.15:
        return _shuffled(mutated, chance)
    name = chance.choice(sorted(mutated))
    donor = chance.choice(others) if others else files
    other = donor.get(name) or chance.choice([donor[key] for key in sorted(donor)] or [b""])
    is_text = token_mutation.looks_like_text(mutated[name])
    for times in range(chance.choice((1, 1, 1, 1, 2, 2, 3, 8))):
        ways = IN_TEXT if is_text else IN_BYTES if times else IN_FIELDS
        mutated[name] = chance.choice(ways)(mutated[name], other, chance)[:MAX_FILE_BYTES]
    return mutated


def _shuffled(files: Files, chance: random.Random) -> Files:
    """Exchange, empty or remove files."""
    one, two = chance.sample(sorted(files), 2)
    match chance.randrange(4):
        case 0:
            files[one], files[two] = files[two], files[one]
        case 1:
            files[one] = files[two]
        case 2:
            files[one] = b""
        case _:
            del files[one]
    return files


# Files in wire format are mutated field by field twice as often.
IN_FIELDS: tuple[Way, ...] = (*IN_BYTES, *(field_mutation.WAYS * 2))
IN_TEXT: tuple[Way, ...] = (*BYTES_IN_TEXT, *(token_mutation.WAYS * 2))
