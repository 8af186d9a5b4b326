"""`devchain.cli.main`"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from devchain.cli.background import NodeRecord, state_directory
from devchain.cli.main import main, new_main_app
from devchain.cli.options import connecting
from devchain.client.http import LocalClient
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient, Terminal
from tests.cli.test_background import pid_file

HEAVY = {"eth", "eth_typing", "quart", "hypercorn", "web3", "eth_account", "eth_abi", "rich"}


def commands(prefix: tuple[str, ...] = (), group: object = None) -> Iterator[tuple[str, ...]]:
    """The command line of every command."""
    inner = getattr(group or get_command(new_main_app()), "commands", None)
    if inner is None:
        yield prefix
        return
    for name, command in inner.items():
        yield from commands((*prefix, name), command)


def help_of(command: Any) -> list[str]:
    context = command.make_context("devchain", ["mine"], resilient_parsing=True)
    return str(command.get_help(context)).splitlines()


FULL = Path("/dev/full")


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
        assert all(len(line) <= 80 or "devchain" in line for line in out.splitlines())

    @pytest.mark.parametrize("words", [[], ["start"], ["inspect"], ["send"]], ids=str)
    def test_one_screen(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
    ) -> None:
        """The help of the commands that come first has at most 40 lines of 100 columns."""
        monkeypatch.setenv("COLUMNS", "100")
        main([*words, "--help"])

        lines = capsys.readouterr().out.splitlines()
        assert len(lines) <= 40
        assert all(len(line) <= 100 for line in lines)

    @pytest.mark.parametrize(
        ("words", "rare", "more"),
        [
            ([], "stubs  ", "snapshot, stubs (devchain --help-all)"),
            (
                ["start"],
                "--max-traces N",
                "more options: devchain start --help-all, or docs/config.md",
            ),
            (
                ["methods"],
                "--port N",
                "more options: devchain methods --help-all, or docs/config.md",
            ),
        ],
        ids=["devchain", "start", "methods"],
    )
    def test_rare(
        self, capsys: pytest.CaptureFixture[str], words: list[str], rare: str, more: str
    ) -> None:
        """Rare options are counted, rare commands named; --help-all has them with the others."""
        assert main([*words, "--help"]) == 0
        short = capsys.readouterr().out
        assert main([*words, "--help-all"]) == 0
        whole = capsys.readouterr().out

        assert more in " ".join(short.splitlines()[-2:])
        assert rare not in short
        assert rare in whole
        assert "more options" not in whole

    def test_no_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        """`devchain` alone shows its commands and is a usage error."""
        assert main([]) == 2
        assert "Run a node" in "".join(capsys.readouterr())

    def test_summaries(self) -> None:
        """The help of all commands has their own summaries, though it imports none of them."""
        whole, brief = (get_command(new_main_app(given)) for given in (None, ["--help"]))
        for command in brief.commands.values():
            command.hidden = False

        assert sorted(help_of(brief)) == sorted(help_of(whole))

    @pytest.mark.parametrize("words", [["inspect", "--help"], ["start", "--help"]])
    def test_imports(self, words: list[str]) -> None:
        """Help imports neither the chain nor the server."""
        command = [sys.executable, "-X", "importtime", "-m", "devchain", *words]
        result = subprocess.run(command, capture_output=True, text=True, check=True)

        loaded = {line.rsplit("|")[-1].strip().split(".")[0] for line in result.stderr.splitlines()}
        assert "devchain" in loaded
        assert loaded & HEAVY == set()

    def test_inspect_imports(self, tmp_path: Path) -> None:
        """A command that cannot connect prints one line and has not imported the chain."""
        program = (
            "import sys; from devchain.cli.main import main;"
            "code = main(['inspect', 'block', '--url', 'http://127.0.0.1:1']);"
            f"print(code, sorted({HEAVY} & set(sys.modules)))"
        )
        command = [sys.executable, "-c", program]
        environment = os.environ | {"XDG_STATE_HOME": str(tmp_path)}
        result = subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment
        )

        assert result.stdout == "1 []\n"
        assert result.stderr == (
            "error: no node answers at http://127.0.0.1:1: "
            "start one with `devchain start`, or give the URL of another (--url)\n"
        )


def test_no_node_at_the_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that found no node names those that run in the background."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    record = NodeRecord("mine", os.getpid(), "http://127.0.0.1:2", 2, ("test",), 1_700_000_000)

    with pid_file(state_directory(), record):
        assert main(["inspect", "block", "--url", "http://127.0.0.1:1"]) == 1

    assert capsys.readouterr().err.endswith("(--url); running: mine at http://127.0.0.1:2\n")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("send", "0x01", "--valeu", "1"), "No such option: --valeu (Possible options: --value)"),
        (("mien",), "No such command 'mien'. Did you mean 'mine'?"),
    ],
)
def test_unknown_words(
    words: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown option or command is answered with a similar one."""
    assert main(words) == 2
    assert capsys.readouterr().err.endswith(f"error: {hint}\n")


