"""`devchain check` and `devchain upgrade-report`: contracts under another hardfork."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import options, output
from devchain.cli.view_rows import hardfork_of
from devchain.client.project_names import local_contracts
from devchain.client.views import data_bytes
from devchain.errors import ConfigError, InvalidInput
from devchain.source.upgrade_report import format_report

if TYPE_CHECKING:
    from devchain.contracts.code_map import CodeMap
    from devchain.evm.opcodes import Opcode

    Parts = list[tuple[bytes, CodeMap | None]]

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
    from devchain.evm.missing_opcodes import advice, evm_version
    from devchain.networks import NEWEST, in_written_case

    if options.HEX.fullmatch(target):
        node = options.connect(url)
        code = data_bytes(node.call("eth_getCode", options.parse_address(target), "latest"))
        if not code:
            raise InvalidInput(f"there is no contract at {target}: it has no code")
        hardfork = hardfork or hardfork_of(node)
        if hardfork is None:
            raise InvalidInput("this node does not say its rules: give --hardfork")
        codes: dict[str, Parts] = {target: [(code, None)]}
    else:
        codes = _codes(target)
    rules = rules_for(in_written_case(hardfork or NEWEST)).hardfork
    checked = {contract: _missing(parts, rules) for contract, parts in codes.items()}
    found = {contract: missing for contract, missing in checked.items() if missing}
    if as_json:
        rows = [
            {
                "contract": contract,
                "opcodes": [opcode.name for opcode in missing],
                "evmVersion": evm_version(missing),
                "places": {opcode.name: place for opcode, place in missing.items() if place},
            }
            for contract, missing in found.items()
        ]
        output.write_json(rows)
    else:
        for contract, missing in found.items():
            output.write_line((contract, output.NAME), f": {advice(missing, rules)}")
            for opcode, place in missing.items():
                if place:
                    output.write_line(f"  {opcode.name} at {place}")
    if found:
        raise typer.Exit(1)
    output.write_note(f"{rules} has all opcodes.")


def _missing(parts: Parts, rules: str) -> dict[Opcode, str]:
    # Each opcode that is missing, and the first place where the source itself has it.
    from devchain.evm.missing_opcodes import missing_opcodes

    places: dict[Opcode, str] = {}
    for code, code_map in parts:
        for opcode, offsets in missing_opcodes(code, rules).items():
            found = (code_map.statement_location(offset) for offset in offsets) if code_map else ()
            place = next((f"{each.path}:{each.line}" for each in found if each), "")
            places[opcode] = places.get(opcode) or place
    return places


def _codes(target: str) -> dict[str, Parts]:
    # The creation code and the runtime code of contracts, by path.
    from devchain.contracts.code_map import CodeMap

    is_path = os.path.exists(target)  # noqa: PTH110  # it is False for text that is no path
    registry = local_contracts(Path(target) if is_path else None)
    artifacts = registry and (registry if is_path else registry.find_by_name(target))
    if not artifacts:
        raise ConfigError(f"{target!r} is no contract here: give a project, a JSON file or a name")
    codes: dict[str, Parts] = {}
    for artifact in artifacts:
        for creating, part in ((True, artifact.creation), (False, artifact.runtime)):
            code_map = CodeMap(artifact, creating=creating) if artifact.sources else None
            codes.setdefault(artifact.path, []).append((part.template, code_map))
    return codes


def upgrade_report(
    address: options.AccountOrAddress,
    hardfork: Annotated[str, typer.Option("--hardfork", help="The other rules.", metavar="NAME")],
    count: Annotated[
        int, typer.Option(help="Transactions.", parser=options.parse_whole(1, 1_000), metavar="N")
    ] = 100,
    since: Annotated[
        int | None,
        typer.Option(
            help="Of a fork also transactions before it, from this block on, that left logs.",
            parser=options.parse_whole(),
            metavar="BLOCK",
        ),
    ] = None,
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
    earlier = () if since is None else (hex(since),)
    rows = node.call("devchain_compareHardforks", address, hardfork, hex(count), *earlier)
    if as_json:
        output.write_json(rows)
        return
    try:
        lines = list(format_report(rows, "the node's rules", hardfork))
    except (LookupError, TypeError, ValueError, AttributeError):
        raise InvalidInput("the node's answer is no report") from None
    for line in lines:
        output.write_line(line)
