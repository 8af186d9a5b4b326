"""`devchain.cli.commands.rpc`"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient


class TestRpc:
    def test_result(self, devchain: Runner) -> None:
        """The result is printed as JSON."""
        outcome = devchain("rpc", "eth_getBlockByNumber", "0x5", "false")

        assert outcome == Result(0, "null\n", "")

    def test_raw(self, devchain: Runner) -> None:
        """--raw prints a string without quotes, and everything else as JSON."""
        assert devchain("rpc", "--raw", "net_version").out == "31\n"
        assert devchain("rpc", "-r", "eth_syncing").out == "false\n"

    @pytest.mark.parametrize(
        ("text", "sent"),
        [
            ("latest", "latest"),
            ("0x1", "0x1"),
            ("1", 1),
            ("-1", -1),
            ("true", True),
            ("null", None),
            ('{"a": [1]}', {"a": [1]}),
            ('"1"', "1"),
            ("NaN", "NaN"),
            ("0x{", "0x{"),
        ],
        ids=lambda value: str(value)[:10],
    )
    def test_params(self, run_on: Callable[..., Result], text: str, sent: object) -> None:
        """Each parameter is JSON if it parses as JSON, else a string."""
        node = ScriptedClient(x_y=None)
        run_on(node, "rpc", "x_y", text)

        assert node.calls == [("x_y", sent)]

    def test_file(self, run_on: Callable[..., Result], tmp_path: Path) -> None:
        """A parameter is read from a file; one that cannot be read is a usage error."""
        (tmp_path / "a.json").write_text('{"abi": []}', encoding="utf-8")
        (tmp_path / "b.json").write_bytes(b"\xff")
        node = ScriptedClient(x_y=None)
        run_on(node, "rpc", "x_y", f"@{tmp_path / 'a.json'}")

        assert node.calls == [("x_y", {"abi": []})]
        for name, reason in (("b.json", "it is not UTF-8 text"), ("c", "No such file")):
            outcome = run_on(node, "rpc", "x_y", f"@{tmp_path / name}")
            assert (outcome.code, reason in " ".join(outcome.err.split())) == (2, True)

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ('{"fromBlock":0', "Expecting ',' delimiter: line 1 column 15 (char 14)\n"),
            ("[NaN]", "NaN is no JSON value\n"),
            ('"open', "Unterminated string starting at: line 1 column 1 (char 0)\n"),
            ("[" * 5_000, ""),
        ],
        ids=lambda text: text[:10],
    )
    def test_broken_json(self, run_on: Callable[..., Result], text: str, reason: str) -> None:
        """Broken JSON is wrong usage, with the parameter's number and the place."""
        node = ScriptedClient(x_y=None)
        outcome = run_on(node, "rpc", "x_y", "latest", text)

        assert (outcome.code, node.calls) == (2, [])
        assert f"error: parameter 2 is not valid JSON: {reason}" in outcome.err
