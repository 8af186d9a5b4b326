"""A read-only view of the state under one root."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from devchain.state.account_database import account_key, decode_value
from devchain.state.proof import AccountProof, prove
from devchain.state.state_database import Database, FastDatabase, ReferenceDatabase
from devchain.types import Address, Hash32


class StateView(NamedTuple):
    """The accounts under one state root."""

    accounts: Any
    database: Database
    root: Hash32

    @classmethod
    def open(cls, database: Database, root: Hash32) -> StateView:
        """The state under that root of that database."""
        return cls(database.accounts(root), database, root)

    def balance(self, address: Address) -> int:
        """Balance in wei; 0 for an account that does not exist."""
        return int(self.accounts.get_balance(address))

    def nonce(self, address: Address) -> int:
        """The number of transactions sent, or of contracts created, by the account."""
        return int(self.accounts.get_nonce(address))

    def code(self, address: Address) -> bytes:
        """Code of the account, empty if it has none."""
        code: bytes = self.accounts.get_code(address)
        return code

    def storage(self, address: Address, slot: int) -> int:
        """One storage slot; 0 if never written."""
        return int(self.accounts.get_storage(address, slot))

    def storage_values(self, address: Address, limit: int) -> list[int]:
        """Values in an account's slots, at most that many, in the order of the slots' hashes.

        Of a fork it has none: its slots are known when they are read.
        """
        if not isinstance(self.database, FastDatabase | ReferenceDatabase):
            return []
        found = self.database.trie(self.root).get(account_key(address))
        if found is None:
            return []
        storage = self.database.account(found).storage
        return [decode_value(each) for each in islice(storage.values(), limit)]

    def exists(self, address: Address) -> bool:
        """Whether the account exists, even if it is empty."""
        return bool(self.accounts.account_exists(address))

    def proof(self, address: Address, slots: Sequence[int]) -> AccountProof:
        """Proofs of the account and of those slots against the root (EIP-1186)."""
        return prove(self.database, self.root, address, slots)
