"""`eth_` methods that read accounts: balance, code, storage, nonce, proof."""

from __future__ import annotations

from devchain.errors import BlockNotFound
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import ProofObject, proof_object
from devchain.rpc.scalar_decoders import StorageKey
from devchain.types import Address, StateRef, Tag


@rpc("eth_getBalance", hosted=True, raises=(BlockNotFound,))
def get_balance(node: Node, address: Address, block: StateRef = Tag.LATEST) -> int:
    """The balance of an account, in wei."""
    return node.chain.state_at(block).balance(address)


@rpc("eth_getCode", hosted=True, hosted_pending=False, raises=(BlockNotFound,))
def get_code(node: Node, address: Address, block: StateRef = Tag.LATEST) -> bytes:
    """The code of a contract; empty for other accounts.

    The specification requires the block; here it defaults to the latest.
    """
    return node.chain.state_at(block).code(address)


@rpc("eth_getStorageAt", hosted=True, raises=(BlockNotFound,))
def get_storage_at(node: Node, address: Address, slot: int, block: StateRef = Tag.LATEST) -> bytes:
    """The value of a storage slot of an account, 32 bytes; zero if never written.

    The specification requires the block; here it defaults to the latest.
    """
    return node.chain.state_at(block).storage(address, slot).to_bytes(32, "big")


@rpc("eth_getTransactionCount", hosted=True, raises=(BlockNotFound,))
def get_transaction_count(node: Node, address: Address, block: StateRef = Tag.LATEST) -> int:
    """The nonce of an account; with `pending`, transactions in the mempool count too."""
    return node.nonce(address, block)


@rpc("eth_getProof", slow=True, raises=(BlockNotFound,))
def get_proof(
    node: Node, address: Address, slots: list[StorageKey], block: StateRef = Tag.LATEST
) -> ProofObject:
    """An account and some of its storage slots with Merkle-Patricia proofs (EIP-1186).

    The proofs verify against the block's `stateRoot`. At a block whose state was edited, as by
    `hardhat_setBalance`, they are of the edited state and begin at its root instead, which no
    header has before the next block. The real node does not have this method.

    The `key` of a slot is a QUANTITY; under Ethereum's rules it is as the caller wrote it.
    """
    proof = node.chain.state_at(block).proof(address, slots)
    as_written = node.chain.rules.follows_geth
    return proof_object(proof, [slot.written if as_written else None for slot in slots])
