"""`devchain.upstream.exchange`"""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any
from unittest.mock import patch

import httpcore
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.errors import UpstreamAnswerInvalid, UpstreamUnreachable
from devchain.upstream import exchange
from devchain.upstream.client import Upstream
from devchain.upstream.queries import upstream_query
from tests.upstream.answer_fuzzer import Case, cases, check, check_pieces, corpus, documents
from tests.upstream.server import FakeTime, FakeUpstream, Reply

BALANCE = upstream_query("eth_getBalance", "0x" + "ab" * 20, "0x64")
RESPONSE = json.dumps({"jsonrpc": "2.0", "id": 0, "result": "0x64"}).encode()


class TestHostile:
    @pytest.mark.parametrize("name", corpus())
    def test_corpus(self, name: str) -> None:
        """Answers that once took gigabytes, minutes, or no end."""
        check(corpus()[name])

    @settings(max_examples=10, deadline=None)
    @given(cases)
    def test_any_answer(self, case: Case) -> None:
        """Answers that Hypothesis draws; `python -m tests.fuzzing upstream` draws more."""
        check(case)

    @settings(deadline=None)
    @given(documents, st.integers(1, 60))
    def test_pieces(self, body: bytes, size: int) -> None:
        """A list that is parsed in pieces is what it is at once, wherever the pieces end."""
        check_pieces(body, size)


class TestEncodings:
    @pytest.mark.parametrize(
        ("encoding", "body"),
        [
            ("identity", RESPONSE),
            ("gzip", gzip.compress(RESPONSE, mtime=0)),
            ("X-GZIP", gzip.compress(RESPONSE, mtime=0)),
            ("deflate", zlib.compress(RESPONSE)),
        ],
    )
    def test_one(self, fake: FakeUpstream, encoding: str, body: bytes) -> None:
        """An answer may be compressed once."""
        fake.faults.append(lambda _: Reply(200, body, {"Content-Encoding": encoding}))

        assert Upstream([fake.url]).read(BALANCE) == ["0x64"]
        assert fake.headers[0]["accept-encoding"] == "gzip"

    @pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "gzip, identity", "x" * 9_000])
    def test_others(self, fake: FakeUpstream, encoding: str) -> None:
        """Any other encoding is an error that names it, and is not asked again."""
        body = gzip.compress(gzip.compress(RESPONSE, mtime=0))
        fake.faults.append(lambda _: Reply(200, body, {"Content-Encoding": encoding}))

        with pytest.raises(UpstreamAnswerInvalid, match=f"with Content-Encoding {encoding[:30]}"):
            Upstream([fake.url]).read(BALANCE)
        assert len(fake.bodies) == 1

    def test_damaged(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """Compressed data that is damaged is asked for again."""
        fake.faults.append(lambda _: Reply(200, b"not gzip", {"Content-Encoding": "gzip"}))
        upstream = Upstream([fake.url], retries=1, monotonic=clock.monotonic, wait=clock.wait)

        with pytest.raises(UpstreamUnreachable, match="breaks off"):
            upstream.read(BALANCE)
        assert len(fake.bodies) == 2

    def test_of_an_error(self, fake: FakeUpstream) -> None:
        """Of an HTTP error the status counts, whatever its body is."""
        fake.faults.append(lambda _: Reply(404, b"x" * 10**6, {"Content-Encoding": "br"}))

        with pytest.raises(UpstreamAnswerInvalid, match="HTTP 404: is it the URL of a node"):
            Upstream([fake.url]).read(BALANCE)


class TestConnecting:
    def test_addresses(self, clock: FakeTime, monkeypatch: pytest.MonkeyPatch) -> None:
        """The addresses of a host have the time of one exchange together."""
        hosts = [f"192.0.2.{each}" for each in range(200)]
        monkeypatch.setattr(exchange, "addresses", lambda *_: hosts)
        tried: list[str] = []

        def connect(_: object, host: str, port: int, timeout: float, **__: object) -> Any:
            del port
            tried.append(host)
            clock.now += timeout
            raise httpcore.ConnectTimeout

        upstream = Upstream(
            ["http://node.example"], retries=0, timeout=45, monotonic=clock.monotonic
        )
        before = clock.now
        with (
            patch.object(httpcore.SyncBackend, "connect_tcp", connect),
            pytest.raises(UpstreamUnreachable, match=r"gives no answer in 45 s"),
        ):
            upstream.read(BALANCE)

        assert len(tried) == 5
        assert clock.now - before == 45

    def test_next_address(self, fake: FakeUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
        """The next address of a host is tried where one refuses."""
        monkeypatch.setattr(exchange, "addresses", lambda *_: ["192.0.2.1", "127.0.0.1"])
        connect = httpcore.SyncBackend.connect_tcp

        def connect_to_one(self: Any, host: str, *options: Any, **named: Any) -> Any:
            if host != "127.0.0.1":
                raise httpcore.ConnectError("[Errno 111] Connection refused")
            return connect(self, host, *options, **named)

        with patch.object(httpcore.SyncBackend, "connect_tcp", connect_to_one):
            url = fake.url.replace("127.0.0.1", "node.example")
            assert Upstream([url]).read(BALANCE) == ["0x64"]
