"""What is called: target, function and arguments as they are typed, and what comes back as text.

`balanceOf(address)(uint256)` with an address as argument becomes call data, the returned 32 bytes
become a number; a contract's name and its constructor's arguments become init code. eth-abi, which
is slow to load, and the artifacts are imported where they are used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from devchain.cli import output
from devchain.cli.options import account_address, parse_account, parse_whole, wei
from devchain.cli.view_rows import warn_of_checksums, with_hint
from devchain.client.http import Client
from devchain.client.project_names import implementations_on, local_contracts
from devchain.client.views import CallView, Json, Notation, data_bytes, size
from devchain.errors import InvalidInput, RpcFailure
from devchain.text import misspelt, plural

if TYPE_CHECKING:
    from devchain.contracts.abi import Entry, Param
    from devchain.contracts.artifacts import Artifact

INVALID_REQUEST = -32600
MAX_NAMES = 10
"""Names of contracts that an error lists."""

FUNCTION_HELP = "Name of a known contract's function; else with types: 'get(address)(uint256)'."
Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        help="An address can be an account's number, a number an amount like 1.5rbtc; arrays and "
        "tuples are JSON arrays.",
        metavar="ARGS",
    ),
]
Sender = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="Sender, address or number. Default: the node's first account.",
        metavar="ACCOUNT",
        parser=parse_account,
    ),
]
Value = Annotated[
    int | None,
    typer.Option("--value", help="Like 1.5rbtc, 10gwei, or wei.", metavar="AMOUNT", parser=wei),
]
Gas = Annotated[
    int | None,
    typer.Option(
        *("--gas", "--gas-limit"),
        help="Gas limit. Default: estimated.",
        metavar="GAS",
        parser=parse_whole(),
    ),
]
Artifacts = Annotated[
    Path | None,
    typer.Option(
        "--artifacts", help="Project or file of contracts. Default: this folder's.", metavar="PATH"
    ),
]


# From what is typed


def read_call(
    node: Client, to: str, function: str, arguments: Sequence[str] | None, sender: str | None
) -> tuple[Json, Entry | None]:
    """The request of a call as it was typed, and its function if that is not in hex.

    `to` and `sender` are addresses or numbers of accounts, `function` a name, a signature or data
    in hex. Without a sender it is the node's first account; `from` is missing if it has none.
    """
    typed = (to, sender, *(arguments or []))
    # Any letter case is right for a node that checks it.
    to = account_address(node, to).lower()
    entry, data = None, function
    if not function.startswith("0x"):
        entry = _find_function(function, arguments or [], node, to)
        body = encode(entry.inputs, arguments or [], node, entry.described)
        data = f"0x{(entry.selector + body).hex()}"
    elif arguments:
        raise typer.BadParameter("arguments go with a signature, not with data in hex")
    warn_of_checksums(node, *typed)
    return {**sent_from(node, sender), "to": to, "data": data}, entry


def sent_from(node: Client, sender: str | None) -> Json:
    """The member `from` of a request: by default the node's first account, if it has any."""
    if sender:
        return {"from": account_address(node, sender).lower()}
    try:
        accounts = node.call("eth_accounts")
    except RpcFailure as failure:
        if failure.code == INVALID_REQUEST:  # no node is served at this path
            raise
        return {}
    return {"from": str(accounts[0]).lower()} if isinstance(accounts, list) and accounts else {}


def _find_function(text: str, arguments: Sequence[str], node: Client, to: str) -> Entry:
    # A name alone needs an artifact; of several functions the number of arguments decides.
    from devchain.contracts.abi import EXAMPLE, NAME

    if not NAME.fullmatch(text):
        return parse_signature(text)
    name = text.strip()
    known = contracts_at(to, node)
    named = [function for one in known for function in one.abi.functions_named(name)]
    fitting = [function for function in named if len(function.inputs) == len(arguments)] or named
    if len(fitting) == 1:
        return fitting[0]
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


