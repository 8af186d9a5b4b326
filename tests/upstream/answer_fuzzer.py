"""What a node upstream answers takes time, bytes and memory that what was asked bounds.

A case is what was asked, and what is received of each connection: texts, each with how often it
comes and how many seconds that takes each time. Texts are bytes in Latin-1, time is that of a fake
clock. Each query gets a value of its kind or an error; no exchange takes longer than the timeout or
receives more than it may, on which its work depends; memory is bounded by what was received.

`python -m tests.fuzzing upstream` checks the cases in `answer_corpus`, then those that Hypothesis
draws.
"""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpcore
import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.errors import UpstreamFailed
from devchain.upstream import queries
from devchain.upstream.client import Upstream
from devchain.upstream.exchange import FRAMING_BYTES
from devchain.upstream.queries import check as check_value
from devchain.upstream.queries import most_bytes, parse, upstream_query
from tests.upstream.server import FORK, FakeTime

CORPUS = Path(__file__).parent / "answer_corpus"

TIMEOUT = 10.0
READ_BYTES = 65_536
"""What httpcore reads at a time."""

FREE_MEMORY, MEMORY_PER_BYTE = 8_000_000, 25
EXPANSION = 1_100
"""Bytes that a compressed one may become."""

ADDRESS, HASH = "0x" + "ab" * 20, "0x" + "cd" * 32
ASKED = {
    query.method: query
    for query in (
        upstream_query("eth_getBalance", ADDRESS, "0x64"),
        upstream_query("eth_getStorageAt", ADDRESS, "0x0", "0x64"),
        upstream_query("eth_getCode", ADDRESS, "0x64"),
        upstream_query("eth_getBlockByNumber", "0x64", False),  # JSON
        upstream_query("eth_getTransactionReceipt", HASH),
        upstream_query("eth_getLogs", {"fromBlock": "0x1", "toBlock": "0x64"}),
        upstream_query("web3_clientVersion"),
    )
}

Piece = tuple[str, int, float]
"""A text, how often it comes, and how many seconds that takes each time."""


@dataclass(frozen=True)
class Case:
    """Methods that are asked for, what each connection gives, and whether there is a fork."""

    asked: list[str]
    connections: list[list[Piece]]
    is_pinned: bool = False

    def as_json(self) -> str:
        """The case as a file of the corpus."""
        return json.dumps(asdict(self))


