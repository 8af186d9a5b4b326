"""Bitcoin's own formats, read from hostile input: blocks and transactions."""

from __future__ import annotations

from hashlib import sha256

from devchain.errors import InvalidInput

HEADER_SIZE = 80
HASH_SIZE = 32


def double_sha256(content: bytes) -> bytes:
    """Bitcoin's hash: SHA-256 of SHA-256."""
    return sha256(sha256(content).digest()).digest()


def read_block(raw: bytes) -> tuple[bytes, list[bytes]]:
    """The header of a block and its transactions without their witnesses.

    Raises `InvalidInput` for bytes that are no bitcoin block.
    """
    reader = _Reader(raw, "bitcoin block")
    header = reader.take(HEADER_SIZE, "header")
    transactions = [_transaction(reader) for _ in range(reader.number("transactions"))]
    reader.finish()
    if not transactions:
        msg = "the bitcoin block has no transactions: want at least the coinbase"
        raise InvalidInput(msg)
    return header, transactions


def read_coinbase(raw: bytes) -> bytes:
    """A transaction without its witness: the bytes whose hash is its id.

    Raises `InvalidInput` for bytes that are no bitcoin transaction.
    """
    reader = _Reader(raw, "coinbase")
    found = _transaction(reader)
    reader.finish()
    return found


class _Reader:
    """Takes bytes from the front of hostile input."""

    def __init__(self, raw: bytes, name: str) -> None:
        self.raw = raw
        self.position = 0
        self._name = name

    def take(self, size: int, what: str) -> bytes:
        """The next bytes."""
        start, end = self.position, self.position + size
        if end > len(self.raw):
            msg = f"the {self._name} ends within its {what}, at byte {len(self.raw)}"
            raise InvalidInput(msg)
        self.position = end
        return self.raw[start:end]

    def number(self, what: str) -> int:
        """A count in bitcoin's variable length, which has to be the shortest."""
        first = self.take(1, what)[0]
        if first < 0xFD:
            return first
        size = 2 ** (first - 0xFC)
        value = int.from_bytes(self.take(size, what), "little")
        if value < (0xFD if size == 2 else 2 ** (size * 4)):
            msg = f"the number of {what} in the {self._name} is written longer than it need be"
            raise InvalidInput(msg)
        return value

    def script(self, what: str) -> None:
        """Skip bytes that their length precedes."""
        self.take(self.number(what), what)

    def finish(self) -> None:
        """Make sure that nothing is left."""
        if left := len(self.raw) - self.position:
            msg = f"{left} bytes follow the end of the {self._name}"
            raise InvalidInput(msg)


def _transaction(reader: _Reader) -> bytes:
    """The next transaction without its witness: the bytes whose hash is its id."""
    version = reader.take(4, "transaction version")
    has_witness = reader.raw[reader.position : reader.position + 2] == b"\0\x01"
    start = reader.position + 2 * has_witness
    reader.position = start
    inputs = _inputs_and_outputs(reader)
    body = reader.raw[start : reader.position]
    if has_witness:
        for _ in range(inputs):
            for _ in range(reader.number("witness")):
                reader.script("witness")
    return version + body + reader.take(4, "lock time")


def _inputs_and_outputs(reader: _Reader) -> int:
    """Skip them; how many inputs there were."""
    inputs = reader.number("inputs")
    if not inputs:
        msg = "a bitcoin transaction has no inputs"
        raise InvalidInput(msg)
    for _ in range(inputs):
        reader.take(HASH_SIZE + 4, "inputs")
        reader.script("input script")
        reader.take(4, "inputs")
    for _ in range(reader.number("outputs")):
        reader.take(8, "outputs")
        reader.script("output script")
    return inputs
