"""`devchain.rpc.methods.work`, with an outside miner at the other end of the dispatcher"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from devchain.chain.merged_mining import MergedMining, verify
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods.work import get_merged_mining_work, mining
from tests.accounts import BOB
from tests.actions import fingerprint, send
from tests.bitcoin_miner import BitcoinBlock, unlucky
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.precompiles.bridge.peg import running

NONCE, DIGEST = "0x0000000000000001", "0x" + "cd" * 32


class TestMining:
    @pytest.mark.parametrize(
        ("config", "expected"),
        [(Config(), True), (Config(block_time=1.0), True), (Config(mining=False), False)],
        ids=["automatic", "interval", "manual"],
    )
    def test_modes(self, config: Config, expected: bool) -> None:
        """A node mines by default."""
        assert mining(Node(config)) is expected


class TestNetHashrate:
    def test_number(self) -> None:
        """The rate is the last hour's difficulty divided by 3600, as a JSON number."""
        client = LocalClient(Node(Config(hardfork="berlin", fixed_clock=GENESIS_TIME)))
        response = [client.call("eth_netHashrate")]
        client.call("evm_mine")
        response.append(client.call("eth_netHashrate"))
        client.call("evm_increaseTime", 3_601)

        assert [*response, client.call("eth_netHashrate")] == [0, 36, 0]


class TestGetWork:
    def test_members(self, client: LocalClient) -> None:
        """It is the hash of the block to be sealed, no seed, and the easiest boundary."""
        pending = client.call("eth_getBlockByNumber", "pending", False)

        assert client.call("eth_getWork") == [
            pending["hashForMergedMining"],
            "0x" + "00" * 32,
            "0x" + "ff" * 32,
        ]

    def test_same_as_merged_mining(self, client: LocalClient) -> None:
        """`eth_getWork` and `mnr_getWork` return the same block."""
        own, _, _ = client.call("eth_getWork")

        response = client.call("mnr_getWork")
        mined = BitcoinBlock.mine(bytes.fromhex(own[2:]))
        client.call("mnr_submitBitcoinBlock", *mined.whole())

        assert response["blockHashForMergedMining"] == own
        assert client.call("eth_submitWork", NONCE, own, DIGEST) is False
        assert client.call("eth_blockNumber") == "0x1"


class TestSubmitWork:
    @pytest.mark.parametrize(
        ("params", "text"),
        [
            (["0x01", DIGEST, DIGEST], "argument nonce: want 8 bytes, got 1"),
            ([NONCE, "0x01", DIGEST], "argument header_hash: want 32 bytes, got 1"),
            ([NONCE, DIGEST, "0x"], "argument mix_digest: want 32 bytes, got 0"),
        ],
    )
    def test_malformed(self, client: LocalClient, params: list[str], text: str) -> None:
        """Lengths are those of the specification."""
        with pytest.raises(RpcFailure, match=text) as caught:
            client.call("eth_submitWork", *params)
        assert caught.value.code == -32602


class TestBridgeState:
    @pytest.mark.parametrize(
        ("network", "height"), [("main", 499_968), ("test", 1_413_216), ("local", 0)]
    )
    def test_height(self, network: str, height: int) -> None:
        """The height is a JSON number, that of the network's first bitcoin block."""
        client = LocalClient(Node(Config(network=network)))

        response = client.call("eth_bridgeState")

        assert response == {
            "rskTxsWaitingForSignatures": [],
            "btcBlockchainBestChainHeight": height,
        }

    def test_as_the_contract(self, client: LocalClient) -> None:
        """It is what the Bridge answers to a call."""
        bridge = {"to": "0x0000000000000000000000000000000001000006", "data": "0x14c89c01"}

        response = client.call("eth_bridgeState")["btcBlockchainBestChainHeight"]

        assert int(client.call("eth_call", bridge, "latest"), 16) == response

    def test_releases(self) -> None:
        """A transaction that waits for signatures is named by a hash without 0x."""
        with running() as peg:
            peg.fund(2 * 10**8)
            peg.request(10**8)
            update = peg.update()
            before = peg.client.call("eth_bridgeState")["rskTxsWaitingForSignatures"]
            peg.confirm()
            after = peg.client.call("eth_bridgeState")["rskTxsWaitingForSignatures"]

        assert (before, after) == ([], [update["transactionHash"][2:]])

    def test_ethereum(self) -> None:
        """Under Ethereum's rules there is no Bridge."""
        client = LocalClient(Node(Config(hardfork="shanghai")))

        with pytest.raises(RpcFailure, match="eth_bridgeState is Rootstock's") as caught:
            client.call("eth_bridgeState")
        assert caught.value.code == -32601


