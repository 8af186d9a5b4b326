"""Estimated fees of `devchain.evm.rootstock.precompiles.bridge.peg_outs`.

The figures are of rskj's BridgeSupportGetEstimatedFeesTest: federations of 9 and 20 members with
mainnet's emergency keys, 8,000 satoshis per 1,000 bytes.
"""

from __future__ import annotations

import pytest
from coincurve import PrivateKey

from devchain.evm.rootstock.precompiles.bitcoin_transaction import (
    BitcoinTransaction,
    TxInput,
    TxOutput,
)
from devchain.evm.rootstock.precompiles.bridge import federation, peg_outs, releases, storage
from devchain.evm.rootstock.precompiles.bridge.federation import (
    FederationMember,
    Format,
    build_federation,
)
from devchain.evm.rootstock.precompiles.bridge.settings import FEE_PER_KILOBYTE
from devchain.evm.rootstock.precompiles.bridge.storage import number_bytes
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo, load_utxos, new_slot, store_utxos
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import call, number, reading_call, topic
from tests.evm.rootstock.precompiles.calling import Machine

BITCOIN, LEAST = 10**8, 400_000
NEXT = "getEstimatedFeesForNextPegOutEvent()"
FOR_AMOUNT = "getEstimatedFeesForPegOutAmount(uint256)"
RICH, POOR, MANY = [8 * BITCOIN] * 2, [BITCOIN] * 2, [BITCOIN] * 4


def machine_of(upgrade: str, values: list[int], requests: list[int], fee: int = 8_000) -> Machine:
    """Mainnet's Bridge with outputs of those values and requests for those satoshis."""
    machine = Machine(upgrade, chain_id=30)
    reading = reading_call(machine)
    is_segwit = reading.since("reed")
    keys = [PrivateKey.from_int(1 + at).public_key.format() for at in range(20 if is_segwit else 9)]
    members = [FederationMember(key, key, key) for key in keys]
    kind = Format.P2SH_P2WSH_ERP if is_segwit else Format.P2SH_ERP
    elected = build_federation(reading, members, 0, 0, kind)
    federation.store_federation(reading, federation.NEW, elected)
    script = elected.output_script
    utxos = [Utxo(bytes([1 + at]) * 32, 0, value, script) for at, value in enumerate(values)]
    store_utxos(reading, new_slot(reading), utxos)
    items = [
        item
        for at, value in enumerate(requests)
        for item in (bytes([at]) * 20, number_bytes(value), bytes([at]) * 32)
    ]
    storage.store_rlp(reading, peg_outs.QUEUE_WITH_HASHES, items)
    storage.store_number(reading, FEE_PER_KILOBYTE, fee)
    return machine


@pytest.mark.parametrize("fee", [8_000, 16_000])
@pytest.mark.parametrize(
    ("upgrade", "values", "requests", "wanted"),
    [
        ("fingerroot", [8 * BITCOIN], [], 14_352),
        ("fingerroot", [8 * BITCOIN], [BITCOIN], 14_608),
        ("fingerroot", [8 * BITCOIN], [BITCOIN] * 150, 52_752),
        ("reed", RICH, [], 4_536),
        ("reed", [], [], 7_664),
        ("reed", [], [BITCOIN], 7_920),
        ("reed", MANY, [LEAST], 8_736),
        ("reed", MANY, [LEAST] * 2, 9_008),
        ("reed", MANY, [LEAST] * 3, 9_280),
        ("reed", POOR, [BITCOIN], 8_480),
        ("reed", POOR, [BITCOIN + 1], 7_920),
        ("reed", RICH, [BITCOIN + 1, 10 * BITCOIN], 9_008),
        ("reed", RICH, [BITCOIN, BITCOIN, 10 * BITCOIN], 9_280),
        ("vetiver", RICH, [], 4_536),
        ("vetiver", [], [], 7_664),
        ("vetiver", [], [BITCOIN], 7_920),
        ("vetiver", MANY, [LEAST], 4_808),
        ("vetiver", MANY, [LEAST] * 2, 5_080),
        ("vetiver", MANY, [LEAST] * 3, 5_352),
        ("vetiver", POOR, [BITCOIN], 8_736),
        ("vetiver", POOR, [BITCOIN + 1], 8_736),
        ("vetiver", [BITCOIN, LEAST], [BITCOIN], 8_480),
        ("vetiver", [BITCOIN, LEAST], [BITCOIN + 1], 7_920),
        ("vetiver", RICH, [BITCOIN + 1, 10 * BITCOIN], 9_008),
        ("vetiver", RICH, [BITCOIN, BITCOIN, 10 * BITCOIN], 9_280),
        ("next", RICH, [], 4_536),
        ("next", [], [], 8_384),
        ("next", [], [BITCOIN], 8_640),
        ("next", [BITCOIN, LEAST], [BITCOIN + 1], 8_640),
    ],
)
def test_next(upgrade: str, values: list[int], requests: list[int], wanted: int, fee: int) -> None:
    """Before Reed the fee is estimated from counts, since then a transaction is simulated."""
    machine = machine_of(upgrade, values, requests, fee)

    assert number(call(machine, NEXT)) == wanted * fee // 8_000


@pytest.mark.parametrize(
    ("inputs", "outputs", "size"),
    [(200, 50, 98_960), (184, 14, 89_956), (183, 28, 89_945), (182, 42, 89_935), (181, 57, 89_959)],
)
def test_size(inputs: int, outputs: int, size: int) -> None:
    """The first is that of rskj's BridgeUtilsTest, the others are below 90,000 there (RSKIP378)."""
    elected = federation.active(reading_call(machine_of("next", [], [])))
    unsigned = (TxInput(bytes(32), 0, bytes(35)),) * inputs
    transaction = BitcoinTransaction(2, unsigned, (TxOutput(0, bytes(25)),) * outputs)

    assert releases.virtual_size(elected, transaction) == size


