"""Runs the code blocks of a page of the documentation. CONTRIBUTING.md has the convention."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

from tests.projects.__main__ import node_environment, npm_ci

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^( *)```(\w*) *(.*?)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"<!-- (.*): made by `make docs` -->\n.*?<!-- end of \1 -->", re.DOTALL)
MARK = re.compile(r"<!-- (not run|fails)(?:: ([^>]*\S))? -->\s*\Z")
NEEDS = re.compile(r"<!-- needs: (.*?) -->")
WHOLLY_GENERATED = {"docs/cli.md", "docs/config.md", "docs/rpc.md"}
INSTALLED = re.compile(r"pip install|python3? -m venv|\. \.venv|uvx? |pipx ")
"""Commands that set up what the environment of the tests has: run on pages that need pip."""

COMPILER = ROOT / "tests" / "projects" / "foundry" / "solc.cjs"
SOLJSON = "node_modules/solc/soljson.js"
NOT_COPIED = shutil.ignore_patterns("node_modules", ".*", "__pycache__")
START = re.compile(r"devchain start\b(?!.*(--detach|--help))")
EVALUATE = """
import contextlib, io, json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    printed, failure = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line), "block", "exec"), names)
        except BaseException:
            failure = traceback.format_exc()
    print(json.dumps([printed.getvalue(), failure]), flush=True)
"""


@dataclass(frozen=True)
class Block:
    """A fenced code block; `mark` is what the comment before it says."""

    line: int
    language: str
    title: str
    text: str
    mark: str
    reason: str


def pages() -> list[Path]:
    """README and the pages of `docs/` that are not made from the code alone."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [each for each in found if str(each.relative_to(ROOT)) not in WHOLLY_GENERATED]


def needs(page: Path) -> set[str]:
    """The programs that fetch packages for a page: `npm`, `pip`."""
    found = NEEDS.search(page.read_text(encoding="utf-8"))
    return set(found[1].split(", ")) if found else set()


def page_parameters(*, fetching: bool) -> list[object]:
    """The pages that fetch packages, or those that do not, as parameters of a test."""
    chosen = [each for each in pages() if bool(needs(each)) == fetching]
    return [pytest.param(each, id=str(each.relative_to(ROOT))) for each in chosen]


def blocks(page: Path) -> Iterator[Block]:
    """The code blocks of a page, without those that `make docs` writes."""
    text = GENERATED.sub(lambda found: "\n" * found[0].count("\n"), page.read_text("utf-8"))
    for found in FENCE.finditer(text):
        mark = MARK.search(text, 0, found.start())
        title = re.search(r'title="(.*?)"', found[3])
        yield Block(
            text.count("\n", 0, found.start()) + 1,
            found[2],
            title[1] if title else "",
            re.sub(f"^{found[1]}", "", found[4], flags=re.MULTILINE),
            mark[1] if mark else "",
            (mark[2] or "") if mark else "",
        )


