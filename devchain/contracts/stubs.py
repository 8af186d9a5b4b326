"""Type stubs of contracts: a module with which editors complete `vault.deposit` and mypy checks it.

For a contract with `deposit(uint256 amount)` and `owner()`::

    class _Vault_deposit:
        def __call__(self, amount: int, /, **options: Unpack[Options]) -> Mined: ...
        def call(self, amount: int, /, **options: Unpack[Options]) -> None: ...
        ...

    class Vault(Contract):
        @property
        def deposit(self) -> _Vault_deposit: ...

and a `Node` whose `deploy("Vault", ...)` returns it. Names come from artifacts, which may be
hostile: what is no identifier is left out (`token["import"]` calls it), other text is escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from keyword import iskeyword

from devchain.contracts.abi import Entry, Param
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact

HEADER = '"""Types of contracts, made by `devchain stubs`: changes are lost when it runs again."""'
IMPORTS = """\
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override"
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack, overload

from devchain.contracts.abi import Abi
from devchain.contracts.contract import AddressLike, Contract, Mined, Options
from devchain.node import Node as _Node
from devchain.node.python_api import ArtifactSource
from devchain.types import Address
"""
RESERVED = frozenset(
    {
        *("Abi", "Address", "AddressLike", "Any", "ArtifactSource", "Contract", "Literal"),
        *("Mapping", "Mined", "Node", "Options", "Sequence", "Unpack", "overload"),
        *("bool", "bytes", "int", "list", "object", "property", "str", "tuple"),
    }
)
"""Names of the module itself, which a contract's class cannot have."""

OPTIONS = "**options: Unpack[Options]"
UNSAFE = re.compile(r"\W", re.ASCII)
PROPERTIES = frozenset({"address", "contract"})
"""Attributes of a contract that are never its functions."""


def generate(registry: Registry) -> str:
    """The text of a stub module with a class for each contract of a registry, and a `Node`.

    Contracts of one name that differ get classes `Twin`, `Twin_2`, and are deployed by full name.
    """
    named = [(name, registry.find_by_name(name)) for name in registry.names()]
    taken = Counter(RESERVED)
    classes: list[tuple[str, list[str], Artifact]] = []
    for name, found in named:
        for each in found:
            if not _is_name(name):
                continue
            taken[name] += 1
            label = name if taken[name] == 1 else f"{name}_{taken[name]}"
            names = [name] if len(found) == 1 else []
            classes.append((label, names + ([each.path] if each.source else []), each))
    blocks = [HEADER, IMPORTS]
    used: set[str] = set()
    blocks += ["\n".join(_contract(label, each, used)) for label, _, each in classes]
    blocks.append("\n".join(_node(classes)))
    return "\n\n".join(blocks).rstrip() + "\n"


def _contract(label: str, artifact: Artifact, used: set[str]) -> Iterator[str]:
    """The classes of a contract's functions, and its own; `used` are the names of the former."""
    functions: dict[str, list[Entry]] = {}
    for entry in artifact.abi.functions.values():
        if _is_name(entry.name) and entry.name not in PROPERTIES:
            functions.setdefault(entry.name, []).append(entry)
    kinds = {}
    for name, entries in functions.items():
        kind = f"_{label}_{name}"
        while kind in used:  # `c` of `A_b` and `b_c` of `A`
            kind += "_"
        used.add(kind)
        kinds[name] = kind
        yield from _function(kind, entries)
        yield ""
    yield f"class {label}(Contract):"
    yield f"    {_text(artifact.path)}"
    for name, entries in functions.items():
        yield "    @property"
        yield f"    def {name}(self) -> {kinds[name]}:"
        yield f"        {_text('; '.join(each.described for each in entries))}"


def _function(label: str, entries: Sequence[Entry]) -> Iterator[str]:
    """The class of a function, or of all overloads of a name."""
    yield f"class {label}:"
    for method in ("__call__", "call", "transact", "estimate", "encode"):
        for each in entries:
            returned = {
                "__call__": _output(each) if _all_read_only(entries) else "Mined",
                "call": _output(each),
                "transact": "Mined",
                "estimate": "int",
                "encode": "bytes",
            }[method]
            options = [] if method == "encode" else [OPTIONS]
            given = ", ".join(["self", *_arguments(each.inputs), *options])
            if len(entries) > 1:
                yield "    @overload"
            yield f"    def {method}({given}) -> {returned}: ..."


def _all_read_only(entries: Iterable[Entry]) -> bool:
    return all(each.is_read_only for each in entries)


def _node(classes: Sequence[tuple[str, list[str], Artifact]]) -> Iterator[str]:
    yield "class Node(_Node):"
    yield '    """The node of these contracts: `def vault(devchain: Node)`."""'
    deployed = [each for each in classes if each[1] and each[2].creation.template]
    for label, names, artifact in deployed:
        arguments = _arguments(artifact.abi.constructor.inputs) or ["/"]
        given = ", ".join([f"artifact: {_literal(names)}", *arguments, OPTIONS])
        yield "    @overload"
        yield f"    def deploy(self, {given}) -> {label}: ..."
    if deployed:
        yield "    @overload"
        yield "    def deploy("
        yield "        self, artifact: ArtifactSource, *arguments: object, **options: Any"
        yield "    ) -> Contract: ..."
    found = [each for each in classes if each[1]]
    for label, names, _ in found:
        yield "    @overload"
        given = f"artifact: {_literal(names)}, address: object"
        yield f"    def contract(self, {given}) -> {label}: ..."
    if found:
        yield "    @overload"
        yield "    def contract("
        yield "        self, artifact: ArtifactSource | Abi | list[Any], address: object"
        yield "    ) -> Contract: ..."


def _literal(names: Iterable[str]) -> str:
    return f"Literal[{', '.join(map(_text, names))}]"


def _arguments(params: Sequence[Param]) -> list[str]:
    """Parameters, by position only; a `/` ends them."""
    taken: Counter[str] = Counter({"self": 1, "artifact": 1})
    found = []
    for index, each in enumerate(params):
        name = UNSAFE.sub("_", each.name) or f"argument{index}"
        name = f"{name}_" if iskeyword(name) or name[0].isdigit() or name.startswith("__") else name
        name = name if name.isidentifier() else f"argument{index}"
        taken[name] += 1
        name = name if taken[name] == 1 else f"{name}_{index}"
        found.append(f"{name}: {_type(each, is_input=True)}")
    return [*found, "/"] if found else []


def _output(entry: Entry) -> str:
    if not entry.outputs:
        return "None"
    kinds = [_type(each, is_input=False) for each in entry.outputs]
    return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"


def _type(param: Param, *, is_input: bool) -> str:
    """The Python type of a parameter, or of a returned value."""
    if param.kind.endswith("]"):
        element = _type(param.element, is_input=is_input)
        return f"Sequence[{element}]" if is_input else f"list[{element}]"
    if param.components:
        parts = ", ".join(_type(each, is_input=is_input) for each in param.components)
        return f"tuple[{parts}] | Mapping[str, Any]" if is_input else f"tuple[{parts}]"
    if param.kind == "address":
        return "AddressLike" if is_input else "Address"
    if param.kind.startswith("bytes"):
        return "bytes | str" if is_input else "bytes"
    kinds = {"bool": "bool", "string": "str", "function": "bytes"}
    if param.kind in kinds:
        return kinds[param.kind]
    return "int" if "int" in param.kind else "Any"


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier() and not iskeyword(text) and text[:2] != "__"


def _text(text: str) -> str:
    """A Python string, on one line and in ASCII."""
    return ascii(text)
