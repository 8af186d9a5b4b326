"""`tests.vectors.runner`; samples of Ethereum's tests, if they are available."""

from __future__ import annotations

import json
import lzma
import tarfile
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from devchain.errors import ConfigError
from tests.vectors.block_fixtures import fixture as block_fixture
from tests.vectors.block_fixtures import mined_node
from tests.vectors.runner import Outcome, known_failing, main, read_cases, run_file, unexpected
from tests.vectors.state_fixtures import SENDER, fixture

CONFORMANCE = Path(__file__).parents[3] / "shared/conformance"
SAMPLE = CONFORMANCE / "state-tests/state-tests.tar.gz"
BLOCKS = CONFORMANCE / "evm-fixtures/sample.jsonl.xz"
STATE_SHARE, BLOCK_SHARE = 2, 6
"""Each how many files of state tests, and how many blockchain tests, one is run."""
SLOW = (
    "static_Call50000",
    "recursiveCreate",
    "Quadratic",
    "vmPerformance",
    "TimeConsuming",
    "Attack",
)
"""Parts of the names of tests that take seconds; `make test-vectors` runs them."""


@pytest.mark.filterwarnings("ignore:SELFDESTRUCT:DeprecationWarning")
@pytest.mark.skipif(not SAMPLE.exists(), reason="the state tests are not available")
def test_sample(tmp_path: Path) -> None:
    """The fast engine gives the expected states, but for what is known."""
    with tarfile.open(SAMPLE) as archive:
        archive.extractall(tmp_path, filter="data")
    files = [
        each for each in tmp_path.rglob("*.json") if not any(part in str(each) for part in SLOW)
    ]
    chosen = sorted(files)[::STATE_SHARE]

    assert len(chosen) > 150
    assert unexpected(one for each in chosen for one in run_file(each, ["fast"])) == []


@pytest.mark.filterwarnings("ignore:SELFDESTRUCT:DeprecationWarning")
@pytest.mark.skipif(not BLOCKS.exists(), reason="the blockchain tests are not available")
def test_blocks(tmp_path: Path) -> None:
    """The fast engine imports valid blocks and refuses the others, but for what is known."""
    outcomes = []
    with lzma.open(BLOCKS, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, BLOCK_SHARE):
            value = json.loads(line)
            path = tmp_path / "test.json"
            path.write_text(json.dumps({value["name"]: value["fixture"]}))
            outcomes += run_file(path, ["fast"])

    assert len(outcomes) > 75
    assert sum(each.unsupported is not None for each in outcomes) < 5
    assert unexpected(outcomes) == []


def test_mixed_files(tmp_path: Path) -> None:
    """A file may have tests of both kinds; what is not supported is no failure."""
    good = block_fixture(mined_node("shanghai"))
    path = tmp_path / "mixed.json"
    path.write_text(
        json.dumps(
            {
                "state": fixture("1 POP", 21_005),
                "blocks": good,
                "other": good | {"network": "Rome"},
            }
        )
    )

    outcomes = run_file(path)
    assert [each.name for each in outcomes] == [
        *("state Byzantium 0", "blocks Shanghai 0", "other Rome 0")
    ]
    assert [each.errors for each in outcomes] == [{}, {}, {}]
    assert (outcomes[2].unsupported or "").startswith("unsupported fork 'Rome'")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[", "is no file of tests"),
        ("[]", "want a JSON object"),
        ('{"a": 1}', "a: want a JSON object"),
        ('{"a": {"transaction": {}, "env": {}}}', "a.pre: want a JSON object"),
        (
            '{"a": {"env": {}, "pre": {}, "transaction": {}, "post": {"Paris": 1}}}',
            "want a list",
        ),
        ('{"a": {"engineNewPayloads": []}}', "a: want a list of blocks"),
        ('{"a": {"blocks": 1, "network": "Paris"}}', "a: want a list of blocks"),
        ('{"a": {"blocks": [], "network": 1}}', "a: want a list of blocks"),
        ('{"a": {"blocks": [1], "network": "Paris"}}', r"a\.blocks: want a JSON object"),
    ],
)
def test_other_files(tmp_path: Path, text: str, expected: str) -> None:
    """What is no file of tests is named, with the reason."""
    path = tmp_path / "other.json"
    path.write_text(text)

    with pytest.raises(ConfigError, match=expected):
        read_cases(path)


