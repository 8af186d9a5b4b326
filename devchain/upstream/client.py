"""JSON-RPC over HTTP to the node that a chain was forked from, or to several of its chain."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

import orjson

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
from devchain.text import printable, shorten
from devchain.upstream.http import HEADERS, error_text, new_transport, timeouts
from devchain.upstream.queries import (
    ForkBlock,
    UpstreamQuery,
    body_of,
    check,
    quantity,
    upstream_query,
)
from devchain.upstream.threads import in_parallel

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

Answer = Any
"""The parsed JSON result, or the `UpstreamFailed` that there is instead."""

MAX_BATCH = 50
"""Calls in one HTTP request: no more than Rootstock nodes recommend."""
SMALLER_BATCH = 10
"""What is tried where a longer batch is refused, before single calls."""
PARALLEL = 8
"""HTTP requests under way at a time."""
MAX_BYTES = 64 * 1024 * 1024
"""The longest body of an answer."""
MAX_BACKOFF = 10.0
MAX_RETRY_AFTER = 60.0
"""A provider that asks to wait longer than so many seconds counts as failed."""
REST_SECONDS = 60.0
"""How long others are preferred to a provider that has failed."""
FIRST_CHECK_SECONDS = 15.0
CHECK_SECONDS = 600.0
"""How long it is believed that a provider has the fork block before it is asked again: at first as
long as half a block takes, then twice as long each time, since an older block is more final."""

RATE_LIMITED = (-32005, -32007, -32029, 429)
"""Error codes of too many requests: EIP-1474, and what gateways use beside it."""
TOO_MANY_REQUESTS = 429
METHOD_UNAVAILABLE = frozenset({-32601, -32004})
FORBIDDEN = 403
"""Also what gateways answer to batches that they do not take."""
UNAUTHORIZED = frozenset({401, FORBIDDEN, 407})
RETRIED = frozenset({408, 425})
"""The client errors of HTTP that may not come again."""
NOT_IMPLEMENTED = frozenset({501, 505})
"""The server errors of HTTP that will come again."""

PRUNED = re.compile(
    r"missing trie node|pruned|state (?:is )?(?:not (?:found|available)|unavailable)"
    r"|no state available|historical state|state .*not available",
    re.IGNORECASE,
)
"""How nodes say that they have dropped a state; they have no code for it."""

NO_ADDRESS = f"0x{'00' * 20}"
HEADER_ONLY = (False,)
"""The second parameter of `eth_getBlockByNumber`: hashes instead of transactions."""

UNANSWERED = UpstreamFailed()
"""Stands for an answer that has not come yet."""

BLOCK_UNKNOWN = re.compile(
    r"header not found|block\b.{0,70}\bnot found|unknown block|block .{0,20}out of range",
    re.IGNORECASE,
)
"""How nodes say that they do not have a block, or not yet."""

MIN_SECRET = 4
SHOWN_REASON = 200


class SeenBlock(NamedTuple):
    """The hash of a provider's block, and until when it is believed, on the monotonic clock."""

    hash: bytes
    until: float
    seconds: float = FIRST_CHECK_SECONDS


