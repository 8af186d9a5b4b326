"""Methods that edit accounts by hand, under the names of Hardhat, anvil and ganache.

None of them makes a block. The newest block and the state root in its header stay as they are;
balances, calls, the pending block and the next one see the edit at once, and so does
`debug_traceTransaction` of that next block. Until then `eth_getProof` at the head proves the
edited state, whose root is in no header yet. `evm_revert` takes an edit back.
"""

from __future__ import annotations

from devchain.node import Node, cheats
from devchain.rpc.decoders import Amount, Loose
from devchain.rpc.method import rpc
from devchain.types import Address


@rpc("hardhat_setBalance", "anvil_setBalance", "evm_setAccountBalance")
def set_balance(node: Node, address: Address, balance: Amount) -> bool:
    """Give an account that balance, in wei; true. No block is made."""
    cheats.set_balance(node, address, balance)
    return True


@rpc("anvil_addBalance")
def add_balance(node: Node, address: Address, amount: Amount) -> bool:
    """Give an account so many wei more; true. No block is made."""
    cheats.add_balance(node, address, amount)
    return True


@rpc("hardhat_setNonce", "anvil_setNonce", "evm_setAccountNonce")
def set_nonce(node: Node, address: Address, nonce: Loose) -> bool:
    """Give an account that nonce, which may be lower than before as in anvil; true."""
    cheats.set_nonce(node, address, nonce)
    return True


@rpc("hardhat_setCode", "anvil_setCode", "evm_setAccountCode")
def set_code(node: Node, address: Address, code: bytes) -> bool:
    """Give an account that code, of any size; `0x` takes it away; true."""
    cheats.set_code(node, address, code)
    return True


@rpc("hardhat_setStorageAt", "anvil_setStorageAt", "evm_setAccountStorageAt")
def set_storage_at(node: Node, address: Address, slot: Amount, value: Amount) -> bool:
    """Write one storage slot of an account; true. The value may be shorter than 32 bytes."""
    cheats.set_storage(node, address, slot, value)
    return True


@rpc("anvil_dealERC20", "anvil_dealErc20")
def deal_erc20(node: Node, owner: Address, token: Address, amount: Amount) -> bool:
    """Make an ERC-20 token say that an account has that amount; true.

    The storage slot that decides what `balanceOf` answers is found and written; the total supply
    stays as it is. Error -32602 if there is no such slot.
    """
    cheats.deal_tokens(node, token, owner, amount)
    return True


@rpc("anvil_setERC20Allowance", "anvil_setErc20Allowance")
def set_erc20_allowance(
    node: Node, owner: Address, spender: Address, token: Address, amount: Amount
) -> bool:
    """Make an ERC-20 token say that a spender may take that amount from its owner; true.

    As `anvil_dealERC20` does for balances. Error -32602 if no slot decides what
    `allowance` answers.
    """
    cheats.set_allowance(node, token, owner, spender, amount)
    return True
