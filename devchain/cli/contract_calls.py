"""Function signatures, call data and returned values as text: ABI encoding and decoding.

`balanceOf(address)(uint256)` with an address as argument becomes call data, the returned 32 bytes
become a number; a contract's name and its constructor's arguments become init code. Loads eth-abi,
which is slow: import this module only where it is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer
from eth_abi.abi import decode as abi_decode
from eth_abi.exceptions import DecodingError
from eth_abi.grammar import normalize
from eth_hash.auto import keccak

from devchain.cli import output
from devchain.client.http import Client
from devchain.client.project_names import implementations_on, local_contracts
from devchain.client.views import Notation, data_bytes, size
from devchain.contracts.abi import Entry, Param, number_text
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import NO_BYTECODE, SOURCE_SUFFIXES, Artifact, linked_code
from devchain.contracts.changed_sources import changed_sources
from devchain.contracts.sources import stale_notice
from devchain.contracts.typed_arguments import AccountAddress, encode_typed
from devchain.errors import InvalidInput, RpcFailure
from devchain.text import misspelt, plural
from devchain.types import Address

NAME = re.compile(r"\s*([A-Za-z_$][\w$]*)\s*")
EXAMPLE = "write it like 'balanceOf(address)(uint256)'"
MAX_NAMES = 10
"""Names of contracts that an error lists."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A function of a contract: its name, its arguments and its results."""

    name: str
    inputs: tuple[Param, ...]
    outputs: tuple[Param, ...]

    @classmethod
    def of(cls, function: Entry) -> Signature:
        """The signature of a function in an ABI."""
        return cls(function.name, function.inputs, function.outputs)

    @property
    def selector(self) -> bytes:
        """The first four bytes of its call data."""
        return keccak(self.signature.encode())[:4]

    @property
    def signature(self) -> str:
        """Its name and the types of its arguments: `set(uint256)`."""
        return Entry("function", self.name, self.inputs).signature

    @property
    def described(self) -> str:
        """The signature with the names of the arguments: `set(uint256 count)`."""
        return Entry("function", self.name, self.inputs).described

    def encode_call(self, arguments: Sequence[str], account: AccountAddress) -> bytes:
        """The data of a call with these arguments; invalid ones are a usage error."""
        return self.selector + self.encode_arguments(arguments, account)

    def encode_arguments(self, arguments: Sequence[str], account: AccountAddress) -> bytes:
        """The data after the selector."""
        if len(arguments) != len(self.inputs):
            raise typer.BadParameter(
                f"{self.described} takes {plural(len(self.inputs), 'argument')}, "
                f"got {len(arguments)}"
            )
        return encode(self.inputs, arguments, account)


def find_function(text: str, arguments: Sequence[str], node: Client, to: str) -> Signature:
    """The function that `name(types)`, or the name alone, means at an address.

    A name needs an artifact of the contract, of several functions the number of arguments decides.
    Anything else is a usage error.
    """
    if not NAME.fullmatch(text):
        return parse_signature(text)
    name = text.strip()
    known = contracts_at(to, node)
    named = [function for one in known for function in one.abi.functions_named(name)]
    fitting = [function for function in named if len(function.inputs) == len(arguments)] or named
    if len(fitting) == 1:
        return Signature.of(fitting[0])
    if not known:
        if node.call("eth_getCode", to, "latest") == "0x":
            raise typer.BadParameter(f"there is no contract at {to}: it has no code")
        raise typer.BadParameter(
            f"{text!r} is not a signature; {EXAMPLE}. Its name is enough for a contract that the "
            "node has artifacts of (`devchain start --artifacts`), or the project in this folder"
        )
    if fitting:
        written = " or ".join(repr(function.signature) for function in fitting)
        raise typer.BadParameter(f"{known[0].name} has several functions {name}: write {written}")
    raise typer.BadParameter(_no_function(name, name, known))


def missing_function(function: Signature, node: Client, to: str) -> str:
    """That the known contract at an address has no such function, and which is similar.

    Empty if the contract is not known, has it, or has a fallback function, which may take it.
    """
    known = contracts_at(to, node)
    has_it = any(function.selector in artifact.abi.functions for artifact in known)
    if not known or has_it or known[-1].abi.has("fallback"):
        return ""
    return _no_function(function.signature, function.name, known)


