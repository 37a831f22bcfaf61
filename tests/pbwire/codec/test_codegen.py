"""Generated functions: `explain` shows them all, and tracebacks, debuggers and `inspect` show their lines."""

from __future__ import annotations

import builtins
import gc
import inspect
import linecache
import re
import symtable
import traceback
from typing import Any

import pytest

from pbwire import DecodeError, EncodeError, explain, proto, table_of, text
from pbwire.codec.codegen import WRITERS, code, function, generate_source
from pbwire.compat import compat_class
from tests.support.samples import Choice, Groups, Leaf, Maps, Proto2, Repeated, Required, Scalars
from tfmodel.messages import TYPES, GraphDef, NodeDef


def shown_functions(cls: type) -> list[str]:
    return re.findall(r"^# (\S+)$", explain(cls), flags=re.MULTILINE)


def test_explain_shows_every_generated_function() -> None:
    of_both_kinds = {*WRITERS} - {"create", "wrap", "unwrap"}
    assert {name.partition(":")[0] for name in shown_functions(Required)} >= of_both_kinds
    assert {name.partition(":")[0] for name in shown_functions(compat_class(Required))} == {*WRITERS}
    assert "read_entries:named" in shown_functions(Required)
    assert "lacks_required" not in shown_functions(NodeDef)


def test_explain_shows_one_reader_per_map_and_none_without_maps() -> None:
    assert {name for name in shown_functions(Maps) if ":" in name} >= {
        f"read_entries:{field.name}" for field in table_of(Maps).maps
    }
    assert not {"decode_maps", "read_entries"} & {*shown_functions(GraphDef)}


def test_explain_shows_printers_of_other_styles_that_were_used() -> None:
    text.MessageToString(Leaf(text="a"), pointy_brackets=True)
    assert "print:pointy" in shown_functions(Leaf)


@pytest.mark.parametrize("cls", [NodeDef, GraphDef, Maps, Leaf])
def test_everything_that_explain_shows_is_python(cls: type) -> None:
    compile(explain(cls), "explained", "exec")


def test_explain_refuses_classes_that_are_not_messages() -> None:
    with pytest.raises(TypeError, match="int is not a message class"):
        explain(int)


def test_a_traceback_shows_lines_of_generated_code() -> None:
    with pytest.raises(EncodeError) as caught:
        NodeDef(name=5).to_bytes()  # type: ignore[arg-type]  # the wrong type is the test
    assert caught.value.__cause__ is None
    shown = "".join(traceback.format_exception(caught.value.__context__))
    assert "NodeDef encode_bytes (generated)" in shown
    assert "chunk = value.encode()" in shown


def test_generated_code_stays_visible_when_linecache_checks_for_changed_files() -> None:
    decode = function(table_of(GraphDef), "decode")
    linecache.checkcache()
    assert inspect.getsource(decode) == generate_source(table_of(GraphDef), "decode").text
    linecache.checkcache()
    assert linecache.getline(decode.__code__.co_filename, 1) == inspect.getsource(decode).splitlines(True)[0]


def test_classes_of_one_name_show_the_code_of_their_own() -> None:
    first, second = (
        proto.load_text(f'syntax = "proto2"; message Same {{ optional {kind} x = 1; }}')["Same"]
        for kind in ("int32", "string")
    )
    shown = [inspect.getsource(function(table_of(cls), "decode")) for cls in (first, second)]
    assert shown == [generate_source(table_of(cls), "decode").text for cls in (first, second)]
    assert shown[0] != shown[1]


def test_classes_that_are_gone_leave_no_code_behind() -> None:
    def entries() -> int:
        gc.collect()
        return sum(".Gone " in name for name in linecache.cache)

    def load() -> None:
        cls = proto.load_text('syntax = "proto3"; message Gone { int32 x = 1; }')["Gone"]
        assert cls.from_bytes(cls(x=1).to_bytes()).x == 1

    load()
    before = entries()
    for _ in range(20):
        load()
    assert entries() <= before


def test_two_functions_of_a_class_have_different_file_names() -> None:
    names = ("decode", "encode", "read_entries:attr")
    files = {function(table_of(NodeDef), name).__code__.co_filename for name in names}
    assert len(files) == len(names)


def test_parts_of_a_template_are_indented_like_their_names() -> None:
    assert code("if x:\n    $body", body="a\nb\n") == "if x:\n    a\n    b\n"
    assert code("x\n$nothing\ny", nothing="") == "x\ny\n"


def test_errors_of_damaged_input_hide_the_generated_code() -> None:
    with pytest.raises(DecodeError) as caught:
        GraphDef.from_bytes(b"\x0a\x05")
    assert caught.value.__suppress_context__


def global_names(scope: symtable.SymbolTable) -> set[str]:
    """Return the global names that the functions in a scope use, nested ones included."""
    used = {*scope.get_globals()} if isinstance(scope, symtable.Function) else set()
    return used.union(*map(global_names, scope.get_children()))


STYLES = ["print:pointy_colon_numbers_declared_floats_formatted", "print_json:ainsu"]


SLOW = pytest.mark.slow(reason="generates the code of all classes; those of the samples have fields of every kind")


@pytest.mark.parametrize(
    "cls",
    [
        *(NodeDef, GraphDef, Choice, Groups, Leaf, Maps, Proto2, Repeated, Scalars),
        *(pytest.param(cls, marks=SLOW) for cls in TYPES.values() if cls not in (NodeDef, GraphDef)),
    ],
)
def test_generated_code_uses_only_names_that_are_bound(cls: Any) -> None:
    shown = [*shown_functions(cls), *STYLES]
    for name in shown:
        source = generate_source(table_of(cls), name)
        scope = symtable.symtable(source.text, "generated", "exec")
        assert global_names(scope) - {*source.names, *dir(builtins)} == set(), name


def test_global_names_are_those_of_all_functions() -> None:
    source = "def f(a):\n    b = a.x + c\n    return [d(b) for e in a], lambda: len(g)"
    assert global_names(symtable.symtable(source, "generated", "exec")) == {"c", "d", "g", "len"}
