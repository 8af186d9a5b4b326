"""The banner of `devchain start`: networks, accounts, private keys and the URL, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from devchain.cli.output import write_line
from devchain.client.views import Notation
from devchain.config import MNEMONIC, Config
from devchain.networks import coin
from devchain.presets import PRESETS
from devchain.text import amount, gas_price, plural
from devchain.types import Tag

if TYPE_CHECKING:
    # Only for the hint: the screens of other commands do not load the chain.
    from devchain.chain.fork import ForkStatus
    from devchain.node import Node

MAX_SHOWN_ACCOUNTS = 20
"""How many accounts are shown; `eth_accounts` lists them all."""

KEY_WARNING = (
    "These keys are public: anything sent to these accounts on a real network",
    "is lost.",
)
HIDDEN_MNEMONIC = "your own; it and its keys are not shown"


@dataclass(frozen=True, slots=True)
class DevAccount:
    """An account derived from the mnemonic: address, balance in wei, private key."""

    address: bytes
    balance: int
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MiningMode:
    """How a node mines: not at all while it is not `running`, else in either way or both."""

    running: bool
    automine: bool
    block_time: float | None


@dataclass(frozen=True, slots=True)
class ServedNetwork:
    """A network that is served: its configuration, and what its node has at the start.

    That is not always what is configured: a data dir or a dump has balances, a gas limit and a
    mining mode of its own.
    """

    config: Config
    accounts: Sequence[DevAccount]
    mining: MiningMode
    gas_limit: int
    """The limit of the newest block."""
    stored_height: int | None = None
    """The number of the newest block in the data dir; None without one, or if it was empty."""
    contracts: int = 0
    """Names of contracts that it knows, from --artifacts."""
    fork: ForkStatus | None = None
    """Where its chain was forked, if it is a fork."""

    @property
    def chain_id(self) -> int:
        """The configured chain id, or the network's own."""
        return self.config.effective_chain_id

    @property
    def notation(self) -> Notation:
        """How its addresses are written."""
        return Notation(self.chain_id, self.config.checksum_addresses)

    def amount(self, wei: int) -> str:
        """An amount in the chain's coin."""
        return amount(wei, coin(self.chain_id))


