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
    BlockRequest,
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
    """The code of a contract. Empty for other accounts."""
    return node.chain.state_at(block).code(address)


@rpc("eth_getStorageAt", hosted=True)
def get_storage_at(node: Node, address: Address, slot: int, block: StateRef = Tag.LATEST) -> bytes:
    """The value of a storage slot, 32 bytes. Zero if it was never written."""
    return node.chain.state_at(block).storage(address, slot).to_bytes(32, "big")


@rpc("eth_getStorageValues", slow=True)
def get_storage_values(
    node: Node, slots: dict[Address, list[StorageKey]], block: StateRef = Tag.LATEST
) -> JsonObject:
    """The values of up to 1024 storage slots: lists of 32-byte values by address.

    `slots` maps each address to a list of slots.
    """
    if sum(map(len, slots.values())) > MAX_SLOTS:
        raise InvalidInput(f"at most {MAX_SLOTS} slots can be read at once")
    state = node.chain.state_at(block)

    def read() -> JsonObject:
        return {
            f"0x{address.hex()}": [state.storage(address, key).to_bytes(32, "big") for key in keys]
            for address, keys in slots.items()
        }

    return node.chain.read_together(read)


@rpc("eth_getTransactionCount", hosted=True)
def get_transaction_count(node: Node, address: Address, block: StateRef = Tag.LATEST) -> int:
    """The nonce of an account. At block `pending` it counts transactions in the mempool too."""
    return node.nonce(address, block)


@rpc("eth_getProof", slow=True)
def get_proof(
    node: Node, address: Address, slots: list[StorageKey], block: StateRef = Tag.LATEST
) -> ProofObject:
    """An account and some of its storage slots with Merkle-Patricia proofs (EIP-1186).

    The proofs verify against the block's `stateRoot`. If the state was edited after the block, as
    by `hardhat_setBalance`, they verify against the root of the edited state. On a fork, accounts
    that did not change since the fork block have the proofs of the upstream node.
    """
    state = node.chain.state_at(block)
    answer = state.upstream_proof(address, slots) if node.fork else None
    if answer:
        return ProofObject(answer)
    proof = state.proof(address, slots)
    as_written = node.chain.rules.follows_geth
    return proof_object(proof, [slot.written if as_written else None for slot in slots])


# Calls

REVERT_CODE, VM_ERROR_CODE = 3, -32015  # geth's, for simulated calls that fail


@rpc("eth_call", hosted=True, slow=True)
def call(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> bytes:
    """Execute a call on the state of a block, without a transaction, and return its data.

    `overrides` change accounts before the call. `block_overrides` change the block: `number`,
    `time`, `gasLimit`, `feeRecipient`, `prevRandao`, `baseFeePerGas`, `difficulty`, and
    `blockHash`, which maps block numbers to hashes. On Rootstock `baseFeePerGas` sets the minimum
    gas price.

    Balance, nonce and fee are checked only if the call has a `gasPrice`. Gas is `--call-gas-cap` by
    default and at most. Error -32015: the call reverted, with its payload in `data`, or failed.
    """
    return node.call(request, block, overrides, block_overrides)


@rpc("eth_callMany", slow=True)
def call_many(
    node: Node,
    bundles: list[BlockRequest],
    block: StateRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
) -> list[list[JsonObject]]:
    """Execute bundles of calls, each call on the state that the one before it left.

    A bundle has `transactions` and a `blockOverride`, which later bundles keep. Each bundle after
    the first runs one block and one second later. The result has a list for each bundle: for each
    call `{value}`, its returned data, or `{error}`, why it failed.
    """
    from devchain.node.simulation import call_bundles

    return [
        [
            {"error": result.failure.message} if result.failure else {"value": result.output}
            for result in results
        ]
        for results in call_bundles(node, bundles, block, overrides)
    ]


@rpc("eth_estimateGas", hosted=True, slow=True)
def estimate_gas(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.PENDING,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> int:
    """The lowest gas limit with which a transaction succeeds, in the next block by default.

    Error -32000: the sender cannot pay, or no gas limit is high enough. Error -32015: the
    transaction reverts or fails.
    """
    return node.estimate(request, block, overrides, block_overrides)


@rpc("eth_createAccessList", slow=True)
def create_access_list(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
) -> JsonObject:
    """The access list (EIP-2930) of a call, and the gas that the call uses with it.

    Sender, recipient, coinbase and precompiled contracts are listed only with storage slots. If the
    call fails, the result has an `error`. Rootstock has no transactions with access lists.
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
    """Simulate blocks on top of a block, and return them with the results of their calls.

    Each block starts from the state of the one before, may override accounts and header fields, and
    is 12 seconds later by default. At most 256 blocks, gaps included, and 1000 calls are simulated.
    With `validation`, calls are checked as transactions are.

    A call that fails has an `error`, with code 3 and its payload if it reverted. `maxUsedGas` is
    the gas before refunds. Overrides are those of `eth_call`, with `blobBaseFee` and without
    `blockHash`; precompiled contracts cannot be overridden.

    A call that cannot begin fails the request. Errors: nonce -38010, -38011; fee -38012; gas
    -38013, -38015; balance -38014; sender with code -38024; long init code -38025; block order
    -38020, -38021; too many blocks -38026.
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
