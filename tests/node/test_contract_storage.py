"""`devchain.node.contract_storage`"""

from __future__ import annotations

import json
from collections.abc import Collection

import pytest
from eth_hash.auto import keccak

from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.contracts.contract import Contract
from devchain.contracts.proxies import ERC1967, SLOTS
from devchain.contracts.storage_names import TypedValue
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.node.contract_storage import (
    StorageSlot,
    implementations,
    raw_slot,
    storage_in_slices,
    storage_names,
)
from devchain.types import Address, StateRef, Tag, address_of, checksum
from tests.accounts import ALICE, BOB
from tests.actions import deploy, run
from tests.bytecode import ERC1967_SLOT, PROXY, RECURSE, REVERT, STORE_AT, assemble, word
from tests.chain.upstream import NodeUpstream
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import FILE, VAULT
from tests.fork.upstreams import fork_of

DEPOSITS = int.from_bytes(keccak(word(int.from_bytes(BOB)) + word(0)))
"""The slot of `deposits[BOB]`."""

DEPOSIT = TypedValue(f"deposits[{checksum(BOB)}]", "uint256", "5")
DEPOSIT_CALL = VAULT.abi.functions_named("deposit")[0].selector
LAYOUT = {
    "storage": [
        {"label": "note", "offset": 0, "slot": "0", "type": "string"},
        {"label": "who", "offset": 0, "slot": "1", "type": "addresses"},
    ],
    "types": {
        "string": {"encoding": "bytes", "label": "string", "numberOfBytes": "32"},
        "address": {"encoding": "inplace", "label": "address", "numberOfBytes": "20"},
        "addresses": {
            "encoding": "dynamic_array",
            "label": "address[]",
            "base": "address",
            "numberOfBytes": "32",
        },
    },
}
BEACON = assemble("0 SLOAD 0 MSTORE 32 0 RETURN")
TEXT = b"a text of more than thirty-two bytes"


@pytest.fixture
def config() -> Config:
    """The configuration of a node with the artifacts of the example contracts."""
    return Config(network="test", fixed_clock=GENESIS_TIME, artifacts=(str(FILE.parent),))


@pytest.fixture
def vault(node: Node) -> Contract:
    """A vault with 5 wei of BOB."""
    vault = node.deploy("Vault", 100)
    vault.deposit(value=5, sender=BOB)
    return vault


def slots_of(
    node: Node,
    address: Address,
    slots: Collection[int] | None = None,
    block: StateRef = Tag.LATEST,
) -> list[StorageSlot]:
    """The slots that are found."""
    return list(finish(storage_in_slices(node, address, slots, block)).slots)


class TestStorage:
    def test_past(self, node: Node, vault: Contract) -> None:
        """Values are those of the block, whenever the key was used."""
        [slot] = slots_of(node, vault.address, block=1)

        assert slot == StorageSlot(DEPOSITS, 0, [DEPOSIT._replace(value="0")])

    def test_slots(self, node: Node, vault: Contract) -> None:
        """Slots that are asked for have their variables too."""
        found = slots_of(node, vault.address, [7, DEPOSITS])

        assert found == [StorageSlot(7, 0, []), StorageSlot(DEPOSITS, 5, [DEPOSIT])]

    def test_without_a_layout(self, node: Node) -> None:
        """Of a contract without artifact the slots that were written are found."""
        address = deploy(node, STORE_AT)
        run(node, address, word(3) + word(9))

        assert slots_of(node, address) == [StorageSlot(3, 9, [])]

    def test_texts_and_arrays(self, node: Node) -> None:
        """Long strings have their text, and arrays their elements, whoever wrote them."""
        address = deploy(node, STORE_AT)
        client = LocalClient(node)
        client.call(
            "devchain_addArtifacts",
            {"contractName": "Notes", "abi": [], "storageLayout": LAYOUT},
            f"0x{address.hex()}",
        )
        text, element = (int.from_bytes(keccak(word(each))) for each in (0, 1))
        words = [TEXT[:32], TEXT[32:].ljust(32, b"\0")]
        node.set_storage(address, 0, 2 * len(TEXT) + 1)
        for index, each in enumerate(words):
            node.set_storage(address, text + index, int.from_bytes(each))
        node.set_storage(address, 1, 1)
        node.set_storage(address, element, int.from_bytes(ALICE))

        run(node, address, word(text) + words[0])
        found = slots_of(node, address)
        variables = [each for slot in found for each in slot.variables]

        assert [each.number for each in found] == [0, 1, element]

        assert variables == [
            TypedValue("note", "string", f'"{TEXT.decode()}"'),
            TypedValue("who (length)", "uint256", "1"),
            TypedValue("who[0]", "address", checksum(ALICE)),
        ]


