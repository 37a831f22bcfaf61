"""Write the tables in schema/ again from the .proto files of a newer TensorFlow, or of a newer ONNX.

    python -m tests.schema.regenerate FOLDER            FOLDER has tensorflow/core/framework/graph.proto and the others:
                                                        a checkout of TensorFlow, or the `include` of an installed one
    python -m tests.schema.regenerate descriptors.pb    or they are in a FileDescriptorSet
    --onnx                                              the tables in schema/onnx; FOLDER has onnx/onnx-ml.proto: a
                                                        checkout of ONNX, or where its package is installed
    --check                                             write nothing; exit status 1 if a file would change
    --add NAME                                          also make a table of this message or enum; may be repeated

Fields, values and nested types that the tables lack are added, and types of other files that these need. Documentation
stays where it is; what is new has none. What the .proto files do not have is kept, since files of earlier versions have
it, and is reported. So are messages without a table. The facts in tests/data/schema_facts.tsv or onnx_facts.tsv are
written too; then `python -m tests.index` writes the index of messages.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

from pbwire import proto
from pbwire.compat.descriptors.file_protos import file_name, file_proto
from pbwire.errors import ProtoError
from pbwire.proto.documentation import Documentation, read_documentation
from pbwire.proto.loader import load_descriptor_set, load_files
from pbwire.proto.module_writer import write_module
from pbwire.proto.pool import Pool
from tests.schema.facts_writer import facts_text
from tests.schema.merging import Merger
from tests.support.schema_facts import ONNX_FACTS, SCHEMA_FACTS

__all__ = ["current_files", "main", "modules", "pool_of", "texts"]

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema"
ROOTS = ("third_party/xla/third_party/tsl", "third_party/xla", "")
"""Folders of a checkout of TensorFlow from which imports are found; inner ones first, which name the files in them."""


class Tables(NamedTuple):
    """The tables of one project: the package of their modules, its folder, and their facts."""

    package: str
    folder: Path
    facts: Path


TENSORFLOW = Tables("tfmodel._schema", SCHEMA, SCHEMA_FACTS)
ONNX = Tables("tfmodel._schema.onnx", SCHEMA / "onnx", ONNX_FACTS)


def module_names(tables: Tables = TENSORFLOW) -> list[str]:
    return sorted(path.stem for path in tables.folder.glob("*.py") if path.stem != "__init__")


def current_files(tables: Tables = TENSORFLOW) -> dict[str, Any]:
    """Return the FileDescriptorProtos of the tables as they are, by module. Their names are those of the modules."""

    def flat(module: str) -> str:
        return f"{module.rpartition('.')[2]}.proto"

    imported = {name: importlib.import_module(f"{tables.package}.{name}") for name in module_names(tables)}
    return {name: file_proto(module, name=f"{name}.proto", names=flat) for name, module in imported.items()}


def pool_of(source: Path, tables: Tables = TENSORFLOW) -> Pool:
    """Return the linked .proto files of a folder, or of a file with a FileDescriptorSet. Raises ProtoError."""
    if source.is_file():
        return load_descriptor_set(proto.read_set(source.read_bytes()))
    if tables is ONNX:
        return load_files([source / "onnx" / "onnx-ml.proto"], [source])[0]
    include = [source / root for root in ROOTS if (source / root).is_dir()]
    files = [
        path for root in include for name in ("tensorflow", "tsl", "xla/tsl") for path in (root / name).rglob("*.proto")
    ]
    wanted = {Path(file_name(f"tfmodel._schema.{name}")).name for name in module_names()}
    core = [file for file in files if file.name in wanted and not {"lite", "compiler", "testdata"} & set(file.parts)]
    if not core:
        raise ProtoError("there is no tensorflow/core/framework/graph.proto in this folder", file=str(source))
    return load_files(sorted(core), include)[0]


def modules(
    old: dict[str, Any], new: Pool, added: list[str], tables: Tables = TENSORFLOW
) -> tuple[dict[str, str], Merger]:
    """Return the texts of the table modules by name, and the merger with what it has to report."""
    merger = Merger(old, new, added, tables.package)
    written = {}
    linked = load_descriptor_set(merger.descriptor_set())
    for name, origin in merger.origins.items():
        path = tables.folder / f"{name}.py"
        kept = read_documentation(path.read_text()) if path.exists() else Documentation(f"{origin}: new messages.", {})
        written[name] = write_module(linked.files[f"{name}.proto"], linked, kept)
    return written, merger


def texts(source: Path | None, added: list[str], tables: Tables = TENSORFLOW) -> tuple[dict[Path, str], list[str]]:
    """Return the files to write with their texts, and lines that report what was noticed."""
    new = Pool() if source is None else pool_of(source, tables)
    written, merger = modules(current_files(tables), new, added, tables)
    files = {tables.folder / f"{name}.py": text for name, text in written.items()}
    files[tables.facts] = facts_text(tables.facts.read_text(), new, merger.names)
    return files, merger.report()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.schema.regenerate", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("source", type=Path, help="a folder with .proto files, or a FileDescriptorSet")
    parser.add_argument("--onnx", action="store_true", help="write the tables of ONNX")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if a file would change")
    parser.add_argument("--add", action="append", default=[], metavar="NAME", help="also make a table of this type")
    args = parser.parse_args(arguments)
    try:
        files, report = texts(args.source, args.add, ONNX if args.onnx else TENSORFLOW)
    except (ProtoError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(report))
    changed = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in changed:
        print(f"{'would change' if args.check else 'written'}: {path.relative_to(ROOT)}")
        if not args.check:
            path.write_text(files[path], encoding="utf-8")
    print(f"{len(files):,} files, {len(changed):,} {'differ' if args.check else 'written'}")
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
