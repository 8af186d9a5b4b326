"""A node's settings, snapshots and pending transactions as JSON, for its data dir and its dumps.

The names of members are a file format: data dirs and dumps of earlier versions are read too.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from devchain.chain.chain import ChainCheckpoint, MockChanges, NextBlockOverrides
from devchain.chain.storage.block_encoding import BlockDecoder
from devchain.chain.transaction import Transaction
from devchain.clock import MAX_TIMESTAMP, ClockCheckpoint
from devchain.config import Config
from devchain.errors import AccountUnavailable
from devchain.evm.mocks import Mock, Mocks
from devchain.evm.rules import MAX_EXTRA_DATA
from devchain.node.accounts import AccountsCheckpoint, StoredKey, UnlockedKey
from devchain.node.external_mining import WorkCheckpoint
from devchain.node.filters import FiltersCheckpoint
from devchain.node.keystore import check_keystore, encrypt_with_empty_passphrase
from devchain.node.mempool import BySender, MempoolCheckpoint
from devchain.node.miner import MinerCheckpoint
from devchain.node.snapshots import NodeComponents, NodeSnapshot, SnapshotStore
from devchain.state.trie import HASH_BYTES
from devchain.types import MAX_UINT256, ZERO_ADDRESS, Address, Hash32

Json = dict[str, Any]


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


class NodeCodec:
    """Writes the settings, transactions and snapshots of a node as JSON, and reads them back.

    Filters are left out, since their clients have disconnected, and so are unencrypted private
    keys: an account with a passphrase is locked when it is read back.
    """

    def __init__(self, config: Config, node: NodeComponents, snapshots: SnapshotStore) -> None:
        """Write and restore that node."""
        self.config = config
        self.node = node
        self.snapshots = snapshots

    @cached_property
    def _decoder(self) -> BlockDecoder:
        return BlockDecoder(self.node.chain.rules, self.config.effective_chain_id)

    # Settings

    def settings(self) -> NodeSettings:
        """The present settings."""
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
        )

    def write_settings(self, settings: NodeSettings) -> Json:
        """Settings as JSON."""
        accounts = _accounts_json(settings.accounts)
        made = self.node.accounts.added_keys().values()
        return {
            "clock": asdict(settings.clock),
            "miner": _miner_json(settings.miner),
            "miner_options": _miner_json(self.node.miner.initial),
            "orders": _overrides_json(settings.next_block),
            "impersonated": accounts["impersonated"],
            "impersonates_all": accounts["impersonates_all"],
            "open": [each.address.hex() for each in made if each.keystore is None],
            "last_snapshot": settings.last_snapshot,
            "mocks": _mocks_json(settings.mocks),
            "mock_changes": [
                [number, _mocks_json(mocks)] for number, mocks in settings.mock_changes
            ],
        }

    def restore_settings(self, value: Json) -> None:
        """Restore what `write_settings` wrote; the keys have been loaded before.

        Mining goes on as it was, unless the node was started with options that say how, or with
        another coinbase than before.
        """
        node = self.node
        self.restore_clock(_clock(value["clock"]))
        stored, chosen = _miner(value["miner"]), node.miner.initial
        if value["miner_options"]["coinbase"] != _miner_json(chosen)["coinbase"]:
            stored = replace(stored, coinbase=chosen.coinbase)
        mode = chosen if node.miner.has_chosen_mode else stored
        node.miner.restore(replace(mode, coinbase=stored.coinbase))
        node.chain.set_next_block(**asdict(_overrides(value["orders"])))
        changes = value.get("mock_changes", [])  # older files have neither
        node.chain.restore_mocks(_mocks(value.get("mocks", [])), _mock_changes(changes))
        for text in value["impersonated"]:
            node.accounts.impersonate(Address(bytes.fromhex(text)))
        node.accounts.impersonates_all = value["impersonates_all"]
        for text in value["open"]:
            with suppress(AccountUnavailable):
                node.accounts.unlock_with_empty_passphrase(Address(bytes.fromhex(text)))

    def return_to_settings(self, settings: NodeSettings) -> None:
        """Return to what `settings` returned earlier."""
        node = self.node
        node.accounts.restore(settings.accounts)
        self.restore_clock(settings.clock)
        node.miner.restore(settings.miner)
        node.chain.set_next_block(**asdict(settings.next_block))
        node.chain.restore_mocks(settings.mocks, settings.mock_changes)
        node.work.discard_work()

    def restore_clock(self, checkpoint: ClockCheckpoint) -> None:
        """Restore the clock, not before the newest block's timestamp."""
        floor = max(checkpoint.floor, self.node.chain.head.timestamp)
        self.node.clock.restore(replace(checkpoint, floor=floor))

    def keystores(self) -> dict[str, Json]:
        """Created and imported keys by address; unencrypted ones get an empty passphrase."""
        made = self.node.accounts.added_keys()
        return {
            address.hex(): key.keystore or encrypt_with_empty_passphrase(key)
            for address, key in made.items()
        }

    # Transactions

    def read_transaction(self, value: list[str]) -> Transaction:
        """The transaction that `transaction_json` wrote."""
        raw, sender = value
        return self._decoder.decode_transaction(bytes.fromhex(raw), _address(sender))

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
        """A snapshot as JSON."""
        chain, pool = snapshot.chain, snapshot.mempool
        return {
            "height": chain.height,
            "head": chain.head.hex(),
            "edited": chain.edited.root.hex() if chain.edited else None,
            "orders": _overrides_json(chain.next_block_overrides),
            "mocks": _mocks_json(chain.mocks),
            "pool": [
                transaction_json(tx)
                for waiting in pool.by_sender.values()
                for tx in waiting.values()
            ],
            "announced": [tx_hash.hex() for tx_hash in sorted(pool.announced)],
            "clock": asdict(snapshot.clock),
            "miner": _miner_json(snapshot.miner),
            "accounts": _accounts_json(snapshot.accounts),
            "rates": {client.hex(): rate for client, rate in snapshot.work.rates.items()},
        }

    def read_snapshot(self, value: Json) -> NodeSnapshot:
        """The snapshot that `write_snapshot` wrote."""
        edited = value["edited"]
        return NodeSnapshot(
            chain=ChainCheckpoint(
                value["height"],
                decode_hash(value["head"]),
                None if edited is None else self.node.chain.retain_state(decode_hash(edited)),
                _overrides(value["orders"]),
                _mocks(value.get("mocks", [])),
            ),
            mempool=MempoolCheckpoint(
                _by_sender([self.read_transaction(tx) for tx in value["pool"]]),
                0,  # what filters had still to read of arrivals is gone with the filters
                frozenset(map(decode_hash, value["announced"])),
            ),
            clock=_clock(value["clock"]),
            miner=_miner(value["miner"]),
            accounts=self._read_accounts(value["accounts"]),
            filters=FiltersCheckpoint({}),
            work=WorkCheckpoint({decode_hash(each): rate for each, rate in value["rates"].items()}),
            expected_calls=(),  # gone with those who expected them
        )

    def _read_accounts(self, value: Json) -> AccountsCheckpoint:
        stored: dict[Address, StoredKey] = {}
        for text, keystore in value["stored"].items():
            address = _address(text)
            key = (
                StoredKey(address, check_keystore(keystore))
                if keystore
                else self._plain_key(address)
            )
            if key is not None:
                stored[address] = key
        unlocked = {
            address: UnlockedKey(stored_key.private_key)
            for address, stored_key in stored.items()
            if stored_key.private_key is not None and address.hex() in value["unlocked"]
        }
        impersonated = tuple(map(_address, value["impersonated"]))
        return AccountsCheckpoint(stored, unlocked, impersonated, value["impersonates_all"])

    def _plain_key(self, address: Address) -> StoredKey | None:
        accounts = self.node.accounts
        return accounts.configured_key(address) or accounts.added_keys().get(address)


