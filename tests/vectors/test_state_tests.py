"""`tests.vectors.state_tests`: fixtures of state tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak
from rlp import encode

from devchain.errors import InvalidInput
from tests.bytecode import word
from tests.vectors.runner import read_cases
from tests.vectors.state_fixtures import CONTRACT, SENDER, fixture
from tests.vectors.state_tests import CaseResult, StateTestCase

CALL_OF_NO_ACCOUNT = "0 0 0 0 0 57005 5000 CALL"
CALL_GAS = 21_000 + 7 * 3 + 700


def run(tmp_path: Path, value: Any, engine: str = "fast") -> CaseResult:
    """The result of the only case of a fixture."""
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"one": value}))
    (case,) = read_cases(path)
    assert isinstance(case, StateTestCase)
    return case.run(engine)


@pytest.mark.parametrize("engine", ["fast", "reference"])
class TestRun:
    def test_passes(self, tmp_path: Path, engine: str) -> None:
        """State root and logs are those of the fixture."""
        result = run(tmp_path, fixture("1 POP", 21_005), engine)

        assert result.error is None
        assert result.state_root is not None

    def test_touched_accounts(self, tmp_path: Path, engine: str) -> None:
        """A call of an account that does not exist leaves no empty account (EIP-161)."""
        value = fixture(CALL_OF_NO_ACCOUNT, CALL_GAS)

        assert run(tmp_path, value, engine).error is None

    def test_wrong_root(self, tmp_path: Path, engine: str) -> None:
        """Another state is shown with both roots."""
        value = fixture("1 POP", 21_006)

        assert "post state root mismatch" in (run(tmp_path, value, engine).error or "")

    def test_rejected(self, tmp_path: Path, engine: str) -> None:
        """A transaction that cannot be in a block leaves the state, and must be expected."""
        value = fixture("1 POP", 21_005)
        value["transaction"]["nonce"] = "0x05"
        expected = value["post"]["Byzantium"][0]
        unexpected = run(tmp_path, value, engine)
        root = unexpected.state_root
        assert root is not None
        expected |= {"expectException": "TransactionException.NONCE", "hash": f"0x{root.hex()}"}

        assert (unexpected.error or "").startswith("unexpected error: ")
        assert run(tmp_path, value, engine).error is None

    def test_not_rejected(self, tmp_path: Path, engine: str) -> None:
        """A transaction that should have been rejected fails the test."""
        value = fixture("1 POP", 21_005)
        value["post"]["Byzantium"][0]["expectException"] = "TransactionException.X"

        error = run(tmp_path, value, engine).error
        assert error == "expected error 'TransactionException.X', got no error"

    def test_sender_with_code(self, tmp_path: Path, engine: str) -> None:
        """An account with code sends no transactions (EIP-3607)."""
        value = fixture("1 POP", 21_005)
        value["pre"][f"0x{SENDER.hex()}"]["code"] = "0x00"

        error = run(tmp_path, value, engine).error
        assert error == "unexpected error: the sender has code (EIP-3607)"

    def test_tip_above_cap(self, tmp_path: Path, engine: str) -> None:
        """A transaction whose priority fee is above its fee cap is in no block (EIP-1559)."""
        value = fixture("1 POP", 21_005, fork="London")
        del value["transaction"]["gasPrice"]
        value["transaction"] |= {"maxFeePerGas": "0x64", "maxPriorityFeePerGas": "0x65"}

        error = run(tmp_path, value, engine).error
        assert error == "unexpected error: the priority fee is above the fee cap (EIP-1559)"

    @pytest.mark.parametrize(("gas", "is_rejected"), [(25_000, False), (24_999, True)])
    def test_floor(self, tmp_path: Path, engine: str, gas: int, is_rejected: bool) -> None:
        """The gas limit has to cover the floor for data, whatever is executed (EIP-7623)."""
        value = fixture("STOP", 25_000, fork="Prague")
        value["env"] |= {"currentRandom": "0x0", "currentExcessBlobGas": "0x0"}
        value["transaction"] |= {
            "data": [f"0x{'01' * 100}"], "gasLimit": [hex(gas)], "gasPrice": "0xa",
        }  # fmt: skip

        error = run(tmp_path, value, engine).error or ""
        assert error.startswith("unexpected error: the gas limit is below") == is_rejected
        assert error.startswith("post state root mismatch") != is_rejected

    @pytest.mark.parametrize(("missing", "is_rejected"), [(0, False), (1, True)])
    def test_blobs_have_to_be_paid(
        self, tmp_path: Path, engine: str, missing: int, is_rejected: bool
    ) -> None:
        """The sender has to have the most that gas, value and blobs can cost (EIP-4844)."""
        value = fixture("1 POP", 21_005, fork="Cancun")
        value["env"] |= {"currentRandom": "0x0", "currentExcessBlobGas": "0x0"}
        del value["transaction"]["gasPrice"]
        value["transaction"] |= {
            "maxFeePerGas": "0x64",
            "maxPriorityFeePerGas": "0x0",
            "maxFeePerBlobGas": "0x7",
            "blobVersionedHashes": [f"0x01{bytes(31).hex()}"] * 2,
        }
        cost = 100_000 * 100 + 2 * 2**17 * 7
        value["pre"][f"0x{SENDER.hex()}"]["balance"] = hex(cost - missing)

        error = run(tmp_path, value, engine).error or ""
        assert error.startswith("unexpected error: the sender cannot pay") == is_rejected
        assert error.startswith("post state root mismatch") != is_rejected

    def test_result(self, tmp_path: Path, engine: str) -> None:
        """Gas, output and logs of the transaction are part of the result."""
        source = "0 0 LOG0 7 0 MSTORE 32 0 RETURN"
        result = run(tmp_path, fixture(source, 21_000), engine)

        assert (result.gas_used, result.output) == (21_399, word(7))
        assert result.logs_hash == keccak(encode([[CONTRACT, [], b""]]))


class TestMemory:
    def test_limit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A case that takes more memory than there may be is not supported."""
        monkeypatch.setattr("tests.vectors.state_tests.MEMORY_LIMIT", 100_000)
        value = fixture("1 120000 MSTORE", 21_000)

        result = run(tmp_path, value)
        assert not result.is_supported
        assert "bytes of memory is not supported" in (result.error or "")


class TestFixtures:
    def test_empty_text(self, tmp_path: Path) -> None:
        """Code may be an empty text, and a value 0x, as in geth."""
        value = fixture("1 POP", 21_005)
        value["pre"][f"0x{SENDER.hex()}"]["code"] = ""
        value["transaction"]["value"] = ["0x"]

        assert run(tmp_path, value).error is None

    def test_unknown_fork(self, tmp_path: Path) -> None:
        """A case of a hardfork that devchain has not fails."""
        result = run(tmp_path, fixture("1 POP", 21_005, fork="Verkle"))

        assert (result.error or "").startswith("unsupported fork 'Verkle'")
        assert result.state_root is None

    @pytest.mark.parametrize("member", ["env", "transaction"])
    def test_missing_member(self, tmp_path: Path, member: str) -> None:
        """A member that is missing is named when the case runs."""
        value = fixture("1 POP", 21_005) | {member: {}}

        with pytest.raises(InvalidInput, match=r"test\.json: one: '.*' is missing"):
            run(tmp_path, value)
