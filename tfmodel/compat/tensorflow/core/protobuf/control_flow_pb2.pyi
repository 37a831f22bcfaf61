"""Written by `python -m tests.stubs`."""

from ...._stub_types import *
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar

DESCRIPTOR: _Any

class CondContextDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CONTEXT_NAME_FIELD_NUMBER: _ClassVar[_int]
    PRED_NAME_FIELD_NUMBER: _ClassVar[_int]
    PIVOT_NAME_FIELD_NUMBER: _ClassVar[_int]
    BRANCH_FIELD_NUMBER: _ClassVar[_int]
    VALUES_DEF_FIELD_NUMBER: _ClassVar[_int]
    NESTED_CONTEXTS_FIELD_NUMBER: _ClassVar[_int]
    context_name: _str
    pred_name: _str
    pivot_name: _str
    branch: _int
    @property
    def values_def(self) -> ValuesDef: ...
    @property
    def nested_contexts(self) -> _RepeatedMessage[ControlFlowContextDef]: ...
    def __init__(self, *, context_name: _str | _bytes | None = ..., pred_name: _str | _bytes | None = ..., pivot_name: _str | _bytes | None = ..., branch: _int | None = ..., values_def: ValuesDef | _Mapping[_str, _Any] | None = ..., nested_contexts: _Iterable[ControlFlowContextDef | _Mapping[_str, _Any]] | None = ...) -> None: ...

class ControlFlowContextDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    COND_CTXT_FIELD_NUMBER: _ClassVar[_int]
    WHILE_CTXT_FIELD_NUMBER: _ClassVar[_int]
    @property
    def cond_ctxt(self) -> CondContextDef: ...
    @property
    def while_ctxt(self) -> WhileContextDef: ...
    def __init__(self, *, cond_ctxt: CondContextDef | _Mapping[_str, _Any] | None = ..., while_ctxt: WhileContextDef | _Mapping[_str, _Any] | None = ...) -> None: ...

class ValuesDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    VALUES_FIELD_NUMBER: _ClassVar[_int]
    EXTERNAL_VALUES_FIELD_NUMBER: _ClassVar[_int]
    @property
    def values(self) -> _RepeatedScalar[_str]: ...
    @property
    def external_values(self) -> _ScalarMap[_str, _str]: ...
    def __init__(self, *, values: _Iterable[_str | _bytes] | None = ..., external_values: _Mapping[_str, _str] | None = ...) -> None: ...

class WhileContextDef(_Message):
    DESCRIPTOR: _ClassVar[_Any]
    CONTEXT_NAME_FIELD_NUMBER: _ClassVar[_int]
    PARALLEL_ITERATIONS_FIELD_NUMBER: _ClassVar[_int]
    BACK_PROP_FIELD_NUMBER: _ClassVar[_int]
    SWAP_MEMORY_FIELD_NUMBER: _ClassVar[_int]
    PIVOT_NAME_FIELD_NUMBER: _ClassVar[_int]
    PIVOT_FOR_PRED_NAME_FIELD_NUMBER: _ClassVar[_int]
    PIVOT_FOR_BODY_NAME_FIELD_NUMBER: _ClassVar[_int]
    LOOP_EXIT_NAMES_FIELD_NUMBER: _ClassVar[_int]
    LOOP_ENTER_NAMES_FIELD_NUMBER: _ClassVar[_int]
    VALUES_DEF_FIELD_NUMBER: _ClassVar[_int]
    MAXIMUM_ITERATIONS_NAME_FIELD_NUMBER: _ClassVar[_int]
    NESTED_CONTEXTS_FIELD_NUMBER: _ClassVar[_int]
    context_name: _str
    parallel_iterations: _int
    back_prop: _bool
    swap_memory: _bool
    pivot_name: _str
    pivot_for_pred_name: _str
    pivot_for_body_name: _str
    @property
    def loop_exit_names(self) -> _RepeatedScalar[_str]: ...
    @property
    def loop_enter_names(self) -> _RepeatedScalar[_str]: ...
    @property
    def values_def(self) -> ValuesDef: ...
    maximum_iterations_name: _str
    @property
    def nested_contexts(self) -> _RepeatedMessage[ControlFlowContextDef]: ...
    def __init__(self, *, context_name: _str | _bytes | None = ..., parallel_iterations: _int | None = ..., back_prop: _bool | None = ..., swap_memory: _bool | None = ..., pivot_name: _str | _bytes | None = ..., pivot_for_pred_name: _str | _bytes | None = ..., pivot_for_body_name: _str | _bytes | None = ..., loop_exit_names: _Iterable[_str | _bytes] | None = ..., loop_enter_names: _Iterable[_str | _bytes] | None = ..., values_def: ValuesDef | _Mapping[_str, _Any] | None = ..., maximum_iterations_name: _str | _bytes | None = ..., nested_contexts: _Iterable[ControlFlowContextDef | _Mapping[_str, _Any]] | None = ...) -> None: ...
