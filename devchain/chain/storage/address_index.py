"""The address index: which transactions touched an account, in SQLite tables.

The tables lie in the file of a data dir, or in a database in memory. They are derived from blocks,
and know which ones by their hashes: a reader first removes what is of other blocks.

A position is the place of a transaction on the chain, `(block number, index in the block)`; in the
tables it is one number, `number << 24 | index`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag

from devchain.chain.storage.sqlite_file import SqliteFile
from devchain.types import Address, Hash32

Position = tuple[int, int]

INDEX_BITS = 24
MAX_INDEX = 2**INDEX_BITS - 1
NONCE_BYTES = 8
ENDLESS = 2**63 - 1


class Role(IntFlag):
    """What an account had to do with a transaction.

    `INTERNAL` is a message below the first, also a reverted one. `TOKENS` are the sender and the
    recipient of an ERC-20, ERC-721 or ERC-1155 transfer, by the transaction's logs.
    """

    SENDER = 1
    RECIPIENT = 2
    CREATED = 4
    INTERNAL = 8
    TOKENS = 16


ANY_ROLE = Role(0)  # as a condition: whatever the account had to do with a transaction


@dataclass(frozen=True, slots=True)
class IndexedTransaction:
    """The accounts that a transaction touched, and the nonce of the signed ones.

    `created` are contracts with their creators, in order; `tokens` token, holder and id of each
    token that was transferred, the id None of ERC-20.
    """

    roles: Mapping[Address, Role]
    sender: Address
    nonce: int | None
    created: Mapping[Address, Address] = field(default_factory=dict)
    tokens: Collection[TokenHolder] = ()


TokenHolder = tuple[Address, Address, int | None]  # token, account that had it, id


@dataclass(frozen=True, slots=True)
class IndexedContract:
    """A contract that a transaction created, and the account whose code, or key, did."""

    address: Address
    creator: Address
    position: Position


TABLES = (
    """CREATE TABLE IF NOT EXISTS history_blocks (
    number INTEGER PRIMARY KEY, hash BLOB NOT NULL, miner INTEGER NOT NULL)""",
    "DROP INDEX IF EXISTS history_miners",
    """CREATE TABLE IF NOT EXISTS history_accounts (
    id INTEGER PRIMARY KEY, address BLOB NOT NULL UNIQUE)""",
    """CREATE TABLE IF NOT EXISTS history (
    account INTEGER NOT NULL, position INTEGER NOT NULL, roles INTEGER NOT NULL, nonce INTEGER,
    PRIMARY KEY (account, position)) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS history_positions ON history (position)",
    """CREATE INDEX IF NOT EXISTS history_nonces ON history (account, nonce)
    WHERE nonce IS NOT NULL""",
    "DROP INDEX IF EXISTS history_creations",
    """CREATE TABLE IF NOT EXISTS history_contracts (
    position INTEGER NOT NULL, place INTEGER NOT NULL, account INTEGER NOT NULL,
    creator INTEGER NOT NULL, PRIMARY KEY (position, place)) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS history_created ON history_contracts (account, position)",
    "CREATE INDEX IF NOT EXISTS history_creators ON history_contracts (creator, position)",
    """CREATE TABLE IF NOT EXISTS history_tokens (
    token INTEGER NOT NULL, holder INTEGER NOT NULL, id BLOB NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (token, holder, id)) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS history_holders ON history_tokens (holder, token)",
    "CREATE INDEX IF NOT EXISTS history_transfers ON history_tokens (position)",
)
"""
- `history_blocks`: the blocks that are indexed. Files of earlier versions have another index of it,
  and in `miner` what no reader has any more.
- `history`: the transactions that touched an account; `nonce` only of its sender. The index by
  position serves removing blocks.
- `history_contracts`: contracts in the order in which they were created, with their creators.
- `history_tokens`: the accounts that had a token, by its events; `id` has 32 bytes, none of ERC-20;
  `position` is the first.
"""

ACCOUNT = "(SELECT id FROM history_accounts WHERE address = ?)"


