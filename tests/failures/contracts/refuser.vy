#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

total: public(uint256)


@external
@payable
def __default__():
    assert msg.value > 5, "no payments"  # fails: transfer_refused, receive_reverts
    self.total += msg.value
    raise "no such function"  # fails: fallback_reverts
