#? 0.3
# @version ^0.3.10
#? 0.4
# pragma version ^0.4.0
#? all

size: public(uint256)
half: public(uint256)


#? 0.3
@external
#? 0.4
@deploy
#? all
def __init__(wanted: uint256):  # fails: constructor_arguments
    assert wanted < 20, "too large"  # fails: constructor, new_fails
    self.size = wanted
    self.half = self._halve(wanted)  # calls: constructor_internal 1


@internal
def _halve(wanted: uint256) -> uint256:
    assert wanted % 2 == 0, "odd"  # fails: constructor_internal
    return unsafe_div(wanted, 2)
