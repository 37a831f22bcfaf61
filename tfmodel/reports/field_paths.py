"""Select fields by path, such as `graph_def.node[3].attr["value"].tensor.dtype`, and print them as JSON.

A path is names joined by dots; a list or map is followed by an index: `[3]`, `[-1]`, `["key"]` (or `[key]`). `[*]`
selects every element; `*` in place of a name selects every field that is set. In a list of messages, `["name"]` selects
the element of that name: `node["conv1/weights"]`. Errors of pbwire spell paths in the same way.

`bodies` finds all lists of nodes in a model: those of its graphs and of the bodies of its functions.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pbwire
from pbwire.descriptor import Field, json_name, table_of
from pbwire.errors import is_visible, suggestion
from pbwire.message import Message, is_set

from ..errors import with_name
from ..messages import TYPES
from ..values.terminal import escape

if TYPE_CHECKING:
    from ..files.detection.formats import Types

_NAME = re.compile(r"(\*|[A-Za-z_]\w*)")
_STRING = r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_INDEX = re.compile(rf"""\[\s*(?:\*|{_STRING}|(?P<bare>[^\]"'*]+?))\s*\]""")
_MAX_NAMES = 12  # that an error lists


class FieldPathError(ValueError):
    """An invalid path, or a path that does not exist in the message."""


class Name(NamedTuple):
    """`.name`, or `.*` if `name` is None."""

    name: str | None


class Index(NamedTuple):
    """`[key]`, or `[*]` if `key` is None. A `quoted` key is a string, even if it looks like a number."""

    key: str | None
    quoted: bool


Step: TypeAlias = Name | Index


class Selected(NamedTuple):
    """A value that a path selects.

    value    a message, a scalar, or a whole list or dict
    field    the field that it belongs to; None for the message itself
    owner    the message that has the field
    """

    path: str
    value: Any
    field: Field | None
    owner: Message


def parse(path: str) -> list[Step]:
    """Return the steps of a path. Raises FieldPathError for an invalid path."""
    steps: list[Step] = []
    pos = 0
    while pos < len(path):
        if path[pos] == "[" and (match := _INDEX.match(path, pos)):
            steps.append(_index(match))
        elif match := _NAME.match(path, pos + (path[pos] == "." and bool(steps))):
            if steps and path[pos] != ".":
                break
            steps.append(Name(None if match[1] == "*" else match[1]))
        else:
            break
        pos = match.end()
    if pos < len(path) or not steps:
        text = escape(path)
        where = f"character {pos + 1}" if pos < len(path) else "its end"
        raise FieldPathError(f'"{text}" is not a field path, at {where}; one looks like node[3].attr["value"].tensor')
    return steps


def _index(match: re.Match[str]) -> Index:
    if match["string"]:
        body = match["string"][1:-1]
        if match["string"][0] == "'":
            body = body.replace("\\'", "'").replace('"', '\\"')
        try:
            return Index(str(json.loads(f'"{body}"')), True)
        except ValueError:
            raise FieldPathError(f"{escape(match[0])} is not a valid key") from None
    return Index(match["bare"], False)


def select(message: Message, path: str) -> Iterator[Selected]:
    """Yield the values that a path selects in `message`, in order.

    A scalar that is not set is zero. A message, or a field with presence, does not exist if it is not set. Raises
    FieldPathError, which says what exists instead, if the path does not exist. With `*`, raises it only if no value
    matches.
    """
    steps = parse(path)
    first_error: FieldPathError | None = None
    has_results = False
    for result in _follow(Selected("", message, None, message), steps, 0, False):
        if isinstance(result, FieldPathError):
            first_error = first_error or result
        else:
            has_results = True
            yield result
    if first_error is not None and not has_results:
        raise first_error


def select_in_each(messages: Iterable[tuple[str, Message]], path: str) -> Iterator[Selected]:
    """Yield the values that a path selects in several messages, given with their own paths, in order.

    Messages in which the path does not exist are passed over. Raises the first FieldPathError if it exists in none.
    """
    first_error: FieldPathError | None = None
    has_results = False
    for name, message in messages:
        try:
            for field in select(message, path):
                joint = "" if field.path.startswith("[") else "."
                yield field._replace(path=f"{name}{joint}{field.path}")
                has_results = True
        except FieldPathError as error:
            first_error = first_error or error
    if first_error is not None and not has_results:
        raise first_error


def _follow(start: Selected, steps: list[Step], position: int, many: bool) -> Iterator[Selected | FieldPathError]:
    """Follow the remaining steps from `start`. After a `*`, errors are yielded; before it, they are raised."""
    if position == len(steps):
        yield start
        return
    step = steps[position]
    everything = step[0] is None
    try:
        for selected in _all_values(start) if everything else [_apply_step(start, step)]:
            yield from _follow(selected, steps, position + 1, many or everything)
    except FieldPathError as error:
        if not many:
            raise
        yield error


def _all_values(selected: Selected) -> Iterator[Selected]:
    if isinstance(selected.value, Message):
        for field in selected.value.__table__.fields:
            value = getattr(selected.value, field.name)
            if is_set(field, value):
                yield Selected(_join_path(selected.path, field.name), value, field, selected.value)
    elif isinstance(selected.value, list):
        for index, element in enumerate(selected.value):
            yield selected._replace(path=f"{selected.path}[{index}]", value=element)
    elif isinstance(selected.value, dict):
        for key, element in selected.value.items():
            yield selected._replace(path=f"{selected.path}[{_key_text(key)}]", value=element)
    else:
        raise FieldPathError(f"{selected.path} is a single value; there is nothing inside")


def _apply_step(selected: Selected, step: Step) -> Selected:
    return _field(selected, step) if isinstance(step, Name) else _element(selected, step)


def _field(selected: Selected, step: Name) -> Selected:
    assert step.name is not None
    if isinstance(selected.value, (list, dict)):
        path, example = selected.path, "[0]" if isinstance(selected.value, list) else '["key"]'
        raise FieldPathError(
            f"{path} has {_count(selected.value)}: write {path}{example}.{step.name}, or {path}[*].{step.name}"
        )
    if not isinstance(selected.value, Message):
        raise FieldPathError(f"{selected.path} is a single value; it has no field {step.name}")
    table = table_of(type(selected.value))
    path = _join_path(selected.path, step.name)
    field = table.by_name.get(step.name)
    if field is None:
        known = list(table.by_name)
        help = suggestion(step.name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
        raise FieldPathError(f"{_type_name(table.full_name)} has no field {step.name}{help}")
    value = getattr(selected.value, field.name)
    if field.presence and value is None:
        other = selected.value.which_oneof(field.oneof) if field.oneof else None
        raise FieldPathError(f"{path} is not set{f'; {other} is' if other else ''}")
    return Selected(path, value, field, selected.value)


def _element(selected: Selected, step: Index) -> Selected:
    assert step.key is not None
    path = f"{selected.path}[{quote(step.key) if step.quoted else step.key}]"
    if isinstance(selected.value, list):
        is_number = not step.quoted and re.fullmatch(r"-?\d{1,18}", step.key)
        if not is_number and selected.field is not None and selected.field.kind == "message":
            return _element_by_name(selected, step.key)
        if not is_number:
            raise FieldPathError(with_name(escape(path), f"{selected.path} is a list: its index is a number, or *"))
        index = int(step.key)
        if not -len(selected.value) <= index < len(selected.value):
            raise FieldPathError(f"{path} does not exist: {selected.path} has {_count(selected.value)}")
        return selected._replace(path=f"{selected.path}[{index % len(selected.value)}]", value=selected.value[index])
    if isinstance(selected.value, dict):
        key = _key(selected.field, step.key)
        if key not in selected.value:
            known = ", ".join(
                [_key_text(key) for key in list(selected.value)[:_MAX_NAMES]]
                + ["..."] * (len(selected.value) > _MAX_NAMES)
            )
            keys_text = f"the keys are {known}" if known else "the map is empty"
            raise FieldPathError(f"{escape(path)} does not exist: {keys_text}")
        return selected._replace(path=f"{selected.path}[{_key_text(key)}]", value=selected.value[key])
    raise FieldPathError(f"{selected.path or 'the message'} is neither a list nor a map: there is no {escape(path)}")


def _element_by_name(selected: Selected, name: str) -> Selected:
    """Return the first element that has this name, in a list of messages."""
    path = f"{selected.path}[{quote(name)}]"
    for element in selected.value:
        if getattr(element, "name", None) == name:
            return selected._replace(path=path, value=element)
    names = [element.name for element in selected.value[:10_000] if isinstance(getattr(element, "name", None), str)]
    raise FieldPathError(f"{escape(path)} does not exist{suggestion(name, names)}")


def _key(field: Field | None, text: str) -> Any:
    """Return the text as a key of a map. For an invalid key, return a value that no map contains."""
    assert field is not None and field.key is not None
    if field.key.kind == "string":
        return text
    if field.key.kind == "bool":
        return {"true": True, "false": False}.get(text)
    return int(text) if re.fullmatch(r"-?\d{1,20}", text) else None


def _key_text(key: Any) -> str:
    return quote(key) if isinstance(key, str) else str(key).lower()


def quote(key: str) -> str:
    """Return a key in quotes, as in paths."""
    return json.dumps(key, ensure_ascii=not is_visible(key))


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _count(value: Any) -> str:
    noun = "element" if isinstance(value, list) else "entry"
    plural = "elements" if isinstance(value, list) else "entries"
    return f"{len(value):,} {noun if len(value) == 1 else plural}"


def _type_name(full_name: str) -> str:
    return full_name.removeprefix("tensorflow.")


class Body(NamedTuple):
    """A list of nodes at a field path.

    function    the name of its function; "" for the nodes of a graph
    heading     the line above its nodes, if it is not "function NAME"
    """

    path: str
    function: str
    nodes: list[Any]
    heading: str = ""

    @property
    def title(self) -> str:
        """The line above its nodes; empty for the nodes of the graph."""
        return self.heading or (f"function {self.function}" if self.function else "")


def bodies(message: Message) -> Iterator[Body] | None:
    """Yield every list of nodes in a model, in order; None for a message that is not a model."""
    find = _FINDERS.get(message.__table__.full_name)
    return find(message, "") if find else None


def _bodies_of_saved_model(model: Any, path: str) -> Iterator[Body]:
    for index, meta in enumerate(model.meta_graphs):
        yield from _bodies_of_meta_graph(meta, f"{path}meta_graphs[{index}].")


def _bodies_of_meta_graph(meta: Any, path: str) -> Iterator[Body]:
    if meta.graph_def:
        yield from _bodies_of_graph(meta.graph_def, f"{path}graph_def.")


def _bodies_of_graph(graph: Any, path: str) -> Iterator[Body]:
    yield Body(f"{path}node", "", graph.node)
    if graph.library:
        yield from _bodies_of_library(graph.library, f"{path}library.")


def _bodies_of_library(library: Any, path: str) -> Iterator[Body]:
    for index, function in enumerate(library.function):
        yield from _bodies_of_function(function, f"{path}function[{index}].")


def _bodies_of_function(function: Any, path: str) -> Iterator[Body]:
    name = function.signature.name if function.signature else ""
    yield Body(f"{path}node_def", name or "?", function.node_def)


_FINDERS = {
    "tensorflow.FunctionDef": _bodies_of_function,
    "tensorflow.FunctionDefLibrary": _bodies_of_library,
    "tensorflow.GraphDef": _bodies_of_graph,
    "tensorflow.MetaGraphDef": _bodies_of_meta_graph,
    "tensorflow.SavedModel": _bodies_of_saved_model,
}


def json_object_lines(selected: Iterable[Selected], types: Types = TYPES) -> Iterator[str]:
    """Yield the lines of one JSON object with the paths as keys.

    The first line comes only after the first value is found.
    """
    separator = "{"
    for selected_value in selected:
        text = value_json(selected_value, types).replace("\n", "\n  ")
        yield f"{separator}\n  {json.dumps(selected_value.path)}: {text}"
        separator = ","
    yield "{}" if separator == "{" else "\n}"


def value_json(selected_value: Selected, types: Types = TYPES) -> str:
    """Return the JSON of a value as in the JSON of the whole message. `types` has the messages that an Any may hold."""
    if isinstance(selected_value.value, Message):
        return pbwire.json.dumps(selected_value.value, types=types)
    return json.dumps(_json_value(selected_value, types), indent=2)


def _json_value(selected_value: Selected, types: Types) -> Any:
    value, field = selected_value.value, selected_value.field
    assert field is not None
    if isinstance(value, (str, bool)):
        return value
    if field.kind == "bytes" and not isinstance(value, (list, dict)):
        return b64encode(value).decode()
    if isinstance(value, (list, dict)):
        return _field_json(selected_value, value, types) if value else value
    if field.label == "repeated":
        return _field_json(selected_value, [value], types)[0]
    if field.key is not None:
        return next(iter(_field_json(selected_value, {field.key.zero: value}, types).values()))
    return _field_json(selected_value, value, types)


def _field_json(selected_value: Selected, value: Any, types: Types) -> Any:
    """Return the JSON of a field, printed in a message without other fields."""
    assert selected_value.field is not None
    name = selected_value.field.name
    is_single = not isinstance(value, (list, dict))
    if selected_value.owner.__table__.full_name.startswith("google.protobuf."):
        raise FieldPathError(
            f"{selected_value.path} is in a message with its own JSON representation; print the whole message"
        )
    holder = type(selected_value.owner)(**{name: value})
    document = pbwire.json.to_dict(holder, always_print_fields_with_no_presence=is_single, types=types)
    return document[json_name(name)]
