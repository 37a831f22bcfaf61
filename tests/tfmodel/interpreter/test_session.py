"""The checks of a session before it runs, and graphs that never terminate."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph as functional
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import freeze
from tfmodel.errors import FreezeError, GraphError, RunError
from tfmodel.interpreter import Session
from tfmodel.interpreter.feeds import feeds_needed, random_feeds
from tfmodel.kernels.runtime.binding import convert_outputs
from tfmodel.messages import DataType, MetaGraphDef, OpDef, OpList

TABLE = """
    keys = Const[dtype=string, value=string{"a", "b"}]
    values = Const[dtype=int64, value=int64{1, 2}]
    table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]
    fill = InitializeTableV2(table, keys, values)[Tkey=string, Tval=int64]
    word = Placeholder[dtype=string, shape=()]
    none = Const[dtype=int64, value=int64{-1}()]
    y = LookupTableFindV2(table, word, none)[Tin=string, Tout=int64]
"""

CIRCLE = """
    round = Identity(round)[T=resource]
    fill = InitializeTableV2(round, k, k)[Tkey=int64, Tval=int64]
    k = Const[dtype=int64, value=int64{1}]
    y = Neg(k)[T=int64]
"""


def test_the_tables_that_a_run_needs_are_filled_before() -> None:
    session = Session(graph_of(TABLE))
    assert session.run({"word": "b"}, "y")["y"] == 2
    assert session.run({"word": "c"}, "y")["y"] == -1


def test_a_table_that_could_not_be_filled_is_filled_the_next_time() -> None:
    session = Session(graph_of(TABLE))
    with pytest.raises(RunError, match="stopped at the limit of"):
        session.run({"word": "b"}, "y", max_steps=2)
    assert session.run({"word": "b"}, "y")["y"] == 2


def test_a_table_that_is_made_of_itself_is_an_error() -> None:
    with pytest.raises(GraphError, match="must fill a table, not a cycle of Identity nodes"):
        Session(graph_of(CIRCLE)).run({}, "y")
    with pytest.raises(FreezeError):
        freeze(graph_of(CIRCLE.replace("y = Neg", "v = VariableV2[dtype=int64, shape=()]\n    y = Neg")), "y")


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        ("y = Switch(x)[T=float]", r'Switch "y" takes 2 inputs, and has 1'),
        ("y = NextIteration()[T=float]", r'NextIteration "y" takes 1 input, and has 0'),
        ('e = Enter(x, x)[T=float, frame_name="f"]\n y = Exit(e)[T=float]', r'Enter "e" takes 1 input, and has 2'),
    ],
)
def test_control_flow_takes_as_many_tensors_as_it_should(node: str, problem: str) -> None:
    session = Session(graph_of(f"x = Const[dtype=float, value=float{{1}}]\n {node}"))
    with pytest.raises(GraphError, match=problem):
        session.run({}, "y")


def test_a_result_of_a_function_that_is_not_computed_is_an_error() -> None:
    session = Session(
        functional("""
        x = Placeholder[dtype=float]
        p = Const[dtype=bool, value=bool{false}()]
        y = PartitionedCall(x, p)[f=@f, Tin=[float, bool], Tout=[float]]
        z = Neg(y)[T=float]
        f: (a: float, p: bool) -> (r: float = taken:output:0)
        f: switch = Switch(a, p)[T=float]
        f: taken = Identity(switch:output_true:0)[T=float]
    """)
    )
    problem = 'function "f": its result 0 is not computed: it is in a branch that was not taken'
    with pytest.raises(RunError, match=problem):
        session.run({"x": 1.0}, "z")


def test_an_op_that_the_model_declares_is_not_a_function() -> None:
    """The error names the op without a kernel, also if the MetaGraph has its declaration."""
    graph = graph_of("x = Placeholder[dtype=float]\n y = MyOp(x)\n z = OtherOp(y)")
    declared = OpDef(
        name="MyOp",
        input_arg=[OpDef.ArgDef(name="a", type=DataType.DT_FLOAT)],
        output_arg=[OpDef.ArgDef(name="b", type=DataType.DT_FLOAT)],
    )
    meta = MetaGraphDef(graph_def=graph, meta_info_def=MetaGraphDef.MetaInfoDef(stripped_op_list=OpList(op=[declared])))
    problem = 'MyOp "y": there is no kernel for this op, and 1 node needs it; other ops without a kernel: OtherOp'
    with pytest.raises(RunError, match=problem):
        Session(meta).run({"x": 1.0}, "z")


HUGE = """
    shape = Const[dtype=int32, value=int32{1048576, 1048576}]
    one = Const[dtype=float, value=float{1}()]
    y = Fill(shape, one)[T=float, index_type=int32]
    x = Placeholder[dtype=float, shape=(1048576, 1048576)]
    z = Neg(x)[T=float]
