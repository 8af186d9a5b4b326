"""Running Ethereum's tests on both engines: `python -m tests.vectors [OPTIONS] PATH...`.

State tests and blockchain tests, in files, folders and archives of them (`.tar.gz`).
`known_failing.toml` lists cases that fail, by a part of the test's name, with reasons.

A case is stopped when it has taken `--seconds` of CPU time on an engine. It is then counted as out
of time, never as passed. `--skip PART` leaves out cases with that part in the name of the test or
its file. Cases that need what a chain here cannot have, and tests of other kinds, are counted as
not supported, by what they need. The exit code is 1 if a case fails that is not known to, if one
is out of time, or if all tests of an entry of the list pass.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from devchain.chain.genesis import members, parse
from devchain.errors import ConfigError, DevchainError, ExecutionTimedOut, InvalidInput
from devchain.evm.deadline import within
from tests.vectors.block_tests import ENGINE_PAYLOADS, BlockTestCase, block_cases
from tests.vectors.state_tests import StateTestCase, state_cases

ENGINES = ("fast", "reference")
KNOWN = Path(__file__).with_name("known_failing.toml")
ARCHIVES = "*.tar.gz"
MAX_FILE = 1024 * 1024 * 1024
NO_TESTS = "pre_alloc"
"""The folder of accounts that tests of the Engine API share in execution-spec-tests' releases."""
SECONDS = 120.0
PROGRESS_SECONDS = 10.0
SLOWEST = 5


class Outcome(NamedTuple):
    """What a case gave on the engines: the errors by engine, none if it passed on both.

    `unsupported` is what it needs that is not there, `out_of_time` names the engines on which it
    was stopped, `seconds` is the CPU time that it took on each.
    """

    name: str
    errors: dict[str, str]
    unsupported: str | None = None
    out_of_time: tuple[str, ...] = ()
    seconds: dict[str, float] = {}  # noqa: RUF012  # never changed
    is_skipped: bool = False

    @property
    def passed(self) -> bool:
        """Whether it ran on all engines, as expected."""
        return not (self.errors or self.unsupported or self.out_of_time or self.is_skipped)


class OtherTest(NamedTuple):
    """A test that is neither a state test nor a blockchain test: of a transaction, of a trie."""

    name: str
    fork: str
    index: int


def run_file(
    path: Path,
    engines: Iterable[str] = ENGINES,
    seconds: float = 0,
    skipped: Sequence[str] = (),
) -> list[Outcome]:
    """The outcomes of a file's cases; each may take that CPU time on an engine, 0 is no limit."""
    try:
        cases = read_cases(path)
    except DevchainError as error:
        return [Outcome(str(path), {"file": str(error)})]
    found = []
    for case in cases:
        name = f"{case.name} {case.fork} {case.index}"
        if any(part in f"{path} {name}" for part in skipped):
            found.append(Outcome(name, {}, is_skipped=True))
        elif isinstance(case, OtherTest):
            found.append(Outcome(name, {}, "tests of another kind are not supported"))
        else:
            found.append(_run(case, name, engines, seconds))
    return found


