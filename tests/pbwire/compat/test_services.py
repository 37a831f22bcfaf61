"""Services of generated code: base classes whose methods a program defines, and stubs that call its channel."""

from __future__ import annotations

from typing import Any

import pytest

from pbwire.compat import compat_class
from pbwire.compat.generated import build_services
from pbwire.compat.pools import DescriptorPool
from pbwire.proto import descriptor_messages as d


class Controller:
    problem = ""

    def SetFailed(self, reason: str) -> None:  # noqa: N802  protobuf's
        self.problem = reason


@pytest.fixture
def module() -> dict[str, Any]:
    """The namespace of generated code with a service."""
    methods = [
        {"name": "Open", "input_type": ".s.Key", "output_type": ".s.Door"},
        {"name": "Shut", "input_type": ".s.Door", "output_type": ".s.Key"},
    ]
    file = DescriptorPool().Add(
        compat_class(d.FileDescriptorProto)(
            name="s.proto",
            package="s",
            message_type=[{"name": "Key"}, {"name": "Door"}],
            service=[{"name": "House", "method": methods}, {"name": "Other", "method": methods[:1]}],
        )
    )
    namespace: dict[str, Any] = {}
    build_services(file, "s_pb2", namespace)
    assert list(namespace) == ["House", "House_Stub", "Other", "Other_Stub"]
    return namespace


def test_a_subclass_defines_methods_that_are_called_by_descriptor(module: dict[str, Any]) -> None:
    class Mine(module["House"]):  # type: ignore[misc]  # a class made at run time
        def Open(self, controller: Any, request: Any, done: Any) -> None:  # noqa: N802  a name of the service
            done(request)

    opening, shutting = Mine.GetDescriptor().methods
    answers: list[Any] = []
    controller = Controller()
    service = Mine()
    service.CallMethod(opening, controller, "key", answers.append)
    assert (answers, controller.problem) == (["key"], "")
    service.CallMethod(shutting, controller, "door", answers.append)
    assert (answers, controller.problem) == (["key", None], "Method Shut not implemented.")
    assert (
        service.GetRequestClass(opening).DESCRIPTOR.name == service.GetResponseClass(shutting).DESCRIPTOR.name == "Key"
    )
    with pytest.raises(RuntimeError, match=r"s\.Other\.Open is not a method of s\.House"):
        service.CallMethod(module["Other"].DESCRIPTOR.methods[0], controller, "key", answers.append)


def test_a_stub_calls_its_channel(module: dict[str, Any]) -> None:
    class Channel:
        def CallMethod(self, *arguments: Any) -> Any:  # noqa: N802  protobuf's
            return arguments

    stub = module["House_Stub"](Channel())
    method, controller, request, response, callback = stub.Open("controller", "key", print)
    assert method is stub.GetDescriptor().methods_by_name["Open"]
    assert (controller, request, response.DESCRIPTOR.name, callback) == ("controller", "key", "Door", print)
    assert module["House_Stub"].__module__ == "s_pb2"
