# pragma version ^0.4.0
"""examples/property/contracts/Bank.sol, with its bug."""

total: public(uint256)
credit: public(HashMap[address, uint256])


@external
@payable
def deposit():
    self.credit[msg.sender] += msg.value
    self.total += msg.value


@external
def withdraw():
    amount: uint256 = self.credit[msg.sender]
    assert amount > 0, "no credit"
    raw_call(msg.sender, b"", value=amount)
    self.total -= self.credit[msg.sender]
    self.credit[msg.sender] = 0
