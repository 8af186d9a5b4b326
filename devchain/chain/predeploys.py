"""Well-known contracts that a chain can begin with, at the addresses they have elsewhere.

`predeploys.json` has their code and where it is from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from devchain.config import Config
from devchain.types import Address, StateOverride, StateOverrides


def predeployed_accounts(config: Config, owner: Address) -> StateOverrides:
    """The accounts of the contracts of `--predeploy`; `owner` gets what a deployer would have."""
    contracts = list(_contracts(config))
    symbols = {contract["name"]: address for address, contract in contracts} | {"owner": owner}
    return {
        address: StateOverride(
            nonce=1,
            code=_bytes(contract["code"]),
            state_diff={
                int(slot, 16): int.from_bytes(symbols.get(value) or _bytes(value), "big")
                for slot, value in contract.get("storage", {}).items()
            },
        )
        for address, contract in contracts
    }


def predeployed_abis(config: Config) -> dict[Address, tuple[str, Callable[[], list[Any]]]]:
    """Names and ABIs of those contracts, as `Registry.add_precompiled` takes them."""
    if config.is_fork:  # which has the contracts of its upstream
        return {}
    return {
        address: (contract["name"], partial(contract.__getitem__, "abi"))
        for address, contract in _contracts(config)
    }


def _contracts(config: Config) -> Iterator[tuple[Address, dict[str, Any]]]:
    if config.predeploy:
        known = orjson.loads(Path(__file__).with_suffix(".json").read_bytes())
        for contract in (contract for name in config.predeploy for contract in known[name]):
            testnet = contract.get("testnet") if config.network == "test" else None
            yield Address(_bytes(testnet or contract["address"])), contract


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])
