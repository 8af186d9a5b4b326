"""Mutation tests: whether the tests fail when a contract is changed; `--devchain-mutate`.

After the run each test runs once more, to find out which blocks of code it reaches, and then for
each mutant those that reach it, until one fails. Workers of pytest-xdist share the mutants.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol

from devchain.errors import ConfigError
from devchain.testing.campaign_workers import CAMPAIGN, CampaignTests
from devchain.testing.hypothesis_examples import runs_examples
from devchain.testing.isolation import ISOLATION
from devchain.testing.reports import REPORTS, WorkerOutput
from devchain.text import plural, printable

if TYPE_CHECKING:
    from devchain.config import Config
    from devchain.contracts.artifacts import Artifact
    from devchain.evm.mutation import Mutation
    from devchain.node import Node
    from devchain.source.mutants import Mutant

KILLED, SURVIVED, UNREACHED = "killed", "survived", "reached by no test"
TEST_FOLDERS = {"test", "tests"}
MAX_NAMED = 10  # tests
MARKS = {KILLED: ".", SURVIVED: "S", UNREACHED: "-"}


class MutationTests(WorkerOutput):
    """The mutants of contracts."""

    KEY = "devchain_mutation"
    OPTIONS = ("--devchain-mutate",)

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._isolation = config.stash[ISOLATION]
        # Names narrow an option without one, which may be in pytest's configuration.
        self._wanted = {*config.getoption("--devchain-mutate")} - {""} or {""}
        self._least: float = config.getoption("--devchain-mutate-fail-under") or 0.0
        self._is_active = False
        self._mutations: list[tuple[Node, Mutation]] = []
        self._artifacts: list[Artifact] = []
        self._others: set[str] = set()  # names of contracts that are not wanted
        self._numbers: dict[bytes, int | None] = {}
        self._outcomes: list[tuple[Mutant, str]] = []
        self._failing: set[str] = set()  # names of tests that fail without a mutant
        self._set_up: set[tuple[int, int]] = set()  # blocks that fixtures of modules may reach

    def configured(self, config: Config) -> Config:
        return replace(config, coverage=None) if self._is_active else config

    @contextmanager
    def collecting(self, node: Node) -> Iterator[None]:
        """Let a new node run mutants, after the run of the tests."""
        if self._is_active:
            from devchain.evm.mutation import mutating_rules

            if node.config.engine != "fast":
                raise ConfigError("mutants need the engine fast")
            rules, mutation = mutating_rules(node.chain.plain_rules)
            node.chain.use_rules(rules)
            mutation.start(lambda code: None if self._number(code) is None else {})
            self._mutations.append((node, mutation))
        yield

    def _number(self, code: bytes) -> int | None:
        if code not in self._numbers:
            self._numbers[code] = None
            for node, _ in self._mutations:
                artifact = node.artifacts.compiled(code, None, creating=False)
                if artifact and artifact.sources and self._wanted.isdisjoint({"", artifact.name}):
                    self._others.add(artifact.name)
                elif artifact and artifact.sources:
                    same = [n for n, known in enumerate(self._artifacts) if known is artifact]
                    self._numbers[code] = same[0] if same else len(self._artifacts)
                    self._artifacts += [artifact] * (not same)
                    break
        return self._numbers[code]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        """Run the mutants after the tests, in each worker its part."""
        result = yield
        is_controller = self.config.pluginmanager.hasplugin("dsession")
        if not is_controller and not self.config.option.collectonly and not session.shouldstop:
            self._is_active = CampaignTests.only_corpus = True
            # The figures of the others are of the contracts as they are.
            self.config.stash[REPORTS] = list[WorkerOutput]((self,))
            shown, self.config.option.devchain_trace = self.config.option.devchain_trace, "off"
            try:
                self._run_mutants(session)
            finally:
                self.config.option.devchain_trace, CampaignTests.only_corpus = shown, False
                session._setupstate.teardown_exact(None)  # noqa: SLF001  # pytest's
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Any:
        """Note what fixtures of a wider scope than a test have reached: these are set up first."""
        result = yield
        if fixturedef.scope != "function":
            self._set_up |= self._blocks()
        return result

    def _run_mutants(self, session: pytest.Session) -> None:
        from devchain.evm.opcodes import block_starts
        from devchain.source.mutants import find_mutants

        self._show("\ndevchain: the tests run once more")
        found = list(self._reached(session))
        reached = dict(sorted(found, key=lambda each: runs_examples(each[0])))  # slow ones last
        set_up, was_set_up = frozenset(self._set_up), False
        names = {artifact.name for artifact in self._artifacts}
        for name in sorted(self._wanted - names - {""}):
            if (self._others or names) and not hasattr(self.config, "workerinput"):
                raise pytest.UsageError(
                    f"--devchain-mutate={name}: the tests run no contract of that name, but "
                    f"{', '.join(sorted(self._others | names))}"
                )
        starts = [block_starts(artifact.runtime.template) for artifact in self._artifacts]
        worker = getattr(self.config, "workerinput", {})
        first, step = int(worker.get("workerid", "gw0")[2:]), int(worker.get("workercount", 1))
        mutants = find_mutants(self._artifacts)
        if "" in self._wanted:  # helpers of the tests are changed if they are named, or alone
            tested = [each for each in mutants if not _is_of_tests(each.change.path)]
            mutants = tested or mutants
        mutants = mutants[first::step]
        self._show(f", then with {plural(len(mutants), 'mutant')}\n")
        for mutant in mutants:
            places = {
                (number, starts[number][bisect_right(starts[number], offset) - 1])
                for number, edits in mutant.edits.items()
                for offset in edits
            }
            items = [item for item, blocks in reached.items() if not places.isdisjoint(blocks)]
            is_set_up = not places.isdisjoint(set_up)
            if is_set_up or was_set_up:
                self._isolation.undo_fixtures()
            was_set_up = is_set_up
            result = self._result(mutant, items) if items else UNREACHED
            self._outcomes.append((mutant, result))
            self._show(MARKS[result])

    def _show(self, text: str) -> None:
        # Progress, without pytest-xdist, whose workers have no terminal.
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter and reporter.verbosity >= 0:
            reporter.write(text, flush=True)

    def _reached(
        self, session: pytest.Session
    ) -> Iterator[tuple[pytest.Item, frozenset[tuple[int, int]]]]:
        for item in session.items:
            names = getattr(item, "fixturenames", ())
            if "devchain" not in names or item.get_closest_marker(CAMPAIGN):
                continue
            for _, mutation in self._mutations:
                mutation.start(mutation.find_edits)
            self._isolation.undo_fixtures()
            if self._passes(item):
                yield item, self._blocks()
            else:
                self._failing.add(item.nodeid)

    def _blocks(self) -> frozenset[tuple[int, int]]:
        # The artifacts' numbers and the blocks of their code that have run.
        return frozenset(
            (number, block)
            for _, mutation in self._mutations
            for code, blocks in mutation.reached().items()
            if (number := self._number(code)) is not None
            for block in blocks
        )

    def _result(self, mutant: Mutant, items: Sequence[pytest.Item]) -> str:
        def edits(code: bytes) -> dict[int, bytes] | None:
            number = self._number(code)
            return None if number is None else mutant.edits.get(number)

        for _, mutation in self._mutations:
            mutation.start(edits)
        return SURVIVED if all(map(self._passes, items)) else KILLED

    def _passes(self, item: pytest.Item) -> bool:
        """Whether a test does not fail when it runs once more."""
        item.session._setupstate.teardown_exact(item)  # noqa: SLF001  # pytest's
        item._initrequest()  # type: ignore[attr-defined]  # noqa: SLF001  # as pytest-rerunfailures
        request = item._request  # type: ignore[attr-defined]  # noqa: SLF001
        # As before another item of its module: only the item's own fixtures end.
        sibling: Any = SimpleNamespace(listchain=lambda: [*item.listchain()[:-1], None])
        reports = runtestprotocol(item, log=False, nextitem=sibling)
        for fixtures in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]  # noqa: SLF001
            for fixture in fixtures:
                if fixture.cached_result and fixture.cached_result[2] is not None:
                    fixture.finish(request)  # it failed: the next test sets it up again
        return not any(report.failed for report in reports)

    def figures(self) -> Any:
        return self._outcomes, sorted(self._failing), sorted(CampaignTests.without_corpus)

    def add_figures(self, figures: Any) -> None:
        self._outcomes += figures[0]
        self._failing.update(figures[1])
        CampaignTests.without_corpus.update(figures[2])

    @property
    def _is_under(self) -> bool:
        killed = sum(result == KILLED for _, result in self._outcomes)
        return 100 * killed < self._least * max(1, len(self._outcomes))

    def finish(self, session: pytest.Session) -> None:
        if self._is_under and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("devchain: mutants")
        for line in report_lines(self._outcomes, sorted(self._failing)):
            terminalreporter.line(printable(line))
        for name in sorted(CampaignTests.without_corpus):
            text = f"{name} ran nothing: its corpus is empty; give a folder that is kept"
            terminalreporter.line(printable(text))
        CampaignTests.without_corpus.clear()
        if self._is_under:
            terminalreporter.line(f"less than {self._least:g} % of the mutants killed", red=True)


def _is_of_tests(path: str) -> bool:
    return not TEST_FOLDERS.isdisjoint(path.split("/")[:-1])


def report_lines(outcomes: Sequence[tuple[Mutant, str]], failing: Sequence[str]) -> Iterator[str]:
    """The survivors as diffs of their sources, lines that no test reaches, and the counts."""
    unreached: dict[str, set[int]] = {}
    in_order = sorted(outcomes, key=lambda each: (each[0].change.path, each[0].line, each[0].diff))
    for mutant, result in in_order:
        change = mutant.change
        if result == SURVIVED:
            yield f"{change.path}:{mutant.line}  {change.kind}"
            yield from mutant.diff
        elif result == UNREACHED:
            unreached.setdefault(change.path, set()).add(mutant.line)
    for path, numbers in sorted(unreached.items()):
        yield f"{path}: no test reaches {', '.join(map(str, sorted(numbers)))}"
    counts = Counter(result for _, result in outcomes)
    parts = [f"{counts[name]} {name}" for name in (KILLED, SURVIVED, UNREACHED) if counts[name]]
    if failing:
        names = ", ".join(failing[:MAX_NAMED])
        yield f"left out {plural(len(failing), 'test')} that failed without a mutant: {names}"
    yield f"{plural(len(outcomes), 'mutant')}: {', '.join(parts) or 'no contract has a source map'}"
