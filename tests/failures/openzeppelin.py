"""Whether source traces are true for what OpenZeppelin's own tests make revert. Run by hand:

    .venv/bin/python -m tests.failures.openzeppelin [PROJECT] [--ir] [--minutes N] [TEST FILE ...]

PROJECT is a folder with OpenZeppelin's repository, of which the package on npm has no tests; it is
cloned if there is none (`--source` names another place to clone from), and what it needs comes with
npm. The project is compiled as its own configuration says (with `--ir` via IR), its tests run
against a node here, and every request that fails is explained at once. Each failure that differs by
called function, reason and places is checked against the sources: the statement at the innermost
place must be one that fails with that payload, each other one must call the function of the next
frame. What agrees is read from the text alone, not by devchain's code. Printed are the counts and
every trace that is not right. Exits with 1 if a trace is wrong or silent, or if fewer than 200
failures that differ by place and reason were found, or none where test files are named.

It takes 4 GB of memory and, on two free cores, a quarter of an hour, a third of it to compile.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import orjson
from eth_hash.auto import keccak

from devchain import Config, Node
from devchain.rpc.dispatch import Dispatcher

SOURCE, RELEASE = "https://github.com/OpenZeppelin/openzeppelin-contracts", "v5.4.0"
COMPILER = "solc@0.8.27"
PROJECT = Path("openzeppelin-contracts")
ENOUGH = 200
TESTS = (
    "token", "access/*.js", "access/extensions", "access/manager/AccessManaged.test.js",
    "governance/TimelockController.test.js", "metatx", "proxy", "utils/*.js",
    "utils/introspection", "utils/math", "utils/structs", "utils/types",
)  # fmt: skip
"""What is cheap and reverts often, below `test`; not what needs the Governor or an account."""

CONFIG = "devchain.config.js"
CONFIG_TEXT = """\
const config = require("./hardhat.config.js");
const { subtask } = require("hardhat/config");
const names = require("hardhat/builtin-tasks/task-names");

// The compiler comes with npm, too, so that nothing is downloaded from elsewhere.
subtask(names.TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: require.resolve("solc/soljson.js"),
  isSolcJs: true,
  version: solcVersion,
  longVersion: require("solc").version(),
}));

// Of these contracts no test is run, and they take most of the time.
const left = /governance.(Governor|ext)|mocks.(docs|governance|account)|contracts.account/;
subtask(names.TASK_COMPILE_SOLIDITY_GET_SOURCE_PATHS, async (_, __, runSuper) =>
  (await runSuper()).filter((path) => !left.test(path)),
);

// The compiler does not have the memory for all of it at once.
const parts = {};
subtask(names.TASK_COMPILE_SOLIDITY_GET_COMPILATION_JOB_FOR_FILE, async (params, _, runSuper) => {
  const job = await runSuper(params);
  const folders = params.file.sourceName.split("/").slice(1, -1);
  const part = folders.slice(0, folders[0] === "mocks" ? 2 : 1).join("/");
  job.solidityConfig = parts[part] ??= { ...job.solidityConfig };
  return job;
});

const url = process.env.DEVCHAIN_URL ?? "http://127.0.0.1:8545";
config.networks.devchain = { url, timeout: 600_000 };
module.exports = config;
"""

TEXT, PANIC = "08c379a0", "4e487b71"
INVALID = "invalid opcode"
"""Stands for the payload of what ended with an invalid opcode."""

PANICS = {
    0x01: r"\bassert\b", 0x11: r"[-+*]", 0x12: r"[/%]", 0x21: r"\w\s*\(", 0x22: r"\w",
    0x31: r"\.pop\s*\(", 0x32: r"\[", 0x41: r"\bnew\b|\[", 0x51: r"\w\s*\(",
}  # fmt: skip
"""What a statement has that fails with each of Solidity's panics."""

