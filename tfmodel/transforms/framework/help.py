"""The help text of a transform: its parameters and its documentation.

    remove_attribute(attribute_name=STR, op_name="*")

      attribute_name=STR  required
      op_name=STR         default: "*"

    Remove an attribute from all nodes, or from those of one op.
    ...

For a built-in transform the docstring of its module follows: the conditions under which it rewrites, and the
differences from the C++ tool.
"""

from __future__ import annotations

import re
import textwrap

from .parameters import Parameter
from .registry import Transform

__all__ = ["help_text", "two_line_help"]


def two_line_help(transform: Transform) -> str:
    """Return the transform in two lines: signature and summary."""
    return f"{transform}\n    {transform.summary or 'No description.'}"


def help_text(transform: Transform, width: int = 80) -> str:
    """Return the full help text; paragraphs are filled up to `width`, examples keep their lines."""
    parts = [str(transform)]
    if not transform.is_builtin:
        parts.append(f"From {transform.origin}.")
    if transform.parameters:
        spellings = [f"{parameter.name}={parameter.kind}" for parameter in transform.parameters.values()]
        column = max(map(len, spellings))
        rows = zip(spellings, transform.parameters.values(), strict=True)
        parts.append("\n".join(f"  {text:{column}}  {_requirement(parameter)}" for text, parameter in rows))
    parts += _paragraphs(transform.docstring, width)
    if transform.details:
        parts += ["In detail:", *_paragraphs(transform.details, width)]
    return "\n\n".join(filter(None, parts))


def _requirement(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    if not parameter.spelled_default:
        return "optional, repeatable" if parameter.repeated else "optional"
    return f"default: {parameter.spelled_default.removeprefix(f'{parameter.name}=')}"


def _paragraphs(docstring: str, width: int) -> list[str]:
    return [_filled(paragraph, width) for paragraph in re.split(r"\n\s*\n(?=\S)", docstring)]


def _filled(paragraph: str, width: int) -> str:
    """Return a paragraph filled to that width. Indented blocks in it, such as the nodes of an example, stay as they
    are.
    """
    text, blank, examples = paragraph.partition("\n\n")
    lines = text.split("\n")
    if not any(line[:1].isspace() for line in lines):
        text = textwrap.fill(" ".join(lines), width, break_long_words=False, break_on_hyphens=False)
    return text + blank + examples
