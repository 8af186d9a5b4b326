"""The node: a chain, its mempool and its miner, and the operations that need several of them.

JSON-RPC and the server work with it; `devchain.node.python_api` adds the Python API for tests.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, Unpack

from devchain import errors
from devchain.chain.block import Block, MinedLog
from devchain.chain.chain import Chain, open_chain
from devchain.chain.eth_call import Call, CallBlock, UncheckedCall, call_block, prefetch
from devchain.chain.genesis import NO_FILE, GenesisFile, configured, genesis, read_genesis
from devchain.chain.predeploys import predeployed_abis
from devchain.chain.signing import fill_fees, sign, transaction_type
from devchain.chain.slices import SLOW, Slices, finish
from devchain.chain.transaction import DYNAMIC_FEE_TYPES, Transaction, decode, with_sender
from devchain.clock import MAX_TIMESTAMP, Clock
from devchain.config import Config
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.contract import Suggesting
from devchain.evm.console_capture import ConsoleCalls
from devchain.evm.rules import Rules
from devchain.networks import canonical
from devchain.node import dump
from devchain.node.accounts import Accounts, placeholder_key
from devchain.node.bitcoin import BitcoinComponent
from devchain.node.call_explainer import CallExplainer
from devchain.node.expected_calls import ExpectedCalls
from devchain.node.external_mining import MiningWork
from devchain.node.filters import FilterRegistry, LogSearch
from devchain.node.mempool import Mempool
from devchain.node.miner import Miner
from devchain.node.node_persistence import NodePersistence
from devchain.node.peers import Peers
from devchain.node.snapshots import NodeComponents, SnapshotStore
from devchain.presets.fields import EstimateFunds, MissingGas
from devchain.state.state_database import Database, open_database
from devchain.state.state_view import StateView
from devchain.types import (
    Address,
    BeforeTransaction,
    BlockOverride,
    Hash32,
    LogQuery,
    MineRequest,
    StateLike,
    StateOverride,
    StateOverrides,
    StateRef,
    Tag,
    TransactionRequest,
    address_of,
    bytes_of,
    whole_number,
    wrong_type,
)

if TYPE_CHECKING:
    # At run time they are imported by nodes with a data dir, and what measures coverage, traces,
    # reads the history of accounts or uses Bitcoin.
    from devchain.bitcoin.bitcoin_node import BitcoinNode
    from devchain.chain.fork import Fork
    from devchain.chain.sandbox import Sandbox
    from devchain.chain.storage.data_dir import DataDir
    from devchain.node.address_history import AddressHistory
    from devchain.node.node_options import NodeOptions
    from devchain.source.coverage import Coverage
    from devchain.tracing.replay import AccessListResult

DEFAULT_SEND_GAS = 90_000
REQUEST_HINT = "`from devchain import TransactionRequest`"
MAX_BLOCKS_AT_ONCE = 100_000  # empty ones take some seconds, in which others are served
BLOCKS_PER_SLICE = 100
SECONDS_PER_SLICE = 0.01
"""Empty blocks mined before others are served, and how long that takes at most."""


class Beginning(NamedTuple):
    """What a node was started with: the configuration as given and with a fork's, and the fork."""

    given: Config
    config: Config
    fork: Fork | None


class ClosedComponent:
    """Takes the place of the components of a closed node."""

    def __getattr__(self, name: str) -> NoReturn:
        raise errors.NodeClosed(
            "the node is closed: use it before close(), or within its `with` block"
        )


OnRead = Callable[[TransactionRequest, StateLike, bytes | int | errors.VmError], None]
"""Called with a call and its output or error, or with an account and its balance."""


