"""Whether an input of a transaction spends an output to a script's address, signatures included."""

from __future__ import annotations

from dataclasses import dataclass

from devchain.evm.rootstock.precompiles.bitcoin import HASH, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import OP_16, parse_script, script_hash_of
from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
from devchain.evm.rootstock.precompiles.native_contract import PrecompileUnsupported

MOST_SCRIPT = 10_000  # bytes
MOST_CHECKED = 2**24  # bytes: of the transaction, for each input that is executed
WITNESS_PROGRAM = bytes([0, HASH])
RULES = "P2SH,DERSIG,NULLDUMMY,CHECKSEQUENCEVERIFY"


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