"""


def test_shapes_in_a_graph_ask_for_no_more_memory_than_is_allowed() -> None:
    session = Session(graph_of(HUGE))
    with pytest.raises(RunError, match=r'Fill "y": its outputs need 4,398,046,511,104 bytes, and 999,9..'):
        session.run({}, "y", max_bytes=1_000_000)
    with pytest.raises(RunError, match='Fill "y"'):  # which is what NumPy says of it
        session.run({}, "y")


def test_bytes_are_counted_over_all_nodes() -> None:
    session = Session(graph_of("a = Const[dtype=float, value=float{1, 2}]\n b = Neg(a)[T=float]\n y = Neg(b)[T=float]"))
    assert session.run({}, "y", max_bytes=24)["y"].tolist() == [1, 2]
    with pytest.raises(RunError, match="7 of the allowed bytes are left"):
        session.run({}, "y", max_bytes=23)


def test_strings_are_counted_with_their_contents() -> None:
    lines = ['n0 = Const[dtype=string, value=string{"twelve bytes"}()]']
    lines += [f"n{number + 1} = StringJoin(n{number}, n{number})[N=2]" for number in range(3)]
    session = Session(graph_of("\n".join(lines)))
    assert session.run({}, "n3", max_bytes=4 * 41 + 15 * 12)["n3"].item() == b"twelve bytes" * 8
    with pytest.raises(
        RunError, match=r'StringJoin "n3": it needs 137 bytes to compute, and 136 of the allowed bytes are left'
    ):
        session.run({}, "n3", max_bytes=4 * 41 + 15 * 12 - 1)
    with pytest.raises(
        RunError, match=r'StringJoin "n2": it needs 89 bytes to compute, and 88 of the allowed bytes are left'
    ):
        session.run({}, "n3", max_bytes=2 * 41 + 3 * 12 + 88)


def test_temporary_memory_of_a_node_counts_against_the_limit() -> None:
    pads = 'padding="EXPLICIT", explicit_paddings=[0, 0, 9, 9, 9, 9, 0, 0]'
    session = Session(
        graph_of(f"""
        x = Const[dtype=float, value=float{{1}}(1, 1, 1, 1)]
        y = Conv2D(x, x)[T=float, strides=[1, 9, 9, 1], {pads}]
    """)
    )
    padded = 19 * 19 * 4
    assert session.run({}, "y", max_bytes=4 + padded)["y"].sum() == 1
    with pytest.raises(RunError, match=r'Conv2D "y": it needs 1,444 bytes to compute'):
        session.run({}, "y", max_bytes=3 + padded)


def test_random_feeds_count_against_the_limit() -> None:
    session = Session(graph_of(HUGE))
    with pytest.raises(RunError, match='"x" has 1,099,511,627,776 elements, for which 1,000 bytes are not enough'):
        random_feeds(session, feeds_needed(session, ["z"]), max_bytes=1000)
    with pytest.raises(RunError, match='no random value can be made for "x": Unable to allocate'):
        random_feeds(session, ["x"])


def test_a_shape_of_more_elements_than_can_be_written_down() -> None:
    sizes = ", ".join([str(2**62)] * 254)
    session = Session(graph_of(f"x = Placeholder[dtype=float, shape=({sizes})]"))
    with pytest.raises(RunError, match='"x" has countless elements, for which 1,000 bytes are not enough'):
        random_feeds(session, ["x"], max_bytes=1000)


@pytest.mark.parametrize(
    "node",
    [
        "y, TensorListReserve(none, n)[element_dtype=float, shape_type=int32]",
        "y, TensorArrayV3(n)[dtype=float, element_shape=?, dynamic_size=false, clear_after_read=true]",
        "y, Range(zero, n, one)[Tidx=int32]",
        "y, BroadcastTo(one, n)[T=int32, Tidx=int32]",
    ],
)
def test_lengths_in_a_graph_do_not_either(node: str) -> None:
    name, _, definition = node.partition(", ")
    constants = "\n".join(
        f"{constant} = Const[dtype=int32, value=int32{{{value}}}()]"
        for constant, value in {"none": -1, "zero": 0, "one": 1, "n": 1 << 23}.items()
    )
    graph = graph_of(f"{constants}\n {name} = {definition}".replace("BroadcastTo(one, n)", "BroadcastTo(one, shape)"))
    graph.node += graph_of(f"shape = Const[dtype=int32, value=int32{{{1 << 23}}}]").node
    with pytest.raises(RunError, match=r"its outputs need (33|67),"):
        Session(graph).run({}, name, max_bytes=1 << 20)


def test_loops_are_nested_only_so_deep() -> None:
    lines = ["l0 = Const[dtype=float, value=float{1}]"]
    lines += [f'l{n + 1} = Enter(l{n})[T=float, frame_name="f{n}"]' for n in range(1001)]
    with pytest.raises(GraphError, match="loops are nested more than 1,000 deep"):
        Session(graph_of("\n".join(lines))).run({}, "l1001")


def test_complex_numbers_do_not_become_real_ones() -> None:
    lines = ["r = Const[dtype=float, value=float{1}]"]
    lines += ["x = Complex(r, r)[T=float, Tout=complex64]", "y = Neg(x)[T=float]"]
    with pytest.raises(RunError, match=r'Neg "y": its input 0 must be float32, and is complex64\[1\]'):
        Session(graph_of("\n".join(lines))).run({}, "y")
    with pytest.raises(RunError, match="its result is complex, but its attributes say float32"):
        convert_outputs([np.complex64(1j)], [DataType.DT_FLOAT])