def served_network(node: Node) -> ServedNetwork:
    """What the banner says of a node that has just started."""
    chain, miner = node.chain, node.miner
    state = chain.state_at(Tag.LATEST)
    # A hosted node signs nothing: it keeps none of the keys.
    keys = [] if node.config.hosted else node.accounts.dev_keys
    is_stored = node.config.data_dir is not None and chain.height > chain.first
    return ServedNetwork(
        config=node.config,
        accounts=[DevAccount(address, state.balance(address), key) for address, key in keys],
        mining=MiningMode(miner.running, miner.automine, miner.block_time),
        gas_limit=chain.head.gas_limit,
        stored_height=chain.height if is_stored else None,
        contracts=len(node.artifacts.names()),
        fork=node.fork.status() if node.fork else None,
    )


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the banner with its Rich style."""

    text: str = ""
    style: str = ""


def print_banner(stream: TextIO, networks: Sequence[ServedNetwork], url: str, version: str) -> None:
    """Write the banner as text or JSON, as configured; the last line of text has the URL."""
    config = networks[0].config
    if config.log_format == "json":
        shown = [Line(json.dumps(as_json(networks, url, version)))]
    elif config.quiet:
        shown = [Line(_listening(url, config))]
    else:
        shown = list(lines(networks, url, version))
    # A closed pipe does not stop the node.
    with suppress(OSError, ValueError):
        for line in shown:
            write_line((line.text, line.style), stream=stream)
        stream.flush()


def has_public_keys(config: Config) -> bool:
    """Whether the accounts come from a well-known mnemonic, so that keys may be shown."""
    presets = (preset.defaults.get("mnemonic") for preset in PRESETS.values())
    return config.mnemonic in {MNEMONIC, *presets}


def lines(networks: Sequence[ServedNetwork], url: str, version: str) -> Iterator[Line]:
    """The banner as text, every line at most 80 characters."""
    yield Line(f"devchain {version}", "bold")
    for served in networks:
        yield from _network_lines(served)
    # Networks served together have the same mnemonic, hence the same keys.
    yield from _key_lines(networks[0])
    yield Line()
    if networks[0].config.explorer:
        yield _labelled("Explorer", f"{_with_api_key(url, networks[0].config)}/explorer")
    if networks[0].config.ipc:
        yield _labelled("IPC", networks[0].config.ipc)
    if networks[0].config.tls_cert:
        secure_socket = url.replace("https", "wss", 1)
        yield _labelled("WebSocket", _with_api_key(secure_socket, networks[0].config))
    for served in networks if len(networks) > 1 else ():
        network = served.config.network
        yield _labelled(network, _with_api_key(f"{url}/{network}", served.config))
    yield Line(_listening(url, networks[0].config), "bold green")


def as_json(networks: Sequence[ServedNetwork], url: str, version: str) -> dict[str, object]:
    """The banner as JSON."""
    banner: dict[str, object] = {"event": "listening", "url": url, "version": version}
    if not networks[0].config.quiet:
        if networks[0].config.explorer:
            banner["explorer"] = f"{_with_api_key(url, networks[0].config)}/explorer"
        banner["ipc"] = networks[0].config.ipc
        banner["networks"] = {served.config.network: _network_json(served) for served in networks}
    return banner


def _network_lines(served: ServedNetwork) -> Iterator[Line]:
    config = served.config
    yield Line()
    yield _labelled(
        "Network", f"{config.network} ({config.rules.title}), chain id {served.chain_id}"
    )
    yield _labelled("Hardfork", config.hardfork)
    if config.like:
        yield _labelled("Like", PRESETS[config.like].title)
    if served.fork:
        yield from _fork_lines(served.fork)
    yield _labelled("Gas limit", f"{served.gas_limit:,} a block")
    yield _labelled("Gas price", f"at least {gas_price(config.min_gas_price)}")
    yield _labelled("Mining", _mining(served.mining))
    if config.data_dir is not None:
        yield _labelled("Data dir", _data_dir(config, served.stored_height))
    if config.artifacts:
        yield _labelled("Contracts", f"{served.contracts:,} known by name")
    yield from _account_lines(served)


def _fork_lines(fork: ForkStatus) -> Iterator[Line]:
    distance = fork.distance
    behind = f", {plural(distance, 'block')} behind the newest" if distance else ""
    yield _labelled("Fork block", f"{fork.block.number:,} of chain {fork.block.chain_id}{behind}")
    yield Line(f"{'Fork hash':<13} 0x{fork.block.hash.hex()}")  # 80 characters
    asked = f", {plural(fork.requests, 'request')}" if fork.address else ""
    yield _labelled("Upstream", f"{fork.address or 'none: offline'}{asked}")
    if fork.cache:
        yield _labelled("Fork cache", fork.cache)
        yield _labelled("Cache hits", f"{fork.hits:,}")


def fork_json(fork: ForkStatus) -> dict[str, object]:
    """A fork as JSON, with numbers as such."""
    return {
        "url": fork.address,
        "chainId": fork.block.chain_id,
        "blockNumber": fork.block.number,
        "blockHash": f"0x{fork.block.hash.hex()}",
        "newestBlock": fork.newest,
        "cacheFile": fork.cache,
        "cacheHits": fork.hits,
        "upstreamRequests": fork.requests,
        "upstreamRoundTrips": fork.round_trips,
    }


def _account_lines(served: ServedNetwork) -> Iterator[Line]:
    shown = served.accounts[:MAX_SHOWN_ACCOUNTS]
    names = () if served.config.hosted else served.config.rules.seeds
    if not shown and not names:
        return
    yield from _heading("Accounts")
    for index, account in enumerate(shown):
        balance = served.amount(account.balance)
        yield Line(f"{_index(index)} {served.notation.address_of(account.address)}  {balance}")
    if len(served.accounts) > len(shown):
        yield Line(f"     and {len(served.accounts) - len(shown)} more: eth_accounts lists them")
    if names:
        balance = served.amount(served.config.rules.seed_balance)
        yield Line(f"     {names[0]} to {names[-1]}: {balance} each, key = keccak-256 of the name")


def _key_lines(served: ServedNetwork) -> Iterator[Line]:
    if not served.accounts:
        return
    is_public = has_public_keys(served.config)
    if is_public:
        yield from _heading("Private keys")
        for index, account in enumerate(served.accounts[:MAX_SHOWN_ACCOUNTS]):
            yield Line(f"{_index(index)} 0x{account.key.hex()}")
        yield Line()
        for text in KEY_WARNING:
            yield Line(text, "yellow")
    yield Line()
    yield _labelled("Mnemonic", served.config.mnemonic if is_public else HIDDEN_MNEMONIC)
    yield _labelled("Derivation path", served.config.derivation_path)


def _heading(text: str) -> Iterator[Line]:
    yield Line()
    yield Line(text, "bold")
    yield Line("=" * len(text), "dim")


def _labelled(label: str, value: str) -> Line:
    return Line(f"{label:<16} {value}")


def _index(index: int) -> str:
    return f"({index})".ljust(4)


def _mining(mode: MiningMode) -> str:
    by_interval = f"a block every {mode.block_time or 0:g} seconds"
    has_interval = mode.block_time is not None
    if not mode.running and has_interval:
        return f"manual, by evm_mine; after miner_start {by_interval}"
    if mode.running and mode.automine:
        also = f", and {by_interval}" if has_interval else ""
        return f"automatic: a transaction is mined when it arrives{also}"
    if mode.running and has_interval:
        return by_interval
    return "manual: blocks are mined by evm_mine"


def _data_dir(config: Config, stored_height: int | None) -> str:
    chain = "a new chain" if stored_height is None else f"goes on from block {stored_height:,}"
    return f"{config.data_dir} ({chain})"


def _listening(url: str, config: Config) -> str:
    return f"Listening on {_with_api_key(url, config)}"


def _with_api_key(url: str, config: Config) -> str:
    return f"{url}/<API_KEY>" if config.api_keys else url


def _network_json(served: ServedNetwork) -> dict[str, object]:
    config = served.config
    shows_mnemonic = has_public_keys(config) and served.accounts
    return {
        "chainId": served.chain_id,
        "hardfork": config.hardfork,
        "like": config.like,
        "gasLimit": served.gas_limit,
        "minimumGasPrice": str(config.min_gas_price),
        "mining": served.mining.running,
        "automine": served.mining.automine,
        "blockTime": served.mining.block_time,
        "dataDir": config.data_dir,
        "storedHeight": served.stored_height,
        "contracts": served.contracts,
        "fork": fork_json(served.fork) if served.fork else None,
        "mnemonic": config.mnemonic if shows_mnemonic else None,
        "derivationPath": config.derivation_path,
        "accounts": [_account_json(account, served) for account in served.accounts],
    }


def _account_json(account: DevAccount, served: ServedNetwork) -> dict[str, object]:
    return {
        "address": served.notation.address_of(account.address),
        "balance": str(account.balance),
        "privateKey": "0x" + account.key.hex() if has_public_keys(served.config) else None,
    }
