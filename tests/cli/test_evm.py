"""`devchain.cli.evm`: the commands that goevmlab and execution-spec-tests give geth's `evm`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devchain.cli import evm
from tests.block_test_fixtures import fixture as block_fixture
from tests.block_test_fixtures import mined_node
from tests.chain.test_state_tests import CALL_GAS, CALL_OF_NO_ACCOUNT, SENDER
from tests.cli.conftest import Result
from tests.state_test_fixtures import fixture

Evm = Callable[..., Result]
GOEVMLAB_GETH = ["--trace", "--trace.format=json", "--trace.nomemory=true"]
GOEVMLAB_GETH += ["--trace.noreturndata=true"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Evm:
    """Run `devchain-evm` with arguments."""

    def run(*arguments: str) -> Result:
        code = evm.main(arguments)
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a state test that passes and one that fails."""
    path = tmp_path / "tests.json"
    good = fixture(CALL_OF_NO_ACCOUNT, CALL_GAS, SENDER)
    path.write_text(json.dumps({"good": good, "bad": fixture("1 POP", 5, SENDER, "Istanbul")}))
    return path


def opcodes(stderr: str) -> list[dict[str, Any]]:
    """The lines of opcodes."""
    return [line for line in map(json.loads, stderr.splitlines()) if "opName" in line]


class TestVersion:
    @pytest.mark.parametrize("flag", ["-v", "--version", "-version"])
    def test_consume_direct(self, run: Evm, flag: str) -> None:
        """`consume direct` takes a program for geth's by this pattern, with nothing on stderr."""
        result = run(flag)

        assert re.match(r"^evm(.exe)? version\b", result.out)
        assert (result.code, result.err) == (0, "")

    def test_program(self) -> None:
        """The console script's function runs as a process."""
        code = "from devchain.__main__ import run_evm; run_evm()"
        found = subprocess.run(
            [sys.executable, "-c", code, "-v"], capture_output=True, text=True, check=True
        )

        assert found.stdout.startswith("evm version ")