class TestProxies:
    """Storage of a proxy has the names of its implementation."""

    @pytest.fixture
    def proxy(self, node: Node, vault: Contract) -> Address:
        """A proxy of the vault, with 7 wei of BOB."""
        proxy = deploy(node, PROXY)
        node.set_storage(proxy, ERC1967_SLOT, int.from_bytes(vault.address))
        run(node, proxy, DEPOSIT_CALL, sender=BOB, value=7)
        return proxy

    def test_implementation(self, node: Node, vault: Contract, proxy: Address) -> None:
        """Mapping keys are those that the proxy used; the slot of the standard has its own name."""
        implementation = TypedValue(
            "EIP-1967 implementation", "address", checksum(Address(vault.address))
        )

        assert slots_of(node, proxy, [ERC1967_SLOT, DEPOSITS]) == [
            StorageSlot(ERC1967_SLOT, int.from_bytes(vault.address), [implementation]),
            StorageSlot(DEPOSITS, 7, [DEPOSIT._replace(value="7")]),
        ]

    def test_own_variables(self, node: Node, proxy: Address) -> None:
        """The proxy's own variables are named beside those of the implementation."""
        layout = {
            "storage": [{"label": "admin", "offset": 0, "slot": "3", "type": "address"}],
            "types": LAYOUT["types"],
        }
        written = {"contractName": "Proxy", "abi": [], "storageLayout": layout}
        LocalClient(node).call("devchain_addArtifacts", written, f"0x{proxy.hex()}")

        found = slots_of(node, proxy)

        assert [each.name for slot in found for each in slot.variables] == [
            "admin",
            DEPOSIT.name,
            "EIP-1967 implementation",
        ]

    def test_no_standard(self, node: Node, vault: Contract) -> None:
        """Without a standard it is what ran by delegation in the newest transactions."""
        proxy = deploy(node, PROXY.replace(word(ERC1967_SLOT), word(5)))
        node.set_storage(proxy, 5, int.from_bytes(vault.address))

        assert slots_of(node, proxy, [DEPOSITS])[0].variables == []

        run(node, proxy, DEPOSIT_CALL, sender=BOB, value=7)

        [found] = slots_of(node, proxy)
        assert found == StorageSlot(DEPOSITS, 7, [DEPOSIT._replace(value="7")])

    @pytest.mark.parametrize(
        ("code", "names"),
        [(BEACON, [DEPOSIT.name]), (REVERT, []), (RECURSE, [])],
        ids=["answers", "reverts", "runs out of gas"],
    )
    def test_beacon(self, node: Node, vault: Contract, code: bytes, names: list[str]) -> None:
        """A beacon is asked for the implementation; one that does not answer names none."""
        beacon, proxy = deploy(node, code), deploy(node, PROXY)
        node.set_storage(beacon, 0, int.from_bytes(vault.address))
        node.set_storage(proxy, ERC1967["beacon"], int.from_bytes(beacon))
        vault.deposit(value=1, sender=BOB)
        noted = node.explainer.last_failure

        preimages = {DEPOSITS: word(int.from_bytes(BOB)) + word(0)}
        delegates = {
            each: node.chain.state_at(Tag.LATEST).code(each)
            for each in implementations(node, proxy)
        }
        found = storage_names(node, proxy, preimages, delegates).describe(DEPOSITS, 1)

        assert [name for name, _ in found] == names
        assert node.explainer.last_failure is noted

    def test_past(self, node: Node, proxy: Address) -> None:
        """The implementation is that of the state which is read."""
        node.set_storage(proxy, ERC1967_SLOT, int.from_bytes(deploy(node, STORE_AT)))

        [newest] = slots_of(node, proxy, [DEPOSITS])
        [older] = slots_of(node, proxy, [DEPOSITS], block=node.chain.height - 1)

        assert (newest.variables, older.variables) == ([], [DEPOSIT._replace(value="7")])


