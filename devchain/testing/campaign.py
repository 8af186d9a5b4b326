"""Campaigns: sequences of calls guided by coverage, without Hypothesis.

A sequence that reaches a block of code for the first time, or makes a function revert for a new
reason, is kept; later sequences are changed copies of those kept. Which blocks have run the fast
engine counts anyway (`evm.compiler.program`), so that asking costs a sum of a few lengths.

Coverage of lines, which would interpret each instruction, counts the sequences that are kept, once
each at the end: they have reached all that the campaign has reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random, SystemRandom
from types import TracebackType
from typing import TYPE_CHECKING, Any

from devchain.errors import DevchainError, InvalidInput
from devchain.evm.compiler import with_own_programs
from devchain.evm.compiler.program import ProgramCache
from devchain.testing.campaign_workers import Reached, other_workers
from devchain.testing.corpus import Corpus
from devchain.testing.dictionary import MAX_VALUES, dictionary_of
from devchain.testing.machine import (
    HYPOTHESIS_RULE,
    Counts,
    Machine,
    MachineRun,
    Step,
    machine_run,
    node_of,
)
from devchain.testing.recorded_reads import recorded_reads
from devchain.testing.reproducer import ProgramNote
from devchain.testing.value_generator import ValueGenerator, bisected, clipped, smaller
from devchain.types import WORD_SIZE, AddressBytes, Tag, address_of

if TYPE_CHECKING:
    from devchain.chain.sandbox import Outcome

SECONDS = 5.0
NEW_SEQUENCES = 0.2
"""The part of sequences that is drawn anew, while there are others to change."""
MAX_SHRINKS = 3_000
SHRINK_SECONDS = 10.0
PACKAGE = Path(__file__).parents[1]
SYNC_SECONDS = 1.0
"""Seconds after which a campaign looks for what others have added to its corpus."""


@dataclass(slots=True)
class CampaignReport:
    """What a campaign did: `str` of it is a table.

    `reached` of `blocks` are the basic blocks of the targets' code that ran and that it has, dead
    code included. `kept` are the sequences of the corpus, `added` those of this campaign.
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
        """Calls of contracts a second, invariants included in the time."""
        return self.counts.calls / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        """The report as lines of text."""
        covered = (
            f"{name}: {self.reached[name]} of {self.blocks[name]} blocks" for name in self.blocks
        )
        time = (
            f"{self.seconds:.1f} s ({self.calls_per_second:,.0f} calls a second), seed {self.seed}"
        )
        return "\n".join(
            [
                f"{self.name}: {self.counts.calls:,} calls in {self.sequences:,} sequences, {time}",
                f"reached {'; '.join(covered)}",
                f"corpus: {self.kept} sequences, {self.added} of them new",
                *self.counts.lines(),
            ]
        )


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """When a campaign ends, how long its sequences are, its seed, and the folder of its corpus."""

    seconds: float | None = None
    calls: int | None = None
    steps: int = 30
    seed: int | None = None
    corpus: Path | str | None = None


def run_campaign(
    machine: type[Machine],
    settings: CampaignSettings,
    clock: Callable[[], float] = time.monotonic,
) -> CampaignReport:
    """Run a campaign; see `ContractMachine.campaign`."""
    __tracebackhide__ = True
    for name in dir(machine):
        if hasattr(getattr(machine, name, None), HYPOTHESIS_RULE):
            raise InvalidInput(f"{name} is a rule of Hypothesis: a campaign takes @handler")
    if settings.steps < 1:
        raise InvalidInput("a sequence has at least one step: give steps=1 or more")
    if settings.seconds is None and settings.calls is None:
        settings = replace(settings, seconds=SECONDS)
    node = node_of(machine)
    rules, programs = with_own_programs(node.chain.plain_rules)
    kept: list[list[Step]] = []
    try:
        with machine_run(machine, rules) as run:
            campaign = Campaign(run, programs, settings, clock)
            kept = campaign.kept
            return campaign.run()
    finally:
        if node.coverage and kept:
            _count_coverage(machine, kept)


def _count_coverage(machine: type[Machine], sequences: Sequence[Sequence[Step]]) -> None:
    with machine_run(machine) as run:
        for sequence in sequences:
            with suppress(Exception):  # the failure that ended the campaign
                model = run.machine(run)
                for step in sequence:
                    run.step(model, step)
                    run.check(model)


