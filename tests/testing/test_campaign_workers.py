"""`devchain.testing.campaign_workers` and `campaign_scheduling`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import orjson
import pytest

from devchain.testing.campaign_workers import CampaignExchange, OtherWorkers, Reached
from devchain.testing.corpus_folder import MAX_FILE_BYTES, CorpusFolder, name_of

POOL = Path(__file__).parents[2] / "examples" / "property" / "contracts" / "Pool.json"

FAR = Path("/no/folder/here")
"""The corpus of a campaign that names a folder of the worker's own machine."""

SUITE = f"""
import os, time
from pathlib import Path
import pytest
from devchain.fuzzing import ContractMachine

@pytest.mark.parametrize("turn", range(6))
def test_other(turn):
    pass

@pytest.mark.devchain_campaign
def test_pool(devchain):
    pool = devchain.deploy({str(POOL)!r})
    class PoolMachine(ContractMachine):
        targets = (pool,)
%s
"""

UNTIL_MERGED = """
    end = time.monotonic() + 60
    while True:
        PoolMachine.campaign(calls=200, seed=1)
        found = {each.name for each in Path(".devchain/corpus/PoolMachine").glob("*.json")}
        if found >= {*os.environ["WANTED"].split()}:
            break
        assert time.monotonic() < end, found
    worker = os.environ["PYTEST_XDIST_WORKER"]
    Path(f"{worker}.txt").write_text(os.environ["PYTEST_CURRENT_TEST"])
"""

FAILING = """
        functions = ("deposit",)

        def after_call(self, call):
            assert call.value < 10_000

    PoolMachine.campaign(seconds=60)
"""

PLAIN = """
    PoolMachine.campaign(calls=100)
"""


def deposit(value: int) -> bytes:
    """The file of a corpus with one deposit."""
    step = {
        "action": "Pool.deposit()",
        "arguments": [],
        "sender": 0,
        "value": str(value),
        "seconds": 0,
        "blocks": 0,
    }
    return orjson.dumps([step])


def corpus(folder: Path) -> CorpusFolder:
    """The default corpus of `SUITE` run in a folder."""
    return CorpusFolder(folder / ".devchain" / "corpus" / "PoolMachine")


