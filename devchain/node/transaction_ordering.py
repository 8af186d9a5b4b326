"""The order of pending transactions in a block: by price, and by nonce within a sender."""

from __future__ import annotations

import heapq
from collections import deque

from devchain.chain.transaction import Transaction
from devchain.types import Address


class TransactionQueue:
    """Pending transactions in the order in which they go into a block.

    The sender whose next transaction pays the miner most per gas comes first, a sender's own
    transactions by nonce; among equals the one whose sender came to the mempool first.

    For example Alice has transactions that tip 1 and 9, Bob one that tips 5: Bob's 5 is first,
    then Alice's 1, and only then her 9.
    """

    def __init__(self, pending: list[Transaction], lowest_gas_price: int) -> None:
        """Sort transactions that are in nonce order within each sender."""
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
        """The transaction that comes next."""
        return self._senders[self._heap[0][1]][0]

    def replace_with_next_nonce(self) -> None:
        """Go on from the best transaction to its sender's next one."""
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
