"""Every refusal devchain can give, one tree; it knows no JSON-RPC codes.

DevchainError
├── ConfigError                    an option, a file or an environment variable is wrong
├── InvalidInput                   a value a caller gave does not make sense
├── NotFound
│   ├── BlockNotFound              no such block (where null is not the answer)
│   ├── TransactionNotFound
│   ├── FilterNotFound
│   └── SnapshotNotFound
├── PendingUnsupported             `pending` where the hosted service refuses it
├── AccountUnavailable
│   ├── AccountUnknown             no key here for that address
│   ├── AccountLocked              the key is here, locked
│   └── WrongPassphrase
├── TransactionRejected            the mempool refuses a transaction
│   ├── AlreadyKnown
│   ├── NonceTooLow
│   ├── NonceTooHigh
│   ├── InsufficientFunds
│   ├── GasLimitExceeded
│   ├── GasPriceTooLow
│   ├── GasPriceTooHigh
│   ├── IntrinsicGasTooLow
│   ├── ReplacementUnderpriced
│   ├── InitCodeTooLarge
│   ├── UnsupportedTransactionType
│   ├── WrongChainId
│   └── MalformedTransaction
├── BlockBuildFailed               a transaction failed halfway: the block is begun anew
├── VmError
│   ├── ExecutionReverted          REVERT, with the payload the contract gave
│   └── ExecutionFailed            out of gas, invalid opcode, bad jump …
├── EstimateFailed
│   ├── TransferUnaffordable       the sender cannot pay value and gas
│   └── GasAllowanceExceeded       no gas limit allowed is enough
├── SimulationRefused              blocks cannot be simulated as asked for
│   ├── SimulatedNonceTooLow
│   ├── SimulatedNonceTooHigh
│   ├── SimulatedFeeTooLow
│   ├── SimulatedGasTooLow
│   ├── SimulatedUnaffordable
│   ├── SimulatedBlockFull
│   ├── SimulatedNumberTooLow
│   ├── SimulatedTimestampTooLow
│   ├── SimulatedSenderHasCode
│   └── SimulationTooLarge
├── WorkRefused                    a block an outside miner submits is not sealed by it
├── RootstockOnly                  Ethereum's rules do not have what was asked for
├── LimitExceeded                  more than a configured limit lets through
├── ExecutionTimedOut              a request takes longer than it may
├── StoreFailed                    the chain on disk cannot be read or written
├── RpcFailure                     a node answered a call with a JSON-RPC error
├── ConnectionFailed               no node answers at that address
└── AddressInUse                   the port to listen on is taken
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class DevchainError(Exception):
    """Anything devchain refuses on purpose; everything else is a bug."""


class ConfigError(DevchainError):
    """An option, a configuration file or an environment variable is wrong."""


class InvalidInput(DevchainError):
    """A value a caller gave does not make sense; the text says what to change."""


class NotFound(DevchainError):
    """Something named does not exist."""


class BlockNotFound(NotFound):
    """No block of that number or hash."""


class TransactionNotFound(NotFound):
    """No transaction of that hash."""


class FilterNotFound(NotFound):
    """No installed filter of that id."""


class SnapshotNotFound(NotFound):
    """No snapshot of that id."""


class PendingUnsupported(DevchainError):
    """The hosted service does not take `pending` for this method."""


class AccountUnavailable(DevchainError):
    """An account cannot sign here."""


class AccountUnknown(AccountUnavailable):
    """No key for that address is kept here."""


class AccountLocked(AccountUnavailable):
    """The key is kept here, but locked."""


class WrongPassphrase(AccountUnavailable):
    """The passphrase does not open that key."""


class TransactionRejected(DevchainError):
    """The mempool refuses a transaction; nothing has changed."""


class AlreadyKnown(TransactionRejected):
    """The same transaction is in the mempool already."""


class NonceTooLow(TransactionRejected):
    """The nonce has been used."""


class NonceTooHigh(TransactionRejected):
    """The nonce is too far ahead of the account's."""


class InsufficientFunds(TransactionRejected):
    """The sender cannot pay for the transaction."""


class GasLimitExceeded(TransactionRejected):
    """The transaction asks for more gas than a block has."""


class GasPriceTooLow(TransactionRejected):
    """The gas price is below the block's minimum."""


class GasPriceTooHigh(TransactionRejected):
    """The gas price is above the cap the block's minimum allows (RSKIP252)."""


