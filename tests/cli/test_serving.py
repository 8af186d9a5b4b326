"""`devchain.cli.serving`"""

from __future__ import annotations

import signal

import pytest

from devchain import Config, Node
from devchain.cli.serving import _Collector, _logging_to, until_interrupted
from devchain.errors import UpstreamUnreachable
from tests.upstream.server import FakeUpstream, Reply, serve


def test_pauses_of_a_start(capsys: pytest.CaptureFixture[str]) -> None:
    """That the node to fork is asked again is shown at once, not collected for the banner."""
    warnings: list[str] = []

    with serve(FakeUpstream()) as fake:
        fake.faults.append(lambda _: Reply(503, b"busy"))
        urls = (fake.url,)
        config = Config(fork_url=urls, retries=1, fork_retry_backoff=0, storage_caching=False)
        with _logging_to(_Collector(warnings)), pytest.raises(UpstreamUnreachable):
            Node(config)

    shown = f"asking again in 0 s (2 of 2): {fake.url} answers HTTP 503"
    assert " ".join(capsys.readouterr().err.split()) == shown
    assert warnings == []


def test_second_hangup() -> None:
    """A SIGHUP that comes again while the command ends is ignored, as the server left it."""
    before = signal.getsignal(signal.SIGHUP)
    try:
        with until_interrupted():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
