#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0

import ledger

initializes: ledger
#? all

interface Itself:
    def locked(amount: uint256): nonpayable

total: public(uint256)
CAP: immutable(uint256)


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__():
    CAP = 12


@external
def outer(amount: uint256):
    self.total = 1
    self._middle(amount)  # calls: nested_internal 1
    self.total = 2


@external
def twice(a: uint256, b: uint256):
    self._inner(a)  # calls: first_call 1
    self.total = 1
    self._inner(b)  # calls: second_call 1


@internal
def _middle(amount: uint256):
    self.total += 1
    self._inner(amount)  # calls: nested_internal 2
    self.total += 1


@internal
def _inner(amount: uint256):
    assert amount < 10, "two levels down"  # fails: nested_internal, first_call, second_call
    self.total += amount


@internal
def _shared(amount: uint256):
    assert amount < self.total, "shared helper"  # fails: shared_first, shared_second
    self.total -= 1


@external
def shared_first(amount: uint256):
    self._shared(amount)  # calls: shared_first 1


@external
def shared_second(amount: uint256):
    self.total = 2
    self._shared(amount - 5)  # calls: shared_second 1


@external
def in_arguments(amount: uint256):
    self.total = self._pair(
        self.total,
        self._checked(amount)  # calls: in_arguments 1
    )


@internal
def _pair(a: uint256, b: uint256) -> uint256:
    return a + b


@internal
def _checked(amount: uint256) -> uint256:
    assert amount <= self.total, "argument refused"  # fails: in_arguments
    return amount


@external
@nonreentrant$lock
def locked(amount: uint256):  # fails: nonreentrant
    self.total = amount
    #? 0.3
    Itself(self).locked(amount)  # calls: nonreentrant 1
    #? 0.4
    extcall Itself(self).locked(amount)  # calls: nonreentrant 1
    #? all


@external
def default_argument(amount: uint256, limit: uint256 = 10):
    self.total = amount
    assert amount < limit, "above the default"  # fails: default_argument


@external
def immutable_limit(amount: uint256):
    assert amount < CAP, "above the cap"  # fails: immutable_limit
    self.total = amount


#? 0.4
@external
def in_module(amount: uint256):
    ledger.spend(amount)  # calls: internal_library 1
#? all