def test_options_of_a_group(
    client: LocalClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options of a group hold before the command, too; those after it count more."""
    monkeypatch.setenv("DEVCHAIN_URL", "http://variable")
    urls: list[str] = []

    def connect(url: str) -> LocalClient:
        urls.append(url)
        return client

    before, after = ("--url", "http://before"), ("--url", "http://after")
    with connecting(connect):
        assert main(["inspect", *before, "--json", "block"]) == 0
        assert json.loads(capsys.readouterr().out)["number"] == "0x0"
        main(["inspect", *before, "block", *after])
        main(["inspect", "block"])
        main(["accounts", *before, "list"])

    assert urls == ["http://before", "http://after", "http://variable", "http://before"]


@pytest.mark.parametrize("option", ["--url", "--rpc-url"])
def test_rpc_url(devchain: Runner, option: str) -> None:
    """--url has the name that other tools use, too."""
    assert devchain("rpc", "eth_chainId", option, "http://127.0.0.1:1").out == '"0x1f"\n'


class TestCompletion:
    @pytest.mark.parametrize(
        ("words", "completion"),
        [
            ("devchain start --network te", "test"),
            ("devchain snap", "snapshot"),
            ("devchain start --max-trace-", "--max-trace-size"),
        ],
    )
    def test_bash(
        self,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        words: str,
        completion: str,
    ) -> None:
        """Commands, options and their values are completed, rare ones too."""
        monkeypatch.setenv("_DEVCHAIN_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))

        assert main([]) == 0
        assert capsys.readouterr().out.split() == [completion]


class TestExitCode:
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
        assert "\nTry 'devchain" in result.err

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["mine", "x"], "error: Invalid value for 'N': 'x' is not a whole number\n"),
            (["mine", "0"], "'N': 0 is out of range: give at least 1\n"),
            (["send", "1", "--gas", "x"], "'--gas' / '--gas-limit': 'x' is not a whole number\n"),
            (["methods", "eth_gasprice"], "'eth_gasprice'; did you mean eth_gasPrice?\n"),
            (["start", "--hardfork", "londno"], "'londno'; did you mean london?\n"),
            (
                ["start", "--block-time", "x"],
                "error: --block-time: 'x' is not a number of seconds\n",
            ),
            (["start", "--port", "0xg"], "error: --port: '0xg' is not a whole number\n"),
            (
                ["start", "--port", "0x10000"],
                "error: port 65,536 is out of range; give a number from 0 to 65,535\n",
            ),
            (
                ["inspect", "tx", "0x1"],
                "'HASH': '0x1' is not a hash: give 0x and 64 hex digits, not 1\n",
            ),
            (["inspect", "tx"], "error: Missing argument 'HASH'.\n"),
            (["inspect", "block", "99"], "error: no block 99 on this node: the newest is 0\n"),
        ],
    )
    def test_plain_words(self, devchain: Runner, words: list[str], message: str) -> None:
        """Messages say what is wrong without the words of the libraries."""
        assert devchain(*words).err.endswith(message)

    def test_environment(self, devchain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
        """A wrong variable is named; numbers in it may have commas."""
        monkeypatch.setenv("DEVCHAIN_BLOCK_TIME", "soon")
        result = devchain("config", "show")
        assert "DEVCHAIN_BLOCK_TIME: 'soon' is not a number of seconds" in result.err

        monkeypatch.setenv("DEVCHAIN_BLOCK_TIME", "1,000.5")
        assert "block_time = 1000.5" in devchain("config", "show").out

    @pytest.mark.parametrize("width", [40, 80])
    def test_wrapped_errors(
        self, devchain: Runner, monkeypatch: pytest.MonkeyPatch, width: int
    ) -> None:
        """On a terminal messages are wrapped between words, hashes stay whole."""
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        tx_hash = "0x" + "ab" * 32
        devchain("inspect", "tx", tx_hash)

        lines = terminal.getvalue().splitlines()
        assert lines[0] == "error: no transaction"
        assert "".join(lines).count(tx_hash) == 1
        assert all(len(each) <= 80 for each in lines)

    def test_ctrl_c(self, run_on: Callable[..., Result]) -> None:
        """Ctrl-C is exit code 130, without a traceback."""
        node = ScriptedClient(eth_chainId=KeyboardInterrupt())
        result = run_on(node, "rpc", "eth_chainId")

        assert (result.code, result.err) == (130, "")

    def test_closed_pipe(self) -> None:
        """A closed pipe, as with `| head`, gives no error message."""
        command = [sys.executable, "-m", "devchain", "methods"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.close()

            assert process.stderr.read() == b""

    @pytest.mark.skipif(not FULL.exists(), reason="needs the device /dev/full")
    @pytest.mark.parametrize("words", [["--help"], ["methods"]])
    def test_full_disk(self, words: list[str]) -> None:
        """Output that cannot be written is one line of error."""
        with FULL.open("wb") as full:
            command = [sys.executable, "-m", "devchain", *words]
            result = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )

        assert result.returncode == 1
        assert result.stderr == (
            "error: the output could not be written: No space left on device\n"
        )


@pytest.mark.parametrize("words", [[], ["start"], ["inspect"], ["inspect", "block"]], ids=str)
def test_short_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """-h is --help, of groups and commands."""
    assert main([*words, "--help"]) == 0
    long = capsys.readouterr().out
    assert main([*words, "-h"]) == 0

    assert capsys.readouterr().out == long
    assert "-h, --help" in long
