"""Bitcoin's mempool: unconfirmed transactions, and the checks before they enter.

Reject reasons are Bitcoin Core's. Fees are in satoshis, rates in satoshis per 1,000 virtual bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from btclib import policy
from btclib.exceptions import BTClibException, ScriptError
from btclib.script.engine import ALL_FLAGS, sig_op_cost, verify_input
from btclib.script.sig_hash import PrecomputedTxData
from btclib.tx import OutPoint, Tx, TxOut
from btclib.tx.coin import Coin
from btclib.tx.limits import COINBASE_MATURITY
from btclib.tx.tx_context import assert_sequence_locks, is_final

from devchain.bitcoin.chain import BitcoinChain
from devchain.clock import Clock
from devchain.errors import BitcoinRejected

MIN_RELAY_FEE = 100
MAX_BYTES = 50 * 1024 * 1024
MAX_BLOCK_VSIZE = 990_000
SCRIPT_SECONDS = 5


@dataclass(frozen=True)
class Entry:
    """An unconfirmed transaction: fee, virtual size, time and height at which it came."""

    raw: bytes
    fee: int
    vsize: int
    time: int
    height: int

    @cached_property
    def tx(self) -> Tx:
        return Tx.parse(self.raw)

    @cached_property
    def txid(self) -> bytes:
        return self.tx.id


class BitcoinMempool:
    """Unconfirmed transactions by id, in the order of their arrival: parents come first."""

    def __init__(self, chain: BitcoinChain, clock: Clock) -> None:
        self.chain, self._clock = chain, clock
        self.entries: dict[bytes, Entry] = {}
        self.spenders: dict[OutPoint, bytes] = {}
        """The transaction that spends an output."""
        self._size = 0

    def coin(self, at: OutPoint) -> Coin | None:
        """An output of the chain, or of an unconfirmed transaction as if the next block had it."""
        entry = self.entries.get(at.tx_id)
        if entry is None or at.vout >= len(entry.tx.vout):
            return self.chain.coins.get(at)
        height = self.chain.height + 1
        return Coin(entry.tx.vout[at.vout], height, is_coinbase=False, check_validity=False)

    def output(self, at: OutPoint) -> TxOut | None:
        coin = self.coin(at)
        return coin.tx_out if coin else None

    def add(self, tx: Tx) -> Entry:
        """Check a transaction and add it; raises `BitcoinRejected`."""
        entry, outputs = self._check(tx)
        self._check_scripts(tx, outputs)
        self._insert(entry)
        return entry

    def _check(self, tx: Tx) -> tuple[Entry, list[TxOut]]:
        # All but the scripts, which do not depend on the chain; the outputs that it spends.
        chain, txid = self.chain, tx.id
        _check_alone(tx)
        if not is_final(tx, chain.height + 1, chain.median_time(chain.height)):
            raise BitcoinRejected("non-final")
        if txid in self.entries:
            is_same = self.entries[txid].tx.hash == tx.hash
            known = "txn-already-in-mempool" if is_same else "txn-same-nonwitness-data-in-mempool"
            raise BitcoinRejected(known)
        if any(spent.prev_out in self.spenders for spent in tx.vin):
            raise BitcoinRejected("txn-mempool-conflict")
        coins = [coin for spent in tx.vin if (coin := self.coin(spent.prev_out))]
        if len(coins) < len(tx.vin):
            is_known = txid in chain.transactions
            missing = "txn-already-known" if is_known else "bad-txns-inputs-missingorspent"
            raise BitcoinRejected(missing)
        outputs, fee = [coin.tx_out for coin in coins], self._check_spent(tx, coins)
        vsize = policy.virtual_size(tx.weight, sig_op_cost=_check_inputs(tx, outputs))
        if fee * 1_000 < MIN_RELAY_FEE * vsize:
            needed = -(-MIN_RELAY_FEE * vsize // 1_000)
            raise BitcoinRejected("min relay fee not met", detail=f"{fee} < {needed}")
        if self._size + tx.size > MAX_BYTES:
            raise BitcoinRejected("mempool full")
        raw = tx.serialize(include_witness=True)
        return Entry(raw, fee, vsize, self._clock.now(), chain.height), outputs

    def _check_spent(self, tx: Tx, coins: list[Coin]) -> int:
        # The fee.
        chain, height = self.chain, self.chain.height
        if any(coin.is_coinbase and height + 1 - coin.height < COINBASE_MATURITY for coin in coins):
            raise BitcoinRejected("bad-txns-premature-spend-of-coinbase")
        fee = sum(coin.tx_out.value for coin in coins) - sum(out.value for out in tx.vout)
        if fee < 0:
            raise BitcoinRejected("bad-txns-in-belowout")
        try:
            median = chain.median_time
            assert_sequence_locks(
                tx, coins, height + 1, median(height), lambda at: median(min(at, height))
            )
        except BTClibException:
            raise BitcoinRejected("non-BIP68-final") from None
        return fee

    def _check_scripts(self, tx: Tx, outputs: list[TxOut]) -> None:
        reason, cpu_time = "mandatory-script-verify-flag-failed", self._clock.cpu_time
        hashes, ends = PrecomputedTxData(tx, outputs), cpu_time() + SCRIPT_SECONDS
        for index in range(len(outputs)):
            try:
                verify_input(outputs, tx, index, ALL_FLAGS, hashes)
            except BTClibException as error:
                code = error.code if isinstance(error, ScriptError) else None
                name = f"{code.name.lower().replace('_', ' ')}: " if code else ""
                raise BitcoinRejected(reason, detail=f"input {index}: {name}{error}") from None
            if cpu_time() > ends:
                detail = f"scripts of a transaction may run for {SCRIPT_SECONDS} seconds"
                raise BitcoinRejected("too many signatures", detail=detail)

    def _insert(self, entry: Entry) -> None:
        self.entries[entry.txid] = entry
        self._size += entry.tx.size
        for spent in entry.tx.vin:
            self.spenders[spent.prev_out] = entry.txid

    def confirm(self, entries: Iterable[Entry]) -> None:
        """Remove what a block has."""
        gone = {entry.txid for entry in entries}
        self.restore([entry for entry in self.entries.values() if entry.txid not in gone])

    def for_block(self) -> list[Entry]:
        """What the next block takes: as they came, so that parents are before children."""
        chosen, size = list[Entry](), 0
        for entry in self.entries.values():
            if (size := size + entry.vsize) > MAX_BLOCK_VSIZE:
                break
            chosen.append(entry)
        return chosen

    def take_back(self, transactions: Iterable[Tx]) -> None:
        """Put transactions of lost blocks before the others, and drop what is not valid now."""
        waiting = [*transactions, *(entry.tx for entry in self.entries.values())]
        self.restore(())
        for tx in waiting:
            try:
                self._insert(self._check(tx)[0])
            except BitcoinRejected:
                continue

    def restore(self, entries: Iterable[Entry]) -> None:
        """Replace the content with entries that were checked."""
        self.entries, self.spenders, self._size = {}, {}, 0
        for entry in entries:
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
