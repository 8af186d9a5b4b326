"""What a screen shows of a watched chain, read anew at each poll: `Watcher`, `Snapshot`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from devchain.cli.chain_views import reader_of
from devchain.cli.options import UNSUPPORTED, account_address
from devchain.cli.watch.chain_follower import Block, ChainFollower
from devchain.client.chain_reader import pool_transactions
from devchain.client.http import Call, Client
from devchain.client.views import FAILED, Json, Notation, TransactionView, number
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

MAX_UNEXPLAINED = 2_000
"""Failed transactions that wait to be explained; of older ones no reason is shown."""

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

Of devchain, whose log leaves polls out, and of other nodes, some of which print every request.
"""

ABSENT = "no node answers"
"""What the client says of a node that is not there, which `is_waiting` says already."""


@dataclass(frozen=True, slots=True)
class WatchedTransaction:
    """A transaction with what its receipt and the names of contracts say.

    `status` is `ok`, `failed`, `pending` or `mined`. `called` is what it called or created as text,
    `contract` the name of the contract it was sent to or created; both are empty if not known.
    Of a failed one `reason` is None until the node was asked; `place` is the line in the source.
    """

    hash: str
    sender: str
    to: str | None
    value: int
    selector: str
    status: str
    gas: int
    nonce: int = 0
    gas_used: int | None = None
    created: str | None = None
    called: str = ""
    contract: str = ""
    reason: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class WatchedBlock:
    """A block with those of its transactions that were read; `count` are all."""

    block: Block
    transactions: tuple[WatchedTransaction, ...]
    count: int
    taken_back_at: float | None = None
    """When it was taken back, on the monotonic clock."""


