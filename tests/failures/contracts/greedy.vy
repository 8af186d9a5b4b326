#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

received: public(uint256)


@external
@payable
def __default__():
    self.received += msg.value  # fails: transfer_stipend
