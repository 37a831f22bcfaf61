"""Unusual targets: links, the input itself, devices, misleading names, folders of other users."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from pbwire.atomic import replacing
from tests.hostile.writers import WRITERS, content, leftovers, make_models
from tfmodel import Checkpoint, load, save, write_checkpoint
from tfmodel.cli import main
from tfmodel.files.array_files import folder_writer
from tfmodel.messages import GraphDef

ROOT = Path(__file__).resolve().parents[2]
OLD = b"what was there before"

# Writers of one file, without those that take long.
FILES = sorted(
    name for name, writer in WRITERS.items() if Path(writer.target).suffix.strip(".") and "vendor" not in name
)

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and permissions are those of POSIX")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    make_models(folder)
    return folder


@pytest.fixture
def models(sources, tmp_path):
    """A copy of the models that tests may overwrite."""
    return shutil.copytree(sources, tmp_path / "models")


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def tfmodel(capsys):
    """Run a command; return its status and its standard error."""

    def run(*words):
        status = main(list(map(str, words)))
        return status, capsys.readouterr().err

    return run


def expected(writer, models, folder):
    """Return the output of an undisturbed run."""
    folder.mkdir()
    assert WRITERS[writer].run(models, folder) == 0
    return (folder / WRITERS[writer].target).read_bytes()


@posix
@pytest.mark.parametrize("writer", sorted(name for name in WRITERS if "vendor" not in name))
def test_names_of_files_that_are_not_utf_8(sources, tmp_path, writer):
    """Attack: folders whose names are not UTF-8, as other systems and languages leave them.

    Naive: ends with UnicodeEncodeError when it prints or joins the name.
    Stopped by: tfmodel.values.terminal.escape
    """
    models, out = tmp_path / os.fsdecode(b"in\xff"), tmp_path / os.fsdecode(b"out\xfe")
    try:
        shutil.copytree(sources, models)
    except OSError:
        pytest.skip("the file system has no such names")
    right = tmp_path / "right"
    for folder in (out, right):
        folder.mkdir()
        assert WRITERS[writer].run(models, folder) == 0
    assert content(out) == content(right) != {}


# --- links -----------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("writer", FILES)
def test_the_target_is_a_link(models, out, tmp_path, writer):
    """Attack: the target is a link to a file in another folder.

    Naive: replaces the link by a file, so that readers of the linked file still get the old content.
    Stopped by: pbwire.atomic.replacing
    """
    right = expected(writer, models, tmp_path / "right")
    real, link = tmp_path / "real", out / WRITERS[writer].target
    real.write_bytes(OLD)
    link.symlink_to("../real")
    assert WRITERS[writer].run(models, out) == 0
    assert (os.readlink(link), real.read_bytes()) == ("../real", right)
    assert leftovers(tmp_path) == []


@posix
@pytest.mark.parametrize("writer", FILES)
def test_the_target_is_a_link_that_leads_nowhere(models, out, tmp_path, writer):
    """Attack: a dangling link.

    Naive: reports both that the file exists and that it does not.
    Stopped by: pbwire.atomic.replacing
    """
    right = expected(writer, models, tmp_path / "right")
    (out / WRITERS[writer].target).symlink_to("../real")
    assert WRITERS[writer].run(models, out) == 0
    assert (tmp_path / "real").read_bytes() == right


@posix
@pytest.mark.parametrize("command", ["convert", "transform", "weights"])
def test_the_target_is_a_link_to_itself(tfmodel, models, out, command):
    """Attack: circular links.

    Naive: follows them forever, or replaces one of them.
    Stopped by: pbwire.atomic.replacing
    """
    link = out / ("loop.npz" if command == "weights" else "loop.pb")
    link.symlink_to(link.name)
    arguments = {"convert": [link], "transform": ["-o", link, "--transforms=remove_device"], "weights": ["-o", link]}
    assert tfmodel(command, models / "graph.pb", *arguments[command]) == (
        2,
        f"{link}: too many levels of symbolic links\n",
    )
    assert os.readlink(link) == link.name


@posix
@pytest.mark.parametrize("writer", ["save", "convert", "weights to .npz"])
def test_the_target_has_another_name(models, out, writer):
    """Attack: a hard link to the target, through which another user reads it.

    Naive: writes into the shared file while it is read. (With tfmodel the other link keeps the old content.)
    Stopped by: pbwire.atomic.replacing
    """
    target = out / WRITERS[writer].target
    target.write_bytes(OLD)
    os.link(target, out / "other")
    assert WRITERS[writer].run(models, out) == 0
    assert (out / "other").read_bytes() == OLD
    assert target.read_bytes() != OLD


@posix
def test_a_guessed_name_of_the_temporary(tmp_path, monkeypatch):
    """Attack: in a shared folder, a link to one of the user's files has the name of the next temporary.

    Naive: writes through the link.
    Stopped by: pbwire.atomic.replacing
    """
    monkeypatch.setattr("os.urandom", bytes)
    victim = tmp_path / "victim"
    victim.write_bytes(OLD)
    (tmp_path / f".model.pb.{os.getpid()}-00000000.tmp").symlink_to("victim")
    with pytest.raises(FileExistsError) as caught, replacing(str(tmp_path / "model.pb")) as file:
        file.write(b"new")
    assert caught.value.filename == str(tmp_path / "model.pb")
    assert victim.read_bytes() == OLD
    assert not (tmp_path / "model.pb").exists()


@posix
def test_a_link_has_the_name_of_a_killed_writers_temporary(tmp_path):
    """Attack: links with such names to the user's files and folders, which the next writer would remove.

    Naive: removes the targets of the links.
    Stopped by: pbwire.atomic.replacing, pbwire.atomic.new_folder
    """
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "file").write_bytes(OLD)
    (tmp_path / ".a.4194305-00000000.tmp").symlink_to("victim/file")
    (tmp_path / ".a.4194305-00000001.tmp").symlink_to("victim")
    folder = tmp_path / ".a.4194305-00000002.tmp"
    folder.mkdir()
    (folder / "in").symlink_to("../victim")
    with folder_writer(str(tmp_path / "a")):
        pass
    assert (tmp_path / "victim" / "file").read_bytes() == OLD
    assert not folder.exists()


@posix
def test_another_users_link_in_a_shared_folder(tmp_path):
    """Attack: in /tmp, another user's link from the target's name to a file of the victim.

    Naive: resolves the link itself, although the system would refuse to follow it.
    Stopped by: pbwire.atomic.replacing
    """
    setting = Path("/proc/sys/fs/protected_symlinks")
    if os.geteuid() or not setting.exists() or setting.read_text() != "1\n":
        pytest.skip("the system follows such links, or refuses to create them")
    folder, victim = tmp_path / "tmp", tmp_path / "victim"
    folder.mkdir()
    folder.chmod(0o1777)
    victim.write_bytes(OLD)
    (folder / "out").symlink_to(victim)
    os.lchown(folder / "out", 65534, 65534)
    with pytest.raises(PermissionError), replacing(str(folder / "out")) as file:
        file.write(b"new")
    assert victim.read_bytes() == OLD


# --- the target is the input -----------------------------------------------------------------------------------------

IN_PLACE = {
    "convert": ["convert", "IN", "OUT"],
    "convert to text": ["convert", "IN", "OUT", "--to=text"],
    "transform": ["transform", "IN", "-o", "OUT", "--outputs=y", "--transforms=strip_unused_nodes"],
    "freeze": ["freeze", "IN", "-o", "OUT", "--outputs=y"],
    "optimize": ["optimize", "IN", "-o", "OUT", "--outputs=y"],
}
SPELLINGS = {
    "the same": lambda path: str(path),
    "another": lambda path: f"{path.parent}/./saved/../{path.name}",
    "a link": lambda path: _linked(path, os.symlink),
    "another name": lambda path: _linked(path, os.link),
}


def _linked(path, link):
    link(path, path.with_name("link.pb"))
    return str(path.with_name("link.pb"))


@posix
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("command", IN_PLACE)
def test_the_target_is_the_input(tfmodel, models, out, command, spelling):
    """Attack: a command whose output is its input, possibly under another spelling of the path.

    Naive: truncates the input, and then reads an empty file.
    Stopped by: pbwire.atomic.replacing
    """
    graph = models / ("variables.pb" if command == "freeze" else "graph.pb")
    words = [str(graph) if word == "IN" else word for word in IN_PLACE[command]]
    words += [f"--checkpoint={models}/trained"] * (command == "freeze")
    assert tfmodel(*(str(out / "out.pb") if word == "OUT" else word for word in words))[0] == 0
    target = SPELLINGS[spelling](graph)
    assert tfmodel(*(target if word == "OUT" else word for word in words))[0] == 0
    assert Path(target).read_bytes() == (out / "out.pb").read_bytes()


@posix
def test_a_saved_model_is_optimized_in_place(tfmodel, models, out):
    """Attack: the output folder is the input folder, with its assets.

    Naive: copies files onto themselves, which empties them.
    Stopped by: tfmodel.optimizer.report.Optimized.write_saved_model
    """
    assert tfmodel("optimize", models / "saved", "-o", f"{out}/")[0] == 0
    assert tfmodel("optimize", models / "saved", "-o", f"{models}/saved/")[0] == 0
    assert content(models / "saved") == content(out)
    assert (out / "assets" / "words.txt").read_bytes() == b"one\ntwo\n"


@posix
def test_the_target_is_in_the_folder_of_the_input(tfmodel, models):
    """Attack: an output in the folder of the input SavedModel, such as its saved_model.pb.

    Naive: the same as above.
    Stopped by: pbwire.atomic.replacing
    """
    saved = models / "saved"
    before = load(saved).to_bytes(deterministic=True)
    assert tfmodel("convert", saved, saved / "model.pbtxt")[0] == 0
    assert tfmodel("convert", saved, saved / "saved_model.pb", "--deterministic")[0] == 0
    assert (saved / "saved_model.pb").read_bytes() == before
    assert load(saved / "model.pbtxt", type(load(saved))).to_bytes(deterministic=True) == before


def test_a_checkpoint_is_written_over_the_one_that_is_read(tmp_path):
    """Attack: the written values are mapped from the file of the checkpoint that is replaced.

    Naive: truncates the mapped file, so that the process dies of SIGBUS.
    Stopped by: tfmodel.files.checkpoints.writing.write_checkpoint
    """
    prefix = tmp_path / "model"
    write_checkpoint(prefix, {"a": np.arange(100_000.0), "b": np.ones(3)})
    with Checkpoint(prefix) as checkpoint:
        write_checkpoint(prefix, {name: checkpoint[name] for name in reversed(list(checkpoint))})
        assert checkpoint["a"][-1] == 99_999
        write_checkpoint(prefix, {"b": checkpoint["b"] + 1})
        assert checkpoint["a"][-1] == 99_999  # the value of the file that was opened
    assert {name: values.tolist() for name, values in Checkpoint(prefix).items()} == {"b": [2, 2, 2]}


@posix
@pytest.mark.parametrize("command", ["checkpoint", "weights"])
def test_weights_are_exported_over_the_data_of_their_checkpoint(tfmodel, models, command):
    """Attack: the archive is a link to the file that the arrays are mapped from.

    Naive: dies of SIGBUS, or writes an archive of zeros.
    Stopped by: tfmodel.files.array_files.npz_writer
    """
    link = models / "out.npz"
    link.symlink_to("trained.data-00000-of-00001")
    assert tfmodel(command, models / "trained", "-o", link)[0] == 0
    with np.load(link) as arrays:
        assert arrays["layer/bias"].tolist() == [0.5, 0, -0.5]


# --- other kinds of targets ------------------------------------------------------------------------------------------

TO = {
    "convert": ["convert", "IN/graph.pb", "OUT", "--to=binary"],
    "transform": ["transform", "IN/graph.pb", "-o", "OUT", "--outputs=y", "--transforms=remove_device"],
    "freeze": ["freeze", "IN/trained.meta", "-o", "OUT"],
    "optimize": ["optimize", "IN/trained.meta", "-o", "OUT", "--no-verify"],
    "weights": ["weights", "IN/graph.pb", "-o", "OUT.npz"],
    "checkpoint": ["checkpoint", "IN/trained", "-o", "OUT.npz"],
    "run": ["run", "IN/graph.pb", "--random", "--fetch=y", "-o", "OUT.npz"],
    "draw": ["draw", "IN/graph.pb", "-o", "OUT"],
}


def words_to(command, models, target):
    """Return the command, and the name of the file that it writes."""
    words = [word.replace("IN/", f"{models}/").replace("OUT", str(target)) for word in TO[command]]
    return words, next(word for word in words if word.startswith(str(target)))


@pytest.mark.parametrize("command", TO)
def test_the_target_is_a_folder(tfmodel, models, out, command):
    """Attack: a folder with the name of the output file.

    Naive: prints a traceback, or writes a temporary into the folder.
    Stopped by: pbwire.atomic.replacing
    """
    words, target = words_to(command, models, out / "folder")
    os.mkdir(target)
    status, said = tfmodel(*words)
    assert status == 2
    assert said.splitlines()[-1].startswith(f"{target}: ")
    assert "folder" in said.splitlines()[-1] or "directory" in said.splitlines()[-1]
    assert content(out) == {f"{os.path.basename(target)}/": ""}


@posix
@pytest.mark.parametrize("command", TO)
def test_the_target_is_a_pipe(tfmodel, models, out, command):
    """Attack: a named pipe with a reader.

    Naive: replaces the pipe by a file, and the reader waits forever.
    Stopped by: pbwire.atomic.replacing
    """
    words, target = words_to(command, models, out / "pipe")
    os.mkfifo(target)
    read = []
    reader = threading.Thread(target=lambda: read.append(Path(target).read_bytes()))
    reader.start()
    assert tfmodel(*words)[0] == 0
    reader.join(timeout=60)
    assert len(read[0]) > 100
    assert stat.S_ISFIFO(os.stat(target).st_mode)
    assert os.listdir(out) == [os.path.basename(target)]


@posix
@pytest.mark.parametrize("command", ["convert", "weights", "draw"])
def test_the_target_is_a_socket(tfmodel, models, out, command, monkeypatch):
    """Attack: the socket of a server.

    Naive: replaces it by a file.
    Stopped by: pbwire.atomic.replacing
    """
    monkeypatch.chdir(out)  # the length of socket names is limited
    words, target = words_to(command, models, "socket")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(target)
        assert tfmodel(*words) == (2, f"{target}: no such device or address\n")
        assert stat.S_ISSOCK(os.stat(target).st_mode)


@posix
@pytest.mark.parametrize("command", TO)
def test_the_target_has_a_misleading_name(tfmodel, models, out, command):
    """Attack: line ends, escape sequences and invalid UTF-8 in the name of the target, to forge messages.

    Naive: prints the name unescaped.
    Stopped by: tfmodel.cli.output_options.target_name, tfmodel.values.terminal.escape
    """
    words, target = words_to(command, models, out / "a\nall is well\x1b[2J\udcff")
    status, said = tfmodel(*words)
    assert (status, leftovers(out)) == (0, [])
    assert os.listdir(out) == [os.path.basename(target)]
    assert "\nall" not in said
    assert "\x1b" not in said
    assert command == "run" or command == "convert" or command == "draw" or "\\nall is well\\x1b[2J\\xff" in said


@pytest.mark.parametrize("command", TO)
def test_the_target_has_a_name_that_is_too_long(tfmodel, models, out, command):
    """Attack: a name of 300 bytes, which is too long for a file, and one of 250, whose temporary must not be longer.

    Naive: gives the temporary a longer name than the target.
    Stopped by: pbwire.atomic.replacing
    """
    words, target = words_to(command, models, out / ("n" * 300))
    status, said = tfmodel(*words)
    assert (status, said.splitlines()[-1]) == (2, f"{target}: file name too long")
    assert os.listdir(out) == []
    words, target = words_to(command, models, out / ("n" * 250))
    assert tfmodel(*words)[0] == 0
    assert os.listdir(out) == [os.path.basename(target)]


@pytest.mark.parametrize("target", ["new.pb/", "old.pb/", "missing/new.pb"])
@pytest.mark.parametrize("command", ["transform", "freeze", "draw"])
def test_the_target_is_impossible(tfmodel, models, out, command, target):
    """Attack: a name with a slash at the end, and a missing folder.

    Naive: removes the slash, or creates folders.
    Stopped by: pbwire.atomic.replacing
    """
    (out / "old.pb").write_bytes(OLD)
    words, name = words_to(command, models, f"{out}/{target}")
    status, said = tfmodel(*words)
    assert status == 2
    assert said.splitlines()[-1].startswith(f"{name}: ")
    assert os.listdir(out) == ["old.pb"]
    assert (out / "old.pb").read_bytes() == OLD


def test_the_target_has_a_zero_in_its_name(tmp_path):
    """Attack: a name with a zero byte, at which system calls end the name.

    Naive: writes to the name before the zero byte.
    Stopped by: pbwire.atomic.replacing
    """
    with pytest.raises(ValueError, match="null"):
        save(GraphDef(), tmp_path / "model.pb\0.txt")
    assert os.listdir(tmp_path) == []


# --- permissions -----------------------------------------------------------------------------------------------------


def _without_privileges():
    """Return a prefix that runs a command as an unprivileged user; None if that is not possible."""
    if os.name != "posix" or os.geteuid():
        return []
    without = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
    if not shutil.which("setpriv") or subprocess.run([*without, "true"], capture_output=True, check=False).returncode:
        return None
    return without


PREFIX = _without_privileges()
unprivileged = pytest.mark.skipif(PREFIX is None, reason="runs as root, whose privileges cannot be dropped here")


@posix
@unprivileged
@pytest.mark.parametrize("attack", ["file", "link", "folder"])
def test_read_only_files_stay_unchanged(sources, out, attack):
    """Attack: a read-only file, a link to one, and a read-only folder.

    Naive: renames over the file, which requires write access to the folder only.
    Stopped by: pbwire.atomic.replacing
    """
    target = real = out / "model.pb"
    if attack == "link":
        real = out.parent / "real.pb"
        target.symlink_to(real)
    real.write_bytes(OLD)
    (out if attack == "folder" else real).chmod(0o500)
    try:
        done = subprocess.run(
            [*(PREFIX or []), sys.executable, "-m", "tfmodel", "convert", f"{sources}/graph.pb", str(target)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        (out if attack == "folder" else real).chmod(0o700)
    assert (done.returncode, done.stderr) == (2, f"{target}: permission denied\n")
    assert (real.read_bytes(), os.listdir(out)) == (OLD, ["model.pb"])


@posix
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_new_files_have_the_permissions_of_the_umask(models, out, umask):
    """Attack: a user whose umask hides files from others.

    Naive: uses the permissions of a temporary, or 644.
    Stopped by: pbwire.atomic.replacing, pbwire.atomic.new_folder
    """
    before = os.umask(umask)
    try:
        assert main(["convert", f"{models}/graph.pb", f"{out}/model.pb"]) == 0
        assert main(["weights", f"{models}/graph.pb", "-o", f"{out}/weights"]) == 0
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in out.rglob("*")}
    assert modes["model.pb"] == modes["w.npy"] == 0o666 & ~umask
    assert modes["weights"] == 0o777 & ~umask


@posix
def test_private_files_are_private_while_they_are_written(tmp_path):
    """Attack: another user opens the temporary of a private file.

    Naive: changes the permissions after writing.
    Stopped by: pbwire.atomic.replacing, pbwire.atomic.new_folder
    """
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder").chmod(0o710)
    with replacing(str(tmp_path / "file")), folder_writer(str(tmp_path / "folder")):
        temporaries = [tmp_path / name for name in leftovers(tmp_path)]
        assert len(temporaries) == 2
        assert not any(path.stat().st_mode & 0o077 for path in temporaries)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o710


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_root_keeps_the_owner_of_files(tmp_path):
    """Attack: root writes to a file of a user.

    Naive: makes root the owner, so that the user can no longer read a private file.
    Stopped by: pbwire.atomic.replacing
    """
    path = tmp_path / "file"
    path.write_bytes(OLD)
    path.chmod(0o600)
    os.chown(path, 65534, 65533)
    with replacing(str(path)) as file:
        file.write(b"new")
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (65534, 65533, 0o600)


# --- concurrent writers ----------------------------------------------------------------------------------------------

_WRITES = """
import sys
from pbwire.atomic import replacing
for _ in range(40):
    with replacing(sys.argv[1]) as file:
        for _ in range(20):
            file.write(sys.argv[2].encode() * 5000)
