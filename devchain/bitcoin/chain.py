"""The block chain of Bitcoin's regtest network: blocks and unspent outputs.

All blocks are mined here, of transactions that the mempool has checked. Hashes are 32 bytes in the
order that Bitcoin displays. Amounts are in satoshis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from btclib.block.block import Block, witness_commitment_output
from btclib.block.build import build_coinbase
from btclib.block.genesis import genesis_block
from btclib.block.mining import candidate_block_header, mine
from btclib.consensus import CONSENSUS_PARAMS
from btclib.script.witness import Witness
from btclib.tx import OutPoint, Tx
from btclib.tx.coin import Coin

from devchain.errors import InvalidInput

NETWORK = "regtest"
RULES = CONSENSUS_PARAMS[NETWORK]
BITS = RULES.pow_limit_bits
SATOSHIS = 10**8
MAX_MONEY = 21_000_000 * SATOSHIS
BLOCK_WORK = 2  # a block with regtest's target
MAX_TIME = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False)
class ChainBlock:
    """A block with its height and the ids of its transactions."""

    block: Block
    hash: bytes
    height: int
    time: int
    txids: tuple[bytes, ...]

    @property
    def parent(self) -> bytes:
        return self.block.header.previous_block_hash

    @property
    def header(self) -> bytes:
        return self.block.header.serialize(check_validity=False)


def placed(block: Block, height: int) -> ChainBlock:
    """A block with its height."""
    header, txids = block.header, tuple(tx.id for tx in block.transactions)
    return ChainBlock(block, header.hash, height, int(header.time.timestamp()), txids)


GENESIS_BLOCK = placed(genesis_block(NETWORK), 0)


class BitcoinChain:
    """The blocks, and the outputs that they leave unspent."""

    def __init__(self) -> None:
        self.active: list[ChainBlock] = [GENESIS_BLOCK]
        self.blocks: dict[bytes, ChainBlock] = {GENESIS_BLOCK.hash: GENESIS_BLOCK}
        self.coins: dict[OutPoint, Coin] = {}
        self.coins_of: dict[bytes, dict[OutPoint, Coin]] = {}
        """Unspent outputs by their script."""
        self.transactions: dict[bytes, tuple[ChainBlock, int]] = {}
        """Block and position of each transaction, by id."""
        self.mined = 0
        """How many blocks were mined, lost ones too."""
        self._spent: dict[bytes, list[tuple[OutPoint, Coin]]] = {}  # by each block

    @property
    def tip(self) -> ChainBlock:
        return self.active[-1]

    @property
    def height(self) -> int:
        return len(self.active) - 1

    def transaction(self, txid: bytes) -> Tx | None:
        place = self.transactions.get(txid)
        return place[0].block.transactions[place[1]] if place else None

    def median_time(self, height: int) -> int:
        """The median of the timestamps of a block and up to ten before it (BIP113)."""
        times = sorted(block.time for block in self.active[max(0, height - 10) : height + 1])
        return times[len(times) // 2]

    def mine(self, script: bytes, transactions: list[Tx], fees: int, now: int) -> ChainBlock:
        """Add a block whose coinbase pays that script."""
        height, time = self.height + 1, max(now, self.median_time(self.height) + 1)
        if time > MAX_TIME:
            raise InvalidInput("the clock is beyond 2106, where the time of Bitcoin blocks ends")
        self.mined += 1
        coinbase = build_coinbase(
            height,
            script,
            fees=fees,
            halving_interval=RULES.subsidy_halving_interval,
            # This keeps a block apart from one of the same height that was invalidated.
            extra_nonce=self.mined.to_bytes(4, "little"),
            version=2,
        )
        coinbase.vin[0].script_witness = Witness([bytes(32)])
        content = [coinbase, *transactions]
        coinbase.vout.append(witness_commitment_output(content, bytes(32)))
        moment = datetime.fromtimestamp(time, UTC)
        header = mine(candidate_block_header(self.tip.hash, content, moment, BITS))
        assert header  # noqa: S101  # every second nonce meets the target
        self._connect(placed(Block(header, content, check_validity=False), height))
        return self.tip

    def disconnect_to(self, height: int) -> list[ChainBlock]:
        """Remove the blocks above a height, and return them."""
        lost = self.active[height + 1 :]
        for block in reversed(lost):
            self.active.pop()
            del self.blocks[block.hash]
            for at, coin in self._spent.pop(block.hash):
                self._insert(at, coin)
            for txid, tx in zip(block.txids, block.block.transactions, strict=True):
                del self.transactions[txid]
                for index in range(len(tx.vout)):
                    self._remove(OutPoint(txid, index, check_validity=False))
        return lost

    def _connect(self, block: ChainBlock) -> None:
        spent: list[tuple[OutPoint, Coin]] = []
        transactions = zip(block.txids, block.block.transactions, strict=True)
        for position, (txid, tx) in enumerate(transactions):
            self.transactions[txid] = block, position
            if not tx.is_coinbase:
                for spending in tx.vin:
                    spent.append((spending.prev_out, self.coins[spending.prev_out]))
                    self._remove(spending.prev_out)
            for index, out in enumerate(tx.vout):
                if not out.script_pub_key.script.startswith(b"\x6a"):  # OP_RETURN
                    at = OutPoint(txid, index, check_validity=False)
                    self._insert(at, Coin(out, block.height, tx.is_coinbase, check_validity=False))
        self._spent[block.hash] = spent
        self.active.append(block)
        self.blocks[block.hash] = block

    def _insert(self, at: OutPoint, coin: Coin) -> None:
        self.coins[at] = coin
        self.coins_of.setdefault(coin.tx_out.script_pub_key.script, {})[at] = coin

    def _remove(self, at: OutPoint) -> None:
        coin = self.coins.pop(at, None)
        if coin:
            script = coin.tx_out.script_pub_key.script
            del self.coins_of[script][at]

    def restore(self, blocks: Sequence[ChainBlock], mined: int) -> None:
        """Go back, or over to another chain."""
        height = min(self.height, len(blocks) - 1)
        while self.active[height].hash != blocks[height].hash:
            height -= 1
        self.disconnect_to(height)
        for block in blocks[height + 1 :]:
            self._connect(block)
        self.mined = mined