class Campaign:
    """One campaign: what it has reached, and the sequences that it changes."""

    def __init__(
        self,
        run: MachineRun,
        programs: ProgramCache,
        settings: CampaignSettings,
        clock: Callable[[], float],
    ) -> None:
        self._run, self._programs, self._settings, self._clock = run, programs, settings, clock
        name = run.machine.__name__
        folder = Path(settings.corpus or Path(".devchain") / "corpus" / name)
        self._others = other_workers()
        self._corpus = Corpus(folder, run, self._others.share if self._others else None)
        seed = SystemRandom().getrandbits(32) if settings.seed is None else settings.seed
        if self._others:
            self._others.join(name, folder)
            seed += self._others.index  # the same seed on each would make the same calls
        self._random = Random(seed)  # noqa: S311  # reproducible, not secret
        known = dictionary_of(list(run.machine.targets))
        senders = [AddressBytes(each) for each in run.senders]
        self._generator = ValueGenerator(self._random, known, senders)
        self._names = list(run.actions)
        self._reached = self._reasons = 0
        self._report = CampaignReport(name, seed)

    @property
    def kept(self) -> list[list[Step]]:
        """The sequences of the corpus, and the failing one once there is one."""
        return self._corpus.sequences

    def run(self) -> CampaignReport:
        """Run until the time or the number of calls is used up; raises what an invariant raises."""
        __tracebackhide__ = True
        seconds, calls = self._settings.seconds, self._settings.calls
        start = self._clock()
        next_sync = start + SYNC_SECONDS
        report = self._report
        self._try_others(folder=True)
        while True:
            now = self._clock()
            if seconds is not None and now - start >= seconds:
                break
            if calls is not None and self._run.counts.calls >= calls:
                break
            if now >= next_sync:
                next_sync = now + SYNC_SECONDS
                self._try_others(folder=True)
            elif self._others:
                self._try_others(folder=False)
            self._try(self._next(), keep=True)
        self._finish(start)
        return report

    def _try_others(self, *, folder: bool) -> None:
        __tracebackhide__ = True
        if self._others:
            for sequence in self._corpus.receive(self._others.received()):
                self._try(sequence, keep=False)
        if folder:
            for sequence in self._corpus.load():
                self._try(sequence, keep=False)

    def _finish(self, start: float) -> None:
        report, run = self._report, self._run
        report.seconds = self._clock() - start
        report.counts = run.counts
        report.kept = len(self._corpus.sequences)
        offsets = {}
        for contract in run.machine.targets:
            code = run.node.chain.state_at(Tag.LATEST).code(address_of(contract))
            blocks = _block_starts(code)
            name = contract.contract.name
            reached = self._programs.reached_in(code) & blocks
            report.reached[name], report.blocks[name] = len(reached), len(blocks)
            offsets[name] = Reached(sorted(reached), len(blocks))
        if self._others:
            totals = {"calls": report.counts.calls, "sequences": report.sequences}
            self._others.finish(totals, offsets)

    def _try(self, sequence: Sequence[Step], *, keep: bool) -> None:
        __tracebackhide__ = True
        run, useful = self._run, 0
        self._report.sequences += 1
        machine = run.machine(run)
        for place, step in enumerate(sequence):
            try:
                outcome = run.step(machine, step)
                run.check(machine)
            except InvalidInput:  # of a corpus from another version of the contract
                break
            except Exception as error:  # noqa: BLE001  # an invariant may raise anything
                self._fail(list(sequence[: place + 1]), error)
            if self._is_new():
                useful = place + 1
                if outcome is not None:
                    self._learn(outcome)
        if useful and keep:
            self._corpus.add(list(sequence[:useful]))
            self._report.added += 1
        elif useful:
            self._corpus.sequences.append(list(sequence[:useful]))

    def _is_new(self) -> bool:
        reached, reasons = self._programs.reached(), len(self._run.counts.reverted)
        if reached == self._reached and reasons == self._reasons:
            return False
        self._reached, self._reasons = reached, reasons
        return True

    def _learn(self, outcome: Outcome) -> None:
        accounts = self._run.sandbox.accounts
        parts = [outcome.output, *(log.data for log in outcome.logs)]
        self._generator.add_words(
            int.from_bytes(part[at : at + WORD_SIZE])
            for part in parts
            for at in range(0, min(len(part), 320), WORD_SIZE)
        )
        for contract in self._run.machine.targets:
            slots = accounts.opened_slots(address_of(contract))
            self._generator.add_words(islice(slots, MAX_VALUES))

    # Sequences

    def _next(self) -> list[Step]:
        random, kept = self._random, self._corpus.sequences
        if not kept or random.random() < NEW_SEQUENCES:
            return [self._new_step() for _ in range(random.randint(1, self._settings.steps))]
        sequence = list(random.choice(kept))
        for _ in range(random.choice((1, 1, 2, 4))):
            self._change(sequence, kept)
        return sequence[: self._settings.steps] or [self._new_step()]

    def _change(self, sequence: list[Step], kept: Sequence[Sequence[Step]]) -> None:
        random, way = self._random, self._random.random()
        place = random.randrange(len(sequence)) if sequence else 0
        if way < 0.35 or not sequence:
            sequence.extend(self._new_step() for _ in range(random.randint(1, 4)))
        elif way < 0.65:
            sequence[place] = self._changed(sequence[place])
        elif way < 0.75:
            sequence.insert(place, self._new_step())
        elif way < 0.83:
            del sequence[place]
        elif way < 0.90:
            sequence.insert(place, sequence[random.randrange(len(sequence))])
        else:
            other = random.choice(kept)
            sequence[place:] = other[random.randrange(len(other)) :]

    def _new_step(self) -> Step:
        random, run = self._random, self._run
        action = run.actions[random.choice(self._names)]
        seconds = blocks = 0
        if random.random() < 0.15:
            seconds = self._generator.integer("seconds", 0, run.machine.max_seconds)
            blocks = random.choice((1, 1, 2, 100))
        value = 0
        if action.is_payable and random.random() < 0.9:
            value = self._generator.integer("value", 0, run.machine.max_value)
        return Step(
            action.name,
            tuple(self._generator.draw(each) for each in action.params),
            random.randrange(len(run.senders)),
            value,
            seconds,
            blocks,
        )

    def _changed(self, step: Step) -> Step:
        random, action = self._random, self._run.actions[step.action]
        ways = [self._change_sender]
        if action.is_payable:
            ways.append(self._change_value)
        ways += [self._change_arguments] * (2 * bool(action.params))
        return random.choice(ways)(step)

    def _change_sender(self, step: Step) -> Step:
        return replace(step, sender=self._random.randrange(len(self._run.senders)))

    def _change_value(self, step: Step) -> Step:
        most = self._run.machine.max_value
        return replace(step, value=self._generator.integer("value", 0, most))

    def _change_arguments(self, step: Step) -> Step:
        params = self._run.actions[step.action].params
        place = self._random.randrange(len(params))
        changed = list(step.arguments)
        changed[place] = self._generator.change(params[place], changed[place])
        return replace(step, arguments=tuple(changed))

    # Failures

    def _fail(self, sequence: list[Step], error: Exception) -> None:
        # Unless another worker of pytest-xdist reports the same failure.
        __tracebackhide__ = True
        if self._others:
            self._others.report_failure(_described(error))
        calls = self._run.counts.calls
        shortest, found = Shrinker(self._run, self._clock).shrink(sequence, error)
        self._corpus.add(shortest)
        program = "\n".join(self._run.failing_program(shortest))
        found.add_note(
            ProgramNote(
                f"after {calls:,} calls, seed {self._report.seed}; the shortest sequence found:\n"
                f"{program}"
            )
        )
        raise found.with_traceback(_from_test(found)) from None


