"""Shape rules of activations, normalization, losses and recurrent layers."""

from __future__ import annotations

from ...errors import GraphError
from ...values.shape import Dim, Shape, broadcast, merge_dims, merge_shapes, rows_shape, shape_to_text, with_rank
from .partial_tensors import Tensor
from .table import Call, Result, Rule, merge_inputs, same_shape, scalar, share_rule

_CHANNELS = "NHWC"


def bias_add(call: Call) -> Shape | None:
    shape, bias = call.shape(0), call.shape(1)
    if bias is not None and len(bias) != 1:
        raise GraphError(f"the bias must be a vector, not of {len(bias)} dimensions")
    if shape is None:
        return None
    is_first = call.attr("data_format", str, "NHWC") == "NCHW"
    rows_shape(shape, 3 if is_first else 2)
    channels = 1 if is_first else len(shape) - 1
    (size,) = merge_shapes(shape[channels : channels + 1], bias) or (None,)
    return (*shape[:channels], size, *shape[channels + 1 :])


def _bias_add_grad(call: Call) -> Result:
    shape = call.shape(0)
    if shape is None:
        return (None,)
    axis = 1 if call.attr("data_format", str, "NHWC") == "NCHW" else len(shape) - 1
    rows_shape(shape, axis + 1)
    return (rows_shape(shape, 1) or (None,))[axis : axis + 1]


def _first_of_rank(min_rank: int) -> Rule:
    def rule(call: Call) -> Result:
        return rows_shape(call.shape(0), min_rank)

    return rule


