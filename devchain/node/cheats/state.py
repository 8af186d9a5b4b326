"""Editing accounts outside any block.

No block is made: the newest one stays as it is, and what reads the state from now on sees the edit.
"""

from __future__ import annotations

from devchain.errors import InvalidInput
from devchain.node.cheats.node import AnyNode
from devchain.types import MAX_UINT256, Address, Tag


def set_balance(node: AnyNode, address: Address, balance: int) -> None:
    """Give an account that balance, in wei."""
    with node.chain.edit_state() as accounts:
        accounts.set_balance(address, balance)
    node.on_head_changed()


def add_balance(node: AnyNode, address: Address, amount: int) -> None:
    """Give an account so many wei more; raises `InvalidInput` if they do not fit."""
    balance = node.chain.state_at(Tag.LATEST).balance(address) + amount
    if balance > MAX_UINT256:
        msg = f"the balance would be {balance} wei, more than 256 bits hold: add less"
        raise InvalidInput(msg)
    set_balance(node, address, balance)


def set_nonce(node: AnyNode, address: Address, nonce: int) -> None:
    """Give an account that nonce, be it lower than before."""
    with node.chain.edit_state() as accounts:
        accounts.set_nonce(address, nonce)
    node.on_head_changed()


def set_code(node: AnyNode, address: Address, code: bytes) -> None:
    """Give an account that code, or none."""
    with node.chain.edit_state() as accounts:
        accounts.set_code(address, code)
    node.on_head_changed()


def set_storage(node: AnyNode, address: Address, slot: int, value: int) -> None:
    """Write one storage slot of an account."""
    with node.chain.edit_state() as accounts:
        accounts.touch_account(address)
        accounts.set_storage(address, slot, value)
    node.on_head_changed()
