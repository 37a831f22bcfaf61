"""Malformed strings: the amount of data that the decoder reads."""

from __future__ import annotations

import pytest

from tfmodel.kernels.string import unicode

SIZE = 4096
INVALID = [b"\xff", b"a\xff", b"\xe2\x82", b"\xf0\x9f\x98a", b"\xd8\x00", b"\xd8\x00\xff\xff", b"a" * 100 + b"\xff"]


@pytest.mark.parametrize("encoding", list(unicode._DECODERS))
def test_all_of_a_string_is_not_decoded_for_each_invalid_byte(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded_bytes = 0
    decode = unicode._DECODERS[encoding]

    def counted(data: bytes, errors: str, final: bool) -> tuple[str, int]:
        nonlocal decoded_bytes
        decoded_bytes += len(data)
        return decode(data, errors, final)

    monkeypatch.setitem(unicode._DECODERS, encoding, counted)
    for part in INVALID:
        data = (part * SIZE)[:SIZE]
        decoded_bytes = 0
        sizes = [len(text.encode(encoding)) + bad for text, bad in unicode._decode_pieces(data, encoding)]
        assert sum(sizes) == SIZE
        assert decoded_bytes <= 2 * unicode._WINDOW * SIZE
