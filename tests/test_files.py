"""`devchain.files`: every file of a user is a regular one, of bounded size and nesting."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devchain.chain.genesis import read_genesis
from devchain.cli.config_options import read_config_file
from devchain.config import Config, read_api_keys
from devchain.contracts.artifact_files import find_project, load_artifacts
from devchain.errors import ConfigError
from devchain.files import cache_folder, read_file, read_toml
from devchain.node import dump
from devchain.node.keystore import Keystore
from devchain.server.hypercorn_server import check_certificate
from devchain.testing import gas_report

DEEP = "[" * 1_000 + "]" * 1_000
"""JSON that orjson reads and the standard library does not."""


def _read_config(path: Path) -> object:
    return read_config_file(path, path.parent)


def _read_keys(path: Path) -> object:
    path.rename(path.parent / "UTC--1")
    return Keystore(path.parent)


def _read_certificate(path: Path) -> object:
    return check_certificate(Config(tls_cert=str(path), tls_key=str(path)))


READERS: dict[str, Callable[[Path], object]] = {
    "configuration": _read_config,
    "API keys": lambda path: read_api_keys(str(path)),
    "certificate": _read_certificate,
    "genesis": read_genesis,
    "dump": lambda path: dump.unpack(dump.read_file(path)),
    "keys": _read_keys,
    "artifacts": load_artifacts,
    "gas baseline": gas_report.load,
}


class TestReaders:
    """What all readers of files refuse, with an error that says why."""

    @pytest.mark.parametrize("name", READERS)
    def test_pipe(self, tmp_path: Path, name: str) -> None:
        """A pipe is not waited for."""
        path = tmp_path / "file"
        os.mkfifo(path)

        with pytest.raises(ConfigError, match="regular file"):
            READERS[name](path)

    @pytest.mark.parametrize(
        "name", sorted({*READERS} - {"configuration", "API keys", "certificate"})
    )
    def test_deep_json(self, tmp_path: Path, name: str) -> None:
        """JSON nested more deeply than the standard library reads is no traceback."""
        path = tmp_path / "file"
        path.write_text(DEEP)

        with pytest.raises(Exception, match=r".") as raised:  # of devchain's
            READERS[name](path)

        assert type(raised.value).__module__ == "devchain.errors"

    def test_pipe_that_is_named(self, tmp_path: Path) -> None:
        """A pipe that a command reads to its end, as `@<(solc ..)`, may be one."""
        read, write = os.pipe()
        os.write(write, b"0x6001")
        os.close(write)

        assert read_file(f"/dev/fd/{read}", pipes=True) == b"0x6001"
        os.close(read)

    def test_too_large(self, tmp_path: Path) -> None:
        """A larger file is refused, and one without end too; neither is read further."""
        (tmp_path / "file").write_bytes(bytes(101))

        assert len(read_file(tmp_path / "file", 101)) == 101
        with pytest.raises(OSError, match="larger than 100 bytes"):
            read_file(tmp_path / "file", 100)
        with pytest.raises(OSError, match="larger than 100 bytes"):
            read_file("/dev/zero", 100, pipes=True)

    def test_folder(self, tmp_path: Path) -> None:
        """A folder is refused as one."""
        with pytest.raises(IsADirectoryError):
            read_file(tmp_path)


class TestToml:
    """TOML that takes long, or a deep stack, to parse."""

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (f"a = {'[' * 10_000}{']' * 10_000}", "it nests too deeply"),
            (f"a = {'{a = ' * 10_000}1{'}' * 10_000}", "it nests too deeply"),
            (f"{'a.' * 30_000}a = 1", "too many dots"),
            (f"accounts.{'a.' * 450}a = {'[' * 90}{']' * 90}", "must be a whole number, not {'a'"),
            ("a = 1\n#" + "x" * 2**18, "larger than"),
        ],
        ids=["lists", "tables", "dotted key", "value", "size"],
    )
    def test_refused(self, tmp_path: Path, content: str, problem: str) -> None:
        """It is refused; a project with such a `foundry.toml` is read by its defaults."""
        for name in ("devchain.toml", "pyproject.toml", "foundry.toml"):
            (tmp_path / name).write_text(content)

        with pytest.raises(ConfigError, match=problem):
            read_config_file(None, tmp_path)
        assert find_project(tmp_path) is not None

    def test_read(self, tmp_path: Path) -> None:
        """Other TOML is read as it is."""
        (tmp_path / "a.toml").write_text('[a.b]\nc = "d.e"\n')

        assert read_toml(tmp_path / "a.toml") == {"a": {"b": {"c": "d.e"}}}


def test_deep_gas_baseline(tmp_path: Path) -> None:
    """A baseline with members nested deeply is none."""
    (tmp_path / "gas.json").write_text(json.dumps({"calls": 0}).replace("0", DEEP))

    with pytest.raises(ConfigError, match="not a saved gas table"):
        gas_report.load(tmp_path / "gas.json")


@pytest.mark.parametrize(
    ("environ", "platform", "path"),
    [
        ({"XDG_CACHE_HOME": "/caches"}, "linux", "/caches/devchain"),
        ({"XDG_CACHE_HOME": "caches"}, "linux", "~/.cache/devchain"),
        ({}, "linux", "~/.cache/devchain"),
        ({}, "darwin", "~/Library/Caches/devchain"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/devchain"),
    ],
)
def test_cache_folder(environ: dict[str, str], platform: str, path: str) -> None:
    """It is in the user's cache folder of the platform."""
    assert cache_folder(environ, platform) == Path(path).expanduser()
