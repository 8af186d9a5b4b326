"""`devchain start --detach`: start a daemon process that serves a node; also its program.

The command runs `python -m devchain.cli.daemon`, sends it the configuration pickled on stdin and
reads its stdout to the end. The daemon redirects its output to the node's log file, and closes the
pipe after a line with the `NodeRecord` and warnings, once the node listens, or with an error.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from typing import Any, BinaryIO, TextIO, cast

from devchain.cli import background, output
from devchain.cli.serving import check_files, listed, listen, serve_on, until_interrupted
from devchain.config import Config
from devchain.errors import DevchainError

# -P: import nothing from the current folder.
COMMAND = [sys.executable, "-P", "-m", "devchain.cli.daemon"]


def launch(configs: Sequence[Config], name: str | None) -> None:
    """Start a node in the background and print where it listens.

    Raises `DevchainError` with the reason if it does not start.
    """
    check_files(configs)
    record, warnings = _start_daemon(pickle.dumps((configs, name)))
    for warning in warnings:
        output.write_note(warning)
    if configs[0].log_format == "json":
        log = str(background.log_path(background.state_directory(), record["name"]))
        output.write_line(json.dumps({"event": "listening", **record, "log": log}))
        return
    if not configs[0].quiet:
        output.write_field("Name", (record["name"], output.NAME))
        output.write_field("Log", f"devchain logs {record['name']}")
        output.write_field("Stop", f"devchain stop {record['name']}")
        if record["bitcoin"]:
            output.write_field("Bitcoin", record["bitcoin"])
    key = "/<API_KEY>" if configs[0].api_keys else ""
    output.write_line((f"Listening on {record['url']}{key}", output.GOOD))


def _start_daemon(request: bytes) -> tuple[dict[str, Any], list[str]]:
    # Keys and mnemonics go through a pipe: other users can read a command line.
    process = subprocess.Popen(  # noqa: S603  # the command is ours
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    stdin, stdout = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
    try:
        with suppress(BrokenPipeError), stdin:
            stdin.write(request)
        with stdout:
            written = stdout.read()  # ends with the report of the daemon
    except BaseException:
        process.kill()
        process.wait()
        raise
    lines = written.decode(errors="replace").splitlines()
    last = lines[-1] if lines else "the process ended without any output"
    report: Any = None
    with suppress(ValueError):
        report = json.loads(last)
    if not isinstance(report, dict) or "error" in report:
        process.wait()
        raise DevchainError(report["error"] if isinstance(report, dict) else last)
    process.returncode = 0  # keeps Popen from warning that the process still runs
    return report["record"], report["warnings"]


# The daemon process


def main() -> int:
    """Serve the networks of the request on stdin; write the record or an error to stdout."""
    configs, name = pickle.load(sys.stdin.buffer)  # noqa: S301  # of the command
    report = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    try:
        with until_interrupted():
            _serve(configs, name, report)
    except DevchainError as error:
        _send_report(report, {"error": str(error)})
        return 1
    except Exception as bug:
        _send_report(
            report, {"error": f"a bug in devchain: {type(bug).__name__}: {bug}; see its log"}
        )
        raise
    return 0


def _serve(configs: Sequence[Config], name: str | None, report: TextIO) -> None:
    with ExitStack() as stack:
        sock = stack.enter_context(listen(configs[0]))
        file = stack.enter_context(listed(sock, configs, name, detached=True))
        path = background.log_path(background.state_directory(), file.record.name)
        log = stack.enter_context(background.LogFile(path))
        log.redirect_standard_streams()

        def on_ready(warnings: list[str]) -> None:
            _send_report(report, {"warnings": warnings, "record": asdict(file.record)})

        stream = cast(TextIO, log)
        serve_on(sock, configs, stream, stream, file, on_ready)


def _send_report(report: TextIO, content: dict[str, Any]) -> None:
    with suppress(OSError, ValueError), report:
        report.write(json.dumps(content) + "\n")


if __name__ == "__main__":
    sys.exit(main())
