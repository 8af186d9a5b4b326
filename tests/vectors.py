"""Run a folder of state tests on both engines: `python -m tests.vectors FOLDER...`.

`known_failing_vectors.toml` lists cases that fail, by a part of the test's name, with reasons. The
exit code is 1 if another case fails, or if all tests of an entry pass.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from devchain.chain.state_tests import fixture_files, read_cases
from devchain.errors import DevchainError

ENGINES = ("fast", "reference")
KNOWN = Path(__file__).with_name("known_failing_vectors.toml")


class Outcome(NamedTuple):
    """What a case gave on the engines: the errors by engine, none if it passed on both."""

    name: str
    errors: dict[str, str]


def run_file(path: Path, engines: Iterable[str] = ENGINES) -> list[Outcome]:
    """The outcomes of a file's cases."""
    found = []
    for case in read_cases(path):
        results = {engine: case.run(engine).error for engine in engines}
        errors = {engine: error for engine, error in results.items() if error}
        found.append(Outcome(f"{case.name} {case.fork} {case.index}", errors))
    return found


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
        sys.stdout.write("give a folder of state tests: make test-vectors ARGS=FOLDER\n")
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
    summary = f"{len(outcomes)} cases on both engines: {failed} fail, {len(lines)} unexpected"
    sys.stdout.write("\n".join([*lines, summary]) + "\n")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
