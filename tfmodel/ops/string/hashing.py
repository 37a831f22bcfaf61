"""Hashes of strings, with exactly the results of TensorFlow, since trained models depend on the bucket of a word.

    StringToHashBucketFast         FarmHash's Fingerprint64
    StringToHashBucketStrong       SipHash-2-4 with a key
    StringToHashBucket             MurmurHash64A, deprecated
    Fingerprint                    Fingerprint64, of the bytes of tensors

All hashes are unsigned 64-bit numbers and read bytes in little-endian order. They follow the published descriptions by
Austin Appleby, by Jean-Philippe Aumasson and Daniel J. Bernstein, and of the FarmHash library.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.registry import Tensor, kernel

__all__ = ["fingerprint64"]

_ALL = (1 << 64) - 1


@kernel("StringToHashBucketFast")
def string_to_hash_bucket_fast(x: Tensor, *, num_buckets: int) -> Tensor:
    return _buckets(x, fingerprint64, num_buckets)


@kernel("StringToHashBucketStrong")
def string_to_hash_bucket_strong(x: Tensor, *, num_buckets: int, key: list[int]) -> Tensor:
    check(len(key) == 2, f"its key must be two numbers, not {len(key)}")
    return _buckets(x, lambda data: _sip_hash(data, key[0] & _ALL, key[1] & _ALL), num_buckets)


@kernel("StringToHashBucket")
def string_to_hash_bucket(x: Tensor, *, num_buckets: int) -> Tensor:
    return _buckets(x, lambda data: _murmur_hash(data, 0xDECAFCAFFE), num_buckets)


@kernel("Fingerprint")
def fingerprint(data: Tensor, method: Tensor) -> Tensor:
    """Return 8 bytes for each row. The fingerprint of several strings is that of their fingerprints."""
    check(read_scalar(method, "method") == b"farmhash64", "its method must be farmhash64")
    check(data.ndim, "data must have a dimension")
    rows = data.reshape(len(data), math.prod(data.shape[1:]))
    if data.dtype == object:
        lines = [[fingerprint64(each) for each in row] for row in rows.tolist()]
        if rows.shape[1] > 1:
            lines = [[fingerprint64(np.array(row, "<u8").tobytes())] for row in lines]
        hashes = [row[0] for row in lines]
    else:
        hashes = [fingerprint64(row.tobytes()) for row in np.ascontiguousarray(rows)]
    return np.array(hashes, "<u8").view(np.uint8).reshape(len(data), 8)


def _buckets(x: Tensor, of: Callable[[bytes], int], count: int) -> Tensor:
    check(count > 0, f"num_buckets must be positive, and is {count}")
    check(x.dtype == object, f"it hashes strings, not {x.dtype}{show(x.shape)}")
    values = x.reshape(-1).tolist()
    known = {each: of(each) % count for each in set(values)}
    return np.array([known[each] for each in values], np.int64).reshape(x.shape)


def _number(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


# --- FarmHash --------------------------------------------------------------------------------------------------------

_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def fingerprint64(data: bytes) -> int:
    """Return FarmHash's Fingerprint64 of bytes."""
    size = len(data)
    if size <= 16:
        return _up_to_16(data, size)
    if size <= 32:
        return _up_to_32(data, size)
    return _up_to_64(data, size) if size <= 64 else _of_blocks(data, size)


def _turned(value: int, bits: int) -> int:
    """Rotate a 64-bit number to the right."""
    value &= _ALL
    return (value >> bits | value << (64 - bits)) & _ALL


def _mixed(value: int) -> int:
    value &= _ALL
    return value ^ value >> 47


def _joined(u: int, v: int, factor: int) -> int:
    u, v = u & _ALL, v & _ALL
    first = _mixed((u ^ v) * factor)
    return _mixed((v ^ first) * factor) * factor & _ALL


