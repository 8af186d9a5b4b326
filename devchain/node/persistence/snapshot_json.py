"""What rooms remember, as JSON and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from devchain.chain.chain import Chain, ChainCheckpoint, NextBlockOverrides
from devchain.chain.storage.block_encoding import BlockReader
from devchain.chain.transaction import MAX_UINT256, Transaction
from devchain.clock import MAX_TIMESTAMP, ClockCheckpoint
from devchain.node.accounts import AccountsCheckpoint, StoredKey, UnlockedKey
from devchain.node.filters import FiltersCheckpoint
from devchain.node.keystore import checked
from devchain.node.mempool import BySender, MempoolCheckpoint
from devchain.node.miner import MinerCheckpoint
from devchain.node.mining_work import WorkCheckpoint
from devchain.types import Address, Hash32

Json = dict[str, Any]


def overrides_json(orders: NextBlockOverrides) -> Json:
    """What is ordered of coming blocks."""
    randao = orders.prev_randao
    return {**asdict(orders), "prev_randao": None if randao is None else randao.hex()}


def overrides_of(value: Json) -> NextBlockOverrides:
    """What was ordered."""
    randao = value["prev_randao"]
    ordered = {**value, "prev_randao": None}
    _check_numbers(ordered, MAX_UINT256)
    return replace(
        NextBlockOverrides(**ordered), prev_randao=None if randao is None else _hash(randao)
    )


def miner_json(state: MinerCheckpoint) -> Json:
    """How a miner mines."""
    return {**asdict(state), "coinbase": state.coinbase.hex()}


def miner_of(value: Json) -> MinerCheckpoint:
    """How it mined."""
    _check_numbers({**value, "coinbase": None}, MAX_TIMESTAMP)
    return MinerCheckpoint(**{**value, "coinbase": _address(value["coinbase"])})


def clock_of(value: Json) -> ClockCheckpoint:
    """How far chain time was from the wall clock."""
    _check_numbers(value, MAX_TIMESTAMP)
    return ClockCheckpoint(**value)


def _check_numbers(value: Json, most: int) -> None:
    """Raise `ValueError` for what is no number, or one that is beyond reason."""
    for name, each in value.items():
        if each is not None and not (isinstance(each, int | float) and -most <= each <= most):
            msg = f"{name} is {each!r:.40}"
            raise ValueError(msg)


def transaction_json(tx: Transaction) -> list[str]:
    """A transaction and who sent it, which an impersonated sender's signature does not tell."""
    return [tx.raw.hex(), tx.sender.hex()]


class Tokens:
    """Reads and writes the tokens of which a snapshot is made.

    Not kept are filters, whose owners are gone with their connections, and keys as they lie open:
    an account that was unlocked is locked when it comes back, funded ones are open.
    """

    def __init__(
        self, chain: Chain, chain_id: int, find_key: Callable[[Address], StoredKey | None]
    ) -> None:
        """Tell of that chain; `find_key` knows the accounts that need no passphrase."""
        self._chain = chain
        self._reader = BlockReader(chain.rules, chain_id)
        self._find_key = find_key

    def transaction(self, value: list[str]) -> Transaction:
        """The transaction that `transaction_json` wrote."""
        raw, sender = value
        return self._reader.transaction(bytes.fromhex(raw), _address(sender))

    def write(self, tokens: Mapping[str, Any]) -> Json:
        """The tokens of a snapshot."""
        chain, work = tokens["chain"], tokens["work"]
        return {
            "height": chain.height,
            "head": chain.head.hex(),
            "edited": chain.edited.root.hex() if chain.edited else None,
            "orders": overrides_json(chain.next_block_overrides),
            "pool": [
                transaction_json(tx)
                for waiting in tokens["mempool"].by_sender.values()
                for tx in waiting.values()
            ],
            "announced": [each.hex() for each in sorted(tokens["mempool"].announced)],
            "clock": asdict(tokens["clock"]),
            "miner": miner_json(tokens["miner"]),
            "accounts": accounts_json(tokens["accounts"]),
            "rates": {client.hex(): rate for client, rate in work.rates.items()},
        }

    def read(self, value: Json) -> dict[str, Any]:
        """The tokens that `write` wrote."""
        edited = value["edited"]
        return {
            "chain": ChainCheckpoint(
                value["height"],
                _hash(value["head"]),
                None if edited is None else self._chain.retain_state(_hash(edited)),
                overrides_of(value["orders"]),
            ),
            "mempool": MempoolCheckpoint(
                by_sender([self.transaction(each) for each in value["pool"]]),
                0,  # the journal of what became pending is gone with those who read it
                frozenset(map(_hash, value["announced"])),
            ),
            "clock": clock_of(value["clock"]),
            "miner": miner_of(value["miner"]),
            "accounts": self._accounts(value["accounts"]),
            "filters": FiltersCheckpoint({}),
            "work": WorkCheckpoint({_hash(each): rate for each, rate in value["rates"].items()}),
        }

    def _accounts(self, value: Json) -> AccountsCheckpoint:
        stored: dict[Address, StoredKey] = {}
        for text, keystore in value["stored"].items():
            address = _address(text)
            held = StoredKey(address, checked(keystore)) if keystore else None
            found = held or self._find_key(address)
            if found is not None:
                stored[address] = found
        open_keys = {
            address: UnlockedKey(each.private_key)
            for address, each in stored.items()
            if each.private_key is not None and address.hex() in value["unlocked"]
        }
        impersonated = tuple(map(_address, value["impersonated"]))
        return AccountsCheckpoint(stored, open_keys, impersonated, value["impersonates_all"])


def accounts_json(state: AccountsCheckpoint) -> Json:
    """What is known of accounts, without any open key."""
    return {
        "stored": {address.hex(): each.keystore for address, each in state.stored.items()},
        "unlocked": [each.hex() for each in state.unlocked if _is_open(state.stored.get(each))],
        "impersonated": [each.hex() for each in state.impersonated],
        "impersonates_all": state.impersonates_all,
    }


def _is_open(key: StoredKey | None) -> bool:
    return key is not None and key.keystore is None


def by_sender(transactions: list[Transaction]) -> BySender:
    """Transactions as the mempool keeps them."""
    sorted_out: BySender = {}
    for tx in transactions:
        sorted_out.setdefault(tx.sender, {})[tx.nonce] = tx
    return sorted_out


def without_floor(state: ClockCheckpoint, timestamp: int) -> ClockCheckpoint:
    """A clock's state, its floor left out where that is only the newest block's timestamp."""
    return replace(state, floor=0) if state.floor == timestamp else state


def _address(text: str) -> Address:
    return Address(bytes.fromhex(text))


def _hash(text: str) -> Hash32:
    return Hash32(bytes.fromhex(text))
