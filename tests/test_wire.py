"""Golden exchanges: `tests/wire/<method>/<case>.io` says what goes over the wire, to the letter."""

from __future__ import annotations

import json
import re
import types
import typing

import pytest

from devchain.rpc.catalog import METHODS
from devchain.rpc.errors import CODES, INTERNAL_ERROR
from tests.wire.exchange import Golden, goldens

GOLDENS = goldens()
BESIDE_METHODS = {"envelope", "batch", "unknown"}
"""Folders of what belongs to no method."""


@pytest.mark.parametrize("golden", GOLDENS, ids=[each.name for each in GOLDENS])
class TestGolden:
    def test_answers(self, golden: Golden) -> None:
        """A fresh node answers what the file says; `python -m tests.wire` redraws it."""
        actual = golden.played()

        assert actual.lines == golden.lines

    def test_fact(self, golden: Golden) -> None:
        """A file opens with the fact it shows, in a sentence."""
        assert re.match(r"[A-Z`].*[.]\Z", golden.fact)


def cases() -> dict[str, set[str]]:
    """What the goldens show of each method: `good`, `null` and `error` answers."""
    shown: dict[str, set[str]] = {name: set() for name in METHODS}
    for golden in GOLDENS:
        if golden.path.parent.name in METHODS:
            for sent, got in golden.pairs:
                answer = json.loads(got)
                kind = "null" if answer.get("result", 0) is None else "good"
                shown[json.loads(sent)["method"]].add("error" if "error" in answer else kind)
    return shown


CASES = cases()
OWN_NAMES = [name for name, method in METHODS.items() if not method.is_alias]
NEVER_GOOD = {
    "anvil_dumpState",  # what it packs depends on the zlib there is
    "personal_newAccount",  # another address each time
    "eth_subscribe",  # needs a connection that lasts, and so does the next
    "eth_unsubscribe",
    "eth_getUncleByBlockHashAndIndex",  # there are no uncles, and so with the next
    "eth_getUncleByBlockNumberAndIndex",
}
"""Methods that have no good answer a golden could show."""


class TestFolder:
    @pytest.mark.parametrize("name", OWN_NAMES)
    def test_every_case(self, name: str) -> None:
        """Every method shows a good answer, null where it can answer that, and an error."""
        returns = METHODS[name].returns
        null = types.NoneType in (returns, *typing.get_args(returns))
        good = returns is not types.NoneType and name not in NEVER_GOOD

        assert CASES[name] >= {"error", *["null"] * null, *["good"] * good}

    def test_every_method(self) -> None:
        """Every method has a golden, and every golden a method."""
        folders = {golden.path.parent.name for golden in GOLDENS}

        assert folders - BESIDE_METHODS == {each.names[0] for each in METHODS.values()}

    def test_every_code(self) -> None:
        """Every error code is shown somewhere, but for that of a bug."""
        text = "\n".join(line for golden in GOLDENS for line in golden.lines)
        shown = {int(code) for code in re.findall(r'"code":(-\d+)', text)}

        assert shown == set(CODES.values())
        assert INTERNAL_ERROR not in shown