class TestMachines:
    """Workers in folders of their own, as on machines that share no disk."""

    @pytest.fixture
    def folders(self, pytester: pytest.Pytester) -> Callable[[str], list[Path]]:
        """Three checkouts of a suite: of the controller, and of two workers."""

        def make(suite: str) -> list[Path]:
            folders = [pytester.mkdir(name) for name in ("controller", "one", "two")]
            for each in folders:
                (each / "test_suite.py").write_text(SUITE % suite)
                (each / "pytest.ini").touch()
            return folders

        return make

    def run(self, pytester: pytest.Pytester) -> pytest.RunResult:
        """Run the controller's suite; xdist takes no paths when workers have other folders."""
        pytester.chdir()
        workers = ("--tx", "popen//chdir=../one", "--tx", "popen//chdir=../two")
        options = (*workers, "--dist", "load", "-rs", "-p", "no:cacheprovider")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(pytester.path / "controller")
            pytester._path = pytester.path / "controller"  # where it starts
            return pytester.runpytest_subprocess(*options)

    def test_merged(
        self,
        pytester: pytest.Pytester,
        folders: Callable[[str], list[Path]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Each machine gets what the others and the controller have, while campaigns run."""
        places = folders(UNTIL_MERGED)
        written = [deposit(value) for value in (5, 6, 7)]
        for place, each in zip(places, written, strict=True):
            corpus(place).add(each)
        monkeypatch.setenv("WANTED", " ".join(map(name_of, written)))

        result = self.run(pytester)

        result.assert_outcomes(passed=8)
        _, one, two = places
        ran = [(place / f"gw{at}.txt").read_text() for at, place in enumerate((one, two))]
        assert sorted(each.partition("[")[2][:13] for each in ran) == [
            "worker 1 of 2",
            "worker 2 of 2",
        ]
        result.stdout.fnmatch_lines(
            ["*devchain: campaigns*", "*test_pool PoolMachine: * calls in * on * workers"]
        )

    def test_failure(self, pytester: pytest.Pytester, folders: Callable[[str], list[Path]]) -> None:
        """One worker reports a failure, reduced; the others stop, and the controller keeps it."""
        places = folders(FAILING)
        corpus(places[1]).add(deposit(20_000))

        result = self.run(pytester)

        result.assert_outcomes(passed=6, failed=1, skipped=1)
        result.stdout.fnmatch_lines(
            [
                "E *the shortest sequence found:",
                "E *pool.deposit(sender=accounts[[]0], value=10000)",
                "SKIPPED*: the worker gw? reports a failure of this campaign",
            ]
        )
        assert deposit(10_000) in corpus(places[0]).read_new()


class TestDistribution:
    @pytest.mark.parametrize(
        ("options", "passed", "skipped"),
        [
            (("-n", "0"), 7, 0),
            (("-n", "2"), 8, 0),
            (("-n", "2", "--dist", "loadfile"), 7, 1),
            (("--tx", "2*popen", "--dist", "each"), 14, 0),
            (("-p", "no:xdist"), 7, 0),
        ],
        ids=["alone", "load", "loadfile", "each", "no xdist"],
    )
    def test_options(
        self, pytester: pytest.Pytester, options: tuple[str, ...], passed: int, skipped: int
    ) -> None:
        """A worker runs a campaign once, in whatever way xdist spreads tests."""
        pytester.makepyfile(SUITE % PLAIN)
        result = pytester.runpytest_subprocess(*options, "-p", "no:cacheprovider")

        result.assert_outcomes(passed=passed, skipped=skipped)
        assert list(corpus(pytester.path).read_new())


class Channel:
    """One end of a channel of execnet, without processes."""

    def __init__(self) -> None:
        self.callback: Any = None
        self.other: Channel
        self.is_closed = False

    def setcallback(self, callback: Any) -> None:
        self.callback = callback

    def send(self, message: Any) -> None:
        if self.is_closed:
            raise OSError("cannot send (already closed?)")
        self.other.callback(message)


class Gateway:
    """The part of an execnet gateway that is asked for a channel."""

    def __init__(self, number: int) -> None:
        self.id = f"gw{number}"

    def newchannel(self) -> Channel:
        """A channel; its other end is the worker's."""
        here, there = Channel(), Channel()
        here.other, there.other = there, here
        return here


class Controller:
    """The part of xdist's `WorkerController` that the exchange asks."""

    def __init__(self, number: int) -> None:
        self.gateway = Gateway(number)
        self.config = self
        self.workerinput: dict[str, Any] = {"workercount": 3}

    def getoption(self, _name: str) -> str:
        return "load"


@pytest.fixture
def exchange() -> CampaignExchange:
    """The controller's end."""
    return CampaignExchange()


@pytest.fixture
def workers(exchange: CampaignExchange) -> list[OtherWorkers]:
    """The ends of three workers."""
    made = []
    for number in range(3):
        controller = Controller(number)
        exchange.connect(controller)
        inbox: SimpleQueue[Any] = SimpleQueue()
        channel = controller.workerinput["devchain_campaign_channel"].other
        channel.setcallback(inbox.put)
        made.append(OtherWorkers(f"gw{number}", channel, inbox, "test_it", number))
    return made


class TestExchange:
    def test_sequences(
        self,
        workers: list[OtherWorkers],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A sequence goes to the others once, to those that start later, and to the disk."""
        monkeypatch.chdir(tmp_path)
        CorpusFolder(Path("kept")).add(b"old")
        one, two, three = workers
        one.join("Machine", Path("kept"))
        two.join("Machine", Path("kept"))
        for _ in range(2):
            one.share(b"new")
        two.share(b"new")
        three.join("Machine", Path("kept"))

        assert [each.received() for each in workers] == [
            [b"old"],
            [b"old", b"new"],
            [b"old", b"new"],
        ]
        assert one.received() == []
        assert sorted(CorpusFolder(Path("kept")).read_new()) == [b"new", b"old"]

    def test_campaigns_are_separate(self, workers: list[OtherWorkers], tmp_path: Path) -> None:
        """A machine gets nothing of another; a folder that is no relative path stays untouched."""
        one, two, _ = workers
        one.join("Machine", tmp_path)
        two.join("Other", tmp_path)
        one.share(b"new")

        assert two.received() == []
        assert not list(tmp_path.iterdir())

    def test_failure_is_reported_once(self, workers: list[OtherWorkers]) -> None:
        """Of two that find one failure the first reports it; another failure is another."""
        for each in workers:
            each.join("Machine", FAR)
        one, two, three = workers
        one.report_failure("AssertionError here")
        with pytest.raises(pytest.skip.Exception, match="gw0 reports a failure"):
            two.report_failure("AssertionError here")
        three.report_failure("AssertionError there")
        one.report_failure("AssertionError here")  # run again, as pytest-rerunfailures does

    def test_others_stop(self, workers: list[OtherWorkers]) -> None:
        """A failure stops those that run the campaign, and those that are about to."""
        one, two, three = workers
        one.join("Machine", FAR)
        two.join("Machine", FAR)
        one.report_failure("AssertionError")
        three.join("Machine", FAR)

        for each in (two, three):
            with pytest.raises(pytest.skip.Exception, match="gw0 reports a failure"):
                each.received()
        one.join("Machine", FAR)
        assert one.received() == []

    def test_worker_has_ended(self, workers: list[OtherWorkers]) -> None:
        """What is for a worker that has ended is dropped."""
        one, two, _ = workers
        one.join("Machine", FAR)
        two.join("Machine", FAR)
        two._channel.other.is_closed = True  # as if its process had ended
        one.share(b"new")
        one.report_failure("AssertionError")

        assert two.received() == []

    def test_summary(self, exchange: CampaignExchange, workers: list[OtherWorkers]) -> None:
        """Calls are added up, blocks reached are those that any worker reached."""
        for number, each in enumerate(workers[:2]):
            each.join("Machine", FAR)
            reached = Reached([0, 10 + number], 5)
            each.finish({"calls": 10, "sequences": 2}, {"Pool": reached})

        assert list(exchange.lines()) == [
            (
                "test_it Machine: 20 calls in 4 sequences on 2 workers\n"
                "reached Pool: 3 of 5 blocks; corpus: 0 sequences"
            )
        ]


class TestCorpusFolder:
    def test_large_files(self, tmp_path: Path) -> None:
        """A file that is too large is neither written nor read; a file is read once."""
        folder = CorpusFolder(tmp_path)
        (tmp_path / "large.json").write_bytes(b" " * (MAX_FILE_BYTES + 1))
        (tmp_path / "small.json").write_bytes(b"[]")

        assert not folder.add(b" " * (MAX_FILE_BYTES + 1))
        assert list(folder.read_new()) == [b"[]"]
        assert list(folder.read_new()) == []
