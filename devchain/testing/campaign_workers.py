"""Campaigns on several workers of pytest-xdist, on one machine or on several that share no disk.

Beside xdist's own channel each worker has another one to the controller, of the same execnet
gateway. A sequence that a campaign keeps goes through it to the controller, which passes it to the
other workers at once and adds it to the corpus on its own disk. A failure stops the other workers,
and one of them alone reports it.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from devchain.testing.corpus_folder import MAX_FILES, CorpusFolder
from devchain.text import plural, printable

if TYPE_CHECKING:
    import pytest

CHANNEL, COUNT = "devchain_campaign_channel", "devchain_campaign_workers"
"""What the controller adds to `workerinput`."""
COPY = re.compile(r"(?<=[\[-])worker (\d+) of \d+(?=[]-])")
"""The part of a test's id that is the copy for one worker."""
ANSWER_SECONDS = 20.0
"""How long a worker waits for the controller, which answers within milliseconds."""


class Reached(NamedTuple):
    """The basic blocks of a contract's code that ran, by offset, and how many it has."""

    offsets: list[int]
    blocks: int


# In the controller


@dataclass(slots=True)
class SharedCampaign:
    """A campaign as the controller knows it: its corpus, its failures, what its workers did."""

    folder: CorpusFolder | None
    sequences: dict[bytes, None] = field(default_factory=dict)
    workers: set[str] = field(default_factory=set)
    reporters: dict[str, str] = field(default_factory=dict)
    totals: Counter[str] = field(default_factory=Counter)
    reached: dict[str, set[int]] = field(default_factory=dict)
    blocks: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """What all workers did, in two lines."""
        covered = (
            f"{printable(name)}: {len(self.reached[name])} of {plural(count, 'block')}"
            for name, count in self.blocks.items()
        )
        return (
            f"{plural(self.totals['calls'], 'call')} in "
            f"{plural(self.totals['sequences'], 'sequence')} on "
            f"{plural(self.totals['workers'], 'worker')}\n"
            f"reached {'; '.join(covered)}; corpus: {plural(len(self.sequences), 'sequence')}"
        )


class CampaignExchange:
    """The controller's end: passes sequences and failures from each worker to the others."""

    def __init__(self) -> None:
        self._channels: dict[str, Any] = {}
        self._campaigns: dict[str, SharedCampaign] = {}
        self._lock = Lock()

    def connect(self, node: Any) -> None:
        """Give a worker that is about to start a channel; `node` is xdist's `WorkerController`.

        With `--dist each` every worker runs all tests by itself.
        """
        if node.config.getoption("dist") == "each":
            return
        node.workerinput[COUNT] = node.workerinput["workercount"]
        worker = node.gateway.id
        channel = node.workerinput[CHANNEL] = node.gateway.newchannel()
        self._channels[worker] = channel
        channel.setcallback(lambda message: self._receive(worker, *message))

    def lines(self) -> Iterator[str]:
        """What the campaigns did that ran on several workers."""
        for key, each in self._campaigns.items():
            if each.totals["workers"] > 1:
                yield f"{printable(key)}: {each}"

    def _receive(self, worker: str, kind: str, key: str, *content: Any) -> None:
        with self._lock:
            getattr(self, f"_{kind}")(worker, key, *content)

    def _join(self, worker: str, key: str, folder: str) -> None:
        campaign = self._campaigns.get(key)
        if campaign is None:
            is_here = not Path(folder).is_absolute()
            campaign = SharedCampaign(CorpusFolder(Path(folder)) if is_here else None)
            self._campaigns[key] = campaign
            if campaign.folder:
                campaign.sequences.update(dict.fromkeys(campaign.folder.read_new()))
        campaign.workers.add(worker)
        for written in campaign.sequences:
            self._send(worker, "sequence", key, written)
        for other in set(campaign.reporters.values()) - {worker}:
            self._send(worker, "stop", key, other)
        self._send(worker, "joined", key)

    def _sequence(self, worker: str, key: str, written: bytes) -> None:
        campaign = self._campaigns[key]
        if written in campaign.sequences or len(campaign.sequences) >= MAX_FILES:
            return
        campaign.sequences[written] = None
        for other in campaign.workers - {worker}:
            self._send(other, "sequence", key, written)
        if campaign.folder:
            campaign.folder.add(written)

    def _failed(self, worker: str, key: str, failure: str) -> None:
        campaign = self._campaigns[key]
        reporter = campaign.reporters.setdefault(failure, worker)
        self._send(worker, "reporter", key, reporter)
        for other in campaign.workers - {worker}:
            self._send(other, "stop", key, reporter)

    def _done(self, worker: str, key: str, totals: dict[str, int], reached: dict[str, Any]) -> None:
        del worker
        campaign = self._campaigns[key]
        campaign.totals.update(totals)
        campaign.totals["workers"] += 1
        for name, (offsets, blocks) in reached.items():
            campaign.reached.setdefault(name, set()).update(offsets)
            campaign.blocks[name] = blocks

    def _send(self, worker: str, *message: Any) -> None:
        try:
            self._channels[worker].send(message)
        except OSError:  # the worker has ended
            for each in self._campaigns.values():
                each.workers.discard(worker)


