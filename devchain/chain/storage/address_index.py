"""The address index: which transactions touched an account and what they moved, in SQLite tables.

The tables lie in the file of a data dir, or in a database in memory. They are derived from blocks,
and know which ones by their hashes: a reader first removes what is of other blocks.

A position is the place of a transaction on the chain, `(block number, index in the block)`; in the
tables it is one number, `number << 24 | index`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag

from devchain.chain.storage.sqlite_file import SqliteFile
from devchain.types import ZERO_ADDRESS, Address, Hash32, Transfer

Position = tuple[int, int]

INDEX_BITS = 24
MAX_INDEX = 2**INDEX_BITS - 1
ENDLESS = 2**63 - 1


class Role(IntFlag):
    """What an account had to do with a transaction.

    `INTERNAL` is a message below the first, also a reverted one. `TOKENS` are the sender and the
    recipient of an ERC-20, ERC-721 or ERC-1155 transfer, by the transaction's logs; `COINS` those
    of a transfer of the coin by a message below the first.
    """

    SENDER = 1
    RECIPIENT = 2
    CREATED = 4
    INTERNAL = 8
    TOKENS = 16
    COINS = 32


ANY_ROLE = Role(0)  # as a condition: whatever the account had to do with a transaction


@dataclass(frozen=True, slots=True)
class IndexedTransaction:
    """The accounts that a transaction touched, and the nonce of the signed ones.

    `created` are contracts with their creators, in order.
    """

    roles: Mapping[Address, Role]
    nonce: int | None
    created: Mapping[Address, Address] = field(default_factory=dict)
    transfers: Sequence[Transfer] = ()


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
    """CREATE TABLE IF NOT EXISTS history_moves (
    position INTEGER NOT NULL, place INTEGER NOT NULL, token INTEGER, sender INTEGER NOT NULL,
    recipient INTEGER NOT NULL, id BLOB NOT NULL, amount BLOB NOT NULL,
    PRIMARY KEY (position, place)) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS history_moved ON history_moves (token, position)",
)
"""
- `history_blocks`: the blocks that are indexed. Files of earlier versions have another index of it,
  and in `miner` what no reader has any more.
- `history`: the transactions that touched an account; `nonce` only of its sender. The index by
  position serves removing blocks.
- `history_contracts`: contracts in the order in which they were created, with their creators.
- `history_tokens`: the accounts that had a token, by its events; `id` has 32 bytes, none of ERC-20;
  `position` is the first.
- `history_moves`: transfers, those of the coin without a token; `id` as above.
"""

ACCOUNT = "(SELECT id FROM history_accounts WHERE address = ?)"