def parse_signature(text: str) -> Entry:
    """Parse `name(types)` or `name(types)(types)`; anything else is a usage error."""
    from devchain.contracts.abi import Entry

    try:
        return Entry.from_signature(text)
    except InvalidInput as error:
        raise typer.BadParameter(str(error)) from None


def encode(
    params: Sequence[Param], arguments: Sequence[str], node: Client, described: str
) -> bytes:
    """The ABI encoding of arguments written as text; invalid ones are a usage error."""
    from devchain.contracts.typed_arguments import encode_typed

    if len(arguments) != len(params):
        raise typer.BadParameter(
            f"{described} takes {plural(len(params), 'argument')}, got {len(arguments)}"
        )
    try:
        return encode_typed(params, arguments, lambda text: account_address(node, text))
    except InvalidInput as error:
        raise typer.BadParameter(str(error)) from None


# What comes back


def failure_text(
    node: Client, call: CallView, function: Entry | None, to: str
) -> tuple[str, Sequence[str]]:
    """Why a call failed, and the lines of its source trace.

    If the known contract there has no such function, and no fallback function, that is why.
    """
    from devchain.evm.revert_reasons import NO_REASON

    reason, lines = call.reason, call.source_lines()
    if function is None or reason != NO_REASON:
        return with_hint(reason), lines
    known = contracts_at(to, node)
    has_it = any(function.selector in artifact.abi.functions for artifact in known)
    if known and not has_it and not known[-1].abi.has("fallback"):
        return _no_function(function.signature, function.name, known), []
    if not known and not lines:
        reason += f"; the contract may have no function {function.signature}"
    return reason, lines


def _no_function(written: str, name: str, known: Sequence[Artifact]) -> str:
    functions = [function for one in known for function in one.abi.functions.values()]
    names = sorted({function.name for function in functions})
    hint = f"it has {_shown(names)}"
    if similar := get_close_matches(name, names, n=1):
        signatures = {one.signature for one in functions if one.name == similar[0]}
        meant = similar if written == name else sorted(signatures)[:MAX_NAMES]
        hint = f"did you mean {' or '.join(meant)}?"
    return f"{known[0].name} has no function {written}; {hint}"


def returned_texts(
    function: Entry, returned: bytes, node: Client, to: str, notation: Notation
) -> list[str]:
    """Returned values, one text each; empty if neither signature nor artifact has their types.

    Raises `InvalidInput` if the bytes are not of these types.
    """
    params = function.outputs
    for artifact in () if params else contracts_at(to, node):
        if entry := artifact.abi.functions.get(function.selector):
            params = entry.outputs
            break
    return decode(params, returned, notation)


def decode(params: Sequence[Param], returned: bytes, notation: Notation) -> list[str]:
    """Values, one text each; raises `InvalidInput` if the bytes are not of these types."""
    from devchain.contracts.abi import decode_values
    from devchain.contracts.abi_decoder import are_decoded

    values = decode_values(params, returned)
    kinds = ", ".join(param.described for param in params)
    if values is None:
        hint = "" if returned else ": is there a contract with that function at that address?"
        raise InvalidInput(f"the call returned {size(len(returned))}, not ({kinds}){hint}")
    if not are_decoded(values):
        raise InvalidInput(
            f"the call returned {size(len(returned))}: too large to decode ({kinds})"
        )
    return [
        value if isinstance(value, str) else _format(param, value, notation)
        for param, value in zip(params, values, strict=True)
    ]


def _format(param: Param, value: Any, notation: Notation) -> str:  # noqa: ANN401  # of any type
    from devchain.contracts.abi import number_text

    if param.kind.endswith("]"):
        return f"[{', '.join(_format(param.element, item, notation) for item in value)}]"
    if param.components:
        members = zip(param.components, value, strict=True)
        texts = [(member.name, _format(member, item, notation)) for member, item in members]
        return f"({', '.join(f'{name}={text}' if name else text for name, text in texts)})"
    if param.kind == "address":
        return notation.address(value)
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, (str, bool)):
        return json.dumps(value, ensure_ascii=False)
    return number_text(param, value)


