"""`devchain watch` on a pseudo terminal, and with its output in a pipe"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("pty")  # not on Windows
pytest.importorskip("textual")

from devchain.cli.main import main
from devchain.cli.options import connecting
from devchain.client.http import HttpClient
from devchain.config import Config
from devchain.server.events import Event, RequestServed
from devchain.text import WATCH
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.contracts.till import FILE
from tests.pseudo_terminal import Terminal
from tests.server.live import serving

COMMAND = [sys.executable, "-m", "devchain", "watch", "--interval", "0.1"]
CONFIG = Config(network="test", accounts=2, artifacts=(str(FILE),), fixed_clock=1_700_000_000)


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a node that serves HTTP."""
    with serving(CONFIG) as served:
        yield served


def url(port: int) -> str:
    """The URL of a node."""
    return f"http://127.0.0.1:{port}"


def watching(port: int, folder: Path, **size: int) -> Terminal:
    """A terminal with the program."""
    return Terminal([*COMMAND, "--url", url(port)], folder, **size)


def pay(port: int, value: int = 10**18) -> str:
    """Send a payment; its hash."""
    request = {"from": ALICE_HEX, "to": BOB_HEX, "value": hex(value), "gas": "0x5208"}
    client = HttpClient(url(port))
    sent: str = client.call("eth_sendTransaction", request)
    client.close()
    return sent


class TestScreen:
    def test_follows(self, port: int, tmp_path: Path) -> None:
        """It shows blocks as they are mined and taken back, in every size, and after Ctrl-Z."""
        client = HttpClient(url(port))
        with watching(port, tmp_path) as terminal:
            terminal.wait_for("Block 0", "live", "q Quit", "10,000 RBTC")
            snapshot = client.call("evm_snapshot")
            pay(port)
            screen = terminal.wait_for("✓ 0xf39F…2266 → 0x7099…79C8 · 1 RBTC", "+1 RBTC")
            assert len(screen.splitlines()) == 24
            terminal.resize(40, 12)
            screen = terminal.wait_for("✓ 0xf39F…2266 → 0x7099…79C8 · 1", "Enter Open")
            assert max(map(len, screen.splitlines())) <= 40
            assert "Enter Open" in screen.splitlines()[11]
            terminal.resize(100, 30)
            terminal.wait_for("21,000 of 6,800,000", "Block 1")
            client.call("evm_revert", snapshot)
            terminal.wait_for("Block 1 taken back")
            client.call("hardhat_mine", hex(1_000))
            terminal.wait_for("more blocks", "to 1,000 · ")
            assert not terminal.is_restored
            terminal.press("\x1a")
            terminal.wait_until_stopped()
            terminal.send_signal(signal.SIGCONT)
            terminal.wait_for_text("\x1b[?1049h")
            terminal.press("q")

            assert terminal.wait_for_exit() == 0
            assert terminal.is_restored
        client.close()

    def test_opens_a_transaction(self, port: int, tmp_path: Path) -> None:
        """Enter shows what `devchain inspect` prints, Esc goes back; d begins the debugger."""
        tx_hash = pay(port)
        with watching(port, tmp_path) as terminal:
            terminal.wait_for("✓ 0xf39F…2266")
            terminal.press("\x1b[B\x1b[B")
            terminal.wait_for("d Debug")
            terminal.press("\r")
            terminal.wait_for(f"Hash          {tx_hash}", "Value         1 RBTC", "esc Back")
            terminal.press("\x1b")
            terminal.wait_for("Enter Open", "✓ 0xf39F…2266")
            terminal.press("d")
            terminal.wait_for_text("nothing to step")  # a note on the list, which is back
            terminal.press("q")

            assert terminal.wait_for_exit() == 0
            assert terminal.is_restored

    def test_terminated(self, port: int, tmp_path: Path) -> None:
        """SIGTERM ends it with the terminal as it was."""
        with watching(port, tmp_path) as terminal:
            terminal.wait_for("Block 0", "live")
            terminal.send_signal(signal.SIGTERM)

            assert terminal.wait_for_exit() == 128 + signal.SIGTERM
            assert terminal.is_restored

    def test_restart(self, tmp_path: Path) -> None:
        """A node that is not there, stops, or comes back with another chain is waited for."""
        with serving(CONFIG) as port:
            pass
        with watching(port, tmp_path) as terminal:
            terminal.wait_for("waiting for node", url(port))
            with serving(CONFIG, port=port):
                terminal.wait_for("live", "Block 0")
                pay(port)
                terminal.wait_for("Block 1")
            terminal.wait_for("waiting")
            with serving(CONFIG, port=port):
                terminal.wait_for("live", "Block 1 taken back")
                pay(port, 2 * 10**18)
                terminal.wait_for("2 RBTC")
                terminal.press("q")

                assert terminal.wait_for_exit() == 0

    def test_refused(self, tmp_path: Path) -> None:
        """A node that refuses is an error with its message, before any screen."""
        config = Config(network="test", methods=("net_version",))
        with serving(config) as port, watching(port, tmp_path) as terminal:
            assert terminal.wait_for_exit() == 1
            assert "error: " in terminal.screen
            assert "\x1b[?1049h" not in terminal.written


class TestPipe:
    def test_lines(self, port: int, tmp_path: Path) -> None:
        """In a pipe each block and transaction is a line, written at once, until SIGINT."""
        with subprocess.Popen(
            [*COMMAND, "--url", url(port)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
        ) as program:
            assert program.stdout is not None
            assert program.stdout.readline().startswith("block 0 0x")
            tx_hash = pay(port)
            assert program.stdout.readline().startswith("block 1 0x")
            assert program.stdout.readline().startswith(f"  ok {tx_hash} · ")
            program.send_signal(signal.SIGINT)

            assert program.wait(60) == 130

    def test_closed(self, port: int, tmp_path: Path) -> None:
        """When the reader of the pipe has gone, it ends without a message."""
        with subprocess.Popen(
            [*COMMAND, "--url", url(port), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        ) as program:
            assert program.stdout is not None
            assert program.stderr is not None
            program.stdout.readline()
            program.stdout.close()
            pay(port)

            assert program.wait(60) == 1
            assert program.stderr.read() == ""


def watch_once(node_url: str) -> None:
    """Print the newest blocks of a node, in this process."""
    client = HttpClient(node_url)
    with closing(client), connecting(lambda _: client):
        assert main(["watch", "--once"]) == 0


def test_polls_in_the_log() -> None:
    """The node's log has polls marked, so that its text can leave them out."""
    events: list[Event] = []
    with serving(CONFIG, events.append) as port:
        watch_once(url(port))
        pay(port)
    requests = [(each.method, each.via) for each in events if isinstance(each, RequestServed)]

    assert ("eth_getBlockByNumber", WATCH) in requests
    assert ("eth_sendTransaction", "") in requests
    assert all(via == WATCH for method, via in requests if method != "eth_sendTransaction")


def test_hosted() -> None:
    """A hosted node logs every client alike."""
    events: list[Event] = []
    with serving(Config(network="test", hosted=True, api_key=("k" * 32,)), events.append) as port:
        watch_once(f"{url(port)}/{'k' * 32}")

    assert {each.via for each in events if isinstance(each, RequestServed)} == {""}
