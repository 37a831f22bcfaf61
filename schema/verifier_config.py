"""tensorflow/core/protobuf/verifier_config.proto: checks of the graph between optimizations."""

from __future__ import annotations

from pbwire import table as pb

__all__ = ["VerifierConfig"]


@pb.message("tensorflow.VerifierConfig")
class VerifierConfig(pb.Message):
    """The checks that run, and their time limit."""

    @pb.enum("tensorflow.VerifierConfig.Toggle")
    class Toggle(pb.Enum):
        """A switch for a check."""

        DEFAULT = 0
        ON = 1
        OFF = 2

    verification_timeout_in_ms: int = pb.int64(1)  # for all of them together
    structure_verifier: Toggle = pb.field(Toggle, 2)  # checks that the graph is well formed; off by default
