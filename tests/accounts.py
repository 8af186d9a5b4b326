"""The development accounts that every test node funds, and their balance."""

from __future__ import annotations

from devchain.types import Address

ADDRESSES = tuple(
    Address(bytes.fromhex(text))
    for text in (
        "f39fd6e51aad88f6f4ce6ab8827279cfffb92266",
        "70997970c51812dc3a010c7d01b50e0d17dc79c8",
        "3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
        "90f79bf6eb2c4f870365e785982e1f101e93b906",
        "15d34aaf54267db7d7c367839aaf71a00a2c6a65",
        "9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
        "976ea74026e726554db657fa54763abd0c3a0aa9",
        "14dc79964da2c08b23698b3d3cc7ca32193d9955",
        "23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
        "a0ee7a142d267c1f36714e4a8f75612f20a79720",
    )
)
"""The ten accounts of Hardhat's and anvil's default mnemonic, in order."""

ALICE, BOB, CAROL, DAVE = ADDRESSES[:4]
ALICE_HEX, BOB_HEX, CAROL_HEX, DAVE_HEX = (f"0x{each.hex()}" for each in ADDRESSES[:4])

ALICE_KEY = bytes.fromhex("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
BOB_KEY = bytes.fromhex("59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
CAROL_KEY = bytes.fromhex("5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a")

UNFUNDED = Address(bytes.fromhex("0b0d" * 10))
"""An account that no genesis block funds."""

UNFUNDED_HEX = f"0x{UNFUNDED.hex()}"

FUNDS = 10_000 * 10**18
"""Balance of each of the ten at genesis, in wei."""
