"""`--like hardhat`, `anvil` and `ganache` answer as those nodes did when they were recorded.

`tests/peers/recorded.json` has the answers of the real nodes, `tests/peers/differences.toml` what
is answered otherwise, with the reason; `docs/like.md` shows it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from tests.conftest import GENESIS_TIME
from tests.peers.player import NODES, RECORDED, Player
from tests.peers.requests import REQUESTS, Json

DIFFERENCES = Path(__file__).parent / "peers" / "differences.toml"


def in_process(node: Node) -> Player:
    """A player that asks a node in this process."""
    dispatcher = Dispatcher(node)

    def ask(body: bytes) -> tuple[int, bytes]:
        answer = dispatcher.serve_now(body)
        status = getattr(answer, "status", 200)
        return (204, b"") if answer is None else (status, bytes(answer))

    return Player(ask, node.config.mnemonic)


def differences(name: str) -> dict[str, str]:
    """The requests that are answered otherwise than by that node, each with the difference."""
    listed = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))["difference"]
    return {
        request: each["name"]
        for each in listed
        for node, requests in each["requests"].items()
        if node == name
        for request in requests
    }


@pytest.fixture(
    scope="module", params=[(name, "fast") for name in NODES] + [("hardhat3", "reference")]
)
def answered(request: pytest.FixtureRequest) -> Iterator[tuple[str, dict[str, Json]]]:
    """The name of a recorded node, and what devchain answers like it, by the request's name."""
    name, engine = request.param
    config = Config(like=NODES[name], engine=engine, fixed_clock=GENESIS_TIME)
    with Node(config) as node:
        player = in_process(node)
        yield name, {each.name: player.answer(each) for each in REQUESTS}


def recorded(name: str) -> dict[str, Json]:
    """The answers of that node, by the request's name."""
    found: dict[str, Json] = json.loads(RECORDED.read_text(encoding="utf-8"))[name]
    return _without_server(found) if name == "hardhat2" else found


def _without_server(value: Any) -> Any:
    """Answers of Hardhat 2 without what its HTTP server adds to them.

    To failed executions it adds `Error: ` and a code, and an object around the payload; to others a
    second `data`.
    """
    if isinstance(value, list):
        return [_without_server(each) for each in value]
    if not isinstance(value, dict):
        return value
    value = {name: _without_server(each) for name, each in value.items()}
    if str(value.get("message")).startswith("Error: "):
        value["message"] = value["message"].removeprefix("Error: ")
        is_bare = set(value.get("data", ())) == {"message", "data"}
        if is_bare:
            value["data"] = value["data"]["data"]
        if "code" in value:
            value["code"] = 3
    elif "message" in value and not isinstance(value.get("data", ""), str):
        has_more = "code" in value
        value = value if has_more else {"message": value["message"]}
    return value


def test_agree(answered: tuple[str, dict[str, Json]]) -> None:
    """Every request is answered as by that node but the listed ones."""
    name, answers = answered
    known, expected = differences(name), recorded(name)

    different = {each: answers[each] for each in answers if answers[each] != expected[each]}

    assert {each: got for each, got in different.items() if each not in known} == {}


def test_listed(answered: tuple[str, dict[str, Json]]) -> None:
    """Every listed difference is there."""
    name, answers = answered
    expected = recorded(name)

    assert [each for each in differences(name) if answers[each] == expected[each]] == []


def test_all_recorded() -> None:
    """The recordings are of the requests that are made."""
    assert all(list(recorded(name)) == [each.name for each in REQUESTS] for name in NODES)