def read_cases(path: Path) -> list[StateTestCase | BlockTestCase | OtherTest]:
    """The cases of a file; a `ConfigError` names what is wrong."""
    try:
        with path.open("rb") as file:
            fixtures = members(parse(file.read(MAX_FILE)), "the file")
        return [
            case
            for name, value in fixtures.items()
            for case in _cases(name, members(value, name[:100]), f"{path}: {name[:100]}")
        ]
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error
    except (InvalidInput, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no file of tests: {error}") from error


def _cases(
    name: str, fixture: dict[str, Any], place: str
) -> Iterator[StateTestCase | BlockTestCase | OtherTest]:
    if "blocks" in fixture or ENGINE_PAYLOADS in fixture:
        yield from block_cases(name, fixture, place)
    elif "transaction" in fixture:
        yield from state_cases(name, fixture, place)
    else:
        yield OtherTest(name, str(fixture.get("network", "-")), 0)


def _run(
    case: StateTestCase | BlockTestCase, name: str, engines: Iterable[str], seconds: float
) -> Outcome:
    errors, late, took = {}, [], {}
    for engine in engines:
        start = time.process_time()
        try:
            with within(seconds, time.process_time):
                result = case.run(engine)
        except ExecutionTimedOut:
            late.append(engine)
        except Exception as error:  # noqa: BLE001  # one case must not end a run of hours
            errors[engine] = f"{type(error).__name__}: {error}"
        else:
            if not result.is_supported:
                return Outcome(name, {}, result.error)
            if result.error:
                errors[engine] = result.error
        took[engine] = time.process_time() - start
    return Outcome(name, errors, None, tuple(late), took)


def known_failing() -> dict[str, str]:
    """Reasons by a part of the names of tests."""
    return dict(tomllib.loads(KNOWN.read_text("utf-8"))["failing"])


def unexpected(outcomes: Iterable[Outcome]) -> list[str]:
    """A line for each failure that is not known, and for each known one that passes."""
    known, lines = known_failing(), []
    passing: dict[str, bool] = {}
    for outcome in outcomes:
        part = next((each for each in known if each in outcome.name), None)
        if part is None:
            lines += [f"{outcome.name}: {outcome.errors}"] if outcome.errors else []
        elif outcome.passed or outcome.errors:
            passing[part] = passing.get(part, True) and outcome.passed
    stale = [part for part, is_ok in passing.items() if is_ok]
    return lines + [f"{part}: passes, remove it from the list" for part in stale]


def report(outcomes: Sequence[Outcome], engines: Sequence[str], seconds: float) -> Iterator[str]:
    """Lines: what is unexpected, out of time and not supported, what took longest, the sums."""
    lines = unexpected(outcomes)
    yield from lines
    late = [each for each in outcomes if each.out_of_time]
    for each in late:
        yield f"{each.name}: out of time on {', '.join(each.out_of_time)} after {seconds:g} s"
    missing = Counter(each.unsupported for each in outcomes if each.unsupported)
    for what, count in missing.most_common():
        yield f"{count} not supported: {what}"
    slowest = sorted(outcomes, key=lambda each: -sum(each.seconds.values()))
    for each in slowest[:SLOWEST]:
        times = ", ".join(f"{each.seconds[name]:.1f} s {name}" for name in each.seconds)
        yield f"slowest: {times or 'not run'}: {each.name}"
    yield (
        f"{len(outcomes)} cases on {' and '.join(engines)}: "
        f"{sum(each.passed for each in outcomes)} pass, "
        f"{sum(bool(each.errors) for each in outcomes)} fail, {len(lines)} unexpected, "
        f"{len(late)} out of time, {missing.total()} not supported, "
        f"{sum(each.is_skipped for each in outcomes)} skipped"
    )


def files_of(paths: Iterable[Path], unpacked: Path) -> Iterator[Path]:
    """The files of tests in those files, folders and archives, which are unpacked to a folder.

    Raises `ConfigError` for a folder without any.
    """
    for number, path in enumerate(paths):
        archives = sorted(path.rglob(ARCHIVES)) if path.is_dir() else []
        archives += [path] if path.match(ARCHIVES) else []
        for position, archive in enumerate(archives):
            into = unpacked / f"{number}-{position}"
            with tarfile.open(archive) as opened:
                opened.extractall(into, filter="data")
            yield from _tests(into)
        if not archives or next(path.rglob("*.json"), None):
            yield from _tests(path)


def _tests(path: Path) -> Iterator[Path]:
    # The file itself, or the JSON files in a folder, but for hidden ones.
    if not path.is_dir():
        yield path
        return
    files = [
        file
        for file in sorted(path.rglob("*.json"))
        if not any(part.startswith(".") for part in file.relative_to(path).parts)
    ]
    if not files:
        raise ConfigError(f"no JSON files in {path}")
    yield from (file for file in files if NO_TESTS not in file.parts)


def run_all(files: Sequence[Path], options: argparse.Namespace) -> list[Outcome]:
    """Run files in processes of their own; the progress is written to stderr."""
    outcomes: list[Outcome] = []
    done, start = 0, time.monotonic()
    shown = start
    with ProcessPoolExecutor(options.workers) as pool:
        limits = options.engine, options.seconds, options.skip
        running: list[Future[list[Outcome]]] = [
            pool.submit(run_file, each, *limits) for each in files
        ]
        for future in as_completed(running):
            outcomes += future.result()
            done += 1
            now = time.monotonic()
            if now - shown >= PROGRESS_SECONDS or done == len(files):
                shown = now
                failed = sum(bool(each.errors) for each in outcomes)
                sys.stderr.write(
                    f"{done} of {len(files)} files in {now - start:.0f} s: "
                    f"{len(outcomes)} cases, {failed} fail\n"
                )
    return sorted(outcomes, key=lambda each: each.name)


def main(arguments: Sequence[str]) -> int:
    """Run the tests that the arguments name; print what is unexpected and a summary."""
    options = _options(arguments)
    try:
        with TemporaryDirectory() as unpacked:
            files = list(files_of(options.paths, Path(unpacked)))
            outcomes = run_all(files, options)
    except (DevchainError, OSError, tarfile.TarError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except BrokenProcessPool:
        sys.stderr.write("error: a worker was killed, by lack of memory perhaps; fewer --workers\n")
        return 1
    sys.stdout.write("\n".join(report(outcomes, options.engine, options.seconds)) + "\n")
    return bool(unexpected(outcomes) or any(each.out_of_time for each in outcomes))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.vectors", description=(__doc__ or "")[:74])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    add = parser.add_argument
    add("--engine", action="append", choices=ENGINES, help="only on this engine")
    add("--seconds", type=float, default=SECONDS, help="CPU time for a case; 0 is no limit")
    add("--skip", action="append", default=[], metavar="PART", help="part of a test's name or file")
    add("--workers", type=int, help="processes; as many as cores")
    options = parser.parse_args(arguments)
    options.engine = options.engine or list(ENGINES)
    return options
