"""Where a chain keeps its states, for either engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB

from devchain.state.account import Account
from devchain.state.accounts import Accounts
from devchain.state.states import States
from devchain.state.trie import Trie
from devchain.types import Hash32


@dataclass(frozen=True, slots=True)
class HeldState:
    """A state root, and what keeps its state from being forgotten."""

    root: Hash32
    trie: Trie | None = field(default=None, repr=False, compare=False)


class Database(Protocol):
    """What the chain asks of it; py-evm's states are opened on it too."""

    def accounts(self, root: Hash32) -> Any:
        """The accounts under a root, as py-evm's account database."""

    def trie(self, root: Hash32) -> Trie:
        """The trie of a state, to prove what is in it."""

    def account(self, value: Any) -> Account:
        """The account of a value in a state's trie."""

    def hold(self, root: Hash32) -> HeldState:
        """What to keep for as long as the state of that root may be asked for."""


class FastDatabase(States):
    """The fast engine's: tries in memory, each as long as somebody holds it."""

    def accounts(self, root: Hash32) -> Accounts:
        """The accounts under a root."""
        return Accounts(self, root)

    def hold(self, root: Hash32) -> HeldState:
        """The state's trie."""
        return HeldState(root, self.trie(root))


class ReferenceDatabase(AtomicDB):
    """py-evm's: nodes and code by their hash, kept for good."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        super().__init__()
        self._states = States(self.__getitem__)

    def accounts(self, root: Hash32) -> AccountDB:
        """The accounts under a root."""
        return AccountDB(self, root)

    def trie(self, root: Hash32) -> Trie:
        """The trie of that root."""
        return self._states.trie(root)

    def account(self, value: Any) -> Account:
        """The account of a value in a state's trie."""
        return self._states.account(value)

    def hold(self, root: Hash32) -> HeldState:
        """The root alone: nothing is ever forgotten."""
        return HeldState(root)


def open_database(engine: str) -> Database:
    """An empty database for that engine."""
    return FastDatabase() if engine == "fast" else ReferenceDatabase()
