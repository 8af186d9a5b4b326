"""A client with scripted results, and a stream that is a terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from devchain.client.http import Call
from devchain.errors import RpcFailure


class ScriptedClient:
    """A client with a result, or a `Script` of results, for each method; others are errors."""

    def __init__(self, **answers: Any) -> None:
        """Set the results by method; an exception is raised."""
        self._answers = answers
        self.calls: list[Call] = []

    def call(self, method: str, *params: object) -> Any:
        """The next result of the method."""
        self.calls.append((method, *params))
        if method not in self._answers:
            raise RpcFailure(-32601, f"the method {method} does not exist")
        answer = self._answers[method]
        if isinstance(answer, Script):
            answer = answer.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """The results, with errors in their places."""
        return [self._outcome(*each) for each in calls]

    def _outcome(self, method: object, *params: object) -> Any:
        try:
            return self.call(str(method), *params)
        except RpcFailure as failure:
            return failure


class Script(list[Any]):
    """Results to return one after the other."""


class Terminal(io.StringIO):
    """A stream whose `isatty` is true."""

    def isatty(self) -> bool:
        """Always true."""
        return True
