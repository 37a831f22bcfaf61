"""mypy on code that uses messages: it sees fields, and reports wrong names and types."""

from pathlib import Path

import pytest

from pbwire import commands
from tfmodel import messages

api = pytest.importorskip("mypy.api", reason="mypy is not installed")

RIGHT = """
from tfmodel import load
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef

node = NodeDef("x", "Add", ["a"], attr={"T": AttrValue(type=DataType.DT_FLOAT)}, unknown_fields=b"")
graph: GraphDef = load("x.pb", GraphDef, lazy=True)
graph.node.append(node)
names: list[str] = [node.name for node in graph.node]
unknown: bytes = graph.unknown_fields
same: NodeDef = NodeDef.from_bytes(node.to_bytes())

from pbwire import table as pb


@pb.message("test.Car", syntax="proto2", extensions=[range(100, 200)])
class Car(pb.ExtendableMessage):
    name: str | None = pb.string(1)


speed = pb.Extension[int | None]("test.speed", Car, pb.int32(126))
cars = pb.Extension[list[Car]]("test.cars", Car, pb.repeated(Car, 127))
car = Car(name="x", unknown_fields=b"")
car.extensions[speed] = 3
car.extensions[cars].append(car)
fast: bool = (car.extensions[speed] or 0) > 5 and speed in car.extensions
names = [one.full_name for one in car.extensions]
"""

WRONG_HEAD = "from tfmodel.messages import GraphDef, NodeDef\nfrom right import Car, cars, speed\n"
WRONG = {
    'NodeDef(nmae="x")': 'Unexpected keyword argument "nmae"',
    "NodeDef(name=b'x')": 'Argument "name" to "NodeDef" has incompatible type "bytes"',
    "NodeDef(unknown_fields=3)": 'Argument "unknown_fields" to "NodeDef" has incompatible type "int"',
    "NodeDef().nmae": '"NodeDef" has no attribute "nmae"',
    "NodeDef().input.append(3)": 'has incompatible type "int"; expected "str"',
    "Car(nmae='x')": 'Unexpected keyword argument "nmae"',
    "Car().extensions[speed] = 'x'": 'Cannot infer value of type parameter "T" of "__setitem__"',
    "Car().extensions[cars].append(3)": 'has incompatible type "int"; expected "Car"',
    "Car().extensions['speed']": 'Invalid index type "str"',
    "NodeDef().extensions": '"NodeDef" has no attribute "extensions"',
    "GraphDef().versions.producer": 'Item "None" of "VersionDef | None" has no attribute "producer"',
}


@pytest.mark.slow(reason="runs mypy")
@pytest.mark.skipif(
    not Path(messages.__file__).with_name("_schema").is_dir(), reason="without the link to schema/ mypy sees no tables"
)
def test_mypy_sees_messages_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG_HEAD + "\n".join(WRONG))
    root = Path(__file__).resolve().parents[2]
    monkeypatch.setenv("MYPYPATH", str(root))
    cache = ["--cache-dir", str(root / ".mypy_cache" / "tests")]  # a later run takes a second instead of many
    output, errors, _ = api.run(["--strict", "--config-file=", "--no-color-output", *cache, "right.py", "wrong.py"])
    lines = [line for line in output.splitlines() if ": error: " in line]
    assert not errors
    assert not [line for line in lines if not line.startswith("wrong.py")]
    assert len(lines) == len(WRONG)
    for line, expected in zip(lines, WRONG.values(), strict=True):
        assert expected in line


LOADED = """
from typing import TYPE_CHECKING
from pbwire import proto

if TYPE_CHECKING:
    from tables.station import Station
else:
    Station = proto.load("station.proto")["weather.Station"]

station = Station(name="Oslo")
name: str = station.name
station.nmae
"""


@pytest.mark.slow(reason="runs mypy")
def test_a_loaded_class_has_the_types_of_its_compiled_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = Path(__file__).resolve().parents[2]
    (tmp_path / "station.proto").write_bytes((root / "tests/data/proto/weather/station.proto").read_bytes())
    assert commands.main(["compile", "station.proto", "-o", "tables"]) == 0
    (tmp_path / "use.py").write_text(LOADED)
    monkeypatch.setenv("MYPYPATH", str(root))
    cache = ["--cache-dir", str(root / ".mypy_cache" / "tests")]
    output, errors, _ = api.run(["--strict", "--config-file=", "--no-color-output", *cache, "use.py"])
    assert not errors
    assert [line for line in output.splitlines() if ": error: " in line] == [
        'use.py:12: error: "Station" has no attribute "nmae"  [attr-defined]'
    ]
