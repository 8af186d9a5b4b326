"""Block zero: the funded accounts and the first header."""

from __future__ import annotations

from typing import Any

from eth.constants import BLANK_ROOT_HASH
from eth.db.account import AccountDB

from devchain.chain.block import Block
from devchain.config import Config
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.vm import RootstockBlock
from devchain.types import Address, Hash32

GENESIS_COINBASE = bytes.fromhex("33" * 20)
GENESIS_EXTRA_DATA = b"devchain"


def genesis(config: Config, database: Any, balances: dict[Address, int], timestamp: int) -> Block:
    """The block that gives those accounts their balances, in wei."""
    accounts = AccountDB(database, BLANK_ROOT_HASH)
    for address, balance in balances.items():
        accounts.set_balance(address, balance)
    accounts.make_state_root()
    accounts.persist()
    header = RootstockHeader(
        coinbase=GENESIS_COINBASE,
        state_root=accounts.state_root,
        gas_limit=config.effective_gas_limit,
        timestamp=timestamp,
        extra_data=GENESIS_EXTRA_DATA,
        minimum_gas_price=config.min_gas_price,
    )
    return Block(
        number=0,
        hash=Hash32(header.hash),
        parent_hash=Hash32(header.parent_hash),
        timestamp=timestamp,
        state_root=Hash32(header.state_root),
        bloom=0,
        gas_limit=header.gas_limit,
        gas_used=0,
        total_difficulty=header.difficulty,
        transactions=(),
        receipts=(),
        packed=RootstockBlock(header, (), ()),
    )
