"""Mining: when blocks are made, and which waiting transactions go into them."""

from __future__ import annotations

import heapq
import logging
from dataclasses import dataclass

from devchain.chain.block import Block
from devchain.chain.building import OpenBlock
from devchain.chain.chain import Chain
from devchain.chain.transaction import Transaction
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import InvalidInput, TransactionRejected
from devchain.mempool import Mempool
from devchain.types import Address

logger = logging.getLogger(__name__)

PendingKey = tuple[int, int, int, Address]


@dataclass(frozen=True, slots=True)
class MinerState:
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
        self._preview: tuple[PendingKey, Block] | None = None
        self._initial = self.checkpoint()

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
        block = self._fill(self._open(timestamp), sealed=True)
        self._chain.append(block)
        self._clock.keep_up(block.timestamp)
        self._mempool.settle()
        self._last_tick = self._clock.monotonic()
        return block

    def _move_clock(self, timestamp: int) -> None:
        parent = self._chain.head.timestamp
        if timestamp <= parent:
            msg = f"timestamp {timestamp} is not after the head's; give at least {parent + 1}"
            raise InvalidInput(msg)
        self._clock.jump(timestamp)

    def mine_pending(self) -> None:
        """Make blocks until nothing that could be mined is left."""
        while self._mempool.pending():
            if not self.mine().transactions:
                return  # what is left fits into no block

    def pending(self) -> Block:
        """The block that would be mined now, not sealed; built again only when it would differ."""
        timestamp = self._clock.block_time(self._chain.head.timestamp)
        key = (self._chain.version, self._mempool.version, timestamp, self.coinbase)
        if self._preview is None or self._preview[0] != key:
            self._preview = (key, self._fill(self._open(timestamp), sealed=False))
        return self._preview[1]

    def _open(self, timestamp: int | None) -> OpenBlock:
        if timestamp is None:
            timestamp = self._clock.block_time(self._chain.head.timestamp)
        return self._chain.open_block(timestamp, self.coinbase)

    def _fill(self, block: OpenBlock, *, sealed: bool) -> Block:
        """Put in what fits: dearest sender first, by nonce within a sender."""
        lines = _lines(self._mempool.pending())
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
        return block.close(self._chain.head, sealed=sealed)

    def _put(self, block: OpenBlock, tx: Transaction, *, sealed: bool) -> bool:
        """Whether the transaction went in; one that never can is dropped from the mempool."""
        if tx.gas > block.gas_left:
            return False
        try:
            block.add(tx)
        except TransactionRejected as error:
            if sealed:
                logger.warning("dropped transaction 0x%s: %s", tx.hash.hex(), error)
                self._mempool.drop(tx)
            return False
        return True

    # Interval mining

    def seconds_until_due(self) -> float | None:
        """Seconds until the next interval block, None when not mining by interval."""
        if not self.running or self.block_time is None:
            return None
        return max(0.0, self._last_tick + self.block_time - self._clock.monotonic())

    # Snapshots

    def checkpoint(self) -> MinerState:
        """What to give to `restore` to come back here."""
        return MinerState(self.running, self.automine, self.block_time, self.coinbase)

    def restore(self, state: MinerState) -> None:
        """Come back to a checkpoint."""
        self.running = state.running
        self.automine = state.automine
        self.block_time = state.block_time
        self.coinbase = state.coinbase
        self._last_tick = self._clock.monotonic()

    def reset(self) -> None:
        """Mine again as configured."""
        self.restore(self._initial)


def _bid(tx: Transaction, lowest: int) -> int:
    """What the miner gets per gas above the lowest gas price, in wei."""
    return min(tx.priority_fee, tx.gas_price - lowest)


def _lines(pending: list[Transaction]) -> list[list[Transaction]]:
    """Each sender's transactions, in nonce order."""
    by_sender: dict[Address, list[Transaction]] = {}
    for tx in pending:
        by_sender.setdefault(tx.sender, []).append(tx)
    return list(by_sender.values())
