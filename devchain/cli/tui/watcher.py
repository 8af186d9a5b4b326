"""What `devchain watch` shows of a chain, read anew at each poll: `Watcher`, `Snapshot`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from devchain.cli.chain_follower import ChainFollower, PatientClient
from devchain.cli.options import account_address
from devchain.client.chain_reader import ChainReader, pool_transactions
from devchain.client.http import Call, Client
from devchain.client.views import AccountView, BlockView, Notation, TransactionView, number
from devchain.errors import ConnectionFailed, DevchainError, RpcFailure

MAX_BLOCKS = 100
"""Blocks that are kept to be shown."""

MAX_READ = 30
"""Blocks that are read at a poll; of more that were mined the newest are shown."""

MAX_TRANSACTIONS = 25
"""Transactions of a block that are shown; its own page has all."""

MAX_EXPLAINED = 4
"""Failures whose reasons are asked for at a poll: the node executes each again."""

MAX_POOL, MAX_SHOWN_POOL = 200, 10
"""Transactions of a mempool that is read, a larger one is only counted; and those shown of it."""

DEFAULT_ACCOUNTS = 10

TAKEN_BACK_SECONDS = 4.0
"""How long blocks that were taken back are shown, marked."""

VITALS_SECONDS, OTHERS_VITALS_SECONDS = 1.0, 5.0
"""How often balances, mempool and gas price are read while no block is mined.

The first is for devchain, whose log leaves polls out; some other nodes print every request.
"""


@dataclass(frozen=True, slots=True)
class WatchedBlock:
    """A block with those of its transactions that were read."""

    block: BlockView
    transactions: tuple[TransactionView, ...]
    taken_back_at: float | None = None
    """When it was taken back, on the monotonic clock."""


@dataclass(frozen=True, slots=True)
class WatchedAccount:
    """An account; `index` is its number among the node's, `change` the last of its balance."""

    account: AccountView
    index: int | None = None
    change: int = 0


