"""`devchain.rpc.methods.eth.state`"""

from __future__ import annotations

import pytest
import rlp
from eth_hash.auto import keccak
from trie import HexaryTrie

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.node.cheats import set_storage
from devchain.rpc.methods.eth.state import (
    get_proof,
)
from devchain.types import Address
from tests.accounts import UNFUNDED, UNFUNDED_HEX
from tests.actions import deploy, run
from tests.bytecode import STORE, STORE_AT, word


@pytest.fixture
def contract(node: Node) -> Address:
    """A contract whose slot 0 holds 7."""
    made = deploy(node, STORE)
    run(node, made, word(7))
    return made


class TestGetStorageAt:
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
