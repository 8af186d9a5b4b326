"""`devchain.server.head`"""

from __future__ import annotations

import pytest

from devchain.server import head

PLAIN = b"POST /key?a=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12"


class TestRead:
    def test_plain(self) -> None:
        """Path and headers are there, names in any case."""
        found = head.read(PLAIN)

        assert found is not None
        assert (found.verb, found.path, found.header(b"host")) == (b"POST", "/key", "localhost")
        assert found.body_length == 12

    def test_escapes(self) -> None:
        """A path's escapes are undone."""
        found = head.read(b"POST /a%20b HTTP/1.1")

        assert found is not None
        assert found.path == "/a b"

    def test_repeated(self) -> None:
        """What is said twice is one list, which no single value equals."""
        found = head.read(PLAIN + b"\r\ncontent-length: 12")

        assert found is not None
        assert found.header(b"content-length") == "12, 12"
        assert found.body_length is None

    @pytest.mark.parametrize(
        "lines",
        [
            b"",
            b"POST / HTTP/1.0\r\nHost: localhost",
            b"POST http://localhost/ HTTP/1.1",
            b"POST  / HTTP/1.1",
            b"POST /\xc3\xa9 HTTP/1.1",
            b"POST / HTTP/1.1\r\nHost localhost",
            b"POST / HTTP/1.1\r\nHost : localhost",
            b"POST / HTTP/1.1\r\nHost: localhost\r\n folded",
            b"POST / HTTP/1.1\r\nHost: local\x00host",
            b"POST / HTTP/1.1\r\nHost: localhost\nTransfer-Encoding: chunked",
            b"POST / HTTP/1.1\r\nHost: localhost\rX: y",
        ],
    )
    def test_not_plain(self, lines: bytes) -> None:
        """Whatever two servers might read in two ways is not read here."""
        assert head.read(lines) is None

    @pytest.mark.parametrize(
        "line",
        [
            b"Transfer-Encoding: chunked",
            b"Expect: 100-continue",
            b"Upgrade: h2c",
            b"Connection: close",
            b"Content-Encoding: gzip",
        ],
    )
    def test_more_than_a_body(self, line: bytes) -> None:
        """A request that asks for more than an answer has no plain body."""
        found = head.read(PLAIN + b"\r\n" + line)

        assert found is not None
        assert found.body_length is None

    @pytest.mark.parametrize("length", [b"", b"-1", b"+5", b"0x10", b"1" * 13, b"\xd9\xa1"])
    def test_bad_length(self, length: bytes) -> None:
        """A length is a few digits."""
        found = head.read(b"POST / HTTP/1.1\r\nContent-Length: " + length)

        assert found is not None
        assert found.body_length is None

    def test_upgrade(self) -> None:
        """An upgrade to WebSocket is told from others."""
        asked = b"GET / HTTP/1.1\r\nUpgrade: "

        kinds = [head.read(asked + kind) for kind in (b"WebSocket", b"h2c")]

        assert [each and each.is_upgrade for each in kinds] == [True, False]
