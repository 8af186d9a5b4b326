"""Work for outside miners: blocks handed out, and what seals them when it comes back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from devchain.chain.block import Block
from devchain.chain.block_builder import seal, seal_with_proof
from devchain.chain.chain import Chain
from devchain.chain.merged_mining import Submission, verify
from devchain.clock import Clock
from devchain.errors import InvalidInput, WorkRefused
from devchain.node.mempool import Mempool
from devchain.types import BlockHash, Hash32

MOST_WAITING = 20
FRESH_FOR = 60
"""Seconds for which the same block is handed out again, though its timestamp falls behind."""
MOST_CLIENTS = 100
MAX_RATE = 2**64 - 1
HOUR = 3_600

Contents = tuple[object, ...]


class ImportResult(StrEnum):
    """What became of a sealed block, by the real node's names."""

    BEST = "IMPORTED_BEST"
    NOT_BEST = "IMPORTED_NOT_BEST"
    EXIST = "EXIST"


@dataclass(frozen=True, slots=True)
class WorkCheckpoint:
    """What a snapshot keeps of the work: the hash rates that clients told."""

    rates: dict[Hash32, int]


class MiningWork:
    """Blocks handed out to outside miners, the last 20 of them, by the hash they are known under.

    A revert takes all of them back: what they were built on may be gone.
    """

    def __init__(self, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        """Hand out the pending blocks of that chain."""
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self._waiting: dict[Hash32, Block] = {}
        self._newest: tuple[Contents, Block] | None = None
        self._rates: dict[Hash32, int] = {}

    # Handing out

    def hand_out(self) -> tuple[Block, bool]:
        """The block to be sealed, and whether it is news.

        It is news on another parent, with other transactions, and after callers have moved the
        clock. Time that just passes is none: the same block is handed out for a minute.
        """
        block = self._chain.pending()
        contents = self._contents(block)
        is_news = self._newest is None or self._newest[0] != contents
        if self._newest and not is_news and block.timestamp - self._newest[1].timestamp < FRESH_FOR:
            return self._newest[1], False
        self._newest = (contents, block)
        self._remember(block)
        return block, is_news

    def _contents(self, block: Block) -> Contents:
        """What of a block makes it another, its timestamp aside."""
        header = block.header
        return block.parent_hash, header.transaction_root, header.coinbase, self._clock.offset

    def _remember(self, block: Block) -> None:
        self._waiting[hash_of(block)] = block
        while len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]

    # Taking back

    def submit(self, submission: Submission) -> tuple[Block, ImportResult]:
        """Seal a block with an outside miner's bitcoin block, and make it the head.

        A block that is late, since another has become the head, is not imported: the chain keeps
        no branches. Raises `WorkRefused` or `RootstockOnly`.
        """
        self._chain.rules.require_rootstock("merged mining")
        tagged, proof = submission
        block = self._waiting.get(Hash32(tagged))
        if block is None:
            msg = f"Cannot publish block, could not find hash 0x{tagged.hex()} in the cache"
            raise WorkRefused(f"{msg}: ask mnr_getWork for new work")
        try:
            verify(tagged, block.header.difficulty, proof)
        except InvalidInput as error:
            msg = f"Invalid block supplied by miner: {error}"
            raise WorkRefused(msg) from error
        sealed = seal_with_proof(block, proof)
        return sealed, self._import(sealed)

    def seal(self, header_hash: Hash32) -> bool:
        """Seal a block without an outside proof and make it the head; whether that was done.

        It is not for a hash that was not handed out, nor for a block that is late.
        """
        block = self._waiting.get(header_hash)
        return block is not None and self._import(seal(block)) is ImportResult.BEST

    def _import(self, block: Block) -> ImportResult:
        if self._chain.find_block(BlockHash(block.hash)):
            return ImportResult.EXIST
        if block.parent_hash != self._chain.head.hash:
            return ImportResult.NOT_BEST
        self._chain.append_block(block)
        self._clock.on_new_head(block.timestamp)
        self._mempool.sync_to_head()
        return ImportResult.BEST

    # Hash rates

    def tell_rate(self, client: Hash32, rate: int) -> bool:
        """Note how many hashes a second a client makes; False if that is more than 64 bits hold."""
        if rate > MAX_RATE:
            return False
        self._rates.pop(client, None)
        self._rates[client] = rate
        while len(self._rates) > MOST_CLIENTS:
            del self._rates[next(iter(self._rates))]
        return True

    def rate(self) -> int:
        """Hashes a second of the last 100 clients that told of theirs, in all."""
        return sum(self._rates.values())

    def network_rate(self) -> int:
        """Hashes a second that the last hour's blocks stand for: their difficulty over 3600."""
        since, total, number = self._clock.now() - HOUR, 0, self._chain.height
        while number >= 0 and (block := self._chain.block(number)).timestamp >= since:
            total, number = total + int(block.header.difficulty), number - 1
        return total // HOUR

    # Snapshots

    def checkpoint(self) -> WorkCheckpoint:
        """What `restore` needs to return to the present state."""
        return WorkCheckpoint(dict(self._rates))

    def restore(self, checkpoint: WorkCheckpoint) -> None:
        """Restore a checkpoint; all work is taken back."""
        self.discard_work()
        self._rates = dict(checkpoint.rates)

    def discard_work(self) -> None:
        """Forget all work: what it was built on is no longer so."""
        self._waiting.clear()
        self._newest = None

    def clear(self) -> None:
        """Forget all work and every rate."""
        self.discard_work()
        self._rates.clear()


def hash_of(block: Block) -> Hash32:
    """What work is known under: `hashForMergedMining`, or the header's hash on Ethereum's rules."""
    return Hash32(block.header.hash_for_merged_mining) if block.has_merged_mining else block.hash
