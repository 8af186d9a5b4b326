"""`devchain statetest`: run Ethereum's state tests on an engine, for conformance and fuzzing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from devchain.cli.vectors import Selection, check_engine, name_pattern, run_state_tests

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

    Programs that drive geth's `evm` (goevmlab, execution-spec-tests' consume direct) can drive
    `devchain-evm` in its place.

    Examples:
      devchain statetest GeneralStateTests/stCreate2
      devchain statetest fixture.json --fork Cancun --engine reference
      devchain statetest fixture.json --json --trace
    """
    from devchain.tracing.json_trace import JsonTrace

    selection = Selection(name_pattern(run), fork, index)
    new_trace = JsonTrace if trace else None
    code = run_state_tests(
        paths, selection, check_engine(engine), as_json=as_json, new_trace=new_trace
    )
    raise typer.Exit(code)
