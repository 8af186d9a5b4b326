"""`devchain.evm.rootstock.precompiles.bridge`"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from devchain.evm.rootstock.precompiles.bridge import BRIDGE as CONTRACT
from devchain.evm.rootstock.upgrades import ROOTSTOCK_FORKS
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import (
    BRIDGE,
    CALLER,
    Machine,
    Outcome,
    dynamic,
    selector,
    unpack,
)

MAIN, TEST, LOCAL = Machine(chain_id=30), Machine(chain_id=31), Machine()
MINED = Machine(local_call=False)

GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
GENESIS_ROOT = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
TYPED_KEY = "getFederatorPublicKeyOfType(int256,string)"
CONFIRMATIONS = "getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])"


def call(machine: Machine, signature: str, arguments: bytes = b"", **message: Any) -> Outcome:
    """Call a method."""
    return machine.call(BRIDGE, selector(signature) + arguments, **message)


def number(outcome: Outcome) -> int:
    """The integer a method returned."""
    assert outcome.error is None, outcome.error
    return int.from_bytes(outcome.output, "big", signed=True)


class TestFederation:
    @pytest.mark.parametrize(
        ("machine", "address", "size", "threshold", "created"),
        [
            (MAIN, "39AHNvUmzaYgewA8yCtBtNsfRz7QD7ZJYi", 15, 8, 1_514_948),
            (TEST, "2N1N5mdHWmRUfv49f7GnUeFfuyLcBQK7hj2", 4, 3, 1_538_967),
            (LOCAL, "2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p", 3, 2, 1_451_606_400),
        ],
        ids=["main", "test", "local"],
    )
    def test_genesis(
        self, machine: Machine, address: str, size: int, threshold: int, created: int
    ) -> None:
        """Methods return the genesis federation of the network."""
        outcome = call(machine, "getFederationAddress()")

        assert unpack(outcome.output).decode() == address
        assert outcome.gas == 11_000 + 2 * 4
        assert number(call(machine, "getFederationSize()")) == size
        assert number(call(machine, "getFederationThreshold()")) == threshold
        assert number(call(machine, "getFederationCreationTime()")) == created
        assert number(call(machine, "getFederationCreationBlockNumber()")) == 1

    def test_redeem_script(self) -> None:
        """The redeem script hashes to mainnet's federation address, as in rskj's tests."""
        script = unpack(call(MAIN, "getActivePowpegRedeemScript()").output)
        hashed = hashlib.new("ripemd160", hashlib.sha256(script).digest()).hexdigest()

        assert hashed == "51f103320b435b5fe417b3f3e0f18972ccc710a0"

    def test_keys(self) -> None:
        """Federators are sorted by key, and have the same key for the three types."""
        first = "02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1"

        for kind in (b"btc", b"rsk", b"mst"):
            outcome = call(LOCAL, TYPED_KEY, word(0) + word(64) + dynamic(kind)[32:])

            assert unpack(outcome.output).hex() == first

    def test_bad_keys(self) -> None:
        """Unknown indices and key types fail."""
        beyond = call(LOCAL, TYPED_KEY, word(3) + word(64) + dynamic(b"btc")[32:])
        unknown = call(LOCAL, TYPED_KEY, word(0) + word(64) + dynamic(b"eth")[32:])

        assert str(beyond.error) == "the federator index has to be between 0 and 2"
        assert str(unknown.error) == "a federator's key is of type btc, rsk or mst, not 'eth'"

    def test_milliseconds(self) -> None:
        """Before Lovell the creation time is in milliseconds."""
        created = call(Machine("arrowhead"), "getFederationCreationTime()")

        assert number(created) == 1_451_606_400_000

    @pytest.mark.parametrize("kind", ["Pending", "Retiring", "Proposed"])
    def test_others(self, kind: str) -> None:
        """There is no pending, retiring or proposed federation."""
        signature = f"get{kind}FederatorPublicKeyOfType(int256,string)"
        key = call(LOCAL, signature, word(0) + word(64) + dynamic(b"rsk")[32:])

        assert number(call(LOCAL, f"get{kind}FederationSize()")) == -1
        assert unpack(key.output) == b""


class TestBitcoinChain:
    @pytest.mark.parametrize(
        ("machine", "height", "block"),
        [
            (MAIN, 499_968, "000000000000000000296e10eb4987c4eb9b7ba0841102dec4480e5d6b89acb5"),
            (TEST, 1_413_216, "000000000000001aa547c01c17edae35e21dd63fd7e6627daedf997bd3a54627"),
            (LOCAL, 0, GENESIS),
        ],
        ids=["main", "test", "local"],
    )
    def test_one_block(self, machine: Machine, height: int, block: str) -> None:
        """The bridge has the initial Bitcoin block only."""
        header = unpack(call(machine, "getBtcBlockchainBestBlockHeader()").output)
        by_hash, by_height = (
            unpack(call(machine, f"getBtcBlockchainBlockHeaderBy{key}", given).output)
            for key, given in (
                ("Hash(bytes32)", bytes.fromhex(block)),
                ("Height(uint256)", word(height)),
            )
        )
        found = call(machine, "getBtcBlockchainBlockHashAtDepth(int256)", word(0))

        assert number(call(machine, "getBtcBlockchainBestChainHeight()")) == height
        assert number(call(machine, "getBtcBlockchainInitialBlockHeight()")) == height
        assert unpack(found.output).hex() == block
        assert hashlib.sha256(hashlib.sha256(header).digest()).digest()[::-1].hex() == block
        assert by_hash == by_height == header

    def test_other_blocks(self) -> None:
        """Other Bitcoin blocks have no header, and requests for their hash fail."""
        by_hash = call(LOCAL, "getBtcBlockchainBlockHeaderByHash(bytes32)", bytes(32))
        by_height = call(LOCAL, "getBtcBlockchainBlockHeaderByHeight(uint256)", word(1))
        parent = call(
            LOCAL, "getBtcBlockchainParentBlockHeaderByHash(bytes32)", bytes.fromhex(GENESIS)
        )
        deeper = call(LOCAL, "getBtcBlockchainBlockHashAtDepth(int256)", word(1))

        assert unpack(by_hash.output) == unpack(by_height.output) == unpack(parent.output) == b""
        assert "the depth has to be 0" in str(deeper.error)

    @pytest.mark.parametrize(
        ("block", "path", "branch", "answer", "gas"),
        [
            (GENESIS, 0, [], 1, 27_000),
            (GENESIS, 1, [bytes(32)], -5, 27_144),
            (64 * "1", 0, [bytes(32)], -1, 27_000),
        ],
        ids=["confirmed", "wrong branch", "unknown block"],
    )
    def test_confirmations(
        self, block: str, path: int, branch: list[bytes], answer: int, gas: int
    ) -> None:
        """A transaction is confirmed if a Merkle branch proves it to be in the initial block."""
        heads = bytes.fromhex(GENESIS_ROOT) + bytes.fromhex(block) + word(path) + word(128)
        arguments = heads + word(len(branch)) + b"".join(branch)
        outcome = call(MINED, CONFIRMATIONS, arguments)

        assert number(outcome) == answer
        assert outcome.gas == gas + 2 * (4 + len(arguments))

    def test_malformed_branch(self) -> None:
        """A path has no more bits than the branch has hashes."""
        heads = bytes(32) + bytes.fromhex(GENESIS) + word(2) + word(128)
        outcome = call(LOCAL, CONFIRMATIONS, heads + word(1) + bytes(32))

        assert str(outcome.error) == "the path of a Merkle branch is longer than the branch"

    def test_transactions(self) -> None:
        """No bitcoin transaction has been processed."""
        arguments = dynamic(64 * b"a")

        assert number(call(LOCAL, "isBtcTxHashAlreadyProcessed(string)", arguments)) == 0
        assert number(call(LOCAL, "getBtcTxHashProcessedHeight(string)", arguments)) == -1

    @pytest.mark.parametrize("text", [b"", 64 * b"A", b"0x" + 62 * b"0"], ids=["", "case", "0x"])
    def test_bad_hash(self, text: bytes) -> None:
        """A hash is 64 lower-case hex digits."""
        outcome = call(LOCAL, "isBtcTxHashAlreadyProcessed(string)", dynamic(text))

        assert str(outcome.error) == f"not the hash of a bitcoin transaction: {text.decode()!r}"


class TestAmounts:
    @pytest.mark.parametrize(
        ("machine", "fee", "cap", "next_fee"),
        [
            (MAIN, 500_000, 300 * 10**8, 1_169_000),
            (TEST, 100_000, 200 * 10**8, 86_600),
            (LOCAL, 100_000, 1000 * 10**8, 65_400),
        ],
        ids=["main", "test", "local"],
    )
    def test_of_networks(self, machine: Machine, fee: int, cap: int, next_fee: int) -> None:
        """Fees and limits are in satoshis."""
        assert number(call(machine, "getFeePerKb()")) == fee
        assert number(call(machine, "getLockingCap()")) == cap
        assert number(call(machine, "getEstimatedFeesForNextPegOutEvent()")) == next_fee

    def test_minimum(self) -> None:
        """Iris halved the minimum peg-in."""
        assert number(call(LOCAL, "getMinimumLockTxValue()")) == 500_000
        assert number(call(Machine("papyrus"), "getMinimumLockTxValue()")) == 1_000_000

    @pytest.mark.parametrize(
        ("signature", "encoded"),
        [
            ("getStateForBtcReleaseClient()", "c1c0"),
            ("getStateForSvpClient()", "c1c0"),
            ("getStateForDebugging()", "cb8081c081c081c081c08180"),
        ],
    )
    def test_states(self, signature: str, encoded: str) -> None:
        """There are no transactions to sign, confirm or release."""
        assert unpack(call(LOCAL, signature).output).hex() == encoded


class TestCalls:
    @pytest.mark.parametrize("method", CONTRACT.methods, ids=lambda each: each.signature)
    def test_every_method(self, method: Any) -> None:
        """Each method returns a value or fails with a reason, in its first upgrade."""
        outcome = call(Machine(method.since), method.signature, word(0) * (len(method.inputs) + 2))

        assert outcome.gas >= 2000
        assert outcome.output or str(outcome.error)

    @pytest.mark.parametrize(
        "signature",
        ["updateCollections()", "createFederation()", "voteFeePerKbChange(int256)", "releaseBtc()"],
    )
    def test_writing(self, signature: str) -> None:
        """Methods that change the peg fail since there is none."""
        name = signature.partition("(")[0]
        outcome = call(MINED, signature)

        assert str(outcome.error) == (
            f"Bridge.{name} needs the peg to bitcoin, which a development chain does not have"
        )

    def test_without_input(self) -> None:
        """A transfer without call data calls `releaseBtc`."""
        outcome = LOCAL.call(BRIDGE, value=1, should_transfer_value=False)

        assert "Bridge.releaseBtc needs the peg" in str(outcome.error)
        assert outcome.gas == 23_000

    @pytest.mark.parametrize(
        ("payload", "reason"),
        [
            (b"\1\2\3\4", "Bridge has no method 0x01020304 under vetiver"),
            (b"\1", "Bridge has no method 0x01 under vetiver"),
            (selector("getLockWhitelistAddress(int256)") + b"\1", "malformed"),
        ],
        ids=["unknown", "short", "malformed"],
    )
    def test_no_method(self, payload: bytes, reason: str) -> None:
        """An unknown method costs the gas of a release, without gas per byte."""
        outcome = LOCAL.call(BRIDGE, payload)

        assert reason in str(outcome.error)
        assert outcome.gas == 23_000

    def test_local_only(self) -> None:
        """Most reading methods answer eth_call only; some also contracts."""
        outcome = call(MINED, "getFederationSize()")
        height = "getBtcBlockchainBestChainHeight()"

        assert str(outcome.error) == "Bridge.getFederationSize answers calls, not transactions"
        assert call(MINED, height).error is None
        assert call(Machine("papyrus", local_call=False), height).error is not None

    def test_delegated(self) -> None:
        """CALLCODE and DELEGATECALL fail since Arrowhead."""
        kept = {"to": CALLER, "code_address": BRIDGE.to_bytes(20, "big")}
        height = "getBtcBlockchainBestChainHeight()"

        assert "not for CALLCODE or DELEGATECALL" in str(call(LOCAL, height, **kept).error)
        assert call(Machine("fingerroot"), height, **kept).error is None

    def test_static(self) -> None:
        """STATICCALL of a writing method fails."""
        outcome = call(LOCAL, "updateCollections()", is_static=True)

        assert str(outcome.error) == "Bridge.updateCollections is not for STATICCALL"
        assert call(LOCAL, "getQueuedPegoutsCount()", is_static=True).error is None

    @pytest.mark.parametrize(
        ("upgrade", "count", "gas"),
        [("orchid", 3, 22_000), ("wasabi", 0, 25_000), ("wasabi", 3, 32_000)],
    )
    def test_headers_gas(self, upgrade: str, count: int, gas: int) -> None:
        """Since Wasabi every header after the first costs gas."""
        arguments = word(32) + word(count) + dynamic(*[b"h"] * count)
        outcome = call(Machine(upgrade), "receiveHeaders(bytes[])", arguments)

        assert outcome.gas == gas + 2 * (4 + len(arguments))

    def test_upgrades(self) -> None:
        """Each upgrade has as many methods as rskj."""
        counts = {
            name: sum(each.is_enabled(name) for each in CONTRACT.methods)
            for name in ROOTSTOCK_FORKS
        }

        assert counts == {
            "orchid": 41,
            "orchid060": 41,
            "wasabi": 42,
            "twotothree": 42,
            "papyrus": 46,
            "iris": 53,
            "fingerroot": 57,
            "arrowhead": 57,
            "lovell": 63,
            "reed": 63,
            "reed810": 76,
            "vetiver": 77,
        }
