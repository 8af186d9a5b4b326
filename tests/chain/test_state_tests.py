"""`devchain.chain.state_tests`: fixtures of state tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey
from rlp import encode

from devchain.chain.state_tests import StateTestResult, fixture_files, read_cases
from devchain.errors import ConfigError, InvalidInput
from devchain.types import Address
from tests.bytecode import word
from tests.state_test_fixtures import CONTRACT, KEY, fixture

SENDER = Address(PrivateKey(KEY).public_key.to_canonical_address())
CALL_OF_NO_ACCOUNT = "0 0 0 0 0 57005 5000 CALL"
CALL_GAS = 21_000 + 7 * 3 + 700


def run(tmp_path: Path, value: Any, engine: str = "fast") -> StateTestResult:
    """The result of the only case of a fixture."""
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"one": value}))
    (case,) = read_cases(path)
    return case.run(engine)


@pytest.mark.parametrize("engine", ["fast", "reference"])
class TestRun:
    def test_passes(self, tmp_path: Path, engine: str) -> None:
        """State root and logs are those of the fixture."""
        result = run(tmp_path, fixture("1 POP", 21_005, SENDER), engine)

        assert result.error is None
        assert result.state_root is not None

    def test_touched_accounts(self, tmp_path: Path, engine: str) -> None:
        """A call of an account that does not exist leaves no empty account (EIP-161)."""
        value = fixture(CALL_OF_NO_ACCOUNT, CALL_GAS, SENDER)

        assert run(tmp_path, value, engine).error is None

    def test_wrong_root(self, tmp_path: Path, engine: str) -> None:
        """Another state is shown with both roots."""
        value = fixture("1 POP", 21_006, SENDER)

        assert "post state root mismatch" in (run(tmp_path, value, engine).error or "")

    def test_rejected(self, tmp_path: Path, engine: str) -> None:
        """A transaction that cannot be in a block leaves the state, and must be expected."""
        value = fixture("1 POP", 21_005, SENDER)
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
        value = fixture("1 POP", 21_005, SENDER)
        value["post"]["Byzantium"][0]["expectException"] = "TransactionException.X"

        error = run(tmp_path, value, engine).error
        assert error == "expected error 'TransactionException.X', got no error"

    def test_sender_with_code(self, tmp_path: Path, engine: str) -> None:
        """An account with code sends no transactions (EIP-3607)."""
        value = fixture("1 POP", 21_005, SENDER)
        value["pre"][f"0x{SENDER.hex()}"]["code"] = "0x00"

        error = run(tmp_path, value, engine).error
        assert error == "unexpected error: the sender has code (EIP-3607)"

    def test_tip_above_cap(self, tmp_path: Path, engine: str) -> None:
        """A transaction whose priority fee is above its fee cap is in no block (EIP-1559)."""
        value = fixture("1 POP", 21_005, SENDER, fork="London")
        del value["transaction"]["gasPrice"]
        value["transaction"] |= {"maxFeePerGas": "0x64", "maxPriorityFeePerGas": "0x65"}

        error = run(tmp_path, value, engine).error
        assert error == "unexpected error: the priority fee is above the fee cap (EIP-1559)"

    @pytest.mark.parametrize(("gas", "is_rejected"), [(25_000, False), (24_999, True)])
    def test_floor(self, tmp_path: Path, engine: str, gas: int, is_rejected: bool) -> None:
        """The gas limit has to cover the floor for data, whatever is executed (EIP-7623)."""
        value = fixture("STOP", 25_000, SENDER, fork="Prague")
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
        value = fixture("1 POP", 21_005, SENDER, fork="Cancun")
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
        result = run(tmp_path, fixture(source, 21_000, SENDER), engine)

        assert (result.gas_used, result.output) == (21_399, word(7))
        assert result.logs_hash == keccak(encode([[CONTRACT, [], b""]]))


class TestMemory:
    def test_limit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A case that takes more memory than there may be is not supported."""
        monkeypatch.setattr("devchain.chain.state_tests.MEMORY_LIMIT", 100_000)
        value = fixture("1 120000 MSTORE", 21_000, SENDER)

        result = run(tmp_path, value)
        assert not result.is_supported
        assert "bytes of memory is not supported" in (result.error or "")


class TestFiles:
    def test_empty_text(self, tmp_path: Path) -> None:
        """Code may be an empty text, and a value 0x, as in geth."""
        value = fixture("1 POP", 21_005, SENDER)
        value["pre"][f"0x{SENDER.hex()}"]["code"] = ""
        value["transaction"]["value"] = ["0x"]

        assert run(tmp_path, value).error is None

    def test_unknown_fork(self, tmp_path: Path) -> None:
        """A case of a hardfork that devchain has not fails."""
        result = run(tmp_path, fixture("1 POP", 21_005, SENDER, fork="Verkle"))

        assert (result.error or "").startswith("unsupported fork 'Verkle'")
        assert result.state_root is None

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("[", "is no file of state tests"),
            ("[]", "want a JSON object"),
            ('{"a": 1}', "a: want a JSON object"),
            ('{"a": {"blocks": []}}', "a is a blockchain test: devchain blocktest runs these"),
            ('{"a": {"env": {}}}', "a.pre: want a JSON object"),
            ('{"a":{"env":{},"pre":{},"transaction":{},"post":{"Paris":1}}}', "want a list"),
        ],
    )
    def test_other_files(self, tmp_path: Path, text: str, expected: str) -> None:
        """What is no file of state tests is named, with the reason."""
        path = tmp_path / "other.json"
        path.write_text(text)

        with pytest.raises(ConfigError, match=expected):
            read_cases(path)

    @pytest.mark.parametrize("member", ["env", "transaction"])
    def test_missing_member(self, tmp_path: Path, member: str) -> None:
        """A member that is missing is named when the case runs."""
        value = fixture("1 POP", 21_005, SENDER) | {member: {}}

        with pytest.raises(InvalidInput, match=r"test\.json: one: '.*' is missing"):
            run(tmp_path, value)

    def test_folder(self, tmp_path: Path) -> None:
        """A folder gives its JSON files, but for hidden ones; without any it is an error."""
        with pytest.raises(ConfigError, match="no JSON files"):
            list(fixture_files(tmp_path))
        for name in ("b.json", "a/c.json", ".meta/index.json", "note.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("{}")

        assert [each.name for each in fixture_files(tmp_path)] == ["c.json", "b.json"]