def _no_function(written: str, name: str, known: Sequence[Artifact]) -> str:
    functions = [function for one in known for function in one.abi.functions.values()]
    names = sorted({function.name for function in functions})
    similar = get_close_matches(name, names, n=1)
    hint = f"it has {_shown(names)}"
    if similar and written == name:
        hint = f"did you mean {similar[0]}?"
    elif similar:
        meant = sorted(
            {function.signature for function in functions if function.name == similar[0]}
        )
        hint = f"did you mean {' or '.join(meant[:MAX_NAMES])}?"
    return f"{known[0].name} has no function {written}; {hint}"


def returned_values(function: Signature, node: Client, to: str) -> tuple[Param, ...]:
    """What the function of that signature returns by the contract's ABI; empty if not known."""
    for artifact in contracts_at(to, node):
        if entry := artifact.abi.functions.get(function.selector):
            return entry.outputs
    return ()


def contracts_at(address: str, node: Client) -> list[Artifact]:
    """What is known of the contract at an address, and of the one that it is a proxy for.

    A devchain node has it by its artifacts, of other nodes the project here is asked.
    """
    artifacts = _contract_at(address, node)
    for implementation in implementations_on(node, address):
        artifacts += _contract_at(implementation, node)
    return artifacts


def _contract_at(address: str, node: Client) -> list[Artifact]:
    described = _described_by_node(address, node)
    if artifacts := [
        artifact for description in described for artifact in parse_artifacts(description)
    ]:
        return artifacts
    registry = local_contracts()
    if registry is None:
        return []
    code = data_bytes(node.call("eth_getCode", address, "latest"))
    here = registry.find_by_code(code, Address(data_bytes(address)))
    return [here] if here else []


def init_code(
    contract: str,
    arguments: Sequence[str],
    artifacts: Path | None,
    libraries: Mapping[str, bytes],
    node: Callable[[], Client],
    account: AccountAddress,
) -> tuple[bytes, Artifact]:
    """The init code of a contract, with its constructor's arguments, and its artifact.

    `contract` is a JSON file, or a name among the artifacts at the path, which is by default the
    project in the current folder and then what the node knows; `libraries` are the addresses of
    those it uses, by name. Raises `InvalidInput` if there is no such contract, or a library is
    missing; a warning names its sources that have changed since it was compiled.
    """
    artifact = _find_artifact(contract, artifacts, node)
    code, constructor = artifact.creation, artifact.abi.constructor
    if not code.template:
        raise InvalidInput(f"{artifact.name} cannot be deployed: {NO_BYTECODE}")
    creation = linked_code(
        artifact, libraries, lambda names: " ".join(f"--library {name}=ADDRESS" for name in names)
    )
    inputs = constructor.inputs
    if len(arguments) != len(inputs):
        raise typer.BadParameter(
            f"{constructor.described} of {artifact.name} takes {plural(len(inputs), 'argument')}, "
            f"got {len(arguments)}"
        )
    return creation + encode(inputs, arguments, account), artifact


def _find_artifact(contract: str, path: Path | None, node: Callable[[], Client]) -> Artifact:
    if contract.endswith(SOURCE_SUFFIXES):
        raise InvalidInput(
            f"{contract} is a source: compile it first, then name the contract "
            f"({Path(contract).stem}) or the JSON file that the compiler wrote"
        )
    if contract.endswith(".json"):
        registry = Registry()
        registry.load(Path(contract))
        contracts = list(registry)
        if len(contracts) == 1:
            _warn_of_changed_sources(contracts[0], None)
            return contracts[0]
        names = _shown(registry.names())
        raise InvalidInput(
            f"{contract} has several contracts ({names}): give --artifacts {contract} and a name"
        )
    local = local_contracts(path)
    matches = local.find_by_name(contract) if local else []
    where = str(path or "the project here")
    if not matches and path is None:
        described = _described_by_node(contract, node())
        matches = [
            artifact for description in described for artifact in parse_artifacts(description)
        ]
        where = "the node" if matches else where
    if len(matches) == 1:
        _warn_of_changed_sources(matches[0], local or ())
        return matches[0]
    if not matches and local is None:
        raise InvalidInput(
            f"there is no project here to find {contract!r} in, and the node knows no contract of "
            "that name: give --artifacts PATH, or the contract's JSON file in place of its name"
        )
    if matches:
        paths = " or ".join(artifact.path for artifact in matches)
        raise InvalidInput(f"{where} has several contracts {contract}: give {paths}")
    known, notices = (local.names(), local.notices) if local is not None else ([], [])
    meant = misspelt(contract, known)
    reason = f"did you mean {meant}?" if meant else _shown(known)
    reason = notices[-1] if notices and not known else reason
    raise InvalidInput(f"no contract {contract!r} in {where}: {reason}")


