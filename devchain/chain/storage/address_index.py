"""The address index: which transactions touched an account, in SQLite tables.

The tables lie in the file of a data dir, or in a database in memory. They are derived from blocks,
and know which ones by their hashes: a reader first removes what is of other blocks.

A position is the place of a transaction on the chain, `(block number, index in the block)`; in the
tables it is one number, `number << 24 | index`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    """The accounts that a transaction touched, and the nonce of the signed ones."""

    roles: Mapping[Address, Role]
    sender: Address
    nonce: int | None


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
    f"""CREATE INDEX IF NOT EXISTS history_creations ON history (account, position)
    WHERE roles & {int(Role.CREATED)}""",
)
"""
- `history_blocks`: the blocks that are indexed. Files of earlier versions have another index of it,
  and in `miner` what no reader has any more.
- `history`: the transactions that touched an account; `nonce` only of its sender. The index by
  position serves removing blocks.
"""


class AddressIndex:
    """The transactions of each account, up to some block."""

    def __init__(self, tables: SqliteFile) -> None:
        self.tables = tables
        with tables.atomic():
            for table in TABLES:
                tables.write(table)

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
        addresses = {address for transaction in transactions for address in transaction.roles}
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

    def truncate(self, height: int) -> None:
        self.tables.write("DELETE FROM history_blocks WHERE number > ?", (height,))
        first = _packed((height + 1, 0))
        self.tables.write("DELETE FROM history WHERE position >= ?", (first,))

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

    def creation(self, address: Address) -> Position | None:
        row = self.tables.row(
            "SELECT position FROM history WHERE account = "  # noqa: S608  # a number of its own
            "(SELECT id FROM history_accounts WHERE address = ?) "
            f"AND roles & {int(Role.CREATED)} ORDER BY position DESC LIMIT 1",
            (address,),
        )
        return _unpacked(row[0]) if row else None

    def sent(self, sender: Address, nonce: int) -> list[Position]:
        rows = self.tables.rows(
            "SELECT position FROM history WHERE account = "
            "(SELECT id FROM history_accounts WHERE address = ?) "
            "AND nonce = ? ORDER BY position DESC",
            (sender, _signed(nonce)),
        )
        return [_unpacked(position) for (position,) in rows]


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
