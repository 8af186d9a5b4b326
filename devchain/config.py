"""The options of a node: one field of `Config` each, with help text, group and default.

The Python API (`Node(Config(...))`), the command line, the `DEVCHAIN_*` environment variables,
`devchain.toml` and `docs/config.md` are all made from these fields.
"""

# ruff: noqa: FBT003  # options begin with their default

from __future__ import annotations

import re
import typing
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from os import PathLike, fspath
from pathlib import Path
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from devchain.errors import ConfigError
from devchain.files import read_file
from devchain.networks import (
    DEFAULT_FEDERATORS,
    ETHEREUM,
    ETHEREUM_LOCAL,
    HARDFORKS,
    MOST_FEDERATORS,
    NETWORKS,
    NEWEST,
    ROOTSTOCK,
    Network,
    canonical,
    in_written_case,
    is_ethereum,
    network,
)
from devchain.presets import DEVCHAIN, PRESETS, Preset, hosted
from devchain.text import misspelt

MNEMONIC = "test test test test test test test test test test test junk"
DERIVATION_PATH = "m/44'/60'/0'/0/"
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\Z")
ROOTSTOCK_REVERT_CODE = -32015
GETH_REVERT_CODE = 3
LOG_FORMATS = ("text", "json")
ENGINES = ("fast", "reference")
SERVERS = ("direct", "hypercorn")
PREDEPLOYS = ("create2", "multicall3", "permit2", "rns")
"""The names of `chain/predeploys.json`."""
ORIGIN = re.compile(
    r"\*|null|[A-Za-z][A-Za-z0-9+.-]*://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?/?", re.ASCII
)
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\x20-\x7e\t]*")
FUNDED = re.compile(r"0x[0-9a-fA-F]{40}:[0-9]{1,40}")
HASH = re.compile("0x[0-9a-fA-F]{64}")
HEX = re.compile("0x([0-9a-fA-F]{2})*")
MAX_KEYS_SIZE = 2**20
MAX_EXTRA_DATA = 32  # bytes of extra data that a header can have
HOST = re.compile(r"\*|\[?[0-9A-Fa-f:.]+\]?(:\d{1,5})?|[\w.-]+(:\d{1,5})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Option:
    """Help of a field: its text, its group, the placeholder of its value.

    `secret` keeps the value out of logs and of the `repr`. `beyond` says what happens beyond an
    option that is a limit. A number has to be from the first to the second of `within`.
    """

    help: str
    group: str
    unit: str = ""
    secret: bool = False
    beyond: str = ""
    within: tuple[float, float] | None = None


def _option(group: str, default: object, text: str, **more: Any) -> Any:  # noqa: ANN401  # `field`
    option = Option(text, group, **more)
    return field(default=default, repr=not option.secret, metadata={"option": option})


# Fields of `Config`, by group: default, help, and what else their `Option` has.
_chain = partial(_option, "Chain")
_fork = partial(_option, "Fork")
_accounts = partial(_option, "Accounts")
_mining = partial(_option, "Mining")
_json_rpc = partial(_option, "JSON-RPC")
_contracts = partial(_option, "Contracts")
_server = partial(_option, "Server")
_output = partial(_option, "Output")


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit: group, what it bounds and what happens beyond it, for `docs/config.md`.

    Written in the `Annotated` hint of a module's constant.
    """

    group: str
    help: str
    beyond: str
    unit: str = ""


def unknown_option(name: str, known: Collection[str], where: str) -> str:
    """That there is no option of a name, and which is meant, else where all are listed."""
    meant = misspelt(name, known)
    return f"unknown option {name!r}; {f'did you mean {meant}?' if meant else where}"


def preset_defaults(like: object) -> Mapping[str, Any]:
    """The defaults that a preset replaces, by name of the field; none for an unknown preset."""
    preset = PRESETS.get(like) if isinstance(like, str) else None
    return preset.defaults if preset else {}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The configuration of a node. Every field has a default. Amounts are in wei unless noted.

    `like` names a preset (`devchain.presets`), which replaces defaults. A given field counts, also
    if it equals devchain's default. Raises `ConfigError` if a value is out of range or contradicts
    another.
    """

    like: str | None = _chain(None, f"Behave like another node: {', '.join(PRESETS)}.", unit="NODE")
    network: str = _chain(
        "local",
        "Network: main, test, dev or local. Repeatable: each is at /NETWORK, the first at / too.",
        unit="NAME",
    )
    chain_id: int | None = _chain(
        None,
        f"Chain id. Default: the network's; {ETHEREUM_LOCAL.chain_id} for local under an Ethereum"
        " hardfork; with --like that node's.",
        unit="ID",
        within=(1, 2**53 - 1),
    )
    hardfork: str = _chain(
        NEWEST,
        f"Hardfork of Rootstock ({ROOTSTOCK[0]} to {ROOTSTOCK[-1]}) or Ethereum ({ETHEREUM[0]} "
        f"to {ETHEREUM[-1]}); the last ones are experimental.",
        unit="NAME",
    )
    engine: str = _chain(
        "fast", "EVM: fast (bytecode compiled to Python) or reference (py-evm).", unit="NAME"
    )
    max_evm_memory: int = _chain(
        128 * 1024 * 1024,
        "Maximum memory of a transaction or call in the EVM.",
        unit="BYTES",
        beyond="A call ends with error -32012; a transaction is dropped from the pool.",
        within=(2**20, 2**40),
    )
    gas_limit: int | None = _chain(
        None, "Block gas limit. Default: the network's.", unit="GAS", within=(100_000, 10**10)
    )
    unlimited_contract_size: bool = _chain(
        False, "Allow code and init code of any size. No real network does."
    )
    min_gas_price: int = _chain(
        0, "Minimum gas price of a transaction.", unit="WEI", within=(0, 2**128)
    )
    coinbase: str = _chain(
        "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d",
        "Address that receives the fees of mined blocks.",
        unit="ADDRESS",
    )
    remasc: bool = _chain(
        False, "End every block with a REMASC transaction, which pays out the fees."
    )
    federators: int = _chain(
        DEFAULT_FEDERATORS,
        "Members of the federation that the chain begins with, on networks dev and local.",
        unit="COUNT",
        within=(1, MOST_FEDERATORS),
    )
    automatic_peg: bool = _chain(
        False,
        "Do the work of the federators' nodes after each block: inform the Bridge of Bitcoin "
        "blocks, register peg-ins, sign and send peg-outs.",
    )
    fixed_clock: int | None = _chain(
        None,
        "Fix the clock at this Unix time: the same calls give the same block hashes.",
        unit="SECONDS",
        within=(0, 2**53 - 1),
    )
    data_dir: str | None = _chain(
        None, "Store the chain in this folder. Default: in memory only.", unit="PATH"
    )
    init: str | None = _chain(
        None, "Genesis accounts from a genesis.json in geth's format.", unit="FILE"
    )
    predeploy: tuple[str, ...] = _chain(
        (),
        f"Begin with these contracts: {', '.join(PREDEPLOYS)}, separated by commas; repeatable. "
        "A fork has those of its upstream instead. Default with --like anvil: create2.",
        unit="NAMES",
    )
    load_state: str | None = _chain(
        None, "Load a state dump of devchain, or the accounts of a dump of anvil.", unit="FILE"
    )
    dump_state: str | None = _chain(
        None, "Write a state dump of the whole chain to this file at exit.", unit="FILE"
    )
    fork_url: tuple[str, ...] = _fork(
        (),
        "Fork the chain of the node at this URL, at the block after @. Repeatable: the next URL "
        "is asked when one fails.",
        unit="URL[@BLOCK]",
        secret=True,
    )
    fork_block_number: int | None = _fork(
        None,
        "Block to fork at. A negative number counts from the newest. Default: far enough behind "
        "the newest to make a reorganization unlikely.",
        unit="NUMBER",
    )
    fork_transaction_hash: str | None = _fork(
        None,
        "Fork at the block before this transaction, and mine its own block again up to it.",
        unit="HASH",
    )
    fork_hardfork: tuple[str, ...] = _fork(
        (),
        "Hardfork of the forked chain from a block on, to replay blocks before the fork. "
        "Repeatable, oldest first.",
        unit="NAME@BLOCK",
    )
    fork_header: tuple[str, ...] = _fork(
        (),
        "Header of requests to the forked node, as 'Name: value'. Repeatable.",
        unit="HEADER",
        secret=True,
    )
    retries: int = _fork(
        5, "How often a request to the forked node is repeated.", unit="COUNT", within=(0, 1_000)
    )
    timeout: float = _fork(
        45.0, "Timeout of a request to the forked node.", unit="SECONDS", within=(0.001, 10**9)
    )
    fork_retry_backoff: float = _fork(
        1.0,
        "Pause before a repeated request. It doubles each time.",
        unit="SECONDS",
        within=(0, 10**9),
    )
    fork_requests_per_second: float | None = _fork(
        None,
        "Calls per second to the forked node. Default: no limit.",
        unit="COUNT",
        within=(0.001, 10**9),
    )
    storage_caching: bool = _fork(True, "Keep the answers of the forked node for later runs.")
    fork_cache: str | None = _fork(
        None,
        "File for these answers. Default: one in --data-dir, else in the user's cache folder.",
        unit="FILE",
    )
    offline: bool = _fork(
        False, "Never ask the forked node. A value that is not cached is an error."
    )

    accounts: int = _accounts(10, "Number of funded accounts.", within=(0, 10_000))
    balance: int = _accounts(
        10_000, "Initial balance of each account, in RBTC.", unit="RBTC", within=(0, 10**40)
    )
    fund_accounts: tuple[str, ...] = _accounts(
        (), "Fund this account too, with that much RBTC; repeatable.", unit="ADDRESS:AMOUNT"
    )
    auto_impersonate: bool = _accounts(False, "Let any account send without its key.")
    mnemonic: str = _accounts(
        MNEMONIC, "BIP-39 mnemonic of the accounts.", unit="WORDS", secret=True
    )
    derivation_path: str = _accounts(
        DERIVATION_PATH,
        "BIP-32 derivation path of the accounts, without the last index.",
        unit="PATH",
    )
    checksum_addresses: bool = _accounts(
        False,
        "Show addresses with EIP-1191's checksum, which many tools refuse, and reject mixed-case "
        "ones without it. The variable holds for other commands too. The Python API keeps "
        "EIP-55's checksum.",
    )

    mining: bool | None = _mining(
        None,
        "Mine each transaction when it arrives. With --no-mining only evm_mine mines. Default: as"
        " the data dir was left, else on.",
    )
    extra_data: str = _mining(
        "devchain",
        "Extra data of mined blocks: text, or bytes as 0x hex, at most 32 bytes.",
        unit="DATA",
    )
    block_time: float | None = _mining(
        None,
        "Mine a block at this interval instead of for each transaction. With --no-mining it "
        "begins with miner_start.",
        unit="SECONDS",
        within=(0.001, 10**9),
    )
    account_slots: int = _mining(
        16,
        "Maximum pending and queued transactions of an account.",
        beyond="The transaction is refused: error -32010.",
        within=(1, 2**31),
    )
    pool_slots: int = _mining(
        10_000,
        "Maximum pending and queued transactions of all accounts.",
        beyond="The transaction is refused: error -32010. The last tenth is for transactions "
        "that can be mined next.",
        within=(1, 2**31),
    )
    pool_bytes: int = _mining(
        32 * 1024 * 1024,
        "Maximum size of the pending and queued transactions of all accounts.",
        unit="BYTES",
        beyond="The transaction is refused: error -32010.",
        within=(131_072, 2**40),
    )
    max_snapshots: int = _mining(
        50_000,
        "Maximum snapshots.",
        beyond="No more are taken: error -32012. A snapshot counts again for every 10 "
        "transactions and filters in it.",
        within=(1, 2**31),
    )
    execution_timeout: float | None = _mining(
        None,
        "Drop a transaction that takes more CPU time when mined. 0: no limit. Default: "
        "--request-timeout.",
        unit="SECONDS",
        beyond="The transaction is dropped from the pool. Later ones wait for the next block.",
        within=(0, 10**9),
    )

    call_gas_cap: int | None = _json_rpc(
        None,
        "Maximum gas of a call, and of all calls of an eth_simulateV1. Default: the block gas "
        "limit for each call.",
        unit="GAS",
        beyond="The gas of the call is lowered to it.",
        within=(21_000, 10**10),
    )
    state_overrides: bool = _json_rpc(True, "Accept the state override parameter of eth_call.")
    revert_on_send: bool = _json_rpc(
        False, "Return an error from eth_send* when the transaction reverts."
    )
    revert_code: int | None = _json_rpc(
        None,
        "JSON-RPC error code of a revert. Default: -32015. With 3 web3.py shows the reason.",
        unit="CODE",
        within=(-(2**31), 2**31 - 1),
    )
    request_timeout: float = _json_rpc(
        5.0,
        "CPU time that a call, trace or log search may take. 0: no limit.",
        unit="SECONDS",
        beyond="The request ends with error -32011.",
        within=(0, 10**9),
    )
    batch_timeout: float = _json_rpc(
        30.0,
        "CPU time that a batch may take. 0: no limit.",
        unit="SECONDS",
        beyond="The remaining calls are not executed: error -32011 for each.",
        within=(0, 10**9),
    )
    max_response: int = _json_rpc(
        64 * 1024 * 1024,
        "Maximum size of an answer to a call or a batch. Logs may be larger.",
        unit="BYTES",
        beyond="Error -32012. The remaining calls of a batch are not executed.",
        within=(1_024, 2**40),
    )
    max_log_blocks: int = _json_rpc(
        2_000,
        "Block range of eth_getLogs above which --max-logs applies. 0: no limit.",
        within=(0, 2**53),
    )
    max_logs: int = _json_rpc(
        10_000,
        "Maximum logs of an eth_getLogs over a wider range. 0: no limit.",
        beyond="The search ends with error -32012.",
        within=(0, 2**53),
    )
    max_log_values: int = _json_rpc(
        1_000,
        "Maximum addresses, and topics at each position, of a log filter. 0: no limit.",
        beyond="The filter or subscription is refused: error -32012. eth_getLogs takes any number.",
        within=(0, 2**53),
    )
    max_traces: int = _json_rpc(
        10_000,
        "Maximum traces that trace_filter returns or skips.",
        beyond="The request is refused: error -32602.",
        within=(0, 2**53),
    )
    max_trace_size: int = _json_rpc(
        8_000_000,
        "Maximum size of the traces of a request, in 32-byte words.",
        unit="WORDS",
        beyond="The request ends with error -32012.",
        within=(1, 2**53),
    )
    filter_timeout: int = _json_rpc(
        300,
        "Remove a filter that has not been polled for this long.",
        unit="SECONDS",
        beyond="The filter is removed.",
        within=(1, 2**31),
    )
    max_filters: int = _json_rpc(
        10_000,
        "Maximum installed filters and subscriptions of all clients.",
        beyond="No more are installed: error -32012. A filter counts again for every 10 "
        "addresses and topics.",
        within=(1, 2**31),
    )
    max_client_filters: int = _json_rpc(
        5_000,
        "Maximum installed filters of the clients at one address.",
        beyond="No more are installed: error -32012. They count as above.",
        within=(1, 2**31),
    )
    client_version: str | None = _json_rpc(None, "Result of web3_clientVersion.", unit="TEXT")
    methods: tuple[str, ...] = _json_rpc(
        (), "Enable only this namespace or method. Repeatable.", unit="NAME"
    )
    no_methods: tuple[str, ...] = _json_rpc(
        (), "Disable this namespace or method. Repeatable.", unit="NAME"
    )
    explorer: bool = _json_rpc(True, "Serve pages that show the chain at /explorer.")
    hosted: bool = _json_rpc(False, "Behave like a hosted node: no private keys, API key required.")

    artifacts: tuple[str, ...] = _contracts(
        (),
        "Contracts to know by name: a project, folder or file. Repeatable.",
        unit="PATH",
    )
    coverage: str | None = _contracts(
        None,
        "Write line and branch coverage of contracts to this lcov file. - prints a table only.",
        unit="FILE",
    )
    coverage_all: bool = _contracts(
        False, "With --coverage, list contracts that were not deployed too."
    )

    host: str = _server(
        "127.0.0.1", "Address to listen on. 0.0.0.0: all interfaces.", unit="ADDRESS"
    )
    port: int = _server(4444, "Port to listen on. 0: any free port.", within=(0, 65_535))
    bitcoin: bool = _server(False, "Serve bitcoind's JSON-RPC for the Bitcoin beside the chain.")
    bitcoin_port: int = _server(
        18_443, "Port of bitcoind's JSON-RPC. 0: any free port.", within=(0, 65_535)
    )
    bitcoin_user: str = _server("devchain", "User name of bitcoind's JSON-RPC.", unit="NAME")
    bitcoin_password: str = _server(
        "devchain", "Password of bitcoind's JSON-RPC.", unit="TEXT", secret=True
    )
    server: str = _server(
        "direct",
        "HTTP server: direct (the fastest) or hypercorn (HTTP/2, HTTPS).",
        unit="NAME",
    )
    tls_cert: str | None = _server(
        None,
        "Serve HTTPS and WSS with this certificate or certificate chain, in PEM format.",
        unit="FILE",
    )
    tls_key: str | None = _server(None, "Private key of --tls-cert, in PEM format.", unit="FILE")
    ipc: str | None = _server(None, "Serve IPC on a Unix socket at this path too.", unit="PATH")
    api_key: tuple[str, ...] = _server(
        (),
        "Require this API key in the URL path. Repeatable. DEVCHAIN_API_KEY and --api-key-file "
        "keep keys out of `ps`.",
        unit="KEY",
        secret=True,
    )
    api_key_file: str | None = _server(
        None,
        "Accept the API keys in this file, one a line. # begins a comment. Only you should be "
        "able to read it (chmod 600).",
        unit="FILE",
    )
    allow_host: tuple[str, ...] = _server(
        (), "Accept this name in the Host header too. Repeatable.", unit="NAME"
    )
    allow_origin: tuple[str, ...] = _server(
        (), "Allow web pages of this origin to call (CORS). Repeatable.", unit="ORIGIN"
    )
    max_body: int = _server(
        5 * 1024 * 1024,
        "Maximum size of a request body or a WebSocket message.",
        unit="BYTES",
        beyond="413 over HTTP, 1009 over WebSocket. An IPC connection is dropped.",
        within=(1_024, 2**31),
    )
    max_batch: int = _server(
        1_000,
        "Maximum calls in a batch.",
        beyond="The batch is refused: error -32600.",
        within=(1, 10**6),
    )

    quiet: bool = _output(False, "Print only the URL the node listens on.")
    log_format: str = _output("text", "Format of the log: text or json.", unit="NAME")

    if not TYPE_CHECKING:  # type checkers see the parameters that a dataclass makes of its fields

        def __init__(self, *values: object, **options: object) -> None:
            """Set the given options, the preset's defaults and the fields' own; check them."""
            if values:
                raise ConfigError(
                    "options are given by name, as in "
                    f'Config(network="test"), not {values[0]!r:.60}'
                )
            defaults = {field.name: field.default for field in fields(self)}
            for name in options:
                if name not in defaults:
                    where = "help(devchain.Config) lists them all"
                    raise ConfigError(unknown_option(name, list(defaults), where))
            values = defaults | preset_defaults(options.get("like")) | options
            for name, value in values.items():
                object.__setattr__(self, name, value)
            self._check()

    def _check(self) -> None:
        for member in config_fields():
            object.__setattr__(self, member.name, member.converted(getattr(self, member.name)))
        object.__setattr__(self, "hardfork", in_written_case(self.hardfork))
        network(self.network)
        if self.like is not None:
            _one_of("preset", self.like, tuple(PRESETS))
            if PRESETS[self.like].needs_rootstock and is_ethereum(canonical(self.hardfork)):
                raise ConfigError(
                    f"like {self.like} needs Rootstock's rules: leave hardfork {self.hardfork} out"
                )
        _one_of("hardfork", canonical(self.hardfork), HARDFORKS)
        _one_of("engine", self.engine, ENGINES)
        _one_of("log-format", self.log_format, LOG_FORMATS)
        names = (name.strip() for text in self.predeploy for name in text.split(","))
        object.__setattr__(self, "predeploy", tuple(name for name in names if name))
        for name in self.predeploy:
            _one_of("predeploy", name, PREDEPLOYS)
        self._check_ranges()
        if self.extra_data.startswith("0x") and not HEX.fullmatch(self.extra_data):
            raise ConfigError(
                f"extra-data {self.extra_data!r} is not hex: "
                "after 0x give an even number of hex digits"
            )
        size = len(self.effective_extra_data)
        if size > MAX_EXTRA_DATA:
            raise ConfigError(f"extra-data has {size} bytes: a header has at most {MAX_EXTRA_DATA}")
        if not ADDRESS.match(self.coinbase):
            raise ConfigError(
                f"coinbase {self.coinbase!r} is not an address: want 0x and 40 hex digits"
            )
        if self.coverage == "":
            raise ConfigError("--coverage needs the name of an lcov file, or - for the table only")
        if self.revert_code == 0:
            raise ConfigError(
                "revert-code 0 is not an error code; give -32015, 3 or another number"
            )
        hashes = tuple(filter(None, (self.fork_transaction_hash,)))
        _each_matches("fork-transaction-hash", hashes, HASH, "0x and 64 hex digits")
        _each_matches("fund-accounts", self.fund_accounts, FUNDED, "0x and 40 hex digits, :AMOUNT")
        self._check_fork()
        self._check_data_dir()
        self._check_server()

    def _check_ranges(self) -> None:
        for member in config_fields():
            within, value = member.option.within, getattr(self, member.name)
            if within and value is not None and not within[0] <= value <= within[1]:
                raise ConfigError(
                    f"{member.flag[2:]} {value:,} is out of range; "
                    f"give a number from {within[0]:,} to {within[1]:,}"
                )
        if self.federators != DEFAULT_FEDERATORS and self.effective_chain_id in {30, 31}:
            raise ConfigError("--federators is for networks dev and local: others have their own")

    def _check_server(self) -> None:
        if self.hosted and not self.api_keys:
            raise ConfigError(
                "--hosted needs at least one --api-key (or DEVCHAIN_API_KEY, or --api-key-file)"
            )
        _one_of("server", self.server, SERVERS)
        if (self.tls_cert is None) is not (self.tls_key is None):
            has, needs = ("cert", "key") if self.tls_key is None else ("key", "cert")
            raise ConfigError(
                f"--tls-{has} needs --tls-{needs}: HTTPS takes a certificate and its key"
            )
        for name in ("bitcoin_port", "bitcoin_user", "bitcoin_password"):
            if not self.bitcoin and getattr(self, name) != getattr(Config, name):
                raise ConfigError(f"--{name.replace('_', '-')} needs --bitcoin")
        if ":" in self.bitcoin_user:
            raise ConfigError("bitcoin-user must not have a colon, which ends it in a request")
        _each_matches("allow-host", self.allow_host, HOST, "a name such as node.example, or *")
        _each_matches("allow-origin", self.allow_origin, ORIGIN, "https://app.example, null or *")
        for key in self.api_keys:
            if not key or "/" in key or key in {*NETWORKS, "health"}:
                raise ConfigError(
                    "an API key must be one path segment, not `health` or the name of a network"
                )

    def _check_data_dir(self) -> None:
        if self.data_dir == "":
            raise ConfigError("--data-dir needs the name of a folder")
        if self.data_dir is not None and self.engine != "fast":
            raise ConfigError(
                f"data-dir needs --engine fast: --engine {self.engine} keeps states only in memory"
            )

    def _check_fork(self) -> None:
        has_data_dir = self.data_dir is not None and self.storage_caching
        if self.offline and not self.fork_cache and not has_data_dir:
            raise ConfigError(
                "--offline needs --fork-cache, the file that has the forked chain, or the "
                "--data-dir of a fork"
            )
        if not self.is_fork:
            for name in ("block-number", "transaction-hash"):
                if getattr(self, f"fork_{name.replace('-', '_')}") is not None:
                    raise ConfigError(f"--fork-{name} needs --fork-url, the node to fork")
            return
        if self.init is not None:
            raise ConfigError(
                "--init makes a genesis block, and a fork has that of its upstream: leave one of "
                "--init and --fork-url out; --load-state takes accounts of a fork"
            )
        for each in self.fork_hardfork:
            name, _, block = each.partition("@")
            if canonical(name) not in HARDFORKS or not block.isdecimal():
                raise ConfigError(f"fork-hardfork {each!r}: write it like 'london@12965000'")
        for header in self.fork_header:
            if not HEADER.fullmatch(header):
                raise ConfigError(
                    "a fork-header is not a header: write it like 'Authorization: Bearer KEY'"
                )

    @property
    def is_fork(self) -> bool:
        return bool(self.fork_url) or self.offline

    @cached_property
    def api_keys(self) -> tuple[str, ...]:
        """The API keys that are accepted, those in the file too; none if every request is."""
        return self.api_key + (read_api_keys(self.api_key_file) if self.api_key_file else ())

    @property
    def is_served_by_hypercorn(self) -> bool:
        return self.server == "hypercorn" or self.tls_cert is not None

    @property
    def scheme(self) -> str:
        return "http" if self.tls_cert is None else "https"

    @property
    def rules(self) -> Network:
        """The network that is simulated.

        `local` is Rootstock's or Ethereum's by the hardfork, with the chain id of the preset.
        """
        is_local = self.network == ETHEREUM_LOCAL.name
        found = network(self.network)
        if is_ethereum(canonical(self.hardfork)):
            found = ETHEREUM_LOCAL if is_local else replace(found, title=ETHEREUM_LOCAL.title)
        chain_id = PRESETS[self.like].local_chain_id if self.like and is_local else None
        return found if chain_id is None else replace(found, chain_id=chain_id, seeds=())

    @property
    def preset(self) -> Preset:
        """What JSON-RPC and the server do where nodes differ by choice."""
        preset = PRESETS[self.like] if self.like else DEVCHAIN
        return hosted(preset) if self.hosted else preset

    @property
    def effective_revert_code(self) -> int:
        if self.revert_code is not None:
            return self.revert_code
        return GETH_REVERT_CODE if is_ethereum(self.hardfork) else ROOTSTOCK_REVERT_CODE

    @property
    def effective_execution_timeout(self) -> float:
        """Seconds that a transaction may take when it is mined; 0 is no limit."""
        timeout = self.execution_timeout
        return self.request_timeout if timeout is None else timeout

    @property
    def effective_chain_id(self) -> int:
        return self.rules.chain_id if self.chain_id is None else self.chain_id

    @property
    def effective_extra_data(self) -> bytes:
        text = self.extra_data
        return bytes.fromhex(text[2:]) if HEX.fullmatch(text) else text.encode()

    @property
    def effective_gas_limit(self) -> int:
        return self.rules.gas_limit if self.gas_limit is None else self.gas_limit


def read_api_keys(file: str) -> tuple[str, ...]:
    """The API keys in a file, one a line without comments; raises `ConfigError` without any."""
    try:
        lines = read_file(Path(file).expanduser(), MAX_KEYS_SIZE).decode().splitlines()
    except OSError as error:
        raise ConfigError(f"--api-key-file {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"--api-key-file {file} is not UTF-8 text") from error
    keys = tuple(key for line in lines if (key := line.partition("#")[0].strip()))
    if not keys:
        raise ConfigError(f"--api-key-file {file} has no keys: write one a line")
    return keys


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        meant = misspelt(value, allowed)
        hint = f"did you mean {meant}?" if meant else f"choose one of: {', '.join(allowed)}"
        raise ConfigError(f"unknown {name} {value!r}; {hint}")


def _each_matches(
    name: str, values: tuple[str, ...], pattern: re.Pattern[str], example: str
) -> None:
    for value in values:
        if not pattern.fullmatch(value):
            raise ConfigError(f"invalid {name} {value!r}; write {example}")


SHOWN = Repr()  # of any depth
SHOWN.maxstring = SHOWN.maxother = 200

TYPE_NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    tuple: "a list of strings",
}


@dataclass(frozen=True, slots=True)
class ConfigField:
    """A field of `Config`: name, type, default and help."""

    name: str
    hint: Any
    default: Any
    option: Option

    @property
    def kind(self) -> type:
        """The field's type without `| None`; `tuple` for any tuple."""
        kinds = [argument for argument in typing.get_args(self.hint) if isinstance(argument, type)]
        if typing.get_origin(self.hint) is tuple:
            return tuple
        return next((kind for kind in kinds if kind is not type(None)), self.hint)

    def converted(self, value: object, name: str = "") -> object:
        """The value in the field's type; raises `ConfigError`, which calls the field `name`."""
        kind = self.kind
        if value is None and type(None) in typing.get_args(self.hint):
            return None
        if kind is tuple:
            items = value if isinstance(value, list | tuple) else [value]
            if all(isinstance(item, str | PathLike) for item in items):
                return tuple(map(fspath, items))
        elif kind is str and isinstance(value, str | PathLike):
            return fspath(value)
        elif kind is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        elif isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        shown = type(value).__name__ if self.option.secret else SHOWN.repr(value)
        of = " of seconds" if kind is float and self.option.unit == "SECONDS" else ""
        raise ConfigError(f"{name or self.name} must be {TYPE_NAMES[kind]}{of}, not {shown}")

    @property
    def env(self) -> str:
        return f"DEVCHAIN_{self.name.upper()}"

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def negative_flag(self) -> str:
        return "--no-" + self.name.replace("_", "-")


@cache
def config_fields() -> tuple[ConfigField, ...]:
    hints = typing.get_type_hints(Config)
    return tuple(
        ConfigField(member.name, hints[member.name], member.default, member.metadata["option"])
        for member in fields(Config)
    )
