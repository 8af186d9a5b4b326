"""`devchain.chain.storage.address_index`"""

from __future__ import annotations

from devchain.chain.storage.address_index import AddressIndex, IndexedTransaction, Role
from devchain.chain.storage.sqlite_file import SqliteMemory
from devchain.types import ZERO_ADDRESS, Address, Hash32, Transfer

ALICE, MAKER, FIRST, SECOND = (Address(bytes([number]) * 20) for number in range(1, 5))


def block_of(number: int) -> Hash32:
    """The hash of a block of that number."""
    return Hash32(bytes([number]) * 32)


def filled() -> AddressIndex:
    """An index in which a contract made two others in block 1, and a token moved."""
    index = AddressIndex(SqliteMemory())
    made = {SECOND: MAKER, FIRST: MAKER}
    moved = (
        Transfer(FIRST, ZERO_ADDRESS, ALICE, 5),
        Transfer(None, MAKER, SECOND, 10**18),
        Transfer(FIRST, MAKER, ALICE, 2**256 - 1, 7),
    )
    roles = {ALICE: Role.SENDER | Role.TOKENS, MAKER: Role.COINS | Role.TOKENS}
    index.append(0, block_of(0), [])
    index.append(1, block_of(1), [IndexedTransaction(roles, 0, made, moved)])
    return index


def test_contracts_in_order() -> None:
    """What an account created comes in order; of all contracts the newest comes first."""
    index = filled()

    created, total = index.created_by(MAKER, count=10)
    assert [each.address for each in created] == [SECOND, FIRST]
    assert total == 2
    assert [each.address for each in index.contracts(count=1)] == [FIRST]
    assert [each.address for each in index.contracts(count=1, offset=1)] == [SECOND]
    newest = index.newest_creation(SECOND)
    assert newest is not None
    assert (newest.creator, newest.position) == (MAKER, (1, 0))


def test_tokens() -> None:
    """Tokens are found by holder, holders by token, ids of ERC-721 and ERC-1155 apart."""
    index = filled()

    assert index.held_by(ALICE, 10) == [(FIRST, ALICE, None), (FIRST, ALICE, 7)]
    assert (FIRST, ALICE, None) in index.holders(FIRST, 10)
    assert len(index.holders(FIRST, 10)) == 3
    assert len(index.holders(FIRST, 1)) == 1
    assert index.tokens(10) == {FIRST: 2}


def test_transfers() -> None:
    """Transfers are found by token and by account, those of the coin have no token."""
    index = filled()
    minted, coin, moved = (
        Transfer(FIRST, ZERO_ADDRESS, ALICE, 5, None, (1, 0)),
        Transfer(None, MAKER, SECOND, 10**18, None, (1, 0)),
        Transfer(FIRST, MAKER, ALICE, 2**256 - 1, 7, (1, 0)),
    )

    assert index.transfers_of(FIRST, 10) == [moved, minted]
    assert index.moved_by(MAKER, None, 10) == [moved, coin]
    assert index.moved_by(ALICE, (2, 0), 1) == [moved]
    assert index.moved_by(ALICE, (1, 0), 10) == []
    assert index.coin_transfers([(1, 0), (1, 1)]) == {(1, 0): 1}
    assert index.coin_transfers([]) == {}


def test_removed_block() -> None:
    """What a removed block had is gone."""
    index = filled()
    index.truncate(0)

    assert index.contracts(count=10) == []
    assert index.held_by(ALICE, 10) == []
    assert index.moved_by(ALICE, None, 10) == []
    assert index.transactions((9, 0), 10) == []


def test_older_file() -> None:
    """An index of an earlier version, without transfers, is made anew."""
    index = filled()
    with index.tables.atomic():
        index.tables.write("DROP TABLE history_moves")

    assert AddressIndex(index.tables).height is None
