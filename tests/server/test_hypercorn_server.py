"""`devchain.server.hypercorn_server`: HTTPS, WSS and HTTP/2

`tls/cert.pem` is a certificate of localhost that expires in 2126.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import h2.config
import h2.connection
import h2.events
import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from devchain.server import limits
from devchain.server.hypercorn_server import check_certificate
from devchain.server.serve import run
from tests.server.live import (
    CHAIN_ID,
    CONFIG,
    EMIT_LOGS,
    GET_LOGS,
    LOGS,
    connected,
    post,
    serving,
)
from tests.server.test_websocket import call, ending, heads

TLS = Path(__file__).parent / "tls"
CERT, KEY = str(TLS / "cert.pem"), str(TLS / "key.pem")
SECURE = replace(CONFIG, tls_cert=CERT, tls_key=KEY)
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def trusting() -> ssl.SSLContext:
    """A client's context that trusts the certificate."""
    return ssl.create_default_context(cafile=CERT)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a node that is served with TLS."""
    with serving(SECURE) as number:
        yield number


@pytest.fixture(scope="module")
def client(port: int, trusting: ssl.SSLContext) -> Iterator[httpx.Client]:
    """A client of it."""
    with httpx.Client(base_url=f"https://localhost:{port}", verify=trusting) as found:
        yield found


class TestHttps:
    def test_call_and_batch(self, client: httpx.Client) -> None:
        """JSON-RPC is answered as over HTTP."""
        one = json.loads(CHAIN_ID)

        assert client.post("/", json=one).json()["result"] == "0x1f"
        assert [each["id"] for each in client.post("/", json=[one, one]).json()] == [1, 1]

    def test_health_and_explorer(self, client: httpx.Client) -> None:
        """Every path of the application is served, forms of the explorer's own origin too."""
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/explorer").status_code == 200
        own = {"Origin": str(client.base_url).rstrip("/")}
        refused = client.post("/explorer/mine", headers=own, data={"token": "wrong"})
        assert "another run" in refused.text

    def test_rules(self, client: httpx.Client) -> None:
        """Hosts, origins, content types and the size of a body are checked."""
        assert client.post("/", json={}, headers={"Host": "evil.example"}).status_code == 403
        assert client.post("/", json={}, headers={"Origin": "http://evil.io"}).status_code == 403
        assert client.post("/", content=b"{}", headers={"Content-Type": "a/b"}).status_code == 415
        large = client.post("/", content=b" " * (CONFIG.max_body + 1), headers=JSON)
        assert large.status_code == 413
        origin = "http://localhost:3000"
        allowed = client.options("/", headers={"Origin": origin})
        assert allowed.headers["Access-Control-Allow-Origin"] == origin

    def test_refused_before_the_body(self, port: int, trusting: ssl.SSLContext) -> None:
        """A connection stays open when the body comes later than the reason to refuse it."""
        connection = http.client.HTTPSConnection("localhost", port, context=trusting, timeout=10)
        for _ in range(5):
            connection.putrequest("POST", "/a/b")
            connection.putheader("Content-Length", "5")
            connection.endheaders()
            connection.send(b"later")
            response = connection.getresponse()
            assert (response.status, bool(response.read())) == (404, True)
        assert post(connection, CHAIN_ID)[0] == 200
        connection.close()

    def test_api_key(self, trusting: ssl.SSLContext) -> None:
        """A key is required where one is configured, over WSS too."""
        with serving(replace(SECURE, api_key=("secret",))) as number:
            url = f"localhost:{number}"
            with httpx.Client(verify=trusting) as client:
                assert client.post(f"https://{url}/", json={}).status_code == 401
                assert client.post(f"https://{url}/secret", json={}).status_code == 200
            with pytest.raises(InvalidStatus) as caught:
                connect(f"wss://{url}/wrong", ssl=trusting)
            assert caught.value.response.status_code == 401

    def test_http2(self, port: int, trusting: ssl.SSLContext) -> None:
        """A client that offers HTTP/2 gets it, with several requests at a time."""
        context = ssl.create_default_context(cafile=CERT)
        context.set_alpn_protocols(["h2"])
        with context.wrap_socket(connected(port), server_hostname="localhost") as sock:
            assert sock.selected_alpn_protocol() == "h2"
            assert sorted(http2_answers(sock, port, 5)) == [b'"0x1f"}'] * 5

    def test_no_tickets(self, port: int, trusting: ssl.SSLContext) -> None:
        """No ticket of TLS 1.3 comes, by which clients with two threads lose requests."""
        with trusting.wrap_socket(connected(port), server_hostname="localhost") as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"200" in sock.recv(1_000)
            assert sock.version() == "TLSv1.3"
            assert sock.session
            assert not sock.session.has_ticket

    def test_plain_client(self, port: int) -> None:
        """A client without TLS is disconnected; others are served."""
        with connected(port) as sock:
            sock.sendall(b"POST / HTTP/1.1\r\n\r\n")
            assert b"200" not in sock.recv(1_000)


def http2_answers(sock: ssl.SSLSocket, port: int, count: int) -> list[bytes]:
    """The ends of the answers to some calls at a time."""
    client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
    client.initiate_connection()
    head = [(":method", "POST"), (":path", "/"), (":scheme", "https")]
    head += [(":authority", f"localhost:{port}"), ("content-type", "application/json")]
    bodies: dict[int, bytes] = {}
    for _ in range(count):
        stream = client.get_next_available_stream_id()
        client.send_headers(stream, head)
        client.send_data(stream, CHAIN_ID, end_stream=True)
        bodies[stream] = b""
    ended = 0
    while ended < count:
        sock.sendall(client.data_to_send())
        for event in client.receive_data(sock.recv(65_536)):
            if isinstance(event, h2.events.DataReceived):
                assert event.data is not None
                bodies[event.stream_id] += event.data
            ended += isinstance(event, h2.events.StreamEnded)
    return [body[-7:] for body in bodies.values()]