# In a worker


class OtherWorkers:
    """A worker's end, for the campaigns of one test.

    `index` is the number of the test's copy, from 0.
    """

    def __init__(
        self, worker: str, channel: Any, inbox: SimpleQueue[Any], test: str, index: int
    ) -> None:
        self._worker, self._channel, self._inbox = worker, channel, inbox
        self._test, self.index = test, index
        self._key = ""
        self._received: list[bytes] = []
        self._stopped_by: str | None = None

    def join(self, machine: str, folder: Path) -> None:
        """Start a campaign; `received` then has what the controller and others have kept.

        The controller has a corpus, too, in the same folder if that is a relative path.
        """
        self._key = f"{self._test} {machine}"
        self._received, self._stopped_by = [], None
        self._send("join", folder.as_posix())
        self._wait_for("joined")

    def share(self, written: bytes) -> None:
        """Pass a sequence to the others."""
        self._send("sequence", written)

    def received(self) -> list[bytes]:
        """The sequences that others have added since the last time.

        Skips the rest of the test when another worker has found a failure.
        """
        while True:
            try:
                self._sort(self._inbox.get_nowait())
            except Empty:
                break
        if self._stopped_by:
            skip(self._stopped_by)
        received, self._received = self._received, []
        return received

    def report_failure(self, failure: str) -> None:
        """Return if it is for this worker to report a failure; skips the rest of the test if not.

        The same failure has the same text on each worker.
        """
        self._send("failed", failure)
        reporter = self._wait_for("reporter")
        if reporter not in (None, self._worker):
            skip(reporter)

    def finish(self, totals: dict[str, int], reached: dict[str, Reached]) -> None:
        """Add what the campaign did to the summary."""
        self._send("done", totals, {name: tuple(each) for name, each in reached.items()})

    def _send(self, kind: str, *content: Any) -> None:
        try:
            self._channel.send((kind, self._key, *content))
        except OSError:  # the controller has ended, and this process will
            return

    def _wait_for(self, wanted: str) -> str | None:
        end = time.monotonic() + ANSWER_SECONDS
        while (left := end - time.monotonic()) > 0:
            try:
                message = self._inbox.get(timeout=left)
            except Empty:
                break
            if message[:2] == (wanted, self._key):
                return message[2] if len(message) > 2 else None
            self._sort(message)
        return None

    def _sort(self, message: tuple[Any, ...]) -> None:
        kind, key, *content = message
        if key == self._key and kind == "sequence":
            self._received.append(content[0])
        elif key == self._key and kind == "stop":
            self._stopped_by = content[0]


def skip(reporter: str) -> NoReturn:
    """End the test on this worker: another one reports the failure."""
    import pytest

    pytest.skip(f"the worker {reporter} reports a failure of this campaign")


class CampaignTests:
    """The tests with the marker `devchain_campaign` of a process; `others` while one runs."""

    others: OtherWorkers | None = None

    def __init__(self, config: pytest.Config) -> None:
        given = getattr(config, "workerinput", {})
        self.count = int(given.get(COUNT, 1))
        self._worker = str(given.get("workerid", ""))
        self._channel = given.get(CHANNEL)
        self._inbox: SimpleQueue[Any] = SimpleQueue()
        if self._channel is not None:
            self._channel.setcallback(self._inbox.put)
        self._started: dict[str, str] = {}

    def start(self, item: pytest.Item) -> None:
        """Skip the test if another copy of it has run in this process."""
        started = self._started.setdefault(COPY.sub("", item.nodeid), item.nodeid)
        if started != item.nodeid:
            import pytest

            pytest.skip("it has run on this worker: --dist load gives each worker a copy")

    @contextmanager
    def run(self, item: pytest.Item) -> Iterator[None]:
        """Run the body of a test, whose campaigns exchange what they find with other workers."""
        copy = COPY.search(item.nodeid)
        if self._channel is None or copy is None:
            yield
            return
        test, index = COPY.sub("", item.nodeid).removesuffix("[]"), int(copy[1]) - 1
        others = OtherWorkers(self._worker, self._channel, self._inbox, test, index)
        CampaignTests.others = others
        try:
            yield
        finally:
            CampaignTests.others = None


def other_workers() -> OtherWorkers | None:
    """What the campaigns of the test under way exchange with other workers; None without any."""
    return CampaignTests.others
