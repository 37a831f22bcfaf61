"""Paths that are not regular files: devices are refused, pipes are read once, dangling links are described."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from tfmodel.errors import FileFormatError
from tfmodel.files.access.special_files import no_file
from tfmodel.files.files import load
from tfmodel.messages import GraphDef


def test_paths_without_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "far").symlink_to("x" * 250)
    assert no_file(str(tmp_path / "file")) == no_file(str(tmp_path / "link")) == no_file(str(tmp_path / "gone")) == ""
    assert no_file(str(tmp_path)) == "a folder"
    assert no_file(str(tmp_path / "loop")) == "a link that leads to itself"
    assert len(no_file(str(tmp_path / "far"))) < 240
    assert no_file(os.devnull) == "a device"


posix = pytest.mark.skipif(os.name != "posix", reason="there are no such files here")


@posix
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom"])
def test_devices_are_not_read(path):
    with pytest.raises(FileFormatError, match=f"^{path}: this is not a file but a device, which is not read$"):
        load(path)


@posix
def test_the_null_device_is_read():
    assert load("/dev/null", GraphDef) == GraphDef()


@posix
def test_a_pipe_is_read_to_its_end_once(tmp_path):
    """As in `tfmodel weights <(gzip -d < model.gz)`."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)

    def write():
        with open("tests/data/linear.pb", "rb") as file, open(pipe, "wb") as target:
            target.write(file.read())

    for command in ("dump", "weights"):
        threading.Thread(target=write, daemon=True).start()
        code = "import sys; from tfmodel.cli import main; sys.exit(main(sys.argv[1:]))"
        done = subprocess.run([sys.executable, "-c", code, command, pipe], capture_output=True, timeout=30, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


@posix
@pytest.mark.parametrize("is_pipe", [False, True])
def test_standard_input_may_be_given_by_its_name(is_pipe):
    code = "from tfmodel import load; print(len(load('/dev/stdin').node))"
    with open("tests/data/linear.pb", "rb") as file:
        options = {"input": file.read()} if is_pipe else {"stdin": file}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30, check=True, **options)
    assert done.stdout == b"4\n"
