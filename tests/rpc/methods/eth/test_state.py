"""`devchain.rpc.methods.eth.state`"""

from __future__ import annotations

import pytest
import rlp
from eth_hash.auto import keccak
from trie import HexaryTrie

from devchain.client.http import LocalClient
from devchain.errors import BlockNotFound, RpcFailure
from devchain.node import Node
from devchain.node.cheats import set_storage
from devchain.rpc.methods.eth.state import (
    get_balance,
    get_code,
    get_proof,
    get_storage_at,
    get_transaction_count,
)
from devchain.types import Address, Tag
from tests.accounts import ALICE, ALICE_HEX, BOB, FUNDS, UNFUNDED, UNFUNDED_HEX
from tests.actions import deploy, run, send
from tests.bytecode import STORE, STORE_AT, word

EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
EMPTY_CODE = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"

NOT_ADDRESSES = ["0x", "0x1234", "0x" + "00" * 21, ALICE_HEX[2:], 1, None, [], {}]


@pytest.fixture
def contract(node: Node) -> Address:
    """A contract whose slot 0 holds 7."""
    made = deploy(node, STORE)
    run(node, made, word(7))
    return made


class TestGetBalance:
    def test_genesis_account(self, node: Node) -> None:
        """A funded account starts with its configured balance."""
        assert get_balance(node, ALICE) == FUNDS

    def test_unknown_account(self, node: Node) -> None:
        """An unknown account has balance 0."""
        assert get_balance(node, UNFUNDED) == 0

    def test_pending(self, node: Node) -> None:
        """With `pending`, what waits counts as done."""
        node.miner.running = False
        send(node, UNFUNDED, value=5)

        assert (get_balance(node, UNFUNDED), get_balance(node, UNFUNDED, Tag.PENDING)) == (0, 5)

    def test_past_the_head(self, node: Node) -> None:
        """A block that does not exist yet is an error, not an empty state."""
        with pytest.raises(BlockNotFound, match="header not found: there is no block 99"):
            get_balance(node, ALICE, 99)

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The result is a QUANTITY: hex without leading zeros."""
        assert client.call("eth_getBalance", ALICE_HEX) == "0x21e19e0c9bab2400000"

    @pytest.mark.parametrize("value", NOT_ADDRESSES)
    def test_not_an_address(self, client: LocalClient, value: object) -> None:
        """A malformed address is refused."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getBalance", value, "latest")

        assert caught.value.code == -32602
        assert caught.value.message.startswith("argument address: want ")


class TestGetCode:
    def test_contract(self, node: Node, contract: Address) -> None:
        """A contract has the code its creation returned."""
        assert get_code(node, contract) == STORE

    def test_before_its_creation(self, node: Node, contract: Address) -> None:
        """Before its creation there was none."""
        assert get_code(node, contract, 0) == b""

    def test_on_the_wire(self, client: LocalClient) -> None:
        """An account without code answers empty DATA."""
        assert client.call("eth_getCode", ALICE_HEX, "latest") == "0x"


class TestGetStorageAt:
    def test_written(self, node: Node, contract: Address) -> None:
        """A slot holds the word that was written."""
        assert get_storage_at(node, contract, 0) == word(7)

    @pytest.mark.parametrize("slot", ["0x0", "0x1", 0, "0x" + "00" * 32, "0x" + "ff" * 32])
    def test_never_written(self, client: LocalClient, slot: object) -> None:
        """An unwritten slot is 32 zero bytes, in all notations of its number."""
        assert client.call("eth_getStorageAt", UNFUNDED_HEX, slot, "latest") == "0x" + "00" * 32

    @pytest.mark.parametrize("slot", ["0", "0x1" + "00" * 32, -1, None, True])
    def test_not_a_slot(self, client: LocalClient, slot: object) -> None:
        """A slot is a QUANTITY of at most 256 bits."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getStorageAt", UNFUNDED_HEX, slot, "latest")

        assert caught.value.code == -32602
        assert caught.value.message.startswith("argument slot: ")


class TestGetTransactionCount:
    def test_sent(self, node: Node) -> None:
        """The transactions an account has sent are counted."""
        run(node, BOB)
        run(node, BOB)

        assert [get_transaction_count(node, ALICE, block) for block in range(3)] == [0, 1, 2]

    def test_pending(self, node: Node) -> None:
        """With `pending`, those that wait are counted too, up to the first gap."""
        node.miner.running = False
        send(node, BOB)
        send(node, BOB)
        send(node, BOB, nonce=5)

        assert get_transaction_count(node, ALICE) == 0
        assert get_transaction_count(node, ALICE, Tag.PENDING) == 2

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The count is a QUANTITY."""
        assert client.call("eth_getTransactionCount", ALICE_HEX) == "0x0"