class PageRun:
    """A page that is run in a folder, with ports of its own in place of those that it names."""

    def __init__(self, page: Path, folder: Path) -> None:
        """Give each port that the page names a free one."""
        self.page, self.folder, self.fetches = page, folder / "page", needs(page)
        self.folder.mkdir()
        if any("examples/" in each.text for each in blocks(page)):
            shutil.copytree(ROOT / "examples", self.folder / "examples", ignore=NOT_COPIED)
        self.state = folder / "state"
        named = set(re.findall(r"--(?:bitcoin-)?port[ =](\d{4,5})", page.read_text("utf-8"))) | {
            "4444"
        }
        self.ports = dict(zip(sorted(named), _free_ports(len(named)), strict=True))
        self.processes: list[subprocess.Popen[str]] = []
        self.python: subprocess.Popen[str] | None = None
        self.output = ""
        self.environment = os.environ | {
            "COLUMNS": "100",
            "DEVCHAIN_PORT": self.ports["4444"],
            "DEVCHAIN_URL": f"http://127.0.0.1:{self.ports['4444']}",
            "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true",
            "HOME": str(folder),
            "PATH": os.pathsep.join([str(self._programs(folder)), self._path()]),
            "PIP_CACHE_DIR": os.environ.get(
                "PIP_CACHE_DIR", str(Path("~/.cache/pip").expanduser())
            ),
            "NPM_CONFIG_CACHE": str(Path("~/.npm").expanduser()),
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_STATE_HOME": str(folder),
        }
        self._install_compiler(folder)
        for name in ("CI", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER"):
            self.environment.pop(name, None)
        if any("@given" in each.text for each in blocks(page)):
            self.environment["PYTEST_ADDOPTS"] = "--hypothesis-seed=1"  # the page shows a finding

    def __enter__(self) -> Self:
        """Run blocks with `run`."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """End the processes that the page has started."""
        for record in (self.state.parent / "devchain").glob("*.json"):
            with suppress(OSError, ValueError, KeyError):
                os.kill(json.loads(record.read_text())["pid"], 15)
        for process in [*self.processes, *filter(None, [self.python])]:
            process.terminate()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()

    def run(self) -> None:
        """Run each block in its turn."""
        for block in blocks(self.page):
            self.where = f"{self.page.relative_to(ROOT)}:{block.line}"
            if block.mark == "not run":
                continue
            text = self._replaced(block.text, self.ports)
            if block.title:
                path = self.folder / block.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            elif block.language == "console":
                self._run_console(text, fails=block.mark == "fails")
            elif block.language == "python":
                self._run_python(text)
            elif block.language == "text":
                self._compare(text)
            else:
                pytest.fail(f"{self.where}: a block that is neither run nor written to a file")

    def _run_console(self, text: str, *, fails: bool) -> None:
        commands = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
        assert commands, f"{self.where}: no command after `$ `"
        for number, (command, shown) in enumerate(commands):
            if INSTALLED.match(command) and "pip" not in self.fetches:
                continue
            if START.match(command):
                self._start(command)
            else:
                code = self._shell(command)
                expected = fails and number == len(commands) - 1
                assert bool(code) == expected, f"{self.where}: {command}\n{self.output}"
            if shown:
                self._compare(shown)

    def _start(self, command: str) -> None:
        process = self._popen(["bash", "-c", f"{self._entered()} exec {command} 2>&1"])
        self.processes.append(process)
        self.output, out = "", process.stdout
        assert out is not None
        for line in out:
            self.output += line
            if line.startswith("Listening on"):
                break
        else:
            pytest.fail(f"{self.where}: {command}\n{self.output}")
        threading.Thread(target=lambda: [*out], daemon=True).start()  # its log fills no pipe

    def _shell(self, command: str) -> int:
        kept = f'{{ export -p; printf "cd %q\\n" "$PWD"; }} > {self.state}'
        script = f"{self._entered()}\n{command}\ncode=$?; {kept}; exit $code"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=600,
        )
        self.output = done.stdout
        return done.returncode

    def _entered(self) -> str:
        return f"[ ! -f {self.state} ] || . {self.state};"

    def _run_python(self, text: str) -> None:
        if self.python is None:
            self.python = self._popen([self._interpreter(), "-c", EVALUATE])
        assert self.python.stdin is not None
        assert self.python.stdout is not None
        self.python.stdin.write(json.dumps(text) + "\n")
        self.python.stdin.flush()
        answer = self.python.stdout.readline()
        assert answer, f"{self.where}: the interpreter has ended"
        self.output, failure = json.loads(answer)
        assert not failure, f"{self.where}: {failure}"

    def _popen(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _compare(self, shown: str) -> None:
        pattern = ".*".join(map(re.escape, re.split(r"\.\.\.|…", self._lines(shown))))
        actual = self._lines(self.output)
        assert re.fullmatch(pattern, actual, re.DOTALL), f"{self.where}: printed\n{actual}"

    def _lines(self, text: str) -> str:
        named = self._replaced(text, {free: named for named, free in self.ports.items()})
        return "\n".join(line.rstrip() for line in named.strip("\n").splitlines())

    def _replaced(self, text: str, ports: Mapping[str, str]) -> str:
        return re.sub(rf"\b({'|'.join(ports)})\b", lambda found: ports[found[0]], text)

    def _programs(self, folder: Path) -> Path:
        """The folder of `python`, `pytest` and `devchain`; one of the page's if it fetches."""
        if "pip" not in self.fetches:
            return Path(sys.executable).parent
        own = folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", str(own)], check=True)
        (packages,) = own.glob("lib/python*/site-packages")
        shared = (each for each in sys.path if each.endswith("site-packages"))
        (packages / "shared.pth").write_text("\n".join([*shared, str(ROOT)]))
        for name in ("devchain", "pytest"):
            script = shutil.which(name, path=str(Path(sys.executable).parent))
            assert script is not None
            _, *lines = Path(script).read_text(encoding="utf-8").splitlines(keepends=True)
            (own / "bin" / name).write_text("".join([f"#!{own}/bin/python\n", *lines]))
            (own / "bin" / name).chmod(0o755)
        return own / "bin"

    def _path(self) -> str:
        return node_environment(needs_new="node 22" in self.fetches)["PATH"]

    def _install_compiler(self, home: Path) -> None:
        """Put solc of the npm registry where Hardhat, forge and py-solc-x keep downloads."""
        if "solc" not in self.fetches:
            return
        npm_ci(COMPILER.parent)
        version, build = "0.8.28", "0.8.28+commit.7893614a"
        name = f"solc-{build}"
        listed = {"path": name, "version": version, "longVersion": build}
        listing = json.dumps({"builds": [listed], "releases": {version: name}})
        hardhat = home / "cache" / "hardhat-nodejs"
        for path, compiler in (
            (hardhat / "compilers-v2" / "linux-amd64" / name, COMPILER),
            (hardhat / "compilers-v3" / "linux-amd64" / name, COMPILER),
            (hardhat / "compilers-v3" / "wasm" / name, COMPILER.parent / SOLJSON),
            (home / ".svm" / version / f"solc-{version}", COMPILER),
            (home / ".solcx" / f"solc-v{version}", COMPILER),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(compiler)
            if path.name == name:
                (path.parent / "list.json").write_text(listing)

    def _interpreter(self) -> str:
        found = shutil.which("python", path=self.environment["PATH"])
        assert found is not None
        return found


def _free_ports(count: int) -> list[str]:
    # Below those that the system gives to programs that ask for any; each process begins elsewhere.
    found: list[str] = []
    for port in range(20_000 + 50 * (os.getpid() % 200), 32_000):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(str(port))
        if len(found) == count:
            break
    return found
