"""Compressed files: decompression bombs and damaged gzip data."""

from __future__ import annotations

import gzip

import pytest

import tfmodel
from tests.hostile.measure import assert_linear, peak
from tests.support.wire_bytes import ld, varint
from tests.tfmodel.models import graph
from tfmodel.cli import main
from tfmodel.files import model_file
from tfmodel.files.access.gzip import TooLarge, unpack
from tfmodel.messages import GraphDef

DATA = graph().to_bytes()


def refused(data: bytes) -> str:
    with pytest.raises(tfmodel.FileFormatError) as raised:
        tfmodel.load(data, GraphDef)
    return str(raised.value)


def test_a_bomb(monkeypatch):
    """Attack: a kilobyte that unpacks to a million times as much.

    Naive: unpacks it.
    Stopped by: tfmodel.files.access.gzip.unpack, tfmodel.files.access.gzip.UNPACKED
    """
    bomb = gzip.compress(DATA + b"\x9a\x06\x80\x80\x80\x04" + bytes(8 << 20))  # an unknown field of 8 MB, all zeros
    assert len(bomb) < 20_000
    assert tfmodel.load(bomb, GraphDef).node  # below the limit of 64 MB for any file, and all zeros
    monkeypatch.setattr(model_file, "UNPACKED", 4 << 20)
    assert "hold more than 4,194,304; unpack it yourself" in refused(bomb)
    assert peak(lambda: refused(bomb)) < 10 << 20
    assert tfmodel.load(bomb, GraphDef, max_unpacked=1 << 30).node
    with pytest.raises(tfmodel.FileFormatError, match="hold more than 100"):
        tfmodel.load(bomb, GraphDef, max_unpacked=100)


def test_the_flag(tmp_path, capsys):
    """Attack: a file that decompresses to more than the user's limit.

    Naive: has a fixed limit, so large valid files are refused, or none at all.
    Stopped by: tfmodel.files.model_file.open_file, tfmodel.cli.input_options.add_reading_options
    """
    path = tmp_path / "model.pb.gz"
    path.write_bytes(gzip.compress(DATA))
    for command in (["dump", str(path)], ["convert", str(path), str(tmp_path / "model.pbtxt")]):
        assert main([*command, "--max-unpacked", "100"]) == 2
        assert "--max-unpacked" in capsys.readouterr().err
        assert main([*command, "--max-unpacked", "100000"]) == 0
        capsys.readouterr()


def test_a_bomb_that_is_not_a_model():
    """Attack: the same with a picture, whose first bytes show that it is not a model.

    Naive: unpacks up to the limit before it checks the format.
    Stopped by: tfmodel.files.access.gzip.first_bytes
    """
    bomb = gzip.compress(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20 << 20))
    assert "PNG" in refused(bomb)
    assert peak(lambda: refused(bomb)) < 2 << 20


def test_a_bomb_in_a_bomb():
    """Attack: gzip in gzip, each layer within the limit.

    Naive: unpacks all layers.
    Stopped by: tfmodel.files.model_file.open_file
    """
    assert "twice over" in refused(gzip.compress(gzip.compress(DATA)))


def test_gzip_files_one_after_another():
    """Attack: ten thousand empty gzip members in sequence, which the format defines as one file.

    Naive: copies the remaining data for each member, or unpacks only the first.
    Stopped by: tfmodel.files.access.gzip.unpack
    """
    empty = gzip.compress(b"")
    assert tfmodel.load(empty * 100 + gzip.compress(DATA) + empty, GraphDef) == graph()
    assert_linear(lambda data: unpack(data, 100), lambda size: empty * size, 4_000)
    assert_linear(lambda data: unpack(data, 100), lambda size: gzip.compress(b"") + bytes(size), 1_000_000)


def test_a_limit_for_all_files_together():
    """Attack: a thousand gzip members, each within the limit.

    Naive: counts from zero for each.
    Stopped by: tfmodel.files.access.gzip.unpack
    """
    with pytest.raises(TooLarge):
        unpack(gzip.compress(bytes(1_000)) * 1_000, 999_999)


def test_a_bomb_that_trickles():
    """Attack: a high compression ratio in a large file, since the limit grows with the file.

    Naive: copies the rest of the file for each decompressed piece.
    Stopped by: tfmodel.files.access.gzip.unpack
    """

    def make(size: int) -> bytes:
        return gzip.compress(bytes(size), 1)

    assert_linear(lambda data: unpack(data, 1 << 30), make, 2_000_000)


def test_truncated_gzip_data():
    """Attack: compressed data, truncated at every possible position.

    Naive: accepts the truncated data as the whole file, or waits for more.
    Stopped by: tfmodel.files.access.gzip.unpack
    """
    packed = gzip.compress(DATA)
    for end in range(2, len(packed), 7):
        assert refused(packed[:end])
    assert "truncated" in refused(packed[:-1])


