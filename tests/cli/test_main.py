"""`devchain.cli.main`"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata

import pytest
from typer.main import get_command

from devchain.cli.main import app, main
from devchain.errors import RpcFailure
from tests.cli.conftest import Ran, Runner
from tests.cli.scripted import ScriptedClient

HEAVY = {"eth", "quart", "hypercorn", "web3", "eth_account", "eth_abi", "rich"}


def commands(prefix: tuple[str, ...] = (), group: object = None) -> Iterator[tuple[str, ...]]:
    """The words of every command there is."""
    inner = getattr(group or get_command(app), "commands", None)
    if inner is None:
        yield prefix
        return
    for name, command in inner.items():
        yield from commands((*prefix, name), command)


class TestHelp:
    @pytest.mark.parametrize("words", list(commands()), ids=" ".join)
    def test_every_command(
        self, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Every command says what it does, with an example of itself, within 80 columns."""
        code = main([*words, "--help"])

        out = capsys.readouterr().out
        assert code == 0
        assert "Example" in out
        assert f"  devchain {' '.join(words)}" in out
        assert max(map(len, out.splitlines())) <= 80

    def test_no_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        """`devchain` alone shows its commands and is a usage error."""
        assert main([]) == 2
        assert "Run a node" in "".join(capsys.readouterr())

    @pytest.mark.parametrize("words", [["--help"], ["inspect", "--help"], ["start", "--help"]])
    def test_imports(self, words: list[str]) -> None:
        """Help and the reading commands load neither the chain nor the server."""
        command = [sys.executable, "-X", "importtime", "-m", "devchain", *words]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)

        loaded = {line.rsplit("|")[-1].strip().split(".")[0] for line in ran.stderr.splitlines()}
        assert "devchain" in loaded
        assert loaded & HEAVY == set()

    def test_reading_imports(self) -> None:
        """A command that finds no node says so in one line, having loaded no chain."""
        program = (
            "import sys; from devchain.cli.main import main;"
            "code = main(['inspect', 'block', '--url', 'http://127.0.0.1:1']);"
            f"print(code, sorted({HEAVY} & set(sys.modules)))"
        )
        command = [sys.executable, "-c", program]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)

        assert ran.stdout == "1 []\n"
        assert ran.stderr == (
            "error: no node answers at http://127.0.0.1:1: "
            "start one with `devchain start`, or name another with --url\n"
        )


class TestCompletion:
    @pytest.mark.parametrize(
        ("words", "offered"),
        [
            ("devchain rpc evm_sn", "evm_snapshot"),
            ("devchain start --network te", "test"),
            ("devchain inspect block ear", "earliest"),
            ("devchain snap", "snapshot"),
        ],
    )
    def test_bash(
        self,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        words: str,
        offered: str,
    ) -> None:
        """The shell is offered commands, choices, block tags and method names."""
        monkeypatch.setenv("_DEVCHAIN_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))

        assert main([]) == 0
        assert capsys.readouterr().out.split() == [offered]


class TestVersion:
    def test_installed(self, devchain: Runner) -> None:
        """--version prints the version alone."""
        assert devchain("--version") == Ran(0, f"{metadata.version('devchain')}\n", "")


class TestExitCode:
    def test_success(self, devchain: Runner) -> None:
        """A command that did its work leaves 0 and an empty stderr."""
        ran = devchain("rpc", "eth_chainId")

        assert ran == Ran(0, '"0x1f"\n', "")

    def test_refusal(self, devchain: Runner) -> None:
        """A refusal is one line on stderr, 1, and no answer."""
        ran = devchain("rpc", "eth_getBalance", "0x12")

        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("error: argument address")
        assert ran.err.endswith("(code -32602)\n")

    @pytest.mark.parametrize(
        "words",
        [["nonsense"], ["mine", "x"], ["mine", "0"], ["inspect", "block", "newest"], ["--nothing"]],
    )
    def test_wrong_usage(self, devchain: Runner, words: list[str]) -> None:
        """Wrong usage is 2, explained on stderr."""
        ran = devchain(*words)

        assert (ran.code, ran.out) == (2, "")
        assert "Usage: devchain" in ran.err

    def test_ctrl_c(self, run_on: Callable[..., Ran]) -> None:
        """Ctrl-C is 130, without a traceback."""
        node = ScriptedClient(eth_chainId=KeyboardInterrupt())
        ran = run_on(node, "rpc", "eth_chainId")

        assert (ran.code, ran.err) == (130, "")

    def test_error_text_of_the_node(self, run_on: Callable[..., Ran]) -> None:
        """Escape sequences in a node's error do not reach the terminal."""
        node = ScriptedClient(eth_chainId=RpcFailure(-1, "\x1b[31mred\n[bold]"))
        ran = run_on(node, "rpc", "eth_chainId")

        assert ran.err == "error: \\x1b[31mred\\n[bold] (code -1)\n"

    def test_reader_gone(self) -> None:
        """A reader that goes away, like head, makes no noise."""
        command = [sys.executable, "-m", "devchain", "methods"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.close()

            assert process.stderr.read() == b""
