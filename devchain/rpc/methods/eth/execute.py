"""`eth_` methods that run code without a transaction."""

from __future__ import annotations

from devchain.chain.block import MinedLog
from devchain.errors import (
    BlockNotFound,
    EstimateFailed,
    ExecutionTimedOut,
    InitCodeTooLarge,
    SimulationRefused,
    VmError,
)
from devchain.evm.failures import FailureKind
from devchain.node import Node
from devchain.node.simulation import Called, Simulated, simulate
from devchain.rpc.json_codec import Number
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject, block_object, log_object
from devchain.types import (
    BlockOverride,
    BlockRef,
    SimulateRequest,
    StateOverrides,
    Tag,
    TransactionRequest,
)

REVERT, VM_FAILURE = 3, -32015
"""The codes geth gives to calls that revert and to those that fail otherwise."""


@rpc("eth_call", hosted=True, raises=(BlockNotFound, VmError, ExecutionTimedOut))
def call(
    node: Node,
    request: TransactionRequest,
    block: BlockRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> bytes:
    """What a call returns, run on the state a block left; nothing of it stays.

    The block may be made to look different: `number`, `time`, `gasLimit`, `feeRecipient` (or
    `coinbase`), `prevRandao` (or `random`), `baseFeePerGas` (or `baseFee`; Rootstock's minimum gas
    price), `difficulty`, and `blockHash`, an object of numbers and hashes. Without a gas price the
    base fee is 0.

    Balance, nonce and fee are not checked unless `gasPrice` is given. Gas defaults to, and is
    capped at, `--call-gas-cap`. Error -32015 when it reverts (`data` is the payload) or fails.
    The specification requires the block; it defaults to the latest here.
    """
    return node.call(request, block, overrides, block_overrides)


@rpc(
    "eth_estimateGas",
    hosted=True,
    raises=(BlockNotFound, EstimateFailed, VmError, ExecutionTimedOut),
)
def estimate_gas(
    node: Node,
    request: TransactionRequest,
    block: BlockRef = Tag.PENDING,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> int:
    """The least gas limit with which the transaction would succeed; one less would not do.

    Without a block it runs in the block that would be mined next. Error -32000 when the sender
    cannot pay or no gas limit is enough, -32015 when it reverts or fails.
    """
    return node.estimate(request, block, overrides, block_overrides)


@rpc("eth_createAccessList", raises=(BlockNotFound, ExecutionTimedOut))
def create_access_list(
    node: Node,
    request: TransactionRequest,
    block: BlockRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
) -> JsonObject:
    """The access list (EIP-2930) that a call makes use of, and the gas it uses with it.

    Sender, receiver, coinbase and precompiled contracts are listed for their slots alone. A call
    that fails answers `error` beside its list. Rootstock's rules have no transaction to put such a
    list in, and no gas to save with it.
    """
    access = node.access_list(request, block, overrides)
    shown: JsonObject = {
        "accessList": [
            {"address": address, "storageKeys": [slot.to_bytes(32, "big") for slot in slots]}
            for address, slots in access.listed
        ],
        "gasUsed": access.gas_used,
    }
    return {**shown, "error": access.error} if access.error else shown


@rpc(
    "eth_simulateV1", raises=(BlockNotFound, SimulationRefused, InitCodeTooLarge, ExecutionTimedOut)
)
def simulate_v1(
    node: Node, request: SimulateRequest, block: BlockRef = Tag.LATEST
) -> list[JsonObject]:
    """Blocks that might follow a block, with what each of their calls does; nothing stays.

    Each block may look different, change accounts first, and find what those before it left. Up to
    256 blocks, gaps in their numbers included, and 1000 calls; blocks are 12 seconds apart unless
    their time is given. Gas is free unless a call names fees or `validation` has calls checked as
    transactions are. A call that fails tells so in its `error`, code 3 if it reverted. One that
    cannot be run at all ends the request: -38010 and -38011 for its nonce, -38012 for its fee,
    -38013 and -38015 for its gas, -38014 if it cannot be paid, -38024 if a contract sends it,
    -32010 for too long an init code; -38020 and -38021 for blocks out of order, -38026 for too
    many.
    """
    return [_simulated(each, full=request.full) for each in simulate(node, request, block)]


def _simulated(made: Simulated, *, full: bool) -> JsonObject:
    calls, first = [], 0
    for called in made.calls:
        calls.append(_called(made, called, first))
        first += len(called.logs)
    return {**block_object(made.block, full=full), "calls": calls}


def _called(made: Simulated, called: Called, first: int) -> JsonObject:
    receipt = called.receipt
    logs = [
        log_object(MinedLog(log, made.block, receipt, first + position))
        for position, log in enumerate(called.logs)
    ]
    shown: JsonObject = {
        "returnData": called.output,
        "logs": logs,
        "gasUsed": receipt.gas_used,
        "status": int(receipt.succeeded),
    }
    if receipt.failure is None:
        return shown
    failure = receipt.failure
    code = REVERT if failure.kind is FailureKind.REVERT else VM_FAILURE
    error = {"code": Number(code), "message": failure.message, "data": failure.payload}
    return {**shown, "error": error}
