"""Rootstock's precompiled contracts: the table of addresses.

Contracts without an ABI are in `standard`. `native_contract` is the framework of those with an ABI,
`bitcoin` and `powpeg` are what several of them share. Entry point: `precompiled(upgrade)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eth.abc import ComputationAPI
from eth.precompiles.identity import identity
from eth.precompiles.ripemd160 import ripemd160
from eth.precompiles.sha256 import sha256

from devchain.evm.rootstock.precompiles import standard
from devchain.evm.rootstock.precompiles.bridge import BRIDGE
from devchain.evm.rootstock.precompiles.chain_contracts import BLOCK_HEADER, ENVIRONMENT, REMASC
from devchain.evm.rootstock.precompiles.hd_wallet import HD_WALLET_UTILS
from devchain.evm.rootstock.precompiles.native_contract import WORD, Call, NativeContract
from devchain.networks import is_since
from devchain.types import Address

_CONTRACTS: dict[int, tuple[str, Callable[[Call], object], int | None]] = {
    0x01: ("orchid", standard.recover, 4 * WORD),
    0x02: ("orchid", lambda call: sha256(call.computation), None),
    0x03: ("orchid", lambda call: ripemd160(call.computation), None),
    0x04: ("orchid", lambda call: identity(call.computation), None),
    0x05: ("orchid", standard.modexp, None),
    0x06: ("papyrus", standard.curve_add, 4 * WORD),
    0x07: ("papyrus", standard.curve_multiply, 3 * WORD),
    0x08: ("papyrus", standard.curve_pairing, None),
    0x09: ("iris", standard.blake2f, standard.BLAKE_INPUT),
    0x01000006: ("orchid", BRIDGE, None),
    0x01000008: ("orchid", REMASC, None),
    0x01000009: ("wasabi", HD_WALLET_UTILS, None),
    0x01000010: ("wasabi", BLOCK_HEADER, None),
    0x01000011: ("arrowhead", ENVIRONMENT, None),
    0x01000016: ("reed", standard.secp256k1_add, 4 * WORD),
    0x01000017: ("reed", standard.secp256k1_multiply, 3 * WORD),
}
"""The first upgrade, the contract, and the bytes of input that it is passed at most (RSKIP516)."""


def _contracts(upgrade: str) -> dict[Address, Callable[[Call], object]]:
    return {
        Address(number.to_bytes(20)): contract
        for number, (since, contract, _) in _CONTRACTS.items()
        if is_since(upgrade, since)
    }


def precompiled(upgrade: str) -> dict[Address, Callable[[ComputationAPI], ComputationAPI]]:
    """The precompiled contracts of an upgrade by address, as functions that py-evm calls."""

    def bound(contract: Callable[[Call], object]) -> Callable[[ComputationAPI], ComputationAPI]:
        def run(computation: ComputationAPI) -> ComputationAPI:
            contract(Call(computation, upgrade))
            return computation

        return run

    return {address: bound(contract) for address, contract in _contracts(upgrade).items()}


def native_contracts(upgrade: str) -> dict[Address, NativeContract]:
    """The precompiled contracts of an upgrade that have an ABI, by address."""
    return {
        address: contract
        for address, contract in _contracts(upgrade).items()
        if isinstance(contract, NativeContract)
    }


def input_limits(upgrade: str) -> Mapping[Address, int]:
    """How many bytes of input a contract can pass to precompiled contracts, where it is limited."""
    if not is_since(upgrade, "reed"):
        return {}
    limits = {Address(number.to_bytes(20)): limit for number, (*_, limit) in _CONTRACTS.items()}
    return {address: limit for address, limit in limits.items() if limit is not None}
