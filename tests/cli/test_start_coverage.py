"""`devchain start --coverage`: what any client ran, told when the node stops."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from devchain.cli.main import main
from devchain.contracts.artifacts import load_artifacts
from tests.cli.test_start import banner, call, started, stopped
from tests.testing.covered import CONTRACTS

FILE = CONTRACTS / "till-plain.json"
SECOND = "0x5a8ac02d"  # second()


def test_written_when_it_stops(tmp_path: Path) -> None:
    """A client's transactions and calls count; the table is on stderr, the lcov file is written."""
    (twins,) = (each for each in load_artifacts(FILE) if each.name == "Twins")
    out = tmp_path / "out.info"
    with started("--artifacts", str(FILE), "--coverage", str(out), "--quiet") as process:
        _, url = banner(process)
        sender = call(url, "eth_accounts")[0]
        code = "0x" + twins.creation.template.hex()
        made = call(url, "eth_sendTransaction", {"from": sender, "data": code, "gas": "0xf4240"})
        address = call(url, "eth_getTransactionReceipt", made)["contractAddress"]
        call(url, "eth_call", {"to": address, "data": SECOND}, "latest")

        exit_code, errors, _ = stopped(process, signal.SIGTERM)

    assert exit_code == 0
    assert "contracts/Till.sol" in errors
    written = out.read_text().splitlines()
    assert {"DA:126,0", "DA:130,1", "FNDA:1,Twins.second", "LH:1"} <= set(written)


def test_file_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused at the start."""
    exit_code = main(["start", "--port", "0", "--coverage", "no/such/folder.info"])

    assert exit_code == 1
    assert "cannot write the coverage file no/such/folder.info" in capsys.readouterr().err
