"""A node's settings, snapshots and pending transactions as JSON, for its data dir and its dumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from devchain.chain.chain import ChainCheckpoint, MockChanges, NextBlockOverrides
from devchain.chain.storage.block_encoding import BlockDecoder
from devchain.chain.transaction import Transaction
from devchain.clock import MAX_TIMESTAMP, ClockCheckpoint
from devchain.config import MAX_EXTRA_DATA, Config
from devchain.errors import AccountUnavailable
from devchain.evm.mocks import Mocks
from devchain.node.accounts import AccountsCheckpoint, StoredKey, UnlockedKey
from devchain.node.keystore import check_keystore, encrypt_with_empty_passphrase
from devchain.node.mempool import BySender, MempoolCheckpoint
from devchain.node.miner import MinerCheckpoint
from devchain.node.snapshots import NodeComponents, NodeSnapshot, SnapshotStore
from devchain.types import MAX_UINT256, Address, Hash32

if TYPE_CHECKING:  # which import btclib
    from devchain.bitcoin.bitcoin_node import BitcoinCheckpoint
    from devchain.bitcoin.chain import ChainBlock

Json = dict[str, Any]

SIZES = {Address: 20, Hash32: 32}


def to_json(value: Any) -> Any:
    """A checkpoint as JSON: data classes are objects, tuples lists, and bytes hex."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [to_json(member) for member in value]
    if isinstance(value, dict):
        return {to_json(key): to_json(member) for key, member in value.items()}
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    return value


def from_json(kind: Any, value: Any) -> Any:
    """The value of a type that `to_json` wrote; raises an error of any type for any other."""
    parts = get_args(kind)
    if type(None) in parts:
        return None if value is None else from_json(parts[0], value)
    if get_origin(kind) is dict:
        return {from_json(parts[0], key): from_json(parts[1], value[key]) for key in value}
    if get_origin(kind) is tuple:
        kinds = parts[:1] * len(value) if parts[-1] is ... else parts
        return tuple(from_json(*pair) for pair in zip(kinds, value, strict=True))
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(
            **{
                field.name: from_json(hints[field.name], value[field.name])
                for field in fields(kind)
            }
        )
    if kind is bytes or kind in SIZES:
        content = bytes.fromhex(value)
        if len(content) != SIZES.get(kind, len(content)):
            raise ValueError(f"{SIZES[kind]} bytes are wanted, not {len(content)}")
        return content
    if not isinstance(value, (int, float) if kind is float else kind):
        raise TypeError(f"{kind.__name__} is wanted, not {value!r:.40}")
    if kind is not str and not -MAX_UINT256 <= value <= MAX_UINT256:
        raise ValueError(f"{value} is too large")
    return value


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """What a node keeps beside its chain, mempool and snapshots; cheap to read and compare."""

    clock: ClockCheckpoint
    miner: MinerCheckpoint
    accounts: AccountsCheckpoint
    next_block: NextBlockOverrides
    last_snapshot: int
    mocks: Mocks
    mock_changes: MockChanges
    bitcoin: BitcoinCheckpoint | None