class TestWss:
    @pytest.fixture
    def websocket(self, port: int, trusting: ssl.SSLContext) -> Iterator[Any]:
        """A WebSocket."""
        with connect(f"wss://localhost:{port}/", ssl=trusting, open_timeout=10) as found:
            yield found

    def test_subscription(self, websocket: Any) -> None:
        """Calls, batches and subscriptions work as on the direct server."""
        call(websocket, "eth_subscribe", "newHeads")
        height = int(call(websocket, "eth_blockNumber"), 16)
        call(websocket, "evm_mine", {"blocks": 2})

        assert heads(websocket, 2) == [hex(height + 1), hex(height + 2)]
        websocket.send(b"[%b]" % CHAIN_ID)
        assert json.loads(websocket.recv(timeout=10))[0]["result"] == "0x1f"

    def test_long_answer(self, websocket: Any) -> None:
        """Logs are one message, since ASGI knows no pieces of one."""
        websocket.send(EMIT_LOGS)
        websocket.recv(timeout=10)
        websocket.send(GET_LOGS)

        assert len(json.loads(websocket.recv(timeout=10))["result"]) >= LOGS

    def test_too_large(self, websocket: Any) -> None:
        """A message over the limit ends the connection."""
        websocket.send(" " * 300_000)

        assert ending(websocket) == 1009

    def test_never_reads(
        self, client: httpx.Client, websocket: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A subscriber for which too much waits is dropped; others are served."""
        call(websocket, "eth_subscribe", "newHeads")
        monkeypatch.setattr(limits, "MAX_UNSENT_NOTIFICATIONS", 50)
        monkeypatch.setattr(limits, "LARGE_WRITE_BYTES", -1)  # as if it never read
        mine = {"jsonrpc": "2.0", "id": 1, "method": "evm_mine", "params": [{"blocks": 40}]}
        for _ in range(3):
            client.post("/", json=mine)

        assert ending(websocket) == 1008


class TestStop:
    @pytest.mark.parametrize("config", [SECURE, replace(CONFIG, server="hypercorn")])
    def test_open_connections(self, config: Config, trusting: ssl.SSLContext) -> None:
        """A signal stops the server soon, with connections open; the URL has the scheme."""
        urls: list[str] = []

        def talk_and_stop(url: str) -> None:
            try:
                talk(url)
            except BaseException:  # which pytest shows, once the server has stopped
                if not stopped:  # a second signal would end pytest
                    os.kill(os.getpid(), signal.SIGINT)
                raise

        def talk(url: str) -> None:
            urls.append(url)
            port = int(url.rpartition(":")[2])
            secure = http.client.HTTPSConnection("localhost", port, context=trusting, timeout=10)
            plain = http.client.HTTPConnection("localhost", port, timeout=10)
            connection = secure if config.tls_cert else plain
            assert post(connection, CHAIN_ID)[0] == 200
            context = {"ssl": trusting} if config.tls_cert else {}
            with connect(f"{url.replace('http', 'ws')}", **context, server_hostname=None) as ws:
                call(ws, "eth_subscribe", "newHeads")
                stopped.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)
                codes.append(ending(ws))
            connection.close()

        stopped, codes = list[float](), list[int | None]()
        with Node(config) as node:
            run(
                {"test": node},
                replace(config, port=0),
                lambda url: threading.Thread(target=talk_and_stop, args=(url,)).start(),
            )

        # hypercorn alone would wait for the idle connections, a minute.
        assert time.monotonic() - stopped[0] < limits.IDLE_SECONDS / 2
        assert codes == [1001]
        assert urls[0].startswith(f"{config.scheme}://127.0.0.1:")


class TestCertificate:
    @pytest.mark.parametrize(
        ("cert", "key", "words"),
        [
            ("none.pem", KEY, r"cannot read --tls-cert none.pem: No such file"),
            (CERT, "none.pem", r"cannot read --tls-key none.pem: No such file"),
            (str(TLS), KEY, r"cannot read --tls-cert .*: Is a directory"),
            (KEY, KEY, r"--tls-cert .* has no certificate in PEM format"),
            (CERT, CERT, r"--tls-key .* has no private key in PEM format"),
            (CERT, str(TLS / "other-key.pem"), "is not the key of the certificate"),
        ],
    )
    def test_refused(self, cert: str, key: str, words: str) -> None:
        """What cannot be served is refused with the reason."""
        with pytest.raises(ConfigError, match=words):
            check_certificate(Config(tls_cert=cert, tls_key=key))

    @pytest.mark.parametrize(
        ("key", "words"),
        [
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "has a passphrase; write one without"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n", "cannot be used"),
        ],
    )
    def test_bad_key(self, tmp_path: Path, key: str, words: str) -> None:
        """A key with a passphrase is not asked for it; a damaged one is refused."""
        file = tmp_path / "key.pem"
        file.write_text(key)

        with pytest.raises(ConfigError, match=words):
            check_certificate(Config(tls_cert=CERT, tls_key=str(file)))

    @pytest.mark.parametrize(
        ("option", "needs"), [("tls_cert", "--tls-key"), ("tls_key", "--tls-cert")]
    )
    def test_one_alone(self, option: str, needs: str) -> None:
        """Each of the two options needs the other."""
        with pytest.raises(ConfigError, match=f"needs {needs}"):
            Config(**{option: CERT})