def test_unexpected() -> None:
    """A new failure is shown, and a known one that passes."""
    known = next(iter(known_failing()))
    failing = Outcome("new Cancun 0", {"fast": "why"})

    assert unexpected([failing]) == ["new Cancun 0: {'fast': 'why'}"]
    assert unexpected([Outcome(f"{known} Cancun 0", {"fast": "why"}), Outcome("x", {})]) == []
    assert unexpected([Outcome(f"{known} Cancun 0", {})]) == [
        f"{known}: passes, remove it from the list"
    ]


@pytest.mark.parametrize(
    "undecided", [{"unsupported": "why"}, {"out_of_time": ("fast",)}, {"is_skipped": True}]
)
def test_undecided(undecided: dict[str, Any]) -> None:
    """A case that was not decided has not passed, and takes no entry from the list."""
    outcome = Outcome(f"{next(iter(known_failing()))} Cancun 0", {}, **undecided)

    assert not outcome.passed
    assert unexpected([outcome]) == []


class TestMain:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """State tests: one that passes, one that never ends; other files that releases have."""
        folder = tmp_path / "fixtures"
        (folder / "blockchain_tests_engine_x/pre_alloc").mkdir(parents=True)
        endless = fixture("start: @start JUMP", 21_005)
        endless["transaction"]["gasLimit"] = ["0x2540be400"]
        endless["env"]["currentGasLimit"] = "0x2540be400"
        endless["pre"][f"0x{SENDER.hex()}"]["balance"] = hex(10**30)
        engine = {"network": "Cancun", "engineNewPayloads": [{}]}
        for name, value in {
            "good.json": {"good": fixture("1 POP", 21_005)},
            "endless.json": {"endless": endless},
            "engine.json": {"engine": engine},
            "transaction.json": {"other": {"txbytes": "0x", "result": {}}},
            "blockchain_tests_engine_x/pre_alloc/0x00.json": {"network": "Cancun", "pre": {}},
        }.items():
            (folder / name).write_text(json.dumps(value))
        return folder

    def test_out_of_time(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """What takes too long is stopped on each engine, and named; the rest is run."""
        code = main(["--seconds", "0.2", "--workers", "1", str(folder)])

        lines = capsys.readouterr().out.splitlines()
        assert code == 1
        assert lines[0] == "endless Byzantium 0: out of time on fast, reference after 0.2 s"
        assert sorted(lines[1:3]) == [
            "1 not supported: tests of another kind are not supported",
            "1 not supported: tests of the Engine API are not supported",
        ]
        assert lines[-1] == (
            "4 cases on fast and reference: 1 pass, 0 fail, 0 unexpected, 1 out of time, "
            "2 not supported, 0 skipped"
        )

    def test_skip(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Cases are left out by a part of the names of their test or their file."""
        options = ["--skip", "endless Byz", "--skip", "engine.json", "--engine", "fast"]

        code = main([*options, "--workers", "1", str(folder)])

        assert code == 0
        assert capsys.readouterr().out.endswith(
            "4 cases on fast: 1 pass, 0 fail, 0 unexpected, 0 out of time, 1 not supported, "
            "2 skipped\n"
        )

    @pytest.mark.parametrize("is_named", [True, False])
    def test_archive(
        self, folder: Path, capsys: pytest.CaptureFixture[str], *, is_named: bool
    ) -> None:
        """An archive is read as the folder that it has."""
        archive = folder.parent / "archives/fixtures.tar.gz"
        archive.parent.mkdir()
        with tarfile.open(archive, "w:gz") as file:
            file.add(folder / "good.json", "fixtures/good.json")

        code = main(["--workers", "1", str(archive if is_named else archive.parent)])

        assert code == 0
        assert "1 cases on fast and reference: 1 pass," in capsys.readouterr().out

    def test_bad_file(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A file that cannot be read, or a member of another form, fails; the others are run."""
        (folder / "bad.json").write_text("[")
        wrong = fixture("1 POP", 21_005)
        del wrong["env"]["currentNumber"]
        (folder / "wrong.json").write_text(json.dumps({"wrong": wrong}))

        code = main(["--skip", "endless", "--workers", "1", str(folder)])

        captured = capsys.readouterr()
        assert code == 1
        assert "bad.json: {'file': " in captured.out
        assert "wrong Byzantium 0: {'fast': \"InvalidInput: " in captured.out
        assert "1 pass, 2 fail, 2 unexpected" in captured.out
        assert "6 of 6 files in " in captured.err

    def test_no_tests(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A folder without tests is an error."""
        assert main([str(tmp_path)]) == 1
        assert capsys.readouterr().err == f"error: no JSON files in {tmp_path}\n"
