"""Key files in a data dir: the version 3 keystore format that every Ethereum wallet reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from devchain.chain.genesis import parse
from devchain.errors import ConfigError, InvalidInput, StoreFailed
from devchain.files import read_file, write_private
from devchain.node.accounts import LIGHT_SCRYPT, StoredKey
from devchain.types import Address

PRIVATE_FOLDER = 0o700
REMOVED_FOLDER = "removed"
ADDRESS = re.compile(r"(?:0x)?([0-9a-fA-F]{40})")
MAX_KEY_FILE = 100_000
MAX_WORK_FACTOR = 2**23  # of decryption: scrypt's n · r · p, or PBKDF2's rounds


class Keystore:
    """A folder of key files by address, in `keystores`; removed ones are moved, never deleted."""

    def __init__(self, folder: Path) -> None:
        """Read the folder, if there is one; raises `ConfigError` for a file that is no key."""
        self._folder = folder
        self._paths: dict[Address, Path] = {}
        self.keystores: dict[Address, dict[str, Any]] = {}
        for path in sorted(folder.glob("UTC--*")):
            keystore = _read(path)
            address = keystore_address(keystore)
            self._paths[address] = path
            self.keystores[address] = keystore

    def sync(self, stored: Mapping[Address, StoredKey]) -> None:
        """Write new and changed keys, and move the files of others away; raises `StoreFailed`."""
        try:
            for address, key in stored.items():
                if address in self._paths and key.keystore in (None, self.keystores[address]):
                    continue
                self._write(address, key)
            for address in self._paths.keys() - stored.keys():
                removed = self._folder / REMOVED_FOLDER
                removed.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
                path = self._paths.pop(address)
                path.replace(removed / path.name)
                del self.keystores[address]
        except OSError as error:
            raise StoreFailed(
                f"keys cannot be written to {self._folder}: {error.strerror or error}"
            ) from error

    def _write(self, address: Address, key: StoredKey) -> None:
        keystore = key.keystore or encrypt_with_empty_passphrase(key)
        self._folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        # Wallets put the date here; a serial number sorts the files in the order of creation too.
        serial = sum(1 for _ in self._folder.rglob("UTC--*"))
        path = self._paths.get(address, self._folder / f"UTC--{serial:08}--{address.hex()}")
        write_private(path, json.dumps(keystore).encode())
        self._paths[address], self.keystores[address] = path, keystore


def encrypt_with_empty_passphrase(key: StoredKey) -> dict[str, Any]:
    from eth_keyfile import create_keyfile_json

    keystore: dict[str, Any] = create_keyfile_json(
        key.private_key or b"", b"", kdf="scrypt", iterations=LIGHT_SCRYPT
    )
    return keystore


def _read(path: Path) -> dict[str, Any]:
    try:
        return check_keystore(parse(read_file(path, MAX_KEY_FILE)))
    except (OSError, ValueError, InvalidInput) as error:
        raise ConfigError(
            f"{path} cannot be read as a key: {error}; move it to another folder"
        ) from error


def keystore_address(keystore: Mapping[str, Any]) -> Address:
    return Address(bytes.fromhex(keystore["address"].removeprefix("0x")))


def check_keystore(keystore: Any) -> dict[str, Any]:
    """The keystore if it is of version 3 and cheap to decrypt; raises `InvalidInput`."""
    try:
        address = ADDRESS.fullmatch(keystore["address"])
        crypto = keystore["crypto"]
        work = crypto["kdfparams"]
        factor = work["n"] * work["r"] * work["p"] if crypto["kdf"] == "scrypt" else work["c"]
        if keystore["version"] == 3 and address and 0 < factor <= MAX_WORK_FACTOR:
            return dict(keystore)
    except (TypeError, KeyError):
        pass
    raise InvalidInput("it is no version 3 keystore, or takes too long to decrypt")
