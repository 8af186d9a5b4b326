"""A local chain whose federation has bitcoins, and its federators' work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from coincurve import PrivateKey
from eth_abi.abi import encode
from eth_hash.auto import keccak

from devchain.client import LocalClient, connect
from devchain.config import Config
from devchain.evm.rootstock.precompiles.bitcoin import Reader
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import federation, releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import (
    Federation,
    Format,
    build_federation,
)
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS, read_bytes
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo
from devchain.node import Node
from devchain.types import Address
from tests.accounts import ALICE_HEX
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.precompiles.bridge.calls import account, reading_call
from tests.evm.rootstock.precompiles.calling import Machine, selector, unpack

UTXOS = storage.slot_of("newFederationBtcUTXOs")
SATOSHI = 10**10
FEDERATORS = ("federator1", "federator2", "federator3")
BRIDGE_HEX = f"0x{ADDRESS.hex()}"


class Peg:
    """The Bridge of a node, and accounts that call it."""

    def __init__(self, node: Node) -> None:
        """Impersonate the federators."""
        self.node, self.client = node, connect(node)
        assert isinstance(self.client, LocalClient)
        for seed in FEDERATORS:
            self.client.call("hardhat_impersonateAccount", f"0x{account(seed).hex()}")

        self.federation = federation_of(Format.STANDARD)

    def change_format(self, kind: Format) -> None:
        """Make the active federation one of the same members with that script format."""
        self.federation = federation_of(kind)
        members = [storage.rlp.encode(list(member)) for member in self.federation.members]
        self.store(federation.NEW.federation, [b"", b"", members])
        self.store(federation.NEW.format, storage.number_bytes(kind))

    def store(self, slot: int, item: Any) -> None:
        """Write an RLP item to a slot of the Bridge."""
        state = SimpleNamespace(
            get_storage=lambda _, slot: self.word(slot),
            set_storage=lambda _, slot, value: self.node.set_storage(ADDRESS, slot, value),
        )
        storage.store_rlp(SimpleNamespace(upstream=None, state=state), slot, item)  # type: ignore[arg-type]

    def word(self, slot: int) -> int:
        """A storage slot of the Bridge."""
        return int(self.client.call("eth_getStorageAt", BRIDGE_HEX, hex(slot), "latest"), 16)

    def read(self, slot: int) -> bytes:
        """What a slot of the Bridge has."""
        return read_bytes(self.word, slot)

    def fund(self, *values: int) -> list[Utxo]:
        """Give the federation outputs of those values in satoshis."""
        utxos = [
            Utxo(keccak(index.to_bytes(4)), index, value, self.federation.output_script)
            for index, value in enumerate(values)
        ]
        self.store(UTXOS, [utxo.serialize() for utxo in utxos])
        return utxos

    def utxos(self) -> list[Utxo]:
        """The outputs that the federation has."""
        items = storage.rlp.decode(self.read(UTXOS))
        return [Utxo.parse(item) for item in items]

    def request(self, satoshis: int, sender: str = ALICE_HEX) -> dict[str, Any]:
        """Request a peg-out; the receipt."""
        tx = {"from": sender, "to": BRIDGE_HEX, "value": hex(satoshis * SATOSHI)}
        return self.receipt({**tx, "gas": hex(100_000)})

    def receipt(self, tx: dict[str, str]) -> dict[str, Any]:
        """The receipt of a transaction."""
        sent = self.client.call("eth_sendTransaction", tx)
        receipt: dict[str, Any] = self.client.call("eth_getTransactionReceipt", sent)
        return receipt

    def send(self, sender: Address, payload: bytes) -> dict[str, Any]:
        """The receipt of a call of the Bridge."""
        tx = {"from": f"0x{sender.hex()}", "to": BRIDGE_HEX, "data": f"0x{payload.hex()}"}
        return self.receipt({**tx, "gas": hex(2_000_000), "gasPrice": "0x0"})

    def update(self) -> dict[str, Any]:
        """A federator's call of `updateCollections`; the receipt."""
        return self.send(account(FEDERATORS[0]), selector("updateCollections()"))

    def confirm(self) -> dict[str, Any]:
        """Mine blocks until a transaction is confirmed, and let it wait for signatures."""
        self.client.call("hardhat_mine", "0x3")
        return self.update()

    def ask(self, signature: str, data: bytes = b"") -> bytes:
        """The output of an `eth_call`."""
        payload = f"0x{(selector(signature) + data).hex()}"
        answer = self.client.call("eth_call", {"to": BRIDGE_HEX, "data": payload}, "latest")
        return bytes.fromhex(answer[2:])

    def for_signatures(self) -> dict[bytes, BitcoinTransaction]:
        """The transactions that wait for signatures."""
        (items,) = storage.rlp.decode(unpack(self.ask("getStateForBtcReleaseClient()")))
        pairs = zip(items[::2], items[1::2], strict=True)
        return {rsk_hash: BitcoinTransaction.parse(raw) for rsk_hash, raw in pairs}

    def sign(
        self, seed: str, rsk_hash: bytes, signatures: list[bytes], key: bytes | None = None
    ) -> dict[str, Any]:
        """A federator's call of `addSignature`; the receipt."""
        key = key or private_key(seed).public_key.format()
        data = encode(["bytes", "bytes[]", "bytes"], [key, signatures, rsk_hash])
        return self.send(account(seed), selector("addSignature(bytes,bytes[],bytes)") + data)

    def signatures(self, seed: str, transaction: BitcoinTransaction) -> list[bytes]:
        """A federator's signatures of a transaction's inputs."""
        values = iter(parse_values(self.read(releases.values_slot(transaction.txid))))
        signatures = []
        for index, spent in enumerate(transaction.inputs):
            script = redeem_script_in(spent) or b""
            if spent.witness:
                digest = transaction.witness_signature_hash(index, script, next(values))
            else:
                digest = transaction.signature_hash(index, script)
            signatures.append(private_key(seed).sign(digest, hasher=None))
        return signatures


def federation_of(kind: Format) -> Federation:
    """The federation of a local chain with that script format."""
    reading = reading_call(Machine())
    members = federation.active(reading).members
    return build_federation(reading, members, 0, 0, kind)


def parse_values(raw: bytes) -> list[int]:
    """Numbers of variable length."""
    reader, values = Reader(raw), []
    while reader.left:
        values.append(reader.varint())
    return values


@contextmanager
def running(hardfork: str = "vetiver", engine: str = "fast") -> Iterator[Peg]:
    """A local chain with that hardfork."""
    config = Config(hardfork=hardfork, engine=engine, fixed_clock=GENESIS_TIME, accounts=2)
    with Node(config) as node:
        yield Peg(node)


def private_key(seed: str) -> PrivateKey:
    """A federator's key of the local network."""
    return PrivateKey(keccak(seed.encode()))


def names(receipt: dict[str, Any], events: dict[int, str]) -> list[str]:
    """The names of a receipt's events."""
    return [events[int(log["topics"][0], 16)] for log in receipt["logs"]]
