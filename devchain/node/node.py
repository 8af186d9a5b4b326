"""The node: builds the rooms and does what needs two of them."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any, Self

from devchain.chain.block import Block, MinedLog
from devchain.chain.calls import CallBlock, Simulation, call_block
from devchain.chain.chain import open_chain
from devchain.chain.genesis import NO_FILE, configured, genesis, read_genesis
from devchain.chain.storage.data_dir import DataDir, open_data_dir
from devchain.chain.transaction import Transaction
from devchain.clock import Clock
from devchain.config import Config
from devchain.contracts.coverage import Coverage
from devchain.contracts.registry import Registry
from devchain.errors import (
    ConfigError,
    InvalidInput,
    TransactionRejected,
    VmError,
)
from devchain.evm import deadline
from devchain.evm.console import listening
from devchain.evm.rules import Rules
from devchain.node.accounts import Accounts
from devchain.node.filters import FilterRegistry
from devchain.node.log_search import LogSearch
from devchain.node.mempool import Mempool
from devchain.node.miner import Miner
from devchain.node.mining_work import MiningWork
from devchain.node.peers import Peers
from devchain.node.persistence.dump import KIND, unpack
from devchain.node.persistence.node_persistence import NodePersistence
from devchain.node.signer import Signer, sender_of
from devchain.node.snapshots import NodeComponents, SnapshotStore
from devchain.node.workbench import Workbench
from devchain.state.database import Database, open_database
from devchain.types import (
    Address,
    BlockOverride,
    BlockRef,
    Hash32,
    LogQuery,
    MineRequest,
    StateOverrides,
    Tag,
    TransactionRequest,
)

# Some seconds of work when they are free; the request's deadline ends what takes longer.
MAX_BLOCKS_AT_ONCE = 100_000


class Node(Workbench):
    """A local Rootstock chain: library, server and command line are doors to it.

    `chain`, `mempool`, `miner`, `accounts`, `filters`, `search`, `signer`, `work`, `peers`,
    `snapshots` and `clock` are its rooms; `coverage` is what ran, where the configuration asks for
    it. `printed` is what the last call said to `console.log`, as call data. `resets` counts how
    often it began anew; without `logging_enabled` a server keeps quiet about what the node does.
    """

    def __init__(self, config: Config | None = None, clock: Clock | None = None) -> None:
        """Start a chain at its genesis block."""
        self.config = config or Config()
        self._start = NO_FILE
        if self.config.init:
            self._start = read_genesis(Path(self.config.init))
            self.config = configured(self.config, self._start)
        self.resets = 0
        self._files = {}
        self.logging_enabled = True
        self.printed: list[bytes] = []
        self.clock = clock or Clock(self.config.fixed_clock)
        self.accounts = Accounts(self.config, self.clock.monotonic)
        with open_data_dir(self.config) as data_dir:
            self._begin(data_dir)

    def _begin(self, data_dir: DataDir | None) -> None:
        self.artifacts = Registry(
            chain.from_iterable(self._load(Path(each)) for each in self.config.artifacts)
        )
        self.coverage = Coverage(self.artifacts) if self.config.coverage else None
        self.chain = open_chain(self.config, self._first_block, data_dir, self.coverage)
        if data_dir and self.config.init:
            self._check_genesis()
        self._furnish(data_dir)
        self._persistence.start(self.load)

    def _furnish(self, data_dir: DataDir | None = None) -> None:
        """Build the rooms that begin empty, around the chain."""
        self.mempool = Mempool(self.config, self.chain)
        self.miner = Miner(self.config, self.chain, self.mempool, self.clock)
        self.filters = FilterRegistry(self.config, self.chain, self.mempool, self.clock)
        self.signer = Signer(self.config, self.chain, self.mempool, self.accounts)
        self.search = LogSearch(self.config, self.chain, self.filters)
        self.work = MiningWork(self.chain, self.mempool, self.clock)
        self.peers = Peers()
        self.chain.pending = self.miner.pending
        self.components = NodeComponents(
            chain=self.chain,
            mempool=self.mempool,
            clock=self.clock,
            miner=self.miner,
            accounts=self.accounts,
            filters=self.filters,
            work=self.work,
        )
        self.snapshots = SnapshotStore(self.components)
        self._persistence = NodePersistence(self.config, self.components, self.snapshots, data_dir)

    def _first_block(self, rules: Rules, database: Database) -> Block:
        return self._genesis(rules, database, self.clock.now())

    def _genesis(self, rules: Rules, database: Database, timestamp: int) -> Block:
        start = self._start.with_funds(self.accounts.balances())
        return genesis(self.config, rules, database, timestamp, start)

    def _check_genesis(self) -> None:
        """Raise `ConfigError` if a chain on disk did not begin as the genesis file says."""
        first = self.chain.block(0)
        spare = open_database(self.config.engine)
        if self._genesis(self.chain.rules, spare, first.timestamp).hash != first.hash:
            msg = (
                f"the chain in {self.config.data_dir} began otherwise than {self.config.init} and "
                "these options say: leave --init out, or choose another --data-dir"
            )
            raise ConfigError(msg)

    def __enter__(self) -> Self:
        """Use the node in a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the node."""
        self.close()

    def copy(self) -> Self:
        """An independent node that begins as this one, at the same cost for any length of chain.

        What is done to either is never seen by the other. Blocks, states, mempool, accounts, time
        and artifacts are those of this node; filters, snapshots and whoever watches it stay here.
        What runs in either counts in the coverage of both. Raises `InvalidInput` with a data dir.
        """
        twin = copy(self)
        twin.clock = copy(self.clock)
        twin.accounts = self.accounts.copy()
        twin.chain = self.chain.copy()
        twin.artifacts = self.artifacts.copy()
        twin._furnish()  # noqa: SLF001  # a node, as this
        filters = twin.filters.checkpoint()
        twin.components.restore(replace(self.components.checkpoint(), filters=filters))
        return twin

    def close(self) -> None:
        """Write down what is not yet, and let go of what is held on disk; once is enough."""
        self._persistence.close()

    # Between processes

    def persist(self) -> None:
        """With a data dir, write down what the rooms remember beside the blocks, which are.

        Whoever changes a room through its own methods calls it before saying so to anybody. Raises
        `StoreFailed`.
        """
        self._persistence.persist()

    def dump(self) -> bytes:
        """All of the node as one value, for `load`: blocks, history, pool, clock, keys, snapshots.

        It is gzip around JSON. Filters are not in it, nor are keys as they lie open.
        """
        return self._persistence.dump()

    def load(self, dumped: bytes) -> None:
        """Take the place of all there is with what `dump` gave, here or elsewhere.

        Of anvil's dumps the accounts are taken over into the state of the head, without their
        blocks. Raises `InvalidInput` for anything else, and `LimitExceeded` for too much of it;
        then nothing has changed.
        """
        value = unpack(dumped)
        with self.chain.atomic():
            if KIND in value:
                self._rehearse(value)
                self.reset()
            self._persistence.load_dump(value)
            self.on_head_changed()
            self.persist()

    def _rehearse(self, value: dict[str, Any]) -> None:
        """Load a dump into a node that is then thrown away; raises `InvalidInput`."""
        self._persistence.check_dump(value)
        spare = replace(self.config, data_dir=None, init=None, load_state=None, dump_state=None)
        try:
            with Node(spare, Clock(self.clock.now())) as trial:
                trial._persistence.load_dump(value, check_states=True)
                trial.chain.pending()
        except Exception as error:
            msg = f"the dump is damaged: {type(error).__name__}: {str(error)[:100]}"
            raise InvalidInput(msg) from error

    # Sending

    def send_raw(self, raw: bytes) -> Hash32:
        """Take a signed transaction in; its hash.

        With automatic mining it is mined, and its receipt readable, when this returns. Raises a
        `TransactionRejected`; with `revert_on_send` also a `VmError` if it was mined and failed.
        """
        return self._submit(self.signer.transaction(raw))

    def send(self, request: TransactionRequest) -> Hash32:
        """Sign a transaction with an unlocked account and take it in, as `send_raw` does.

        Raises `AccountUnknown` or `AccountLocked` too.
        """
        return self._submit(self.signer.transaction(request))

    def send_unsigned(self, request: TransactionRequest) -> Hash32:
        """Send a transaction as its sender's, whoever that is, as `send` does for those known."""
        return self._submit(self.signer.sign_for(request, sender_of(request)))

    def send_with_key(self, request: TransactionRequest, private_key: bytes) -> Hash32:
        """Sign a transaction with that key and take it in, as `send_raw` does."""
        return self._submit(self.signer.sign(request, private_key))

    def send_with_passphrase(self, request: TransactionRequest, passphrase: str) -> Hash32:
        """Open the sender's key for this one transaction and send it, as `send` does."""
        return self.send_with_key(request, self.accounts.open(sender_of(request), passphrase))

    def fill(self, request: TransactionRequest) -> Transaction:
        """The transaction a request becomes, with no key needed and the gas that it takes.

        Its signature is nobody's. Raises as `estimate` does.
        """
        gas = self.estimate(request) if request.gas is None else request.gas
        return self.signer.sign_for(replace(request, gas=gas), sender_of(request))

    def _submit(self, tx: Transaction) -> Hash32:
        self.mempool.add(tx)
        if not self.miner.automatic:
            self.persist()
            return tx.hash
        self.miner.mine_pending()
        mined = self.chain.receipt(tx.hash)
        if mined is None and self.mempool.find(tx.hash) is None:
            reason = self.miner.why_dropped(tx.hash)
            msg = f"the transaction could not be executed and was dropped: {reason}"
            raise TransactionRejected(msg)
        if mined is not None and mined[1].failure and self.config.revert_on_send:
            raise self.named(mined[1].failure.to_error(), lambda: self.frames(tx.hash))
        return tx.hash

    # Simulating

    def call(
        self,
        request: TransactionRequest,
        block: BlockRef = Tag.LATEST,
        overrides: StateOverrides | None = None,
        block_override: BlockOverride | None = None,
    ) -> bytes:
        """What a call returns, on the state that block left and in its context, or one like it.

        Raises `ExecutionReverted` or `ExecutionFailed`.
        """
        __tracebackhide__ = True
        found = self.chain.block(block)
        gas = self.call_gas(request, found)
        under = call_block(self.chain, self.chain.header_of(found), block_override)
        try:
            with listening() as said:
                self.printed = said
                return self._simulation(under, request, overrides).call(gas)
        except VmError as error:
            raise self.named(
                error, lambda: self.frames_of_call(request, block, overrides, block_override)
            ) from None

    def estimate(
        self,
        request: TransactionRequest,
        block: BlockRef = Tag.PENDING,
        overrides: StateOverrides | None = None,
        block_override: BlockOverride | None = None,
    ) -> int:
        """The least gas limit with which a transaction, sent now, would succeed.

        It runs in the block that would be mined on the one named, so that time and number are
        what the transaction would see. Raises as `call` does, or an `EstimateFailed`.
        """
        __tracebackhide__ = True
        found = self.chain.block(block)
        header = found.header if not found.sealed else self._header_on(found)
        ceiling = min(request.gas or found.gas_limit, found.gas_limit)
        under = call_block(self.chain, header, block_override)
        try:
            return self._simulation(under, request, overrides).estimate(ceiling)
        except VmError as error:
            raise self.named(
                error, lambda: self.frames_of_call(request, block, overrides, block_override)
            ) from None

    def _header_on(self, parent: Block) -> object:
        timestamp = self.clock.block_time(parent.timestamp)
        return self.chain.next_header(parent, timestamp, self.miner.coinbase)

    def _simulation(
        self, block: CallBlock, request: TransactionRequest, overrides: StateOverrides | None
    ) -> Simulation:
        if overrides and not self.config.state_overrides:
            msg = "state override is not allowed: the node runs with --no-state-overrides"
            raise InvalidInput(msg)
        return Simulation(self.chain, block, request, overrides or {})

    # Finding

    def nonce(self, address: Address, block: BlockRef) -> int:
        """Transactions sent by an account, those in the mempool included for `pending`."""
        if block is Tag.PENDING:
            return self.mempool.pending_nonce(address)
        return self.chain.state_at(block).nonce(address)

    def logs(self, query: LogQuery) -> list[MinedLog]:
        """The logs that match; raises `LimitExceeded` when there are more than may be returned."""
        return self.search.logs(query)

    # Time and mining

    def mine(self, request: MineRequest | int = 1) -> None:
        """Make so many blocks of what waits, the first at the timestamp asked for (seconds).

        Raises `InvalidInput` for a timestamp that is not after the head's, `ExecutionTimedOut` when
        the blocks take too long; then none of them is made.
        """
        request = MineRequest(request) if isinstance(request, int) else request
        if request.blocks > MAX_BLOCKS_AT_ONCE:
            msg = f"at most {MAX_BLOCKS_AT_ONCE} blocks at once: ask again for the rest"
            raise InvalidInput(msg)
        with self.chain.atomic(), self.components.restored_on_error():
            for made in range(request.blocks):
                if made and not self.chain.head_was_free:
                    deadline.check()
                self.miner.mine(self._time_of(made, request))

    def _time_of(self, made: int, request: MineRequest) -> int | None:
        """The timestamp of one of the blocks asked for; None leaves it to the clock."""
        if not made:
            return request.timestamp
        step = request.interval
        return None if step is None else self.chain.head.timestamp + step

    def on_head_changed(self) -> None:
        """Have the other rooms take note that the head or its state was changed by hand."""
        self.work.take_back()
        self.mempool.sync_to_head()

    def start_mining(self) -> None:
        """Mine automatically again, what waits at once unless mining is by interval."""
        self.miner.running = True
        self.mine_what_waits()

    def mine_what_waits(self) -> None:
        """With automatic mining, mine what could be mined."""
        if self.miner.automatic:
            self.miner.mine_pending()

    def tick(self) -> None:
        """Make the block that has become due, if one has."""
        due = self.miner.seconds_until_due()
        if due is not None and due <= 0:
            self.miner.mine()
            self.persist()

    # Snapshots

    def revert(self, snapshot_id: int) -> bool:
        """Bring back everything a snapshot holds; False if there is no such snapshot."""
        snapshot = self.snapshots.find(snapshot_id)
        if snapshot is None or not self.chain.knows(snapshot.chain):
            return False
        self.filters.retract(snapshot.chain.height)
        with self.chain.atomic():
            self.components.restore(snapshot)
            self.snapshots.drop_after(snapshot_id)
            self.persist()
        return True

    def reset(self) -> None:
        """Go back to genesis; mempool, filters and snapshots are dropped."""
        self.resets += 1
        self.filters.clear()
        self.snapshots.clear()
        self.mempool.clear()
        with self.chain.atomic():
            self.chain.reset()
            self.clock.reset()
            self.miner.reset()
            self.accounts.reset()
            self.work.clear()
            self.persist()


def version() -> str:
    """The installed version of devchain."""
    try:
        return metadata.version("devchain")
    except metadata.PackageNotFoundError:  # run from its source, never installed
        return "0+source"
