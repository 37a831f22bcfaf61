"""Record the order in which TensorFlow 2.12 declares the fields of its messages: field_order.json.

    python -m tests.golden.wire.field_order        # with a Python that has TensorFlow 2.12

The file maps full names to the names of fields, for the messages whose fields are not declared in the order of their
numbers. The script needs nothing else of this repository.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

FILE = Path(__file__).with_name("field_order.json")


def descriptors() -> Any:
    """Yield the descriptors of all messages of TensorFlow's modules, nested ones included."""
    import tensorflow.core as core

    for module in walk_packages(core.__path__, "tensorflow.core."):
        if module.name.endswith("_pb2"):
            waiting = list(import_module(module.name).DESCRIPTOR.message_types_by_name.values())
            while waiting:
                descriptor = waiting.pop()
                waiting += descriptor.nested_types
                yield descriptor


def main() -> None:
    orders = {}
    for descriptor in descriptors():
        fields = list(descriptor.fields)
        if fields != sorted(fields, key=lambda field: field.number):
            orders[descriptor.full_name] = [field.name for field in fields]
    FILE.write_text(json.dumps(orders, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