def transaction_json(tx: Transaction) -> list[str]:
    """A transaction and its sender, which the signature of an impersonated one does not give."""
    return [tx.raw.hex(), tx.sender.hex()]


def _by_sender(transactions: list[Transaction]) -> BySender:
    grouped: BySender = {}
    for tx in transactions:
        grouped.setdefault(tx.sender, {})[tx.nonce] = tx
    return grouped


def _overrides_json(overrides: NextBlockOverrides) -> Json:
    return {
        name: value.hex() if isinstance(value, bytes) else value
        for name, value in asdict(overrides).items()
    }


def _overrides(value: Json) -> NextBlockOverrides:
    randao, extra = value["prev_randao"], value.get("extra_data")  # older files have none
    numbers = {**value, "prev_randao": None, "extra_data": None}
    _check_numbers(numbers, MAX_UINT256)
    return replace(
        NextBlockOverrides(**numbers),
        prev_randao=None if randao is None else decode_hash(randao),
        extra_data=None if extra is None else _extra_data(extra),
    )


def _mocks_json(mocks: Mocks) -> list[Json]:
    return [
        {
            "address": mock.address.hex(),
            "data": mock.data.hex(),
            "value": mock.value,
            "answer": mock.answer.hex(),
            "reverts": mock.reverts,
        }
        for mock in mocks.ordered
    ]


