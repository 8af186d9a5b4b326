"""`devchain.evm.rootstock.precompiles.bridge.migration`

Steps, codes and values are those of rskj's BridgeSupportSvpTest and BridgeSupport.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import rlp
from coincurve import PrivateKey

from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction, TxOutput
from devchain.evm.rootstock.precompiles.bridge import federation, migration
from devchain.evm.rootstock.precompiles.bridge.federation import Federation, account_of
from devchain.evm.rootstock.precompiles.bridge.release_inputs import redeem_script_in
from devchain.evm.rootstock.precompiles.bridge.releases import load_waiting
from devchain.evm.rootstock.precompiles.bridge.storage import load_rlp
from devchain.evm.rootstock.precompiles.bridge.utxos import (
    OLD,
    Utxo,
    load_utxos,
    new_slot,
    store_utxos,
)
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.types import Address
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    account,
    at_block,
    call,
    number,
    reading_call,
    topic,
)
from tests.evm.rootstock.precompiles.bridge.test_elections import CREATE, elect, vote
from tests.evm.rootstock.precompiles.calling import Machine, Outcome, dynamic, unpack

MEMBERS = (100, 200, 300)  # private keys of the elected federation
FEDERATOR = account("federator1")
ADD_SIGNATURE = "addSignature(bytes,bytes[],bytes)"
COMMITTED_IN = 5  # the block of the election
RSK_HASH = bytes(32)  # of an `eth_call`
BTC = 10**8
VALUE = 500_000  # satoshis of each output of the fund transaction: twice the least peg-out


def fund(machine: Machine, *values: int) -> None:
    """Give the genesis federation outputs of those values."""
    reading = reading_call(machine)
    script = federation.active(reading).output_script
    utxos = [Utxo(bytes([at + 1]) * 32, at, value, script) for at, value in enumerate(values)]
    store_utxos(reading, new_slot(reading), utxos)


def update(machine: Machine, block_number: int, sender: Address = FEDERATOR) -> Outcome:
    """Call `updateCollections` in that block."""
    at_block(machine, block_number)
    outcome = call(machine, "updateCollections()", sender=sender)
    assert outcome.error is None, outcome.error
    return outcome


def waiting(machine: Machine) -> list[BitcoinTransaction]:
    """The transactions that wait for confirmations."""
    return [each.transaction for each in load_waiting(reading_call(machine))]


def elected(machine: Machine) -> Federation:
    """The proposed federation."""
    found = federation.proposed(reading_call(machine))
    assert found is not None
    return found


class TestMigration:
    @pytest.fixture(params=[("papyrus", 10), ("fingerroot", 150), ("arrowhead", 150)], ids=str)
    def begun(self, request: pytest.FixtureRequest) -> tuple[Machine, int]:
        """A chain that has elected a federation, and the block in which it becomes active."""
        upgrade, age = request.param
        machine = Machine(upgrade)
        fund(machine, *[10**7] * 12)
        elect(machine, *MEMBERS, block_number=COMMITTED_IN)
        return machine, COMMITTED_IN + age

    def test_before(self, begun: tuple[Machine, int]) -> None:
        """Up to 15 blocks after the activation nothing migrates on regtest."""
        machine, active_from = begun
        update(machine, active_from - 1)
        update(machine, active_from + 15)

        assert waiting(machine) == []
        assert len(load_utxos(reading_call(machine), OLD)) == 12

    def test_migrated(self, begun: tuple[Machine, int]) -> None:
        """Then a transaction sends outputs to the active federation, ten since Hop (RSKIP294)."""
        machine, active_from = begun
        most = 12 if machine.upgrade == "papyrus" else 10
        outcome = update(machine, active_from + 16)

        (sent,) = waiting(machine)
        assert len(sent.inputs) == most
        assert [each.script for each in sent.outputs] == [
            federation.active(reading_call(machine)).output_script
        ]
        assert sent.version == (2 if machine.upgrade == "arrowhead" else 1)
        assert 0 < most * 10**7 - sent.outputs[0].value < 10**6
        assert len(load_utxos(reading_call(machine), OLD)) == 12 - most
        requested = topic("release_requested(bytes32,bytes32,uint256)")
        (log,) = [each for each in outcome.logs if each.topics[0] == requested]
        assert int.from_bytes(log.data) == most * 10**7

    def test_end(self, begun: tuple[Machine, int]) -> None:
        """At the end of the age what is left is sent, and the old federation forgotten."""
        machine, active_from = begun
        store_utxos(reading_call(machine), OLD, load_utxos(reading_call(machine), OLD)[:3])
        update(machine, active_from + 150)

        assert [len(each.inputs) for each in waiting(machine)] == [3]
        assert federation.retiring(reading_call(machine)) is None
        assert federation.live(reading_call(machine))[0].keys != []
        assert vote(machine, CREATE) == [1, 1, 1]

    def test_little(self, begun: tuple[Machine, int]) -> None:
        """Less than the fee of 500 bytes is left alone, and lost at the end if it is dust."""
        machine, active_from = begun
        reading = reading_call(machine)
        script = load_utxos(reading, OLD)[0].script
        store_utxos(reading, OLD, [Utxo(b"\1" * 32, 0, 2_000, script)])
        update(machine, active_from + 16)
        update(machine, active_from + 150)

        assert waiting(machine) == []
        assert federation.retiring(reading) is None


class TestMigrationInParts:
    """Since RSKIP455; values are those of rskj's BridgeSupportProcessFundsMigrationTest."""

    def begin(self, *values: int) -> Machine:
        """A chain whose genesis federation retires with outputs of those satoshis."""
        machine = Machine("next")
        elect(machine, *MEMBERS, block_number=COMMITTED_IN)
        reading = reading_call(machine)
        script = federation.active(reading).output_script
        migration.register_spend(reading)
        spent = [Utxo(bytes([at + 1]) * 32, at, value, script) for at, value in enumerate(values)]
        store_utxos(reading, OLD, spent)
        return machine

    @pytest.mark.parametrize(
        ("values", "parts"),
        [
            ([40 * BTC - 1], [40 * BTC - 1]),
            ([40 * BTC], [20 * BTC] * 2),
            ([40 * BTC + 1], [20 * BTC, 20 * BTC + 1]),
            ([26_673_334] * 150, [20 * BTC, 26_673_334 * 150 - 20 * BTC]),
            ([1_000 * BTC - 1], [20 * BTC] * 48 + [40 * BTC - 1]),
            ([1_000 * BTC], [20 * BTC] * 50),
            ([1_000 * BTC + 1], [20 * BTC] * 49 + [20 * BTC + 1]),
        ],
        ids=str,
    )
    def test_parts(self, values: list[int], parts: list[int]) -> None:
        """Parts of 20 bitcoins, 50 at most; each pays its part of the fee."""
        machine = self.begin(*values)
        update(machine, COMMITTED_IN + 166)
        (sent,) = waiting(machine)
        fee = sum(parts) - sum(each.value for each in sent.outputs)
        share, first = divmod(fee, len(parts))

        assert len(sent.inputs) == len(values)
        assert [each.value for each in sent.outputs] == [
            value - share - (0 if at else first) for at, value in enumerate(parts)
        ]
        assert {each.script for each in sent.outputs} == {
            federation.active(reading_call(machine)).output_script
        }

    def test_inputs(self) -> None:
        """150 outputs at once, also after the end of the age, until nothing is left."""
        machine = self.begin(*[10**7] * 151)
        update(machine, COMMITTED_IN + 300)
        first = [len(each.inputs) for each in waiting(machine)]
        update(machine, COMMITTED_IN + 301)
        both = sorted(len(each.inputs) for each in waiting(machine))
        still = federation.retiring(reading_call(machine))
        update(machine, COMMITTED_IN + 302)

        assert (first, both) == ([150], [1, 150])
        assert still is not None
        assert federation.retiring(reading_call(machine)) is None

    def test_little(self) -> None:
        """What cannot pay its fee waits for the end of the age."""
        machine = self.begin(2_000)
        update(machine, COMMITTED_IN + 166)
        before = federation.retiring(reading_call(machine))
        update(machine, COMMITTED_IN + 300)

        assert before is not None
        assert waiting(machine) == []
        assert federation.retiring(reading_call(machine)) is None