def _warn_of_changed_sources(artifact: Artifact, known: Iterable[Artifact] | None) -> None:
    if changed := stale_notice(changed_sources([artifact], known)):
        output.write_note(f"warning: {changed}")


def _described_by_node(name: str, node: Client) -> list[Any]:
    described: Any = []
    with suppress(RpcFailure):  # it is another node
        described = node.call("devchain_findArtifacts", name)
    return described if isinstance(described, list) else []


def _shown(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > MAX_NAMES else ""
    return f"{', '.join(names[:MAX_NAMES]) or 'it has none'}{more}"


def parse_signature(text: str) -> Signature:
    """Parse `name(types)` or `name(types)(types)`; anything else is a usage error."""
    name = NAME.match(text)
    groups = _split_types(text[name.end() :].replace(" ", "")) if name else []
    if name is None or len(groups) not in (1, 2):
        raise typer.BadParameter(f"{text!r} is not a signature; {EXAMPLE}")
    inputs, outputs = groups[0], groups[1] if len(groups) > 1 else []
    return Signature(name[1], tuple(map(_param, inputs)), tuple(map(_param, outputs)))


def encode(params: Sequence[Param], arguments: Sequence[str], account: AccountAddress) -> bytes:
    """The ABI encoding of arguments written as text; invalid ones are a usage error."""
    try:
        return encode_typed(params, arguments, account)
    except InvalidInput as error:
        raise typer.BadParameter(str(error)) from None


def decode(params: Sequence[Param], returned: bytes, notation: Notation) -> list[str]:
    """Returned values, one text each; raises `InvalidInput` if the bytes are not of these types."""
    types = [param.kind for param in params]
    try:
        values = abi_decode(types, returned)
    except (DecodingError, OverflowError, ValueError) as error:
        reason = (
            str(error) if returned else "is there a contract with that function at that address?"
        )
        raise InvalidInput(
            f"the call returned {size(len(returned))}, "
            f"not ({', '.join(param.described for param in params)}): {reason}"
        ) from None
    return [_format(param, value, notation) for param, value in zip(params, values, strict=True)]


def _split_types(text: str) -> list[list[str]]:
    # `(uint256,(bool,string))(address)` gives `[["uint256", "(bool,string)"], ["address"]]`.
    groups: list[list[str]] = []
    depth, start = 0, 0
    for index, char in enumerate(text):
        if depth == 0 and char != "(":
            return []
        depth += (char == "(") - (char == ")")
        if depth == 1 and char == "(":
            groups.append([])
            start = index + 1
        elif depth == 0 or (depth == 1 and char == ","):
            groups[-1].append(text[start:index])
            start = index + 1
    return [[] if group == [""] else group for group in groups] if depth == 0 else []


def _param(text: str) -> Param:
    try:
        return Param.from_text(str(normalize(text)))  # type: ignore[no-untyped-call]  # eth-abi has no type hints here
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not an ABI type") from None


def _format(param: Param, value: object, notation: Notation) -> str:
    if isinstance(value, (tuple, list)):
        is_array = param.kind.endswith("]")
        items = [param.element] * len(value) if is_array else param.components
        texts = [
            _item(item_type, item, notation) for item_type, item in zip(items, value, strict=True)
        ]
        if is_array:
            return f"[{', '.join(texts)}]"
        named = zip(items, texts, strict=True)
        parts = (
            f"{item_type.name}={text}" if item_type.name else text for item_type, text in named
        )
        return f"({', '.join(parts)})"
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return number_text(param, value)
    return notation.address(str(value)) if param.kind == "address" else str(value)


def _item(param: Param, value: object, notation: Notation) -> str:
    if isinstance(value, str) and param.kind != "address":
        return json.dumps(value, ensure_ascii=False)
    return _format(param, value, notation)
