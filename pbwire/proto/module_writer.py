"""Write table modules as people write them: a class per message and enum, a row per field, comments as documentation.

Enums of a file stand before its messages, types inside of a message before its rows, and extensions and services last;
everything else keeps the order of the .proto file, so that a change in it is a small change in the module. The same
input gives the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ProtoError, escape_invisible
from . import descriptor_messages as d
from .classes import (
    entry_of,
    extension_keywords,
    extension_ranges,
    is_closed,
    json_keyword,
    json_names,
    row_keywords,
)
from .documentation import Documentation
from .layout import INDENT, WIDTH, call_lines, comment_lines, docstring_lines, import_lines, with_comment
from .module_names import BUILTINS, KNOWN_MODULES, ModuleNames, is_entry_symbol, module_path
from .names import field_names, member_names
from .pool import LinkedFile, Pool, Symbol, is_message_set, with_imports
from .well_known import kind_name

LABELS = d.FieldDescriptorProto.Label
ANNOTATIONS = {"double": "float", "float": "float", "bool": "bool", "string": "str", "bytes": "bytes"}


def modules(
    pool: Pool, files: list[str], documentation: Callable[[str], Documentation | None] | None = None
) -> dict[str, str]:
    """Return the table modules of files and of all files that they import: the text by path, such as "a/b.py".

    `documentation` returns the documentation that the module of a path keeps; None for a new module. Google's
    well-known types, which `pbwire` has, are left out. Raises ProtoError if two files would have one module.
    """
    written: dict[str, str] = {}
    origins: dict[str, str] = {}
    for name in with_imports(pool, files):
        if name in KNOWN_MODULES:
            continue
        path = "/".join(module_path(name, pool)) + ".py"
        if path.casefold() in origins:
            raise ProtoError(f'"{origins[path.casefold()]}" would have the same module: {path}', file=name)
        origins[path.casefold()] = name
        written[path] = write_module(pool.files[name], pool, documentation(path) if documentation else None)
    return written


def write_module(file: LinkedFile, pool: Pool, documentation: Documentation | None = None) -> str:
    """Return the text of the table module of a file.

    With `documentation`, what is documented there keeps this documentation instead of the comment in the .proto file.
    """
    return _ModuleWriter(file, pool, documentation or Documentation("", {})).text()


class _ModuleWriter:
    def __init__(self, file: LinkedFile, pool: Pool, documentation: Documentation) -> None:
        self.file = file
        self.pool = pool
        self.documentation = documentation
        self.names = ModuleNames(file, pool)
        self.complete: set[str] = set()  # classes that exist when the next row is evaluated
        self.uses_builtins = False
        self._members: dict[str, dict[str, str]] = {}
        self.children: dict[str | None, list[Symbol]] = {}
        for symbol in file.symbols:
            if symbol.kind in ("message", "enum") and not is_entry_symbol(symbol):
                parent = symbol.parent.full_name if symbol.parent is not None else None
                self.children.setdefault(parent, []).append(symbol)

    def text(self) -> str:
        classes: list[str] = []
        for symbol in self.ordered(None):
            classes += ["", "", *self.class_lines(symbol, "")]
        extensions = [one for one in self.file.symbols if one.full_name in self.names.extensions]
        classes += ["", ""] if extensions else []
        for symbol in extensions:
            classes += self.extension(symbol, self.names.extensions[symbol.full_name], set(), "")
        for service in self.names.services:
            classes += ["", "", *self.service_lines(self.pool.symbols[service])]
        lines = [*self.head(), *classes]
        if rules := self.broken_rules(lines):
            lines = [f"# ruff: noqa: {', '.join(rules)}", *lines]
        return "\n".join(lines) + "\n"

    def ordered(self, parent: str | None) -> list[Symbol]:
        return sorted(self.children.get(parent, []), key=lambda symbol: symbol.kind != "enum")

    def head(self) -> list[str]:
        name = escape_invisible(self.file.source.name).replace("\\", "\\\\").replace('"', '\\"')
        package = f"package {self.file.proto.package}" if self.file.proto.package else "no package"
        document = docstring_lines(self.documentation.module, "") or [f'"""{name}: {package}."""']
        lines = [*document, "", "from __future__ import annotations", ""]
        if self.uses_builtins:
            lines += ["import builtins", ""]
        own = [*self.names.own, *self.names.extensions.values(), *self.names.services.values()]
        lines += ["from pbwire import services"] if self.names.services else []
        if self.names.own or any(symbol.kind == "extension" for symbol in self.file.symbols):
            lines += ["from pbwire import table as pb"]
        lines += self.imports(relative=False)
        relative = self.imports(relative=True)
        lines += ["", *relative] if relative and lines[-1] else relative
        return [*lines, *([""] if lines[-1] else []), *_all(own)]

    def imports(self, *, relative: bool) -> list[str]:
        modules = [module for module in self.names.imports if module.startswith(".") == relative]
        lines: list[str] = []
        for module in sorted(modules, key=lambda one: (-(len(one) - len(one.lstrip("."))), one)):
            names = self.names.imports[module]
            plain = sorted((name for name, alias in names.items() if name == alias), key=import_order)
            groups = [[f"{name} as {alias}"] for name, alias in names.items() if name != alias]
            for group in sorted([*groups, *([plain] if plain else [])], key=lambda group: import_order(group[0])):
                lines += import_lines(module, group)
        return lines

    def broken_rules(self, lines: list[str]) -> list[str]:
        """Return the rules of ruff that names of the .proto file break."""
        rules = set()
        for full_name, path in self.names.paths.items():
            name = path.rpartition(".")[2].lstrip("_")
            if self.is_own(full_name) and ("_" in name or not name[:1].isupper()):
                rules.add("N801")
        for symbol in self.file.symbols:
            if symbol.kind in ("field", "extension", "service") and _is_mixed_case(symbol.proto.name):
                at_top = symbol.full_name in self.names.extensions or symbol.kind == "service"
                rules.add("N816" if at_top else "N815")
        comments = [*self.file.source.comments.values(), *self.documentation.comments.values()]
        if not all(map(str.isascii, comments)):
            rules |= {"RUF002", "RUF003"}
        if any(len(line) > WIDTH for line in lines):
            rules.add("E501")
        return sorted(rules)

    # --- classes -------------------------------------------------------------------------------------------------

    def comment(self, proto: Any, full_name: str) -> str:
        kept = self.documentation.comments.get(full_name)
        return kept if kept is not None else self.file.source.comments.get(id(proto), "")

    def class_lines(self, symbol: Symbol, indent: str) -> list[str]:
        return self.enum_lines(symbol, indent) if symbol.kind == "enum" else self.message_lines(symbol, indent)

    def enum_lines(self, symbol: Symbol, indent: str) -> list[str]:
        values = symbol.proto.value
        attributes = self.members(symbol)
        renamed = {attribute: name for name, attribute in attributes.items() if attribute != name}
        arguments = [f'"{symbol.full_name}"']
        if is_closed(symbol):
            arguments.append("closed=True")
        if renamed:
            arguments.append("names={" + ", ".join(f'"{a}": "{name}"' for a, name in renamed.items()) + "}")
        if texts := json_names(symbol):
            arguments.append(
                "json_names={" + ", ".join(f'"{name}": {self.quoted(text)}' for name, text in texts.items()) + "}"
            )
        lines = [*call_lines(indent, "@pb.enum", arguments), f"{indent}class {self.own_name(symbol)}(pb.Enum):"]
        lines += self.docstring(symbol, indent)
        for value in values:
            member = f"{attributes[value.name]} = {value.number or 0}"
            lines += with_comment(
                f"{indent}{INDENT}", [indent + INDENT + member], self.comment(value, f"{symbol.full_name}.{value.name}")
            )
        self.complete.add(symbol.full_name)
        return lines

    def members(self, enum: Symbol) -> dict[str, str]:
        """Return the attributes of an enum by the names of its values."""
        if enum.full_name not in self._members:
            self._members[enum.full_name] = member_names(value.name for value in enum.proto.value)
        return self._members[enum.full_name]

    def own_name(self, symbol: Symbol) -> str:
        return self.names.paths[symbol.full_name].rpartition(".")[2]

    def docstring(self, symbol: Symbol, indent: str) -> list[str]:
        lines = docstring_lines(self.comment(symbol.proto, symbol.full_name), indent + INDENT)
        return [*lines, ""] if lines else []

    def message_lines(self, symbol: Symbol, indent: str) -> list[str]:
        assert symbol.file is not None
        arguments = [f'"{symbol.full_name}"']
        if symbol.file.syntax != "proto3":
            arguments.append(f'syntax="{symbol.file.syntax}"')
        base = "pb.Message"
        if ranges := extension_ranges(symbol.proto):
            base = "pb.ExtendableMessage"
            arguments.append(f"extensions=[{', '.join(map(repr, ranges))}]")
        if is_message_set(symbol.proto):
            arguments.append("message_set=True")
        if names := symbol.proto.reserved_name:
            arguments.append(f"reserved=[{', '.join(self.quoted(name) for name in names)}]")
        lines = [*call_lines(indent, "@pb.message", arguments), f"{indent}class {self.own_name(symbol)}({base}):"]
        lines += self.docstring(symbol, indent)
        for nested in self.ordered(symbol.full_name):
            lines += [*self.class_lines(nested, indent + INDENT), ""]
        nested_names = {self.own_name(nested) for nested in self.children.get(symbol.full_name, [])}
        members = (one.name for one in (*symbol.proto.field, *symbol.proto.extension))
        attributes = field_names(members, self.names.forbidden, nested_names, extendable=bool(ranges))
        hidden = {*attributes.values(), *nested_names}
        for field in symbol.proto.field:
            lines += self.row(field, symbol, attributes[field.name], hidden, indent + INDENT)
        for field in symbol.proto.extension:
            extension = self.pool.symbols[f"{symbol.full_name}.{field.name}"]
            lines += self.extension(extension, attributes[field.name], hidden, indent + INDENT)
        if not lines[-1]:
            lines.pop()
        if lines[-1].startswith(f"{indent}class "):
            lines.append(f"{indent}{INDENT}pass")
        self.complete.add(symbol.full_name)
        return lines

    # --- rows ----------------------------------------------------------------------------------------------------

    def row(self, field: Any, symbol: Symbol, attribute: str, hidden: set[str], indent: str) -> list[str]:
        """Return the row of a field; `hidden` are the attributes of the class."""
        keywords = {"name": f'"{field.name}"'} if attribute != field.name else {}
        keywords |= {
            name: self.literal(name, value, field, symbol, hidden) for name, value in json_keyword(field).items()
        }
        entry = entry_of(field, self.pool)
        if entry is not None:
            key, value = (self.annotation(part, symbol, hidden) for part in entry.field)
            annotation = f"{self.builtin('dict', hidden)}[{key}, {value}]"
            arguments = [*(self.element(part, symbol) for part in entry.field), str(field.number)]
            function = "pb.map"
        else:
            own = row_keywords(field, symbol, self.pool)
            keywords = {
                name: self.literal(name, value, field, symbol, hidden) for name, value in own.items()
            } | keywords
            annotation = self.annotation(field, symbol, hidden)
            if field.label == LABELS.LABEL_REPEATED:
                annotation = f"{self.builtin('list', hidden)}[{annotation}]"
            elif self.has_presence(field, symbol, own):
                annotation += " | None"
            function, arguments = self.call(field, symbol)
        arguments += [f"{name}={value}" for name, value in keywords.items()]
        row = call_lines(indent, f"{attribute}: {annotation} = {function}", arguments)
        return with_comment(indent, row, self.comment(field, f"{symbol.full_name}.{field.name}"))

    def extension(self, symbol: Symbol, name: str, hidden: set[str], indent: str) -> list[str]:
        """Return the declaration of an extension; `hidden` are the attributes of the class around it."""
        field, scope = symbol.proto, symbol.parent
        function, arguments = self.call(field, scope)
        for keyword, value in extension_keywords(field, symbol).items():
            arguments.append(f"{keyword}={self.literal(keyword, value, field, scope, hidden)}")
        annotation = self.annotation(field, scope, hidden)
        if field.label == LABELS.LABEL_REPEATED:
            annotation = f"{self.builtin('list', hidden)}[{annotation}]"
        else:
            annotation += " | None"
        if field.type_name is not None and not self.exists(field.type_name[1:], scope):
            annotation = f'"{annotation}"'
        extendee = field.extendee[1:]
        path = self.path(extendee, scope)
        if not self.exists(extendee, scope):
            path = f'"{path}"'
        row = f"{function}({', '.join(arguments)})"
        lines = call_lines(indent, f"{name} = pb.Extension[{annotation}]", [f'"{symbol.full_name}"', path, row])
        return with_comment(indent, lines, self.comment(field, symbol.full_name))

    def service_lines(self, symbol: Symbol) -> list[str]:
        lines = [f"{self.names.services[symbol.full_name]} = services.Service(", f'{INDENT}"{symbol.full_name}",']
        for method in symbol.proto.method:
            types = [self.path(name[1:], None) for name in (method.input_type, method.output_type)]
            streams = [f"{name}=True" for name in ("client_streaming", "server_streaming") if getattr(method, name)]
            row = call_lines(INDENT, "services.Method", [self.quoted(method.name), *types, *streams])
            row[-1] += ","
            lines += with_comment(INDENT, row, self.comment(method, f"{symbol.full_name}.{method.name}"))
        return [*comment_lines(self.comment(symbol.proto, symbol.full_name), ""), *lines, ")"]

    def has_presence(self, field: Any, symbol: Symbol, keywords: dict[str, Any]) -> bool:
        if kind_name(field) in ("message", "group") or "oneof" in keywords or "optional" in keywords:
            return True
        return self.file.syntax != "proto3" and "implicit" not in keywords

    def call(self, field: Any, symbol: Symbol | None) -> tuple[str, list[str]]:
        element = self.element(field, symbol)
        if field.label == LABELS.LABEL_REPEATED:
            return "pb.repeated", [element, str(field.number)]
        if field.type_name is not None:
            return "pb.field", [element, str(field.number)]
        return element, [str(field.number)]

    def element(self, field: Any, symbol: Symbol | None) -> str:
        """Return the type of a field in its row."""
        if field.type_name is None:
            return f"pb.{kind_name(field)}"
        full_name = field.type_name[1:]
        path = self.path(full_name, symbol)
        if self.exists(full_name, symbol):
            return path
        return f'pb.EnumName("{path}")' if self.pool.symbols[full_name].kind == "enum" else f'"{path}"'

    def path(self, full_name: str, symbol: Symbol | None) -> str:
        """Return how the body of a class refers to a class: types inside of it by their own name.

        `symbol` is the message of the body; None at the end of the module.
        """
        path = self.names.paths[full_name]
        if symbol is None:
            return path
        own = self.names.paths[symbol.full_name]
        return path[len(own) + 1 :] if path.startswith(f"{own}.") and self.is_own(full_name) else path

    def is_own(self, full_name: str) -> bool:
        return self.pool.symbols[full_name].file is self.file

    def exists(self, full_name: str, symbol: Symbol | None) -> bool:
        """Return whether a class can be referred to by itself, not only by its name."""
        if symbol is None or not self.is_own(full_name):
            return True
        target: Symbol | None = self.pool.symbols[full_name]
        if target is not None and full_name.startswith(f"{symbol.full_name}."):
            return True
        while target is not None and target.parent is not None:
            target = target.parent
        return target is not None and target.full_name in self.complete

    def annotation(self, field: Any, symbol: Symbol | None, hidden: set[str]) -> str:
        if field.type_name is not None:
            return self.path(field.type_name[1:], symbol)
        return self.builtin(ANNOTATIONS.get(kind_name(field), "int"), hidden)

    def builtin(self, name: str, hidden: set[str]) -> str:
        if name in hidden and name in BUILTINS:
            self.uses_builtins = True
            return f"builtins.{name}"
        return name

    def quoted(self, value: str) -> str:
        quoted = escape_invisible(value.replace("\\", "\\\\").replace('"', '\\"'))
        return f'"{quoted}"'

    def literal(self, name: str, value: Any, field: Any, symbol: Symbol | None, hidden: set[str]) -> str:
        """Return the source of the value of a keyword."""
        if name == "default" and field.type_name is not None:
            enum = self.pool.symbols[field.type_name[1:]]
            if self.exists(enum.full_name, symbol):
                return f"{self.path(enum.full_name, symbol)}.{self.members(enum)[value]}"
            return str(self.pool.numbers_of(enum)[value])
        if isinstance(value, float) and repr(value).lstrip("-") in ("inf", "nan"):
            return f'{self.builtin("float", hidden)}("{value!r}")'
        if isinstance(value, str):
            return self.quoted(value)
        if isinstance(value, bytes):
            return _bytes_literal(value)
        if isinstance(value, float):
            return repr(value).replace("e+", "e")
        return repr(value)


def _is_mixed_case(name: str) -> bool:
    plain = name.lstrip("_")
    return plain[:1].islower() and plain != plain.lower() and "_" not in plain


def _bytes_literal(value: bytes) -> str:
    text = repr(value)
    if text[1] == '"':
        return text
    body = text[2:-1]
    if body.count("\\'") >= body.count('"'):  # the quotes that need fewer escapes, as formatters choose them
        return 'b"' + body.replace("\\'", "'").replace('"', '\\"') + '"'
    return text


def _all(names: list[str]) -> list[str]:
    names = sorted(names, key=name_order)
    line = "__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]"
    return [line] if len(line) <= 120 else ["__all__ = [", *(f'    "{name}",' for name in names), "]"]


def name_order(name: str) -> tuple[int, str]:
    """Return the key by which isort orders names in `__all__`: constants, classes, others."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


def import_order(name: str) -> tuple[int, str, str]:
    """Return the key by which isort orders names of an import: upper and lower case are equal."""
    group, name = name_order(name)
    return group, name.lower(), name
