"""Cases from the field: protobuf messages, .proto files, and scripts that were written for protobuf."""

from __future__ import annotations

import pytest

from tests.support.cases import cases, needs_cases, run_module

pytestmark = needs_cases


def printed_by(script: str) -> list[str]:
    """Return the lines that a script prints when tfmodel.compat runs it."""
    done = run_module("tfmodel.compat", "--override", cases / script)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_sum_of_many_terms_runs():
    assert printed_by("limits/compat_recursion/script.py") == ["900"]


def test_a_script_prints_what_protobuf_6_prints():
    first, *lines = printed_by("pbwire/compat/by_version.py")
    assert first == "6.31.1"
    assert lines[:3] == [
        "str: early: 2 mid: 3 late: 1 ",
        r"""text: 'value: "\\xfc\\\\177\\\\001"\\n' 'value: "\\xfc\\\\177\\\\001"\\n'""".replace("\\\\", "\\"),
        'any: [type.googleapis.com/google.protobuf.Struct] { fields { key: "n" value { number_value: 1.0 } } }',
    ]


def test_a_file_of_edition_2026_is_compiled(tmp_path):
    folder = cases / "pbwire/edition2026"
    done = run_module("pbwire", "compile", "a.proto", "-o", tmp_path / "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "name: str | None = pb.string(1)" in (tmp_path / "out/a.py").read_text()


def test_a_service_is_named_and_kept(tmp_path):
    from pbwire import proto

    folder = cases / "pbwire/services"
    done = run_module("pbwire", "compile", "greeter.proto", "-o", tmp_path / "out", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Greeter = services.Service(" in (tmp_path / "out/greeter.py").read_text()
    method = proto.load(folder / "greeter.proto", include=[folder]).services["svc.Greeter"].methods["Hello"]
    assert (method.client_streaming, method.server_streaming) == (False, True)


def test_base64_in_json_is_read_as_by_protobuf():
    assert [line.partition(" b'")[2] for line in printed_by("pbwire/compat/bytes_json.py")] == [
        r"\x01\x02'",
        r"\x01\x02'",
        r"\x01\x02\x03'",
        r"\xfb\xff\xbf'",
        r"\xfb\xff\xbf'",
        r"\x01\x02'",
    ]


def test_maps_of_descriptors_give_lists():
    *maps, key = printed_by("pbwire/compat/descriptor_keys.py")
    assert [line.split()[1:] for line in maps] == [["list"] * 3] * 5
    assert key == "name"


def test_groups_have_the_names_that_protobuf_prints():
    assert printed_by("pbwire/compat/groups.py") == ["True z: 1 Part { a: 2 }", "['', ''] z"]


def test_names_and_modules_are_there():
    first, *lines = printed_by("pbwire/compat/missing_names.py")
    assert first == "line 1 column 1"
    assert [line for line in lines if not line.endswith(" True")] == []


@pytest.mark.parametrize(
    "name", ["point.fds", "point.bin", "point.descriptor", "point.FDSET", "point", "point.proto.x"]
)
def test_a_descriptor_set_is_recognized_by_its_content(name, tmp_path):
    folder = cases / "pbwire/descriptor_set"
    made = run_module("pbwire", "descriptor-set", folder / "point.proto", "-I", folder, "-o", tmp_path / name)
    assert made.returncode == 0, made.stderr
    (tmp_path / "point.data").write_bytes(b"\x08\x05")
    done = run_module("pbwire", "decode", "--proto", tmp_path / name, "--type", "geo.Point", tmp_path / "point.data")
    assert (done.returncode, done.stdout) == (0, "x: 5\n"), done.stderr


@pytest.mark.parametrize("statement", ["oneofs", "reserved names"])
def test_statements_take_linear_time(statement):
    from tests.hostile.proto_statements import ACTIONS, STATEMENTS, seconds

    for action in ACTIONS.values():
        small, large = (seconds(action, STATEMENTS[statement](count)) for count in (2_500, 20_000))
        assert large < 20 * max(small, 0.05)
