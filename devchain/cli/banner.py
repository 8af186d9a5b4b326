"""What `devchain start` says once it listens: accounts, keys, rules and the URL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TextIO

from devchain.cli.activity import amount
from devchain.cli.output import write
from devchain.config import MNEMONIC, Config
from devchain.types import checksum

MOST_ACCOUNTS = 20
"""How many accounts are shown; `eth_accounts` lists them all."""

WARNING = (
    "Everybody knows these keys: whatever is sent to these accounts on a real",
    "network is lost.",
)
HIDDEN = "your own; it and its keys are not shown"


@dataclass(frozen=True, slots=True)
class Funded:
    """An account derived from the mnemonic, what it starts with (wei) and its private key."""

    address: bytes
    balance: int
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Served:
    """A network that is served and the accounts it has."""

    config: Config
    accounts: Sequence[Funded]

    @property
    def chain_id(self) -> int:
        """The chain id in force."""
        return self.config.effective_chain_id


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the banner, and how it is set off on a terminal."""

    text: str = ""
    style: str = ""


def announce(stream: TextIO, served: Sequence[Served], url: str, version: str) -> None:
    """Write the banner the configuration asks for; its last line says where to connect."""
    config = served[0].config
    if config.log_format == "json":
        shown = [Line(json.dumps(as_json(served, url, version)))]
    elif config.quiet:
        shown = [Line(_listening(url, config))]
    else:
        shown = list(lines(served, url, version))
    # A reader that has gone away does not stop the node.
    with suppress(OSError, ValueError):
        for line in shown:
            write((line.text, line.style), stream=stream)
        stream.flush()


def public(config: Config) -> bool:
    """Whether the accounts are the ones everybody knows, so that keys may be shown."""
    return config.mnemonic == MNEMONIC


def lines(served: Sequence[Served], url: str, version: str) -> Iterator[Line]:
    """The banner for people, every line at most 80 characters."""
    yield Line(f"devchain {version}", "bold")
    for each in served:
        yield from _network(each)
    # Networks served together have the same mnemonic, hence the same keys.
    yield from _secrets(served[0])
    yield Line()
    for each in served if len(served) > 1 else ():
        yield _fact(each.config.network, _reached(f"{url}/{each.config.network}", each.config))
    yield Line(_listening(url, served[0].config), "bold green")


def as_json(served: Sequence[Served], url: str, version: str) -> dict[str, object]:
    """The banner for programs."""
    found: dict[str, object] = {"event": "listening", "url": url, "version": version}
    if not served[0].config.quiet:
        found["networks"] = {each.config.network: _network_json(each) for each in served}
    return found


def _network(served: Served) -> Iterator[Line]:
    config = served.config
    yield Line()
    yield _fact("Network", f"{config.network} ({config.rules.title}), chain id {served.chain_id}")
    yield _fact("Hardfork", config.hardfork)
    yield _fact("Gas limit", f"{config.effective_gas_limit:,} a block")
    yield _fact("Gas price", f"at least {amount(config.min_gas_price)}")
    yield _fact("Mining", _mining(config))
    yield from _accounts(served)


def _accounts(served: Served) -> Iterator[Line]:
    shown = served.accounts[:MOST_ACCOUNTS]
    if not shown:
        return
    yield from _heading("Accounts")
    for index, each in enumerate(shown):
        balance = amount(each.balance)
        yield Line(f"{_index(index)} {checksum(each.address, served.chain_id)}  {balance}")
    if len(served.accounts) > len(shown):
        yield Line(f"     and {len(served.accounts) - len(shown)} more: eth_accounts lists them")
    words = served.config.rules.seeds
    if words:
        share = amount(served.config.rules.seed_balance)
        yield Line(f"     {words[0]} to {words[-1]}: {share} each, key = keccak-256 of the name")


def _secrets(served: Served) -> Iterator[Line]:
    if not served.accounts:
        return
    if public(served.config):
        yield from _keys(served.accounts[:MOST_ACCOUNTS])
    yield Line()
    yield _fact("Mnemonic", served.config.mnemonic if public(served.config) else HIDDEN)
    yield _fact("Derivation path", served.config.derivation_path)


def _keys(shown: Sequence[Funded]) -> Iterator[Line]:
    yield from _heading("Private keys")
    for index, each in enumerate(shown):
        yield Line(f"{_index(index)} 0x{each.key.hex()}")
    yield Line()
    for text in WARNING:
        yield Line(text, "yellow")


def _heading(text: str) -> Iterator[Line]:
    yield Line()
    yield Line(text, "bold")
    yield Line("=" * len(text), "dim")


def _fact(label: str, value: str) -> Line:
    return Line(f"{label:<16} {value}")


def _index(index: int) -> str:
    return f"({index})".ljust(4)


def _mining(config: Config) -> str:
    if not config.mining:
        return "manual: blocks are mined by evm_mine"
    if config.block_time is not None:
        return f"a block every {config.block_time:g} seconds"
    return "automatic: a transaction is mined when it arrives"


def _listening(url: str, config: Config) -> str:
    return f"Listening on {_reached(url, config)}"


def _reached(url: str, config: Config) -> str:
    return f"{url}/<API_KEY>" if config.api_key else url


def _network_json(served: Served) -> dict[str, object]:
    config = served.config
    shown = public(config)
    return {
        "chainId": served.chain_id,
        "hardfork": config.hardfork,
        "gasLimit": config.effective_gas_limit,
        "minimumGasPrice": str(config.min_gas_price),
        "mining": config.mining,
        "blockTime": config.block_time,
        "mnemonic": config.mnemonic if shown and served.accounts else None,
        "derivationPath": config.derivation_path,
        "accounts": [_account_json(each, served) for each in served.accounts],
    }


def _account_json(account: Funded, served: Served) -> dict[str, object]:
    return {
        "address": checksum(account.address, served.chain_id),
        "balance": str(account.balance),
        "privateKey": "0x" + account.key.hex() if public(served.config) else None,
    }
