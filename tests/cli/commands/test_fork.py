"""`devchain.cli.commands.fork`"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from devchain.upstream.fork_cache_file import CacheFile, default_path
from devchain.upstream.queries import ForkBlock, upstream_query
from tests.cli.conftest import Runner

ADDRESS = "0x" + "ab" * 20
FORK = ForkBlock(31, 7_000_000, b"\xf0" * 32)
LATER = ForkBlock(31, 7_000_001, b"\xf1" * 32)
SAME_NUMBER = ForkBlock(30, 7_000_000, b"\xf2" * 32)
BALANCE = upstream_query("eth_getBalance", ADDRESS, "0x64")
SHOWN = f'eth_getBalance ["{ADDRESS}","0x64"] "0x7"\n'
OF_FORK = f"chain 31 at block 7,000,000 0x{FORK.hash.hex()}\n{SHOWN}"


def filled(path: Path, *forks: ForkBlock) -> str:
    """The path of a cache with a value of each fork."""
    file = CacheFile(path)
    for each in forks:
        file.save(each, {BALANCE: "0x7"})
    file.close()
    return str(path)


class TestShow:
    def test_all(self, devchain: Runner, tmp_path: Path) -> None:
        """Each fork of a cache is shown, in order."""
        path = filled(tmp_path / "forks.sqlite", LATER, FORK)

        result = devchain("fork", "show", path)

        later = f"chain 31 at block 7,000,001 0x{LATER.hash.hex()}\n{SHOWN}"
        assert (result.code, result.out, result.err) == (0, OF_FORK + later, "")

    def test_no_cache(self, devchain: Runner, tmp_path: Path) -> None:
        """A cache that does not exist is an error, and is not made."""
        path = tmp_path / "forks.sqlite"

        result = devchain("fork", "show", str(path))

        assert result.code == 1
        assert "there is no fork cache" in result.err
        assert not path.exists()

    def test_default_cache(
        self, devchain: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without a file it is the one in the user's cache folder."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setenv("HOME", str(tmp_path))
        filled(default_path(), FORK)

        assert tmp_path in default_path().parents
        assert devchain("fork", "show").out == OF_FORK


class TestList:
    def test_forks(self, devchain: Runner, tmp_path: Path) -> None:
        """Each fork has a line with chain, block and number of values."""
        path = filled(tmp_path / "forks.sqlite", LATER, FORK)

        result = devchain("fork", "list", path)

        assert result.out == (
            f"chain 31 at block 7,000,000 0x{FORK.hash.hex()}: 1 value\n"
            f"chain 31 at block 7,000,001 0x{LATER.hash.hex()}: 1 value\n"
        )
        assert "2 forks in" in result.err


class TestClean:
    def test_all(self, devchain: Runner, tmp_path: Path) -> None:
        """All forks are removed, and their space is given back."""
        path = tmp_path / "forks.sqlite"
        filled(path, FORK, SAME_NUMBER)
        with closing(CacheFile(path)) as file:
            slots = (
                upstream_query("eth_getStorageAt", ADDRESS, hex(slot), "0x64")
                for slot in range(3_000)
            )
            file.save(FORK, dict.fromkeys(slots, "0x1"))
        size = path.stat().st_size

        result = devchain("fork", "clean", str(path))

        printed = result.err.replace("\n", " ")
        assert "Removed 3,001 values of chain 31 at block 7,000,000 0xf0" in printed
        assert "Removed 1 value of chain 30" in printed
        assert path.stat().st_size < size / 5
        assert devchain("fork", "list", str(path)).out == ""
        again = devchain("fork", "clean", str(path))
        assert again.err.replace("\n", " ").endswith("fork: there is nothing to remove. ")
        with closing(CacheFile(path)) as file:
            assert file.forks() == []
