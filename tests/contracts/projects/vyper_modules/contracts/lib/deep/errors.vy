# pragma version ^0.4.0


@internal
@pure
def refuse():
    raise "not the owner"
