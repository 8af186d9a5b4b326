"""Methods for impersonating accounts and removing keys."""

from __future__ import annotations

from devchain.errors import AccountUnavailable
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.types import Address


@rpc("hardhat_impersonateAccount", "anvil_impersonateAccount")
def impersonate_account(node: Node, address: Address) -> bool:
    """Let `eth_sendTransaction` send from an account without its key; true.

    The account may be a contract. `eth_accounts` lists it. It pays for gas as any other account and
    cannot sign messages. The signatures of its transactions do not recover to its address, since
    the node does not have its key.
    """
    node.accounts.impersonate(address)
    return True


@rpc("hardhat_stopImpersonatingAccount", "anvil_stopImpersonatingAccount")
def stop_impersonating_account(node: Node, address: Address) -> bool:
    """Stop impersonating an account; whether it was impersonated."""
    return node.accounts.stop_impersonating(address)


@rpc("anvil_autoImpersonateAccount", "hardhat_autoImpersonateAccount")
def auto_impersonate_account(node: Node, enabled: bool) -> bool:
    """Impersonate every sender, or stop that; true."""
    node.accounts.impersonates_all = enabled
    return True


@rpc("evm_addAccount", slow=True)
def add_account(node: Node, address: Address, passphrase: str) -> bool:
    """Impersonate an account, under ganache's name for it; false if the node already has it.

    In ganache `personal_unlockAccount` has to follow; here it is optional and takes any passphrase.
    """
    if address in node.accounts.addresses():
        return False
    node.accounts.impersonate(address)
    return True


@rpc("evm_removeAccount", raises=(AccountUnavailable,))
def remove_account(node: Node, address: Address, passphrase: str) -> bool:
    """Remove an account's key, or stop impersonating it; whether the account was known.

    Error -32000 if the node has the key and the passphrase is wrong.
    """
    return node.accounts.remove(address, passphrase)