@dataclass(eq=False, slots=True)
class Provider:
    """One URL, and what has been learned of the node behind it.

    `address` is what may be shown of the URL, `secrets` the rest of it. `batch_size` shrinks when
    batches are refused. It is not asked before `ready_at`, and others are preferred until
    `rests_until`: seconds of the monotonic clock. `seen` are blocks of it by number: those read
    before the fork block is known, then that one.
    """

    url: str
    address: str
    secrets: tuple[str, ...]
    batch_size: int
    ready_at: float = 0.0
    rests_until: float = 0.0
    has_answered: bool = False
    seen: dict[int, SeenBlock] = field(default_factory=dict)

    def see(self, number: int, block_hash: bytes, now: float) -> None:
        """Remember the hash of a block, the longer the more often it was the same."""
        known = self.seen.get(number)
        seconds = FIRST_CHECK_SECONDS
        if known is not None and known.hash == block_hash:
            is_due = now >= known.until
            seconds = min(CHECK_SECONDS, 2 * known.seconds) if is_due else known.seconds
        self.seen[number] = SeenBlock(block_hash, now + seconds, seconds)

    def clean(self, text: str) -> str:
        """What the node wrote, without keys of the URL, on one line that is not too long."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return shorten(printable(text), SHOWN_REASON)


@dataclass(slots=True)
class Outcome:
    """What came of one HTTP request: answers, and why some calls have none.

    With `is_refused` the batch was too long. After a `failure` the request may be sent again, in
    `retry_after` seconds if that is known, unless the failure `is_final`.
    """

    answers: dict[UpstreamQuery, Answer] = field(default_factory=dict)
    failure: UpstreamFailed | None = None
    is_final: bool = False
    is_refused: bool = False
    retry_after: float | None = None


class Upstream:
    """Asks one or more nodes of the same chain, from whichever thread calls.

    A provider that fails is retried with growing pauses, or replaced by the next one.
    `requests` counts JSON-RPC calls, `round_trips` HTTP requests, parallel ones as one.
    """

    def __init__(  # noqa: PLR0913  # the options of a fork
        self,
        urls: Sequence[str],
        *,
        headers: Sequence[tuple[str, str]] = (),
        retries: int = 5,
        timeout: float = 45.0,
        backoff: float = 0.5,
        requests_per_second: float | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        """Ask these URLs, the first of them that answers; nothing is sent yet.

        An HTTP request takes at most `timeout` seconds, the first pause before another lasts
        `backoff`. Time is read from `monotonic` and passes in `wait`. Raises `ConfigError`.
        """
        largest = MAX_BATCH
        if requests_per_second is not None and requests_per_second <= 0:
            raise ConfigError("fork-requests-per-second must be more than 0")
        if not urls:
            raise ConfigError("a fork needs the URL of a node: --fork-url")
        if requests_per_second is not None:
            largest = max(1, min(MAX_BATCH, int(requests_per_second)))
        values = tuple(value for _, value in headers)
        self.providers = [_provider(url, largest, values) for url in urls]
        self.requests = 0
        self.round_trips = 0
        self.warn: Callable[[str], object] = logger.warning
        self.report: Callable[[str], object] = _log_progress
        self._headers = HEADERS | dict(headers)
        self._retries = retries
        self._timeout = timeout
        self._backoff = backoff
        self._pause = 0.0 if requests_per_second is None else 1 / requests_per_second
        self._monotonic = monotonic
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self._lock = threading.Lock()
        self._next_slot = 0.0
        self._fork: ForkBlock | None = None
        self._http: httpx.Client | None = None

    @property
    def address(self) -> str:
        """Scheme, host and port of the provider that is asked first."""
        return self.providers[0].address

    def pin(self, fork: ForkBlock) -> None:
        """From now on check now and then that the providers have that block; see `ask`."""
        self._fork = fork

    def close(self) -> None:
        """Close the connections; calls that still wait for an answer fail."""
        self._closed.set()
        with self._lock:
            http, self._http = self._http, None
        if http is not None:
            http.close()
            logging.getLogger("httpx").removeFilter(self._is_not_ours)

    # Asking

    def read(self, *queries: UpstreamQuery) -> list[Any]:
        """The answers to these, in order; raises the `UpstreamFailed` of the first without."""
        answers = self.ask(queries)
        for each in queries:
            if isinstance(answers[each], UpstreamFailed):
                raise answers[each]
        return [answers[query] for query in queries]

    def ask(self, queries: Sequence[UpstreamQuery]) -> dict[UpstreamQuery, Answer]:
        """The answer to each query, or the `UpstreamFailed` that there is instead.

        Batches of at most `MAX_BATCH` are sent in parallel. What one provider cannot answer is
        asked of the next. A provider whose block of the fork's number has another hash than the
        fork block gives no answers at all.
        """
        todo = list(dict.fromkeys(queries))
        answers: dict[UpstreamQuery, Answer] = {}
        failures: dict[Provider, int] = {}
        ended: dict[Provider, UpstreamFailed | None] = {}
        pruned_at: Provider | None = None
        while todo:
            provider = self._choose(ended)
            if provider is None:
                break
            self._sleep(provider.ready_at - self._monotonic())
            outcome = self._send_all(provider, todo)
            answers |= outcome.answers
            todo = [each for each in todo if not _is_settled(answers.get(each, UNANSWERED))]
            if any(_is_pruned(outcome.answers.get(each)) for each in todo):
                pruned_at = provider
            if outcome.answers:
                failures[provider] = 0
            if outcome.failure is not None:
                failures[provider] = failures.get(provider, 0) + 1
                if outcome.is_final or failures[provider] > self._retries:
                    self._end(provider, outcome.failure, ended)
                else:
                    self._delay(provider, failures[provider], outcome)
            elif all(each in outcome.answers for each in todo):
                ended[provider] = None  # it has no better answer to what is left
        if pruned_at is not None:
            answers |= self._with_oldest_state(pruned_at, answers)
        unanswered = [each for each in todo if each not in answers]
        if unanswered:
            answers |= dict.fromkeys(unanswered, self._failure(ended))
        return answers

    def _with_oldest_state(
        self, provider: Provider, answers: Mapping[UpstreamQuery, Answer]
    ) -> dict[UpstreamQuery, Answer]:
        pruned = {each: answer for each, answer in answers.items() if _is_pruned(answer)}
        if not pruned:
            return {}
        oldest = self._oldest_state(provider)
        return {
            each: _pruned(provider, each, answer.code, answer.reason, oldest)
            for each, answer in pruned.items()
        }

    def _oldest_state(self, provider: Provider) -> int | None:
        newest = upstream_query("eth_blockNumber")
        head = self._send_all(provider, [newest]).answers.get(newest)
        if not isinstance(head, str):
            return None
        number = quantity(head)
        behind = [
            2**index - 1 for index in range(number.bit_length() + 1) if 2**index - 1 <= number
        ]
        probes = [
            upstream_query("eth_getBalance", NO_ADDRESS, hex(number - each)) for each in behind
        ]
        answers = self._send_all(provider, probes).answers
        has = takewhile(lambda each: isinstance(answers.get(each), str), probes)
        return min(
            (each.block_number for each in has if each.block_number is not None), default=None
        )

    def _choose(self, ended: dict[Provider, UpstreamFailed | None]) -> Provider | None:
        now = self._monotonic()
        left = [provider for provider in self.providers if provider not in ended]
        if self._closed.is_set():
            return None
        return min(
            left,
            key=lambda each: (each.rests_until > now, max(now, each.ready_at)),
            default=None,
        )

    def _end(
        self,
        provider: Provider,
        failure: UpstreamFailed,
        ended: dict[Provider, UpstreamFailed | None],
    ) -> None:
        ended[provider] = failure
        provider.rests_until = self._monotonic() + REST_SECONDS
        if len(ended) < len(self.providers):
            self.warn(f"{failure}; the next provider is asked")

    def _delay(self, provider: Provider, failures: int, outcome: Outcome) -> None:
        # Until the fork block is known a start waits for the answer: then the pause is reported.
        seconds = min(MAX_BACKOFF, self._backoff * 2 ** (failures - 1))
        if outcome.retry_after is not None:
            seconds = max(0.0, outcome.retry_after)
        provider.ready_at = self._monotonic() + seconds
        if self._fork is None:
            self.report(
                f"asking again in {seconds:g} s ({failures + 1} of {self._retries + 1}): "
                f"{outcome.failure}"
            )

    def _failure(self, ended: dict[Provider, UpstreamFailed | None]) -> UpstreamFailed:
        failures = [value for value in ended.values() if value is not None]
        if not failures:
            return UpstreamUnreachable("the connections to the upstream are closed")
        if len(failures) == 1:
            return failures[0]
        texts = "; ".join(map(str, failures))
        return UpstreamUnreachable(f"none of {len(failures)} upstreams answers: {texts}")

    def _sleep(self, seconds: float) -> None:
        if seconds > 0:
            self._wait(seconds)

    # One provider

    def _send_all(self, provider: Provider, queries: Sequence[UpstreamQuery]) -> Outcome:
        asked = [*queries]
        fork_block = self._due_check(provider)
        if fork_block is not None and fork_block not in asked:
            asked.insert(0, fork_block)
        size = provider.batch_size
        batches = [asked[start : start + size] for start in range(0, len(asked), size)]
        with self._lock:
            self.requests += len(asked)
            self.round_trips += math.ceil(len(batches) / PARALLEL)
        outcomes = in_parallel(lambda batch: self._send(provider, batch), batches, PARALLEL)
        whole = Outcome()
        for batch, each in zip(batches, outcomes, strict=True):
            whole.answers |= each.answers
            if each.is_refused:
                smaller = len(each.answers) or (SMALLER_BATCH if len(batch) > SMALLER_BATCH else 1)
                provider.batch_size = min(provider.batch_size, smaller)
            if each.failure is not None and not whole.is_final:
                whole.failure, whole.is_final = each.failure, each.is_final
            if each.retry_after is not None:
                whole.retry_after = max(whole.retry_after or 0.0, each.retry_after)
        self._check_fork(provider, whole, fork_block)
        if fork_block is not None and fork_block not in queries:
            whole.answers.pop(fork_block, None)
        return whole

    def _due_check(self, provider: Provider) -> UpstreamQuery | None:
        fork = self._fork
        if fork is None:
            return None
        seen = provider.seen.get(fork.number)
        if seen is not None and self._monotonic() < seen.until:
            return None
        return upstream_query("eth_getBlockByNumber", hex(fork.number), *HEADER_ONLY)

    def _check_fork(self, provider: Provider, outcome: Outcome, due: UpstreamQuery | None) -> None:
        now = self._monotonic()
        for each, value in outcome.answers.items():
            number = each.block_number if each.method == "eth_getBlockByNumber" else None
            if number is None or isinstance(value, UpstreamFailed):
                continue
            if self._fork is None or number == self._fork.number:
                provider.see(number, bytes.fromhex(value["hash"][2:]), now)
        if self._fork is None:
            return
        seen = provider.seen.get(self._fork.number)
        if seen is not None and seen.hash != self._fork.hash:
            outcome.failure = _reorganized(provider, self._fork, seen.hash)
            provider.seen.pop(self._fork.number, None)
        elif due is not None and isinstance(outcome.answers.get(due), UpstreamFailed):
            outcome.failure = outcome.answers[due]
        elif due is None or due in outcome.answers:
            return
        else:  # the answer to `due` is missing: so are those that it would vouch for
            outcome.answers.clear()
            return
        outcome.is_final = True
        outcome.answers.clear()

    def _send(self, provider: Provider, batch: Sequence[UpstreamQuery]) -> Outcome:
        import httpx  # noqa: PLC0415  # half a second that nodes which stay offline need not wait

        self._keep_pace(len(batch))
        try:
            with self._client().stream("POST", provider.url, content=body_of(batch)) as response:
                body = self._body(response)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            # A node that never answered is a wrong URL rather than a node that restarts.
            return _failed(
                UpstreamUnreachable,
                provider,
                f"cannot be reached ({provider.clean(error_text(error))}): check the URL",
                is_final=not provider.has_answered,
            )
        except httpx.TimeoutException:
            return _failed(UpstreamUnreachable, provider, f"gives no answer in {self._timeout:g} s")
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, RuntimeError) as error:
            return _failed(
                UpstreamUnreachable, provider, f"breaks off ({provider.clean(error_text(error))})"
            )
        provider.has_answered = True
        if body is None:
            return _failed(
                UpstreamAnswerInvalid,
                provider,
                f"answers more than {MAX_BYTES // 2**20} MiB",
                is_final=True,
            )
        return self._read(provider, batch, response, body)

    def _keep_pace(self, count: int) -> None:
        if not self._pause:
            return
        with self._lock:
            now = self._monotonic()
            begin = max(now, self._next_slot)
            self._next_slot = begin + count * self._pause
        self._sleep(begin - now)

    def _client(self) -> httpx.Client:
        import httpx  # noqa: PLC0415  # see `_send`

        with self._lock:
            if self._closed.is_set():
                raise RuntimeError("closed")
            if self._http is None:
                logging.getLogger("httpx").addFilter(self._is_not_ours)
                is_encrypted = any(
                    provider.address.startswith("https") for provider in self.providers
                )
                self._http = httpx.Client(
                    headers=self._headers,
                    timeout=timeouts(self._timeout),
                    transport=new_transport(is_encrypted=is_encrypted, connections=2 * PARALLEL),
                )
            return self._http

    def _is_not_ours(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        return not any(secret in text for provider in self.providers for secret in provider.secrets)

    def _body(self, response: httpx.Response) -> bytes | None:
        import httpx  # noqa: PLC0415  # see `_send`

        end = self._monotonic() + self._timeout
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > MAX_BYTES:
                return None
            if self._monotonic() > end:
                raise httpx.ReadTimeout("slow")
            parts.append(part)
        return b"".join(parts)

    def _read(  # noqa: PLR0911  # one for each shape of an answer
        self,
        provider: Provider,
        batch: Sequence[UpstreamQuery],
        response: httpx.Response,
        body: bytes,
    ) -> Outcome:
        status = response.status_code
        try:
            reply = orjson.loads(body)
        except orjson.JSONDecodeError:
            reply = None
        if status == TOO_MANY_REQUESTS:
            return _rate_limited(provider, "HTTP 429", _retry_after(response))
        if isinstance(reply, list) and len(batch) > 1:
            return _read_batch(provider, batch, reply)
        if isinstance(reply, dict) and isinstance(reply.get("error"), dict):
            error = reply["error"]
            if _is_rate_limit(error, batch[0]):
                return _rate_limited(provider, _message(provider, error), _retry_after(response))
            if len(batch) > 1:
                return Outcome(is_refused=True)
            if status not in UNAUTHORIZED:
                return Outcome({batch[0]: _refusal(provider, batch[0], error)})
        elif isinstance(reply, dict) and "result" in reply and len(batch) == 1:
            return Outcome({batch[0]: _value(provider, batch[0], reply["result"])})
        return _wrong_status(provider, batch, response, reply)


# Reading


def _read_batch(
    provider: Provider, batch: Sequence[UpstreamQuery], replies: Sequence[Any]
) -> Outcome:
    by_id = {str(reply.get("id")): reply for reply in replies if isinstance(reply, dict)}
    outcome = Outcome()
    for place, each in enumerate(batch):
        reply = by_id.get(str(place))
        if reply is None:
            continue
        error = reply.get("error")
        if error is None:
            outcome.answers[each] = _value(provider, each, reply.get("result"))
        elif not isinstance(error, dict):
            outcome.answers[each] = _refusal(provider, each, {"message": str(error)})
        elif _is_rate_limit(error, each):
            outcome.failure = _limit_reached(provider, _message(provider, error))
        else:
            outcome.answers[each] = _refusal(provider, each, error)
    outcome.is_refused = outcome.failure is None and len(outcome.answers) < len(batch)
    return outcome


def _value(provider: Provider, asked: UpstreamQuery, value: Any) -> Answer:
    if value is None and asked.method == "eth_getBlockByNumber":
        number = asked.block_number
        return UpstreamBlockUnknown(
            f"{provider.address} does not have {asked.in_words()}: choose an older block, or a "
            "provider that has it",
            number,
        )
    try:
        check(asked, value)
    except UpstreamAnswerInvalid as error:
        return error
    return value


def _refusal(provider: Provider, asked: UpstreamQuery, error: dict[str, Any]) -> UpstreamFailed:
    code = error.get("code")
    code = code if isinstance(code, int) else -32603
    reason = _message(provider, error)
    if PRUNED.search(reason):
        return _pruned(provider, asked, code, reason)
    if BLOCK_UNKNOWN.search(reason):
        return UpstreamBlockUnknown(
            f"{provider.address} does not have {asked.in_words()} ({reason}): choose an older "
            "block, or a provider that has it",
            asked.block_number,
        )
    return UpstreamRefused(
        f"{provider.address} answers an error for {asked.in_words()}: {reason} (code {code})",
        code,
        reason,
        error.get("data"),
    )


def _pruned(
    provider: Provider, asked: UpstreamQuery, code: int, reason: str, oldest: int | None = None
) -> UpstreamStatePruned:
    there = "choose a newer block with --fork-block-number, or as URL@BLOCK"
    if oldest is not None:
        options = f"--fork-block-number {oldest}, or URL@{oldest}"
        there = f"the state of block {oldest} is still there ({options})"
    return UpstreamStatePruned(
        f"{provider.address} does not have {asked.in_words()} any more ({reason}): {there}, or "
        "give the URL of an archive node",
        code,
        reason,
        oldest,
    )


def _is_pruned(answer: Answer) -> bool:
    return isinstance(answer, UpstreamStatePruned)


def _message(provider: Provider, error: dict[str, Any]) -> str:
    return provider.clean(str(error.get("message", "no message")))


def _is_rate_limit(error: dict[str, Any], asked: UpstreamQuery) -> bool:
    # For logs the same code says that there are too many of them.
    code = error.get("code")
    return isinstance(code, int) and code in RATE_LIMITED and asked.method != "eth_getLogs"


def _is_settled(answer: Answer) -> bool:
    if isinstance(answer, UpstreamStatePruned):
        return False
    if isinstance(answer, UpstreamRefused):
        return answer.code not in METHOD_UNAVAILABLE
    return not isinstance(answer, UpstreamFailed)


def _wrong_status(
    provider: Provider, batch: Sequence[UpstreamQuery], response: httpx.Response, reply: Any
) -> Outcome:
    status = response.status_code
    if status in UNAUTHORIZED and (len(batch) == 1 or status != FORBIDDEN):
        error = reply.get("error") if isinstance(reply, dict) else None
        reason = f": {_message(provider, error)}" if isinstance(error, dict) else ""
        return _failed(
            UpstreamUnauthorized,
            provider,
            f"refuses access (HTTP {status}{reason}): check the key in the URL or --fork-header",
            is_final=True,
        )
    if (status >= 500 and status not in NOT_IMPLEMENTED) or status in RETRIED:
        outcome = _failed(UpstreamUnreachable, provider, f"answers HTTP {status}")
        outcome.retry_after = _retry_after(response)
        return outcome
    if status >= 400:
        if len(batch) > 1:
            return Outcome(is_refused=True)
        return _failed(
            UpstreamAnswerInvalid,
            provider,
            f"answers HTTP {status}: is it the URL of a node?",
            is_final=True,
        )
    if status >= 300:
        return _failed(
            UpstreamAnswerInvalid,
            provider,
            f"answers HTTP {status}, a redirect: give the URL that it leads to",
            is_final=True,
        )
    return _failed(
        UpstreamAnswerInvalid,
        provider,
        "answers something that is not JSON-RPC: is it the URL of a node?",
    )


def _failed(
    kind: type[UpstreamFailed], provider: Provider, problem: str, *, is_final: bool = False
) -> Outcome:
    return Outcome(failure=kind(f"{provider.address} {problem}"), is_final=is_final)


def _rate_limited(provider: Provider, reason: str, retry_after: float | None) -> Outcome:
    failure = _limit_reached(provider, reason)
    is_final = retry_after is not None and retry_after > MAX_RETRY_AFTER
    return Outcome(failure=failure, is_final=is_final, retry_after=retry_after)


def _limit_reached(provider: Provider, reason: str) -> UpstreamRateLimited:
    return UpstreamRateLimited(
        f"{provider.address} takes no more requests for now ({reason}): wait, give "
        "--fork-requests-per-second or another provider"
    )


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        # Compared with the server's own clock, not with ours.
        until, now = (parsedate_to_datetime(each) for each in (text, response.headers["Date"]))
        return max(0.0, (until - now).total_seconds())
    except (KeyError, TypeError, ValueError):
        return None


def _reorganized(provider: Provider, fork: ForkBlock, found: bytes) -> ForkBlockReorganized:
    return ForkBlockReorganized(
        f"block {fork.number} of {provider.address} is 0x{found.hex()}, but the chain was forked "
        f"from 0x{fork.hash.hex()}: the upstream has reorganised that block, or is another chain; "
        "fork again, from an older block or another provider",
        fork.number,
        fork.hash,
        found,
    )


def _log_progress(text: str) -> None:
    # Log what a start waits for, marked so that a command shows it at once.
    logger.warning(text, extra={"is_progress": True})


# URLs


def _provider(url: str, batch_size: int, header_values: Sequence[str]) -> Provider:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    is_http = parts.scheme in {"http", "https"}
    if not is_http or not parts.hostname or not url.isascii() or not url.isprintable():
        raise ConfigError("the fork URL is not that of a node; write it like http://127.0.0.1:4444")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    address = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}"
    secrets = (*_secrets(parts), *header_values)
    return Provider(url, address, tuple(sorted(secrets, key=len, reverse=True)), batch_size)


def _secrets(parts: SplitResult) -> set[str]:
    # Parts of a URL that must not be shown: path, query, their parts, name and password.
    pieces = re.split(r"[/?&=:@]", f"{parts.path}?{parts.query}")
    pieces += [parts.username or "", parts.password or "", parts.path[1:], parts.query]
    found = {piece for piece in pieces if len(piece) >= MIN_SECRET}
    return found | {unquote(each) for each in found}
