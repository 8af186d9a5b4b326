"""`devchain.rpc.dispatch`"""

from __future__ import annotations

import pytest

from devchain.node.peers import Conduct
from devchain.rpc.dispatch import conduct_of


class TestConductOf:
    @pytest.mark.parametrize(
        ("name", "code", "conduct"),
        [
            ("eth_chainId", None, Conduct.ANSWERED),
            ("eth_call", -32015, Conduct.ANSWERED),
            ("eth_call", -32603, Conduct.ANSWERED),
            ("eth_call", -32602, Conduct.MALFORMED),
            ("", -32700, Conduct.MALFORMED),
            ("", -32600, Conduct.MALFORMED),
            ("eth_cal", -32601, Conduct.UNKNOWN_METHOD),
            ("eth_sendTransaction", None, Conduct.SENT),
            ("eth_sendRawTransaction", -32010, Conduct.SENT_BAD),
            ("personal_sendTransaction", -32602, Conduct.SENT_BAD),
        ],
    )
    def test_codes(self, name: str, code: int | None, conduct: Conduct) -> None:
        """Only what the client did wrong counts against it."""
        error = {} if code is None else {"error": {"code": code, "message": ""}}

        assert conduct_of(name, error) is conduct
