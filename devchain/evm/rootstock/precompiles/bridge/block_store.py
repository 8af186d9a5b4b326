"""The Bitcoin headers that the Bridge has, as the real node stores them in its account.

A header is stored by its hash with its height and the work of the chain up to it. The chain with
the most work is the best one; since Iris its blocks have an index by height. A network begins with
one header, its first (`Powpeg.block`), which is not in the storage.
"""

from __future__ import annotations

from dataclasses import dataclass

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256
from devchain.evm.rootstock.precompiles.bridge import storage
from devchain.evm.rootstock.precompiles.bridge.methods import peg_of
from devchain.evm.rootstock.precompiles.native_contract import Call

HEADER_SIZE = 80
HEIGHT_SIZE = 4
RETARGET_BLOCKS = 2_016
RETARGET_SECONDS = 14 * 24 * 60 * 60
EASY_AFTER_SECONDS = 20 * 60  # without a block: then testnet takes the easiest target

# Work of more bytes was stored from Lovell on (RSKIPs 434, 454); on mainnet it began at a height.
MOST_WORK_BEFORE_LOVELL, TOO_MUCH_WORK_FROM = 2**96 - 1, 849_138

_HEAD = storage.slot_of("blockStoreChainHead")


class HeaderRejected(Exception):
    """A header without proof of work, with a wrong target, or whose parent is not known."""


@dataclass(frozen=True, slots=True)
class StoredHeader:
    """A header of 80 bytes, its height, and the work of the chain up to it."""

    header: bytes
    height: int
    work: int

    @property
    def hash(self) -> bytes:
        """The hash in the byte order that Bitcoin displays."""
        return double_sha256(self.header)[::-1]

    @property
    def parent(self) -> bytes:
        return self.header[4:36][::-1]

    @property
    def merkle_root(self) -> bytes:
        return self.header[36:68][::-1]

    @property
    def time(self) -> int:
        return int.from_bytes(self.header[68:72], "little")

    @property
    def bits(self) -> int:
        return int.from_bytes(self.header[72:76], "little")


