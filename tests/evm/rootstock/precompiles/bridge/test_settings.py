"""`devchain.evm.rootstock.precompiles.bridge.settings`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.bitcoin import base58check
from devchain.evm.rootstock.precompiles.bridge import elections, storage
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    VALID_ADDRESS,
    account,
    arguments,
    call,
    number,
)
from tests.evm.rootstock.precompiles.calling import Machine, dynamic, unpack

FEE_VOTER = account("auth-fee-per-kb")
KEEPER = account("auth-lock-whitelist")
RAISER = min(powpeg_of(33).authorizers.locking_cap)

VOTE_FEE = "voteFeePerKbChange(int256)"
INCREASE_CAP = "increaseLockingCap(int256)"
ADD = "addOneOffLockWhitelistAddress(string,int256)"
ADD_UNLIMITED = "addUnlimitedLockWhitelistAddress(string)"
REMOVE = "removeLockWhitelistAddress(string)"
DISABLE = "setLockWhitelistDisableBlockDelay(int256)"
ENTRY = "getLockWhitelistEntryByAddress(string)"

SCRIPT_ADDRESS = base58check(b"\xc4" + b"\2" * 20).encode()
MAIN_ADDRESS = base58check(b"\0" + bytes(20)).encode()


@pytest.fixture
def machine() -> Machine:
    """A chain on which no setting was changed."""
    return Machine()


class TestFee:
    def test_unauthorized(self, machine: Machine) -> None:
        """Votes of other accounts are answered with -10, whatever the fee."""
        for fee in (1, 0, 2**255):
            assert number(call(machine, VOTE_FEE, word(fee))) == -10

    @pytest.mark.parametrize(
        ("fee", "answer"), [(0, -1), (-1, -1), (5_000_001, -2), (2**63, -10), (-(2**63) - 1, -10)]
    )
    def test_refused(self, machine: Machine, fee: int, answer: int) -> None:
        """A fee is positive and not too large."""
        assert number(call(machine, VOTE_FEE, arguments(fee), sender=FEE_VOTER)) == answer
        assert number(call(machine, "getFeePerKb()")) == 100_000

    def test_one_voter(self, machine: Machine) -> None:
        """On regtest the vote of the only voter sets the fee."""
        assert number(call(machine, VOTE_FEE, word(5_000_000), sender=FEE_VOTER)) == 1
        assert number(call(machine, "getFeePerKb()")) == 5_000_000
        assert number(call(machine, "getEstimatedFeesForNextPegOutEvent()")) == 654 * 5000

    def test_majority(self) -> None:
        """On mainnet two of three voters have to vote for the same fee; none votes twice."""
        machine = Machine(chain_id=30)
        first, second, third = sorted(powpeg_of(30).authorizers.fee_per_kilobyte)

        def vote(fee: int, sender: bytes) -> int:
            return number(call(machine, VOTE_FEE, word(fee), sender=sender))

        answers = [vote(1000, first), vote(1000, first), vote(2000, second), vote(3000, first)]
        assert answers == [1, -1, 1, 1]
        assert number(call(machine, "getFeePerKb()")) == 500_000

        assert vote(2000, third) == 1
        assert number(call(machine, "getFeePerKb()")) == 2000
        assert vote(2000, second) == 1
        assert number(call(machine, "getFeePerKb()")) == 2000

    def test_stored_as_rlp(self) -> None:
        """Votes are stored as the real node stores them: calls, and who voted for each."""
        machine = Machine(chain_id=30)
        voter = min(powpeg_of(30).authorizers.fee_per_kilobyte)
        call(machine, VOTE_FEE, word(100), sender=voter)

        stored = storage.read_bytes(
            lambda slot: machine.state.get_storage(storage.ADDRESS, slot), elections.FEE_VOTES
        )
        assert stored.hex() == "e5ce8b7365744665655065724b62c164d594" + voter.hex()

    def test_walk(self) -> None:
        """The steps of rskj's FeePerKbIT: voters by number, the last is none; what is decided."""
        machine = Machine(chain_id=30)
        voters = [*sorted(powpeg_of(30).authorizers.fee_per_kilobyte), account("stranger")]
        other, most = 123_456, 5_000_000
        rounds: list[tuple[list[tuple[int, int]], int]] = [
            ([(0, 50_000), (1, 50_000)], 50_000),
            ([(1, 100_000), (2, 100_000)], 100_000),
            ([(0, 40_000), (1, other), (2, 40_000)], 40_000),
            ([(0, 70_000), (1, 70_000)], 70_000),
            ([(2, other), (0, 80_000), (2, 80_000)], 80_000),
            ([(0, other), (1, 30_000), (2, 30_000)], 30_000),
            ([(0, 40_000), (3, 40_000), (2, 40_000)], 40_000),
            ([(0, 40_000), (1, other), (3, other), (2, 40_000)], 40_000),
            ([(3, other), (0, 90_000), (1, other), (2, 90_000)], 90_000),
            ([(0, 20_000), (1, -1), (2, -1), (1, 20_000)], 20_000),
            ([(0, 20_000), (1, most + 1), (2, most + 1), (1, 20_000)], 20_000),
            ([(0, most), (1, other), (2, most)], most),
            ([(0, 1), (1, other), (2, 1)], 1),
            ([(0, 10_000), (1, 0), (2, 0), (1, 10_000)], 10_000),
            (
                [(at % 3, 121_000 + 1_000 * at) for at in range(9)] + [(0, 130_000), (1, 130_000)],
                130_000,
            ),
            ([(0, 130_000), (2, 130_000)], 130_000),
        ]
        current = powpeg_of(30).fee_per_kilobyte
        for votes, decided in rounds:
            for voter, fee in votes:
                assert number(call(machine, "getFeePerKb()")) == current
                call(machine, VOTE_FEE, arguments(fee), sender=voters[voter])
            current = decided
            assert number(call(machine, "getFeePerKb()")) == current