class IntrinsicGasTooLow(TransactionRejected):
    """The gas limit does not cover the transaction's basic cost."""


class ReplacementUnderpriced(TransactionRejected):
    """The gas price does not suffice to replace the pending transaction of that nonce."""


class InitCodeTooLarge(TransactionRejected):
    """The init code, or the whole transaction, is larger than allowed."""


class UnsupportedTransactionType(TransactionRejected):
    """The rules in force do not have that transaction type."""


class WrongChainId(TransactionRejected):
    """The transaction is signed for another chain."""


class MalformedTransaction(TransactionRejected):
    """The bytes are not a signed transaction."""


class BlockBuildFailed(DevchainError):
    """A transaction failed halfway through, and the block in the making with it."""


class VmError(DevchainError):
    """A simulated or mined execution did not succeed.

    `payload` is what the execution returned: the revert payload, else empty. Where a `Node` raises
    it, it is read: `reason` is the text of `require` or `revert`, `panic_code` that of a `Panic`,
    `custom_error` a custom error whose ABI is known, with its name and values.
    """

    def __init__(self, message: str, payload: bytes = b"") -> None:
        """Keep the bytes beside the text."""
        super().__init__(message)
        self.payload = payload
        self.reason = ""
        self.panic_code: int | None = None
        self.custom_error: Any = None
        self.draw: Callable[[], str] | None = None

    @property
    def call_tree(self) -> str:
        """The calls that led to it, drawn as text; empty where nothing was executed.

        Drawn when asked for, by executing once more: ask before the chain is reverted.
        """
        return self.draw() if self.draw else ""


class ExecutionReverted(VmError):
    """The contract reverted; `payload` is the ABI-encoded reason it gave."""


class ExecutionFailed(VmError):
    """The execution stopped exceptionally: out of gas, an invalid opcode, a bad jump."""


class EstimateFailed(DevchainError):
    """No gas limit makes the transaction succeed."""


class TransferUnaffordable(EstimateFailed):
    """The sender cannot pay the value and the gas."""


class GasAllowanceExceeded(EstimateFailed):
    """Even the largest gas limit allowed is not enough."""


class SimulationRefused(DevchainError):
    """Blocks that cannot be simulated as asked for; nothing of them is answered."""


class SimulatedNonceTooLow(SimulationRefused):
    """A call's nonce has been used."""


class SimulatedNonceTooHigh(SimulationRefused):
    """A call's nonce leaves others out."""


class SimulatedFeeTooLow(SimulationRefused):
    """A call offers less per gas than the block's base fee."""


class SimulatedGasTooLow(SimulationRefused):
    """A call's gas limit is below what it costs before any code runs."""


class SimulatedUnaffordable(SimulationRefused):
    """The sender of a call cannot pay for it."""


class SimulatedBlockFull(SimulationRefused):
    """A call asks for more gas than its block has left."""


class SimulatedNumberTooLow(SimulationRefused):
    """A block's number is not above the one before it."""


class SimulatedTimestampTooLow(SimulationRefused):
    """A block's timestamp is not after the one before it."""


class SimulatedSenderHasCode(SimulationRefused):
    """The sender of a call is a contract."""


class SimulationTooLarge(SimulationRefused):
    """More blocks or calls than one request may ask for."""


class WorkRefused(DevchainError):
    """What an outside miner submits does not seal a block; nothing has changed."""


class RootstockOnly(DevchainError):
    """What was asked for belongs to Rootstock, and the node runs Ethereum's rules."""


class LimitExceeded(DevchainError):
    """More was asked for than a configured limit lets through."""


class ExecutionTimedOut(DevchainError):
    """What was asked for takes longer than a request may; nothing has changed."""

    def __init__(self, seconds: float) -> None:
        """Say, in the real node's words first, what was allowed."""
        msg = (
            f"Execution has got timeout out: it takes more than {seconds:g} seconds; "
            "ask for less, or give the node a longer --request-timeout"
        )
        super().__init__(msg)
        self.seconds = seconds


class StoreFailed(DevchainError):
    """The chain on disk cannot be read or written; what was answered before is safe there."""


class RpcFailure(DevchainError):
    """A node answered a call with a JSON-RPC error.

    `code` and `message` are the node's; `data` is its extra information, if it gave any.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        """Keep the three parts of the node's error object."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ConnectionFailed(DevchainError):
    """No node answers at that address."""


class AddressInUse(DevchainError):
    """The address to listen on is taken by another process."""
