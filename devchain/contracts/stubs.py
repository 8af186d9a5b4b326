"""Type stubs of contracts: a module with which editors complete `vault.deposit` and mypy checks it.

For a contract with `deposit(uint256 amount)` and `owner()`::

    class _Vault_deposit:
        def __call__(self, amount: int, /, **options: Unpack[Options]) -> Mined: ...
        def call(self, amount: int, /, **options: Unpack[Options]) -> None: ...
        ...

    class Vault(ContractBase):
        @property
        def deposit(self) -> _Vault_deposit: ...

and a `Node` whose `deploy("Vault", ...)` returns it. A returned struct is a tuple with its members
as attributes (`devchain.contracts.abi.Values`). Names come from artifacts, which may be hostile:
what is no identifier is left out (`token["import"]` calls it), other text is escaped.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from keyword import iskeyword

from devchain.contracts.abi import Entry, Param
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.contracts.value_types import Kind

HEADER = '"""Types of contracts, made by `devchain stubs`: changes are lost when it runs again."""'
IMPORTS = """\
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override"
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, SupportsIndex, Unpack, overload

from devchain.contracts.abi import Abi
from devchain.contracts.contract import (
    AddressLike, Contract, ContractBase, ContractNode, Event, Mined, Options
)
from devchain.node import Node as _Node
from devchain.node.python_api import ArtifactFile
from devchain.types import Address, BlockLike
"""
IMPORTED = (each for each in ast.walk(ast.parse(IMPORTS)) if isinstance(each, ast.alias))
RESERVED = {each.asname or each.name for each in IMPORTED} | {
    *("Node", "bool", "bytes", "dict", "int", "list", "object", "property", "slice", "str"),
    "tuple",
}
"""Names of the module itself, which a contract's class cannot have."""

OPTIONS = "**options: Unpack[Options]"
LIBRARIES = "libraries: Mapping[str, AddressLike]"
UNSAFE = re.compile(r"\W", re.ASCII)
TUPLE_ATTRIBUTES = frozenset(dir(tuple)) | {"_asdict"}  # read by `info["count"]` alone
Members = tuple[tuple[str, str], ...]  # a struct's or several outputs': names and Python types

PYTHON_TYPES = {
    Kind.ADDRESS: ("AddressLike", "Address"),
    Kind.BOOL: ("bool", "bool"),
    Kind.BYTES: ("bytes | str", "bytes"),
    Kind.FIXED_BYTES: ("bytes | str", "bytes"),
    Kind.FUNCTION: ("bytes", "bytes"),
    Kind.STRING: ("str", "str"),
}
"""Types of arguments and of returned values, apart from those of numbers."""

PROPERTIES = frozenset({"address", "contract"})  # attributes that are never functions

PROPERTIES_OF_API = {
    "abi": "list[dict[str, Any]]",
    "balance": "int",
    "block": "BlockLike",
    "chain": "ContractNode",
    "eval": "Any",
    "internal": "Any",
    "name": "str",
    "sender": "Address | None",
    "storage": "Any",
}
"""Those that are, if the contract has a function of the name, with their types otherwise."""

EVENT_ARGUMENTS = (
    "self, name: str | None = None, where: Mined | None = None, from_block: BlockLike = 0"
)


def generate(registry: Registry) -> str:
    """The text of a stub module with a class for each contract of a registry, and a `Node`.

    Contracts of one name that differ get classes `Twin`, `Twin_2`, and are deployed by full name.
    """
    taken = Counter(RESERVED)
    classes: list[tuple[str, list[str], Artifact]] = []
    for name in filter(_is_name, registry.names()):
        found = registry.find_by_name(name)
        for artifact in found:
            taken[name] += 1
            label = name if taken[name] == 1 else f"{name}_{taken[name]}"
            names = [name] if len(found) == 1 else []
            classes.append((label, names + ([artifact.path] if artifact.source else []), artifact))
    used: set[str] = set()
    structs: dict[Members, str] = {}
    contracts = [[*_contract(label, each, used, structs)] for label, _, each in classes]
    values = [_struct(name, members) for members, name in structs.items()]
    blocks = ["\n".join(lines) for lines in (*values, *contracts, _node(classes))]
    return "\n\n".join([HEADER, IMPORTS, *blocks]).rstrip() + "\n"


def _contract(
    label: str, artifact: Artifact, used: set[str], structs: dict[Members, str]
) -> Iterator[str]:
    # Structs that they return are added to `structs`.
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
        yield from _function(kind, entries, structs)
        yield ""
    yield f"class {label}(ContractBase):"
    yield f"    {artifact.path!a}"
    for name, entries in functions.items():
        yield "    @property"
        yield f"    def {name}(self) -> {kinds[name]}:"
        yield f"        {'; '.join(entry.described for entry in entries)!a}"
    for name, kind in PROPERTIES_OF_API.items():
        if name not in functions:
            yield "    @property"
            yield f"    def {name}(self) -> {kind}: ..."
    if "at" not in functions:
        yield f"    def at(self, block: BlockLike) -> {label}: ..."
    if "events" not in functions:
        yield f"    def events({EVENT_ARGUMENTS}) -> list[Event]: ..."


