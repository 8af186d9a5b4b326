"""The options of a node: one field of `Config` each, with help text, group and default.

The Python API (`Node(Config(...))`), the command line, the `DEVCHAIN_*` environment variables,
`devchain.toml` and `docs/config.md` are all made from these fields.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from os import PathLike, fspath
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

from devchain.errors import ConfigError
from devchain.networks import (
    ETHEREUM,
    ETHEREUM_LOCAL,
    EXPERIMENTAL,
    HARDFORKS,
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
ORIGIN = re.compile(
    r"\*|null|[A-Za-z][A-Za-z0-9+.-]*://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?/?", re.ASCII
)
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\x20-\x7e\t]*")
HEX = re.compile("0x([0-9a-fA-F]{2})*")
MAX_EXTRA_DATA = 32
HOST = re.compile(r"\*|\[?[0-9A-Fa-f:.]+\]?(:\d{1,5})?|[\w.-]+(:\d{1,5})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Option:
    """Help of a field: its text, its group, the placeholder of its value.

    `secret` keeps the value out of logs and of `devchain config show`. `beyond` says what happens
    beyond an option that is a limit, which makes it a row of the table of limits.
    """

    help: str
    group: str
    unit: str = ""
    secret: bool = False
    beyond: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """A constant that is a limit: group, what it bounds and what happens beyond it.

    Written in the `Annotated` hint of a module's constant, which makes it a row of the table of
    limits in `docs/config.md`.
    """

    group: str
    help: str
    beyond: str
    unit: str = ""


def unknown_option(name: str, known: Collection[str], where: str) -> str:
    """That there is no option of a name, and which is meant, else where all are listed."""
    meant = misspelt(name, known)
    return f"unknown option {name!r}; {f'did you mean {meant}?' if meant else where}"


def _check_preset(like: str, hardfork: str) -> None:
    _one_of("preset", like, tuple(PRESETS))
    if PRESETS[like].needs_rootstock and is_ethereum(canonical(hardfork)):
        raise ConfigError(f"like {like} needs Rootstock's rules: leave hardfork {hardfork} out")


def _check_extra_data(text: str, data: bytes) -> None:
    if text.startswith("0x") and not HEX.fullmatch(text):
        raise ConfigError(
            f"extra-data {text!r} is not hex: after 0x give an even number of hex digits"
        )
    if len(data) > MAX_EXTRA_DATA:
        raise ConfigError(
            f"extra-data has {len(data)} bytes: a header has at most {MAX_EXTRA_DATA}"
        )


def preset_defaults(like: object) -> Mapping[str, Any]:
    """The defaults that a preset replaces, by name of the field; none for an unknown preset."""
    preset = PRESETS.get(like) if isinstance(like, str) else None
    return preset.defaults if preset else {}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The configuration of a node; every field has a default. Amounts are wei unless noted.

    `like` names a preset (`devchain.presets`), which replaces defaults: the fields that are given
    count, also where they equal devchain's own default. Raises `ConfigError` when a value is out of
    range or contradicts another.
    """

    like: Annotated[
        str | None,
        Option(
            f"Answer as that node does where nodes differ by choice: {', '.join(PRESETS)}.",
            "Chain",
            unit="NODE",
        ),
    ] = None
    network: Annotated[str, Option("Network: main, test, dev or local; repeatable.", "Chain")] = (
        "local"
    )
    chain_id: Annotated[
        int | None,
        Option(
            "Chain id; default: the network's, for local under an Ethereum hardfork "
            f"{ETHEREUM_LOCAL.chain_id}, with --like that node's.",
            "Chain",
            unit="ID",
        ),
    ] = None
    hardfork: Annotated[
        str,
        Option(
            f"Hardfork of Rootstock ({', '.join(ROOTSTOCK)}) or Ethereum ({', '.join(ETHEREUM)}; "
            f"{EXPERIMENTAL} is experimental).",
            "Chain",
            unit="NAME",
        ),
    ] = NEWEST
    engine: Annotated[
        str,
        Option("EVM: fast (bytecode compiled to Python) or reference (plain py-evm).", "Chain"),
    ] = "fast"
    max_evm_memory: Annotated[
        int,
        Option(
            "Maximum memory of a transaction or call in the EVM.",
            "Chain",
            unit="BYTES",
            beyond="A call ends with error -32012; a transaction is dropped from the pool.",
        ),
    ] = 128 * 1024 * 1024
    gas_limit: Annotated[
        int | None, Option("Block gas limit; default: the network's.", "Chain", unit="GAS")
    ] = None
    unlimited_contract_size: Annotated[
        bool, Option("Allow code and init code of any size, as no real network does.", "Chain")
    ] = False
    min_gas_price: Annotated[
        int, Option("Minimum gas price of a transaction.", "Chain", unit="WEI")
    ] = 0
    coinbase: Annotated[
        str, Option("Address that receives the fees of mined blocks.", "Chain", unit="ADDRESS")
    ] = "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d"
    remasc: Annotated[
        bool, Option("End every block with a REMASC transaction, which pays out the fees.", "Chain")
    ] = False
    fixed_clock: Annotated[
        int | None,
        Option(
            "Fix the clock at this Unix time: same calls, same block hashes.",
            "Chain",
            unit="SECONDS",
        ),
    ] = None
    data_dir: Annotated[
        str | None,
        Option("Store the chain in this folder; default: in memory only.", "Chain", unit="PATH"),
    ] = None
    init: Annotated[
        str | None,
        Option("Genesis accounts from a genesis.json in geth's format.", "Chain", unit="FILE"),
    ] = None
    load_state: Annotated[
        str | None,
        Option(
            "Load the chain from a state dump of devchain, or the accounts of one of anvil.",
            "Chain",
            unit="FILE",
        ),
    ] = None
    dump_state: Annotated[
        str | None,
        Option("Write a state dump of the whole chain to this file at exit.", "Chain", unit="FILE"),
    ] = None
    fork_url: Annotated[
        tuple[str, ...],
        Option(
            "Fork the chain of the node at this URL, at the block after @; repeatable: the next is"
            " asked when one fails.",
            "Fork",
            unit="URL[@BLOCK]",
            secret=True,
        ),
    ] = ()
    fork_block_number: Annotated[
        int | None,
        Option(
            "Block to fork at; a negative number counts from the newest. Default: so far behind the"
            " newest that a reorganization is unlikely.",
            "Fork",
            unit="NUMBER",
        ),
    ] = None
    fork_header: Annotated[
        tuple[str, ...],
        Option(
            "Header of the requests to the forked node, as 'Name: value'; repeatable.",
            "Fork",
            unit="HEADER",
            secret=True,
        ),
    ] = ()
    retries: Annotated[
        int, Option("How often a request to the forked node is repeated.", "Fork", unit="COUNT")
    ] = 5
    timeout: Annotated[
        float, Option("Timeout of a request to the forked node.", "Fork", unit="SECONDS")
    ] = 45.0
    fork_retry_backoff: Annotated[
        float,
        Option("Pause before a repeated request; it doubles each time.", "Fork", unit="SECONDS"),
    ] = 1.0
    fork_requests_per_second: Annotated[
        float | None,
        Option("Calls per second to the forked node; default: no limit.", "Fork", unit="COUNT"),
    ] = None
    storage_caching: Annotated[
        bool, Option("Keep what the forked node has answered for later runs.", "Fork")
    ] = True
    fork_cache: Annotated[
        str | None,
        Option(
            "Keep it in this file; default: one in --data-dir, else in the user's cache folder.",
            "Fork",
            unit="FILE",
        ),
    ] = None
    offline: Annotated[
        bool, Option("Never ask the forked node: what is not in the cache is an error.", "Fork")
    ] = False

    accounts: Annotated[int, Option("Number of funded accounts.", "Accounts")] = 10
    balance: Annotated[
        int, Option("Initial balance of each account, in RBTC.", "Accounts", unit="RBTC")
    ] = 10_000
    mnemonic: Annotated[
        str,
        Option(
            "BIP-39 mnemonic that the accounts are derived from.",
            "Accounts",
            unit="WORDS",
            secret=True,
        ),
    ] = field(default=MNEMONIC, repr=False)
    derivation_path: Annotated[
        str,
        Option(
            "BIP-32 derivation path of the accounts, without the last index.",
            "Accounts",
            unit="PATH",
        ),
    ] = DERIVATION_PATH
    checksum_addresses: Annotated[
        bool,
        Option(
            "Show addresses with EIP-1191's checksum of the chain id, which many tools refuse, "
            "instead of EIP-55's; reject mixed-case ones without it. The variable holds for the "
            "other commands too. Objects of the Python API keep EIP-55's, which web3.py takes.",
            "Accounts",
        ),
    ] = False

    mining: Annotated[
        bool | None,
        Option(
            "Mine each transaction when it arrives; with --no-mining, only on evm_mine. Default: as"
            " the data dir was left, else on.",
            "Mining",
        ),
    ] = None
    extra_data: Annotated[
        str,
        Option(
            "Extra data of the blocks that are mined: text, or bytes as 0x hex; at most 32 bytes.",
            "Mining",
            unit="DATA",
        ),
    ] = "devchain"
    block_time: Annotated[
        float | None,
        Option(
            "Mine a block at this interval instead of for each transaction; with --no-mining, "
            "after miner_start.",
            "Mining",
            unit="SECONDS",
        ),
    ] = None
    account_slots: Annotated[
        int,
        Option(
            "Maximum pending and queued transactions of an account.",
            "Mining",
            beyond="The transaction is refused: error -32010.",
        ),
    ] = 16
    pool_slots: Annotated[
        int,
        Option(
            "Maximum pending and queued transactions of all accounts.",
            "Mining",
            beyond="The transaction is refused: error -32010. "
            "The last tenth is for those that can be mined next.",
        ),
    ] = 10_000
    pool_bytes: Annotated[
        int,
        Option(
            "Maximum size of the pending and queued transactions of all accounts.",
            "Mining",
            unit="BYTES",
            beyond="The same.",
        ),
    ] = 32 * 1024 * 1024
    max_snapshots: Annotated[
        int,
        Option(
            "Maximum snapshots.",
            "Mining",
            beyond="No more are taken: error -32012. One counts again for every "
            "10 transactions and filters in it.",
        ),
    ] = 50_000
    execution_timeout: Annotated[
        float | None,
        Option(
            "Drop a transaction that takes more CPU time when mined; 0 = no limit; default: "
            "--request-timeout.",
            "Mining",
            unit="SECONDS",
            beyond="The transaction is dropped from the pool; those after it wait for the next "
            "block.",
        ),
    ] = None

    call_gas_cap: Annotated[
        int | None,
        Option(
            "Maximum gas of a call; default: the block gas limit.",
            "JSON-RPC",
            unit="GAS",
            beyond="The gas of the call is lowered to it.",
        ),
    ] = None
    state_overrides: Annotated[
        bool, Option("Accept the state override parameter of eth_call.", "JSON-RPC")
    ] = True
    revert_on_send: Annotated[
        bool, Option("Return an error from eth_send* when the transaction reverts.", "JSON-RPC")
    ] = False
    revert_code: Annotated[
        int | None,
        Option(
            "JSON-RPC error code of a revert, default -32015; with 3 web3.py shows the reason.",
            "JSON-RPC",
            unit="CODE",
        ),
    ] = None
    request_timeout: Annotated[
        float,
        Option(
            "Timeout of calls, traces and log searches; 0 = no limit.",
            "JSON-RPC",
            unit="SECONDS",
            beyond="The request ends with error -32011.",
        ),
    ] = 5.0
    batch_timeout: Annotated[
        float,
        Option(
            "Timeout of a batch; 0 = no limit.",
            "JSON-RPC",
            unit="SECONDS",
            beyond="The calls that are left are not executed: error -32011 for each.",
        ),
    ] = 30.0
    max_response: Annotated[
        int,
        Option(
            "Maximum size of an answer, to a call or to a whole batch.",
            "JSON-RPC",
            unit="BYTES",
            beyond="Error -32012; the calls of a batch that are left are not executed.",
        ),
    ] = 64 * 1024 * 1024
    max_log_blocks: Annotated[
        int,
        Option(
            "Block range of eth_getLogs above which --max-logs applies; 0 = no limit.", "JSON-RPC"
        ),
    ] = 2_000
    max_logs: Annotated[
        int,
        Option(
            "Maximum logs of an eth_getLogs over a wider range; 0 = no limit.",
            "JSON-RPC",
            beyond="The search ends with error -32012.",
        ),
    ] = 10_000
    max_log_values: Annotated[
        int,
        Option(
            "Maximum addresses, and topics at each position, of a log query; 0 = no limit.",
            "JSON-RPC",
            beyond="The query, filter or subscription is refused: error -32012.",
        ),
    ] = 1_000
    max_traces: Annotated[
        int,
        Option(
            "Maximum traces that trace_filter returns or skips.",
            "JSON-RPC",
            beyond="The request is refused: error -32602.",
        ),
    ] = 10_000
    max_trace_size: Annotated[
        int,
        Option(
            "Maximum size of the traces of a request, in 32-byte words.",
            "JSON-RPC",
            unit="WORDS",
            beyond="The request ends with error -32012.",
        ),
    ] = 8_000_000
    filter_timeout: Annotated[
        int,
        Option(
            "Remove a filter that has not been polled for this long.",
            "JSON-RPC",
            unit="SECONDS",
            beyond="The filter is removed.",
        ),
    ] = 300
    max_filters: Annotated[
        int,
        Option(
            "Maximum installed filters and subscriptions of all clients.",
            "JSON-RPC",
            beyond="No more are installed: error -32012. One with many addresses and topics "
            "counts again for every 10 of them.",
        ),
    ] = 10_000
    max_client_filters: Annotated[
        int,
        Option(
            "Maximum installed filters of the clients at one address.",
            "JSON-RPC",
            beyond="No more are installed: error -32012. They count as above.",
        ),
    ] = 5_000
    client_version: Annotated[
        str | None, Option("Result of web3_clientVersion.", "JSON-RPC", unit="TEXT")
    ] = None
    methods: Annotated[
        tuple[str, ...],
        Option("Enable only this namespace or method; repeatable.", "JSON-RPC", unit="NAME"),
    ] = ()
    no_methods: Annotated[
        tuple[str, ...],
        Option("Disable this namespace or method; repeatable.", "JSON-RPC", unit="NAME"),
    ] = ()
    explorer: Annotated[
        bool, Option("Serve the explorer, pages that show the chain, at /explorer.", "JSON-RPC")
    ] = True
    hosted: Annotated[
        bool, Option("Behave like a hosted node: no private keys, an API key required.", "JSON-RPC")
    ] = False

    artifacts: Annotated[
        tuple[str, ...],
        Option(
            "Compiled contracts to know by name: a project, a folder of artifacts, or one file; "
            "what is compiled later is read when names are looked up; repeatable.",
            "Contracts",
            unit="PATH",
        ),
    ] = ()
    coverage: Annotated[
        str | None,
        Option(
            "Write line and branch coverage of contracts to this lcov file; - prints the table.",
            "Contracts",
            unit="FILE",
        ),
    ] = None

    host: Annotated[
        str, Option("Address to listen on; 0.0.0.0 for all interfaces.", "Server", unit="ADDRESS")
    ] = "127.0.0.1"
    port: Annotated[int, Option("Port to listen on; 0 for any free port.", "Server")] = 4444
    server: Annotated[
        str,
        Option(
            "HTTP server: direct, the quickest, or hypercorn, which speaks HTTP/2 too and also"
            " serves HTTPS.",
            "Server",
            unit="NAME",
        ),
    ] = "direct"
    tls_cert: Annotated[
        str | None,
        Option(
            "Serve HTTPS and WSS with this certificate, or chain of certificates, in PEM format.",
            "Server",
            unit="FILE",
        ),
    ] = None
    tls_key: Annotated[
        str | None,
        Option("Private key of --tls-cert, in PEM format.", "Server", unit="FILE"),
    ] = None
    ipc: Annotated[
        str | None, Option("Serve IPC on a Unix socket at this path too.", "Server", unit="PATH")
    ] = None
    api_key: Annotated[
        tuple[str, ...],
        Option(
            "Require this API key in the URL path; repeatable. DEVCHAIN_API_KEY and"
            " --api-key-file keep keys out of `ps`.",
            "Server",
            unit="KEY",
            secret=True,
        ),
    ] = field(default=(), repr=False)
    api_key_file: Annotated[
        str | None,
        Option(
            "Accept the API keys in this file, one a line; # begins a comment. Only you should be"
            " able to read it (chmod 600).",
            "Server",
            unit="FILE",
        ),
    ] = None
    allow_host: Annotated[
        tuple[str, ...],
        Option("Accept this name in the Host header too; repeatable.", "Server", unit="NAME"),
    ] = ()
    allow_origin: Annotated[
        tuple[str, ...],
        Option(
            "Allow web pages of this origin to call (CORS); repeatable.", "Server", unit="ORIGIN"
        ),
    ] = ()
    max_body: Annotated[
        int,
        Option(
            "Maximum size of a request body.",
            "Server",
            unit="BYTES",
            beyond="413 over HTTP, 1009 over WebSocket; an IPC connection is dropped.",
        ),
    ] = 5 * 1024 * 1024
    max_batch: Annotated[
        int,
        Option("Maximum calls in a batch.", "Server", beyond="The batch is refused: error -32600."),
    ] = 1_000

    quiet: Annotated[bool, Option("Print only the URL the node listens on.", "Output")] = False
    log_format: Annotated[str, Option("Format of the log: text or json.", "Output")] = "text"

    if not TYPE_CHECKING:  # type checkers see the parameters that a dataclass makes of its fields

        def __init__(self, *values: object, **options: object) -> None:
            """Set the given options, the preset's defaults and the fields' own; check every value.

            One text or path stands for a list of one, a path for its text; hardforks are named in
            any letter case. Raises `ConfigError`.
            """
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
        for option in config_fields():
            object.__setattr__(self, option.name, option.converted(getattr(self, option.name)))
        object.__setattr__(self, "hardfork", in_written_case(self.hardfork))
        network(self.network)
        if self.like is not None:
            _check_preset(self.like, self.hardfork)
        _one_of("hardfork", canonical(self.hardfork), HARDFORKS)
        _one_of("engine", self.engine, ENGINES)
        _one_of("log-format", self.log_format, LOG_FORMATS)
        for name, low, high in RANGES:
            _in_range(name, getattr(self, name), low, high)
        _check_extra_data(self.extra_data, self.effective_extra_data)
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
        self._check_fork()
        self._check_data_dir()
        self._check_server()

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
            if self.fork_block_number is not None:
                raise ConfigError("--fork-block-number needs --fork-url, the node to fork")
            return
        if self.init is not None:
            raise ConfigError(
                "--init makes a genesis block, and a fork has that of its upstream: leave one of "
                "--init and --fork-url out; --load-state takes accounts of a fork"
            )
        for header in self.fork_header:
            if not HEADER.fullmatch(header):
                raise ConfigError(
                    "a fork-header is not a header: write it like 'Authorization: Bearer KEY'"
                )

    @property
    def is_fork(self) -> bool:
        """Whether the chain is a fork of another."""
        return bool(self.fork_url) or self.offline

    @cached_property
    def api_keys(self) -> tuple[str, ...]:
        """The API keys that are accepted, those in the file too; none if every request is."""
        return self.api_key + (read_api_keys(self.api_key_file) if self.api_key_file else ())

    @property
    def is_served_by_hypercorn(self) -> bool:
        """Whether hypercorn serves the node, as it does with TLS."""
        return self.server == "hypercorn" or self.tls_cert is not None

    @property
    def scheme(self) -> str:
        """The scheme of the URL at which the node is served."""
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
        """The JSON-RPC error code of a failed execution."""
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
        """The configured chain id, or the network's own."""
        return self.rules.chain_id if self.chain_id is None else self.chain_id

    @property
    def effective_extra_data(self) -> bytes:
        """The extra data of mined blocks, as bytes."""
        text = self.extra_data
        return bytes.fromhex(text[2:]) if HEX.fullmatch(text) else text.encode()

    @property
    def effective_gas_limit(self) -> int:
        """The configured block gas limit, or the network's own."""
        return self.rules.gas_limit if self.gas_limit is None else self.gas_limit


