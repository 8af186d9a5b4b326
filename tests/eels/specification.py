"""Runs state tests on Ethereum's executable specification: a state test a line, a result a line.

It runs in an environment of its own, `.venv-eels`, without devchain: the specification needs
another version of coincurve. `make test-eels` makes it.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

from ethereum import trace
from ethereum_spec_tools.evm_tools.statetest import ForkCache, read_test_case, run_test_case


def main() -> None:
    """Answer each line of stdin with the results of its test's only case."""
    ended: list[trace.TransactionEnd] = []

    def remember_end(_evm: object, event: object) -> None:
        if isinstance(event, trace.TransactionEnd):
            ended.append(event)

    trace.set_evm_trace(remember_end)
    logging.disable(logging.WARNING)
    with ForkCache() as cache:
        for line in sys.stdin:
            ended.clear()
            (case,) = read_test_case("stdin", "drawn", json.loads(line))
            found = run_test_case(case, cache)
            result = _result(found, ended, is_call=bool(case.transaction["to"]))
            sys.stdout.write(json.dumps(result) + "\n")
            sys.stdout.flush()


def _result(found: Any, ended: list[trace.TransactionEnd], *, is_call: bool) -> dict[str, Any]:
    """The result in the shape of `tests.eels.__main__.on_engine`.

    A creation has no output: its event comes before its code is stored, which can still fail.
    """
    return {
        "stateRoot": found.state_root.hex(),
        "logsHash": found.logs_hash.hex(),
        "gasUsed": None if found.rejected else int(found.gas_used),
        "output": ended[-1].output.hex() if ended and is_call else "",
    }


main()
