"""`devchain.chain.storage.data_dir`"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from tests.conftest import GENESIS_TIME


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))


class TestDataDir:
    def test_in_use(self, config: Config) -> None:
        """A data dir is locked by one node at a time."""
        with Node(config), pytest.raises(ConfigError, match=r"in use by another node .process"):
            Node(config)
        Node(config).close()

    def test_each_network(self, config: Config, tmp_path: Path) -> None:
        """Each network has its own folder, so that one process can run several."""
        with Node(config), Node(replace(config, network="main")):
            assert {path.name for path in tmp_path.iterdir()} == {"main", "test"}

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"chain_id": 99}, "has chain-id 31, not 99"),
            ({"hardfork": "prague"}, "has hardfork .*, not prague"),
            ({"remasc": True}, "has remasc off, not on"),
        ],
    )
    def test_other_options(self, config: Config, options: dict[str, Any], text: str) -> None:
        """A chain started under other rules is refused."""
        Node(config).close()
        with pytest.raises(ConfigError, match=text):
            Node(replace(config, **options))
        Node(config).close()

    def test_other_federation(self, config: Config) -> None:
        """So is one that began with another number of federators."""
        local = replace(config, network="local")
        Node(local).close()
        with pytest.raises(ConfigError, match="has federators 3, not 5"):
            Node(replace(local, federators=5))

    def test_no_folder(self, config: Config, tmp_path: Path) -> None:
        """A path that cannot be created is refused by its name."""
        (tmp_path / "file").write_text("")
        with pytest.raises(ConfigError, match=r"data-dir .*file cannot be used: "):
            Node(replace(config, data_dir=str(tmp_path / "file")))

    def test_empty_name(self) -> None:
        """An empty name, such as that of a variable that is not set, is refused."""
        with pytest.raises(ConfigError, match="--data-dir needs the name of a folder"):
            Config(data_dir="")

    def test_reference_engine(self) -> None:
        """A data dir cannot be used with the reference engine."""
        with pytest.raises(ConfigError, match="data-dir needs --engine fast"):
            Config(engine="reference", data_dir="somewhere")
