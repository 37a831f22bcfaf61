"""Find the batch norms that normalize with the statistics of each batch, and the moving averages of these statistics.

A batch norm computes the mean and the variance of a batch while a model is trained, and adds them to moving averages,
which a deployed model uses in their place. A graph that was made for training has the first form, one of these:

    y, mean, variance = FusedBatchNorm(x, gamma, beta, ...)[is_training=true]       versions 1 to 3

    mean = Mean(x), variance = Mean(SquaredDifference(x, mean)), Rsqrt(variance + epsilon)       tf.nn.moments

A moving average is a variable to which arithmetic leads from the statistic, and whose old value is a part of the new:

    AssignSub(moving, (moving - mean) * decay)                     tf.layers, tf.contrib, ExponentialMovingAverage
    Assign(moving, moving * decay + mean * (1 - decay))            by hand
    AssignVariableOp(moving, FusedBatchNormV3(x, gamma, beta, moving, ...):1)                                Keras

Batch norms are left out if the graph chooses between the batch and the moving averages: in a conditional, in a loop,
and if another batch norm reads the same moving averages. Without moving averages, only fused nodes count, since the
second form is that of layer norms too; fused nodes of reshaped inputs do not, since they are layer norms of Keras.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..graph import attr
from ..graph.attributes import input_tensors
from ..graph.view import GraphView, User
from ..messages import DataType, NodeDef
from ..ops.traits import MERGE, PASS_THROUGH, SWITCH, VARIABLES
from ..values.names import TensorName
from .variables.handle_tracing import ARITHMETIC, ASSIGNS

FUSED = frozenset(f"FusedBatchNorm{version}" for version in ("", "V2", "V3"))

_AVERAGES = ARITHMETIC.keys()
_UPDATES = ARITHMETIC.keys() | ASSIGNS.keys()
_STEPS = frozenset({"Add", "AddV2", "Cast", "Div", "Identity", "Mul", "RealDiv", "StopGradient", "Sub"})
_COPIES = frozenset({"Identity", "StopGradient"})
_FORMS = frozenset({"Reshape", "Squeeze"})
_SUMS = frozenset({"Add", "AddV2"})
_CHOICES = MERGE | SWITCH
_MAX_STEPS = 8  # nodes between a statistic and the update of its moving average
_MAX_TENSORS = 200  # that are followed from a statistic
_BIASED = "/biased"  # the end of the name of an average of zeros and statistics, beside the corrected average


@dataclass(frozen=True, slots=True)
class BatchNorm:
    """A batch norm with the statistics of the batch.

    node       the fused node, or the node that adds epsilon to the variance
    mean       the mean and the variance of the batch
    moving     the variables, or the handles of the variables, that average the mean and the variance; None without both
    updates    the nodes that assign the new averages
    """

    node: str
    mean: TensorName
    variance: TensorName
    moving: tuple[TensorName, TensorName] | None = None
    updates: tuple[str, ...] = ()


def batch_norms(view: GraphView) -> list[BatchNorm]:
    """Return the batch norms of a graph, or of the body of a function, that use the statistics of the batch.

    Raises GraphError for a graph that is not valid.
    """
    is_any = any(op in FUSED or op == "SquaredDifference" for op in view.ops)
    return [*_Search(view).found()] if is_any else []


class _Search:
    def __init__(self, view: GraphView) -> None:
        self._nodes = view.nodes
        signature = view.body.message.signature if view.body is not None else None
        arguments = signature.input_arg if signature is not None else ()
        self._handles = {argument.name for argument in arguments if argument.type == DataType.DT_RESOURCE}
        self._consumers = view.consumers()
        self._frames = {name for name in view.nodes if view.has_loops and view.index.frame(name) is not None}
        self._deployed = {
            tensor
            for node in view.nodes.values()
            if node.op in FUSED and not attr(node, "is_training", bool, True)
            for index in (3, 4)
            if (tensor := self._variable(self._input(node, index))) is not None
        }

    def found(self) -> Iterator[BatchNorm]:
        for node in self._nodes.values():
            found = None
            if node.name in self._frames:
                continue
            if node.op in FUSED and attr(node, "is_training", bool, True):
                found = self._fused(node)
            elif node.op in _SUMS:
                found = self._composed(node)
            if found is not None and (found.moving is None or self._deployed.isdisjoint(found.moving)):
                yield found

    def _fused(self, node: NodeDef) -> BatchNorm | None:
        if attr(node, "data_format", bytes, b"NHWC") == b"NCHW" and self._is_reshaped(node):
            return None
        mean, variance = TensorName(node.name, 1), TensorName(node.name, 2)
        given = [self._variable(self._input(node, index)) for index in (3, 4)]
        if given[0] is not None and given[1] is not None:
            updates = [user.node.name for tensor in (mean, variance) for user in self._users(tensor) if _updates(user)]
            return BatchNorm(node.name, mean, variance, (given[0], given[1]), tuple(updates))
        return self._with_averages(node, mean, variance, _STEPS | _FORMS)

    def _is_reshaped(self, node: NodeDef) -> bool:
        data = self._input(node, 0)
        producer = self._nodes.get(data.node) if data is not None else None
        return producer is not None and producer.op == "Reshape"

    def _composed(self, node: NodeDef) -> BatchNorm | None:
        """Return the batch norm whose epsilon a node adds; None if it adds something else."""
        if not any(user.node.op in ("Rsqrt", "Sqrt", "Pow") for user in self._users(TensorName(node.name))):
            return None
        for variance in input_tensors(node)[:2]:
            mean = self._mean_beside(variance)
            if mean is None:
                continue
            if any(user.node.op in _CHOICES for tensor in (mean, variance) for user in self._users(tensor)):
                return None
            found = self._with_averages(node, mean, variance, _STEPS)
            return found if found.moving is not None else None
        return None

    def _mean_beside(self, variance: TensorName) -> TensorName | None:
        """Return the mean of the batch whose variance a tensor is; None for other tensors."""
        squares = self._squares(variance)
        if squares is None:
            return None
        for start in input_tensors(squares):
            mean = self._through(start, _COPIES)
            node = self._nodes.get(mean.node)
            if node is not None and node.op == "Mean":
                shaped = [tensor for tensor in self._shaped(mean) if self._is_like(tensor, variance)]
                return shaped[-1] if shaped else mean
        return None

    def _squares(self, variance: TensorName) -> NodeDef | None:
        """Return the SquaredDifference whose mean a tensor is; None for other tensors."""
        node = self._nodes.get(self._through(variance, _FORMS | _COPIES).node)
        if node is None or node.op != "Mean" or not node.input:
            return None
        squares = self._nodes.get(input_tensors(node)[0].node)
        return squares if squares is not None and squares.op == "SquaredDifference" else None

    def _shaped(self, mean: TensorName) -> Iterator[TensorName]:
        """Yield a mean, the same in other shapes, and copies of these."""
        queue = [mean]
        for tensor in queue:
            yield tensor
            users = [user.node for user in self._users(tensor) if user.node.op in _FORMS | _COPIES]
            queue += [TensorName(node.name) for node in users[: _MAX_TENSORS - len(queue)]]

    def _is_like(self, mean: TensorName, variance: TensorName) -> bool:
        """Return whether a mean comes by the same ops as the variance: both have dimensions of 1, or neither."""
        first, second = self._nodes.get(mean.node), self._nodes.get(variance.node)
        return first is not None and second is not None and first.op == second.op

    def _with_averages(
        self, node: NodeDef, mean: TensorName, variance: TensorName, through: frozenset[str]
    ) -> BatchNorm:
        origins = [self._through(tensor, _COPIES) for tensor in (mean, variance)]
        averages = [next(self._averages(tensor, through), None) for tensor in origins]
        first, second = averages
        if first is None or second is None or first[0] == second[0]:
            return BatchNorm(node.name, mean, variance)
        return BatchNorm(node.name, mean, variance, (first[0], second[0]), (first[1], second[1]))

    def _averages(self, statistic: TensorName, through: frozenset[str]) -> Iterator[tuple[TensorName, str]]:
        """Yield the variables that average a statistic, each with the node that assigns the new average."""
        queue, seen = [(statistic, 0)], {statistic}
        for tensor, steps in queue:
            for user in self._users(tensor):
                if _updates(user):
                    variable = self._variable(input_tensors(user.node)[0])
                    if variable is not None and (user.node.op in _AVERAGES or self._reads(tensor, variable)):
                        yield self._corrected(variable), user.node.name
                output = TensorName(user.node.name)
                if user.node.op in through and steps < _MAX_STEPS and len(seen) < _MAX_TENSORS and output not in seen:
                    seen.add(output)
                    queue.append((output, steps + 1))

    def _corrected(self, variable: TensorName) -> TensorName:
        """Return the average that is corrected for its start with zeros, beside one that is not."""
        name = variable.node.removesuffix(_BIASED)
        node = self._nodes.get(name)
        return TensorName(name) if node is not None and node.op in VARIABLES else variable

    def _reads(self, tensor: TensorName, variable: TensorName) -> bool:
        """Return whether arithmetic computes a tensor from the value of a variable."""
        queue, seen = [(tensor, 0)], {tensor}
        for current, steps in queue:
            if self._variable(current) == variable:
                return True
            node = self._nodes.get(current.node)
            if node is not None and node.op in _STEPS and steps < _MAX_STEPS:
                new = [producer for producer in input_tensors(node) if producer not in seen]
                seen.update(new)
                queue += [(producer, steps + 1) for producer in new]
        return False

    # --- steps -------------------------------------------------------------------------------------------------------

    def _users(self, tensor: TensorName) -> Iterable[User]:
        return self._consumers.get(tensor, ())

    @staticmethod
    def _input(node: NodeDef, index: int) -> TensorName | None:
        tensors = input_tensors(node)
        return tensors[index] if index < len(tensors) else None

    def _through(self, tensor: TensorName, ops: Iterable[str]) -> TensorName:
        """Return the tensor before nodes of these ops."""
        for _ in range(_MAX_STEPS):
            node = self._nodes.get(tensor.node)
            if node is None or node.op not in ops or not node.input:
                break
            tensor = input_tensors(node)[0]
        return tensor

    def _variable(self, tensor: TensorName | None) -> TensorName | None:
        """Return the variable, or its handle, whose value or handle a tensor is; None for other tensors."""
        if tensor is None:
            return None
        tensor = self._through(tensor, PASS_THROUGH)
        node = self._nodes.get(tensor.node)
        if node is None:
            return tensor if tensor.node in self._handles else None
        return tensor if node.op in VARIABLES else None


def _updates(user: User) -> bool:
    return user.node.op in _UPDATES and user.input_index == 1