RANGES: tuple[tuple[str, float, float], ...] = (
    ("chain_id", 1, 2**53 - 1),
    ("max_evm_memory", 2**20, 2**40),
    ("gas_limit", 100_000, 10**10),
    ("min_gas_price", 0, 2**128),
    ("fixed_clock", 0, 2**53 - 1),
    ("accounts", 0, 10_000),
    ("balance", 0, 10**40),
    ("block_time", 0.001, 10**9),
    ("account_slots", 1, 2**31),
    ("pool_slots", 1, 2**31),
    ("pool_bytes", 131_072, 2**40),
    ("max_snapshots", 1, 2**31),
    ("execution_timeout", 0, 10**9),
    ("request_timeout", 0, 10**9),
    ("call_gas_cap", 21_000, 10**10),
    ("revert_code", -(2**31), 2**31 - 1),
    ("batch_timeout", 0, 10**9),
    ("max_response", 1_024, 2**40),
    ("max_log_blocks", 0, 2**53),
    ("max_logs", 0, 2**53),
    ("max_log_values", 0, 2**53),
    ("max_traces", 0, 2**53),
    ("max_trace_size", 1, 2**53),
    ("filter_timeout", 1, 2**31),
    ("max_filters", 1, 2**31),
    ("max_client_filters", 1, 2**31),
    ("retries", 0, 1_000),
    ("timeout", 0.001, 10**9),
    ("fork_retry_backoff", 0, 10**9),
    ("fork_requests_per_second", 0.001, 10**9),
    ("port", 0, 65_535),
    ("max_body", 1_024, 2**31),
    ("max_batch", 1, 10**6),
)


