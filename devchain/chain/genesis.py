"""Block zero: the funded accounts and the first header."""

from __future__ import annotations

from typing import Any

from eth.constants import BLANK_ROOT_HASH
from eth.db.account import AccountDB

from devchain.chain.block import Block
from devchain.config import Config
from devchain.evm.rules import HeaderFields, Rules
from devchain.types import Address, Hash32

GENESIS_COINBASE = Address(bytes.fromhex("33" * 20))


def genesis(
    config: Config, rules: Rules, database: Any, balances: dict[Address, int], timestamp: int
) -> Block:
    """The block that gives those accounts their balances, in wei."""
    fields = HeaderFields(
        timestamp=timestamp,
        coinbase=GENESIS_COINBASE,
        gas_limit=config.effective_gas_limit,
        minimum_gas_price=config.min_gas_price,
    )
    header = rules.first_header(fields, _fund(database, balances))
    return Block(header, Hash32(header.hash), total_difficulty=header.difficulty)


def _fund(database: Any, balances: dict[Address, int]) -> Hash32:
    """Write the accounts; the root of their state."""
    accounts = AccountDB(database, BLANK_ROOT_HASH)
    for address, balance in balances.items():
        accounts.set_balance(address, balance)
    accounts.make_state_root()
    accounts.persist()
    return Hash32(accounts.state_root)
