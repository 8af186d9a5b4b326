"""`devchain.cli.log_file`"""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from devchain.cli import log_file
from devchain.cli.log_file import LogFile, read_log, rotated_path

CRASHING = """
import sys
from pathlib import Path
from devchain.cli.log_file import LogFile

log = LogFile(Path(sys.argv[1]), max_bytes=10)
log.redirect_standard_streams()
log.write("more than ten characters\\n")
raise SystemExit("the end")
"""


class TestLogFile:
    def test_limit(self, tmp_path: Path) -> None:
        """At the limit the log is rotated; one rotated log is kept."""
        path = tmp_path / "x.log"
        with LogFile(path, max_bytes=10) as log:
            for number in range(7):
                log.write(f"{number} 45\n")

        assert path.read_text() == "6 45\n"
        assert rotated_path(path).read_text() == "3 45\n4 45\n5 45\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_new_node(self, tmp_path: Path) -> None:
        """A new node of the same name rotates the log."""
        path = tmp_path / "x.log"
        for text in ("one", "two"):
            with LogFile(path) as log:
                log.write(text)

        assert (path.read_text(), rotated_path(path).read_text()) == ("two", "one")

    def test_any_text(self, tmp_path: Path) -> None:
        """A lone surrogate is written escaped."""
        with LogFile(tmp_path / "x.log") as log:
            log.write("\ud800é\n")

        assert (tmp_path / "x.log").read_text(encoding="utf-8") == "\\ud800é\n"

    def test_crash(self, tmp_path: Path) -> None:
        """Output to stderr when the process ends is in the newest file."""
        path = tmp_path / "x.log"
        subprocess.run([sys.executable, "-c", CRASHING, path], check=False)

        assert path.read_text() == "the end\n"


class TestRead:
    @pytest.mark.parametrize(("count", "lines"), [(None, "abc"), (2, "bc"), (0, "")])
    def test_last_lines(self, tmp_path: Path, count: int | None, lines: str) -> None:
        """All lines of a log are read, or the last ones."""
        path = tmp_path / "x.log"
        path.write_text("a\nb\nc\n")

        assert "".join(read_log(path, lambda: False, count)).replace("\n", "") == lines

    def test_follow(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Lines written later are read too, across a rotation, each exactly once."""
        monkeypatch.setattr(log_file, "POLL_SECONDS", 0)
        path = tmp_path / "x.log"
        log = LogFile(path, max_bytes=8)
        log.write("one\n")
        steps = iter(["two\n", "three\n", "four\n", ""])

        def keep_following() -> bool:
            log.write(text := next(steps))
            return bool(text)

        assert list(read_log(path, keep_following)) == ["one\n", "two\n", "three\n", "four\n"]
        log.close()
