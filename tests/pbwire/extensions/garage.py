"""The messages and extensions of tests/data/proto/garage, and Google's classes of the same files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, message_factory
from google.protobuf.descriptor_pool import DescriptorPool

from pbwire import proto

__all__ = ["FILES", "FOLDER", "extension", "garage", "google_pool", "twin"]

FOLDER = Path(__file__).parents[2] / "data" / "proto"
FILES = ["garage/car.proto", "garage/delimited.proto"]


@cache
def garage() -> Any:
    """Return the types of all files."""
    return proto.load(*(FOLDER / file for file in FILES), include=[FOLDER])


def extension(name: str) -> Any:
    """Return an extension by its name in the package."""
    return garage().extensions[f"garage.{name}"]


@cache
def google_pool(*, editions: bool = False) -> DescriptorPool:
    """Return Google's pool of the files; that of editions needs a protobuf that has them."""
    pool = DescriptorPool()
    pool.AddSerializedFile(descriptor_pb2.DESCRIPTOR.serialized_pb)
    for file in proto.descriptors(*(FOLDER / file for file in FILES[: 1 + editions]), include=[FOLDER]).file:
        if file.name != descriptor_pb2.DESCRIPTOR.name:
            pool.AddSerializedFile(file.to_bytes())
    return pool


def twin(cls: type) -> Any:
    """Return Google's class for a message class."""
    name = cls.__table__.full_name  # type: ignore[attr-defined]  # a message class
    return message_factory.GetMessageClass(google_pool().FindMessageTypeByName(name))
