"""`devchain.cli.commands.start`"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from devchain.cli.main import main
from devchain.contracts.artifact_files import load_artifacts
from tests.contracts.test_artifact_files import PROJECTS
from tests.testing.covered import CONTRACTS

COMMAND = [sys.executable, "-m", "devchain", "start", "--network", "test"]

STOPPED_EARLY = """
import os, signal, sys
import devchain.node
from devchain.cli.main import main

devchain.node.Node = lambda config: os.kill(os.getpid(), signal.SIGTERM)
sys.exit(main(["start", "--port", "0"]))
"""


@contextmanager
def started(*options: str, before: tuple[str, ...] = ()) -> Iterator[subprocess.Popen[str]]:
    """A process that serves a node on a free port, killed afterwards."""
    process = subprocess.Popen(
        [*before, *COMMAND, "--port", "0", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def banner(process: subprocess.Popen[str]) -> tuple[list[str], str]:
    """The banner's lines, and the URL in the last of them."""
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Listening on "):
            return lines, line.split()[-1]
    raise AssertionError(process.communicate())


def call(url: str, method: str, *params: object, path: str = "/") -> Any:
    """The result of a JSON-RPC call."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    with closing(connection):
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        return json.load(connection.getresponse())["result"]


def test_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--compile compiles the paths of --artifacts first, and needs them."""
    source = tmp_path / "counter.vy"
    source.write_text("n: public(uint256)\n")
    with started("--artifacts", str(tmp_path), "--compile") as process:
        lines, _ = banner(process)
        process.kill()
        errors = process.communicate()[1]

    assert "compiling counter.vy with Vyper" in errors
    assert any(re.search(r"Contracts +1 known by name", line) for line in lines)
    source.write_text("n: bad")
    assert main(["start", "--artifacts", str(tmp_path), "--compile"]) == 1
    assert "error: counter.vy does not compile\nNo builtin or" in capsys.readouterr().err
    assert main(["start", "--compile"]) == 1
    assert "--compile needs --artifacts" in capsys.readouterr().err


def test_artifacts(tmp_path: Path) -> None:
    """What is wrong with --artifacts is below the banner, which has the number of contracts.

    A path has none, or a source has changed since it was compiled.
    """
    project = shutil.copytree(PROJECTS / "foundry", tmp_path / "foundry")
    (project / "src" / "Lid.sol").write_text("contract Lid {}")
    (empty := tmp_path / "empty").mkdir()
    with started("--artifacts", str(empty), "--artifacts", str(project)) as process:
        lines, _ = banner(process)
        _, errors, _ = stopped(process, signal.SIGTERM)

    assert sorted(line for line in errors.splitlines() if "--artifacts" in line) == [
        f"warning: --artifacts: no artifacts in {empty}: are the contracts compiled?",
        "warning: --artifacts: src/Lid.sol has changed since it was compiled: compile again",
    ]
    assert any(re.fullmatch(r"Contracts        [1-9]\d* known by name\n", it) for it in lines)


def stopped(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, float]:
    """Send a signal; the exit code, the rest of stderr, and the seconds until the end."""
    started_at = time.monotonic()
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    return process.returncode, errors, time.monotonic() - started_at


