"""The exceptions of devchain, one tree; JSON-RPC codes are in `devchain.rpc.errors`.

`docs/python.md` lists the tree with what each class means.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Self

CAPITAL = re.compile("[A-Z]")
MAX_VALUE = 1_000


def option_names(name: str) -> str:
    """An option as messages name it, to who starts nodes and to who makes them in Python.

    `gas_limit` is `--gas-limit or Config.gas_limit`.
    """
    return f"--{name.replace('_', '-')} or Config.{name}"


class DevchainError(Exception):
    """Base of all exceptions that devchain raises. Any other exception is a bug.

    Some classes have values besides the message, as attributes.
    """

    def __init__(self, message: str = "", **values: object) -> None:
        super().__init__(message)
        vars(self).update(values)


class ConfigError(DevchainError):
    """An option, a configuration file or an environment variable is wrong."""


class CompilationFailed(ConfigError):
    """A contract cannot be compiled. Lines after the first are the compiler's."""


class ForkBlockAmbiguous(ConfigError):
    """A file has several recorded forks. `advice` says how to name one."""

    advice: str


class ParseFailed(DevchainError):
    """The body is not JSON."""


class InvalidRequest(DevchainError):
    """The JSON is not a JSON-RPC request."""


class BatchTooLarge(InvalidRequest):
    """A batch has more than `limit` calls."""

    limit: int


class MethodNotFound(DevchainError):
    """The method `name` does not exist or is not enabled."""

    name: str = ""


class MethodUnavailable(MethodNotFound):
    """The node knows the method but does not serve it."""


class InvalidParams(DevchainError):
    """The parameters do not fit the method.

    `value` is the wrong one as text, at most `MAX_VALUE` characters of it, empty if there is none;
    `name` that of the innermost parameter or member it was given for.
    """

    def __init__(self, message: str, value: object = "", name: str = "") -> None:
        super().__init__(message)
        self.value = (value if isinstance(value, str) else json.dumps(value))[:MAX_VALUE]
        self.name = name

    def within(self, name: str, place: str = "") -> Self:
        """The same error, named for the parameter or member that has the wrong value.

        The message then begins with `place`, which is the name unless given.
        """
        return type(self)(f"{place or name}: {self}", self.value, self.name or name)

    @property
    def digit_count(self) -> int:
        """How many characters the value has without 0x."""
        return len(self.value.removeprefix("0x"))

    @property
    def words(self) -> str:
        """The name in words, in the singular: `block hash` for `block_hash` and `blockHash`."""
        words = CAPITAL.sub(r" \g<0>", self.name).replace("_", " ").lower()
        return words.removesuffix("s")


class WrongParameterCount(InvalidParams):
    """A method has fewer or more parameters than it takes."""


class NullParameter(InvalidParams):
    """A parameter that must have a value is null."""


class InvalidAddress(InvalidParams):
    """A parameter is not an address."""


class InvalidAddressLength(InvalidAddress):
    """An address has too few or too many digits."""


class InvalidHash(InvalidParams):
    """A parameter is not a 32-byte hash."""


class InvalidHashLength(InvalidHash):
    """A hash has too few or too many digits."""


class InvalidData(InvalidParams):
    """A parameter is not DATA."""


class InvalidWordLength(InvalidData):
    """A value to be written to storage has not 32 bytes."""

    @property
    def byte_count(self) -> int:
        return self.digit_count // 2


class InvalidQuantity(InvalidParams):
    """A parameter is not a QUANTITY."""


class QuantityOutOfRange(InvalidQuantity):
    """A QUANTITY has no digits, or more than its type holds."""


class InvalidBlock(InvalidParams):
    """A parameter does not name a block: no number, tag, hash or object."""


class InvalidBlockObject(InvalidBlock):
    """An EIP-1898 object names no block, or two."""


class UnsupportedBlock(InvalidBlock):
    """A parameter names a block in a form that the method does not take."""


class UnsupportedBlockTag(UnsupportedBlock):
    """A method does not take this tag."""


class UnsupportedBlockInteger(UnsupportedBlock):
    """A method does not take a JSON integer for a block."""


