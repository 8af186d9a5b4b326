"""Gas reports: what transactions used, by contract and function; saved and compared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from devchain.errors import ConfigError
from devchain.files import read_file
from devchain.testing.hypothesis_examples import runs_examples
from devchain.testing.reports import WorkerOutput, check_writable
from devchain.text import plural, printable

if TYPE_CHECKING:
    from devchain.chain.block import Block
    from devchain.node import Node

COLUMNS = ("calls", "min", "mean", "max", "reverted")
FIXTURE = "fixture "  # how the name of a fixture begins where a test's could be
TEARDOWN = " (teardown)"  # how the name of a test ends for what is called after it
EXAMPLES = " (examples)"  # how the name of a test with `@given` ends for what its examples call
MAX_SHOWN = 20  # lines about what only one of two compared runs called

Rows = Mapping[str, Mapping[str, int | None]]  # by column, function; None if it always reverted
Calls = Mapping[str, Mapping[str, list[int]]]  # gas by function and test, in their order


class GasTable:
    """Gas by contract and function, with calls inside; `caller` is the test or fixture."""

    def __init__(self) -> None:
        self.caller = ""
        self.calls: dict[str, dict[str, list[int]]] = {}
        self.reverted: Counter[str] = Counter()

    def count(self, node: Node, block: Block) -> None:
        """Count the transactions of a block, reverted ones too."""
        for receipt in block.receipts:
            tx = receipt.transaction
            name = node.explainer.called_function(tx.to, tx.data, block.number)
            if name and receipt.succeeded:
                self._used(self.caller, name).append(receipt.gas_used)
            elif name:
                self.reverted[name] += 1

    def _used(self, caller: str, name: str) -> list[int]:
        return self.calls.setdefault(caller, {}).setdefault(name, [])

    def add(self, other: GasTable) -> None:
        for caller, functions in other.calls.items():
            for name, used in functions.items():
                self._used(caller, name).extend(used)
        self.reverted.update(other.reverted)

    def rows(self) -> dict[str, dict[str, int | None]]:
        """The table: figures by `Contract.function(types)`; means are rounded."""
        used: dict[str, list[int]] = {name: [] for name in self.reverted}
        for functions in self.calls.values():
            for name, gas in functions.items():
                used.setdefault(name, []).extend(gas)
        return {
            name: {
                "calls": len(gas),
                "min": min(gas, default=None),
                "mean": round(sum(gas) / len(gas)) if gas else None,
                "max": max(gas, default=None),
                "reverted": self.reverted[name],
            }
            for name, gas in sorted(used.items())
        }


def save(table: GasTable, path: Path) -> None:
    """Write the table, and the gas of each test's calls (not of examples) for a comparison."""
    calls = (
        f"    {json.dumps(caller)}: {json.dumps(functions, sort_keys=True)}"
        for caller, functions in sorted(table.calls.items())
        if not caller.endswith(EXAMPLES)
    )
    rows = json.dumps(table.rows(), indent=2).replace("\n", "\n  ")
    content = f'"functions": {rows},\n  "calls": {{\n'
    path.write_text(f"{{\n  {content}" + ",\n".join(calls) + "\n  }\n}\n", encoding="utf-8")


def load(path: Path) -> Calls:
    try:
        saved = json.loads(read_file(path))
        return {
            str(caller): {str(name): [int(gas) for gas in used] for name, used in each.items()}
            for caller, each in saved["calls"].items()
        }
    except OSError as error:
        raise ConfigError(f"cannot read the gas table {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ConfigError(
            f"{path} is not a saved gas table: make one with --devchain-gas-save"
        ) from None


@dataclass(slots=True)
class Comparison:
    """Two runs compared by the calls both made: the nth call of a function in a test.

    `increases` are the functions that use more gas, a line each. Not compared are `apart`, the
    functions that a test called more often in one run, and `alone`, tests and fixtures of one run.
    """

    functions: int = 0
    calls: int = 0
    increases: list[str] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    alone: int = 0


def compare(now: Calls, before: Calls) -> Comparison:
    result = Comparison()
    pairs: dict[str, list[tuple[int, int, str]]] = {}
    now = {caller: used for caller, used in now.items() if not caller.endswith(EXAMPLES)}
    for caller in sorted(now.keys() & before.keys()):
        for name in sorted(now[caller].keys() | before[caller].keys()):
            used, was = now[caller].get(name, []), before[caller].get(name, [])
            for pair in zip(was, used, strict=False):
                pairs.setdefault(name, []).append((*pair, caller))
            # How often a fixture is set up depends on the workers and the tests chosen.
            if len(used) != len(was) and not caller.startswith(FIXTURE):
                result.apart.append(f"{caller}: {name} ×{len(used)}, before ×{len(was)}")
    result.alone = len(now.keys() ^ before.keys())
    result.functions, result.calls = len(pairs), sum(map(len, pairs.values()))
    result.increases = [line for name in sorted(pairs) if (line := _increase(name, pairs[name]))]
    return result


