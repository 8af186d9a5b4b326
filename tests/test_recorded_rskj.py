"""Cases recorded on a Rootstock node, played on both engines, if the recording is available.

`make test` plays a fixed share of them; with `RECORDED_RSKJ=all` in the environment, all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import pytest

from devchain.node import Node
from tests.recorded_rskj import IS_AVAILABLE, Answer, Player, config, load_cases


class Share(NamedTuple):
    """Into how many parts a file is cut, and how many of them each engine plays by default."""

    parts: int
    fast: int
    reference: int


SHARES = {
    "program": Share(96, fast=12, reference=1),
    "opcode": Share(16, fast=8, reference=1),
    "precompile": Share(8, fast=4, reference=1),
    "bridge": Share(4, fast=4, reference=1),
    "solidity": Share(12, fast=4, reference=1),
}
PLAYS_ALL = os.environ.get("RECORDED_RSKJ") == "all"
PLAYED = [
    pytest.param(engine, file, part, id=f"{engine}-{file}-{part}")
    for file, share in SHARES.items()
    for engine, count in (("fast", share.fast), ("reference", share.reference))
    for part in range(share.parts if PLAYS_ALL else count)
]

NOT_COPIED: dict[str, Callable[[Answer], bool]] = {
    "the real node's eth_call runs into a Java exception, -32603, where the gas is less than the "
    "intrinsic gas or the price of a precompiled contract; here it is out of gas": lambda wanted: (
        wanted["call"] == {"error": [-32603, "Internal server error"]}
    ),
}
"""Answers to calls that differ on purpose: the reason, and which recorded answers it is for."""


@pytest.mark.skipif(not IS_AVAILABLE, reason="the recorded cases are not available")
class TestRecordedCases:
    @pytest.mark.parametrize(("engine", "file", "part"), PLAYED)
    def test_agrees(self, engine: str, file: str, part: int) -> None:
        """Receipts, refusals, outputs, estimates and accounts are those of the real node."""
        cases = load_cases(file, part, SHARES[file].parts)
        excused = {
            (case.name, index)
            for case in cases
            for index, wanted in enumerate(case.expected)
            if any(applies(wanted) for applies in NOT_COPIED.values())
        }
        with Node(config(engine)) as node:
            player = Player(node)
            player.prepare(cases)
            found = [difference for case in cases for difference in player.play(case)]
        differing = {(each.case, each.place) for each in found if each.what == "call"}

        unexplained = [
            each for each in found if each.what != "call" or (each.case, each.place) not in excused
        ]

        assert unexplained == []
        assert excused <= differing  # else it is no exception any more
