"""What data dirs and dumps keep of a Bitcoin node: blocks as bytes, the rest as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from btclib.block.block import Block
from btclib.tx import Tx

from devchain.bitcoin.bitcoin_node import BitcoinCheckpoint
from devchain.bitcoin.chain import BITS, GENESIS_BLOCK, ChainBlock, ChainCheckpoint, placed
from devchain.bitcoin.mempool import Entry
from devchain.bitcoin.signing import key_scripts, public_key, wallet_key
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
    """A checkpoint without its blocks: `leaves` are those on which no other one is built."""

    leaves: tuple[Hash32, ...]
    tip: Hash32
    invalid: tuple[Hash32, ...]
    mempool: tuple[StoredEntry, ...]
    wallets: tuple[WalletState, ...]


def store(checkpoint: BitcoinCheckpoint) -> StoredNode:
    """The checkpoint without blocks, and without the keys that the mnemonic gives."""
    blocks = checkpoint.chain.blocks
    parents = {block.parent for block in blocks.values()}
    wallets = [
        replace(
            wallet,
            scripts={
                script: replace(owned, key=None) if owned.path else owned
                for script, owned in wallet.scripts.items()
            },
        )
        for wallet in checkpoint.wallets
    ]
    return StoredNode(
        tuple(Hash32(block) for block in blocks if block not in parents),
        Hash32(checkpoint.chain.tip),
        tuple(map(Hash32, sorted(checkpoint.chain.invalid))),
        tuple(
            StoredEntry(_raw(entry.tx), entry.fee, entry.vsize, entry.time, entry.height)
            for entry in checkpoint.mempool
        ),
        tuple(wallets),
    )


def stored_blocks(checkpoint: BitcoinCheckpoint) -> Iterator[tuple[bytes, bytes]]:
    """Hash and bytes of every block but the first, each after the one before it."""
    for block in checkpoint.chain.blocks.values():
        if block.height:
            yield block.hash, block.block.serialize(check_validity=False)


def read_blocks(raws: Iterable[bytes]) -> dict[bytes, ChainBlock]:
    """Blocks by hash; raises an error of any type for those that are damaged or out of order."""
    blocks = {GENESIS_BLOCK.hash: GENESIS_BLOCK}
    for raw in raws:
        block = Block.parse(raw, check_validity=False)
        block.assert_valid(BITS)
        found = placed(block, blocks[block.header.previous_block_hash])
        blocks[found.hash] = found
    return blocks


def load(stored: StoredNode, known: Mapping[bytes, ChainBlock], mnemonic: str) -> BitcoinCheckpoint:
    """The checkpoint of what `store` returned; raises an error of any type if it is damaged."""
    chosen: dict[bytes, ChainBlock] = {}
    for leaf in stored.leaves:
        block = known[leaf]
        while block.hash not in chosen:
            chosen[block.hash] = block
            block = known.get(block.parent, block)
    blocks = {block.hash: block for block in known.values() if block.hash in chosen}
    chain = ChainCheckpoint(blocks, blocks[stored.tip].hash, frozenset(stored.invalid))
    entries: dict[bytes, Entry] = {}
    for one in stored.mempool:
        tx = Tx.parse(one.raw)
        parents = frozenset(spent.prev_out.tx_id for spent in tx.vin) & entries.keys()
        entry = Entry(tx, tx.id, one.fee, one.vsize, one.time, one.height, frozenset(parents))
        entries[entry.txid] = entry
    wallets = (
        replace(
            wallet,
            scripts={
                script: _with_key(script, owned, mnemonic)
                for script, owned in wallet.scripts.items()
            },
        )
        for wallet in stored.wallets
    )
    return BitcoinCheckpoint(chain, tuple(entries.values()), tuple(wallets))


def _with_key(script: bytes, owned: Owned, mnemonic: str) -> Owned:
    # With another mnemonic than before, the script is only watched.
    if not owned.path:
        return owned
    key = wallet_key(mnemonic, owned.path)
    is_own = key_scripts(public_key(key), owned.kind)[0] == script
    return replace(owned, key=key if is_own else None)


def _raw(tx: Tx) -> bytes:
    return tx.serialize(include_witness=True, check_validity=False)
