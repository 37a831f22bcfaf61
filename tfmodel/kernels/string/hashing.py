"""Kernels of string hashes, with exactly the results of TensorFlow: trained models depend on the bucket of a word.

    StringToHashBucketFast         FarmHash's Fingerprint64
    StringToHashBucketStrong       SipHash-2-4 with a key
    StringToHashBucket             MurmurHash64A, deprecated
    Fingerprint                    Fingerprint64, of each row of a tensor

All hashes are unsigned 64-bit numbers and read bytes in little-endian order. They follow published descriptions:
MurmurHash by Austin Appleby, SipHash by Jean-Philippe Aumasson and Daniel J. Bernstein, Fingerprint64 by FarmHash.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.registry import Tensor, kernel

_MASK = (1 << 64) - 1


@kernel("StringToHashBucketFast")
def string_to_hash_bucket_fast(x: Tensor, *, num_buckets: int) -> Tensor:
    return _buckets(x, fingerprint64, num_buckets)


@kernel("StringToHashBucketStrong")
def string_to_hash_bucket_strong(x: Tensor, *, num_buckets: int, key: list[int]) -> Tensor:
    check(len(key) == 2, f"its key must be two numbers, not {len(key)}")
    return _buckets(x, lambda data: sip_hash(data, key[0] & _MASK, key[1] & _MASK), num_buckets)


@kernel("StringToHashBucket")
def string_to_hash_bucket(x: Tensor, *, num_buckets: int) -> Tensor:
    return _buckets(x, lambda data: _murmur_hash(data, 0xDECAFCAFFE), num_buckets)


@kernel("Fingerprint")
def fingerprint(data: Tensor, method: Tensor) -> Tensor:
    """Return 8 bytes for each row.

    A row of one string is hashed like that string. A row of several is hashed string by string, and the bytes of these
    hashes are hashed again. TensorFlow leaves the result of rows without strings undefined; here the last step applies.
    """
    check(read_scalar(method, "method") == b"farmhash64", "its method must be farmhash64")
    check(data.ndim, "data must have a dimension")
    rows = data.reshape(len(data), math.prod(data.shape[1:]))
    if data.dtype == object:
        lines = [[fingerprint64(string) for string in row] for row in rows.tolist()]
        if rows.shape[1] != 1:
            lines = [[fingerprint64(np.array(row, "<u8").tobytes())] for row in lines]
        hashes = [row[0] for row in lines]
    else:
        hashes = [fingerprint64(row.tobytes()) for row in np.ascontiguousarray(rows)]
    return np.array(hashes, "<u8").view(np.uint8).reshape(len(data), 8)


def _buckets(x: Tensor, hash_function: Callable[[bytes], int], count: int) -> Tensor:
    check(count > 0, f"num_buckets must be positive, got {count}")
    check(x.dtype == object, f"it hashes strings, not {x.dtype}{show(x.shape)}")
    values = x.reshape(-1).tolist()
    buckets = {value: hash_function(value) % count for value in set(values)}
    return np.array([buckets[value] for value in values], np.int64).reshape(x.shape)


def _read_number(data: bytes, offset: int, size: int = 8) -> int:
    return int.from_bytes(data[offset : offset + size], "little")


# --- FarmHash --------------------------------------------------------------------------------------------------------

_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def fingerprint64(data: bytes) -> int:
    """Return FarmHash's Fingerprint64 of bytes."""
    size = len(data)
    if size <= 16:
        return _hash_up_to_16(data, size)
    if size <= 32:
        return _hash_up_to_32(data, size)
    return _hash_up_to_64(data, size) if size <= 64 else _hash_blocks(data, size)


def _rotate(value: int, bits: int) -> int:
    """Rotate a 64-bit number to the right."""
    value &= _MASK
    return (value >> bits | value << (64 - bits)) & _MASK


