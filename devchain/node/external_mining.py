"""Work for external miners: `eth_getWork`, `mnr_getWork` and their submissions; hash rates."""

from __future__ import annotations

from enum import StrEnum

from devchain.chain.block import Block
from devchain.chain.block_builder import seal, seal_with_proof
from devchain.chain.chain import Chain
from devchain.chain.merged_mining import Submission, verify
from devchain.clock import Clock
from devchain.errors import InvalidInput, WorkRefused
from devchain.node.mempool import Mempool
from devchain.types import BlockHash, Hash32

MAX_BLOCKS = 20
MAX_BLOCK_AGE = 60  # seconds that the same block is returned, though its timestamp falls behind
MAX_CLIENTS = 100
MAX_HASHRATE = 2**64 - 1
HOUR = 3_600


class ImportResult(StrEnum):
    """The result of importing a sealed block, by the real node's names."""

    BEST = "IMPORTED_BEST"
    NOT_BEST = "IMPORTED_NOT_BEST"
    EXIST = "EXIST"


class MiningWork:
    """Blocks for external miners to seal: the last 20 that `get_work` returned, by work hash."""

    def __init__(self, chain: Chain, mempool: Mempool, clock: Clock) -> None:
        self._chain = chain
        self._mempool = mempool
        self._clock = clock
        self._blocks: dict[Hash32, Block] = {}
        self._newest: Block | None = None
        self._newest_contents: tuple[object, ...] = ()
        self._rates: dict[Hash32, int] = {}

    # Work

    def get_work(self) -> tuple[Block, bool]:
        """The block to be sealed, and whether it is new work.

        It is new on another parent, with other transactions, and after callers have moved the
        clock. Time passing by itself makes no new work: the same block is returned for a minute.
        """
        block, newest = self._chain.pending(), self._newest
        header, offset = block.header, self._clock.offset
        contents = (block.parent_hash, header.transaction_root, header.coinbase, offset)
        is_new = contents != self._newest_contents
        if newest and not is_new and block.timestamp - newest.timestamp < MAX_BLOCK_AGE:
            return newest, False
        self._newest, self._newest_contents = block, contents
        self._blocks[work_hash(block)] = block
        while len(self._blocks) > MAX_BLOCKS:
            del self._blocks[next(iter(self._blocks))]
        return block, is_new

    def submit_block(self, submission: Submission) -> tuple[Block, ImportResult]:
        """Append a block sealed by an external miner; raises `WorkRefused` or `RootstockOnly`."""
        self._chain.rules.require_rootstock("merged mining")
        tagged, proof = submission
        block = self._blocks.get(Hash32(tagged))
        if block is None:
            raise WorkRefused(
                f"Cannot publish block, could not find hash 0x{tagged.hex()} in the cache: "
                "ask mnr_getWork for new work"
            )
        try:
            verify(tagged, block.header.difficulty, proof)
        except InvalidInput as error:
            raise WorkRefused(f"Invalid block supplied by miner: {error}") from error
        sealed = seal_with_proof(block, proof)
        return sealed, self._import_block(sealed)

    def submit_work(self, header_hash: Hash32) -> bool:
        """Seal a block without an external proof and make it the head; whether it was imported."""
        block = self._blocks.get(header_hash)
        return block is not None and self._import_block(seal(block)) is ImportResult.BEST

    def _import_block(self, block: Block) -> ImportResult:
        if self._chain.find_block(BlockHash(block.hash)):
            return ImportResult.EXIST
        if block.parent_hash != self._chain.head.hash:
            return ImportResult.NOT_BEST
        self._chain.append_block(block)
        self._clock.on_new_head(block.timestamp)
        self._mempool.sync_to_head()
        return ImportResult.BEST

    def discard_work(self) -> None:
        self._blocks.clear()
        self._newest, self._newest_contents = None, ()

    # Hash rates

    def submit_hashrate(self, client: Hash32, rate: int) -> bool:
        """Record a client's hashes per second; false for a rate of more than 64 bits."""
        if rate > MAX_HASHRATE:
            return False
        self._rates.pop(client, None)
        self._rates[client] = rate
        while len(self._rates) > MAX_CLIENTS:
            del self._rates[next(iter(self._rates))]
        return True

    def hashrate(self) -> int:
        """Hashes per second of the last 100 clients that submitted theirs, in all."""
        return sum(self._rates.values())

    def network_hashrate(self) -> int:
        """Hashes per second that the last hour's blocks took: their difficulty over 3600.

        On a fork it counts the blocks from the fork block on.
        """
        since, total = self._clock.now() - HOUR, 0
        for number in range(self._chain.height, self._chain.first - 1, -1):
            block = self._chain.block(number)
            if block.timestamp < since:
                break
            total += int(block.header.difficulty)
        return total // HOUR


def work_hash(block: Block) -> Hash32:
    """The hash that identifies work: `hashForMergedMining`, on Ethereum the header's hash."""
    return Hash32(block.header.hash_for_merged_mining) if block.has_merged_mining else block.hash
