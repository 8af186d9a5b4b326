"""`devchain.contracts.gas_profile` and `flame_graph`"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from devchain.contracts.flame_graph import check_writable, flame_graph, write_flame_graph
from devchain.contracts.gas_profile import (
    GENERATED,
    INTRINSIC,
    GasNode,
    GasProfile,
    LineGas,
    StorageUse,
    profile_from_json,
)
from devchain.errors import ConfigError

HOSTILE = "</script><img src=x onerror=alert(1)>;\x1b[2J"


def profile(name: str = "Vault.take") -> GasProfile:
    """Vault.take calls itself, a check, and code of the compiler."""
    stacks = GasNode("")
    stacks.child(INTRINSIC).gas = 21_000
    take = stacks.child(name)
    take.gas, take.calls = 100, 1
    take.child(GENERATED).gas = 7
    again = take.child(name)
    again.gas, again.calls = 50, 2
    check = again.child("Vault._check")
    check.gas = 5
    return GasProfile(
        stacks,
        {("Vault.sol", 17, ""): LineGas(162, 7, "take(1);"), ("", 0, INTRINSIC): LineGas(21_000)},
        {("Vault", "owner"): StorageUse(2, 1, 5_200, 2_100)},
        refunds=12,
        transactions=1,
    )


class TestGasProfile:
    def test_sums(self) -> None:
        """Gas used is the gas of all stacks without refunds."""
        assert profile().gas_used == 21_000 + 162 - 12

    def test_functions(self) -> None:
        """Recursive calls count once in a total; inlined functions have no average."""
        take, check = profile().functions()

        assert (take.name, take.calls, take.gas, take.total, take.average) == (
            "Vault.take", 3, 157, 162, 54,
        )  # fmt: skip
        assert (check.gas, check.average) == (5, None)

    def test_folded(self) -> None:
        """Stacks in the format of speedscope, names of frames without semicolons."""
        assert list(profile("a;b").folded()) == [
            "(intrinsic gas) 21000",
            "a,b 100",
            "a,b;(generated) 7",
            "a,b;a,b 50",
            "a,b;a,b;Vault._check 5",
        ]

    def test_merging(self) -> None:
        """Profiles of processes are added up; JSON loses nothing."""
        merged = profile_from_json({})
        for _ in range(2):
            merged.add(profile_from_json(json.loads(json.dumps(profile().to_json()))))

        assert merged.gas_used == 2 * profile().gas_used
        assert merged.lines["Vault.sol", 17, ""] == LineGas(324, 14, "take(1);")
        assert merged.storage["Vault", "owner"] == StorageUse(4, 2, 10_400, 4_200)
        assert merged.functions()[0].calls == 6
        assert merged.transactions == 2


class TestFlameGraph:
    def test_hostile_names(self) -> None:
        """Names and texts of contracts are text, in the script's data too."""
        hostile = profile(HOSTILE)
        hostile.line((HOSTILE, 3, ""), HOSTILE).gas = 9
        hostile.storage[HOSTILE, HOSTILE] = StorageUse()

        page = flame_graph(hostile)

        assert "<img" not in page
        assert "\x1b" not in page
        assert page.count("</script>") == 2
        data = re.search(r'id="stacks">(.*?)</script>', page, re.DOTALL)
        assert data is not None
        assert [row[0] for row in json.loads(data[1])] == [0, 0, 0, 2, 2, 4]

    def test_policy(self) -> None:
        """The page allows its own style and script by their hashes, and nothing else."""
        page = flame_graph(profile())
        policy = re.search(r'Security-Policy" content="([^"]+)"', page)
        style = re.search("<style>(.*?)</style>", page, re.DOTALL)
        script = re.search("<script>(.*?)</script>", page, re.DOTALL)
        assert policy and style and script  # noqa: PT018  # all or none

        digests = [
            b64encode(sha256(each[1].encode()).digest()).decode() for each in (style, script)
        ]

        assert policy[1] == (
            f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'"
        )
        assert not re.search(r"https?://|style=", page)

    def test_empty(self) -> None:
        """A run without transactions has a page, too."""
        assert "Gas of 0 transactions" in flame_graph(GasProfile())

    def test_files(self, tmp_path: Path) -> None:
        """The end of the name decides what is written."""
        for name, start in (("a.html", "<!doctype"), ("a.folded", "(intr"), ("a.TXT", "(intr")):
            path = tmp_path / name
            write_flame_graph(profile(), str(path))

            assert path.read_text().startswith(start)

    def test_not_writable(self, tmp_path: Path) -> None:
        """A file that cannot be written is an error before anything runs."""
        with pytest.raises(ConfigError, match="cannot write the flame graph"):
            check_writable(str(tmp_path / "none" / "a.html"))