def _function(label: str, entries: Sequence[Entry], structs: dict[Members, str]) -> Iterator[str]:
    yield f"class {label}:"
    for method in ("__call__", "call", "transact", "estimate", "encode"):
        for entry in entries:
            output = _output(entry, structs)
            returned = {
                "__call__": output if all(entry.is_read_only for entry in entries) else "Mined",
                "call": output,
                "transact": "Mined",
                "estimate": "int",
                "encode": "bytes",
            }[method]
            options = [] if method == "encode" else [OPTIONS]
            given = ", ".join(["self", *_arguments(entry.inputs), *options])
            if len(entries) > 1:
                yield "    @overload"
            yield f"    def {method}({given}) -> {returned}: ..."


def _node(classes: Sequence[tuple[str, list[str], Artifact]]) -> Iterator[str]:
    yield "class Node(_Node):"
    yield '    """The node of these contracts: `def vault(devchain: Node)`."""'
    deployed = [contract for contract in classes if contract[1] and contract[2].creation.template]
    for label, names, artifact in deployed:
        arguments = _arguments(artifact.abi.constructor.inputs) or ["/"]
        if not artifact.creation.is_linked:
            arguments += ["*", LIBRARIES]
        given = ", ".join([f"artifact: {_literal(names)}", *arguments, OPTIONS])
        yield "    @overload"
        yield f"    def deploy(self, {given}) -> {label}: ..."
    if deployed:
        yield "    @overload"
        yield "    def deploy("
        yield "        self,"
        yield "        artifact: ArtifactFile,"
        yield "        *arguments: object,"
        yield f"        {LIBRARIES} | None = None,"
        yield "        **options: Any,"
        yield "    ) -> Contract: ..."
    found = [contract for contract in classes if contract[1]]
    for label, names, _ in found:
        yield "    @overload"
        given = f"artifact: {_literal(names)}, address: object"
        yield f"    def contract(self, {given}) -> {label}: ..."
    if found:
        yield "    @overload"
        yield "    def contract("
        yield "        self, artifact: ArtifactFile | Abi | list[Any], address: object"
        yield "    ) -> Contract: ..."


def _literal(names: Iterable[str]) -> str:
    return f"Literal[{', '.join(map(ascii, names))}]"


def _arguments(params: Sequence[Param]) -> list[str]:
    taken: Counter[str] = Counter({"self": 1, "artifact": 1})
    found = []
    for index, each in enumerate(params):
        name = UNSAFE.sub("_", each.name) or f"argument{index}"
        name = f"{name}_" if iskeyword(name) or name[0].isdigit() or name.startswith("__") else name
        name = name if name.isidentifier() else f"argument{index}"
        taken[name] += 1
        name = name if taken[name] == 1 else f"{name}_{index}"
        found.append(f"{name}: {_given_type(each)}")
    return [*found, "/"] if found else []


def _output(entry: Entry, structs: dict[Members, str]) -> str:
    if len(entry.outputs) == 1:
        return _returned_type(entry.outputs[0], structs)
    return _tuple_type(entry.outputs, structs) if entry.outputs else "None"


def _returned_type(param: Param, structs: dict[Members, str]) -> str:
    if param.kind.endswith("]"):
        return f"list[{_returned_type(param.element, structs)}]"
    if param.components:
        return _tuple_type(param.components, structs)
    return _elementary_type(param, given=False)


def _tuple_type(params: Sequence[Param], structs: dict[Members, str]) -> str:
    members = tuple((param.name, _returned_type(param, structs)) for param in params)
    if any(name for name, _ in members):
        return structs.setdefault(members, f"_Values{len(structs) + 1}")
    return f"tuple[{', '.join(kind for _, kind in members)}]"


def _struct(label: str, members: Members) -> Iterator[str]:
    # Mypy takes an item by name for any of the members, pyright for the right one.
    first: dict[str, str] = {}
    for name, kind in members:
        first.setdefault(name, kind)
    first.pop("", None)
    yield f"class {label}(tuple[{', '.join(kind for _, kind in members)}]):"
    for name, kind in first.items():
        if _is_name(name) and name not in TUPLE_ATTRIBUTES:
            yield "    @property"
            yield f"    def {name}(self) -> {kind}: ..."
    for name, kind in first.items():
        yield "    @overload"
        yield f"    def __getitem__(self, key: {_literal([name])}, /) -> {kind}: ..."
    yield "    @overload"
    yield "    def __getitem__(self, key: SupportsIndex | slice, /) -> Any: ..."
    yield "    def _asdict(self) -> dict[str, Any]: ..."


def _given_type(param: Param) -> str:
    if param.kind.endswith("]"):
        return f"Sequence[{_given_type(param.element)}]"
    if param.components:
        parts = ", ".join(_given_type(component) for component in param.components)
        return f"tuple[{parts}] | Mapping[str, Any]"
    return _elementary_type(param, given=True)


def _elementary_type(param: Param, *, given: bool) -> str:
    kind = param.value_type
    if kind.kind is not Kind.NUMBER:
        return PYTHON_TYPES[kind.kind][not given]
    if given:
        return "Decimal | int" if kind.places else "int"
    return "int" if param.is_decimal or not kind.places else "Decimal"


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier() and not iskeyword(text) and text[:2] != "__"
