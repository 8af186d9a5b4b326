"""Any request of bitcoind's JSON-RPC gets an answer or an error of bitcoind, never an internal one.

`python -m tests.fuzzing bitcoin` draws calls of every method: with values of any type, and with
bytes of transactions that are cut off, changed or made up. A request takes `MAX_SECONDS` of CPU
time at most.
"""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.bitcoin import rpc_chain, rpc_wallet
from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.json_rpc import INTERNAL, METHODS, Request, answer
from devchain.clock import Clock
from devchain.config import MNEMONIC

assert rpc_chain  # their methods are in METHODS
assert rpc_wallet

MAX_SECONDS = 15.0
SLOW = {"generatetoaddress"}  # mines as many blocks as it is told to


@cache
def _node() -> tuple[BitcoinNode, Any, list[str]]:
    node = BitcoinNode(MNEMONIC, Clock(1_700_000_000))
    address = node.new_address("legacy")
    txid = node.send(address, 10**8)
    node.mine(1)
    texts = [node.transaction(txid).hex(), txid.hex(), address, node.block(1).hash.hex()]
    return node, node.checkpoint(), texts


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A transaction, id, address or block, maybe damaged, or any text."""
    text = draw(st.sampled_from(_node()[2]))
    place = draw(st.integers(0, len(text)))
    match draw(st.sampled_from(["whole", "whole", "cut", "changed", "bytes", "any"])):
        case "cut":
            return text[:place]
        case "changed":
            return text[:place] + draw(st.binary(min_size=1, max_size=3)).hex() + text[place + 2 :]
        case "bytes":
            return draw(st.binary(max_size=200)).hex()
        case "any":
            return draw(st.text(max_size=40))
    return text


NAMES = st.sampled_from(
    [
        "txid",
        "vout",
        "scriptPubKey",
        "amount",
        "address",
        "desc",
        "data",
        "fee_rate",
        "range",
    ]
)
SCALARS = st.one_of(
    texts(), st.integers(-(2**65), 2**65), st.floats(), st.booleans(), st.none(), st.just(1)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(NAMES, texts()), inner, max_size=4)
    ),
    max_leaves=8,
)


def check(name: str, params: Any) -> None:
    """Call a method of a node that is as it was before; raises `AssertionError`."""
    node, checkpoint, _ = _node()
    node.restore(checkpoint)
    before = time.thread_time()
    _, body = answer(
        Request(node, None), json.dumps({"id": 1, "method": name, "params": params}).encode()
    )
    error = json.loads(body)["error"] if body else None
    case = f"{name} {json.dumps(params)}"
    assert error is None or error["code"] != INTERNAL, f"internal error of {case}: {error}"
    assert time.thread_time() - before < MAX_SECONDS, f"too long: {case}"


def replay() -> None:
    """There is no corpus: what was found has tests of its own."""


@settings(max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(METHODS.keys() - SLOW)), st.lists(VALUES, max_size=5))
def search(name: str, params: list[Any]) -> None:
    """Check some calls."""
    check(name, params)
