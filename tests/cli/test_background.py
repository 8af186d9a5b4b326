"""`devchain.cli.background`"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from devchain.cli import background
from devchain.cli.background import (
    LogFile,
    NodeRecord,
    PidFile,
    is_running,
    parse_record,
    read_log,
    rotated_path,
    running_nodes,
    state_directory,
)
from devchain.errors import ConfigError

RECORD = NodeRecord("mine", os.getpid(), "http://127.0.0.1:4444", 4444, ("test",), 1_700_000_000)


CRASHING = """
import sys
from pathlib import Path
from devchain.cli.background import LogFile

log = LogFile(Path(sys.argv[1]), max_bytes=10)
log.redirect_standard_streams()
log.write("more than ten characters\\n")
raise SystemExit("the end")
"""


@contextmanager
def pid_file(folder: Path, record: NodeRecord = RECORD) -> Iterator[None]:
    """Hold a PID file with this record during the block."""
    file = PidFile(folder, record)
    file.write(record.url)
    try:
        yield
    finally:
        file.release()


class TestDirectory:
    def test_private(self, tmp_path: Path) -> None:
        """The folder is in XDG_STATE_HOME and accessible only to its owner."""
        (tmp_path / "devchain").mkdir(mode=0o755)
        folder = state_directory({"XDG_STATE_HOME": str(tmp_path)})

        assert folder == tmp_path / "devchain"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    @pytest.mark.parametrize("environ", [{}, {"XDG_STATE_HOME": "relative"}], ids=len)
    def test_default(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environ: dict[str, str]
    ) -> None:
        """Without an absolute XDG_STATE_HOME the folder is in ~/.local/state, as XDG specifies."""
        monkeypatch.setenv("HOME", str(tmp_path))

        assert state_directory(environ) == tmp_path / ".local/state/devchain"

    def test_symbolic_link(self, tmp_path: Path) -> None:
        """A symbolic link in place of the folder is an error."""
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "devchain").symlink_to(tmp_path / "elsewhere")

        with pytest.raises(ConfigError, match="set XDG_STATE_HOME"):
            state_directory({"XDG_STATE_HOME": str(tmp_path)})


class TestPidFile:
    def test_lock(self, tmp_path: Path) -> None:
        """A node is listed while its process has the lock; releasing it removes the file."""
        with pid_file(tmp_path):
            assert running_nodes(tmp_path) == [RECORD]
            assert is_running(tmp_path, "mine")
            assert stat.S_IMODE((tmp_path / "mine.json").stat().st_mode) == 0o600

        assert running_nodes(tmp_path) == []
        assert list(tmp_path.iterdir()) == []

    def test_name_in_use(self, tmp_path: Path) -> None:
        """Two nodes cannot have the same name."""
        with pid_file(tmp_path), pytest.raises(ConfigError, match="named mine is running"):
            PidFile(tmp_path, RECORD)

    @pytest.mark.parametrize("name", ["", "4444", "../x", "a/b", ".hidden", "a b", "ä", "x" * 65])
    def test_invalid_name(self, tmp_path: Path, name: str) -> None:
        """A name must be a valid file name and not a number."""
        with pytest.raises(ConfigError, match="invalid node name"):
            PidFile(tmp_path, replace(RECORD, name=name))

    def test_link(self, tmp_path: Path) -> None:
        """A symbolic link in place of the PID file is not followed."""
        target = tmp_path / "target"
        target.write_text("keep")
        (tmp_path / "mine.json").symlink_to(target)

        with pytest.raises(OSError, match="symbolic links"):
            PidFile(tmp_path, RECORD)
        assert target.read_text() == "keep"


class TestRunningNodes:
    def test_order(self, tmp_path: Path) -> None:
        """Nodes are listed by port."""
        other = replace(RECORD, name="a", port=4445)
        with pid_file(tmp_path, other), pid_file(tmp_path):
            assert [each.name for each in running_nodes(tmp_path)] == ["mine", "a"]

    def test_stale_file(self, tmp_path: Path) -> None:
        """An unlocked PID file is stale, even if a process with its id runs."""
        stale = tmp_path / "mine.json"
        stale.write_text(json.dumps(asdict(RECORD)))

        assert running_nodes(tmp_path) == []
        assert not stale.exists()

    def test_no_files(self, tmp_path: Path) -> None:
        """Folders, pipes and links are ignored without blocking."""
        (tmp_path / "folder.json").mkdir()
        os.mkfifo(tmp_path / "pipe.json")
        (tmp_path / "link.json").symlink_to(tmp_path / "nowhere")

        assert running_nodes(tmp_path) == []

    def test_old_logs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The newest logs of stopped nodes are kept, older ones removed."""
        monkeypatch.setattr(background, "MAX_OLD_LOGS", 1)
        for age, name in enumerate(["new", "old", "mine"]):
            (tmp_path / f"{name}.log").touch()
            (tmp_path / f"{name}.log.1").touch()
            os.utime(tmp_path / f"{name}.log", (0, 1_000 - age))
        with pid_file(tmp_path):
            running_nodes(tmp_path)

        assert {each.name for each in tmp_path.glob("*.log*")} == {
            f"{name}.log{end}" for name in ("new", "mine") for end in ("", ".1")
        }


class TestParseRecord:
    def test_written(self) -> None:
        """A written record is parsed back, one of an older version too."""
        older = {name: value for name, value in asdict(RECORD).items() if name != "detached"}
        assert parse_record(json.dumps(older).encode()) == RECORD
        assert parse_record(json.dumps(asdict(RECORD)).encode()) == RECORD

    @pytest.mark.parametrize("content", [b"", b"null", b"[]", b"{", b"\xff"], ids=len)
    def test_no_record(self, content: bytes) -> None:
        """Content that is no record is none."""
        assert parse_record(content) is None

    def test_process_group(self) -> None:
        """The id of a process group is none of a node."""
        assert parse_record(json.dumps({**asdict(RECORD), "pid": -1}).encode()) is None


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

    def test_crash(self, tmp_path: Path) -> None:
        """Output to stderr when the process ends is in the newest file."""
        path = tmp_path / "x.log"
        subprocess.run([sys.executable, "-c", CRASHING, path], check=False)

        assert path.read_text() == "the end\n"


class TestRead:
    def test_follow(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Lines written later are read too, across a rotation, each exactly once."""
        monkeypatch.setattr(background, "POLL_SECONDS", 0)
        path = tmp_path / "x.log"
        log = LogFile(path, max_bytes=8)
        log.write("one\n")
        steps = iter(["two\n", "three\n", "four\n", ""])

        def keep_following() -> bool:
            log.write(text := next(steps))
            return bool(text)

        assert list(read_log(path, keep_following)) == ["one\n", "two\n", "three\n", "four\n"]
        log.close()
