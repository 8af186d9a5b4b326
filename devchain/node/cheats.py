"""Cheats of development nodes: token balances, removed blocks and reorganizations."""

from __future__ import annotations

from collections.abc import Sequence

from eth_hash.auto import keccak

from devchain.chain.chain import RemovedBlocks
from devchain.errors import DevchainError, InvalidInput, VmError
from devchain.node.core import NodeCore
from devchain.node.filters import Removal
from devchain.types import (
    WORD_SIZE,
    Address,
    PlacedTransaction,
    StateOverride,
    Tag,
    TransactionRequest,
)

BALANCE_OF, ALLOWANCE = (
    keccak(signature)[:4] for signature in (b"balanceOf(address)", b"allowance(address,address)")
)

# Tokens


def deal_tokens(node: NodeCore, token: Address, owner: Address, amount: int) -> None:
    """Set what an ERC-20 token's `balanceOf(owner)` returns; the total supply stays.

    Raises `InvalidInput` if no single storage slot determines it.
    """
    _set_answer(node, token, BALANCE_OF + _word(owner), amount)


def set_allowance(
    node: NodeCore, token: Address, owner: Address, spender: Address, amount: int
) -> None:
    """Set what an ERC-20 token's `allowance(owner, spender)` returns, as `deal_tokens` does."""
    _set_answer(node, token, ALLOWANCE + _word(owner) + _word(spender), amount)


def _set_answer(node: NodeCore, token: Address, data: bytes, answer: int) -> None:
    # Tokens keep balances in different slots. So each slot that the call reads is tried with a
    # state override: the one with which the call returns `answer` is it.
    request = TransactionRequest(to=token, data=data)
    read = node.access_list(request, Tag.LATEST, None).listed
    for address, slot in ((address, slot) for address, slots in read for slot in slots):
        override = {address: StateOverride(state_diff={slot: answer})}
        try:
            returned = node.call(request, Tag.LATEST, override)
        except VmError:
            continue
        if int.from_bytes(returned[:WORD_SIZE], "big") == answer:
            with node.edited_accounts() as accounts:
                accounts.set_storage(address, slot, answer)
            return
    raise InvalidInput(
        f"0x{token.hex()} does not keep this number in one slot: it is no token, or calculates "
        "the number; write its storage with set_storage (anvil_setStorageAt)"
    )


def _word(address: Address) -> bytes:
    return address.rjust(WORD_SIZE, b"\0")


# Reorganizations


def rollback(node: NodeCore, depth: int) -> None:
    """Remove the newest blocks; raises `InvalidInput` for more than there are.

    Their transactions are dropped, log filters return their logs once more as removed, and the
    clock does not go back. Snapshots taken on one of these blocks can no longer be reverted to.
    """
    removal, _ = _remove_blocks(node, depth)
    node.filters.remove(removal)


def reorg(node: NodeCore, depth: int, placed: Sequence[PlacedTransaction]) -> None:
    """Replace the newest blocks with as many new ones.

    A transaction goes into the new block it is placed in, counted from 0. Raises `InvalidInput`
    or what sending raises; then nothing has changed.
    """
    beyond = max((pair.block for pair in placed), default=0)
    if beyond >= depth:
        raise InvalidInput(f"there is no new block {beyond}: count them from 0 to {depth - 1}")
    before = node.components.checkpoint()
    with node.chain.atomic():
        removal, removed = _remove_blocks(node, depth)
        try:
            for number in range(depth):
                for tx in (pair.transaction for pair in placed if pair.block == number):
                    node.mempool.add(node.decode(tx) if isinstance(tx, bytes) else node.sign(tx))
                node.miner.mine()
        except DevchainError:
            node.chain.put_back_blocks(removed)
            node.components.restore(before)
            raise
        node.filters.remove(removal)


def _remove_blocks(node: NodeCore, depth: int) -> tuple[Removal, RemovedBlocks]:
    # The clock moves past them, so that new blocks have new hashes.
    chain = node.chain
    count = chain.height - chain.first
    if not 1 <= depth <= count:
        start = f"block {chain.first}, where it was forked" if chain.first else "genesis"
        raise InvalidInput(
            f"depth {depth} is out of range: the chain has {count} blocks after {start}"
        )
    newest = chain.head.timestamp
    removal = node.filters.removal_above(chain.height - depth)
    removed = chain.truncate(chain.height - depth)
    node.clock.on_new_head(newest + 1)
    node.on_head_changed()
    return removal, removed