def read_api_keys(file: str) -> tuple[str, ...]:
    """The API keys in a file, one a line without comments; raises `ConfigError` without any."""
    try:
        lines = Path(file).expanduser().read_text(encoding="utf-8").splitlines()
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
        raise ConfigError(f"unknown {name} {value!r}; choose one of: {', '.join(allowed)}")


def _each_matches(
    name: str, values: tuple[str, ...], pattern: re.Pattern[str], example: str
) -> None:
    for value in values:
        if not pattern.fullmatch(value):
            raise ConfigError(f"invalid {name} {value!r}; write {example}")


def _in_range(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        flag = name.replace("_", "-")
        raise ConfigError(
            f"{flag} {value:,} is out of range; give a number from {low:,} to {high:,}"
        )


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
        shown = type(value).__name__ if self.option.secret else repr(value)
        of = " of seconds" if kind is float and self.option.unit == "SECONDS" else ""
        raise ConfigError(f"{name or self.name} must be {TYPE_NAMES[kind]}{of}, not {shown}")

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return f"DEVCHAIN_{self.name.upper()}"

    @property
    def flag(self) -> str:
        """The command-line option that sets it."""
        return "--" + self.name.replace("_", "-")

    @property
    def negative_flag(self) -> str:
        """The command-line option that switches it off."""
        return "--no-" + self.name.replace("_", "-")


def limits_of(module: ModuleType) -> tuple[tuple[Limit, Any], ...]:
    """The limits among a module's constants with their values, in the order of their definition."""
    hints = typing.get_type_hints(module, include_extras=True)
    return tuple(
        (extra, getattr(module, name))
        for name, hint in hints.items()
        for extra in getattr(hint, "__metadata__", ())
        if isinstance(extra, Limit)
    )


@cache
def config_fields() -> tuple[ConfigField, ...]:
    """Every field of `Config`, in the order of its definition."""
    hints = typing.get_type_hints(Config, include_extras=True)
    return tuple(
        ConfigField(
            each.name, hints[each.name].__origin__, each.default, hints[each.name].__metadata__[0]
        )
        for each in fields(Config)
    )
