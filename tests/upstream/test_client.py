"""`devchain.upstream.client`"""

from __future__ import annotations

import json
import logging
import threading
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from devchain.errors import (
    ConfigError,
    ForkBlockReorganized,
    UpstreamAnswerInvalid,
    UpstreamBlockUnknown,
    UpstreamFailed,
    UpstreamRateLimited,
    UpstreamRefused,
    UpstreamStatePruned,
    UpstreamUnauthorized,
    UpstreamUnreachable,
)
from devchain.upstream import client
from devchain.upstream.client import Upstream
from devchain.upstream.queries import UpstreamQuery, check, upstream_query
from tests.upstream.server import (
    FORK,
    FORK_HASH,
    FORK_NUMBER,
    Failure,
    FakeTime,
    FakeUpstream,
    Reply,
    batches_above,
    times,
)

ADDRESS = "0x" + "ab" * 20
BALANCE = upstream_query("eth_getBalance", ADDRESS, hex(FORK_NUMBER))
CODE = upstream_query("eth_getCode", ADDRESS, hex(FORK_NUMBER))
NONCE = upstream_query("eth_getTransactionCount", ADDRESS, hex(FORK_NUMBER))
RATE_LIMIT = {"code": -32005, "message": "limit exceeded"}


def slots(count: int) -> list[UpstreamQuery]:
    """Storage words whose values are their slots."""
    return [upstream_query("eth_getStorageAt", ADDRESS, hex(each), "0x64") for each in range(count)]


def values(count: int) -> list[str]:
    """The values of `slots`."""
    return [hex(each) for each in range(count)]


def sizes(fake: FakeUpstream) -> list[int]:
    """How many calls each HTTP request had."""
    return sorted(len(each) if isinstance(each, list) else 1 for each in fake.bodies)


def error(failure: dict[str, Any]) -> bytes:
    """A lone JSON-RPC error."""
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": failure}).encode()


class TestBatches:
    def test_one_batch(self, fake: FakeUpstream) -> None:
        """ForkCache of several kinds are asked in one HTTP request, each once."""
        upstream = Upstream([fake.url])

        assert upstream.read(BALANCE, CODE, BALANCE, NONCE) == ["0x64", "0x6001", "0x64", "0x1"]
        assert sizes(fake) == [3]
        assert (upstream.requests, upstream.round_trips) == (3, 1)

    def test_single_call(self, fake: FakeUpstream) -> None:
        """A lone value is asked without a batch."""
        assert Upstream([fake.url]).read(BALANCE) == ["0x64"]
        assert fake.bodies == [
            {"jsonrpc": "2.0", "id": 0, "method": "eth_getBalance", "params": [ADDRESS, "0x64"]}
        ]

    def test_long(self, fake: FakeUpstream) -> None:
        """Batches have at most 50 calls, and several are one round trip."""
        upstream = Upstream([fake.url])

        assert upstream.read(*slots(120)) == values(120)
        assert sizes(fake) == [20, 50, 50]
        assert (upstream.requests, upstream.round_trips) == (120, 1)

    @pytest.mark.parametrize(
        "refusal",
        [
            Reply(body=error({"code": -32600, "message": "batches are not supported"})),
            Reply(400, b"bad request"),
            Reply(403, b"forbidden"),
            Reply(413, b""),
            Reply(500, error({"code": -32603, "message": "no batches"})),
            Reply(body=b"[]"),
        ],
        ids=["error object", "400", "403", "413", "500 with an error", "empty list"],
    )
    def test_refused(self, fake: FakeUpstream, refusal: Reply) -> None:
        """Where batches are refused, single calls are sent, from then on at once."""
        fake.faults.append(batches_above(1, refusal))
        upstream = Upstream([fake.url])

        assert upstream.read(*slots(15)) == values(15)
        assert sizes(fake) == [*[1] * 15, 5, 10, 15]

        fake.bodies.clear()
        assert upstream.read(*slots(3)) == values(3)
        assert sizes(fake) == [1, 1, 1]

    def test_long_ones_refused(self, fake: FakeUpstream) -> None:
        """Where long batches are refused, shorter ones are sent."""
        refusal = Reply(body=error({"code": -32600, "message": "at most 10"}))
        fake.faults.append(batches_above(10, refusal))

        assert Upstream([fake.url]).read(*slots(24)) == values(24)
        assert sizes(fake) == [4, 10, 10, 24]

    def test_cut_short(self, fake: FakeUpstream) -> None:
        """Calls that a batch leaves unanswered are asked again, in batches of what was answered."""

        def shorten(body: Any) -> Reply | None:
            if not isinstance(body, list):
                return None
            return Reply(body=json.dumps([fake.answer(each) for each in body[:3]]).encode())

        fake.faults.append(shorten)

        assert Upstream([fake.url]).read(*slots(8)) == values(8)
        assert sizes(fake) == [2, 3, 8]


