"""Rank everything that may be an input or an output of a model; `analysis.choice` takes of it what a command needs.

    ends = Facts.of(source).endpoints
    [(end.tensor, end.confidence, end.reason) for end in ends.outputs]

The package imports `analysis.shapes`, `source` and packages below them. `analysis.facts` calls it for reports that list
all candidates, and for `analysis.choice`, which chooses inputs and outputs for all commands.

    selection.py         `infer_endpoints`: rank signatures, predictions of losses and ends of the graph
    candidates.py        candidates with their ranks and confidence, and those of signatures
    doubts.py            what lowers the confidence of outputs
    ends.py              tensors that no other node uses, apart from auxiliary nodes and losses
    inputs.py            ranks of inputs
    endpoints.py         the result of a selection: inputs and outputs with the reasons for their ranks
    alternatives.py      results that users want in place of a prediction, such as those of a tower without dropout
    decoders.py          decoders that take their own choices, in place of those that take the words of the target
    needs.py             the inputs, variables and random numbers that a tensor needs
    actors.py            results that are trained without a loss that compares them
    copies.py            networks that a graph has several times, such as the workers of A3C
    generators.py        the outputs of generators, which a discriminator takes in place of data
    layer_stacks.py      the last of several layers that nothing else uses
    selected.py          ends that show results before the model selects some of them
    losses.py            the predictions of training graphs that users want
    loss_roots.py        where the losses of training graphs are
    learned_optimizers.py  networks that compute how the weights of another network change
    joins.py             where a loss combines computed values with labels, or with other inputs
    targets.py           predictions that a loss compares with what the graph makes itself
    loss_steps.py        the steps between a prediction and its loss, and the scopes that are called losses
    labels.py            the labels of training graphs
    lengths.py           inputs that say how long sequences are
    choice_masks.py      inputs that tell which results a model may choose
    activations.py       the steps from a prediction to its probabilities
    edges.py             the edges of a graph as tensors
    data_constants.py    constants that are the data of a graph without other inputs
    dependencies.py      the inputs and variables that each tensor depends on
    training_inputs.py   inputs that only training sets, such as is_training and keep_prob
    auxiliary_nodes.py   nodes that save, initialize, train and check a model
"""

from __future__ import annotations

from .candidates import MIN_CONFIDENCE
from .endpoints import Endpoints
from .selection import infer_endpoints

__all__ = ["MIN_CONFIDENCE", "Endpoints", "infer_endpoints"]