def _increase(name: str, pairs: list[tuple[int, int, str]]) -> str:
    before, now = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if sum(now) <= sum(before) and max(now) <= max(before):
        return ""
    most = max(pairs, key=lambda each: each[1] - each[0])
    means = f"{sum(before) / len(pairs):,.1f} → {sum(now) / len(pairs):,.1f}"
    return (
        f"{name}: mean {means}, max {max(before):,} → {max(now):,}; "
        f"most in {most[2]} ({most[0]:,} → {most[1]:,})"
    )


def format_table(rows: Rows) -> Iterator[str]:
    lines: list[tuple[str, ...]] = [("contract and function", *COLUMNS)]
    for name, row in rows.items():
        figures = ("–" if row[column] is None else f"{row[column]:,}" for column in COLUMNS)
        lines.append((printable(name), *figures))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("─" * width for width in widths))
    for first, *rest in lines:
        padded = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *padded])


class GasReport(WorkerOutput):
    """The table of a run, saved and compared."""

    KEY = "devchain_gas"
    OPTIONS = ("--devchain-gas", "--devchain-gas-save", "--devchain-gas-compare")
    total: GasTable

    def __init__(self, config: pytest.Config) -> None:
        """Read the table to compare with, check that one can be saved; raises `ConfigError`."""
        super().__init__(config)
        self.total = GasTable()
        self._file: str | None = config.getoption("--devchain-gas-compare")
        self._before: Calls = load(Path(self._file)) if self._file else {}
        saved = config.getoption("--devchain-gas-save")
        if saved:
            check_writable("gas table", saved)

    @contextmanager
    def collecting(self, node: Node) -> Iterator[None]:
        node.chain.block_listeners.append(lambda block: self.total.count(node, block))
        yield

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Any:
        """Count for a fixture of several tests what it calls, whichever test needs it first."""
        if fixturedef.scope == "function":
            return (yield)
        before = self.total.caller
        where = request.node.nodeid or "the session"
        self.total.caller = f"{FIXTURE}{fixturedef.argname} of {where}"
        try:
            return (yield)
        finally:
            self.total.caller = before

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.total.caller = item.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        if runs_examples(item):
            self.total.caller = item.nodeid + EXAMPLES

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Count apart what is called after a test: it may be the end of a module or session."""
        self.total.caller = item.nodeid + TEARDOWN

    def finish(self, session: pytest.Session) -> None:
        """Save the table, and fail on an increase, which pytest's last line counts as an error."""
        path = self.config.getoption("--devchain-gas-save")
        if path:
            save(self.total, Path(path))
        increases = self._compared().increases
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if increases and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if increases and terminal:
            report = pytest.TestReport(
                nodeid="--devchain-gas-compare",
                location=(str(self._file), None, ""),
                keywords={},
                outcome="failed",
                longrepr=f"{_functions_use(len(increases))} more gas",
                when="teardown",
            )
            terminal.stats.setdefault("error", []).append(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        compared = self._compared()
        write = terminalreporter.line
        if self.config.getoption("--devchain-gas") or compared.increases:
            terminalreporter.section("devchain: gas")
            for line in format_table(self.total.rows()):
                write(line)
        if not self._file:
            return
        terminalreporter.section(f"devchain: gas compared with {printable(self._file)}")
        counted = f"{compared.calls:,} calls of {compared.functions:,} functions"
        write(f"{counted} in both runs: {_functions_use(len(compared.increases))} more gas")
        for line in compared.increases:
            write(f"more gas than before: {printable(line)}", red=True)
        for line in compared.apart[:MAX_SHOWN]:
            write(f"not compared, {printable(line)}")
        if len(compared.apart) > MAX_SHOWN:
            write(f"not compared, {len(compared.apart) - MAX_SHOWN} more")
        if compared.alone:
            write(f"not compared: {plural(compared.alone, 'test')} or fixtures of one run alone")

    def _compared(self) -> Comparison:
        return compare(self.total.calls, self._before) if self._file else Comparison()


def _functions_use(count: int) -> str:
    return "1 function uses" if count == 1 else f"{count or 'no'} functions use"
