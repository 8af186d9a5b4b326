"""Bitcoin blocks that the Bridge of a minimal chain has, and transactions in them."""

from __future__ import annotations

from dataclasses import dataclass

from coincurve import PrivateKey
from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bitcoin import double_sha256, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    multisig_script,
    p2sh_output_script,
    push,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    COMMITMENT_PREFIX,
    NO_INDEX,
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS, read_bytes
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from devchain.evm.rules import MAX_RBTC
from tests.evm.rootstock.precompiles.bridge.calls import (
    GENESIS,
    account,
    arguments,
    call,
    child,
    hash_twice,
    headers,
    tree_of_one,
)
from tests.evm.rootstock.precompiles.calling import Machine, Outcome

REGISTER = "registerBtcTransaction(bytes,int256,bytes)"
COINBASE = "registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)"
FEDERATOR = account("federator1")

KEY = PrivateKey(keccak(b"sender"))
PUBLIC_KEY = KEY.public_key.format()
SIGNATURE = bytes(71)
FROM_KEY = TxInput(b"\1" * 32, 0, push(SIGNATURE) + push(PUBLIC_KEY))
"""An input that spends the output of a key."""

FROM_SEGWIT_KEY = TxInput(
    b"\2" * 32, 0, push(b"\0\x14" + hash160(PUBLIC_KEY)), witness=(SIGNATURE, PUBLIC_KEY)
)
SENDER = keccak(KEY.public_key.format(compressed=False)[1:])[12:]
"""The account of the key."""

REDEEM_SCRIPT = multisig_script(2, powpeg_of(33).keys)
FEDERATION_SCRIPT = p2sh_output_script(REDEEM_SCRIPT)
"""The script of outputs to the local network's federation."""


def paying(
    *outputs: tuple[int, bytes], spent: TxInput | tuple[TxInput, ...] = FROM_KEY
) -> BitcoinTransaction:
    """A transaction with those outputs: satoshis and script."""
    inputs = spent if isinstance(spent, tuple) else (spent,)
    return BitcoinTransaction(1, inputs, tuple(TxOutput(*output) for output in outputs))


def instructions(content: bytes) -> tuple[int, bytes]:
    """An OP_RETURN output."""
    return 0, b"\x6a" + push(content)


@dataclass(frozen=True)
class Proof:
    """What `registerBtcTransaction` takes."""

    raw: bytes
    height: int
    tree: bytes

    @property
    def arguments(self) -> bytes:
        """They are encoded."""
        return arguments(self.raw, self.height, self.tree)


class BitcoinBlocks:
    """A minimal chain whose Bridge has RBTC, and Bitcoin blocks that it receives."""

    def __init__(self, upgrade: str = "vetiver", height: int = 0) -> None:
        """Mine that many blocks."""
        self.machine = Machine(upgrade)
        self.machine.state.set_balance(ADDRESS, MAX_RBTC)
        self.head, self.height = GENESIS, 0
        self.mine(height)

    def mine(self, count: int = 1, root: bytes = bytes(32)) -> int:
        """Mine blocks, the first with that Merkle root; its height."""
        first, mined = self.height + 1, []
        for index in range(count):
            mined.append(child(previous=self.head, root=root if index == 0 else bytes(32)))
            self.head, self.height = hash_twice(mined[-1]).hex(), self.height + 1
        for start in range(0, count, 100):
            data = headers(*mined[start : start + 100])
            outcome = call(self.machine, "receiveHeaders(bytes[])", data, sender=FEDERATOR)
            assert outcome.error is None
        return first

    def prove(self, transaction: BitcoinTransaction, confirmations: int = 3) -> Proof:
        """Mine a block with a transaction, and blocks on it; with witnesses its coinbase too."""
        raw = transaction.serialize()
        if not transaction.has_witnesses:
            height = self.mine(root=transaction.txid)
            self.mine(confirmations - 1)
            return Proof(raw, height, tree_of_one(raw))
        tree = b"\2\0\0\0\2" + bytes(32) + double_sha256(raw) + b"\1\5"
        witness_root = double_sha256(bytes(32) + double_sha256(raw))[::-1]
        commitment = double_sha256(witness_root[::-1] + bytes(32))
        mined_by = TxInput(bytes(32), NO_INDEX, b"height", witness=(bytes(32),))
        coinbase = paying((0, COMMITMENT_PREFIX + commitment), spent=mined_by)
        pair = coinbase.txid[::-1] + transaction.txid[::-1]
        height = self.mine(root=double_sha256(pair)[::-1])
        block = bytes.fromhex(self.head)
        branch = b"\2\0\0\0\2" + pair + b"\1\3"
        start = coinbase.serialize(with_witnesses=False)
        tail = arguments(start, 0, branch, 0, 0)
        data = tail[:32] + block + tail[64:96] + witness_root + bytes(32) + tail[160:]
        assert call(self.machine, COINBASE, data).error is None
        self.mine(confirmations - 1)
        return Proof(raw, height, tree)

    def register(self, transaction: BitcoinTransaction) -> Outcome:
        """Prove a transaction and register it."""
        return self.register_proof(self.prove(transaction))

    def register_proof(self, proof: Proof) -> Outcome:
        """A federator's call."""
        return call(self.machine, REGISTER, proof.arguments, sender=FEDERATOR)

    def read(self, slot: int) -> bytes:
        """What a slot of the Bridge has."""
        return read_bytes(lambda each: int(self.machine.state.get_storage(ADDRESS, each)), slot)

    def balance(self, of: bytes) -> int:
        """Wei."""
        return int(self.machine.state.get_balance(of))
