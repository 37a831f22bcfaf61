"""The output of --list and --help-transform."""

from __future__ import annotations

from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.registry import Transform, help_text, two_line_help


def sample(
    graph: GraphDef, *, count: int, op: tuple[str, ...] = (), name: str | None = None, pad: str = ""
) -> GraphDef:
    """Do something.

    It is done like this, with words that
    go on.

        a picture    stays
          as it is

    Example: sample

        x = A

    becomes

        y = A
    """
    return graph


def silent(graph: GraphDef) -> GraphDef:
    return graph


def test_two_lines_of_help() -> None:
    assert two_line_help(Transform("sample", sample)) == (
        'sample(count=INT, [op=STR ...], [name=STR], pad="")\n    Do something.'
    )
    assert two_line_help(Transform("silent", silent)) == "silent()\n    No description."


def test_help_of_a_transform() -> None:
    assert (
        help_text(Transform("sample", sample), 36)
        == """\
sample(count=INT, [op=STR ...], [name=STR], pad="")

From tests.tfmodel.transforms.framework.test_help.

  count=INT   required
  op=STR ...  optional, repeatable
  name=STR    optional
  pad=STR     default: ""

Do something.

It is done like this, with words
that go on.

    a picture    stays
      as it is

Example: sample

    x = A

becomes

    y = A"""
    )


def test_help_of_a_transform_without_a_docstring() -> None:
    assert help_text(Transform("silent", silent)).splitlines()[0] == "silent()"
