"""Block zero: the funded accounts and the first header."""

from __future__ import annotations

from devchain.chain.block import Block
from devchain.config import Config
from devchain.evm.rules import HeaderFields, Rules
from devchain.state.database import Database, HeldState
from devchain.state.trie import EMPTY_ROOT
from devchain.types import Address, Hash32

GENESIS_COINBASE = Address(bytes.fromhex("33" * 20))


def genesis(
    config: Config, rules: Rules, database: Database, balances: dict[Address, int], timestamp: int
) -> Block:
    """The block that gives those accounts their balances, in wei."""
    fields = HeaderFields(
        timestamp=timestamp,
        coinbase=GENESIS_COINBASE,
        gas_limit=config.effective_gas_limit,
        minimum_gas_price=config.min_gas_price,
    )
    state = _fund(database, balances)
    header = rules.first_header(fields, state.root)
    return Block(header, Hash32(header.hash), total_difficulty=header.difficulty, state=state)


def _fund(database: Database, balances: dict[Address, int]) -> HeldState:
    """Write the accounts; their state."""
    accounts = database.accounts(EMPTY_ROOT)
    for address, balance in balances.items():
        accounts.set_balance(address, balance)
    accounts.persist()
    return database.hold(Hash32(accounts.state_root))
