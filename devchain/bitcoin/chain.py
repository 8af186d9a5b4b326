"""The block chain of Bitcoin's regtest network: blocks, unspent outputs, reorganizations.

Rules and reject reasons (`bad-cb-amount`) are Bitcoin Core's. Hashes are 32 bytes in the order that
Bitcoin displays. Amounts are in satoshis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from btclib.block.block import Block, witness_commitment_output
from btclib.block.block_context import BlockContext
from btclib.block.build import build_coinbase
from btclib.block.genesis import genesis_block
from btclib.block.limits import MAX_BLOCK_SIGOPS_COST
from btclib.block.mining import candidate_block_header, mine
from btclib.consensus import CONSENSUS_PARAMS, subsidy
from btclib.exceptions import BTClibException, ScriptError
from btclib.script.engine import ALL_FLAGS, sig_op_cost, verify_input
from btclib.script.sig_hash import PrecomputedTxData
from btclib.script.witness import Witness
from btclib.tx import OutPoint, Tx
from btclib.tx.coin import Coin
from btclib.tx.limits import COINBASE_MATURITY
from btclib.tx.tx_context import assert_sequence_locks

from devchain.errors import BitcoinRejected, InvalidInput

NETWORK = "regtest"
RULES = CONSENSUS_PARAMS[NETWORK]
BITS = RULES.pow_limit_bits
SATOSHIS = 10**8
BLOCK_WORK = 2  # a block with regtest's target
MAX_TIME = 2**32 - 1
SCRIPT_SECONDS = 5
BAD_SCRIPT = "mandatory-script-verify-flag-failed"
MAX_VERIFIED = 10_000
"""Transactions whose scripts have run, kept so that a block does not run them again."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainBlock:
    """A block with its place: height, total work, and the ids of its transactions."""

    block: Block
    hash: bytes
    parent: bytes
    height: int
    work: int
    time: int
    txids: tuple[bytes, ...]

    @property
    def header(self) -> bytes:
        """The 80 bytes of the header."""
        return self.block.header.serialize(check_validity=False)


def placed(block: Block, parent: ChainBlock | None) -> ChainBlock:
    """A block with its place after its parent, None for the first."""
    return ChainBlock(
        block=block,
        hash=block.header.hash,
        parent=block.header.previous_block_hash,
        height=parent.height + 1 if parent else 0,
        work=(parent.work if parent else 0) + BLOCK_WORK,
        time=int(block.header.time.timestamp()),
        txids=tuple(tx.id for tx in block.transactions),
    )


GENESIS_BLOCK = placed(genesis_block(NETWORK), None)


@dataclass(frozen=True, slots=True)
class ChainCheckpoint:
    """All known blocks, the tip of the active chain, and the blocks that were invalidated."""

    blocks: Mapping[bytes, ChainBlock]
    tip: bytes
    invalid: frozenset[bytes]


