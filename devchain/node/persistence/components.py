"""The rooms of a node, gathered for what writes down all they remember."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from devchain.chain.chain import Chain, NextBlockOverrides
from devchain.chain.transaction import Transaction
from devchain.clock import Clock, ClockCheckpoint
from devchain.config import Config
from devchain.errors import AccountUnavailable
from devchain.node.accounts import Accounts, AccountsCheckpoint, StoredKey
from devchain.node.keystore import with_empty_passphrase
from devchain.node.mempool import Mempool, MempoolCheckpoint
from devchain.node.miner import Miner, MinerCheckpoint
from devchain.node.persistence.snapshot_json import (
    Json,
    Tokens,
    accounts_json,
    by_sender,
    clock_of,
    miner_json,
    miner_of,
    overrides_json,
    overrides_of,
    without_floor,
)
from devchain.node.snapshots import Snapshots
from devchain.types import Address


@dataclass(frozen=True, slots=True)
class Present:
    """What rooms remember besides the chain, the pool and snapshots; cheap to ask and compare."""

    clock: ClockCheckpoint
    miner: MinerCheckpoint
    accounts: AccountsCheckpoint
    orders: NextBlockOverrides
    last_snapshot: int


@dataclass(frozen=True, slots=True)
class Rooms:
    """What of a node outlives its process."""

    config: Config
    chain: Chain
    mempool: Mempool
    miner: Miner
    clock: Clock
    accounts: Accounts
    snapshots: Snapshots

    @property
    def tokens(self) -> Tokens:
        """What reads and writes the tokens of snapshots."""
        return Tokens(self.chain, self.config.effective_chain_id, self._open_key)

    def _open_key(self, address: Address) -> StoredKey | None:
        return self.accounts.derived(address) or self.accounts.made_here().get(address)

    def present(self) -> Present:
        """What is remembered now."""
        return Present(
            without_floor(self.clock.checkpoint(), self.chain.head.timestamp),
            self.miner.checkpoint(),
            self.accounts.checkpoint(),
            self.chain.next_block_overrides,
            self.snapshots.last_id,
        )

    def write(self, present: Present) -> Json:
        """What is remembered, as JSON."""
        accounts = accounts_json(present.accounts)
        made = self.accounts.made_here().values()
        return {
            "clock": asdict(present.clock),
            "miner": miner_json(present.miner),
            "miner_options": miner_json(self.miner.initial),
            "orders": overrides_json(present.orders),
            "impersonated": accounts["impersonated"],
            "impersonates_all": accounts["impersonates_all"],
            "open": [each.address.hex() for each in made if each.keystore is None],
            "last_snapshot": present.last_snapshot,
        }

    def read(self, value: Json) -> None:
        """Remember what `write` wrote; the keys are held already.

        Mining goes on as it was, unless the node was started with other options for it.
        """
        self.set_clock(clock_of(value["clock"]))
        if value["miner_options"] == miner_json(self.miner.initial):
            self.miner.restore(miner_of(value["miner"]))
        self.chain.set_next_block(**asdict(overrides_of(value["orders"])))
        for text in value["impersonated"]:
            self.accounts.impersonate(Address(bytes.fromhex(text)))
        self.accounts.impersonates_all = value["impersonates_all"]
        for text in value["open"]:
            with suppress(AccountUnavailable):
                self.accounts.leave_open(Address(bytes.fromhex(text)))

    def keystores(self) -> dict[str, Json]:
        """The keys that were made or imported here, by address; open ones under no passphrase."""
        made = self.accounts.made_here()
        return {
            address.hex(): key.keystore or with_empty_passphrase(key)
            for address, key in made.items()
        }

    def set_clock(self, state: ClockCheckpoint) -> None:
        """Have chain time go on from there, not before the newest block."""
        floor = max(state.floor, self.chain.head.timestamp)
        self.clock.restore(replace(state, floor=floor))

    def fill_pool(self, transactions: list[Transaction]) -> None:
        """Let those transactions wait again, as far as they still can."""
        self.mempool.restore(MempoolCheckpoint(by_sender(transactions), 0, frozenset()))
        self.mempool.sync_to_head()
