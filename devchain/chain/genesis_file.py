"""A genesis file in geth's format: who has what at the start, and the first header."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from devchain.chain.given import (
    MAX_UINT64,
    MAX_UINT256,
    Given,
    data,
    members,
    number,
    parse,
    read_accounts,
)
from devchain.config import Config
from devchain.errors import ConfigError, InvalidInput
from devchain.types import Address, Hash32

MAX_FILE = 256 * 1024 * 1024
MAX_TIMESTAMP = 2**62


@dataclass(frozen=True, slots=True)
class GenesisFile:
    """What the file says; None where it says nothing. Members that are not here do not count.

    Difficulty, random value and base fee are those of Ethereum's rules: a Rootstock chain begins
    with the difficulty that its blocks can be mined with.
    """

    accounts: dict[Address, Given]
    chain_id: int | None = None
    timestamp: int | None = None
    gas_limit: int | None = None
    difficulty: int | None = None
    base_fee: int | None = None
    extra_data: bytes | None = None
    coinbase: Address | None = None
    mix_hash: Hash32 | None = None

    def with_funds(self, balances: dict[Address, int]) -> GenesisFile:
        """Those accounts funded too (wei), unless the file says itself what they have."""
        funded = {each: Given(balance, None, None, {}) for each, balance in balances.items()}
        return replace(self, accounts=funded | self.accounts)


NO_FILE = GenesisFile({})


def read_genesis(path: Path) -> GenesisFile:
    """The file; raises `ConfigError`, naming what in it cannot be used."""
    try:
        with path.open("rb") as file:
            value = parse(file.read(MAX_FILE))
        return _genesis(members(value, "the file"))
    except OSError as error:
        msg = f"init {path} cannot be read: {error.strerror or error}"
        raise ConfigError(msg) from error
    except (InvalidInput, ValueError) as error:
        msg = f"init {path}: {error}"
        raise ConfigError(msg) from error


def _genesis(value: dict[str, Any]) -> GenesisFile:
    if "alloc" not in value:
        msg = "alloc is missing: a genesis file says there who has what"
        raise InvalidInput(msg)
    config = members(value.get("config") or {}, "config")

    def optional(name: str, most: int) -> int | None:
        return None if value.get(name) is None else number(value[name], most, name)

    chain_id = config.get("chainId")
    return GenesisFile(
        accounts=read_accounts(value["alloc"], "alloc"),
        chain_id=None if chain_id is None else number(chain_id, MAX_UINT64, "config.chainId"),
        timestamp=optional("timestamp", MAX_TIMESTAMP),
        gas_limit=optional("gasLimit", MAX_UINT64),
        difficulty=optional("difficulty", MAX_UINT256),
        base_fee=optional("baseFeePerGas", MAX_UINT256),
        extra_data=None
        if value.get("extraData") is None
        else data(value["extraData"], "extraData"),
        coinbase=Address(found) if (found := _sized(value, "coinbase", 20)) else None,
        mix_hash=Hash32(found) if (found := _sized(value, "mixHash", 32)) else None,
    )


def _sized(value: dict[str, Any], name: str, size: int) -> bytes | None:
    if value.get(name) is None:
        return None
    found = data(value[name], name)
    if len(found) != size:
        msg = f"{name}: want {size} bytes, got {len(found)}"
        raise InvalidInput(msg)
    return found


def configured(config: Config, file: GenesisFile) -> Config:
    """The configuration with the file's chain id and gas limit; raises `ConfigError`."""
    if file.chain_id is not None and config.chain_id not in (None, file.chain_id):
        msg = f"init says config.chainId {file.chain_id}, and --chain-id {config.chain_id}"
        raise ConfigError(msg)
    chain_id = config.chain_id if file.chain_id is None else file.chain_id
    gas_limit = file.gas_limit if config.gas_limit is None else config.gas_limit
    return replace(config, chain_id=chain_id, gas_limit=gas_limit)
