"""`devchain.upstream.fact_text`"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.errors import ConfigError, FactNotRecorded
from devchain.upstream.client import Upstream
from devchain.upstream.fact import Fact, canonical, fact
from devchain.upstream.fact_file import FactFile
from devchain.upstream.fact_text import read_text, text_lines
from devchain.upstream.facts import Facts
from tests.upstream.server import BLOCK, FORK, FORK_HASH, FakeUpstream

ADDRESS = "0x" + "ab" * 20
HEADER = f'{{"devchain-fork":1,"chainId":31,"blockNumber":100,"blockHash":"{FORK_HASH}"}}\n'
VALUES = {
    fact("eth_getBalance", ADDRESS, "0x64"): "0x7",
    fact("eth_getBlockByNumber", "0x64", False): BLOCK,
    fact("eth_getStorageAt", ADDRESS, "0x1", "0x64"): "0x0",
    fact("eth_getTransactionByHash", FORK_HASH): None,
    fact("web3_clientVersion"): "RskJ/9.0.3",
}
TEXT = (
    f'{HEADER}["eth_getBalance",["{ADDRESS}","0x64"],"0x7"]\n'
    f'["eth_getBlockByNumber",["0x64",false],'
    f'{{"hash":"{FORK_HASH}","number":"0x64","transactions":[]}}]\n'
    f'["eth_getStorageAt",["{ADDRESS}","0x1","0x64"],"0x0"]\n'
    f'["eth_getTransactionByHash",["{FORK_HASH}"],null]\n'
    '["web3_clientVersion",[],"RskJ/9.0.3"]\n'
)


def written(values: dict[Fact, Any]) -> str:
    """The text of facts."""
    return "".join(text_lines(FORK, [(each, canonical(values[each])) for each in sorted(values)]))


def read(text: str) -> Any:
    """What is read from a text."""
    return read_text(io.BytesIO(text.encode()))


class TestText:
    def test_example(self) -> None:
        """A header, then a line for each fact, in order."""
        assert written(VALUES) == TEXT
        assert read(TEXT) == (FORK, VALUES)

    def test_windows(self) -> None:
        """Lines may end as git writes them on Windows."""
        assert read(TEXT.replace("\n", "\r\n")) == (FORK, VALUES)

    @given(
        st.dictionaries(
            st.builds(
                lambda address, slot: fact(
                    "eth_getStorageAt", f"0x{address.hex()}", hex(slot), "0x1"
                ),
                st.binary(min_size=20, max_size=20),
                st.integers(0, 2**256 - 1),
            ),
            st.integers(0, 2**256 - 1).map(hex),
        )
    )
    def test_same_bytes(self, values: dict[Fact, Any]) -> None:
        """What was read gives the same bytes again."""
        text = written(values)

        assert read(text) == (FORK, values)
        assert written(read(text)[1]) == text

    def test_whatever_order(self, tmp_path: Path, fake: FakeUpstream) -> None:
        """Files that were filled in another order have the same text."""
        texts = set()
        for name, facts in (("a", list(VALUES)), ("b", list(VALUES)[::-1])):
            fake.results["eth_getTransactionByHash"] = None
            fake.results["web3_clientVersion"] = "RskJ/9.0.3"
            recorded = Facts(Upstream([fake.url]), FactFile(tmp_path / name), FORK)
            for each in facts:
                recorded.get(each)
            assert recorded.file is not None
            texts.add("".join(text_lines(FORK, recorded.file.facts(FORK))))
            recorded.close()

        assert len(texts) == 1


BALANCE = f'["eth_getBalance",["{ADDRESS}","0x64"],"0x7"]'


class TestWrong:
    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "its first line is not a header"),
            (BALANCE, "line 1: the file ends in the middle"),
            (BALANCE + "\n", "its first line is not a header"),
            (HEADER.replace(":1,", ":2,", 1), "it is in format 2"),
            (HEADER.replace("31", "031"), "its first line is not a header"),
            (HEADER + BALANCE, "line 2: the file ends in the middle"),
            (HEADER + "\n", "line 2:  is not a fact"),
            (f"{HEADER}{BALANCE}\n{BALANCE}\n", "line 3: it is not in order, or there twice"),
            (HEADER + BALANCE.replace(",", ", ") + "\n", "line 2: .* is not a fact as"),
            (HEADER + BALANCE.replace("ab", "AB") + "\n", "line 2: .* is not a fact as"),
            (HEADER + '["eth_getBalance",[1],"0x7",1]\n', "line 2: .* is not a fact as"),
            (HEADER + '["rm -r",[],1]\n', "line 2: .* is not a fact as"),
            (HEADER + "[" * 5_000 + "\n", r"line 2: \[.* is not a fact as"),
            (HEADER + "\x1b[2J\n", r"line 2: \\x1b\[2J is not a fact as"),
            (HEADER + BALANCE.replace('"0x7"', "7") + "\n", "line 2: the upstream answers 7 where"),
            (
                HEADER + BALANCE.replace("0x64", "0x65") + "\n",
                "line 2: block 101 is after the fork block 100",
            ),
            (
                TEXT.replace(f'{{"hash":"{FORK_HASH}"', '{"hash":"0x' + "0e" * 32 + '"'),
                "line 3: the fork block has another hash than in line 1",
            ),
        ],
    )
    def test_line(self, text: str, problem: str) -> None:
        """Whatever is not as it is written is an error with its line."""
        with pytest.raises(ConfigError, match=problem):
            read(text)

    def test_bytes(self) -> None:
        """What is no UTF-8 is an error."""
        with pytest.raises(ConfigError, match="line 2: it is not UTF-8"):
            read_text(io.BytesIO(HEADER.encode() + b"\xff\n"))


class TestAsCache:
    def test_read(self, tmp_path: Path, fake: FakeUpstream) -> None:
        """The text form can be the fork cache; it is not written."""
        path = tmp_path / "fork.txt"
        path.write_text(TEXT, encoding="utf-8")
        warnings: list[str] = []
        facts = Facts(Upstream([fake.url]), FactFile(path, warnings.append), FORK)

        assert facts.get(fact("eth_getBalance", ADDRESS, "0x64")) == "0x7"
        assert warnings == []
        assert facts.get(fact("eth_getBalance", ADDRESS, "0x1")) == "0x64"
        facts.close()
        (warning,) = warnings
        assert "cannot be written (it is the text form: `devchain fork import` makes" in warning
        assert path.read_text(encoding="utf-8") == TEXT

    def test_not_recorded(self, tmp_path: Path) -> None:
        """The error for an unknown fact has the commands that add it to the text."""
        path = tmp_path / "fork.txt"
        path.write_text(TEXT, encoding="utf-8")
        facts = Facts(None, FactFile(path), FORK)

        with pytest.raises(FactNotRecorded) as caught:
            facts.get(fact("eth_getBalance", ADDRESS, "0x1"))
        facts.close()
        assert str(caught.value) == (
            f"the balance of {ADDRESS} at block 1 of chain 31 is not known (it is not in {path}), "
            "and the upstream is not asked: to record it, make a cache of it with `devchain fork "
            f"import {path} --fork-cache forks.sqlite`, run this once on a node started with "
            "`devchain start --fork-url URL@100 --fork-cache forks.sqlite`, without --offline, and "
            f"write it anew with `devchain fork export {path} --fork-cache forks.sqlite`"
        )

    def test_without_facts(self, tmp_path: Path) -> None:
        """A text with a header alone is a cache without facts."""
        path = tmp_path / "fork.txt"
        path.write_text(HEADER, encoding="utf-8")
        path.chmod(0o400)

        file = FactFile(path)

        assert file.forks() == []
        file.close()

    def test_wrong(self, tmp_path: Path) -> None:
        """A wrong line is an error that names the file."""
        path = tmp_path / "fork.txt"
        path.write_text(f"{HEADER}[]\n", encoding="utf-8")

        with pytest.raises(ConfigError, match=f"^{path} cannot be used as a fork cache: line 2: "):
            FactFile(path)