class AddressIndex:
    """The transactions of each account, up to some block."""

    def __init__(self, tables: SqliteFile) -> None:
        self.tables = tables
        with tables.atomic():
            is_known = "SELECT 1 FROM sqlite_master WHERE name = 'history_moves'"
            is_older = not tables.row(is_known)  # without contracts or transfers: it is made anew
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
        at = {index: _packed((number, index)) for index in range(len(transactions))}
        self.tables.write_many(
            "INSERT INTO history SELECT id, ?, ?, ? FROM history_accounts WHERE address = ?",
            [
                (
                    at[index],
                    int(roles),
                    _signed(tx.nonce) if roles & Role.SENDER else None,
                    address,
                )
                for index, tx in enumerate(transactions)
                for address, roles in tx.roles.items()
            ],
        )
        self.tables.write_many(
            f"INSERT INTO history_contracts VALUES (?, ?, {ACCOUNT}, {ACCOUNT})",  # noqa: S608  # own words
            [
                (at[index], place, contract, creator)
                for index, transaction in enumerate(transactions)
                for place, (contract, creator) in enumerate(transaction.created.items())
            ],
        )
        moves = [
            (at[index], place, token, sender, to, _words(token_id), _words(amount))
            for index, transaction in enumerate(transactions)
            for place, (token, sender, to, amount, token_id, _) in enumerate(transaction.transfers)
        ]
        self.tables.write_many(
            f"INSERT INTO history_moves VALUES (?, ?, {ACCOUNT}, {ACCOUNT}, {ACCOUNT}, ?, ?)",  # noqa: S608
            moves,
        )
        self.tables.write_many(
            f"INSERT OR IGNORE INTO history_tokens VALUES ({ACCOUNT}, {ACCOUNT}, ?, ?)",  # noqa: S608
            [
                (token, holder, token_id, position)
                for position, _, token, *parties, token_id, _ in moves
                for holder in parties
                if token and holder != ZERO_ADDRESS
            ],
        )

    def truncate(self, height: int) -> None:
        self.tables.write("DELETE FROM history_blocks WHERE number > ?", (height,))
        first = _packed((height + 1, 0))
        for table in ("history", "history_contracts", "history_tokens", "history_moves"):
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
            f"SELECT position, roles FROM history WHERE account = {ACCOUNT} "  # noqa: S608  # own words
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

    def contracts(self, count: int, offset: int = 0) -> list[IndexedContract]:
        """Contracts that were created, newest first."""
        return self._contracts("? ORDER BY position DESC, place DESC", 1, count, offset)

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
        return [IndexedContract(made, maker, _unpacked(at)) for made, maker, at in rows]

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

    def tokens(self, count: int) -> dict[Address, int]:
        """Tokens with the number of their transfers, the most first."""
        rows = self.tables.rows(
            "SELECT address, count(*) FROM history_moves JOIN history_accounts AS known "
            "ON known.id = token GROUP BY token ORDER BY count(*) DESC, token DESC LIMIT ?",
            (count,),
        )
        return {Address(address): transfers for address, transfers in rows}

    def transfers_of(self, token: Address, count: int) -> list[Transfer]:
        """The newest transfers of a token, newest first."""
        return self._transfers(f"token = {ACCOUNT}", token, count=count)

    def inner_transfers(self, count: int) -> list[Transfer]:
        """The newest transfers of the coin below the first message, newest first."""
        return self._transfers("token IS NULL", count=count)

    def moved_by(self, account: Address, before: Position | None, count: int) -> list[Transfer]:
        """Transfers from and to an account before a position, newest first."""
        moved = f"account = {ACCOUNT} AND roles & {int(Role.TOKENS | Role.COINS)}"
        return self._transfers(
            f"position IN (SELECT position FROM history WHERE position < ? AND {moved}) "  # noqa: S608
            "AND ? IN (sender.address, recipient.address)",
            ENDLESS if before is None else _packed(before),
            *(account, account),
            count=count,
        )

    def _transfers(self, condition: str, *values: object, count: int) -> list[Transfer]:
        rows = self.tables.rows(
            "SELECT known.address, sender.address, recipient.address, amount, moves.id, position "  # noqa: S608
            "FROM history_moves AS moves LEFT JOIN history_accounts AS known ON known.id = token "
            "JOIN history_accounts AS sender ON sender.id = sender "
            "JOIN history_accounts AS recipient ON recipient.id = recipient "
            f"WHERE {condition} ORDER BY position DESC, place DESC LIMIT ?",
            (*values, count),
        )
        return [
            Transfer(token, sender, to, int.from_bytes(wei), _token_id(blob), _unpacked(position))
            for token, sender, to, wei, blob, position in rows
        ]

    def coin_transfers(self, positions: Sequence[Position]) -> dict[Position, int]:
        """How often transactions moved the coin below the first message, of those that did."""
        wanted = ", ".join(str(_packed(position)) for position in positions)
        rows = self.tables.rows(
            "SELECT position, count(*) FROM history_moves "  # noqa: S608  # numbers
            f"WHERE token IS NULL AND position IN ({wanted}) GROUP BY position"
        )
        return {_unpacked(position): count for position, count in rows}

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
        return [(Address(token), Address(holder), _token_id(blob)) for token, holder, blob in rows]

    def sent(self, sender: Address, nonce: int) -> list[Position]:
        rows = self.tables.rows(
            f"SELECT position FROM history WHERE account = {ACCOUNT} "  # noqa: S608  # own words
            "AND nonce = ? ORDER BY position DESC",
            (sender, _signed(nonce)),
        )
        return [_unpacked(position) for (position,) in rows]


def _addresses(transaction: IndexedTransaction) -> Iterator[Address]:
    yield from transaction.roles
    for pair in transaction.created.items():
        yield from pair
    for token, sender, recipient, *_ in transaction.transfers:
        yield from (sender, recipient, *([token] if token else []))


def _words(number: int | None) -> bytes:
    return b"" if number is None else number.to_bytes(32)


def _token_id(blob: bytes) -> int | None:
    return int.from_bytes(blob) if blob else None


def _packed(position: Position) -> int:
    number, index = position
    return min((number << INDEX_BITS) + index, ENDLESS)


def _unpacked(position: int) -> Position:
    return position >> INDEX_BITS, position & MAX_INDEX


def _signed(nonce: int | None) -> int | None:
    # The lowest 64 bits, which is what SQLite stores.
    return None if nonce is None else (nonce + 2**63) % 2**64 - 2**63