@dataclass(frozen=True, slots=True)
class WatchedAccount:
    """An account; `index` is its number among the node's, `change` the last of its balance."""

    address: str
    index: int | None = None
    balance: int | None = None
    nonce: int | None = None
    change: int = 0
    changed_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Mempool:
    """How many transactions wait, None if the node does not say, and the first of them."""

    pending: int | None = None
    queued: int | None = None
    transactions: tuple[WatchedTransaction, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known of a chain at one moment; `blocks` has the newest first.

    `is_waiting` while the node does not answer; `problem` is what is wrong with its answers.
    """

    notation: Notation = field(default_factory=lambda: Notation(0))
    client: str = ""
    problem: str = ""
    is_waiting: bool = False
    head: Block | None = None
    blocks: tuple[WatchedBlock, ...] = ()
    accounts: tuple[WatchedAccount, ...] = ()
    mempool: Mempool = field(default_factory=Mempool)
    gas_price: int | None = None
    time: int | None = None
    """The chain's, to which ages are relative; None if the node does not say it."""


class PatientClient:
    """A client that does not ask for a method again which the node has said that it lacks."""

    def __init__(self, node: Client) -> None:
        """Call that node."""
        self._node = node
        self._missing: dict[str, RpcFailure] = {}

    def forget(self) -> None:
        """Ask for every method again: another node may answer now."""
        self._missing.clear()

    def call(self, method: str, *params: object) -> Any:  # noqa: ANN401  # as the protocol has it
        """The result of one call; raises `RpcFailure` if the node answers an error."""
        if method in self._missing:
            raise self._missing[method]
        try:
            return self._node.call(method, *params)
        except RpcFailure as failure:
            self._note(method, failure)
            raise

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """The results of several calls, in order; a call that failed gives its `RpcFailure`."""
        asked = iter(
            self._node.batch([each for each in calls if str(each[0]) not in self._missing])
        )
        results = []
        for each in calls:
            known = self._missing.get(str(each[0]))
            result = next(asked) if known is None else known
            if isinstance(result, RpcFailure):
                self._note(str(each[0]), result)
            results.append(result)
        return results

    def _note(self, method: str, failure: RpcFailure) -> None:
        if failure.code in UNSUPPORTED:
            self._missing[method] = failure


class TransactionReader:
    """Reads transactions of blocks with receipts, names and reasons, from a node of any kind."""

    def __init__(self, node: Client) -> None:
        """Read from that node."""
        self._reader = reader_of(node)
        self._failed: dict[str, TransactionView] = {}

    def of_blocks(
        self, blocks: Sequence[Block], limit: int | None = None
    ) -> tuple[list[tuple[WatchedTransaction, ...]], Notation]:
        """The transactions of each block, up to `limit` of each, and the chain's notation."""
        found = [_objects(each.transactions[:limit]) for each in blocks]
        flat = [each for part in found for each in part]
        views = iter(self._reader.transactions(flat))
        parts = [tuple(self._watched(next(views)) for _ in part) for part in found]
        return parts, self._reader.notation()

    def pending(self, transactions: Sequence[Json]) -> tuple[WatchedTransaction, ...]:
        """Transactions of the mempool."""
        return tuple(map(_watched, self._reader.transactions(transactions, are_pending=True)))

    def explained(self, tx: WatchedTransaction) -> WatchedTransaction:
        """A failed transaction with its reason and place."""
        if tx.hash not in self._failed:
            return replace(tx, reason="")
        view = self._reader.explained(self._failed[tx.hash])
        del self._failed[tx.hash]
        return replace(tx, reason=view.reason or "", place=view.place)

    def _watched(self, view: TransactionView) -> WatchedTransaction:
        if view.failed:
            self._failed[view.hash] = view
            if len(self._failed) > MAX_UNEXPLAINED:
                del self._failed[next(iter(self._failed))]
        return _watched(view)


def _watched(view: TransactionView) -> WatchedTransaction:
    created = view.created if view.to is None else None
    return WatchedTransaction(
        hash=view.hash,
        sender=view.sender.address,
        to=view.to.address if view.to else None,
        value=view.value,
        selector=view.input[:10],
        status=view.status,
        gas=view.gas_limit,
        nonce=view.nonce,
        gas_used=view.gas_used,
        created=created.address if created else None,
        called=view.called,
        contract=(created or view.to or view.sender).name if created or view.to else "",
    )


def _objects(found: Sequence[Any]) -> list[Json]:
    return [each for each in found if isinstance(each, dict)]


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
        self._reader = TransactionReader(self._node)
        self._wanted = tuple(accounts)
        self._now = now
        self._unread: list[Block] = []
        self._feed: list[WatchedBlock] = []
        self._snapshot = Snapshot()
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
            if self._snapshot.head is None:
                raise
            problem = str(error)
        self._snapshot = replace(
            self._snapshot, problem=problem, is_waiting=is_waiting, blocks=self._blocks()
        )
        return self._snapshot

    def _poll(self) -> None:
        update = self._follower.poll()
        if update.removed:
            gone = {each.hash for each in update.removed}
            self._feed = [
                replace(each, taken_back_at=self._now())
                if each.block.hash in gone and each.taken_back_at is None
                else each
                for each in self._feed
            ]
            self._unread = [each for each in self._unread if each.hash not in gone]
        # They stay unread if the connection fails now: the follower will not return them again.
        self._unread = [*self._unread, *update.added][-MAX_BLOCKS:]
        if self._unread:
            self._add(self._unread)
            self._unread = []
        self._explain_some()
        has_changed = bool(update.added or update.removed)
        is_devchain = self._snapshot.client.lower().startswith("devchain")
        pause = VITALS_SECONDS if is_devchain else OTHERS_VITALS_SECONDS
        if has_changed or self._now() - self._vitals_at >= pause:
            self._read_vitals()
            self._vitals_at = self._now()
        self._snapshot = replace(self._snapshot, head=self._follower.head)

    def _read_node(self) -> None:
        notation = reader_of(self._node).notation()
        version, listed = self._node.batch([("web3_clientVersion",), ("eth_accounts",)])
        known = listed if isinstance(listed, list) else []
        index = {str(each).lower(): place for place, each in enumerate(known)}
        addresses = [account_address(self._node, each) for each in self._wanted]
        if not self._wanted:
            addresses = [str(each) for each in known[:DEFAULT_ACCOUNTS]]
        self._snapshot = replace(
            self._snapshot,
            notation=notation,
            client=version if isinstance(version, str) else "",
            accounts=tuple(
                WatchedAccount(address, index.get(address.lower()))
                for address in map(notation.address, addresses)
            ),
        )

    def _add(self, blocks: Sequence[Block]) -> None:
        left = MAX_TRANSACTIONS_READ
        first = len(blocks)
        while first and left > 0:
            first -= 1
            left -= min(len(blocks[first].transactions), MAX_TRANSACTIONS)
        older, newer = blocks[:first], blocks[first:]
        found, notation = self._reader.of_blocks(newer, MAX_TRANSACTIONS)
        self._feed += [WatchedBlock(each, (), len(each.transactions)) for each in older]
        self._feed += [
            WatchedBlock(each, part, len(each.transactions))
            for each, part in zip(newer, found, strict=True)
        ]
        self._trim()
        self._snapshot = replace(self._snapshot, notation=notation)

    def _trim(self) -> None:
        excess = len(self._feed) - MAX_BLOCKS
        if excess > 0:
            empty = [each for each in self._feed[:-MAX_READ] if not each.count][:excess]
            dropped = set(map(id, empty))
            self._feed = [each for each in self._feed if id(each) not in dropped][-MAX_BLOCKS:]

    def _explain_some(self) -> None:
        left = MAX_EXPLAINED
        for place in range(len(self._feed) - 1, -1, -1):
            each = self._feed[place]
            unknown = [tx for tx in each.transactions if tx.status == FAILED and tx.reason is None]
            if not unknown or each.taken_back_at is not None:
                continue
            known = {tx.hash: self._reader.explained(tx) for tx in unknown[:left]}
            transactions = tuple(known.get(tx.hash, tx) for tx in each.transactions)
            self._feed[place] = replace(each, transactions=transactions)
            left -= len(known)
            if left <= 0:
                return

    def _read_vitals(self) -> None:
        accounts = self._snapshot.accounts
        calls: list[Call] = [("eth_gasPrice",), ("txpool_status",), ("devchain_getTime",)]
        calls += [("eth_getBalance", each.address, "latest") for each in accounts]
        calls += [("eth_getTransactionCount", each.address, "latest") for each in accounts]
        price, pool, now, *rest = self._node.batch(calls)
        balances, nonces = rest[: len(accounts)], rest[len(accounts) :]
        self._snapshot = replace(
            self._snapshot,
            gas_price=number(price),
            time=number(now),
            mempool=self._read_pool(pool),
            accounts=tuple(
                self._with_balance(each, number(balance), number(nonce))
                for each, balance, nonce in zip(accounts, balances, nonces, strict=True)
            ),
        )

    def _with_balance(
        self, account: WatchedAccount, balance: int | None, nonce: int | None
    ) -> WatchedAccount:
        now = self._now()
        change, changed_at = account.change, account.changed_at
        if None not in (balance, account.balance) and balance != account.balance:
            change, changed_at = (balance or 0) - (account.balance or 0), now
        elif now - changed_at > CHANGE_SECONDS:
            change = 0
        return replace(account, balance=balance, nonce=nonce, change=change, changed_at=changed_at)

    def _read_pool(self, pool: object) -> Mempool:
        pending = queued = None
        if isinstance(pool, dict):
            pending, queued = number(pool.get("pending")) or 0, number(pool.get("queued")) or 0
            if not pending + queued or pending + queued > MAX_POOL:
                return Mempool(pending, queued)
        try:
            content = reader_of(self._node).pool()
        except RpcFailure:
            return Mempool(pending, queued)
        found = list(pool_transactions(content))
        shown = self._reader.pending(found[:MAX_SHOWN_POOL])
        if pending is None:
            pending = len(found)
        return Mempool(pending, queued, shown)

    def _blocks(self) -> tuple[WatchedBlock, ...]:
        now = self._now()
        self._feed = [
            each
            for each in self._feed
            if each.taken_back_at is None or now - each.taken_back_at < TAKEN_BACK_SECONDS
        ]
        return tuple(reversed(self._feed))