class TestStateTest:
    def test_consume_direct(self, run: Evm, file: Path) -> None:
        """Results are a list on stdout, failures too; the exit code is 0."""
        result = run("statetest", str(file))

        good, bad = json.loads(result.out)
        roots = [json.loads(line)["stateRoot"] for line in result.err.splitlines()]
        assert result.code == 0
        assert (good["name"], good["pass"]) == ("good", True)
        assert (bad["pass"], bad["error"][:10]) == (False, "post state")
        assert [good["stateRoot"], bad["stateRoot"]] == roots

    def test_consume_direct_with_dump(self, run: Evm, file: Path) -> None:
        """With a dump folder it asks for a trace, and all of the log."""
        result = run("--verbosity", "100", "statetest", "--trace", str(file))

        assert len(json.loads(result.out)) == 2
        assert opcodes(result.err)

    def test_goevmlab(self, run: Evm, file: Path) -> None:
        """It reads `stateRoot` from the indented results, and lines of opcodes from stderr."""
        result = run("statetest", *GOEVMLAB_GETH, str(file))

        start = result.out.index('"stateRoot": "') + 14
        assert re.fullmatch("0x[0-9a-f]{64}", result.out[start : start + 66])
        line = opcodes(result.err)[0]
        assert list(line) == [
            *("pc", "op", "gas", "gasCost", "memSize", "stack", "depth", "refund", "opName"),
        ]
        assert [type(line[name]) for name in ("pc", "op", "depth")] == [int] * 3

    def test_goevmlab_batch(self, run: Evm, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Files named on stdin are run one after the other, each with its results."""
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{file}\n{file}\n"))

        result = run("statetest", *GOEVMLAB_GETH)

        assert result.out.count('"name": "good"') == 2
        assert result.err.count('"stateRoot"') == 4

    @pytest.mark.parametrize(
        "arguments",
        [
            ["statetest", "--json", "--noreturndata", "--nomemory"],
            ["--json", "--noreturndata", "--nomemory", "statetest"],
            ["-json", "statetest", "-nomemory=true"],
        ],
    )
    def test_flags_of_others(self, run: Evm, file: Path, arguments: list[str]) -> None:
        """Older versions of geth have the flags before the command, EELS has them after it."""
        with_file = [*arguments, str(file)]

        assert opcodes(run(*with_file).err) == opcodes(run("statetest", "--trace", str(file)).err)

    def test_speed(self, run: Evm, file: Path) -> None:
        """Without --json nothing is traced, whatever else is left out."""
        result = run("statetest", "--nomemory", "--noreturndata", "--nostack", str(file))

        assert opcodes(result.err) == []

    def test_members(self, run: Evm, file: Path) -> None:
        """Memory and return data can be asked for, and the stack left out."""
        members = {"memory", "returnData", "stack"}
        for flags, expected in (
            ((), {"stack"}),
            (("--nostack",), set()),
            (("--nomemory=false", "--noreturndata=false"), members),
            (("--trace.memory", "--trace.returndata", "--trace.nostack=false"), members),
        ):
            (line, *_) = opcodes(run("statetest", "--trace", *flags, str(file)).err)
            assert members & set(line) == expected

    @pytest.mark.parametrize(
        ("flags", "names"),
        [
            (["--run", "^g"], ["good"]),
            (["--name=bad"], ["bad"]),
            (["--statetest.name", "ba"], []),
            (["--fork", "Istanbul"], ["bad"]),
            (["--statetest.fork=Byzantium", "--statetest.index=0"], ["good"]),
            (["--index", "-1"], ["good", "bad"]),
            (["--index", "1"], []),
            (["--engine", "reference"], ["good", "bad"]),
        ],
    )
    def test_selection(self, run: Evm, file: Path, flags: list[str], names: list[str]) -> None:
        """Cases are selected by name, hardfork and index; none are an empty list."""
        results = json.loads(run("statetest", *flags, str(file)).out)

        assert [each["name"] for each in results] == names

    def test_huge_cost(self, run: Evm, tmp_path: Path) -> None:
        """Gas fits into 64 bits, also of memory that costs more than there is."""
        path = tmp_path / "huge.json"
        huge = fixture(f"{2**255} MLOAD", 100_000, SENDER)
        path.write_text(json.dumps({"huge": huge}))

        lines = opcodes(run("statetest", "--trace", str(path)).err)
        assert [int(each["gasCost"], 16) < 2**64 for each in lines] == [True, True]


class TestBlockTest:
    @pytest.fixture
    def blocks(self, tmp_path: Path) -> Path:
        """A file with a blockchain test that passes and one that fails."""
        path = tmp_path / "blocks.json"
        good = block_fixture(mined_node("cancun"))
        bad = good | {"lastblockhash": f"0x{bytes(32).hex()}"}
        path.write_text(json.dumps({"a[1]": good, "b": bad}))
        return path

    def test_consume_direct(self, run: Evm, blocks: Path) -> None:
        """One test is selected by its escaped name, and the exit code says whether it passed."""
        results = {name: run("blocktest", "--run", re.escape(name), str(blocks)) for name in "ab"}
        escaped = run("blocktest", "--run", re.escape("a[1]"), str(blocks))

        assert {name: each.code for name, each in results.items()} == {"a": 0, "b": 1}
        assert json.loads(escaped.out)[0]["pass"] is True
        assert json.loads(results["b"].out)[0]["pass"] is False

    def test_consume_direct_with_dump(self, run: Evm, blocks: Path) -> None:
        """The flags for its dump folder are accepted."""
        result = run("--verbosity", "100", "blocktest", "--trace", "--run", "a", str(blocks))

        assert result.code == 0


class TestWrongArguments:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (["statetest", "--foo"], "flag provided but not defined: --foo"),
            (["statetest", "--foo=1"], "flag provided but not defined: --foo"),
            (["statetest", "--run"], "flag needs an argument: --run"),
            (["statetest", "--run", "("], "--run '(' is no regular expression"),
            (["statetest", "--index", "x"], "--index 'x' is no number"),
            (["statetest", "--engine", "x"], "--engine 'x': choose fast or reference"),
            (["statetest", "--trace.format=md"], "--trace.format 'md': only json is known"),
            (["statetest", "/nowhere/x.json"], "/nowhere/x.json cannot be read"),
            (["blocktest"], "blocktest: name a file"),
            (["t8n"], "unknown command 't8n': choose statetest or blocktest"),
        ],
    )
    def test_error(self, run: Evm, arguments: list[str], expected: str) -> None:
        """Each is named on stderr, with exit code 1 as geth's."""
        result = run(*arguments)

        assert (result.code, result.out) == (1, "")
        assert expected in result.err

    def test_help(self, run: Evm) -> None:
        """The flags are listed, without a command as an error."""
        assert run("--help").code == 0
        assert run("statetest", "-h").out == run("--help").out
        assert run().code == 1
