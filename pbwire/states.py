"""The states of a message and of its maps. The class of what one slot holds tells them apart.

    slot            holds                                         state
    `_unknown`      bytes                                         decoded; these are its unknown fields
                    an UNDECODED span                             undecoded: all other slots are empty
    that of a map   None or a dict                                absent or decoded
                    PENDING entries                               left undecoded in a message that is decoded

A span is (data, depth, start, end): the whole input, the number of further levels of nesting that are allowed, and the
position of the message. If the field of the message occurred more than once, a list of the other starts and ends
follows. For a message that is computed on demand, `data` is a `Deferred` (`pbwire.lazy`).

Pending entries are (field, data, depth, message start, message end, start, end, ...). The first two positions are those
of the message, the others are those of its entries.

Code compares classes, `span.__class__ is UNDECODED`, after it has read the slot once, since another thread may decode
the message at any time. Generated code does the same, under the same names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

UNDECODED: type[tuple[Any, ...]] = tuple
PENDING: type[tuple[Any, ...]] = tuple
