"""`devchain.cli.commands.blocktest`"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.block_test_fixtures import fixture, mined_node
from tests.cli.conftest import Runner


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a test that passes, one that fails and one that is not supported."""
    path = tmp_path_factory.mktemp("blocks") / "tests.json"
    good = fixture(mined_node("shanghai"))
    bad = good | {"lastblockhash": f"0x{bytes(32).hex()}"}
    other = good | {"network": "Rome"}
    path.write_text(json.dumps({"good": good, "bad": bad, "other": other}))
    return path


class TestBlockTest:
    def test_summary(self, devchain: Runner, file: Path) -> None:
        """Failing and unsupported cases are shown, and the exit code says that there are some."""
        result = devchain("blocktest", str(file))

        assert result.code == 1
        assert result.out.startswith("bad Shanghai 0\n    last block hash mismatch: got")
        assert "other Rome 0\n    unsupported fork 'Rome'" in result.out
        assert result.out.endswith("\n1 passed, 1 failed, 1 not supported\n")

    @pytest.mark.parametrize("options", [[], ["--engine", "reference"], ["--fork", "Shanghai"]])
    def test_selection(self, devchain: Runner, file: Path, options: list[str]) -> None:
        """Tests can be selected by name and hardfork, and the engine chosen."""
        result = devchain("blocktest", str(file.parent), "--run", "good", *options)

        assert (result.code, result.out) == (0, "1 passed, 0 failed\n")

    def test_json(self, devchain: Runner, file: Path) -> None:
        """Results have the shape of geth's; the exit code is 1 if one has not passed."""
        result = devchain("blocktest", str(file), "--json")

        good, bad, other = json.loads(result.out)
        assert (result.code, result.err) == (1, "")
        assert (good["name"], good["pass"], good["fork"]) == ("good", True, "Shanghai")
        assert (bad["pass"], bad["stateRoot"]) == (False, good["stateRoot"])
        assert (other["pass"], "stateRoot" in other) == (False, False)

    def test_other_files(self, devchain: Runner, tmp_path: Path) -> None:
        """Files of other tests are refused."""
        path = tmp_path / "state.json"
        path.write_text('{"a": {"transaction": {}}}')

        result = devchain("blocktest", str(path))
        assert result.code == 1
        assert "a is a state test; only blockchain tests can be run" in result.err
