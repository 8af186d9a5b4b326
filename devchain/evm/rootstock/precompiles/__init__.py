"""Rootstock's precompiled contracts: the table of addresses, and one module per contract.

Ethereum's (0x01 to 0x09) are together in `standard`. `native_contract` is the framework of
contracts with an ABI, `bitcoin` and `powpeg` are what several of them share. Entry point:
`precompiled(upgrade)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eth.abc import ComputationAPI

from devchain.evm.rootstock.precompiles import secp256k1, standard
from devchain.evm.rootstock.precompiles.block_header import BLOCK_HEADER
from devchain.evm.rootstock.precompiles.bridge import BRIDGE
from devchain.evm.rootstock.precompiles.hd_wallet import HD_WALLET_UTILS
from devchain.evm.rootstock.precompiles.native_contract import (
    WORD,
    Call,
    Method,
    NativeContract,
    is_active,
)
from devchain.evm.rootstock.precompiles.remasc import CONTRACT as NATIVE_REMASC
from devchain.evm.rootstock.precompiles.remasc import remasc
from devchain.types import Address


def _call_depth(call: Call) -> int:
    return max(1, call.computation.msg.depth)


ENVIRONMENT = NativeContract(
    "Environment", (Method("getCallStackDepth() -> uint32", 0, _call_depth),)
)
"""The depth of the call stack (RSKIP203)."""

_CONTRACTS: dict[int, tuple[str, Callable[[Call], None]]] = {
    0x01: ("orchid", standard.recover),
    0x02: ("orchid", standard.hash_sha256),
    0x03: ("orchid", standard.hash_ripemd160),
    0x04: ("orchid", standard.copy),
    0x05: ("orchid", standard.modexp),
    0x06: ("papyrus", standard.curve_add),
    0x07: ("papyrus", standard.curve_multiply),
    0x08: ("papyrus", standard.curve_pairing),
    0x09: ("iris", standard.blake2f),
    0x01000006: ("orchid", BRIDGE),
    0x01000008: ("orchid", remasc),
    0x01000009: ("wasabi", HD_WALLET_UTILS),
    0x01000010: ("wasabi", BLOCK_HEADER),
    0x01000011: ("arrowhead", ENVIRONMENT),
    0x01000016: ("reed", secp256k1.add),
    0x01000017: ("reed", secp256k1.multiply),
}


_INPUT_LIMITS = {
    0x01: 4 * WORD,
    0x06: 4 * WORD,
    0x07: 3 * WORD,
    0x09: standard.BLAKE_INPUT,
    0x01000016: 4 * WORD,
    0x01000017: 3 * WORD,
}
"""Bytes of input that a contract passes on at most, since RSKIP516; other contracts read all."""


def precompiled(upgrade: str) -> dict[Address, Callable[[ComputationAPI], ComputationAPI]]:
    """The precompiled contracts of an upgrade by address, as functions that py-evm calls."""
    return {
        _address(number): _bound(contract, upgrade)
        for number, (since, contract) in _CONTRACTS.items()
        if is_active(since, upgrade)
    }


def native_contracts(upgrade: str) -> dict[Address, NativeContract]:
    """The precompiled contracts of an upgrade that have an ABI, by address."""
    contracts = {
        number: NATIVE_REMASC if contract is remasc else contract
        for number, (since, contract) in _CONTRACTS.items()
        if is_active(since, upgrade)
    }
    return {
        _address(number): contract
        for number, contract in contracts.items()
        if isinstance(contract, NativeContract)
    }


def input_limits(upgrade: str) -> Mapping[Address, int]:
    """How many bytes of input a contract can pass to precompiled contracts, where it is limited."""
    if not is_active("reed", upgrade):
        return {}
    return {_address(number): limit for number, limit in _INPUT_LIMITS.items()}


def _address(number: int) -> Address:
    return Address(number.to_bytes(20))


def _bound(
    contract: Callable[[Call], None], upgrade: str
) -> Callable[[ComputationAPI], ComputationAPI]:
    def run(computation: ComputationAPI) -> ComputationAPI:
        contract(Call(computation, upgrade))
        return computation

    return run
