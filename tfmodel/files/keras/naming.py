"""Names and roles of weights, from their places in an HDF5 file and the architecture.

Keras has written three layouts. Keras 1 and 2 store the name of a variable in the group of its layer:

    model_weights/conv/conv/kernel:0               conv/kernel
    model_weights/conv_1/conv_1_W                  conv_1/conv_1_W           Keras 1
    model_weights/inner/inner_dense/kernel:0       inner/inner_dense/kernel  a model in a model
    optimizer_weights/Adam/m/conv/kernel:0         optimizer/Adam/m/conv/kernel

The groups of a file of weights alone are not in "model_weights". Keras 3, and .keras archives of Keras 2, number the
variables of an object. The groups have the names of layers, or names made of their classes (conv2d, conv2d_1, ...),
which are counted in the order of the model's layers. Keras 3 writes the name of the layer as an attribute too:

    layers/conv2d/vars/0                           conv/kernel               if the first Conv2D is called conv
    _layer_checkpoint_dependencies/dense_1/vars/1  dense_1/bias
    layers/bidirectional/forward_layer/cell/vars/1 bidirectional/forward_layer/cell/recurrent_kernel

The role of a variable is its place in the list of those that a layer of this class has.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from .config import Layer

Purpose = Literal["", "slot", "state"]

_CONTAINERS = frozenset({"layers", "_layer_checkpoint_dependencies"})
_WRAPPED = frozenset({"forward_layer", "backward_layer", "layer"})
_STATE = frozenset({"metrics", "seed_generator", "_metrics", "compile_metrics"})

_DENSE = ("kernel", "bias")
_RECURRENT = ("kernel", "recurrent_kernel", "bias")
_NORM = ("gamma", "beta")
_ROLES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Dense", "EinsumDense", "Conv1D", "Conv2D", "Conv3D"), _DENSE),
    **dict.fromkeys(("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"), _DENSE),
    **dict.fromkeys(("DepthwiseConv1D", "DepthwiseConv2D"), ("depthwise_kernel", "bias")),
    **dict.fromkeys(("SeparableConv1D", "SeparableConv2D"), ("depthwise_kernel", "pointwise_kernel", "bias")),
    **dict.fromkeys(
        ("LSTM", "GRU", "SimpleRNN", "LSTMCell", "GRUCell", "SimpleRNNCell", "ConvLSTM2D", "RNN"), _RECURRENT
    ),
    **dict.fromkeys(("LayerNormalization", "GroupNormalization"), _NORM),
    "BatchNormalization": (*_NORM, "moving_mean", "moving_variance"),
    "Embedding": ("embeddings",),
    "PReLU": ("alpha",),
    "Normalization": ("mean", "variance", "count"),
}
"""The variables of a layer in the order in which it makes them."""

_SWITCHED_OFF = {"gamma": "scale", "beta": "center", "bias": "use_bias"}
"""The arguments of a layer without which it lacks a variable."""

_MAX_DIGITS = 10
_NUMBER = re.compile(r"_\d{1,9}$")

_CLASSES = {
    re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower(): name for name in _ROLES
}
"""The classes by their names in groups, for files of weights alone."""

_OLD_ROLES = {"W": "kernel", "b": "bias", "U": "recurrent_kernel", "running_mean": "moving_mean"}
_OLD = re.compile(r".*_(W|U|b|gamma|beta|running_mean|running_std|W_[a-z]|U_[a-z]|b_[a-z])")


class Origin(NamedTuple):
    """The layer of a weight: its path, its class and the role of the weight, as far as these are known.

    purpose   "slot" for the state of an optimizer, "state" for counters and metrics, "" for weights
    """

    layer: str
    class_name: str
    role: str
    purpose: Purpose = ""


class Groups(NamedTuple):
    """The groups of a file.

    siblings   the names of the groups in each group
    labels     the names of layers that groups have as attributes
    counts     the number of datasets in each group
    """

    siblings: dict[str, frozenset[str]]
    labels: dict[str, str]
    counts: dict[str, int]


def to_snake_case(name: str) -> str:
    """Return the name of a class as groups spell it: SeparableConv2D is separable_conv2d."""
    name = re.sub(r"\W+", "", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


class Namer:
    """Names the datasets of a file. Each takes time in the length of its path, however many layers there are."""

    def __init__(self, model: Layer | None, groups: Groups) -> None:
        self._model = model
        self._groups = groups
        self._by_name: dict[int, dict[str, Layer]] = {}
        self._by_group: dict[str, dict[str, Layer]] = {}

    def name(self, path: str, *, scalar: bool) -> tuple[str, Origin]:
        """Return the name and the origin of the dataset at `path`; `scalar` says whether it is a single number."""
        parts = [part for part in path.split("/") if part]
        if len(parts) > 1 and parts[-2] == "vars" and parts[-1].isdecimal():
            return self._numbered(parts, scalar)
        return self._named(parts, scalar)

    def _find(self, model: Layer | None, name: str) -> Layer | None:
        """Return the layer of that name in a model."""
        if model is None:
            return None
        if id(model) not in self._by_name:
            self._by_name[id(model)] = {layer.name: layer for layer in reversed(model.layers)}
        return self._by_name[id(model)].get(name)

    # --- named variables ---------------------------------------------------------------------------------------------

    def _named(self, parts: list[str], scalar: bool) -> tuple[str, Origin]:
        if parts[0] == "optimizer_weights":
            name = "/".join(["optimizer", *parts[1:]]).removesuffix(":0")
            return name, Origin("optimizer", "", "", "state" if scalar else "slot")
        if parts[0] == "model_weights" and len(parts) > 1:
            parts = parts[1:]
        group, rest = parts[0], parts[1:]
        if group in rest[:-1]:  # behind the name of the model in Keras 3
            rest = rest[rest.index(group) + 1 :]
        name = "/".join([group, *rest]).removesuffix(":0")
        last = name.rpartition("/")[2]
        old = _OLD.fullmatch(last)
        role = _OLD_ROLES.get(old[1], old[1]) if old else last if rest else ""
        layer, path = self._find(self._model, group), group
        for part in rest[:-1]:
            inner = self._find(layer, part)
            layer, path = (inner, f"{path}/{part}") if inner is not None else (layer, path)
        if layer is None:
            path = name.rpartition("/")[0] or group
        if layer is not None and layer.inner is not None:
            layer = layer.inner
        return name, Origin(path, layer.class_name if layer is not None else "", role)

    # --- numbered variables ------------------------------------------------------------------------------------------

    def _numbered(self, parts: list[str], scalar: bool) -> tuple[str, Origin]:
        number, place = int(parts[-1]) if len(parts[-1]) < _MAX_DIGITS else -1, parts[:-2]
        if place and place[0] == "optimizer":
            return "/".join([*place, parts[-1]]), Origin("optimizer", "", "", "state" if scalar else "slot")
        layer, class_name, container = self._model, "", ""
        names: list[str] = []
        path = layer_path = ""
        for group in place:
            path = f"{path}/{group}" if path else group
            if group in _CONTAINERS:
                container = path
            elif container:
                label = self._groups.labels.get(path)
                layer = self._layer_of_group(layer, group, label, container)
                class_name = layer.class_name if layer is not None else _CLASSES.get(_NUMBER.sub("", group), "")
                names.append((layer.name if layer is not None else "") or label or group)
                container, layer_path = "", "/".join(names)
            else:
                names.append(group)
                layer, class_name = _inside(layer, class_name, group)
        role = _role(class_name, layer, number, self._groups.counts.get("/".join(parts[:-1]), 0))
        purpose: Purpose = "state" if _STATE.intersection(place) else ""
        name = "/".join(names)
        origin = Origin(layer_path or name, class_name, role, purpose)
        return "/".join(filter(None, [name, role or parts[-1]])), origin

    def _layer_of_group(self, model: Layer | None, group: str, label: str | None, container: str) -> Layer | None:
        """Return the layer that a group of a container has: by its label, its name, or the number of its class."""
        if model is None:
            return None
        if label is not None and (layer := self._find(model, label)) is not None:
            return layer
        if container not in self._by_group:
            self._by_group[container] = _layers_by_group(model, self._groups.siblings.get(container, frozenset()))
        return self._by_group[container].get(group)


def _layers_by_group(model: Layer, groups: frozenset[str]) -> dict[str, Layer]:
    """Return the layers of a model by the names of groups.

    Those are the names of layers, or those of classes with numbers. Keras 2 leaves out numbers.
    """
    by_name = {layer.name: layer for layer in model.layers}
    if groups <= by_name.keys():
        return by_name
    by_class: dict[str, list[Layer]] = {}
    for layer in model.layers:
        by_class.setdefault(to_snake_case(layer.class_name), []).append(layer)
    ranks: dict[str, int] = {}
    result = {}
    for group in sorted(groups, key=_number):
        base = _NUMBER.sub("", group)
        rank = ranks[base] = ranks.get(base, -1) + 1
        if rank < len(by_class.get(base, ())):
            result[group] = by_class[base][rank]
    return result


def _number(group: str) -> int:
    match = _NUMBER.search(group)
    return int(match[0][1:]) if match is not None else 0


def _inside(layer: Layer | None, class_name: str, group: str) -> tuple[Layer | None, str]:
    """Return the layer, and the class, of an object in a layer: a wrapped layer, or a part of the layer."""
    if group in _WRAPPED and layer is not None and layer.inner is not None:
        return layer.inner, layer.inner.class_name
    if group == "cell":
        return layer, class_name or "RNN"
    return None, "EinsumDense" if group.endswith("_dense") else ""


def _role(class_name: str, layer: Layer | None, number: int, count: int) -> str:
    """Return the role of variable `number` of `count`; "" if it is not known.

    Without the configuration of a layer, it is not known which of its variables are missing, unless only the bias may
    be: it is the last.
    """
    if layer is None and count != len(_ROLES.get(class_name, ())) and "gamma" in _ROLES.get(class_name, ()):
        return ""
    config = layer.config if layer is not None else {}
    roles = [role for role in _ROLES.get(class_name, ()) if config.get(_SWITCHED_OFF.get(role, ""), True) is not False]
    return roles[number] if number < len(roles) else ""