class TestStart:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_serve(self, number: signal.Signals) -> None:
        """The command prints the banner, serves, logs to stderr and stops on a signal."""
        with started() as process:
            lines, url = banner(process)
            chain_ids = [call(url, "eth_chainId") for _ in range(3)]
            sender, to, *_ = call(url, "eth_accounts")
            call(url, "eth_sendTransaction", {"from": sender, "to": to, "value": "0x1"})
            code, log, seconds = stopped(process, number)

        assert lines[0].startswith("devchain ")
        assert chain_ids == ["0x1f"] * 3
        assert (code, "Traceback" in log) == (0, False)
        assert seconds < 2
        assert [line.split("  ")[0] for line in log.splitlines() if line[0] != " "] == [
            "eth_chainId",
            "eth_chainId (3×)",
            "eth_accounts",
            "eth_sendTransaction",
        ]
        assert "  Mined    block 1, gas 21,000" in log

    def test_listed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """`ps` lists it as long as it runs, `stop` ends it."""
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        with started("--quiet", "--name", "mine") as process:
            _, url = banner(process)
            main(["ps", "--json"])
            [listed] = json.loads(capsys.readouterr().out)
            code = main(["stop", str(listed["port"])])
            assert process.wait(timeout=20) == 0

        assert (code, capsys.readouterr().out) == (0, "Stopped mine.\n")
        assert (listed["url"], listed["pid"], listed["detached"]) == (url, process.pid, False)
        assert list((tmp_path / "devchain").iterdir()) == []

    def test_unlisted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without a folder for the list it serves all the same, unless it was given a name."""
        monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
        assert main(["start", "--port", "0", "--name", "mine"]) == 1
        with started("--quiet") as process:
            _, url = banner(process)
            assert call(url, "eth_chainId") == "0x1f"

    def test_closed_terminal(self, tmp_path: Path) -> None:
        """SIGHUP, also twice, leaves a state dump and no socket."""
        dump, ipc = tmp_path / "dump.json", Path(os.path.relpath(tmp_path)) / "ipc"
        with started("--dump-state", str(dump), "--ipc", str(ipc), "--quiet") as process:
            _, url = banner(process)
            call(url, "evm_mine")
            process.send_signal(signal.SIGHUP)
            code, log, _ = stopped(process, signal.SIGHUP)

        assert (code, log) == (0, "")
        assert dump.exists()
        assert not ipc.exists()

    def test_nohup(self) -> None:
        """A node that `nohup` has started goes on when the terminal is closed."""
        with started("--quiet", before=("nohup",)) as process:
            _, url = banner(process)
            process.send_signal(signal.SIGHUP)

            assert call(url, "eth_chainId") == "0x1f"
            assert stopped(process, signal.SIGTERM)[0] == 0

    def test_api_keys(self, tmp_path: Path) -> None:
        """Keys in a file are required; a file that others can read is named."""
        file = tmp_path / "keys"
        file.write_text("secret\n")
        file.chmod(0o644)
        with started("--quiet", "--hosted", "--api-key-file", str(file)) as process:
            _, url = banner(process)
            chain_id = call(f"{url.removesuffix('/<API_KEY>')}", "eth_chainId", path="/secret")
            _, log, _ = stopped(process, signal.SIGTERM)

        assert chain_id == "0x1f"
        assert log == f"Others can read the API keys in {file}: chmod 600 {file}\n"

    def test_json(self) -> None:
        """With --log-format json every line of both streams is an object."""
        with started("--log-format", "json") as process:
            assert process.stdout
            listening = json.loads(process.stdout.readline())
            call(listening["url"], "eth_chainId")
            code, log, _ = stopped(process, signal.SIGTERM)

        assert code == 0
        assert [json.loads(line)["method"] for line in log.splitlines()] == ["eth_chainId"]

    def test_stopped_early(self) -> None:
        """A signal before the server runs ends the command without output."""
        ended = subprocess.run(
            [sys.executable, "-c", STOPPED_EARLY], capture_output=True, text=True, check=False
        )

        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


FILE = CONTRACTS / "till-plain.json"
SECOND = "0x5a8ac02d"  # second()


def test_coverage_on_stop(tmp_path: Path) -> None:
    """Transactions and calls of clients count; the table is printed and the file written."""
    (contract,) = (each for each in load_artifacts(FILE) if each.name == "Twins")
    out = tmp_path / "out.info"
    with started("--artifacts", str(FILE), "--coverage", str(out), "--quiet") as process:
        _, url = banner(process)
        sender = call(url, "eth_accounts")[0]
        code = "0x" + contract.creation.template.hex()
        tx_hash = call(url, "eth_sendTransaction", {"from": sender, "data": code, "gas": "0xf4240"})
        address = call(url, "eth_getTransactionReceipt", tx_hash)["contractAddress"]
        call(url, "eth_call", {"to": address, "data": SECOND}, "latest")

        exit_code, errors, _ = stopped(process, signal.SIGTERM)

    assert exit_code == 0
    assert "contracts/Till.sol" in errors
    written = out.read_text().splitlines()
    assert {"DA:126,0", "DA:130,1", "FNDA:1,Twins.second", "LH:1"} <= set(written)


def test_unwritable_coverage_file(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be written is an error at the start."""
    exit_code = main(["start", "--port", "0", "--coverage", "no/such/folder.info"])

    assert exit_code == 1
    assert "cannot write the coverage file no/such/folder.info" in capsys.readouterr().err


def test_fork_of_several_networks(capsys: pytest.CaptureFixture[str]) -> None:
    """A fork is of one chain."""
    options = ("--network", "main", "--network", "test", "--fork-url", "http://127.0.0.1:1")
    assert main(["start", "--port", "0", *options]) == 1
    assert capsys.readouterr().err == (
        "error: --fork-url is for one network: give --network only once\n"
    )
