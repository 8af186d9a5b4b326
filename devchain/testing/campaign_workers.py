"""Tests with the marker `devchain_campaign`: a copy for each worker of pytest-xdist.

Workers share sequences and failures through the database of the corpus: a folder, or Hypothesis's
`RedisExampleDatabase`. What each has done comes to the controller at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import orjson
import pytest

from devchain.testing.reports import WorkerOutput
from devchain.text import plural, printable

if TYPE_CHECKING:
    from hypothesis.database import ExampleDatabase

CAMPAIGN = "devchain_campaign"
CAMPAIGN_MARKER = (
    "devchain_campaign: run the test once on each worker of pytest-xdist; its campaigns share "
    "their corpus, and a failure stops all"
)
COUNT = "devchain_campaign_workers"  # what the controller adds to `workerinput`
COPY = re.compile(r"(?<=[\[-])worker (\d+) of \d+(?=[]-])")  # in a test's id


class Done(NamedTuple):
    """What a campaign did on a worker: of each contract the offsets of blocks that it reached."""

    name: str
    totals: dict[str, int]
    reached: dict[str, list[int]]
    blocks: dict[str, int]


@dataclass(frozen=True, slots=True)
class Copy:
    """The copy of a test that runs: its number from 0, its worker, and the id of pytest's run."""

    test: str
    index: int
    worker: str
    run: str
    done: list[Done]

    def report_failure(self, database: ExampleDatabase, key: bytes, failure: str) -> None:
        """Return if this worker is to report a failure; skip the test if another one does."""
        self.skip_if_failed(database, key, failure)
        mark = orjson.dumps([self.run, self.worker, failure])
        database.save(_failures_of(key), mark)
        # Of workers that come here at the same time the first one by name reports.
        self.skip_if_failed(database, key, failure, only_for_lower=True)

    def skip_if_failed(
        self,
        database: ExampleDatabase,
        key: bytes,
        failure: str = "",
        *,
        only_for_lower: bool = False,
    ) -> None:
        """Skip the test if another worker of this run has found a failure: that one, or any.

        With `only_for_lower` only if that worker's name, such as `gw3`, comes before this one's.
        """
        for mark in sorted(database.fetch(_failures_of(key))):
            run, worker, found = orjson.loads(mark)
            if run != self.run:
                database.delete(_failures_of(key), mark)  # of an earlier run
            elif worker == self.worker or (only_for_lower and worker > self.worker):
                continue
            elif failure in {"", found}:
                pytest.skip(f"the worker {worker} reports a failure of this campaign")


def _failures_of(key: bytes) -> bytes:
    return key + b", failures"


def summary(done: Sequence[Done]) -> str:
    totals: Counter[str] = Counter()
    reached: dict[str, set[int]] = {}
    for part in done:
        totals.update(part.totals)
        for name, offsets in part.reached.items():
            reached.setdefault(name, set()).update(offsets)
    counts = " in ".join(plural(totals[what], what[:-1]) for what in ("calls", "sequences"))
    covered = (
        f"{printable(name)}: {len(reached[name])} of {plural(count, 'block')}"
        for name, count in done[0].blocks.items()
    )
    return f"{counts} on {plural(len(done), 'worker')}\nreached {'; '.join(covered)}"


class CampaignTests(WorkerOutput):
    """The tests with the marker of a process; `current` is the copy that runs."""

    KEY = "devchain_campaigns"
    current: Copy | None = None
    only_corpus = False  # whether campaigns run their corpus alone, as for a mutant
    without_corpus: ClassVar[set[str]] = set()  # machines that had nothing to run then

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._input = getattr(config, "workerinput", {})
        self.count = int(self._input.get(COUNT, 1))
        self._started: dict[str, str] = {}
        self.total: list[Done] = []

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist may not be there
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker how many there are; with `--dist each` it runs all tests by itself."""
        if node.config.getoption("dist") != "each":
            node.workerinput[COUNT] = node.workerinput["workercount"]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Order tests so that the batches that `--dist load` begins with have one copy each."""
        copies: list[list[pytest.Item]] = [[] for _ in range(self.count)]
        others: list[pytest.Item] = []
        for item in items:
            copy = COPY.search(item.nodeid) if item.get_closest_marker(CAMPAIGN) else None
            (copies[int(copy[1]) - 1] if copy else others).append(item)
        each = len(items) // self.count
        batch = max(each // 4, 2) if each >= 2 else 1  # as pytest-xdist has it
        rest = iter(others)
        if self.count > 1 and len(others) < len(items):
            items[:] = [
                item
                for own in copies
                for item in (*own[:batch], *islice(rest, max(batch - len(own), 0)))
            ]
            items += [item for same in list(zip(*copies, strict=True))[batch:] for item in same]
            items += rest

    def add_figures(self, figures: Any) -> None:
        self.total += figures

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        by_name: dict[str, list[Done]] = {}
        for done in self.total:
            by_name.setdefault(done.name, []).append(done)
        shared = {name: done for name, done in by_name.items() if len(done) > 1}
        if shared:
            terminalreporter.section("devchain: campaigns")
        for name, all_done in shared.items():
            terminalreporter.write_line(f"{printable(name)}: {summary(all_done)}")

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if metafunc.definition.get_closest_marker(CAMPAIGN) is not None:
            metafunc.fixturenames.append("devchain_campaign_worker")
            names = [f"worker {number + 1} of {self.count}" for number in range(self.count)]
            metafunc.parametrize(
                "devchain_campaign_worker", range(self.count), indirect=True, ids=names
            )

    @pytest.hookimpl(tryfirst=True)  # before fixtures
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item.get_closest_marker(CAMPAIGN):
            started = self._started.setdefault(COPY.sub("", item.nodeid), item.nodeid)
            if started != item.nodeid:
                pytest.skip("it has run on this worker: --dist load gives each worker a copy")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """On a worker of several the campaigns of a test know their copy."""
        copy = COPY.search(item.nodeid)
        if copy and COUNT in self._input and item.get_closest_marker(CAMPAIGN):
            test = COPY.sub("", item.nodeid).removesuffix("[]")
            worker, run = self._input["workerid"], self._input["testrunuid"]
            CampaignTests.current = Copy(test, int(copy[1]) - 1, worker, run, self.total)
        try:
            return (yield)
        finally:
            CampaignTests.current = None
