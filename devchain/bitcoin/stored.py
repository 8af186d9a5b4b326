"""What data dirs and dumps keep of a Bitcoin node: blocks as bytes, the rest as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from btclib.block.block import Block
from btclib.tx import Tx

from devchain.bitcoin.bitcoin_node import BitcoinCheckpoint
from devchain.bitcoin.chain import BITS, GENESIS_BLOCK, ChainBlock, ChainCheckpoint, placed
from devchain.bitcoin.mempool import Entry
from devchain.bitcoin.signing import public_key, wallet_key
from devchain.bitcoin.wallet import Owned, WalletState
from devchain.types import Hash32


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A transaction of the mempool, with its witnesses."""

    raw: bytes
    fee: int
    vsize: int
    time: int
    height: int


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A checkpoint without its blocks."""

    tip: Hash32
    mined: int
    mempool: tuple[StoredEntry, ...]
    wallets: tuple[WalletState, ...]


def store(checkpoint: BitcoinCheckpoint) -> StoredNode:
    """The checkpoint without blocks."""
    entries = (
        StoredEntry(_raw(entry.tx), entry.fee, entry.vsize, entry.time, entry.height)
        for entry in checkpoint.mempool
    )
    chain = checkpoint.chain
    return StoredNode(Hash32(chain.blocks[-1].hash), chain.mined, (*entries,), checkpoint.wallets)


def stored_blocks(checkpoints: Iterable[BitcoinCheckpoint]) -> Iterator[tuple[bytes, bytes]]:
    """Hash and bytes of every block but the first, each after the one before it."""
    blocks = {block.hash: block for one in checkpoints for block in one.chain.blocks[1:]}
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


def load(stored: StoredNode, known: Mapping[bytes, ChainBlock], mnemonic: str) -> BitcoinCheckpoint:
    """The checkpoint of what `store` returned; raises an error of any type if it is damaged."""
    blocks = [known[stored.tip]]
    while blocks[-1].height:
        blocks.append(known[blocks[-1].parent])
    entries = []
    for one in stored.mempool:
        tx = Tx.parse(one.raw)
        entries.append(Entry(tx, tx.id, one.fee, one.vsize, one.time, one.height))
    wallets = (_with_keys(wallet, mnemonic) for wallet in stored.wallets)
    chain = ChainCheckpoint((*reversed(blocks),), stored.mined)
    return BitcoinCheckpoint(chain, (*entries,), (*wallets,))


def _with_keys(wallet: WalletState, mnemonic: str) -> WalletState:
    # With another mnemonic than before, scripts are only watched.
    own = next((owned for owned in wallet.scripts.values() if owned.path), None)
    if own is None or public_key(wallet_key(mnemonic, own.path)) == own.pubkey:
        return wallet
    watched = {script: Owned((), owned.pubkey) for script, owned in wallet.scripts.items()}
    return replace(wallet, scripts=watched)


def _raw(tx: Tx) -> bytes:
    return tx.serialize(include_witness=True, check_validity=False)
