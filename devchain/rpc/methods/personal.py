"""`personal_` methods: keys kept by the node, under passphrases."""

from __future__ import annotations

import re

from devchain.errors import AccountUnavailable, InvalidInput, TransactionRejected, VmError
from devchain.node import Node
from devchain.node.accounts import DEFAULT_UNLOCK_SECONDS
from devchain.rpc.decoders import Loose
from devchain.rpc.method import rpc
from devchain.types import Address, Hash32, TransactionRequest

HEX_TEXT = re.compile(r"0x([0-9a-fA-F]{2})*\Z")
RAW_KEY = re.compile(r"(0x)?[0-9a-fA-F]{64}\Z")


@rpc("personal_listAccounts")
def list_accounts(node: Node) -> list[Address]:
    """Addresses a key is held for, locked ones too: the list of `eth_accounts`."""
    return node.accounts.addresses()


@rpc("personal_newAccount")
def new_account(node: Node, passphrase: str) -> Address:
    """Draw a new key and keep it under a passphrase, unlocked for 30 minutes; its address."""
    return node.accounts.new(passphrase)


@rpc("personal_newAccountWithSeed")
def new_account_with_seed(node: Node, seed: str) -> Address:
    """The account whose key is keccak-256 of the seed, unlocked for good; its address."""
    return node.accounts.new_from_seed(seed)


@rpc("personal_importRawKey")
def import_raw_key(node: Node, key: str, passphrase: str) -> Address:
    """Keep a private key (64 hex digits, 0x or not) under a passphrase, unlocked for 30 minutes."""
    if not RAW_KEY.match(key):
        msg = "a private key is 64 hex digits, with or without 0x before them"
        raise InvalidInput(msg)
    return node.accounts.add(bytes.fromhex(key.removeprefix("0x")), passphrase)


@rpc("personal_dumpRawKey", raises=(AccountUnavailable,))
def dump_raw_key(node: Node, address: Address) -> bytes:
    """Private key of an unlocked account; error -32000 if it is locked or unknown."""
    return node.accounts.key(address)


@rpc("personal_unlockAccount", raises=(AccountUnavailable,))
def unlock_account(
    node: Node, address: Address, passphrase: str, seconds: Loose | None = None
) -> bool:
    """Let an account sign for some seconds, 30 minutes if not said, 0 for good; true.

    A funded account's passphrase is the empty text. Error -32000 if the account is unknown or
    the passphrase wrong. The real node takes milliseconds here.
    """
    node.accounts.unlock(
        address, passphrase, DEFAULT_UNLOCK_SECONDS if seconds is None else seconds
    )
    return True


@rpc("personal_lockAccount")
def lock_account(node: Node, address: Address) -> bool:
    """Stop an account from signing; whether it could before."""
    return node.accounts.lock(address)


@rpc("personal_sendTransaction", raises=(AccountUnavailable, TransactionRejected, VmError))
def send_transaction(node: Node, request: TransactionRequest, passphrase: str) -> Hash32:
    """Open the sender's key with its passphrase for this one transaction and send it; its hash.

    The account need not be unlocked, and stays as it was.
    """
    return node.send_with_passphrase(request, passphrase)


@rpc("personal_sign", raises=(AccountUnavailable,))
def sign(node: Node, message: str, address: Address, passphrase: str | None = None) -> bytes:
    """Signature of a message by an account, as `eth_sign` makes it; the message comes first.

    It is DATA, or else text, of which the UTF-8 is signed. With a passphrase the account need not
    be unlocked. Error -32000 if the account is unknown or locked.
    """
    plain = bytes.fromhex(message[2:]) if HEX_TEXT.match(message) else message.encode()
    return node.accounts.sign_message(address, plain, passphrase)
