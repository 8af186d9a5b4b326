"""Check the files in `dist/` and use the wheel in a new environment; `make dist` runs it.

    python -m tests.release [--python python3.13]

Writes the wheel's SBOM to `build/devchain.cdx.json`. Needs the packages of `requirements.txt`
beside this file, and uv's access to others: UV_OFFLINE=1 takes them from its cache.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
WHEEL = ROOT / "dist" / f"devchain-{VERSION}-py3-none-any.whl"
SDIST = ROOT / "dist" / f"devchain-{VERSION}.tar.gz"
SBOM = ROOT / "build" / "devchain.cdx.json"
LOCK = ROOT / "requirements.lock"
UV, CYCLONEDX = (str(Path(sys.executable).with_name(name)) for name in ("uv", "cyclonedx-py"))
MAX_WHEEL = 2_000_000
ALICE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

DIST_INFO = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
BESIDE_PACKAGE = {
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "PKG-INFO",
    "README.md",
    "hatch_build.py",
} | {
    "pyproject.toml",
    "requirements.lock",
}
FOLDERS = {"bench", "devchain", "docs", "examples", "tests"}

TEST = """
def test_deposit(devchain, accounts):
    vault = devchain.deploy("Vault", 3600, sender=accounts[0])
    vault.deposit(sender=accounts[1], value=5)
    assert vault.deposits(accounts[1]) == 5
    with devchain.reverts("NotOwner", caller=accounts[1]):
        vault.withdraw(sender=accounts[1])
"""


def check_wheel() -> None:
    """It has every file of the package, its metadata and nothing else, and is small."""
    with zipfile.ZipFile(WHEEL) as wheel:
        found = set(wheel.namelist())
        metadata = wheel.read(f"devchain-{VERSION}.dist-info/METADATA").decode()
    expected = package_files() | {f"devchain-{VERSION}.dist-info/{name}" for name in DIST_INFO}
    assert found == expected, sorted(found ^ expected)
    size = WHEEL.stat().st_size
    assert size < MAX_WHEEL, f"{WHEEL.name} has {size:,} bytes"
    if os.environ.get("REPOSITORY_URL"):
        relative = re.findall(
            r"\]\((?![a-z]+:|#)[^)]*\)|(?:src|href)=\"(?![a-z]+:|#)[^\"]*", metadata
        )
        assert not relative, relative
        assert "Project-URL: Repository, " in metadata
    say(f"{WHEEL.name}: {len(found)} files, {size:,} bytes")


def check_sdist() -> None:
    """It has what tests and docs need, and nothing that a program left behind."""
    with tarfile.open(SDIST) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert package_files() <= names, sorted(package_files() - names)
    assert names >= BESIDE_PACKAGE, sorted(BESIDE_PACKAGE - names)
    assert {name.partition("/")[0] for name in names} >= FOLDERS
    left = [name for name in names if re.search(r"node_modules|__pycache__|\.pyc$|^\.venv", name)]
    assert not left, sorted(left)[:10]
    say(f"{SDIST.name}: {len(names)} files, {SDIST.stat().st_size:,} bytes")


def package_files() -> set[str]:
    files = (ROOT / "devchain").rglob("*")
    return {
        str(file.relative_to(ROOT))
        for file in files
        if file.is_file() and file.suffix != ".pyc" and file.name != ".DS_Store"
    }


class Environment:
    """A new virtual environment in a folder, with the wheel and the locked versions."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        self.venv = folder / "venv"
        self.python = self.venv / "bin" / "python"
        self.variables = {
            name: value for name, value in os.environ.items() if not name.startswith("DEVCHAIN_")
        } | {"XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "cache")}
        subprocess.run([UV, "venv", "-q", "-p", python, str(self.venv)], check=True)
        self.install(str(WHEEL))

    def install(self, *packages: str) -> None:
        options = ("--compile-bytecode", "--only-binary", ":all:", "-c", str(LOCK))
        command = (UV, "pip", "install", "-q", "-p", str(self.python), *options, *packages)
        subprocess.run(command, check=True)

    def run(self, *command: str) -> str:
        """The output of a command in the environment's folder; raises if it fails."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def devchain(self, *arguments: str) -> str:
        return self.run(str(self.venv / "bin" / "devchain"), *arguments)


def write_sbom(environment: Environment) -> None:
    """List the wheel and all that it needs, with the versions that were tested."""
    SBOM.parent.mkdir(exist_ok=True)
    options = (
        "--pyproject",
        str(ROOT / "pyproject.toml"),
        "--output-reproducible",
        "-o",
        str(SBOM),
    )
    environment.run(CYCLONEDX, "environment", str(environment.python), *options)
    components = json.loads(SBOM.read_text(encoding="utf-8"))["components"]
    say(f"{SBOM.name}: {len(components)} components")


def use_commands(environment: Environment) -> None:
    """Start a node in the background, and use it by commands and over HTTP."""
    assert environment.devchain("--version") == f"{VERSION}\n"
    record = json.loads(environment.devchain("start", "-d", "--port", "0", "--log-format", "json"))
    url = record["url"]
    try:
        with urllib.request.urlopen(f"{url}/health") as answer:
            assert json.load(answer)["status"] == "ok"
        for page, text in {"explorer": "<html", "explorer/static/explorer.css": "{"}.items():
            with urllib.request.urlopen(f"{url}/{page}") as answer:
                assert text in answer.read().decode(), page
        assert "0x21" in environment.devchain("rpc", "eth_chainId", "--url", url)
        environment.devchain("send", ALICE, "--value", "1.5rbtc", "--url", url)
        block = json.loads(environment.devchain("inspect", "block", "1", "--json", "--url", url))
        assert len(block["transactions"]) == 1
    finally:
        environment.devchain("stop", "--all")


def use_plugin(environment: Environment) -> None:
    """Test a contract by pytest, with the fixtures of the plugin."""
    environment.install("pytest")
    shutil.copy(ROOT / "examples" / "contracts" / "Vault.json", environment.folder)
    (environment.folder / "test_vault.py").write_text(TEST, encoding="utf-8")
    option = ("-o", "devchain_artifacts=Vault.json")
    out = environment.run(str(environment.python), "-m", "pytest", "-q", *option, "test_vault.py")
    assert "1 passed" in out, out


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Check the files, then use the wheel."""
    parser = argparse.ArgumentParser(prog="python -m tests.release")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environment")
    arguments = parser.parse_args()
    check_wheel()
    check_sdist()
    with tempfile.TemporaryDirectory(prefix="devchain-") as folder:
        environment = Environment(Path(folder), arguments.python)
        write_sbom(environment)
        use_commands(environment)
        use_plugin(environment)
        say(f"used with {environment.run(str(environment.python), '-VV').split(' (')[0]}")


if __name__ == "__main__":
    main()
