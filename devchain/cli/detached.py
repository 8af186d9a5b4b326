"""Nodes in the background: the process that starts one, and the process that is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, TextIO, cast
from urllib.parse import urlsplit

from devchain.cli import output
from devchain.cli.commands.start import check_files, interruptible, serve_on
from devchain.cli.log_file import LogFile
from devchain.cli.node_records import Claim, Record, checked_name, log_path, state_directory
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import DevchainError

# -P: nothing is imported from the folder the user happens to be in.
COMMAND = [sys.executable, "-P", "-m", "devchain.cli.detached"]
ANSWER_SECONDS = 30.0


class StartFailed(DevchainError):
    """A node in the background did not start."""


def launch(configs: Sequence[Config], name: str | None) -> None:
    """Start a node in the background and say where it is once it answers.

    Raises `StartFailed` with the reason when it does not start.
    """
    check_files(configs)
    folder = state_directory()
    if name is not None:
        checked_name(name)
    order = {"name": name, "folder": str(folder), "configs": [asdict(each) for each in configs]}
    record = _started(json.dumps(order))
    _wait_for_answer(record)
    _tell(record, log_path(folder, record["name"]), configs[0])


def _started(order: str) -> dict[str, Any]:
    """What a new process, which is to carry out the order, says of its node."""
    # Keys and words go through a pipe: a command line is for all to see.
    process = subprocess.Popen(  # noqa: S603  # the command is ours
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said = _told(process, order)
    except BaseException:
        process.kill()
        process.wait()
        raise
    if "error" in said:
        process.wait()
        raise StartFailed(said["error"])
    process.returncode = 0  # it lives on: nobody is to wait for it
    return said


def _told(process: subprocess.Popen[str], order: str) -> dict[str, Any]:
    """The last line a process says: its record as JSON, or words in which it failed."""
    with suppress(BrokenPipeError), cast(TextIO, process.stdin) as orders:
        orders.write(order)
    with cast(TextIO, process.stdout) as words:
        lines = words.read().splitlines()  # until the node's log takes over
    last = lines[-1] if lines else "the node ended without a word"
    with suppress(ValueError):
        said = json.loads(last)
        if isinstance(said, dict):
            return said
    return {"error": last}


def _wait_for_answer(record: dict[str, Any]) -> None:
    """Return when the node has answered a request."""
    parts = urlsplit(record["url"])
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=ANSWER_SECONDS)
    with closing(connection):
        try:
            connection.request("GET", "/health")
            connection.getresponse().read()
        except (OSError, HTTPException) as error:
            msg = f"{record['name']} listens but does not answer ({error}): see devchain logs"
            raise StartFailed(msg) from None


def _tell(record: dict[str, Any], log: Path, config: Config) -> None:
    if config.log_format == "json":
        told = {"event": "listening", **record, "log": str(log)}
        output.write(json.dumps(told))
        return
    if not config.quiet:
        output.field("Name", (record["name"], output.NAME))
        output.field("Log", f"devchain logs {record['name']}")
        output.field("Stop", f"devchain stop {record['name']}")
    place = "/<API_KEY>" if config.api_key else ""
    output.write((f"Listening on {record['url']}{place}", output.GOOD))


# The process that is the node


def main() -> int:
    """Carry out the order on standard input; the first line written says how it went."""
    order = json.load(sys.stdin)
    configs = [_config(each) for each in order["configs"]]
    report = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    try:
        with interruptible():
            _serve(configs, Path(order["folder"]), order["name"], report)
    except DevchainError as refusal:
        _say(report, {"error": str(refusal)})
        return 1
    except Exception as bug:
        _say(report, {"error": f"a bug in devchain: {type(bug).__name__}: {bug}; see its log"})
        raise
    return 0


def _serve(configs: Sequence[Config], folder: Path, name: str | None, report: TextIO) -> None:
    from devchain.server.serve import bind

    with ExitStack() as stack:
        sock = stack.enter_context(bind(configs[0].host, configs[0].port))
        port = sock.getsockname()[1]
        name = name or f"{configs[0].network}-{port}"
        claim = Claim(folder, name)
        stack.callback(claim.release)
        log = stack.enter_context(LogFile(log_path(folder, name)))
        log.take_standard_streams()

        def ready(url: str) -> None:
            names = tuple(each.network for each in configs)
            record = Record(name, os.getpid(), url, port, names, Clock().now())
            claim.write(record)
            _say(report, asdict(record))

        stream = cast(TextIO, log)
        serve_on(sock, configs, stream, stream, ready)


def _say(report: TextIO, what: dict[str, Any]) -> None:
    """Tell whoever started this process, if still there, and close the pipe; once."""
    with suppress(OSError, ValueError), report:
        report.write(json.dumps(what) + "\n")


def _config(values: dict[str, Any]) -> Config:
    """A configuration that has been JSON on its way."""
    given: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in values.items()
    }
    return Config(**given)


if __name__ == "__main__":
    sys.exit(main())
