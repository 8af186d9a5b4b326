"""`devchain-evm`: `statetest` and `blocktest` with the arguments and output of geth's `evm`.

Programs that drive geth's `evm` find the same flags, results and traces here: goevmlab (as a geth,
or as an EELS) and execution-spec-tests' `consume direct --bin devchain-evm`. Like geth's, flags may
stand before the command or after it, with one dash or two, and `=false` turns one off.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import partial
from importlib import metadata
from pathlib import Path

from devchain.cli import output
from devchain.cli.main import FAILURE, guarded
from devchain.cli.vectors import (
    Selection,
    check_engine,
    name_pattern,
    run_block_tests,
    run_state_tests,
)
from devchain.errors import ConfigError

HELP = """\
usage: devchain-evm [flags] statetest [flags] [FILE]
       devchain-evm [flags] blocktest [flags] FILE

Runs Ethereum's test fixtures on devchain with the arguments and output of geth's evm: results on
stdout as JSON, traces and state roots on stderr. statetest without FILE reads names from stdin.

  --run REGEX, --name NAME    only tests with this pattern or this name
  --fork NAME, --index N      only cases of this hardfork, at this index
  --engine ENGINE             fast (default) or reference
  --trace, --json             write every opcode to stderr, a line of JSON each (statetest)
  --trace.memory, --trace.nostack, --trace.returndata    what the lines have, also as
  --nomemory=false, --nostack, --noreturndata=false
  --verbosity N, --trace.format json, --trace.nostorage, --nostorage    accepted, without effect
  --version, --help
"""

SWITCHES = {
    "trace": "trace",
    "json": "trace",
    "trace.memory": "memory",
    "trace.returndata": "returndata",
    "nomemory": "nomemory",
    "trace.nomemory": "nomemory",
    "nostack": "nostack",
    "trace.nostack": "nostack",
    "noreturndata": "noreturndata",
    "trace.noreturndata": "noreturndata",
    "nostorage": "nostorage",
    "trace.nostorage": "nostorage",
    "version": "version",
    "v": "version",
    "help": "help",
    "h": "help",
}
"""Flags that are on or off, and what they are called below."""
VALUES = {
    "run": "run",
    "name": "name",
    "statetest.name": "name",
    "fork": "fork",
    "statetest.fork": "fork",
    "index": "index",
    "statetest.index": "index",
    "engine": "engine",
    "trace.format": "format",
    "verbosity": "verbosity",
}
"""Flags that have a value."""
FALSE = ("false", "0", "f", "F", "FALSE", "False")
ANY = re.compile("")


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code: 0, 1 for an error or a blockchain test that failed."""
    return guarded(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int:
    words, on, values = _parse(arguments)
    if "version" in on:
        output.write_line(f"evm version {metadata.version('devchain')}-devchain")
        return 0
    if "help" in on or not words:
        sys.stdout.write(HELP)
        return 0 if "help" in on else FAILURE
    command, *files = words
    if values.get("format", "json") != "json":
        raise ConfigError(f"--trace.format {values['format']!r}: only json is known")
    selection = Selection(_pattern(values), values.get("fork"), _index(values.get("index")))
    engine = check_engine(values.get("engine", "fast"))
    paths = [Path(each) for each in files]
    if command == "blocktest":
        if not paths:
            raise ConfigError("blocktest: name a file")
        return run_block_tests(paths, selection, engine, as_json=True)
    if command != "statetest":
        raise ConfigError(f"unknown command {command!r}: choose statetest or blocktest")
    from devchain.tracing.json_trace import JsonTrace

    new_trace = partial(
        JsonTrace,
        memory="memory" in on and "nomemory" not in on,
        stack="nostack" not in on,
        return_data="returndata" in on and "noreturndata" not in on,
    )
    return run_state_tests(
        paths, selection, engine, as_json=True, new_trace=new_trace if "trace" in on else None
    )


def _parse(arguments: Sequence[str]) -> tuple[list[str], set[str], dict[str, str]]:
    words: list[str] = []
    on: set[str] = set()
    values: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            words += rest
        elif not argument.startswith("-") or argument == "-":
            words.append(argument)
        else:
            flag, has_value, value = argument.lstrip("-").partition("=")
            if flag in SWITCHES:
                name = SWITCHES[flag]
                is_on = value not in FALSE
                if not is_on and name in ("nomemory", "noreturndata"):
                    on.add(name.removeprefix("no"))
                (on.add if is_on else on.discard)(name)
            elif flag in VALUES:
                given = value if has_value else next(rest, None)
                if given is None:
                    raise ConfigError(f"flag needs an argument: {argument}")
                values[VALUES[flag]] = given
            else:
                raise ConfigError(f"flag provided but not defined: {argument.partition('=')[0]}")
    return words, on, values


def _pattern(values: dict[str, str]) -> re.Pattern[str]:
    if "name" in values:
        return re.compile(f"^{re.escape(values['name'])}\\Z")
    return name_pattern(values["run"]) if "run" in values else ANY


def _index(text: str | None) -> int | None:
    try:
        index = -1 if text is None else int(text)
    except ValueError:
        raise ConfigError(f"--index {text!r} is no number") from None
    return index if index >= 0 else None
