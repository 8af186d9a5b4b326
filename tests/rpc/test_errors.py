"""`devchain.rpc.errors`"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from devchain import errors
from devchain.config import Config
from devchain.errors import (
    AccountLocked,
    BlockNotFound,
    DevchainError,
    ExecutionFailed,
    ExecutionReverted,
    InvalidParams,
    MalformedTransaction,
    MethodNotFound,
    NonceTooLow,
    RpcFailure,
    VmError,
)
from devchain.rpc.errors import CODES, code_of, error_object

EXPECTED = {
    "ParseFailed": -32700,
    "BatchTooLarge": -32600,
    "MethodUnavailable": -32601,
    "WrongParameterCount": -32602,
    "InvalidAddressLength": -32602,
    "InvalidHashLength": -32602,
    "InvalidData": -32602,
    "NullParameter": -32602,
    "QuantityOutOfRange": -32602,
    "UnsupportedBlockHash": -32602,
    "ContradictoryMembers": -32602,
    "SenderMissing": -32602,
    "MalformedTransaction": -32602,
    "BlockHashNotFound": -32000,
    "TransactionNotFound": -32000,
    "FilterNotFound": -32000,
    "SnapshotNotFound": -32000,
    "AccountUnknown": -32000,
    "AccountLocked": -32000,
    "WrongPassphrase": -32000,
    "TransferUnaffordable": -32000,
    "GasAllowanceExceeded": -32000,
    "AlreadyKnown": -32010,
    "PoolFull": -32010,
    "NonceTooLow": -32010,
    "NonceTooHigh": -32010,
    "InsufficientFunds": -32010,
    "GasLimitExceeded": -32010,
    "GasPriceTooHigh": -32010,
    "GasPriceTooLow": -32010,
    "IntrinsicGasTooLow": -32010,
    "ReplacementUnderpriced": -32010,
    "InitCodeTooLarge": -32010,
    "UnsupportedTransactionType": -32010,
    "WrongChainId": -32010,
    "ExecutionTimedOut": -32011,
    "ExecutionTooLarge": -32012,
    "LogRangeTooWide": -32012,
    "TooManyLogs": -32012,
    "BatchTimedOut": -32011,
    "AnswerTooLarge": -32012,
    "StoreFailed": -32000,
    "NodeClosed": -32000,
    "NotInForkCache": -32002,
    "ForkBlockReorganized": -32002,
    "UpstreamAnswerInvalid": -32002,
    "UpstreamBlockUnknown": -32002,
    "UpstreamRateLimited": -32002,
    "UpstreamStatePruned": -32002,
    "UpstreamUnauthorized": -32002,
    "UpstreamUnreachable": -32002,
    "ExecutionReverted": -32015,
    "ExecutionOutOfGas": -32015,
    "PendingUnsupported": -32201,
    "RootstockOnly": -32601,
    "WorkRefused": -33000,
    "ProofUnavailable": -32000,
}
"""The code of every error class that a JSON-RPC client can get."""

NEVER_ANSWERED = {
    "SimulationRefused",
    "ForkBlockAmbiguous",
    "ConnectionFailed",
    "AddressInUse",
    "RpcFailure",
    "BlockBuildFailed",
    "ForkCacheMiss",
    "UpstreamCallFailed",
}
"""Errors that no JSON-RPC response has, and the one whose code is its kind."""


def leaves(kind: type[DevchainError] = DevchainError) -> Iterator[type[DevchainError]]:
    """The error classes without subclasses."""
    below = kind.__subclasses__()
    if not below:
        yield kind
    for each in below:
        if each.__module__.startswith("devchain."):
            yield from leaves(each)


class TestCodeOf:
    def test_every_leaf(self) -> None:
        """Every error class has its code."""
        actual = {
            each.__name__: code_of(each)
            for each in leaves()
            if each.__name__ not in NEVER_ANSWERED
            and each.__module__ in (errors.__name__, "devchain.rpc.errors")
        }

        assert actual == EXPECTED

    def test_nearest_ancestor(self) -> None:
        """A class without a row has the code of its nearest ancestor."""
        assert NonceTooLow not in CODES
        assert code_of(NonceTooLow) == -32010

    def test_own_row_first(self) -> None:
        """A class with a row does not have its parent's code."""
        assert code_of(MalformedTransaction) == -32602

    def test_no_internal_error(self) -> None:
        """No error class has the code -32603: it means a bug."""
        assert -32603 not in CODES.values()


class TestErrorObject:
    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (InvalidParams("why"), {"code": -32602, "message": "why"}),
            (MethodNotFound("why"), {"code": -32601, "message": "why"}),
            (BlockNotFound("why"), {"code": -32000, "message": "why"}),
            (AccountLocked("why"), {"code": -32000, "message": "why"}),
            (DevchainError("why"), {"code": -32000, "message": "why"}),
        ],
    )
    def test_plain(self, config: Config, error: DevchainError, expected: object) -> None:
        """An error has code and message, and no `data`."""
        actual = error_object(error, config)

        assert actual == expected

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (
                ExecutionReverted("execution reverted: no", b"\x12"),
                "VM Exception while processing transaction: execution reverted: no",
            ),
            (
                ExecutionFailed("out of gas"),
                "VM Exception while processing transaction: out of gas",
            ),
        ],
    )
    def test_virtual_machine(self, config: Config, error: VmError, expected: str) -> None:
        """A failed execution has the specification's prefix and its payload as hex `data`."""
        actual = error_object(error, config)

        assert actual == {
            "code": -32015,
            "message": expected,
            "data": "0x" + error.payload.hex(),
        }

    def test_revert_code(self, config: Config) -> None:
        """`--revert-code` replaces -32015."""
        actual = error_object(
            ExecutionReverted("execution reverted"), replace(config, revert_code=3)
        )

        assert actual["code"] == 3

    def test_of_another_node(self, config: Config) -> None:
        """The error of another node keeps its code."""
        actual = error_object(RpcFailure(-1, "theirs"), config)

        assert actual == {"code": -1, "message": "theirs"}
