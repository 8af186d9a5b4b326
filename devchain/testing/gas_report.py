"""Gas reports: what transactions used, by contract and function; saved and compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from devchain.errors import ConfigError, DevchainError
from devchain.text import printable

if TYPE_CHECKING:
    from devchain.chain.block import Block, Receipt
    from devchain.node import Node

SELECTOR = 4
COLUMNS = ("calls", "min", "mean", "max", "reverted")
PLAIN_TRANSFER = "(plain transfer)"

Rows = Mapping[str, Mapping[str, int]]
"""Figures by column, by `Contract.function(types)`."""


@dataclass(slots=True)
class Usage:
    """What the successful calls of a function used, in gas, and how many reverted."""

    used: list[int] = field(default_factory=list)
    reverted: int = 0

    def row(self) -> dict[str, int]:
        """The figures of the table; the mean is rounded to the nearest unit of gas."""
        calls = len(self.used)
        return {
            "calls": calls,
            "min": min(self.used, default=0),
            "mean": round(sum(self.used) / calls) if calls else 0,
            "max": max(self.used, default=0),
            "reverted": self.reverted,
        }


class GasTable:
    """Gas of transactions by contract and function; calls inside count for the transaction."""

    def __init__(self) -> None:
        self._usage: dict[str, Usage] = {}

    def listen_to(self, node: Node) -> None:
        """Count the transactions of every block mined from now on, reverted ones too."""
        node.chain.block_listeners.append(lambda block: self._count(node, block))

    def _count(self, node: Node, block: Block) -> None:
        for receipt in block.receipts:
            usage = self._usage.setdefault(_called_function(node, block, receipt), Usage())
            if receipt.succeeded:
                usage.used.append(receipt.gas_used)
            else:
                usage.reverted += 1

    def add(self, figures: Mapping[str, Mapping[str, Any]]) -> None:
        """Add the `figures` of another process."""
        for name, counted in figures.items():
            usage = self._usage.setdefault(name, Usage())
            usage.used.extend(counted["used"])
            usage.reverted += counted["reverted"]

    def figures(self) -> dict[str, dict[str, Any]]:
        """Every figure, for `add` in another process."""
        items = self._usage.items()
        return {name: {"used": each.used, "reverted": each.reverted} for name, each in items}

    def rows(self) -> dict[str, dict[str, int]]:
        """The table: figures by `Contract.function(types)`, without plain transfers."""
        named = sorted(name for name in self._usage if name != PLAIN_TRANSFER)
        return {name: self._usage[name].row() for name in named}


def _called_function(node: Node, block: Block, receipt: Receipt) -> str:
    """The contract and function that a transaction called, by name where artifacts have one."""
    tx, artifacts = receipt.transaction, node.artifacts
    if tx.to is None:
        created = artifacts.find_by_init_code(tx.data)
        return f"{created.name if created else 'unknown contract'}.constructor"
    code = node.chain.state_at(block.number).code(tx.to)
    artifact = artifacts.find_by_code(code, tx.to)
    if artifact is None:
        selector = tx.data[:SELECTOR].hex()
        return f"0x{tx.to.hex()}.0x{selector}" if code else PLAIN_TRANSFER
    function = artifact.abi.functions.get(tx.data[:SELECTOR])
    return f"{artifact.name}.{function.signature if function else 'fallback'}"


def save(rows: Rows, path: Path) -> None:
    """Write the table for a later comparison."""
    path.write_text(json.dumps(rows, indent=2, sort_keys=True) + "\n")


def load(path: Path) -> dict[str, dict[str, int]]:
    """A saved table; raises `ConfigError`."""
    try:
        table = json.loads(path.read_text())
        return {
            str(name): {each: int(row[each]) for each in COLUMNS} for name, row in table.items()
        }
    except OSError as error:
        raise ConfigError(f"cannot read the gas table {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ConfigError(
            f"{path} is not a saved gas table: make one with --devchain-gas-save"
        ) from None


def increases(rows: Rows, before: Rows) -> list[str]:
    """Where the mean or the maximum is more than before, a line each."""
    lines = []
    for name, row in rows.items():
        old = before.get(name)
        for figure in ("mean", "max") if old and old["calls"] and row["calls"] else ():
            if old and row[figure] > old[figure]:
                more = row[figure] - old[figure]
                lines.append(f"{name}: {figure} {old[figure]} → {row[figure]} (+{more} gas)")
    return list(map(printable, lines))


def format_table(rows: Rows) -> Iterator[str]:
    """The table as lines of text."""
    widths = [max(map(len, ("contract and function", *rows)), default=0)]
    cells = [[f"{row[each]:,}" for each in COLUMNS] for row in rows.values()]
    for place, column in enumerate(COLUMNS):
        widths.append(max(len(column), *(len(each[place]) for each in cells), 0))
    yield _line(("contract and function", *COLUMNS), widths)
    yield _line(["─" * each for each in widths], widths)
    for name, row in zip(rows, cells, strict=True):
        yield _line((name, *row), widths)


def _line(cells: Iterable[str], widths: list[int]) -> str:
    first, *rest = map(printable, cells)
    padded = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
    return "  ".join([first.ljust(widths[0]), *padded])


KEY = "devchain_gas"


class GasReport:
    """A plugin that is registered when a `--devchain-gas` option is given."""

    def __init__(self, config: pytest.Config) -> None:
        """Read the table to compare with, if one is named; raises `pytest.UsageError`."""
        self.table = GasTable()
        self._config = config
        self._before: dict[str, dict[str, int]] = {}
        compared = config.getoption("--devchain-gas-compare")
        if compared:
            try:
                self._before = load(Path(compared))
            except DevchainError as error:
                raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist may not be there
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002  # pytest-xdist's
        """Add what a pytest-xdist worker counted."""
        self.table.add(getattr(node, "workeroutput", {}).get(KEY, {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Pass a worker's figures to the main process; there save them, and fail on an increase."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[KEY] = self.table.figures()
            return
        path = self._config.getoption("--devchain-gas-save")
        if path:
            save(self.table.rows(), Path(path))
        if self._increases() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the table and what increased."""
        rows = self.table.rows()
        if self._config.getoption("--devchain-gas") or self._increases():
            terminalreporter.section("devchain: gas")
            for line in format_table(rows):
                terminalreporter.line(line)
        for line in self._increases():
            terminalreporter.line(f"more gas than before: {line}", red=True)

    def _increases(self) -> list[str]:
        return increases(self.table.rows(), self._before)