class UnsupportedBlockHash(UnsupportedBlock):
    """A method does not take the text of a hash for a block."""


class ContradictoryMembers(InvalidParams):
    """Two members of an object exclude each other."""


class InvalidTraceWindow(InvalidParams):
    """A part of the traces of `trace_filter` that a node does not return; `value` says why."""


class InvalidInput(DevchainError):
    """A caller's value is wrong. The message says what to change."""

    def __init__(self, message: str, value: str = "") -> None:
        super().__init__(message)
        self.value = value[:MAX_VALUE]


class SenderMissing(InvalidInput):
    """A transaction has no sender."""


class NotFound(DevchainError):
    """A block, transaction, filter or snapshot does not exist."""


class BlockNotFound(NotFound):
    """There is no block with that `number`, which may be None.

    `newest` is the number of the newest block.
    """

    number: int | None = None
    newest: int = 0


class BlockHashNotFound(BlockNotFound):
    """There is no block with that hash, `digits`."""

    digits: str


class TransactionNotFound(NotFound):
    """There is no transaction with that hash."""


class TransactionPending(NotFound):
    """A sent transaction was not mined in time. `digits` is its hash."""

    digits: str


class FilterNotFound(NotFound):
    """There is no filter with that id."""


class SnapshotNotFound(NotFound):
    """There is no snapshot with that id."""


class PendingUnsupported(DevchainError):
    """A hosted node does not take `pending` for this method."""


class AccountUnavailable(DevchainError):
    """The node cannot sign for the account `address`."""

    address: str = ""


class AccountUnknown(AccountUnavailable):
    """The node has no key for that address."""


class AccountLocked(AccountUnavailable):
    """The account's key is locked."""


class WrongPassphrase(AccountUnavailable):
    """The passphrase does not decrypt the account's key."""


class TransactionRejected(DevchainError):
    """The mempool refuses a transaction. Nothing has changed.

    The message is `reason`, which is rskj's text, and `details`, which say what to change. `wanted`
    and `got` are the two numbers that do not fit: nonces, gas or wei.
    """

    def __init__(
        self, reason: str, details: str = "", *, wanted: int | None = None, got: int | None = None
    ) -> None:
        super().__init__(reason + details)
        self.reason = reason
        self.details = details
        self.wanted = wanted
        self.got = got


class AlreadyKnown(TransactionRejected):
    """The transaction is already in the mempool."""


class PoolFull(TransactionRejected):
    """The mempool is full."""


class NonceTooLow(TransactionRejected):
    """The account has already used the nonce."""


class NonceTooHigh(TransactionRejected):
    """The nonce is too far ahead of the account's (`--account-slots`)."""


class InsufficientFunds(TransactionRejected):
    """The sender cannot pay for the transaction."""


class GasLimitExceeded(TransactionRejected):
    """The transaction's gas limit is higher than the block's."""


class GasPriceTooLow(TransactionRejected):
    """The gas price is below the block's minimum."""


class GasPriceTooHigh(TransactionRejected):
    """The gas price is above the cap (RSKIP252)."""


class IntrinsicGasTooLow(TransactionRejected):
    """The gas limit is below the transaction's intrinsic gas."""


class ReplacementUnderpriced(TransactionRejected):
    """The gas price is too low to replace a transaction with that nonce."""


class InitCodeTooLarge(TransactionRejected):
    """The init code, or the whole transaction, is too large."""


class UnsupportedTransactionType(TransactionRejected):
    """The hardfork does not have that transaction type."""


class WrongChainId(TransactionRejected):
    """The transaction is signed for another chain id, `got`."""


class MalformedTransaction(TransactionRejected):
    """The bytes are not a signed transaction."""


class BitcoinRejected(DevchainError):
    """Bitcoin refuses a transaction or block: `reason` is Bitcoin Core's, `detail` says more."""

    reason: str
    detail: str

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}, {detail}" if detail else reason)
        self.reason, self.detail = reason, detail


class BitcoinUnavailable(DevchainError):
    """The network has no simulated Bitcoin."""


class BlockBuildFailed(DevchainError):
    """A transaction failed after it had changed the state. The block must be built anew."""