class AddressIndex:
    """The transactions of each account, up to some block."""

    def __init__(self, tables: SqliteFile) -> None:
        self.tables = tables
        with tables.atomic():
            is_known = "SELECT 1 FROM sqlite_master WHERE name = 'history_tokens'"
            is_older = not tables.row(is_known)  # without contracts and tokens: it is made anew
            for table in TABLES:
                tables.write(table)
            if is_older:
                self.truncate(-1)

    # Growing and shrinking

    @property
    def height(self) -> int | None:
        newest = self.tables.row("SELECT number FROM history_blocks ORDER BY number DESC LIMIT 1")
        return newest[0] if newest else None

    def hash(self, number: int) -> Hash32 | None:
        row = self.tables.row("SELECT hash FROM history_blocks WHERE number = ?", (number,))
        return Hash32(row[0]) if row else None

    def append(
        self, number: int, block_hash: Hash32, transactions: Sequence[IndexedTransaction]
    ) -> None:
        addresses = {address for each in transactions for address in _addresses(each)}
        self.tables.write_many(
            "INSERT OR IGNORE INTO history_accounts (address) VALUES (?)",
            [(address,) for address in addresses],
        )
        self.tables.write("INSERT INTO history_blocks VALUES (?, ?, 0)", (number, block_hash))
        self.tables.write_many(
            "INSERT INTO history SELECT id, ?, ?, ? FROM history_accounts WHERE address = ?",
            [
                (
                    _packed((number, index)),
                    int(roles),
                    _signed(transaction.nonce) if address == transaction.sender else None,
                    address,
                )
                for index, transaction in enumerate(transactions)
                for address, roles in transaction.roles.items()
            ],
        )

        at = {index: _packed((number, index)) for index in range(len(transactions))}
        self.tables.write_many(
            f"INSERT INTO history_contracts VALUES (?, ?, {ACCOUNT}, {ACCOUNT})",  # noqa: S608  # own words
            [
                (at[index], place, contract, creator)
                for index, transaction in enumerate(transactions)
                for place, (contract, creator) in enumerate(transaction.created.items())
            ],
        )
        self.tables.write_many(
            f"INSERT OR IGNORE INTO history_tokens VALUES ({ACCOUNT}, {ACCOUNT}, ?, ?)",  # noqa: S608
            [
                (token, holder, b"" if token_id is None else token_id.to_bytes(32), at[index])
                for index, transaction in enumerate(transactions)
                for token, holder, token_id in transaction.tokens
            ],
        )

    def truncate(self, height: int) -> None:
        self.tables.write("DELETE FROM history_blocks WHERE number > ?", (height,))
        first = _packed((height + 1, 0))
        for table in ("history", "history_contracts", "history_tokens"):
            self.tables.write(f"DELETE FROM {table} WHERE position >= ?", (first,))  # noqa: S608  # own words

    # Reading

    def search(
        self,
        address: Address,
        *,
        before: Position | None = None,
        after: Position | None = None,
        count: int,
        roles: Role = ANY_ROLE,
    ) -> list[tuple[Position, Role]]:
        """The transactions of an account between two positions, newest first, at most `count`.

        With `after` those nearest to it, else the newest. With `roles` only those in which the
        account has one of them.
        """
        low = -1 if after is None else _packed(after)
        high = ENDLESS if before is None else _packed(before)
        order = "DESC" if after is None else "ASC"
        condition = f"AND roles & {int(roles)}" if roles else ""
        rows = self.tables.rows(
            "SELECT position, roles FROM history WHERE account = "  # noqa: S608  # own words
            "(SELECT id FROM history_accounts WHERE address = ?) "
            f"AND position > ? AND position < ? {condition} ORDER BY position {order} LIMIT ?",
            (address, low, high, count),
        )
        if after is not None:
            rows.reverse()
        return [(_unpacked(position), Role(bits)) for position, bits in rows]

    def transactions(self, before: Position, count: int) -> list[Position]:
        """The newest transactions before a position, newest first."""
        rows = self.tables.rows(
            "SELECT DISTINCT position FROM history WHERE position < ? "
            "ORDER BY position DESC LIMIT ?",
            (_packed(before), count),
        )
        return [_unpacked(position) for (position,) in rows]

    def contracts(
        self, *, before: Position | None = None, count: int, offset: int = 0
    ) -> list[IndexedContract]:
        """Contracts that were created before a position, newest first."""
        high = ENDLESS if before is None else _packed(before)
        return self._contracts(
            "position < ? ORDER BY position DESC, place DESC", high, count, offset
        )

    def created_by(
        self, creator: Address, *, count: int, offset: int = 0
    ) -> tuple[list[IndexedContract], int]:
        """The contracts that an account created, the first one first; and how many they are."""
        total = self.tables.row(
            f"SELECT count(*) FROM history_contracts WHERE creator = {ACCOUNT}",  # noqa: S608
            (creator,),
        )
        condition = f"creator = {ACCOUNT} ORDER BY position, place"
        return self._contracts(condition, creator, count, offset), total[0] if total else 0

    def created_in(self, position: Position, count: int) -> list[IndexedContract]:
        return self._contracts("position = ? ORDER BY place", _packed(position), count, 0)

    def newest_creation(self, address: Address) -> IndexedContract | None:
        condition = f"account = {ACCOUNT} ORDER BY position DESC, place DESC"
        return next(iter(self._contracts(condition, address, 1, 0)), None)

    def _contracts(
        self, condition: str, value: object, count: int, offset: int
    ) -> list[IndexedContract]:
        rows = self.tables.rows(
            "SELECT made.address, maker.address, position FROM history_contracts "  # noqa: S608
            "JOIN history_accounts AS made ON made.id = account "
            "JOIN history_accounts AS maker ON maker.id = creator "
            f"WHERE {condition} LIMIT ? OFFSET ?",
            (value, count, offset),
        )
        return [
            IndexedContract(Address(made), Address(maker), _unpacked(position))
            for made, maker, position in rows
        ]

    def called(self, count: int) -> list[Address]:
        """Accounts that transactions called or created, directly or not."""
        rows = self.tables.rows(
            "SELECT DISTINCT address FROM history JOIN history_accounts ON id = account "  # noqa: S608
            f"WHERE roles & {int(Role.RECIPIENT | Role.INTERNAL | Role.CREATED)} LIMIT ?",
            (count,),
        )
        return [Address(address) for (address,) in rows]

    def starting_with(self, prefix: bytes, count: int) -> list[Address]:
        """Accounts that the transactions touched whose addresses start with some bytes."""
        rows = self.tables.rows(
            "SELECT address FROM history_accounts WHERE address >= ? AND address <= ? LIMIT ?",
            (prefix, prefix + b"\xff" * 20, count),
        )
        return [Address(address) for (address,) in rows]

    # Tokens

    def tokens(self, count: int) -> list[Address]:
        rows = self.tables.rows(
            "SELECT address FROM history_accounts "
            "WHERE id IN (SELECT DISTINCT token FROM history_tokens) LIMIT ?",
            (count,),
        )
        return [Address(address) for (address,) in rows]

    def held_by(self, holder: Address, count: int) -> list[TokenHolder]:
        """The tokens that an account had at some time."""
        return self._holders(f"holder = {ACCOUNT}", holder, count)

    def holders(self, token: Address, count: int) -> list[TokenHolder]:
        """The accounts that had a token at some time."""
        return self._holders(f"token = {ACCOUNT}", token, count)

    def _holders(self, condition: str, address: Address, count: int) -> list[TokenHolder]:
        rows = self.tables.rows(
            "SELECT tokens.address, owner.address, history_tokens.id FROM history_tokens "  # noqa: S608
            "JOIN history_accounts AS tokens ON tokens.id = token "
            "JOIN history_accounts AS owner ON owner.id = holder "
            f"WHERE {condition} ORDER BY position LIMIT ?",
            (address, count),
        )
        return [
            (Address(token), Address(holder), int.from_bytes(token_id) if token_id else None)
            for token, holder, token_id in rows
        ]

    def sent(self, sender: Address, nonce: int) -> list[Position]:
        rows = self.tables.rows(
            "SELECT position FROM history WHERE account = "
            "(SELECT id FROM history_accounts WHERE address = ?) "
            "AND nonce = ? ORDER BY position DESC",
            (sender, _signed(nonce)),
        )
        return [_unpacked(position) for (position,) in rows]


def _addresses(transaction: IndexedTransaction) -> Iterator[Address]:
    yield from transaction.roles
    for pair in transaction.created.items():
        yield from pair
    for token, holder, _ in transaction.tokens:
        yield from (token, holder)


def _packed(position: Position) -> int:
    number, index = position
    return min((number << INDEX_BITS) + index, ENDLESS)


def _unpacked(position: int) -> Position:
    return position >> INDEX_BITS, position & MAX_INDEX


def _signed(nonce: int | None) -> int | None:
    if nonce is None:
        return None
    low = nonce % (1 << 8 * NONCE_BYTES)
    return int.from_bytes(low.to_bytes(NONCE_BYTES), signed=True)
