"""`devchain.rpc.dispatch`"""

from __future__ import annotations

import pytest

from devchain.node.peers import PeerEvent
from devchain.rpc.dispatch import peer_event_of


class TestConductOf:
    @pytest.mark.parametrize(
        ("name", "code", "event"),
        [
            ("eth_chainId", None, PeerEvent.ANSWERED),
            ("eth_call", -32015, PeerEvent.ANSWERED),
            ("eth_call", -32603, PeerEvent.ANSWERED),
            ("eth_call", -32602, PeerEvent.MALFORMED),
            ("", -32700, PeerEvent.MALFORMED),
            ("", -32600, PeerEvent.MALFORMED),
            ("eth_cal", -32601, PeerEvent.UNKNOWN_METHOD),
            ("eth_sendTransaction", None, PeerEvent.SENT),
            ("eth_sendRawTransaction", -32010, PeerEvent.SENT_BAD),
            ("personal_sendTransaction", -32602, PeerEvent.SENT_BAD),
        ],
    )
    def test_codes(self, name: str, code: int | None, event: PeerEvent) -> None:
        """Only what the client did wrong counts against it."""
        error = {} if code is None else {"error": {"code": code, "message": ""}}

        assert peer_event_of(name, error) is event
