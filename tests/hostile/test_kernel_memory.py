"""A run takes at most twice its limit of memory, whatever kernel it calls.

Attack: nodes of a few bytes whose kernels make lists of Python objects, gather rows or widen types.
Naive: limits the outputs, and not what kernels take besides them.
Stopped by: tfmodel.kernels.runtime.memory_limit.claim_scratch, claims of kernels
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import tfmodel
from tests.hostile.kernel_memory import LIMIT, SLACK, cases_by_op
from tests.support.cases import run_module
from tests.tfmodel.kernels.test_memory_claims import IN_A_SESSION, OF_PICTURES
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import Error
from tfmodel.kernels.runtime import KERNELS, memory_limit

PARTS = 4


@pytest.mark.slow(reason="runs each kernel with many inputs")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_kernel_takes_more_than_twice_the_limit(part: int) -> None:
    """The child has little memory: a kernel that takes far too much ends there."""
    search = run_module("tests.hostile.kernel_memory", part, PARTS, timeout=900, memory=6 << 30)
    assert search.returncode == 0, search.stdout + search.stderr


TABLE = """
    table = MutableHashTableV2[key_dtype=int64, value_dtype=int64]
    filled = {fill}(table, keys, keys)[Tin=int64, Tout=int64]
"""
LIST = """
    shape = Const[dtype=int32, value=int32{-1}()]
    list = TensorListFromTensor(rows, shape)[element_dtype=int64, shape_type=int32]
"""
ARRAY = """
    size = Cast(many)[SrcT=int64, DstT=int32]
    array = TensorArrayV3(size)[dtype=int64]
    at = Range(zero32, size, one32)[Tidx=int32]
    flow = TensorArrayScatterV3(array, at, keys, array:1)[T=int64]
"""
RANDOM = "[dtype=half, T=int64, seed=0, seed2=0]"

PROGRAMS = {
    "LookupTableImportV2": TABLE.format(fill="LookupTableImportV2") + "y = LookupTableSizeV2(table, ^filled)",
    "LookupTableInsertV2": TABLE.format(fill="LookupTableInsertV2") + "y = LookupTableSizeV2(table, ^filled)",
    "LookupTableExportV2": TABLE.format(fill="LookupTableInsertV2")
    + "y = LookupTableExportV2(table, ^filled)[Tkeys=int64, Tvalues=int64]",
    "LookupTableFindV2": """
        table = MutableHashTableV2[key_dtype=int64, value_dtype=int64]
        y = LookupTableFindV2(table, keys, zero)[Tin=int64, Tout=int64]
    """,
    "LookupTableRemoveV2": """
        table = MutableHashTableV2[key_dtype=int64, value_dtype=int64]
        removed = LookupTableRemoveV2(table, keys)[Tin=int64]
        y = LookupTableSizeV2(table, ^removed)
    """,
    "InitializeTableV2": """
        table = HashTableV2[key_dtype=int64, value_dtype=int64]
        filled = InitializeTableV2(table, keys, keys)[Tkey=int64, Tval=int64]
        y = LookupTableSizeV2(table, ^filled)
    """,
    "Print": "y = Print(zero, keys)[T=int64, U=[int64], summarize=-1]",
    "PrintV2": """
        text = StringFormat(keys)[T=[int64], summarize=-1]
        printed = PrintV2(text)
        y = Identity(zero, ^printed)[T=int64]
    """,
    "RandomStandardNormal": f"y = RandomStandardNormal(sizes){RANDOM}",
    "RandomUniform": f"y = RandomUniform(sizes){RANDOM}",
    "TruncatedNormal": f"y = TruncatedNormal(sizes){RANDOM}",
    "RandomUniformInt": "y = RandomUniformInt(sizes, zero, many)[Tout=int64, T=int64, seed=0, seed2=0]",
    "RandomShuffle": "y = RandomShuffle(keys)[T=int64, seed=0, seed2=0]",
    "RandomGamma": "y = RandomGamma(sizes, half)[S=int64, T=float, seed=0, seed2=0]",
    "RandomPoisson": "y = RandomPoisson(sizes, half)[S=int64, dtype=float, seed=0, seed2=0]",
    "RandomPoissonV2": "y = RandomPoissonV2(sizes, half)[S=int64, R=float, dtype=int32, seed=0, seed2=0]",
    "Multinomial": """
        logits = Const[dtype=float, value=float{0, 1}(1, 2)]
        count = Cast(many)[SrcT=int64, DstT=int32]
        y = Multinomial(logits, count)[T=float, output_dtype=int32, seed=0, seed2=0]
    """,
    "TensorListFromTensor": LIST + "y = TensorListLength(list)",
    "TensorListStack": LIST + "y = TensorListStack(list, shape)[element_dtype=int64]",
    "TensorListReserve": """
        count = Cast(many)[SrcT=int64, DstT=int32]
        shape = Const[dtype=int32, value=int32{-1}()]
        list = TensorListReserve(shape, count)[element_dtype=int64, shape_type=int32]
        y = TensorListLength(list)
    """,
    "TensorArrayScatterV3": ARRAY + "y = TensorArraySizeV3(array, flow)",
    "TensorArrayGatherV3": ARRAY + "y = TensorArrayGatherV3(array, at, flow)[dtype=int64]",
    "TensorArrayConcatV3": ARRAY.replace("keys", "rows") + "y = TensorArrayConcatV3(array, flow)[dtype=int64]",
    "ResourceGather": """
        variable = VarHandleOp[dtype=int64, shape=?]
        set = AssignVariableOp(variable, rows)[dtype=int64]
        y = ResourceGather(variable, keys, ^set)[dtype=int64, Tindices=int64]
    """,
    "ResourceScatterAdd": """
        variable = VarHandleOp[dtype=int64, shape=?]
        set = AssignVariableOp(variable, keys)[dtype=int64]
        added = ResourceScatterAdd(variable, keys, keys, ^set)[dtype=int64, Tindices=int64]
        y = ReadVariableOp(variable, ^added)[dtype=int64]
    """,
}
"""Nodes that need a session, with inputs of many numbers. The others of IN_A_SESSION take what they are given:
variables, conditionals, calls and elements of lists."""

INPUTS = """
    zero = Const[dtype=int64, value=int64{0}()]
    one = Const[dtype=int64, value=int64{1}()]
    zero32 = Const[dtype=int32, value=int32{0}()]
    one32 = Const[dtype=int32, value=int32{1}()]
    half = Const[dtype=float, value=float{0.5}()]
    many = Const[dtype=int64, value=int64{MANY}()]
    sizes = Const[dtype=int64, value=int64{MANY}]
    keys = Range(zero, many, one)[Tidx=int64]
    column = Const[dtype=int32, value=int32{-1, 1}]
    rows = Reshape(keys, column)[T=int64, Tshape=int32]
