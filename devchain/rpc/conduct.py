"""What an answer says of the client that asked."""

from __future__ import annotations

from typing import Any

from devchain.peers import Conduct
from devchain.rpc.errors import (
    CODES,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    ParseFailed,
)

SENDING = {"eth_sendRawTransaction", "eth_sendTransaction", "personal_sendTransaction"}
CONDUCTS = {
    CODES[ParseFailed]: Conduct.MALFORMED,
    CODES[InvalidRequest]: Conduct.MALFORMED,
    CODES[InvalidParams]: Conduct.MALFORMED,
    CODES[MethodNotFound]: Conduct.UNKNOWN_METHOD,
}


def conduct_of(name: str, reply: dict[str, Any]) -> Conduct:
    """How a request counts; what could not be answered but was well asked is no fault."""
    error = reply.get("error")
    if name in SENDING:
        return Conduct.SENT_BAD if error else Conduct.SENT
    return CONDUCTS.get(error["code"], Conduct.ANSWERED) if error else Conduct.ANSWERED
