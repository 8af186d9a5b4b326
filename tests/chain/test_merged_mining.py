"""`devchain.chain.merged_mining`"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.chain import merged_mining
from devchain.chain import merged_mining as midstate
from devchain.chain.merged_mining import (
    MAX_COINBASE_SIZE,
    MAX_SEAL_DIFFICULTY,
    MIDSTATE_SIZE,
    TAG,
    MergedMining,
    Submission,
    from_bitcoin_block,
    from_merkle_hashes,
    from_transaction_hashes,
    mine_header,
    own_proof,
    target,
    verify,
)
from devchain.errors import InvalidInput
from devchain.evm.rootstock.precompiles.bitcoin import could_be_transaction

HASH = bytes(range(32))
HARD = 2**14
"""a difficulty whose target a modified header practically never meets"""
INPUT = b"\x01" + bytes(32) + b"\xff" * 4
END = b"\xff" * 4
hashes = st.binary(min_size=32, max_size=32)

# Blocks 3 and 64746 of the test network: hash, difficulty, header, coinbase, Merkle proof.
THIRD_HASH = bytes.fromhex("a29b6de0f39c04c200d138e07758f2604783de7c1e0003abb60b3d28544bc1b6")
THIRD_DIFFICULTY = 0x20A3D
THIRD = MergedMining(
    bytes.fromhex("""
        000000204b830f1affa0f22955f4cba89f2b7856a2dfdb65c9a248145a020000000000002f695424
        1717b75ac7bef04fcff9dffdcd2f10c35a22fa9bda7772a10162cb5029551f5d531d041ac1787d31
    """),
    bytes.fromhex("""
        00000000000000801649d8b2989d0ce6109fbcdc38d4593275662b4d541fd08ce5f0740bd7873669
        6088ac0000000000000000266a24aa21a9ed029d7e041decec4a9946a4ce1c067f74dc92709e9085
        4432c9494a6428307f3700000000000000002a6a52534b424c4f434b3aa29b6de0f39c04c200d138
        e07758f2604783de7c1e0003abb60b3d28544bc1b600000000
    """),
    bytes.fromhex("""
        6829b0d13e9af3d9d763dcda91d55adbe513f453863ee268c0617d4bc4b1b4e2
        fb1ef1250e9a5abd35daded453f13ba08290c2eec04237f9586ab1918300b748
        2e9857a3839c94225bdec2ed3a6e49c8d407734cf70720fc8e79830ff2974688
        f895cee2a9687c1fb96f66eed9717454cd343e85483a502849d2e873c22afb2d
        665efa40b90f1518e8be178e3c0a58b44e78c4c400d6789fce043eb142d59017
        1e2096ee4485d5a3035a887040432a09074cd1f700369da15f65520fdd3a093c
        602abc4746e0f936b3e01191bc30dee02aa4448d74689c7e03fdae2413f165fd
        ca9727f5741c864bb138760dbd5a1033d007a766161b3e851e602e2d61ce7858
    """),
)
LATER_HASH = bytes.fromhex("9b846df8ecbe1e7b98351144b1672c25f54207e3998ef7d8c8492a320000fcea")
LATER_DIFFICULTY = 0x24AA8907
LATER = MergedMining(
    bytes.fromhex("""
        00000020ec6f391bfb4fbad152de916fcf40868295b82d96533ce2329501000000000000fc38d5be
        8687dc934c89b3ae2a6ad3e8f77efdad192b9ceef737399fcffb1ff30c4c405df421031a441284ce
    """),
    bytes.fromhex("""
        0000000000000080e53dea0fdaf87e68c8b878bb8741ae72dc2d529c9604fb603d9fade1340ad3f6
        6088ac0000000000000000266a24aa21a9ed55c19836d4dbd18acc186dae6ff453d46444df4a4ee4
        8b6850179b871755b90d00000000000000002a6a52534b424c4f434b3a9b846df8ecbe1e7b983511
        44b1672c25f54207e3998ef7d8c8492a320000fcea00000000
    """),
    bytes.fromhex("""
        2e925b7315afc6cf5a938435ad424fa9c71c61b1c668104e34dfd30107915b7d
        60293a2d23038560421361d1bf29901efe8d30228d04f593c1cc991c4a5d3730
        94588d9356998b9736912df45fb8c02c2c1228c415a5ed15b2e0dd9e14c501c4
        0d6c398a3c6d0796b08b2d7c8e06a986e3cfc3b58b1a15073a8ef8d0ecad33d5
        b5d9b4d4da261ac1629892cec44816ebdc64e1d92756b554f525ff933fdfd016
        cab57a26339ba10486f4af5f3fdf8bf11651d5c345abb4f797c30d75252e8bf5
        e90e9da3aa73428dc01b7c165760eff60d0742ea243f907a7156c897a8fa29ce
        357a909b4933c4ea9f1744e21422550bde9e0c51064f160e7ba0b19646ca7d6d
    """),
)


def double_sha256(content: bytes) -> bytes:
    """Bitcoin's hash: SHA-256 of SHA-256."""
    return sha256(sha256(content).digest()).digest()