"""


def _lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


@pytest.mark.parametrize("many", [1000, 10_000, 30_000, 60_000, 120_000, 250_000])
@pytest.mark.parametrize("op", PROGRAMS)
def test_nodes_with_state_take_at_most_twice_the_limit(op: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limit, "FREE_BYTES", 0)
    [small, large] = [graph(_lines(INPUTS.replace("MANY", str(count)) + PROGRAMS[op])) for count in (2, many)]
    tfmodel.run(small, {}, "y")  # all imports happen now
    assert op in KERNELS
    tracemalloc.start()
    try:
        tfmodel.run(large, {}, "y", max_bytes=LIMIT)
    except Error as error:
        assert " bytes" in str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak <= 2 * LIMIT + SLACK


@pytest.mark.parametrize("steps, batch, classes", [(40, 1, 3000), (200, 4, 100), (300, 2, 300)])
def test_a_beam_search_keeps_no_text_that_never_was_in_the_beam(
    steps: int, batch: int, classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each class is better than those before it, so that a step puts all of them in the beam and takes them out."""
    monkeypatch.setattr(memory_limit, "FREE_BYTES", 0)
    program = """
        lengths = Placeholder[dtype=int32, shape=?]
        logits = Placeholder[dtype=float, shape=?]
        y = CTCBeamSearchDecoder(logits, lengths)[beam_width=BEAM, top_paths=1, merge_repeated=false, T=float]
    """
    logits = np.tile(np.linspace(0, 1, classes, dtype=np.float32), (steps, batch, 1))
    feeds = {"logits": logits, "lengths": np.full(batch, steps, np.int32)}
    needed = 400 * 30 * steps + 150 * steps * batch + 24 * logits.size
    model = graph(_lines(program.replace("BEAM", "30")))
    tfmodel.run(model, {name: value[:1] for name, value in feeds.items()} | {"lengths": feeds["lengths"] // steps}, "y")
    tracemalloc.start()
    try:
        tfmodel.run(model, feeds, "y", max_bytes=2 * needed + logits.nbytes)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= needed + SLACK


def test_every_kernel_is_searched_or_needs_a_session() -> None:
    """A kernel without a case, or an op with state and no program, would be forgotten."""
    assert cases_by_op().keys() | set(IN_A_SESSION.split()) | OF_PICTURES == set(KERNELS)
    assert PROGRAMS.keys() <= set(KERNELS)
