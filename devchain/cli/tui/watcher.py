"""What `devchain watch` shows of a chain, read anew at each poll: `Watcher`, `Snapshot`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from devchain.cli.options import account_address
from devchain.cli.tui.chain_follower import ChainFollower, PatientClient
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

MAX_TRANSACTIONS_READ = 250
"""Transactions whose receipts and names are read at a poll."""

MAX_EXPLAINED = 4
"""Failures whose reasons are asked for at a poll: the node executes each again."""

MAX_POOL = 200
"""A larger mempool is counted, not read."""

MAX_SHOWN_POOL = 10
DEFAULT_ACCOUNTS = 10

TAKEN_BACK_SECONDS = 4.0
"""How long blocks that were taken back are shown, marked."""

CHANGE_SECONDS = 60.0
"""How long the last change of a balance is shown."""

VITALS_SECONDS, OTHERS_VITALS_SECONDS = 1.0, 5.0
"""How often balances, mempool and gas price are read while no block is mined.

The first is for devchain, whose log leaves polls out; some other nodes print every request.
"""

ABSENT = "no node answers"
"""What the client says of a node that is not there, which `is_waiting` says already."""


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
    changed_at: float = 0.0


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
        self._wanted = tuple(accounts)
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
        except ConnectionFailed as failure:
            is_waiting = True
            problem = "" if ABSENT in str(failure) else str(failure)
            self._is_new_node = True
            self._node.forget()
        except DevchainError as error:
            if self.snapshot.head is None:
                raise
            problem = str(error)
        now = self._now()
        self._blocks = [
            block
            for block in self._blocks
            if block.taken_back_at is None or now - block.taken_back_at < TAKEN_BACK_SECONDS
        ]
        blocks = tuple(reversed(self._blocks))
        self.snapshot = replace(
            self.snapshot, problem=problem, is_waiting=is_waiting, blocks=blocks
        )
        return self.snapshot

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
        if self._unread:
            self._add(self._unread)
            self._unread = []
        self._explain_some()
        is_devchain = self.snapshot.client.lower().startswith("devchain")
        pause = VITALS_SECONDS if is_devchain else OTHERS_VITALS_SECONDS
        if update.added or gone or self._now() - self._vitals_at >= pause:
            self._read_vitals()
            self._vitals_at = self._now()
        self.snapshot = replace(self.snapshot, head=self._follower.head)

    def _read_node(self) -> None:
        notation = self._reader.notation()
        version, listed = self._node.batch([("web3_clientVersion",), ("eth_accounts",)])
        own = list(map(str, listed)) if isinstance(listed, list) else []
        numbers = {address.lower(): index for index, address in enumerate(own)}
        addresses = [account_address(self._node, text) for text in self._wanted]
        self.snapshot = replace(
            self.snapshot,
            notation=notation,
            client=version if isinstance(version, str) else "",
            accounts=tuple(
                WatchedAccount(notation.account(address), numbers.get(address.lower()))
                for address in (addresses if self._wanted else own[:DEFAULT_ACCOUNTS])
            ),
        )

    def _add(self, blocks: Sequence[BlockView]) -> None:
        # The newest blocks with transactions, as many as may be read; the others are counted.
        wanted: dict[str, Sequence[object]] = {}
        left = MAX_TRANSACTIONS_READ
        for block in reversed(blocks):
            wanted[block.hash] = block.transactions[: min(MAX_TRANSACTIONS, max(left, 0))]
            left -= len(wanted[block.hash])
        objects = [tx for part in wanted.values() for tx in part]
        read = {tx.hash: tx for tx in self._reader.transactions(objects)}
        for block in blocks:
            hashes = [tx.get("hash") for tx in wanted[block.hash] if isinstance(tx, dict)]
            transactions = tuple(read[str(tx_hash)] for tx_hash in hashes if tx_hash in read)
            self._blocks.append(WatchedBlock(block, transactions))
        excess = len(self._blocks) - MAX_BLOCKS
        if excess > 0:  # first of blocks without transactions
            older = self._blocks[:-MAX_READ]
            empty = [watched for watched in older if not watched.block.transactions][:excess]
            self._blocks = [watched for watched in self._blocks if watched not in empty][
                -MAX_BLOCKS:
            ]

    def _explain_some(self) -> None:
        left = MAX_EXPLAINED
        for index, watched in reversed(list(enumerate(self._blocks))):
            transactions = list(watched.transactions)
            for place, tx in enumerate(transactions):
                if tx.failed and tx.reason is None and watched.taken_back_at is None and left:
                    transactions[place] = self._reader.explained(tx)
                    left -= 1
            self._blocks[index] = replace(watched, transactions=tuple(transactions))

    def _read_vitals(self) -> None:
        accounts = self.snapshot.accounts
        calls: list[Call] = [("eth_gasPrice",), ("txpool_status",), ("devchain_getTime",)]
        calls += [("eth_getBalance", account.account.address, "latest") for account in accounts]
        calls += [
            ("eth_getTransactionCount", account.account.address, "latest") for account in accounts
        ]
        price, pool, now, *rest = self._node.batch(calls)
        balances, nonces = rest[: len(accounts)], rest[len(accounts) :]
        self.snapshot = replace(
            self.snapshot,
            gas_price=number(price),
            time=number(now),
            mempool=self._read_pool(pool),
            accounts=tuple(
                self._with_balance(account, number(balance), number(nonce))
                for account, balance, nonce in zip(accounts, balances, nonces, strict=True)
            ),
        )

    def _with_balance(
        self, watched: WatchedAccount, balance: int | None, nonce: int | None
    ) -> WatchedAccount:
        now, before = self._now(), watched.account.balance
        change, changed_at = watched.change, watched.changed_at
        if balance is not None and before is not None and balance != before:
            change, changed_at = balance - before, now
        elif now - changed_at > CHANGE_SECONDS:
            change = 0
        account = replace(watched.account, balance=balance, nonce=nonce)
        return WatchedAccount(account, watched.index, change, changed_at)

    def _read_pool(self, pool: object) -> Mempool:
        pending = queued = None
        if isinstance(pool, dict):
            pending, queued = number(pool.get("pending")) or 0, number(pool.get("queued")) or 0
            if not pending + queued or pending + queued > MAX_POOL:
                return Mempool(pending, queued)
        try:
            waiting = list(pool_transactions(self._reader.pool()))
        except RpcFailure:
            return Mempool(pending, queued)
        shown = self._reader.transactions(waiting[:MAX_SHOWN_POOL], are_pending=True)
        return Mempool(len(waiting) if pending is None else pending, queued, tuple(shown))