def _mocks(value: list[Json]) -> Mocks:
    return Mocks(tuple(map(_mock, value)))


def _mock(value: Json) -> Mock:
    address, amount, reverts = _address(value["address"]), value["value"], value["reverts"]
    if len(address) != len(ZERO_ADDRESS) or not isinstance(reverts, bool):
        raise ValueError("no address, or no boolean, in a mock")
    if amount is not None and not (isinstance(amount, int) and 0 <= amount <= MAX_UINT256):
        raise ValueError(f"a mock's value is {amount!r:.40}")
    data, answer = bytes.fromhex(value["data"]), bytes.fromhex(value["answer"])
    return Mock(address, data, amount, answer, reverts)


def _mock_changes(value: list[Any]) -> MockChanges:
    changes = tuple((number, _mocks(mocks)) for number, mocks in value)
    numbers = [number for number, _ in changes]
    if not all(isinstance(number, int) for number in numbers) or numbers != sorted({*numbers}):
        raise ValueError("the blocks from which mocks are in force are not in order")
    return changes


def _extra_data(text: str) -> bytes:
    extra_data = bytes.fromhex(text)
    if len(extra_data) > MAX_EXTRA_DATA:
        raise ValueError(f"extra data has at most {MAX_EXTRA_DATA} bytes, not {len(extra_data)}")
    return extra_data


def _miner_json(checkpoint: MinerCheckpoint) -> Json:
    return {**asdict(checkpoint), "coinbase": checkpoint.coinbase.hex()}


def _miner(value: Json) -> MinerCheckpoint:
    _check_numbers({**value, "coinbase": None}, MAX_TIMESTAMP)
    return MinerCheckpoint(**{**value, "coinbase": _address(value["coinbase"])})


def _clock(value: Json) -> ClockCheckpoint:
    _check_numbers(value, MAX_TIMESTAMP)
    return ClockCheckpoint(**value)


def _check_numbers(value: Json, limit: int) -> None:
    for name, member in value.items():
        if member is not None and not (
            isinstance(member, int | float) and -limit <= member <= limit
        ):
            raise ValueError(f"{name} is {member!r:.40}")


def _accounts_json(checkpoint: AccountsCheckpoint) -> Json:
    plain = {address for address, key in checkpoint.stored.items() if key.keystore is None}
    return {
        "stored": {
            address.hex(): stored_key.keystore for address, stored_key in checkpoint.stored.items()
        },
        "unlocked": [address.hex() for address in checkpoint.unlocked if address in plain],
        "impersonated": [address.hex() for address in checkpoint.impersonated],
        "impersonates_all": checkpoint.impersonates_all,
    }


def _address(text: str) -> Address:
    return Address(bytes.fromhex(text))


def decode_hash(text: str) -> Hash32:
    """The hash of that hex text; raises `ValueError` for any other length than 32 bytes."""
    found = bytes.fromhex(text)
    if len(found) != HASH_BYTES:
        raise ValueError(f"a hash has {HASH_BYTES} bytes, not {len(found)}")
    return Hash32(found)
