"""Enums as protobuf's Python code has them: plain numbers, and a wrapper that knows their names."""

from __future__ import annotations

from typing import Any

from ...kept import kept
from . import above


class EnumNumbers:
    """The type of an enum field whose values are plain ints.

    It has the attributes of an enum that codecs and checks read. `__numbers__` maps each declared number to itself.
    """

    def __init__(self, enum: Any) -> None:
        self.enum = enum
        self.__kept__: dict[Any, Any] = {}  # see `pbwire.kept`
        self.__name__ = enum.__name__
        self.__full_name__: str = enum.__full_name__
        self.__closed__: bool = enum.__closed__
        self.__members__ = enum.__members__
        self.__numbers__ = {int(number): int(number) for number in enum.__numbers__}


@kept
def enum_numbers(enum: Any) -> EnumNumbers:
    """Return the type of the fields of an enum."""
    return EnumNumbers(enum)


class EnumWrapper:
    """Names and numbers of an enum: `DataType.Name(1)`, `DataType.Value("DT_FLOAT")`, `DataType.DT_FLOAT`."""

    def __init__(self, enum: Any) -> None:
        self._enum = getattr(enum, "_enum", enum)  # of an EnumDescriptor too

    @property
    def DESCRIPTOR(self) -> Any:
        return above.descriptors().enum_descriptor(self._enum)

    def Name(self, number: int) -> str:
        """Return the name of a number. Raises ValueError for a number without a name, TypeError for other values."""
        if not hasattr(number, "__index__"):
            raise TypeError(f"the value of {self._enum.__name__} must be an int, not {number!r}")
        member = self._enum.__numbers__.get(int(number))
        if member is None:
            raise ValueError(f"{self._enum.__name__} has no name for the number {number!r}")
        return str(member.name)

    def Value(self, name: str | bytes) -> int:
        """Return the number of a name. Raises ValueError for an unknown name."""
        if isinstance(name, bytes):
            name = name.decode()
        member = self._enum.__members__.get(name)
        if member is None:
            raise ValueError(f"{self._enum.__name__} has no value {name!r}")
        return int(member)

    def keys(self) -> list[str]:
        """Return the names, in the order of their declaration."""
        return list(self._enum.__members__)

    def values(self) -> list[int]:
        """Return the numbers, in the order of their declaration."""
        return [int(member) for member in self._enum.__members__.values()]

    def items(self) -> list[tuple[str, int]]:
        """Return pairs of name and number, in the order of their declaration."""
        return [(name, int(member)) for name, member in self._enum.__members__.items()]

    def __getattr__(self, name: str) -> int:
        if not name.startswith("__"):
            member = self._enum.__members__.get(name)
            if member is not None:
                return int(member)
        raise AttributeError(f"{self._enum.__name__} has no value {name!r}")

    def __or__(self, other: Any) -> Any:
        return type(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | type(self)

    def __repr__(self) -> str:
        return f"<EnumWrapper {self._enum.__full_name__}>"


@kept
def enum_wrapper(enum: Any) -> EnumWrapper:
    """Return the wrapper of an enum."""
    return EnumWrapper(enum)
