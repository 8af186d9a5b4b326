"""Bitcoin's mempool: unconfirmed transactions, the checks before they enter, replacement by fee.

Reject reasons are Bitcoin Core's. Fees are in satoshis, rates in satoshis per 1,000 virtual bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from btclib import policy
from btclib.exceptions import BTClibException
from btclib.script.engine import sig_op_cost
from btclib.tx import OutPoint, Tx, TxOut
from btclib.tx.coin import Coin
from btclib.tx.tx_context import is_final

from devchain.bitcoin.chain import BitcoinChain, ChainBlock
from devchain.errors import BitcoinRejected

MIN_RELAY_FEE = 100
"""Lowest fee rate of a transaction, and by how much a replacement's has to exceed it."""

MAX_BYTES = 50 * 1024 * 1024
MAX_BLOCK_VSIZE = 990_000


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """An unconfirmed transaction: fee, virtual size, time and height at which it came."""

    tx: Tx
    txid: bytes
    fee: int
    vsize: int
    time: int
    height: int
    parents: frozenset[bytes]
    """The unconfirmed transactions whose outputs it spends."""


class BitcoinMempool:
    """Unconfirmed transactions by id, in the order of their arrival: parents come first."""

    def __init__(self, chain: BitcoinChain, now: Callable[[], int]) -> None:
        self.chain, self._now = chain, now
        self.entries: dict[bytes, Entry] = {}
        self.spenders: dict[OutPoint, bytes] = {}
        """The transaction that spends an output."""
        self._size = 0
        self._returning: list[Tx] = []  # of blocks that are no longer active
        self._is_stale = False
        chain.on_connect, chain.on_disconnect = self._on_connect, self._on_disconnect

    def coin(self, at: OutPoint) -> Coin | None:
        """An output of an unconfirmed transaction, as if the next block had it."""
        entry = self.entries.get(at.tx_id)
        if entry is None or at.vout >= len(entry.tx.vout):
            return None
        height = self.chain.height + 1
        return Coin(entry.tx.vout[at.vout], height, is_coinbase=False, check_validity=False)

    def output(self, at: OutPoint) -> TxOut | None:
        """An unspent output of the chain, or one of an unconfirmed transaction."""
        coin = self.chain.coins.get(at) or self.coin(at)
        return coin.tx_out if coin else None

    def check(self, tx: Tx) -> Entry:
        """The entry that a transaction would be; raises `BitcoinRejected`."""
        chain, txid, height = self.chain, tx.id, self.chain.height + 1
        _check_alone(tx)
        if not is_final(tx, height, chain.median_time(chain.tip)):
            raise BitcoinRejected("non-final")
        if txid in self.entries:
            is_same = self.entries[txid].tx.hash == tx.hash
            known = "txn-already-in-mempool" if is_same else "txn-same-nonwitness-data-in-mempool"
            raise BitcoinRejected(known)
        coins, parents = self._inputs(tx, txid)
        outputs = [coin.tx_out for coin in coins]
        fee = chain.check_spent(tx, coins, height)
        vsize = policy.virtual_size(tx.weight, sig_op_cost=_check_inputs(tx, outputs))
        if fee * 1_000 < MIN_RELAY_FEE * vsize:
            needed = -(-MIN_RELAY_FEE * vsize // 1_000)
            raise BitcoinRejected("min relay fee not met", detail=f"{fee} < {needed}")
        entry = Entry(tx, txid, fee, vsize, self._now(), chain.height, parents)
        self._check_replaced(entry)
        if self._size + tx.size > MAX_BYTES:
            raise BitcoinRejected("mempool full")
        chain.check_scripts(tx, coins)
        return entry

    def _inputs(self, tx: Tx, txid: bytes) -> tuple[list[Coin], frozenset[bytes]]:
        coins, parents = list[Coin](), set[bytes]()
        for spent in tx.vin:
            coin = self.chain.coins.get(spent.prev_out)
            if coin is None and (coin := self.coin(spent.prev_out)) is not None:
                parents.add(spent.prev_out.tx_id)
            if coin is None:
                if txid in self.chain.transactions:
                    raise BitcoinRejected("txn-already-known")
                raise BitcoinRejected("bad-txns-inputs-missingorspent")
            coins.append(coin)
        return coins, frozenset(parents)

    def _check_replaced(self, entry: Entry) -> None:
        replaced = [self.entries[txid] for txid in self.conflicts(entry.tx)]
        if any(old.txid in entry.parents for old in replaced):
            raise BitcoinRejected("bad-txns-spends-conflicting-tx")
        is_lower = any(entry.fee * old.vsize <= old.fee * entry.vsize for old in replaced)
        more = entry.fee - sum(old.fee for old in replaced)
        if replaced and (is_lower or more * 1_000 < MIN_RELAY_FEE * entry.vsize):
            raise BitcoinRejected("insufficient fee", detail="rejecting replacement")

    def conflicts(self, tx: Tx) -> set[bytes]:
        """The entries that spend the same outputs, and those that build on them."""
        spending = {self.spenders.get(spent.prev_out) for spent in tx.vin}
        return self.descendants(txid for txid in spending if txid is not None)

    def descendants(self, txids: Iterable[bytes]) -> set[bytes]:
        """These entries and all that build on them."""
        found = set(txids)
        if found:
            for entry in self.entries.values():  # parents come first
                if entry.parents & found:
                    found.add(entry.txid)
        return found

    def add(self, tx: Tx) -> Entry:
        """Check a transaction and add it, in place of those that it replaces."""
        entry = self.check(tx)
        self._remove(self.conflicts(tx))
        self._insert(entry)
        return entry

    def _insert(self, entry: Entry) -> None:
        self.entries[entry.txid] = entry
        self._size += entry.tx.size
        for spent in entry.tx.vin:
            self.spenders[spent.prev_out] = entry.txid

    def _remove(self, txids: Iterable[bytes]) -> None:
        for txid in txids:
            entry = self.entries.pop(txid)
            self._size -= entry.tx.size
            for spent in entry.tx.vin:
                self.spenders.pop(spent.prev_out, None)

    def for_block(self) -> list[Entry]:
        """What the next block takes: as they came, so that parents are before children."""
        chosen: list[Entry] = []
        size = 0
        for entry in self.entries.values():
            if size + entry.vsize > MAX_BLOCK_VSIZE:
                break
            size += entry.vsize
            chosen.append(entry)
        return chosen

    # The chain has changed

    def _on_connect(self, placed: ChainBlock) -> None:
        if not self.entries:
            return
        confirmed = {txid for txid in placed.txids if txid in self.entries}
        self._remove(confirmed)
        for tx in placed.block.transactions:
            self._remove(self.conflicts(tx))
        if confirmed:
            for entry in list(self.entries.values()):
                if entry.parents & confirmed:
                    fields = (entry.tx, entry.txid, entry.fee, entry.vsize, entry.time)
                    left = entry.parents - confirmed
                    self.entries[entry.txid] = Entry(*fields, entry.height, left)

    def _on_disconnect(self, placed: ChainBlock) -> None:
        self._is_stale = True
        self._returning = placed.block.transactions[1:] + self._returning

    def after_reorganization(self) -> None:
        """Take back the transactions of blocks that are no longer active, and check all again."""
        if self._is_stale:
            waiting = [entry.tx for entry in self.entries.values()]
            self.refill(self._returning + waiting)

    def refill(self, transactions: Iterable[Tx]) -> None:
        """Replace the content with those of the transactions that are still valid."""
        self._returning, self._is_stale = [], False
        self.entries, self.spenders, self._size = {}, {}, 0
        for tx in transactions:
            try:
                self.add(tx)
            except BitcoinRejected:
                continue

    # Snapshots

    def checkpoint(self) -> tuple[Entry, ...]:
        return tuple(self.entries.values())

    def restore(self, checkpoint: tuple[Entry, ...]) -> None:
        self._returning, self._is_stale = [], False
        self.entries, self.spenders, self._size = {}, {}, 0
        for entry in checkpoint:
            self._insert(entry)


def _check_alone(tx: Tx) -> None:
    try:
        tx.assert_valid()
    except BTClibException as error:
        raise BitcoinRejected("bad-txns", detail=str(error)) from None
    if tx.is_coinbase:
        raise BitcoinRejected("coinbase")
    try:
        policy.assert_standard_tx(tx)
    except BTClibException as error:
        raise BitcoinRejected(str(error)) from None
    if len(tx.serialize(include_witness=False)) < policy.MIN_STANDARD_TX_NONWITNESS_SIZE:
        raise BitcoinRejected("tx-size-small")


def _check_inputs(tx: Tx, outputs: list[TxOut]) -> int:
    # The cost of its signature checks.
    if not policy.are_inputs_standard(outputs, tx):
        raise BitcoinRejected("bad-txns-nonstandard-inputs")
    if tx.is_segwit and not policy.is_witness_standard(outputs, tx):
        raise BitcoinRejected("bad-witness-nonstandard")
    cost = sig_op_cost(outputs, tx)
    if cost > policy.MAX_STANDARD_TX_SIGOPS_COST:
        raise BitcoinRejected("bad-txns-too-many-sigops")
    return cost
