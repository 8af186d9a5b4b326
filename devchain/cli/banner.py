"""The banner of `devchain start`: networks, accounts, private keys and the URL, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from devchain.cli.output import GOOD, TITLE, Piece, write_line
from devchain.client.views import Notation
from devchain.config import MNEMONIC, Config
from devchain.presets import PRESETS
from devchain.text import gas_price, plural
from devchain.types import Tag

if TYPE_CHECKING:
    from devchain.chain.fork import ForkStatus
    from devchain.node import Node

MAX_SHOWN_ACCOUNTS = 20
"""How many accounts are shown; `eth_accounts` lists them all."""

KEY_WARNING = (
    "These keys are public: anything sent to these accounts on a real network",
    "is lost.",
)
HIDDEN_MNEMONIC = "your own; it and its keys are not shown"
FIT = 13
"""Columns of the label of a fork's hash, which ends at column 80."""


def print_banner(
    stream: TextIO, nodes: Sequence[Node], url: str, version: str, bitcoin_url: str = ""
) -> None:
    """Write the banner as text or JSON, as configured; the last line of text has the URL."""
    config = nodes[0].config
    if config.log_format == "json":
        shown: list[Piece] = [json.dumps(_as_json(nodes, url, version, bitcoin_url))]
    elif config.quiet:
        shown = [_listening(url, config)]
    else:
        shown = list(_lines(nodes, url, version, bitcoin_url))
    # A closed pipe does not stop the node.
    with suppress(OSError, ValueError):
        for line in shown:
            write_line(line, stream=stream)
        stream.flush()


def _lines(nodes: Sequence[Node], url: str, version: str, bitcoin_url: str) -> Iterator[Piece]:
    # Every line has at most 80 characters.
    config = nodes[0].config
    yield f"devchain {version}", TITLE
    for node in nodes:
        yield from _network_lines(node)
    yield from _key_lines(nodes[0])  # networks served together have the same mnemonic
    yield ""
    if config.explorer:
        yield _labelled("Explorer", f"{_with_api_key(url, config)}/explorer")
    if config.ipc:
        yield _labelled("IPC", config.ipc)
    if bitcoin_url:
        yield _labelled("Bitcoin", _with_password(bitcoin_url, config))
    if config.tls_cert:
        yield _labelled("WebSocket", _with_api_key(url.replace("https", "wss", 1), config))
    for node in nodes if len(nodes) > 1 else ():
        network = node.config.network
        yield _labelled(network, _with_api_key(f"{url}/{network}", config))
    yield _listening(url, config), f"bold {GOOD}"


def _network_lines(node: Node) -> Iterator[Piece]:
    config, chain = node.config, node.chain
    title = f"{config.network} ({config.rules.title}), chain id {config.effective_chain_id}"
    yield ""
    yield _labelled("Network", title)
    yield _labelled("Hardfork", config.hardfork)
    if config.like:
        yield _labelled("Like", PRESETS[config.like].title)
    if node.fork:
        yield from _fork_lines(node.fork.status())
    yield _labelled("Gas limit", f"{chain.head.gas_limit:,} a block")
    yield _labelled("Gas price", f"at least {gas_price(config.min_gas_price)}")
    yield _labelled("Mining", _mining(node))
    if config.data_dir is not None:
        stored = _stored_height(node)
        begin = "a new chain" if stored is None else f"goes on from block {stored:,}"
        yield _labelled("Data dir", f"{config.data_dir} ({begin})")
    if config.artifacts:
        yield _labelled("Contracts", f"{len(node.artifacts.names()):,} known by name")
    accounts, notation = _accounts(node), _notation(config)
    names = () if config.hosted else config.rules.seeds
    if not accounts and not names:
        return
    yield from _heading("Accounts")
    for index, (address, balance, _) in enumerate(accounts[:MAX_SHOWN_ACCOUNTS]):
        yield f"{_index(index)} {notation.address(address)}  {notation.amount(balance)}"
    if len(accounts) > MAX_SHOWN_ACCOUNTS:
        yield f"     and {len(accounts) - MAX_SHOWN_ACCOUNTS} more: eth_accounts lists them"
    if names:
        amount = notation.amount(config.rules.seed_balance)
        yield f"     {names[0]} to {names[-1]}: {amount} each, key = keccak-256 of the name"


def _fork_lines(fork: ForkStatus) -> Iterator[Piece]:
    distance = fork.distance
    behind = f", {plural(distance, 'block')} behind the newest" if distance else ""
    yield _labelled("Fork block", f"{fork.block.number:,} of chain {fork.block.chain_id}{behind}")
    yield f"{'Fork hash':<{FIT}} 0x{fork.block.hash.hex()}"
    yield _labelled("Upstream", fork.address or "none: offline")
    if fork.cache:
        yield _labelled("Fork cache", fork.cache)


