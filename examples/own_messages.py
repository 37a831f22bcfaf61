"""Messages of one's own, from a .proto file, without protoc: binary, text and JSON.

python examples/own_messages.py
"""

from pathlib import Path

from pbwire import json, proto, text

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "proto"


def main() -> None:
    types = proto.load("weather/station.proto", include=[FOLDER])
    station_class, reading_class = types["weather.Station"], types["weather.Reading"]
    station = station_class(
        name="Brocken", readings=[reading_class(time=1_700_000_000, celsius=-3.5)], labels={"height": "1141"}
    )
    data = station.to_bytes()
    print(len(data), "bytes")
    print(text.dumps(station_class.from_bytes(data)), end="")
    print(json.dumps(station, indent=None))


if __name__ == "__main__":
    main()
