"""Classes of services that generated code makes with the option `py_generic_services`, and those of its stubs.

A service is a base class: a subclass defines the methods, and `CallMethod` calls one by its descriptor. A stub calls
`CallMethod` of a channel, which the program has. Neither knows a network: gRPC is another matter.
"""

from __future__ import annotations

from typing import Any


class Service:
    """Base class of services. A method takes the controller, the request, and a function for the response."""

    DESCRIPTOR: Any = None

    @classmethod
    def GetDescriptor(cls) -> Any:
        """Return the ServiceDescriptor."""
        return cls.DESCRIPTOR

    def CallMethod(self, method_descriptor: Any, rpc_controller: Any, request: Any, done: Any) -> Any:
        """Call a method that is given by its descriptor."""
        self._check(method_descriptor)
        return getattr(self, method_descriptor.name)(rpc_controller, request, done)

    def GetRequestClass(self, method_descriptor: Any) -> Any:
        """Return the class of the requests of a method."""
        self._check(method_descriptor)
        return method_descriptor.input_type._concrete_class

    def GetResponseClass(self, method_descriptor: Any) -> Any:
        """Return the class of the responses of a method."""
        self._check(method_descriptor)
        return method_descriptor.output_type._concrete_class

    def _check(self, method_descriptor: Any) -> None:
        if method_descriptor.containing_service is not self.DESCRIPTOR:
            raise RuntimeError(f"{method_descriptor.full_name} is not a method of {self.DESCRIPTOR.full_name}")


class GeneratedServiceType(type):
    """The metaclass of services: a class that has a DESCRIPTOR gets the methods that it declares.

    A method that no subclass defines says so to the controller.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        declared = namespace["DESCRIPTOR"].methods if "DESCRIPTOR" in namespace else ()
        methods = {method.name: mcs._method(method) for method in declared}
        return super().__new__(mcs, name, bases or (Service,), {**methods, **namespace})

    @staticmethod
    def _method(method: Any) -> Any:
        def not_implemented(self: Any, rpc_controller: Any, request: Any, done: Any) -> None:
            rpc_controller.SetFailed(f"Method {method.name} not implemented.")
            done(None)

        return not_implemented


class GeneratedServiceStubType(GeneratedServiceType):
    """The metaclass of stubs: a method calls `CallMethod` of the channel."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        return super().__new__(mcs, name, bases, {"__init__": _take_channel, **namespace})

    @staticmethod
    def _method(method: Any) -> Any:
        def call(self: Any, rpc_controller: Any, request: Any, callback: Any = None) -> Any:
            response = method.output_type._concrete_class
            return self.rpc_channel.CallMethod(method, rpc_controller, request, response, callback)

        return call


def _take_channel(self: Any, rpc_channel: Any) -> None:
    self.rpc_channel = rpc_channel


def service_classes(descriptor: Any, module: str) -> dict[str, Any]:
    """Return the class of a service and that of its stub, by name."""
    namespace = {"DESCRIPTOR": descriptor, "__module__": module}
    service = GeneratedServiceType(descriptor.name, (), dict(namespace))
    stub = GeneratedServiceStubType(f"{descriptor.name}_Stub", (service,), dict(namespace))
    return {service.__name__: service, stub.__name__: stub}
