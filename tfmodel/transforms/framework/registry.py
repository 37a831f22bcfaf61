"""The registry of transforms: built-in ones, plugins, and the help text of each.

    @graph_transform
    def rename_op(graph: GraphDef, *, old_op_name: str, new_op_name: str) -> GraphDef:
        ...

registers a function under its name and returns it. Its first parameter is the graph. The framework supplies the
parameters called `inputs`, `outputs`, `report`, `ops` and `activations`; all others are arguments in a list of
transforms: see `parameters`. `activations` runs a graph on the feeds of the verification and returns the largest
magnitude of the floats that each node computes; it is None without a verification.

A built-in transform is registered when its module is imported. `find` first imports the module with the name of the
transform; if that does not register the transform, `find` imports all modules of built-in transforms. A plugin is
registered when its module is imported, by `load_plugin` or in any other way. Plugins that are installed as entry points
are imported if the name is still unknown. A plugin cannot replace a built-in transform.

The help text of a transform has its parameters and its documentation:

    remove_attribute(attribute_name=STR, op_name="*")

      attribute_name=STR  required
      op_name=STR         default: "*"

    Remove an attribute from all nodes, or from those of one op.
    ...

For a built-in transform the docstring of its module follows: the conditions under which it rewrites, and the
differences from the C++ tool.

Plugins are modules outside tfmodel that define transforms. Users name a plugin by its module or by the path of its
file: `my_transforms` or `folder/my_transforms.py`. Or it is installed as an entry point of a distribution whose
pyproject.toml has

    [project.entry-points."tfmodel.transforms"]
    my_transforms = "my_package.my_transforms"

Importing a plugin may raise any exception; `describe_error` describes it in one line.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

from pbwire.errors import suggestion

from ...errors import TransformError
from ...files.access.special_files import no_file
from ...files.access.stand_ins import STAND_IN_HEAD, stand_in
from ...values.terminal import escape
from .parameters import Parameter, read_parameters
from .transform_index import MODULES

SUPPLIED = ("activations", "inputs", "ops", "outputs", "report")

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = __name__.rsplit(".", 2)[0]

_REGISTERED: dict[str, Transform] = {}


@dataclass(eq=False)
class Transform:
    """A registered transform: its function, parameters and documentation."""

    name: str
    function: Callable[..., Any]

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters that can be given in a list of transforms."""
        return read_parameters(self.function, SUPPLIED)

    @cached_property
    def supplied(self) -> frozenset[str]:
        """The names in `SUPPLIED` that the function takes."""
        return frozenset(SUPPLIED) & inspect.signature(self.function).parameters.keys()

    @property
    def is_builtin(self) -> bool:
        """Whether the transform is part of tfmodel."""
        return is_builtin(self.function)

    @property
    def origin(self) -> str:
        """The module that defines the transform, or the path of the file that was given as a plugin."""
        module = _module(self.function)
        return inspect.unwrap(self.function).__code__.co_filename if module.startswith(FILE_PREFIX) else module

    @property
    def docstring(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.docstring.partition("\n")[0]

    @property
    def details(self) -> str:
        """The docstring of the module without its first line: conditions, and differences from the C++ tool.

        Empty for a plugin, whose module may be about anything.
        """
        module = sys.modules.get(_module(self.function)) if self.is_builtin else None
        return (inspect.getdoc(module) or "").partition("\n")[2].strip("\n")

    def __str__(self) -> str:
        """Return the transform as help shows it: `remove_nodes([op=STR ...], max_inputs=1)`."""
        return f"{self.name}({', '.join(map(str, self.parameters.values()))})"


def graph_transform(function: F) -> F:
    """Register a function as the transform of its name.

        @tfmodel.graph_transform
        def rename_op(graph: GraphDef, *, outputs, old_op_name: str, new_op_name: str = "Relu") -> GraphDef:
            ...

    The function takes a graph and returns one; --list and --help-transform show its docstring. All parameters except
    the graph are keyword-only (after the `*`). The framework supplies `inputs`, `outputs`, `report`, `ops` and
    `activations`. The others are arguments in a list of transforms and have a type: int, float, bool, str, Shape,
    DataType, or a tuple such as `tuple[str, ...]` for an argument that may be repeated.

    Raises ValueError if another transform has that name, and TypeError for a parameter that cannot be given in a list
    of transforms.
    """
    transform = Transform(function.__name__, function)
    if not transform.is_builtin:
        _import_builtins()  # so that a plugin with the name of a built-in transform is refused
        transform.parameters  # noqa: B018  report a wrong signature at registration
    other = _REGISTERED.get(transform.name)
    if other is not None and _definition(other.function) != _definition(function):
        raise ValueError(f"the transform {transform.name} exists already, in {other.origin}")
    _REGISTERED[transform.name] = transform
    return function


def find(name: str) -> Transform:
    """Return the transform of that name. Raises TransformError if the name is unknown."""
    module = MODULES.get(name, name)
    if name not in _REGISTERED and module in _modules():
        importlib.import_module(f"{_PACKAGE}.{module}")
    if name not in _REGISTERED:
        _import_builtins()
    if name not in _REGISTERED:
        broken = load_installed()
        if name not in _REGISTERED:
            problem = f'there is no transform "{escape(name)}"{suggestion(name, _REGISTERED)}'
            raise TransformError("; ".join([problem, *broken]))
    return _REGISTERED[name]


def names() -> list[str]:
    """Return the sorted names of all known transforms: built-in ones, and those of loaded plugins."""
    _import_builtins()
    return sorted(_REGISTERED)


# --- plugins ---------------------------------------------------------------------------------------------------------


def load_plugin(name: str) -> list[str]:
    """Import a module by its name, or a .py file by its path, and return the names of the transforms that it registers.

    Raises TransformError with the problem and its place; then none of the plugin's transforms is registered.
    """
    return _load(name, lambda: import_plugin(name))


def load_installed() -> list[str]:
    """Load the plugins that are installed as entry points of `tfmodel.transforms`. Return the errors of those that
    fail.
    """
    problems = []
    for name, load in installed_plugins():
        try:
            _load(name, load)
        except TransformError as error:
            problems.append(str(error))
    return problems


def _load(name: str, load: Callable[[], object]) -> list[str]:
    _import_builtins()
    before = dict(_REGISTERED)
    try:
        load()
    except (Exception, SystemExit) as error:  # importing foreign code may raise anything
        _REGISTERED.clear()
        _REGISTERED.update(before)
        problem = str(error) if isinstance(error, TransformError) else describe_error(error)
        raise TransformError(f'the plugin "{escape(name)}" cannot be loaded: {problem}') from error
    return [name for name, transform in _REGISTERED.items() if before.get(name) is not transform]


# --- built-in transforms ---------------------------------------------------------------------------------------------


def is_builtin(function: Callable[..., Any]) -> bool:
    """Return whether a function is one of tfmodel's own transforms."""
    return _module(function).startswith(f"{_PACKAGE}.")


def _module(function: Callable[..., Any]) -> str:
    return getattr(function, "__module__", None) or "__main__"  # None in code that was compiled from a string


def _definition(function: Callable[..., Any]) -> tuple[str, str]:
    return _module(function), function.__qualname__


def _import_builtins() -> None:
    for module in _modules():
        importlib.import_module(f"{_PACKAGE}.{module}")


@cache
def _modules() -> frozenset[str]:
    package = importlib.import_module(_PACKAGE)
    return frozenset(module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg)


def two_line_help(transform: Transform) -> str:
    """Return the transform in two lines: signature and summary."""
    return f"{transform}\n    {transform.summary or 'No description.'}"


def help_text(transform: Transform, width: int = 80) -> str:
    """Return the full help text; paragraphs are filled up to `width`, examples keep their lines."""
    parts = [str(transform)]
    if not transform.is_builtin:
        parts.append(f"From {transform.origin}.")
    if transform.parameters:
        spellings = [f"{parameter.name}={parameter.kind}" for parameter in transform.parameters.values()]
        column = max(map(len, spellings))
        rows = zip(spellings, transform.parameters.values(), strict=True)
        parts.append("\n".join(f"  {text:{column}}  {_requirement(parameter)}" for text, parameter in rows))
    parts += _paragraphs(transform.docstring, width)
    if transform.details:
        parts += ["In detail:", *_paragraphs(transform.details, width)]
    return "\n\n".join(filter(None, parts))


def _requirement(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    if not parameter.default_text:
        return "optional, repeatable" if parameter.repeated else "optional"
    return f"default: {parameter.default_text.removeprefix(f'{parameter.name}=')}"


def _paragraphs(docstring: str, width: int) -> list[str]:
    return [_fill_paragraph(paragraph, width) for paragraph in re.split(r"\n\s*\n(?=\S)", docstring)]


def _fill_paragraph(paragraph: str, width: int) -> str:
    """Return a paragraph with lines filled up to `width`. Indented blocks, such as the nodes of an example, stay as
    they are.
    """
    text, blank, examples = paragraph.partition("\n\n")
    lines = text.split("\n")
    if not any(line[:1].isspace() for line in lines):
        text = textwrap.fill(" ".join(lines), width, break_long_words=False, break_on_hyphens=False)
    return text + blank + examples


GROUP = __package__.rpartition(".")[0]
"""The entry point group: "tfmodel.transforms", or its counterpart in a vendored copy (see `tfmodel.vendoring`)."""

FILE_PREFIX = "tfmodel plugin "
"""The prefix of the module names of plugins that are files."""


def import_plugin(name: str) -> None:
    """Import the module of a plugin. Raises TransformError if it does not exist, and any exception that it raises."""
    if name.endswith(".py") or "/" in name or os.sep in name:
        _import_file(name)
        return
    if not all(part.isidentifier() for part in name.split(".")):
        raise TransformError("it is neither a module name nor the path of a .py file")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the plugin exists, but a module that it imports does not
        file = f"{name}.py"
        hint = f'; for the file in this folder write "./{file}"' if os.path.isfile(file) else ""
        raise TransformError(f'no module named "{error.name}"{hint}') from None


def _import_file(path: str) -> None:
    """Import a file under a unique module name, once."""
    if what := no_file(path):
        raise TransformError(f"this is not a file but {what}")
    if not os.path.isfile(path):
        folder = os.path.dirname(path) or "."
        hint = suggestion(os.path.basename(path), os.listdir(folder)) if os.path.isdir(folder) else ""
        raise TransformError(f"no such file{escape(hint)}")
    name = FILE_PREFIX + os.path.realpath(path).replace(".", "_")  # a dot would mean a module in a package
    if name in sys.modules:
        return
    with open(path, "rb") as file:
        if found := stand_in(file.read(STAND_IN_HEAD)):
            raise TransformError(str(found))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TransformError("not a Python file: its name must end with .py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:  # a module that is only half initialized must not stay in sys.modules
        del sys.modules[name]
        raise


def installed_plugins() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the plugins of installed distributions: the name of each, and a function that imports it."""
    from importlib.metadata import entry_points  # slow to import

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        yield f"{point.name} = {point.value}", point.load


def describe_error(error: BaseException) -> str:
    """Describe an error in plugin code in one line, with the innermost file and line of that code."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    import traceback  # slow to import

    frames = traceback.extract_tb(error.__traceback__)
    foreign_frames = [frame for frame in frames if _is_foreign(frame.filename)]
    if isinstance(error, SyntaxError) or not foreign_frames:  # a SyntaxError contains its location
        return escape(text)
    return escape(f"{text} ({os.path.basename(foreign_frames[-1].filename)}:{foreign_frames[-1].lineno})")


def _is_foreign(path: str) -> bool:
    """Return whether a file belongs neither to tfmodel nor to the standard library.

    The folder of the standard library may contain a folder of installed packages; their files are foreign too.
    """
    if path.startswith(("<frozen ", _OWN_FOLDER)):
        return False
    return not path.startswith(_LIBRARY_FOLDER) or path.startswith(_PACKAGE_FOLDERS)


_OWN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "")
_LIBRARY_FOLDER = os.path.join(os.path.dirname(os.__file__), "")
_PACKAGE_FOLDERS = (
    os.path.join(_LIBRARY_FOLDER, "site-packages", ""),
    os.path.join(_LIBRARY_FOLDER, "dist-packages", ""),
)