def size(number: int) -> bytes:
    """A number in bitcoin's variable-length encoding."""
    if number < 0xFD:
        return bytes([number])
    return (
        b"\xfd" + struct.pack("<H", number)
        if number < 2**16
        else b"\xfe" + struct.pack("<L", number)
    )


def transaction(script: bytes, *outputs: bytes) -> bytes:
    """A coinbase transaction with that script in its input, and output scripts."""
    paid = b"".join(bytes(8) + size(len(each)) + each for each in outputs)
    head = b"\x02\0\0\0" + INPUT + size(len(script)) + script + END
    return head + size(len(outputs)) + paid + bytes(4)


def with_witness(raw: bytes) -> bytes:
    """The same transaction as a block carries it since BIP 144."""
    return raw[:4] + b"\0\x01" + raw[4:-4] + b"\x01\x20" + bytes(32) + raw[-4:]


def merkle_root(leaves: list[bytes]) -> bytes:
    """The root of a bitcoin Merkle tree, by its definition."""
    if len(leaves) == 1:
        return leaves[0]
    even = leaves + leaves[-1:] * (len(leaves) % 2)
    return merkle_root([double_sha256(even[at] + even[at + 1]) for at in range(0, len(even), 2)])


def mine(transactions: list[bytes], difficulty: int = 1) -> bytes:
    """The header of a bitcoin block of those transactions."""
    root = merkle_root([double_sha256(each) for each in transactions])
    head = bytes(36) + root + bytes(8)
    for nonce in range(2**32):
        header = head + struct.pack("<L", nonce)
        if int.from_bytes(double_sha256(header), "little") <= target(difficulty):
            return header
    raise AssertionError


def block(*transactions: bytes, count: bytes | None = None, difficulty: int = 1) -> bytes:
    """A whole bitcoin block."""
    header = mine(list(transactions), difficulty)
    return header + (count or size(len(transactions))) + b"".join(transactions)


COINBASE = transaction(b"pool", b"", TAG + HASH)
OTHERS = [transaction(bytes([each]), b"\x51") for each in range(5)]


def seal(tagged: bytes, *, number: int, timestamp: int, difficulty: int = 1) -> MergedMining:
    """The proof of a block that the node mines itself."""
    return own_proof(mine_header(tagged, number, timestamp, difficulty), tagged, number)


class TestSeal:
    @given(hashes, st.integers(0, 2**40), st.integers(0, 2**40), st.integers(0, 64))
    def test_verifies(self, tagged: bytes, number: int, timestamp: int, difficulty: int) -> None:
        """A sealed block verifies, at any height, time and difficulty."""
        sealed = seal(tagged, number=number, timestamp=timestamp, difficulty=difficulty)

        verify(tagged, difficulty, sealed)

    @pytest.mark.parametrize(
        ("number", "push"),
        [
            *[(0, "00"), (1, "51"), (16, "60"), (17, "0111"), (127, "017f"), (128, "028000")],
            *[(255, "02ff00"), (256, "020001"), (32767, "02ff7f"), (32768, "03008000")],
        ],
    )
    def test_height(self, number: int, push: str) -> None:
        """The coinbase begins with the height as a script pushes it (BIP 34)."""
        coinbase = seal(HASH, number=number, timestamp=1).coinbase[MIDSTATE_SIZE:]

        script = bytes.fromhex(push) + bytes([41]) + TAG + HASH
        assert coinbase[5:41] == bytes(32) + b"\xff" * 4
        assert coinbase[41 : 42 + len(script)] == bytes([len(script)]) + script

    def test_reads_as_a_bitcoin_block(self) -> None:
        """Header and coinbase make a whole bitcoin block that gives the same proof."""
        sealed = seal(HASH, number=7, timestamp=1)

        found = from_bitcoin_block(sealed.header + b"\x01" + sealed.coinbase[MIDSTATE_SIZE:])

        assert found == (HASH, sealed)

    def test_time_past_2106(self) -> None:
        """A time beyond bitcoin's 32 bits is truncated."""
        sealed = seal(HASH, number=1, timestamp=2**32 + 5)

        assert sealed.header[68:72] == b"\x05\0\0\0"

    def test_too_difficult(self) -> None:
        """A difficulty that would take minutes to mine is refused."""
        with pytest.raises(InvalidInput, match=r"16777217 is more than this node can mine"):
            seal(HASH, number=1, timestamp=1, difficulty=MAX_SEAL_DIFFICULTY + 1)


