"""Extensions against protobuf: bytes, text and JSON of random messages, each read by the other side."""

from __future__ import annotations

import json as plain_json
from typing import Any

import pytest
from google.protobuf import json_format, text_format
from google.protobuf.message import DecodeError as TheirDecodeError
from hypothesis import HealthCheck, given, settings

import pbwire
from pbwire import json, text
from tests.pbwire.extensions.garage import garage, google_pool, twin
from tests.support.effort import scaled
from tests.support.protobuf_twin import IS_4_25
from tests.support.strategies import messages, mutations

SOME = settings(max_examples=scaled(40), deadline=None, suppress_health_check=list(HealthCheck))
REPEATED = [f"[{name}]" for name, one in garage().extensions.items() if one.row.label == "repeated"]
every_class = pytest.mark.parametrize("name", ["Car", "Part", "Later", "Store", "Box"])


@every_class
@pytest.mark.parametrize("lazy", [False, True], ids=["eager", "lazy"])
def test_bytes_mean_the_same(name: str, lazy: bool) -> None:
    cls = garage()[f"garage.{name}"]

    @SOME
    @given(messages(cls, unknown=True))
    def run(message: Any) -> None:
        data = message.to_bytes()
        theirs = twin(cls).FromString(data)
        ours = cls.from_bytes(data, lazy=lazy)
        assert ours == message
        assert ours.to_bytes() == data
        assert twin(cls).FromString(ours.to_bytes(deterministic=True)) == theirs
        assert cls.from_bytes(theirs.SerializeToString(), lazy=lazy) == cls.from_bytes(data)

    run()


@every_class
@pytest.mark.parametrize("unknown", [False, True])
def test_text_is_the_same(name: str, unknown: bool) -> None:
    cls = garage()[f"garage.{name}"]

    @SOME
    @given(messages(cls))
    def run(message: Any) -> None:
        theirs = twin(cls).FromString(message.to_bytes())
        printed = text.dumps(message, print_unknown_fields=unknown)
        expected = text_format.MessageToString(theirs, print_unknown_fields=unknown, as_utf8=False)
        # protobuf's Python names all items by their types, and cannot read these two; C++ prints their own names.
        assert printed == expected.replace("[garage.Car]", "[garage.car]").replace("[garage.Bag]", "[garage.bag]")
        assert text.dumps(cls.from_bytes(message.to_bytes(), lazy=True), print_unknown_fields=unknown) == printed
        assert text.loads(printed, cls) == message
        assert text_format.Parse(printed, twin(cls)(), descriptor_pool=google_pool()) == theirs

    run()


@every_class
def test_text_by_number_is_the_same(name: str) -> None:
    cls = garage()[f"garage.{name}"]

    @SOME
    @given(messages(cls))
    def run(message: Any) -> None:
        theirs = twin(cls).FromString(message.to_bytes())
        printed = text.MessageToString(message, use_field_number=True)
        assert printed == text_format.MessageToString(theirs, use_field_number=True, as_utf8=False)
        assert text.loads(printed, cls, allow_field_number=True) == message
        assert text_format.Parse(printed, twin(cls)(), allow_field_number=True) == theirs

    run()


@every_class
def test_json_is_the_same(name: str) -> None:
    cls = garage()[f"garage.{name}"]

    @SOME
    @given(messages(cls))
    def run(message: Any) -> None:
        theirs = twin(cls).FromString(message.to_bytes())
        printed = json.dumps(message)
        assert with_full_names(plain_json.loads(printed)) == with_full_names(json_format.MessageToDict(theirs))
        assert json.loads(printed, cls) == message
        assert json.loads(json.dumps(cls.from_bytes(message.to_bytes(), lazy=True)), cls) == message
        if not IS_4_25 or not any(f'"{name}": [' in printed for name in REPEATED):  # 4.25 cannot read them
            assert json_format.Parse(printed, twin(cls)(), descriptor_pool=google_pool()) == theirs

    run()


def with_full_names(value: Any) -> Any:
    """Give repeated extensions their full names in brackets, which protobuf 4.25 forgets."""
    if isinstance(value, list):
        return [with_full_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    full = {one.rpartition(".")[2]: f"[{one}]" for one in garage().extensions} if IS_4_25 else {}
    return {full.get(key, key): with_full_names(item) for key, item in value.items()}


@pytest.mark.slow(reason="decodes many damaged messages")
@every_class
def test_damage_is_found_or_means_the_same(name: str) -> None:
    cls = garage()[f"garage.{name}"]

    @SOME
    @given(messages(cls).map(lambda message: message.to_bytes()).flatmap(mutations))
    def run(data: bytes) -> None:
        try:
            ours = cls.from_bytes(data)
        except pbwire.DecodeError:
            return  # protobuf accepts strings of proto2 that are not UTF-8
        try:
            theirs = twin(cls).FromString(data)
        except TheirDecodeError:
            pytest.fail(f"protobuf refuses {data!r}")
        try:
            again = twin(cls).FromString(ours.to_bytes())
        except pbwire.EncodeError:
            assert not theirs.IsInitialized()
            return
        assert again == theirs or str(again) == str(theirs)  # NaNs differ

    run()