PAYLOAD = r"\brevert\s*\((?=[^\"']*,)"
"""A `revert` of assembly, which has two operands and any payload."""
BARE = (
    r"\brevert\s*\(\s*\)|\brequire\s*\([^\"',]*\)|\.\w+\s*(\{.*\})?\(|abi\.decode|\bnew\b"
    r"|\[[^\]]*:[^\]]*\]"
)
"""Statements that fail without a payload: also calls of what is no contract, or answers nothing.

And slices of call data.
"""
ENTRY = r"\b(function|contract|library|constructor|receive|fallback|public)\b"
LOW_LEVEL = r"(call|Call|create2?|staticcall|execute\w*)\s*(\{.*\})?\("
CREATION = r"\bnew\b|\bcreate2?\s*\(|deploy\w*\("
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Failure:
    """A request that failed: what it called, the payload as hex digits, and the source trace."""

    called: str
    payload: str
    trace: dict[str, Any] | None

    @property
    def reason(self) -> str:
        """The selector of a custom error, else the whole payload."""
        return self.payload if self.payload[:8] in {TEXT, PANIC} else self.payload[:8]

    @property
    def places(self) -> tuple[str, ...]:
        """File and line of each frame."""
        frames = self.trace["frames"] if self.trace else []
        return tuple(f"{each['path']}:{each['line']}" for each in frames)