class Shrinker:
    """Makes a failing sequence shorter and its values smaller, as long as it fails alike."""

    def __init__(self, run: MachineRun, clock: Callable[[], float]) -> None:
        self._run, self._clock = run, clock
        self._tries = 0
        self._end = 0.0
        self._wanted: tuple[object, ...] = ()

    def shrink(self, sequence: list[Step], error: Exception) -> tuple[list[Step], Exception]:
        """The shortest sequence found, and its error."""
        self._end = self._clock() + SHRINK_SECONDS
        self._wanted = _kind(error)
        size = -1
        while size != len(sequence):
            size = len(sequence)
            sequence = self._without_steps(sequence)
            sequence = self._with_smaller_values(sequence)
        sequence = self._with_smallest_numbers(sequence)
        # Counts and state are those of the sequence that is reported.
        with recorded_reads(self._run.node) as self._run.reads:
            return sequence, self._error(sequence) or error

    def _fails(self, sequence: Sequence[Step]) -> bool:
        if self._tries > MAX_SHRINKS or self._clock() > self._end:
            return False
        found = self._error(sequence)
        return found is not None and _kind(found) == self._wanted

    def _without_steps(self, sequence: list[Step]) -> list[Step]:
        size = len(sequence) // 2
        while size:
            start = 0
            while start + size < len(sequence):
                candidate = sequence[:start] + sequence[start + size :]
                if self._fails(candidate):
                    sequence = candidate
                else:
                    start += size
            size //= 2
        return sequence

    def _with_smaller_values(self, sequence: list[Step]) -> list[Step]:
        for most in (1, 2, 10, 100, 10**4, 10**9):
            candidate = [_clipped(step, most) for step in sequence]
            if candidate != sequence and self._fails(candidate):
                sequence = candidate
                break
        place = 0
        while place < len(sequence):
            for simpler in _smaller_steps(sequence[place]):
                candidate = [*sequence[:place], simpler, *sequence[place + 1 :]]
                if self._fails(candidate):
                    sequence = candidate
                    break
            else:
                place += 1
        return sequence

    def _with_smallest_numbers(self, sequence: list[Step]) -> list[Step]:
        for place in range(len(sequence)):
            sequence = _with_bisected(sequence, place, self._fails)
        return sequence

    def _error(self, sequence: Sequence[Step]) -> Exception | None:
        __tracebackhide__ = True
        self._tries += 1
        run = self._run
        try:
            machine = run.machine(run)
            for step in sequence:
                run.step(machine, step)
                run.check(machine)
        except InvalidInput:
            return None
        except Exception as error:  # noqa: BLE001  # an invariant may raise anything
            return error
        return None