@dataclass(frozen=True, slots=True)
class Mempool:
    """How many transactions wait, None if the node does not say, and the first of them."""

    pending: int | None = None
    queued: int | None = None
    transactions: tuple[TransactionView, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known of a chain at one moment; `blocks` has the newest first.

    `is_waiting` while the node does not answer; `problem` is what is wrong with its answers.
    """

    notation: Notation = field(default_factory=lambda: Notation(0))
    client: str = ""
    problem: str = ""
    is_waiting: bool = False
    head: BlockView | None = None
    blocks: tuple[WatchedBlock, ...] = ()
    accounts: tuple[WatchedAccount, ...] = ()
    mempool: Mempool = field(default_factory=Mempool)
    gas_price: int | None = None
    time: int | None = None
    """The chain's, to which ages are relative; None if the node does not say it."""


class Watcher:
    """Polls a node for what a screen shows of its chain.

    The work of a poll is bounded, however much was mined since the last: of more blocks,
    transactions, failures and waiting transactions the newest are read, and the rest is counted.
    """

    def __init__(
        self,
        node: Client,
        accounts: Sequence[str] = (),
        *,
        count: int = 20,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Watch these accounts, by default the node's; begin with the newest `count` blocks."""
        self._node = PatientClient(node)
        self._follower = ChainFollower(
            self._node, count=min(count, MAX_BLOCKS), limit=MAX_READ, skips=True
        )
        self._reader = ChainReader(self._node)
        self._wanted = accounts
        self._now = now
        self._unread: list[BlockView] = []
        self._blocks: list[WatchedBlock] = []
        self.snapshot = Snapshot()
        """The state of the chain at the last poll."""
        self._vitals_at = -OTHERS_VITALS_SECONDS
        self._is_new_node = True

    def poll(self) -> Snapshot:
        """The state of the chain now; raises `DevchainError` only if the first poll fails.

        A node that does not answer is waited for.
        """
        problem, is_waiting = "", False
        try:
            if self._is_new_node:
                self._read_node()
                self._is_new_node = False
            self._poll()
        except ConnectionFailed:
            is_waiting = self._is_new_node = True
        except DevchainError as error:
            if self.snapshot.head is None:
                raise
            problem = str(error)
        oldest = self._now() - TAKEN_BACK_SECONDS
        self._blocks = [
            watched
            for watched in self._blocks
            if watched.taken_back_at is None or watched.taken_back_at > oldest
        ]
        blocks = tuple(reversed(self._blocks))
        self.snapshot = replace(
            self.snapshot, problem=problem, is_waiting=is_waiting, blocks=blocks
        )
        return self.snapshot

    def _read_node(self) -> None:
        notation = self._reader.notation()
        version, listed = self._node.batch([("web3_clientVersion",), ("eth_accounts",)])
        own = list(map(str, listed)) if isinstance(listed, list) else []
        numbers = {address.lower(): index for index, address in enumerate(own)}
        wanted = [account_address(self._node, text) for text in self._wanted]
        accounts = [
            WatchedAccount(notation.account(address), numbers.get(address.lower()))
            for address in wanted or own[:DEFAULT_ACCOUNTS]
        ]
        self.snapshot = replace(
            self.snapshot,
            notation=notation,
            client=version if isinstance(version, str) else "",
            accounts=tuple(accounts),
        )

    def _poll(self) -> None:
        update = self._follower.poll()
        gone = {block.hash for block in update.removed}
        self._blocks = [
            replace(watched, taken_back_at=self._now())
            if watched.block.hash in gone and watched.taken_back_at is None
            else watched
            for watched in self._blocks
        ]
        # They stay unread if the connection fails now: the follower will not return them again.
        left = [block for block in self._unread if block.hash not in gone]
        self._unread = [*left, *update.added][-MAX_BLOCKS:]
        self._read_blocks(self._unread)
        self._unread = []
        self._explain_some()
        is_devchain = self.snapshot.client.lower().startswith("devchain")
        pause = VITALS_SECONDS if is_devchain else OTHERS_VITALS_SECONDS
        if update.added or gone or self._now() - self._vitals_at >= pause:
            self._read_vitals()
            self._vitals_at = self._now()
        self.snapshot = replace(self.snapshot, head=self._follower.head)

    def _read_blocks(self, blocks: Sequence[BlockView]) -> None:
        wanted = [block.transactions[:MAX_TRANSACTIONS] for block in blocks]
        read = {
            tx.hash: tx for tx in self._reader.transactions([tx for txs in wanted for tx in txs])
        }
        for block, objects in zip(blocks, wanted, strict=True):
            hashes = [str(tx.get("hash")) for tx in objects if isinstance(tx, dict)]
            transactions = tuple(read[tx_hash] for tx_hash in hashes if tx_hash in read)
            self._blocks.append(WatchedBlock(block, transactions))
        # Older blocks without transactions go first.
        excess = max(len(self._blocks) - MAX_BLOCKS, 0)
        empty = [block for block in self._blocks[:-MAX_READ] if not block.block.transactions]
        dropped = {id(block) for block in empty[:excess]}
        kept = [block for block in self._blocks if id(block) not in dropped]
        self._blocks = kept[-MAX_BLOCKS:]

    def _explain_some(self) -> None:
        left = MAX_EXPLAINED
        for index, watched in reversed(list(enumerate(self._blocks))):
            transactions = list(watched.transactions)
            for position, tx in enumerate(transactions):
                if tx.failed and tx.reason is None and watched.taken_back_at is None and left:
                    transactions[position] = self._reader.explained(tx)
                    left -= 1
            self._blocks[index] = replace(watched, transactions=tuple(transactions))

    def _read_vitals(self) -> None:
        accounts = self.snapshot.accounts
        calls: list[Call] = [("eth_gasPrice",), ("txpool_status",), ("devchain_getTime",)]
        for watched in accounts:
            calls.append(("eth_getBalance", watched.account.address, "latest"))
            calls.append(("eth_getTransactionCount", watched.account.address, "latest"))
        price, pool, now, *rest = self._node.batch(calls)
        values = map(number, rest)
        self.snapshot = replace(
            self.snapshot,
            gas_price=number(price),
            time=number(now),
            mempool=self._read_pool(pool),
            accounts=tuple(
                _with_balance(watched, balance, nonce)
                for watched, balance, nonce in zip(accounts, values, values, strict=True)
            ),
        )

    def _read_pool(self, pool: object) -> Mempool:
        pending = queued = None
        if isinstance(pool, dict):
            pending, queued = number(pool.get("pending")) or 0, number(pool.get("queued")) or 0
            if not 0 < pending + queued <= MAX_POOL:
                return Mempool(pending, queued)
        try:
            waiting = list(pool_transactions(self._reader.pool()))
        except RpcFailure:
            return Mempool(pending, queued)
        shown = self._reader.transactions(waiting[:MAX_SHOWN_POOL], are_pending=True)
        return Mempool(len(waiting) if pending is None else pending, queued, tuple(shown))


def _with_balance(
    watched: WatchedAccount, balance: int | None, nonce: int | None
) -> WatchedAccount:
    before, change = watched.account.balance, watched.change
    if balance is not None and before is not None:
        change = balance - before or change
    return WatchedAccount(
        replace(watched.account, balance=balance, nonce=nonce), watched.index, change
    )