def proved(root: bytes, key: bytes, nodes: list[bytes]) -> bytes:
    """What a proof shows a trie of that root to hold under a key."""
    return bytes(HexaryTrie.get_from_proof(root, keccak(key), [rlp.decode(node) for node in nodes]))


class TestGetProof:
    def test_account(self, node: Node, contract: Address) -> None:
        """The account proof verifies against the state root of the block."""
        actual = get_proof(node, contract, [])

        account = proved(node.chain.head.state_root, contract, actual["accountProof"])
        assert rlp.decode(account) == [
            rlp.sedes.big_endian_int.serialize(actual["nonce"]),
            b"",
            actual["storageHash"],
            keccak(STORE),
        ]

    def test_slot(self, node: Node, contract: Address) -> None:
        """A slot's proof verifies against the storage hash."""
        actual = get_proof(node, contract, [0])

        (slot,) = actual["storageProof"]
        assert (slot["key"], slot["value"]) == (0, 7)
        assert rlp.decode(proved(actual["storageHash"], word(0), slot["proof"])) == b"\x07"

    def test_many_slots(self, node: Node) -> None:
        """Each of many slots is proved, those never written as absent."""
        made = deploy(node, STORE_AT)
        for slot in range(20):
            run(node, made, word(slot) + word(slot + 1))

        actual = get_proof(node, made, list(range(21)))

        values = [
            proved(actual["storageHash"], word(each["key"]), each["proof"])
            for each in actual["storageProof"]
        ]
        assert values == [*(rlp.encode(slot + 1) for slot in range(20)), b""]

    def test_past(self, node: Node, contract: Address) -> None:
        """A past block's proof verifies against that block's root."""
        actual = get_proof(node, contract, [0], 1)

        root = node.chain.block(1).state_root
        assert proved(root, contract, actual["accountProof"]) != b""
        assert actual["storageProof"] == [{"key": 0, "value": 0, "proof": []}]

    def test_edited(self, node: Node, contract: Address) -> None:
        """After an edit the proofs are of the edited state, from its root and not the header's."""
        before = node.chain.head.state_root
        set_storage(node, contract, 0, 9)

        actual = get_proof(node, contract, [0])

        edited = node.chain.state_root(node.chain.head)
        assert edited != before == node.chain.head.state_root
        assert proved(edited, contract, actual["accountProof"]) != b""
        (slot,) = actual["storageProof"]
        assert slot["value"] == 9
        assert rlp.decode(proved(actual["storageHash"], word(0), slot["proof"])) == b"\x09"
        node.mine()
        assert node.chain.head.state_root == edited

    def test_absent_account(self, node: Node) -> None:
        """An account that does not exist is proved to be absent."""
        actual = get_proof(node, UNFUNDED, [])

        assert proved(node.chain.head.state_root, UNFUNDED, actual["accountProof"]) == b""

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The object has the fields and kinds of the specification."""
        slots = ["0x0", "0x" + "00" * 31 + "01"]
        actual = client.call("eth_getProof", UNFUNDED_HEX, slots, "latest")

        nodes = actual.pop("accountProof")
        assert all(each.startswith("0x") for each in nodes)
        assert actual == {
            "address": UNFUNDED_HEX,
            "balance": "0x0",
            "codeHash": EMPTY_CODE,
            "nonce": "0x0",
            "storageHash": EMPTY_TRIE,
            "storageProof": [
                {"key": "0x0", "value": "0x0", "proof": []},
                {"key": "0x1", "value": "0x0", "proof": []},
            ],
        }

    @pytest.mark.parametrize("slots", [None, "0x0", {}, [None], ["1"], [["0x0"]]])
    def test_not_slots(self, client: LocalClient, slots: object) -> None:
        """The slots are an array of QUANTITY."""
        with pytest.raises(RpcFailure, match="argument slots: want ") as caught:
            client.call("eth_getProof", UNFUNDED_HEX, slots, "latest")

        assert caught.value.code == -32602