class BitcoinChain:
    """Blocks by hash, the active chain, and the outputs that it leaves unspent.

    The active chain is the one with the most work; of equal ones, the first that was known.
    """

    def __init__(self, cpu_time: Callable[[], float] = lambda: 0.0) -> None:
        self._cpu_time = cpu_time
        self.blocks: dict[bytes, ChainBlock] = {GENESIS_BLOCK.hash: GENESIS_BLOCK}
        self.active: list[ChainBlock] = [GENESIS_BLOCK]
        self.invalid: set[bytes] = set()
        self.coins: dict[OutPoint, Coin] = {}
        self.coins_of: dict[bytes, dict[OutPoint, Coin]] = {}
        """Unspent outputs by their script."""
        self.transactions: dict[bytes, tuple[ChainBlock, int]] = {}
        """Block and position of each transaction of the active chain, by id."""
        self.verified: dict[bytes, None] = {}
        self.on_connect: Callable[[ChainBlock], None] = lambda _: None
        self.on_disconnect: Callable[[ChainBlock], None] = lambda _: None
        self._undo: dict[bytes, list[tuple[OutPoint, Coin]]] = {}
        self._is_shared = False  # `blocks` belongs to a checkpoint too

    # Reading

    @property
    def tip(self) -> ChainBlock:
        return self.active[-1]

    @property
    def height(self) -> int:
        return len(self.active) - 1

    def is_active(self, block: ChainBlock) -> bool:
        return block.height <= self.height and self.active[block.height].hash == block.hash

    def transaction(self, txid: bytes) -> Tx | None:
        place = self.transactions.get(txid)
        return place[0].block.transactions[place[1]] if place else None

    def median_time(self, block: ChainBlock) -> int:
        """The median of the timestamps of a block and up to ten before it (BIP113)."""
        times: list[int] = []
        while len(times) < 11:
            times.append(block.time)
            if not block.height:
                break
            block = self.blocks[block.parent]
        return sorted(times)[len(times) // 2]

    def is_invalid(self, block: ChainBlock) -> bool:
        """Whether the block or one before it was invalidated."""
        while self.invalid and not self.is_active(block):
            if block.hash in self.invalid:
                return True
            block = self.blocks[block.parent]
        return False

    # Checks of transactions

    def check_spent(self, tx: Tx, coins: list[Coin], height: int) -> int:
        """The fee of a transaction in a block of that height; raises `BitcoinRejected`."""
        for coin in coins:
            if coin.is_coinbase and height - coin.height < COINBASE_MATURITY:
                raise BitcoinRejected("bad-txns-premature-spend-of-coinbase")
        fee = sum(coin.tx_out.value for coin in coins) - sum(out.value for out in tx.vout)
        if fee < 0:
            raise BitcoinRejected("bad-txns-in-belowout")
        parent = self.active[height - 1]
        try:
            assert_sequence_locks(
                tx,
                coins,
                height,
                self.median_time(parent),
                lambda at: self.median_time(self.active[min(at, height - 1)]),
            )
        except BTClibException:
            raise BitcoinRejected("bad-txns-nonfinal") from None
        return fee

    def check_scripts(self, tx: Tx, coins: list[Coin]) -> None:
        """Run the scripts of a transaction; raises `BitcoinRejected`."""
        if tx.hash in self.verified:
            return
        outputs = [coin.tx_out for coin in coins]
        hashes, ends = PrecomputedTxData(tx, outputs), self._cpu_time() + SCRIPT_SECONDS
        for index in range(len(outputs)):
            try:
                verify_input(outputs, tx, index, ALL_FLAGS, hashes)
            except ScriptError as error:
                name = error.code.name.lower().replace("_", " ") if error.code else ""
                raise BitcoinRejected(
                    BAD_SCRIPT, detail=f"input {index}: {name}: {error}"
                ) from None
            except BTClibException as error:
                raise BitcoinRejected(BAD_SCRIPT, detail=f"input {index}: {error}") from None
            if self._cpu_time() > ends:
                raise BitcoinRejected(
                    "too many signatures",
                    detail=f"scripts of a transaction may run for {SCRIPT_SECONDS} seconds",
                )
        if len(self.verified) >= MAX_VERIFIED:
            self.verified.clear()
        self.verified[tx.hash] = None

    # Adding blocks

    def build(
        self, script: bytes, transactions: list[Tx], fees: int, now: int, salt: bytes = b""
    ) -> Block:
        """A new block on the tip, with proof of work, whose coinbase pays that script."""
        parent = self.tip
        height, time = parent.height + 1, max(now, self.median_time(parent) + 1)
        if time > MAX_TIME:
            raise InvalidInput("the clock is beyond 2106, where the time of Bitcoin blocks ends")
        coinbase = build_coinbase(
            height,
            script,
            fees=fees,
            halving_interval=RULES.subsidy_halving_interval,
            extra_nonce=salt,
            version=2,
        )
        coinbase.vin[0].script_witness = Witness([bytes(32)])
        coinbase.vout.append(witness_commitment_output([coinbase, *transactions], bytes(32)))
        content = [coinbase, *transactions]
        moment = datetime.fromtimestamp(time, UTC)
        header = mine(candidate_block_header(parent.hash, content, moment, BITS))
        assert header  # noqa: S101  # every second nonce meets the target
        return Block(header, content, check_validity=False)

    def add(self, block: Block, now: int) -> ChainBlock:
        """Add a block and make the chain with the most work the active one.

        Raises `BitcoinRejected` with Bitcoin Core's reject reason.
        """
        block_hash = block.header.hash
        if (known := self.blocks.get(block_hash)) is not None:
            is_invalid = self.is_invalid(known)
            raise BitcoinRejected("duplicate-invalid" if is_invalid else "duplicate")
        parent = self.blocks.get(block.header.previous_block_hash)
        if parent is None:
            raise BitcoinRejected("prev-blk-not-found")
        if self.is_invalid(parent):
            raise BitcoinRejected("bad-prevblk")
        added = placed(block, parent)
        _check(added, self.median_time(parent), now)
        if self._is_shared:
            self.blocks, self._is_shared = dict(self.blocks), False
        self.blocks[block_hash] = added
        if added.work > self.tip.work:
            self._activate(added)
        return added

    def _activate(self, target: ChainBlock) -> None:
        # Make `target` the tip. A block that turns out to be invalid is marked, and the best other
        # chain becomes active.
        branch = self.branch(target)
        failed = None
        self._disconnect_to(branch[-1].height - 1)
        for block in reversed(branch):
            try:
                self._connect(block, verify=True)
            except BitcoinRejected as error:
                self.invalid.add(block.hash)
                failed = error
                break
        if failed:
            self.activate_best()
            raise failed

    def branch(self, block: ChainBlock) -> list[ChainBlock]:
        # That block and those before it which are not active, the newest first.
        branch: list[ChainBlock] = []
        while not self.is_active(block):
            branch.append(block)
            block = self.blocks[block.parent]
        return branch

    def activate_best(self) -> None:
        """Make the chain with the most work active, among those without invalid blocks."""
        while True:
            # A block before an invalid one can be the best, so all count.
            candidates = [
                block
                for block in self.blocks.values()
                if block.work > self.tip.work and not self.is_invalid(block)
            ]
            if not candidates:
                return
            try:
                self._activate(max(candidates, key=lambda block: block.work))
            except BitcoinRejected:
                continue

    def invalidate(self, block: ChainBlock) -> None:
        """Treat a block and those after it as invalid, as `invalidateblock`."""
        if not block.height:
            raise InvalidInput("the genesis block cannot be invalidated")
        if self.is_active(block):
            self._disconnect_to(block.height - 1)
        self.invalid = self.invalid | {block.hash}
        self.activate_best()

    def reconsider(self, block: ChainBlock) -> None:
        """Undo `invalidate` for a block, those before it and those after it."""
        related = {block.hash}
        related |= {before.hash for before in self.branch(block)}
        for other in self.blocks.values():  # parents come first
            if other.parent in related and other.height > block.height:
                related.add(other.hash)
        self.invalid = self.invalid - related
        self.activate_best()

    def _connect(self, block: ChainBlock, *, verify: bool) -> None:
        spent: list[tuple[OutPoint, Coin]] = []
        fees = cost = 0
        transactions = block.block.transactions
        try:
            for txid, tx in zip(block.txids, transactions, strict=True):
                coins = [] if tx.is_coinbase else self._spend(tx, spent)
                if verify and not tx.is_coinbase:
                    fees += self.check_spent(tx, coins, block.height)
                    cost += sig_op_cost([coin.tx_out for coin in coins], tx)
                    if cost > MAX_BLOCK_SIGOPS_COST:
                        raise BitcoinRejected("bad-blk-sigops")
                    self.check_scripts(tx, coins)
                for index, out in enumerate(tx.vout):
                    if not out.script_pub_key.script.startswith(b"\x6a"):  # OP_RETURN
                        at = OutPoint(txid, index, check_validity=False)
                        coin = Coin(out, block.height, tx.is_coinbase, check_validity=False)
                        self._insert(at, coin)
            paid = sum(out.value for out in transactions[0].vout)
            if verify and paid > subsidy(block.height, RULES.subsidy_halving_interval) + fees:
                raise BitcoinRejected("bad-cb-amount")
        except BitcoinRejected:
            self._undo_coins(block, spent)
            raise
        self._undo[block.hash] = spent
        self.active.append(block)
        for position, txid in enumerate(block.txids):
            self.transactions[txid] = block, position
        self.on_connect(block)

    def _spend(self, tx: Tx, spent: list[tuple[OutPoint, Coin]]) -> list[Coin]:
        coins = list[Coin]()
        for spending in tx.vin:
            coin = self.coins.get(spending.prev_out)
            if coin is None:
                raise BitcoinRejected("bad-txns-inputs-missingorspent")
            spent.append((spending.prev_out, coin))
            self._remove(spending.prev_out)
            coins.append(coin)
        return coins

    def _disconnect_to(self, height: int) -> None:
        while self.height > height:
            block = self.active.pop()
            self._undo_coins(block, self._undo.pop(block.hash))
            for txid in block.txids:
                del self.transactions[txid]
            self.on_disconnect(block)

    def _undo_coins(self, block: ChainBlock, spent: list[tuple[OutPoint, Coin]]) -> None:
        for at, coin in spent:
            self._insert(at, coin)
        for txid, tx in zip(block.txids, block.block.transactions, strict=True):
            for index in range(len(tx.vout)):
                self._remove(OutPoint(txid, index, check_validity=False))

    def _insert(self, at: OutPoint, coin: Coin) -> None:
        self.coins[at] = coin
        self.coins_of.setdefault(coin.tx_out.script_pub_key.script, {})[at] = coin

    def _remove(self, at: OutPoint) -> None:
        coin = self.coins.pop(at, None)
        if coin:
            script = coin.tx_out.script_pub_key.script
            del self.coins_of[script][at]
            if not self.coins_of[script]:
                del self.coins_of[script]

    # Snapshots

    def checkpoint(self) -> ChainCheckpoint:
        self._is_shared = True
        return ChainCheckpoint(self.blocks, self.tip.hash, frozenset(self.invalid))

    def restore(self, checkpoint: ChainCheckpoint) -> None:
        """Go back, or over to another chain; its blocks were checked when they were added."""
        self.blocks, self._is_shared = dict(checkpoint.blocks), False
        self.invalid = set(checkpoint.invalid)
        branch = self.branch(self.blocks[checkpoint.tip])
        common = branch[-1].height - 1 if branch else self.blocks[checkpoint.tip].height
        self._disconnect_to(common)
        for block in reversed(branch):
            self._connect(block, verify=False)


def _check(added: ChainBlock, median_time: int, now: int) -> None:
    block = added.block
    for check, reason in (
        (partial(block.header.assert_valid_pow, BITS), "high-hash"),
        (block.assert_valid_merkle_root, "bad-txnmrklroot"),
        (block.assert_valid_length, "bad-blk-length"),
        (block.assert_valid_structure, "bad-blk"),
    ):
        try:
            check()
        except BTClibException as error:
            raise BitcoinRejected(reason, detail=str(error)) from None
    moment = datetime.fromtimestamp(min(max(now, 0), MAX_TIME), UTC)
    if added.block.header.bits != BITS:
        raise BitcoinRejected("bad-diffbits")
    if added.time <= median_time:
        raise BitcoinRejected("time-too-old")
    try:
        context = BlockContext(added.height, moment, RULES, median_time, BITS)
        block.assert_valid_contextual(context)
    except BTClibException as error:
        raise BitcoinRejected(_contextual_reason(str(error)), detail=str(error)) from None


def _contextual_reason(message: str) -> str:
    reasons = {
        "non-final": "bad-txns-nonfinal",
        "coinbase height": "bad-cb-height",
        "timestamp": "time-too-new",
        "outdated": "bad-version",
        "unexpected witness": "unexpected-witness",
        "witness": "bad-witness-merkle-match",
    }
    return next((reason for part, reason in reasons.items() if part in message), "bad-blk")
