"""Running state tests and blockchain tests, and writing their results."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devchain.cli import output
from devchain.errors import ConfigError

if TYPE_CHECKING:
    from devchain.chain.block_tests import BlockTestCase, BlockTestResult
    from devchain.chain.state_tests import StateTestCase, StateTestResult
    from devchain.tracing.json_trace import JsonTrace

FAILED = 1


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cases to run: of a hardfork, at an index of it, with a pattern in the test's name."""

    pattern: re.Pattern[str]
    fork: str | None = None
    index: int | None = None

    def has(self, case: StateTestCase | BlockTestCase) -> bool:
        """Whether the case is to be run."""
        return (
            (self.fork is None or case.fork == self.fork)
            and (self.index is None or case.index == self.index)
            and self.pattern.search(case.name) is not None
        )


def name_pattern(text: str) -> re.Pattern[str]:
    """The pattern of `--run`; raises `ConfigError`."""
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigError(f"--run {text!r} is no regular expression: {error}") from None


def check_engine(engine: str) -> str:
    """The engine that `--engine` names; raises `ConfigError`."""
    if engine not in ("fast", "reference"):
        raise ConfigError(f"--engine {engine!r}: choose fast or reference")
    return engine


def run_state_tests(
    paths: list[Path] | None,
    selection: Selection,
    engine: str,
    *,
    as_json: bool,
    new_trace: Callable[[], JsonTrace] | None = None,
) -> int:
    """Run state tests and write their results; the exit code.

    Paths are files and folders; without any, each line of stdin names one. With `new_trace` the
    opcodes of each case are written to stderr, with `as_json` its state root after them: so geth's
    `evm` does, and the exit code is then 0 also if cases fail.
    """
    from devchain.chain.state_tests import read_cases

    def run(case: StateTestCase) -> StateTestResult:
        trace = new_trace() if new_trace else None
        result = case.run(engine, trace.attach if trace else None)
        for line in trace.lines() if trace else ():
            sys.stderr.write(json.dumps(line, separators=(",", ":")) + "\n")
        if as_json and result.state_root:
            sys.stderr.write(json.dumps({"stateRoot": f"0x{result.state_root.hex()}"}) + "\n")
        sys.stderr.flush()
        return result

    code = _run(_groups(paths), read_cases, run, selection, as_json=as_json)
    return 0 if as_json else code


def run_block_tests(
    paths: list[Path] | None, selection: Selection, engine: str, *, as_json: bool
) -> int:
    """Run blockchain tests and write their results; the exit code is 1 if a case failed."""
    from devchain.chain.block_tests import read_block_cases

    def run(case: BlockTestCase) -> BlockTestResult:
        return case.run(engine)

    return _run(_groups(paths), read_block_cases, run, selection, as_json=as_json)


def _groups(paths: list[Path] | None) -> Iterator[list[Path]]:
    if paths:
        yield paths
        return
    for line in sys.stdin:  # up to the first empty line
        if not line.strip():
            return
        yield [Path(line.strip())]


def _run(
    groups: Iterable[list[Path]],
    read: Callable[[Path], list[Any]],
    run: Callable[[Any], Any],
    selection: Selection,
    *,
    as_json: bool,
) -> int:
    from devchain.chain.state_tests import fixture_files

    failures = unsupported = total = 0
    for group in groups:
        results = []
        files = (file for path in group for file in fixture_files(path))
        for case in (case for file in files for case in read(file) if selection.has(case)):
            result = run(case)
            results.append(result)
            if result.error and not as_json:
                output.write_line((f"{case.name} {case.fork} {case.index}", output.NAME))
                output.write_paragraph(result.error)
        total += len(results)
        unsupported += sum(not each.is_supported for each in results)
        failures += sum(each.is_supported and each.error is not None for each in results)
        if as_json:
            output.write_json([_json(each) for each in results])
            sys.stdout.flush()
    if not as_json:
        if not total:
            raise ConfigError("no case matches: no test was run")
        others = f", {unsupported} not supported" if unsupported else ""
        output.write_line(f"{total - failures - unsupported} passed, {failures} failed{others}")
    return FAILED if failures or unsupported else 0


def _json(result: StateTestResult | BlockTestResult) -> dict[str, Any]:
    root = {"stateRoot": f"0x{result.state_root.hex()}"} if result.state_root else {}
    error = {"error": result.error} if result.error else {}
    passed = result.error is None
    return {"name": result.name, "pass": passed} | root | {"fork": result.fork} | error