class VmError(DevchainError):
    """A call or a mined transaction failed in the EVM.

    `payload` is the revert payload, else empty. `reason` is the text of `require` or `revert`;
    `has_reason` says whether there is one. `panic_code` is the code of a `Panic(uint256)`.
    `custom_error` is a custom error with its name and values, if its ABI is known.
    `transaction_hash` is set for a mined transaction.
    """

    def __init__(self, message: str, payload: bytes = b"") -> None:
        """Start without decoded payload and call tree."""
        super().__init__(message)
        self.payload = payload
        self.reason = ""
        self.has_reason = False
        self.panic_code: int | None = None
        self.custom_error: Any = None
        self.transaction_hash: bytes | None = None
        self.draw: Callable[[], str] | None = None
        self.locate: Callable[[], Any] | None = None
        self.find_frames: Callable[[], Any] | None = None
        self.stack: Callable[[], str] | None = None
        self.note: Callable[[], str] | None = None
        self.find_unknown_call: Callable[[], bytes | None] | None = None
        self._notes: list[str] | None = None

    @property
    def __notes__(self) -> list[str]:
        """What Python prints below the error where it ends a program: a hint, and the source.

        pytest reads those of expected errors too: there the plugin shows the source instead.
        """
        if self._notes is None:
            note = self.note() if self.note and "_pytest" not in sys.modules else ""
            self._notes = [note] if note else []
        return self._notes

    @__notes__.setter
    def __notes__(self, notes: list[str]) -> None:
        self._notes = notes

    @property
    def digits(self) -> str:
        return self.payload.hex()

    @property
    def call_tree(self) -> str:
        """The calls up to the failure as text. Empty if unknown. It executes them once more."""
        return self.draw() if self.draw else ""

    @property
    def stack_trace(self) -> str:
        """The source trace as text, or empty if it takes long. It executes the call once more."""
        return self.stack() if self.stack else ""

    @property
    def unknown_call(self) -> bytes | None:
        """The data of a call without a matching function. It executes the call once more."""
        return self.find_unknown_call() if self.find_unknown_call else None

    @property
    def source_trace(self) -> Any:  # noqa: ANN401  # its class is in a package above
        """Where in the source it failed and why, a `SourceTrace`. It executes the call once more.

        Read it before the chain is reverted. None if nothing was executed.
        """
        return self.locate() if self.locate else None


class ExecutionReverted(VmError):
    """The contract reverted; `payload` is its ABI-encoded reason."""


class ExecutionFailed(VmError):
    """The execution halted: out of gas, an invalid opcode, a bad jump."""


class ExecutionOutOfGas(ExecutionFailed):
    """The execution needed more gas than it had."""


class EstimateFailed(DevchainError):
    """The transaction fails with any gas limit."""


class TransferUnaffordable(EstimateFailed):
    """The sender cannot pay for the value and the gas."""


class GasAllowanceExceeded(EstimateFailed):
    """The transaction needs more gas than the `allowance`."""

    allowance: int = 0


class Simulation(IntEnum):
    """Why `eth_simulateV1` refuses blocks, with the codes of the execution API's specification."""

    NONCE_TOO_LOW = -38010
    NONCE_TOO_HIGH = -38011
    FEE_TOO_LOW = -38012
    GAS_TOO_LOW = -38013
    UNAFFORDABLE = -38014
    BLOCK_FULL = -38015
    NUMBER_TOO_LOW = -38020
    TIMESTAMP_TOO_LOW = -38021
    SENDER_HAS_CODE = -38024
    INIT_CODE_TOO_LARGE = -38025
    TOO_LARGE = -38026


class SimulationRefused(DevchainError):
    """`eth_simulateV1` cannot simulate the blocks of a request; there is no partial result."""

    kind: Simulation


class WorkRefused(DevchainError):
    """The work of an external miner does not seal a block. Nothing has changed."""


class RootstockOnly(DevchainError):
    """A feature of Rootstock is used under Ethereum's rules."""


class ProofUnavailable(DevchainError):
    """A forked chain has no Merkle proofs: most of its trie is upstream."""


