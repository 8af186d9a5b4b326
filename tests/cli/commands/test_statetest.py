"""`devchain.cli.commands.statetest`"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.chain.test_state_tests import CALL_GAS, CALL_OF_NO_ACCOUNT, SENDER
from tests.cli.conftest import Runner
from tests.state_test_fixtures import fixture


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a test that passes and one that fails."""
    path = tmp_path / "tests.json"
    good = fixture("1 POP", 21_005, SENDER)
    bad = fixture("1 POP", 21_006, SENDER, fork="Istanbul")
    path.write_text(json.dumps({"good": good, "bad": bad}))
    return path


class TestStateTest:
    def test_summary(self, devchain: Runner, file: Path) -> None:
        """Failing cases are shown, and the exit code says that there are some."""
        result = devchain("statetest", str(file))

        assert result.code == 1
        assert result.out.startswith("bad Istanbul 0\n")
        assert "post state root mismatch" in result.out
        assert result.out.endswith("1 passed, 1 failed\n")

    @pytest.mark.parametrize(
        "selection", [["--run", "^good$"], ["--fork", "Byzantium"], ["--engine", "reference"]]
    )
    def test_selection(self, devchain: Runner, file: Path, selection: list[str]) -> None:
        """Tests can be selected by name and hardfork, and the engine chosen."""
        others = [] if selection[0] != "--engine" else ["--run", "good"]

        result = devchain("statetest", str(file.parent), *selection, *others, "--index", "0")

        assert (result.code, result.out) == (0, "1 passed, 0 failed\n")

    def test_json(self, devchain: Runner, file: Path) -> None:
        """Results have the shape of geth's, state roots go to stderr, failures are no error."""
        result = devchain("statetest", str(file), "--json")

        good, bad = json.loads(result.out)
        roots = [json.loads(line)["stateRoot"] for line in result.err.splitlines()]
        assert result.code == 0
        assert good == {
            "name": "good", "pass": True, "stateRoot": roots[0], "fork": "Byzantium",
        }  # fmt: skip
        assert (bad["pass"], bad["stateRoot"]) == (False, roots[1])
        assert bad["error"].startswith("post state root mismatch: got ")

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_trace(self, devchain: Runner, tmp_path: Path, engine: str) -> None:
        """Every opcode is a line on stderr, then output and gas, then the state root."""
        path = tmp_path / "call.json"
        path.write_text(json.dumps({"call": fixture(CALL_OF_NO_ACCOUNT, CALL_GAS, SENDER)}))

        result = devchain("statetest", str(path), "--json", "--trace", "--engine", engine)

        lines = [json.loads(line) for line in result.err.splitlines()]
        call = next(each for each in lines if each.get("opName") == "CALL")
        assert lines[0] == {
            "pc": 0, "op": 0x60, "gas": hex(79_000), "gasCost": "0x3", "memSize": 0,
            "stack": [], "depth": 1, "refund": 0, "opName": "PUSH1",
        }  # fmt: skip
        assert (call["op"], call["stack"][-1], call["gasCost"]) == (0xF1, "0x1388", hex(5_700))
        assert lines[-2] == {"output": "", "gasUsed": hex(CALL_GAS - 21_000)}
        assert list(lines[-1]) == ["stateRoot"]

    def test_stdin(self, devchain: Runner, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without a path, the files are those named on stdin, with a result for each."""
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{file}\n{file}\n\nignored\n"))

        result = devchain("statetest", "--run", "good")

        assert (result.code, result.out) == (0, "2 passed, 0 failed\n")

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (["--engine", "x"], "--engine 'x': choose fast or reference"),
            (["--run", "("], "--run '(' is no regular expression"),
            (["--fork", "Rome"], "no case matches: no test was run"),
        ],
    )
    def test_wrong_options(
        self, devchain: Runner, file: Path, arguments: list[str], expected: str
    ) -> None:
        """Wrong options are named."""
        result = devchain("statetest", str(file), *arguments)

        assert result.code == 1
        assert expected in result.err
