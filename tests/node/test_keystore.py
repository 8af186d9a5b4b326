"""`devchain.node.keystore`"""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from eth_keyfile.keyfile import decode_keyfile_json

from devchain.config import Config
from devchain.errors import AccountLocked, ConfigError
from devchain.node import Node
from tests.actions import reopen
from tests.conftest import GENESIS_TIME

KEY = bytes.fromhex("11" * 32)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))


class TestKeystore:
    def test_created_and_imported(self, config: Config, tmp_path: Path) -> None:
        """Keys are private version 3 files, and locked when the node starts again."""
        node = Node(config)
        imported = node.accounts.add(KEY, "secret")
        seeded = node.accounts.new_from_seed("seed")
        key = node.accounts.key(seeded)

        with reopen(node) as again:
            files = sorted((tmp_path / "test/keystore").glob("UTC--*"))
            assert [path.name[-40:] for path in files] == [imported.hex(), seeded.hex()]
            assert decode_keyfile_json(json.loads(files[0].read_text()), b"secret") == KEY
            assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
            assert again.accounts.addresses()[-2:] == [imported, seeded]
            assert again.accounts.key(seeded) == key
            with pytest.raises(AccountLocked):
                again.accounts.key(imported)
            assert again.accounts.open(imported, "secret") == KEY

    def test_new_passphrase(self, config: Config) -> None:
        """A key imported once more has the new passphrase."""
        node = Node(config)
        node.accounts.add(KEY, "old")
        node.persist()
        address = node.accounts.add(KEY, "new")

        with reopen(node) as again:
            assert again.accounts.open(address, "new") == KEY

    def test_removed(self, config: Config, tmp_path: Path) -> None:
        """The file of a key that a revert removes is moved to another folder."""
        node = Node(config)
        taken = node.snapshots.take()
        address = node.accounts.add(KEY, "secret")
        node.persist()

        node.revert(taken)

        with reopen(node) as again:
            assert address not in again.accounts.addresses()
        (removed,) = (tmp_path / "test/keystore/removed").iterdir()
        assert decode_keyfile_json(json.loads(removed.read_text()), b"secret") == KEY

    def test_hosted(self, config: Config) -> None:
        """A hosted node reads no keys, and leaves the files as they are."""
        with Node(config) as node:
            address = node.accounts.add(KEY, "secret")
        with Node(replace(config, hosted=True, api_key=("key",))) as hosted:
            assert hosted.accounts.addresses() == []

        with Node(config) as again:
            assert address in again.accounts.addresses()

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"address": "0x12", "version": 3}'])
    def test_no_key(self, config: Config, tmp_path: Path, text: str) -> None:
        """A file that is no key is refused by its name."""
        folder = tmp_path / "test/keystore"
        folder.mkdir(parents=True)
        (folder / "UTC--mine").write_text(text)

        with pytest.raises(ConfigError, match="UTC--mine cannot be read as a key"):
            Node(config)