class LimitExceeded(DevchainError):
    """A request exceeds a limit of the node, `limit`."""

    limit: int = 0


class LogRangeTooWide(LimitExceeded):
    """A log query spans more blocks than allowed."""


class TooManyLogs(LimitExceeded):
    """More logs match a query than may be returned."""


class AnswerTooLarge(LimitExceeded):
    """An answer, or a batch of answers, is longer than `--max-response`."""

    def __init__(self) -> None:
        super().__init__(
            "the answer is longer than --max-response allows: ask for less at a time, or give the "
            "node a larger limit"
        )


class BatchTimedOut(DevchainError):
    """A batch takes longer than `--batch-timeout`. The rest is not executed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the batch takes more than {seconds:g} seconds of CPU time: this call was not "
            "executed; send fewer at once, or give the node a longer --batch-timeout"
        )


class ExecutionTooLarge(LimitExceeded):
    """An execution takes more memory than `--max-evm-memory`. Nothing has changed."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the execution takes more than {limit} bytes of memory; "
            f"ask for less, or give the node a larger {option_names('max_evm_memory')}"
        )


class ExecutionTimedOut(DevchainError):
    """A request takes more CPU time than `--request-timeout`. Nothing has changed."""

    def __init__(self, seconds: float) -> None:
        """`seconds` were allowed."""
        super().__init__(f"execution timed out after {seconds:g} s (--request-timeout)")
        self.seconds = seconds


class StoreFailed(DevchainError):
    """The data dir cannot be read or written. What was written before is safe."""


class ForkCacheMiss(DevchainError):
    """A request needs values of the forked chain that are not cached. Nothing has changed.

    They are fetched, and the request is executed again. `needed` is the query that stopped it,
    `wanted` all queries to fetch together: each an `UpstreamQuery`.
    """

    def __init__(self, needed: Any, wanted: Iterable[Any] = ()) -> None:  # noqa: ANN401  # its class is in a package above
        super().__init__(f"not known yet of the forked chain: {needed.in_words()}")
        self.needed = needed
        self.wanted: frozenset[Any] = frozenset({needed, *wanted})


class UpstreamFailed(DevchainError):
    """The node that the chain was forked from does not answer. Nothing has changed.

    Messages show its scheme, host and port alone: the rest of a URL may be a key.
    """


class UpstreamUnreachable(UpstreamFailed):
    """There is no connection to the upstream node, or no answer in time.

    `advice`, the end of the message, says how to start from the recorded `block`.
    """

    advice: str = ""
    block: int | None = None


class UpstreamUnauthorized(UpstreamFailed):
    """The upstream node refuses access."""


class UpstreamRateLimited(UpstreamFailed):
    """The upstream node takes no more requests for now."""


class UpstreamAnswerInvalid(UpstreamFailed):
    """The upstream node's answer is no valid JSON-RPC result."""


class UpstreamRefused(UpstreamFailed):
    """The upstream node answers a JSON-RPC error.

    `code`, `reason` and `data` are its members; `data` may be None.
    """

    def __init__(self, message: str, code: int, reason: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.data = data


class UpstreamCallFailed(UpstreamFailed):
    """A call failed on the upstream node. The message is the reason."""


class UpstreamStatePruned(UpstreamRefused):
    """The upstream node no longer has the state of that block."""


class UpstreamBlockUnknown(UpstreamFailed):
    """The upstream node does not have block `number`."""

    number: int | None = None


class ForkBlockReorganized(UpstreamFailed):
    """The upstream node has another block at the fork's height.

    `number` is the height, `expected` the hash of the fork block, `found` that of the upstream's
    block.
    """

    number: int
    expected: bytes
    found: bytes


class NotInForkCache(UpstreamFailed):
    """A value is not in the fork cache, and the upstream node is not asked."""


class NodeClosed(DevchainError):
    """The node is closed."""


class RpcFailure(DevchainError):
    """A node answered a JSON-RPC error.

    `code`, `message` and `data` are the members of the error object; `data` may be absent.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ConnectionFailed(DevchainError):
    """No node answers at that address."""


class AddressInUse(DevchainError):
    """Another process listens at that address."""