class ScriptedStream(httpcore.NetworkStream):
    """A connection on which the pieces of a case are received, whatever is sent."""

    def __init__(self, pieces: Sequence[Piece], clock: FakeTime, limit: int) -> None:
        self._parts = self._lumps(pieces)
        self._clock = clock
        self._ends = clock.now + TIMEOUT
        self._left = limit
        self._seconds, self._buffer = 0.0, b""

    def _lumps(self, pieces: Sequence[Piece]) -> Iterator[tuple[float, bytes]]:
        for text, times, seconds in pieces:
            content = text.encode("latin-1")
            together = 1 if seconds else max(1, READ_BYTES // max(len(content), 1))
            for start in range(0, times, together):
                yield seconds, content * min(together, times - start)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes, once their time has passed; none at the end."""
        assert timeout is not None
        while not self._buffer:
            part = next(self._parts, None)
            if part is None:
                return b""
            self._seconds += part[0]
            self._buffer = part[1]
        passed = min(self._seconds, timeout)
        self._clock.now += passed
        self._seconds -= passed
        assert self._clock.now <= self._ends + 0.001, "an exchange takes longer than its timeout"
        if self._seconds:
            raise httpcore.ReadTimeout
        content, self._buffer = self._buffer[:max_bytes], self._buffer[max_bytes:]
        assert self._left > 0, "more bytes are received than an exchange may have"
        self._left -= len(content)
        return content

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Ignore what is sent."""

    def close(self) -> None:
        """Nothing is open."""

    def get_extra_info(self, info: str) -> Any:
        """Say that a connection was closed by its server when it has been used."""
        return True if info == "is_readable" else None


class ScriptedServer:
    """Connects to the pieces of one connection after the other; the last is repeated."""

    def __init__(self, case: Case, clock: FakeTime) -> None:
        self._connections, self._clock = [*case.connections], clock
        self._limit = most_bytes([ASKED[method] for method in case.asked]) * 17 // 16
        self._limit += FRAMING_BYTES + READ_BYTES
        self.received_at_most = sum(
            min(sum(len(text) * times for text, times, _ in pieces), self._limit)
            for pieces in case.connections
        )

    def connect(self, *_: object, **__: object) -> httpcore.NetworkStream:
        """The next connection."""
        more = len(self._connections) > 1
        pieces = self._connections.pop(0) if more else self._connections[0]
        return ScriptedStream(pieces, self._clock, self._limit)


def check(case: Case) -> None:
    """Ask, and get the answers of a case; raises `AssertionError`."""
    clock = FakeTime()
    server = ScriptedServer(case, clock)
    asked = [ASKED[method] for method in case.asked]
    upstream = Upstream(
        ["http://127.0.0.1:4444"],
        retries=1,
        timeout=TIMEOUT,
        monotonic=clock.monotonic,
        wait=clock.wait,
    )
    upstream.report = upstream.warn = lambda _: None
    if case.is_pinned:
        upstream.pin(FORK)
    decoded = min(EXPANSION * server.received_at_most, 8 * most_bytes(asked))
    with patch.object(httpcore.SyncBackend, "connect_tcp", server.connect):
        tracemalloc.start()
        try:
            answers = upstream.ask(asked)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak <= FREE_MEMORY + MEMORY_PER_BYTE * decoded, f"{peak:,} bytes of memory"
    upstream.close()
    assert set(answers) == set(asked)
    for query, answer in answers.items():
        if isinstance(answer, UpstreamFailed):
            assert str(answer).isprintable()
            assert len(str(answer)) < 1_000
        else:
            check_value(query, answer)


def check_pieces(body: bytes, size: int) -> None:
    """Parse a body in pieces of that size and at once; raises `AssertionError`."""
    try:
        expected = orjson.loads(body)
    except orjson.JSONDecodeError:
        expected = None
    with patch.object(queries, "PIECE_BYTES", size), patch.object(queries, "FEW_OBJECTS", 10**6):
        try:
            found = parse(body)
        except ValueError:
            found = None
    assert found == expected, f"{body!r} in pieces of {size} bytes"


# Strategies

_keys = st.sampled_from(["id", "result", "error", "code", "message", "jsonrpc", "hash", "number"])
_texts = st.sampled_from(["0x1", HASH, "0x", "},{", '"result":[', "\\", "\ud800", "\x1b[2J"])
_scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _texts)
values = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_keys, inner, max_size=4)),
    max_leaves=20,
)
"""JSON that looks like answers."""
_responses = st.builds(
    lambda number, result: {"jsonrpc": "2.0", "id": number, "result": result},
    st.integers(0, 3),
    values,
)


def _dumped(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


documents = st.one_of(values, _responses, st.lists(_responses, max_size=4)).map(_dumped)
"""Bodies of answers."""

LOG = _dumped({"address": ADDRESS, "topics": [HASH] * 2, "data": "0x", "blockNumber": "0x1"})
OPENINGS = (
    b'{"jsonrpc":"2.0","id":0,"result":[',
    b'{"id":0,"result":',
    b'{"error":',
    b"[",
    b'"',
    b"",
)
REPEATED = (
    b"{},",
    b"[],",
    b"0,",
    b'"a",',
    b"[",
    b'{"a":',
    b"1.5,",
    b" ",
    b"\xff",
    b"0",
    LOG + b",",
)
CLOSINGS = (b"{}]}", b"0]}", b"]", b'"}', b"")
_times = st.one_of(st.integers(0, 5), st.sampled_from([300, 5_000, 100_000]))
_bodies = st.one_of(
    documents,
    st.builds(
        lambda opening, repeated, times, closing: (
            opening + repeated * min(times, 1_000_000 // len(repeated)) + closing
        ),
        st.sampled_from(OPENINGS),
        st.sampled_from(REPEATED),
        _times,
        st.sampled_from(CLOSINGS),
    ),
)


def _deflated(body: bytes, bits: int) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, bits)
    return compressor.compress(body) + compressor.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": lambda body: gzip.compress(body, 9, mtime=0),
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body, 9, mtime=0), mtime=0),
    "deflate": lambda body: _deflated(body, 15),
    "br": lambda body: _deflated(body, -15),
    "x-gzip": lambda body: gzip.compress(body, mtime=0)[:-9],
    "GZIP ": lambda body: gzip.compress(body, mtime=0) * 2,
}
"""What may be named as Content-Encoding, and what may be sent so."""

