"""Answers to what is not HTTP: a body that says why, which hypercorn leaves empty."""

from __future__ import annotations

from http import HTTPStatus

from devchain.rpc.dispatch import error_body
from devchain.server.checks import JSON

INVALID_REQUEST = -32600
SENTENCES = {
    400: "this is not HTTP/1.1: check the request line, the headers and Content-Length",
    431: "the headers of the request are too large; send fewer or shorter ones",
}


def explain_malformed() -> None:
    """Make hypercorn answer requests it cannot read with a JSON-RPC error."""
    import h11
    from hypercorn import protocol
    from hypercorn.protocol.h11 import H11Protocol

    class Protocol(H11Protocol):
        async def _send_error_response(self, status_code: int) -> None:
            body = malformed_body(status_code)
            headers = [
                (b"content-type", JSON.encode()),
                (b"content-length", b"%d" % len(body)),
                (b"connection", b"close"),
            ]
            await self._send_h11_event(h11.Response(status_code=status_code, headers=headers))
            await self._send_h11_event(h11.Data(data=body))
            await self._send_h11_event(h11.EndOfMessage())

    protocol.H11Protocol = Protocol  # type: ignore[attr-defined]  # hypercorn has no place to say so


def malformed_body(status: int) -> bytes:
    """The JSON-RPC error for a request that could not be read."""
    return error_body(INVALID_REQUEST, SENTENCES.get(status) or HTTPStatus(status).phrase)