def _mix(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _combine(u: int, v: int, factor: int) -> int:
    u, v = u & _MASK, v & _MASK
    first = _mix((u ^ v) * factor)
    return _mix((v ^ first) * factor) * factor & _MASK


def _hash_up_to_16(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _read_number(data, 0) + _K2, _read_number(data, size - 8)
        return _combine(_rotate(b, 37) * factor + a, (_rotate(a, 25) + b) * factor, factor)
    if size >= 4:
        return _combine(size + (_read_number(data, 0, 4) << 3), _read_number(data, size - 4, 4), factor)
    if size:
        y, z = data[0] + (data[size >> 1] << 8), size + (data[-1] << 2)
        return _mix(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _hash_up_to_32(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = _read_number(data, 0) * _K1, _read_number(data, 8)
    c, d = _read_number(data, size - 8) * factor, _read_number(data, size - 16) * _K2
    return _combine(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, factor)


def _hash_up_to_64(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = _read_number(data, 0) * _K2, _read_number(data, 8)
    c, d = _read_number(data, size - 8) * factor, _read_number(data, size - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _combine(y, a + _rotate(b + _K2, 18) + c, factor)
    e, f = _read_number(data, 16) * factor, _read_number(data, 24)
    g, h = (y + _read_number(data, size - 32)) * factor, (z + _read_number(data, size - 24)) * factor
    return _combine(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, factor)


def _hash_blocks(data: bytes, size: int) -> int:
    """Hash more than 64 bytes: update a state of seven numbers with each block, then with the last 64 bytes."""
    x, y = 81, 81 * _K1 + 113
    z = _mix(y * _K2 + 113) * _K2
    state = (x * _K2 + _read_number(data, 0), y, z, 0, 0, 0, 0)
    for offset in range(0, (size - 1) // 64 * 64, 64):
        state = _add_block(data, offset, state, _K1, 1)
    x, y, z, v0, v1, w0, w1 = state
    w0 += (size - 1) & 63
    v0 += w0
    w0 += v0
    factor = _K1 + ((z & 0xFF) << 1)
    x, y, z, v0, v1, w0, w1 = _add_block(data, size - 64, (x, y, z, v0, v1, w0, w1), factor, 9)
    return _combine(_combine(v0, w0, factor) + _mix(y) * _K0 + z, _combine(v1, w1, factor) + x, factor)


_State = tuple[int, int, int, int, int, int, int]


def _add_block(data: bytes, offset: int, state: _State, factor: int, weight: int) -> _State:
    """Return the state after 64 bytes. `weight` is 1, and 9 for the last block."""
    x, y, z, v0, v1, w0, w1 = state
    x = _rotate(x + y + v0 + _read_number(data, offset + 8), 37) * factor
    y = _rotate(y + v1 + _read_number(data, offset + 48), 42) * factor
    x = x & _MASK ^ w1 * weight & _MASK
    y += v0 * weight + _read_number(data, offset + 40)
    z = _rotate(z + w0, 33) * factor
    v0, v1 = _add_32_bytes(data, offset, v1 * factor, x + w0)
    w0, w1 = _add_32_bytes(data, offset + 32, z + w1, y + _read_number(data, offset + 16))
    # FarmHash swaps x and z after each block.
    return z & _MASK, y & _MASK, x & _MASK, v0, v1, w0, w1


def _add_32_bytes(data: bytes, offset: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_read_number(data, offset + step) for step in (0, 8, 16, 24))
    a += w
    b = _rotate(b + a + z, 21)
    total = a + x + y
    return (total + z) & _MASK, (b + _rotate(total, 44) + a) & _MASK


# --- MurmurHash and SipHash ------------------------------------------------------------------------------------------


def _murmur_hash(data: bytes, seed: int) -> int:
    factor, size = 0xC6A4A7935BD1E995, len(data)
    result = seed ^ size * factor & _MASK
    for offset in range(0, size // 8 * 8, 8):
        part = _read_number(data, offset) * factor & _MASK
        result = (result ^ (part ^ part >> 47) * factor & _MASK) * factor & _MASK
    if size % 8:
        result = (result ^ _read_number(data, size // 8 * 8)) * factor & _MASK
    return _mix(_mix(result) * factor)


def sip_hash(data: bytes, low: int, high: int) -> int:
    """Return SipHash-2-4 of bytes, with a key of two 64-bit numbers."""
    state = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D, low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]
    size = len(data)
    words = [_read_number(data, offset) for offset in range(0, size // 8 * 8, 8)]
    for word in (*words, _read_number(data, size // 8 * 8) | (size & 0xFF) << 56):
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a, c = (a + b) & _MASK, (c + d) & _MASK
        b, d = _rotate(b, 51) ^ a, _rotate(d, 48) ^ c
        a, c = (_rotate(a, 32) + d) & _MASK, (c + b) & _MASK
        d, b = _rotate(d, 43) ^ a, _rotate(b, 47) ^ c
        c = _rotate(c, 32)
    state[:] = a, b, c, d
