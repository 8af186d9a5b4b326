"""A read-only view of the state under one root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from devchain.state.proof import AccountProof, prove
from devchain.state.state_database import Database
from devchain.types import Address, Hash32


@dataclass(frozen=True)
class StateView:
    """The accounts under one state root."""

    accounts: Any
    database: Database
    root: Hash32

    @classmethod
    def open(cls, database: Database, root: Hash32) -> StateView:
        """The state under that root of that database."""
        return cls(database.reading(root), database, root)

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

    def exists(self, address: Address) -> bool:
        """Whether the account exists, even if it is empty."""
        return bool(self.accounts.account_exists(address))

    def proof(self, address: Address, slots: Sequence[int]) -> AccountProof:
        """Proofs of the account and of those slots against the root (EIP-1186)."""
        return prove(self.database, self.root, address, slots)
