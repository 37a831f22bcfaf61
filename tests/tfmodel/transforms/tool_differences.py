"""The differences from the C++ tool, with reasons: every case that differs has a row here.

TensorFlow has run both graphs of each case, see tests.golden.transforms.proofs: ours computes the same as the model.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from tests.golden.transforms.cases import Case
from tests.golden.transforms.proofs import Proof

__all__ = ["QUIRKS", "Quirk", "quirk_of"]

Kind = Literal["broken", "fine", "order", "accepted", "lost"]


class Quirk(NamedTuple):
    """A behaviour of the tool, and its lists of transforms and models, both as regular expressions.

    The kind says what its results are worth. `broken`: some do not compute the same as the model. `fine`: all do, and
    so do ours. `order`: all have our nodes in another order. `accepted`: the tool accepts what we refuse. `lost`: no
    result can be run any more, and neither can ours.
    """

    name: str
    kind: Kind
    transforms: str
    models: str = ""

    def matches(self, case: Case) -> bool:
        match = re.search(self.transforms, case.transforms) and re.search(self.models, str(case))
        return bool(match)

    def holds(self, proof: Proof) -> bool:
        """Is a case of this kind? `fine` are all that are; one `broken` result is enough for a quirk."""
        if self.kind == "accepted":
            return proof.ours.startswith("refused")
        if self.kind == "lost":
            return proof.ours.startswith("fails") and proof.tools.startswith("fails")
        return proof.ours == "same" and (self.kind == "broken" or proof.tools == "same")


QUIRKS = [
    # --- what we refuse
    Quirk("a list may end within parentheses", "accepted", r"^remove_device\($"),
    Quirk("arguments that there are not are passed over", "accepted", "unknown=1"),
    Quirk("ignore_errors makes up for arguments that are missing", "accepted", r"rename_op\(ignore_errors=true\)"),
    Quirk("inputs and outputs need not be in the graph", "accepted", "", r"\[.*nope.*\]$"),
    Quirk("arguments are not looked at before they are needed", "accepted", r"strip_unused_nodes\((type|shape)="),
    Quirk("a node may get a name that none can have", "accepted", "not a name"),
    # --- what the tool breaks, or does less of
    Quirk("an unknown op ends everything", "broken", "NobodyKnowsIt"),
    Quirk("a control input is taken for the axis", "broken", "backport_concatv2", "^concat:"),
    Quirk("paddings are not looked at", "broken", "flatten_atrous_conv", "^atrous_valid:"),
    Quirk("weights change for others that use them", "broken", "flatten_atrous_conv", "^atrous_shared:"),
    Quirk("it is forgotten which output is convolved", "broken", "flatten_atrous_conv", "^atrous_port:"),
    Quirk(
        "of two matches that share a constant one is left",
        "fine",
        "flatten|fuse",
        r"^(atrous_same:|(resize_|resize_pad_|pad_)conv:|pad_conv_kept: .*\[)",
    ),
    Quirk("half pixel centers are forgotten", "broken", "fuse_resize_and_conv", "^resize_conv_kept:"),
    Quirk("a match that is left is written backwards", "order", "fuse_pad_and_conv", "^pad_conv_kept:"),
    Quirk("percentiles reach beyond what is measured", "broken", "percentile=100"),
    Quirk("who waits for a range waits for nobody", "broken", "freeze_requant", "^requantized_waited:"),
    Quirk("results of functions are taken from wrong outputs", "broken", "inline_partitionedcall", "^calls"),
    Quirk("stateful calls stay", "fine", "inline_partitionedcall", "^stateful_calls"),
    Quirk("what is logged already is logged under the same name", "broken", r"^insert_logging\(op=Tanh\) insert"),
    Quirk("nodes without outputs are logged", "broken", r"^insert_logging($|\(op=NoOp)", "^identities:"),
    Quirk("attributes that have their usual value are missed", "broken", "^insert_logging$", "^tf2onnx/gru"),
    Quirk("outputs that are not used have types", "broken", "^insert_logging", "^(outputs|atrous_port|cut):"),
    Quirk("waiting for a node is using it", "fine", "^insert_logging"),
    Quirk("which of equal nodes stays depends on a hash", "fine", "merge_dup", "^(queue|duplicates|tf2onnx/lstm)"),
    Quirk("Placeholders are merged", "broken", "^merge_duplicate_nodes$", r"^twins: .*\[x ->"),
    Quirk("nodes have to be with others that were merged away", "broken", "^merge_duplicate_nodes"),
    Quirk("names that are declared with a port are replaced", "broken", "obfuscate_names", r"\[.*:\d.*\]$|^outputs"),
    Quirk("nodes have to be with others that were renamed", "broken", "obfuscate_names|rename_node"),
    Quirk("constants leave their loop or conditional", "broken", "remove_control_dependencies"),
    Quirk("blanks are part of names, and empty names crash", "broken", "", r"\[( x|x,) -> "),
    Quirk("sizes that are not known crash", "broken", 'shape="-1"'),
    Quirk("what is fed has one output, however many there were", "broken", "strip_unused_nodes", r"\[halves:1,x -> "),
    Quirk("types have no other names", "broken", "type=DT_FLOAT"),
    Quirk(
        "what is fed holds one float, whatever it was",
        "broken",
        "strip_unused_nodes",
        r"^(cut|identities|default_inputs):",
    ),
    Quirk(
        "what a removed node had waited for is forgotten",
        "broken",
        "remove_nodes",
        "^(assignments|training|identities|duplicates|tensor_arrays|outputs|cut)",
    ),
    Quirk(
        "what waits for one side of a conditional runs with the other",
        "broken",
        "remove_nodes",
        "^(conditionals|gradients)",
    ),
    Quirk(
        "loops miss an Identity without which TensorFlow's optimizer breaks them",
        "broken",
        "remove_nodes",
        "^(doubled|loops|lstm)",
    ),
    Quirk("all inputs but the first go with a node", "broken", "remove_nodes.*max_inputs", "^same_shapes:"),
    Quirk("nodes have to be with others that were removed", "broken", "remove_nodes", "^colocation:"),
    Quirk("behind a node that stays, all stay", "fine", "^remove_nodes", "^functional_flow"),
    # --- what is asked for and makes no sense
    Quirk("a stack gives values before it has any", "lost", "remove_control_dependencies", "^gradients:"),
]


def quirk_of(case: Case, proof: Proof) -> Quirk | None:
    """Return the row of a case."""
    return next((quirk for quirk in QUIRKS if quirk.matches(case) and quirk.holds(proof)), None)
