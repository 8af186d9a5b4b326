"""Executions of the cases of failures, to step through."""

from __future__ import annotations

from functools import cache
from typing import Any

from devchain.client.http import Client, LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.node import Node
from devchain.source.follow import Execution
from devchain.source.steps import Debugger
from tests.failures.builds import BUILDS
from tests.failures.cases import CASES, entry_of
from tests.failures.world import World

BUILDS_BY_NAME = {each.name: each for each in BUILDS}


@cache
def world(build: str) -> World:
    """The node of a build; each test leaves it as it was."""
    return World(BUILDS_BY_NAME[build])


def run_case(build: str, case: str) -> str:
    """Run a case on the node of a build; the hash of its transaction."""
    at = world(build)
    at.run(next(each for each in CASES if each.name == case))
    return newest(at)


def newest(at: World) -> str:
    """The hash of the last transaction."""
    return newest_of(at.node)


def newest_of(node: Node) -> str:
    """The hash of the last transaction of a node."""
    return f"0x{node.chain.head.transactions[-1].hash.hex()}"


@cache
def execution_of(build: str, case: str) -> Execution:
    """A case with a build, as it ran."""
    at = world(build)
    with at.node.snapshot():
        trace = trace_transaction(LocalClient(at.node), run_case(build, case))
    return Execution(trace, at.node.artifacts)


@cache
def successful(build: str) -> Execution:
    """`Structure.hook(2)`, which calls the function that it overrides."""
    at = world(build)
    with at.node.snapshot():
        at.deployed["Structure"]["hook"].transact(2)
        return Execution(trace_transaction(LocalClient(at.node), newest(at)), at.node.artifacts)


def is_absent(build: str, case: str) -> bool:
    """Whether a case is not one of a build's language."""
    found = next(each for each in CASES if each.name == case)
    return bool(entry_of(found.absent, BUILDS_BY_NAME[build]))


def debugger_of(build: str, case: str) -> Debugger:
    """A debugger at the first line of a case."""
    debugger = Debugger(execution_of(build, case))
    debugger.start()
    return debugger


def line_of(debugger: Debugger) -> str:
    """Where a debugger is: `Structure.sol:17`."""
    location = debugger.execution.location(debugger.step)
    return f"{location.path}:{location.line}" if location else ""


def text_of(debugger: Debugger) -> str:
    """The text of the line at which a debugger is, without its comment."""
    location = debugger.execution.location(debugger.step)
    if location is None:
        return ""
    text = location.file.text_of_line(location.line)
    return text.partition("//")[0].partition("#")[0].strip()


def lines(debugger: Debugger, move: str, **options: Any) -> list[str]:
    """The texts of the lines at which movements stop, until they move no more."""
    found = [text_of(debugger)]
    while getattr(debugger, move)(**options):
        found.append(text_of(debugger))
    return found


class RefusingClient:
    """A client of a node that lacks some methods, or tracers, or answers something else."""

    def __init__(self, client: Client, **answers: Any) -> None:
        self._client = client
        self._answers = answers

    def call(self, method: str, *params: object) -> Any:
        """The result of one call."""
        tracer = next((each["tracer"] for each in params if _is_tracer(each)), method)  # type: ignore[index]
        answer = self._answers.get(tracer, self._client)
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            return answer(self._client.call(method, *params))
        return self._client.call(method, *params) if answer is self._client else answer

    def batch(self, calls: Any) -> list[Any]:
        """The results of several calls."""
        return [self.call(*each) for each in calls]


def _is_tracer(value: object) -> bool:
    return isinstance(value, dict) and "tracer" in value