# Contracts


def contracts_at(address: str, node: Client) -> list[Artifact]:
    """What is known of the contract at an address, and of the one that it is a proxy for.

    A devchain node has it by its artifacts, of other nodes the project here is asked.
    """
    artifacts = _contract_at(address, node)
    for implementation in implementations_on(node, address):
        artifacts += _contract_at(implementation, node)
    return artifacts


def _contract_at(address: str, node: Client) -> list[Artifact]:
    from devchain.types import Address

    if artifacts := _known_to(node, address):
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
    node: Client,
) -> tuple[bytes, Artifact]:
    """The init code of a contract, with its constructor's arguments, and its artifact.

    `contract` is a JSON file, a source file, which is compiled, or a name among the artifacts at
    the path, which is by default the project in the current folder and then what the node knows;
    `libraries` are the addresses of those it uses, by name. Raises `InvalidInput` if there is no
    such contract, or a library is missing; a warning names its sources that have changed since it
    was compiled.
    """
    from devchain.contracts.artifacts import NO_BYTECODE, linked_code

    artifact = _find_artifact(contract, artifacts, node)
    if not artifact.creation.template:
        raise InvalidInput(f"{artifact.name} cannot be deployed: {NO_BYTECODE}")
    creation = linked_code(
        artifact, libraries, lambda names: " ".join(f"--library {name}=ADDRESS" for name in names)
    )
    constructor = artifact.abi.constructor
    described = f"{constructor.described} of {artifact.name}"
    return creation + encode(constructor.inputs, arguments, node, described), artifact


def _find_artifact(contract: str, path: Path | None, node: Client) -> Artifact:
    from devchain.contracts.artifact_registry import Registry
    from devchain.contracts.artifacts import SOURCE_FILE
    from devchain.contracts.compile import load

    if path is None and SOURCE_FILE.fullmatch(contract):
        return load(contract)
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
    matches, where = local.find_by_name(contract) if local else [], str(path or "the project here")
    if not matches and path is None and (matches := _known_to(node, contract)):
        where = "the node"
    if len(matches) == 1:
        _warn_of_changed_sources(matches[0], local or ())
        return matches[0]
    if matches:
        paths = " or ".join(artifact.path for artifact in matches)
        raise InvalidInput(f"{where} has several contracts {contract}: give {paths}")
    if local is None:
        raise InvalidInput(
            f"there is no project here to find {contract!r} in, and the node knows no contract of "
            "that name: give --artifacts PATH, or the contract's source or JSON file"
        )
    known = local.names()
    meant = misspelt(contract, known)
    reason = f"did you mean {meant}?" if meant else _shown(known)
    if local.notices and not known:
        reason = local.notices[-1]
    raise InvalidInput(f"no contract {contract!r} in {where}: {reason}")


def _warn_of_changed_sources(artifact: Artifact, known: Iterable[Artifact] | None) -> None:
    from devchain.contracts.changed_sources import changed_sources
    from devchain.contracts.sources import stale_notice

    if changed := stale_notice(changed_sources([artifact], known)):
        output.write_note(f"warning: {changed}")


def _known_to(node: Client, name: str) -> list[Artifact]:
    from devchain.contracts.artifact_formats import parse_artifacts

    described: object = []
    with suppress(RpcFailure):  # it is another node
        described = node.call("devchain_findArtifacts", name)
    descriptions = described if isinstance(described, list) else []
    return [artifact for description in descriptions for artifact in parse_artifacts(description)]


def _shown(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > MAX_NAMES else ""
    return f"{', '.join(names[:MAX_NAMES]) or 'it has none'}{more}"
