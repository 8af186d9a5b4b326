"""`devchain.state.state_view`, checked by the verifier in `tests.merkle`."""

from __future__ import annotations

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.node import Node
from devchain.state.state_view import AccountProof
from devchain.types import Address, Tag
from tests.accounts import ADDRESSES, ALICE, FUNDS
from tests.actions import deploy, run
from tests.bytecode import FILL, STORE, STORE_AT, word
from tests.merkle import EMPTY_ROOT, BadProof, prove, root_of

EMBEDDED = (40_364, 105_566)
"""Two slots whose keccak begins with the same four bytes: their leaves are shorter than 32 bytes
and embedded in their parent."""

NO_CODE = keccak(b"")


def proved_account(proof: AccountProof, root: bytes) -> list[int | bytes] | None:
    """The account fields the proof establishes, None if it establishes that there is none."""
    found = prove(root, keccak(proof.address), proof.nodes)
    if found is None:
        return None
    nonce, balance, storage_root, code_hash = rlp.decode(found)
    return [int.from_bytes(nonce, "big"), int.from_bytes(balance, "big"), storage_root, code_hash]


def slots_of(proof: AccountProof) -> dict[int, int | None]:
    """The values that the slot proofs establish, by slot."""
    found = {}
    for each in proof.slots:
        value = prove(proof.storage_root, keccak(word(each.slot)), each.nodes)
        found[each.slot] = None if value is None else int.from_bytes(rlp.decode(value), "big")
    return found


def proof_at_head(node: Node, address: Address, slots: list[int]) -> AccountProof:
    """A proof against the newest state."""
    return node.chain.state_at(Tag.LATEST).proof(address, slots)


class TestAccounts:
    def test_existing(self, node: Node) -> None:
        """The nodes lead from the state root to the account's fields."""
        run(node, ADDRESSES[1], value=5)

        proof = proof_at_head(node, ALICE, [])

        assert proved_account(proof, node.chain.head.state_root) == [
            1,
            FUNDS - 5,
            EMPTY_ROOT,
            NO_CODE,
        ]

    @pytest.mark.parametrize("seed", range(8))
    def test_missing(self, node: Node, seed: int) -> None:
        """The nodes prove that an account does not exist, and its fields are empty."""
        unknown = Address(keccak(bytes([seed]))[:20])

        proof = proof_at_head(node, unknown, [7])

        assert proved_account(proof, node.chain.head.state_root) is None
        assert (proof.balance, proof.nonce) == (0, 0)
        assert (proof.storage_root, proof.code_hash) == (EMPTY_ROOT, NO_CODE)
        assert slots_of(proof) == {7: None}

    def test_old_block(self, node: Node) -> None:
        """A proof at an old block holds against that block's root and not against the head's."""
        run(node, ADDRESSES[1], value=5)

        proof = node.chain.state_at(0).proof(ALICE, [])

        assert proved_account(proof, node.chain.block(0).state_root) == [
            0,
            FUNDS,
            EMPTY_ROOT,
            NO_CODE,
        ]
        with pytest.raises(BadProof):
            proved_account(proof, node.chain.head.state_root)

    def test_whole_state(self, node: Node) -> None:
        """The genesis root is the root of the trie of the funded accounts and the Bridge."""
        balances = dict.fromkeys(ADDRESSES, FUNDS) | {BRIDGE: 21_000_000 * 10**18}

        expected = root_of(
            {
                keccak(address): rlp.encode([0, balance, EMPTY_ROOT, NO_CODE])
                for address, balance in balances.items()
            }
        )

        assert node.chain.head.state_root == expected


class TestSlots:
    @pytest.mark.parametrize("count", [1, 2, 17, 60])
    def test_many(self, node: Node, count: int) -> None:
        """Every written slot proves its value, every other one its absence."""
        contract = deploy(node, FILL)
        run(node, contract, word(count) + word(2**200 + 1))

        proof = proof_at_head(node, contract, list(range(count + 3)))

        written = dict.fromkeys(range(1, count + 1), 2**200 + 1)
        assert slots_of(proof) == {0: None, **written, count + 1: None, count + 2: None}
        assert [each.value for each in proof.slots] == [0, *written.values(), 0, 0]

    def test_cleared(self, node: Node) -> None:
        """A slot set back to zero is absent, and so is the trie when it was the last one."""
        contract = deploy(node, STORE)
        run(node, contract, word(9))
        run(node, contract, word(0))

        proof = proof_at_head(node, contract, [0])

        assert (proof.storage_root, slots_of(proof)) == (EMPTY_ROOT, {0: None})

    def test_short_nodes(self, node: Node) -> None:
        """A leaf shorter than 32 bytes is embedded in its parent and not listed."""
        contract = deploy(node, STORE_AT)
        for slot in EMBEDDED:
            run(node, contract, word(slot) + word(1))

        proof = proof_at_head(node, contract, list(EMBEDDED))

        assert slots_of(proof) == dict.fromkeys(EMBEDDED, 1)
        assert [len(each.nodes) for each in proof.slots] == [2, 2]