class TestVerify:
    @pytest.mark.parametrize(
        ("tagged", "difficulty", "proof"),
        [(THIRD_HASH, THIRD_DIFFICULTY, THIRD), (LATER_HASH, LATER_DIFFICULTY, LATER)],
        ids=["block 3", "block 64746"],
    )
    def test_real_blocks(self, tagged: bytes, difficulty: int, proof: MergedMining) -> None:
        """Two blocks of the test network verify, and do not at a higher difficulty."""
        verify(tagged, difficulty, proof)

        with pytest.raises(InvalidInput, match="above the target"):
            verify(tagged, 2**80, proof)

    @pytest.mark.parametrize("position", range(80))
    def test_tampered_header(self, position: int) -> None:
        """A header with a changed bit does not meet the target."""
        sealed = seal(HASH, number=1, timestamp=1, difficulty=HARD)

        with pytest.raises(InvalidInput, match="above the target"):
            verify(HASH, HARD, replace(sealed, header=flipped(sealed.header, position)))

    @pytest.mark.parametrize("count", [1, 2, 3, 6], ids=lambda count: f"{count} transactions")
    def test_tampered_parts(self, count: int) -> None:
        """A changed bit of the coinbase, or byte of the Merkle proof, does not verify."""
        _, proof = from_bitcoin_block(block(COINBASE, *OTHERS[1:count]))

        for position, bit in product(range(len(proof.coinbase)), range(8)):
            assert_wrong(replace(proof, coinbase=flipped(proof.coinbase, position, bit)))
        for position in range(len(proof.merkle_proof)):
            assert_wrong(replace(proof, merkle_proof=flipped(proof.merkle_proof, position)))

    @pytest.mark.parametrize("swapped", [0, 1], ids=["inner", "outer"])
    def test_order_of_the_proof(self, swapped: int) -> None:
        """The hashes of a Merkle proof have to be in order from the leaf to the root."""
        _, proof = from_bitcoin_block(block(COINBASE, *OTHERS))
        words = [proof.merkle_proof[at : at + 32] for at in range(0, 96, 32)]
        words[swapped], words[swapped + 1] = words[swapped + 1], words[swapped]

        assert_wrong(replace(proof, merkle_proof=b"".join(words)))

    @pytest.mark.parametrize(
        ("change", "text"),
        [
            ({"header": bytes(79)}, "a bitcoin header has 80 bytes, this one 79"),
            ({"header": bytes(81)}, "a bitcoin header has 80 bytes, this one 81"),
            ({"merkle_proof": bytes(33)}, "33 bytes, which is no whole number of hashes"),
            ({"merkle_proof": bytes(992)}, "992 bytes, more than 960"),
            ({"coinbase": bytes(39)}, "at least 40 bytes, this 39"),
            ({"coinbase": bytes(40)}, "does not carry RSKBLOCK:"),
        ],
        ids=["short header", "long header", "odd proof", "long proof", "no midstate", "no tail"],
    )
    def test_sizes(self, change: dict[str, bytes], text: str) -> None:
        """Parts of the wrong size are refused, each with its size."""
        with pytest.raises(InvalidInput, match=text):
            verify(HASH, 1, replace(seal(HASH, number=1, timestamp=1), **change))

    def test_tag_beyond_the_first_chunk(self) -> None:
        """64 bytes or more before the tag in the tail would allow two encodings: refused."""
        header, compressed = uncompressed(COINBASE)
        assert COINBASE.index(TAG) >= 64

        with pytest.raises(InvalidInput, match=r"the tag is at byte .* want it below 64"):
            verify(HASH, 1, MergedMining(header, compressed, b""))

    def test_second_tag(self) -> None:
        """A second tag after the one with the block's hash is refused."""
        header, compressed = uncompressed(transaction(TAG + HASH + TAG + b"another"))

        with pytest.raises(InvalidInput, match="another RSKBLOCK: comes after"):
            verify(HASH, 1, MergedMining(header, compressed, b""))

    @pytest.mark.parametrize(("more", "fits"), [(119, True), (120, False)])
    def test_bytes_after_the_hash(self, more: int, *, fits: bool) -> None:
        """At most 128 bytes may follow the hash: here 9 that end the transaction, and 119 more."""
        _, proof = from_bitcoin_block(block(transaction(TAG + HASH + bytes(more))))

        if fits:
            verify(HASH, 1, proof)
            return
        with pytest.raises(InvalidInput, match="129 bytes follow the block's hash"):
            verify(HASH, 1, proof)

    @pytest.mark.parametrize(
        ("skipped", "text"),
        [
            (0, "more than 64 bytes, this one 64"),
            (32, "cannot be that after 32 bytes"),
            (2**32, "cannot be that after 4294967296 bytes"),
            (2**64 - 64, "cannot be that after"),
        ],
    )
    def test_length_of_the_coinbase(self, skipped: int, text: str) -> None:
        """A coinbase of 64 bytes is refused, since it could be an inner node of the Merkle tree."""
        tail = bytes(23) + TAG + HASH
        assert len(tail) == 64
        coinbase = skipped.to_bytes(8, "big") + struct.pack(">8L", *midstate.START) + tail

        with pytest.raises(InvalidInput, match=text):
            verify(HASH, 1, MergedMining(mine([tail]), coinbase, b""))

    def test_transaction_in_the_tree(self) -> None:
        """A pair of hashes that reads as a transaction is refused (leaf-node weakness)."""
        beside = bytearray(32)
        # The pair's right-hand hash, reversed: a script of 4 bytes, one output of 1 satoshi.
        beside[5:10] = bytes(4) + b"\x04"
        beside[18] = 1
        beside[19] = 1
        leaf = b"\0\0\0\0\x01" + bytes(27)

        with pytest.raises(InvalidInput, match="can be read as a bitcoin transaction"):
            merged_mining._root(leaf[::-1], bytes(beside))

    @pytest.mark.parametrize(
        ("position", "value"),
        [(4, 2), (40, 1), (41, 5), (50, 2), (51, 0), (58, 9), (59, 1)],
        ids=["inputs", "output index", "script", "outputs", "no value", "much value", "script sum"],
    )
    def test_not_a_transaction(self, position: int, value: int) -> None:
        """A pair with one wrong field is not taken for a transaction."""
        pair = bytearray(64)
        pair[4], pair[41], pair[50], pair[51] = 1, 4, 1, 1
        assert could_be_transaction(bytes(pair))
        pair[37:41] = b"\xff" * 4
        assert could_be_transaction(bytes(pair))
        pair[37:41] = bytes(4)
        pair[position] = value

        assert not could_be_transaction(bytes(pair))


