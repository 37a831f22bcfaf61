"""Documentation of a table module: what is read from it, and that a new version of the module keeps it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import commands
from pbwire.proto.documentation import Documentation, read_documentation
from pbwire.proto.loader import Loader
from pbwire.proto.module_writer import write_module

MODULE = '''\
"""shop.proto: orders."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["Order", "State"]


@pb.enum("shop.State", names={"None_": "None"})
class State(pb.Enum):
    """How far an order is."""

    NEW = 0  # not looked at
    # sent back,
    # or never sent
    None_ = 1


@pb.message("shop.Order")
class Order(pb.Message):
    """An order.

    It has "rows" \\\\ lines.
    """

    @pb.message("shop.Order.Row")
    class Row(pb.Message):
        from_: str = pb.string(1, name="from")  # the shelf

    # one for each article;
    # never empty
    rows: list[Row] = pb.repeated(Row, 1)
    state: State = pb.field(State, 2)
'''
COMMENTS = {
    "shop.State": "How far an order is.",
    "shop.State.NEW": "not looked at",
    "shop.State.None": "sent back,\nor never sent",
    "shop.Order": 'An order.\n\nIt has "rows" \\ lines.',
    "shop.Order.Row.from": "the shelf",
    "shop.Order.rows": "one for each article;\nnever empty",
}
OLD = """syntax = "proto3";
package shop;
enum State { NEW = 0; None = 1; }
message Order {
  message Row { string from = 1; }
  repeated Row rows = 1;
  State state = 2;
}
"""


def written(source: str, documentation: Documentation | None) -> str:
    loader = Loader([])
    loader.load_text(source, "shop.proto")
    return write_module(loader.pool.files["shop.proto"], loader.pool, documentation)


def test_docstrings_and_comments_are_found_by_full_names() -> None:
    documentation = read_documentation(MODULE)
    assert documentation.module == "shop.proto: orders."
    assert documentation.comments == COMMENTS


def test_a_module_that_is_written_again_is_the_same() -> None:
    assert written(OLD, read_documentation(MODULE)) == MODULE


def test_new_declarations_have_the_comment_of_the_proto_file() -> None:
    newer = OLD.replace("State state = 2;", "State state = 2; // ours\n  int32 count = 3; // of all rows")
    expected = MODULE + "    count: int = pb.int32(3)  # of all rows\n"
    documented = MODULE.replace("pb.field(State, 2)\n", "pb.field(State, 2)  # theirs\n")
    assert written(newer, read_documentation(documented)) == expected.replace("State, 2)\n", "State, 2)  # theirs\n")


EXTENDED = """syntax = "proto2";
package shop;
message Base {
  extensions 100 to 199;
  extend Base { optional int32 own = 100; }
}
extend Base {
  optional int32 from = 101;
  repeated Base bases = 102; // theirs
}
"""


def test_extensions_keep_their_comments() -> None:
    comments = {"shop.Base.own": "of the base", "shop.from": "a long\ncomment"}
    first = written(EXTENDED, Documentation("", comments))
    assert read_documentation(first).comments.items() >= {**comments, "shop.bases": "theirs"}.items()
    assert written(EXTENDED, read_documentation(first)) == first


SERVED = """syntax = "proto3";
package shop;
message Order { }
service Orders {
  rpc Send (Order) returns (stream Order);
  rpc Stop (Order) returns (Order); // at once
}
"""


def test_services_keep_their_comments() -> None:
    comments = {"shop.Orders": "What may be\nasked.", "shop.Orders.Send": "a long\ncomment"}
    first = written(SERVED, Documentation("", comments))
    assert read_documentation(first).comments == {**comments, "shop.Orders.Stop": "at once"}
    assert written(SERVED, read_documentation(first)) == first


TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cs", "Cf", "Zs"]) | st.just(" "), max_size=200
)


@given(comments=st.fixed_dictionaries(dict.fromkeys(COMMENTS, TEXTS)))
def test_any_documentation_survives(comments: dict[str, str]) -> None:
    first = written(OLD, Documentation("shop.proto: orders.", comments))
    assert written(OLD, read_documentation(first)) == first


def test_compile_keeps_comments(tmp_path, capsys) -> None:
    (tmp_path / "shop.proto").write_text(OLD.replace("= 2;", "= 2; // another"))
    (tmp_path / "shop.py").write_text(MODULE)
    command = ["compile", str(tmp_path / "shop.proto"), "-I", str(tmp_path), "-o", str(tmp_path)]
    assert commands.main([*command, "--keep-comments"]) == 0
    assert (tmp_path / "shop.py").read_text() == MODULE.replace("(State, 2)", "(State, 2)  # another")
    assert commands.main(command) == 0
    assert "# one for each article" not in (tmp_path / "shop.py").read_text()


@pytest.mark.parametrize("text", ["class", "x = \0", "\ud800"])
def test_a_file_that_is_not_a_module_is_an_error(text, tmp_path, capsys) -> None:
    (tmp_path / "shop.proto").write_text(OLD)
    (tmp_path / "shop.py").write_bytes(text.encode("utf-8", "surrogatepass"))
    command = ["compile", str(tmp_path / "shop.proto"), "-I", str(tmp_path), "-o", str(tmp_path), "--keep-comments"]
    assert commands.main(command) == 2
    assert f"{tmp_path}/shop.py is not a Python module" in capsys.readouterr().err
