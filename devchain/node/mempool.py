"""The mempool: transactions that can be mined now (pending) and those with a nonce gap (queued)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from devchain.chain.chain import Chain
from devchain.chain.transaction import DYNAMIC_FEE_TYPES, SET_CODE, Transaction
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
    PoolFull,
    ReplacementUnderpriced,
    TransactionRejected,
    option_names,
)
from devchain.evm.rootstock.opcodes import is_delegation
from devchain.evm.rootstock.vm import SENDER_HAS_CODE
from devchain.state.state_view import StateView
from devchain.types import MAX_UINT64, Address, Hash32, checksum

MAX_TRANSACTION_BYTES = 131_072
GETH_INSUFFICIENT_FUNDS = "insufficient funds for gas * price + value"
RESERVED_PART = 10

BySender = dict[Address, dict[int, Transaction]]  # and nonce; senders in order of their first


@dataclass(frozen=True, slots=True)
class MempoolCheckpoint:
    """The part of a snapshot that restores `Mempool`."""

    by_sender: BySender
    arrivals: int
    announced: frozenset[Hash32]


class Mempool:
    """Transactions by sender and nonce, validated against the head's state on arrival.

    `arrivals` lists the hashes of all that became pending, in order; filters keep a cursor on it.
    `newest` is what was added last. `version` changes with every change of the contents.
    """

    def __init__(self, config: Config, chain: Chain) -> None:
        self._config = config
        self._chain = chain
        self._by_sender: BySender = {}
        self._count = self._bytes = 0
        # What all transactions may take; the rest is for those that can be mined next.
        self._free_slots, self._free_bytes = map(_free, (config.pool_slots, config.pool_bytes))
        self._announced: set[Hash32] = set()
        self.arrivals: list[Hash32] = []
        self.newest: Transaction | None = None
        self.version = 0
        self._pending: tuple[tuple[int, int], list[Transaction]] | None = None
        self._checkpoint: tuple[int, MempoolCheckpoint] | None = None

    # Reading

    def __len__(self) -> int:
        return self._count

    def find(self, transaction_hash: Hash32) -> Transaction | None:
        return next((tx for tx in self.transactions() if tx.hash == transaction_hash), None)

    def transactions(self, sender: Address | None = None) -> list[Transaction]:
        """Every transaction, pending or queued, or those of a sender."""
        every = [tx for by_nonce in self._by_sender.values() for tx in by_nonce.values()]
        return [tx for tx in every if sender in (None, tx.sender)]

    def pending(self) -> list[Transaction]:
        """What could be mined now: by sender in order of arrival, by nonce within a sender."""
        if not self._by_sender:
            return []
        versions = (self.version, self._chain.version)
        if self._pending is None or self._pending[0] != versions:
            nonce = self._chain.head_state().nonce
            executable = [self._executable(sender, nonce(sender)) for sender in self._by_sender]
            self._pending = (versions, list(chain.from_iterable(executable)))
        return list(self._pending[1])

    def queued(self) -> list[Transaction]:
        """What cannot be mined yet, for a gap in the nonces or too high a base fee."""
        pending = {tx.hash for tx in self.pending()}
        return [
            by_nonce[nonce]
            for by_nonce in self._by_sender.values()
            for nonce in sorted(by_nonce)
            if by_nonce[nonce].hash not in pending
        ]

    def pending_nonce(self, sender: Address) -> int:
        nonce = self._chain.head_state().nonce(sender)
        by_nonce = self._by_sender.get(sender, {})
        while nonce in by_nonce:
            nonce += 1
        return nonce

    def _executable(self, sender: Address, nonce: int) -> list[Transaction]:
        # One that cannot pay the next block's base fee is a gap until the fee has fallen.
        by_nonce, lowest = self._by_sender[sender], self._chain.lowest_gas_price()
        executable = []
        while (tx := by_nonce.get(nonce)) and tx.gas_price >= lowest:
            executable.append(tx)
            nonce += 1
        return executable

    # Changing

    def add(self, tx: Transaction, *, may_wait: bool = False) -> None:
        """Add a transaction, replacing one of the same nonce if it pays enough more.

        If it `may_wait`, its price may be below the base fee: it is queued until that has fallen.
        Otherwise, where the preset says so, its nonce must be the next one. Raises a
        `TransactionRejected` and changes nothing if the real node would refuse it.
        """
        state = self._chain.head_state()
        nonce = state.nonce(tx.sender)
        self._validate(tx, state, nonce, may_wait=may_wait)
        by_nonce = self._by_sender.setdefault(tx.sender, {})
        if replaced := by_nonce.get(tx.nonce):
            self._announced.discard(replaced.hash)
            self._count_transaction(replaced, -1)
        by_nonce[tx.nonce] = self.newest = tx
        self._count_transaction(tx, 1)
        self._announce_pending(tx.sender, nonce)
        self.version += 1

    def _count_transaction(self, tx: Transaction, number: int) -> None:
        self._count += number
        self._bytes += number * len(tx.raw)

    def _announce_pending(self, sender: Address, nonce: int) -> None:
        for tx in self._executable(sender, nonce):
            if tx.hash not in self._announced:
                self._announced.add(tx.hash)
                self.arrivals.append(tx.hash)

    def drop(self, tx: Transaction) -> None:
        by_nonce = self._by_sender.get(tx.sender, {})
        if by_nonce.get(tx.nonce) is tx:
            del by_nonce[tx.nonce]
            self._count_transaction(tx, -1)
            self._announced.discard(tx.hash)
            self.version += 1
        if not by_nonce:
            self._by_sender.pop(tx.sender, None)

    def drop_oversized(self) -> None:
        for tx in self.transactions():
            if tx.gas > self._chain.max_transaction_gas():
                self.drop(tx)

    def sync_to_head(self) -> None:
        """Drop the transactions whose nonce the new head has used, announce those now pending."""
        if not self._by_sender:
            return
        self.version += 1
        state = self._chain.head_state()
        for sender, by_nonce in list(self._by_sender.items()):
            nonce = state.nonce(sender)
            for tx in list(by_nonce.values()):
                if tx.nonce < nonce:
                    self.drop(tx)
            if sender in self._by_sender:
                self._announce_pending(sender, nonce)

    def clear(self) -> None:
        self._by_sender.clear()
        self._count = self._bytes = 0
        self._announced.clear()
        self.arrivals.clear()
        self.version += 1

    # Snapshots

    def checkpoint(self) -> MempoolCheckpoint:
        """The present state, for `restore`; the same object until it changes."""
        if self._checkpoint is None or self._checkpoint[0] != self.version:
            taken = MempoolCheckpoint(
                _copied(self._by_sender), len(self.arrivals), frozenset(self._announced)
            )
            self._checkpoint = (self.version, taken)
        return self._checkpoint[1]

    def restore(self, checkpoint: MempoolCheckpoint) -> None:
        self._by_sender = _copied(checkpoint.by_sender)
        self._announced = set(checkpoint.announced)
        del self.arrivals[checkpoint.arrivals :]
        self._count = self._bytes = 0
        for tx in self.transactions():
            self._count_transaction(tx, 1)
        self.version += 1

    # Validation: the checks of the Rootstock node, in its order

    def _validate(self, tx: Transaction, state: StateView, nonce: int, *, may_wait: bool) -> None:
        balance = state.balance(tx.sender)
        replaced = self._by_sender.get(tx.sender, {}).get(tx.nonce)
        if tx.hash in self._announced:
            raise AlreadyKnown("pending transaction with same hash already exists")
        if replaced is not None and replaced.hash == tx.hash:
            raise AlreadyKnown("queued transaction with same hash already exists")
        self._check_sender(tx, state, balance)
        self._check_size(tx)
        self._check_gas_limit(tx)
        self._check_nonce(tx, nonce, may_wait=may_wait)
        self._check_gas_price(tx, balance, may_wait=may_wait)
        if replaced is not None:
            self._check_replacement(tx, replaced)
        self._check_total_cost(tx, balance)
        self._check_limits(tx, replaced, nonce)
        self._check_delegation(tx, state, nonce)

    def _check_delegation(self, tx: Transaction, state: StateView, nonce: int) -> None:
        # The code of an account that delegates can move what its other transactions cost.
        rules = self._chain.rules
        if rules.follows_geth or SET_CODE not in rules.transaction_types:
            return
        code = state.code(tx.sender)
        if not is_delegation(code):
            if code and tx.type == SET_CODE:
                raise TransactionRejected(SENDER_HAS_CODE)
            return
        if self._by_sender.get(tx.sender):
            raise PoolFull("delegated account already has a transaction in the pool")
        if tx.nonce > nonce:
            reason = "gapped-nonce transaction from delegated account"
            raise NonceTooHigh(reason, wanted=nonce, got=tx.nonce)

    def _check_sender(self, tx: Transaction, state: StateView, balance: int) -> None:
        # The first as geth does, whose text clients look for: the Rootstock node has more than one
        # check. On Rootstock even a transaction that costs nothing needs an account to send it.
        cost, rules = tx.cost, self._chain.rules
        if balance < cost and rules.follows_geth:
            detail = f": balance {balance}, tx cost {cost}, overshot {cost - balance}"
            raise InsufficientFunds(GETH_INSUFFICIENT_FUNDS + detail, wanted=cost, got=balance)
        is_free = rules.is_free(tx.to or b"", tx.sender, self._config.effective_chain_id)
        needs_account = cost > 0 or not (rules.follows_geth or tx.is_impersonated or is_free)
        if not balance and needs_account and not state.exists(tx.sender):
            detail = f" (insufficient funds: {checksum(tx.sender)} has none)"
            raise InsufficientFunds("the sender account doesn't exist", detail, wanted=cost, got=0)

    def _check_size(self, tx: Transaction) -> None:
        rules, size = self._chain.rules, len(tx.raw)
        limit = rules.init_code_limit if tx.to is None else None
        if limit is not None and len(tx.data) > limit:
            detail = f": {len(tx.data)} bytes, at most {limit}"
            raise InitCodeTooLarge("transaction's init code size is invalid", detail)
        is_unlimited = tx.to is None and rules.unlimited_contract_size
        if size > MAX_TRANSACTION_BYTES and not is_unlimited:
            reason = "transaction's size is higher than defined maximum"
            raise InitCodeTooLarge(f"{reason}: {size} > {MAX_TRANSACTION_BYTES}")

    def _check_gas_limit(self, tx: Transaction) -> None:
        limit = self._chain.max_transaction_gas()
        if tx.gas <= limit:
            return
        reason = f"transaction's gas limit of {tx.gas} is higher than the block's gas limit of "
        reason, detail = f"{reason}{limit}", f"; give it less, or raise {option_names('gas_limit')}"
        if limit == self._chain.rules.transaction_gas_cap:
            reason = f"transaction gas limit too high: cap {limit}, tx {tx.gas} (EIP-7825)"
            detail = ""
        raise GasLimitExceeded(reason, detail, wanted=limit, got=tx.gas)

    def _check_nonce(self, tx: Transaction, nonce: int, *, may_wait: bool) -> None:
        waits = may_wait or self._config.preset.waits_for_nonces
        slots = self._config.account_slots if waits else 1
        detail = f": next nonce {nonce}, tx nonce {tx.nonce}"
        if tx.nonce < nonce:
            raise NonceTooLow("transaction nonce too low", detail, wanted=nonce, got=tx.nonce)
        if tx.nonce >= min(nonce + slots, MAX_UINT64):
            detail += f", at most {slots} may wait ({option_names('account_slots')})"
            raise NonceTooHigh("transaction nonce too high", detail, wanted=nonce, got=tx.nonce)

    def _check_gas_price(self, tx: Transaction, balance: int, *, may_wait: bool) -> None:
        # The miner's tip is part of the price that the transaction pays (EIP-1559). On Rootstock a
        # price far above the minimum is refused as a mistake (RSKIP252).
        price, minimum, needed = tx.gas_price, self._chain.lowest_gas_price(), tx.intrinsic_gas
        if balance < tx.gas * price:
            detail = f" for gas: balance {balance} wei, gas {tx.gas * price} wei"
            raise InsufficientFunds("insufficient funds", detail, wanted=tx.cost, got=balance)
        if price < minimum and self._chain.rules.has_minimum_gas_price:
            reason = "transaction's gas price lower than block's minimum"
            raise GasPriceTooLow(reason, f": {price} < {minimum} wei", wanted=minimum, got=price)
        if price < minimum and not (
            may_wait and self._config.preset.underpriced_wait
        ):  # until the base fee has fallen
            name = "maxFeePerGas" if tx.type in DYNAMIC_FEE_TYPES else "gasPrice"
            reason = (
                f"max fee per gas less than block base fee: transaction {name} ({price}) is "
                f"too low for the next block, which has a baseFeePerGas of {minimum}"
            )
            raise GasPriceTooLow(reason, wanted=minimum, got=price)
        if tx.gas < needed:
            reason = "transaction's basic cost is above the gas limit"
            detail = f": needs {needed} gas, has {tx.gas}"
            raise IntrinsicGasTooLow(reason, detail, wanted=needed, got=tx.gas)
        tip = tx.priority_fee
        if tip > price:
            raise TransactionRejected(
                f"max priority fee per gas higher than max fee per gas: {tip} > {price} wei"
            )
        cap = self._chain.rules.gas_price_cap(minimum)
        if cap is not None and price > cap:
            raise GasPriceTooHigh("transaction's gas price exceeds cap", f": {price} > {cap} wei")

    def _check_replacement(self, tx: Transaction, old: Transaction) -> None:
        factor = 100 + self._chain.rules.price_bump_percent
        price = max(old.gas_price + 1, -(-old.gas_price * factor // 100))
        tip = -(-old.priority_fee * factor // 100)
        if self._config.preset.any_higher_price_replaces:
            price, tip = old.gas_price + 1, 0
        for what, offered, wanted in (
            ("gas price", tx.gas_price, price),
            ("priority fee", tx.priority_fee, tip),
        ):
            if offered < wanted:
                raise ReplacementUnderpriced(
                    f"{self._chain.rules.underpriced_prefix}{what} not enough to bump transaction",
                    f": offers {offered} wei, replacing takes {wanted}",
                )

    def _check_total_cost(self, tx: Transaction, balance: int) -> None:
        pool = self._by_sender.get(tx.sender, {})
        others = sum(pooled.cost for pooled in pool.values() if pooled.nonce != tx.nonce)
        total = tx.cost + others
        if total <= balance:
            return
        reason = "insufficient funds to pay for pending and new transactions"
        detail = f": balance {balance} wei, cost {total} wei"
        if self._chain.rules.follows_geth:
            reason, detail = GETH_INSUFFICIENT_FUNDS, ""
            reason += f": balance {balance}, queued cost {others}, tx cost {tx.cost}, "
            reason += f"overshot {total - balance}"
        raise InsufficientFunds(reason, detail, wanted=total, got=balance)

    def _check_limits(self, tx: Transaction, replaced: Transaction | None, nonce: int) -> None:
        # So transactions that wait for others cannot keep out those that would be mined at once.
        count, size = self._count + 1, self._bytes + len(tx.raw)
        if replaced is not None:
            count, size = count - 1, size - len(replaced.raw)
        if count <= self._free_slots and size <= self._free_bytes:
            return
        for what, amount, limit, option in (
            ("transactions", count, self._config.pool_slots, "pool_slots"),
            ("bytes", size, self._config.pool_bytes, "pool_bytes"),
        ):
            if amount > _free(limit) and (amount > limit or tx.nonce != nonce):
                reserved = limit - _free(limit)
                raise PoolFull(
                    f"the transaction pool is full: it takes {limit} {what} "
                    f"({option_names(option)}), the last {reserved} for transactions that can be "
                    "mined next; mine a block"
                )


def _free(limit: int) -> int:
    return limit - limit // RESERVED_PART


def _copied(by_sender: BySender) -> BySender:
    return {sender: dict(by_nonce) for sender, by_nonce in by_sender.items()}
