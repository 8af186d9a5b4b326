"""JSON-RPC over HTTP to the node that a chain was forked from, or to several of its chain."""

from __future__ import annotations

import base64
import logging
import math
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, unquote, urlsplit

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
from devchain.upstream.http import HEADERS, error_text, in_parallel
from devchain.upstream.queries import (
    ForkBlock,
    UpstreamQuery,
    body_of,
    check,
    most_bytes,
    parse,
    upstream_query,
)

if TYPE_CHECKING:
    from devchain.upstream.exchange import Answer as HttpAnswer
    from devchain.upstream.exchange import Connections

logger = logging.getLogger(__name__)

Answer = Any

MAX_BATCH = 50  # calls in one HTTP request: no more than Rootstock nodes recommend
SMALLER_BATCH = 10  # what is tried where a longer batch is refused, before single calls
PARALLEL = 8
MAX_BACKOFF = 10.0
MAX_RETRY_AFTER = 60.0  # a provider that asks to wait longer than so many seconds counts as failed
CHECK_SECONDS = 60.0  # for which it is believed that a provider has the fork block
RATE_LIMITED = (-32005, -32007, -32029, 429)  # too many requests: EIP-1474, and gateways'
TOO_MANY_LOGS = re.compile("result|log|block|range|size", re.IGNORECASE)
"""How providers say that the logs of a range are too many, with a code of `RATE_LIMITED`."""
METHOD_UNAVAILABLE = frozenset({-32601, -32004})
FORBIDDEN = 403  # also what gateways answer to batches that they do not take
UNAUTHORIZED = frozenset({401, FORBIDDEN, 407})
PASSING = frozenset({408, 425, *range(500, 600)}) - {501, 505}  # of HTTP, that may not come again

PRUNED = re.compile(
    r"missing trie node|pruned|state (?:is )?(?:not (?:found|available)|unavailable)"
    r"|no state available|historical state|state .*not available",
    re.IGNORECASE,
)
"""How nodes say that they have dropped a state; they have no code for it."""
BLOCK_UNKNOWN = re.compile(
    r"header not found|block\b.{0,70}\bnot found|unknown block|block .{0,20}out of range",
    re.IGNORECASE,
)
"""How nodes say that they do not have a block, or not yet."""

UNANSWERED = UpstreamFailed()
MIN_SECRET = 4
SHOWN_REASON = 200


