"""Methods that let accounts send without a key, and forget keys."""

from __future__ import annotations

from devchain.errors import AccountUnavailable
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.types import Address


@rpc("hardhat_impersonateAccount", "anvil_impersonateAccount")
def impersonate_account(node: Node, address: Address) -> bool:
    """Let `eth_sendTransaction` send from an account without its key, be it a contract; true.

    `eth_accounts` lists it. It pays for its gas like any other; it cannot sign messages. The
    signature in what it sends is another account's to whoever checks: nobody holds its key.
    """
    node.accounts.impersonate(address)
    return True


@rpc("hardhat_stopImpersonatingAccount", "anvil_stopImpersonatingAccount")
def stop_impersonating_account(node: Node, address: Address) -> bool:
    """Stop an account from sending without its key; whether it could."""
    return node.accounts.stop_impersonating(address)


@rpc("anvil_autoImpersonateAccount", "hardhat_autoImpersonateAccount")
def auto_impersonate_account(node: Node, enabled: bool) -> bool:
    """Let every account send without a key, or no longer so; true."""
    node.accounts.impersonates_all = enabled
    return True


@rpc("evm_addAccount")
def add_account(node: Node, address: Address, passphrase: str) -> bool:
    """Let an account send without its key, as ganache has it; whether it is new here.

    In ganache `personal_unlockAccount` must follow; here it may, and takes any passphrase.
    """
    if address in node.accounts.addresses():
        return False
    node.accounts.impersonate(address)
    return True


@rpc("evm_removeAccount", raises=(AccountUnavailable,))
def remove_account(node: Node, address: Address, passphrase: str) -> bool:
    """Forget an account's key, or stop impersonating it; whether it was known.

    Error -32000 if a key is held and the passphrase is not its own.
    """
    return node.accounts.remove(address, passphrase)