@contextmanager
def _collecting_later() -> Iterator[None]:
    # What is mined stays: a garbage collection meanwhile would go through all of it in vain.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class NodeCore(Suggesting):
    """A local Rootstock chain with its mempool, miner and accounts.

    `printed` is what the last call printed with `console.log`, as call data. `resets` counts how
    often the chain was reset; without `logging_enabled` a server logs no requests and blocks.
    """

    closed = False
    open_sandbox: Sandbox | None = None  # of `sandbox(node)`, for transactions and calls
    on_read: OnRead | None = None

    def __init__(
        self,
        config: Config | None = None,
        clock: Clock | None = None,
        **options: Unpack[NodeOptions],
    ) -> None:
        """Start a chain at its genesis block, or continue the one in the data dir.

        `options` are fields of `Config`, in place of a `config`: `Node(like="hardhat")`.
        """
        if config is not None and not isinstance(config, Config):
            raise errors.ConfigError(
                f"a node takes a Config, not {type(config).__name__}: write "
                'Node(network="test"), or Node(Config(network="test"))'
            )
        if config is not None and options:
            raise errors.ConfigError(f"give a config or options, not both: {', '.join(options)}")
        self._open(config or Config(**options), clock)  # type: ignore[arg-type]  # it converts them

    def _open(self, config: Config, clock: Clock | None, fork: Fork | None = None) -> None:
        given = config
        file = read_genesis(Path(config.init)) if config.init else NO_FILE
        config = configured(config, file)
        with _open_data_dir(config) as data_dir:
            if config.is_fork and fork is None:
                from devchain.chain.fork import open_fork

                fork, config = open_fork(config, data_dir)
            self.config = config
            self.clock = clock or Clock(config.fixed_clock)
            self.accounts = Accounts(config, self.clock.monotonic)
            file = file.with_funds(self.accounts.balances())
            self.artifacts = Registry()
            self.artifacts.hardfork = canonical(config.hardfork)
            for path in config.artifacts:
                self.artifacts.load(Path(path), detailed=config.coverage is not None)
            self.coverage: Coverage | None = None
            if config.coverage:
                from devchain.source.coverage import Coverage

                self.coverage = Coverage(self.artifacts)
            self.chain = self._begin_chain(config, file, fork, data_dir)
            if data_dir and config.init:
                first, scratch = self.chain.block(0), open_database(config.engine)
                wanted = genesis(config, self.chain.rules, scratch, first.timestamp, file)
                if wanted.hash != first.hash:
                    raise errors.ConfigError(
                        f"the chain in {config.data_dir} has another genesis block than "
                        f"{config.init} and these options make: leave --init out, or choose "
                        "another --data-dir"
                    )
            self._name_precompiled(config)
            self._assemble(data_dir)
            self.beginning = Beginning(given, config, fork)
            self._persistence.start(self.load)
            if fork and config.fork_transaction_hash:
                self._mine_until(fork, config.fork_transaction_hash)
            if self.miner.has_chosen_mode and self.mempool.pending():
                self.mine_if_automatic()  # they may have been sent in another mode
                self.persist()

    def _mine_until(self, fork: Fork, transaction_hash: str) -> None:
        # The block after the fork block is mined again, up to that transaction.
        from devchain.chain.upstream_blocks import block_query
        from devchain.chain.upstream_objects import UpstreamReader

        chain, upstream, number = self.chain, fork.cache.upstream, fork.number + 1
        if chain.height > fork.number:  # a data dir has it
            return
        if upstream is None:
            raise errors.ConfigError(
                "--fork-transaction-hash asks the forked node: leave --offline out"
            )
        (answer,) = upstream.read(block_query(number))
        block = UpstreamReader(chain.rules).block(answer, number)

        def build() -> Block:
            builder = chain.new_block_builder(block.timestamp, block.header.coinbase)
            for tx in block.transactions:
                builder.replay_transaction(tx)
                if f"0x{tx.hash.hex()}" == transaction_hash.lower():
                    break
            return builder.build_block(chain.head, sealed=True)

        chain.append_block(fork.speculation.complete(build))
        self.clock.continue_from(block.timestamp)

    def _name_precompiled(self, config: Config) -> None:
        abis = self.chain.rules.precompiled_abis(config.effective_chain_id)
        self.artifacts.add_precompiled(predeployed_abis(config) | abis)

    def _assemble(
        self, data_dir: DataDir | None = None, filters: FilterRegistry | None = None
    ) -> None:
        # The components that are made anew for a new node, a copy and another chain. Filters move
        # from another chain, for the subscriptions among them.
        config = self.config
        self.fork = self.chain.fork
        self.beginning = Beginning(config, config, self.fork)
        self._chain_id = config.effective_chain_id
        if self.fork:
            self.fork.open()
        self.mempool = Mempool(config, self.chain)
        self.miner = Miner(config, self.chain, self.mempool, self.clock)
        self.chain.pending = self.miner.pending
        self.filters = filters or FilterRegistry(config, self.chain, self.mempool, self.clock)
        if filters:
            filters.move_to(config, self.chain, self.mempool)
        self.search = LogSearch(config, self.chain, self.filters)
        self.work = MiningWork(self.chain, self.mempool, self.clock)
        self.peers = Peers()
        self.explainer = CallExplainer(
            self.chain, self.artifacts, self._chain_id, uses_eip1191=config.checksum_addresses
        )
        self.expected_calls = ExpectedCalls(self.chain, self.explainer)
        self.bitcoin_component = BitcoinComponent(config, self.clock)
        self.components = NodeComponents(
            chain=self.chain,
            mempool=self.mempool,
            clock=self.clock,
            bitcoin=self.bitcoin_component,
            miner=self.miner,
            accounts=self.accounts,
            filters=self.filters,
            work=self.work,
            expected_calls=self.expected_calls,
        )
        self.snapshots = SnapshotStore(self.components, config.max_snapshots)
        is_exact = config.preset.estimate_cap is None
        self._call_class = Call if is_exact else UncheckedCall
        self.printed: list[bytes] = []
        self.resets = 0
        self.logging_enabled = True
        self._data_dir = data_dir
        self._persistence = NodePersistence(config, self.components, self.snapshots, data_dir)

    def _begin_chain(
        self, config: Config, file: GenesisFile, fork: Fork | None, data_dir: DataDir | None = None
    ) -> Chain:

        def genesis_block(rules: Rules, database: Database) -> Block:
            return genesis(config, rules, database, self.clock.now(), file)

        chain = open_chain(config, genesis_block, data_dir, self.coverage, fork)
        if fork:
            chain.start_with(self.accounts.balances())
            self.clock.continue_from(chain.block(chain.first).timestamp)
        return chain

    def copy(self) -> Self:
        """An independent node with the same chain. It shares blocks and states.

        The copy has no filters, snapshots, subscriptions or bans. Both share the coverage.
        """
        self.require_blocks("copy")
        copied = self.__class__.__new__(self.__class__)
        copied.config, copied.coverage = self.config, self.coverage
        copied.clock = self.clock.copy()
        copied.accounts = self.accounts.copy(copied.clock.monotonic)
        copied.artifacts = self.artifacts.copy()
        copied.chain = self.chain.copy()
        copied._assemble()  # noqa: SLF001  # of this class
        copied.components.restore(self.components.checkpoint())
        copied.beginning = copied.beginning._replace(given=self.beginning.given)
        copied.resets = self.resets
        copied.logging_enabled = self.logging_enabled
        return copied

    @cached_property
    def address_history(self) -> AddressHistory:
        """The transactions that touched an account: `node.address_history.page(bob)`."""
        from devchain.node.address_history import AddressHistory

        file = self._data_dir.file if self._data_dir else None
        return AddressHistory(self.chain, file, seconds=self.config.request_timeout)

    @property
    def bitcoin(self) -> BitcoinNode:
        """Bitcoin's regtest chain beside this one: `mine`, `send`, `balance`, `proof`.

        Raises `BitcoinUnavailable` on main and test.
        """
        return self.bitcoin_component.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write unwritten changes and release the data dir. The node cannot be used after that."""
        if not self.closed:
            self._persistence.close()
            for fork in {self.fork, self.beginning.fork}:
                if fork:
                    fork.close()
            gone: Any = ClosedComponent()
            self.chain = self.mempool = self.miner = self.filters = self.search = gone
            self.accounts = self.artifacts = self.clock = self.explainer = self.fork = gone
            self.components = self.snapshots = self.work = self.peers = self._persistence = gone
            self.bitcoin_component = gone
            self.address_history = gone
            self.closed = True

    # Sandbox

    def require_blocks(self, what: str) -> None:
        """Raise `InvalidInput` within `sandbox(node)`, which has no blocks."""
        if self.open_sandbox:
            raise errors.InvalidInput(
                f"{what} needs blocks: call it before the sandbox, or after it"
            )

    def state_at(self, block: StateRef) -> StateView:
        if self.open_sandbox and block is Tag.LATEST:
            accounts = self.open_sandbox.accounts
            return StateView(accounts, self.chain.database, self.chain.head.header.state_root)
        return self.chain.state_at(block)

    @contextmanager
    def edited_accounts(self) -> Iterator[Any]:
        """The accounts of the newest state, to be edited; no block is appended."""
        if self.open_sandbox:
            yield self.open_sandbox.accounts
            return
        with self.chain.edit_state() as accounts:
            yield accounts
        self.on_head_changed()

    # Persistence

    def persist(self) -> None:
        """With a data dir, write what has changed besides blocks; raises `StoreFailed`.

        A caller that changes a component through its own methods calls this before it answers.
        """
        self._persistence.persist()

    def dump(self) -> bytes:
        """The whole node as bytes for `load`: blocks, mempool, clock, encrypted keys, snapshots."""
        self.require_blocks("dump")
        return dump.write_dump(self._persistence.codec)

    def load(self, dumped: bytes) -> None:
        """Replace the node's content with the result of `dump`, of this or another node.

        A dump of anvil changes the accounts at the head only. Raises `InvalidInput` or
        `LimitExceeded`; then nothing has changed.
        """
        self.require_blocks("load")
        value = dump.unpack(bytes_of("dump", dumped))
        with self.chain.atomic():
            if dump.KIND in value:
                self._check_dump(value)
                self.reset()
                dump.load_dump(self._persistence.codec, value)
            else:
                dump.load_anvil_dump(self._persistence.codec, value)
            self.on_head_changed()
            self.persist()

    def _check_dump(self, value: dict[str, Any]) -> None:
        dump.check_kind(self._persistence.codec, value)
        config = replace(self.config, data_dir=None, init=None, load_state=None, dump_state=None)
        temporary = NodeCore.__new__(NodeCore)
        try:
            temporary._open(config, Clock(self.clock.now()), self.fork)  # noqa: SLF001  # a node
            with temporary:
                codec = temporary._persistence.codec  # noqa: SLF001
                dump.load_dump(codec, value)
                dump.check_states(codec)
                temporary.chain.pending()
        except (errors.ForkCacheMiss, errors.UpstreamFailed):  # of a fork: it may not be damaged
            raise
        except Exception as error:
            raise errors.InvalidInput(
                f"the dump is damaged: {type(error).__name__}: {str(error)[:100]}"
            ) from error

    # Sending: fill in, sign, validate, wait in the mempool, be mined

    def send(
        self, request: TransactionRequest, key: bytes | None = None, *, unsigned: bool = False
    ) -> Hash32:
        """Sign a transaction, send it and return its hash."""
        return self._submit(self.sign(request, key, unsigned=unsigned))

    def send_raw(self, raw: bytes | str) -> Hash32:
        """Send a signed transaction and return its hash. Automatic mining mines it at once.

        Raises a `TransactionRejected`; with `revert_on_send` a `VmError` if it failed.
        """
        tx = self.decode(raw if isinstance(raw, bytes) else bytes_of("raw", raw))
        request = TransactionRequest(tx.sender, tx.to, tx.gas, value=tx.value, data=tx.data)
        prefetch(self.chain, request, self.miner.coinbase)
        return self._submit(tx)

    def sign(
        self, request: TransactionRequest, key: bytes | None = None, *, unsigned: bool = False
    ) -> Transaction:
        """The transaction of a request, signed with that key or with its unlocked sender's.

        Missing fields get the defaults of the spec: 90000 gas, or under Ethereum's rules and some
        presets an estimate, the lowest gas price, the next nonce. One that is `unsigned`, or whose
        sender is impersonated, has the signature of a placeholder key.
        """
        if not isinstance(request, TransactionRequest):
            raise wrong_type(request, TransactionRequest, REQUEST_HINT)
        if request.sender is None and self.config.preset.first_account_sends:
            request = request._replace(sender=next(iter(self.accounts.addresses()), None))
        sender, nonce, rules = sender_of(request), request.nonce, self.chain.rules
        unsigned = unsigned or (key is None and self.accounts.impersonates(sender))
        if key is None:
            key = placeholder_key(sender) if unsigned else self.accounts.key(sender)
        prefetch(self.chain, request, self.miner.coinbase)
        self._check_chain_id(request)
        lowest, tip = self.chain.lowest_gas_price(), self.chain.priority_fee
        if rules.has_minimum_gas_price:  # all of the price is the miner's
            lowest, tip = 0, lowest + tip
        filled = fill_fees(
            request,
            lowest,
            tip,
            self.gas_price() if self.config.preset.fee_cap_is_gas_price else None,
            gas=self._default_gas(request) if request.gas is None else request.gas,
            value=request.value or 0,
            nonce=self.mempool.pending_nonce(sender) if nonce is None else nonce,
            type=transaction_type(request, rules),
        )
        tx = sign(filled, key, self._chain_id, rules)
        return with_sender(tx, sender, self._chain_id, rules) if unsigned else tx

    def _submit(self, tx: Transaction) -> Hash32:
        self.require_blocks("send")
        is_mined = self.miner.automatic
        self.mempool.add(tx, may_wait=not is_mined)
        if is_mined:
            self.miner.mine_pending()
        self.persist()
        if not is_mined:
            return tx.hash
        mined = self.chain.receipt(tx.hash, own=True)
        if mined is None and self.mempool.find(tx.hash) is None:
            raise errors.TransactionRejected(
                "the transaction could not be executed and was dropped: "
                f"{self.miner.drop_reasons.get(tx.hash, '')}"
            )
        if mined and mined[1].failure and self.config.revert_on_send:
            raise self.explainer.transaction_error(mined[1], mined[1].failure)
        return tx.hash

    def decode(self, raw: bytes) -> Transaction:
        """The transaction of its signed bytes; raises a `TransactionRejected`."""
        return decode(raw, self._chain_id, self.chain.rules)

    def sign_for_block(self, request: TransactionRequest, rules: Rules) -> Transaction:
        """The transaction of a complete request, under the rules of the block that it is in."""
        self._check_chain_id(request)
        sender = sender_of(request)
        signed = sign(request, placeholder_key(sender), self._chain_id, rules)
        return with_sender(signed, sender, self._chain_id, rules)

    def _check_chain_id(self, request: TransactionRequest) -> None:
        if request.chain_id not in (None, self._chain_id):
            raise errors.InvalidInput(
                f"Invalid chainId: {request.chain_id}, this chain is {self._chain_id}"
            )

    def _default_gas(self, request: TransactionRequest) -> int:
        missing_gas = self.config.preset.missing_gas
        is_fixed = missing_gas is None and not self.chain.rules.follows_geth
        if is_fixed or missing_gas is MissingGas.FIXED:
            return DEFAULT_SEND_GAS
        free = request._replace(gas_price=None, max_fee_per_gas=None, max_priority_fee_per_gas=None)
        try:
            return self.estimate(free, counts_failure=missing_gas is None)
        except errors.TransferUnaffordable:
            return DEFAULT_SEND_GAS  # the mempool refuses it, and says by how much
        except (errors.VmError, errors.GasAllowanceExceeded):
            if missing_gas is None:
                raise
            return self.chain.max_transaction_gas()  # it is mined, and fails

    def fill(self, request: TransactionRequest) -> Transaction:
        """The transaction a request becomes, with the gas it takes and a placeholder signature.

        Its gas price is that of `gas_price`. Raises as `estimate` does.
        """
        gas = self.estimate(request) if request.gas is None else request.gas
        price = request.gas_price
        has_caps = transaction_type(request, self.chain.rules) in DYNAMIC_FEE_TYPES
        if price is None and not has_caps:
            price = self.gas_price()
        return self.sign(request._replace(gas=gas, gas_price=price), unsigned=True)

    def gas_price(self) -> int:
        """A gas price, in wei, that the next block accepts."""
        chain = self.chain
        return chain.rules.suggested_gas_price(chain.lowest_gas_price(), chain.priority_fee)

    # Calls

    def call(
        self,
        request: TransactionRequest,
        block: StateLike = Tag.LATEST,
        overrides: StateOverrides | None = None,
        block_override: BlockOverride | None = None,
    ) -> bytes:
        """The data that a call, a `TransactionRequest`, returns. Raises a `VmError` if it fails."""
        if not isinstance(request, TransactionRequest):
            raise wrong_type(request, TransactionRequest, REQUEST_HINT)
        on_read = None if overrides or block_override else self.on_read
        try:
            output = self._call(request, block, overrides, block_override)
        except errors.VmError as error:
            if on_read:
                on_read(request, block, error)
            raise
        if on_read:
            on_read(request, block, output)
        return output

    def _call(
        self,
        request: TransactionRequest,
        block: StateLike,
        overrides: StateOverrides | None,
        block_override: BlockOverride | None,
    ) -> bytes:
        if self.open_sandbox and block is Tag.LATEST and not (overrides or block_override):
            outcome = self.open_sandbox.call(request)
            if outcome.failure:
                error = outcome.failure.to_error()
                raise self.explainer.explain_error(error, lambda: None)
            return outcome.output
        base, header = self.chain.block_for_calls(block)
        context, gas = call_block(self.chain, header, block_override), self.call_gas(request, base)
        try:
            with ConsoleCalls() as self.printed:
                return self._new_call(context, request, overrides).execute(gas)
        except errors.VmError as error:
            capped = request._replace(gas=gas)
            raise self._explained(error, capped, context, overrides) from None

    def estimate(
        self,
        request: TransactionRequest,
        block: StateLike = Tag.PENDING,
        overrides: StateOverrides | None = None,
        block_override: BlockOverride | None = None,
        *,
        counts_failure: bool = True,
    ) -> int:
        """The lowest gas limit with which a transaction, sent now, succeeds.

        It runs in the block that would be mined on the given one. Raises as `call` does, or an
        `EstimateFailed`. Presets with an `estimate_cap` have another estimate. A failure counts
        once in the coverage, unless the caller sends the transaction all the same.
        """
        if not isinstance(request, TransactionRequest):
            raise wrong_type(request, TransactionRequest, REQUEST_HINT)
        self.require_blocks("estimate")
        if self.config.preset.estimate_ignores_gas:
            request = request._replace(gas=None)
        base, header = self.chain.block_for_calls(block)
        ceiling = self.config.preset.estimate_cap
        is_new = base.sealed and ceiling is None and not isinstance(block, BeforeTransaction)
        if is_new:
            timestamp = self.clock.block_time(base.timestamp)
            header = self.chain.next_header(base, timestamp, self.miner.coinbase)
        context = call_block(self.chain, header, block_override, is_new=is_new)
        if ceiling is None:
            caps = (self.config.call_gas_cap, self.chain.rules.transaction_gas_cap, base.gas_limit)
            ceiling = min(cap for cap in caps if cap)
        call = self._new_call(context, request, overrides)
        call.is_counted = False
        funds = self.config.preset.estimate_funds
        call.checks_funds = funds is EstimateFunds.ALWAYS or (
            funds is EstimateFunds.OF_CODE and not self._is_plain_transfer(request, block)
        )
        try:
            return call.estimate_gas(ceiling)
        except errors.VmError as error:
            if self.coverage and counts_failure:
                call.is_counted = True
                call.run(min(request.gas or ceiling, ceiling))
            capped = request._replace(gas=self.call_gas(request, base))
            raise self._explained(error, capped, context, overrides) from None

    def _is_plain_transfer(self, request: TransactionRequest, block: StateLike) -> bool:
        if request.to is None or request.data:
            return False
        return not self.chain.state_at(block).code(request.to)

    def _explained(
        self,
        error: errors.VmError,
        request: TransactionRequest,
        context: CallBlock,
        overrides: StateOverrides | None,
    ) -> errors.VmError:
        return self.explainer.explain_error(
            error, lambda: self.explainer.call_frames(request, context, overrides)
        )

    def access_list(
        self, request: TransactionRequest, block: StateLike, overrides: StateOverrides | None
    ) -> AccessListResult:
        """The accounts and slots that a call reads or writes, for an access list (EIP-2930)."""
        from devchain.tracing.replay import access_list

        self.check_overrides(overrides)
        context, limited = self.call_context(request, block)
        return access_list(self.chain, context, limited, overrides or {})

    def call_context(
        self, request: TransactionRequest, block: StateLike, override: BlockOverride | None = None
    ) -> tuple[CallBlock, TransactionRequest]:
        """The block that `call` runs a call in, and the call with the gas that it gets there."""
        base, header = self.chain.block_for_calls(block)
        limited = request._replace(gas=self.call_gas(request, base))
        return call_block(self.chain, header, override), limited

    def call_gas(self, request: TransactionRequest, block: Block) -> int:
        """The gas of a call in that block: the requested amount, at most the configured cap."""
        cap = self.config.call_gas_cap or block.gas_limit
        return min(cap if request.gas is None else request.gas, cap)

    def _new_call(
        self, context: CallBlock, request: TransactionRequest, overrides: StateOverrides | None
    ) -> Call:
        self.check_overrides(overrides)
        return self._call_class(self.chain, context, request, overrides or {})

    def check_overrides(self, overrides: StateOverrides | None) -> None:
        if not overrides:
            return
        if not isinstance(overrides, dict):
            raise wrong_type(overrides, dict, "with a StateOverride for each address")
        for override in overrides.values():
            if not isinstance(override, StateOverride):
                raise wrong_type(override, StateOverride)
        if not self.config.state_overrides:
            raise errors.InvalidInput(
                "state override is not allowed: the node runs with --no-state-overrides, in Python "
                "Config(state_overrides=False)"
            )

    # Reading

    def nonce(self, address: object, block: StateLike) -> int:
        """The nonce of an account. At `pending` it counts transactions in the mempool too."""
        known = address_of(address)
        if block == Tag.PENDING:
            return self.mempool.pending_nonce(known)
        return self.chain.state_at(block).nonce(known)

    def logs(self, query: LogQuery) -> list[MinedLog]:
        """The logs that match a query. Raises `LimitExceeded` if there are too many."""
        if not isinstance(query, LogQuery):
            raise wrong_type(query, LogQuery)
        self.require_blocks("a search of logs")
        return finish(self.search.logs_in_slices(query))

    # Mining

    def mine(self, blocks: MineRequest | int = 1) -> None:
        """Mine that many blocks. The first takes the pending transactions."""
        if not isinstance(blocks, MineRequest):
            blocks = MineRequest(whole_number("blocks", blocks, bits=64))
            if self.open_sandbox:
                self.open_sandbox.advance(blocks.blocks, blocks.blocks)
                return
        self.require_blocks("mine with a MineRequest")
        finish(self.mine_in_slices(blocks))

    def mine_in_slices(
        self, request: MineRequest, mined: list[Block] | None = None
    ) -> Slices[None]:
        """As `mine`, in slices of one block or some empty ones, each mined whole or not at all.

        When one fails, the blocks before it stay, and the error says how many there are. The blocks
        are added to `mined`, if it is given.
        """
        if request.blocks > MAX_BLOCKS_AT_ONCE:
            raise errors.InvalidInput(
                f"at most {MAX_BLOCKS_AT_ONCE} blocks at once: ask again for the rest"
            )
        if request.interval:
            start = request.timestamp or self.clock.block_time(self.chain.head.timestamp)
            last = start + request.interval * (request.blocks - 1)
            if last > MAX_TIMESTAMP:
                raise errors.InvalidInput(
                    f"the last block's timestamp would be {last}: give at most {MAX_TIMESTAMP}"
                )
        count = 0
        while count < request.blocks:
            if count:
                yield SLOW
            try:
                blocks = self._mine_turn(request, count)
            except errors.ForkCacheMiss as missing:
                assert self.fork  # noqa: S101  # nothing else raises it
                yield from self.fork.fetch_in_slices(missing)
                continue
            except errors.DevchainError as error:
                if count:
                    error.args = (f"{error} ({count} of {request.blocks} blocks were mined)",)
                raise
            count += len(blocks)
            if mined is not None:
                mined += blocks

    def _mine_turn(self, request: MineRequest, count: int) -> list[Block]:
        ends = self.clock.monotonic() + SECONDS_PER_SLICE
        blocks: list[Block] = []
        # Mining changes these alone; of every component it would take a fifth of an empty block.
        chain, mempool = self.chain.checkpoint(), self.mempool.checkpoint()
        clock = self.clock.checkpoint()
        with self.chain.atomic(), _collecting_later():
            try:
                for number in range(count, min(count + BLOCKS_PER_SLICE, request.blocks)):
                    timestamp = None if number else request.timestamp
                    if number and request.interval:
                        timestamp = self.chain.head.timestamp + request.interval
                    blocks.append(self.miner.mine(timestamp))
                    if not self.chain.head_was_free or self.clock.monotonic() >= ends:
                        break
            except errors.DevchainError:
                self.chain.restore(chain)
                self.mempool.restore(mempool)
                self.clock.restore(clock)
                raise
        return blocks

    def start_mining(self) -> None:
        """Resume mining; with automatic mining what is pending is mined at once."""
        self.miner.running = True
        self.mine_if_automatic()

    def mine_if_automatic(self) -> None:
        if self.miner.automatic:
            self.miner.mine_pending()

    def tick(self) -> None:
        due = self.miner.seconds_until_due()
        if due is not None and due <= 0:
            self.miner.mine()
            self.persist()

    def on_head_changed(self) -> None:
        """Update mempool and mining work after a cheat or a load has changed head or state."""
        self.work.discard_work()
        self.mempool.sync_to_head()

    # Snapshots

    def revert(self, snapshot_id: Any) -> bool:
        """Restore a snapshot of `evm_snapshot`, and drop the later ones; False if there is none."""
        self.require_blocks("revert")
        if not isinstance(snapshot_id, int):
            __tracebackhide__ = True
            raise errors.InvalidInput(
                "revert takes the number of a snapshot that evm_snapshot took; in Python the end "
                "of `with node.snapshot():` takes back what was done in the block"
            )
        snapshot = self.snapshots.find(snapshot_id)
        if snapshot is None or not self.chain.can_restore(snapshot.chain):
            return False
        removal = self.filters.removal_above(snapshot.chain.height)
        with self.chain.atomic():
            self.filters.remove(removal)
            self.components.restore(snapshot)
            self.snapshots.drop_after(snapshot_id)
            self.persist()
        return True

    def restart(self, config: Config, fork: Fork | None) -> None:
        """Begin another chain in place of this one, on a fork that has been opened, or on none.

        Subscriptions go on with the new blocks. Raises `InvalidInput` with a data dir, which keeps
        one chain, and `ForkCacheMiss`; then nothing has changed.
        """
        self.check_restart()
        file = read_genesis(Path(config.init)) if config.init else NO_FILE
        config = configured(config, file)
        file = file.with_funds(self.accounts.balances())
        old, before = {**vars(self)}, self.clock.checkpoint()
        self.clock.reset()
        try:
            chain = self._begin_chain(config, file, fork)
        except BaseException:
            self.clock.restore(before)
            raise
        chain.block_listeners = self.chain.block_listeners
        self.accounts.reset()
        vars(self).pop("address_history", None)
        self.config, self.chain = config, chain
        self._assemble(filters=self.filters)
        self._name_precompiled(config)
        for name in ("beginning", "peers", "logging_enabled", "printed"):
            setattr(self, name, old[name])
        self.resets = old["resets"] + 1
        self.snapshots.last_id = old["snapshots"].last_id
        self._persistence.take_over(old["_persistence"])
        if old["fork"] and old["fork"] is not self.beginning.fork:
            old["fork"].close()
        if fork and fork is self.beginning.fork:
            fork.close()  # it had stayed open, to return to

    def check_restart(self) -> None:
        if self._data_dir:
            raise errors.InvalidInput(
                "the data dir keeps one chain: start a node with another --data-dir, or with none"
            )

    def reset(self) -> None:
        """Return to the first block, and clear mempool, filters and snapshots."""
        self.require_blocks("reset")
        self.resets += 1
        self.filters.clear()
        self.snapshots.clear()
        self.mempool.clear()
        with self.chain.atomic():
            self.chain.reset()
            self.clock.reset()
            if self.fork:
                self.clock.continue_from(self.chain.head.timestamp)
            self.miner.reset()
            self.accounts.reset()
            self.bitcoin_component.reset()
            self.work.discard_work()
            self.persist()


@contextmanager
def _open_data_dir(config: Config) -> Iterator[DataDir | None]:
    if config.data_dir is None:
        yield None
        return
    from devchain.chain.storage.data_dir import DataDir

    data_dir = DataDir(config, config.data_dir)
    try:
        yield data_dir
    except BaseException:
        data_dir.close()
        raise


def sender_of(request: TransactionRequest) -> Address:
    """The sender a request names; raises `SenderMissing` if it names none."""
    if request.sender is None:
        raise errors.SenderMissing("from is missing: name the account that sends")
    return request.sender