def _top_k(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    k = call.number(1) if call.node.op == "TopKV2" else call.attr("k", int)
    if shape is None:
        return [None, None]
    if k is not None and (k < 0 or (shape[-1] is not None and shape[-1] < k)):
        raise GraphError(f"k is {k}, but the input has shape {shape_to_text(shape)}")
    return [(*shape[:-1], k)] * 2


def _nth_element(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    return None if shape is None else shape[:-1]


def _in_top_k(call: Call) -> Result:
    predictions, targets = with_rank(call.shape(0), 2), with_rank(call.shape(1), 1)
    return merge_shapes(predictions[:1], targets)


def _read_channels(call: Call, parameters: tuple[int, ...]) -> tuple[Shape, Dim]:
    """Return the shape of the images, and the number of channels; the parameters are vectors of this size."""
    layout = call.attr("data_format", str, _CHANNELS)
    rank = 5 if len(layout) == 5 else 4
    shape = with_rank(call.shape(0), rank)
    axis = layout.find("C")
    if axis < 0 or axis >= rank:
        raise GraphError(f'unknown data_format "{layout}"')
    channels = shape[axis]
    for index in parameters:
        vector = call.shape(index)
        if vector is not None and len(vector) != 1:
            raise GraphError(f"input {index} must be a vector, not {shape_to_text(vector)}")
        channels = merge_dims(channels, with_rank(vector, 1)[0])
    return (*shape[:axis], channels, *shape[axis + 1 :]), channels


def _fused_batch_norm(outputs: int) -> Rule:
    def rule(call: Call) -> Result:
        training = call.attr("is_training", bool, True)
        factor = call.attr("exponential_avg_factor", float, 1.0)
        uses_moments = not training or factor != 1.0
        shape, channels = _read_channels(call, (1, 2, 3, 4) if uses_moments else (1, 2))
        return [shape, *[(channels,)] * 4, *[None] * (outputs - 5)]

    return rule


def _fused_batch_norm_grad(call: Call) -> Result:
    layout = call.attr("data_format", str, _CHANNELS)
    shape = merge_shapes(with_rank(call.shape(0), len(layout)), call.shape(1)) or ()
    axis = layout.find("C")
    if axis < 0 or axis >= len(shape):
        raise GraphError(f'unknown data_format "{layout}"')
    channels = shape[axis]
    for index in (2, 3, 4) if call.attr("is_training", bool, True) else (2,):
        channels = merge_dims(channels, with_rank(call.shape(index), 1)[0])
    return [(*shape[:axis], channels, *shape[axis + 1 :]), (channels,), (channels,), (0,), (0,)]


def _batch_norm(call: Call) -> Result:
    """Return the shape of the images, whose channels are last."""
    shape = with_rank(call.shape(0), 4)
    channels = shape[3]
    for index in range(1, 5):
        channels = merge_dims(channels, with_rank(call.shape(index), 1)[0])
    return (*shape[:3], channels)


def _lrn(call: Call) -> Result:
    return with_rank(call.shape(0), 4)


def _cross_entropy(call: Call) -> Result:
    features, labels = call.shape(0), call.shape(1)
    shape = with_rank(broadcast(features, labels), 2)
    return [(shape[0],), shape]


def _sparse_cross_entropy(call: Call) -> Result:
    shape, labels = with_rank(call.shape(0), 2), with_rank(call.shape(1), 1)
    batch = merge_dims(shape[0], labels[0])
    return [(batch,), (batch, shape[1])]


def _ctc_loss(call: Call) -> Result:
    shape = with_rank(call.shape(0), 3)
    batch = merge_dims(shape[1], with_rank(call.shape(3), 1)[0])
    return [(batch,), (shape[0], batch, shape[2])]


def _ctc_greedy(call: Call) -> Result:
    batch = merge_dims(with_rank(call.shape(0), 3)[1], with_rank(call.shape(1), 1)[0])
    return [(None, 2), (None,), (2,), (batch, 1)]


def _ctc_beams(call: Call) -> Result:
    batch = merge_dims(with_rank(call.shape(0), 3)[1], with_rank(call.shape(1), 1)[0])
    paths = call.attr("top_paths", int)
    if not 0 < paths <= 1 << 16:
        raise GraphError(f"top_paths must be from 1 to {1 << 16:,}, got {paths:,}")
    return [*[(None, 2)] * paths, *[(None,)] * paths, *[(2,)] * paths, (batch, paths)]


def _lstm_block_cell(call: Call) -> Result:
    x, state = with_rank(call.shape(0), 2), with_rank(call.shape(1), 2)
    return [(x[0], state[1])] * 7


def _block_lstm(call: Call) -> Result:
    """Return the shapes of all steps. The bias has four parts, one for each gate."""
    time, batch, _ = with_rank(call.shape(1), 3)
    bias = with_rank(call.shape(8), 1)[0]
    return [(time, batch, None if bias is None else bias // 4)] * 7


def _block_lstm_grad(call: Call) -> Result:
    return [with_rank(call.shape(index), rank) for index, rank in enumerate((3, 2, 2, 2, 1, 1, 1, 1), 1)]


def _gru_block_cell(call: Call) -> Result:
    x, state = with_rank(call.shape(0), 2), with_rank(call.shape(1), 2)
    return [(x[0], state[1])] * 4


def _cudnn_rnn(call: Call) -> Result:
    """Return the shapes of cuDNN outputs; only the GPU knows the size of its reserve space."""
    shape, state = with_rank(call.shape(0), 3), with_rank(call.shape(1), 3)
    directions = 2 if call.attr("direction", str, "unidirectional") == "bidirectional" else 1
    units = None if state[2] is None else state[2] * directions
    cells: Shape | Tensor | None = state if call.attr("rnn_mode", str, "lstm") == "lstm" else ()
    outputs: list[Shape | Tensor | None] = [(shape[0], shape[1], units), state, cells, None]
    return outputs if call.node.op == "CudnnRNN" else [*outputs, None]


ELEMENTWISE: dict[str, Rule] = {
    "BiasAdd": bias_add,
    "BiasAddGrad": _bias_add_grad,
    "BiasAddV1": bias_add,
    "LogSoftmax": _first_of_rank(1),
    "Softmax": _first_of_rank(1),
    **share_rule(
        """
        DataFormatDimMap DataFormatVecPermute Elu LeakyRelu Relu Relu6 Selu Softplus Softsign
        """,
        same_shape,
    ),
    **share_rule("EluGrad LeakyReluGrad Relu6Grad ReluGrad SeluGrad SoftplusGrad SoftsignGrad", merge_inputs),
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "BatchNormWithGlobalNormalization": _batch_norm,
    "BlockLSTM": _block_lstm,
    "BlockLSTMGrad": _block_lstm_grad,
    "BlockLSTMV2": _block_lstm,
    "CTCBeamSearchDecoder": _ctc_beams,
    "CTCGreedyDecoder": _ctc_greedy,
    "CTCLoss": _ctc_loss,
    "CTCLossV2": _ctc_loss,
    "CudnnRNN": _cudnn_rnn,
    "CudnnRNNV2": _cudnn_rnn,
    "CudnnRNNV3": _cudnn_rnn,
    "FusedBatchNorm": _fused_batch_norm(5),
    "FusedBatchNormGrad": _fused_batch_norm_grad,
    "FusedBatchNormGradV2": _fused_batch_norm_grad,
    "FusedBatchNormGradV3": _fused_batch_norm_grad,
    "FusedBatchNormV2": _fused_batch_norm(5),
    "FusedBatchNormV3": _fused_batch_norm(6),
    "GRUBlockCell": _gru_block_cell,
    "InTopK": _in_top_k,
    "InTopKV2": _in_top_k,
    "L2Loss": scalar,
    "LRN": _lrn,
    "LSTMBlockCell": _lstm_block_cell,
    "NthElement": _nth_element,
    "SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
    "TopK": _top_k,
    "TopKV2": _top_k,
    "_FusedBatchNormEx": _fused_batch_norm(6),
}