def test_a_checksum_that_is_wrong():
    """Attack: compressed data with one changed byte.

    Naive: ignores the checksum.
    Stopped by: zlib.decompressobj, tfmodel.files.access.gzip.unpack
    """
    packed = gzip.compress(DATA)
    assert "damaged gzip data" in refused(packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:])


def test_trailing_rubbish():
    """Attack: other data behind the compressed data, which another reader may interpret.

    Naive: ignores it.
    Stopped by: tfmodel.files.access.gzip.unpack
    """
    assert "damaged gzip data" in refused(gzip.compress(DATA) + b"rubbish")


COUNT = 1_100_000
TINY = {
    "nodes": b"\x0a\x00" * COUNT,
    "nodes with names": b"\x0a\x02\x0a\x00" * COUNT,
    "attributes": ld(1, b"\x0a\x01x" + b"\x2a\x00" * COUNT),
    "entries with keys": ld(1, b"\x2a\x05\x0a\x01T\x12\x00" * COUNT),
    "packed numbers": ld(1, ld(5, ld(1, b"l"), ld(2, ld(1, ld(3, b"\x07" * 2 * COUNT))))),
    "inputs": ld(1, b"\x1a\x00" * COUNT),
    "in a MetaGraphDef": ld(1, ld(4, b"serve")) + ld(2, b"\x0a\x00" * COUNT),
    "in a SavedModel": b"\x08\x01" + ld(2, ld(1, ld(4, b"serve")) + ld(2, b"\x0a\x00" * COUNT)),
    "functions": ld(2, b"\x0a\x00" * COUNT),
    "text": b"node{}" * COUNT,
    "text lists": b"node{input:[" + b"''," * COUNT + b"'']}",
    "JSON": b'{"node":[' + b"{}," * COUNT + b"{}]}",
}


@pytest.mark.parametrize("name", TINY)
def test_tiny_messages(name):
    """Attack: some kilobytes that unpack to millions of messages, each of which takes fifty times its bytes in memory.

    Naive: limits the decompressed bytes, and takes gigabytes for the decoded messages.
    Stopped by: tfmodel.files.access.gzip.unpack, tfmodel.files.access.gzip.DENSE
    """
    bomb = gzip.compress(TINY[name], 1)
    assert len(bomb) < 50_000
    assert "apart from zeros" in refused(bomb)
    assert peak(lambda: refused(bomb)) < 16 << 20


def test_tiny_messages_between_zeros():
    """Attack: the same with runs of zeros between the messages, disguised as weights.

    Naive: measures the compression ratio of the whole file only.
    Stopped by: tfmodel.files.access.gzip.unpack
    """
    for zeros in (63, 64, 500):
        record = b"\x0a\x00" * 40 + b"\x9a\x06" + varint(zeros) + bytes(zeros)
        times = (2 << 20) // 80 + 1000
        assert "apart from zeros" in refused(gzip.compress(record * times))


def test_the_largest_allowed_message_takes_little_memory(monkeypatch):
    """Attack: as many tiny messages as are allowed.

    Naive: has a limit that allows a gigabyte of memory.
    Stopped by: tfmodel.files.access.gzip.DENSE
    """
    monkeypatch.setattr(model_file, "DENSE", 20_000)  # memory grows with it
    most = gzip.compress(b"\x0a\x00" * (model_file.DENSE // 2))
    assert len(most) < model_file.DENSE // model_file.DENSE_RATIO
    assert peak(lambda: tfmodel.load(most, GraphDef)) < 80 * model_file.DENSE


@pytest.mark.parametrize(
    "command",
    [
        "dump FILE",
        "summarize FILE",
        "weights FILE",
        "draw FILE",
        "ops FILE",
        "convert FILE OUT.pbtxt",
        "diff FILE FILE",
        "verify FILE FILE",
        "run FILE",
        "optimize FILE -o OUT.pb",
        "transform FILE -o OUT.pb",
        "freeze FILE -o OUT.pb",
    ],
)
def test_every_command_refuses_bombs(command, tmp_path, capsys):
    """Attack: the same file, given to each command.

    Naive: one of the commands unpacks by itself.
    Stopped by: tfmodel.files.model_file.open_file
    """
    path = tmp_path / "model.pb.gz"
    path.write_bytes(gzip.compress(TINY["nodes"], 1))
    words = command.replace("FILE", str(path)).replace("OUT", str(tmp_path / "out")).split()
    if words[0] == "transform":
        words += ["--transforms", "remove_device"]
    status = 0

    def act():
        nonlocal status
        try:
            status = main(words)
        except SystemExit as error:
            status = error.code

    most = peak(act)
    assert status, words
    assert "max-unpacked" in capsys.readouterr().err, words
    assert most < 32 << 20
