# pragma version ^0.4.0


@internal
@pure
def check(amount: uint256):
    assert amount > 0, "nothing"
    for i: uint256 in range(3):
        assert amount != i * 100
