"""A Bitcoin node on regtest: its chain, mempool and wallets, and what needs several of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from btclib.block.partial_merkle_tree import PartialMerkleTree
from btclib.exceptions import BTClibException
from btclib.tx import OutPoint, Tx, TxIn, TxOut

from devchain.bitcoin.chain import GENESIS_BLOCK, MAX_MONEY, BitcoinChain, ChainBlock
from devchain.bitcoin.mempool import BitcoinMempool, Entry
from devchain.bitcoin.signing import key_script, public_key, script_of, sign
from devchain.bitcoin.wallet import DEFAULT, FEE_RATE, Wallet, WalletState
from devchain.clock import Clock
from devchain.errors import BitcoinRejected, InvalidInput, LimitExceeded, NotFound
from devchain.types import Hash32

FIRST_BLOCKS = 110
"""Blocks of a new chain, ten minutes apart: the rewards of ten can be spent, 500 bitcoins."""

MAX_BLOCKS_AT_ONCE = 10_000
MAX_WALLETS = 1_000
KEY_FEE = 10_000  # satoshis, of a transaction with one input and one output
COINBASE_HASH = bytes(32)  # stands for the coinbase among wtxids (BIP141)


@dataclass(frozen=True, slots=True)
class BitcoinState:
    """All of a Bitcoin node but its blocks, as data dirs and dumps have it."""

    tip: Hash32
    mined: int
    mempool: tuple[Entry, ...]
    wallets: tuple[WalletState, ...]


class BitcoinCheckpoint(NamedTuple):
    """All of a Bitcoin node for a snapshot."""

    blocks: tuple[ChainBlock, ...]
    state: BitcoinState


@dataclass(frozen=True, slots=True)
class TransactionProof:
    """That a block has a transaction, as the Bridge's `registerBtcTransaction` takes it.

    `tree` is a partial Merkle tree as in BIP37's `merkleblock`.
    """

    transaction: bytes
    block_hash: bytes
    height: int
    header: bytes
    tree: bytes


class CoinbaseProof(NamedTuple):
    """What the Bridge's `registerBtcCoinbaseTransaction` takes, in its order.

    `transaction` is the coinbase without witnesses, `tree` its partial Merkle tree. Both hashes are
    in the order that Bitcoin displays.
    """

    transaction: bytes
    block_hash: bytes
    tree: bytes
    witness_root: bytes
    witness_reserved_value: bytes


class BitcoinNode:
    """Bitcoin on regtest: `mine`, `send`, `balance`, `proof`; `chain`, `mempool` and `wallets`.

    A new one has `FIRST_BLOCKS` blocks, whose rewards belong to the wallet `""`. Amounts are in
    satoshis; ids of transactions and blocks are 32 bytes in the order that Bitcoin displays.
    `after_block` is called when a block has been added.
    """

    def __init__(self, mnemonic: str, clock: Clock) -> None:
        self.mnemonic = mnemonic
        self.clock = clock
        self.chain = BitcoinChain()
        self.mempool = BitcoinMempool(self.chain, clock)
        self._checkpoint: BitcoinCheckpoint | None = None
        self.after_block: Callable[[], None] | None = None
        self.wallets: dict[str, Wallet] = {"": self._wallet(WalletState("", 0))}
        first = _first_blocks(script_of(self.wallet.new_address()))
        self.chain.restore(first, len(first) - 1)

    def changed(self) -> None:
        """Note that chain, mempool or a wallet have changed."""
        self._checkpoint = None

    # Blocks

    @property
    def height(self) -> int:
        return self.chain.height

    def block(self, place: int | bytes) -> ChainBlock:
        """A block by height or hash; raises `NotFound`."""
        if isinstance(place, int):
            block = self.chain.active[place] if 0 <= place <= self.height else None
        else:
            block = self.chain.blocks.get(place)
        if block is None:
            shown = place if isinstance(place, int) else _hex(place)
            raise NotFound(f"Bitcoin has no block {shown}; the newest is {self.height:,}")
        return block

    def headers(self, first: int, last: int | None = None) -> list[bytes]:
        """The headers from a height to another one or the newest; raises `InvalidInput`."""
        last = self.height if last is None else last
        for height in (first, last):
            _check_whole("height of a block", height, 0, self.height)
        return [block.header for block in self.chain.active[first : last + 1]]

    def mine(self, blocks: int = 1, address: str | None = None) -> list[bytes]:
        """Mine blocks with what is in the mempool; their hashes.

        The rewards go to an address, by default to the first of the wallet `""`.
        """
        _check_whole("number of blocks", blocks, 0, MAX_BLOCKS_AT_ONCE)
        script = next(iter(self.wallet.scripts)) if address is None else script_of(address)
        return [self.generate(script).hash for _ in range(blocks)]

    def generate(self, script: bytes) -> ChainBlock:
        """Mine a block that pays a script."""
        self.changed()
        entries = self.mempool.for_block()
        transactions, fees = [entry.tx for entry in entries], sum(entry.fee for entry in entries)
        block = self.chain.mine(script, transactions, fees, self.clock.now())
        self.mempool.confirm(entries)
        if self.after_block:
            self.after_block()
        return block

    def invalidate(self, block_hash: bytes) -> None:
        """Remove a block and those after it: a reorganization, without another miner.

        Their transactions wait in the mempool again.
        """
        height = self.block(block_hash).height
        if not height:
            raise InvalidInput("the genesis block cannot be invalidated")
        self.changed()
        lost = self.chain.disconnect_to(height - 1)
        self.mempool.take_back(tx for block in lost for tx in block.block.transactions[1:])

    # Transactions

    def send(self, address: str, satoshis: int, *, fee_rate: int = FEE_RATE) -> bytes:
        """Pay an address from the wallet `""`; the transaction's id. It waits in the mempool.

        `fee_rate` is in satoshis per 1,000 virtual bytes. Raises `BitcoinRejected`.
        """
        _check_whole("amount in satoshis", satoshis, 1, MAX_MONEY)
        tx = self.wallet.pay([(script_of(address), satoshis)], fee_rate=fee_rate)
        return self.add_transaction(tx)

    def send_from_key(self, key: bytes, script: bytes, satoshis: int) -> bytes:
        """Pay a script from a private key's legacy address, which the wallet `""` pays first.

        Returns the id of the transaction of the key; both wait in the mempool.
        """
        own = key_script(public_key(key), "legacy")
        funding = self.wallet.pay([(own, satoshis + KEY_FEE)])
        at = [out.script_pub_key.script for out in funding.vout].index(own)
        spent = TxIn(OutPoint(self.add_transaction(funding), at))
        tx = Tx(2, 0, [spent], [TxOut(satoshis, script)])
        sign(tx, [funding.vout[at]], [key])
        return self.add_transaction(tx)

    def send_raw(self, raw: bytes) -> bytes:
        """Send a signed transaction; its id. Raises `BitcoinRejected`."""
        return self.add_transaction(parse_transaction(raw))

    def add_transaction(self, tx: Tx) -> bytes:
        """Check a transaction and put it into the mempool; its id."""
        entry = self.mempool.add(tx)
        self.changed()
        return entry.txid

    def find(self, txid: bytes) -> Tx | None:
        """A transaction of a block or the mempool."""
        entry = self.mempool.entries.get(txid)
        return entry.tx if entry else self.chain.transaction(txid)

    def transaction(self, txid: bytes) -> bytes:
        """A transaction with its witnesses; raises `NotFound`."""
        tx = self.find(txid)
        if tx is None:
            raise NotFound(f"Bitcoin has no transaction {_hex(txid)}")
        return tx.serialize(include_witness=True)

    def confirmations(self, txid: bytes) -> int:
        """How many blocks confirm a transaction; 0 in the mempool. Raises `NotFound`."""
        place = self.chain.transactions.get(txid)
        if place is None:
            self.transaction(txid)
            return 0
        return self.height - place[0].height + 1

    def proof(self, txid: bytes, *, with_witness: bool = False) -> TransactionProof:
        """The Merkle proof of a confirmed transaction; raises `NotFound`.

        `with_witness`, the transaction has its witnesses, and the tree has hashes with witnesses.
        """
        place = self.chain.transactions.get(txid)
        if place is None:
            raise NotFound(f"no block of Bitcoin has a transaction {_hex(txid)}: mine one")
        block, position = place
        tree = _tree(_witness_hashes(block) if with_witness else block.txids, position)
        raw = block.block.transactions[position].serialize(include_witness=with_witness)
        return TransactionProof(raw, block.hash, block.height, block.header, tree)

    def coinbase_proof(self, place: int | bytes) -> CoinbaseProof:
        """The coinbase of a block, which the Bridge needs before SegWit transactions of it."""
        block = self.block(place)
        coinbase = block.block.transactions[0]
        # The root of a tree in which every leaf is marked is computed from all of them.
        hashes = _witness_hashes(block)
        root = PartialMerkleTree.from_txids(hashes, [True] * len(hashes)).merkle_root
        stack = coinbase.vin[0].script_witness.stack
        raw, reserved = coinbase.serialize(include_witness=False), stack[0] if stack else b""
        return CoinbaseProof(raw, block.hash, _tree(block.txids, 0), root, reserved)

    # Wallets

    @property
    def wallet(self) -> Wallet:
        """The wallet `""`, which has the rewards of the first blocks."""
        return self.wallets[""]

    def new_address(self, kind: str = DEFAULT) -> str:
        """A new address of the wallet `""`: `legacy`, `p2sh-segwit` or `bech32`."""
        return self.wallet.new_address(kind)

    def balance(self, address: str | None = None) -> int:
        """What the wallet `""` can spend; or the confirmed unspent outputs of an address."""
        if address is None:
            return self.wallet.balance()
        coins = self.chain.coins_of.get(script_of(address), {})
        return sum(coin.tx_out.value for coin in coins.values())

    def create_wallet(self, name: str, *, has_keys: bool = True) -> Wallet:
        """Add a wallet with its own account of the mnemonic; raises `InvalidInput` if it exists."""
        if not isinstance(name, str):
            raise InvalidInput(f"{name!r:.40} is no name of a wallet: give text")
        if name in self.wallets:
            raise InvalidInput(f"the wallet {name!r:.100} exists")
        if len(self.wallets) >= MAX_WALLETS:
            raise LimitExceeded(f"at most {MAX_WALLETS:,} wallets can be created")
        state = WalletState(name, len(self.wallets), has_keys)
        self.wallets[name] = wallet = self._wallet(state)
        self.changed()
        return wallet

    def _wallet(self, state: WalletState) -> Wallet:
        return Wallet(self.mempool, self.mnemonic, state, self.changed)

    # Snapshots

    def checkpoint(self) -> BitcoinCheckpoint:
        """The same object as before if nothing has changed."""
        if self._checkpoint is None:
            wallets = tuple(wallet.state for wallet in self.wallets.values())
            chain, entries = self.chain, tuple(self.mempool.entries.values())
            state = BitcoinState(Hash32(chain.tip.hash), chain.mined, entries, wallets)
            self._checkpoint = BitcoinCheckpoint(tuple(chain.active), state)
        return self._checkpoint

    def restore(self, checkpoint: BitcoinCheckpoint) -> None:
        if checkpoint is self._checkpoint:
            return
        blocks, state = checkpoint
        self.chain.restore(blocks, state.mined)
        self.mempool.restore(state.mempool)
        self.wallets = {wallet.name: self._wallet(wallet) for wallet in state.wallets}
        self._checkpoint = checkpoint


def _check_whole(what: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{value!r:.40} is no {what}: give {least:,} to {most:,}")


def _hex(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    raise InvalidInput(f"{value!r:.80} is no hash: give 32 bytes")


def parse_transaction(raw: bytes) -> Tx:
    """The transaction of its bytes; raises `BitcoinRejected`."""
    try:
        return Tx.parse(raw)
    except (BTClibException, ValueError, OverflowError) as error:
        raise BitcoinRejected("TX decode failed", detail=str(error)[:200]) from None


def _witness_hashes(block: ChainBlock) -> list[bytes]:
    return [COINBASE_HASH, *(tx.hash for tx in block.block.transactions[1:])]


def _tree(hashes: Sequence[bytes], position: int) -> bytes:
    marked = [index == position for index in range(len(hashes))]
    return PartialMerkleTree.from_txids(hashes, marked).serialize()


@cache
def _first_blocks(script: bytes) -> list[ChainBlock]:
    chain = BitcoinChain()
    for number in range(1, FIRST_BLOCKS + 1):
        chain.mine(script, [], 0, GENESIS_BLOCK.time + 600 * number)
    return chain.active
