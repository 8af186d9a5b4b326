"""The transactions that wait: pending ones could be mined now, queued ones lack a nonce before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from devchain.chain.chain import Chain
from devchain.chain.transaction import Transaction
from devchain.config import Config
from devchain.errors import (
    AlreadyKnown,
    GasLimitExceeded,
    GasPriceTooHigh,
    GasPriceTooLow,
    InitCodeTooLarge,
    InsufficientFunds,
    IntrinsicGasTooLow,
    NonceTooHigh,
    NonceTooLow,
    ReplacementUnderpriced,
    TransactionRejected,
)
from devchain.state.view import StateView
from devchain.types import MAX_UINT64, Address, Hash32, Tag

MAX_TRANSACTION_BYTES = 131_072

BySender = dict[Address, dict[int, Transaction]]


@dataclass(frozen=True, slots=True)
class MempoolCheckpoint:
    """What a snapshot keeps of the mempool."""

    by_sender: BySender
    arrivals: int
    announced: frozenset[Hash32]


class Mempool:
    """Transactions by sender and nonce, checked against the head's state when they come.

    `arrivals` is the journal of what became pending, in order; filters keep a cursor on it.
    """

    def __init__(self, config: Config, chain: Chain) -> None:
        """Wait for transactions of that chain."""
        self._config = config
        self._chain = chain
        self._by_sender: BySender = {}
        self._announced: set[Hash32] = set()
        self.arrivals: list[Hash32] = []
        self.version = 0
        self._view: StateView | None = None

    # Reading

    def __len__(self) -> int:
        """How many transactions wait, queued ones included."""
        return sum(len(waiting) for waiting in self._by_sender.values())

    def find(self, transaction_hash: Hash32) -> Transaction | None:
        """A waiting transaction by hash, or None."""
        every = (tx for waiting in self._by_sender.values() for tx in waiting.values())
        return next((tx for tx in every if tx.hash == transaction_hash), None)

    def waiting(self, sender: Address | None = None) -> list[Transaction]:
        """Every transaction that waits, or those of a sender."""
        every = [tx for waiting in self._by_sender.values() for tx in waiting.values()]
        return [tx for tx in every if sender in (None, tx.sender)]

    def pending(self) -> list[Transaction]:
        """What could be mined now: by sender in order of arrival, by nonce within a sender."""
        return [tx for sender in self._by_sender for tx in self._run(sender)]

    def queued(self) -> list[Transaction]:
        """What waits for a transaction with a lower nonce, or for a lower base fee."""
        return [
            waiting[nonce]
            for sender, waiting in self._by_sender.items()
            for nonce in sorted(waiting)[len(list(self._run(sender))) :]
        ]

    def pending_nonce(self, sender: Address) -> int:
        """The nonce the sender's next transaction should have."""
        nonce = self._state().nonce(sender)
        waiting = self._by_sender.get(sender, {})
        while nonce in waiting:
            nonce += 1
        return nonce

    def _run(self, sender: Address) -> Iterator[Transaction]:
        """The sender's transactions from the account's nonce up to the first gap.

        One that cannot pay the next block's base fee is a gap until the fee has fallen.
        """
        waiting = self._by_sender[sender]
        nonce, lowest = self._state().nonce(sender), self._chain.lowest_gas_price()
        while nonce in waiting and waiting[nonce].gas_price >= lowest:
            yield waiting[nonce]
            nonce += 1

    def _state(self) -> StateView:
        """The head's state, opened once for each root: every check and every reading asks."""
        root = self._chain.state_root(self._chain.head)  # edits change it under the same block
        if self._view is None or self._view.root != root:
            self._view = self._chain.state_at(Tag.LATEST)
        return self._view

    # Changing

    def add(self, tx: Transaction) -> None:
        """Take a transaction in, replacing one of the same nonce if it pays enough more.

        Raises a `TransactionRejected` and changes nothing if the real node would refuse it.
        """
        self._check(tx)
        waiting = self._by_sender.setdefault(tx.sender, {})
        if tx.nonce in waiting:
            self._announced.discard(waiting[tx.nonce].hash)
        waiting[tx.nonce] = tx
        self._announce(tx.sender)
        self.version += 1

    def _announce(self, sender: Address) -> None:
        for tx in self._run(sender):
            if tx.hash not in self._announced:
                self._announced.add(tx.hash)
                self.arrivals.append(tx.hash)

    def drop(self, tx: Transaction) -> None:
        """Take a transaction out."""
        waiting = self._by_sender.get(tx.sender, {})
        if waiting.get(tx.nonce) is tx:
            del waiting[tx.nonce]
            self._announced.discard(tx.hash)
            self.version += 1
        if not waiting:
            self._by_sender.pop(tx.sender, None)

    def sync_to_head(self) -> None:
        """Drop what the new head has made obsolete, announce what it has made pending."""
        self.version += 1
        if not self._by_sender:
            return
        state = self._state()
        for sender, waiting in list(self._by_sender.items()):
            nonce = state.nonce(sender)
            for tx in [each for each in waiting.values() if each.nonce < nonce]:
                self.drop(tx)
            if sender in self._by_sender:
                self._announce(sender)

    def clear(self) -> None:
        """Drop everything."""
        self._by_sender.clear()
        self._announced.clear()
        self.arrivals.clear()
        self.version += 1

    def checkpoint(self) -> MempoolCheckpoint:
        """What `restore` needs to return to the present state."""
        copied = {sender: dict(waiting) for sender, waiting in self._by_sender.items()}
        return MempoolCheckpoint(copied, len(self.arrivals), frozenset(self._announced))

    def restore(self, checkpoint: MempoolCheckpoint) -> None:
        """Restore a checkpoint."""
        self._by_sender = {
            sender: dict(waiting) for sender, waiting in checkpoint.by_sender.items()
        }
        self._announced = set(checkpoint.announced)
        del self.arrivals[checkpoint.arrivals :]
        self.version += 1

    # The real node's refusals, in its order

    def _check(self, tx: Transaction) -> None:
        state = self._state()
        self._check_known(tx)
        self._check_sender(tx, state)
        self._check_size(tx)
        self._check_gas_limit(tx)
        self._check_nonce(tx, state)
        self._check_fee(tx, state)
        self._check_tip(tx)
        self._check_price_cap(tx)
        self._check_replacement(tx)
        self._check_total_cost(tx, state)

    def _check_known(self, tx: Transaction) -> None:
        if tx.hash in self._announced:
            msg = "pending transaction with same hash already exists"
            raise AlreadyKnown(msg)
        known = self._by_sender.get(tx.sender, {}).get(tx.nonce)
        if known is not None and known.hash == tx.hash:
            msg = "queued transaction with same hash already exists"
            raise AlreadyKnown(msg)

    def _check_sender(self, tx: Transaction, state: StateView) -> None:
        if tx.cost > 0 and not state.exists(tx.sender):
            msg = f"the sender account doesn't exist: 0x{tx.sender.hex()} has no funds"
            raise InsufficientFunds(msg)

    def _check_size(self, tx: Transaction) -> None:
        limit = self._chain.rules.init_code_limit
        if tx.is_creation and limit is not None and len(tx.data) > limit:
            msg = f"transaction's init code size is invalid: {len(tx.data)} bytes, at most {limit}"
            raise InitCodeTooLarge(msg)
        if len(tx.raw) > MAX_TRANSACTION_BYTES:
            msg = (
                "transaction's size is higher than defined maximum: "
                f"{len(tx.raw)} > {MAX_TRANSACTION_BYTES}"
            )
            raise InitCodeTooLarge(msg)

    def _check_gas_limit(self, tx: Transaction) -> None:
        limit = self._chain.max_transaction_gas()
        if tx.gas > limit:
            msg = (
                f"transaction's gas limit of {tx.gas} is higher than "
                f"the block's gas limit of {limit}"
            )
            raise GasLimitExceeded(msg)

    def _check_nonce(self, tx: Transaction, state: StateView) -> None:
        nonce = state.nonce(tx.sender)
        if tx.nonce < nonce:
            msg = f"transaction nonce too low: next nonce {nonce}, tx nonce {tx.nonce}"
            raise NonceTooLow(msg)
        if tx.nonce >= min(nonce + self._config.account_slots, MAX_UINT64):
            msg = (
                f"transaction nonce too high: next nonce {nonce}, tx nonce {tx.nonce}, "
                f"at most {self._config.account_slots} may wait (--account-slots)"
            )
            raise NonceTooHigh(msg)

    def _check_fee(self, tx: Transaction, state: StateView) -> None:
        fee, balance = tx.gas * tx.gas_price, state.balance(tx.sender)
        if balance < fee:
            msg = f"insufficient funds for gas: balance {balance} wei, gas {fee} wei"
            raise InsufficientFunds(msg)
        minimum = self._chain.lowest_gas_price()
        if tx.gas_price < minimum:
            msg = (
                "transaction's gas price lower than block's minimum: "
                f"{tx.gas_price} < {minimum} wei"
            )
            raise GasPriceTooLow(msg)
        if tx.gas < tx.intrinsic_gas:
            msg = (
                "transaction's basic cost is above the gas limit: "
                f"needs {tx.intrinsic_gas} gas, has {tx.gas}"
            )
            raise IntrinsicGasTooLow(msg)

    def _check_tip(self, tx: Transaction) -> None:
        """What the miner gets is part of what the transaction pays (EIP-1559)."""
        if tx.priority_fee > tx.gas_price:
            msg = (
                "max priority fee per gas higher than max fee per gas: "
                f"{tx.priority_fee} > {tx.gas_price} wei"
            )
            raise TransactionRejected(msg)

    def _check_price_cap(self, tx: Transaction) -> None:
        """A price far above the minimum is refused as a mistake, on Rootstock (RSKIP252)."""
        cap = self._chain.rules.gas_price_cap(self._chain.lowest_gas_price())
        if cap is not None and tx.gas_price > cap:
            msg = f"transaction's gas price exceeds cap: {tx.gas_price} > {cap} wei"
            raise GasPriceTooHigh(msg)

    def _check_replacement(self, tx: Transaction) -> None:
        old = self._by_sender.get(tx.sender, {}).get(tx.nonce)
        if old is None:
            return
        wanted = max(old.gas_price + 1, self._bumped(old.gas_price))
        if tx.gas_price < wanted:
            raise self._underpriced("gas price", tx.gas_price, wanted)
        wanted = self._bumped(old.priority_fee)
        if tx.priority_fee < wanted:
            raise self._underpriced("priority fee", tx.priority_fee, wanted)

    def _underpriced(self, what: str, offered: int, wanted: int) -> ReplacementUnderpriced:
        """The refusal, in the real node's words; under Ethereum's rules after those of geth."""
        msg = (
            f"{what} not enough to bump transaction: offers {offered} wei, replacing takes {wanted}"
        )
        return ReplacementUnderpriced(self._chain.rules.underpriced_prefix + msg)

    def _bumped(self, price: int) -> int:
        """The least price, in wei, for which one of that price is given up."""
        return -(-price * (100 + self._chain.rules.price_bump_percent) // 100)

    def _check_total_cost(self, tx: Transaction, state: StateView) -> None:
        others = self._by_sender.get(tx.sender, {}).values()
        total = tx.cost + sum(each.cost for each in others if each.nonce != tx.nonce)
        balance = state.balance(tx.sender)
        if total > balance:
            msg = (
                "insufficient funds to pay for pending and new transactions: "
                f"balance {balance} wei, cost {total} wei"
            )
            raise InsufficientFunds(msg)
