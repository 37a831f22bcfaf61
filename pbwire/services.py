"""The services of .proto files, as data: modules that `python -m pbwire compile` writes declare them with it.

    Greeter = services.Service("pkg.Greeter", services.Method("Hello", Request, Reply, server_streaming=True))

Nothing here calls a service. A library for calls finds the path ("/pkg.Greeter/Hello"), the classes and the streams.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Method(NamedTuple):
    """A method of a service: its name, the classes of its messages, and which of them are streams."""

    name: str
    request: Any
    response: Any
    client_streaming: bool = False
    server_streaming: bool = False


class Service:
    """A service: its `full_name`, and its `methods` by name."""

    def __init__(self, full_name: str, *methods: Method) -> None:
        self.full_name = full_name
        self.methods = {method.name: method for method in methods}

    def __repr__(self) -> str:
        return f"Service({', '.join(map(repr, (self.full_name, *self.methods.values())))})"
