"""`devchain.cli.commands.stubs`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devchain.contracts.stubs import HEADER
from tests.cli.conftest import Runner
from tests.contracts.vault import FILE


class TestStubs:
    def test_writes_a_module(self, devchain: Runner, tmp_path: Path) -> None:
        """The module is written, and written again."""
        file = tmp_path / "types.pyi"

        for _ in range(2):
            result = devchain("stubs", str(FILE.parent), "-o", str(file))

            assert (result.code, result.out) == (0, "")
            assert f"the types of 1 contract to {file}" in result.err.replace("\n", "")
        assert "class Vault(ContractBase):" in file.read_text()

    def test_prints(self, devchain: Runner) -> None:
        """With - it is printed."""
        result = devchain("stubs", str(FILE), "--output", "-")

        assert result.out.startswith(HEADER)

    def test_program(self, devchain: Runner, tmp_path: Path) -> None:
        """Types are not written where Python would read them as a program."""
        result = devchain("stubs", str(FILE), "-o", str(tmp_path / "types.py"))

        assert result.code == 2
        assert "types are in a file that ends in .pyi" in result.err
        assert not [*tmp_path.iterdir()]

    @pytest.mark.parametrize("content", ["class Mine: ...", "\xff"])
    def test_other_file(self, devchain: Runner, tmp_path: Path, content: str) -> None:
        """A file that the command has not made is left as it is."""
        file = tmp_path / "types.pyi"
        file.write_text(content, "latin-1")

        result = devchain("stubs", str(FILE), "-o", str(file))

        assert result.code == 1
        assert file.read_text("latin-1") == content

    def test_sources(self, devchain: Runner, tmp_path: Path, monkeypatch: Any) -> None:
        """A folder of sources alone is compiled."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        (tmp_path / "bank.vy").write_text("total: public(uint256)\n")

        result = devchain("stubs", str(tmp_path), "--output", "-")

        assert "def total(self" in result.out.replace("def total: ", "def total(self")
        assert result.err.startswith("compiling bank.vy with Vyper")

    def test_no_contracts(self, devchain: Runner, tmp_path: Path) -> None:
        """A folder without contracts is an error."""
        result = devchain("stubs", str(tmp_path))

        assert result.code == 1
        assert "error: no contracts in" in result.err
