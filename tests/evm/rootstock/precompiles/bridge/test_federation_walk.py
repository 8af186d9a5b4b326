"""A federation is elected, validated and handed the peg, on a node and its simulated Bitcoin.

Bitcoin checks every script of the transactions that federators sign.
"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from coincurve import PrivateKey
from eth_abi.abi import encode

from devchain.config import Config
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import releases
from devchain.evm.rootstock.precompiles.bridge.federation import account_of
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.utxos import OLD, Utxo
from devchain.evm.rootstock.precompiles.powpeg import federator_keys
from devchain.node import Node
from devchain.types import Address
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.precompiles.bridge.calls import account
from tests.evm.rootstock.precompiles.bridge.peg import UTXOS, Peg, parse_values
from tests.evm.rootstock.precompiles.bridge.test_elections import ADD, CREATE
from tests.evm.rootstock.precompiles.calling import selector, unpack

VOTERS = [account(f"auth-{letter}") for letter in "abc"]
REWARD = 50 * 10**8
BTC_HEIGHT = 400  # from 350 on regtest's Bridge knows its transactions by their hash
RELEASED = "release_btc(bytes32,bytes)"


class Walk(Peg):
    """A Bridge with its Bitcoin, and the keys of federators."""

    def __init__(self, node: Node) -> None:
        """Give the genesis federation the reward of a block, and mine more."""
        super().__init__(node)
        self.bitcoin = node.bitcoin
        self.keys = {key.public_key.format(): key for key in map(PrivateKey, federator_keys(9))}
        self.current, *self.later = (list(self.keys)[at : at + 3] for at in (0, 3, 6))
        for sender in (*VOTERS, *map(account_of, self.keys)):
            self.client.call("hardhat_impersonateAccount", f"0x{sender.hex()}")
        script = self.federation.output_script
        reward = self.bitcoin.generate(script)
        self.bitcoin.mine(BTC_HEIGHT - self.bitcoin.height)
        self.store(UTXOS, [Utxo(reward.txids[0], 0, REWARD, script).serialize()])
        self.sync()

    def run(self, sender: Address, signature: str, *values: Any) -> dict[str, Any]:
        """A transaction to the Bridge that succeeds; the receipt."""
        kinds = signature[signature.index("(") + 1 : -1].split(",") if values else []
        receipt = self.send(sender, selector(signature) + encode(kinds, values))
        assert receipt["status"] == "0x1"
        return receipt

    @property
    def federator(self) -> Address:
        """A member of the active federation."""
        return account_of(self.current[0])

    def update(self) -> dict[str, Any]:
        """A federator's call of `updateCollections`; the receipt."""
        return self.run(self.federator, "updateCollections()")

    def sync(self) -> None:
        """Let a federator send the Bridge the headers of Bitcoin that it does not have."""
        best = int.from_bytes(self.ask("getBtcBlockchainBestChainHeight()"))
        self.run(self.federator, "receiveHeaders(bytes[])", self.bitcoin.headers(best + 1))

    def elect(self, members: list[bytes]) -> None:
        """Vote for a federation of those members."""
        calls: list[tuple[Any, ...]] = [(CREATE,), *((ADD, key, key, key) for key in members)]
        for each in calls:
            for voter in VOTERS:
                self.run(voter, *each)
        chosen = unpack(self.ask("getPendingFederationHash()"))
        for voter in VOTERS:
            self.run(voter, "commitFederation(bytes)", chosen)

    def release(self, state: str, signers: list[bytes]) -> bytes:
        """Sign the transaction in a state, send it to Bitcoin and register it; its id."""
        ((rsk_hash, raw),) = rlp.decode(unpack(self.ask(state)))
        transaction = BitcoinTransaction.parse(raw)
        for key in signers[:2]:
            data = key, self.signed_by(key, transaction), rsk_hash
            receipt = self.run(account_of(key), "addSignature(bytes,bytes[],bytes)", *data)
        data = bytes.fromhex(receipt["logs"][-1]["data"][2:])
        txid = self.bitcoin.send_raw(unpack(data))
        self.bitcoin.mine(3)
        self.sync()
        self.register(txid)
        return txid

    def signed_by(self, key: bytes, transaction: BitcoinTransaction) -> list[bytes]:
        """The signatures of a federator with that public key."""
        values = iter(parse_values(self.read(releases.values_slot(transaction.txid))))
        digests = []
        for index, spent in enumerate(transaction.inputs):
            script = redeem_script_in(spent) or b""
            if spent.witness:
                digests.append(transaction.witness_signature_hash(index, script, next(values)))
            else:
                digests.append(transaction.signature_hash(index, script))
        return [self.keys[key].sign(digest, hasher=None) for digest in digests]

    def register(self, txid: bytes) -> None:
        """Register a transaction, with its witnesses if it has some."""
        raw = self.bitcoin.transaction(txid)
        has_witness = BitcoinTransaction.parse(raw).has_witnesses
        proof = self.bitcoin.proof(txid, with_witness=has_witness)
        if has_witness:
            coinbase = self.bitcoin.coinbase_proof(proof.block_hash)
            self.run(
                self.federator,
                "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)",
                *(coinbase.transaction, coinbase.block_hash, coinbase.tree),
                *(coinbase.witness_root, coinbase.witness_reserved_value),
            )
        register = "registerBtcTransaction(bytes,int256,bytes)"
        self.run(
            self.federator,
            register,
            proof.transaction,
            proof.height,
            proof.tree,
        )

    def mine_to(self, block_number: int) -> None:
        """Mine Rootstock blocks up to that number."""
        self.node.mine(block_number - self.node.chain.height)

    def owned(self, slot: int) -> list[Utxo]:
        """The outputs in a list of them."""
        return [Utxo.parse(item) for item in rlp.decode(self.read(slot) or b"\xc0")]

    def hand_over(self, members: list[bytes], age: int) -> None:
        """Elect a federation, let it become active, and migrate all funds to it."""
        before = unpack(self.ask("getFederationAddress()"))
        self.elect(members)
        committed = self.node.chain.height
        if self.node.config.hardfork in {"lovell", "vetiver"}:
            assert self.ask("getProposedFederationSize()") == THREE
            self.update()
            self.confirm()
            self.release(RELEASES, self.current)
            self.update()
            spend = self.release("getStateForSvpClient()", members)
            assert spend in {utxo.txid for utxo in self.owned(OLD)}
        assert unpack(self.ask("getFederationAddress()")) == before
        funds = sum(utxo.value for utxo in self.owned(OLD))
        self.mine_to(committed + age + 16)
        assert unpack(self.ask("getRetiringFederationAddress()")) == before
        self.update()
        assert self.owned(OLD) == []
        self.confirm()
        migration = self.release(RELEASES, self.current)
        (arrived,) = self.owned(UTXOS)
        assert arrived.txid == migration
        assert 0 < funds - arrived.value < 10**6
        self.mine_to(committed + age + 150)
        self.update()
        self.current = members
        assert unpack(self.ask("getFederationAddress()")) != before
        assert unpack(self.ask("getRetiringFederationAddress()")) == b""


RELEASES = "getStateForBtcReleaseClient()"
THREE = (3).to_bytes(32)
AGE, LONG_AGE = 10, 150  # blocks until a federation is active, the second one since Fingerroot


@pytest.mark.parametrize(
    ("upgrade", "age", "times"),
    [
        ("papyrus", AGE, 2),
        ("iris", AGE, 1),  # Bitcoin does not relay what spends that federation's outputs
        ("fingerroot", LONG_AGE, 2),
        ("lovell", LONG_AGE, 2),
        ("vetiver", LONG_AGE, 2),
    ],
)
def test_walk(upgrade: str, age: int, times: int) -> None:
    """The funds of the genesis federation arrive at the elected one, then at a third."""
    with Node(Config(hardfork=upgrade, fixed_clock=GENESIS_TIME)) as node:
        walk = Walk(node)
        for members in walk.later[:times]:
            walk.hand_over(members, age)
        (arrived,) = walk.owned(UTXOS)

    assert 0 < REWARD - arrived.value < 4 * 10**6
