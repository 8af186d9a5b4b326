"""The init code that made a contract: found on the chain when it is asked for.

No block notes which contracts it created. The block is found by bisection, as the first whose state
has the contract, and replayed if none of its transactions is the creation itself.
"""

from __future__ import annotations

from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devchain.chain.chain import Chain
from devchain.errors import DevchainError, ForkCacheMiss
from devchain.types import Address, Hash32, Tag

if TYPE_CHECKING:
    # Imported for the first contract that a contract created.
    from devchain.chain.block import Block
    from devchain.tracing.address_recorder import AddressRecorder

MAX_CACHED = 4_096


@dataclass(frozen=True, slots=True)
class _Creation:
    """An init code, and the block in which it ran; of a creation that was not found the head."""

    number: int
    block_hash: Hash32
    init_code: bytes


class ContractCreations:
    """The init codes of the contracts of a chain.

    They are cached with the hash of the block, so that none outlasts a revert.
    """

    def __init__(self, chain: Chain) -> None:
        """Look at nothing yet."""
        self._chain = chain
        self._known: dict[Address, _Creation] = {}
        self._recorder: AddressRecorder | None = None

    def init_code(self, contract: Address) -> bytes | None:
        """The init code that made a contract; None without code there, empty if none is known.

        Contracts of the genesis block, of cheats and of blocks before a fork have none.
        """
        chain = self._chain
        if not chain.state_at(Tag.LATEST).code(contract):
            return None
        known = self._known.get(contract)
        if known and self._is_on_chain(known):
            return known.init_code
        try:
            found = self._find(contract)
        except ForkCacheMiss:
            raise
        except DevchainError:  # out of time: it is wanted for a name alone
            return b""
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        self._known[contract] = found
        return found.init_code

    def _is_on_chain(self, known: _Creation) -> bool:
        block = self._chain.find_block(known.number)
        return block is not None and block.hash == known.block_hash

    def _find(self, contract: Address) -> _Creation:
        chain = self._chain

        def has_code(number: int) -> bool:
            return bool(chain.state_at(number).code(contract))

        low, high = chain.first, chain.height
        if low == high or has_code(low):
            return _Creation(chain.head.number, chain.head.hash, b"")
        while high - low > 1:  # low has no code, high has
            middle = (low + high) // 2
            if has_code(middle):
                high = middle
            else:
                low = middle
        block = chain.block(high)
        created = self._created_in(block, contract)
        at = block if created else chain.head  # nothing to find before there are other blocks
        return _Creation(at.number, at.hash, created)

    def _created_in(self, block: Block, contract: Address) -> bytes:
        for each in reversed(block.receipts):
            if each.contract_address == contract and each.succeeded:
                return each.transaction.data
        if self._recorder is None:
            from devchain.tracing.address_recorder import AddressRecorder

            self._recorder = AddressRecorder()
        # In a context of its own: a code map is looked up while another execution runs, whose
        # memory is counted in its context.
        return copy_context().run(self._recorder.find_init_code, self._chain, block, contract)