SUBMIT = {
    "mnr_submitBitcoinBlock": BitcoinBlock.whole,
    "mnr_submitBitcoinBlockTransactions": BitcoinBlock.with_hashes,
    "mnr_submitBitcoinBlockPartialMerkle": BitcoinBlock.with_branch,
}
"""The three methods that submit a bitcoin block."""
WHOLE, HASHES, BRANCH = SUBMIT
EVERY = pytest.mark.parametrize("method", SUBMIT)
UNKNOWN = b"\xab" * 32


@pytest.fixture
def config() -> Config:
    """A node without automatic mining."""
    return Config(network="test", fixed_clock=GENESIS_TIME, mining=False)


def take_work(client: LocalClient) -> BitcoinBlock:
    """Fetch work and mine a bitcoin block for it."""
    response = client.call("mnr_getWork")
    tagged = bytes.fromhex(response["blockHashForMergedMining"][2:])
    return BitcoinBlock.mine(tagged, target=int(response["target"], 16))


def refused(node: Node, method: str, params: list[str]) -> tuple[int, str]:
    """Code and text of a submission that has to be refused and to change nothing."""
    before = fingerprint(node)
    with pytest.raises(RpcFailure) as caught:
        LocalClient(node).call(method, *params)
    assert fingerprint(node) == before
    return caught.value.code, caught.value.message


class TestGetMergedMiningWork:
    def test_members(self, client: LocalClient, node: Node) -> None:
        """Work is a hash, a target, the fees in wei as decimal text, and the parent."""
        send(node, BOB, gas=21_000, gas_price=3)

        pending = client.call("eth_getBlockByNumber", "pending", False)

        assert client.call("mnr_getWork") == {
            "blockHashForMergedMining": pending["hashForMergedMining"],
            "target": f"0x{2**256 // 3:064x}",
            "feesPaidToMiner": "63000",
            "notify": True,
            "parentBlockHash": client.call("eth_getBlockByNumber", "latest", False)["hash"],
        }

    def test_notify(self, node: Node) -> None:
        """It is news on the first read, and again when a transaction has come."""
        response = [get_merged_mining_work(node)["notify"] for _ in range(2)]
        send(node, BOB)

        assert [*response, get_merged_mining_work(node)["notify"]] == [True, False, True]


