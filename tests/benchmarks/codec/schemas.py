"""The .proto files of the samples, from which the code of all libraries is generated."""

from __future__ import annotations

import sys
from typing import Any

from pbwire import proto
from pbwire.compat.descriptors.file_protos import file_name, file_proto
from pbwire.proto import descriptor_messages as d
from tfmodel.messages import TYPES

from .makers import descriptor_files, made_files

__all__ = ["message_files"]


def message_files(full_name: str) -> Any:
    """Return the FileDescriptorSet of a message and its imports; its own file is the last one."""
    if full_name in TYPES:
        files = _tensorflow_files(full_name)
    elif full_name == "benchmark.proto.FileDescriptorSet":
        files = list(descriptor_files().file)
    else:
        files = list(made_files(full_name.split(".")[1]).file)
    for file in files:
        if not file.source_code_info:  # betterproto2's plugin fails for a file without a location
            file.source_code_info = d.SourceCodeInfo(location=[d.SourceCodeInfo.Location(span=[0, 0, 0])])
    return d.FileDescriptorSet(file=files)


def _tensorflow_files(full_name: str) -> list[Any]:
    modules = {file_name(cls.__module__): cls.__module__ for cls in TYPES.values()}
    files: dict[str, Any] = {}

    def add(name: str) -> None:
        if name in files:
            return
        if name not in modules:
            files.update({file.name: file for file in proto.descriptors(name).file if file.name not in files})
            return
        file = file_proto(sys.modules[modules[name]])
        for imported in file.dependency:
            add(imported)
        files[name] = file

    add(file_name(TYPES[full_name].__module__))
    return list(files.values())
