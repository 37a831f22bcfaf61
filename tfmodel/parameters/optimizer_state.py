"""Recognize slots, moving averages, counters and settings of optimizers among variables, by their names and keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..values.tensor_header import Shape

if TYPE_CHECKING:
    from .weight import Purpose, Weight

# The last part of the names of slots in TF1: "dense/kernel/Adam_1" belongs to "dense/kernel". A number may follow.
_TF1_SLOTS = """
    AMSGrad AdaMax Adadelta Adagrad AdagradDA Adam AdamW AdamWeightDecay Ftrl LAMB LARS LARSOptimizer LazyAdam Momentum
    MomentumW NAdam Nadam PowerSign AddSign ProximalAdagrad RMSProp SGD adafactor
"""
_SLOT_NAMES = {name.lower(): name for name in _TF1_SLOTS.split()}
_BERT_SLOTS = {"adam_m": "Adam", "adam_v": "Adam", "lamb_m": "LAMB", "lamb_v": "LAMB"}
_AVERAGES = ("ExponentialMovingAverage", "EMA", "average", "biased")
_NUMBERED = re.compile(r"(.+?)_\d+")

# The optimizers of TF2, by the names of their slots.
_TF2_SLOTS = {
    "m": "Adam",
    "v": "Adam",
    "vhat": "Adam",
    "momentum": "momentum",
    "rms": "RMSProp",
    "mg": "RMSProp",
    "accumulator": "Adagrad",
    "accum_grad": "Adadelta",
    "accum_var": "Adadelta",
    "linear": "Ftrl",
}
_SETTINGS = """
    global_step step beta1_power beta2_power beta_1 beta_2 learning_rate lr decay iter iterations rho momentum
    save_counter local_step total count
