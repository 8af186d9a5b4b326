"""Golden exchanges: a fresh node answers the requests of `tests/wire/<method>/<case>.io`."""

from __future__ import annotations

import json
import re
import types
import typing
from dataclasses import replace
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from devchain.chain.slices import QUICK, ClientWait, Slices
from devchain.config import Config
from devchain.errors import Simulation
from devchain.evm import memory_limit
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.errors import CODES, INTERNAL_ERROR
from devchain.server.router import NetworkService, Router
from tests.server.live import CONFIG, post, serving
from tests.wire.exchange import Ask, Golden, goldens

GOLDENS = goldens()
NO_METHODS = {"envelope", "batch", "unknown"}
"""Folders that are not named after a method."""


@pytest.fixture
def unannounced(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """An item for each slice that ran a contract and was not announced as slow."""
    found: list[bool] = []
    executions: list[object] = []
    start = memory_limit.start

    def spied_start(limit: Any) -> None:
        executions.append(limit)
        start(limit)

    def finish_and_look(slices: Slices[Any]) -> Any:
        pace = QUICK
        while True:
            executions.clear()
            try:
                pace, was = next(slices), pace
            except StopIteration as done:
                found.extend([pace] * bool(executions and pace is QUICK))
                return done.value
            found.extend([was] * bool(executions and was is QUICK))
            if isinstance(pace, ClientWait):
                pace.end()

    monkeypatch.setattr(memory_limit, "start", spied_start)
    monkeypatch.setattr("devchain.rpc.dispatch.finish", finish_and_look)
    return found


@pytest.mark.parametrize("golden", GOLDENS, ids=[each.name for each in GOLDENS])
class TestGolden:
    def test_answers(
        self,
        golden: Golden,
        unannounced: list[bool],
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        """The responses are those of the file; `python -m tests.wire` rewrites it.

        Methods that run contracts are marked as `slow`.
        """
        # Errors of forks name what other tests have cached.
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        actual = golden.played()

        assert actual.lines == golden.lines
        assert not unannounced

    def test_fact(self, golden: Golden) -> None:
        """A file starts with the fact it shows, one sentence."""
        assert re.match(r"[A-Z`].*[.]\Z", golden.fact)


@pytest.mark.parametrize("server", ["direct", "hypercorn"])
def test_over_http(server: str) -> None:
    """Either server passes the requests of the first case of each folder on, and the responses."""
    firsts = {golden.path.parent: golden for golden in reversed(GOLDENS)}
    config = replace(CONFIG, server=server, max_body=Config().max_body)
    services = dict[str, NetworkService]()
    numbers = count()
    with serving(config, services=services) as port:
        client = HTTPConnection("127.0.0.1", port, timeout=30)

        def ask_over_http(node: Node) -> Ask:
            services.update(Router.of({"test": node}, node.config, None).services)
            path = f"/{next(numbers)}"  # another head is routed anew
            return lambda body: post(client, body, path)[1]

        different = [
            golden.name
            for golden in firsts.values()
            if golden.played(ask_over_http).lines != golden.lines
        ]
        client.close()

    assert not different


def cases() -> dict[str, set[str]]:
    """The kinds of responses that the goldens have of each method: `good`, `null`, `error`."""
    shown: dict[str, set[str]] = {name: set() for name in METHODS}
    for golden in GOLDENS:
        if golden.path.parent.name in METHODS:
            for sent, got in golden.pairs:
                answer = json.loads(got)
                kind = "null" if answer.get("result", 0) is None else "good"
                shown[json.loads(sent)["method"]].add("error" if "error" in answer else kind)
    return shown


CASES = cases()
MAIN_NAMES = [name for name, method in METHODS.items() if not method.is_alias]
NEVER_GOOD = {
    "anvil_dumpState",  # its bytes depend on the version of zlib
    "personal_newAccount",  # returns another address each time
    "devchain_getFork",  # needs an upstream
    "eth_subscribe",  # needs a persistent connection, as the next
    "eth_unsubscribe",
    "eth_getUncleByBlockHashAndIndex",  # there are no uncles
    "eth_getUncleByBlockNumberAndIndex",
}
"""Methods without a reproducible result."""


class TestFolder:
    @pytest.mark.parametrize("name", MAIN_NAMES)
    def test_every_case(self, name: str) -> None:
        """Every method has goldens with a result, with null if it returns that, with an error."""
        returns = METHODS[name].returns
        null = types.NoneType in (returns, *typing.get_args(returns))
        good = returns is not types.NoneType and name not in NEVER_GOOD

        assert CASES[name] >= {"error", *["null"] * null, *["good"] * good}

    def test_every_method(self) -> None:
        """Every method has a folder, and every folder a method."""
        folders = {golden.path.parent.name for golden in GOLDENS}

        assert folders - NO_METHODS == {each.names[0] for each in METHODS.values()}

    def test_every_code(self) -> None:
        """Every code has a golden but that of a bug, and one whose request is very long."""
        text = "\n".join(line for golden in GOLDENS for line in golden.lines)
        shown = {int(code) for code in re.findall(r'"code":(-\d+|4)\b', text)}

        assert shown == {*CODES.values(), *Simulation} - {Simulation.INIT_CODE_TOO_LARGE}
        assert INTERNAL_ERROR not in shown
