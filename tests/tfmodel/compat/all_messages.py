"""Fill all messages of a package's generated modules, and print what becomes of them.

    python tests/tfmodel/compat/all_messages.py PACKAGE            with protobuf
    python -m tfmodel.compat --override --only-protobuf tests/tfmodel/compat/all_messages.py PACKAGE

Both must print the same. The script knows no message: it fills fields by their descriptors.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from typing import Any

from google.protobuf import json_format, text_format

NUMBERS = {1: 1.5, 2: 0.25, 3: -3, 4: 4, 5: -5, 6: 6, 7: 7, 8: True, 9: "text é", 12: b"\x00\xff", 13: 13}
NUMBERS |= {15: -15, 16: -16, 17: -17, 18: -18}


def fill(message: Any, depth: int) -> None:
    """Set all fields; of each oneof, the last member stays."""
    for field in message.DESCRIPTOR.fields:
        kind = field.message_type
        repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == 3
        if kind is not None and depth <= 0:
            continue
        if kind is not None and kind.GetOptions().map_entry:
            fill_map(getattr(message, field.name), kind, depth)
        elif repeated:
            values = getattr(message, field.name)
            if kind is not None:
                fill(values.add(), depth - 1)
            else:
                values.extend([scalar(field)] * 2)
        elif kind is not None:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), depth - 1)
        else:
            setattr(message, field.name, scalar(field))


def fill_map(entries: Any, entry: Any, depth: int) -> None:
    key, value = (entry.fields_by_name[name] for name in ("key", "value"))
    if value.message_type is None:
        entries[scalar(key)] = scalar(value)
    else:
        fill(entries[scalar(key)], depth - 1)


def scalar(field: Any) -> Any:
    return field.enum_type.values[-1].number if field.type == 14 else NUMBERS[field.type]


def modules(package: str) -> Iterator[Any]:
    root = importlib.import_module(package)
    for info in sorted(pkgutil.walk_packages(root.__path__, f"{package}."), key=lambda info: info.name):
        if info.name.endswith("_pb2"):
            yield importlib.import_module(info.name)


def messages(descriptor: Any) -> Iterator[Any]:
    if not descriptor.GetOptions().map_entry:
        yield descriptor
        for inner in descriptor.nested_types:
            yield from messages(inner)


def digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:12]


def report(cls: Any) -> str:
    message = cls()
    fill(message, 2)
    data = message.SerializePartialToString(deterministic=True)
    again = cls()
    again.MergeFromString(data)
    parsed = cls()
    text = text_format.MessageToString(message)
    text_format.Parse(text, parsed)
    fields = [(field.name, field.number, field.type, field.has_presence) for field in cls.DESCRIPTOR.fields]
    listed = [(field.name, field.number) for field, _ in message.ListFields()]
    try:
        json = json_format.MessageToJson(message, sort_keys=True, ensure_ascii=True)
    except Exception:  # not all values have a form in JSON, such as a Timestamp of -3 seconds
        json = "none"
    same = [again == message, parsed == message, again.ByteSize() == len(data)]
    return f"{len(data)} {digest(data)} {digest(text)} {digest(json)} {digest(repr((fields, listed)))} {same}"


def main(packages: list[str]) -> None:
    for package in packages:
        for module in modules(package):
            for name, enum in sorted(module.DESCRIPTOR.enum_types_by_name.items()):
                print(
                    module.__name__.rpartition(".")[2],
                    name,
                    digest(repr(getattr(module, name).items())),
                    enum.full_name,
                )
            for top in module.DESCRIPTOR.message_types_by_name.values():
                for descriptor in messages(top):
                    print(descriptor.full_name, report(descriptor._concrete_class))


if __name__ == "__main__":
    main(sys.argv[1:])
