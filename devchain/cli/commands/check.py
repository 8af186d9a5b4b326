"""`devchain check` and `devchain upgrade-report`: contracts under another hardfork."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from devchain.cli import options, output
from devchain.client.project_names import local_contracts
from devchain.client.views import data_bytes
from devchain.errors import ConfigError, InvalidInput, RpcFailure
from devchain.source.upgrade_report import format_report

Target = Annotated[
    str,
    typer.Argument(
        help="A deployed contract; or a project, a JSON file, or the name of a contract here.",
        metavar="ADDRESS|ARTIFACT",
    ),
]
Hardfork = Annotated[
    str | None,
    typer.Option(
        "--hardfork",
        help="Rules to check for. Default: the node's; of artifacts the newest upgrade's.",
        metavar="NAME",
    ),
]


def check(
    target: Target,
    hardfork: Hardfork = None,
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Find opcodes of contracts that a hardfork lacks.

    With them is the setting of the compiler that avoids them. The exit code is 1 if there are any.

    Examples:
      devchain check . --hardfork fingerroot
      devchain check out/Vault.sol/Vault.json
      devchain check 0x77045e71a7a2c50903d88e564cd72fab11e82051
    """
    from devchain.evm.hardforks import rules_for
    from devchain.evm.missing_opcodes import advice, evm_version, missing_opcodes
    from devchain.networks import NEWEST, in_written_case

    if options.HEX.fullmatch(target):
        node = options.connect(url)
        code = data_bytes(node.call("eth_getCode", options.parse_address(target), "latest"))
        if not code:
            raise InvalidInput(f"there is no contract at {target}: it has no code")
        if hardfork is None:
            try:
                hardfork = str(node.call("anvil_nodeInfo")["hardFork"])
            except (RpcFailure, LookupError, TypeError):
                raise InvalidInput("this node does not say its rules: give --hardfork") from None
        codes = {target: [code]}
    else:
        codes = _codes(target)
    rules = rules_for(in_written_case(hardfork or NEWEST)).hardfork
    found = {}
    for contract, parts in codes.items():
        missing = [opcode for code in parts for opcode in missing_opcodes(code, rules)]
        if missing:
            found[contract] = list(dict.fromkeys(missing))
    if as_json:
        rows = [
            {
                "contract": contract,
                "opcodes": [opcode.name for opcode in missing],
                "evmVersion": evm_version(missing),
            }
            for contract, missing in found.items()
        ]
        output.write_json(rows)
    else:
        for contract, missing in found.items():
            output.write_line((contract, output.NAME), f": {advice(missing, rules)}")
    if found:
        raise typer.Exit(1)
    output.write_note(f"{rules} has all opcodes.")


def _codes(target: str) -> dict[str, list[bytes]]:
    # The creation code and the runtime code of contracts, by path.
    is_path = os.path.exists(target)  # noqa: PTH110  # it is False for text that is no path
    registry = local_contracts(Path(target) if is_path else None)
    artifacts = registry and (registry if is_path else registry.find_by_name(target))
    if not artifacts:
        raise ConfigError(f"{target!r} is no contract here: give a project, a JSON file or a name")
    codes: dict[str, list[bytes]] = {}
    for artifact in artifacts:
        parts = (artifact.creation.template, artifact.runtime.template)
        codes.setdefault(artifact.path, []).extend(parts)
    return codes


def upgrade_report(
    address: options.AccountOrAddress,
    hardfork: Annotated[str, typer.Option("--hardfork", help="The other rules.", metavar="NAME")],
    count: Annotated[
        int, typer.Option(help="Transactions.", parser=options.parse_whole(1, 1_000), metavar="N")
    ] = 100,
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Show what another hardfork changes for a contract.

    Its newest transactions are executed again under both, each on the state before it. A devchain
    node is needed; of a fork they are those since the fork block.

    Example:
      devchain upgrade-report 0x77045e71a7a2c50903d88e564cd72fab11e82051 --hardfork reed
    """
    node = options.connect(url)
    address = options.account_address(node, address)
    rows = node.call("devchain_compareHardforks", address, hardfork, hex(count))
    if as_json:
        output.write_json(rows)
        return
    try:
        lines = list(format_report(rows, "the node's rules", hardfork))
    except (LookupError, TypeError, ValueError, AttributeError):
        raise InvalidInput("the node's answer is no report") from None
    for line in lines:
        output.write_line(line)