class Collector(ThreadingHTTPServer):
    """Serves a node, and keeps what fails with its explanation, once for each kind of failure."""

    def __init__(self, node: Node) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.dispatcher = Dispatcher(node, revert_code=node.config.revert_code)
        self.lock = Lock()
        self.found: dict[tuple[str, str, tuple[str, ...]], Failure] = {}
        self.counts: Counter[str] = Counter()

    def serve(self, body: bytes) -> bytes:
        """Answer a request or a batch, and explain what failed of it."""
        with self.lock:
            answer = self.dispatcher.serve_now(body) or b""
            requests, replies = orjson.loads(body), orjson.loads(answer or b"null")
            batch = zip(requests, replies) if isinstance(requests, list) else [(requests, replies)]  # noqa: B905
            for request, reply in batch:
                data = ((reply or {}).get("error") or {}).get("data")
                if data is not None:
                    self._explain(request["method"], request.get("params", []), data)
            return answer

    def _explain(self, method: str, params: list[Any], data: Any) -> None:
        hashed = data.get("txHash") if isinstance(data, dict) else None
        payload = data.get("data", "0x") if isinstance(data, dict) else data
        if hashed:
            explained = self._ask("devchain_explainTransaction", hashed)
        elif method in {"eth_call", "eth_estimateGas"}:
            block = params[1:2] or ["pending" if method == "eth_estimateGas" else "latest"]
            explained = self._ask("devchain_explainCall", params[0], *block)
        else:
            explained = None
        if not explained or not explained["failure"]:
            self.counts["failed otherwise when asked again"] += 1
            return
        self.counts["failing requests"] += 1
        if explained["failure"].startswith("out of gas"):
            self.counts["out of gas"] += 1
            return
        if explained["failure"].startswith(INVALID):
            payload = INVALID
        called = (explained["called"] or "unknown").partition("(")[0]
        failure = Failure(called, payload.removeprefix("0x"), explained["sourceTrace"])
        self.found.setdefault((called, failure.reason, failure.places), failure)

    def _ask(self, method: str, *params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        reply = orjson.loads(self.dispatcher.serve_now(orjson.dumps(body)) or b"{}")
        return reply.get("result")


class Handler(BaseHTTPRequestHandler):
    """One connection of the test-suite."""

    server: Collector
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer a request."""
        answer = self.server.serve(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def prepare(project: Path, source: str) -> None:
    """Clone the project and install what it needs, unless that has been done."""
    if not (project / "package.json").exists():
        clone = ["git", "clone", "--depth", "1", "--branch", RELEASE, source, str(project)]
        subprocess.run(clone, check=True)
    if not (project / "node_modules" / "solc").exists():
        quiet = ["--no-audit", "--no-fund"]
        subprocess.run(["npm", "ci", *quiet], cwd=project, check=True)
        subprocess.run(["npm", "install", *quiet, "--no-save", COMPILER], cwd=project, check=True)


def collect(
    project: Path, tests: list[str], *, via_ir: bool, hardfork: str, seconds: float | None
) -> Collector:
    """Compile a project and run its tests, for no longer than that; returns what failed in them."""
    (project / CONFIG).write_text(CONFIG_TEXT)
    environment = os.environ | {"IR": str(via_ir).lower(), "EVM": hardfork}
    environment["HARDHAT_DISABLE_TELEMETRY_PROMPT"] = "true"
    hardhat = [str(project / "node_modules" / ".bin" / "hardhat"), "--config", CONFIG]
    subprocess.run(
        [*hardhat, "compile", "--concurrency", "2"], cwd=project, env=environment, check=True
    )
    node = Node(
        Config(
            like="hardhat",
            hardfork=hardfork,
            unlimited_contract_size=True,
            request_timeout=0,
            artifacts=(str(project),),
        )
    )
    server = Collector(node)
    Thread(target=server.serve_forever, daemon=True).start()
    environment["DEVCHAIN_URL"] = f"http://127.0.0.1:{server.server_port}"
    run = [*hardhat, "--network", "devchain", "test", "--no-compile", *tests]
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(run, cwd=project, env=environment, check=False, timeout=seconds)
    server.shutdown()
    return server


def test_files(project: Path) -> list[str]:
    """The files of `TESTS`."""
    folder = project / "test"
    return [
        str(each.relative_to(project))
        for pattern in TESTS
        for found in sorted(folder.glob(pattern))
        for each in (sorted(found.rglob("*.test.js")) if found.is_dir() else [found])
        if each.name.endswith(".test.js")
    ]


# The check


@cache
def read_source(path: Path) -> str:
    """A source with blanks in place of its comments."""
    text = path.read_text(encoding="utf-8")
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


@dataclass(frozen=True)
class Sources:
    """The sources of a project, and the names of its custom errors by selector."""

    project: Path
    errors: dict[str, str]

    def statement(self, frame: dict[str, Any]) -> str:
        """The statement, or head of a function, that starts on the line of a frame."""
        lines = read_source(self.project / frame["path"]).splitlines(keepends=True)
        rest, depth = "".join(lines[frame["line"] - 1 :]).lstrip(), 0
        for index, each in enumerate(rest):
            is_block = each == "{" and not re.match(r"\w", rest[index - 1 : index])
            if depth <= 0 and index and (each in ";}" or is_block):
                return rest[:index]
            depth += (each in "([{") - (each in ")]}")
        return rest

    def fails(self, frame: dict[str, Any], payload: str) -> bool:
        """Whether the statement of a frame is one that fails with a payload."""
        text = self.statement(frame)
        if payload == INVALID:
            return bool(re.search(r"\binvalid\s*\(\s*\)", text))
        selector, body = payload[:8], bytes.fromhex(payload[8:])
        if not payload:
            return bool(re.search(ENTRY if frame["note"] else f"{BARE}|{PAYLOAD}", text))
        if re.search(PAYLOAD, text) and not re.match(r"\s*require", text):
            return True
        if selector == TEXT:
            said = body[64 : 64 + int.from_bytes(body[32:64], "big")].decode(errors="replace")
            is_computed = re.search(r"\b(revert|require)\b", text) and not re.search(r"[\"']", text)
            return f'"{said}"' in text or f"'{said}'" in text or bool(is_computed)
        if selector == PANIC:
            return bool(re.search(PANICS.get(int.from_bytes(body, "big"), "$^"), text))
        name = self.errors.get(selector)
        return bool(name and re.search(rf"\b(revert|require)\b.*\b{name}\s*\(", text, re.DOTALL))

    def calls(self, frame: dict[str, Any], callee: dict[str, Any]) -> bool:
        """Whether the statement of a frame calls the function of the next one."""
        text = self.statement(frame)
        name, contract = callee["function"] or "", callee["contract"] or ""
        if callee["kind"] == "constructor" or name == "constructor":
            return bool(re.search(CREATION, text)) or contract in text
        if name.startswith("0x"):
            return "(" in text  # the contract has no function of that selector
        is_named = name and re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text)
        return bool(is_named or re.search(LOW_LEVEL, text))


def read_sources(project: Path) -> Sources:
    """The sources of a project that was compiled."""
    errors = {}
    for path in (project / "artifacts").rglob("*.sol/*.json"):
        for each in orjson.loads(path.read_bytes()).get("abi", ()):
            if each["type"] == "error":
                types = ",".join(_type(parameter) for parameter in each["inputs"])
                errors[keccak(f"{each['name']}({types})".encode())[:4].hex()] = each["name"]
    return Sources(project, errors)


def _type(parameter: dict[str, Any]) -> str:
    if not parameter["type"].startswith("tuple"):
        return str(parameter["type"])
    inner = ",".join(_type(each) for each in parameter["components"])
    return f"({inner}){parameter['type'].removeprefix('tuple')}"


RIGHT, NEAR, OFF = "right", "approximate and right", "approximate and elsewhere"
WRONG, SILENT = "wrong", "silent"


def verdict(sources: Sources, failure: Failure) -> tuple[str, str]:
    """Whether a trace agrees with the sources, and of which frame it does not."""
    frames = failure.trace["frames"] if failure.trace else []
    if not frames or not frames[-1]["line"]:
        return SILENT, ""
    first = frames[0]
    is_entry = first["kind"] in {"fallback", "receive", "constructor"} or first["note"]
    is_entry = is_entry or failure.called.startswith("new ")  # also of the constructors of bases
    if first["function"] and not is_entry and not failure.called.endswith(first["function"]):
        return WRONG, f"{failure.called} begins in {first['function']}"
    worst, why = RIGHT, ""
    for number, each in enumerate(frames):
        if not each["line"]:
            continue
        below = frames[number + 1] if number + 1 < len(frames) else None
        agrees = sources.calls(each, below) if below else sources.fails(each, failure.payload)
        if not agrees and each["confidence"] != "near":
            return WRONG, f"frame {number + 1}: {sources.statement(each)}"
        if not agrees:
            worst, why = OFF, f"frame {number + 1}: {sources.statement(each)}"
        elif each["confidence"] == "near" and worst == RIGHT:
            worst = NEAR
    return worst, why


def main() -> None:
    """Run the tests, and print how many traces are right and those that are not."""
    parser = argparse.ArgumentParser(prog="tests.failures.openzeppelin")
    parser.add_argument("--ir", action="store_true", help="compile via IR")
    parser.add_argument("--hardfork", default="prague", help="of the node and the compiler")
    parser.add_argument("--minutes", type=float, help="stop the tests after so long")
    parser.add_argument("--source", default=SOURCE, help="what to clone if there is no PROJECT")
    parser.add_argument("project", type=Path, nargs="?", default=PROJECT)
    parser.add_argument("tests", nargs="*", help="test files, relative to the project")
    options = parser.parse_intermixed_args()
    project = options.project.resolve()
    prepare(project, options.source)
    collected = collect(
        project,
        options.tests or test_files(project),
        via_ir=options.ir,
        hardfork=options.hardfork,
        seconds=options.minutes and options.minutes * 60,
    )
    found, sources = collected.found.values(), read_sources(project)
    judged = [(each, *verdict(sources, each)) for each in found]
    for failure, kind, why in judged:
        if kind != RIGHT:
            lines = failure.trace["text"] if failure.trace else []
            print(f"\n{kind}: {failure.called} 0x{failure.payload[:8]} {why}", *lines, sep="\n    ")  # noqa: T201
    counts = Counter(kind for _, kind, _ in judged)
    places = {(each.places[-1:], each.reason) for each in found}
    print(f"\n{dict(collected.counts)}; {len(found)} differ, {len(places)} by place and reason:")  # noqa: T201
    print({kind: counts[kind] for kind in (RIGHT, NEAR, OFF, WRONG, SILENT)})  # noqa: T201
    too_few = len(places) < (1 if options.tests else ENOUGH)
    sys.exit(1 if counts[WRONG] or counts[SILENT] or too_few else 0)


if __name__ == "__main__":
    main()
