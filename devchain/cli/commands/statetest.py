"""`devchain statetest`: run Ethereum's state tests on an engine, for conformance and fuzzing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from devchain.cli import output
from devchain.errors import ConfigError

if TYPE_CHECKING:
    from devchain.chain.state_tests import StateTestCase, StateTestResult

Fixtures = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Files of state tests, or folders of them; without any, file names from stdin.",
        metavar="PATH",
    ),
]
Engine = Annotated[
    str, typer.Option("--engine", help="fast or reference.", metavar="ENGINE", show_default=True)
]
Fork = Annotated[
    str | None, typer.Option("--fork", help="Only cases of this hardfork: Cancun.", metavar="NAME")
]
Index = Annotated[
    int | None,
    typer.Option(
        "--index", min=0, help="Only the case at this index of a hardfork's.", metavar="N"
    ),
]
Run = Annotated[
    str, typer.Option("--run", help="Only tests whose name has this pattern.", metavar="REGEX")
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the results as JSON, in the shape of geth's evm.")
]
WithTrace = Annotated[
    bool, typer.Option("--trace", help="Write every opcode to stderr, a line of JSON each.")
]


def statetest(
    paths: Fixtures = None,
    engine: Engine = "fast",
    fork: Fork = None,
    index: Index = None,
    run: Run = "",
    as_json: AsJson = False,
    trace: WithTrace = False,
) -> None:
    """Run Ethereum's state tests: fixtures of ethereum/tests and execution-spec-tests.

    Without --json the failing cases and a summary are printed, and the exit code is 1 if a case
    failed. With --json it is 0 whenever the cases could be run, as that of geth's `evm statetest`,
    and each state root is a line on stderr. --trace executes opcode by opcode, also on the fast
    engine, whose compiled code is tested without it.

    Examples:
      devchain statetest GeneralStateTests/stCreate2
      devchain statetest fixture.json --fork Cancun --engine reference
      devchain statetest fixture.json --json --trace
    """
    if engine not in ("fast", "reference"):
        raise ConfigError(f"--engine {engine!r}: choose fast or reference")
    pattern = _pattern(run)

    def is_wanted(case: StateTestCase) -> bool:
        return (
            (fork is None or case.fork == fork)
            and (index is None or case.index == index)
            and pattern.search(case.name) is not None
        )

    failures = total = 0
    for group in [paths] if paths else ([Path(line)] for line in _lines_of_stdin()):
        results = []
        for case in filter(is_wanted, _cases(group)):
            results.append(_run(case, engine, is_traced=trace, writes_root=as_json))
            if not as_json and results[-1].error:
                _write_failure(case, results[-1])
        total += len(results)
        failures += sum(each.error is not None for each in results)
        if as_json:
            output.write_json([_json(each) for each in results])
            sys.stdout.flush()
    if as_json:
        return
    if not total:
        raise ConfigError("no case matches: no test was run")
    output.write_line(f"{total - failures} passed, {failures} failed")
    if failures:
        raise typer.Exit(1)


def _pattern(run: str) -> re.Pattern[str]:
    try:
        return re.compile(run)
    except re.error as error:
        raise ConfigError(f"--run {run!r} is no regular expression: {error}") from None


def _lines_of_stdin() -> Iterator[str]:
    """The file names on stdin, up to the first empty line."""
    for line in sys.stdin:
        if not line.strip():
            return
        yield line.strip()


def _cases(paths: list[Path]) -> Iterator[StateTestCase]:
    from devchain.chain.state_tests import fixture_files, read_cases

    for path in paths:
        for file in fixture_files(path):
            yield from read_cases(file)


def _run(
    case: StateTestCase, engine: str, *, is_traced: bool, writes_root: bool
) -> StateTestResult:
    if not is_traced:
        result = case.run(engine)
    else:
        from devchain.tracing.json_trace import JsonTrace

        recorded = JsonTrace()
        result = case.run(engine, recorded.attach)
        for line in recorded.lines():
            sys.stderr.write(json.dumps(line, separators=(",", ":")) + "\n")
    if writes_root and result.state_root:
        sys.stderr.write(json.dumps({"stateRoot": f"0x{result.state_root.hex()}"}) + "\n")
    sys.stderr.flush()
    return result


def _write_failure(case: StateTestCase, result: StateTestResult) -> None:
    output.write_line((f"{case.name} {case.fork} {case.index}", output.NAME))
    output.write_paragraph(result.error or "")


def _json(result: StateTestResult) -> dict[str, Any]:
    """A result in the shape of geth, which leaves out what is absent."""
    root = {"stateRoot": f"0x{result.state_root.hex()}"} if result.state_root else {}
    error = {"error": result.error} if result.error else {}
    passed = result.error is None
    return {"name": result.name, "pass": passed} | root | {"fork": result.fork} | error