def _clipped(step: Step, most: int) -> Step:
    arguments = tuple(clipped(each, most) for each in step.arguments)
    value = min(step.value, most)
    return replace(step, arguments=arguments, value=value, seconds=0, blocks=0)


def _with_bisected(
    sequence: list[Step], place: int, fails: Callable[[Sequence[Step]], bool]
) -> list[Step]:

    def changed(numbers: Sequence[Any]) -> list[Step]:
        seconds, value, *arguments = numbers
        step = replace(sequence[place], seconds=seconds, value=value, arguments=tuple(arguments))
        return [*sequence[:place], step, *sequence[place + 1 :]]

    step = sequence[place]
    numbers = (step.seconds, step.value, *step.arguments)
    return changed(bisected(numbers, lambda each: fails(changed(each))))


def _smaller_steps(step: Step) -> Iterator[Step]:
    if step.seconds or step.blocks:
        yield replace(step, seconds=0, blocks=0)
        for seconds in smaller(step.seconds):
            yield replace(step, seconds=seconds, blocks=min(step.blocks, 1))
    for sender in range(step.sender):
        yield replace(step, sender=sender)
    for value in smaller(step.value):
        yield replace(step, value=value)
    for place, each in enumerate(step.arguments):
        for simpler in smaller(each):
            arguments = (*step.arguments[:place], simpler, *step.arguments[place + 1 :])
            yield replace(step, arguments=arguments)


def _from_test(error: Exception) -> TracebackType | None:
    entry = error.__traceback__
    while entry is not None and PACKAGE in Path(entry.tb_frame.f_code.co_filename).parents:
        entry = entry.tb_next
    return entry or error.__traceback__


def _kind(error: Exception) -> tuple[type[Exception], Any]:
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    at = (entry.tb_frame.f_code, entry.tb_lineno) if entry else None
    return type(error), at if not isinstance(error, DevchainError) else str(error)


def _described(error: Exception) -> str:
    kind, at = _kind(error)
    if isinstance(at, tuple):
        code, line = at
        at = f"{Path(code.co_filename).name}:{line}"
    return f"{kind.__module__}.{kind.__qualname__} {at}"


def _block_starts(code: bytes) -> frozenset[int]:
    starts, offset = {0}, 0
    while offset < len(code):
        opcode = code[offset]
        if opcode == 0x5B:
            starts.add(offset)
        elif opcode == 0x57:
            starts.add(offset + 1)
        offset += opcode - 0x5E if 0x60 <= opcode <= 0x7F else 1
    return frozenset(starts)
