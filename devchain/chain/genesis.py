"""Genesis: geth's genesis files (`--init`), and the first block of a chain."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from devchain.chain.block import Block
from devchain.chain.predeploys import predeployed_accounts
from devchain.config import Config
from devchain.errors import ConfigError, InvalidInput
from devchain.evm.rules import HeaderFields, Rules
from devchain.files import read_file
from devchain.state.state_database import Database, RetainedState
from devchain.state.state_view import apply_overrides
from devchain.state.trie import EMPTY_ROOT
from devchain.text import misspelt
from devchain.types import (
    MAX_UINT64,
    MAX_UINT256,
    ZERO_ADDRESS,
    Address,
    Hash32,
    StateOverride,
    StateOverrides,
)

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
NUMBER = re.compile(r"0x[0-9a-fA-F]{1,64}|[0-9]{1,78}")
BYTES = re.compile(r"0x([0-9a-fA-F]{2})*")
COMMENT_MARKS = ("_", "//", "#", "$")  # how members begin that are comments: JSON has none


def parse(text: bytes) -> Any:
    """Parse JSON with integers of any size, as deep as orjson nests; raises `ValueError`."""
    orjson.loads(text)
    try:
        return json.loads(text)
    except RecursionError:  # at fewer levels than orjson's
        raise ValueError("it nests too deeply") from None


def read_accounts(value: Any, name: str) -> StateOverrides:
    accounts: StateOverrides = {}
    for text, account in members(value, name).items():
        where = f"{name}.{text[:50]}"
        plain = text if text.startswith("0x") else f"0x{text}"
        if not ADDRESS.fullmatch(plain):
            raise InvalidInput(f"{where}: not an address, want 40 hex digits")
        accounts[Address(bytes.fromhex(plain[2:]))] = _account(members(account, where), where)
    return accounts


def _account(value: dict[str, Any], where: str) -> StateOverride:
    storage = members(value.get("storage") or {}, f"{where}.storage")
    code = value.get("code")
    return StateOverride(
        balance=_optional(value, "balance", MAX_UINT256, f"{where}."),
        nonce=_optional(value, "nonce", MAX_UINT64, f"{where}."),
        code=None if code is None else data(code or "0x", f"{where}.code"),
        state_diff={
            number(slot, MAX_UINT256, f"{where}.storage"): number(
                content, MAX_UINT256, f"{where}.storage.{slot[:70]}"
            )
            for slot, content in storage.items()
        },
    )


def _optional(value: dict[str, Any], name: str, most: int, where: str = "") -> int | None:
    return None if value.get(name) is None else number(value[name], most, f"{where}{name}")


def members(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise InvalidInput(f"{where}: want a JSON object, got {_shown(value)}")


def number(value: Any, most: int, where: str) -> int:
    if isinstance(value, str) and NUMBER.fullmatch(value):
        value = int(value, 16 if value.startswith("0x") else 10)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise InvalidInput(
            f"{where}: want a number up to {most.bit_length()} bits, got {_shown(value)}"
        )
    return value


def data(value: Any, where: str) -> bytes:
    if isinstance(value, str) and BYTES.fullmatch(value):
        return bytes.fromhex(value[2:])
    raise InvalidInput(f"{where}: want 0x and an even number of hex digits, got {_shown(value)}")


def _shown(value: Any) -> str:
    return f"{value!r:.60}"


MAX_TIMESTAMP = 2**62


@dataclass(frozen=True, slots=True)
class GenesisFile:
    """The members of a genesis file that are used; None for those it leaves out.

    Difficulty, random value and base fee are used under Ethereum's rules alone.
    """

    accounts: StateOverrides
    chain_id: int | None = None
    timestamp: int | None = None
    gas_limit: int | None = None
    difficulty: int | None = None
    base_fee: int | None = None
    extra_data: bytes | None = None
    coinbase: Address | None = None
    mix_hash: Hash32 | None = None
    first_account: Address = ZERO_ADDRESS

    def with_funds(self, balances: dict[Address, int]) -> GenesisFile:
        funded = {address: StateOverride(balance) for address, balance in balances.items()}
        first = next(iter(balances), ZERO_ADDRESS)
        return replace(self, accounts=funded | self.accounts, first_account=first)


NO_FILE = GenesisFile({})


def read_genesis(path: Path) -> GenesisFile:
    try:
        value = parse(read_file(path))
        return _genesis(members(value, "the file"))
    except OSError as error:
        raise ConfigError(f"init {path} cannot be read: {error.strerror or error}") from error
    except (InvalidInput, ValueError) as error:
        raise ConfigError(f"init {path}: {error}") from error


ACCOUNT_MEMBERS = ("balance", "nonce", "code", "storage")
OTHER_ACCOUNT_MEMBERS = frozenset(
    # of older and other programs' files, of dumps of geth, and comments
    {"secretKey", "privateKey", "builtin", "version", "address", "key", "root", "codeHash"}
    | {"comment", "label", "name"}
)


def _check_account(value: dict[str, Any], where: str) -> None:
    # Refuse members that have no meaning: what was meant would be left out of the account.
    unknown = value.keys() - {*ACCOUNT_MEMBERS} - OTHER_ACCOUNT_MEMBERS
    for name in sorted(name for name in unknown if not name.startswith(COMMENT_MARKS)):
        meant = misspelt(name, ACCOUNT_MEMBERS)
        hint = f"did you mean {meant}?" if meant else f"known are {', '.join(ACCOUNT_MEMBERS)}"
        raise InvalidInput(f"{where}: unknown member {name[:50]!r}: {hint}")


def _genesis(value: dict[str, Any]) -> GenesisFile:
    if "alloc" not in value:
        raise InvalidInput("alloc is missing: want the accounts of the genesis block")
    config = members(value.get("config") or {}, "config")
    accounts = read_accounts(value["alloc"], "alloc")
    for address, account in value["alloc"].items():
        _check_account(account, f"alloc.{address}")
    coinbase, mix_hash = _bytes(value, "coinbase", 20), _bytes(value, "mixHash", 32)
    return GenesisFile(
        accounts=accounts,
        chain_id=_optional(config, "chainId", MAX_UINT64, "config."),
        timestamp=_optional(value, "timestamp", MAX_TIMESTAMP),
        gas_limit=_optional(value, "gasLimit", MAX_UINT64),
        difficulty=_optional(value, "difficulty", MAX_UINT256),
        base_fee=_optional(value, "baseFeePerGas", MAX_UINT256),
        extra_data=_bytes(value, "extraData"),
        coinbase=Address(coinbase) if coinbase else None,
        mix_hash=Hash32(mix_hash) if mix_hash else None,
    )


def _bytes(value: dict[str, Any], name: str, size: int | None = None) -> bytes | None:
    if value.get(name) is None:
        return None
    content = data(value[name], name)
    if size is not None and len(content) != size:
        raise InvalidInput(f"{name}: want {size} bytes, got {len(content)}")
    return content


def configured(config: Config, file: GenesisFile) -> Config:
    if file.chain_id is not None and config.chain_id not in (None, file.chain_id):
        raise ConfigError(
            f"init has config.chainId {file.chain_id}, but --chain-id is {config.chain_id}"
        )
    chain_id = config.chain_id if file.chain_id is None else file.chain_id
    gas_limit = file.gas_limit if config.gas_limit is None else config.gas_limit
    return replace(config, chain_id=chain_id, gas_limit=gas_limit)


ROOTSTOCK_COINBASE = Address(bytes.fromhex("33" * 20))


def genesis(
    config: Config, rules: Rules, database: Database, timestamp: int, start: GenesisFile
) -> Block:
    """The genesis block, with the hardfork's contracts and those of `--predeploy`.

    `timestamp` is its time unless the file has one.
    """
    contracts = {
        address: StateOverride(nonce=1, code=code)
        for address, code in rules.system_contracts.items()
    }
    contracts |= {
        address: StateOverride(balance) for address, balance in rules.genesis_balances.items()
    }
    contracts |= predeployed_accounts(config, start.first_account)
    state = write_accounts(database, contracts | start.accounts)
    fields = HeaderFields(
        timestamp=timestamp if start.timestamp is None else start.timestamp,
        coinbase=start.coinbase or (ZERO_ADDRESS if rules.follows_geth else ROOTSTOCK_COINBASE),
        gas_limit=config.effective_gas_limit,
        minimum_gas_price=config.min_gas_price,
    )
    header = rules.genesis_header(fields, state.root)
    values = {
        "extra_data": start.extra_data,
        "difficulty": start.difficulty,
        "mix_hash": start.mix_hash,
        "base_fee_per_gas": start.base_fee,
    }
    own_fields = {
        name: value
        for name, value in values.items()
        if value is not None and name in rules.genesis_fields
    }
    if own_fields:
        header = header.copy(**own_fields)
    return Block(header, Hash32(header.hash), total_difficulty=header.difficulty, state=state)


def write_accounts(database: Database, start: StateOverrides) -> RetainedState:
    accounts = database.accounts(EMPTY_ROOT)
    for address in start:
        accounts.touch_account(address)
    apply_overrides(accounts, start)
    accounts.persist()
    return database.retain_state(Hash32(accounts.state_root))