"""


@posix
def test_two_concurrent_writers(tmp_path):
    """Attack: two processes save to the same file again and again.

    Naive: mixes the output of both, or each process removes the temporary of the other.
    Stopped by: pbwire.atomic.replacing
    """
    path = tmp_path / "model.pb"
    command = [sys.executable, "-c", _WRITES, str(path)]
    processes = [subprocess.Popen([*command, letter], cwd=ROOT) for letter in "ab"]
    seen = set()
    while any(process.poll() is None for process in processes):
        if path.exists():
            seen.add(path.read_bytes())
        time.sleep(0.002)
    assert [process.returncode for process in processes] == [0, 0]
    assert {*seen, path.read_bytes()} <= {b"a" * 100_000, b"b" * 100_000}
    assert os.listdir(tmp_path) == ["model.pb"]


@posix
def test_temporaries_of_killed_writers_are_removed(tmp_path):
    """Attack: a container in which every process has the id 1, the killed writer included.

    Naive: treats the temporary of the killed writer as its own, and never removes it.
    Stopped by: pbwire.atomic.replacing
    """
    left = tmp_path / f".model.pb.{os.getpid()}-01234567.tmp"
    left.write_bytes(b"half")
    os.utime(left, (time.time() - 1e6,) * 2)  # older than this process
    with replacing(str(tmp_path / "model.pb")):
        assert len(leftovers(tmp_path)) == 1
    assert os.listdir(tmp_path) == ["model.pb"]
