"""Classes for each library from one FileDescriptorSet, by its own generator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .environment import ROOT, TOOLS, Environment, Library, run

__all__ = ["generate"]

PLUGINS = {
    "protobuf": "",  # part of protoc
    "protobuf_py": "protoc-gen-py",
    "betterproto2": "protoc-gen-python_betterproto2",
}


def generate(environment: Environment, library: Library, files: Any, folder: Path) -> None:
    """Write a library's code for a FileDescriptorSet to a folder. Raises Failure."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptors = folder / "descriptors.binpb"
    descriptors.write_bytes(files.to_bytes())
    if library.kind in ("pbwire", "lazy"):
        python = [str(environment.python), "-m", "pbwire", "compile", str(descriptors), "-o", str(folder)]
        run(python, PYTHONPATH=str(ROOT))
    else:
        _run_protoc(environment, library, files, folder, descriptors)


def _run_protoc(environment: Environment, library: Library, files: Any, folder: Path, descriptors: Path) -> None:
    for tool in (*TOOLS, library.compiler):
        environment.add_tool(tool)
    plugin = PLUGINS[library.kind]
    output = folder
    if plugin.endswith("betterproto2"):  # it writes relative imports that leave the folder
        output = folder / "generated"
        output.mkdir(exist_ok=True)
    options = [f"--python_out={output}"]
    if plugin:
        options = [f"--plugin=protoc-gen-peer={environment.tools / plugin}", f"--peer_out={output}"]
    protoc = [str(environment.tools / "python"), "-m", "grpc_tools.protoc", f"--descriptor_set_in={descriptors}"]
    names = [file.name for file in files.file if not file.name.startswith("google/protobuf/")]
    path = f"{environment.tools}:/usr/bin:/bin"  # plugins start formatters
    run([*protoc, *options, *names], PATH=path)