@pytest.mark.parametrize("upgrade", ["lovell", "vetiver", "next"])
class TestValidation:
    def begin(self, upgrade: str) -> Machine:
        """A chain with a proposed federation, whose fund transaction has been created."""
        machine = Machine(upgrade)
        fund(machine, 10**8, 10**8)
        elect(machine, *MEMBERS, block_number=COMMITTED_IN)
        update(machine, COMMITTED_IN + 1)
        return machine

    def spend(self, upgrade: str) -> tuple[Machine, BitcoinTransaction]:
        """The same with the spend transaction, which waits for signatures."""
        machine = self.begin(upgrade)
        migration.register_fund(reading_call(machine), waiting(machine)[0])
        update(machine, COMMITTED_IN + 2)
        ((rsk_hash, raw),) = rlp.decode(unpack(call(machine, "getStateForSvpClient()").output))
        assert rsk_hash == RSK_HASH
        return machine, BitcoinTransaction.parse(raw)

    def test_fund(self, upgrade: str) -> None:
        """The active federation sends two outputs, one to a Flyover script, and pays the fee."""
        machine = self.begin(upgrade)
        reading, (sent,) = reading_call(machine), waiting(machine)
        proposed = elected(machine)
        flyover = b"\x20" + bytes(31) + b"\1" + b"\x75" + proposed.redeem_script

        assert sent.outputs[:2] == (
            TxOutput(VALUE, proposed.output_script),
            TxOutput(VALUE, proposed.output_script_of(flyover)),
        )
        assert sent.outputs[2].script == federation.active(reading).output_script
        assert 0 < 10**8 - sum(each.value for each in sent.outputs) < 10**6
        assert load_rlp(reading, migration.FUND_HASH) == sent.txid
        assert len(load_utxos(reading, new_slot(reading))) == 1
        update(machine, COMMITTED_IN + 3)
        assert waiting(machine) == [sent]

    def test_no_money(self, upgrade: str) -> None:
        """Without bitcoins the fund transaction is created later."""
        machine = Machine(upgrade)
        elect(machine, *MEMBERS, block_number=COMMITTED_IN)
        update(machine, COMMITTED_IN + 1)
        before = waiting(machine)
        fund(machine, 10**8)
        update(machine, COMMITTED_IN + 2)

        assert before == []
        assert len(waiting(machine)) == 1

    def test_spend(self, upgrade: str) -> None:
        """The elected federation sends both outputs back, at 1.2 times the estimated fee."""
        machine, sent = self.spend(upgrade)
        reading = reading_call(machine)
        (back,) = sent.outputs

        assert [each.index for each in sent.inputs] == [0, 1]
        assert back.script == federation.active(reading).output_script
        assert VALUE < back.value < 2 * VALUE
        assert load_rlp(reading, migration.SPEND_HASH) == sent.txid
        assert load_rlp(reading, migration.FUND_SIGNED) is None
        assert all(each.witness for each in sent.inputs) == elected(machine).is_segwit

    def test_fund_without_its_outputs(self, upgrade: str) -> None:
        """A fund transaction without the outputs creates no spend transaction."""
        machine = self.begin(upgrade)
        (sent,) = waiting(machine)
        other = replace(sent, outputs=sent.outputs[2:])
        migration.register_fund(reading_call(machine), other)
        update(machine, COMMITTED_IN + 2)

        assert unpack(call(machine, "getStateForSvpClient()").output) == rlp.encode([[]])

    def test_too_large_fee(self, upgrade: str) -> None:
        """As in the real node, updates fail while the spend transaction cannot pay its fee."""
        machine = self.begin(upgrade)
        migration.register_fund(reading_call(machine), waiting(machine)[0])
        voter = account("auth-fee-per-kb")
        call(machine, "voteFeePerKbChange(int256)", word(5_000_000), sender=voter)
        at_block(machine, COMMITTED_IN + 2)
        outcome = call(machine, "updateCollections()", sender=FEDERATOR)

        assert str(outcome.error) == "the spend transaction cannot pay its fee"
        call(machine, "voteFeePerKbChange(int256)", word(100_000), sender=voter)
        update(machine, COMMITTED_IN + 3)
        assert load_rlp(reading_call(machine), migration.SPEND_HASH) is not None

    def sign(self, machine: Machine, sent: BitcoinTransaction, member: int) -> Outcome:
        """Send a member's signatures."""
        key, signatures = PrivateKey(member.to_bytes(32)), []
        for index, spent in enumerate(sent.inputs):
            script = redeem_script_in(spent) or b""
            if spent.witness:
                digest = sent.witness_signature_hash(index, script, VALUE)
            else:
                digest = sent.signature_hash(index, script)
            signatures.append(key.sign(digest, hasher=None))
        listed = word(len(signatures)) + dynamic(*signatures)
        first = dynamic(key.public_key.format())[32:]
        heads = word(96) + word(96 + len(first)) + word(96 + len(first) + len(listed))
        payload = heads + first + listed + dynamic(RSK_HASH)[32:]
        sender = account_of(key.public_key.format())
        return call(machine, ADD_SIGNATURE, payload, sender=sender)

    def test_signed(self, upgrade: str) -> None:
        """Two of three members sign; then the transaction is logged for them to send."""
        machine, sent = self.spend(upgrade)
        first = self.sign(machine, sent, MEMBERS[0])
        second = self.sign(machine, sent, MEMBERS[1])
        released = topic("release_btc(bytes32,bytes)")

        assert [log.topics[0] for log in first.logs] == [
            topic("add_signature(bytes32,address,bytes)")
        ]
        assert released in [log.topics[0] for log in second.logs]
        assert unpack(call(machine, "getStateForSvpClient()").output) == rlp.encode([[]])
        third = self.sign(machine, sent, MEMBERS[2])
        assert (third.error, third.logs) == (None, ())

    def test_key_of_another(self, upgrade: str) -> None:
        """A key that is no member's fails."""
        machine, _ = self.spend(upgrade)
        with pytest.raises(PrecompileFailed, match="not of a member of the proposed"):
            migration.sign_spend(reading_call(machine), b"\2" * 33, [], RSK_HASH)

    def test_in_force(self, upgrade: str) -> None:
        """Once the spend transaction is registered the elected federation is handed the peg."""
        machine, _ = self.spend(upgrade)
        reading, proposed = reading_call(machine), elected(machine)
        genesis = federation.active(reading)
        migration.register_spend(reading)

        assert federation.proposed(reading) is None
        assert federation.active(reading) == genesis
        assert federation.last_retired_script(reading) == genesis.output_script
        assert len(load_utxos(reading, OLD)) == 1
        at_block(machine, COMMITTED_IN + 150)
        assert federation.active(reading) == proposed
        assert federation.retiring(reading) == genesis
        assert number(call(machine, "getActiveFederationCreationBlockHeight()")) == COMMITTED_IN

    def test_in_force_late(self, upgrade: str) -> None:
        """Without an update in time it is active at once, and taken for the last retired."""
        machine, _ = self.spend(upgrade)
        reading, proposed = reading_call(machine), elected(machine)
        at_block(machine, COMMITTED_IN + 200)
        migration.register_spend(reading)

        assert federation.active(reading) == proposed
        assert federation.last_retired_script(reading) == proposed.default_output_script

    def test_failed(self, upgrade: str) -> None:
        """After 125 blocks the proposed federation is dropped, and elections are possible again."""
        machine, _ = self.spend(upgrade)
        script = elected(machine).redeem_script
        outcome = update(machine, COMMITTED_IN + 125)

        log = outcome.logs[-1]
        assert log.topics == (topic("commit_federation_failed(bytes,int256)"),)
        assert script in log.data
        assert int.from_bytes(log.data[32:64]) == COMMITTED_IN + 125
        assert federation.proposed(reading_call(machine)) is None
        assert load_rlp(reading_call(machine), migration.SPEND_HASH) is None
        with pytest.raises(PrecompileFailed, match="no proposed federation"):
            migration.register_spend(reading_call(machine))
        assert vote(machine, CREATE) == [1, 1, 1]