class TestLockingCap:
    def test_walk(self) -> None:
        """The steps of rskj's LockingCapIT on the main network, whose cap is 300 bitcoins."""
        machine = Machine("papyrus", chain_id=30)
        first, second, third = sorted(powpeg_of(30).authorizers.locking_cap)
        initial = 300 * 10**8
        assert number(call(machine, "getLockingCap()")) == initial
        current = initial
        for sender, cap, is_raised in [
            (first, initial + 10**8, 1),
            (first, initial, 0),
            (first, initial + 2 * 10**8, 1),
            (account("stranger"), initial + 3 * 10**8, 0),
            (second, initial + 3 * 10**8, 1),
            (third, initial + 4 * 10**8, 1),
            (first, 2 * (initial + 4 * 10**8) + 1, 0),
            (first, 2 * (initial + 4 * 10**8), 1),
            (first, 2 * (initial + 4 * 10**8), 1),
        ]:
            assert number(call(machine, INCREASE_CAP, word(cap), sender=sender)) == is_raised
            current = cap if is_raised else current
            assert number(call(machine, "getLockingCap()")) == current

    def test_unauthorized(self, machine: Machine) -> None:
        """Other accounts get false."""
        assert number(call(machine, INCREASE_CAP, word(1))) == 0

    @pytest.mark.parametrize("cap", [0, -1, 2**63])
    def test_out_of_range(self, machine: Machine, cap: int) -> None:
        """A cap that is not positive, or too large for 64 bits, fails the call of any account."""
        outcome = call(machine, INCREASE_CAP, arguments(cap))

        assert f"has to be between 1 and 2^63 - 1, not {cap}" in str(outcome.error)

    def test_increase(self, machine: Machine) -> None:
        """The cap does not shrink, and at most doubles at a time."""
        initial = 1000 * 10**8
        steps = [(initial - 1, 0), (initial, 1), (2 * initial + 1, 0), (2 * initial, 1)]

        for cap, answer in [*steps, (3 * initial, 1), (2 * initial, 0)]:
            assert number(call(machine, INCREASE_CAP, word(cap), sender=RAISER)) == answer
        assert number(call(machine, "getLockingCap()")) == 3 * initial


