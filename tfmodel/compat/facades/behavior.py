"""Switches between the behaviors of TensorFlow 1 and 2, which scripts set at their start.

Without TensorFlow there is no default graph, and nothing runs eagerly: most of these functions do nothing.
"""

from __future__ import annotations

from . import tensor_shape

__all__ = [
    "disable_control_flow_v2",
    "disable_eager_execution",
    "disable_resource_variables",
    "disable_v2_behavior",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_v2_behavior",
    "executing_eagerly",
    "reset_default_graph",
]

_is_eager = True


def enable_v2_behavior() -> None:
    """Let the elements of shapes be ints. This is the default."""
    tensor_shape.enable_v2_tensorshape()
    enable_eager_execution()


def disable_v2_behavior() -> None:
    """Let the elements of shapes be Dimensions."""
    tensor_shape.disable_v2_tensorshape()
    disable_eager_execution()


def enable_eager_execution(config: object = None, device_policy: object = None, execution_mode: object = None) -> None:
    """Let `executing_eagerly` return True. This is the default."""
    global _is_eager
    _is_eager = True


def disable_eager_execution() -> None:
    """Let `executing_eagerly` return False."""
    global _is_eager
    _is_eager = False


def executing_eagerly() -> bool:
    """Return whether a script has not asked for the behavior of TensorFlow 1."""
    return _is_eager


def reset_default_graph() -> None:
    """Do nothing: there is no default graph."""


enable_resource_variables = disable_resource_variables = reset_default_graph
enable_control_flow_v2 = disable_control_flow_v2 = reset_default_graph
