"""Run Google's own Python tests of protobuf on the messages of `tfmodel.compat`.

    python -m tests.tfmodel.compat.google_tests FOLDER [TEST...] [-v]

FOLDER is a checkout of protobuf's sources, v31.1 (the folder with `python` and `src`). The tests stay there. Needed
beside the test dependencies: absl-py.

Judged are the methods of the modules in MODULES. A method passes if all of its variants pass. The modules of test
messages are made from their .proto files, as generated code would make them. Other names of protobuf that tests import
and the tree lacks, such as parts of its pure-Python codec, are taken from FOLDER too.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import unittest
from collections import defaultdict
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = (
    "message",
    "reflection",
    "well_known_types",
    "unknown_fields",
    "numpy.numpy",
    "field_mask",
    "proto",
    "timestamp",
    "duration",
    "keywords",
    "any",
    "thread_safe",
)
_SUPPORT = ("testing_refleaks", "test_util", "type_checkers", "wire_format", "encoder", "decoder", "field_mask")
_PACKAGES = tuple(f"google.protobuf.{name}" for name in ("internal.numpy", "testdata", "internal.import_test_package"))
_TREE = "tfmodel.compat."


class _Alias(Loader):
    """Takes the module of the tree for its name at the top."""

    def create_module(self, spec: Any) -> ModuleType | None:
        return importlib.import_module(_TREE + spec.name)

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__.removeprefix(_TREE)] = module


class Finder(MetaPathFinder, Loader):
    """Finds the modules of test messages, and of the tests' support, in FOLDER."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "python"
        self.protos = [folder / "src", folder / "python"]

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> Any:
        name = fullname.removeprefix(_TREE)
        if not name.startswith("google.protobuf."):
            return None
        spec = self._spec(name)
        if spec is not None and name == fullname:  # one module for both names
            return importlib.machinery.ModuleSpec(fullname, _Alias())
        return spec

    def _spec(self, fullname: str) -> Any:
        file = fullname.replace(".", "/")
        if fullname.endswith("_pb2") and any((root / f"{file[:-4]}.proto").exists() for root in self.protos):
            return importlib.machinery.ModuleSpec(_TREE + fullname, self)
        name = fullname.rpartition(".")[2]
        source = self.python / f"{file}.py"
        if fullname.startswith("google.protobuf.internal.") and (name.endswith("_test") or name in _SUPPORT):
            return importlib.util.spec_from_file_location(_TREE + fullname, source) if source.exists() else None
        package = self.python / file / "__init__.py"
        if fullname.startswith(_PACKAGES) and package.exists():
            return importlib.util.spec_from_file_location(_TREE + fullname, package)
        return None

    def create_module(self, spec: Any) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Do what the generated code of a .proto file does."""
        from pbwire import proto
        from pbwire.compat.generated import build_descriptors, build_messages
        from pbwire.compat.pools import default_pool

        name = f"{module.__name__.removeprefix(_TREE).replace('.', '/')[:-4]}.proto"
        root = next(root for root in self.protos if (root / name).exists())
        descriptors = proto.descriptors(root / name, include=self.protos)
        pool = default_pool()
        for file in descriptors.file:
            own = pool.AddSerializedFile(file.to_bytes())
            if file.name == name:
                namespace = vars(module)
                namespace["DESCRIPTOR"] = own
                build_descriptors(own, namespace)
                build_messages(own, module.__name__, namespace)
                public = [file.dependency[index] for index in file.public_dependency]
                for imported in public:
                    other = importlib.import_module(imported.removesuffix(".proto").replace("/", ".") + "_pb2")
                    namespace.update({key: value for key, value in vars(other).items() if not key.startswith("_")})


def methods(source: Path) -> dict[str, set[str]]:
    """Return the names of the test methods of each class of a module."""
    found: dict[str, set[str]] = {}
    for cls in ast.walk(ast.parse(source.read_text())):
        if isinstance(cls, ast.ClassDef):
            functions = [one.name for one in cls.body if isinstance(one, ast.FunctionDef)]
            found.setdefault(cls.name, set()).update(name for name in functions if name.lower().startswith("test"))
    return found


def judged_name(test: unittest.TestCase, found: dict[str, set[str]]) -> str | None:
    """Return the method that a test is a variant of; None if it is in another module."""
    names: set[str] = set().union(*(found.get(cls.__name__, set()) for cls in type(test).__mro__))
    matches = [name for name in names if test._testMethodName.startswith(name)]
    return max(matches, key=len, default=None)


def tests_of(suite: Any) -> list[unittest.TestCase]:
    return [test for one in suite for test in (tests_of(one) if isinstance(one, unittest.TestSuite) else [one])]


def run(folder: Path, only: Sequence[str], verbose: bool) -> int:
    os.chdir(folder)  # where the tests look for golden files
    from tfmodel.compat.script import serve

    serve()
    sys.meta_path.insert(0, Finder(folder))
    totals = [0, 0]
    for part in MODULES:
        source = folder / "python/google/protobuf/internal" / f"{part.replace('.', '/')}_test.py"
        found = methods(source)
        try:
            module = importlib.import_module(f"google.protobuf.internal.{part}_test")
        except Exception as error:
            print(f"{part}: cannot be imported: {type(error).__name__}: {error}")
            if verbose:
                raise
            continue
        outcomes: dict[str, list[str]] = defaultdict(list)
        for test in tests_of(unittest.defaultTestLoader.loadTestsFromModule(module)):
            name = judged_name(test, found)
            if name is None or (only and not any(word in test.id() for word in only)):
                continue
            result = unittest.TextTestResult(unittest.runner._WritelnDecorator(io.StringIO()), False, 0)
            test.run(result)
            problems = [text for _, text in [*result.errors, *result.failures]]
            outcomes[f"{type(test).__name__}.{name}"] += [f"{test.id()}\n{problem}" for problem in problems]
        passed = sum(not problems for problems in outcomes.values())
        totals[0] += passed
        totals[1] += len(outcomes)
        print(f"{part}: {passed} of {len(outcomes)} methods pass")
        for name, problems in outcomes.items():
            for problem in problems[: None if verbose else 1]:
                print(f"  {name}: {problem.strip().splitlines()[-1]}" if not verbose else problem)
    print(f"all: {totals[0]} of {totals[1]} methods pass ({100 * totals[0] / max(totals[1], 1):.1f} %)")
    return 0 if totals[0] == totals[1] else 1


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "-v"]
    if not words:
        sys.exit(__doc__)
    sys.exit(run(Path(words[0]), words[1:], "-v" in sys.argv))
