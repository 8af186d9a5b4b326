"""`devchain.contracts.standard_abis`"""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak

from devchain.contracts.abi import Abi, Param
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.contracts.standard_abis import standard_entries
from devchain.contracts.token_transfers import TRANSFER
from devchain.types import Hash32


@pytest.mark.parametrize(
    "signature",
    [
        "transfer(address,uint256)",
        "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
        "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
        "aggregate3((address,bool,bytes)[])",
        "ERC20InsufficientBalance(address,uint256,uint256)",
    ],
)
def test_selectors(signature: str) -> None:
    """Functions and errors are found by the selector of their signature."""
    (entry,) = standard_entries()[keccak(signature.encode())[:4]]

    assert entry.signature == signature


def test_outputs() -> None:
    """Functions have the types of what they return, tuples too."""
    (entry,) = standard_entries()[keccak(b"aggregate3((address,bool,bytes)[])")[:4]]

    assert [param.kind for param in entry.outputs] == ["(bool,bytes)[]"]
    assert isinstance(entry.outputs[0], Param)


def test_mutability() -> None:
    """Functions that only read, and those that take coins, say so."""
    signatures = (b"balanceOf(address)", b"deposit()", b"transfer(address,uint256)")
    entries = [standard_entries()[keccak(each)[:4]][0] for each in signatures]

    assert [entry.is_read_only for entry in entries] == [True, False, False]
    assert [entry.mutability for entry in entries] == ["view", "payable", "nonpayable"]


def test_transfer_events() -> None:
    """Transfers of ERC-20 and ERC-721 differ in what is indexed: both are decoded."""
    topics = (Hash32(TRANSFER), *(Hash32(number.to_bytes(32)) for number in (1, 2)))

    coin = Registry().decode_event(b"", topics, (3).to_bytes(32))
    piece = Registry().decode_event(b"", (*topics, Hash32((3).to_bytes(32))), b"")

    assert coin is not None
    assert piece is not None
    assert (coin.named["value"], piece.named["tokenId"]) == (3, 3)


def test_own_abi_comes_first() -> None:
    """An artifact's own names of parameters are used, where there is one."""
    function = {
        "type": "function",
        "name": "transfer",
        "inputs": [{"type": "address", "name": "who"}, {"type": "uint256", "name": "wad"}],
    }
    registry = Registry([Artifact("Mine", Abi.from_json([function]))])
    decoded = registry.decode_call(b"", keccak(b"transfer(address,uint256)")[:4] + bytes(64))

    assert decoded is not None
    assert list(decoded.named) == ["who", "wad"]
