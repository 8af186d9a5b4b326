"""`devchain.rpc.errors`"""

from __future__ import annotations

from dataclasses import replace

import pytest

from devchain import errors
from devchain.config import Config
from devchain.rpc.errors import CODES, code_of, error_object


class TestCodeOf:
    def test_nearest_ancestor(self) -> None:
        """A class without a row has the code of its nearest ancestor."""
        assert errors.NonceTooLow not in CODES
        assert code_of(errors.NonceTooLow) == -32010

    def test_own_row_first(self) -> None:
        """A class with a row does not have its parent's code."""
        assert code_of(errors.MalformedTransaction) == -32602

    def test_no_internal_error(self) -> None:
        """No error class has the code -32603: it means a bug."""
        assert -32603 not in CODES.values()


class TestErrorObject:
    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (errors.InvalidParams("why"), {"code": -32602, "message": "why"}),
            (errors.MethodNotFound("why"), {"code": -32601, "message": "why"}),
            (errors.BlockNotFound("why"), {"code": -32000, "message": "why"}),
            (errors.AccountLocked("why"), {"code": -32000, "message": "why"}),
            (errors.DevchainError("why"), {"code": -32000, "message": "why"}),
        ],
    )
    def test_plain(self, config: Config, error: errors.DevchainError, expected: object) -> None:
        """An error has code and message, and no `data`."""
        actual = error_object(error, config)

        assert actual == expected

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (
                errors.ExecutionReverted("execution reverted: no", b"\x12"),
                "VM Exception while processing transaction: execution reverted: no",
            ),
            (
                errors.ExecutionFailed("out of gas"),
                "VM Exception while processing transaction: out of gas",
            ),
        ],
    )
    def test_virtual_machine(self, config: Config, error: errors.VmError, expected: str) -> None:
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
            errors.ExecutionReverted("execution reverted"), replace(config, revert_code=3)
        )

        assert actual["code"] == 3

    def test_of_another_node(self, config: Config) -> None:
        """The error of another node keeps its code."""
        actual = error_object(errors.RpcFailure(-1, "theirs"), config)

        assert actual == {"code": -1, "message": "theirs"}