def _key_lines(node: Node) -> Iterator[Piece]:
    accounts, is_public = _accounts(node), has_public_keys(node.config)
    if not accounts:
        return
    if is_public:
        yield from _heading("Private keys")
        for index, (_, _, key) in enumerate(accounts[:MAX_SHOWN_ACCOUNTS]):
            yield f"{_index(index)} 0x{key.hex()}"
        yield ""
        for text in KEY_WARNING:
            yield text, "yellow"
    yield ""
    yield _labelled("Mnemonic", node.config.mnemonic if is_public else HIDDEN_MNEMONIC)
    yield _labelled("Derivation path", node.config.derivation_path)


def _as_json(nodes: Sequence[Node], url: str, version: str, bitcoin_url: str) -> dict[str, object]:
    config = nodes[0].config
    banner: dict[str, object] = {"event": "listening", "url": url, "version": version}
    if not config.quiet:
        if config.explorer:
            banner["explorer"] = f"{_with_api_key(url, config)}/explorer"
        banner["ipc"] = config.ipc
        if bitcoin_url:
            banner["bitcoin"] = _with_password(bitcoin_url, config)
        banner["networks"] = {node.config.network: _network_json(node) for node in nodes}
    return banner


def _network_json(node: Node) -> dict[str, object]:
    from devchain.rpc.json_codec import encode
    from devchain.rpc.methods.devchain import get_fork

    config, accounts, notation = node.config, _accounts(node), _notation(node.config)
    is_public = has_public_keys(config)
    return {
        "chainId": config.effective_chain_id,
        "hardfork": config.hardfork,
        "like": config.like,
        "gasLimit": node.chain.head.gas_limit,
        "minimumGasPrice": str(config.min_gas_price),
        "mining": node.miner.running,
        "automine": node.miner.automine,
        "blockTime": node.miner.block_time,
        "dataDir": config.data_dir,
        "storedHeight": _stored_height(node),
        "contracts": len(node.artifacts.names()),
        "fork": encode(get_fork(node)),
        "mnemonic": config.mnemonic if is_public and accounts else None,
        "derivationPath": config.derivation_path,
        "accounts": [
            {
                "address": notation.address(address),
                "balance": str(balance),
                "privateKey": f"0x{key.hex()}" if is_public else None,
            }
            for address, balance, key in accounts
        ],
    }


# What a node has at the start, which a data dir or a dump may have changed from what is configured


def _accounts(node: Node) -> list[tuple[bytes, int, bytes]]:
    # Address, balance and key. A hosted node signs nothing: it keeps none of the keys.
    state = node.chain.state_at(Tag.LATEST)
    keys = [] if node.config.hosted else node.accounts.dev_keys
    return [(address, state.balance(address), key) for address, key in keys]


def _stored_height(node: Node) -> int | None:
    is_stored = node.config.data_dir is not None and node.chain.height > node.chain.first
    return node.chain.height if is_stored else None


def _mining(node: Node) -> str:
    miner = node.miner
    by_interval = f"a block every {miner.block_time or 0:g} seconds"
    has_interval = miner.block_time is not None
    if not miner.running and has_interval:
        return f"manual, by evm_mine; after miner_start {by_interval}"
    if miner.running and miner.automine:
        also = f", and {by_interval}" if has_interval else ""
        return f"automatic: a transaction is mined when it arrives{also}"
    return by_interval if miner.running and has_interval else "manual: blocks are mined by evm_mine"


def has_public_keys(config: Config) -> bool:
    """Whether the accounts come from a well-known mnemonic, so that keys may be shown."""
    presets = (preset.defaults.get("mnemonic") for preset in PRESETS.values())
    return config.mnemonic in {MNEMONIC, *presets}


def _notation(config: Config) -> Notation:
    return Notation(config.effective_chain_id, config.checksum_addresses)


def _heading(text: str) -> Iterator[Piece]:
    yield from ("", (text, TITLE), ("=" * len(text), "dim"))


def _labelled(label: str, value: str) -> str:
    return f"{label:<16} {value}"


def _index(index: int) -> str:
    return f"({index})".ljust(4)


def _listening(url: str, config: Config) -> str:
    return f"Listening on {_with_api_key(url, config)}"


def _with_api_key(url: str, config: Config) -> str:
    return f"{url}/<API_KEY>" if config.api_keys else url


def _with_password(url: str, config: Config) -> str:
    is_public = config.bitcoin_password == Config.bitcoin_password
    password = config.bitcoin_password if is_public else "<PASSWORD>"
    return url.replace("://", f"://{config.bitcoin_user}:{password}@", 1)
