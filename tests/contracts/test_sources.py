"""`devchain.contracts.sources`: paths of sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from devchain.contracts.sources import display_path, is_dependency


def test_is_dependency() -> None:
    """A folder is a dependency by its name; a file of that name is not."""
    installed = ["lib/solady/A.sol", "@oz/A.sol", "npm/@oz@5/A.sol", "/home/node_modules/A.sol"]

    assert all(map(is_dependency, installed))
    assert not any(map(is_dependency, ["lib.sol", "src/lib/A.sol", "contracts/A.sol", "@A.sol"]))


def test_display_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths in the working directory are shown relative to it, others unchanged."""
    monkeypatch.chdir(tmp_path)

    assert display_path(str(tmp_path / "A.sol")) == "A.sol"
    assert display_path("/elsewhere/A.sol") == "/elsewhere/A.sol"
    assert display_path("project/A.sol") == "project/A.sol"
    assert display_path("\0") == "\0"
