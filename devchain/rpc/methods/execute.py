"""`eth_` methods that read accounts, and that execute calls without a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devchain.chain.block import Block, MinedLog
from devchain.errors import InvalidInput
from devchain.evm.failures import FailureKind
from devchain.node import Node
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import (
    JsonObject,
    ProofObject,
    access_list_object,
    block_object,
    log_object,
    proof_object,
)
from devchain.rpc.scalar_decoders import StorageKey
from devchain.state.state_view import MAX_SLOTS
from devchain.types import (
    Address,
    BlockOverride,
    BlockRef,
    SimulateRequest,
    StateOverrides,
    StateRef,
    Tag,
    TransactionRequest,
)

if TYPE_CHECKING:
    # At run time it is imported by what simulates.
    from devchain.node.simulation import SimulatedCall


@rpc("eth_getBalance", hosted=True)
def get_balance(node: Node, address: Address, block: StateRef = Tag.LATEST) -> int:
    """The balance of an account, in wei."""
    return node.chain.state_at(block).balance(address)


@rpc("eth_getCode", hosted=True, hosted_pending=False)
def get_code(node: Node, address: Address, block: StateRef = Tag.LATEST) -> bytes:
    """The code of a contract; empty for other accounts.

    The specification requires the block; here it defaults to the latest.
    """
    return node.chain.state_at(block).code(address)


@rpc("eth_getStorageAt", hosted=True)
def get_storage_at(node: Node, address: Address, slot: int, block: StateRef = Tag.LATEST) -> bytes:
    """The value of a storage slot of an account, 32 bytes; zero if never written.

    The specification requires the block; here it defaults to the latest.
    """
    return node.chain.state_at(block).storage(address, slot).to_bytes(32, "big")


@rpc("eth_getStorageValues", slow=True)
def get_storage_values(
    node: Node, slots: dict[Address, list[StorageKey]], block: StateRef = Tag.LATEST
) -> JsonObject:
    """The values of storage slots of some accounts, at most 1024: lists of 32 bytes by address."""
    if sum(map(len, slots.values())) > MAX_SLOTS:
        raise InvalidInput(f"at most {MAX_SLOTS} slots can be read at once")
    state = node.chain.state_at(block)

    def read() -> JsonObject:
        return {
            f"0x{address.hex()}": [state.storage(address, key).to_bytes(32, "big") for key in keys]
            for address, keys in slots.items()
        }

    return node.fork.speculation.complete(read) if node.fork else read()


@rpc("eth_getTransactionCount", hosted=True)
def get_transaction_count(node: Node, address: Address, block: StateRef = Tag.LATEST) -> int:
    """The nonce of an account; with `pending`, transactions in the mempool count too."""
    return node.nonce(address, block)


@rpc("eth_getProof", slow=True)
def get_proof(
    node: Node, address: Address, slots: list[StorageKey], block: StateRef = Tag.LATEST
) -> ProofObject:
    """An account and some of its storage slots with Merkle-Patricia proofs (EIP-1186).

    The proofs verify against the block's `stateRoot`. At a block whose state was edited, as by
    `hardhat_setBalance`, they are of the edited state and begin at its root instead. A fork has the
    upstream's, of blocks up to the fork and accounts that are as they were there. The `key` of a
    slot is a QUANTITY; under Ethereum's rules it is as the caller wrote it.
    """
    state = node.chain.state_at(block)
    answer = state.upstream_proof(address, slots) if node.fork else None
    if answer:
        return ProofObject(answer)
    proof = state.proof(address, slots)
    as_written = node.chain.rules.follows_geth
    return proof_object(proof, [slot.written if as_written else None for slot in slots])


# Calls

REVERT_CODE, VM_ERROR_CODE = 3, -32015
"""Codes of geth for simulated calls that revert and that fail otherwise."""


@rpc("eth_call", hosted=True, slow=True)
def call(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> bytes:
    """Execute a call on the state of a block, without a transaction; the returned data.

    `overrides` change accounts before the call, `block_overrides` the block it runs in: `number`,
    `time`, `gasLimit`, `feeRecipient` (or `coinbase`), `prevRandao` (or `random`), `baseFeePerGas`
    (or `baseFee`; on Rootstock the minimum gas price), `difficulty`, and `blockHash`, an object of
    hashes by block number. The base fee is 0 if the call has no gas price.

    Balance, nonce and fee are checked only if `gasPrice` is given. Gas defaults to
    `--call-gas-cap`, which is also its maximum. Error -32015 if the call reverts (`data` is the
    revert payload) or fails. The specification requires the block; here it defaults to the latest.
    """
    return node.call(request, block, overrides, block_overrides)


@rpc("eth_estimateGas", hosted=True, slow=True)
def estimate_gas(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.PENDING,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> int:
    """The lowest gas limit with which a transaction would succeed.

    Without a block it is executed in the block that would be mined next. Error -32000 if the sender
    cannot pay or no gas limit is high enough, -32015 if the transaction reverts or fails.
    """
    return node.estimate(request, block, overrides, block_overrides)


@rpc("eth_createAccessList", slow=True)
def create_access_list(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
) -> JsonObject:
    """The access list (EIP-2930) of a call, and the gas the call uses with it.

    Sender, recipient, coinbase and precompiled contracts are listed only with storage slots. For a
    call that fails the result has an `error`. Rootstock's rules have no transactions with an access
    list, and the list saves no gas there.
    """
    access = node.access_list(request, block, overrides)
    result: JsonObject = {
        "accessList": access_list_object(access.listed),
        "gasUsed": access.gas_used,
    }
    return {**result, "error": access.error} if access.error else result


@rpc("eth_simulateV1", slow=True)
def simulate_v1(
    node: Node, request: SimulateRequest, block: BlockRef = Tag.LATEST
) -> list[JsonObject]:
    """Simulate blocks on top of a block: the blocks, each with the results of its calls.

    Each block may override its header fields and accounts, and starts from the state of the one
    before. Limits are 256 blocks, gaps in their numbers included, and 1000 calls; blocks are 12
    seconds apart unless they have a time. Gas is free unless a call has fees or `validation` is
    set, which checks calls as transactions are checked. A call that fails has an `error`, with code
    3 and the payload in `data` if it reverted; `maxUsedGas` is before refunds. A call that cannot
    be executed fails the request: -38010 and -38011 for its nonce, -38012 for its fee, -38013 and
    -38015 for its gas, -38014 for a balance that is too low, -38024 for a sender with code, -38025
    for init code that is too long. So do blocks out of order, -38020 and -38021, and too many of
    them, -38026.

    Block overrides are those of `eth_call` and `blobBaseFee`, without `blockHash`. A precompiled
    contract whose code is overridden is a contract like any other. Under Ethereum's rules state
    overrides may have `movePrecompileToAddress`, and a block has the coinbase of the one before it
    and a random value of 0.
    """
    from devchain.node.simulation import simulate

    results = []
    for simulated in simulate(node, request, block):
        calls, log_index = [], 0
        for call in simulated.calls:
            calls.append(_simulated_call(simulated.block, call, log_index))
            log_index += len(call.logs)
        results.append({**block_object(simulated.block, full=request.full), "calls": calls})
    return results


def _simulated_call(block: Block, call: SimulatedCall, first_log_index: int) -> JsonObject:
    receipt = call.receipt
    position = block, receipt.transaction.hash, receipt.index
    logs = [
        log_object(MinedLog(log, *position, index))
        for index, log in enumerate(call.logs, first_log_index)
    ]
    result: JsonObject = {
        "returnData": call.output,
        "logs": logs,
        "gasUsed": receipt.gas_used,
        "maxUsedGas": call.most_gas_used,
        "status": int(receipt.succeeded),
    }
    failure = receipt.failure
    if failure is None:
        return result
    error = {"code": Number(VM_ERROR_CODE), "message": failure.message}
    if failure.kind is FailureKind.REVERT:
        error |= {"code": Number(REVERT_CODE), "data": failure.payload}
    return {**result, "error": error}
