"""State tests as JSON files have them, whose expected state is written account by account."""

from __future__ import annotations

from typing import Any

import rlp
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey

from devchain.chain.genesis import write_accounts
from devchain.state.state_database import open_database
from devchain.types import Address, StateOverride
from tests.bytecode import assemble

KEY = b"\x45" * 32
SENDER = Address(PrivateKey(KEY).public_key.to_canonical_address())
CONTRACT = Address(b"\xc0" * 20)
COINBASE = Address(b"\xcb" * 20)
FUNDS = 10**18
GAS = 100_000


def fixture(code: str, gas_used: int, fork: str = "Byzantium") -> dict[str, Any]:
    """A test of a call of that code, which changes no storage and emits no log."""
    after = {
        SENDER: StateOverride(balance=FUNDS - gas_used, nonce=1),
        CONTRACT: StateOverride(balance=1, code=assemble(code)),
        COINBASE: StateOverride(balance=gas_used),
    }
    root = write_accounts(open_database("reference"), after).root
    return {
        "env": {
            "currentCoinbase": f"0x{COINBASE.hex()}",
            "currentDifficulty": "0x20000",
            "currentGasLimit": "0x989680",
            "currentNumber": "0x01",
            "currentTimestamp": "0x03e8",
        },
        "pre": {
            f"0x{SENDER.hex()}": account(FUNDS, b""),
            f"0x{CONTRACT.hex()}": account(1, assemble(code)),
        },
        "transaction": {
            "data": ["0x"],
            "gasLimit": [hex(GAS)],
            "gasPrice": "0x01",
            "nonce": "0x00",
            "secretKey": f"0x{KEY.hex()}",
            "to": f"0x{CONTRACT.hex()}",
            "value": ["0x00"],
        },
        "post": {
            fork: [
                {
                    "hash": f"0x{root.hex()}",
                    "logs": f"0x{keccak(rlp.encode([])).hex()}",
                    "indexes": {"data": 0, "gas": 0, "value": 0},
                }
            ]
        },
    }


def account(balance: int, code: bytes) -> dict[str, Any]:
    """An account of `pre`."""
    return {"balance": hex(balance), "code": f"0x{code.hex()}", "nonce": "0x00", "storage": {}}
