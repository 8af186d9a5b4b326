"""The miner: when blocks are mined, and which pending transactions go into them."""

from __future__ import annotations

import heapq
import logging
import math
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

from devchain import errors
from devchain.chain.block import Block
from devchain.chain.block_builder import BlockBuilder
from devchain.chain.chain import Chain
from devchain.chain.transaction import Transaction
from devchain.clock import Clock
from devchain.config import Config
from devchain.evm import deadline
from devchain.node.mempool import Mempool
from devchain.types import Address, Hash32

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MinerCheckpoint:
    """The part of a snapshot that restores `Miner`: its mode and its coinbase."""

    running: bool
    automine: bool
    block_time: float | None
    coinbase: Address


class Miner:
    """Builds blocks of the mempool's transactions and appends them to the chain.

    Automatic mining (`automine`) mines a block when a transaction arrives; interval mining every
    `block_time` seconds; both may be on. A miner that is not `running` mines on request alone.
    `has_chosen_mode` says whether the configuration names a mode, `drop_reasons` why the last
    mining dropped transactions. `after_mining` is called when blocks have been mined.
    """

    def __init__(self, config: Config, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self.coinbase = Address(bytes.fromhex(config.coinbase.removeprefix("0x")))
        self.running = config.mining is not False
        self.automine = config.block_time is None
        self.has_chosen_mode = config.mining is not None or config.block_time is not None
        self.block_time = config.block_time
        self._last_block_at = clock.monotonic()
        self._execution_timeout = config.effective_execution_timeout
        self._has_backlog = self._was_cut = False
        self.drop_reasons: dict[Hash32, str] = {}
        self._pending_block: tuple[tuple[int, int, int, Address], Block] | None = None
        self.after_mining: Callable[[], None] | None = None
        self.initial = self.checkpoint()

    @property
    def automatic(self) -> bool:
        return self.running and self.automine

    @property
    def on_request(self) -> bool:
        """Whether blocks are mined on request alone: neither for transactions nor by interval."""
        return not self.running or not (self.automine or self.block_time is not None)

    def set_automine(self, *, on: bool) -> None:
        """Turn automatic mining on or off; interval mining stays as it is."""
        if on and not self.running:
            self.running, self.block_time = True, None
        self.automine = on

    def set_interval(self, seconds: float | None) -> None:
        """Turn interval mining on, or off with None; automatic mining stays as it is."""
        if seconds is not None and not self.running:
            self.running, self.automine = True, False
        self.block_time = seconds
        self._last_block_at = self._clock.monotonic()

    # Mining a block

    def mine(self, timestamp: int | None = None) -> Block:
        """Mine one block of pending transactions, at that timestamp after the head's, or now."""
        if timestamp is not None:
            parent = self._chain.head.timestamp
            if timestamp <= parent:
                raise errors.InvalidInput(
                    f"timestamp {timestamp} is not after the head's; give at least {parent + 1}"
                )
            self._clock.jump(timestamp)
        self.drop_reasons.clear()
        block = self._mine_block(timestamp)
        if self.after_mining:
            self.after_mining()
        return block

    def mine_pending(self) -> None:
        """Mine blocks until no pending transaction fits, or the request's deadline has passed.

        `Node.tick` continues with the rest, after other requests.
        """
        self.drop_reasons.clear()
        is_unfinished = bool(self._mempool.pending())
        while is_unfinished:
            is_unfinished = self._is_unfinished(self._mine_block())
            if deadline.expired():
                self._has_backlog = is_unfinished
                break
        if self.after_mining:
            self.after_mining()

    def _is_unfinished(self, block: Block) -> bool:
        return bool((block.transactions or self._was_cut) and self._mempool.pending())

    def _mine_block(self, timestamp: int | None = None) -> Block:
        # What is mined must not depend on the deadline of the request that mines it.
        with deadline.within(0, self._clock.monotonic):
            block = self._build_block(timestamp, sealed=True)
        self._chain.append_block(block)
        self._clock.on_new_head(block.timestamp)
        self._mempool.sync_to_head()
        self._last_block_at = self._clock.monotonic()
        if self._has_backlog:
            self._has_backlog = self._is_unfinished(block)
        return block

    def _build_block(self, timestamp: int | None, *, sealed: bool) -> Block:
        pending = self._mempool.pending() if self._chain.fork else ()
        called = (pending[0].to, pending[0].data) if len(pending) == 1 else (None, b"")
        build = partial(self._build, timestamp, sealed=sealed)
        return self._chain.read_together(build, *called)

    def _build(self, timestamp: int | None, *, sealed: bool) -> Block:
        # When a transaction aborts the block it leaves the mempool, and the block is built anew.
        # When it took too long, the block ends before it: so many such transactions take one block
        # each, and others are served between these.
        most = math.inf
        while True:
            head = self._chain.head
            time = self._clock.block_time(head.timestamp) if timestamp is None else timestamp
            builder = self._chain.new_block_builder(time, self.coinbase)
            queue = TransactionQueue(self._mempool.pending(), self._chain.lowest_gas_price())
            count = 0
            try:
                while queue and count < most:
                    tx = queue.best
                    if builder.has_room_for(tx) and self._apply(builder, tx, sealed=sealed):
                        queue.replace_with_next_nonce()
                        count += 1
                    else:
                        queue.remove_sender()
            except errors.BlockBuildFailed:
                continue
            except errors.ExecutionTimedOut:
                if not sealed:  # the request has run out of time, not the transaction
                    raise
                most = count
                continue
            self._was_cut = most < math.inf
            return builder.build_block(head, sealed=sealed)

    def _apply(self, builder: BlockBuilder, tx: Transaction, *, sealed: bool) -> bool:
        # Whether the transaction is in the block; drops one that can never be mined.
        # The pending block leaves an invalid one in the mempool: a sealed block may come later,
        # when it is valid. Raises `BlockBuildFailed` if the transaction has left the block
        # unusable, and `ExecutionTimedOut` if it took too long. CPU time counts: what a block
        # contains must not depend on what else the machine does.
        limit, clock = self._execution_timeout, self._clock
        timed = deadline.within(limit, clock.cpu_time, clock.monotonic)
        try:
            with timed if sealed else nullcontext():
                builder.apply_transaction(tx)
        except errors.TransactionRejected as error:
            if sealed:
                self._drop(tx, str(error))
            return False
        except (errors.BlockBuildFailed, errors.ExecutionTooLarge) as error:
            self._drop(tx, str(error))
            raise errors.BlockBuildFailed(str(error)) from error
        except errors.ExecutionTimedOut:
            if sealed:
                limits = (
                    f"{limit:g} seconds of CPU time ({errors.option_names('execution_timeout')})"
                )
                self._drop(tx, f"it takes more than {limits}")
            raise
        return True

    def _drop(self, tx: Transaction, reason: str) -> None:
        if self._chain.fork:
            self._chain.fork.speculation.check()
        logger.warning("dropped transaction 0x%s: %s", tx.hash.hex(), reason)
        self.drop_reasons[tx.hash] = reason
        self._mempool.drop(tx)

    def pending(self) -> Block:
        """The block that would be mined now, not sealed; built again only when it would differ."""
        timestamp = self._clock.block_time(self._chain.head.timestamp)
        chain, mempool = self._chain.version, self._mempool.version
        key = (chain, mempool, timestamp, self.coinbase)
        if self._pending_block is None or self._pending_block[0] != key:
            block = self._build_block(timestamp, sealed=False)
            # Building may have dropped transactions, which changes the mempool's version.
            key = (chain, self._mempool.version, timestamp, self.coinbase)
            self._pending_block = (key, block)
        return self._pending_block[1]

    # Interval mining

    def seconds_until_due(self) -> float | None:
        """Seconds until a block is due, by interval or for a backlog; None when none is."""
        if self._has_backlog and self.automatic:
            return 0.0
        if not self.running or self.block_time is None:
            return None
        return max(0.0, self._last_block_at + self.block_time - self._clock.monotonic())

    # Snapshots

    def checkpoint(self) -> MinerCheckpoint:
        return MinerCheckpoint(self.running, self.automine, self.block_time, self.coinbase)

    def restore(self, checkpoint: MinerCheckpoint) -> None:
        self.running = checkpoint.running
        self.automine = checkpoint.automine
        self.block_time = checkpoint.block_time
        self._has_backlog = False
        self.coinbase = checkpoint.coinbase
        self._last_block_at = self._clock.monotonic()

    def reset(self) -> None:
        self.restore(self.initial)


class TransactionQueue:
    """Pending transactions in the order in which they go into a block.

    The sender whose next transaction pays the miner most per gas comes first, a sender's own
    transactions by nonce; among equals the one whose sender came to the mempool first. If Alice's
    transactions tip 1 and 9, and Bob's 5, then Bob's is first, then Alice's 1, and then her 9.
    """

    def __init__(self, pending: list[Transaction], lowest_gas_price: int) -> None:
        self._lowest = lowest_gas_price
        if len(pending) == 1:  # with automatic mining nearly always
            self._senders, self._heap = [deque(pending)], [(0, 0)]
            return
        by_sender: dict[Address, list[Transaction]] = {}
        for tx in pending:
            by_sender.setdefault(tx.sender, []).append(tx)
        self._senders = [deque(transactions) for transactions in by_sender.values()]
        self._heap = [self._entry(index) for index in range(len(self._senders))]
        heapq.heapify(self._heap)

    def __bool__(self) -> bool:
        return bool(self._heap)

    @property
    def best(self) -> Transaction:
        return self._senders[self._heap[0][1]][0]

    def replace_with_next_nonce(self) -> None:
        index = self._heap[0][1]
        self._senders[index].popleft()
        if self._senders[index]:
            heapq.heapreplace(self._heap, self._entry(index))
        else:
            heapq.heappop(self._heap)

    def remove_sender(self) -> None:
        """Remove the best transaction and those of the same sender, which need it mined first."""
        heapq.heappop(self._heap)

    def _entry(self, index: int) -> tuple[int, int]:
        tx = self._senders[index][0]
        tip = min(tx.priority_fee, tx.gas_price - self._lowest)
        return -tip, index
