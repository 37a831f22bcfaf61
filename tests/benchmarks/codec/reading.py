"""Code that reads every field of a message, generated for each library in its own style.

The functions read each declared field once, each element of lists and maps, and all sub-messages that are set; they
return the number of messages.

    protobuf       presence of a sub-message by HasField, the member of a oneof by WhichOneof
    protobuf_py    a sub-message that is not set is None; a oneof is one attribute, with the member's name and value
    others         each member of a oneof is an attribute, and None if it is not set
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbwire.proto import descriptor_messages as d

__all__ = ["reader_source"]

_MESSAGES = (d.FieldDescriptorProto.Type.TYPE_MESSAGE, d.FieldDescriptorProto.Type.TYPE_GROUP)
_REPEATED = d.FieldDescriptorProto.Label.LABEL_REPEATED


def reader_source(files: Any, full_name: str, kind: str) -> str:
    """Return a module with a function `read` for a message of these descriptors."""
    messages = {
        name: message for file in files.file for name, message in _messages(f".{file.package}", file.message_type)
    }
    needed: dict[str, list[str]] = {}
    waiting = [f".{full_name}"]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = list(_body(messages, messages[name], kind))
            waiting += [field.type_name for field in messages[name].field if field.type_name in messages]
    blocks = [
        f"def {_function(name)}(m):\n    n = 1\n" + "\n".join(f"    {line}" for line in body)
        for name, body in needed.items()
    ]
    return "\n\n".join([*(block + "\n    return n" for block in blocks), f"read = {_function('.' + full_name)}\n"])


def _messages(prefix: str, messages: Any) -> Iterator[tuple[str, Any]]:
    for message in messages:
        name = f"{prefix}.{message.name}"
        yield name, message
        yield from _messages(name, message.nested_type)


def _function(name: str) -> str:
    return "read" + name.replace(".", "_")


def _body(messages: dict[str, Any], message: Any, kind: str) -> Iterator[str]:
    oneofs: dict[int, list[Any]] = {}
    for field in message.field:
        if field.oneof_index is not None and not field.proto3_optional and kind in ("protobuf", "protobuf_py"):
            oneofs.setdefault(field.oneof_index, []).append(field)
        else:
            yield from _read(messages, field, kind)
    for index, members in oneofs.items():
        yield from _read_oneof(message.oneof_decl[index].name, members, kind)


def _read(messages: dict[str, Any], field: Any, kind: str) -> Iterator[str]:
    value = f"m.{field.name}"
    is_message = field.type in _MESSAGES
    if is_message and messages[field.type_name].options and messages[field.type_name].options.map_entry:
        content = messages[field.type_name].field[1]
        reads = f"n += {_function(content.type_name)}(v)" if content.type in _MESSAGES else "pass"
        yield f"for k, v in {value}.items(): {reads}"
    elif field.label == _REPEATED:
        yield f"for v in {value}: " + (f"n += {_function(field.type_name)}(v)" if is_message else "pass")
    elif not is_message:
        yield value
    elif kind == "protobuf":
        yield f"if m.HasField('{field.name}'): n += {_function(field.type_name)}({value})"
    else:
        yield f"v = {value}"
        yield f"if v is not None: n += {_function(field.type_name)}(v)"


def _read_oneof(name: str, members: list[Any], kind: str) -> Iterator[str]:
    """Yield lines that read the member of a oneof that is set: its name, its value, and the message that this is."""
    readers = {field.name: _function(field.type_name) for field in members if field.type in _MESSAGES}
    if kind == "protobuf":
        yield f"which = m.WhichOneof('{name}')"
        yield "value = getattr(m, which) if which else None"
    else:
        yield f"oneof = m.{name}"
        yield "which, value = (oneof.field, oneof.value) if oneof is not None else (None, None)"
    for index, (member, function) in enumerate(readers.items()):
        yield f"{'elif' if index else 'if'} which == '{member}': n += {function}(value)"