FLOODS = (
    ("HTTP/1.1 100 Continue\r\n\r\n", 10_000),
    ("HTTP/1.1 102 Processing\r\nX: y\r\n\r\n", 3),
    ("\r\n", 10_000),
)
STATUSES = (
    "HTTP/1.1 200 OK",
    "HTTP/1.1 429 No",
    "HTTP/1.1 500 No",
    "HTTP/1.0 200 OK",
    "HTTP/2",
    "",
)
_seconds = st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.5, 3.0, 60.0])


@st.composite
def _connections(draw: Callable[[st.SearchStrategy[Any]], Any]) -> list[Piece]:
    named = draw(st.sampled_from([*ENCODERS]))
    body = ENCODERS[draw(st.sampled_from([named, named, *ENCODERS]))](draw(_bodies)).decode(
        "latin-1"
    )
    pieces: list[Piece] = []
    if draw(st.integers(0, 9)) == 0:
        text, times = draw(st.sampled_from(FLOODS))
        pieces.append((text, times, draw(_seconds)))
    framing = draw(st.sampled_from(["length", "length", "chunked", "chunked", "close", "wrong"]))
    headers = [f"Content-Encoding: {named}"] if named else []
    if framing == "length":
        headers.append(f"Content-Length: {len(body)}")
    if framing == "wrong":
        size = draw(st.sampled_from(["-1", "0", "7", "9" * 30, "x"]))
        headers += [f"Content-Length: {size}", *draw(st.sampled_from([[], ["Content-Length: 1"]]))]
    if framing == "chunked":
        headers.append("Transfer-Encoding: chunked")
    pieces.append(("\r\n".join([draw(st.sampled_from(STATUSES)), *headers, ""]), 1, draw(_seconds)))
    if draw(st.integers(0, 4)) == 0:
        pieces.append((f"X-{draw(st.text('ab', max_size=3))}: y\r\n", draw(_times), draw(_seconds)))
    pieces.append(("\r\n", 1, draw(_seconds)))
    if framing != "chunked":
        size = draw(st.sampled_from([1, 1_000, len(body) + 1]))
        pieces.append((body[:size], 1, draw(_seconds)))
        pieces.append((body[size:], 1, draw(_seconds)))
        return pieces
    size = draw(st.sampled_from([1, 7, 1_000, len(body) + 1]))
    size = max(size, len(body) // 10_000)
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    extension = draw(st.sampled_from(["", "", ";a=b", "; " + "x" * 1_000]))
    text = "".join(f"{len(chunk):x}{extension}\r\n{chunk}\r\n" for chunk in chunks)
    pieces.append((text, 1, draw(_seconds)))
    pieces.append(
        (draw(st.sampled_from(["0\r\n\r\n", "0\r\nA: b\r\n\r\n", "", "ffffffffff\r\n"])), 1, 0.0)
    )
    return pieces


cases = st.builds(
    Case,
    st.lists(st.sampled_from([*ASKED]), min_size=1, max_size=4, unique=True),
    st.lists(_connections(), min_size=1, max_size=2),
    st.booleans(),
)
"""Cases of any kind."""


def corpus() -> dict[str, Case]:
    """The cases that are kept, by name."""
    return {path.stem: _kept(path) for path in sorted(CORPUS.glob("*.json"))}


def _kept(path: Path) -> Case:
    members = json.loads(path.read_text("utf-8"))
    pieces = [
        [(text, times, seconds) for text, times, seconds in each] for each in members["connections"]
    ]
    return Case(members["asked"], pieces, members["is_pinned"])


def replay() -> None:
    """Check the cases that are kept."""
    for kept in corpus().values():
        check(kept)


def search() -> None:
    """Check some cases that Hypothesis draws."""
    _search_answers()
    _search_pieces()


_settings = settings(
    max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@_settings
@given(cases)
def _search_answers(case: Case) -> None:
    try:
        check(case)
    except Exception as error:
        raise AssertionError(f"{error!r}: {case.as_json()}") from error


@_settings
@given(documents, st.integers(1, 60))
def _search_pieces(body: bytes, size: int) -> None:
    check_pieces(body, size)