def _up_to_16(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _number(data, 0) + _K2, _number(data, size - 8)
        return _joined(_turned(b, 37) * factor + a, (_turned(a, 25) + b) * factor, factor)
    if size >= 4:
        return _joined(size + (_number(data, 0, 4) << 3), _number(data, size - 4, 4), factor)
    if size:
        y, z = data[0] + (data[size >> 1] << 8), size + (data[-1] << 2)
        return _mixed(y * _K2 ^ z * _K0) * _K2 & _ALL
    return _K2


def _up_to_32(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = _number(data, 0) * _K1, _number(data, 8)
    c, d = _number(data, size - 8) * factor, _number(data, size - 16) * _K2
    return _joined(_turned(a + b, 43) + _turned(c, 30) + d, a + _turned(b + _K2, 18) + c, factor)


def _up_to_64(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = _number(data, 0) * _K2, _number(data, 8)
    c, d = _number(data, size - 8) * factor, _number(data, size - 16) * _K2
    y = _turned(a + b, 43) + _turned(c, 30) + d
    z = _joined(y, a + _turned(b + _K2, 18) + c, factor)
    e, f = _number(data, 16) * factor, _number(data, 24)
    g, h = (y + _number(data, size - 32)) * factor, (z + _number(data, size - 24)) * factor
    return _joined(_turned(e + f, 43) + _turned(g, 30) + h, e + _turned(f + a, 18) + g, factor)


def _of_blocks(data: bytes, size: int) -> int:
    """Of more than 64 bytes: a state of seven numbers goes over all blocks, then over the last 64 bytes."""
    x, y = 81, 81 * _K1 + 113
    z = _mixed(y * _K2 + 113) * _K2
    state = (x * _K2 + _number(data, 0), y, z, 0, 0, 0, 0)
    for at in range(0, (size - 1) // 64 * 64, 64):
        state = _with_block(data, at, state, _K1, 1)
    x, y, z, v0, v1, w0, w1 = state
    w0 += (size - 1) & 63
    v0 += w0
    w0 += v0
    factor = _K1 + ((z & 0xFF) << 1)
    x, y, z, v0, v1, w0, w1 = _with_block(data, size - 64, (x, y, z, v0, v1, w0, w1), factor, 9)
    return _joined(_joined(v0, w0, factor) + _mixed(y) * _K0 + z, _joined(v1, w1, factor) + x, factor)


_State = tuple[int, int, int, int, int, int, int]


def _with_block(data: bytes, at: int, state: _State, factor: int, weight: int) -> _State:
    x, y, z, v0, v1, w0, w1 = state
    x = _turned(x + y + v0 + _number(data, at + 8), 37) * factor
    y = _turned(y + v1 + _number(data, at + 48), 42) * factor
    x = x & _ALL ^ w1 * weight & _ALL
    y += v0 * weight + _number(data, at + 40)
    z = _turned(z + w0, 33) * factor
    v0, v1 = _weak(data, at, v1 * factor, x + w0)
    w0, w1 = _weak(data, at + 32, z + w1, y + _number(data, at + 16))
    return z & _ALL, y & _ALL, x & _ALL, v0, v1, w0, w1


def _weak(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_number(data, at + step) for step in (0, 8, 16, 24))
    a += w
    b = _turned(b + a + z, 21)
    total = a + x + y
    return (total + z) & _ALL, (b + _turned(total, 44) + a) & _ALL


# --- the others ------------------------------------------------------------------------------------------------------


def _murmur_hash(data: bytes, seed: int) -> int:
    factor, size = 0xC6A4A7935BD1E995, len(data)
    found = seed ^ size * factor & _ALL
    for at in range(0, size // 8 * 8, 8):
        part = _number(data, at) * factor & _ALL
        found = (found ^ (part ^ part >> 47) * factor & _ALL) * factor & _ALL
    if size % 8:
        found = (found ^ _number(data, size // 8 * 8)) * factor & _ALL
    return _mixed(_mixed(found) * factor)


def _sip_hash(data: bytes, low: int, high: int) -> int:
    state = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D, low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]
    size = len(data)
    words = [_number(data, at) for at in range(0, size // 8 * 8, 8)]
    for word in (*words, _number(data, size // 8 * 8) | (size & 0xFF) << 56):
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a, c = (a + b) & _ALL, (c + d) & _ALL
        b, d = _turned(b, 51) ^ a, _turned(d, 48) ^ c
        a, c = (_turned(a, 32) + d) & _ALL, (c + b) & _ALL
        d, b = _turned(d, 43) ^ a, _turned(b, 47) ^ c
        c = _turned(c, 32)
    state[:] = a, b, c, d