class TestSubmit:
    @EVERY
    @pytest.mark.parametrize("prefix", ["", "0x"], ids=["plain", "0x"])
    def test_accepted(self, client: LocalClient, node: Node, method: str, prefix: str) -> None:
        """The block becomes the head; its members prove the work."""
        sent = send(node, BOB, value=1)
        mined = take_work(client)
        params = [
            " ".join(prefix + each for each in text.split()) for text in SUBMIT[method](mined)
        ]

        response = client.call(method, *params)

        block = client.call("eth_getBlockByNumber", "latest", False)
        assert response == {
            "blockImportedResult": "0x494d504f525445445f42455354",
            "blockHash": block["hash"],
            "blockIncludedHeight": "0x1",
        }
        assert block["transactions"] == ["0x" + sent.hex()]
        assert block["bitcoinMergedMiningHeader"] == "0x" + mined.header.hex()
        check_proof(block)

    @EVERY
    def test_late(self, client: LocalClient, node: Node, method: str) -> None:
        """After `evm_mine` the submitted block is not the best and is discarded."""
        mined = take_work(client)
        client.call("evm_mine")
        before = fingerprint(node)

        response = client.call(method, *SUBMIT[method](mined))

        assert bytes.fromhex(response["blockImportedResult"][2:]) == b"IMPORTED_NOT_BEST"
        assert client.call("eth_getBlockByHash", response["blockHash"], False) is None
        assert fingerprint(node) == before

    def test_twice(self, client: LocalClient) -> None:
        """A block submitted again, by any method, already exists."""
        mined = take_work(client)

        response = [client.call(method, *params_of(mined)) for method, params_of in SUBMIT.items()]

        results = [bytes.fromhex(each["blockImportedResult"][2:]) for each in response]
        assert results == [b"IMPORTED_BEST", b"EXIST", b"EXIST"]
        assert len({each["blockHash"] for each in response}) == 1

    @EVERY
    def test_not_handed_out(self, client: LocalClient, node: Node, method: str) -> None:
        """A hash that was never returned, or that a revert invalidated, is refused."""
        taken = client.call("evm_snapshot")
        reverted = take_work(client)
        client.call("evm_revert", taken)

        for mined in (reverted, BitcoinBlock.mine(UNKNOWN)):
            code, text = refused(node, method, SUBMIT[method](mined))
            tagged = mined.transactions[0][-36:-4].hex()
            assert code == -33000
            assert f"Cannot publish block, could not find hash 0x{tagged} in the cache" in text

    @EVERY
    def test_too_little_work(self, client: LocalClient, node: Node, method: str) -> None:
        """A header above the target is refused; the right one may follow."""
        mined = take_work(client)

        code, text = refused(node, method, SUBMIT[method](unlucky(mined)))

        assert code == -33000
        assert text.startswith("Invalid block supplied by miner: the bitcoin header's hash")
        assert client.call(method, *SUBMIT[method](mined))["blockIncludedHeight"] == "0x1"

    @EVERY
    def test_wrong_root(self, client: LocalClient, node: Node, method: str) -> None:
        """Other transactions than those in the header's Merkle root are refused."""
        mined = take_work(client)
        forged = replace(mined, transactions=mined.transactions[:3])

        code, text = refused(node, method, SUBMIT[method](forged))

        assert code == -33000
        assert "the Merkle proof does not lead from the coinbase" in text

    def test_wrong_branch(self, client: LocalClient, node: Node) -> None:
        """A branch whose hashes are swapped is refused."""
        params = take_work(client).with_branch()
        own, first, second, *rest = params[3].split()

        code, text = refused(
            node, BRANCH, [*params[:3], " ".join([own, second, first, *rest]), params[4]]
        )

        assert (code, "the Merkle proof does not lead" in text) == (-33000, True)

    @EVERY
    def test_no_tag(self, client: LocalClient, node: Node, method: str) -> None:
        """A coinbase without the tag is no submission."""
        mined = take_work(client)
        coinbase = mined.transactions[0].replace(b"RSKBLOCK:", b"rskblock:")
        untagged = replace(mined, transactions=[coinbase, *mined.transactions[1:]])

        code, text = refused(node, method, SUBMIT[method](untagged))

        assert (code, text) == (-32602, "the coinbase does not carry the tag RSKBLOCK:")

    def test_empty_branch(self, client: LocalClient, node: Node) -> None:
        """A branch has the coinbase's own hash at least."""
        params = take_work(client).with_branch()

        response = refused(node, BRANCH, [*params[:3], " ", params[4]])

        assert response == (-33000, "The list of merkle hashes can't be empty")

    @pytest.mark.parametrize(
        ("method", "place", "change", "text"),
        [
            (WHOLE, 0, lambda text: text + "00", "1 bytes after the block"),
            (WHOLE, 0, lambda text: text[:-2], "lock time"),
            (WHOLE, 0, lambda _: "", "0 instead of 80"),
            (WHOLE, 0, lambda text: text[1:], "argument block: want an even number of hex digits"),
            (WHOLE, 0, lambda text: "zz" + text, "argument block: want an even number"),
            (WHOLE, 0, lambda text: text + " 00", "argument block: want an even number"),
            (HASHES, 1, lambda text: text + "00", "a bitcoin header has 80 bytes, this one 81"),
            (HASHES, 1, lambda _: "0x0", "argument header: want an even number of hex digits"),
            (HASHES, 2, lambda text: text + "00", "1 bytes after the transaction"),
            (HASHES, 2, lambda _: "?", "argument coinbase: want an even number of hex digits"),
            (HASHES, 3, lambda text: text[:-2], "a hash has 32 bytes"),
            (HASHES, 3, lambda text: text + " é", "argument hashes: want an even number"),
            (HASHES, 3, lambda _: "", "the list of hashes is empty"),
            (BRANCH, 3, lambda text: text + " 12", "a hash has 32 bytes, 0x12 has 1"),
            (BRANCH, 4, lambda _: "many", "argument count: want the number of transactions in hex"),
        ],
    )
    def test_malformed(
        self, client: LocalClient, node: Node, method: str, place: int, change: Any, text: str
    ) -> None:
        """What is not hex, or no bitcoin block, is a wrong parameter."""
        params = SUBMIT[method](take_work(client))
        params[place] = change(params[place])

        code, response = refused(node, method, params)

        assert (code, text in response) == (-32602, True), response

    @EVERY
    def test_ethereum(self, method: str) -> None:
        """Under Ethereum's rules nothing can be submitted."""
        node = Node(Config(hardfork="prague", fixed_clock=GENESIS_TIME))

        code, text = refused(node, method, SUBMIT[method](BitcoinBlock.mine(UNKNOWN)))

        assert (code, "--hardfork prague" in text) == (-32601, True)


def check_proof(block: dict[str, Any]) -> None:
    """Fail unless the block's own members prove its work."""
    names = ("Header", "CoinbaseTransaction", "MerkleProof")
    parts = [bytes.fromhex(block[f"bitcoinMergedMining{name}"][2:]) for name in names]
    tagged = bytes.fromhex(block["hashForMergedMining"][2:])
    verify(tagged, int(block["difficulty"], 16), MergedMining(*parts))
