"""`devchain.cli.commands.fork`"""

from __future__ import annotations

import io
import sys
from contextlib import closing
from pathlib import Path

import pytest

from devchain.upstream.fact_file import FactFile, default_path
from devchain.upstream.facts import ForkBlock, fact
from tests.cli.conftest import Runner

ADDRESS = "0x" + "ab" * 20
FORK = ForkBlock(31, 7_000_000, b"\xf0" * 32)
LATER = ForkBlock(31, 7_000_001, b"\xf1" * 32)
SAME_NUMBER = ForkBlock(30, 7_000_000, b"\xf2" * 32)
BALANCE = fact("eth_getBalance", ADDRESS, "0x64")
HEADER = (
    f'{{"devchain-fork":1,"chainId":31,"blockNumber":7000000,"blockHash":"0x{FORK.hash.hex()}"}}\n'
)
TEXT = f'{HEADER}["eth_getBalance",["{ADDRESS}","0x64"],"0x7"]\n'


@pytest.fixture
def cache(tmp_path: Path) -> str:
    """A cache with one fork."""
    return filled(tmp_path / "forks.sqlite", FORK)


def filled(path: Path, *forks: ForkBlock) -> str:
    """The path of a cache with a fact of each fork."""
    file = FactFile(path)
    for each in forks:
        file.save(each, {BALANCE: "0x7"})
    file.close()
    return str(path)


class TestExport:
    def test_only_fork(self, devchain: Runner, cache: str, tmp_path: Path) -> None:
        """The only fork of a cache is written as text."""
        file = tmp_path / "fork.txt"

        result = devchain("fork", "export", str(file), "--fork-cache", cache)

        assert (result.code, result.out) == (0, "")
        assert "Wrote 1 fact of chain 31 at block 7,000,000 0xf0" in result.err.replace("\n", " ")
        assert file.read_bytes() == TEXT.encode()
        assert [each.name for each in tmp_path.iterdir() if "draft" in each.name] == []

    def test_prints(self, devchain: Runner, cache: str) -> None:
        """With - it is printed, and nothing else is."""
        result = devchain("fork", "export", "-", "--fork-cache", cache)

        assert (result.out, result.err) == (TEXT, "")

    @pytest.mark.parametrize("block", ["7000000", "7,000,000", "0x6acfc0", "0x" + "F0" * 32])
    def test_chosen(self, devchain: Runner, tmp_path: Path, block: str) -> None:
        """Of several forks the one with that number or hash is written."""
        path = filled(tmp_path / "forks.sqlite", FORK, LATER)

        result = devchain("fork", "export", "-", "--fork-cache", path, "--block", block)

        assert result.out == TEXT

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ((), "has 3 forks: choose with --block chain 30 at block 7,000,000 0xf2"),
            (("--block", "7000000"), "has 2 forks with the block 7,000,000: choose"),
            (("--block", "5"), "has 0 forks with the block 5: choose with --block chain 30"),
        ],
        ids=["several", "same number", "none"],
    )
    def test_which(
        self, devchain: Runner, tmp_path: Path, arguments: tuple[str, ...], problem: str
    ) -> None:
        """Where it is not clear which fork is meant, the error lists them."""
        path = filled(tmp_path / "forks.sqlite", FORK, LATER, SAME_NUMBER)

        result = devchain("fork", "export", "-", "--fork-cache", path, *arguments)

        assert (result.code, result.out) == (1, "")
        assert problem in " ".join(result.err.split())

    def test_no_cache(self, devchain: Runner, tmp_path: Path) -> None:
        """A cache that does not exist is an error, and is not made."""
        path = tmp_path / "forks.sqlite"

        result = devchain("fork", "export", "-", "--fork-cache", str(path))

        assert result.code == 1
        assert "there is no fork cache" in result.err
        assert not path.exists()

    def test_no_facts(self, devchain: Runner, tmp_path: Path) -> None:
        """A cache without forks has nothing to write."""
        result = devchain("fork", "export", "-", "--fork-cache", filled(tmp_path / "forks.sqlite"))

        assert result.code == 1
        assert "has no facts of any fork" in " ".join(result.err.split())

    def test_folder(self, devchain: Runner, cache: str, tmp_path: Path) -> None:
        """A file that cannot be written is an error."""
        result = devchain(
            "fork", "export", str(tmp_path / "no" / "fork.txt"), "--fork-cache", cache
        )

        assert result.code == 1
        assert "cannot be written: No such file" in " ".join(result.err.split())


