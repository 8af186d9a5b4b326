"""`devchain.cli.daemon` and the commands `start --detach`, `ps`, `logs` and `stop`"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from devchain.cli import daemon
from devchain.cli.background import running_nodes
from devchain.cli.daemon import launch
from devchain.cli.main import main
from devchain.client.http import HttpClient
from devchain.config import Config
from devchain.errors import DevchainError
from tests.cli.conftest import Result

Command = Callable[..., Result]
START = ("start", "--detach", "--port", "0", "--network", "test", "--accounts", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of PID files and logs; nodes that still run are killed afterwards."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    found = tmp_path / "devchain"
    yield found
    for each in running_nodes(found):
        os.kill(each.pid, signal.SIGKILL)


@pytest.fixture
def devchain(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command."""

    def run(*arguments: str) -> Result:
        return Result(main(arguments), *capsys.readouterr())

    return run


class TestLifecycle:
    def test_two_nodes(self, devchain: Command, folder: Path) -> None:
        """Each node answers when `start` returns, has its own log, and ends on `stop`."""
        first = devchain(*START)
        second = json.loads(devchain(*START, "--name", "two", "--log-format", "json").out)
        listed = json.loads(devchain("ps", "--json").out)
        [other] = [each for each in listed if each["name"] != "two"]

        assert first.out.splitlines()[-1] == f"Listening on {other['url']}"
        with closing(HttpClient(second["url"])) as client:
            assert client.call("eth_chainId") == "0x1f"
        assert other["name"] == f"test-{other['port']}"
        assert other["name"] in devchain("ps").out
        assert devchain("stop").err.startswith("error: several nodes run: name one of ")
        for more in ((), ("--detach",)):
            taken = devchain("start", *more, "--port", str(other["port"]))
            assert taken.err.startswith(
                f"error: port {other['port']} is that of {other['name']}, a node that runs (`"
            )

        assert devchain("stop", str(other["port"])).out == f"Stopped {other['name']}.\n"
        assert devchain("logs", other["name"]).out.endswith(f"Listening on {other['url']}\n")
        assert '"eth_chainId"' in devchain("logs", "two", "-n", "1").out
        assert devchain("stop", "--all").out == "Stopped two.\n"
        assert running_nodes(folder) == []

    def test_bitcoin(self, devchain: Command) -> None:
        """The URL of bitcoind's JSON-RPC is shown by `start` and `ps`."""
        options = ("--bitcoin", "--bitcoin-port", "0")
        started = devchain("start", "--detach", "--port", "0", *options)
        [record] = json.loads(devchain("ps", "--json").out)
        devchain("stop")

        assert record["bitcoin"].startswith("http://127.0.0.1:")
        assert f"Bitcoin {record['bitcoin']} " in " ".join(started.out.split())

    def test_killed(self, devchain: Command, folder: Path) -> None:
        """A killed node is no longer listed, and following its log ends."""
        devchain(*START, "--name", "killed")
        [record] = running_nodes(folder)
        os.kill(record.pid, signal.SIGKILL)
        followed = devchain("logs", "killed", "--follow")

        assert followed.out.endswith(f"Listening on {record.url}\n")
        assert devchain("ps") == Result(0, "", "no node runs: devchain start starts one\n")
        assert "no node runs: `devchain start`" in devchain("stop", "killed").err

    def test_warnings(self, devchain: Command, tmp_path: Path) -> None:
        """What is wrong with --artifacts is shown by the start."""
        artifacts = tmp_path / "artifacts"
        artifacts.mkdir()
        for number in range(2):
            (artifacts / f"{number:02}.json").write_text('{"abi": ')
        result = devchain(*START, "--name", "warned", "--artifacts", str(artifacts))
        devchain("stop", "warned")

        lines = result.err.splitlines()
        assert result.code == 0
        assert lines[0].startswith("warning: --artifacts: skipped: ")
        assert "00.json" in lines[0]
        assert "no artifacts in" in lines[-1]
        assert "no artifacts in" in devchain("logs", "warned", "-n", "50").out


class TestErrors:
    def test_port_in_use(self, devchain: Command) -> None:
        """A port in use is an error with exit code 1."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            result = devchain("start", "--detach", "--port", str(port))

        assert (result.code, result.out) == (1, "")
        assert result.err.startswith(f"error: port {port} on 127.0.0.1 is in use")

    def test_name(self, devchain: Command) -> None:
        """An invalid name is an error, in a terminal too."""
        assert "invalid node name" in devchain(*START, "--name", "../x").err
        assert "invalid node name" in devchain("start", "--port", "0", "--name", "../x").err

    def test_stop_arguments(self, devchain: Command) -> None:
        """A name with --all is wrong usage; without nodes --all succeeds and `logs` fails."""
        assert devchain("stop", "x", "--all").code == 2
        assert devchain("stop", "--all") == Result(0, "", "no node runs\n")
        assert devchain("logs").code == 1

    def test_bug(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An internal error at start is reported by the command; the log has the traceback."""
        broken = "import devchain.node, devchain.cli.daemon as d; devchain.node.Node = 1; d.main()"
        monkeypatch.setattr(daemon, "COMMAND", [daemon.sys.executable, "-c", broken])

        with pytest.raises(DevchainError, match="a bug in devchain: TypeError"):
            launch([Config(port=0)], "broken")
        assert "Traceback" in (folder / "broken.log").read_text()

    @pytest.mark.parametrize(
        ("program", "error"),
        [
            ("print('oops'); raise SystemExit(3)", "oops"),
            ("print('[]')", r"\[\]"),
            ("", "the process ended without any output"),
        ],
    )
    def test_crash(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, program: str, error: str
    ) -> None:
        """A process that ends before it serves is an error with its last line of output."""
        monkeypatch.setattr(daemon, "COMMAND", [daemon.sys.executable, "-c", program])

        with pytest.raises(DevchainError, match=error):
            launch([Config()], None)
