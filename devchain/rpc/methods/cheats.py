"""Methods that edit accounts, under the names of Hardhat, anvil and ganache.

No block is mined for an edit, and the latest block does not change; balances, calls, the pending
block and the next block see the edit at once. Until that is mined, `eth_getProof` at the head
proves the edited state, whose root is in no header yet. `evm_revert` undoes an edit.
"""

from __future__ import annotations

from devchain.node import Node, cheats
from devchain.rpc.method import rpc
from devchain.rpc.scalar_decoders import Addresses, Amount, Loose
from devchain.types import Address


@rpc("hardhat_setBalance", "anvil_setBalance", "evm_setAccountBalance")
def set_balance(node: Node, address: Address, balance: Amount) -> bool:
    """Set the balance of an account, in wei. No block is mined."""
    node.set_balance(address, balance)
    return True


@rpc("anvil_addBalance", "hardhat_addBalance")
def add_balance(node: Node, address: Address, amount: Amount) -> bool:
    """Add to the balance of an account, in wei. No block is mined."""
    node.add_balance(address, amount)
    return True


@rpc("hardhat_setNonce", "anvil_setNonce", "evm_setAccountNonce")
def set_nonce(node: Node, address: Address, nonce: Loose) -> bool:
    """Set the nonce of an account. It may be lower than before."""
    node.set_nonce(address, nonce)
    return True


@rpc("hardhat_setCode", "anvil_setCode", "evm_setAccountCode")
def set_code(node: Node, address: Address, code: bytes) -> bool:
    """Set the code of an account. `0x` removes it."""
    node.set_code(address, code)
    return True


@rpc("hardhat_setStorageAt", "anvil_setStorageAt", "evm_setAccountStorageAt")
def set_storage_at(node: Node, address: Address, slot: Amount, value: Amount) -> bool:
    """Set a storage slot of an account. The value may be shorter than 32 bytes."""
    node.set_storage(address, slot, value)
    return True


@rpc("anvil_dealERC20", "anvil_dealErc20", "hardhat_dealERC20", "anvil_setERC20Balance", slow=True)
def deal_erc20(node: Node, owner: Address, token: Address, amount: Amount) -> bool:
    """Set the balance of an account in an ERC-20 token.

    It finds and writes the storage slot that `balanceOf` reads. The total supply does not change.
    Error -32602: there is no such slot.
    """
    cheats.deal_tokens(node, token, owner, amount)
    return True


@rpc("anvil_setERC20Allowance", "anvil_setErc20Allowance", slow=True)
def set_erc20_allowance(
    node: Node, owner: Address, spender: Address, token: Address, amount: Amount
) -> bool:
    """Set the amount of an owner's ERC-20 tokens that a spender may transfer.

    It finds and writes the storage slot that `allowance` reads. Error -32602: there is no such
    slot.
    """
    cheats.set_allowance(node, token, owner, spender, amount)
    return True


# Tenderly's names


@rpc("tenderly_setBalance")
def set_balances(node: Node, addresses: Addresses, balance: Amount) -> bool:
    """Set the balance of one account or of several, in wei. No block is mined."""
    for address in addresses:
        node.set_balance(address, balance)
    return True


@rpc("tenderly_addBalance")
def add_balances(node: Node, addresses: Addresses, amount: Amount) -> bool:
    """Add to the balance of one account or of several, in wei. No block is mined."""
    for address in addresses:
        node.add_balance(address, amount)
    return True


@rpc("tenderly_setErc20Balance", slow=True)
def set_erc20_balances(node: Node, token: Address, owners: Addresses, amount: Amount) -> bool:
    """Set the balance of one account or of several in an ERC-20 token, as `anvil_dealERC20`."""
    for owner in owners:
        cheats.deal_tokens(node, token, owner, amount)
    return True


# Impersonation and keys


@rpc("hardhat_impersonateAccount", "anvil_impersonateAccount")
def impersonate_account(node: Node, address: Address) -> bool:
    """Let `eth_sendTransaction` send from an account or contract without its key.

    The account pays for gas as any other, and cannot sign messages. The signatures of its
    transactions do not recover to its address.
    """
    node.accounts.impersonate(address)
    return True


@rpc("hardhat_stopImpersonatingAccount", "anvil_stopImpersonatingAccount")
def stop_impersonating_account(node: Node, address: Address) -> bool:
    """Stop impersonating an account. False if it was not impersonated."""
    return node.accounts.stop_impersonating(address)


@rpc("anvil_autoImpersonateAccount", "hardhat_autoImpersonateAccount")
def auto_impersonate_account(node: Node, enabled: bool) -> bool:
    """Impersonate every sender, or stop doing so."""
    node.accounts.impersonates_all = enabled
    return True


@rpc("evm_addAccount", slow=True)
def add_account(node: Node, address: Address, passphrase: str) -> bool:
    """Impersonate an account, as in ganache. False if the node already has it.

    `personal_unlockAccount` may follow, with any passphrase.
    """
    if address in node.accounts.addresses():
        return False
    node.accounts.impersonate(address)
    return True


@rpc("evm_removeAccount")
def remove_account(node: Node, address: Address, passphrase: str) -> bool:
    """Remove an account's key, or stop impersonating it. False if the account is unknown.

    Error -32000: the passphrase is wrong.
    """
    return node.accounts.remove(address, passphrase)