class TestImport:
    def test_round_trip(self, devchain: Runner, tmp_path: Path) -> None:
        """What was exported and imported is exported as the same bytes."""
        text, path = tmp_path / "fork.txt", str(tmp_path / "new" / "forks.sqlite")
        text.write_text(TEXT, encoding="utf-8")

        result = devchain("fork", "import", str(text), "--fork-cache", path)

        assert (result.code, result.out) == (0, "")
        assert "Added 1 fact of chain 31 at block 7,000,000" in result.err.replace("\n", " ")
        assert devchain("fork", "export", "-", "--fork-cache", path).out == TEXT

    def test_default_cache(
        self, devchain: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without --fork-cache it is the file in the user's cache folder."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))

        assert devchain("fork", "import", "-").code == 0
        assert tmp_path in default_path().parents
        assert default_path().exists()
        assert devchain("fork", "export", "-").out == TEXT

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (TEXT + TEXT, "line 3: "),
            ("hello\n", "its first line is not a header"),
            (None, "cannot be read: No such file or directory"),
        ],
    )
    def test_wrong(self, devchain: Runner, tmp_path: Path, text: str | None, problem: str) -> None:
        """What is not such a text is an error, and nothing of it is added."""
        file, path = tmp_path / "fork.txt", tmp_path / "forks.sqlite"
        if text is not None:
            file.write_text(text, encoding="utf-8")

        result = devchain("fork", "import", str(file), "--fork-cache", str(path))

        assert result.code == 1
        assert problem in " ".join(result.err.split())
        assert not path.exists()

    def test_into_text(self, devchain: Runner, tmp_path: Path) -> None:
        """Nothing can be added to the text form."""
        file = tmp_path / "fork.txt"
        file.write_text(TEXT, encoding="utf-8")

        result = devchain("fork", "import", str(file), "--fork-cache", str(file))

        assert result.code == 1
        assert "cannot be written (it is the text form" in " ".join(result.err.split())


class TestList:
    def test_forks(self, devchain: Runner, tmp_path: Path) -> None:
        """Each fork has a line with chain, block and number of facts."""
        path = filled(tmp_path / "forks.sqlite", LATER, FORK)

        result = devchain("fork", "list", "--fork-cache", path)

        assert result.out == (
            f"chain 31 at block 7,000,000 0x{FORK.hash.hex()}: 1 fact\n"
            f"chain 31 at block 7,000,001 0x{LATER.hash.hex()}: 1 fact\n"
        )
        assert "2 forks in" in result.err


class TestClean:
    def test_all(self, devchain: Runner, tmp_path: Path) -> None:
        """Without a block all forks are removed, and their space is given back."""
        path = tmp_path / "forks.sqlite"
        filled(path, FORK, SAME_NUMBER)
        with closing(FactFile(path)) as file:
            slots = (fact("eth_getStorageAt", ADDRESS, hex(slot), "0x64") for slot in range(3_000))
            file.save(FORK, dict.fromkeys(slots, "0x1"))
        size = path.stat().st_size

        result = devchain("fork", "clean", "--fork-cache", str(path))

        printed = result.err.replace("\n", " ")
        assert "Removed 3,001 facts of chain 31 at block 7,000,000 0xf0" in printed
        assert "Removed 1 fact of chain 30" in printed
        assert path.stat().st_size < size / 5
        assert devchain("fork", "list", "--fork-cache", str(path)).out == ""
        again = devchain("fork", "clean", "--fork-cache", str(path))
        assert again.err.replace("\n", " ").endswith("fork: there is nothing to remove. ")
        with closing(FactFile(path)) as file:
            assert file.forks() == []

    def test_one(self, devchain: Runner, tmp_path: Path) -> None:
        """With a block that fork alone is removed; another process goes on with the file."""
        path = tmp_path / "forks.sqlite"
        filled(path, FORK, LATER)
        with closing(FactFile(path)) as file:
            assert file.find(LATER, BALANCE, None) == "0x7"

            result = devchain("fork", "clean", "--block", "7000001", "--fork-cache", str(path))

            assert result.code == 0
            assert [each.fork for each in file.forks()] == [FORK]
            file.save(SAME_NUMBER, {BALANCE: "0x9"})
            assert file.find(LATER, BALANCE, None) is None
            assert file.save(LATER, {BALANCE: "0x8"})
            assert file.find(LATER, BALANCE, None) == "0x8"

    def test_text(self, devchain: Runner, tmp_path: Path) -> None:
        """A text is not changed."""
        file = tmp_path / "fork.txt"
        file.write_text(TEXT)

        result = devchain("fork", "clean", "--fork-cache", str(file))

        assert result.code == 1
        assert "or a text: delete the file itself" in result.err.replace("\n", " ")
        assert file.read_text() == TEXT
