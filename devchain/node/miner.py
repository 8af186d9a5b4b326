"""Mining: when blocks are made, and which waiting transactions go into them."""

from __future__ import annotations

import heapq
import logging
from dataclasses import dataclass

from devchain.chain.block import Block
from devchain.chain.block_builder import BlockBuilder
from devchain.chain.chain import Chain
from devchain.chain.transaction import Transaction
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import BlockBuildFailed, ExecutionTimedOut, InvalidInput, TransactionRejected
from devchain.evm import deadline
from devchain.node.mempool import Mempool
from devchain.types import Address, Hash32

logger = logging.getLogger(__name__)

PendingKey = tuple[int, int, int, Address]


@dataclass(frozen=True, slots=True)
class MinerCheckpoint:
    """What a snapshot keeps of the miner: whether it mines on its own, how often, for whom."""

    running: bool
    automine: bool
    block_time: float | None
    coinbase: Address


class Miner:
    """Takes from the mempool, has the chain execute, appends.

    Automatic mining (`automine`) makes a block when a transaction arrives; interval mining every
    `block_time` seconds; both may be on. A miner that is not `running` mines only when told to.
    """

    def __init__(self, config: Config, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        """Mine in the mode the configuration says."""
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self.coinbase = Address(bytes.fromhex(config.coinbase.removeprefix("0x")))
        self.running = config.mining
        self.automine = config.block_time is None
        self.block_time = config.block_time
        self._last_tick = clock.monotonic()
        self._execution_timeout = config.execution_timeout
        self._behind = False
        self._dropped: dict[Hash32, str] = {}
        self._preview: tuple[PendingKey, Block] | None = None
        self.initial = self.checkpoint()

    @property
    def automatic(self) -> bool:
        """Whether a transaction is mined when it arrives."""
        return self.running and self.automine

    def set_automine(self, *, on: bool) -> None:
        """Turn automatic mining on or off; mining by interval stays as it is."""
        if on and not self.running:
            self.running, self.block_time = True, None
        self.automine = on

    def set_interval(self, seconds: float | None) -> None:
        """Mine every so many seconds, or None no longer so; automatic mining stays as it is."""
        if seconds is not None and not self.running:
            self.running, self.automine = True, False
        self.block_time = seconds
        self._last_tick = self._clock.monotonic()

    def mine(self, timestamp: int | None = None) -> Block:
        """Make one block of what is pending, at that timestamp (seconds) or now.

        Raises `InvalidInput` for a timestamp that is not after the head's.
        """
        if timestamp is not None:
            self._move_clock(timestamp)
        self._dropped.clear()
        return self._make(timestamp)

    def _make(self, timestamp: int | None = None) -> Block:
        # What is mined must not depend on how long the request may take that asks for it.
        with deadline.within(0, self._clock.monotonic):
            block = self._build(timestamp, sealed=True)
        self._chain.append(block)
        self._clock.keep_up(block.timestamp)
        self._mempool.sync_to_head()
        self._last_tick = self._clock.monotonic()
        self._behind = self._behind and bool(block.transactions and self._mempool.pending())
        return block

    def _build(self, timestamp: int | None, *, sealed: bool) -> Block:
        """A block of what is pending; begun anew without a transaction that spoils it.

        Such a one takes too long, or fails halfway.
        """
        while True:
            try:
                return self._fill(self._open(timestamp), sealed=sealed)
            except BlockBuildFailed:
                continue
            except ExecutionTimedOut:
                if not sealed:
                    raise

    def _move_clock(self, timestamp: int) -> None:
        parent = self._chain.head.timestamp
        if timestamp <= parent:
            msg = f"timestamp {timestamp} is not after the head's; give at least {parent + 1}"
            raise InvalidInput(msg)
        self._clock.jump(timestamp)

    def mine_pending(self) -> None:
        """Make blocks until nothing that could be mined is left, or the request's time is over.

        What is then left is due at once: others come first, then `Node.tick` goes on with it.
        """
        self._dropped.clear()
        while self._mempool.pending():
            if not self._make().transactions:
                return  # what is left fits into no block
            if deadline.expired():
                self._behind = bool(self._mempool.pending())
                return

    def why_dropped(self, transaction_hash: Hash32) -> str:
        """Why the last mining dropped that transaction, empty if it did not."""
        return self._dropped.get(transaction_hash, "")

    def pending(self) -> Block:
        """The block that would be mined now, not sealed; built again only when it would differ."""
        timestamp = self._clock.block_time(self._chain.head.timestamp)
        key = (self._chain.version, self._mempool.version, timestamp, self.coinbase)
        if self._preview is None or self._preview[0] != key:
            # Only then the key: what spoils a block leaves the mempool.
            block = self._build(timestamp, sealed=False)
            self._preview = ((*key[:1], self._mempool.version, *key[2:]), block)
        return self._preview[1]

    def _open(self, timestamp: int | None) -> BlockBuilder:
        if timestamp is None:
            timestamp = self._clock.block_time(self._chain.head.timestamp)
        return self._chain.new_block_builder(timestamp, self.coinbase)

    def _fill(self, block: BlockBuilder, *, sealed: bool) -> Block:
        """Put in what fits: dearest sender first, by nonce within a sender."""
        if not (waiting := self._mempool.pending()):
            return block.build_block(self._chain.head, sealed=sealed)
        lines = _lines(waiting)
        lowest = self._chain.lowest_gas_price()
        heap = [(-_bid(line[0], lowest), order) for order, line in enumerate(lines)]
        heapq.heapify(heap)
        while heap:
            _, order = heapq.heappop(heap)
            tx = lines[order].pop(0)
            if not self._put(block, tx, sealed=sealed):
                continue
            if lines[order]:
                heapq.heappush(heap, (-_bid(lines[order][0], lowest), order))
        return block.build_block(self._chain.head, sealed=sealed)

    def _put(self, block: BlockBuilder, tx: Transaction, *, sealed: bool) -> bool:
        """Whether the transaction went in; one that never can is dropped from the mempool."""
        if tx.gas > block.gas_left:
            return False
        try:
            self._apply(block, tx, sealed=sealed)
        except TransactionRejected as error:
            if sealed:
                self._drop(tx, str(error))
            return False
        return True

    def _apply(self, block: BlockBuilder, tx: Transaction, *, sealed: bool) -> None:
        """Add a transaction, which may take so long; if it takes longer the block is spoilt."""
        try:
            self._run(block, tx, sealed=sealed)
        except BlockBuildFailed as error:
            self._drop(tx, str(error))
            raise

    def _run(self, block: BlockBuilder, tx: Transaction, *, sealed: bool) -> None:
        if not sealed:
            block.apply_transaction(tx)
            return
        try:
            with deadline.within(self._execution_timeout, self._clock.monotonic):
                block.apply_transaction(tx)
        except ExecutionTimedOut:
            seconds = self._execution_timeout
            self._drop(tx, f"it takes more than {seconds:g} seconds to run (--execution-timeout)")
            raise

    def _drop(self, tx: Transaction, reason: str) -> None:
        logger.warning("dropped transaction 0x%s: %s", tx.hash.hex(), reason)
        self._dropped[tx.hash] = reason
        self._mempool.drop(tx)

    # Interval mining

    def seconds_until_due(self) -> float | None:
        """Seconds until a block is due, None when none is: mining by interval, or with arrears."""
        if self._behind and self.automatic:
            return 0.0
        if not self.running or self.block_time is None:
            return None
        return max(0.0, self._last_tick + self.block_time - self._clock.monotonic())

    # Snapshots

    def checkpoint(self) -> MinerCheckpoint:
        """What `restore` needs to return to the present state."""
        return MinerCheckpoint(self.running, self.automine, self.block_time, self.coinbase)

    def restore(self, checkpoint: MinerCheckpoint) -> None:
        """Restore a checkpoint."""
        self.running = checkpoint.running
        self.automine = checkpoint.automine
        self.block_time = checkpoint.block_time
        self._behind = False
        self.coinbase = checkpoint.coinbase
        self._last_tick = self._clock.monotonic()

    def reset(self) -> None:
        """Mine again as configured."""
        self.restore(self.initial)


def _bid(tx: Transaction, lowest: int) -> int:
    """What the miner gets per gas above the lowest gas price, in wei."""
    return min(tx.priority_fee, tx.gas_price - lowest)


def _lines(pending: list[Transaction]) -> list[list[Transaction]]:
    """Each sender's transactions, in nonce order."""
    by_sender: dict[Address, list[Transaction]] = {}
    for tx in pending:
        by_sender.setdefault(tx.sender, []).append(tx)
    return list(by_sender.values())
