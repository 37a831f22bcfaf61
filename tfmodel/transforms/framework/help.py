"""A transform as its users see it: what it is called with, and what its author says of it.

    remove_attribute(attribute_name=STR, op_name="*")

      attribute_name=STR  must be given
      op_name=STR         "*" if not given

    Remove an attribute from all nodes, or from those of one op.
    ...

Of a transform of tfmodel itself, the docstring of its module follows: under which conditions it rewrites, and how it
differs from the C++ tool.
"""

from __future__ import annotations

import re
import textwrap

from .parameters import Parameter
from .registry import Transform

__all__ = ["explanation", "overview"]


def overview(transform: Transform) -> str:
    """The transform in two lines."""
    return f"{transform}\n    {transform.summary or 'Its author says nothing of it.'}"


def explanation(transform: Transform, width: int = 80) -> str:
    """All there is to know of it; lines are filled up to `width`, except for those of examples."""
    parts = [str(transform)]
    if not transform.is_ours:
        parts.append(f"From {transform.home}.")
    if transform.parameters:
        given = [f"{parameter.name}={parameter.kind}" for parameter in transform.parameters.values()]
        column = max(map(len, given))
        told = zip(given, transform.parameters.values(), strict=True)
        parts.append("\n".join(f"  {text:{column}}  {_if_not_given(parameter)}" for text, parameter in told))
    parts += _paragraphs(transform.document, width)
    if transform.details:
        parts += ["In detail:", *_paragraphs(transform.details, width)]
    return "\n\n".join(filter(None, parts))


def _if_not_given(parameter: Parameter) -> str:
    if parameter.required:
        return "must be given"
    if not parameter.spelled_default:
        return "may be given any number of times" if parameter.repeated else "may be given"
    return f"{parameter.spelled_default.removeprefix(f'{parameter.name}=')} if not given"


def _paragraphs(document: str, width: int) -> list[str]:
    return [_filled(paragraph, width) for paragraph in re.split(r"\n\s*\n(?=\S)", document)]


def _filled(paragraph: str, width: int) -> str:
    """A paragraph with lines of that length. What is indented behind it, such as the nodes of an example, stays."""
    text, blank, rest = paragraph.partition("\n\n")
    lines = text.split("\n")
    if not any(line[:1].isspace() for line in lines):
        text = textwrap.fill(" ".join(lines), width, break_long_words=False, break_on_hyphens=False)
    return text + blank + rest
