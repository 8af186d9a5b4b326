"""What data dirs and dumps keep of a Bitcoin node: blocks as bytes, the rest as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from btclib.block.block import Block

from devchain.bitcoin.bitcoin_node import BitcoinCheckpoint, BitcoinState
from devchain.bitcoin.chain import BITS, GENESIS_BLOCK, ChainBlock, placed
from devchain.bitcoin.signing import public_key, wallet_key
from devchain.bitcoin.wallet import Owned, WalletState


def stored_blocks(checkpoints: Iterable[BitcoinCheckpoint]) -> Iterator[tuple[bytes, bytes]]:
    """Hash and bytes of every block but the first, each after the one before it."""
    blocks = {block.hash: block for one in checkpoints for block in one.blocks[1:]}
    for block in blocks.values():
        yield block.hash, block.block.serialize(check_validity=False)


def read_blocks(raws: Iterable[bytes]) -> dict[bytes, ChainBlock]:
    """Blocks by hash; raises an error of any type for those that are damaged or out of order."""
    blocks = {GENESIS_BLOCK.hash: GENESIS_BLOCK}
    for raw in raws:
        block = Block.parse(raw, check_validity=False)
        block.assert_valid(BITS)
        found = placed(block, blocks[block.header.previous_block_hash].height + 1)
        blocks[found.hash] = found
    return blocks


def load(
    state: BitcoinState, known: Mapping[bytes, ChainBlock], mnemonic: str
) -> BitcoinCheckpoint:
    """The checkpoint with that state; raises an error of any type if it is damaged."""
    blocks = [known[state.tip]]
    while blocks[-1].height:
        blocks.append(known[blocks[-1].parent])
    for entry in state.mempool:
        entry.tx.assert_valid()
    wallets = tuple(_with_keys(wallet, mnemonic) for wallet in state.wallets)
    return BitcoinCheckpoint(tuple(reversed(blocks)), replace(state, wallets=wallets))


def _with_keys(wallet: WalletState, mnemonic: str) -> WalletState:
    # With another mnemonic than before, scripts are only watched.
    own = next((owned for owned in wallet.scripts.values() if owned.path), None)
    if own is None or public_key(wallet_key(mnemonic, own.path)) == own.pubkey:
        return wallet
    watched = {script: Owned((), owned.pubkey) for script, owned in wallet.scripts.items()}
    return replace(wallet, scripts=watched)