class NodeCodec:
    """Writes the settings, transactions and snapshots of a node as JSON, and reads them back.

    Filters are left out, since their clients have disconnected, and so are unencrypted private
    keys: an account with a passphrase is locked when it is read back.
    """

    def __init__(self, config: Config, node: NodeComponents, snapshots: SnapshotStore) -> None:
        self.config = config
        self.node = node
        self.snapshots = snapshots
        self._bitcoin_blocks: Mapping[bytes, ChainBlock] = {}  # that were read

    @cached_property
    def _decoder(self) -> BlockDecoder:
        return BlockDecoder(self.node.chain.rules, self.config.effective_chain_id)

    # Settings

    def settings(self) -> NodeSettings:
        node = self.node
        clock = node.clock.checkpoint()
        if clock.floor == node.chain.head.timestamp:
            clock = replace(clock, floor=0)  # so that the settings stay equal from block to block
        return NodeSettings(
            clock,
            node.miner.checkpoint(),
            node.accounts.checkpoint(),
            node.chain.next_block_overrides,
            self.snapshots.last_id,
            node.chain.mocks,
            node.chain.mock_changes,
            node.bitcoin.checkpoint(),
        )

    def write_settings(self, settings: NodeSettings) -> Json:
        made = self.node.accounts.added_keys().values()
        return {
            "clock": to_json(settings.clock),
            "miner": to_json(settings.miner),
            "miner_options": to_json(self.node.miner.initial),
            "next_block": to_json(settings.next_block),
            "impersonated": to_json(settings.accounts.impersonated),
            "impersonates_all": settings.accounts.impersonates_all,
            "open": [key.address.hex() for key in made if key.keystore is None],
            "last_snapshot": settings.last_snapshot,
            "mocks": to_json(settings.mocks),
            "mock_changes": to_json(settings.mock_changes),
            "bitcoin": to_json(settings.bitcoin and settings.bitcoin.state),
        }

    def restore_settings(self, value: Json) -> None:
        """Restore what `write_settings` wrote; the keys have been loaded before.

        Mining goes on as it was, unless the node was started with options that say how, or with
        another coinbase than before.
        """
        node = self.node
        node.clock.restore(self.clock_from_head(_clock(value["clock"])))
        stored, chosen = from_json(MinerCheckpoint, value["miner"]), node.miner.initial
        if value["miner_options"]["coinbase"] != chosen.coinbase.hex():
            stored = replace(stored, coinbase=chosen.coinbase)
        node.bitcoin.restore(self._read_bitcoin(value))
        mode = chosen if node.miner.has_chosen_mode else stored
        node.miner.restore(replace(mode, coinbase=stored.coinbase))
        node.chain.set_next_block(**asdict(_overrides(value["next_block"])))
        changes = from_json(tuple[tuple[int, Mocks], ...], value["mock_changes"])
        numbers = [number for number, _ in changes]
        if numbers != sorted({*numbers}):
            raise ValueError("the blocks from which mocks are in force are not in order")
        node.chain.restore_mocks(from_json(Mocks, value["mocks"]), changes)
        for text in value["impersonated"]:
            node.accounts.impersonate(from_json(Address, text))
        node.accounts.impersonates_all = from_json(bool, value["impersonates_all"])
        for text in value["open"]:
            with suppress(AccountUnavailable):
                node.accounts.unlock_with_empty_passphrase(from_json(Address, text))

    def clock_from_head(self, checkpoint: ClockCheckpoint) -> ClockCheckpoint:
        """A checkpoint of the clock that is not before the newest block's timestamp."""
        return replace(checkpoint, floor=max(checkpoint.floor, self.node.chain.head.timestamp))

    def keystores(self) -> dict[str, Json]:
        """Created and imported keys by address; unencrypted ones get an empty passphrase."""
        made = self.node.accounts.added_keys()
        return {
            address.hex(): key.keystore or encrypt_with_empty_passphrase(key)
            for address, key in made.items()
        }

    # Bitcoin

    def bitcoin_blocks(self) -> Iterator[tuple[bytes, bytes]]:
        """Hash and bytes of Bitcoin's blocks, also those that only snapshots have."""
        snapshots = self.snapshots.all().values()
        found = [self.node.bitcoin.checkpoint(), *(snapshot.bitcoin for snapshot in snapshots)]
        if checkpoints := [checkpoint for checkpoint in found if checkpoint]:
            from devchain.bitcoin.stored import stored_blocks

            yield from stored_blocks(checkpoints)

    def load_bitcoin_blocks(self, raws: Iterable[bytes]) -> None:
        """Read blocks for `restore_settings`; raises an error of any type for damaged ones."""
        from devchain.bitcoin.stored import read_blocks

        self._bitcoin_blocks = read_blocks(raws)

    # Transactions

    def read_transaction(self, value: list[str]) -> Transaction:
        raw, sender = value
        return self._decoder.decode_transaction(bytes.fromhex(raw), from_json(Address, sender))

    def restore_mempool(self, transactions: list[Transaction], arrivals: int = 0) -> None:
        """Fill the mempool with those of the transactions that can still be mined.

        The first so many of its arrivals stay, and are not announced again.
        """
        mempool = self.node.mempool
        hashes = {tx.hash for tx in transactions}
        announced = frozenset(
            arrival for arrival in mempool.arrivals[:arrivals] if arrival in hashes
        )
        mempool.restore(MempoolCheckpoint(_by_sender(transactions), arrivals, announced))
        mempool.sync_to_head()

    # Snapshots

    def write_snapshot(self, snapshot: NodeSnapshot) -> Json:
        chain, pool, accounts = snapshot.chain, snapshot.mempool, snapshot.accounts
        return {
            "height": chain.height,
            "head": chain.head.hex(),
            "edited": chain.edited.root.hex() if chain.edited else None,
            "next_block": to_json(chain.next_block_overrides),
            "mocks": to_json(chain.mocks),
            "pool": [
                transaction_json(tx)
                for waiting in pool.by_sender.values()
                for tx in waiting.values()
            ],
            "announced": to_json(tuple(sorted(pool.announced))),
            "clock": to_json(snapshot.clock),
            "bitcoin": to_json(snapshot.bitcoin and snapshot.bitcoin.state),
            "miner": to_json(snapshot.miner),
            "keys": {address.hex(): key.keystore for address, key in accounts.stored.items()},
            "unlocked": [  # without those that a passphrase unlocked
                address.hex()
                for address, key in accounts.stored.items()
                if address in accounts.unlocked and key.keystore is None
            ],
            "impersonated": to_json(accounts.impersonated),
            "impersonates_all": accounts.impersonates_all,
        }

    def read_snapshot(self, value: Json) -> NodeSnapshot:
        edited = value["edited"]
        if edited is not None:
            edited = self.node.chain.database.retain_state(from_json(Hash32, edited))
        return NodeSnapshot(
            chain=ChainCheckpoint(
                from_json(int, value["height"]),
                from_json(Hash32, value["head"]),
                edited,
                _overrides(value["next_block"]),
                from_json(Mocks, value["mocks"]),
            ),
            mempool=MempoolCheckpoint(
                _by_sender([self.read_transaction(tx) for tx in value["pool"]]),
                0,  # what filters had still to read of arrivals is gone with the filters
                frozenset(from_json(tuple[Hash32, ...], value["announced"])),
            ),
            clock=_clock(value["clock"]),
            bitcoin=self._read_bitcoin(value),
            miner=from_json(MinerCheckpoint, value["miner"]),
            accounts=self._read_accounts(value),
            filters={},
            expected_calls=(),  # gone with those who expected them
        )

    def _read_bitcoin(self, value: Json) -> BitcoinCheckpoint | None:
        # What earlier versions wrote has none.
        if value.get("bitcoin") is None:
            return None
        from devchain.bitcoin.bitcoin_node import BitcoinState
        from devchain.bitcoin.stored import load

        return load(
            from_json(BitcoinState, value["bitcoin"]), self._bitcoin_blocks, self.config.mnemonic
        )

    def _read_accounts(self, value: Json) -> AccountsCheckpoint:
        accounts = self.node.accounts
        stored: dict[Address, StoredKey] = {}
        for text, keystore in value["keys"].items():
            address = from_json(Address, text)
            if keystore:
                stored[address] = StoredKey(address, check_keystore(keystore))
            elif key := accounts.configured_key(address) or accounts.added_keys().get(address):
                stored[address] = key
        unlocked = {
            address: UnlockedKey(key.private_key)
            for address, key in stored.items()
            if key.private_key is not None and address.hex() in value["unlocked"]
        }
        impersonated = from_json(tuple[Address, ...], value["impersonated"])
        return AccountsCheckpoint(
            stored, unlocked, impersonated, from_json(bool, value["impersonates_all"])
        )


def transaction_json(tx: Transaction) -> list[str]:
    """A transaction and its sender, which the signature of an impersonated one does not give."""
    return [tx.raw.hex(), tx.sender.hex()]


def _by_sender(transactions: list[Transaction]) -> BySender:
    grouped: BySender = {}
    for tx in transactions:
        grouped.setdefault(tx.sender, {})[tx.nonce] = tx
    return grouped


def _overrides(value: Json) -> NextBlockOverrides:
    overrides: NextBlockOverrides = from_json(NextBlockOverrides, value)
    if len(overrides.extra_data or b"") > MAX_EXTRA_DATA:
        raise ValueError(f"extra data has at most {MAX_EXTRA_DATA} bytes")
    return overrides


def _clock(value: Json) -> ClockCheckpoint:
    checkpoint: ClockCheckpoint = from_json(ClockCheckpoint, value)
    if any(abs(seconds or 0) > MAX_TIMESTAMP for seconds in asdict(checkpoint).values()):
        raise ValueError("the time is too far away")
    return checkpoint
