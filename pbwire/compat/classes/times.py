"""The methods of google.protobuf.Timestamp and google.protobuf.Duration."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from ...json.wellknown import duration_text, read_duration, read_timestamp, timestamp_text
from .value_errors import ValueErrors

_NANOS = 10**9
_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_IN_UTC = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def _divide(number: int, by: int) -> tuple[int, int]:
    """Divide and round towards zero."""
    quotient, rest = divmod(abs(number), by)
    return (quotient, rest) if number >= 0 else (-quotient, -rest)


class _Time:
    """Base class of Timestamp and Duration: seconds and nanos."""

    seconds: int
    nanos: int
    _take: Any
    _python_type: ClassVar[type]  # of the values that can be assigned
    _from_python: ClassVar[Any]

    def _assign(self, value: Any) -> bool:
        if not isinstance(value, self._python_type):
            return False
        made = type(self)()
        made._from_python(value)
        self._take(made)
        return True

    def ToNanoseconds(self) -> int:
        return self.seconds * _NANOS + self.nanos

    def ToMicroseconds(self) -> int:
        return self._in_units(10**3)

    def ToMilliseconds(self) -> int:
        return self._in_units(10**6)

    def ToSeconds(self) -> int:
        return self.seconds

    def FromNanoseconds(self, nanos: int) -> None:
        self._set(nanos)

    def FromMicroseconds(self, micros: int) -> None:
        self._set(micros * 10**3)

    def FromMilliseconds(self, millis: int) -> None:
        self._set(millis * 10**6)

    def FromSeconds(self, seconds: int) -> None:
        self.seconds = seconds
        self.nanos = 0

    def _in_units(self, nanos: int) -> int:
        raise NotImplementedError

    def _set(self, nanos: int) -> None:
        raise NotImplementedError


class Timestamp(_Time):
    """Methods of google.protobuf.Timestamp."""

    def _in_units(self, nanos: int) -> int:
        self._check()
        return self.ToNanoseconds() // nanos

    def _set(self, nanos: int) -> None:
        seconds, rest = divmod(nanos, _NANOS)
        self.seconds, self.nanos = seconds, rest
        self._check()

    def _check(self) -> str:
        with ValueErrors("Timestamp is not valid: "):
            return timestamp_text(self)

    def ToJsonString(self) -> str:
        """Return the time in RFC 3339, in UTC. Raises ValueError for a time that is out of range."""
        return self._check()

    def FromJsonString(self, value: str) -> None:
        """Set the time from RFC 3339. Raises ValueError."""
        if not isinstance(value, str):
            raise ValueError(f"a time is a string, not {value!r}")
        with ValueErrors():
            self.seconds, self.nanos = read_timestamp(value)

    def GetCurrentTime(self) -> None:
        """Set the time to now."""
        self.FromDatetime(datetime.datetime.now(tz=datetime.UTC))

    def ToDatetime(self, tzinfo: datetime.tzinfo | None = None) -> datetime.datetime:
        """Return a datetime, in UTC without a time zone, or in the given zone. Nanoseconds are cut."""
        self._check()
        delta = datetime.timedelta(seconds=self.seconds, microseconds=self.nanos // 1000)
        return _EPOCH + delta if tzinfo is None else (_EPOCH_IN_UTC + delta).astimezone(tzinfo)

    def FromDatetime(self, dt: datetime.datetime) -> None:
        """Set the time from a datetime; without a time zone, it is in UTC."""
        if not hasattr(dt, "timetuple"):
            raise TypeError(f"expected a datetime, got {dt!r}")
        delta = dt - (_EPOCH if dt.tzinfo is None else _EPOCH_IN_UTC)
        self._set((delta.days * 86_400 + delta.seconds) * _NANOS + delta.microseconds * 1000)

    _python_type = datetime.datetime
    _from_python = FromDatetime

    def __add__(self, value: Any) -> datetime.datetime:
        return self.ToDatetime() + (value.ToTimedelta() if isinstance(value, Duration) else value)

    __radd__ = __add__

    def __sub__(self, value: Any) -> Any:
        if isinstance(value, Timestamp):
            return self.ToDatetime() - value.ToDatetime()
        return self.ToDatetime() - (value.ToTimedelta() if isinstance(value, Duration) else value)

    def __rsub__(self, dt: Any) -> Any:
        return dt - self.ToDatetime(tzinfo=dt.tzinfo)


class Duration(_Time):
    """Methods of google.protobuf.Duration."""

    def _in_units(self, nanos: int) -> int:
        self._check()
        return _divide(self.ToNanoseconds(), nanos)[0]

    def _set(self, nanos: int) -> None:
        self.seconds, self.nanos = _divide(nanos, _NANOS)
        self._check()

    def _check(self) -> str:
        with ValueErrors("Duration is not valid: "):
            return duration_text(self)

    def ToJsonString(self) -> str:
        """Return the seconds as text, such as "1.5s". Raises ValueError for a length that is out of range."""
        return self._check()

    def FromJsonString(self, value: str) -> None:
        """Set the length from text such as "1.5s". Raises ValueError."""
        if not isinstance(value, str):
            raise ValueError(f"a duration is a string, not {value!r}")
        with ValueErrors():
            self.seconds, self.nanos = read_duration(value)

    def ToTimedelta(self) -> datetime.timedelta:
        """Return a timedelta. Nanoseconds are cut towards zero."""
        return datetime.timedelta(seconds=self.seconds, microseconds=_divide(self.nanos, 1000)[0])

    def FromTimedelta(self, td: datetime.timedelta) -> None:
        """Set the length from a timedelta."""
        if not isinstance(td, datetime.timedelta):
            raise TypeError(f"expected a timedelta, got {td!r}")
        self._set((td.days * 86_400 + td.seconds) * _NANOS + td.microseconds * 1000)

    _python_type = datetime.timedelta
    _from_python = FromTimedelta

    def __add__(self, value: Any) -> Any:
        if isinstance(value, Timestamp):
            return self.ToTimedelta() + value.ToDatetime()
        return self.ToTimedelta() + value

    __radd__ = __add__

    def __sub__(self, value: Any) -> Any:
        return self.ToTimedelta() - value

    def __rsub__(self, value: Any) -> Any:
        return value - self.ToTimedelta()