@pytest.mark.parametrize(
    ("upgrade", "chain_id", "kind", "members", "inputs", "outputs", "size"),
    [
        ("iris", 30, Format.STANDARD, 13, 2, 2, 2_054),
        ("fingerroot", 30, Format.STANDARD, 13, 2, 2, 2_058),
        ("fingerroot", 30, Format.STANDARD, 13, 9, 2, 9_002),
        ("fingerroot", 30, Format.STANDARD, 13, 10, 20, 10_570),
        ("fingerroot", 30, Format.STANDARD, 13, 50, 200, 56_010),
        ("fingerroot", 33, Format.NON_STANDARD_ERP, 3, 50, 200, 26_510 + 50 * 34),
        ("fingerroot", 33, Format.NON_STANDARD_ERP, 3, 100, 50, 41_810 + 100 * 34),
        ("vetiver", 30, Format.P2SH_P2WSH_ERP, 13, 2, 2, 694),
        ("vetiver", 30, Format.P2SH_P2WSH_ERP, 13, 9, 2, 2_866),
        ("vetiver", 30, Format.P2SH_P2WSH_ERP, 13, 10, 20, 3_752),
        ("vetiver", 30, Format.P2SH_P2WSH_ERP, 13, 50, 200, 21_922),
        ("vetiver", 30, Format.P2SH_P2WSH_ERP, 3, 50, 200, 13_172),
        ("vetiver", 30, Format.P2SH_P2WSH_ERP, 3, 100, 50, 15_135),
    ],
)
def test_estimated_size(  # the columns of rskj's BridgeUtilsTest
    upgrade: str,
    chain_id: int,
    kind: Format,
    members: int,
    inputs: int,
    outputs: int,
    size: int,
) -> None:
    """Sizes before they are simulated; the first is within 2 % of a real transaction's 2,076.

    The local network has one emergency key more than there: 34 bytes an input.
    """
    reading = reading_call(Machine(upgrade, chain_id=chain_id))
    keys = [PrivateKey.from_int(1 + at).public_key.format() for at in range(members)]
    elected = build_federation(
        reading, [FederationMember(key, key, key) for key in keys], 0, 0, kind
    )

    assert releases.estimated_size(reading, elected, inputs, outputs) == size


def test_half_of_the_queue() -> None:
    """Requests that are too many are halved; the value is that of what is paid (RSKIP378)."""
    reading = reading_call(machine_of("next", [3_000 * BITCOIN], []))
    logs: list[bytes] = []
    reading.computation.transaction_context = None
    reading.computation.add_log_entry = lambda _address, topics, data: logs.append(
        data if topics[0] == topic("release_requested(bytes32,bytes32,uint256)") else b""
    )
    requests = [peg_outs.Request(at.to_bytes(20), LEAST, at.to_bytes(32)) for at in range(2_800)]
    spendable = load_utxos(reading, new_slot(reading))
    one = federation.active(reading)
    builder = releases.builder_of(reading, [one], spendable, one.output_script)
    left = peg_outs._pay_together(reading, builder, requests)  # without the storage

    assert left == requests[1_400:]
    assert int.from_bytes(b"".join(logs)) == 1_400 * LEAST


@pytest.mark.parametrize(
    ("values", "requests", "satoshis", "wanted"),
    [
        (RICH, [], LEAST, 4_536),
        (RICH, [], BITCOIN, 4_536),
        (MANY, [LEAST], BITCOIN, 8_736),
        (MANY, [LEAST] * 2, BITCOIN, 9_008),
        (MANY, [LEAST] * 3, BITCOIN, 9_280),
        (MANY, [LEAST], LEAST, 4_808),
        (MANY, [LEAST] * 2, LEAST, 5_080),
        (MANY, [LEAST] * 3, LEAST, 5_352),
        (MANY, [LEAST] * 2, 3 * LEAST, 5_080),
        (MANY, [LEAST] * 2, 2 * BITCOIN, 12_936),
        (MANY, [LEAST] * 2, LEAST + 1_000, 5_080),
    ],
)
def test_for_amount(values: list[int], requests: list[int], satoshis: int, wanted: int) -> None:
    """The fee of a transaction that pays the queue and that amount."""
    machine = machine_of("vetiver", values, requests)

    assert number(call(machine, FOR_AMOUNT, word(satoshis * 10**10))) == wanted


@pytest.mark.parametrize(
    ("values", "wei", "failure"),
    [
        (MANY, (LEAST - 1) * 10**10, "at least 400000 satoshis, not 399999"),
        (MANY, LEAST * 10**10 - 1, "at least 400000 satoshis, not 399999"),
        (MANY, 2**255, "at least 400000 satoshis"),
        ([], LEAST * 10**10, "cannot be simulated: the federation has fewer bitcoins"),
        (MANY, 10**25, "cannot be simulated"),
        (MANY, 22 * 10**24, "larger than there are bitcoins"),
    ],
    ids=["satoshi", "wei", "negative", "no money", "too much", "more than there are"],
)
def test_no_fee(values: list[int], wei: int, failure: str) -> None:
    """An amount that is too small, or that cannot be paid, fails."""
    outcome = call(machine_of("vetiver", values, []), FOR_AMOUNT, word(wei))

    assert failure in str(outcome.error)
