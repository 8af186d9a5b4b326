"""A fork of the chain of execution-apis' conformance tests answers as the recorded node.

The tests and their chain are read from `../shared`, or from the folder that RECORDED_ETHEREUM
names in the environment: `tests` of ethereum/execution-apis.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from tests.fork.upstreams import fork_over_http
from tests.recorded_ethereum import IS_AVAILABLE, TESTS, RecordedChain

FILES = sorted(TESTS.glob("*/*.io")) if IS_AVAILABLE else []
GETHS_CALL_GAS_CAP = 50_000_000

ALWAYS = frozenset({"totalDifficulty"})
"""What geth does not show any more."""
OF_THE_NODE = ALWAYS | frozenset(
    {
        *("hash", "parentHash", "blockHash", "stateRoot", "transactionsRoot", "receiptsRoot"),
        *("transactionHash", "v", "r", "s", "yParity"),
        *("size", "extraData", "parentBeaconBlockRoot"),
    }
)
"""Members of simulated blocks that depend on who simulates: a fork's state roots are its own, and
with them hashes; geth does not sign transactions."""

DIFFERENCES = {
    "a simulated block has another hash, since a fork has its own state roots": [
        "eth_simulateV1/ethSimulate-blockhash-start-before-head",
    ],
    "a block that is simulated before the fork has the header of the rules in force": [
        "eth_simulateV1/ethSimulate-empty-with-block-num-set-firstblock",
    ],
    "precompiled contracts are neither overridden nor moved": [
        "eth_simulateV1/ethSimulate-extcodehash-precompile",
        "eth_simulateV1/ethSimulate-move-ecrecover-and-call-old-and-new",
        "eth_simulateV1/ethSimulate-move-ecrecover-twice-and-call",
        "eth_simulateV1/ethSimulate-move-to-address-itself-reference-38022",
        "eth_simulateV1/ethSimulate-move-two-accounts-to-same-38023",
        "eth_simulateV1/ethSimulate-override-ecrecover",
        "eth_simulateV1/ethSimulate-override-identity",
        "eth_simulateV1/ethSimulate-override-sha256",
    ],
    "a range of blocks that is reversed or ahead of the head has no logs": [
        "eth_getLogs/filter-error-future-block-range",
        "eth_getLogs/filter-error-reversed-block-range",
    ],
    "a QUANTITY may have leading zeros": [
        "eth_getStorageAt/get-storage-invalid-key-too-large",
    ],
    "an estimate is exact, geth's may be 1.5 % too high": [
        "eth_estimateGas/estimate-successful-call",
        "eth_estimateGas/estimate-with-eip7702",
    ],
    "the recorded node's mempool had transactions": [
        "txpool_status/get-status",
    ],
    "the method builds payloads for a consensus client, which no node here has": [
        "testing_buildBlockV1/build-block-empty-transactions",
        "testing_buildBlockV1/build-block-from-mempool",
        "testing_buildBlockV1/build-block-invalid-transaction",
        "testing_buildBlockV1/build-block-with-transactions",
    ],
    "there are no blobs": [
        "eth_feeHistory/fee-history",
    ],
}
"""Tests whose answers differ here, by the reason; one that becomes exact has to leave the table."""
REASONS = {name: reason for reason, names in DIFFERENCES.items() for name in names}

NO_MATCH = object()


def exchanges(path: Path) -> list[tuple[bytes, dict[str, Any]]]:
    """The requests of a file with the recorded responses."""
    lines = path.read_text(encoding="utf-8").splitlines()
    sent = [line[3:].encode() for line in lines if line.startswith(">> ")]
    answered = [json.loads(line[3:]) for line in lines if line.startswith("<< ")]
    return list(zip(sent, answered, strict=True))


def differences(wanted: Any, found: Any, ignored: frozenset[str], place: str = "") -> Iterator[str]:
    """Where two JSON values differ."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for name in sorted({*wanted, *found} - ignored):
            one, other = wanted.get(name, NO_MATCH), found.get(name, NO_MATCH)
            yield from differences(one, other, ignored, f"{place}/{name}")
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for index, (one, other) in enumerate(zip(wanted, found, strict=True)):
            yield from differences(one, other, ignored, f"{place}/{index}")
    elif wanted != found:
        yield f"{place}: {str(wanted)[:100]} is {str(found)[:100]}"


def compared(method: str, response: dict[str, Any]) -> Any:
    """What is compared of a response: the texts of errors say here what to change."""
    if "error" in response:
        return {key: value for key, value in response["error"].items() if key in {"code", "data"}}
    if method == "eth_simulateV1":
        for block in response["result"]:
            block["transactions"] = [isinstance(tx, dict) and tx for tx in block["transactions"]]
    return response["result"]


@pytest.fixture(scope="module")
def fork() -> Iterator[Node]:
    """A fork at the head of the recorded chain."""
    chain = RecordedChain()
    head = len(chain.blocks) - 1
    with fork_over_http(
        chain,
        fork_block_number=head,
        fork_hardfork=chain.hardforks,
        hardfork="osaka",
        call_gas_cap=GETHS_CALL_GAS_CAP,
    ) as node:
        yield node


@pytest.mark.skipif(not FILES, reason="the recorded chain is not available")
@pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode present")  # by py-evm
class TestRecordedAnswers:
    @pytest.mark.parametrize(
        "path", FILES, ids=[f"{each.parent.name}/{each.stem}" for each in FILES]
    )
    def test_exact(self, fork: Node, path: Path) -> None:
        """Answers are the recorded ones, but where the table has a reason why they are not."""
        method = path.parent.name
        ignored = OF_THE_NODE if method == "eth_simulateV1" else ALWAYS
        found = []
        with fork.snapshot():
            for request, wanted in exchanges(path):
                response = json.loads(Dispatcher(fork).serve_now(request) or b"")
                found += differences(compared(method, wanted), compared(method, response), ignored)

        name = f"{method}/{path.stem}"
        assert found == [] if name not in REASONS else found != [], REASONS.get(name)


@pytest.mark.skipif(not FILES, reason="the recorded chain is not available")
def test_listed() -> None:
    """What is listed exists."""
    assert REASONS.keys() <= {f"{path.parent.name}/{path.stem}" for path in FILES}
