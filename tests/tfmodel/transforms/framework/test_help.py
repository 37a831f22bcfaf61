"""What --list and --help-transform print."""

from __future__ import annotations

from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.help import explanation, overview
from tfmodel.transforms.framework.registry import Transform


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


def test_an_overview() -> None:
    assert overview(Transform("sample", sample)) == (
        'sample(count=INT, [op=STR ...], [name=STR], pad="")\n    Do something.'
    )
    assert overview(Transform("silent", silent)) == "silent()\n    Its author says nothing of it."


def test_an_explanation() -> None:
    assert (
        explanation(Transform("sample", sample), 36)
        == """\
sample(count=INT, [op=STR ...], [name=STR], pad="")

From tests.tfmodel.transforms.framework.test_help.

  count=INT   must be given
  op=STR ...  may be given any number of times
  name=STR    may be given
  pad=STR     "" if not given

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


def test_one_that_has_nothing_to_say() -> None:
    assert explanation(Transform("silent", silent)).splitlines()[0] == "silent()"
