"""Bitcoin transactions as the Bridge reads them: parsed, checked by themselves, and serialized.

Hashes are in the byte order that Bitcoin displays. As bitcoinj, which the real node uses, the
parser ignores bytes after a transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from devchain.evm.rootstock.precompiles.bitcoin import HASH, Reader, double_sha256
from devchain.evm.rootstock.precompiles.bitcoin_script import parse_script
from devchain.evm.rootstock.precompiles.native_contract import Malformed

MAX_MONEY = 21 * 10**14  # satoshis
MAX_SIZE = 1_000_000  # bytes, with the SegWit data, as bitcoinj counts
NO_INDEX = 2**32 - 1  # of the output that a coinbase input spends
COINBASE_SCRIPT_SIZES = range(2, 101)
_ALL = b"\1\0\0\0"  # SIGHASH_ALL
COMMITMENT_PREFIX = bytes.fromhex("6a24aa21a9ed")  # OP_RETURN, a length, the marker of BIP141


@dataclass(frozen=True, slots=True)
class TxInput:
    """The output that is spent, with its scriptSig and, for SegWit, its witness stack."""

    txid: bytes
    index: int
    script: bytes
    sequence: int = 2**32 - 1
    witness: tuple[bytes, ...] = ()

    @property
    def outpoint(self) -> bytes:
        return self.txid[::-1] + self.index.to_bytes(4, "little")

    @property
    def is_coinbase(self) -> bool:
        return self.index == NO_INDEX and not any(self.txid)


@dataclass(frozen=True, slots=True)
class TxOutput:
    """An amount in satoshis and the script that has to be satisfied to spend it."""

    value: int
    script: bytes

    def serialize(self) -> bytes:
        return self.value.to_bytes(8, "little", signed=True) + sized(self.script)


@dataclass(frozen=True, slots=True)
class BitcoinTransaction:
    """A transaction; `parse` raises `Malformed` for bytes that are none."""

    version: int
    inputs: tuple[TxInput, ...]
    outputs: tuple[TxOutput, ...]
    lock_time: int = 0

    @classmethod
    def parse(cls, raw: bytes) -> BitcoinTransaction:
        """A transaction in the legacy or the SegWit encoding (BIP144)."""
        reader = Reader(raw)
        version = reader.number(4)
        inputs, flags = _inputs(reader), 0
        if not inputs:
            flags = reader.number(1)
            inputs = _inputs(reader) if flags else []
        outputs = _outputs(reader) if inputs or flags else []
        if flags & 1:
            inputs = [replace(txin, witness=_witness(reader)) for txin in inputs]
        if flags & ~1:
            raise Malformed("the transaction has optional data of an unknown kind")
        return cls(version, tuple(inputs), tuple(outputs), reader.number(4))

    @property
    def txid(self) -> bytes:
        """The transaction id: the hash of the legacy encoding."""
        return double_sha256(self.serialize(with_witnesses=False))[::-1]

    @property
    def is_coinbase(self) -> bool:
        return len(self.inputs) == 1 and self.inputs[0].is_coinbase

    @property
    def has_witnesses(self) -> bool:
        return any(each.witness for each in self.inputs)

    def serialize(self, *, with_witnesses: bool = True) -> bytes:
        """The SegWit encoding if an input has a witness stack, else the legacy encoding."""
        has_witnesses = with_witnesses and self.has_witnesses
        parts = [self.version.to_bytes(4, "little"), b"\0\1" if has_witnesses else b""]
        parts.append(varint(len(self.inputs)))
        for spent in self.inputs:
            parts += [spent.outpoint, sized(spent.script), spent.sequence.to_bytes(4, "little")]
        parts += [varint(len(self.outputs)), *(output.serialize() for output in self.outputs)]
        for spent in self.inputs if has_witnesses else ():
            parts += [varint(len(spent.witness)), *map(sized, spent.witness)]
        return b"".join([*parts, self.lock_time.to_bytes(4, "little")])

    def signature_hash(self, index: int, script: bytes) -> bytes:
        """What a signature of all inputs and outputs signs; `script` is what the input satisfies.

        The script has no OP_CODESEPARATOR. As bitcoinj, this does not leave out witnesses.
        """
        inputs = tuple(
            replace(spent, script=script if at == index else b"")
            for at, spent in enumerate(self.inputs)
        )
        return double_sha256(replace(self, inputs=inputs).serialize() + _ALL)

    def witness_signature_hash(self, index: int, script: bytes, value: int) -> bytes:
        """The same for a SegWit input, which spends an output of `value` satoshis (BIP143)."""
        outpoints = [spent.outpoint for spent in self.inputs]
        sequences = [spent.sequence.to_bytes(4, "little") for spent in self.inputs]
        outputs = [output.serialize() for output in self.outputs]
        before, after, paid = (
            double_sha256(b"".join(parts)) for parts in (outpoints, sequences, outputs)
        )
        parts = [self.version.to_bytes(4, "little"), before, after, outpoints[index], sized(script)]
        parts += [value.to_bytes(8, "little"), sequences[index], paid]
        return double_sha256(b"".join([*parts, self.lock_time.to_bytes(4, "little"), _ALL]))

    def checked(self) -> BitcoinTransaction:
        """Raise `Malformed` for a transaction that no block can have, whatever it spends."""
        if not self.inputs or not self.outputs:
            raise Malformed("a transaction needs inputs and outputs")
        if len(self.serialize()) > MAX_SIZE:
            raise Malformed(f"a transaction has at most {MAX_SIZE:,} bytes")
        if len({(each.txid, each.index) for each in self.inputs}) < len(self.inputs):
            raise Malformed("an output is spent twice")
        if min(each.value for each in self.outputs) < 0:
            raise Malformed("an amount is negative")
        if sum(each.value for each in self.outputs) > MAX_MONEY:
            raise Malformed("the amounts are more than there are bitcoins")
        if self.is_coinbase:
            if len(self.inputs[0].script) not in COINBASE_SCRIPT_SIZES:
                raise Malformed("the script of a coinbase has 2 to 100 bytes")
        elif any(each.is_coinbase for each in self.inputs):
            raise Malformed("only the input of a coinbase transaction spends no output")
        return self

    def witness_commitment(self, *, parses_scripts: bool = False) -> bytes | None:
        """The witness commitment of a coinbase, from its last output with one (BIP141), or None.

        With `parses_scripts` raises `Malformed` if a push is cut off in that output or a later one.
        """
        end = len(COMMITMENT_PREFIX) + HASH
        for output in reversed(self.outputs):
            if parses_scripts:
                parse_script(output.script)
            if output.script.startswith(COMMITMENT_PREFIX) and len(output.script) >= end:
                return output.script[len(COMMITMENT_PREFIX) : end]
        return None


def varint(number: int) -> bytes:
    """A number of variable length: counts, sizes and amounts."""
    if number < 0xFD:
        return bytes([number])
    mark, size = (0xFD, 2) if number < 2**16 else (0xFE, 4) if number < 2**32 else (0xFF, 8)
    return bytes([mark]) + number.to_bytes(size, "little")


def sized(item: bytes) -> bytes:
    """Bytes behind their size."""
    return varint(len(item)) + item


def _inputs(reader: Reader) -> list[TxInput]:
    inputs = []
    for _ in range(reader.varint()):
        txid, index = reader.take(HASH)[::-1], reader.number(4)
        inputs.append(TxInput(txid, index, reader.take(reader.varint()), reader.number(4)))
    return inputs


def _outputs(reader: Reader) -> list[TxOutput]:
    return [
        TxOutput(reader.number(8, signed=True), reader.take(reader.varint()))
        for _ in range(reader.varint())
    ]


def _witness(reader: Reader) -> tuple[bytes, ...]:
    return tuple(reader.take(reader.varint()) for _ in range(reader.varint()))
