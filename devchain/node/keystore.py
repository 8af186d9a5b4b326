"""Keys as files: the version 3 keystore that every Ethereum wallet reads."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eth_keyfile.keyfile import create_keyfile_json

from devchain.chain.genesis import parse
from devchain.errors import ConfigError, InvalidInput, StoreFailed
from devchain.node.accounts import LIGHT_SCRYPT, StoredKey
from devchain.types import Address

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
REMOVED = "removed"
ADDRESS = re.compile(r"(?:0x)?([0-9a-fA-F]{40})")
MAX_KEY_FILE = 100_000
MAX_WORK = 2**23
"""What deriving a key may cost: scrypt's n, r and p multiplied, or PBKDF2's rounds."""


class Keystore:
    """A folder of keys; one that is no longer held is moved aside, never destroyed."""

    def __init__(self, folder: Path) -> None:
        """Read the folder when there is one; raises `ConfigError` for a file that is no key."""
        self._folder = folder
        self._paths: dict[Address, Path] = {}
        self.found: dict[Address, dict[str, Any]] = {}
        for path in sorted(folder.glob("UTC--*")):
            keystore = _read(path)
            address = address_of(keystore)
            self._paths[address] = path
            self.found[address] = keystore

    def sync(self, stored: Mapping[Address, StoredKey]) -> None:
        """Have a file for each of those keys and for no other; raises `StoreFailed`."""
        try:
            for address, key in stored.items():
                if address not in self._paths or key.keystore not in (None, self.found[address]):
                    self._write(address, key)
            for address in self._paths.keys() - stored.keys():
                self._set_aside(self._paths.pop(address))
        except OSError as error:
            msg = f"keys cannot be written to {self._folder}: {error.strerror or error}"
            raise StoreFailed(msg) from error

    def _write(self, address: Address, key: StoredKey) -> None:
        keystore = key.keystore or with_empty_passphrase(key)
        self._folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        name = f"UTC--{_serial(self._folder)}--{address.hex()}"
        path = self._paths.get(address, self._folder / name)
        draft = path.with_name(f"draft-{path.name}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT, PRIVATE_FILE), "w") as file:
            json.dump(keystore, file)
        draft.replace(path)
        self._paths[address], self.found[address] = path, keystore

    def _set_aside(self, path: Path) -> None:
        aside = self._folder / REMOVED
        aside.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        path.replace(aside / path.name)


def with_empty_passphrase(key: StoredKey) -> dict[str, Any]:
    """A keystore of a key that lies open."""
    made: dict[str, Any] = create_keyfile_json(
        key.private_key or b"", b"", kdf="scrypt", iterations=LIGHT_SCRYPT
    )
    return made


def _serial(folder: Path) -> str:
    """What keeps the files in the order in which their keys came, as the date does elsewhere."""
    return f"{sum(1 for _ in folder.rglob('UTC--*')):08}"


def _read(path: Path) -> dict[str, Any]:
    try:
        return checked(parse(path.read_bytes()[:MAX_KEY_FILE]))
    except (OSError, ValueError, InvalidInput) as error:
        msg = f"{path} cannot be read as a key: {error}; move it elsewhere"
        raise ConfigError(msg) from error


def address_of(keystore: Mapping[str, Any]) -> Address:
    """Whose key it is."""
    return Address(bytes.fromhex(keystore["address"].removeprefix("0x")))


def checked(keystore: Any) -> dict[str, Any]:
    """The keystore, if it is one of version 3 that can be opened at a reasonable cost."""
    try:
        address = ADDRESS.fullmatch(keystore["address"])
        crypto = keystore["crypto"]
        work = crypto["kdfparams"]
        cost = work["n"] * work["r"] * work["p"] if crypto["kdf"] == "scrypt" else work["c"]
        if keystore["version"] == 3 and address and 0 < cost <= MAX_WORK:
            return dict(keystore)
    except (TypeError, KeyError):
        pass
    msg = "it is no version 3 keystore, or takes too long to open"
    raise InvalidInput(msg)
