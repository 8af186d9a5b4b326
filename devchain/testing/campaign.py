"""Campaigns: sequences of calls guided by coverage; Hypothesis only keeps their corpus.

A sequence that reaches a block of code for the first time, or makes a function revert for a new
reason, is kept; later sequences are changed copies of those kept. The fast engine counts the blocks
that have run anyway (`evm.compiler.program`). Coverage of lines, which would interpret each
instruction, counts the sequences that are kept, once each at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random, SystemRandom
from types import TracebackType
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from devchain.errors import DevchainError, InvalidInput
from devchain.evm.compiler import with_own_programs
from devchain.evm.compiler.program import ProgramCache
from devchain.evm.opcodes import block_starts
from devchain.testing.campaign_workers import CampaignTests, Done
from devchain.testing.dictionary import MAX_VALUES, words_of
from devchain.testing.machine import (
    OF_HYPOTHESIS,
    Counts,
    Machine,
    MachineRun,
    Step,
    UnknownStep,
    machine_run,
    node_of,
)
from devchain.testing.reproducer import ProgramNote, recorded_reads
from devchain.testing.sequences import SequenceGenerator, shrink
from devchain.types import Tag, address_of

if TYPE_CHECKING:
    from devchain.chain.sandbox import Outcome

SECONDS = 5.0
MAX_SHRINKS = 3_000
SHRINK_SECONDS = 10.0
PACKAGE = Path(__file__).parents[1]
SYNC_SECONDS = 1.0  # seconds after which a campaign looks for what others have added to its corpus


@dataclass(slots=True)
class CampaignReport:
    """What a campaign did: `str` of it is a table.

    `reached` of `blocks` are the basic blocks of the targets' code that ran. `kept` are the
    sequences of the corpus, `added` those of this campaign.
    """

    name: str
    seed: int
    seconds: float = 0.0
    sequences: int = 0
    counts: Counts = field(default_factory=Counts)
    reached: dict[str, int] = field(default_factory=dict)
    blocks: dict[str, int] = field(default_factory=dict)
    kept: int = 0
    added: int = 0

    @property
    def calls_per_second(self) -> float:
        return self.counts.calls / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        covered = (
            f"{name}: {self.reached[name]} of {count} blocks" for name, count in self.blocks.items()
        )
        rate = f"{self.seconds:.1f} s ({self.calls_per_second:,.0f} calls a second)"
        calls = f"{self.counts.calls:,} calls in {self.sequences:,} sequences"
        return "\n".join(
            [
                f"{self.name}: {calls}, {rate}, seed {self.seed}",
                f"reached {'; '.join(covered)}",
                f"corpus: {self.kept} sequences, {self.added} of them new",
                *self.counts.lines(),
            ]
        )


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """Where the corpus is, when a campaign ends, how long its sequences are, and its seed."""

    corpus: ExampleDatabase | Path | str
    seconds: float | None = None
    calls: int | None = None
    steps: int = 30
    seed: int | None = None


def run_campaign(
    machine: type[Machine], settings: CampaignSettings, clock: Callable[[], float] = time.monotonic
) -> CampaignReport:
    __tracebackhide__ = True
    for name in dir(machine):
        for mark, kind in OF_HYPOTHESIS.items():
            if hasattr(getattr(machine, name, None), mark):
                raise InvalidInput(
                    f"{name} is a {kind} of Hypothesis's: a campaign takes @handler and @invariant "
                    "of devchain.fuzzing"
                )
    if settings.steps < 1:
        raise InvalidInput("a sequence has at least one step: give steps=1 or more")
    if settings.seconds is None and settings.calls is None:
        settings = replace(settings, seconds=SECONDS)
    if CampaignTests.only_corpus:
        settings = replace(settings, calls=0)
    node = node_of(machine)
    rules, programs = with_own_programs(node.chain.plain_rules)
    with machine_run(machine, rules) as run:
        campaign = Campaign(run, programs, settings, clock)
        report = campaign.run()
    if CampaignTests.only_corpus and not report.sequences:
        CampaignTests.without_corpus.add(machine.__name__)
    if node.coverage:
        _count_coverage(machine, campaign.corpus.sequences)
    if error := campaign.failure:
        raise error.with_traceback(_from_test(error)) from None
    return report


def _count_coverage(machine: type[Machine], sequences: Sequence[Sequence[Step]]) -> None:
    with machine_run(machine) as run:
        for sequence in sequences:
            _error_of(run, sequence)  # perhaps the failure that ended the campaign


def _error_of(run: MachineRun, sequence: Sequence[Step]) -> Exception | None:
    try:
        machine = run.machine(run)
        for step in sequence:
            run.step(machine, step)
            run.check(machine)
    except UnknownStep:
        return None
    except Exception as error:  # noqa: BLE001  # an invariant may raise anything
        return error
    return None


class Corpus:
    """The sequences that fit the actions of a run; other campaigns may add to the same database."""

    def __init__(self, database: ExampleDatabase, run: MachineRun) -> None:
        self.database, self._run = database, run
        self.key = f"devchain corpus of {run.machine.__name__}".encode()
        self._known: set[bytes] = set()
        self.sequences: list[list[Step]] = []

    def load(self) -> Iterator[list[Step]]:
        """The sequences of the database that have not been read; damaged ones are left out."""
        for written in sorted({*self.database.fetch(self.key)} - self._known):
            self._known.add(written)
            with suppress(ValueError, LookupError, TypeError):
                yield [self._read(described) for described in orjson.loads(written)]

    def add(self, sequence: list[Step]) -> None:
        self.sequences.append(sequence)
        written = orjson.dumps([self._written(step) for step in sequence])
        if written not in self._known:
            self._known.add(written)
            self.database.save(self.key, written)

    def _written(self, step: Step) -> dict[str, Any]:
        arguments = self._run.actions[step.action].entry.encode(step.arguments)
        return asdict(step) | {"arguments": arguments.hex(), "value": str(step.value)}

    def _read(self, described: dict[str, Any]) -> Step:
        action = self._run.actions[described["action"]]
        arguments = action.entry.decode(bytes.fromhex(described["arguments"]))
        sender, *numbers = (
            int(described[name]) for name in ("sender", "value", "seconds", "blocks")
        )
        if arguments is None or min(numbers) < 0:
            raise ValueError("the arguments are of other types, or a number is negative")
        return Step(action.name, arguments, sender % len(self._run.senders), *numbers)


class Campaign:
    """One campaign: what it has reached, and the sequences that it changes.

    `failure` is what an invariant has raised, with the shortest sequence found in a note.
    """

    def __init__(
        self,
        run: MachineRun,
        programs: ProgramCache,
        settings: CampaignSettings,
        clock: Callable[[], float],
    ) -> None:
        self._run, self._programs, self._settings, self._clock = run, programs, settings, clock
        database = settings.corpus
        if not isinstance(database, ExampleDatabase):
            database = DirectoryBasedExampleDatabase(database)
        self.corpus = Corpus(database, run)
        self.failure: Exception | None = None
        self._copy = CampaignTests.current
        seed = SystemRandom().getrandbits(32) if settings.seed is None else settings.seed
        if self._copy:
            seed += self._copy.index  # the same seed on each would make the same calls
        random = Random(seed)  # noqa: S311  # reproducible, not secret
        self._generator = SequenceGenerator(random, run, settings.steps)
        self._reached = self._reasons = 0
        self._report = CampaignReport(run.machine.__name__, seed)

    def run(self) -> CampaignReport:
        """Run until the time or the number of calls is used up, or an invariant has failed."""
        seconds, calls = self._settings.seconds, self._settings.calls
        now = start = next_sync = self._clock()
        while not self.failure:
            if now >= next_sync:
                self._try_others()
                next_sync = now + SYNC_SECONDS
            now = self._clock()
            if seconds is not None and now - start >= seconds:
                break
            if calls is not None and self._run.counts.calls >= calls:
                break
            if not self.failure:
                self._try(self._generator.sequence(self.corpus.sequences), keep=True)
        self._finish(start)
        return self._report

    def _try_others(self) -> None:
        if self._copy:
            self._copy.skip_if_failed(self.corpus.database, self.corpus.key)
        for sequence in self.corpus.load():
            if not self.failure:
                self._try(sequence, keep=False)

    def _finish(self, start: float) -> None:
        report, run = self._report, self._run
        report.seconds = self._clock() - start
        report.counts = run.counts
        report.kept = len(self.corpus.sequences)
        offsets: dict[str, list[int]] = {}
        for contract in run.machine.targets:
            code = run.node.chain.state_at(Tag.LATEST).code(address_of(contract))
            blocks = block_starts(code)
            name = contract.contract.name
            offsets[name] = sorted(self._programs.reached_in(code).intersection(blocks))
            report.reached[name], report.blocks[name] = len(offsets[name]), len(blocks)
        if self._copy:
            totals = {"calls": report.counts.calls, "sequences": report.sequences}
            name = f"{self._copy.test} {report.name}"
            self._copy.done.append(Done(name, totals, offsets, report.blocks))

    def _try(self, sequence: Sequence[Step], *, keep: bool) -> None:
        run, useful = self._run, 0
        self._report.sequences += 1
        machine = run.machine(run)
        for place, step in enumerate(sequence, 1):
            try:
                outcome = run.step(machine, step)
                run.check(machine)
            except UnknownStep:
                break
            except Exception as error:  # noqa: BLE001  # an invariant may raise anything
                self._fail(sequence[:place], error)
                return
            reached, reasons = self._programs.reached(), len(run.counts.reverted)
            if (reached, reasons) != (self._reached, self._reasons):
                self._reached, self._reasons, useful = reached, reasons, place
                if outcome is not None:
                    self._learn(step, outcome)
        if useful and keep:
            self.corpus.add(list(sequence[:useful]))
            self._report.added += 1
        elif useful:
            self.corpus.sequences.append(list(sequence[:useful]))

    def _learn(self, step: Step, outcome: Outcome) -> None:
        if outcome.failure is None:
            self._generator.succeeded.setdefault(step.action, []).append(step)
        accounts = self._run.sandbox.accounts
        parts = [outcome.output, *(log.data for log in outcome.logs)]
        self._generator.add_words(word for part in parts for word in words_of(part))
        for contract in self._run.machine.targets:
            slots = accounts.opened_slots(address_of(contract))
            self._generator.add_words(islice(slots, MAX_VALUES))

    # Failures

    def _fail(self, sequence: Sequence[Step], error: Exception) -> None:
        if CampaignTests.only_corpus:
            self.failure = error
            return
        calls, wanted = self._run.counts.calls, _kind(error)
        if self._copy:  # unless another worker reports the same failure
            self._copy.report_failure(self.corpus.database, self.corpus.key, wanted)
        tries, end = 0, self._clock() + SHRINK_SECONDS

        def fails(candidate: Sequence[Step]) -> bool:
            nonlocal tries
            tries += 1
            if tries > MAX_SHRINKS or self._clock() > end:
                return False
            raised = _error_of(self._run, candidate)
            return raised is not None and _kind(raised) == wanted

        shortest = shrink(sequence, fails)
        # Counts and state are those of the sequence that is reported.
        with recorded_reads(self._run.node) as self._run.reads:
            self.failure = _error_of(self._run, shortest) or error
        self.corpus.add(shortest)
        program = "\n".join(self._run.failing_program(shortest))
        note = f"after {calls:,} calls, seed {self._report.seed}; the shortest sequence found:"
        self.failure.add_note(ProgramNote(f"{note}\n{program}"))


def _from_test(error: Exception) -> TracebackType | None:
    entry = error.__traceback__
    while entry is not None and PACKAGE in Path(entry.tb_frame.f_code.co_filename).parents:
        entry = entry.tb_next
    return entry


def _kind(error: Exception) -> str:
    # The same for the same failure, on each worker.
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if isinstance(error, DevchainError) or entry is None:
        return f"{kind} {error}"
    return f"{kind} {Path(entry.tb_frame.f_code.co_filename).name}:{entry.tb_lineno}"
