"""Two tests that fail, to show the report of a failure: `pytest failing_vault.py`.

The name of the file keeps pytest from collecting it with the other tests.
"""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def vault(devchain):
    """A vault that opens after a minute."""
    return devchain.deploy("Vault", 60)


def test_others_may_withdraw(vault, accounts):
    """Only the owner may: the report has the custom error with its values, and the line."""
    vault.deposit(value=5, sender=accounts[1])
    vault.withdraw(sender=accounts[1])


def test_transactions_that_fail_are_shown(vault, accounts, w3):
    """web3.py raises nothing for a failed receipt; the report has the transaction's call tree."""
    contract = w3.eth.contract(address=vault.address, abi=vault.abi)
    tx_hash = contract.functions.withdraw().transact({"gas": 100_000})

    assert w3.eth.get_transaction_receipt(tx_hash)["status"] == 1
