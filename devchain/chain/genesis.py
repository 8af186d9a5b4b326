"""Block zero: the funded accounts and the first header."""

from __future__ import annotations

from typing import Any

from devchain.chain.block import Block
from devchain.chain.genesis_file import GenesisFile
from devchain.chain.given import put
from devchain.config import Config
from devchain.evm.rules import HeaderFields, Rules
from devchain.state.database import Database, HeldState
from devchain.state.trie import EMPTY_ROOT
from devchain.types import Address, Hash32

GENESIS_COINBASE = Address(bytes.fromhex("33" * 20))


def genesis(
    config: Config, rules: Rules, database: Database, timestamp: int, start: GenesisFile
) -> Block:
    """The block with which a chain starts as that says, at that time unless it says another."""
    state = _fund(database, start)
    fields = HeaderFields(
        timestamp=timestamp if start.timestamp is None else start.timestamp,
        coinbase=start.coinbase or GENESIS_COINBASE,
        gas_limit=config.effective_gas_limit,
        minimum_gas_price=config.min_gas_price,
    )
    header = _filled(rules.first_header(fields, state.root), rules, start)
    return Block(header, Hash32(header.hash), total_difficulty=header.difficulty, state=state)


def _filled(header: Any, rules: Rules, file: GenesisFile) -> Any:
    """The header with what else the file says, as far as these rules have a place for it."""
    wanted: dict[str, Any] = {"extra_data": file.extra_data}
    if not rules.is_rootstock:
        wanted |= {"difficulty": file.difficulty, "mix_hash": file.mix_hash}
        if hasattr(header, "base_fee_per_gas"):
            wanted["base_fee_per_gas"] = file.base_fee
    given = {name: value for name, value in wanted.items() if value is not None}
    return header.copy(**given) if given else header


def _fund(database: Database, start: GenesisFile) -> HeldState:
    """Write the accounts; their state."""
    accounts = database.accounts(EMPTY_ROOT)
    for address, given in start.accounts.items():
        put(accounts, address, given)
    accounts.persist()
    return database.hold(Hash32(accounts.state_root))
