"""Every option devchain has: one field each, with its help, group and default.

The fields feed the library (`Node(Config(...))`), the command line, `DEVCHAIN_*` environment
variables, `devchain.toml` and `docs/config.md`; nothing is listed twice.
"""

from __future__ import annotations

import re
import typing
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Annotated, Any

from devchain.errors import ConfigError
from devchain.networks import (
    ETHEREUM,
    ETHEREUM_LOCAL,
    HARDFORKS,
    NETWORKS,
    NEWEST,
    ROOTSTOCK,
    Network,
    canonical,
    is_ethereum,
    network,
)

MNEMONIC = "test test test test test test test test test test test junk"
DERIVATION_PATH = "m/44'/60'/0'/0/"
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\Z")
ROOTSTOCK_REVERT_CODE = -32015
GETH_REVERT_CODE = 3
LOG_FORMATS = ("text", "json")
ENGINES = ("fast", "reference")
ORIGIN = re.compile(
    r"\*|null|[A-Za-z][A-Za-z0-9+.-]*://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?/?", re.ASCII
)
HOST = re.compile(r"\*|\[?[0-9A-Fa-f:.]+\]?(:\d{1,5})?|[\w.-]+(:\d{1,5})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Option:
    """How a configuration field presents itself to people.

    `flag` replaces the spelling made from the field's name (`--no-mining` for `mining`),
    `secret` keeps the value out of logs, `unit` is shown as the value's placeholder.
    """

    help: str
    group: str
    flag: str = ""
    unit: str = ""
    secret: bool = False


@dataclass(frozen=True, kw_only=True)
class Config:
    """How a node behaves; every field has a default. Amounts in wei unless the help says RBTC.

    Raises `ConfigError` when a value cannot be used.
    """

    network: Annotated[str, Option("Network: main, test, dev or local; repeatable.", "Chain")] = (
        "local"
    )
    chain_id: Annotated[
        int | None, Option("Chain id, if not the network's own.", "Chain", unit="ID")
    ] = None
    hardfork: Annotated[
        str,
        Option(
            f"Rules of Rootstock ({', '.join(ROOTSTOCK)}) or Ethereum ({', '.join(ETHEREUM)}).",
            "Chain",
            unit="NAME",
        ),
    ] = NEWEST
    engine: Annotated[
        str,
        Option("What runs the contracts: fast, or reference, which is plain py-evm.", "Chain"),
    ] = "fast"
    gas_limit: Annotated[
        int | None, Option("Gas limit of a block, if not the network's own.", "Chain", unit="GAS")
    ] = None
    min_gas_price: Annotated[
        int, Option("Lowest gas price a transaction may offer.", "Chain", unit="WEI")
    ] = 0
    coinbase: Annotated[
        str, Option("Address that earns the fees of mined blocks.", "Chain", unit="ADDRESS")
    ] = "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d"
    remasc: Annotated[
        bool, Option("End every block with REMASC's transaction, which pays the fees.", "Chain")
    ] = False
    fixed_clock: Annotated[
        int | None,
        Option(
            "Stop the wall clock at this Unix time: same calls, same block hashes.",
            "Chain",
            unit="SECONDS",
        ),
    ] = None

    data_dir: Annotated[
        str | None,
        Option("Keep the chain in this folder; default: in memory.", "Chain", unit="PATH"),
    ] = None

    init: Annotated[
        str | None,
        Option("Begin with the accounts of this genesis.json, as geth's.", "Chain", unit="FILE"),
    ] = None
    load_state: Annotated[
        str | None,
        Option("Begin with the chain of this dump, ours or anvil's.", "Chain", unit="FILE"),
    ] = None
    dump_state: Annotated[
        str | None, Option("Write the whole chain to this file at exit.", "Chain", unit="FILE")
    ] = None

    accounts: Annotated[int, Option("Number of funded accounts.", "Accounts")] = 10
    balance: Annotated[int, Option("Balance of each, in RBTC.", "Accounts", unit="RBTC")] = 10_000
    mnemonic: Annotated[
        str, Option("Words the accounts are derived from.", "Accounts", unit="WORDS", secret=True)
    ] = field(default=MNEMONIC, repr=False)
    derivation_path: Annotated[
        str, Option("Path of the accounts, without the last index.", "Accounts", unit="PATH")
    ] = DERIVATION_PATH
    checksum_addresses: Annotated[
        bool, Option("Refuse mixed-case addresses whose EIP-1191 checksum is wrong.", "Accounts")
    ] = False

    mining: Annotated[
        bool, Option("Mine when a transaction arrives, or wait for evm_mine.", "Mining")
    ] = True
    block_time: Annotated[
        float | None,
        Option("Mine every so many seconds instead of at once.", "Mining", unit="SECONDS"),
    ] = None
    account_slots: Annotated[
        int, Option("Transactions one account may have waiting.", "Mining")
    ] = 16
    execution_timeout: Annotated[
        float,
        Option("Drop a transaction that takes longer to mine; 0 = off.", "Mining", unit="SECONDS"),
    ] = 30.0

    call_gas_cap: Annotated[
        int | None,
        Option("Most gas eth_call may use; default: a block's.", "JSON-RPC", unit="GAS"),
    ] = None
    state_overrides: Annotated[
        bool, Option("Allow the state override set of eth_call.", "JSON-RPC")
    ] = True
    revert_on_send: Annotated[
        bool, Option("Answer an error when a sent transaction reverts.", "JSON-RPC")
    ] = False
    revert_code: Annotated[
        int | None,
        Option(
            "Error code of a revert, default -32015; with 3 web3.py shows the reason.",
            "JSON-RPC",
            unit="CODE",
        ),
    ] = None
    request_timeout: Annotated[
        float,
        Option(
            "Longest a call, a trace or a search may take; 0 = off.", "JSON-RPC", unit="SECONDS"
        ),
    ] = 5.0
    max_log_blocks: Annotated[
        int, Option("Widest eth_getLogs range without a cap on logs; 0 = off.", "JSON-RPC")
    ] = 2_000
    max_logs: Annotated[
        int, Option("Most logs a wider eth_getLogs range may return; 0 = off.", "JSON-RPC")
    ] = 10_000
    max_traces: Annotated[
        int, Option("Most traces trace_filter may return, or skip.", "JSON-RPC")
    ] = 10_000
    max_trace_size: Annotated[
        int, Option("How large the traces of a request may grow.", "JSON-RPC", unit="WORDS")
    ] = 8_000_000
    filter_timeout: Annotated[
        int, Option("Idle time after which a filter is removed.", "JSON-RPC", unit="SECONDS")
    ] = 300
    client_version: Annotated[
        str | None, Option("Text web3_clientVersion answers.", "JSON-RPC", unit="TEXT")
    ] = None
    methods: Annotated[
        tuple[str, ...],
        Option("Open only this namespace or method; repeatable.", "JSON-RPC", unit="NAME"),
    ] = ()
    no_methods: Annotated[
        tuple[str, ...],
        Option("Close this namespace or method; repeatable.", "JSON-RPC", unit="NAME"),
    ] = ()
    hosted: Annotated[
        bool, Option("Behave as the hosted service: no keys, an API key required.", "JSON-RPC")
    ] = False

    artifacts: Annotated[
        tuple[str, ...],
        Option(
            "Know contracts by name: an artifact, or a folder of them; repeatable.",
            "JSON-RPC",
            unit="PATH",
        ),
    ] = ()
    coverage: Annotated[
        str | None,
        Option(
            "Count which lines of contracts run, for an lcov file; - shows the table alone.",
            "JSON-RPC",
            unit="FILE",
        ),
    ] = None

    host: Annotated[
        str, Option("Address to listen on; 0.0.0.0 for all.", "Server", unit="ADDRESS")
    ] = "127.0.0.1"
    port: Annotated[int, Option("Port to listen on; 0 takes a free one.", "Server")] = 4444
    ipc: Annotated[
        str | None, Option("Serve on a unix socket at this path too.", "Server", unit="PATH")
    ] = None
    api_key: Annotated[
        tuple[str, ...],
        Option("Accept only this key, in the path; repeatable.", "Server", unit="KEY", secret=True),
    ] = field(default=(), repr=False)
    allow_host: Annotated[
        tuple[str, ...],
        Option("Accept this Host header too; repeatable.", "Server", unit="NAME"),
    ] = ()
    allow_origin: Annotated[
        tuple[str, ...],
        Option("Let pages of this origin call; repeatable.", "Server", unit="ORIGIN"),
    ] = ()
    max_body: Annotated[int, Option("Largest request body.", "Server", unit="BYTES")] = (
        5 * 1024 * 1024
    )
    max_batch: Annotated[int, Option("Most calls in one batch.", "Server")] = 1_000

    quiet: Annotated[bool, Option("Print only where the node listens.", "Output")] = False
    log_format: Annotated[str, Option("Log lines as text or json.", "Output")] = "text"

    def __post_init__(self) -> None:
        """Refuse values no node could run with."""
        network(self.network)
        _one_of("hardfork", canonical(self.hardfork), HARDFORKS)
        _one_of("engine", self.engine, ENGINES)
        _one_of("log-format", self.log_format, LOG_FORMATS)
        for name, low, high in _RANGES:
            _in_range(name, getattr(self, name), low, high)
        if not ADDRESS.match(self.coinbase):
            msg = f"coinbase {self.coinbase!r} is not an address: want 0x and 40 hex digits"
            raise ConfigError(msg)
        if self.hosted and not self.api_key:
            msg = "--hosted needs at least one --api-key"
            raise ConfigError(msg)
        if self.coverage == "":
            msg = "--coverage needs the name of an lcov file, or - for the table alone"
            raise ConfigError(msg)
        if self.revert_code == 0:
            msg = "revert-code 0 is no error code; give -32015, 3 or another number"
            raise ConfigError(msg)
        if self.data_dir is not None and self.engine != "fast":
            msg = f"data-dir needs --engine fast: {self.engine} keeps its states in memory alone"
            raise ConfigError(msg)
        _each_matches("allow-host", self.allow_host, HOST, "a name such as node.example, or *")
        _each_matches("allow-origin", self.allow_origin, ORIGIN, "https://app.example, null or *")
        for key in self.api_key:
            if not key or "/" in key or key in {*NETWORKS, "health"}:
                msg = "an API key must be one path segment, not `health` nor a network's name"
                raise ConfigError(msg)

    @property
    def rules(self) -> Network:
        """The network this node stands for; under Ethereum's rules the local one is Ethereum's."""
        is_local = self.network == ETHEREUM_LOCAL.name and is_ethereum(canonical(self.hardfork))
        return ETHEREUM_LOCAL if is_local else network(self.network)

    @property
    def effective_revert_code(self) -> int:
        """The JSON-RPC error code of an execution that failed."""
        if self.revert_code is not None:
            return self.revert_code
        return GETH_REVERT_CODE if is_ethereum(self.hardfork) else ROOTSTOCK_REVERT_CODE

    @property
    def effective_chain_id(self) -> int:
        """The chain id in force."""
        return self.rules.chain_id if self.chain_id is None else self.chain_id

    @property
    def effective_gas_limit(self) -> int:
        """The gas limit of a block."""
        return self.rules.gas_limit if self.gas_limit is None else self.gas_limit


_RANGES: tuple[tuple[str, float, float], ...] = (
    ("chain_id", 1, 2**53 - 1),
    ("gas_limit", 100_000, 10**10),
    ("min_gas_price", 0, 2**128),
    ("fixed_clock", 0, 2**53 - 1),
    ("accounts", 0, 10_000),
    ("balance", 0, 10**40),
    ("block_time", 0.001, 10**9),
    ("account_slots", 1, 2**31),
    ("execution_timeout", 0, 10**9),
    ("request_timeout", 0, 10**9),
    ("call_gas_cap", 21_000, 10**10),
    ("revert_code", -(2**31), 2**31 - 1),
    ("max_log_blocks", 0, 2**53),
    ("max_logs", 0, 2**53),
    ("max_traces", 0, 2**53),
    ("max_trace_size", 1, 2**53),
    ("filter_timeout", 1, 2**31),
    ("port", 0, 65_535),
    ("max_body", 1_024, 2**31),
    ("max_batch", 1, 10**6),
)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        msg = f"unknown {name} {value!r}; choose one of: {', '.join(allowed)}"
        raise ConfigError(msg)


def _each_matches(name: str, values: tuple[str, ...], form: re.Pattern[str], like: str) -> None:
    for value in values:
        if not form.fullmatch(value):
            msg = f"{name} {value!r} matches nothing; write {like}"
            raise ConfigError(msg)


def _in_range(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        flag = name.replace("_", "-")
        msg = f"{flag} {value} is out of range; give a number from {low} to {high}"
        raise ConfigError(msg)


@dataclass(frozen=True, slots=True)
class Field:
    """One option as the command line, the files and the docs see it."""

    name: str
    hint: Any
    default: Any
    option: Option

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return f"DEVCHAIN_{self.name.upper()}"

    @property
    def flag(self) -> str:
        """Its spelling on the command line."""
        return self.option.flag or "--" + self.name.replace("_", "-")


@cache
def options() -> tuple[Field, ...]:
    """Every field of `Config` with its `Option`, in the order they are written."""
    hints = typing.get_type_hints(Config, include_extras=True)
    return tuple(
        Field(
            each.name, hints[each.name].__origin__, each.default, hints[each.name].__metadata__[0]
        )
        for each in fields(Config)
    )