class TestRetries:
    @pytest.mark.parametrize(
        "fault",
        [
            Reply(503, b"busy"),
            Reply(body=b'[{"jsonrpc":"2.0","id":0,"resu'),
            Reply(body=b"<html>wait</html>"),
            Reply(0),
            Reply(body=b"12"),
        ],
        ids=["503", "cut", "html", "disconnected", "a number"],
    )
    def test_passing(self, fake: FakeUpstream, clock: FakeTime, fault: Reply) -> None:
        """What may be over soon is asked again, after pauses that double."""
        fake.faults.append(times(3, fault))
        upstream = Upstream([fake.url], backoff=0.5, monotonic=clock.monotonic, wait=clock.wait)

        assert upstream.read(BALANCE, CODE) == ["0x64", "0x6001"]
        assert clock.waits == [0.5, 1.0, 2.0]

    @pytest.mark.parametrize("status", [400, 404, 405, 501, 505])
    def test_no_node(self, fake: FakeUpstream, clock: FakeTime, status: int) -> None:
        """What another request would not change is an error at once."""
        fake.faults.append(lambda _: Reply(status, b"<html>"))
        upstream = Upstream([fake.url], monotonic=clock.monotonic, wait=clock.wait)

        with pytest.raises(UpstreamAnswerInvalid, match=f"HTTP {status}: is it the URL of a node"):
            upstream.read(BALANCE, CODE)
        assert clock.waits == []

    def test_reported(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """Each pause before the fork block is known is reported, none after it."""
        fake.faults.append(times(2, Reply(503, b"busy")))
        upstream = Upstream([fake.url], monotonic=clock.monotonic, wait=clock.wait)
        reports: list[str] = []
        upstream.report = reports.append
        upstream.read(BALANCE)
        fake.results["eth_getBlockByNumber"] = {"number": "0x64", "hash": FORK_HASH}
        upstream.pin(FORK)
        fake.faults.append(times(1, Reply(503, b"busy")))
        upstream.read(CODE)

        assert reports == [
            f"asking again in 0.5 s (2 of 6): {fake.url} answers HTTP 503",
            f"asking again in 1 s (3 of 6): {fake.url} answers HTTP 503",
        ]

    def test_given_up(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """After so many retries the last problem is the error."""
        fake.faults.append(lambda _: Reply(502, b""))
        upstream = Upstream([fake.url], retries=2, monotonic=clock.monotonic, wait=clock.wait)

        with pytest.raises(UpstreamUnreachable, match=f"^{fake.url} answers HTTP 502$"):
            upstream.read(BALANCE)
        assert len(fake.bodies) == 3

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({"Retry-After": "7"}, 7.0),
            ({"Retry-After": "soon"}, 0.5),
            ({}, 0.5),
        ],
        ids=["seconds", "nonsense", "none"],
    )
    def test_too_many_requests(
        self, fake: FakeUpstream, clock: FakeTime, headers: dict[str, str], seconds: float
    ) -> None:
        """After HTTP 429 the pause is what Retry-After asks for."""
        fake.faults.append(times(1, Reply(429, b"slow down", headers)))
        upstream = Upstream([fake.url], monotonic=clock.monotonic, wait=clock.wait)

        assert upstream.read(BALANCE) == ["0x64"]
        assert clock.waits == [seconds]

    def test_too_long_to_wait(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """A pause of more than a minute is an error instead."""
        fake.faults.append(times(1, Reply(429, b"", {"Retry-After": "3600"})))
        upstream = Upstream([fake.url], monotonic=clock.monotonic, wait=clock.wait)

        with pytest.raises(UpstreamRateLimited, match="takes no more requests for now"):
            upstream.read(BALANCE)
        assert clock.waits == []

    def test_limit_of_calls(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """Only the calls of a batch that had error -32005 are sent again."""
        answered = times(1, Reply())

        def limit(body: Any) -> Reply | None:
            if answered(body) is None:
                return None
            head = {"jsonrpc": "2.0", "error": RATE_LIMIT}
            answers = [
                fake.answer(each) if each["id"] < 4 else {**head, "id": each["id"]} for each in body
            ]
            return Reply(body=json.dumps(answers).encode())

        fake.faults.append(limit)
        upstream = Upstream([fake.url], monotonic=clock.monotonic, wait=clock.wait)

        assert upstream.read(*slots(6)) == values(6)
        assert sizes(fake) == [2, 6]

    def test_too_many_logs(self, fake: FakeUpstream) -> None:
        """Error -32005 for logs says that there are too many, and is not asked again."""
        fake.results["eth_getLogs"] = Failure(-32005, "query returned more than 10000 results")

        with pytest.raises(UpstreamRefused, match="more than 10000 results"):
            Upstream([fake.url]).read(upstream_query("eth_getLogs", {"fromBlock": "0x1"}))
        assert len(fake.bodies) == 1

    def test_too_many_requests_for_logs(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """The same error without a word of logs says that there are too many requests."""
        refusal = {"jsonrpc": "2.0", "id": 0, "error": RATE_LIMIT}
        fake.faults.append(times(1, Reply(body=json.dumps([refusal]).encode())))
        fake.results["eth_getLogs"] = []
        upstream = Upstream([fake.url], monotonic=clock.monotonic, wait=clock.wait)

        assert upstream.read(upstream_query("eth_getLogs", {"fromBlock": "0x1"})) == [[]]
        assert len(fake.bodies) == 2

    def test_pace(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """With a limit, calls are sent at that rate, in batches of a second's calls."""
        upstream = Upstream(
            [fake.url], requests_per_second=10, monotonic=clock.monotonic, wait=clock.wait
        )

        assert upstream.read(*slots(10)) == values(10)
        assert upstream.read(*slots(10)) == values(10)
        assert sizes(fake) == [10, 10]
        assert clock.waits == [1.0]

    def test_slow(self, fake: FakeUpstream) -> None:
        """An answer that takes longer than the timeout is an error."""
        ended = threading.Event()
        fake.faults.append(lambda _: ended.wait(5) and None)
        upstream = Upstream([fake.url], timeout=0.05, retries=0)

        with pytest.raises(UpstreamUnreachable, match=r"gives no answer in 0\.05 s"):
            upstream.read(BALANCE)
        ended.set()


class TestFinalErrors:
    def test_nothing_listens(self) -> None:
        """A URL where nothing answers is said at once: scheme, host and port alone."""
        upstream = Upstream(["http://127.0.0.1:9/secret-key"])

        with pytest.raises(UpstreamUnreachable) as caught:
            upstream.read(BALANCE)
        assert str(caught.value) == (
            "http://127.0.0.1:9 cannot be reached (connection refused): check the URL"
        )

    @pytest.mark.parametrize("status", [401, 403])
    def test_unauthorized(self, fake: FakeUpstream, status: int) -> None:
        """A refused key is not tried again; the node's words are shown without the key."""
        body = error({"code": -32600, "message": "key s3cr3t-k3y is unknown"})
        fake.faults.append(lambda _: Reply(status, body))

        with pytest.raises(UpstreamUnauthorized) as caught:
            Upstream([f"{fake.url}/v1/s3cr3t-k3y"]).read(BALANCE)
        assert str(caught.value) == (
            f"{fake.url} refuses access (HTTP {status}: key *** is unknown): "
            "check the key in the URL or --fork-header"
        )

    @pytest.mark.parametrize(
        ("reply", "problem"),
        [
            (Reply(404, b"not here"), r"answers HTTP 404: is it the URL of a node\?"),
            (Reply(301, b""), "answers HTTP 301, a redirect: give the URL that it leads to"),
        ],
        ids=["404", "301"],
    )
    def test_not_a_node(self, fake: FakeUpstream, reply: Reply, problem: str) -> None:
        """A server that is no node is not asked again."""
        fake.faults.append(lambda _: reply)

        with pytest.raises(UpstreamAnswerInvalid, match=problem):
            Upstream([fake.url]).read(BALANCE)
        assert len(fake.bodies) == 1

    def test_endless(self, fake: FakeUpstream) -> None:
        """An answer that keeps coming slowly ends with the timeout, too."""
        now = count(0, 10)
        fake.results["eth_getCode"] = "0x" + "00" * 2**20
        upstream = Upstream([fake.url], retries=0, monotonic=lambda: float(next(now)))

        with pytest.raises(UpstreamUnreachable, match="gives no answer in 45 s"):
            upstream.read(CODE)

    def test_too_large(self, fake: FakeUpstream) -> None:
        """An answer that is too large for what was asked is not read to its end."""
        fake.results |= dict.fromkeys(("eth_getCode", "eth_getBalance"), "0x" + "00" * 2**20)

        assert len(Upstream([fake.url]).read(CODE)[0]) == 2 + 2**21
        with pytest.raises(UpstreamAnswerInvalid, match="answers more than 67,584 bytes"):
            Upstream([fake.url]).read(BALANCE)
        assert len(fake.bodies) == 2

    def test_too_many_objects(self, fake: FakeUpstream) -> None:
        """An answer of empty objects would take forty times its size in memory."""
        fake.results["eth_getLogs"] = [{}] * 100_000

        with pytest.raises(UpstreamAnswerInvalid, match=r"answers 100,00. objects in"):
            Upstream([fake.url]).read(upstream_query("eth_getLogs", {}))
        assert len(fake.bodies) == 1

    @pytest.mark.parametrize(
        ("wanted", "result"),
        [
            (BALANCE, "100"),
            (BALANCE, None),
            (BALANCE, "0x1" + "0" * 64),
            (NONCE, "0x1" + "0" * 16),
            (CODE, "0x123"),
            (slots(1)[0], {"value": "0x1"}),
            (upstream_query("eth_getBlockByNumber", "0x1", False), {"number": "0x1"}),
            (upstream_query("eth_getTransactionByHash", FORK_HASH), []),
            (upstream_query("eth_getLogs", {}), [1]),
        ],
        ids=str,
    )
    def test_wrong_values(self, fake: FakeUpstream, wanted: UpstreamQuery, result: Any) -> None:
        """An answer of the wrong kind is no answer."""
        fake.results[wanted.method] = result

        with pytest.raises(UpstreamAnswerInvalid, match="the upstream answers"):
            Upstream([fake.url]).read(wanted)

    def test_nested(self, fake: FakeUpstream) -> None:
        """An answer that is nested too deeply is no answer."""
        value: list[Any] = []
        for _ in range(400):
            value = [value]
        fake.results["eth_getLogs"] = [{"topics": value}]

        with pytest.raises(UpstreamAnswerInvalid, match="nested too deeply"):
            Upstream([fake.url]).read(upstream_query("eth_getLogs", {}))

    @pytest.mark.parametrize(
        "message",
        [
            "missing trie node 1f (path )",
            "State not found for block with hash 0x12",
            "World state unavailable",
            "historical state 0x12 is not available",
            "state at block #5 is pruned",
        ],
    )
    def test_pruned(self, fake: FakeUpstream, message: str) -> None:
        """A dropped state is named as such, whatever the node's words."""
        fake.results["eth_getBalance"] = Failure(-32000, message)

        with pytest.raises(UpstreamStatePruned, match=f"the balance of {ADDRESS} at block 100 any"):
            Upstream([fake.url]).read(BALANCE)

    @pytest.mark.parametrize(
        "message",
        ["header not found", "Block 0x64 not found", "unknown block", "block 100 is out of range"],
    )
    def test_behind(self, fake: FakeUpstream, other: FakeUpstream, message: str) -> None:
        """A node that does not have the block yet is one to pass over."""
        fake.results["eth_getBalance"] = Failure(-32000, message)

        assert Upstream([fake.url, other.url]).read(BALANCE) == ["0x64"]
        with pytest.raises(UpstreamBlockUnknown, match="does not have the balance of"):
            Upstream([fake.url]).read(BALANCE)

    def test_unknown_block(self, fake: FakeUpstream) -> None:
        """A block that the node does not have is an error."""
        fake.results["eth_getBlockByNumber"] = None

        with pytest.raises(UpstreamBlockUnknown, match="does not have block 256") as caught:
            Upstream([fake.url]).read(upstream_query("eth_getBlockByNumber", "0x100", False))
        assert caught.value.number == 256


class TestProviders:
    def test_next_on_failure(
        self, fake: FakeUpstream, other: FakeUpstream, clock: FakeTime
    ) -> None:
        """Another provider is asked at once when one fails, and the first one again later."""
        fake.faults.append(times(1, Reply(503, b"")))
        upstream = Upstream(
            [fake.url, other.url], backoff=1.0, monotonic=clock.monotonic, wait=clock.wait
        )

        assert upstream.read(BALANCE) == ["0x64"]
        assert (len(fake.bodies), len(other.bodies), clock.waits) == (1, 1, [])

        clock.now += 2
        assert upstream.read(BALANCE) == ["0x64"]
        assert (len(fake.bodies), len(other.bodies)) == (2, 1)

    def test_pruned_at_one(self, fake: FakeUpstream, other: FakeUpstream) -> None:
        """What one provider has dropped is asked of the next, and nothing else."""
        fake.results["eth_getBalance"] = Failure(-32000, "missing trie node 12")

        assert Upstream([fake.url, other.url]).read(BALANCE, CODE) == ["0x64", "0x6001"]
        assert other.calls == ["eth_getBalance"]

    def test_none_answers(self, fake: FakeUpstream, other: FakeUpstream) -> None:
        """When all fail the error has the problem of each."""
        fake.faults.append(lambda _: Reply(404, b""))
        other.faults.append(lambda _: Reply(401, b""))

        with pytest.raises(
            UpstreamUnreachable, match=r"none of 2 upstreams answers: .*HTTP 404.*; .*HTTP 401"
        ):
            Upstream([fake.url, other.url]).read(BALANCE)


class TestForkBlock:
    def test_checked_once(self, fake: FakeUpstream, clock: FakeTime) -> None:
        """The fork block is asked with the first values, and again after some time."""
        upstream = Upstream([fake.url], monotonic=clock.monotonic, wait=clock.wait)
        upstream.pin(FORK)

        assert upstream.ask([BALANCE]) == {BALANCE: "0x64"}
        upstream.read(CODE)
        clock.now += client.CHECK_SECONDS
        upstream.read(CODE)

        check = "eth_getBlockByNumber"
        assert fake.calls == [check, "eth_getBalance", "eth_getCode", check, "eth_getCode"]
        assert upstream.round_trips == 3

    def test_seen_before(self, fake: FakeUpstream) -> None:
        """A fork block that has just been read is not asked again."""
        upstream = Upstream([fake.url])
        upstream.read(upstream_query("eth_getBlockByNumber", hex(FORK_NUMBER), False))
        upstream.pin(FORK)

        upstream.read(BALANCE)

        assert fake.calls == ["eth_getBlockByNumber", "eth_getBalance"]

    def test_reorganized(self, fake: FakeUpstream) -> None:
        """A provider whose block has another hash gives no answers."""
        found = "0x" + "0e" * 32
        fake.results["eth_getBlockByNumber"] = {"number": "0x64", "hash": found}
        upstream = Upstream([fake.url])
        upstream.pin(FORK)

        answers = upstream.ask([BALANCE, CODE])

        assert {type(each) for each in answers.values()} == {ForkBlockReorganized}
        assert str(answers[BALANCE]) == (
            f"block 100 of {fake.url} is {found}, but the chain was forked from {FORK_HASH}: the "
            "upstream has reorganised that block, or is another chain; fork again, from an older "
            "block or another provider"
        )

    def test_other_chain(self, fake: FakeUpstream, other: FakeUpstream) -> None:
        """A provider of another chain is passed over, with a warning."""
        fake.results["eth_getBlockByNumber"] = {"number": "0x64", "hash": "0x" + "0e" * 32}
        upstream = Upstream([fake.url, other.url])
        warnings: list[str] = []
        upstream.warn = warnings.append
        upstream.pin(FORK)

        assert upstream.read(BALANCE) == ["0x64"]
        assert other.calls == ["eth_getBlockByNumber", "eth_getBalance"]
        assert len(warnings) == 1


class TestUrls:
    @pytest.mark.parametrize(
        "url",
        ["", "localhost", "ftp://host", "http://", "http://host:x", "http://h\n", "http://ü"],
    )
    def test_wrong(self, url: str) -> None:
        """What is no URL of a node is an error that does not show it."""
        with pytest.raises(ConfigError, match="the fork URL is not that of a node"):
            Upstream([url])

    def test_headers(self, fake: FakeUpstream) -> None:
        """Headers are sent with each request, beside devchain's own."""
        Upstream([fake.url], headers=[("X-Api-Key", "abc")]).read(BALANCE)

        assert fake.headers[0]["x-api-key"] == "abc"
        assert fake.headers[0]["content-type"] == "application/json"
        assert fake.headers[0]["user-agent"] == "devchain"

    def test_login(self, fake: FakeUpstream) -> None:
        """A name and a password in the URL are sent as HTTP's basic authentication."""
        url = fake.url.replace("http://", "http://user%40:pass%3Aword@")

        assert Upstream([f"{url}/a b"]).read(BALANCE) == ["0x64"]
        assert fake.headers[0]["authorization"] == "Basic dXNlckA6cGFzczp3b3Jk"

    def test_keys_in_logs(self, fake: FakeUpstream, caplog: pytest.LogCaptureFixture) -> None:
        """The log of the HTTP client does not show keys either."""
        caplog.set_level(logging.DEBUG)

        Upstream([f"{fake.url}/v3/s3cr3t-k3y?token=t0ken-1"]).read(BALANCE)

        assert "s3cr3t-k3y" not in caplog.text
        assert "t0ken-1" not in caplog.text

    def test_connection_kept(self, fake: FakeUpstream) -> None:
        """Requests that follow each other use one connection."""
        upstream = Upstream([fake.url])
        for _ in range(5):
            upstream.read(BALANCE)

        assert fake.connections == 1

    @pytest.mark.parametrize("rate", [0, -1])
    def test_rate(self, rate: int) -> None:
        """A rate of nothing is an error."""
        with pytest.raises(ConfigError, match="must be more than 0"):
            Upstream(["http://localhost"], requests_per_second=rate)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "result", "error", "code", "message", "jsonrpc", "hash"]), inner
        )
    ),
    max_leaves=12,
)
REPLIES = st.dictionaries(st.sampled_from(["id", "result", "error", "jsonrpc"]), JSON | st.just(0))
BODIES = st.binary(max_size=20) | st.one_of(JSON, REPLIES, st.lists(REPLIES, max_size=4)).map(
    lambda each: json.dumps(each).encode()
)


class TestHostile:
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(status=st.sampled_from([200, 204, 400, 403, 429, 500]), body=BODIES, fork=st.booleans())
    @example(status=200, body=b'{"error": {"code": []}}', fork=False)
    def test_any_answer(
        self, fake: FakeUpstream, clock: FakeTime, status: int, body: bytes, fork: bool
    ) -> None:
        """Whatever a node answers, each query has a value of its kind or an error."""
        fake.faults[:] = [lambda _: Reply(status, b"" if status == 204 else body)]
        upstream = Upstream([fake.url], retries=1, monotonic=clock.monotonic, wait=clock.wait)
        if fork:
            upstream.pin(FORK)
        asked = [
            BALANCE,
            upstream_query("eth_getBlockByNumber", "0x64", False),
            upstream_query("eth_getLogs", {}),
        ]

        answers = upstream.ask(asked)
        upstream.close()

        assert set(answers) == set(asked)
        for each, answer in answers.items():
            if not isinstance(answer, UpstreamFailed):
                check(each, answer)
            else:
                assert str(answer).isprintable()
