"""A bitcoin miner in another process mines this chain over HTTP."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from devchain.client.http import Client, HttpClient
from devchain.errors import RpcFailure
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.bitcoin_miner import BitcoinBlock, double_sha256, unlucky
from tests.clients.conftest import START

SUBMIT: dict[str, Callable[[BitcoinBlock], list[str]]] = {
    "mnr_submitBitcoinBlock": BitcoinBlock.whole,
    "mnr_submitBitcoinBlockTransactions": BitcoinBlock.with_hashes,
    "mnr_submitBitcoinBlockPartialMerkle": BitcoinBlock.with_branch,
}
REFUSED = -33000


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of a `devchain start --no-mining` in a process of its own."""
    with subprocess.Popen([*START, "--no-mining"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.terminate()


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    """A client of that node, reset to genesis."""
    made = HttpClient(url)
    made.call("evm_reset")
    yield made
    made.close()


def work_of(client: Client, salt: int = 0) -> BitcoinBlock:
    """Get work and mine its bitcoin block; another salt gives another one."""
    work = client.call("mnr_getWork")
    block_hash = bytes.fromhex(work["blockHashForMergedMining"][2:])
    return BitcoinBlock.mine(block_hash, target=int(work["target"], 16), salt=salt)


def submit(client: Client, block: BitcoinBlock, method: str = "mnr_submitBitcoinBlock") -> Any:
    """Submit a solved block."""
    return client.call(method, *SUBMIT[method](block))


def head(client: Client) -> dict[str, Any]:
    """The newest block."""
    found: dict[str, Any] = client.call("eth_getBlockByNumber", "latest", False)
    return found


class TestOutsideMiner:
    def test_blocks(self, client: Client) -> None:
        """Work becomes the next block by every way to submit it, with the pending transaction."""
        for number, method in enumerate(SUBMIT, start=1):
            sent = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})
            solved = work_of(client)

            answer = submit(client, solved, method)

            mined = head(client)
            assert bytes.fromhex(answer["blockImportedResult"][2:]) == b"IMPORTED_BEST"
            assert (answer["blockHash"], answer["blockIncludedHeight"]) == (
                mined["hash"],
                hex(number),
            )
            assert mined["transactions"] == [sent]
            assert mined["bitcoinMergedMiningHeader"] == "0x" + solved.header.hex()
            receipt = client.call("eth_getTransactionReceipt", sent)
            assert (receipt["status"], receipt["blockHash"]) == ("0x1", mined["hash"])

    @pytest.mark.parametrize("replaced_by", ["another miner", "the node itself"])
    def test_stale(self, client: Client, replaced_by: str) -> None:
        """Work for a block that another block has replaced changes nothing."""
        late = work_of(client)
        if replaced_by == "another miner":
            submit(client, work_of(client, salt=1))
        else:
            client.call("evm_mine")
        before = head(client)

        answer = submit(client, late)

        assert bytes.fromhex(answer["blockImportedResult"][2:]) == b"IMPORTED_NOT_BEST"
        assert head(client) == before

    def test_forged(self, client: Client) -> None:
        """An unknown block, too little work and a changed coinbase are refused."""
        genesis = head(client)
        solved = work_of(client)
        forged = {
            "unknown": BitcoinBlock.mine(double_sha256(b"mine")),
            "too little work": unlucky(solved),
            "another coinbase": BitcoinBlock(
                solved.header, [solved.transactions[0] + b"\0", *solved.transactions[1:]]
            ),
        }

        for block in forged.values():
            with pytest.raises(RpcFailure) as failure:
                submit(client, block)
            assert failure.value.code in {REFUSED, -32602}

        assert head(client) == genesis
        assert submit(client, solved)["blockIncludedHeight"] == "0x1"
