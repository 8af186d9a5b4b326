"""`devchain.server.ipc`"""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devchain.errors import AddressInUse, ConfigError
from devchain.server.events import Event, RequestServed
from devchain.server.ipc import JsonSplitter, MessageTooLong, unix_listener
from tests.server.live import CHAIN_ID, CONFIG, EMIT_LOGS, GET_LOGS, LOGS, serving


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """The path of the socket, relative: that of a temporary folder can be too long."""
    before = Path.cwd()
    os.chdir(tmp_path)
    yield Path("node.ipc")
    os.chdir(before)


@contextmanager
def connected(place: Path) -> Iterator[socket.socket]:
    """A connection that times out after a while."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(10)
        sock.connect(os.fspath(place))
        yield sock


def lines(sock: socket.socket, count: int) -> list[Any]:
    """That many messages from the node."""
    received = b""
    while received.count(b"\n") < count:
        data = sock.recv(65_536)
        assert data, received
        received += data
    return [json.loads(line) for line in received.splitlines()]


def split(splitter: JsonSplitter, data: bytes) -> list[bytes]:
    """The values that are complete with these bytes."""
    splitter.feed(data)
    values = []
    while splitter.has_input:
        values.append(splitter.next_value())
    return [each.strip() for each in values if each is not None]


class TestJsonSplitter:
    @pytest.mark.parametrize(
        ("stream", "values"),
        [
            (b'{"a":1}{"b":2}', [b'{"a":1}', b'{"b":2}']),
            (b' {"a":1}\n\n[1, {"b":[2]}] \n', [b'{"a":1}', b'[1, {"b":[2]}]']),
            (b'{"}{":"\\"}{\\\\"}{}', [b'{"}{":"\\"}{\\\\"}', b"{}"]),
            (b'12\n"a {"\n{}', [b"12", b'"a {"', b"{}"]),
            (b"]{}\n", [b"]", b"{}"]),
        ],
        ids=["joined", "spaced", "strings", "scalars", "unbalanced"],
    )
    @pytest.mark.parametrize("size", [1, 3, 100])
    def test_values(self, stream: bytes, values: list[bytes], size: int) -> None:
        """Values are separated however the bytes are split."""
        splitter = JsonSplitter(1_000)
        pieces = [stream[place : place + size] for place in range(0, len(stream), size)]

        assert [value for piece in pieces for value in split(splitter, piece)] == values

    def test_too_long(self) -> None:
        """A value that is longer than the limit is refused."""
        splitter = JsonSplitter(10)

        with pytest.raises(MessageTooLong):
            split(splitter, b"[" + b" " * 10)


class TestIpcConnection:
    def test_calls(self, place: Path) -> None:
        """Calls are answered in order, each on a line."""
        events: list[Event] = []
        with serving(replace(CONFIG, ipc=str(place)), events.append), connected(place) as sock:
            sock.sendall(CHAIN_ID * 2 + b"[" + CHAIN_ID + b"]{]")

            first, second, batch, broken = lines(sock, 4)

        assert (first["result"], second["result"], batch[0]["result"]) == ("0x1f",) * 3
        assert broken["error"]["code"] == -32700
        assert {each.via for each in events if isinstance(each, RequestServed)} == {"ipc"}

    def test_long_answer(self, place: Path) -> None:
        """Logs come in pieces, on one line."""
        with serving(replace(CONFIG, ipc=str(place))), connected(place) as sock:
            sock.sendall(EMIT_LOGS + GET_LOGS + CHAIN_ID)

            _, answer, last = lines(sock, 3)

        assert len(answer["result"]) == LOGS
        assert last["result"] == "0x1f"

    def test_subscription(self, place: Path) -> None:
        """Notifications come without a request."""
        with serving(replace(CONFIG, ipc=str(place))), connected(place) as sock:
            sock.sendall(b'{"id":1,"method":"eth_subscribe","params":["newHeads"]}')
            [answer] = lines(sock, 1)
            with connected(place) as other:
                other.sendall(b'{"id":1,"method":"evm_mine"}')
                lines(other, 1)

            [notification] = lines(sock, 1)

        assert notification["params"]["subscription"] == answer["result"]
        assert notification["params"]["result"]["number"] == "0x1"

    def test_half_closed_later(self, place: Path) -> None:
        """Such a connection ends with the last answer."""
        with serving(replace(CONFIG, ipc=str(place))), connected(place) as sock:
            sock.sendall(CHAIN_ID * 50)
            sock.shutdown(socket.SHUT_WR)
            received = b""
            while data := sock.recv(65_536):
                received += data

        assert received.count(b"0x1f") == 50

    def test_too_long(self, place: Path) -> None:
        """A client that sends too long a message is disconnected; the others are not."""
        with serving(replace(CONFIG, ipc=str(place))), connected(place) as other:
            with connected(place) as sock, suppress(OSError):  # reset, or in the middle of it
                sock.sendall(b"[" + b" " * 1_000_000)
                assert sock.recv(10) == b""
            other.sendall(CHAIN_ID)

            assert lines(other, 1)[0]["result"] == "0x1f"

    def test_stop(self, place: Path) -> None:
        """When the server stops, connections end and the file is removed."""
        with ExitStack() as stack:
            with serving(replace(CONFIG, ipc=str(place))):
                sock = stack.enter_context(connected(place))
                sock.sendall(CHAIN_ID)
                lines(sock, 1)

            assert sock.recv(10) == b""
        assert not place.exists()


class TestUnixListener:
    def test_permissions(self, place: Path) -> None:
        """Only the owner may connect."""
        with unix_listener(str(place)):
            assert stat.S_IMODE(place.stat().st_mode) == 0o600

    def test_in_use(self, place: Path) -> None:
        """A socket that a process listens on is left alone."""
        with unix_listener(str(place)):
            with (
                pytest.raises(AddressInUse, match="another process listens"),
                unix_listener(str(place)),
            ):
                pass

            assert place.exists()

    def test_left_behind(self, place: Path) -> None:
        """A socket that no process listens on is replaced."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
            dead.bind(os.fspath(place))

        with unix_listener(str(place)), connected(place):
            pass

        assert not place.exists()

    def test_no_socket(self, place: Path) -> None:
        """A file that is no socket is never removed."""
        place.write_text("precious")

        with pytest.raises(ConfigError, match="is no socket"), unix_listener(str(place)):
            pass

        assert place.read_text() == "precious"

    def test_replaced(self, place: Path) -> None:
        """A file that another process has put there meanwhile stays."""
        with unix_listener(str(place)):
            place.unlink()
            place.write_text("another's")

        assert place.exists()

    @pytest.mark.parametrize(
        ("path", "words"),
        [("no/such/folder/x", "No such file"), ("x" * 200, "too long for a socket")],
    )
    def test_impossible(self, place: Path, path: str, words: str) -> None:
        """A path where no socket can be created is refused with the reason."""
        with pytest.raises(ConfigError, match=words), unix_listener(path):
            pass
