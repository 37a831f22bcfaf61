"""Messages print and read text as the version of protobuf that is followed: 4.25 here, and the newest beside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from google.protobuf import text_format as google_text
from hypothesis import given, settings

from pbwire import behavior, text, wellknown
from pbwire.behavior import BEHAVIORS, DEFAULT, follow
from pbwire.compat import compat_class, text_format
from pbwire.compat.pool_types import PoolTypes
from tests.pbwire.text.reference import TYPES
from tests.support import samples
from tests.support.effort import scaled
from tests.support.newest_protobuf import Ask, Conversation, Refused, Unavailable, installed
from tests.support.protobuf_twin import IS_4_25, pool, twin
from tests.support.strategies import messages as random_messages
from tfmodel import messages

# Of other messages of TensorFlow, the twin does not know in which order their fields are declared.
CLASSES = [
    messages.AttrValue,
    samples.Choice,
    samples.Groups,
    samples.Maps,
    samples.Nesting,
    samples.Optionals,
    samples.Proto2,
    samples.Repeated,
    samples.Scalars,
    samples.Wide,
    wellknown.Any,
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"as_utf8": True},
    {"as_utf8": False, "as_one_line": True},
    {"use_short_repeated_primitives": True, "print_unknown_fields": True},
]
Google = Callable[[Ask], Any]


def installed_protobuf(ask: Ask) -> Any:
    """Answer as `newest` does, by the protobuf of this process."""
    message = twin(ask.full_name)()
    if ask.want == "parse text":
        try:
            google_text.Parse(ask.content, message, descriptor_pool=pool())
        except google_text.ParseError as error:
            return Refused(str(error))
        return message.SerializeToString(deterministic=True)
    message.MergeFromString(ask.content)
    if ask.want == "str":
        return str(message)
    return google_text.MessageToString(message, descriptor_pool=pool(), **ask.options)


@pytest.fixture(scope="module")
def newest_protobuf() -> Iterator[Google]:
    try:
        installed()
    except Unavailable as error:
        pytest.skip(str(error))
    conversation = Conversation()
    yield lambda ask: conversation.ask(ask)[0]
    conversation.close()


@pytest.fixture(params=["4.25", DEFAULT])
def google(request: pytest.FixtureRequest) -> Iterator[Google]:
    """The answers of a version of protobuf, which pbwire follows meanwhile."""
    if request.param == "4.25" and not IS_4_25:
        pytest.skip("needs protobuf 4.25")
    google = installed_protobuf if request.param == "4.25" else request.getfixturevalue("newest_protobuf")
    follow(request.param)
    yield google
    follow(DEFAULT)


def comparable(text: str) -> Any:
    """Maps are printed in any order by `str` of protobuf: then the lines count."""
    return sorted(text.splitlines())


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_random_messages_are_printed_as_by_the_version_that_is_followed(cls: Any, google: Google) -> None:
    has_maps = cls in (messages.AttrValue, samples.Maps)

    @given(random_messages(cls, unknown=True))
    @settings(max_examples=scaled(8))
    def run(message: Any) -> None:
        data = message.to_bytes()
        name = cls.__table__.full_name
        ours = compat_class(cls).FromString(data)
        expected = google(Ask(name, data, "str"))
        assert repr(ours) == str(ours)
        assert str(ours) == expected or (has_maps and comparable(str(ours)) == comparable(expected))
        for options in OPTIONS:
            printed = text_format.MessageToString(ours, descriptor_pool=TYPES, **options)
            assert printed == google(Ask(name, data, "text", options))

    run()


STRUCT = wellknown.Struct(fields={"a": wellknown.Value(number_value=-0.0), "b": wellknown.Value()})
ANYS = [
    wellknown.Any(type_url="type.googleapis.com/google.protobuf.Struct", value=STRUCT.to_bytes()),
    wellknown.Any(type_url="x/google.protobuf.ListValue", value=wellknown.ListValue(values=[]).to_bytes()),
    wellknown.Any(type_url="x/google.protobuf.ListValue"),
    wellknown.Any(type_url="x/google.protobuf.Value", value=wellknown.Value(bool_value=True).to_bytes()),
    wellknown.Any(type_url="x/google.protobuf.Duration", value=wellknown.Duration(seconds=1).to_bytes()),
]


@pytest.mark.parametrize("message", ANYS, ids=lambda message: message.type_url)
def test_any_messages_are_expanded_as_by_the_version_that_is_followed(message: Any, google: Google) -> None:
    expected = google(Ask("google.protobuf.Any", message.to_bytes(), "text", {"as_utf8": False}))
    assert text.dumps(message, types=TYPES) == expected
    ours = compat_class(wellknown.Any).FromString(message.to_bytes())
    assert text_format.MessageToString(ours, as_utf8=False) == expected
    if behavior.behavior().structs:
        assert text.loads(expected, wellknown.Any, types=TYPES) == message


@pytest.mark.parametrize("payload", ["0b14", "0b0c", "1b0b0c1c", "1b0b1c0c", "0c", "0304", "0b0300040c", "0b", "0800"])
def test_unknown_bytes_are_a_message_as_in_the_version_that_is_followed(payload: str, google: Google) -> None:
    data = bytes([10, len(payload) // 2]) + bytes.fromhex(payload)
    options = {"print_unknown_fields": True}
    ours = compat_class(wellknown.Empty).FromString(data)
    printed = text_format.MessageToString(ours, **options)
    assert printed == google(Ask("google.protobuf.Empty", data, "text", options))


VALUES = ["0", "-0", "0.0", "-0.0", "1", "-1e-400", "nan", "-inf"]


@pytest.mark.parametrize("field", ["a_float", "a_double"])
def test_a_value_may_follow_another_as_in_the_version_that_is_followed(field: str, google: Google) -> None:
    for first, second, end in product(VALUES, VALUES, " \n"):
        line = f"{field}: {first}{end}{field}: {second}"
        expected = google(Ask("sample.Scalars", line, "parse text"))
        readers = [
            lambda line: text_format.Parse(line, compat_class(samples.Scalars)()).SerializeToString(deterministic=True),
            lambda line: text.loads(line, samples.Scalars).to_bytes(deterministic=True),
        ]
        for read in readers:
            try:
                answer = read(line)
            except text_format.ParseError:
                answer = None
            assert answer == (None if isinstance(expected, Refused) else expected), line


def test_only_known_versions_can_be_followed() -> None:
    with pytest.raises(ValueError, match=r"pbwire follows protobuf 4\.25 or 6\.31, not '5'"):
        follow("5")
    assert behavior.behavior() is BEHAVIORS[DEFAULT]


@pytest.mark.parametrize("version", BEHAVIORS)
def test_scripts_see_the_version_that_is_followed(version: str, tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text("import google.protobuf; print(google.protobuf.__version__)")
    command = [sys.executable, "-m", "tfmodel.compat", "--override", "--protobuf", version, str(script)]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed == f"{BEHAVIORS[version].version}\n"


def test_types_of_a_pool_are_found_by_name() -> None:
    assert PoolTypes()["google.protobuf.Struct"] is wellknown.Struct