class TestFromBitcoinBlock:
    @given(
        st.binary(max_size=300).filter(lambda script: TAG not in script),
        hashes,
        st.lists(st.binary(max_size=40), max_size=20),
        st.booleans(),
    )
    @settings(max_examples=60)
    def test_round_trip(
        self, before: bytes, tagged: bytes, scripts: list[bytes], segwit: bool
    ) -> None:
        """Any block with a tag in its coinbase gives its hash and a proof of it."""
        transactions = [transaction(before, TAG + tagged), *map(transaction, scripts)]
        raw = block(*transactions)
        if segwit:
            raw = raw[:80] + size(len(transactions)) + b"".join(map(with_witness, transactions))

        found, proof = from_bitcoin_block(raw)

        assert found == tagged
        verify(tagged, 1, proof)

    def test_many_transactions(self) -> None:
        """A transaction count of more than one byte is read."""
        others = [transaction(struct.pack("<H", each)) for each in range(300)]

        _, proof = from_bitcoin_block(block(COINBASE, *others))

        assert len(proof.merkle_proof) == 9 * 32
        verify(HASH, 1, proof)

    @given(st.integers(0, 10**6))
    def test_truncated(self, length: int) -> None:
        """A block cut anywhere is refused."""
        raw = block(with_witness(COINBASE), *OTHERS)

        with pytest.raises(InvalidInput):
            from_bitcoin_block(raw[: length % len(raw)])

    @given(st.binary(max_size=400))
    @settings(max_examples=300)
    def test_anything(self, raw: bytes) -> None:
        """Arbitrary bytes raise `InvalidInput` with a message."""
        with pytest.raises(InvalidInput, match=r"\w+ \w+"):
            from_bitcoin_block(bytes(80) + raw)

    @pytest.mark.parametrize(
        ("raw", "text"),
        [
            (b"", "not a bitcoin block: .* 0 instead of 80"),
            (bytes(79), "79 instead of 80"),
            (bytes(80), "not enough binary data"),
            (bytes(81), "has no transactions"),
            (block(COINBASE) + b"\0", "1 bytes after the block"),
            (block(COINBASE, count=b"\xfd\x01\0"), "non-canonical"),
            (block(COINBASE, count=b"\xfe\xff\xff\0\0"), "non-canonical"),
            (block(COINBASE, count=b"\xff" + b"\xff" * 4 + bytes(4)), "non-canonical"),
            (block(COINBASE, count=b"\xff" * 9), "too big"),
            (bytes(80) + b"\x01" + bytes(5), "not enough binary data"),
            (bytes(80) + b"\x01" + bytes(4) + b"\xff" * 9, "too big"),
            (block(OTHERS[0]), "does not carry the tag RSKBLOCK:"),
            (block(transaction(b"pool", TAG + HASH[:20])), "24 bytes follow the tag"),
            (block(transaction(bytes(MAX_COINBASE_SIZE), TAG + HASH)), "more than 100000"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_malformed(self, raw: bytes, text: str) -> None:
        """The error message names what is wrong."""
        with pytest.raises(InvalidInput, match=text):
            from_bitcoin_block(raw)


class TestFromParts:
    """A block submitted whole, with transaction hashes, or with a Merkle branch."""

    @pytest.mark.parametrize("count", range(1, 7))
    def test_transaction_hashes(self, count: int) -> None:
        """Transaction hashes are in bitcoin's display order: last byte first."""
        transactions = [COINBASE, *OTHERS[1:count]]
        shown = [double_sha256(each)[::-1] for each in transactions]

        found = from_transaction_hashes(mine(transactions), COINBASE, shown)

        assert found == from_bitcoin_block(block(*transactions))
        verify(HASH, 1, found[1])

    @pytest.mark.parametrize("count", range(1, 7))
    def test_merkle_hashes(self, count: int) -> None:
        """Hashes of a Merkle branch are in hashing order, the coinbase's own first."""
        transactions = [COINBASE, *OTHERS[1:count]]
        ids = [double_sha256(each) for each in transactions]
        branch = [ids[0], *merged_mining._branch(ids)]

        found = from_merkle_hashes(mine(transactions), COINBASE, branch)

        assert found == from_bitcoin_block(block(*transactions))

    @pytest.mark.parametrize("read", [from_transaction_hashes, from_merkle_hashes])
    @pytest.mark.parametrize(
        ("header", "coinbase", "given_hashes", "text"),
        [
            (bytes(79), COINBASE, [HASH], "a bitcoin header has 80 bytes"),
            (bytes(81), COINBASE, [HASH], "a bitcoin header has 80 bytes"),
            (bytes(80), COINBASE[:-1], [HASH], "not a bitcoin transaction: .* lock time"),
            (bytes(80), COINBASE + b"\0", [HASH], "1 bytes after the transaction"),
            (bytes(80), b"", [HASH], "not enough data for the transaction version"),
            (bytes(80), OTHERS[0], [HASH], "does not carry the tag"),
            (bytes(80), COINBASE, [], "the list of hashes is empty"),
            (bytes(80), COINBASE, [HASH, HASH[1:]], "a hash has 32 bytes, 0x01.* has 31"),
        ],
    )
    def test_malformed(
        self,
        read: Callable[[bytes, bytes, list[bytes]], Submission],
        header: bytes,
        coinbase: bytes,
        given_hashes: list[bytes],
        text: str,
    ) -> None:
        """The error message names what is wrong."""
        with pytest.raises(InvalidInput, match=text):
            read(header, coinbase, given_hashes)


class TestSha256:
    @given(st.binary(max_size=400), st.data())
    def test_agrees_with_hashlib(self, content: bytes, data: st.DataObject) -> None:
        """SHA-256 resumed from the state after any chunk equals hashlib's."""
        skipped = data.draw(st.integers(0, len(content) // 64)) * 64
        state = midstate.absorb(midstate.START, content[:skipped])
        compressed = skipped.to_bytes(8, "big") + struct.pack(">8L", *state) + content[skipped:]

        assert merged_mining._compressed_hash(compressed) == double_sha256(content)


def flipped(whole: bytes, position: int, bit: int = 0) -> bytes:
    """The bytes with one bit of one of them changed."""
    return whole[:position] + bytes([whole[position] ^ 1 << bit]) + whole[position + 1 :]


def uncompressed(raw: bytes) -> tuple[bytes, bytes]:
    """A header over a coinbase, and the coinbase in compressed form with no chunk in the state."""
    return mine([raw]), bytes(8) + struct.pack(">8L", *midstate.START) + raw


def assert_wrong(proof: MergedMining) -> None:
    """Assert that the proof does not verify, at the lowest difficulty."""
    with pytest.raises(InvalidInput):
        verify(HASH, 1, proof)
