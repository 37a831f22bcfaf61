"""Packages import only packages below them, at run time and inside functions.

ORDER lists packages from the bottom to the top, those of tfmodel by storey, one entry each, and the layers of
`pbwire.compat`. A module may import its own entry and the entries before it; the entry of a module is its longest
prefix here. Imports for type checkers alone (`if TYPE_CHECKING:`) are free.
"""

from __future__ import annotations

from functools import cache

from tests.architecture.source import Import, imports, modules

PBWIRE = (
    "pbwire.errors",
    "pbwire.colours",
    "pbwire.arguments",
    "pbwire.behavior",
    "pbwire.descriptor",
    "pbwire.states",
    "pbwire.kept",
    "pbwire.collection",
    "pbwire.wire",
    "pbwire.varints",
    "pbwire.packed",
    "pbwire.codec.codegen",  # imports the modules that write functions by name, when a function is first used
    "pbwire.codec.hash_flooding",
    "pbwire.codec.unknown_fields",
    "pbwire.codec.validation",
    "pbwire.lazy",
    "pbwire.codec",
    "pbwire.field_properties",
    "pbwire.message",
    "pbwire.message_classes",
    "pbwire.extensions",
    "pbwire.table",
    "pbwire.plain",
    "pbwire.codec.map_decoder",
    "pbwire.codec.decoder",
    "pbwire",
    "pbwire.atomic",
    "pbwire.raw",
    "pbwire.lazy.undecoded_maps",
    "pbwire.wellknown",
    "pbwire.text",
    "pbwire.json",
    "pbwire.streams",
    "pbwire.proto",
    "pbwire.compat.values",
    "pbwire.compat.classes",
    "pbwire.compat.descriptors",
    "pbwire.compat.pools",
    "pbwire.compat",
    "pbwire.commands",
    "pbwire.__main__",
)
STOREYS = {
    "bytes": (
        "tfmodel.starting",
        "tfmodel.public_names",
        "tfmodel",
        "tfmodel.options",
        "tfmodel.errors",
        "tfmodel._schema",
        "tfmodel.message_index",
        "tfmodel.messages",
        "tfmodel.onnx_messages",
    ),
    "files": ("tfmodel.values", "tfmodel.files"),
    "graphs": ("tfmodel.ops", "tfmodel.graph", "tfmodel.source"),
    "reading": ("tfmodel.analysis", "tfmodel.parameters", "tfmodel.reports", "tfmodel.drawing"),
    "running": ("tfmodel.kernels", "tfmodel.interpreter", "tfmodel.compare"),
    "changing": ("tfmodel.freezing", "tfmodel.transforms", "tfmodel.editing", "tfmodel.optimizer", "tfmodel.export"),
    "doors": (
        "tfmodel.model",
        "tfmodel.model_editing",
        "tfmodel.vendoring",
        "tfmodel.compat",
        "tfmodel.cli",
        "tfmodel.__main__",
    ),
}
"""The packages of tfmodel by storey. `tfmodel` itself imports each module when one of its names is used."""
ORDER = (*PBWIRE, *(package for storey in STOREYS.values() for package in storey))


@cache
def entry_of(module: str) -> str:
    """Return the entry of ORDER that a module belongs to: its longest prefix."""
    entries = [entry for entry in ORDER if f"{module}.".startswith(f"{entry}.")]
    entry = max(entries, key=len, default="")
    return "" if entry == "tfmodel" != module else entry  # tfmodel has no module that ORDER does not name


def upward_imports() -> list[Import]:
    """Return all imports of an entry of ORDER by an entry below it."""
    places = {entry: place for place, entry in enumerate(ORDER)}
    every = [arrow for module in modules("pbwire", "tfmodel") for arrow in imports(module)]
    inside = [arrow for arrow in every if arrow.imported.partition(".")[0] in ("pbwire", "tfmodel")]
    return [
        arrow for arrow in inside if places.get(entry_of(arrow.importer), -1) < places.get(entry_of(arrow.imported), -1)
    ]


def test_every_module_has_a_place_in_the_order() -> None:
    assert [module for module in modules("pbwire", "tfmodel") if not entry_of(module)] == []


def test_every_place_in_the_order_has_a_module() -> None:
    names = modules("pbwire", "tfmodel")
    assert [entry for entry in ORDER if entry not in names and entry != "tfmodel._schema"] == []


def test_no_package_imports_one_above_it() -> None:
    wrong = {f"{arrow.importer}, line {arrow.line}, imports {arrow.imported}" for arrow in upward_imports()}
    assert not wrong, "move the imported code below both, or the importer up:\n" + "\n".join(sorted(wrong))


def test_packages_import_nothing_of_tests_and_pbwire_nothing_of_tfmodel() -> None:
    foreign = {"pbwire": {"tfmodel", "schema", "tests", "fuzz"}, "tfmodel": {"schema", "tests", "fuzz"}}
    wrong = [
        f"{arrow.importer}, line {arrow.line}, imports {arrow.imported}"
        for module in modules("pbwire", "tfmodel")
        for arrow in imports(module)
        if arrow.imported.partition(".")[0] in foreign[module.partition(".")[0]]
    ]
    assert wrong == []


# Circles inside pbwire, between the parts of the codec that call each other.
KNOWN_CIRCLES = {frozenset({"pbwire.codec", "pbwire.lazy"})}


def package_of(module: str) -> str:
    return module if modules("pbwire", "tfmodel")[module].name == "__init__.py" else module.rpartition(".")[0]


def package_arrows() -> dict[str, set[str]]:
    """Return the packages that each package imports, at any depth. The two top packages are doors to all others."""
    arrows: dict[str, set[str]] = {}
    for module in modules("pbwire", "tfmodel"):
        importer = package_of(module)
        arrows.setdefault(importer, set()).update(
            package_of(arrow.imported)
            for arrow in imports(module)
            if importer not in ("pbwire", "tfmodel") and arrow.imported in modules("pbwire", "tfmodel")
        )
        arrows[importer].discard(importer)
    return arrows


def reachable(name: str, arrows: dict[str, set[str]]) -> set[str]:
    """Return the packages or modules that one imports, directly or through others."""
    found, waiting = set[str](), [name]
    while waiting:
        new = arrows.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def circles(arrows: dict[str, set[str]]) -> set[frozenset[str]]:
    """Return the groups of packages or modules that import each other."""
    below = {name: reachable(name, arrows) for name in arrows}
    return {
        frozenset({name, *(other for other in found if name in below.get(other, ()))})
        for name, found in below.items()
        if name in found
    }


def test_no_packages_import_each_other() -> None:
    assert circles(package_arrows()) == KNOWN_CIRCLES


def test_at_most_three_modules_of_a_package_import_each_other() -> None:
    names = modules("pbwire", "tfmodel")
    package = {name: package_of(name) for name in names}
    arrows = {
        name: {arrow.imported for arrow in imports(name) if package.get(arrow.imported) == package[name]} - {name}
        for name in names
    }
    assert [sorted(circle) for circle in circles(arrows) if len(circle) > 3] == []