"""
_POWERS = frozenset({"beta1_power", "beta2_power"})  # of Adam in TF1, beside its variables
_SETTING_NAMES = frozenset(_SETTINGS.split())
_SLOT, _VALUE = "/.OPTIMIZER_SLOT/", "/.ATTRIBUTES/"
_OPTIMIZER_VARIABLES = ("iter", "_iterations")
_OPTIMIZER_SETTINGS = ("_variables", "_learning_rate", "learning_rate", "beta_1", "decay", "rho", "momentum")
_METRICS = "keras_api/metrics/"


class OptimizerState:
    """Recognizes slots, moving averages, counters and settings among variables, by the names that TensorFlow gives.

    The name of a slot is the name of its variable followed by that of the optimizer. In TF2, the path of the object
    says whether it is a slot.
    """

    def __init__(self, rows: Iterable[Weight], full_names: Mapping[str, str]) -> None:
        """`full_names` are the names of variables that the object graph of a TF2 checkpoint has, by key."""
        self._full_names = full_names
        rows = list(rows)
        self._rows = {self._name(row): row for row in rows} | {row.name: row for row in rows}
        self._by_key = {row.key: row for row in rows if row.key is not None}
        self._optimizers = self._find_optimizers()

    def purpose(self, row: Weight) -> tuple[Purpose, str, str]:
        """Return the purpose of a row, its kind, such as "Adam slot", and the name of the variable that owns it.

        The purpose is "" for a weight. Kind and owner are "" if they are unknown, or if the purpose is "state".
        """
        key = row.key or ""
        of_keras = self._keras_state(self._name(row), row.shape)
        owner, is_slot, slot = key.partition(_SLOT)
        if is_slot:
            variable = self._by_key.get(f"{owner}{_VALUE}VARIABLE_VALUE")
            kind = f"{_TF2_SLOTS.get(slot.partition(_VALUE)[0].rpartition('/')[2], 'optimizer')} slot"
            kind = of_keras[1] if of_keras and of_keras[1] else kind
            return "slot", kind, variable.name if variable is not None else ""
        if of_keras:
            return of_keras
        if _VALUE in key and any(key.startswith(f"{prefix}/") for prefix in self._prefixes(key)):
            return ("slot", "optimizer slot", "") if row.shape else ("state", "", "")
        if key.startswith(_METRICS) or f"/{_METRICS}" in key:
            return "state", "", ""
        base, _, last = self._name(row).rpartition("/")
        if owner := self._owner(base, row):
            kind = self._slot_kind(base, last)
            if kind:
                return "slot", f"{kind} slot", owner
            if last in _AVERAGES:
                return "moving average", "moving average", owner
        is_setting = last in _SETTING_NAMES or _base_name(last) in _SETTING_NAMES
        if row.shape == () and (is_setting or row.stored_dtype.given[1] not in "fc"):
            return "state", "", ""
        return "", "", ""

    def is_of_optimizer(self, row: Weight) -> bool:
        """Return whether a variable belongs to an optimizer: a slot, a counter of its steps, or a setting."""
        if self.purpose(row)[0] == "slot" or self._keras_state(self._name(row), row.shape):
            return True
        in_optimizer = _VALUE in (key := row.key or "") and any(
            key.startswith(f"{path}/") for path in self._prefixes(key)
        )
        return in_optimizer or _base_name(self._name(row).rpartition("/")[2]) in _POWERS

    def _owner(self, base: str, row: Weight) -> str:
        """Return the name of the variable of the same shape that is named `base`, or like `base` without outer scopes.

        Return "" if the variable does not exist.
        """
        for _ in range(_MAX_SCOPES):
            if not base:
                break
            variable = self._rows.get(base)
            if variable is not None and variable.shape == row.shape and variable is not row:
                return variable.name
            base = base.partition("/")[2]
        return ""

    def _slot_kind(self, base: str, last: str) -> str:
        """Return the optimizer whose slots have the name `last`, after the name `base` of the variable; else ""."""
        name = _base_name(last)
        kind = _SLOT_NAMES.get(name.lower(), _BERT_SLOTS.get(last, ""))
        if not kind and f"{base}/{name}" in self._rows and f"{base}/{name}_1" in self._rows:
            return name  # an optimizer that the user has named
        return kind

    def _name(self, row: Weight) -> str:
        return self._full_names.get(row.key or "", row.name)

    def _keras_state(self, name: str, shape: Shape | None) -> tuple[Purpose, str, str] | None:
        """Return the same as `purpose` for a slot or setting that Keras gave this name; None for another variable.

        Settings are scalars such as Adam/decay. Slots are named Adam/dense/kernel/m, Adam/m/dense/kernel, or in TF1
        training/Adam/dense/kernel/m or training/Adam/Variable_3.
        """
        parts = name.split("/", _MAX_SCOPES)
        is_training = _base_name(parts[0]) == "training"
        parts = parts[1:] if is_training else parts
        kind = _SLOT_NAMES.get(_base_name(parts[0]).lower(), "") if len(parts) > 1 else ""
        if not kind:
            return None
        if shape == ():
            return ("state", "", "") if len(parts) == _SETTING_PARTS else None
        for slot, owner in ((parts[-1], parts[1:-1]), (parts[1], parts[2:])):
            variable = self._rows.get("/".join(owner))
            if slot in _TF2_SLOTS and variable is not None and variable.shape == shape:
                return "slot", f"{kind} slot", variable.name
        return ("slot", f"{kind} slot", "") if is_training else None

    def _find_optimizers(self) -> set[str]:
        """Return the paths of the optimizers of a TF2 checkpoint: objects with a step counter and with settings."""
        paths = {key.partition(_VALUE)[0] for key in self._by_key if _VALUE in key}
        parents = {parent for path in paths if (parent := path.rpartition("/")[0])}
        grandparents = {parent.rpartition("/")[0] for parent in parents if parent.endswith("/_variables")}
        with_counter = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in _OPTIMIZER_VARIABLES}
        return {
            path
            for path in with_counter
            if path and (path in grandparents or any(f"{path}/{setting}" in paths for setting in _OPTIMIZER_SETTINGS))
        }

    def _prefixes(self, key: str) -> Iterator[str]:
        """Yield the paths of the optimizers that contain the object of a key."""
        if not self._optimizers:
            return
        parts = key.partition(_VALUE)[0].split("/")
        for count in range(1, min(len(parts), _MAX_SCOPES)):
            if (path := "/".join(parts[:count])) in self._optimizers:
                yield path


_MAX_SCOPES = 64
_SETTING_PARTS = 2  # the optimizer and the setting


def _base_name(name: str) -> str:
    """Return a name without the number at its end that makes it unique."""
    numbered = _NUMBERED.fullmatch(name)
    return numbered[1] if numbered is not None else name
