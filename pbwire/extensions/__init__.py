"""Extensions: fields of a message that other modules declare (https://protobuf.dev/programming-guides/proto2#extensions).

    @pb.message("example.Car", syntax="proto2", extensions=[range(100, 200)])
    class Car(pb.ExtendableMessage):
        name: str | None = pb.string(1)

    speed = pb.Extension[int | None]("example.speed", Car, pb.int32(126))

    car.extensions[speed] = 50          # None makes it absent
    speed in car.extensions

An extension is declared once, by a row as in a class body; it is registered with its message at once. An extension that
is declared inside of a class body may name a message that is defined later: it is registered when it is first needed.
Lists of numbers are packed only with `packed=True`, in every syntax.

The values are fields of another message, which `table.py` here describes. So all generated functions work for
extensions as for other fields, and messages that cannot be extended have no code for it.

`unknown_fields` of a message are its extensions, encoded, and its unknown fields: all fields that the class does not
declare. Encoders write extensions in the order of their numbers, after all fields that the class declares, and before
the unknown fields. protobuf's C++ and Python write extensions and fields together in the order of their numbers. Text
format and JSON have that order too.

A MessageSet is a message without fields whose extensions are messages. Text format names an item by its type if the
extension is declared inside of this type.

A message must not be read by several threads while an extension of it is registered.

The package imports the codec, lazy messages and tables. `pbwire.table` calls it when a module declares extensions, and
`pbwire.compat` for messages that have them.

    declarations.py   extensions, and those whose message is not defined yet
    messages.py       messages that have extensions
    table.py          their tables, and the extension sets that hold the values
    items.py          the items of a MessageSet in the wire format
"""

from __future__ import annotations

from .declarations import Extension
from .messages import ExtendableMessage

__all__ = ["ExtendableMessage", "Extension"]