class TestDescribeStorage:
    """`devchain_describeStorage`."""

    def test_result(self, node: Node, vault: Contract) -> None:
        """Slots and words are 32 bytes, variables have name, type and value."""
        found = LocalClient(node).call("devchain_describeStorage", f"0x{vault.address.hex()}")

        assert found == [
            {
                "slot": f"0x{DEPOSITS:064x}",
                "word": f"0x{5:064x}",
                "variables": [DEPOSIT._asdict()],
            }
        ]


def slots_asked(upstream: NodeUpstream) -> list[str]:
    """The slots that a fork has asked for."""
    facts = (each for each in upstream.asked if each.method == "eth_getStorageAt")
    return [json.loads(each.params)[1] for each in facts]


class TestFork:
    def test_earlier_keys(self, vault: Contract) -> None:
        """Keys that a contract's mappings had before the fork are unknown, which is said."""
        node, _ = fork_of(vault.contract.chain)
        node.artifacts.add(VAULT)
        newer = node.deploy(VAULT, 100)

        before, since = (
            finish(storage_in_slices(node, address_of(each))) for each in (vault, newer)
        )

        assert (before.slots, before.forked_at) == ([], 2)
        assert since.forked_at is None
        node.close()

    def test_proxy(self, vault: Contract) -> None:
        """On a fork the implementation is the upstream's; it takes requests for code and slots."""
        upstream = vault.contract.chain
        proxy = deploy(upstream, PROXY)
        upstream.set_storage(proxy, ERC1967_SLOT, int.from_bytes(vault.address))
        node, asking = fork_of(upstream)
        node.artifacts.add(VAULT)
        run(node, proxy, DEPOSIT_CALL, sender=BOB, value=7)

        [found] = slots_of(node, proxy, [DEPOSITS])

        assert found.variables == [DEPOSIT._replace(value="7")]
        assert set(slots_asked(asking)) == {hex(each) for each in (DEPOSITS, *SLOTS)}
        node.close()

    def test_no_proxy(self, vault: Contract) -> None:
        """No slot of a proxy is asked for of a contract that does not delegate."""
        node, asking = fork_of(vault.contract.chain)
        node.artifacts.add(VAULT)

        slots_of(node, Address(vault.address), [DEPOSITS])

        assert slots_asked(asking) == [hex(DEPOSITS)]
        node.close()


@pytest.mark.parametrize(
    ("written", "slot"),
    [
        ("5", 5),
        ("0x0a", 10),
        ("0007", 7),
        (f"0[0x{BOB.hex()}]", DEPOSITS),
        ("3[-1][2]", int.from_bytes(keccak(word(2) + keccak(word(2**256 - 1) + word(3))))),
        ('4["a name"]', int.from_bytes(keccak(b"a name" + word(4)))),
        ("deposits[3]", None),
        ("", None),
    ],
)
def test_raw_slot(written: str, slot: int | None) -> None:
    """A slot is written by its number, with the keys of a mapping there in brackets."""
    assert raw_slot(written) == slot


def test_wrong_key() -> None:
    """A key without quotes is a number."""
    with pytest.raises(InvalidInput, match="a key is a number"):
        raw_slot("4[name]")