class TestWhitelist:
    @pytest.mark.parametrize(
        ("address", "answer"),
        [
            (b"", -2),
            (b"mx", -2),
            (VALID_ADDRESS[:-1], -2),
            (VALID_ADDRESS[:-1] + b"0", -2),
            (MAIN_ADDRESS, -2),
            (VALID_ADDRESS, -10),
            (SCRIPT_ADDRESS, -10),
        ],
        ids=["empty", "short", "cut", "letter", "network", "key", "script"],
    )
    def test_unauthorized(self, machine: Machine, address: bytes, answer: int) -> None:
        """Other accounts get -2 for a malformed address and -10 for a valid one."""
        assert number(call(machine, ADD, arguments(address, 1))) == answer
        assert number(call(machine, ADD_UNLIMITED, dynamic(address))) == answer
        assert number(call(machine, REMOVE, dynamic(address))) == -10

    def test_large_amount(self, machine: Machine) -> None:
        """An amount over 64 bits fails the call, unless the address is malformed."""
        outcome = call(machine, ADD, arguments(VALID_ADDRESS, 2**63))

        assert "has to fit into 64 bits" in str(outcome.error)
        assert number(call(machine, ADD, arguments(b"no", 2**63))) == -2

    def test_entries(self, machine: Machine) -> None:
        """Entries are sorted by their hash, and each has its limit; 0 means none."""
        assert number(call(machine, ADD, arguments(VALID_ADDRESS, 5), sender=KEEPER)) == 1
        added = call(machine, ADD_UNLIMITED, dynamic(SCRIPT_ADDRESS), sender=KEEPER)

        assert number(added) == 1
        assert number(call(machine, "getLockWhitelistSize()")) == 2
        assert number(call(machine, ENTRY, dynamic(VALID_ADDRESS))) == 5
        assert number(call(machine, ENTRY, dynamic(SCRIPT_ADDRESS))) == 0
        assert number(call(machine, ENTRY, dynamic(b"no"))) == -1
        shown = [
            unpack(call(machine, "getLockWhitelistAddress(int256)", arguments(at)).output)
            for at in (0, 1, 2, -1)
        ]
        # Only hashes are stored: an address of a script is shown as one of a key.
        as_key = base58check(b"\x6f" + b"\2" * 20).encode()
        assert shown == [as_key, VALID_ADDRESS, b"", b""]

    def test_again(self, machine: Machine) -> None:
        """An address is added once, and removed once."""

        def change(signature: str, data: bytes) -> int:
            return number(call(machine, signature, data, sender=KEEPER))

        assert change(ADD, arguments(VALID_ADDRESS, 5)) == 1
        assert change(ADD_UNLIMITED, dynamic(VALID_ADDRESS)) == -1
        assert change(REMOVE, dynamic(b"no")) == -2
        assert change(REMOVE, dynamic(SCRIPT_ADDRESS)) == -1
        assert change(REMOVE, dynamic(VALID_ADDRESS)) == 1
        assert change(REMOVE, dynamic(VALID_ADDRESS)) == -1
        assert number(call(machine, "getLockWhitelistSize()")) == 0

    def test_disable(self, machine: Machine) -> None:
        """The whitelist is disabled once, some bitcoin blocks later."""
        assert number(call(machine, DISABLE, word(1))) == -10
        assert number(call(machine, DISABLE, word(0), sender=KEEPER)) == -2
        assert number(call(machine, DISABLE, arguments(-5), sender=KEEPER)) == -2
        assert number(call(machine, DISABLE, word(10), sender=KEEPER)) == 1
        assert number(call(machine, DISABLE, word(10), sender=KEEPER)) == -1

    def test_disable_far(self) -> None:
        """A height is a number of 32 bits."""
        machine = Machine(chain_id=30)
        keeper = min(powpeg_of(30).authorizers.whitelist)

        assert number(call(machine, DISABLE, word(2**31 - 1), sender=keeper)) == -2
        outcome = call(machine, DISABLE, word(2**31), sender=keeper)
        assert "has to fit into 32 bits" in str(outcome.error)
