# pragma version ^0.4.0
"""examples/property/contracts/Safe.sol, with its bug."""

owner: public(address)
pending: public(address)
handovers: public(uint256)


@deploy
def __init__():
    self.owner = msg.sender


@external
def propose(next: address):
    assert self.pending == empty(address) or msg.sender == self.owner, "not the owner"
    self.pending = next


@external
def accept(code: uint256):
    assert msg.sender == self.pending, "not proposed"
    assert code == 100048494811902, "wrong code"
    self.owner = self.pending
    self.pending = empty(address)
    self.handovers += 1
