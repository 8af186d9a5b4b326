"""`--devchain-debug`: the debugger on the failure of a test, as `--pdb` opens Python's."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from devchain.testing.failure_report import failure_of, mined_transactions

if TYPE_CHECKING:
    from devchain.node import Node
    from devchain.source.trace import Trace
    from devchain.testing.isolation import Isolation


def check_installed() -> None:
    if find_spec("textual") is None:
        raise pytest.UsageError(
            '--devchain-debug needs Textual: pip install "devchain[tui]" (from a clone ".[tui]")'
        )


def debug_failure(
    config: pytest.Config, isolation: Isolation, raised: pytest.ExceptionInfo[BaseException]
) -> None:
    """Open the debugger on what failed in a test, or say why it cannot.

    That is the call or transaction of the error raised, else the last transaction that failed, else
    the last transaction of the test.
    """
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    reporter: Any = config.pluginmanager.getplugin("terminalreporter")
    if capture:
        capture.suspend_global_capture(in_=True)
    try:
        problem = _debug(isolation, raised)
        if problem and reporter:
            reporter.write_line(f"--devchain-debug: {problem}")
    finally:
        if capture:
            capture.resume_global_capture()


def _debug(isolation: Isolation, raised: pytest.ExceptionInfo[BaseException]) -> str:
    from devchain.errors import DevchainError

    node = isolation.node
    if node is None:
        return "the test used no devchain fixture"
    if not all(each and each.isatty() for each in (sys.__stdin__, sys.__stdout__)):
        return "the debugger needs a terminal: run pytest on one, without -n"
    from devchain.cli.tui.debugger import run_debugger
    from devchain.source.follow import Execution
    from devchain.source.steps import Debugger

    try:
        trace = _trace(node, isolation.start_height, raised)
        if trace is None:
            return "the test sent no transaction"
        debugger = Debugger(Execution(trace, node.artifacts))
    except DevchainError as error:
        return str(error)
    if not debugger.failure():
        debugger.start()
    run_debugger(debugger, "--devchain-artifacts=PATH")
    return ""


def _trace(node: Node, since: int, raised: pytest.ExceptionInfo[BaseException]) -> Trace | None:
    from devchain.client.http import LocalClient
    from devchain.client.rpc_trace import trace_call, trace_transaction

    client = LocalClient(node)
    failure = failure_of(node, raised)
    if failure and failure.transaction_hash:
        return trace_transaction(client, f"0x{failure.transaction_hash.hex()}")
    if failure and failure.find_frames and (top := failure.find_frames()):
        data = {"from": f"0x{top.sender.hex()}", "data": f"0x{top.input.hex()}"}
        request = {**data, "gas": hex(top.gas), "value": hex(top.value or 0)}
        if not top.is_creation:
            request["to"] = f"0x{top.to.hex()}"
        return trace_call(client, request)
    for everything in (False, True):
        mined = [
            tx_hash
            for tx_hash, _ in mined_transactions(node, since, everything=everything)
            if everything or tx_hash not in node.explainer.raised
        ]
        if mined:
            return trace_transaction(client, f"0x{mined[-1].hex()}")
    return None