@dataclass(eq=False, slots=True)
class Provider:
    """One URL, and what has been learned of the node behind it.

    `address` is what may be shown of the URL, `secrets` the rest of it, `headers` have its name and
    password. `batch_size` shrinks when batches are refused. It is not asked before `ready_at`;
    `block` is the number and hash of the block read last, or of the fork block, which is believed
    until `checked_until`: both on the monotonic clock.
    """

    url: str
    address: str
    secrets: tuple[str, ...]
    headers: dict[str, str]
    batch_size: int
    ready_at: float = 0.0
    has_answered: bool = False
    block: tuple[int, bytes] | None = None
    checked_until: float = 0.0

    def clean(self, text: str) -> str:
        """What the node wrote, without keys of the URL, on one line that is not too long."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return shorten(printable(text), SHOWN_REASON)

    def failed(
        self, kind: type[UpstreamFailed], problem: str, *, is_final: bool = False
    ) -> Outcome:
        return Outcome(failure=kind(f"{self.address} {problem}"), is_final=is_final)


@dataclass(slots=True)
class Outcome:
    """What came of HTTP requests: answers, and why some calls have none.

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

        An HTTP request with its answer takes at most `timeout` seconds, the first pause before
        another lasts `backoff`. Time is read from `monotonic` and passes in `wait`. Raises
        `ConfigError`.
        """
        if requests_per_second is not None and requests_per_second <= 0:
            raise ConfigError("fork-requests-per-second must be more than 0")
        if not urls:
            raise ConfigError("a fork needs the URL of a node: --fork-url")
        largest = MAX_BATCH
        if requests_per_second is not None:
            largest = max(1, min(MAX_BATCH, int(requests_per_second)))
        values = tuple(value for _, value in headers)
        self.providers = [_provider(url, largest, values) for url in urls]
        self.requests = 0
        self.round_trips = 0
        self.warn: Callable[[str], object] = logger.warning
        # Logs what a start waits for, marked so that a command shows it at once.
        self.report: Callable[[str], object] = partial(logger.warning, extra={"is_progress": True})
        given = (*HEADERS.items(), *headers)
        self._headers = {name.lower(): value for name, value in given}
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
        self._http: Connections | None = None

    @property
    def address(self) -> str:
        return self.providers[0].address

    def pin(self, fork: ForkBlock) -> None:
        """From now on check now and then that the providers have that block; see `ask`."""
        self._fork = fork
        for provider in self.providers:
            if provider.block != (fork.number, fork.hash):
                provider.checked_until = 0.0

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            http, self._http = self._http, None
        if http is not None:
            http.close()

    # Asking

    def read(self, *queries: UpstreamQuery) -> list[Any]:
        """The answers to these, in order; raises the `UpstreamFailed` of the first without."""
        answers = self.ask(queries)
        for query in queries:
            if isinstance(answers[query], UpstreamFailed):
                raise answers[query]
        return [answers[query] for query in queries]

    def ask(self, queries: Sequence[UpstreamQuery]) -> dict[UpstreamQuery, Answer]:
        """The answer to each query, or the `UpstreamFailed` that there is instead.

        Batches are sent in parallel. What one provider cannot answer is asked of the next. One
        whose block of the fork's number has another hash than the fork block gives no answers.
        """
        todo = list(dict.fromkeys(queries))
        answers: dict[UpstreamQuery, Answer] = {}
        failures: dict[Provider, int] = {}  # in a row
        ended: dict[Provider, UpstreamFailed | None] = {}
        while todo and not self._closed.is_set():
            left = [provider for provider in self.providers if provider not in ended]
            if not left:
                break
            now = self._monotonic()
            provider = min(left, key=lambda each: max(now, each.ready_at))
            self._sleep(provider.ready_at - now)
            outcome = self._send_all(provider, todo)
            answers |= outcome.answers
            todo = [query for query in todo if not _is_settled(answers.get(query, UNANSWERED))]
            if outcome.answers:
                failures[provider] = 0
            if outcome.failure is None:
                if all(query in outcome.answers for query in todo):
                    ended[provider] = None  # it has no better answer to what is left
                continue
            failures[provider] = failures.get(provider, 0) + 1
            if not outcome.is_final and failures[provider] <= self._retries:
                self._delay(provider, failures[provider], outcome)
                continue
            ended[provider] = outcome.failure
            # It is asked last from now on.
            self.providers = sorted(self.providers, key=lambda other: other is provider)
            if len(ended) < len(self.providers):
                self.warn(f"{outcome.failure}; the next provider is asked")
        failed = [failure for failure in ended.values() if failure]
        failure: UpstreamFailed = UpstreamUnreachable("the connections to the upstream are closed")
        if len(failed) == 1:
            failure = failed[0]
        elif failed:
            texts = "; ".join(map(str, failed))
            failure = UpstreamUnreachable(f"none of {len(failed)} upstreams answers: {texts}")
        return answers | {query: failure for query in todo if query not in answers}

    def _delay(self, provider: Provider, failures: int, outcome: Outcome) -> None:
        # Until the fork block is known a start waits for the answer: then the pause is reported.
        seconds = outcome.retry_after
        if seconds is None:
            seconds = min(MAX_BACKOFF, self._backoff * 2 ** (failures - 1))
        provider.ready_at = self._monotonic() + seconds
        if self._fork is None:
            self.report(
                f"asking again in {seconds:g} s ({failures + 1} of {self._retries + 1}): "
                f"{outcome.failure}"
            )

    def _sleep(self, seconds: float) -> None:
        if seconds > 0:
            self._wait(seconds)

    # One provider

    def _send_all(self, provider: Provider, queries: Sequence[UpstreamQuery]) -> Outcome:
        asked = [*queries]
        fork_block: UpstreamQuery | None = None
        if self._fork is not None and self._monotonic() >= provider.checked_until:
            # Hashes instead of transactions.
            fork_block = upstream_query("eth_getBlockByNumber", hex(self._fork.number), False)  # noqa: FBT003  # JSON
            if fork_block not in asked:
                asked.insert(0, fork_block)
        size = provider.batch_size
        batches = [asked[start : start + size] for start in range(0, len(asked), size)]
        with self._lock:
            self.requests += len(asked)
            self.round_trips += math.ceil(len(batches) / PARALLEL)
        outcomes = in_parallel(lambda batch: self._send(provider, batch), batches, PARALLEL)
        whole = Outcome()
        for batch, outcome in zip(batches, outcomes, strict=True):
            whole.answers |= outcome.answers
            if outcome.is_refused:
                smaller = SMALLER_BATCH if len(batch) > SMALLER_BATCH else 1
                provider.batch_size = min(provider.batch_size, len(outcome.answers) or smaller)
            if outcome.failure is not None and not whole.is_final:
                whole.failure, whole.is_final = outcome.failure, outcome.is_final
            if outcome.retry_after is not None:
                whole.retry_after = max(whole.retry_after or 0.0, outcome.retry_after)
        self._check_fork(provider, whole, fork_block)
        if fork_block is not None and fork_block not in queries:
            whole.answers.pop(fork_block, None)
        return whole

    def _check_fork(self, provider: Provider, outcome: Outcome, due: UpstreamQuery | None) -> None:
        fork = self._fork
        for query, block in outcome.answers.items():
            number = query.block_number if query.method == "eth_getBlockByNumber" else None
            if number is None or isinstance(block, UpstreamFailed):
                continue
            if fork is None or number == fork.number:
                provider.block = number, bytes.fromhex(block["hash"][2:])
                provider.checked_until = self._monotonic() + CHECK_SECONDS
        if fork is None:
            return
        if due is not None and due not in outcome.answers:
            outcome.answers.clear()  # so are those missing that it would vouch for
            return
        failure = None if due is None else outcome.answers[due]
        number, block_hash = provider.block or (None, b"")
        if number == fork.number and block_hash != fork.hash:
            failure = ForkBlockReorganized(
                f"block {fork.number} of {provider.address} is 0x{block_hash.hex()}, but the chain "
                f"was forked from 0x{fork.hash.hex()}: the upstream has reorganised that block, or "
                "is another chain; fork again, from an older block or another provider",
                number=fork.number,
                expected=fork.hash,
                found=block_hash,
            )
            provider.checked_until = 0.0
        if isinstance(failure, UpstreamFailed):
            outcome.failure, outcome.is_final = failure, True
            outcome.answers.clear()

    def _send(self, provider: Provider, batch: Sequence[UpstreamQuery]) -> Outcome:
        import httpcore  # noqa: PLC0415  # a tenth of a second that nodes which stay offline save

        from devchain.upstream.exchange import AnswerRefused, Exchange  # noqa: PLC0415  # the same

        with self._lock:  # keeps the pace
            now = self._monotonic()
            begin = max(now, self._next_slot)
            self._next_slot = begin + len(batch) * self._pause
        self._sleep(begin - now)
        headers = self._headers | provider.headers
        exchange = Exchange(self._timeout, most_bytes(batch), self._monotonic)
        try:
            response = self._connections().post(provider.url, headers, body_of(batch), exchange)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            # A node that never answered is a wrong URL rather than a node that restarts.
            return provider.failed(
                UpstreamUnreachable,
                f"cannot be reached ({provider.clean(error_text(error))}): check the URL",
                is_final=not provider.has_answered,
            )
        except httpcore.TimeoutException:
            return provider.failed(UpstreamUnreachable, f"gives no answer in {self._timeout:g} s")
        except AnswerRefused as refusal:
            return provider.failed(UpstreamAnswerInvalid, str(refusal), is_final=True)
        except (httpcore.NetworkError, httpcore.ProtocolError, RuntimeError) as error:
            reason = provider.clean(error_text(error))
            return provider.failed(UpstreamUnreachable, f"breaks off ({reason})")
        provider.has_answered = True
        return _read(provider, batch, response)

    def _connections(self) -> Connections:
        from devchain.upstream.exchange import Connections  # noqa: PLC0415  # see `_send`

        with self._lock:
            if self._closed.is_set():
                raise RuntimeError("closed")
            if self._http is None:
                is_encrypted = any(
                    provider.address.startswith("https") for provider in self.providers
                )
                self._http = Connections(is_encrypted=is_encrypted, limit=2 * PARALLEL)
            return self._http


# Reading


def _read(  # noqa: PLR0911  # one for each shape of an answer
    provider: Provider, batch: Sequence[UpstreamQuery], response: HttpAnswer
) -> Outcome:
    status = response.status
    try:
        reply = parse(response.body)
    except ValueError:
        reply = None
    except UpstreamAnswerInvalid as invalid:
        return provider.failed(UpstreamAnswerInvalid, str(invalid), is_final=True)
    error = reply.get("error") if isinstance(reply, dict) else None
    if status == 429:
        return _rate_limited(provider, "HTTP 429", _retry_after(response))
    if isinstance(reply, list) and len(batch) > 1:
        return _read_batch(provider, batch, reply)
    if isinstance(error, dict):
        if _is_rate_limit(error, batch[0]):
            return _rate_limited(provider, _message(provider, error), _retry_after(response))
        if len(batch) > 1:
            return Outcome(is_refused=True)
        if status not in UNAUTHORIZED:
            return Outcome({batch[0]: _refusal(provider, batch[0], error)})
    elif isinstance(reply, dict) and "result" in reply and len(batch) == 1:
        return Outcome({batch[0]: _value(provider, batch[0], reply["result"])})
    return _no_answer(provider, batch, response, error)


def _no_answer(
    provider: Provider, batch: Sequence[UpstreamQuery], response: HttpAnswer, error: Any
) -> Outcome:
    status = response.status
    problem, is_final = f"answers HTTP {status}: is it the URL of a node?", True
    kind: type[UpstreamFailed] = UpstreamAnswerInvalid
    if status in UNAUTHORIZED and (len(batch) == 1 or status != FORBIDDEN):
        reason = f": {_message(provider, error)}" if isinstance(error, dict) else ""
        problem = (
            f"refuses access (HTTP {status}{reason}): check the key in the URL or --fork-header"
        )
        kind = UpstreamUnauthorized
    elif status in PASSING:
        outcome = provider.failed(UpstreamUnreachable, f"answers HTTP {status}")
        outcome.retry_after = _retry_after(response)
        return outcome
    elif status >= 400 and len(batch) > 1:
        return Outcome(is_refused=True)
    elif status < 300:
        problem = "answers something that is not JSON-RPC: is it the URL of a node?"
        is_final = False
    elif status < 400:
        problem = f"answers HTTP {status}, a redirect: give the URL that it leads to"
    return provider.failed(kind, problem, is_final=is_final)


def _read_batch(
    provider: Provider, batch: Sequence[UpstreamQuery], replies: Sequence[Any]
) -> Outcome:
    by_id = {str(reply.get("id")): reply for reply in replies if isinstance(reply, dict)}
    outcome = Outcome()
    for index, query in enumerate(batch):
        reply = by_id.get(str(index))
        if reply is None:
            continue
        error = reply.get("error")
        if error is None:
            outcome.answers[query] = _value(provider, query, reply.get("result"))
        elif not isinstance(error, dict):
            outcome.answers[query] = _refusal(provider, query, {"message": str(error)})
        elif _is_rate_limit(error, query):
            outcome.failure = _rate_limited(provider, _message(provider, error), None).failure
        else:
            outcome.answers[query] = _refusal(provider, query, error)
    outcome.is_refused = outcome.failure is None and len(outcome.answers) < len(batch)
    return outcome


def _value(provider: Provider, query: UpstreamQuery, value: Any) -> Answer:
    if value is None and query.method == "eth_getBlockByNumber":
        return _block_unknown(provider, query, "")
    try:
        check(query, value)
    except UpstreamAnswerInvalid as error:
        return error
    return value


def _refusal(provider: Provider, query: UpstreamQuery, error: dict[str, Any]) -> UpstreamFailed:
    code = error.get("code")
    code = code if isinstance(code, int) else -32603
    reason = _message(provider, error)
    if PRUNED.search(reason):
        return UpstreamStatePruned(
            f"{provider.address} does not have {query.in_words()} any more ({reason}): choose a "
            "newer block with --fork-block-number, or as URL@BLOCK, or give the URL of an archive "
            "node",
            code,
            reason,
        )
    if BLOCK_UNKNOWN.search(reason):
        return _block_unknown(provider, query, f" ({reason})")
    return UpstreamRefused(
        f"{provider.address} answers an error for {query.in_words()}: {reason} (code {code})",
        code,
        reason,
        error.get("data"),
    )


def _block_unknown(provider: Provider, query: UpstreamQuery, reason: str) -> UpstreamBlockUnknown:
    return UpstreamBlockUnknown(
        f"{provider.address} does not have {query.in_words()}{reason}: choose an older block, or a "
        "provider that has it",
        number=query.block_number,
    )


def _message(provider: Provider, error: dict[str, Any]) -> str:
    return provider.clean(str(error.get("message", "no message")))


def _is_rate_limit(error: dict[str, Any], query: UpstreamQuery) -> bool:
    code = error.get("code")
    if not isinstance(code, int) or code not in RATE_LIMITED:
        return False
    return query.method != "eth_getLogs" or not TOO_MANY_LOGS.search(str(error.get("message")))


def _is_settled(answer: Answer) -> bool:
    if isinstance(answer, UpstreamStatePruned):
        return False
    if isinstance(answer, UpstreamRefused):
        return answer.code not in METHOD_UNAVAILABLE
    return not isinstance(answer, UpstreamFailed)


def _rate_limited(provider: Provider, reason: str, retry_after: float | None) -> Outcome:
    outcome = provider.failed(
        UpstreamRateLimited,
        f"takes no more requests for now ({reason}): wait, give --fork-requests-per-second or "
        "another provider",
        is_final=retry_after is not None and retry_after > MAX_RETRY_AFTER,
    )
    outcome.retry_after = retry_after
    return outcome


def _retry_after(response: HttpAnswer) -> float | None:
    text = response.headers.get("retry-after", "").strip()
    return float(text[:9]) if text.isascii() and text.isdigit() else None


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
    secrets = tuple(sorted((*_secrets(parts), *header_values), key=len, reverse=True))
    headers = {}
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    return Provider(url.replace(" ", "%20"), address, secrets, headers, batch_size)


def _secrets(parts: SplitResult) -> set[str]:
    # Parts of a URL that must not be shown: path, query, their parts, name and password.
    pieces = re.split(r"[/?&=:@]", f"{parts.path}?{parts.query}")
    pieces += [parts.username or "", parts.password or "", parts.path[1:], parts.query]
    secrets = {piece for piece in pieces if len(piece) >= MIN_SECRET}
    return secrets | {unquote(secret) for secret in secrets}
