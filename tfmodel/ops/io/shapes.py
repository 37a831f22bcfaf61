"""Shape rules of ops on files and summaries, and of messages."""

from __future__ import annotations

from ..shape_helpers import scalar, unchanged
from ..shape_rules import Rule, alike

__all__ = ["ELEMENTWISE", "RULES"]


ELEMENTWISE: dict[str, Rule] = {
    "Print": unchanged,
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "MatchingFiles": lambda call: (None,),
    **alike(
        """
        AudioSummary AudioSummaryV2 HistogramSummary ImageSummary MergeSummary ReadFile ScalarSummary
        ShardedFilename ShardedFilespec TensorSummary TensorSummaryV2 Timestamp
        """,
        scalar,
    ),
}
