"""`bench`: that it measures, not how fast anything is"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import bench.__main__ as command
from bench import explorer, forks, long_chain, nodes, other_nodes, soak, start
from bench.fuzzing import planted_bugs
from bench.report import show
from bench.timing import Measured, in_slices
from bench.workloads import IN_PROCESS, quick

OURS = ("devchain, in process", "devchain, over HTTP")


def measured(tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    """The results of a quick run."""
    file = tmp_path / "found.json"
    assert command.main(["--quick", "--rounds", "1", "--json", str(file), *arguments]) == 0
    found: list[dict[str, Any]] = json.loads(file.read_text())["results"]
    return found


@pytest.fixture(autouse=True)
def _no_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full collection before each sample takes a second in a process that has run many tests."""
    monkeypatch.setattr("bench.timing.gc", SimpleNamespace(collect=lambda: None))


class TestRuns:
    def test_in_process(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Every workload runs on both engines, and the table has both."""
        found = measured(tmp_path, "--only", "in process")
        out = capsys.readouterr().out

        names = {quick(each).name for each in IN_PROCESS}
        assert {(each["workload"], each["who"]) for each in found} == {
            (name, engine) for name in names for engine in ("reference", "fast")
        }
        assert all(each["median"] > 0 and not each["failure"] for each in found)
        assert all(name in out for name in names)
        assert max(map(len, out.splitlines())) <= 80

    def test_examples(self, tmp_path: Path) -> None:
        """Examples run in blocks and in a sandbox, and a campaign runs."""
        found = measured(tmp_path, "--only", "property-based")

        assert [each["who"] for each in found] == ["mined", "sandbox", "campaign, a call"]
        assert all(each["median"] > 0 and not each["failure"] for each in found)

    def test_contract_objects(self, tmp_path: Path) -> None:
        """A contract's functions are called on both engines, and bitcoins are pegged in."""
        found = measured(tmp_path, "--only", "contract objects")

        chains = ["fast", "fast, prague", "reference", "fast, in a sandbox"]
        assert [each["who"] for each in found] == [*chains * 4, "fast", "reference"]
        assert all(each["median"] > 0 and not each["failure"] for each in found)

    def test_planted_bugs(self, tmp_path: Path) -> None:
        """A planted bug is found; its test takes less time than the command that runs it."""
        found = measured(tmp_path, "--only", "planted bugs")

        assert [each["workload"] for each in found] == [
            "rounding: the test",
            "rounding: the command",
        ]
        assert 0 < found[0]["median"] < found[1]["median"]
        assert not any(each["failure"] for each in found)

    def test_tool_that_finds_nothing(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Tools that find nothing, or cannot be installed, are failures of their rows alone."""

        def blind(_: Path) -> planted_bugs.Find:
            return lambda bug, seed: planted_bugs.Finding(found=False, test=60.0, command=61.0)

        def missing(_: Path) -> planted_bugs.Find:
            sys.exit("npm ci failed:\nnot found")

        monkeypatch.setattr(planted_bugs, "TOOLS", [blind, missing])
        for found in planted_bugs.measure(1, quick=False):
            show(found, Console(width=100))

        out = capsys.readouterr().out
        assert "blind, rounding: the test: RuntimeError: not found in 60 s with seed 1" in out
        assert "missing, rounding: the test: RuntimeError: npm ci failed:" in out
        assert "the command" not in out

    def test_over_http(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """A node at a URL is measured beside one that is started; its failures are shown."""
        monkeypatch.setattr(command, "CONTENDERS", ["reference"])
        with nodes.started("--no-methods", "eth_getBalance") as url:
            found = measured(tmp_path, "--only", "over HTTP: batch", f"other={url}")

        assert [each["who"] for each in found] == ["reference", "other"]
        assert [bool(each["failure"]) for each in found] == [False, True]
        assert "RpcFailure" in capsys.readouterr().out

    def test_explorer(self, tmp_path: Path) -> None:
        """Pages are read on two chains, and requests made beside a live page that is open."""
        found = measured(tmp_path, "--only", "explorer")

        assert {each["workload"] for each in found} == {
            *explorer.PAGES,
            next(iter(explorer.BESIDE)),
        }
        assert {each["who"] for each in found} == {
            *("at block 100", "at block 200", "alone", "beside a live page")
        }
        assert not any(each["failure"] for each in found)

    def test_suite(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The suite's tests pass on a node in process and on one at a URL, and are measured."""
        with nodes.started() as url:
            found = measured(tmp_path, "--only", "suite", f"other={url}")

        assert [each["who"] for each in found][:3] == [*OURS, "other"]
        assert all(each["median"] > 0 and not each["failure"] for each in found)
        assert "a test of 5" in capsys.readouterr().out

    def test_forks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A fork is started, read and written, without and with a cache; its calls are counted."""
        monkeypatch.setattr(other_nodes, "find", lambda _: None)
        found = forks.measure(1, latency=0)

        ours = {each.workload: each for each in found if each.who == "devchain"}
        assert not any(each.failure for each in ours.values())
        counted = {name: each.traffic or (0, 0) for name, each in ours.items()}
        cold = [counted[f"{step}, cold"] for step in forks.STEPS]
        warm = [counted[f"{step}, warm"] for step in forks.STEPS]
        assert 0 < cold[0][0] <= 3
        assert 0 < cold[0][1] <= 2
        assert 0 < cold[1][0] + cold[2][0] <= 8
        assert 0 < cold[1][1] + cold[2][1] <= 3
        assert warm == [(2, 1), (0, 0), (0, 0)]
        others = [each for each in found if each.who != "devchain"]
        assert [each.who for each in others] == ["anvil", "ganache"]
        assert all("npm install --prefix bench/npm" in each.failure for each in others)

    def test_long_chains(self) -> None:
        """Chains of all lengths are measured in a process of their own."""
        found = long_chain.measure(1, quick=True)

        assert {each.workload for each in found} >= {"memory per 10,000 blocks", *long_chain.WORKS}
        assert [each.who for each in found[-2:]] == ["in 10", "in 20"]
        assert not any(each.failure for each in found)

    def test_start(self) -> None:
        """The times to a node's first answer, of help and of pytest with one test are measured."""
        found = {each.workload: each for rows in start.measure(1) for each in rows[-1:]}

        assert list(found) == ["until the first answer", "devchain --help", "pytest of one test"]
        assert not any(each.failure for each in found.values())
        assert all(each.median > 0 for each in found.values())

    def test_no_node(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A URL where no node answers is an error of one sentence."""
        monkeypatch.setattr(command, "CONTENDERS", [])

        assert command.main(["--only", "over HTTP", "none=http://127.0.0.1:1"]) == 1
        assert "no node answers at http://127.0.0.1:1: " in capsys.readouterr().err

    def test_wrong_url(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Text that is not NAME=URL is refused; the message has the format."""
        with pytest.raises(SystemExit, match="2"):
            command.main(["http://127.0.0.1:8545"])

        assert "write it like anvil=http://" in capsys.readouterr().err


class TestTurns:
    def test_order(self) -> None:
        """Each round another contender is first."""
        order: list[str] = []

        def run(who: str) -> float:
            order.append(who)
            return len(order)

        found = in_slices("g", "w", {"a": lambda: run("a"), "b": lambda: run("b")}, 3)

        assert "".join(order) == "abbaab"
        assert [each.samples for each in found] == [[1, 4, 5], [2, 3, 6]]
        assert [each.median for each in found] == [4, 3]

    def test_failure(self) -> None:
        """A contender that fails is dropped, and the others go on."""
        found = in_slices("g", "w", {"a": lambda: 1 / 0, "b": lambda: 2.0}, 2)

        assert found[0].failure == "ZeroDivisionError: division by zero"
        assert found[1].samples == [2.0, 2.0]


class TestFigures:
    FIRST = Measured("g", "w", "first", samples=[10.0, 20.0, 40.0])

    def test_width(self, capsys: pytest.CaptureFixture[str]) -> None:
        """On 80 columns every figure fits on its line, however large."""
        name = max((each.name for each in IN_PROCESS), key=len)
        slow = Measured("in process", name, "at block 50,000", samples=[99_999.0, 900_000.0])
        fast = Measured("in process", name, "anvil", samples=[8_999.0, 1.0])
        show([slow, fast], Console(width=80))

        lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        assert f"{name} at block 50,000 500 s ± 80%" in lines
        assert "anvil 4,500 ms ± 100% 111× faster" in lines

    def test_upstream(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Forks have a column of what they asked; its medians are shown."""
        asked = Measured("fork", "start", "devchain", samples=[1.0] * 3)
        asked.upstream = [(3, 2), (3, 2), (9, 4)]
        idle = Measured("fork", "start", "anvil", samples=[1.0], upstream=[(0, 0)])
        show([asked, idle], Console(width=80))

        lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        assert "start devchain 1 ms ± 0% 3 in 2" in lines
        assert "anvil 1 ms the same 0" in lines
        assert any(line.startswith("Upstream: JSON-RPC calls") for line in lines)


class TestForks:
    def test_round_trips(self) -> None:
        """Exchanges under way at the same time are one round trip, those that waited are more."""
        first, beside = forks.Exchange(0, 1, 5), forks.Exchange(1, 1, 9)
        after_first, after_both = forks.Exchange(6, 1, 8), forks.Exchange(10, 1, 11)
        unanswered = forks.Exchange(2, 1)

        assert forks.round_trips([]) == 0
        assert forks.round_trips([first, beside, unanswered]) == 1
        assert forks.round_trips([first, beside, after_first]) == 2
        assert forks.round_trips([after_both, after_first, beside, first]) == 3

    def test_proxy(self) -> None:
        """Each call of a batch is counted; the batch is one round trip, and answered as usual."""
        traffic = forks.Traffic()
        with (
            nodes.started() as url,
            forks.proxy(url, traffic, 0) as proxied,
            nodes.remote(proxied) as driver,
        ):
            traffic.take()
            assert driver.client.batch([("eth_chainId",)] * 3) == ["0x21"] * 3
        assert traffic.take() == (3, 1)
        assert traffic.take() == (0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
class TestSoak:
    def test_run(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The load runs without an error, and the report has memory, latencies and errors."""
        assert soak.main(0) == 0

        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith(f"{soak.MIN_CYCLES} cycles in ")
        assert "MB an hour" in lines[1]
        names = [line[:28].strip() for line in lines[4:] if line.endswith("%")]
        assert {"transfer", "WebSocket", "IPC", "eth_getLogs", "evm_revert"} <= set(names)
        assert lines[-1] == "errors: 0"

    def test_errors(self) -> None:
        """An error is counted with its method, and the load goes on."""
        with soak.node() as (url, ipc, pid):
            running = soak.Soak(url, ipc, pid)
            running._call("eth_getBalance", "0x1")
            running._refused("eth_chainId")
            running._client.close()

        assert sum(running.errors.values()) == 2
        assert "eth_chainId: not refused" in running.errors
        assert "errors: 2" in soak.report(_with_memory(running))


def _with_memory(running: soak.Soak) -> soak.Soak:
    running.memory.append((0.0, 1.0))
    return running
