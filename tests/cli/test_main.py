"""`devchain.cli.main`"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata

import pytest
from typer.main import get_command

from devchain.cli.help import LazyCommand, first_sentence
from devchain.cli.main import COMMANDS, app, main
from devchain.errors import RpcFailure
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient

HEAVY = {"eth", "eth_typing", "quart", "hypercorn", "web3", "eth_account", "eth_abi", "rich"}


def commands(prefix: tuple[str, ...] = (), group: object = None) -> Iterator[tuple[str, ...]]:
    """The command line of every command."""
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
        """The help of every command has an example and fits in 80 columns."""
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

    @pytest.mark.parametrize("entry", COMMANDS, ids=lambda each: each.name)
    def test_list(self, entry: LazyCommand) -> None:
        """The list of commands shows the first sentence of each one's own help."""
        command = entry.load()

        assert command.name == entry.name
        assert first_sentence(command.help or "") == entry.summary

    def test_list_imports(self) -> None:
        """The list of commands is shown without the modules of commands, and of what they use."""
        program = (
            "import sys; from devchain.cli.main import main; main(['--help']);"
            "print(*(each for each in sys.modules if each.startswith('devchain')),"
            "*{'email', 'ssl', 'logging', 'tomllib', 'asyncio', 'rich'} & sys.modules.keys(),"
            "file=sys.stderr)"
        )
        command = [sys.executable, "-c", program]
        result = subprocess.run(command, capture_output=True, text=True, check=True)

        assert set(result.stderr.split()) <= {
            "devchain",
            "devchain.cli",
            "devchain.cli.help",
            "devchain.cli.main",
            "devchain.cli.output",
            "devchain.errors",
            "devchain.text",
        }

    @pytest.mark.parametrize("words", [["--help"], ["inspect", "--help"], ["start", "--help"]])
    def test_imports(self, words: list[str]) -> None:
        """Help imports neither the chain nor the server."""
        command = [sys.executable, "-X", "importtime", "-m", "devchain", *words]
        result = subprocess.run(command, capture_output=True, text=True, check=True)

        loaded = {line.rsplit("|")[-1].strip().split(".")[0] for line in result.stderr.splitlines()}
        assert "devchain" in loaded
        assert loaded & HEAVY == set()

    def test_inspect_imports(self) -> None:
        """A command that cannot connect prints one line and has not imported the chain."""
        program = (
            "import sys; from devchain.cli.main import main;"
            "code = main(['inspect', 'block', '--url', 'http://127.0.0.1:1']);"
            f"print(code, sorted({HEAVY} & set(sys.modules)))"
        )
        command = [sys.executable, "-c", program]
        result = subprocess.run(command, capture_output=True, text=True, check=True)

        assert result.stdout == "1 []\n"
        assert result.stderr == (
            "error: no node answers at http://127.0.0.1:1: "
            "start one with `devchain start`, or name another with --url\n"
        )


class TestCompletion:
    @pytest.mark.parametrize(
        ("words", "completion"),
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
        completion: str,
    ) -> None:
        """Commands, values of options, block tags and method names are completed."""
        monkeypatch.setenv("_DEVCHAIN_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))

        assert main([]) == 0
        assert capsys.readouterr().out.split() == [completion]


class TestVersion:
    def test_installed(self, devchain: Runner) -> None:
        """--version prints only the version."""
        assert devchain("--version") == Result(0, f"{metadata.version('devchain')}\n", "")


class TestExitCode:
    def test_success(self, devchain: Runner) -> None:
        """A successful command returns 0 and writes nothing to stderr."""
        result = devchain("rpc", "eth_chainId")

        assert result == Result(0, '"0x1f"\n', "")

    def test_node_error(self, devchain: Runner) -> None:
        """An error of the node is one line on stderr, exit code 1, and no output."""
        result = devchain("rpc", "eth_getBalance", "0x12")

        assert (result.code, result.out) == (1, "")
        assert result.err.startswith("error: argument address")
        assert result.err.endswith("(code -32602)\n")

    @pytest.mark.parametrize(
        "words",
        [["nonsense"], ["mine", "x"], ["mine", "0"], ["inspect", "block", "newest"], ["--nothing"]],
    )
    def test_wrong_usage(self, devchain: Runner, words: list[str]) -> None:
        """Wrong usage is exit code 2 with the usage on stderr."""
        result = devchain(*words)

        assert (result.code, result.out) == (2, "")
        assert "Usage: devchain" in result.err

    def test_ctrl_c(self, run_on: Callable[..., Result]) -> None:
        """Ctrl-C is exit code 130, without a traceback."""
        node = ScriptedClient(eth_chainId=KeyboardInterrupt())
        result = run_on(node, "rpc", "eth_chainId")

        assert (result.code, result.err) == (130, "")

    def test_escape_sequences(self, run_on: Callable[..., Result]) -> None:
        """Escape sequences in a node's error message are escaped."""
        node = ScriptedClient(eth_chainId=RpcFailure(-1, "\x1b[31mred\n[bold]"))
        result = run_on(node, "rpc", "eth_chainId")

        assert result.err == "error: \\x1b[31mred\\n[bold] (code -1)\n"

    def test_closed_pipe(self) -> None:
        """A closed pipe, as with `| head`, gives no error message."""
        command = [sys.executable, "-m", "devchain", "methods"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.close()

            assert process.stderr.read() == b""