class BlockStore:
    """Reads and extends the Bridge's chain of Bitcoin headers, for one call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._peg = peg_of(call)

    @property
    def first(self) -> StoredHeader:
        return StoredHeader(self._peg.block, self._peg.height, self._peg.work)

    @property
    def head(self) -> StoredHeader:
        return _decoded(storage.load(self._call, _HEAD)) or self.first

    def get(self, block: bytes) -> StoredHeader | None:
        """The header with that hash, of any branch."""
        if block == self._peg.block_hash:
            return self.first
        return _decoded(storage.load(self._call, int.from_bytes(block, "big")))

    def at_height(self, height: int) -> StoredHeader | None:
        """A header of the best chain; raises `LookupError` out of the range that is searched."""
        depth = self.head.height - height
        if depth < 0:
            raise LookupError(f"the best chain ends below height {height}")
        if self._call.since("iris"):
            indexed, deepest = self._peg.indexed_from, self._peg.searched_depth
            is_far = self.head.height - indexed > deepest
            if height < (indexed if is_far else self.head.height - deepest):
                raise LookupError(f"height {height} is below those that are searched")
            if (block := storage.load_rlp(self._call, _slot_of_height(height))) is not None:
                return self.get(storage.to_bytes(block))
        return self.at_depth(depth)

    def at_depth(self, depth: int) -> StoredHeader | None:
        """A header of the best chain by its distance from the head; None below the first."""
        found: StoredHeader | None = self.head
        for _ in range(depth):
            if found is None:
                return None
            found = self.get(found.parent)
        return found

    def is_late(self, header: bytes) -> bool:
        """Whether mainnet's chain has too much work for the Bridge before Lovell (RSKIP434)."""
        if not self._peg.is_main or self._call.since("lovell"):
            return False
        parent = self.get(header[4:36][::-1])
        return parent is not None and parent.height + 1 >= TOO_MUCH_WORK_FROM

    def add(self, header: bytes) -> None:
        """Add a header, and make it the head if its chain has more work.

        Raises `HeaderRejected`. One that is known changes nothing.
        """
        block = double_sha256(header)[::-1]
        if self.get(block) is not None:
            return
        target = target_of(int.from_bytes(header[72:76], "little"))
        if not 0 < target <= self._peg.easiest_target:
            raise HeaderRejected("the target is out of range")
        if int.from_bytes(block, "big") > target:
            raise HeaderRejected("the hash is above the target")
        parent = self.get(header[4:36][::-1])
        if parent is None:
            raise HeaderRejected("the block before is not known")
        added = StoredHeader(header, parent.height + 1, parent.work + 2**256 // (target + 1))
        is_too_much = added.work > MOST_WORK_BEFORE_LOVELL and not self._call.since("lovell")
        if is_too_much or self.is_late(header):
            raise HeaderRejected("the chain has more work than can be stored")
        self._check_target(parent, added)
        head = self.head
        self._put(int.from_bytes(block, "big"), added)
        if added.work > head.work:
            self._put(_HEAD, added)
            self._index_branch(added)

    def _index_branch(self, added: StoredHeader) -> None:
        # Of the branch that becomes the best chain, down to what is indexed already.
        if not self._call.since("iris"):
            return
        current: StoredHeader | None = added
        while current is not None and current.height > self._peg.height:
            slot = _slot_of_height(current.height)
            if storage.load_rlp(self._call, slot) == current.hash:
                return
            storage.store_rlp(self._call, slot, current.hash)
            current = self.get(current.parent)

    def _put(self, slot: int, stored: StoredHeader) -> None:
        work_size = 32 if self._call.since("lovell") else 12
        work, height = stored.work.to_bytes(work_size), stored.height.to_bytes(HEIGHT_SIZE)
        storage.store(self._call, slot, work + height + stored.header)

    def _check_target(self, parent: StoredHeader, added: StoredHeader) -> None:
        peg, bits = self._peg, added.bits
        is_retargeted = not peg.is_regtest and added.height % RETARGET_BLOCKS == 0
        if not is_retargeted and peg.is_test:
            if 0 <= added.time - parent.time <= EASY_AFTER_SECONDS:
                self._check_testnet_target(parent, bits)
            return
        if not is_retargeted:
            if bits != parent.bits:
                raise HeaderRejected("the target changes within a period")
            return
        first: StoredHeader | None = parent
        for _ in range(RETARGET_BLOCKS - 1):
            first = first and self.get(first.parent)
        if first is None:
            raise HeaderRejected("the period began before the first block")
        seconds = min(max(parent.time - first.time, RETARGET_SECONDS // 4), RETARGET_SECONDS * 4)
        target = min(target_of(parent.bits) * seconds // RETARGET_SECONDS, peg.easiest_target)
        precision = 8 * ((bits >> 24) - 3)
        if precision < 0 or target_of(bits) != target & 0xFFFFFF << precision:
            raise HeaderRejected("the target of the period is wrong")

    def _check_testnet_target(self, parent: StoredHeader, bits: int) -> None:
        # The easiest target was an exception: what counts is the last that was none.
        easiest = self._peg.easiest_target
        current: StoredHeader | None = parent
        while current is not None and target_of(current.bits) == easiest:
            if not current.height % RETARGET_BLOCKS:
                break
            current = self.get(current.parent)
        if current is None or target_of(current.bits) != target_of(bits):
            raise HeaderRejected("the target changes within a period")


def target_of(bits: int) -> int:
    """The largest hash that the compact form of a target allows; 0 for a negative one."""
    exponent, mantissa = bits >> 24, bits & 0x7FFFFF
    if bits & 0x800000:
        return 0
    return mantissa << 8 * (exponent - 3) if exponent > 3 else mantissa >> 8 * (3 - exponent)


def _slot_of_height(height: int) -> int:
    return storage.hashed_slot_of(f"btcBlockHeight-{height}")


def _decoded(raw: bytes) -> StoredHeader | None:
    # Chains that began before Lovell have headers of both forms.
    if not raw:
        return None
    header, height_end = raw[-HEADER_SIZE:], len(raw) - HEADER_SIZE
    work, height = raw[: height_end - HEIGHT_SIZE], raw[height_end - HEIGHT_SIZE : height_end]
    return StoredHeader(header, int.from_bytes(height), int.from_bytes(work))
