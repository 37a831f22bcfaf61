"""Scripts and styles without comments and blanks: the tokens stay the same."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.drawing.page.compact import compact_script, compact_style


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// a\nconst half = (box) => box.w / 2;  // b\n", "const half=(box)=>box.w/2;"),
        ("/* a\n * b */\nf ( 1 , 2 )", "f(1,2)"),
        ("return x\n  + y", "return x\n+y"),  # a line feed may end a statement
        ("a\n\n// b\n\nc", "a\nc"),
        ("f(\n  a,  // b\n  [c,\n  d],\n)\n", "f(a,[c,d],)"),
        ("if (a) {\n  b\n  c\n}\n{ d }", "if(a){b\nc}\n{d}"),
        ("a + ++b - --c + + d - - e", "a+ ++b- --c+ +d- -e"),
        ("a ++ + b", "a++ +b"),
        ("x ? .5 : y ?. z", "x? .5:y?.z"),
        ("1 .toFixed() + 0.35 + 1e-9", "1 .toFixed()+0.35+1e-9"),
        ("typeof x in y", "typeof x in y"),
        ("typeof [x]", "typeof[x]"),
        ("a = ' // b  c ' + \"/* d */\"", "a=' // b  c '+\"/* d */\""),
        (r"a = ' \' // b' ; c", r"a=' \' // b';c"),
        ("a = `b  // ${ c + `d  ${ {e : 1} .e } f` }  g` ; h", "a=`b  // ${c+`d  ${{e:1}.e} f`}  g`;h"),
        (r"a = ` \` ${ '}' }  \${ x }` + b", r"a=` \` ${'}'}  \${ x }`+b"),
        ("`${ f(/`}/) } x`", "`${f(/`}/)} x`"),
        ("x = /[/\\]]  \" ' `/g . test ( y )", "x=/[/\\]]  \" ' `/g.test(y)"),
        ("return /  a/ ; if (x) /  b/ . exec(y)", "return/  a/;if(x)/  b/.exec(y)"),
        ("(a) / b / c", "(a)/b/c"),
        ("a[0] / b / c ; x.y / 2 / z", "a[0]/b/c;x.y/2/z"),
        ("a / /b/ . c", "a/ /b/.c"),
        ("class A { #b = 1 ; get c ( ) { return this . #b ; } }", "class A{#b=1;get c(){return this.#b;}}"),
    ],
)
def test_scripts(text, expected):
    assert compact_script(text) == expected + "\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x;\na = 'b", "line 2: ' has no end: a = 'b"),
        ("a = `b ${c", r"line 1: \$ has no end"),
        ("a = `b", "line 1: ` has no end"),
        ("{ a } / b / c", "line 1: / may divide, or begin a regular expression"),
    ],
)
def test_unreadable_text_is_refused(text, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        compact_script(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/* a */ b , c > d {\n  color : red;\n  margin: 1px 2px ;\n}\n", "b ,c > d{color :red;margin:1px 2px}"),
        ("a:hover b:not(.c) { width: calc(1px + 2px); }", "a:hover b:not(.c){width:calc(1px + 2px)}"),
        ('a::before { content: " /* {b} */ ; "; }\nb { }', 'a::before{content:" /* {b} */ ; "}\nb{}'),
        ("@media print { a { b: c } }", "@media print{a{b:c}\n}"),
    ],
)
def test_styles(text, expected):
    assert compact_style(text) == expected + "\n"


MODULES = sorted(path.name for path in files("tfmodel.drawing.page").joinpath("js").iterdir())


@pytest.mark.parametrize("name", MODULES)
def test_modules_of_the_page_become_smaller_and_are_then_as_small_as_they_can_be(name):
    text = files("tfmodel.drawing.page").joinpath("js", name).read_text("utf-8")
    result = compact_script(text)
    assert compact_script(result) == result
    assert len(result) < 0.9 * len(text)
    assert "".join(re.sub(r"//.*|/\*[^/]*\*/", "", text).split()) == "".join(re.sub("//.*", "", result).split())


TOKEN = re.compile(r"\d+(?:\.\w*)?|\.\d+|[\w$]+|\?\.(?!\d)|=>|===?|>>?|&&|\+\+|--|[^\s\w]")
WORDS = ["a", "if", "1", ".5", ".b", "(b)", "'s'"]
PIECES = st.sampled_from([*WORDS, "+", "++", "-", "?", "=", "=>", ">", "&"])
GAPS = st.sampled_from([" ", "  ", "\n", " // c\n", "/* c */"])


@given(st.lists(st.tuples(PIECES, GAPS), max_size=12))
def test_tokens_stay_the_same(pieces):
    code = compact_script("".join(piece + gap for piece, gap in pieces))
    expected = [token for piece, _ in pieces for token in TOKEN.findall(piece)]
    assert TOKEN.findall(code) == expected
