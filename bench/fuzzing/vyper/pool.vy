# pragma version ^0.4.0
"""examples/property/contracts/Pool.sol, with its bug."""

totalShares: public(uint256)
shares: public(HashMap[address, uint256])


@external
@payable
def deposit():
    minted: uint256 = msg.value
    if self.totalShares > 0:
        minted = msg.value * self.totalShares // (self.balance - msg.value)
    assert minted > 0, "too little for a share"
    self.shares[msg.sender] += minted
    self.totalShares += minted


@external
@payable
def earn():
    pass


@external
def withdraw(amount: uint256):
    burned: uint256 = amount * self.totalShares // self.balance
    self.shares[msg.sender] -= burned
    self.totalShares -= burned
    send(msg.sender, amount)
