"""Parsing lists of transforms as the C++ tool does; unlike there, an unfinished last transform is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.errors import TransformError
from tfmodel.transforms.framework.parameters import Argument, Step, parse


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", []),
        (" \n\t", []),
        ("a b", [Step("a"), Step("b")]),
        ("a\nb", [Step("a"), Step("b")]),
        ("a()b()", [Step("a"), Step("b")]),
        ("t(a=b c=d)", [Step("t", (Argument("a", "b"), Argument("c", "d")))]),
        ("t(a=b,  a=c)", [Step("t", (Argument("a", "b"), Argument("a", "c")))]),
        ("t(,a=b)", [Step("t", (Argument("a", "b"),))]),
        ("t( a=b)", [Step("t", (Argument("a", "b"),))]),
        ('t(a="")', [Step("t", (Argument("a", ""),))]),
        ('t(a="x y,z)")', [Step("t", (Argument("a", "x y,z)"),))]),
        ("t(a=-1.5e/_)", [Step("t", (Argument("a", "-1.5e/_"),))]),
        ("t(a=b')", [Step("t", (Argument("a", "b"),))]),
        ('t(a=b")', [Step("t", (Argument("a", "b"),))]),
        (r't(a="a\"b")', [Step("t", (Argument("a", r"a\"b"),))]),
        ("a\\\nb", [Step("a"), Step("b")]),  # a backslash at the end of a line
        ('\nt(a="x:")\\\n', [Step("t", (Argument("a", "x:"),))]),  # as in the guide of the C++ tool
        ("t(a=b,\\\r\n c=d) \\ \n\\", [Step("t", (Argument("a", "b"), Argument("c", "d")))]),
        ('s(shape="1,299,299,3")r', [Step("s", (Argument("shape", "1,299,299,3"),)), Step("r")]),
    ],
)
def test_lists_are_parsed(text: str, steps: list[Step]) -> None:
    assert parse(text) == steps


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b", 'the name of a transform, found ",b" at character 2'),
        ("a (x=1)", 'the name of a transform, found "(x=1)" at character 3'),
        (r"a\b", r'the name of a transform, found "\b" at character 2'),
        ("a;", 'the name of a transform, found ";" at character 2'),
        ("t( )", 'the name of an argument of t, found ")" at character 4'),
        ("t(a=b,)", 'the name of an argument of t, found ")" at character 7'),
        ("t(a=b,,c=d)", 'the name of an argument of t, found ",c=d)" at character 7'),
        ("t(a=b , c=d)", 'the name of an argument of t, found ", c=d)" at character 7'),
        ("t(a = b)", '"=" after t\'s argument a, found " = b)" at character 4'),
        ("t(a=)", 'a value, in double quotes if it is not a plain word, of t\'s argument a, found ")" at character 5'),
        ("t(a='b')", "a value, in double quotes if it is not a plain word, of t's argument a"),
        ("t(a=A|B)", 'the name of an argument of t, found "|B)" at character 6'),
        ('t(a="un)', "a closing quote for the value of t's argument a"),
        ('t(a="x""y")', '"=" after t\'s argument y'),
        ("t(a=b", '")" after the arguments of t, found the end'),
        ("a t(", '")" after the arguments of t, found the end'),
        ("t(a=\x1b)", r'found "\x1b)" at character 5'),
    ],
)
def test_errors_in_lists_say_what_was_expected(text: str, problem: str) -> None:
    with pytest.raises(TransformError) as caught:
        parse(text)
    assert problem in str(caught.value)


@given(st.text(alphabet='ab_1(),="\\ \n.-/', max_size=40))
def test_any_text_is_a_list_or_refused(text: str) -> None:
    try:
        steps = parse(text)
    except TransformError:
        return
    assert parse(" ".join(map(spelled, steps))) == steps


def spelled(step: Step) -> str:
    arguments = ", ".join(f'{name}="{value}"' for name, value in step.arguments)
    return f"{step.name}({arguments})"
