"""Run a folder of Ethereum's tests on both engines: `python -m tests.vectors FOLDER...`.

State tests and blockchain tests. `known_failing_vectors.toml` lists cases that fail, by a part of
the test's name, with reasons. The exit code is 1 if another case fails, or if all tests of an
entry pass. Cases that need what a chain here cannot have are counted, by what they need.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from devchain.chain.block_tests import BlockTestCase, block_cases
from devchain.chain.state_tests import StateTestCase, fixture_files, read_fixtures, state_cases
from devchain.errors import DevchainError

ENGINES = ("fast", "reference")
KNOWN = Path(__file__).with_name("known_failing_vectors.toml")


class Outcome(NamedTuple):
    """What a case gave on the engines: the errors by engine, none if it passed on both.

    `unsupported` is what it needs that is not there.
    """

    name: str
    errors: dict[str, str]
    unsupported: str | None = None


def run_file(path: Path, engines: Iterable[str] = ENGINES) -> list[Outcome]:
    """The outcomes of a file's cases."""
    found = []
    for case in read_fixtures(path, "state tests or blockchain tests", _cases):
        results = {engine: case.run(engine) for engine in engines}
        name = f"{case.name} {case.fork} {case.index}"
        missing = next((each.error for each in results.values() if not each.is_supported), None)
        errors = {engine: each.error for engine, each in results.items() if each.error}
        found.append(Outcome(name, {} if missing else errors, missing))
    return found


def _cases(
    name: str, fixture: dict[str, Any], place: str
) -> Iterator[StateTestCase | BlockTestCase]:
    yield from (block_cases if "blocks" in fixture else state_cases)(name, fixture, place)


def known_failing() -> dict[str, str]:
    """Reasons by a part of the names of tests."""
    return dict(tomllib.loads(KNOWN.read_text("utf-8"))["failing"])


def unexpected(outcomes: Iterable[Outcome]) -> list[str]:
    """A line for each failure that is not known, and for each known one that passes."""
    known, lines = known_failing(), []
    passing: dict[str, bool] = {}
    for outcome in outcomes:
        part = next((each for each in known if each in outcome.name), None)
        if part is not None:
            passing[part] = passing.get(part, True) and not outcome.errors
        elif outcome.errors:
            lines.append(f"{outcome.name}: {outcome.errors}")
    stale = [part for part, is_ok in passing.items() if is_ok]
    return lines + [f"{part}: passes, remove it from the list" for part in stale]


def main(folders: list[str]) -> int:
    """Run the files of those folders on all cores; print what is unexpected and a summary."""
    if not folders:
        sys.stdout.write("give a folder of tests: make test-vectors ARGS=FOLDER\n")
        return 2
    try:
        files = [file for each in folders for file in fixture_files(Path(each))]
        with ProcessPoolExecutor() as pool:
            outcomes = [one for some in pool.map(run_file, files) for one in some]
    except DevchainError as error:
        sys.stdout.write(f"error: {error}\n")
        return 1
    lines = unexpected(outcomes)
    failed = sum(bool(each.errors) for each in outcomes)
    missing = Counter(each.unsupported for each in outcomes if each.unsupported)
    summary = (
        f"{len(outcomes)} cases on both engines: {failed} fail, {len(lines)} unexpected, "
        f"{missing.total()} not supported"
    )
    needs = [f"{count} not supported: {what}" for what, count in missing.most_common()]
    sys.stdout.write("\n".join([*lines, *needs, summary]) + "\n")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
