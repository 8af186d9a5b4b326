"""`personal_` methods: keys that the node keeps encrypted with passphrases."""

from __future__ import annotations

import re

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.node.accounts import DEFAULT_UNLOCK_SECONDS
from devchain.node.core import sender_of
from devchain.rpc.method import rpc
from devchain.rpc.scalar_decoders import Loose
from devchain.types import Address, Hash32, TransactionRequest

HEX_TEXT = re.compile(r"0x([0-9a-fA-F]{2})*\Z")
RAW_KEY = re.compile(r"(0x)?[0-9a-fA-F]{64}\Z")


@rpc("personal_listAccounts")
def list_accounts(node: Node) -> list[Address]:
    """The same as `eth_accounts`."""
    return node.accounts.addresses()


@rpc("personal_newAccount", slow=True)
def new_account(node: Node, passphrase: str) -> Address:
    """Create an account with a random key, unlocked for 30 minutes, and return its address."""
    return node.accounts.new(passphrase)


@rpc("personal_newAccountWithSeed", slow=True)
def new_account_with_seed(node: Node, seed: str) -> Address:
    """Create an unlocked account with the Keccak-256 of the seed as key, and return its address."""
    return node.accounts.new_from_seed(seed)


@rpc("personal_importRawKey", slow=True)
def import_raw_key(node: Node, key: str, passphrase: str) -> Address:
    """Import a private key, 64 hex digits, and return its address, unlocked for 30 minutes."""
    if not RAW_KEY.match(key):
        raise InvalidInput("a private key is 64 hex digits, with or without 0x before them", key)
    return node.accounts.add(bytes.fromhex(key.removeprefix("0x")), passphrase)


@rpc("personal_dumpRawKey")
def dump_raw_key(node: Node, address: Address) -> bytes:
    """The private key of an unlocked account. Error -32000: it is locked or unknown."""
    return node.accounts.key(address)


@rpc("personal_unlockAccount", slow=True)
def unlock_account(
    node: Node, address: Address, passphrase: str, seconds: Loose | None = None
) -> bool:
    """Unlock an account for some seconds: 30 minutes by default, 0 for ever.

    The passphrase of a funded account is the empty string. Error -32000: the account is unknown or
    the passphrase wrong. rskj takes milliseconds.
    """
    unit = node.config.preset.unlock_unit
    duration = DEFAULT_UNLOCK_SECONDS if seconds is None else seconds * unit
    node.accounts.unlock(address, passphrase, duration)
    return True


@rpc("personal_lockAccount")
def lock_account(node: Node, address: Address) -> bool:
    """Lock an account. False if it was locked."""
    return node.accounts.lock(address)


@rpc("personal_sendTransaction", slow=True)
def send_transaction(node: Node, request: TransactionRequest, passphrase: str) -> Hash32:
    """Sign a transaction with the sender's passphrase, send it and return its hash.

    The account may be locked, and stays so. Error -32000: it is unknown or the passphrase wrong.
    Error -32010: the mempool rejects the transaction.
    """
    key = node.accounts.open(sender_of(request), passphrase)
    return node.send(request, key)


@rpc("personal_sign")
def sign(node: Node, message: str, address: Address, passphrase: str | None = None) -> bytes:
    """Sign a message as `eth_sign` does. The message is the first parameter.

    The message is DATA, or text, whose UTF-8 bytes are signed. With a passphrase the account may be
    locked. Error -32000: the account is unknown or locked.
    """
    content = bytes.fromhex(message[2:]) if HEX_TEXT.match(message) else message.encode()
    return node.accounts.sign_message(address, content, passphrase)
