"""What a Bitcoin transaction is to the peg: a peg-in, the federation's own, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import takewhile

from devchain.evm.rootstock.precompiles.bitcoin import HASH, from_base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    OP_16,
    RedeemScript,
    p2sh_output_script,
    parse_script,
    pay_to_script,
    script_hash_of,
    witness_program,
)
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import federation, release_inputs, storage
from devchain.evm.rootstock.precompiles.bridge.federation import Federation
from devchain.evm.rootstock.precompiles.bridge.methods import peg_of
from devchain.evm.rootstock.precompiles.bridge.migration import FUND_HASH, SPEND_HASH
from devchain.evm.rootstock.precompiles.bridge.releases import is_created
from devchain.evm.rootstock.precompiles.bridge.utxos import Utxo
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    PrecompileFailed,
    PrecompileUnsupported,
)

# The address that federations had before the Bridge kept their scripts (RSKIP199).
OLD_ADDRESS_ON_MAIN = "35JUi1FxabGdhygLhnNUEFG4AgvpNMgxK1"
OLD_ADDRESS = "2N7ZgQyhFKm17RbaLqygYbS7KLrQfapyZzu"

MOST_SCRIPT = 10_000  # bytes
MOST_CHECKED = 2**24  # bytes: of the transaction, for each input that is executed
WITNESS_PROGRAM = bytes([0, HASH])
RULES = "P2SH,DERSIG,NULLDUMMY,CHECKSEQUENCEVERIFY"


class Kind(Enum):
    """What the Bridge does with a transaction."""

    PEG_IN = auto()
    FROM_FEDERATION = auto()  # a peg-out or a migration, whose change is the federation's
    SVP_FUND = auto()
    SVP_SPEND = auto()
    OTHER = auto()


def kind_of(call: Call, transaction: BitcoinTransaction, height: int) -> Kind:
    """The kind of a transaction in a Bitcoin block of that height.

    The federation's own transactions are known by their hash since Arrowhead (RSKIP379), before by
    what their inputs spend. Raises `PrecompileFailed` where bitcoinj fails.
    """
    live = federation.live(call)
    if not call.since("arrowhead") or height < peg_of(call).first_known_by_hash:
        return _kind_by_inputs(call, transaction, live)
    if _has_hash(call, FUND_HASH, transaction):
        return Kind.SVP_FUND
    if _has_hash(call, SPEND_HASH, transaction):
        return Kind.SVP_SPEND
    outputs = outputs_to(transaction, [each.output_script for each in live])
    if is_created(call, transaction):
        return Kind.FROM_FEDERATION
    return Kind.PEG_IN if outputs else Kind.OTHER


def _has_hash(call: Call, slot: int, transaction: BitcoinTransaction) -> bool:
    # Since Lovell (RSKIP419).
    wanted = storage.load_rlp(call, slot) if call.since("lovell") else None
    if wanted is None:
        return False
    try:
        return bool(release_inputs.hash_without_signatures(transaction) == wanted)
    except ValueError as error:
        if not call.since("reed") and _has_other_redeem_script(transaction):
            raise PrecompileFailed("an input spends from a script that is no multisig") from error
        return False


def _has_other_redeem_script(transaction: BitcoinTransaction) -> bool:
    # Before the first input without a redeem script; the key of a P2PKH input may be read as one.
    scripts = map(release_inputs.redeem_script_in, transaction.inputs)
    for script in takewhile(bool, scripts):
        try:
            RedeemScript.parse(script or b"")
        except ValueError:
            return True
    return False


def outputs_to(transaction: BitcoinTransaction, scripts: Iterable[bytes]) -> list[Utxo]:
    """The outputs with one of those scripts; raises `PrecompileFailed` where bitcoinj fails."""
    # The output script of a key, with an opcode that pushes no bytes in place of the hash.
    if any(
        re.fullmatch(b"\x76\xa9[\x4f-\xff]\x88\xac", output.script)
        for output in transaction.outputs
    ):
        raise PrecompileFailed("an output pays to a key without the key's hash")
    wanted, txid, is_coinbase = set(scripts), transaction.txid, transaction.is_coinbase
    return [
        Utxo(txid, index, output.value, output.script, is_coinbase=is_coinbase)
        for index, output in enumerate(transaction.outputs)
        if output.script in wanted
    ]


def minimum_peg_in(call: Call) -> int:
    """The least satoshis of a peg-in."""
    return 500_000 if call.since("iris") else 1_000_000


# By inputs


def _kind_by_inputs(call: Call, transaction: BitcoinTransaction, live: list[Federation]) -> Kind:
    old_address = OLD_ADDRESS_ON_MAIN if peg_of(call).is_main else OLD_ADDRESS
    old_script = pay_to_script(from_base58check(old_address)[1:])
    spending, places = Spending(transaction), range(len(transaction.inputs))
    if call.since("iris") and any(spending.spends(index, old_script) for index in places):
        return Kind.FROM_FEDERATION
    retired = federation.last_retired_script(call)
    if _is_peg_in(call, spending, live, retired):
        return Kind.PEG_IN
    retiring = [each.default_output_script for each in live[1:]]
    replaced = retiring if retired is None else [retired, *retiring]
    is_migration = (
        bool(replaced)
        and _spends_redeem_script_of(call, transaction, replaced)
        and _is_peg_in(call, spending, live[:1], None)
    )
    own = [each.default_output_script for each in live]
    if is_migration or _spends_redeem_script_of(call, transaction, own):
        return Kind.FROM_FEDERATION
    return Kind.OTHER


def _is_peg_in(
    call: Call, spending: Spending, federations: Sequence[Federation], retired: bytes | None
) -> bool:
    transaction = spending.transaction
    scripts = [each.output_script for each in federations]
    for index in range(len(transaction.inputs)):
        standard = _standard_script(call, transaction, index)
        if standard is not None and call.since("iris"):
            if any(each.default_redeem_script == standard for each in federations):
                return False
            if p2sh_output_script(standard) == retired:
                return False
        spent = scripts if retired is None else [*scripts, retired]
        if any(spending.spends(index, script) for script in spent):
            return False
    values = [utxo.value for utxo in outputs_to(transaction, scripts)]
    if call.since("fingerroot"):
        return all(value >= minimum_peg_in(call) for value in values)
    return sum(values) >= minimum_peg_in(call)


def _standard_script(call: Call, transaction: BitcoinTransaction, index: int) -> bytes | None:
    # The federation's part of an input's redeem script, since Iris (RSKIP201).
    script = release_inputs.redeem_script_in(transaction.inputs[index])
    if script is None or not call.since("iris"):
        return script
    try:
        return RedeemScript.parse(script).standard
    except ValueError:
        return None


def _spends_redeem_script_of(
    call: Call, transaction: BitcoinTransaction, outputs: Sequence[bytes]
) -> bool:
    for index in range(len(transaction.inputs)):
        standard = _standard_script(call, transaction, index)
        if standard is None:
            continue
        if p2sh_output_script(standard) in outputs:
            return True
        if call.since("reed") and p2sh_output_script(witness_program(standard)) in outputs:
            return True
    return False


# Signatures of inputs


@dataclass
class Spending:
    """A transaction whose inputs are checked, within bounds."""

    transaction: BitcoinTransaction
    checked: int = 0

    def spends(self, index: int, output: bytes) -> bool:
        """Whether an input satisfies the output script of a script's address, as bitcoinj decides.

        It does not know witnesses: to it, any input with the right witness program spends. Raises
        `PrecompileUnsupported` if it takes too long to decide.
        """
        script = self.transaction.inputs[index].script
        try:
            chunks = parse_script(script)
        except ValueError:
            return False
        redeem_script = chunks[-1].pushed if chunks else None
        if redeem_script is None or script_hash_of(output) != hash160(redeem_script):
            return False
        if len(script) > MOST_SCRIPT or any(chunk.opcode > OP_16 for chunk in chunks):
            return False
        is_program = len(redeem_script) == len(WITNESS_PROGRAM) + HASH
        if is_program and redeem_script.startswith(WITNESS_PROGRAM):
            return True
        raw = self.transaction.serialize(with_witnesses=False)
        self.checked += len(raw)
        if self.checked > MOST_CHECKED:
            raise PrecompileUnsupported("the bitcoin transaction takes too long to check")
        return _executes(raw, index, output)


def _executes(raw: bytes, index: int, output: bytes) -> bool:
    # Few transactions need the interpreter, which takes long to load.
    from btclib.exceptions import BTClibException  # noqa: PLC0415
    from btclib.script.engine import verify_input  # noqa: PLC0415
    from btclib.script.script_pub_key import ScriptPubKey  # noqa: PLC0415
    from btclib.tx import Tx, TxOut  # noqa: PLC0415

    try:
        transaction = Tx.parse(raw, check_validity=False)
        spent = TxOut(0, ScriptPubKey(output, check_validity=False))
        verify_input([spent] * len(transaction.vin), transaction, index, RULES)
    except BTClibException:
        return False
    return True
